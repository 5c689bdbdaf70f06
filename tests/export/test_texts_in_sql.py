"""Texts in SQL: databases cut them as `Words` does, and answer as `posterior` does."""

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from asked import answers, with_ids
from cut_texts import FAMILIES, TEXTS, table
from hypothesis import given

from tallybayes import Categorical, Gaussian, Mix, Model, Schema, Words, export_sql, weigh

ROWS = table()


def check(model, rows, dialect):
    np.testing.assert_allclose(answers(model, rows, dialect)[2], model.posterior(rows), rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.filterwarnings("ignore:.*impossible")
def test_every_reading_gives_the_probabilities_of_the_model(dialect, name):
    check(Model.train(Schema({"text": FAMILIES[name]}, label="class"), ROWS), ROWS, dialect)


@given(texts=TEXTS)
def test_words_are_those_of_python_whatever_characters_there_are(texts):
    texts = [text.replace("\0", "") for text in texts]
    rows = with_ids({"text": pa.array(texts, pa.string())})
    model = Model.train({"text": Words(shortest=1, ngrams=2)}, rows, [f"class {i}" for i in range(len(texts))])
    marked = Model.train({"text": Words(punctuation=True)}, rows, [f"class {i}" for i in range(len(texts))])
    for each in (model, marked):
        check(each, rows, "duckdb")
        check(each, rows, "sqlite")


def test_a_word_that_comes_again_says_what_the_mix_makes_of_it(dialect):
    mix = Mix(((0.3, 0.1, 0.2, 0.9, 0.4, 0.1, 0.2, 0.0, 0.5),), gamma=0.3, a=0.7, length=4.0)
    model = Model.train(Schema({"text": Words(reading="auto", mix=mix)}, label="class"), ROWS)
    check(model, ROWS, dialect)


def test_texts_stand_beside_numbers_levels_and_other_texts(dialect):
    draw = np.random.default_rng(3)
    rows = ROWS.append_column("again", ROWS["text"]).append_column("x", [draw.normal(size=len(ROWS))])
    rows = rows.append_column("city", [draw.choice(["Ur", "Köln"], len(ROWS))])
    families = {"text": Words(), "again": Words(reading="binary"), "x": Gaussian(), "city": Categorical()}
    check(Model.train(Schema(families, label="class"), rows), rows, dialect)


def test_texts_and_numbers_that_are_weighed_are_answered_the_same(dialect):
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
def test_tables_may_be_called_as_the_steps_are(name):
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
        (Words(stems={"sirs": "sir"}), "stems"),
        (Words(unit="characters"), "no words to look up"),
        (Words(vocabulary=("free",), unknown=True), "unknown=True"),
        (Words(reading="dirichlet-multinomial"), "dirichlet-multinomial"),
        (Words(reading="bernoulli", alpha=0), "Give alpha above 0"),
    ],
)
def test_what_a_database_cannot_do_is_said_of_the_column(family, reason):
    model = Model.train({"text": family}, {"text": ["free money", "dear sir"]}, ["a", "b"])
    with pytest.raises(ValueError, match=rf"^Column 'text' \(Words\) cannot be written as SQL: .*{reason}"):
        export_sql(model)


@pytest.mark.parametrize("other", ["bigquery", "snowflake", "spark"])
def test_a_database_that_may_cut_texts_otherwise_is_refused(other):
    model = Model.train({"text": Words()}, {"text": ["free money", "dear sir"]}, ["a", "b"])
    with pytest.raises(ValueError, match=f"Column 'text'.*text can be split into words in .*, not in {other}"):
        export_sql(model, dialect=other)
