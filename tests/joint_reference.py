"""Joint distributions in plain Python: all combinations enumerated with fractions."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product

MISSING = "(missing)"


def joint_of(rows, labels, parents=None, alpha=1, m=5):
    """P(levels, class) of every combination, as a dictionary.

    `parents` has for each column the number of another, or None; P(level | class, parent) is shrunk to P(level | class)
    with weight `m`, as in Pairs.
    """
    rows = [tuple(MISSING if cell is None else str(cell) for cell in row) for row in rows]
    width = len(rows[0])
    parents = parents or [None] * width
    classes = Counter(labels)
    there = [(row, label) for row, label in zip(rows, labels, strict=True) if set(row) != {MISSING}]
    levels = [sorted({row[j] for row, _ in there}) for j in range(width)]
    counted = Counter(label for _, label in there)  # a row without any value has only a class
    single = Counter((j, row[j], label) for row, label in there for j in range(width))
    pair = Counter((i, row[i], j, row[j], label) for row, label in there for i in range(width) for j in range(width))

    def alone(j, level, label):
        return Fraction(single[j, level, label] + alpha, counted[label] + alpha * len(levels[j]))

    def given(j, level, p, other, label):
        n = pair[p, other, j, level, label] + m * alone(j, level, label)
        return Fraction(n) / (single[p, other, label] + m)

    found = {}
    for label in classes:
        for row in product(*levels):
            p = Fraction(classes[label], len(labels))
            for j, parent in enumerate(parents):
                p *= alone(j, row[j], label) if parent is None else given(j, row[j], parent, row[parent], label)
            found[(*row, label)] = p
    return found


def mixed(joints):
    """The average of several."""
    return {cell: sum(joint[cell] for joint in joints) / len(joints) for cell in joints[0]}


def marginals(joint, names, most=3):
    """P of every combination of levels of up to this many columns: {((name, level), …): P}."""
    found = Counter()
    subsets = [some for size in range(1, most + 1) for some in combinations(range(len(names)), size)]
    for cell, p in joint.items():
        for some in subsets:
            found[tuple((names[j], cell[j]) for j in some)] += p
    return found
