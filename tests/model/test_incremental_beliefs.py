"""Beliefs updated while a model learns and forgets equal, to the last bit, those of a freshly loaded model."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import some
from family_values import family_of, names, rows_of, values_of
from tallybayes import Categorical, Gaussian, MEstimate, Model, Schema, Words
from tallybayes.families.text.readings import READINGS
from tallybayes.files import from_bytes, to_bytes

BACKGROUND = [" ".join(f"word{i}" for i in range(start, start + 300)) for start in (0, 100, 200)]
WORDS = st.sampled_from(["free", "prize", "lunch", *(f"word{i}" for i in range(0, 400, 40))])
TEXT = st.lists(WORDS, max_size=6).map(" ".join)
ROWS = st.lists(st.tuples(st.none() | TEXT, st.sampled_from("abcd")), min_size=1, max_size=3)
STEPS = st.lists(st.sampled_from(["learn", "forget", "merge", "fade"]) | st.just("ask"), min_size=1, max_size=8)
ALPHAS = [0.0, 0.5, "fitted", MEstimate(3.0), MEstimate(3.0, "overall"), {"word1": 2.0, "prize": 1.0}]


def train(schema, rows):
    cells, labels = zip(*rows, strict=True)
    return Model.train(schema, {"x": list(cells)}, list(labels))


def same_answers(model, asked):
    """Whether all answers equal those of a freshly loaded model."""
    loaded = from_bytes(to_bytes(model))
    assert model.classes == loaded.classes
    getattr(loaded.belief("x"), "table", None)  # for texts that of all words, not only of those in the query
    for question in ({"x": asked[:1]}, {"x": asked}):
        with np.errstate(all="ignore"):
            assert np.array_equal(model.log_joint(question), loaded.log_joint(question), equal_nan=True)
            assert np.array_equal(model.evidence(question)["x"], loaded.evidence(question)["x"], equal_nan=True)


def go_through(model, steps, batches, asked):
    """Learn, forget, merge and decay in this order, with queries in between; kept snapshots must not change."""
    learned, kept = [], []
    for step, rows in zip(steps, batches, strict=False):
        if step == "learn":
            learned.append(train(model.schema, rows))
            model += learned[-1]
        elif step == "merge":
            model = model + train(model.schema, rows)
        elif step == "forget" and learned:
            model -= learned.pop()
        elif step == "fade":
            model = model * 0.5
            learned = []
        elif step == "ask" and model.classes:
            kept.append((model.beliefs(), model.log_joint({"x": asked})))
            same_answers(model, asked)
    if model.classes:
        same_answers(model, asked)
    for beliefs, answers in kept:
        assert np.array_equal(beliefs.log_joint({"x": asked}), answers, equal_nan=True)


@pytest.mark.slow
@pytest.mark.thinned(5)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("alpha", ALPHAS, ids=repr)
@pytest.mark.parametrize("reading", READINGS)
@settings(max_examples=some(75))
@given(data=st.data())
def test_words_answer_like_a_loaded_model(reading, alpha, data):
    schema = Schema({"x": Words(reading=reading, alpha=alpha)})
    model = train(schema, list(zip(BACKGROUND, "abc", strict=True)))
    model.posterior({"x": [""]})
    asked = data.draw(st.lists(TEXT, min_size=1, max_size=2))
    steps = data.draw(STEPS)
    go_through(model, steps, data.draw(st.lists(ROWS, min_size=len(steps), max_size=len(steps))), asked)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "family",
    [
        Words(min_count=2.0),
        Words(limit=20),
        Words(vocabulary=("word1", "prize"), unknown=True),
        Words(stop_words=("prize",), ngrams=2),
        Words(presence=True, coefficient=True),
        Words(unit="characters", ngrams=(2, 2)),
        Words(reading="auto"),
        Words(reading="auto", alpha=0.0, ngrams=2),
        Words(reading="auto", min_count=2.0),
        Words(reading="auto", vocabulary=("word1", "prize"), unknown=True),
    ],
    ids=repr,
)
@settings(max_examples=some(75))
@given(steps=STEPS, data=st.data())
def test_words_of_all_settings_answer_like_a_loaded_model(family, steps, data):
    model = train(Schema({"x": family}), list(zip(BACKGROUND, "abc", strict=True)))
    asked = data.draw(st.lists(TEXT, min_size=1, max_size=2))
    go_through(model, steps, data.draw(st.lists(ROWS, min_size=len(steps), max_size=len(steps))), asked)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", names)
@settings(max_examples=some(75))
@given(data=st.data())
def test_every_family_answers_like_a_loaded_model(name, data):
    steps = data.draw(STEPS)
    batches = data.draw(st.lists(rows_of(name, least=1), min_size=len(steps), max_size=len(steps)))
    model = train(Schema({"x": family_of(name)}), data.draw(rows_of(name, least=2)))
    go_through(model, steps, batches, [data.draw(values_of(name))])


def test_words_queried_piecemeal_with_and_without_a_table(monkeypatch):
    from tallybayes.families.text import word_table

    for entries in (1 << 24, 0):
        monkeypatch.setattr(word_table, "DENSE", entries)
        for reading in READINGS:
            model = train(Schema({"x": Words(reading=reading)}), list(zip(BACKGROUND, "abc", strict=True)))
            few = model.posterior("word5 prize word150 word5")
            assert "table" not in vars(model.belief("x"))
            everything = model.posterior({"x": [*BACKGROUND, "word5 prize word150 word5"]})[-1:]
            assert np.array_equal(few, everything)


def test_threads_query_a_snapshot_while_another_learns():
    schema = Schema({"x": Words(alpha="fitted"), "n": Gaussian(), "c": Categorical()})
    cells = {"x": BACKGROUND, "n": [1.0, 2.0, 3.0], "c": ["u", "v", "u"]}
    model = Model.train(schema, cells, ["a", "b", "a"])
    asked = {"x": ["word7 prize new3 new77"], "n": [1.5], "c": ["u"]}
    kept = [(model.beliefs(), model.posterior(asked))]

    def ask(_):
        beliefs, answer = kept[-1]
        return all(np.array_equal(beliefs.posterior(asked), answer) for _ in range(20))

    with ThreadPoolExecutor(3) as pool:
        answers = []
        for i in range(60):
            answers.append(pool.submit(ask, i))
            more = {"x": [f"new{i} prize word{i}"], "n": [float(i)], "c": ["w"]}
            model += Model.train(schema, more, ["b"])
            kept.append((model.beliefs(), model.posterior(asked)))
        assert all(answer.result() for answer in answers)
    assert all(np.array_equal(beliefs.posterior(asked), answer) for beliefs, answer in kept)
    assert np.array_equal(from_bytes(to_bytes(model)).posterior(asked), kept[-1][1])


def test_change_is_seen_after_many_words_were_forgotten():
    schema = Schema({"x": Words()})
    model = Model.train(schema, BACKGROUND, ["a", "b", "a"])
    before = model.beliefs(), model.posterior("word7 word250 other")
    model -= Model.train(schema, BACKGROUND[1:], ["b", "a"])
    many = [" ".join(f"other{i}" for i in range(start, start + 500)) for start in range(0, 5000, 500)]
    model += Model.train(schema, [*many, "other"], ["a", "b"] * 5 + ["b"])
    same_answers(model, ["word7 word250 other", "other7 other7"])
    assert np.array_equal(before[0].posterior("word7 word250 other"), before[1])
