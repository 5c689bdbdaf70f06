"""Runs every law on rows that hypothesis draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tallybayes.families import Family
from tallybayes.testing import laws
from tallybayes.testing.grids import Grid, grid_of, values_of
from tallybayes.testing.laws import left_out_is_trained_without, numbers_are_taken_in_every_way

CLASSES = st.sampled_from("abc")
WEIGHTS = st.sampled_from([1.0, 1.0, 1.0, 2.0, 3.0, -1.0, -2.0, 0.1, 0.75, -0.3, 0.0])
COUNTED = st.sampled_from([1.0, 1.0, 1.0, 2.0, 0.1, 0.75])  # weights of rows that a model can have counted
FEWER = 8  # rows that are left out, each in turn
SHARES = st.lists(st.sampled_from([0.0, 0.25, 1.0]) | st.floats(1e-9, 2.0), min_size=2, max_size=9)  # of two classes


def check_family(
    family: Family,
    values: st.SearchStrategy[Any] | None = None,
    *,
    columns: tuple[str, ...] = ("x",),
    total: Grid | None = None,
    examples: int = 30,
) -> None:
    """Raises an AssertionError that names the law if the family breaks one on rows drawn from `values`; for a block of
    several `columns`, these are tuples with a cell for each.

    `total` gives points and their widths over which the predictive distribution must add up to one: `over_levels`,
    `over_counts`, `over_line`, `over_half_line`, or your own function. For a family of numbers, both follow from its
    support if no `values` are given.

    >>> from tallybayes import Poisson
    >>> check_family(Poisson(shape=2.0), examples=2)
    """
    values, total = (values_of(family), total or grid_of(family)) if values is None else (values, total)
    check = _Check(family.over(columns), examples)
    rows = st.lists(st.tuples(st.none() | values, CLASSES, WEIGHTS), max_size=12)
    some = _some(values)
    laws.its_settings_have_one_form(family)
    check(laws.merging_is_adding, rows, rows, rows)
    check(laws.adding_is_an_abelian_group, rows, rows, rows)
    check(laws.weight_is_repetition, rows)
    check(laws.shares_are_weights, some, SHARES)
    check(laws.missing_is_not_counted, rows)
    check(laws.history_leaves_no_trace, some, some, st.randoms())
    check(laws.forgotten_is_never_seen, some, some, st.randoms())
    check_belief(family, values, columns=columns, total=total, examples=examples)


def check_belief(
    family: Family,
    values: st.SearchStrategy[Any],
    *,
    columns: tuple[str, ...] = ("x",),
    total: Grid | None = None,
    examples: int = 30,
) -> None:
    """Those of the laws that concern what the counts mean: enough for a family that counts as another does, for which
    all laws were checked."""
    laws.it_can_be_written(family)
    check, some = _Check(family.over(columns), examples), _some(values)
    counted = st.lists(st.tuples(st.none() | values, CLASSES, COUNTED), min_size=1, max_size=FEWER)
    check(laws.files_come_back_the_same, some, some)
    check(laws.scores_follow_the_counts, some, some)
    if family.support is not None:
        check(numbers_are_taken_in_every_way, some)
    if total is not None:
        check(laws.predictive_adds_up_to_one, some, st.just(total))
    repeated = counted.flatmap(lambda drawn: st.permutations(drawn + drawn[:2]))
    check(left_out_is_trained_without, repeated, st.booleans())


def _some(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A few rows, each counted once."""
    return st.lists(st.tuples(values, CLASSES, st.just(1.0)), min_size=1, max_size=12)


class _Check(NamedTuple):
    family: Family
    examples: int

    def __call__(self, law: Callable[..., None], *strategies: st.SearchStrategy[Any]) -> None:
        @_drawing(self.examples)
        @given(st.tuples(*strategies))
        def holds(drawn: tuple[Any, ...]) -> None:
            law(self.family, *drawn)

        holds()


def _drawing(examples: int) -> settings:
    """The settings of hypothesis, the same for all laws."""
    return settings(
        max_examples=min(examples, settings().max_examples),  # the profile may allow fewer
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
        report_multiple_bugs=False,
    )
