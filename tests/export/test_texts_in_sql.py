"""Text models in SQL: databases tokenise like `Words` and agree with `posterior`."""

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from asked import check, with_ids
from cut_texts import FAMILIES, TEXTS, table
from hypothesis import given

from tallybayes import Categorical, Gaussian, Mix, Model, Schema, Words, export_sql, weigh

ROWS = table()


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.filterwarnings("ignore:.*impossible")
def test_probabilities_of_every_reading(dialect, name):
    check(Model.train(Schema({"text": FAMILIES[name]}, label="class"), ROWS), ROWS, dialect)


@given(texts=TEXTS)
def test_tokens_equal_pythons_for_any_characters(texts):
    texts = [text.replace("\0", "") for text in texts]
    rows = with_ids({"text": pa.array(texts, pa.string())})
    model = Model.train({"text": Words(shortest=1, ngrams=2)}, rows, [f"class {i}" for i in range(len(texts))])
    marked = Model.train({"text": Words(punctuation=True)}, rows, [f"class {i}" for i in range(len(texts))])
    for each in (model, marked):
        check(each, rows, "duckdb")
        check(each, rows, "sqlite")


def test_repeated_words_with_a_mix(dialect):
    mix = Mix(((0.3, 0.1, 0.2, 0.9, 0.4, 0.1, 0.2, 0.0, 0.5),), gamma=0.3, a=0.7, length=4.0)
    model = Model.train(Schema({"text": Words(reading="auto", mix=mix)}, label="class"), ROWS)
    check(model, ROWS, dialect)


def test_texts_with_numbers_levels_and_other_texts(dialect):
    draw = np.random.default_rng(3)
    rows = ROWS.append_column("again", ROWS["text"]).append_column("x", [draw.normal(size=len(ROWS))])
    rows = rows.append_column("city", [draw.choice(["Ur", "Köln"], len(ROWS))])
    families = {"text": Words(), "again": Words(reading="binary"), "x": Gaussian(), "city": Categorical()}
    check(Model.train(Schema(families, label="class"), rows), rows, dialect)


def test_weighed_texts_and_numbers(dialect):
    draw = np.random.default_rng(1)
    labels = draw.choice(["a", "b"], 600)
    words = np.where(labels == "a", "good", "bad")
    texts = [f"{word} {draw.choice(['sir', 'Éh'])}" if draw.random() < 0.7 else None for word in words]
    x = [float(v) if v < 1 else None for v in draw.normal(size=600) + (labels == "a")]
    rows = with_ids({"text": texts, "x": x, "twice": x, "y": labels})
    schema = Schema({"text": Words(reading="auto"), "x": Gaussian(), "twice": Gaussian()}, label="y")
    model = weigh(Model.train(schema, rows), rows)
    assert model.schema.weights is not None
    check(model, rows, dialect)


@pytest.mark.parametrize("name", ["tally", "tally_cells", "Tally0_words", "cells", "t"])
def test_table_names_may_equal_step_names(name):
    model = Model.train({"text": Words()}, ROWS, ROWS["class"])
    with duckdb.connect() as database:
        database.register("given", ROWS)
        database.execute(f'CREATE TABLE "{name}" AS SELECT * FROM given')
        database.execute(export_sql(model, table=name, keep=["id"], view=f"{name}_said"))
        found = database.sql(f'SELECT * FROM "{name}_said" ORDER BY id').fetchall()
    np.testing.assert_allclose([row[3:] for row in found], model.posterior(ROWS), rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("family", "reason"),
    [
        (Words(tokeniser=str.split), "a Python function, which cannot be exported"),
        (Words(stems={"sirs": "sir"}), "stemmer"),
        (Words(unit="characters"), "no words to look up"),
        (Words(vocabulary=("free",), unknown=True), "unknown=True"),
        (Words(reading="dirichlet-multinomial"), "dirichlet-multinomial"),
        (Words(reading="bernoulli", alpha=0), "Give alpha above 0"),
    ],
)
def test_unsupported_settings_name_the_column(family, reason):
    model = Model.train({"text": family}, {"text": ["free money", "dear sir"]}, ["a", "b"])
    with pytest.raises(ValueError, match=rf"^Column 'text' \(Words\) cannot be written as SQL: .*{reason}"):
        export_sql(model)


@pytest.mark.parametrize("other", ["bigquery", "snowflake", "spark"])
def test_untested_dialects_are_refused(other):
    model = Model.train({"text": Words()}, {"text": ["free money", "dear sir"]}, ["a", "b"])
    with pytest.raises(ValueError, match=f"Column 'text'.*text can be split into words in .*, not in {other}"):
        export_sql(model, dialect=other)
