"""The default family of a column: rules on its type and values, each with a reason as text.

The rules look at a sample once, before anything is counted; their choice is in the schema for everyone to see and
change. No default family may fail on later rows: numbers get one that takes every number, texts one that takes every
text. A column is left out only if the sample is conclusive.

`numbers` and `texts` have the rules for each kind; this file decides which kind a column is.
"""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallybayes.counts.exact import Floats
from tallybayes.data import frames
from tallybayes.data.errors import CellError
from tallybayes.data.marks import MARKS
from tallybayes.data.matrices import POSITION, VALUE
from tallybayes.families import Bag, Bernoulli, Each, Family, Gaussian
from tallybayes.families.smoothing import FITTED
from tallybayes.families.vectors.matrix_cells import Sparse, Vectors, read_vectors
from tallybayes.kernels.strings import has_codes
from tallybayes.schema.infer.choice import CATEGORY, Choice, unvarying
from tallybayes.schema.infer.numbers import UNKNOWN, choose_for_numbers
from tallybayes.schema.infer.texts import FREE_TEXT, TAGS, choose_for_texts

__all__ = ["FREE_TEXT", "Choice", "choose", "choose_as_texts"]

TRUTH = Bernoulli(alpha=FITTED)
INDEX = "the index of a DataFrame"
UNNAMED_INDEX = re.compile(r"__index_level_\d+__")
TIMES = "times: convert them to a number or a category to count them"
BYTES = "bytes: decode them to text to count them"
NESTED = "nested or mixed values: convert them to columns, or to lists of words or of numbers, to count them"
CLOCK = r"\d{2}:\d{2}(:\d{2}([.,]\d+)?)?"
MONTH, DAY, YEAR = r"(0?[1-9]|1[0-2])", r"(0?[1-9]|[12]\d|3[01])", r"([12]\d{3}|9999)"
SLASHES, HYPHENS, POINTS = (rf"({MONTH}{mark}{DAY}|{DAY}{mark}{MONTH}){mark}" for mark in ("/", "-", r"\."))
# With hyphens or points, years have four digits: "10-20-10" is a fertiliser, "1.10.12" a version.
DATE = rf"(\d{{4}}-\d{{2}}-\d{{2}}|{YEAR}/{MONTH}/{DAY}|{SLASHES}(\d{{2}}|{YEAR})|({HYPHENS}|{POINTS}){YEAR})"
HOUR = r"\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?\s*([AaPp][Mm])?"
TIME = rf"^\s*({DATE}([T ]\s*{HOUR}\s*(Z|[+-]\d{{2}}:?\d{{2}})?)?|{CLOCK})\s*$"
FIRST_TIME = re.compile(TIME.encode())


def choose(cells: pa.Array, *, name: str = "", whole: bool = True, written: bool = True) -> Choice:
    """The family for a column like this one, and the reason. `whole` is whether these are all its cells; if not, a
    column that does not vary here may vary elsewhere. `written` is whether texts may be numbers, as in a DataFrame; a
    source without types has read its numbers, in its own notation."""
    if UNNAMED_INDEX.fullmatch(name):
        return Choice(None, INDEX)
    if frames.is_time(cells.type):
        return Choice(None, TIMES)
    if frames.is_bytes(cells.type):
        return Choice(None, BYTES)
    if cells.null_count == len(cells):
        return unvarying("missing", _of_nothing(cells.type), whole)
    try:
        return _of_type(cells, name, whole, written)
    except CellError as error:
        return Choice(None, error.reason.partition(". ")[0].rstrip("."))


def choose_as_texts(cells: pa.Array) -> Choice:
    """The same for a column that holds a text elsewhere, which these cells do not show."""
    texts = frames.texts(cells).cast(pa.string())
    return choose_for_texts(texts.drop_null(), False, texts.null_count > 0)


def _of_nothing(kind: pa.DataType) -> Family:
    """The family for cells that are all missing, by their type."""
    if pa.types.is_boolean(kind):
        return TRUTH
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    return UNKNOWN if is_number else CATEGORY


def _of_type(cells: pa.Array, name: str, whole: bool, written: bool) -> Choice:
    if pa.types.is_floating(cells.type) or pa.types.is_integer(cells.type):
        return choose_for_numbers(frames.numbers(cells), name, whole)
    if frames.is_text(cells.type):
        return _for_written(cells, name, whole, written)
    if pa.types.is_boolean(cells.type):
        return Choice(TRUTH, "true or false")
    if pa.types.is_dictionary(cells.type):
        frames.texts(cells)  # an error if these are not categories
        return Choice(CATEGORY, f"a categorical type with {len(cells.dictionary)} levels")
    if pa.types.is_nested(cells.type) and frames.is_text(getattr(cells.type, "value_type", cells.type)):
        return Choice(TAGS, "lists of words")
    if (pa.types.is_list(cells.type) or pa.types.is_large_list(cells.type)) and not len(cells.flatten()):
        return unvarying("an empty list", TAGS, whole)
    if pa.types.is_struct(cells.type) and any(_is_no_number(field.type) for field in cells.type):
        return Choice(None, "records: convert their fields to columns to count them")
    if _is_nested_list(cells.type):
        return Choice(None, NESTED)
    if pa.types.is_nested(cells.type):
        return _for_vectors(read_vectors(cells, None))
    if frames.is_interval(cells.type):
        return choose_for_texts(frames.texts(cells).drop_null(), whole, cells.null_count > 0)
    return choose_for_numbers(frames.numbers(cells), name, whole)


def _is_nested_list(kind: pa.DataType) -> bool:
    """Whether these are maps, or lists of lists or of records, other than sparse vectors."""
    if pa.types.is_map(kind):
        return True
    inside = getattr(kind, "value_type", pa.null())
    if pa.types.is_struct(inside):
        return {field.name for field in inside} != {POSITION, VALUE}
    return bool(pa.types.is_nested(inside))


def _is_no_number(kind: pa.DataType) -> bool:
    return bool(frames.is_text(kind) or pa.types.is_nested(kind) or frames.is_time(kind))


def _for_written(cells: pa.Array, name: str, whole: bool, written: bool) -> Choice:
    """The choice for texts, which may be times or, if they are `written`, numbers."""
    texts = frames.texts(cells)
    present = texts.drop_null() if texts.null_count else texts
    numbers = _as_numbers(cells, present) if written else None
    if numbers is not None and np.isnan(numbers).all():
        return unvarying("missing", CATEGORY, whole)
    if numbers is not None:
        found = choose_for_numbers(numbers, name, whole)
        return Choice(found.family, f"written as text, {found.reason}")
    if _are_times(present):
        return Choice(None, TIMES)
    return choose_for_texts(present, whole, texts.null_count > 0)


def _as_numbers(cells: pa.Array, present: pa.Array) -> Floats | None:
    """Texts as numbers, if all of them are finite numbers in the usual notation."""
    try:
        numbers = frames.numbers(cells)  # fails at the first text in most columns
    except CellError:
        return None
    return None if np.isinf(numbers).any() or has_codes(present) or _have_marks(present) else numbers


def _have_marks(present: pa.Array) -> bool:
    """Whether some texts are read as missing numbers, though they are not blank. Here they may be levels."""
    return bool(pc.any(pc.is_in(pc.utf8_trim_whitespace(present), pa.array(MARKS[1:], present.type))).as_py())


def _are_times(present: pa.Array) -> bool:
    """Whether all texts are times. The first one rules out most columns, faster than Arrow compiles the pattern."""
    first = present[0].as_buffer().to_pybytes()
    return bool(FIRST_TIME.match(first)) and bool(pc.all(pc.match_substring_regex(present, TIME)).as_py())


def _for_vectors(vectors: Vectors) -> Choice:
    if isinstance(vectors, Sparse) and not (vectors.values < 0).any():
        return Choice(Bag(), "sparse vectors of numbers of at least 0")
    return Choice(Each(Gaussian()), "vectors of numbers")
