"""How trees are grown: on a sample of rows, each tree on about 63 % of it, until no node can be split."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.counts.tally import Rows
from tallybayes.data.processors import in_threads, processors
from tallybayes.families.blocks.coding import Bytes, Coding, is_numeric
from tallybayes.families.blocks.crossing import NO_PAIRS, pairs_of, with_pairs
from tallybayes.families.blocks.questions import Questions, common_marks, level_ranks, marks_of, name_ranks, ranked_by

GUIDED, RANDOM = "guided", "random"
BEST, DRAWN, ANY = range(3)  # kinds of splits: the best, the best of a few random ones, a random one
WIDELY, FEW = 2, 5_000  # of fewer rows, every other tree with the best splits looks at twice as many columns in a node
MOST_CELLS = 2**26  # leaves × classes, half a gigabyte: with more classes, leaves are larger


def grow(
    codes: Bytes, rows: Rows, coding: Coding, *, n: int, questions: str, seed: int, random: int = 0, crossed: int = 0
) -> Questions:
    """The questions of `n` trees, and of `random` more that ask random ones. Which rows a tree is grown on depends on
    their codes alone: of equal rows, all or none, unless they are frequent. The best questions may be about pairs of
    columns, too, if there are at most `crossed`."""
    known = rows.codes >= 0
    codes, labels = codes[known], np.ascontiguousarray(rows.codes[known])
    weights = None if rows.weights is None else np.ascontiguousarray(rows.weights[known])
    guided = questions == GUIDED
    pairs = pairs_of(coding, crossed) if guided else NO_PAIRS
    codes = with_pairs(codes, pairs)
    ranks = level_ranks(codes, labels, weights, len(rows.classes), coding) if guided else name_ranks(len(coding))
    ranked = ranked_by(ranks, codes)
    common = common_marks(ranked)
    marks, by_column = marks_of(ranked, common), np.ascontiguousarray(ranked.T)
    nominal = np.array([*(not is_numeric(code) for code in coding), *(True for _ in pairs)], np.uint8)
    # So many rows does a node need to be split that the leaves of all trees have about `MOST_CELLS` counts.
    least = max(2, math.ceil(len(labels) * (n + random) * len(rows.classes) / MOST_CELLS))
    best = n - n // 2 if guided else 0
    drawn = n - best if guided else n + random

    def tree(number: int) -> NDArray[np.int64]:
        kind = ANY if not guided or number >= n else BEST if number < best else DRAWN
        columns = len(nominal) if kind == BEST else len(coding)
        tried = math.ceil(math.sqrt(columns))
        if kind == BEST and number % 2 and len(labels) < FEW:
            tried *= WIDELY
        given = (by_column[:columns], labels, weights, marks, nominal[:columns], max(len(rows.classes), 1))
        return kernels.grow_tree(*given, kind, tried, seed, number, least)

    trees = in_threads(tree, range(n + random), processors())
    roots = np.cumsum([0, *map(len, trees)])
    nodes = np.concatenate([nodes + start for nodes, start in zip(trees, roots[:-1], strict=True)])
    return Questions(nodes, roots[:-1].astype(np.int32), ranks, common, best, drawn, pairs)
