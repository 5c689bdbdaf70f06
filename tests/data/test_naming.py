"""Names in messages about one that does not exist."""

from tallybayes.data.naming import FEW, MOST, SHOWN, hint


def test_long_names_are_compared_with_fewer():
    others = [f"other{number}" for number in range(FEW)]
    name, meant = "x" * SHOWN, "x" * (SHOWN - 1) + "y"
    enough = MOST // SHOWN**2
    assert hint(name, [*others, meant]) == f" Did you mean {meant!r}?"
    assert hint(name, [*others, *map(str, range(enough)), meant]) == ""
    assert hint("incme", [*map(str, range(MOST // 10**2 - 1)), "income"]) == " Did you mean 'income'?"
