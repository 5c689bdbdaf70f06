"""Text columns that are numbers except for a few cells: which of these mark missing values, and warnings about others,
and about numbers in another notation.

A file without types may have "-" or "None" for a missing number; in a text column these may well be levels. The family
decides whether a column is read as numbers, so that a cell means the same in every row. The same holds for texts in a
DataFrame or a file with types; a column of a categorical type holds levels, by the word of whoever wrote it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallybayes.data import frames
from tallybayes.data.errors import warn
from tallybayes.data.marks import MARKS
from tallybayes.data.row_source import MOST_MARKS, RowSource
from tallybayes.data.written_numbers import unmarked, written_numbers
from tallybayes.families import Family
from tallybayes.kernels.strings import has_codes
from tallybayes.schema.infer import choose
from tallybayes.schema.infer.choice import Choice, share_text

MOST = 0.9  # the share of numbers above which other cells cause a warning
LOOKED_AT = 1000  # cells of a column, before all of them are checked
WITH_COMMAS = r"^ *[+-]?([0-9]+,?[0-9]*|,[0-9]+)([eE][+-]?[0-9]+)? *$"
IN_THOUSANDS = r"^ *[+-]?[0-9]{1,3}(,[0-9]{3})* *$"  # as well as numbers with commas
WITH_POINTS = r"^ *[+-]?[0-9]{1,3}(\.[0-9]{3})*(,[0-9]+)? *$"  # in thousands
SIGNS = "[%$€£¥]?"
DRESSED = rf"^ *[+-]?{SIGNS} *[+-]?([0-9]+|[0-9]{{1,3}}([,' ][0-9]{{3}})+)([.][0-9]+)? *{SIGNS} *$"
NUMBER = r" *[+-]?(?:[0-9]+|[0-9]{1,3}(?:[,' ][0-9]{3})+)(?:[.,][0-9]+)?"
WITH_UNIT = rf"^{NUMBER}(?P<unit> +[^0-9 ][^0-9]*|[^0-9 .,:/-]{{2}}[^0-9]*)$"
FEW = 10  # different texts with units may be categories

SOME_CELLS = 50  # of which one is a number if many are
SPACED = re.compile(r"[0-9]+( [0-9]+)*")


def read_marks(source: RowSource, sample: pa.RecordBatch, passed_over: Collection[str]) -> pa.RecordBatch:
    """The sample with such columns as numbers; warns of those that nearly are."""
    columns = dict(zip(sample.schema.names, sample.columns, strict=True))
    for name, cells in columns.items():
        if name not in passed_over and frames.is_text(cells.type):
            found = _numbers(source, name, cells)
            columns[name] = cells if found is None else found
    return pa.RecordBatch.from_pydict(columns)


def choose_for_typed(name: str, cells: pa.Array, choose_for: Callable[[pa.Array], Choice]) -> Choice:
    """The choice for a column with a type: as numbers if all its other texts are marks of missing ones, and it is no
    category. Warns if one or two texts keep it from being numbers, or if it is left out or counted as words since its
    numbers are in another notation."""
    present = _like_numbers(cells)
    if present is None:
        return choose_for(cells)
    are_numbers = _are_numbers(".", present)
    others = pc.unique(present.filter(pc.invert(are_numbers)))
    numbers = _without_marks(name, cells, present, others)
    found = choose_for(cells if numbers is None else numbers)
    if numbers is None and not _is_numeric(found.family):
        _note_nearly_numbers(name, present, are_numbers, others.to_pylist(), found.family)
    return found


def _is_numeric(family: Family | None) -> bool:
    return family is not None and family.reads == pa.float64()


def _without_marks(name: str, cells: pa.Array, present: pa.Array, others: pa.Array) -> pa.Array | None:
    """The cells as numbers, if the texts that are none are marks, and these numbers are no category."""
    trimmed = pc.utf8_trim_whitespace(others)
    marked = pc.is_in(trimmed.filter(pc.not_equal(trimmed, "")), pa.array(MARKS, others.type))
    if not len(marked) or not pc.all(marked).as_py() or has_codes(present):
        return None
    numbers = frames.numbers(cells)
    if np.isinf(numbers).any():
        return None
    found = pa.array(numbers, from_pandas=True)
    return found if _is_numeric(choose(found, name=name).family) else None


def _note_nearly_numbers(
    name: str, present: pa.Array, are_numbers: pa.Array, others: list[str], chosen: Family | None
) -> None:
    share = pc.mean(are_numbers).as_py()
    if share < MOST:
        if chosen is None or chosen.is_text:
            _note_unread(name, _spread(present, LOOKED_AT), ".", "Write them with a point.")
    elif 0 < len(others) <= MOST_MARKS and not set(others) <= set(MARKS):
        numbers = pc.cast(pc.ascii_trim(present.filter(are_numbers), " "), pa.float64())
        if _is_numeric(choose(numbers, name=name).family):
            found = f"{share_text(share)} numbers, the rest {_named(others)}, so all cells are texts"
            warn(f"Column {name!r}: {found}. If these are missing values, replace them by None.")


def _like_numbers(cells: pa.Array) -> pa.Array | None:
    """The texts that are present, if any of some begins as a number does; most columns of texts are ruled out so."""
    present = cells.drop_null() if frames.is_text(cells.type) else cells[:0]
    return present if any(map(_begins_a_number, _spread(present, SOME_CELLS).to_pylist())) else None


def _begins_a_number(text: str) -> bool:
    return text.strip(" +-.,$€£¥")[:1].isdecimal()


def _spread(cells: pa.Array, most: int) -> pa.Array:
    """All cells or, if there are more, this many at equal distances."""
    return cells.take(pa.array(np.linspace(0, len(cells) - 1, min(len(cells), most), dtype=np.int64)))


def _numbers(source: RowSource, name: str, cells: pa.Array) -> pa.Array | None:
    present = cells.drop_null()
    some = _spread(present, LOOKED_AT)
    if not len(some) or _share(source, some) < MOST:
        _note_unread(name, some, source.decimal, "Give --decimal ,")
        return None
    known = unmarked(present, source)
    are_numbers = _are_numbers(source.decimal, known)
    share = (pc.sum(are_numbers).as_py() or 0) / len(present)
    others = pc.unique(present.filter(pc.invert(pc.fill_null(are_numbers, False)))).to_pylist()
    if not pc.all(are_numbers, min_count=0).as_py():
        if share >= MOST and len(others) <= MOST_MARKS:
            _note(name, f"{share_text(share)} numbers, the rest {_named(others)}", others)
        return None
    if not share or has_codes(known.drop_null()):
        return None
    numbers = written_numbers(cells, source)
    family = choose(numbers, name=name).family
    if family is None or _is_numeric(family):
        return numbers
    _note(name, f"numbers except for {_named(others)}, all counted as levels", others)
    return None


def _are_numbers(decimal: str, texts: pa.Array) -> pa.Array:
    point = re.escape(decimal)
    return pc.match_substring_regex(texts, rf"^ *[+-]?([0-9]+{point}?[0-9]*|{point}[0-9]+)([eE][+-]?[0-9]+)? *$")


def _share(source: RowSource, texts: pa.Array) -> float:
    """The share of cells that are numbers or marks of missing values."""
    return float(pc.mean(pc.fill_null(_are_numbers(source.decimal, unmarked(texts, source)), True)).as_py())


def _note_unread(name: str, texts: pa.Array, decimal: str, instead: str) -> None:
    """Warns of numbers in a form that is not read as such; `instead` is what to do about a decimal comma."""

    def like(pattern: str) -> float:
        return float(pc.mean(pc.match_substring_regex(texts, pattern)).as_py() or 0.0)

    thousands = decimal == "," and like(WITH_POINTS) >= MOST
    if decimal == "." and like(WITH_COMMAS) >= MOST > like(IN_THOUSANDS):
        warn(f"Column {name!r}: numbers with a decimal comma are read as text. {instead}")
    elif decimal != "." and not thousands and pc.mean(_are_numbers(".", texts)).as_py() >= MOST:
        why = f"since --decimal {decimal} is given. Write them with {decimal!r}."
        warn(f"Column {name!r}: numbers with a decimal point are read as text, {why}")
    elif thousands or (like(DRESSED) >= MOST and not _are_spaced_codes(texts)):
        form = "with a thousands separator, a percent sign or a currency are read as text. Write them as plain numbers"
        warn(f"Column {name!r}: numbers {form}.")
    elif unit := _unit(texts):
        warn(f"Column {name!r}: numbers with the unit {unit!r} are read as text. Write them as plain numbers.")


def _unit(texts: pa.Array) -> str | None:
    """What follows the number in nearly every cell."""
    if len(pc.unique(texts)) <= FEW:
        return None
    units = pc.utf8_trim_whitespace(pc.struct_field(pc.extract_regex(texts, WITH_UNIT), "unit"))
    found = [
        each for each in units.value_counts().to_pylist() if each["values"] and each["counts"] >= MOST * len(texts)
    ]
    return found[0]["values"] if found else None


def _are_spaced_codes(texts: pa.Array) -> bool:
    """Whether these are groups of digits that look like codes, such as postal codes: all of one length, or beginning
    with a zero. Amounts have different lengths."""
    groups = [text.strip() for text in texts.to_pylist()]
    spaced = [text for text in groups if SPACED.fullmatch(text)]
    return len(spaced) == len(groups) and (len(set(map(len, spaced))) == 1 or any(text[0] == "0" for text in spaced))


def _named(texts: Collection[str]) -> str:
    return " and ".join(map(repr, texts))


def _note(name: str, what: str, texts: Collection[str]) -> None:
    options = " ".join(f"--missing {shlex.quote(text)}" for text in texts)
    warn(f"Column {name!r}: {what}. If these are missing values, give {options}.")
