"""Text as a sequence: each word given the ones before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallybayes.counts.cells import in_stretches
from tallybayes.counts.exact import Exact
from tallybayes.counts.rows import places_of
from tallybayes.counts.tally import Key, Rows
from tallybayes.data.cells import Cells
from tallybayes.data.errors import CellError
from tallybayes.families.base import Belief, Family
from tallybayes.families.left_out import LeftOut
from tallybayes.families.settings import as_number, refused, setting
from tallybayes.families.text.run_tally import START, RunTally, count, count_weighted
from tallybayes.families.text.sequence_belief import SequenceBelief, sequence_left_out
from tallybayes.families.text.tokens import CHARACTERS, WORDS, Cutter, own_tokeniser, undecodable
from tallybayes.kernels.strings import index_words

FROM_COUNTS = "counts"


def as_discount(family: Any, name: str, given: Any) -> str | float:
    if isinstance(given, str) and given == FROM_COUNTS:
        return FROM_COUNTS
    number = as_number(given)
    if number is None or number > 1.0:
        raise refused(family, name, given, '"counts", or a number from 0 to 1')
    return number


@dataclass(frozen=True, kw_only=True, repr=False)
class WordSequence(Family):
    """A text in which each word depends on the ones before it: an n-gram language model per class.

    Counts n-grams of one to `order` + 1 words, with a start symbol before the first word of a text. Words are
    defined as in Words: runs of letters, digits and underscores of at least `shortest` characters, `lower`-cased; with
    `punctuation`, every punctuation character and symbol too; with `unit="characters"`, every character; or the tokens
    of your own `tokeniser`. A word may not contain a space.

    Probabilities are smoothed by interpolated absolute discounting. A discount d is subtracted from the count of every
    n-gram, and the mass that this frees goes to the distribution given one word less; the last one is uniform over all
    known words and one more, which stands for any unseen word. `discount` is d, or "counts": (once + ½) / (once + 2
    twice + 1), where once and twice are how many n-grams of this length and class occurred once and twice.

    >>> from tallybayes import Model
    >>> model = Model.train({"text": WordSequence()}, ["not good at all", "not bad at all"], ["bad", "good"])
    >>> model.decide(["not bad", "not good"])
    ['good', 'bad']
    """

    is_text: ClassVar[bool] = True
    vocabulary: ClassVar[None] = None
    unknown: ClassVar[bool] = False
    stems: ClassVar[None] = None
    stop_words: ClassVar[tuple[str, ...]] = ()
    presence: ClassVar[bool] = False
    order: int = setting(1, "how many preceding words a word depends on", least=1, most=3, counting=True)
    shortest: int = setting(1, "words with fewer characters are not counted", least=1, most=1000, counting=True)
    lower: bool = setting(True, "whether text is lower-cased", counting=True)
    unit: str = setting(WORDS, 'what is counted: "words" or "characters"', choices=(WORDS, CHARACTERS), counting=True)
    punctuation: bool = setting(False, "whether every punctuation character and symbol is a word", counting=True)
    tokeniser: Callable[[str], Iterable[str]] | str | None = own_tokeniser()
    errors: str = undecodable()
    discount: str | float = setting(
        FROM_COUNTS, 'what is subtracted from the count of every n-gram; "counts" estimates it', check=as_discount
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tokeniser is not None and (self.punctuation or self.unit == CHARACTERS):
            raise ValueError("WordSequence(tokeniser=…) defines the tokens itself; omit punctuation and unit.")
        if self.unit == CHARACTERS and self.punctuation:
            raise ValueError("WordSequence(unit='characters') counts punctuation anyway; omit punctuation.")

    @cached_property
    def cutter(self) -> Cutter:
        """From texts to their runs."""
        return Cutter(self, (1, self.order + 1), marked=True)

    @cached_property
    def word_cutter(self) -> Cutter:
        """From texts to their words."""
        return Cutter(self, (1, 1), marked=True)

    def encode(self, cells: Cells) -> Any:
        found = self.cutter.encode(cells)
        if type(found) is not list and pa.types.is_large_list(found.type):
            tokens = found.flatten()
            for mark in (" ", START):
                if pc.any(pc.match_substring(tokens, mark)).as_py():
                    wrong = next(token for token in tokens.to_pylist() if mark in token)
                    raise CellError(None, f"the token {wrong!r} contains {mark!r}, which separates words.")
        return found

    def empty(self) -> Any:
        return RunTally.empty()

    def takes(self, slots: Sequence[Any]) -> bool:
        """Whether all n-grams have a valid length."""
        longest = self.order + 1
        if self.unit == CHARACTERS:
            return all(len(run) <= longest for run in slots)
        return all(run.count(" ") < longest for run in slots)

    def tally(self, cells: Any, rows: Rows) -> RunTally:
        documents = self.cutter.documents(cells)
        if rows.weights is None:
            return count(self, documents, rows)
        return count_weighted(self, documents, self.missing(cells), rows)

    def present(self, tally: RunTally, classes: Sequence[Key]) -> Exact:
        return tally.texts(list(classes))

    def impossible(self, tally: RunTally, touched: RunTally) -> str | None:
        cells = tally.touched(touched)
        of_runs = next(filter(None, map(self.refusal, in_stretches(cells["runs"]))), None)
        return of_runs or self.refusal(cells["lengths"])

    def discord(self, tally: RunTally, classes: Sequence[Key]) -> str | None:
        """Every text has one start mark."""
        known, (runs, columns, sums) = tally.texts(list(classes)), tally.runs.cells()
        marks = np.flatnonzero(runs == int(index_words(tally.runs.index, [START], grow=False)[0]))
        started = Exact.zeros((len(classes),))
        started.add_at(places_of(tally.runs.classes, classes)[columns[marks]], sums["n"][marks])
        return "the number of start marks would differ from that of texts" if started.differs(known, 1).any() else None

    def believe(self, tally: RunTally, classes: Sequence[Key]) -> Belief:
        return SequenceBelief(self, tally, list(classes))

    def left_out(self, tally: RunTally, classes: Sequence[Key]) -> LeftOut:
        return sequence_left_out(self, tally, list(classes)) or super().left_out(tally, classes)
