"""Settings have one canonical form for display, files and comparison; invalid ones are refused by name."""

import math
import re
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from tallybayes import (
    FAMILIES,
    Bernoulli,
    Categorical,
    Density,
    Each,
    Exponential,
    Gamma,
    Gaussian,
    Geometric,
    Histogram,
    LogNormal,
    MEstimate,
    Model,
    NegativeBinomial,
    Poisson,
    Schema,
    digest,
    schema_from_toml,
    schema_to_toml,
)
from tallybayes.families.settings import setting, settings_of
from tallybayes.files import from_bytes, to_bytes
from tallybayes.files.tensors import FileError
from tallybayes.schema.family_text import family_from_text, family_to_text


def test_invalid_settings_are_refused():
    for make, message in [
        (
            lambda: Categorical(alpha=-1.0),
            r"Categorical\(alpha=-1.0\): alpha must be a finite number of at least 0, a mapping of levels to "
            r"such numbers, MEstimate\(m, p\) or 'fitted'",
        ),
        (lambda: Categorical(alpha={"u": math.nan}), r"alpha\['u'\]"),
        (lambda: Categorical(levels="uv"), "levels must be a tuple"),
        (lambda: Poisson(rate=math.inf), "rate must be a finite number"),
        (lambda: Gaussian(variance=0.0), "variance must be a finite number above 0"),
        (lambda: LogNormal(m="1"), r"LogNormal\(m='1'\)"),
        (lambda: Gamma(mean=-1.0), "mean"),
        (lambda: Histogram(intervals=0), "from 1 to 100000"),
        (lambda: Histogram(alpha={"u": 1.0}), "intervals have no names"),
        (lambda: Histogram(method="best"), "method must be one of 'equal length'"),
        (lambda: Histogram(bits=99), "from 1 to 52"),
        (lambda: Density(bandwidth=-1.0), "bandwidth"),
        (lambda: Density(bandwidth="wide"), "must be 'rule', 'leave one out', or a finite number above 0"),
        (lambda: MEstimate(1.0, {"u": 0.3}), "add up to 0.3"),
        (lambda: MEstimate(1.0, "even"), "'uniform', 'overall'"),
        (lambda: Bernoulli(levels=("no", "yes")), "Use Categorical"),
    ]:
        with pytest.raises(ValueError, match=message):
            make()


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_equal_settings_are_equal_bytes_in_any_form(name):
    family = FAMILIES[name]
    for field, declared in settings_of(family).items():
        if declared.check is not None or declared.choices:
            continue
        one = max(declared.least, 1)
        if (name, field) in (("Words", "unknown"), ("Correlated", "unbiased")):
            continue  # which go with another setting
        forms = [True, np.True_] if declared.is_truth else [one, np.int64(one)]
        forms += [] if declared.is_truth or declared.whole else [float(one), np.float32(one), Fraction(one)]
        made = [family(**{field: form}) for form in forms]
        assert {repr(each) for each in made} == {repr(made[0])}
        assert {digest(Model(Schema({"x": each}))) for each in made} == {digest(Model(Schema({"x": made[0]})))}


def test_zero_is_unsigned():
    assert repr(Gaussian(mean=-0.0).mean) == "0.0"
    assert digest(Model(Schema({"x": Gaussian(mean=-0.0)}))) == digest(Model(Schema({"x": Gaussian(mean=0)})))


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_setting_error_names_setting_value_and_expectation(name):
    for field, declared in settings_of(FAMILIES[name]).items():
        if declared.check is None:
            for given in ("x", math.nan, math.inf, -1.5, 10**400, [1.0], 1j):
                if given in declared.choices or (given == -1.5 and declared.least == declared.above == -math.inf):
                    continue
                expected = f"{name}({field}={given!r}): {field} must be {declared.wanted}."
                with pytest.raises(ValueError, match=re.escape(expected)):
                    FAMILIES[name](**{field: given})


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_every_setting_is_documented(name):
    for field, declared in settings_of(FAMILIES[name]).items():
        assert declared.about, field


def test_family_registered_late_round_trips(monkeypatch):
    @dataclass(frozen=True, kw_only=True, repr=False)
    class Doubled(Poisson):
        """Counts by twos."""

        factor: float = setting(2.0, least=1)

    family = Doubled(factor=3)
    model = Model.train(Schema({"x": family}), {"x": [1.0, 2.0]}, ["a", "b"])
    with pytest.raises(ValueError, match=r"There is no family 'Doubled'"):
        family_from_text("Doubled(factor=3)")
    with pytest.raises(FileError, match=re.escape("if it is yours, register it: FAMILIES['Doubled'] = Doubled")):
        from_bytes(to_bytes(model))
    monkeypatch.setitem(FAMILIES, "Doubled", Doubled)
    assert family_from_text(family_to_text(family)) == family
    assert family_from_text("Each(Doubled(factor=3))") == Each(family)
    assert from_bytes(to_bytes(model)) == model
    assert schema_from_toml(schema_to_toml(model.schema)) == model.schema


@pytest.mark.parametrize(
    "families",
    [(Poisson(), Geometric(), Exponential()), (Gaussian(), NegativeBinomial()), (Histogram(), Density())],
    ids=lambda families: " ".join(map(repr, families)),
)
def test_families_with_the_same_counts_are_interchangeable(families):
    cells, labels = {"c": [1.0, 4.0, 2.0, 9.0]}, ["a", "a", "b", "b"]
    for one in families:
        for other in families:
            believed = Model.train(Schema({"c": one}), cells, labels).believing(c=other)
            assert digest(believed) == digest(Model.train(Schema({"c": other}), cells, labels))
