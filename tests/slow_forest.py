"""A slow reference for forests: the rows are counted again in every node."""

from math import log

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
SHARE = int(0.632 * 2.0**64)


def mixed(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def mark(row):
    found = 0
    for code in row:
        found = mixed(found + code + GOLDEN & MASK)
    return found


def grown_with(found, tree):
    """Whether a tree was grown with the rows of a mark; always for mark 0."""
    return found == 0 or mixed(found ^ mixed(tree + GOLDEN & MASK)) < SHARE


class SlowForest:
    """Packed nodes: target of "yes", the column, the lowest code and how many more."""

    def __init__(self, nodes, roots):
        bits = [int(node) & MASK for node in nodes]
        self.nodes = [(b & 2**32 - 1, b >> 32 & 0xFFFF, b >> 48 & 0xFF, b >> 56) for b in bits]
        self.roots = [int(root) for root in roots]
        self.leaves = [i for i, node in enumerate(self.nodes) if node[0] == i]

    def path(self, row, tree):
        """The nodes on the path of a row."""
        at, found = self.roots[tree], []
        while True:
            found.append(at)
            yes, column, low, span = self.nodes[at]
            if yes == at:
                return found
            at = yes if low <= row[column] <= low + span else yes + 1

    def leaf(self, row, tree):
        """Counted from the first leaf of the tree."""
        first = sum(leaf < self.roots[tree] for leaf in self.leaves)
        return self.leaves.index(self.path(row, tree)[-1]) - first

    def steps(self, row, tree, known, m, classes):
        """P(class) in every node on the path, after that of no rows; `known` is codes, class, weight."""
        ways = [(set(self.path(other, tree)), c, weight) for other, c, weight in known]
        found = [[1.0 / classes] * classes]
        for node in self.path(row, tree):
            n = [sum(weight for way, c, weight in ways if c == k and node in way) for k in range(classes)]
            found.append([(n[k] + m * found[-1][k]) / (sum(n) + m) for k in range(classes)])
        return found

    def chances(self, *given):
        return self.steps(*given)[-1]

    def changes(self, row, tree, known, m, classes, columns):
        """The change of the logarithms at each node, by the column asked."""
        found = [[0.0] * classes for _ in range(columns)]
        path, steps = self.path(row, tree), self.steps(row, tree, known, m, classes)[1:]
        for node, before, after in zip(path, steps, steps[1:], strict=False):
            for k in range(classes):
                found[self.nodes[node][1]][k] += log(after[k] / before[k])
        return found
