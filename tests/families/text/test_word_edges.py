"""Text edge cases: empty classes, decay to nothing, vanishing words, conflicting settings."""

import copy
import functools
import pickle
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from mails import READINGS
from tallybayes import MEstimate, Model, Schema, Words, digest
from tallybayes.files import from_bytes, to_bytes


def train(texts, labels, **settings):
    return Model.train({"x": Words(**settings)}, {"x": texts}, labels)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"tokeniser": str.split},
        {"ngrams": 2},
        {"unit": "characters"},
        {"stems": {"aa": "bb"}},
        {"stop_words": ("aa",)},
        {"vocabulary": ("aa", "cc"), "unknown": True},
        {"vocabulary": ("aa",)},
        {"presence": True},
        *({"reading": reading} for reading in READINGS),
    ],
    ids=repr,
)
def test_single_text_scores_like_a_column_every_time(settings):
    model = train(["aa bb aa", "cc bb"], ["k", "l"], **settings)
    expected = model.posterior({"x": ["aa cc dd"]})
    for _ in range(3):
        np.testing.assert_allclose(model.posterior("aa cc dd"), expected, rtol=1e-14)


def test_decay_forgets_words_with_their_documents():
    model, new = train(["aa aa aa bb"], ["k"]), train(["zz"], ["l"])
    for _ in range(140):
        model = model * 0.5
        model += new
    assert model.classes == ["l"]
    assert model.counts("x").slots == ["zz"]
    assert from_bytes(to_bytes(model)) == model


def test_model_plus_and_minus_itself():
    model = train(["aa bb", "cc"], ["k", "l"])
    model += model
    assert digest(model) == digest(train(["aa bb", "cc"] * 2, ["k", "l"] * 2))
    model -= model
    assert digest(model) == digest(Model(model.schema))
    tally = train(["aa bb"], ["k"]).columns["x"]
    tally += tally
    assert tally == train(["aa bb"] * 2, ["k"] * 2).columns["x"]


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("alpha", [0.0, 1.0, MEstimate(2.0, "overall"), {"aa": 0.0, "bb": 0.0, "cc": 0.0}])
@pytest.mark.parametrize(
    ("texts", "settings"),
    [
        (["aa", ""], {}),
        (["", ""], {}),
        ([None, None], {}),
        (["aa bb", "cc"], {"min_count": 9.0}),
        (["", ""], {"vocabulary": ("aa", "bb", "cc")}),
        (["aa bb", None], {}),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore:.*impossible in every class")
def test_answers_are_never_nan(reading, alpha, texts, settings):
    if reading == "auto" and isinstance(alpha, dict):
        return  # "auto" takes no alpha by word
    model = train(texts, ["k", "l"], reading=reading, alpha=alpha, **settings)
    asked = {"x": ["", "aa", "aa bb cc", None]}
    joint = model.log_joint(asked)
    assert not np.isnan(joint).any()
    np.testing.assert_allclose(joint[3], np.log([0.5, 0.5]))
    np.testing.assert_allclose(model.posterior(asked).sum(axis=1), 1.0)


def test_poisson_with_only_empty_documents():
    model = train(["aa", ""], ["a", "b"], alpha=0.0, reading="poisson")
    np.testing.assert_allclose(
        model.log_joint({"x": ["", "aa"]}), [[np.log(0.5) - 1, np.log(0.5)], [np.log(0.5) - 1, -np.inf]]
    )
    assert np.isfinite(train(["", ""], ["k", "l"], reading="poisson", vocabulary=("aa", "bb")).log_joint("aa")).all()


def test_bernoulli_without_smoothing():
    model = train(["aa", "bb", "", "", ""], list("aabbb"), alpha=0.0, reading="bernoulli")
    assert model.estimates("x")["aa"] == {"a": 0.5, "b": 0.0}
    assert model.evidence("aa")["x"][0].tolist() == [np.log(0.25), -np.inf]
    for first in (["aa", "bb"], ["aa", "aa bb"]):  # class b is empty and uninformative
        silent = train([*first, None], ["a", "a", "b"], alpha=0.0, reading="bernoulli")
        assert silent.evidence({"x": ["aa", ""]})["x"][:, 1].tolist() == [0.0, 0.0]
    by_number, by_word = (
        train(["aa bb", "cc"], ["k", "l"], alpha=alpha, reading="bernoulli").log_joint({"x": ["aa bb", "aa", "cc", ""]})
        for alpha in (0.0, {"aa": 0.0, "bb": 0.0, "cc": 0.0})
    )
    assert np.array_equal(by_number, by_word)
    drawn = train(["aa bb", "cc"], ["k", "l"], alpha=0.0, reading="bernoulli").sample(50, seed=1)
    assert {(text.as_py(), label.as_py()) for text, label in zip(drawn.rows.column(0), drawn.labels, strict=True)} == {
        ("aa bb", "k"),
        ("cc", "l"),
    }


def test_impossible_forgetting_is_refused():
    model = train(["aa bb", "aa cc cc", "dd", "zz"], ["k", "k", "k", "l"])
    before = digest(model)
    with pytest.raises(ValueError, match="a word's share would be negative"):
        model -= train(["aa"], ["k"])
    assert digest(model) == before


def test_decayed_rows_can_be_forgotten():
    rng = np.random.default_rng(2)
    words = np.array(["aa", "bb", "cc", "dd", "ee"])
    for _ in range(60):
        parts = [train([" ".join(rng.choice(words, rng.integers(1, 9))) for _ in range(3)], ["k"] * 3) for _ in "abc"]
        model, factor = parts[0] + parts[1] + parts[2], rng.choice([0.9, 0.99, 0.7])
        for _ in range(rng.integers(1, 5)):
            model, parts = model * factor, [part * factor for part in parts]
        model -= parts[1]
        model -= parts[2]
        assert model.n == pytest.approx(parts[0].n)


def test_ignored_words_of_a_vocabulary_are_uninformative():
    model = train(["aa aa aa bb bb", "bb cc"], ["k", "l"], vocabulary=("aa", "bb", "cc", "dd"))
    limited = model.believing(limit=1)
    assert list(limited.estimates("x")) == ["aa"]
    np.testing.assert_allclose(limited.log_joint("cc cc dd"), np.log([[0.5, 0.5]]))
    assert set(model.believing(limit=4).estimates("x")) == {"aa", "bb", "cc", "dd"}
    assert set(model.believing(min_count=2).estimates("x")) == {"aa", "bb"}
    unknown = train(["aa aa zork", "bb"], ["k", "l"], vocabulary=("aa", "bb"), unknown=True)
    assert unknown.believing(limit=1).evidence("bb zork").words() == []


def test_smoothing_by_word_covers_the_counted_words():
    with pytest.raises(ValueError, match="'foo' is not in the vocabulary"):
        Words(vocabulary=("aa",), alpha={"aa": 1.0, "foo": 1.0})
    model = train(["free"], ["k"], alpha={"Free": 1.0})
    assert model.estimates("x") == {"free": {"k": 1.0}}


def test_unnamed_tokenisers_round_trip_and_do_not_mix():
    def by(separator):
        return functools.partial(str.split, sep=separator)

    model = train(["a-b"], ["k"], tokeniser=lambda text: text.split("-"))
    loaded = from_bytes(to_bytes(model))
    again = loaded.believing(x=Words(tokeniser=lambda text: text.split("-")))
    assert np.array_equal(again.posterior({"x": ["a-b"]}), model.posterior({"x": ["a-b"]}))
    with pytest.raises(ValueError, match="these count differently"):
        train(["a-b"], ["k"], tokeniser=by("-")) + train(["a b"], ["k"], tokeniser=by(" "))
    for wrong in (lambda text: None, lambda text: [None]):
        with pytest.raises(ValueError, match="it must return a list of tokens"):
            train(["a"], ["k"], tokeniser=wrong)


def test_text_models_can_be_pickled_and_copied():
    model = train(["aa bb", "cc"], ["k", "l"])
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
        twin += train(["dd"], ["k"])
        twin -= train(["dd"], ["k"])
        assert digest(twin) == digest(model)


def test_tokens_in_lists_must_be_utf8():
    data = pa.array([["fine"], ["caf"]]).cast(pa.large_list(pa.large_string()))
    values = pa.array([b"fine", b"caf\xe9"], pa.large_binary()).view(pa.large_string())
    lists = pa.LargeListArray.from_arrays(data.offsets, values)
    with pytest.raises(ValueError, match="Column 'x', row 1: the text is not valid UTF-8"):
        train(lists, ["k", "l"])
    assert train(lists, ["k", "l"], errors="replace").counts("x").slots == ["caf\ufffd", "fine"]
    with pytest.raises(ValueError, match="needs text"):
        train(data, ["k", "l"], unit="characters")


def test_text_errors_name_the_row():
    pytest.importorskip("Stemmer")
    model = train(["fine", "other"], ["k", "l"], stems="english")
    with pytest.raises(ValueError, match="Column 'x', row 0: the text is not valid UTF-8"):
        model.posterior({"x": pa.array([b"caf\xe9"])})


@pytest.mark.parametrize(
    ("texts", "family"),
    [
        (
            [f"Привет как дела друг {i}" for i in range(30)],
            Words(reading="auto", ngrams=2, shortest=1, punctuation=True),
        ),
        ([f"这是一封关于会议的邮件第{i}封" for i in range(30)], Words(unit="characters", ngrams=2, reading="auto")),
        ([f"user{i}" for i in range(30)], None),
    ],
)
def test_free_text_is_detected_in_any_script(texts, family):
    beside = [i / 7 for i in range(len(texts))]  # alone, codes would be read by their characters
    assert Schema.infer({"x": texts, "beside": beside}).columns.get("x") == family


def test_min_count_does_not_depend_on_history():
    parts = [
        Model.train({"x": Words()}, {"x": ["ww"]}, [c], weights=[w]) for c, w in (("a", 0.1), ("b", 0.2), ("c", 0.3))
    ]
    orders = [(0, 1, 2), (2, 1, 0), (1, 2, 0)]
    met = [
        set((parts[i] + parts[j] + parts[k]).believing(min_count=0.6000000000000001).estimates("x"))
        for i, j, k in orders
    ]
    assert met[0] == met[1] == met[2]


def test_vocabulary_as_any_collection():
    assert Words(vocabulary=(word for word in ["bb", "aa"])).vocabulary == ("aa", "bb")
    assert Words(ngrams=np.int64(2)).ngrams == (1, 2)
    for wrong in ({"vocabulary": 5}, {"vocabulary": ("",)}, {"stems": 5}, {"ngrams": 2.0}):
        with pytest.raises(ValueError, match=r"Words\("):
            Words(**wrong)
    assert train(["aa bb"], ["k"], stems={"aa": ""}).counts("x").slots == ["bb"]


def test_sliding_window_does_not_grow():
    model = train(["one two three"], ["k"])
    for i in range(100):
        more = train([" ".join(f"w{i}x{j}" for j in range(100))], ["k"])
        model += more
        model -= more
    assert len(model.columns["x"]) < 3_000
    assert digest(model) == digest(train(["one two three"], ["k"]))


def test_impossible_words_come_last():
    with np.errstate(all="raise"):
        parts = train(["aa", "bb"], ["k", "l"], alpha=0.0, vocabulary=("aa", "bb", "cc")).evidence("aa cc").words()
    assert [part.word for part in parts] == ["aa", "cc"]


def test_long_word_lists_are_abbreviated():
    shown = repr(train([" ".join(f"w{i:03d}" for i in range(100))], ["k"]).counts("x"))
    assert "w029" in shown
    assert "w030" not in shown
    assert "… and 70 more words" in shown


@pytest.mark.parametrize("text", ["free Money free", "", "Ελληνικά ΟΔΟΣ free", "one\0two"])
def test_single_text_is_learned_like_a_column(text):
    for settings in ({}, {"ngrams": 2}, {"vocabulary": ("free",), "unknown": True}, {"presence": True}):
        expected = digest(Model.train({"x": Words(**settings)}, {"x": pa.array([text])}, pa.array(["k"])))
        for data in (text, [text], {"x": text}, {"x": [text]}):
            assert digest(Model.train({"x": Words(**settings)}, data, ["k"])) == expected
    with pytest.raises((ValueError, UnicodeEncodeError)):
        train(["\ud800"], ["k"])


@pytest.mark.parametrize("cells", [[1], [1, 2**63], [2**63], [1.5, 2**64], [None, 2**63], [Decimal("1.5")]])
def test_numbers_are_not_texts(cells):
    with pytest.raises(ValueError, match=r"Column 'x': .* are not text\. Convert them"):
        train(cells, ["k"] * len(cells))


def test_all_missing_cells_are_texts_of_any_type():
    for cells in ([None], [float("nan")], [Decimal("nan")], pa.array([None], pa.int64())):
        assert train(cells, ["k"]).n == 1
