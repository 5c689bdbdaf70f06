"""A text with its words marked as evidence for or against a class.

Only the family knows how a text is cut into words: lower case, stems, character n-grams. So every token of the text is
given to it separately, and its words are looked up in the evidence of the whole text. The evidence of a word n-gram is
divided among its words.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

import pyarrow as pa

from tallybayes.model.scoring import Beliefs
from tallybayes.report.blocks import Piece
from tallybayes.report.evidence import WordFacts
from tallybayes.schema.entries import Name

WORD = re.compile(r"\w+")
START = "<s>"  # the start of a text in n-grams

Times = Mapping[str, float]  # how often each word occurs in a token
Cut = Callable[[Sequence[str]], Sequence[Times]]


def in_lower_case(tokens: Sequence[str]) -> list[Times]:
    """The usual words, if the family is not at hand; stems and character n-grams are not among them."""
    return [{token.lower(): 1.0} for token in tokens]


def by_family(beliefs: Beliefs, column: Name) -> Cut:
    """Words as the family of a text column cuts them."""
    family, belief = beliefs.schema.columns[column], beliefs.columns[column]

    def cut(tokens: Sequence[str]) -> list[Times]:
        parts = belief.parts(family.encode(pa.array(tokens, pa.string())))
        return [{part.word: part.times for part in of_token if part.word} for of_token in parts]

    return cut


def marked(text: str, words: Sequence[WordFacts], cut: Cut = in_lower_case) -> list[Piece]:
    """A text in pieces: words that are evidence, and what is between them.

    >>> marked("Free lunch!", [WordFacts("free", 1, {}, 1.5), WordFacts("free lunch", 1, {}, 1.0)])
    [Piece(text='Free', log_odds=2.0), Piece(text=' ', log_odds=0.0), Piece(text='lunch', log_odds=0.5), ...]
    """
    found = list(WORD.finditer(text))
    evidence = _log_odds([each.group() for each in found], {word.word: word for word in words if word.word}, cut)
    pieces, at = [], 0
    for each, log_odds in zip(found, evidence, strict=True):
        if log_odds and not math.isnan(log_odds):  # infinite both ways says nothing
            pieces += [Piece(text[at : each.start()], 0.0)] * (each.start() > at)
            pieces.append(Piece(each.group(), log_odds))
            at = each.end()
    return [*pieces, *[Piece(text[at:], 0.0)] * (at < len(text))]


def _log_odds(tokens: list[str], words: Mapping[str, WordFacts], cut: Cut) -> list[float]:
    """The log-odds of each token, the same for all its occurrences."""
    different = list(dict.fromkeys(tokens))
    parts = dict(zip(different, cut(different), strict=True)) if different else {}
    alone = {token: sum(_share(words, *part) for part in parts[token].items()) for token in different}
    found = [alone[token] for token in tokens]
    units = [next(iter(parts[token]), "").rpartition(" ")[2] for token in tokens]
    for run, log_odds in _runs(units, words):
        for at in run:
            found[at] += log_odds / len(run)
    return found


def _share(words: Mapping[str, WordFacts], name: str, times: float) -> float:
    word = words.get(name)
    if word is None or not word.times or " " in name:
        return 0.0
    return word.log_odds * times / word.times


def _runs(units: list[str], words: Mapping[str, WordFacts]) -> Iterator[tuple[list[int], float]]:
    """The positions and log-odds of word n-grams. Tokens that are no words to the family are skipped."""
    known = [(at, unit) for at, unit in enumerate(units) if unit]
    sequence = [START, *(unit for _, unit in known)]
    places = defaultdict(list)
    for at, unit in enumerate(sequence):
        places[unit].append(at)
    for word in words.values():
        run = word.word.split(" ")
        if len(run) > 1 and all(run):
            starts = [at for at in places[run[0]] if sequence[at : at + len(run)] == run]
            for start in starts:
                yield [known[at - 1][0] for at in range(max(start, 1), start + len(run))], word.log_odds / len(starts)
