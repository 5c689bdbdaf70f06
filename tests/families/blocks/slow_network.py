"""Bayesian networks computed from rows by the textbook, in fractions: a slow reference."""

from collections import Counter
from fractions import Fraction
from math import log


class Rows:
    """Rows of levels and their classes, counted one by one."""

    def __init__(self, rows, labels):
        self.rows, self.labels = [tuple(row) for row in rows], list(labels)
        self.columns = range(len(self.rows[0]))
        self.levels = [sorted({row[j] for row in self.rows}) for j in self.columns]
        self.classes = Counter(self.labels)

    def n(self, label, **levels):
        """Number of rows of a class with these levels of columns: n("yes", _0="sunny")."""
        wanted = [(int(column[1:]), level) for column, level in levels.items()]
        return sum(
            own == label and all(row[j] == level for j, level in wanted)
            for row, own in zip(self.rows, self.labels, strict=True)
        )

    def alone(self, j, level, label, alpha):
        """P(level | class)"""
        return (self.n(label, **{f"_{j}": level}) + alpha) / (self.classes[label] + alpha * len(self.levels[j]))

    def given(self, j, level, p, parent, label, alpha, m):
        """P(level | class, parent's level)"""
        both, whole = self.n(label, **{f"_{j}": level, f"_{p}": parent}), self.n(label, **{f"_{p}": parent})
        if m:
            return (both + m * self.alone(j, level, label, alpha)) / (whole + m)
        return (both + alpha) / (whole + alpha * len(self.levels[j]))

    def network(self, row, label, parents, alpha=Fraction(1), m=Fraction(5)):
        """P(row | class), where parents[j] is the parent of column j or None."""
        product = Fraction(1)
        for j, p in enumerate(parents):
            product *= (
                self.alone(j, row[j], label, alpha) if p is None else self.given(j, row[j], p, row[p], label, alpha, m)
            )
        return product

    def averaged(self, row, label, alpha=Fraction(1), m=Fraction(5)):
        """The mean over the networks in which one column is the parent of all others."""
        each = [self.network(row, label, [None if j == p else p for j in self.columns], alpha, m) for p in self.columns]
        return sum(each) / len(each)

    def information(self, i, j):
        """I(column; column | class), in nats."""
        n, total = Counter(), len(self.rows)
        for row, label in zip(self.rows, self.labels, strict=True):
            n.update([(row[i], row[j], label), (row[i], None, label), (None, row[j], label)])
        said = 0.0
        for (a, b, label), both in n.items():
            if a is not None and b is not None:
                said += both / total * log(both * self.classes[label] / (n[a, None, label] * n[None, b, label]))
        return said


def tree_weight(rows, parents):
    """The total information of the edges of a tree."""
    return sum(rows.information(j, p) for j, p in enumerate(parents) if p is not None)
