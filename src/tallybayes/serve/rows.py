"""From rows and labels in JSON to frames and labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from unicodedata import bidirectional, category, normalize

import pyarrow as pa

from tallybayes.data.frames import no_column
from tallybayes.report.plain import to_text
from tallybayes.schema import Schema

Row = dict[str, Any]
SINGLE = frozenset((str, int, float, bool, type(None)))
LONGEST_LABEL = 1_000  # characters: every answer names all classes
CONTROLS = ("Cc", "Zl", "Zp")  # Unicode's categories of control characters, and of separators of lines
INVISIBLE = "Cf"  # the one of characters that format others …
# … some of which show: joiners between letters, as in Persian, or between emoji, and the tags of flags
JOINED = "[^\0-\u02af\u2000-\u206f\U000e0000-\U000e007f]"  # neither Latin nor invisible itself
SHOWING = re.compile(f"((?<={JOINED})[\u200c\u200d](?={JOINED})|(?<=\U0001f3f4)[\U000e0020-\U000e007f]+)")
DIRECTIONS = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")  # those that turn the direction of text
FEW = 20  # classes that an error names
ADVICE = "Give a cell for every column of the model; it may be null."


def one_row(row: Row, schema: Schema) -> Any:
    """A single row. A cell that is a list is one value, a vector, not a column of cells."""
    _check_columns(row, schema)
    if SINGLE.issuperset(map(type, row.values())):
        return row
    return {name: [cell] for name, cell in row.items() if name in schema.by_column}


def several(rows: Sequence[Row], schema: Schema) -> Any:
    """Rows as columns; each must have every column of the model."""
    if len(rows) == 1:
        return one_row(rows[0], schema)
    for number, row in enumerate(rows):
        _check_columns(row, schema, f" This is row {number}.")
    return {name: [row[name] for row in rows] for name in schema.by_column}


def _check_columns(row: Row, schema: Schema, which: str = "") -> None:
    for name in schema.by_column:
        if name not in row:
            no_column(name, row, f"{ADVICE}{which}")


def label_of(given: Any, known: Sequence[Any]) -> Any:
    """A label with the type of the model's labels. Dates, decimals and bytes, which JSON lacks, are given as text."""
    if isinstance(given, str) and len(given) > LONGEST_LABEL:
        raise ValueError(f"The label {given[:40]!r} … has more than {LONGEST_LABEL:,} characters. Give a shorter one.")
    if isinstance(given, str) and given not in known:
        _check_new(given, known)
    if not known or type(given) is type(known[0]):
        return given
    if type(given) is int and isinstance(known[0], float):
        return float(given)
    if not isinstance(given, str) or isinstance(known[0], bool):
        return given
    for label in known:
        if given == to_text(label):
            return label
    try:
        return pa.array([given]).cast(label_type(known))[0].as_py()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return given  # the library will raise an error


def _check_new(label: str, known: Sequence[Any]) -> None:
    """Refuses names of new classes that nobody could tell from others, or could not see."""
    if not label.strip():
        raise ValueError("The label is empty. Give the name of a class.")
    if any(category(each) in CONTROLS or bidirectional(each) in DIRECTIONS for each in label):
        raise ValueError(f"The label {label[:40]!r} has control characters. Give the name of a class.")
    parts = SHOWING.split(label)  # every other one shows
    parts[::2] = ["".join(each for each in part if category(each) != INVISIBLE) for part in parts[::2]]
    visible = "".join(parts)
    if visible != label and (visible in known or not visible.strip()):
        raise ValueError(f"The label {label[:40]!r} shows nothing but {visible[:40]!r}. Give the name of a class.")
    composed = normalize("NFC", label)
    if not label.isascii() and (same := [each for each in known if normalize("NFC", str(each)) == composed]):
        raise ValueError(f"The label {label[:40]!a} looks the same as the class {same[0]!a}. Give that one.")
    plain = re.sub(r"\s{2,}", " ", label.strip())
    if label != plain:
        given, like = repr(label[:40]), repr(plain[:40])
        differs = f"differs from the class {like} only by" if plain in known else "has needless"
        raise ValueError(f"The label {given} {differs} white space. Give {like}.")


def check_known(label: Any, known: Sequence[Any], advice: str) -> None:
    """Raises an error for a class that no row has: in a correction, it is more likely a typing error than a wish. The
    library itself refuses labels of another type."""
    if known and type(label) is type(known[0]) and label not in known:
        names = [*map(repr, map(to_text, known[:FEW])), *["…"] * (len(known) > FEW)]
        raise ValueError(f"There is no class {to_text(label)!r}; there are {', '.join(names)}. {advice}")


def label_type(known: Sequence[Any]) -> pa.DataType | None:
    """Arrow's type of a model's labels, if it has any."""
    return pa.array(known[:1]).type if known else None
