"""A schema as a file to edit by hand: TOML, with a line for every column, and the reason for it as a comment. Columns
that one family counts together are a block.

```toml
label = "play"
prior = "frequencies"

[columns]
outlook = "Categorical(alpha='fitted')"  # text, 3 levels in 14 cells
"wind speed" = "Gaussian()"              # numbers from 1 to 9
day = "left out"                         # every cell is the same

[[blocks]]
columns = ["height", "weight"]
family = "Correlated()"
```
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tallybayes.data.errors import quoted
from tallybayes.families import Family
from tallybayes.families.posteriors import Dirichlet
from tallybayes.schema.class_prior import FREQUENCIES, PSEUDO_COUNTS, CheckedPrior, prior_to_json
from tallybayes.schema.family_text import LEFT_OUT, column_from_text, family_to_text, prior_from_text
from tallybayes.schema.schema import Schema
from tallybayes.schema.weights import Weights

KEYS = ("label", "prior", "columns", "blocks", "weights")
BARE = re.compile(r"[A-Za-z0-9_-]+")
TEXT = r'"""(?:[^\\"]|\\.|"(?!""))*+(?:""")?+|"(?:[^\\"\n]|\\.)*+"?+|' + r"'''(?:[^']|'(?!''))*+(?:''')?+|'[^'\n]*+'?+"
PART = rf"(?:[A-Za-z0-9_-]++|{TEXT})"
DEEPEST = 16  # dotted parts of a name; tomllib needs memory for the square of their number
DOTTED = re.compile(rf"({PART}(?:[ \t]*+\.[ \t]*+{PART}){{{DEEPEST}}})|#[^\n]*+|{TEXT}|{PART}", re.DOTALL)
NAMED_LINE = re.compile(r"\(at line (\d+), column \d+\)")
WIDEST = 60  # characters, up to which comments are aligned
LONGEST_COMMENT = 200
PLAIN = (bool, int, float)  # label types that TOML has too
ABOUT_BLOCKS = 'write [[blocks]] with the lines columns = ["height", "weight"] and family = "Correlated()"'
ABOUT_PRIOR = 'or "uniform", a number added to every class\'s count, or a table [prior] of probabilities'


def schema_to_toml(schema: Schema, *, comments: bool = True) -> str:
    """A schema as a text to edit, which `schema_from_toml` reads.

    >>> from tallybayes import Gaussian
    >>> print(schema_to_toml(Schema({"wind speed": Gaussian()}, label="play", prior=1.0)), end="")
    label = "play"
    prior = 1.0
    <BLANKLINE>
    [columns]
    "wind speed" = "Gaussian()"
    """
    lines = [] if schema.label is None else [f"label = {_quoted(schema.label)}"]
    table: list[str] = []
    if isinstance(schema.prior, Mapping) and all(isinstance(label, str) for label in schema.prior):
        table = ["", "[prior]", *(f"{_key(label)} = {p!r}" for label, p in schema.prior.items())]
    else:
        about = f"  # {ABOUT_PRIOR}" if comments and schema.prior == FREQUENCIES else ""
        lines.append(f"prior = {_prior_text(schema.prior)}{about}")
    lines += ["", "[columns]", *_commented(_column_lines(schema), comments)]
    return "\n".join([*lines, *_block_lines(schema), *table, *_weight_lines(schema), ""])


def schema_from_toml(text: str) -> Schema:
    """The schema of a TOML text; columns that it leaves out have that as their reason.

    >>> schema_from_toml('''
    ... prior = "uniform"
    ... [columns]
    ... age = "Gaussian"
    ... name = "left out"
    ... ''')
    age      Gaussian()
    name     left out    as the schema file has it
    (class)  uniform
    """
    if not isinstance(text, str):
        raise TypeError(
            f"schema_from_toml takes the text of the file, not {type(text).__name__}; give its contents, as in "
            'Path("schema.toml").read_text("utf-8").'
        )
    found = _parsed(text)
    unknown = [key for key in found if key not in KEYS]
    if unknown:
        raise ValueError(f"The schema has an unknown entry {quoted(unknown[0])}; it may have {', '.join(KEYS)}.")
    label, columns = found.get("label"), found.get("columns")
    if label is not None and not isinstance(label, str):
        raise ValueError(f"The schema has label = {quoted(label)}; give the name of a column, in quotes.")
    if not isinstance(columns, dict) and (columns is not None or "blocks" not in found):
        raise ValueError('The schema has no table [columns]; add one with lines like age = "Gaussian()".')
    families: dict[Any, Family | None] = {name: _family(name, value) for name, value in (columns or {}).items()}
    families |= _blocks(found.get("blocks", []))
    counted = {name: family for name, family in families.items() if family is not None}
    reasons = {name: "as the schema file has it" for name in families if name not in counted}
    try:
        prior, weights = _prior(found.get("prior", FREQUENCIES)), _weights(found.get("weights"))
        return Schema(counted, prior=prior, label=label, reasons=reasons, weights=weights)
    except (TypeError, OverflowError) as error:  # labels of several types, or infinite numbers
        raise ValueError(f"The schema has a prior that cannot be read: {error}") from None


def schema_in(path: str) -> Schema:
    """The schema in a file. Errors name the file."""
    try:
        return schema_from_toml(Path(path).read_text("utf-8"))
    except UnicodeDecodeError:
        raise ValueError(f"{path}: this is not a schema; `tallybayes schema` writes one.") from None
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: {error}") from None


def _parsed(text: str) -> dict[str, Any]:
    deep = next((found[1] for found in DOTTED.finditer(text) if found[1]), None)
    if deep is not None:
        raise ValueError(f"The schema cannot be read as TOML: the name {quoted(deep)} has more than {DEEPEST} parts.")
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except RecursionError:
        raise ValueError("The schema cannot be read as TOML: brackets are nested too deeply.") from None
    except ValueError as error:
        place = NAMED_LINE.search(str(error))
        lines = text.replace("\r\n", "\n").split("\n")
        line = lines[int(place[1]) - 1] if place and int(place[1]) <= len(lines) else ""
        raise ValueError(
            f"The schema cannot be read as TOML: {error}{f': {quoted(line)}' if line else ''}. Quote names and "
            'families, as in "wind speed" = "Gaussian()".'
        ) from None


def _blocks(value: Any) -> dict[tuple[str, ...], Family]:
    blocks: dict[tuple[str, ...], Family] = {}
    for block in value if isinstance(value, list) else [value]:
        names = block.get("columns") if isinstance(block, dict) and block.keys() == {"columns", "family"} else None
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise ValueError(f"The schema has the block {quoted(block)}; {ABOUT_BLOCKS}.")
        name = tuple(names)
        family = _family(name, block["family"])
        if name in blocks or family is None:
            reason = "left out; remove it from the file" if family is None else "there twice"
            raise ValueError(f"The block {name!r} is {reason}.")
        blocks[name] = family
    return blocks


def _family(name: Any, value: Any) -> Family | None:
    if isinstance(value, dict):
        raise ValueError(
            f"The schema has a table in place of a family for column {name!r}; quote a name that contains a dot, as in "
            '"wind.speed" = "Gaussian()".'
        )
    if not isinstance(value, str):
        raise ValueError(f'Column {name!r} is {quoted(value)}; give a family in quotes, like "Gaussian()".')
    try:
        return column_from_text(value)
    except ValueError as error:
        raise ValueError(f"Column {name!r}: {error}") from None


def _prior(value: Any) -> Any:
    """As `Schema` takes it: a text is read as on the command line; probabilities come as a table, as pairs [label,
    probability], or as the model file has them, [type, key, probability]."""
    if isinstance(value, str):
        return prior_from_text(value)
    if isinstance(value, dict) and isinstance(value.get(PSEUDO_COUNTS), list):
        return _filed_prior(value)
    if not isinstance(value, list):
        return value
    sizes = {len(entry) if isinstance(entry, list) else 0 for entry in value}
    if sizes == {3}:
        return _filed_prior(value)
    if sizes != {2} or any(isinstance(label, (list, dict)) for label, _ in value):
        raise ValueError(f"The schema has prior = {quoted(value)}; give pairs [label, probability].")
    found = dict(value)
    if len(found) < len(value):
        raise ValueError(f"The schema has prior = {quoted(value)}, in which a label occurs twice.")
    return found


def _filed_prior(value: Any) -> Any:
    try:
        return Schema.from_json({"columns": [], "prior": value}).prior
    except (ValueError, TypeError, KeyError, ArithmeticError) as error:
        raise ValueError(f"The schema has prior = {quoted(value)}, which cannot be read: {error}") from None


def _prior_text(prior: CheckedPrior) -> str:
    if isinstance(prior, Dirichlet) and all(isinstance(label, (str, *PLAIN)) for label in prior.alpha):
        return _quoted(repr(prior))
    if isinstance(prior, Mapping) and all(isinstance(label, PLAIN) for label in prior):
        return _written([[label, p] for label, p in prior.items()])
    return _written(prior_to_json(prior))


def _column_lines(schema: Schema) -> list[tuple[str, str]]:
    """Each with the reason, in the order in which they were inferred."""
    complete = schema.columns.keys() <= schema.reasons.keys()
    names = schema.reasons if complete else {**dict.fromkeys(schema.columns), **schema.reasons}
    lines = []
    for name in (name for name in names if isinstance(name, str)):
        family = schema.columns.get(name)
        written = LEFT_OUT if family is None else family_to_text(family)
        lines.append((f"{_key(name)} = {_quoted(written)}", schema.reasons.get(name, "")))
    return lines


def _block_lines(schema: Schema) -> list[str]:
    lines = []
    for name, family in schema.columns.items():
        if not isinstance(name, str):
            lines += [
                "",
                "[[blocks]]",
                f"columns = {_written(list(name))}",
                f"family = {_quoted(family_to_text(family))}",
            ]
    return lines


def _weight_lines(schema: Schema) -> list[str]:
    if schema.weights is None:
        return []
    return ["", "[weights]", *(f"{key} = {_written(value)}" for key, value in schema.weights.to_json().items())]


def _weights(value: Any) -> Weights | None:
    if value is None:
        return None
    try:
        return Weights.from_json({"prior": 1.0, "offsets": [], "columns": [], "missing": [], **value})
    except (ValueError, TypeError, LookupError, ArithmeticError) as error:
        raise ValueError(
            f"The schema has weights = {quoted(value)}, which cannot be read: {error}. Write [weights] with the line "
            'columns = [["outlook", 0.5], ["wind", 0.3]].'
        ) from None


def _commented(lines: list[tuple[str, str]], comments: bool) -> list[str]:
    wide = max((len(line) for line, _ in lines if len(line) <= WIDEST), default=0)
    return [f"{line:{wide}}  # {_on_one_line(why)}" if comments and why else line for line, why in lines]


def _on_one_line(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text[:LONGEST_COMMENT])


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else _quoted(name)


def _quoted(text: str) -> str:
    """A quoted string on one line, safe for any terminal."""
    return f'"{"".join(map(_letter, text))}"'


def _letter(letter: str) -> str:
    if letter in '"\\':
        return f"\\{letter}"
    if letter.isprintable():
        return letter
    return f"\\u{ord(letter):04x}" if ord(letter) <= 0xFFFF else f"\\U{ord(letter):08x}"


def _written(value: Any) -> str:
    """A value as TOML."""
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, (list, tuple)):  # a block is a tuple of columns
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_key(key)} = {_written(each)}' for key, each in value.items())}}}"
    return str(value).lower() if isinstance(value, bool) else repr(value)
