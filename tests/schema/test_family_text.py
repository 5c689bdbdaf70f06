"""Families as text round-trip, and parsing never runs code."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import (
    FAMILIES,
    JEFFREYS,
    LAPLACE,
    Bag,
    Bernoulli,
    Categorical,
    Crossed,
    Each,
    Family,
    Gaussian,
    Histogram,
    LogNormal,
    MEstimate,
    Mix,
    Pairs,
    Poisson,
    Several,
    Trees,
    Tuples,
    Words,
    WordSequence,
)
from tallybayes.families.settings import settings_of
from tallybayes.schema.family_text import column_from_text, family_from_text, family_to_text

AMOUNT = st.floats(0.0, 1e300)
TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
WORD = TEXT.filter(bool)
SPREAD = st.sampled_from(["uniform", "overall"]) | st.just({"u": 0.25, "v'\"\\\n": 0.75})
ESTIMATE = st.builds(MEstimate, AMOUNT, SPREAD)
NUMBERED = {"u": 2, 7: 1}
HALVES = MEstimate(2, {"u": 0.5, "v": 0.5})
PIECES = st.lists(st.floats(-1e9, 1e9), min_size=9, max_size=9).map(tuple)
ALPHA = AMOUNT | ESTIMATE | st.just("fitted")

CODE = st.none() | st.sets(TEXT, min_size=1).map(sorted) | st.sets(st.floats(-1e9, 1e9), min_size=1).map(sorted)
PAIRS = {
    "alone": st.lists(TEXT).map(tuple),
    "alpha": AMOUNT | st.builds(MEstimate, AMOUNT, st.sampled_from(["uniform", "overall"])),
    "codes": st.none() | st.lists(CODE, max_size=3).map(tuple),
    "structure": st.sampled_from(["naive", "tree", "auto"]) | st.dictionaries(TEXT, TEXT | st.tuples(TEXT, TEXT)),
}
OWN = {  # settings validated by the families themselves
    Bag: {"alpha": AMOUNT | st.dictionaries(st.integers(0, 100).map(str), AMOUNT) | st.just("fitted")},
    Bernoulli: {
        "alpha": AMOUNT | st.dictionaries(st.sampled_from(["true", "false"]), AMOUNT) | st.just("fitted"),
        "levels": st.just(("false", "true")),
    },
    Categorical: {"alpha": ALPHA | st.dictionaries(TEXT, AMOUNT), "levels": st.lists(TEXT).map(tuple)},
    Each: {"family": st.sampled_from([Poisson(rate=2.0), Gaussian(m=0.0), LogNormal()])},
    Histogram: {"alpha": AMOUNT | st.just("fitted") | st.builds(MEstimate, AMOUNT)},
    Crossed: {"of": st.just(()), "words": st.just(Words(reading="binary"))},
    Several: {"members": st.just((Trees(n=5), Pairs(m=1.0)))},
    Pairs: PAIRS,
    Tuples: PAIRS,
    Trees: {"codes": st.none(), "grown": st.none()},  # not written: they are recomputed
    WordSequence: {
        "discount": st.floats(0, 1) | st.just("counts"),
        "tokeniser": st.none() | st.just("mine.tokens") | st.just(str.split),
    },
    Words: {
        "alpha": ALPHA,
        "mix": st.none() | st.builds(Mix, st.lists(PIECES, min_size=1, max_size=4).map(tuple), st.floats(0, 1)),
        "ngrams": st.sampled_from([1, 3, (2, 5)]),
        "characters": st.sampled_from([None, (2, 4)]),
        "vocabulary": st.none(),
        "stems": st.none() | st.just("english") | st.dictionaries(WORD, TEXT),
        "stop_words": st.lists(WORD).map(tuple),
        "tokeniser": st.none() | st.just("mine.tokens") | st.just(str.split),
    },
}
FIXED = {
    "unit": st.just("words"),
    "punctuation": st.just(False),
    "unknown": st.just(False),
}  # or few are compatible


def settings_to_draw(family):
    """A strategy for each declared setting."""
    found = {}
    for name, declared in settings_of(family).items():
        if declared.check is not None:
            found[name] = OWN[family][name]
        elif name in FIXED:
            found[name] = FIXED[name]
        else:
            found[name] = as_declared(declared)
    return found


def as_declared(declared):
    if declared.is_truth:
        return st.booleans()
    if declared.whole:
        found = st.integers(declared.least, declared.most)
    else:
        least = max(declared.least, -1e300, 1e-300 if declared.above == 0 else -1e300)
        found = st.floats(least, 1e300) if declared.is_number else st.nothing()
        found |= st.sampled_from(declared.choices) if declared.choices else st.nothing()
    return found | st.none() if declared.default is None else found


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_family_name_alone_has_default_settings(name):
    family = FAMILIES[name]()
    for text in (name, f"{name}()", f"  {name} ( ) \n", family_to_text(family)):
        assert family_from_text(text) == family


@pytest.mark.parametrize("name", sorted(FAMILIES))
@given(data=st.data())
def test_text_round_trips(name, data):
    drawn = data.draw(st.fixed_dictionaries({}, optional=settings_to_draw(FAMILIES[name])))
    try:
        family = FAMILIES[name](**drawn)
    except ValueError:  # two settings that are incompatible
        return
    text = family_to_text(family)
    assert family_from_text(text) == family
    assert family_to_text(family_from_text(text)) == text


@pytest.mark.parametrize(
    "family",
    [
        Words(vocabulary=("<b>", "Ünï", "'\"\\"), lower=False, unknown=True, alpha={"<b>": 2.0}),
        Words(unit="characters", ngrams=(3, 5)),
        Gaussian(mean=-0.0, variance=5e-324),
        Bag(alpha={0: 2.0, 17: 0.5}),
        Categorical(levels=("\ud800", "\x00", "\u2028")),
    ],
)
def test_examples_round_trip(family):
    assert family_from_text(family_to_text(family)) == family


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("Categorical(alpha=LAPLACE)", Categorical(alpha=LAPLACE)),
        ("Categorical(alpha=JEFFREYS,)", Categorical(alpha=JEFFREYS)),
        ("Categorical(alpha=MEstimate(m=2, p={'u': .5, 'v': 5e-1}))", Categorical(alpha=HALVES)),
        ("Categorical(alpha=MEstimate(2, 'overall'))", Categorical(alpha=MEstimate(2, "overall"))),
        ('Categorical(alpha = {"u": +2, 7: (1)}, levels=["u", "7"])', Categorical(alpha=NUMBERED, levels=("u", "7"))),
        ("Each(Gaussian)", Each(Gaussian())),
        ("Each(family=Poisson(rate=2), size=3)", Each(Poisson(rate=2.0), size=3)),
        ("Words(stop_words=('the',), ngrams=2, vocabulary=None)", Words(stop_words=("the",), ngrams=2)),
        ("Categorical(levels=('\\x41\\u00e9\\U0001f600\\n',))", Categorical(levels=("Aé😀\n",))),
        ("Gaussian(mean=-1e3, shared=True)", Gaussian(mean=-1000.0, shared=True)),
    ],
)  # fmt: skip
def test_value_types(text, family):
    assert family_from_text(text) == family


def test_column_may_be_left_out():
    assert column_from_text("left out") is None
    assert column_from_text("  Left Out ") is None
    assert column_from_text("Gaussian(m=0)") == Gaussian(m=0.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Gausian(m=1)", "There is no family 'Gausian'. Did you mean Gaussian? There are Bag, Bernoulli, "),
        ("categorical", "There is no family 'categorical'. Did you mean Categorical? There are Bag, "),
        ("MEstimate(2)", "There is no family 'MEstimate'. There are Bag, "),
        ("Poisson(rates=1)", "Poisson has no setting 'rates'. Did you mean rate? It has "),
        ("Poisson(1)", "Poisson(1): name the setting; Poisson has "),
        ("Poisson(rate=1, rate=2)", "Poisson is given the setting 'rate' twice."),
        ("Categorical(alpha=-1)", "Categorical(alpha=-1): alpha must be a finite number of at least 0, a mapping"),
        ("Categorical(alpha=1e999)", "Categorical(alpha=inf): alpha must be a finite number"),
        ("Categorical(alpha={'u': 'v'})", "Categorical(alpha['u']='v'): "),
        ("Categorical(levels='uv')", "Categorical(levels='uv'): levels must be a tuple of strings."),
        ("Categorical(levels=5)", "Categorical(levels=5): levels must be a tuple of strings."),
        ("Categorical(alpha=MEstimate(2, 0.5))", "MEstimate(p=0.5): p must be 'uniform', 'overall' or a probability"),
        ("Histogram(method=[1])", "Histogram(method=[1]): method must be one of 'equal length'"),
        ("Each(Words)", "Each(Words()): give a family of numbers"),
        ("Bag(reading=[1])", "Bag(reading=[1]): reading must be one of "),
        ("Categorical(alpha=fitted)", "at character 19, fitted is not a value; if it is a string, put it in quotes"),
        ("Categorical(alpha={'u': 1, 'u': 2})", "at character 28, 'u' is given twice."),
        ("Categorical(alpha={(1, 2): 1})", "at character 20, the key before ':' must be a string or a number."),
        ("Categorical(alpha={'u' 1})", "at character 24, expected ':', found '1'."),
        ("Categorical(alpha=1", "at character 20, expected ',' or ')', found the end."),
        ("Categorical(alpha=)", "at character 19, expected a value, found ')'."),
        ("Categorical()()", "at character 14, expected the end, found '('."),
        ("Categorical(levels=['\\d'])", "is not a name, a number or a quoted string."),
        ("Categorical(levels=['\\U00ffffff'])", "has an escape that is not a character."),
        ("", "at character 1, expected the name of a family, found the end."),
    ],
)  # fmt: skip
def test_invalid_text_is_an_error_that_says_why(text, message):
    with pytest.raises(ValueError, match=r".") as caught:
        family_from_text(text)
    assert message in str(caught.value)


MANY = 1_000_000


@pytest.mark.parametrize(
    "text",
    [
        "(" * MANY,
        "Gaussian(" * MANY,
        "Each(" + "[" * MANY,
        "Each(" + "{1:" * MANY,
        "Gaussian(m=" + "-" * MANY + "1)",
        "Gaussian(m=" + "9" * MANY + ")",
        "Gaussian(m=1e" + "9" * MANY + ")",
        "Gaussian(m=10**10**10)",
        "Gaussian(m=" + "1+" * MANY + "1)",
        "Gaussian" + "()" * MANY,
        "Gaussian" + ".m" * MANY,
        "Gaussian(m=" + "not " * MANY + "1)",
        "Gaussian(" + "'" * MANY,
        "Gaussian(" + " " * MANY + "\\",
        "Words(stop_words='" + "a" * MANY,
        "Words(stop_words='" + "\\" * MANY + "d'",
        "x" * MANY,
        "Gaussian(" + "x" * MANY + "=1)",
        "Gaussian(m=" + "x" * MANY + ")",
        "x" * (1 << 24) + "x",
        "\x00",
        "__import__('os').system('true')",
        "Gaussian.__class__",
        "Gaussian(m=__import__('os'))",
        "Gaussian(m=(lambda: 1)())",
        "Gaussian(m=[x for x in (1,)])",
        "Gaussian(m=f'{1}')",
        "Gaussian(m=1 if 1 else 2)",
        "Gaussian(*[1])",
        "Gaussian(**{'m': 1})",
        "Gaussian(m:=1)",
        "Gaussian(m=open('/etc/passwd'))",
        "Gaussian(m=b'1')",
        "Gaussian(m=1j)",
        "Gaussian(m=0x10)",
        "Gaussian(m=٣)",
    ],
)
def test_hostile_text_neither_hangs_nor_runs(text):
    with pytest.raises(ValueError, match=r"character|no family|no setting") as caught:
        family_from_text(text)
    assert len(str(caught.value)) < 500


@given(st.text("Gaussin(m=1)'\"[]{},:-+.eE\\ \n") | st.text())
def test_any_text_is_a_family_or_an_error(text):
    with suppress(ValueError):
        assert isinstance(family_from_text(text), Family)


def test_large_vocabulary_is_read():
    family = Words(vocabulary=tuple(f"word{i}" for i in range(50_000)))
    assert family_from_text(family_to_text(family)) == family


def test_only_families_of_this_library_are_written():
    class Strange(Gaussian):
        pass

    with pytest.raises(ValueError, match=r"Strange\(\) cannot be written as text"):
        family_to_text(Strange())
    with pytest.raises(TypeError, match="like 'Gaussian\\(\\)'"):
        family_from_text(5)
