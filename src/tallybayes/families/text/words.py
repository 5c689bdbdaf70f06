"""Text: how often each word occurred, and what that says about a new text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from tallybayes.counts.decay import without_traces
from tallybayes.counts.exact import TRACE, Exact
from tallybayes.counts.tally import Key, Rows
from tallybayes.data.cells import Cells
from tallybayes.families.base import Belief, Family
from tallybayes.families.smoothing import LAPLACE, Alpha, as_alpha
from tallybayes.families.text.counting import count, count_weighted
from tallybayes.families.text.readings import READINGS
from tallybayes.families.text.tokens import (
    CHARACTERS,
    REPLACE,
    STRICT,
    UNKNOWN,
    WORDS,
    Cutter,
    Tokeniser,
    snowball,
)
from tallybayes.families.text.word_belief import believe_words
from tallybayes.families.text.word_tally import EXACT_BITS, FIELDS, WordTally

LONGEST_RUN = 5  # of words
POOLED = "pooled"


@dataclass(frozen=True, kw_only=True, repr=False)
class Words(Family):
    """A text, of which the words are counted; a category is a text of one word.

    What is counted: runs of letters, digits and underscores of at least `shortest` characters, `lower`-cased, as
    Python's ``re.findall(r"\\\\b\\\\w\\\\w+\\\\b", text.lower())`` finds them. With `punctuation`, every punctuation
    character and symbol is a word of its own. `ngrams` counts runs of words as well (2: pairs too; (2, 3): pairs and
    threes only); `unit="characters"` counts runs of characters instead. `stop_words` are passed over; `stems` are a
    language's, by Snowball, or a word for each word that becomes another; a `vocabulary` keeps to the words given, all
    others being ignored, or one word called "<unknown>" with `unknown=True`. With `presence` each word counts once a
    text. `tokeniser` is a function of your own, from a text to a list of tokens: it is called for every text, and many
    times slower. `errors` says what becomes of bytes that are not UTF-8: "strict" is an error, "replace" puts a
    replacement character.

    What the counts mean can be changed later: `reading` is "pooled", "once" or "averaged" (multinomial), "bernoulli",
    "poisson", "complement" or "compound"; `alpha` is the smoothing, as for Categorical; words met less than `min_count`
    times are ignored, and all but the `limit` most frequent. Words never met are ignored. With `coefficient`, what is
    scored is the probability of the words in any order.

    >>> Words(reading="bernoulli", ngrams=2)
    Words(ngrams=(1, 2), reading='bernoulli')
    """

    is_text: ClassVar[bool] = True
    later: ClassVar[tuple[str, ...]] = ("punctuation", "coefficient")
    counting: ClassVar[tuple[str, ...]] = (
        "shortest",
        "lower",
        "unit",
        "punctuation",
        "ngrams",
        "vocabulary",
        "unknown",
        "stems",
        "stop_words",
        "presence",
        "tokeniser",
    )
    shortest: int = 2
    lower: bool = True
    unit: str = WORDS
    punctuation: bool = False
    ngrams: int | tuple[int, int] = (1, 1)
    vocabulary: tuple[str, ...] | None = None
    unknown: bool = False
    stems: str | Mapping[str, str] | None = None
    stop_words: tuple[str, ...] = ()
    presence: bool = False
    tokeniser: Callable[[str], Iterable[str]] | str | None = None
    errors: str = STRICT
    reading: str = POOLED
    alpha: Alpha = LAPLACE
    min_count: float = 0.0
    limit: int | None = None
    coefficient: bool = False

    def __post_init__(self) -> None:
        self.settle("min_count")
        self.settle_choice("shortest", int, 1, 1000)
        for name in ("lower", "punctuation", "unknown", "presence", "coefficient"):
            self.settle_choice(name, bool, 0, 1)
        if self.limit is not None:
            self.settle_choice("limit", int, 1, 1 << 31)
        for name, choices in (
            ("unit", (WORDS, CHARACTERS)),
            ("errors", (STRICT, REPLACE)),
            ("reading", tuple(READINGS)),
        ):
            self._settle_name(name, choices)
        self._settle_runs()
        for name in ("vocabulary", "stop_words"):
            self._settle_words(name)
        self._settle_stems()
        if self.tokeniser is not None:
            if not callable(self.tokeniser) and not isinstance(self.tokeniser, str):
                raise ValueError(f"Words(tokeniser={self.tokeniser!r}): give a function from a text to its tokens.")
            if self.punctuation:
                raise ValueError("Words(tokeniser=…) says itself what a token is; leave punctuation=False.")
            object.__setattr__(self, "tokeniser", Tokeniser(self.tokeniser))
        object.__setattr__(self, "alpha", as_alpha("Words", self.alpha, self._word))
        if self.unknown and self.vocabulary is None:
            raise ValueError("Words(unknown=True): without a vocabulary, every word is known; give one.")

    def _word(self, word: str) -> str:
        """Smoothing by word is of the words as they are counted."""
        found = word if word == UNKNOWN else self._as_counted(word)
        if self.vocabulary and found not in {*self.vocabulary, UNKNOWN}:
            raise ValueError(f"{found!r} is not in the vocabulary.")
        if found in self.stop_words:
            raise ValueError(f"{found!r} is among the stop_words, which are not counted.")
        return found

    def _settle_name(self, name: str, choices: tuple[str, ...]) -> None:
        value = getattr(self, name)
        if value not in choices:
            raise ValueError(f"Words({name}={value!r}): {name} must be one of {', '.join(map(repr, choices))}.")

    def _settle_runs(self) -> None:
        given = self.ngrams
        runs = tuple(given) if isinstance(given, Iterable) else (1, given)
        longest = LONGEST_RUN if self.unit == WORDS else 1000
        whole = len(runs) == 2 and all(isinstance(n, (int, np.integer)) and not isinstance(n, bool) for n in runs)
        if not whole or not 1 <= runs[0] <= runs[1] <= longest:
            raise ValueError(
                f"Words(ngrams={given!r}): ngrams must be the longest run, or the shortest and the longest, from 1 to "
                f"{longest} {self.unit}."
            )
        object.__setattr__(self, "ngrams", tuple(map(int, runs)))

    def _settle_words(self, name: str) -> None:
        given = getattr(self, name)
        if given is None:
            return
        words = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (None,)
        if not all(isinstance(word, str) and word for word in words):
            raise ValueError(f"Words({name}={given!r}): {name} must be a tuple of words.")
        object.__setattr__(self, name, tuple(sorted({self._as_counted(word) for word in words})))

    def _as_counted(self, word: str) -> str:
        return word.lower() if self.lower and self.tokeniser is None else word

    def _settle_stems(self) -> None:
        if isinstance(self.stems, str):
            snowball(self.stems)  # an error now rather than later
        elif self.stems is not None:
            given = self.stems.items() if isinstance(self.stems, Mapping) else [(self.stems, None)]
            if not all(isinstance(a, str) and isinstance(b, str) for a, b in given):
                raise ValueError(f"Words(stems={self.stems!r}): give a language, or a word for each word.")
            stems = {self._as_counted(word): stem for word, stem in dict(self.stems).items()}
            object.__setattr__(self, "stems", dict(sorted(stems.items())))
        if self.unit == CHARACTERS and (self.stems or self.stop_words or self.tokeniser):
            raise ValueError("Words(unit='characters') has no words, so no stems, stop_words or tokeniser of them.")
        if self.unit == CHARACTERS and self.punctuation:
            raise ValueError("Words(unit='characters') counts punctuation as it is; leave punctuation=False.")

    @cached_property
    def cutter(self) -> Cutter:
        return Cutter(self)

    def __getstate__(self) -> dict[str, Any]:
        return self.settings()

    def fields(self) -> tuple[str, ...]:
        return FIELDS

    def empty(self) -> Any:
        return WordTally.empty()

    def takes(self, slots: Sequence[Any]) -> bool:
        allowed = None if self.vocabulary is None else {*self.vocabulary, UNKNOWN}
        return allowed is None or set(slots) <= allowed

    def encode(self, cells: Cells) -> Any:
        return self.cutter.encode(cells)

    def tally(self, cells: Any, rows: Rows) -> Any:
        documents = self.cutter.documents(cells)
        if rows.weights is None:
            return count(self, documents, rows)
        return count_weighted(self, documents, cells.is_null().to_numpy(zero_copy_only=False), rows)

    def present(self, tally: Any, classes: Sequence[Key]) -> Exact:
        """How many documents were counted; where there are none left, how many words."""
        documents = tally.documents(list(classes))
        none = np.flatnonzero(documents.is_zero())
        if none.size:
            documents.add_at(none, tally.words.sum_of("n", [classes[int(i)] for i in none]))
        return documents

    def impossible(self, tally: Any, touched: Any) -> str | None:
        words, lengths = touched.words.cells().sums, touched.lengths.sums
        if reason := self.refusal(without_traces(tally.words.at(touched.words), words)):
            return reason
        return Family.refusal(self, without_traces(tally.lengths.cells(touched.lengths), lengths))

    def discord(self, tally: Any, classes: Sequence[Key]) -> str | None:
        """No word is in more documents than there are, and all are no more than the documents are long."""
        _, columns, sums = tally.words.cells()
        if not len(columns):
            return None
        documents, number = tally.documents(list(classes)), {key: i for i, key in enumerate(classes)}
        at = np.array([number.get(key, 0) for key in tally.words.classes])[columns]
        if (documents[at] - sums["documents"]).is_below(TRACE * (1.0 + documents.round()[at])).any():
            return "a word would be in more documents than there are"
        longest = np.array(tally.lengths.slots, np.float64) * (1.0 + 2.0 ** (1 - EXACT_BITS))
        most = longest @ tally.lengths.aligned(tally.lengths.slots, classes).sums["n"].round()
        if np.any(tally.words.sum_of("n", classes).round() > most * (1.0 + 1e-9) + TRACE):
            return "there would be more words than the documents have"
        return None

    def refusal(self, cells: Mapping[str, Exact]) -> str | None:
        n, documents, share = (cells[name] for name in FIELDS)
        if n.is_below(TRACE).any() or documents.is_below(TRACE).any():
            return "a count would go below zero"
        if share.is_below(TRACE).any():
            return "a word's share would go below zero"
        trace = TRACE * (1.0 + n.round())
        if (n - documents).is_below(trace).any() or (self.presence and (documents - n).is_below(trace).any()):
            return "a word would be in more documents than it occurs, or in fewer"
        if (documents - share).is_below(trace).any():
            return "a word's share of its documents would be more than all of them"
        none = documents.is_zero()
        if none.any() and (~n[none].is_zero() | (share[none].round() > TRACE)).any():
            return "a word would be left that no document has"
        return None

    def believe(self, tally: Any, classes: Sequence[Key]) -> Belief:
        return believe_words(self, tally, list(classes))
