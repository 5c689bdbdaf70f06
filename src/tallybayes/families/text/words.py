"""Text as a bag of words, under one of several event models."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self, cast

import numpy as np

from tallybayes.counts.cells import in_stretches
from tallybayes.counts.exact import TRACE, Exact, Floats
from tallybayes.counts.rows import places_of
from tallybayes.counts.tally import Key, Rows
from tallybayes.data.cells import Cells
from tallybayes.families.base import Belief, Family
from tallybayes.families.left_out import LeftOut
from tallybayes.families.settings import refused, setting
from tallybayes.families.smoothing import FITTED, Alpha, named_levels, smoothing
from tallybayes.families.text.believing import believe_words
from tallybayes.families.text.counting import ListedTexts, count, count_listed, listed
from tallybayes.families.text.mix import AUTO, PIECES, Mix, as_mix, block_count, mix_to_json
from tallybayes.families.text.mix_fit import fit_words
from tallybayes.families.text.multinomial_coefficient import ABOUT_COEFFICIENT
from tallybayes.families.text.readings import LOG_PRIORS, READINGS
from tallybayes.families.text.tokens import CHARACTERS, UNKNOWN, WORDS, Cutter, own_tokeniser, snowball, undecodable
from tallybayes.families.text.word_tally import EXACT_BITS, FIELDS, WordTally
from tallybayes.families.text.words_left_out import WordsLeftOut

LONGEST_RUN = 5  # words of an n-gram
LONGEST_SPELLED = 8  # characters of an n-gram that is counted in addition to words
MULTINOMIAL = "multinomial"
SHARED_ALPHA = 0.1  # of words in shares, by default


def as_runs(family: Any, name: str, given: Any) -> tuple[int, int]:
    longest = LONGEST_RUN if family.unit == WORDS else 1000
    runs = _from_to(given if isinstance(given, Iterable) else (1, given), longest)
    if runs is None:
        wanted = f"the longest n-gram, or the shortest and the longest, from 1 to {longest} {family.unit}"
        raise refused(family, name, given, wanted)
    return runs


def as_spelled(family: Any, name: str, given: Any) -> tuple[int, int]:
    runs = _from_to(given if isinstance(given, Iterable) else (given, given), LONGEST_SPELLED)
    if runs is None:
        raise refused(family, name, given, f"the shortest and longest n-gram, from 1 to {LONGEST_SPELLED} characters")
    return runs


def _from_to(given: Iterable[Any], longest: int) -> tuple[int, int] | None:
    """The shortest and the longest n-gram, if that is what is given."""
    ends = tuple(given)
    whole = len(ends) == 2 and all(isinstance(n, (int, np.integer)) and not isinstance(n, bool) for n in ends)
    return (int(ends[0]), int(ends[1])) if whole and 1 <= ends[0] <= ends[1] <= longest else None


def as_words(family: Any, name: str, given: Any) -> tuple[str, ...]:
    words = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (None,)
    if not all(isinstance(word, str) and word for word in words):
        raise refused(family, name, given, "a tuple of words")
    return tuple(sorted({family.as_counted(word) for word in words}))


def as_stems(family: Any, name: str, given: Any) -> str | dict[str, str]:
    if isinstance(given, str):
        snowball(given)  # an error now rather than later
        return given
    if not isinstance(given, Mapping) or not all(isinstance(text, str) for pair in given.items() for text in pair):
        raise ValueError(f"Words(stems={given!r}): give a language, or a mapping from words to stems.")
    return dict(sorted({family.as_counted(word): stem for word, stem in given.items()}.items()))


@dataclass(frozen=True, kw_only=True, repr=False)
class Words(Family):
    """A text, as a bag of words; a category is a text of one word.

    What is counted: runs of letters, digits and underscores of at least `shortest` characters, `lower`-cased, as
    Python's ``re.findall(r"\\\\b\\\\w\\\\w+\\\\b", text.lower())`` finds them. With `punctuation`, every punctuation
    character and symbol is also a word. `ngrams` counts n-grams of words (2: words and pairs; (2, 3): pairs and triples
    only); `characters=(2, 4)` counts n-grams of 2 to 4 characters in addition to words; `unit="characters"` counts them
    instead of words. `stop_words` are ignored; `stems` is a language for the Snowball stemmer, or a mapping from
    words to stems; a `vocabulary` restricts counting to these words and ignores all others, or counts them as
    "<unknown>" with `unknown=True`. With `presence` each word counts once per text. `tokeniser` is your own function
    from a text to a list of tokens: it is called for every text, which is many times slower. `errors` is for bytes that
    are not UTF-8: "strict" raises an error, "replace" puts a replacement character.

    What the counts mean can be changed later: `reading` is "multinomial", "binary" (multinomial, each word once per
    document), "averaged" over documents, "bernoulli", "poisson", "complement", "dirichlet-multinomial", or "auto":
    several of these, weighed by `mix`. `alpha` is the smoothing, as for Categorical; words that occurred less than
    `min_count` times are ignored, and all but the `limit` most frequent. Unseen words are ignored. `coefficient`
    includes the multinomial coefficient: the probability of the words in any order.

    >>> from tallybayes import Model
    >>> model = Model.train({"text": Words()}, ["free money", "lunch on monday"], ["spam", "ham"])
    >>> model.posterior("free lunch, free money").round(2)
    array([[0.13, 0.87]])
    """

    is_text: ClassVar[bool] = True
    takes_shares: ClassVar[bool] = True
    shortest: int = setting(2, "words with fewer characters are not counted", least=1, most=1000, counting=True)
    lower: bool = setting(True, "whether text is lower-cased", counting=True)
    unit: str = setting(WORDS, 'what is counted: "words" or "characters"', choices=(WORDS, CHARACTERS), counting=True)
    punctuation: bool = setting(
        False, "whether every punctuation character and symbol is a word", counting=True, later=True
    )
    ngrams: int | tuple[int, int] = setting(
        (1, 1),
        "lengths of the n-grams to count: 2 is one and two, (2, 3) is two and three",
        check=as_runs,
        counting=True,
    )
    characters: tuple[int, int] | None = setting(
        None,
        "lengths of the character n-grams to count in addition to words, like (2, 4); None: none",
        check=as_spelled,
        counting=True,
        later=True,
    )
    vocabulary: Collection[str] | None = setting(None, "the only words to count", check=as_words, counting=True)
    unknown: bool = setting(
        False, 'whether words outside the vocabulary are counted together as "<unknown>"', counting=True
    )
    stems: str | Mapping[str, str] | None = setting(
        None, "a language for Snowball, or a mapping from words to stems", check=as_stems, counting=True
    )
    stop_words: Collection[str] = setting((), "words that are not counted", check=as_words, counting=True)
    presence: bool = setting(False, "whether each word counts once per document", counting=True)
    tokeniser: Callable[[str], Iterable[str]] | str | None = own_tokeniser()
    errors: str = undecodable()
    reading: str = setting(
        MULTINOMIAL,
        'the event model: "multinomial", "binary", "averaged", "bernoulli", "poisson", "complement", '
        '"dirichlet-multinomial", or "auto": several of them, weighed (see [text](text.md))',
        choices=(*READINGS, AUTO),
    )
    alpha: Alpha = smoothing()
    min_count: float = setting(0.0, "words with a lower count are ignored", least=0)
    limit: int | None = setting(
        None, "how many of the most frequent words are used; None: all", whole=True, least=1, most=1 << 31
    )
    coefficient: bool = setting(False, ABOUT_COEFFICIENT, later=True)
    mix: Mix | None = setting(
        None,
        'for reading="auto": the weights of its event models, as `weigh` fits them; None: the defaults',
        check=as_mix,
        later=True,
        last=True,
        to_json=mix_to_json,
    )

    @property
    def brief(self) -> str:
        return self.shown(("mix",))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tokeniser is not None and self.punctuation:
            raise ValueError("Words(tokeniser=…) defines the tokens itself; leave punctuation=False.")
        if self.unit == CHARACTERS and (self.stems or self.stop_words or self.tokeniser):
            raise ValueError("Words(unit='characters') has no words, so stems, stop_words and tokeniser do not apply.")
        if self.unit == CHARACTERS and self.punctuation:
            raise ValueError("Words(unit='characters') counts punctuation as it is; leave punctuation=False.")
        if self.characters is not None and (self.unit == CHARACTERS or self.vocabulary is not None):
            given = "unit='characters'" if self.unit == CHARACTERS else "vocabulary=…"
            raise ValueError(f"Words({given}) counts nothing else; leave characters=None.")
        if self.unknown and self.vocabulary is None:
            raise ValueError("Words(unknown=True) needs a vocabulary.")
        if self.reading == AUTO and named_levels(self.alpha):
            raise ValueError("Words(reading='auto') smooths all words equally; give alpha as a number, not by word.")

    def level_named(self, text: str) -> str:
        """A word in the form in which it is counted."""
        found = text if text == UNKNOWN else self.as_counted(text)
        if self.vocabulary and found not in {*self.vocabulary, UNKNOWN}:
            raise ValueError(f"{found!r} is not in the vocabulary.")
        if found in self.stop_words:
            raise ValueError(f"{found!r} is among the stop_words, which are not counted.")
        return found

    def as_counted(self, word: str) -> str:
        return word.lower() if self.lower and self.tokeniser is None else word

    @cached_property
    def cutter(self) -> Cutter:
        return Cutter(self)

    def empty(self) -> Any:
        return WordTally.empty()

    def takes(self, slots: Sequence[Any]) -> bool:
        allowed = None if self.vocabulary is None else {*self.vocabulary, UNKNOWN}
        return allowed is None or set(slots) <= allowed

    def encode(self, cells: Cells) -> Any:
        return self.cutter.encode(cells)

    def kept(self, cells: Any) -> Any:
        return listed(self, self.cutter.documents(cells), cells.is_null().to_numpy(zero_copy_only=False))

    def tally(self, cells: Any, rows: Rows) -> Any:
        if isinstance(cells, ListedTexts):
            return count_listed(cells, rows)
        documents = self.cutter.documents(cells)
        if rows.weights is None:
            return count(self, documents, rows)
        return count_listed(listed(self, documents, cells.is_null().to_numpy(zero_copy_only=False)), rows)

    def present(self, tally: Any, classes: Sequence[Key]) -> Exact:
        """The number of documents counted; if none are left, the number of words."""
        documents = tally.texts(list(classes))
        none = np.flatnonzero(documents.is_zero())
        if none.size:
            documents.add_at(none, tally.words.sum_of("n", [classes[int(i)] for i in none]))
        return documents

    def impossible(self, tally: Any, touched: Any) -> str | None:
        cells = tally.touched(touched)
        of_words = next(filter(None, map(self.refusal, in_stretches(cells["words"]))), None)
        return of_words or Family.refusal(self, cells["lengths"])

    def discord(self, tally: Any, classes: Sequence[Key]) -> str | None:
        """No word is in more documents than there are, and there are no more words than the documents' lengths
        allow."""
        _, columns, sums = tally.words.cells()
        if not len(columns):
            return None
        documents, place = tally.texts(list(classes)), places_of(tally.words.classes, classes)
        most, start = TRACE * (1.0 + documents.round()), 0
        for some in in_stretches(sums):
            at = place[columns[start : (start := start + len(some["n"]))]]
            if (documents[at] - some["documents"]).is_below(most[at]).any():
                return "a word would be in more documents than there are"
        longest = np.array(tally.lengths.slots, np.float64) * (1.0 + 2.0 ** (1 - EXACT_BITS))
        most = longest @ tally.lengths.aligned(tally.lengths.slots, classes).sums["n"].round()
        if np.any(tally.words.sum_of("n", classes).round() > most * (1.0 + 1e-9) + TRACE):
            return "there would be more words than the documents have"
        return None

    def refusal(self, cells: Mapping[str, Exact]) -> str | None:
        n, documents, share = (cells[name] for name in FIELDS)
        if n.is_below(TRACE).any() or documents.is_below(TRACE).any():
            return "a count would be negative"
        if share.is_below(TRACE).any():
            return "a word's share would be negative"
        trace = TRACE * (1.0 + n.round())
        if (n - documents).is_below(trace).any() or (self.presence and (documents - n).is_below(trace).any()):
            return "a word's count would not match the number of its documents"
        if (documents - share).is_below(trace).any():
            return "a word's share of its documents would be more than 100 %"
        none = documents.is_zero()
        if none.any() and (~n[none].is_zero() | (share[none].round() > TRACE)).any():
            return "a word would remain that no document has"
        return None

    @property
    def stays(self) -> str | None:
        return "which words are ignored" if self.min_count or self.limit is not None else None

    def left_out(self, tally: Any, classes: Sequence[Key]) -> LeftOut:
        return WordsLeftOut(self, tally, list(classes))

    def settled(self, belief: Any) -> Self:
        """For EM: readings that are not likelihoods are scored as multinomial, and "fitted" smoothing becomes a small
        constant, since every class has a share of every word and the counts are not informative about unseen words."""
        reading = self.reading if self.reading in LOG_PRIORS else MULTINOMIAL
        alpha = SHARED_ALPHA if self.alpha == FITTED or self.reading == AUTO else self.alpha
        return replace(self, reading=reading, alpha=alpha, mix=None)

    def log_prior(self, tally: Any, classes: Sequence[Key], belief: Any) -> float:
        return LOG_PRIORS[self.reading](belief) if self.reading in LOG_PRIORS else 0.0

    def believe(self, tally: Any, classes: Sequence[Key]) -> Belief:
        return believe_words(self, tally, list(classes))

    def believe_after(self, before: Belief, tally: Any, classes: Sequence[Key]) -> Belief:
        return believe_words(self, tally, list(classes), before)

    def fit_left_out(self, tally: Any, cells: Any, rows: Rows, classes: Sequence[Key]) -> tuple[Self, Floats | None]:
        """For reading="auto", fits the `mix` on these documents, each left out."""
        if self.reading != AUTO:
            return self, None
        return cast(tuple[Self, Floats], fit_words(self, tally, cells, rows, list(classes)))

    @property
    def pieces_left_out(self) -> int:
        return block_count(self) * PIECES if self.reading == AUTO else 0

    @property
    def prior_weight(self) -> float:
        return self.mix.p if self.reading == AUTO and self.mix is not None else 1.0
