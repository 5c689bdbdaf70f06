"""Parsing of queries, and errors for invalid ones. Nothing is ever evaluated as code."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import some
from tallybayes import Categorical, JointTable, Model
from tallybayes.families.events import Event
from tallybayes.model.joint.questions import asked_events, parted
from tennis import tennis

COLUMNS = ["outlook", "wind", "temp", "New York", "a=b", "it's"]


@pytest.mark.parametrize(
    ("question", "events"),
    [
        ("outlook=sunny", {"outlook": Event(among=frozenset(["sunny"]))}),
        ("outlook == very sunny , wind=weak!", {
            "outlook": Event(among=frozenset(["very sunny"])),
            "wind": Event(among=frozenset(["weak!"])),
        }),
        ("20 < temp <= 25", {"temp": Event(low=20.0, high=25.0, with_high=True)}),
        ("25 ≥ temp", {"temp": Event(high=25.0, with_high=True)}),
        ("temp>=1e3, temp < 2e3", {"temp": Event(low=1000.0, high=2000.0, with_low=True)}),
        ("30 > temp >= -5", {"temp": Event(low=-5.0, high=30.0, with_low=True)}),
        ("outlook != rain, outlook≠snow", {"outlook": Event(but=frozenset(["rain", "snow"]))}),
        ("New York = it's 5", {"New York": Event(among=frozenset(["it's 5"]))}),
        ("'a=b' = \"x, y | z\"", {"a=b": Event(among=frozenset(["x, y | z"]))}),
        ("\"it's\"=1", {"it's": Event(among=frozenset(["1"]))}),
        ("weak=wind", {"wind": Event(among=frozenset(["weak"]))}),
        ("", {}),
    ],
)  # fmt: skip
def test_valid_queries(question, events):
    assert asked_events(question, COLUMNS) == events


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("outlook=", "'outlook =' compares the column with nothing"),
        ("wind", "'wind' has no condition on the column"),
        ("=sunny", "is not a condition"),
        ("outlook=sunny,", "is not a condition"),
        ("outlook=sunny wind=weak", "is not a condition"),
        ("outlok=sunny", "There is no column 'outlok'. Did you mean 'outlook'?"),
        ("temp < warm", "'warm' is not a number"),
        ("temp < nan", "'nan' is not a number"),
        ("'outlook=sunny", "cannot be parsed"),
        ("outlook=sunny | wind=weak", "has a bar"),
        ("__import__('os').system('true')=1", "There is no column"),
        ("outlook=" + "x" * 200_000, "more than 100,000"),
    ],
)
def test_invalid_queries_are_errors(question, told):
    with pytest.raises(ValueError, match=r".") as error:
        asked_events(question, COLUMNS)
    assert told in str(error.value)


def test_contradictions_are_impossible_events_and_invalid_conditions():
    model = tennis(1.0)
    assert model.probability("wind=weak | wind=strong") == 0.0
    assert model.probability("wind=weak, wind=strong") == 0.0
    with pytest.raises(ValueError, match=r"'wind=weak, wind=strong' has probability 0"):
        model.probability("outlook=sunny | wind=weak, wind=strong")
    with pytest.raises(ValueError, match="has probability 0"):
        tennis(0.0).probability("wind=weak", given="class=no, outlook=overcast")
    with pytest.raises(ValueError, match="no such row"):
        model.most_probable_row("wind=weak, wind=strong")


def test_unknown_levels_and_classes_suggest_the_nearest():
    model = tennis(1.0)
    with pytest.raises(ValueError, match=r"Column 'outlook': there is no level 'suny'. Did you mean 'sunny'?"):
        model.probability("outlook=suny")
    with pytest.raises(ValueError, match=r"Column 'class': there is no level 'maybe'. There are 'no', 'yes'"):
        model.probability("class=maybe")
    for question in ("", "   ", None, {}):
        with pytest.raises(ValueError, match="asks nothing"):
            model.probability(question)
    with pytest.raises(TypeError, match="A question is a text"):
        model.probability(7)


def test_bar_separates_event_and_condition():
    assert parted("a=1 | b=2, c=3") == ("a=1", "b=2, c=3")
    assert parted("a='x|y' | b=2") == ("a='x|y'", "b=2")
    assert parted("a=1") == ("a=1", None)
    model = tennis(1.0)
    assert model.probability("wind=weak | ") == model.probability("wind=weak")


@settings(max_examples=some(200), deadline=None)
@given(st.text(st.sampled_from("ab=<>!,|'\"1. \n≤(){}\\%$") | st.characters(), max_size=25))
def test_any_text_is_a_query_or_an_error(text):
    model = Model.train({"a": Categorical(), "b": Categorical()}, {"a": ["1", "2"], "b": ["x", "y"]}, ["p", "q"])
    with suppress(ValueError):
        assert 0.0 <= model.probability(text) <= 1.0


def test_lecture_table():
    table = JointTable(
        ("major", "site"),
        {
            "CS": {"GitHub": 0.05, "Zhihu": 0.2, "Douban": 0, "Taobao": 0.1},
            "Finance": {"GitHub": 0.1, "Zhihu": 0, "Douban": 0.1, "Taobao": 0},
            "Physics": {"GitHub": 0, "Zhihu": 0.1, "Douban": 0.05, "Taobao": 0.1},
            "Media": {"GitHub": 0.1, "Zhihu": 0, "Douban": 0.1, "Taobao": 0},
        },
    )
    assert table.probability("major=CS") == 0.35
    assert table.probability("site=GitHub") == 0.25
    assert table.probability("site=GitHub | major=CS") == 1 / 7
    assert table.probability("site=Zhihu", given={"major": "CS"}) == 4 / 7
    with pytest.raises(ValueError, match=r"^Column 'site': there is no level 'Zhihuu'. Did you mean 'Zhihu'?"):
        table.probability("site=Zhihuu")


def test_table_that_does_not_sum_to_one_is_refused():
    rows = {
        "CS": {"GitHub": 0.44, "Zhihu": 0.03, "Taobao": 0.01},
        "Physic": {"GitHub": 0.17, "Zhihu": 0.01, "Taobao": 0.02},
        "Math": {"GitHub": 0.09, "Zhihu": 0.07, "Taobao": 0.01},
        "Med": {"GitHub": 0, "Zhihu": 0.14, "Taobao": 0.1},
    }
    with pytest.raises(ValueError, match=r"add up to 1\.09, not to 1"):
        JointTable(("major", "site"), rows)
    with pytest.raises(ValueError, match="between 0 and 1"):
        JointTable(("x",), {"a": 1.5, "b": -0.5})
    with pytest.raises(TypeError, match="one within the other"):
        JointTable(("x", "y"), {"a": 1.0})
