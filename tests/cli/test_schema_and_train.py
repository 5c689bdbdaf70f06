"""`train` accepts whatever `schema` writes, for any table."""

import json
import subprocess

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from calling import PROGRAM
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tallybayes import Model, ReadOptions, Schema, Words, schema_from_toml, schema_to_toml
from tallybayes.sources import open_source

WORDS = st.lists(st.sampled_from(["red", "green", "a b", ""]) | st.none(), max_size=3)
NUMBER = st.integers(-5, 5) | st.floats(-5, 5)
KINDS = {
    "lists of words": WORDS,
    "vectors": st.lists(NUMBER, min_size=2, max_size=2),
    "texts": st.text(alphabet="ab ,é\"'", max_size=5),
    "numbers": NUMBER,
    "truths": st.booleans(),
    "mixed": NUMBER | st.sampled_from(["x", "y"]) | st.booleans(),
    "mixed with lists": WORDS | st.sampled_from(["x", "y"]),
    "objects": st.fixed_dictionaries({"k": st.sampled_from(["x", "y"])}),
    "lists of lists": st.lists(WORDS, max_size=2),
}


@st.composite
def tables(draw, kinds):
    n = draw(st.integers(1, 12))
    columns = {
        kind: draw(st.lists(KINDS[kind] | st.none(), min_size=n, max_size=n))
        for kind in draw(st.lists(st.sampled_from(kinds), min_size=1, unique=True))
    }
    return columns | {"y": draw(st.lists(st.sampled_from("pq"), min_size=n, max_size=n))}


def rows_trained(path):
    schema = schema_from_toml(schema_to_toml(Schema.infer(open_source(path), "y")))
    return Model.train(schema, open_source(path)).n


@given(tables([*KINDS]))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_proposed_schema_trains_on_any_json_lines(tmp_path_factory, table):
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert rows_trained(path) == len(rows)


@given(tables(["lists of words", "vectors", "texts", "truths", "objects", "lists of lists"]), st.booleans())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_proposed_schema_trains_on_any_parquet(tmp_path_factory, table, large):
    path = tmp_path_factory.getbasetemp() / "any.parquet"
    columns = {name: pa.array(cells) for name, cells in table.items()}
    if large and pa.types.is_list(columns.get("lists of words", pa.nulls(0)).type):
        columns["lists of words"] = columns["lists of words"].cast(pa.large_list(pa.large_string()))
    pq.write_table(pa.table(columns), path)
    assert rows_trained(path) == len(table["y"])


@pytest.mark.parametrize("kind", [pa.list_(pa.string()), pa.large_list(pa.large_string()), pa.list_(pa.string(), 2)])
def test_word_lists_of_any_type_give_the_same_counts(tmp_path, kind):
    cells = [["red", "green"], ["green", "blue"]] * 5
    pq.write_table(pa.table({"tags": pa.array(cells, kind), "y": ["p", "q"] * 5}), tmp_path / "t.parquet")
    source = open_source(tmp_path / "t.parquet")
    model = Model.train(Schema.infer(source, "y"), source)
    assert model.counts("tags").slots == ["blue", "green", "red"]


def test_lists_empty_in_the_first_block_may_have_words_later(tmp_path):
    lines = ['{"tags": [], "y": "p"}', '{"tags": ["red"], "y": "q"}', '{"tags": null, "y": "q"}']
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    source = open_source(tmp_path / "t.jsonl", ReadOptions(block_bytes=24))
    model = Model.train(Schema({"tags": Words()}, label="y"), source)
    assert (model.n, model.counts("tags").slots) == (3, ["red"])


def test_bad_line_does_not_change_the_type_of_others(tmp_path):
    lines = ['{"tags": ["red", null], "y": "p"}', '{"tags": ["blue"], "y": "q"}', "{broken"]
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    source = open_source(tmp_path / "t.jsonl", ReadOptions(skip_bad_rows=True))
    model = Model.train(Schema.infer(source, "y"), source)
    assert (model.n, source.skipped, model.counts("tags").slots) == (2, 1, ["blue", "red"])


@pytest.mark.slow
def test_schema_then_train_as_a_process(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"tags": ["red", "green"], "y": "p"}\n{"tags": [], "y": "q"}\n')
    written = subprocess.run([PROGRAM, "schema", "t.jsonl", "-l", "y"], cwd=tmp_path, capture_output=True, check=True)
    (tmp_path / "t.toml").write_bytes(written.stdout)
    line = [PROGRAM, "train", "t.jsonl", "--schema", "t.toml", "-o", "t.tally"]
    assert subprocess.run(line, cwd=tmp_path, capture_output=True, check=True).stderr.startswith(b"t.tally: 2 rows")
