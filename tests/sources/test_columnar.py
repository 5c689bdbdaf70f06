"""Parquet and Arrow: the requested columns and types, from possibly damaged files."""

import gzip
import re
import resource
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from reading import refusal, rows_of

from tallybayes import Model, Schema, digest
from tallybayes.sources import ReadOptions, open_source

NUMBER, TEXT = pa.float64(), pa.string()
TABLE = pa.table({"n": [1, 2, None], "x": [0.5, None, 2.0], "word": ["a", "b", None], "written": ["1", "2.5", "3"]})


def write(path, table=TABLE, **options):
    if path.suffix == ".parquet":
        pq.write_table(table, path, **options)
    else:
        kind = pa.ipc.new_file if path.suffix == ".arrow" else pa.ipc.new_stream
        with pa.OSFile(str(path), "wb") as out, kind(out, table.schema, **options) as writer:
            writer.write_table(table, 50)
    return path


@pytest.fixture(params=["data.parquet", "data.arrow", "data.arrows"])
def path(request, tmp_path):
    return tmp_path / request.param


LONG = "longer than a view holds itself"
LAYOUTS = {  # of the same cells in memory, which Arrow can only partly compute with
    "views": pa.array(["a", LONG, None] * 20, pa.string_view()),
    "runs of texts": pa.RunEndEncodedArray.from_arrays(pa.array([20, 45, 60]), pa.array(["a", None, LONG])),
    "runs of numbers": pa.RunEndEncodedArray.from_arrays(pa.array([20, 45, 60]), pa.array([1.5, None, 2.5])),
    "views of lists": pa.array([["a", LONG], None, ["b"], []] * 15, pa.list_view(pa.string())),
    "lists of views": pa.array([["a", LONG], None, ["b"], []] * 15, pa.large_list(pa.string_view())),
    "lists of levels": pa.ListArray.from_arrays(
        [*range(0, 121, 2)], pa.array(["a", "b", "c"] * 40).dictionary_encode()
    ),
    "views of vectors": pa.array([[1.0, 2.5], None, [3.0, 4.0], [0.5, 1.5]] * 15, pa.large_list_view(pa.float64())),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_cells_mean_the_same_as_in_memory_in_any_layout(path, layout):
    if path.suffix == ".parquet" and layout.startswith("runs"):
        pytest.skip("Parquet has no such type.")
    table = pa.table({"x": LAYOUTS[layout], "y": ["a", "b", "b", "a", "b"] * 12})
    write(path, table, **({"row_group_size": 7} if path.suffix == ".parquet" else {}))
    schema = Schema.infer(table, "y")
    assert list(schema.columns) == ["x"]
    assert Schema.infer(open_source(path), "y") == schema
    for block_bytes in (40, 1 << 23):
        source = open_source(path, ReadOptions(block_bytes=block_bytes))
        assert len(source.sample())
        assert digest(Model.train(schema, source)) == digest(Model.train(schema, table))


def test_columns_keep_their_type_unless_another_is_requested(path):
    write(path)
    source = open_source(path)
    assert source.names == ["n", "x", "word", "written"]
    assert source.sample().to_pylist() == TABLE.to_pylist()
    (batch,) = source.batches({"written": NUMBER, "n": TEXT, "word": TEXT})
    assert batch.schema.names == ["written", "n", "word"]
    assert batch.column("written").to_pylist() == [1.0, 2.5, 3.0]
    assert batch.column("n").to_pylist() == ["1", "2", None]
    assert batch.column("word").to_pylist() == ["a", "b", None]
    assert source.rows == 3
    assert source.done == source.total == path.stat().st_size


def test_decimals_become_the_nearest_doubles_or_their_digits(path):
    values = ["0.29", "1.10", "-7.00", "90071992547409.93", "0.1"]
    for kind in (pa.decimal128(20, 2), pa.decimal128(38, 17), pa.decimal256(60, 40), pa.decimal64(18, 3)):
        if kind.byte_width == 8 and path.suffix == ".parquet":  # read as a decimal of 16 bytes
            kind = pa.decimal128(18, 3)
        cells = pa.array([Decimal(v) for v in values], kind)
        write(path, pa.table({"a": cells, "b": cells}))
        rows = rows_of(path, {"a": NUMBER, "b": TEXT})
        assert [row["a"] for row in rows] == [float(v) for v in values]
        assert [row["b"] for row in rows] == ["0.29", "1.1", "-7", "90071992547409.93", "0.1"]


@pytest.mark.slow
def test_wide_tables_come_in_small_batches(tmp_path):
    table = pa.table({f"c{i}": np.arange(20_000.0) for i in range(300)})
    source = open_source(write(tmp_path / "wide.parquet", table))
    batches = list(source.batches(dict.fromkeys(table.column_names, NUMBER)))
    assert sum(map(len, batches)) == 20_000
    assert max(batch.nbytes for batch in batches) <= 1 << 24
    assert [len(batch) for batch in open_source(tmp_path / "wide.parquet").batches({"c7": NUMBER})] == [20_000]


def test_batches_without_columns_have_all_rows(path):
    source = open_source(write(path))
    assert [batch.num_rows for batch in source.batches({})] == [3]
    text = path.with_name("data.jsonl")
    text.write_text('{"a": 1}\n{"a": 2}\n')
    assert [batch.num_rows for batch in open_source(text).batches({})] == [2]


def test_text_that_is_not_a_number_is_named_by_row(path):
    write(path, pa.table({"a": ["1", "x", "2", "y"]}))
    expected = f"{path.name}, row 2, column 'a': 'x' is not a number. Correct it, or"
    assert refusal(path, {"a": NUMBER}).startswith(expected)
    source = open_source(path, ReadOptions(skip_bad_rows=True))
    (batch,) = source.batches({"a": NUMBER})
    assert batch.to_pydict() == {"a": [1.0, 2.0]}
    assert [re.sub(".*row", "row", bad.where) for bad in source.bad] == ["row 2, column 'a'", "row 4, column 'a'"]
    assert source.where(1).endswith("row 3")


def test_labels_must_have_their_type(path):
    write(path, pa.table({"y": [1.0, 2.5]}))
    assert refusal(path, {"y": pa.int64()}) == (
        f"{path.name}, row 2, column 'y': '2.5' is not of type int64, but of type double."
    )
    assert rows_of(path, {"y": TEXT}) == [{"y": "1"}, {"y": "2.5"}]


def test_unsupported_types_name_the_column(path):
    write(path, pa.table({"when": pa.array([0], pa.timestamp("us"))}))
    assert refusal(path, {"when": NUMBER}).startswith(
        f"{path.name}, column 'when': cells of type timestamp[us] are times"
    )


def test_unknown_column_error_lists_the_columns(path):
    expected = f"{path.name} has no column 'N'; it has 'n', 'x', 'word', 'written'."
    assert refusal(write(path), {"N": NUMBER}) == expected


def test_duplicate_column_names_are_an_error(path):
    write(path, pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]))
    assert refusal(path) == f"{path.name} has two columns called 'a', number 1 and number 2. Rename one."


def test_empty_table_has_its_columns(path):
    source = open_source(write(path, TABLE.slice(0, 0)))
    assert source.sample().schema.names == TABLE.column_names
    assert list(source.batches()) == []


def test_truncation_anywhere_is_an_error(path):
    whole = write(path, pa.table({"n": np.arange(5000) % 777, "text": np.arange(5000).astype(str)})).read_bytes()
    for size in [*range(8, 64, 5), *range(64, len(whole) - 8, len(whole) // 40)]:
        path.write_bytes(whole[:size])
        assert refusal(path, {"text": TEXT}).startswith(f"{path.name} ")


def test_non_utf8_names_are_read_and_shown(tmp_path):
    name = "caf\udce9\n.parquet"
    (write(tmp_path / "plain.parquet")).rename(tmp_path / name)
    source = open_source(tmp_path / name)
    assert next(source.batches({"n": NUMBER})).num_rows == 3
    assert source.where(0).endswith(r"caf\\xe9\n.parquet, row 1")


def test_full_temporary_folder_is_not_called_damage(tmp_path):
    packed = tmp_path / "data.parquet.gz"
    packed.write_bytes(gzip.compress(write(tmp_path / "data.parquet").read_bytes()))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        message = refusal(packed)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert message.startswith("data.parquet.gz cannot be copied into a temporary file in ")
    assert message.endswith("(File too large). Set TMPDIR to another folder.")
