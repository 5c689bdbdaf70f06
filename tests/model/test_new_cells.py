"""New cells that a family cannot read are missing, with a warning, in all families and faces; training refuses them."""

import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import (
    Bernoulli,
    Categorical,
    Correlated,
    Gamma,
    Gaussian,
    Histogram,
    Model,
    NaiveBayes,
    Pairs,
    Poisson,
    Schema,
    SemiNaiveBayes,
    Words,
    WordSequence,
    evaluate,
    open_source,
)

TEXTS = ["far", "Mr. Smith", "3,7", "nan", "12 345", "1_000", "½"]
FAMILIES = {"a": Gaussian(), "b": Histogram(), "c": Poisson(), "d": Gamma(), "e": Bernoulli(), "l": Categorical()}
LABELS = ["p", "q"] * 6
ROWS = {name: [1.0, 0.0, 1.0, 1.0, 0.0, 1.0] * 2 for name in "abce"} | {"d": [1.0, 2.5, 0.5] * 4, "l": ["1", "x"] * 6}
SCHEMAS = [Schema(FAMILIES), Schema({("a", "b"): Correlated(), "e": Bernoulli()}), Schema({("a", "b", "l"): Pairs()})]
MODELS = [Model.train(schema, ROWS, LABELS) for schema in SCHEMAS]
CELL = st.sampled_from([*TEXTS, "1", None])


@pytest.mark.parametrize("model", MODELS, ids=["columns", "Correlated", "Pairs"])
@given(st.data())
def test_unreadable_cell_is_missing_in_every_family(model, data):
    rows = data.draw(st.lists(st.fixed_dictionaries(dict.fromkeys(FAMILIES, CELL)), min_size=1, max_size=5))
    asked = {name: pa.array([row[name] for row in rows], pa.string()) for name in FAMILIES}
    readable = {
        name: pa.array([None if name != "l" and row[name] in TEXTS else row[name] for row in rows], pa.string())
        for name in FAMILIES
    }
    expected = model.log_joint(readable)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_array_equal(model.log_joint(asked), expected)
        coded = {name: cells.dictionary_encode() for name, cells in asked.items()}
        np.testing.assert_array_equal(model.log_joint(coded), expected)
        one_by_one = [model.log_joint(row) for row in rows]
    np.testing.assert_allclose(np.concatenate(one_by_one), expected, rtol=1e-12)


def test_warning_names_the_column_the_row_the_value_and_how_many():
    rows = {**ROWS, "a": ["1", "Mr. Smith", "far", "far", "2", ""] * 2}
    expected = (
        r"Column 'a', row 1: 'Mr\. Smith' is not a number; such cells \(6\) are treated as missing\. Give the col"
    )
    with pytest.warns(UserWarning, match=expected):
        MODELS[0].posterior(rows)
    with pytest.warns(
        UserWarning, match=r"Column 'e', row 0: 2\.0 is neither .* such cells \(1\) are treated as missing"
    ):
        MODELS[0].posterior({**ROWS, "e": [2.0, *ROWS["e"][1:]]})
    with pytest.warns(UserWarning, match=r"Column 'b', row 0: 'far' is not a number"):
        MODELS[1].posterior({"a": "1", "b": "far", "e": True})


@pytest.mark.parametrize("name", ["a", "b", "c", "d", "e"])
def test_training_refuses_what_new_rows_may_hold(name):
    with pytest.raises(ValueError, match=f"Column '{name}', row 1: 'far' is n"):
        Model.train(SCHEMAS[0], {**ROWS, name: ["1", "far"] * 6}, LABELS)


def test_infinite_number_and_unknown_types_are_errors_in_new_rows():
    with pytest.raises(ValueError, match=r"infinite|not a finite number"):
        MODELS[0].posterior({**ROWS, "a": ["inf", *map(str, ROWS["a"][1:])]})
    with pytest.raises(ValueError, match="Column 'a': cells of type list"):
        MODELS[0].posterior({**ROWS, "a": [[1.0]] * 12})


@pytest.mark.parametrize("family", [Words(), Words(unit="characters", ngrams=2), WordSequence()])
def test_new_number_in_a_column_of_text_is_its_text(family):
    model = Model.train({"x": family}, {"x": ["call 12", "1.5 litres", "true story"]}, ["p", "q", "q"])
    for cells in ([12, 7], [1.5, 2.0], [True, False], [Decimal("1.5"), None], [1.5, 2**64]):
        texts = pa.array([None if cell is None else str(cell).lower() for cell in cells])
        texts = pa.array(["2" if text == "2.0" else text for text in texts.to_pylist()])
        np.testing.assert_array_equal(model.posterior({"x": cells}), model.posterior({"x": texts}))
    np.testing.assert_array_equal(model.posterior({"x": 12}), model.posterior({"x": "12"}))
    with pytest.raises(ValueError, match=r"Column 'x': cells of type timestamp.* are not text"):
        model.posterior({"x": pd.to_datetime(["2020-01-01"])})


@pytest.mark.parametrize("estimator", [NaiveBayes(), SemiNaiveBayes()])
def test_estimator_answers_new_texts_in_a_column_that_held_numbers(estimator):
    random = np.random.default_rng(0)
    labels = random.choice(["p", "q"], 80)
    frame = pd.DataFrame({"room": [str(n) for n in random.integers(100, 300, 80)], "on": labels == "p"})
    fitted = estimator.fit(frame, labels)
    asked = pd.DataFrame({"room": ["112", "12B", "12B"], "on": ["yes", "no", "maybe"]})
    known = pd.DataFrame({"room": ["112", None, None], "on": ["yes", "no", None]})
    with pytest.warns(UserWarning, match=r"treated as missing") as said:
        found = fitted.predict_proba(asked)
    assert sorted(str(each.message).partition(";")[0] for each in said) == [
        "Column 'on', row 2: 'maybe' is neither true nor false (1 or 0)",
        "Column 'room', row 1: '12B' is not a number",
    ]
    np.testing.assert_array_equal(found, fitted.predict_proba(known))


NEW = [("1", "x"), ("far", "y"), ("2", "far"), ("far", "other"), ("2,5", "x"), (" ", "x")]


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_source_of_new_rows_has_missing_cells_instead(form, tmp_path):
    schema = Schema({"a": Gaussian(), "b": Histogram(), "l": Categorical()}, label="y")
    model = Model.train(schema, {"a": [1.0, 2.0], "b": [1.0, 3.0], "l": ["x", "y"]}, ["p", "q"])
    table = pa.table(
        {"a": [a for a, _ in NEW], "b": [a for a, _ in NEW], "l": [b for _, b in NEW], "y": list("pqpqpp")}
    )
    clean = [None if a in ("far", "2,5") else a for a, _ in NEW]
    expected = evaluate(model, table.set_column(0, "a", pa.array(clean)).set_column(1, "b", pa.array(clean)), "y")
    path = tmp_path / f"new.{form}"
    _write(table, path, form)
    with pytest.warns(
        UserWarning, match=r"new\.\w+, (line|row) [23], column '[ab]': 'far' is not a number; such"
    ) as said:
        found = evaluate(model, open_source(path), "y")
    assert len(said) == 2  # one for each column
    assert found.log_loss == expected.log_loss
    types = {"a": pa.float64(), "b": pa.float64()}
    with pytest.raises(ValueError, match=r"'far' is not a number\. Correct it, or skip"):
        list(open_source(path).batches(types, new={"a"}))  # 'b' is not new


def _write(table, path, form):
    if form == "parquet":
        pyarrow.parquet.write_table(table, path)
    elif form == "jsonl":
        path.write_text(table.to_pandas().to_json(orient="records", lines=True))
    else:
        table.to_pandas().to_csv(path, index=False)
