"""From cells to words: the settings that define the words of a text, and how texts get to the kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from importlib import import_module
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallybayes import kernels
from tallybayes.counts.exact import Codes
from tallybayes.data import frames
from tallybayes.data.cells import Cells, arrow
from tallybayes.data.errors import CellError
from tallybayes.data.objects import WrittenOut
from tallybayes.families.settings import setting
from tallybayes.kernels import letters
from tallybayes.kernels.strings import index_strings, index_words, is_writable, string_buffers

UNKNOWN = "<unknown>"
CHARACTERS = "characters"
WORDS = "words"
STRICT = "strict"
REPLACE = "replace"
NOT_SPELLED = (1, 0)  # no character n-grams


class Tokeniser(str):
    """A user's function from a text to its tokens, identified by its name: a file keeps the name, not the code."""

    function: Callable[[str], Iterable[str]] | None

    def __new__(cls, given: Callable[[str], Iterable[str]] | str) -> Tokeniser:
        if isinstance(given, Tokeniser):
            return given
        made = super().__new__(cls, given if isinstance(given, str) else _full_name(given))
        made.function = None if isinstance(given, str) else given
        return made

    def __eq__(self, other: object) -> bool:
        """Equal if the names are; functions without a name of their own must be the same object, unless only the name
        is known."""
        if str.__eq__(self, other) is not True or not isinstance(other, Tokeniser):
            return str.__eq__(self, other)
        functions = {self.function, other.function} - {None}
        return len(functions) < 2 or all(_has_name(function) for function in functions)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

    def __getnewargs__(self) -> tuple[Any]:
        return (str(self) if self.function is None else self.function,)

    def __call__(self, text: str) -> list[str]:
        if self.function is None:
            raise ValueError(
                f"This model was counted with the tokeniser {str(self)!r}, and files contain no code. Give it again: "
                f"model.believing(column=Words(tokeniser={self.rpartition('.')[2]}, …))."
            )
        found = self.function(text)
        fine = isinstance(found, Iterable) and not isinstance(found, str)
        tokens = list(found) if fine else []
        if not fine or not all(isinstance(token, str) for token in tokens):
            raise ValueError(f"The tokeniser {str(self)!r} returned {found!r}; it must return a list of tokens.")
        return tokens


def _has_name(function: Any) -> bool:
    return not getattr(function, "__qualname__", "<lambda>").endswith("<lambda>")


def _full_name(function: Any) -> str:
    module = getattr(function, "__module__", None) or type(function).__module__
    return f"{module}.{getattr(function, '__qualname__', type(function).__qualname__)}"


def own_tokeniser() -> Any:
    """The setting `tokeniser` of a text family."""
    return setting(None, "a function from a text to its tokens", check=_as_tokeniser, counting=True)


def _as_tokeniser(family: Any, name: str, given: Any) -> Tokeniser:
    if not callable(given) and not isinstance(given, str):
        raise ValueError(f"{type(family).__name__}(tokeniser={given!r}): give a function from a text to its tokens.")
    return Tokeniser(given)


def undecodable() -> Any:
    """The setting `errors` of a text family."""
    about = (
        'what to do with bytes that are not UTF-8: "strict" is an error, "replace" inserts U+FFFD, which is in no word'
    )
    return setting(STRICT, about, choices=(STRICT, REPLACE))


class Cutter:
    """The settings of a text family in the form that kernels take; if `marked`, every text begins with a start mark."""

    def __init__(self, family: Any, ngrams: tuple[int, int] | None = None, marked: bool = False) -> None:
        self.family = family
        low, high = ngrams or family.ngrams
        self.tokeniser = _tokeniser(
            family.lower,
            family.shortest,
            family.unit == CHARACTERS,
            low,
            high,
            family.errors == STRICT,
            family.punctuation,
            marked,
            getattr(family, "characters", None) or NOT_SPELLED,
        )

    @cached_property
    def vocabulary(self) -> kernels.StringIndex | None:
        """The vocabulary, if it is given."""
        if self.family.vocabulary is None:
            return None
        index = kernels.StringIndex()
        index_words(index, self.family.vocabulary)
        return index

    def known(self) -> list[str]:
        """Words that exist even if no document has them."""
        words = [] if self.family.vocabulary is None else list(self.family.vocabulary)
        return words + [UNKNOWN] * self.family.unknown

    def encode(self, cells: Cells) -> Any:
        """Texts, or lists of tokens, as Arrow arrays that kernels can read; a single text as it is."""
        alone = cells[0] if type(cells) is list and self.family.tokeniser is None else None
        if type(alone) is str and (alone.isascii() or is_writable(alone)):
            return cells
        cells = arrow(cells)
        kind = cells.type
        if pa.types.is_list(kind) or pa.types.is_large_list(kind):
            if self.family.unit == CHARACTERS:
                name = type(self.family).__name__
                raise CellError(None, f"the cells are lists of tokens; {name}(unit='characters') needs text.")
            return _token_lists(cells, self.family.errors)
        if self.family.tokeniser is None:
            return texts(cells)
        found = []
        for row, data in enumerate(texts(cells).cast(pa.large_string()).view(pa.large_binary()).to_pylist()):
            try:
                text = None if data is None else data.decode("utf-8", self.family.errors)
            except UnicodeDecodeError:
                raise not_utf8(row) from None
            found.append(None if text is None else self.family.tokeniser(text))
        return pa.array(found, pa.large_list(pa.large_string()))

    def documents(self, cells: Any) -> kernels.Documents:
        if type(cells) is list:
            return kernels.Documents(cells)
        if not pa.types.is_large_list(cells.type):
            return kernels.Documents(*string_buffers(cells))
        starts = cells.offsets.to_numpy() if len(cells) else np.zeros(1)
        missing = cells.is_null().to_numpy(zero_copy_only=False).astype(np.uint8)
        return kernels.Documents(*string_buffers(cells.values), np.ascontiguousarray(starts, np.int64), missing)

    def reading(self, documents: kernels.Documents, once: bool, unknown: int) -> kernels.Reading:
        """How these documents become word indices; `unknown` is the index of words not in the vocabulary."""
        if unknown < 0 and not isinstance(self.family.stems, str):
            return self._readings[once]
        return kernels.Reading(self.tokeniser, self.translation(documents), self.vocabulary, once, unknown)

    @cached_property
    def _readings(self) -> tuple[kernels.Reading, kernels.Reading]:
        """The same for all documents, with repeated words and without."""
        every, once = (
            kernels.Reading(self.tokeniser, self._fixed, self.vocabulary, once, -1) for once in (False, True)
        )
        return every, once

    def translation(self, documents: kernels.Documents) -> kernels.Translation | None:
        """Removes stop words and stems the others; with a stemmer, the words of these documents."""
        if isinstance(self.family.stems, str):
            met = kernels.StringIndex()
            plain = _tokeniser(
                self.family.lower, self.family.shortest, False, 1, 1, self.family.errors == STRICT, False
            )
            kernels.list_words(documents, kernels.Reading(plain, None, None, True, -1), met, True)
            words = index_strings(met).to_pylist()
            stems = snowball(self.family.stems).stemWords(words)
            return _translation(dict(zip(words, stems, strict=True)), self.family.stop_words)
        return self._fixed

    @cached_property
    def _fixed(self) -> kernels.Translation | None:
        if not self.family.stems and not self.family.stop_words:
            return None
        return _translation(self.family.stems or {}, self.family.stop_words)


def texts(cells: pa.Array) -> pa.Array:
    """Cells as strings with buffers of their own; bytes are read as UTF-8."""
    cells = frames.decoded(cells)
    kind = cells.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return cells
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return cells.view(pa.string() if pa.types.is_binary(kind) else pa.large_string())
    if frames.is_text(kind):
        return pc.cast(cells, pa.large_string())
    nans = pa.types.is_floating(kind) and pc.all(pc.is_null(cells, nan_is_null=True)).as_py()
    if cells.null_count == len(cells) or nans:
        return pa.nulls(len(cells), pa.large_string())
    what = "numbers" if isinstance(kind, WrittenOut) else f"cells of type {kind}"
    what = "intervals" if frames.is_interval(kind) else what
    raise CellError(None, f"{what} are not text. Convert them, or give the column another family.")


def not_utf8(row: Any) -> CellError:
    """The error for invalid bytes in this row."""
    reason = "the text is not valid UTF-8. Words(errors='replace') inserts replacement characters."
    return CellError(int(str(row)), reason)


def snowball(language: str) -> Any:
    try:
        library = import_module("Stemmer")
    except ImportError:
        raise ImportError("Stems need the Snowball library: pip install 'tallybayes[stems]'.") from None
    if language not in library.algorithms():
        raise ValueError(f"Words(stems={language!r}): Snowball supports {', '.join(library.algorithms())}.")
    return library.Stemmer(language)


@cache
def _tokeniser(
    lower: bool,
    shortest: int,
    characters: bool,
    low: int,
    high: int,
    strict: bool,
    punctuation: bool,
    marked: bool = False,
    spelled: tuple[int, int] = NOT_SPELLED,
) -> kernels.Tokeniser:
    tables = letters.tables(lower, punctuation)
    return kernels.Tokeniser(*tables, lower, shortest, characters, low, high, strict, punctuation, marked, spelled)


def _translation(stems: Mapping[str, str], stop_words: Sequence[str]) -> kernels.Translation:
    becomes = {word: stem or None for word, stem in stems.items()} | dict.fromkeys(stop_words)
    source, target = kernels.StringIndex(), kernels.StringIndex()
    index_words(source, list(becomes))
    codes: Codes = np.full(len(becomes), -1, np.int32)
    kept = np.array([word is not None for word in becomes.values()], bool)
    codes[kept] = index_words(target, [word for word in becomes.values() if word is not None])
    return kernels.Translation(source, target, codes)


def _token_lists(cells: pa.Array, errors: str) -> pa.Array:
    try:
        lists = cells.cast(pa.large_list(pa.large_string()))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise CellError(None, f"cells of type {cells.type} are not lists of tokens; give lists of strings.") from None
    if lists.values.null_count:
        raise CellError(None, "a list of tokens contains a null; remove it.")
    try:
        lists.values.validate(full=True)
    except pa.ArrowInvalid:
        return _decoded_lists(lists, errors)
    return lists


def _decoded_lists(lists: pa.Array, errors: str) -> pa.Array:
    """Lists some of whose tokens are not UTF-8."""
    found: list[list[str] | None] = []
    for row, tokens in enumerate(lists.cast(pa.large_list(pa.large_binary())).to_pylist()):
        try:
            found.append(None if tokens is None else [token.decode("utf-8", errors) for token in tokens])
        except UnicodeDecodeError:
            raise not_utf8(row) from None
    return pa.array(found, lists.type)
