"""The law of all sources: every row is yielded once, in order.

It holds for any layout: widths, row groups, block sizes, compression, pipes, several files, columns left out, a sample
taken before, and skipped rows.
"""

import gzip
import json
import os
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from folder_data import FROM_LINE, lay_out, mail
from hypothesis import example, given, settings
from hypothesis import strategies as st
from writing import PACKERS

from examples import some
from tallybayes import Categorical, Gaussian, Model
from tallybayes.sources import ReadOptions, documents, mbox, open_source

KINDS = {"text": pa.string(), "x": pa.float64(), "filler": pa.string()}
CELL = st.text(alphabet='ab,;"\r\n\t |é😀\ufeff\0', max_size=8)
BAD = "oops"  # in the numeric column
ROW = st.fixed_dictionaries(
    {
        "text": CELL,
        "x": st.integers(0, 99).map(str) | st.just("0.5") | st.just(BAD),
        "filler": st.integers(0, 300).map("f".__mul__),
    }
)


class Layout(NamedTuple):
    """How the same rows are written and read."""

    together: int  # rows per row group or batch
    block_bytes: int
    wanted: list[str]
    sampled: bool
    packed: str
    piped: bool


LAYOUT = st.builds(
    Layout,
    together=st.integers(1, 40),
    block_bytes=st.integers(1, 2000),
    wanted=st.lists(st.sampled_from([*KINDS]), unique=True),
    sampled=st.booleans(),
    packed=st.sampled_from(["", *PACKERS]),
    piped=st.booleans(),
)
STRADDLING = Layout(40, 2000, ["x"], sampled=True, packed="", piped=False)


def separated(rows, layout, delimiter):
    """Cells are quoted only where necessary."""

    def cell(text):
        plain = text and not set(text) & set(f'{delimiter}" \t\r\n')
        return text if plain else '"{}"'.format(text.replace('"', '""'))

    lines = [[*KINDS], *([row[name] for name in KINDS] for row in rows)]
    return "".join(delimiter.join(map(cell, line)) + "\r\n" for line in lines).encode()


def json_lines(rows, layout):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def columnar(rows, layout, kind):
    table = pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in KINDS})
    sink = pa.BufferOutputStream()
    if kind == "parquet":
        pq.write_table(table, sink, row_group_size=layout.together)
    else:
        with (pa.ipc.new_file if kind == "arrow" else pa.ipc.new_stream)(sink, table.schema) as out:
            out.write_table(table, layout.together)
    return sink.getvalue().to_pybytes()


WRITERS = {
    "csv": lambda rows, layout: separated(rows, layout, ","),
    "tsv": lambda rows, layout: separated(rows, layout, "\t"),
    "jsonl": json_lines,
    "parquet": lambda rows, layout: columnar(rows, layout, "parquet"),
    "arrow": lambda rows, layout: columnar(rows, layout, "arrow"),
    "arrows": lambda rows, layout: columnar(rows, layout, "arrows"),
}


def put(path, content, piped):
    """As a file, or as a pipe with a writer."""
    if not piped:
        path.write_bytes(content)
        return
    os.mkfifo(path)
    threading.Thread(target=path.write_bytes, args=[content], daemon=True).start()


@contextmanager
def written(files, kind, layout):
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{i}.{kind}{layout.packed}" for i in range(len(files))]
        for path, rows in zip(paths, files, strict=True):
            put(path, PACKERS.get(layout.packed, bytes)(WRITERS[kind](rows, layout)), layout.piped)
        yield paths


def cells_of(batches, names):
    cells, rows = {name: [] for name in names}, 0
    for batch in batches:
        rows += len(batch)
        for name in names:
            cells[name] += batch.column(name).to_pylist()
    return cells, rows


@pytest.mark.parametrize("kind", WRITERS)
@settings(max_examples=some(50))
@given(files=st.lists(st.lists(ROW, min_size=1, max_size=60), min_size=1, max_size=3), layout=LAYOUT)
@example(files=[[{"text": "", "x": "1", "filler": "f" * 200}] * 40], layout=STRADDLING)
@example(files=[[{"text": "\ufeff", "x": "1", "filler": ""}] * 9], layout=STRADDLING._replace(block_bytes=9))
@example(files=[[{"text": "\0", "x": "1", "filler": ""}] * 9], layout=STRADDLING._replace(wanted=["text"]))
def test_every_row_of_a_table_once_and_in_order(kind, files, layout):
    kinds = {name: KINDS[name] for name in layout.wanted}
    is_bad = lambda row: row["x"] == BAD and "x" in kinds  # noqa: E731
    good = [row for rows in files for row in rows if not is_bad(row)]
    bad = sum(is_bad(row) for rows in files for row in rows)
    with written(files, kind, layout) as paths:
        source = open_source(paths, ReadOptions(block_bytes=layout.block_bytes, missing=(), skip_bad_rows=bad > 0))
        if layout.sampled:
            source.sample()
        cells, rows = cells_of(source.batches(kinds), kinds)
    assert (rows, source.rows, source.skipped) == (len(good), len(good), bad)
    assert cells == {name: [float(row[name]) if name == "x" else row[name] for row in good] for name in kinds}


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "arrow", "arrows"])
@settings(max_examples=some(30))
@given(files=st.lists(st.lists(ROW, min_size=1, max_size=40), min_size=1, max_size=2), layout=LAYOUT)
def test_every_row_has_its_location(kind, files, layout):
    word = "line" if kind == "jsonl" else "row"
    with written(files, kind, layout) as paths:
        source = open_source(paths, ReadOptions(block_bytes=layout.block_bytes, skip_bad_rows=True))
        if layout.sampled:
            source.sample()
        batches = source.batches({"x": pa.float64()})
        places = [source.where(row) for batch in batches for row in range(len(batch))]
        assert places == [
            f"{path}, {word} {number}"
            for path, rows in zip(paths, files, strict=True)
            for number, row in enumerate(rows, 1)
            if row["x"] != BAD
        ]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "arrows"])
@settings(max_examples=some(15))
@given(rows=st.lists(ROW, min_size=1, max_size=20), cuts=st.lists(st.integers(0, 2000), max_size=5), layout=LAYOUT)
def test_every_row_of_a_live_pipe_once_and_in_order(kind, rows, cuts, layout):
    content = b"\n" * (kind != "arrows") + WRITERS[kind](rows, layout)
    edges = sorted({0, *(min(cut, len(content)) for cut in cuts), len(content)})
    reading = ReadOptions(
        format=kind.removesuffix("s") if kind == "arrows" else kind,
        block_bytes=layout.block_bytes,
        live=True,
        missing=(),
    )

    def write():
        with open(into, "wb", buffering=0) as pipe:
            for start, stop in pairwise(edges):
                pipe.write(content[start:stop])
                time.sleep(0.015)

    out, into = os.pipe()
    with open(out, "rb") as pipe, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", pipe)
        threading.Thread(target=write, daemon=True).start()
        cells, _ = cells_of(open_source("-", reading).batches({"filler": pa.string()}), ["filler"])
    assert cells["filler"] == [row["filler"] for row in rows]


@settings(max_examples=some(50))
@given(
    st.lists(st.text(alphabet="ab \t\ufeff\0é,", max_size=20), min_size=1, max_size=40),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.integers(1, 60),
    st.booleans(),
)
def test_every_line_once_and_in_order(lines, end, block_bytes, ended):
    lines = ["first", *lines, "last"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lines.txt"
        path.write_bytes((end.join(lines) + end * ended).encode())
        found, rows = cells_of(open_source(path, ReadOptions(block_bytes=block_bytes)).batches(), ["text"])
    assert (found["text"], rows) == (lines, len(lines))


@contextmanager
def documents_in_chunks(most, size):
    """Few documents at a time, and few bytes of an mbox."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(documents, "CHUNK_DOCUMENTS", most)
        patch.setattr(documents, "CHUNK_BYTES", size)
        patch.setattr(mbox, "BLOCK", size)
        yield


def folders_of_texts(numbers):
    return {f"{group}/{number:03}": f"text\0 {number}" for group, number in numbers}, "text", "text\0 {}"


def folders_of_mail(numbers):
    return {f"{group}/{number:03}": mail(str(number)) for group, number in numbers}, "subject", "{}"


def maildirs(numbers):
    files = {f"{group}/cur/{number:03}:2,S": mail(str(number)) for group, number in numbers}
    return {**files, **{f"{group}/new/.keep": "" for group, _ in numbers}}, "subject", "{}"


def mboxes(numbers):
    boxes = {}
    for group, number in numbers:
        boxes[f"{group}.mbox"] = (
            boxes.get(f"{group}.mbox", b"") + FROM_LINE + mail(str(number), "\n>From here\n") + b"\n"
        )
    return boxes, "subject", "{}"


def packed_mboxes(numbers):
    boxes, *rest = mboxes(numbers)
    return {f"{name}.gz": gzip.compress(box) for name, box in boxes.items()}, *rest


@pytest.mark.parametrize("write", [folders_of_texts, folders_of_mail, maildirs, mboxes, packed_mboxes])
@settings(max_examples=some(25))
@given(
    groups=st.lists(st.sampled_from(["ham", "spam", "eggs"]), min_size=1, max_size=40),
    most=st.integers(1, 9),
    size=st.integers(1, 500),
    sampled=st.booleans(),
)
def test_every_document_once_and_in_the_order_of_its_class(write, groups, most, size, sampled):
    numbers = [(group, number) for number, group in enumerate(groups)]
    files, column, form = write(numbers)
    with tempfile.TemporaryDirectory() as folder, documents_in_chunks(most, size):
        source = open_source(lay_out(Path(folder), files))
        if sampled:
            source.sample()
        found, rows = cells_of(source.batches({"class": pa.string(), column: pa.string()}), ["class", column])
    by_class = {group: [] for group in groups}
    for group, said in zip(found["class"], found[column], strict=True):
        by_class[group].append(said)
    assert rows == len(groups)
    assert by_class == {
        name: [form.format(number).replace("\0", "") for group, number in numbers if group == name] for name in by_class
    }


@pytest.mark.parametrize("kind", WRITERS)
@settings(max_examples=some(20))
@given(rows=st.lists(ROW, min_size=1, max_size=30), data=st.data())
def test_row_order_and_block_size_change_no_byte_of_a_model(kind, rows, data):
    rows = [row for row in rows if row["x"] != BAD] or [{"text": "\ufeff", "x": "1", "filler": ""}]
    schema, models = {"text": Categorical(), "x": Gaussian()}, []
    for order in (rows, data.draw(st.permutations(rows))):
        layout = data.draw(LAYOUT)
        with written([order], kind, layout) as paths:
            source = open_source(paths, ReadOptions(block_bytes=layout.block_bytes, missing=()))
            models.append(Model.train(schema, source.batches(KINDS), "filler"))
    assert models[0] == models[1]
    assert models[0].n == len(rows)
