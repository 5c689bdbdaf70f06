"""Models of a single column, x."""

from tallybayes import Model


def train(family, values, labels=None, **options):
    """Without labels, all rows are of class a."""
    labels = ["a"] * len(values) if labels is None else labels
    return Model.train({"x": family}, {"x": values}, labels, **options)
