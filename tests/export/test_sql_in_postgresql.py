"""SQL export, run on a temporary PostgreSQL server."""

import numpy as np
import pyarrow as pa
import pytest
from cut_texts import FAMILIES, TEXTS
from cut_texts import table as table_of_texts
from exported import model_of, numbers_as_levels, table
from hypothesis import HealthCheck, given, settings

from postgresql import asking, running
from tallybayes import Categorical, Model, Schema, Words, export_sql, open_source

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def uri():
    pytest.importorskip(
        "adbc_driver_postgresql", reason="PostgreSQL is asked by ADBC: pip install adbc-driver-postgresql"
    )
    with running() as found:
        yield found


def answers(uri, model, rows, name):
    made = export_sql(model, dialect="postgres", table=name, keep=["id"], view=f"{name[:20]} answered")
    with asking(uri) as cursor:
        cursor.adbc_ingest(name, rows, mode="create")
        for statement in made.split(";\n"):
            if statement.strip():
                cursor.execute(statement)
        cursor.execute("SELECT * FROM {} ORDER BY id".format('"' + f"{name[:20]} answered".replace('"', '""') + '"'))
        return cursor.fetchall()


def test_probabilities_of_every_column_kind(uri):
    rows = table()
    model = model_of(rows)
    expected = model.posterior(rows)
    found = answers(uri, model, rows, "rows")
    np.testing.assert_allclose([row[3:] for row in found], expected, rtol=0, atol=1e-9)
    assert [row[1] for row in found] == [model.classes[i] for i in expected.argmax(axis=1)]


def test_numbers_as_categories_are_found_however_postgresql_prints_them(uri):
    rows = numbers_as_levels()
    model = Model.train(Schema({"double": Categorical(), "single": Categorical()}), rows, rows["id"])
    found = answers(uri, model, rows, "numbers")
    np.testing.assert_allclose([row[3:] for row in found], model.posterior(rows), rtol=0, atol=1e-9)


def test_view_can_be_queried_like_a_table(uri):
    rows = table(200, seed=4)
    answers(uri, model_of(rows), rows, "others")
    source = open_source(database=uri, query='SELECT predicted, probability FROM "others answered"')
    assert sum(len(batch) for batch in source.batches()) == 200


@pytest.mark.parametrize("name", ['"; DROP TABLE rows; --', "select", "it's", "$$ $1 \\'", "dotted.name", "é😀"])
def test_names_levels_and_labels_are_escaped(uri, name):
    rows = table(40).select(["id"]).append_column(name, [[name, "other"] * 20])
    model = Model.train({name: Categorical()}, rows, [name, "none"] * 20)
    found = answers(uri, model, rows, name)
    assert [row[1] for row in found] == [name, "none"] * 20


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.filterwarnings("ignore:.*impossible")
def test_probabilities_of_texts(uri, name):
    rows = table_of_texts()
    model = Model.train(Schema({"text": FAMILIES[name]}, label="class"), rows)
    found = answers(uri, model, rows, f"{name} of texts")
    np.testing.assert_allclose([row[3:] for row in found], model.posterior(rows), rtol=0, atol=1e-9)


@given(texts=TEXTS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_tokens_equal_pythons_for_any_characters(uri, texts):
    texts = [text.replace("\0", "") for text in texts]
    rows = pa.table({"id": range(len(texts)), "text": pa.array(texts, pa.string())})
    model = Model.train({"text": Words(punctuation=True, ngrams=2)}, rows, [f"class {i}" for i in range(len(texts))])
    with asking(uri) as cursor:
        cursor.execute('DROP TABLE IF EXISTS drawn, "drawn answered_weights" CASCADE')
    found = answers(uri, model, rows, "drawn")
    np.testing.assert_allclose([row[3:] for row in found], model.posterior(rows), rtol=0, atol=1e-9)
