"""Damaged files of every format: an error that names the file, never a crash, silent loss of rows, or much memory."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from reading import refusal

from examples import STEP
from tallybayes.sources import ReadOptions, SourceError, open_source

pytestmark = pytest.mark.slow

ROWS = 80
N = np.arange(ROWS)
TABLE = pa.table({"x": N * 0.5, "word": np.array(["ham", "spam"])[N % 2]})
LEAST_MEMORY = 1 << 27  # of a process that reads small files


def parquet(path, **options):
    pq.write_table(TABLE, path, row_group_size=50, **options)


def arrow(path, kind, compression=None):
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.OSFile(str(path), "wb") as out, kind(out, TABLE.schema, options=options) as writer:
        writer.write_table(TABLE, 30)


WRITERS = {
    "data.parquet": parquet,
    "second.parquet": lambda path: parquet(path, compression="zstd", data_page_version="2.0"),
    "data.arrow": lambda path: arrow(path, pa.ipc.new_file),
    "data.arrows": lambda path: arrow(path, pa.ipc.new_stream),
    "packed.arrows": lambda path: arrow(path, pa.ipc.new_stream, "zstd"),
    "data.csv": lambda path: path.write_text("x,word\n" + "".join(f'{i},"w{i % 7}"\n' for i in N)),
    "data.jsonl": lambda path: path.write_text("".join(f'{{"x": {i}, "word": "w{i % 7}"}}\n' for i in N)),
}


@pytest.mark.parametrize("name", WRITERS)
def test_damage_is_an_error_or_all_rows_with_little_memory(tmp_path, name):
    WRITERS[name](tmp_path / name)
    kind = "text" if name.endswith(("csv", "jsonl")) else "columns"
    command = [sys.executable, Path(__file__).with_name("damaging.py"), tmp_path / name, kind, str(STEP)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    found = json.loads(ended.stdout)
    assert found["errors"] > 100 // STEP
    assert found["memory"] < LEAST_MEMORY
    if kind == "columns":
        assert found["rows"] == [ROWS]


def test_parquet_row_groups_that_do_not_add_up_are_an_error(tmp_path):
    path = tmp_path / "data.parquet"
    parquet(path)
    content = path.read_bytes()
    counts = {rows: content.rfind(bytes([0x16, 2 * rows])) for rows in (50, 30)}  # a Thrift i64, zigzag
    for rows, at in counts.items():
        path.write_bytes(content[: at + 1] + bytes([2 * (rows - 20)]) + content[at + 2 :])
        assert refusal(path).startswith("data.parquet is damaged: it should have 80 rows, but its row groups have")


def test_encrypted_parquet_is_not_called_damaged(tmp_path):
    (tmp_path / "data.parquet").write_bytes(b"PARE" + bytes(30) + (20).to_bytes(4, "little") + b"PARE")
    assert refusal(tmp_path / "data.parquet") == "data.parquet is encrypted. Decrypt it first."


def test_stream_without_its_end_marker_is_truncated(tmp_path):
    path = tmp_path / "data.arrows"
    arrow(path, pa.ipc.new_stream)
    content = path.read_bytes()
    path.write_bytes(content[:-8])
    assert refusal(path) == "data.arrows is truncated: the end marker of the Arrow stream is missing."
    path.write_bytes(content + content)
    assert refusal(path) == ("data.arrows continues after the end of its Arrow stream. Give each stream separately.")


def test_declared_huge_stream_takes_no_more_memory_than_it_has(tmp_path):
    path = tmp_path / "data.arrows"
    path.write_bytes(b"\xff\xff\xff\xff\xf0\xff\xff\x7f" + b"\0" * 5000)
    limited = "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31)); "
    opened = "from tallybayes import open_source; open_source(sys.argv[1])"
    ended = subprocess.run([sys.executable, "-c", limited + opened, path], capture_output=True, text=True, check=False)
    assert ended.stderr.splitlines()[-1].startswith(
        f"tallybayes.sources.base.SourceError: {path} is damaged or truncated"
    )


@pytest.mark.parametrize("block_bytes", [1, 30, 1 << 20])
@pytest.mark.parametrize("before", [0, 1, 5])
@pytest.mark.parametrize("line", ["null", " null ", "[1]", "17", '{"x": 1} null', "\ufeffnull"])
def test_non_object_line_is_an_error_anywhere(tmp_path, line, before, block_bytes):
    path = tmp_path / "data.jsonl"
    path.write_text("\n" + '{"x": 1}\n' * before + line + '\n{"x": 2}\n')
    reading = ReadOptions(block_bytes=block_bytes, format="jsonl")
    with pytest.raises(SourceError, match=rf"data\.jsonl(, line {before + 2}: the line is| is one JSON list)"):
        list(open_source(path, reading).batches({"x": pa.float64()}))


def test_multi_line_objects_are_errors_even_if_counts_match(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_text('{"x": 1}\n{"x":\n2}\n{"x": 3} {"x": 4}\n')
    assert refusal(path).startswith("data.jsonl, line 2: the line is not JSON")
