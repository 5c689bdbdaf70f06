"""Most rows may be bad: each is counted and left out, few are remembered, and none costs a trial of its own."""

import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from writing import write

from tallybayes import Categorical, Model, Schema
from tallybayes.data.errors import NoLabelError
from tallybayes.sources import ReadOptions, open_source
from tallybayes.sources.base import REMEMBERED
from tallybayes.sources.convert import unlike_numbers
from tallybayes.sources.faults import find_faults, unreadable_cells
from tallybayes.sources.layout import Layout

NUMBER = pa.float64()
SKIPPING = ReadOptions(skip_bad_rows=True)


def is_parsed(text, kind):
    try:
        pa.array([text.strip()]).cast(kind)
    except pa.ArrowInvalid:
        return False
    return True


@given(
    st.lists(
        st.text("0123456789+-.eExXinfatyINFATY()_ ab", max_size=8)
        | st.floats().map(str)
        | st.integers(-(2**70), 2**70).map(str)
        | st.sampled_from(["1.", ".5", "+1", "-inf", "Infinity", "NAN", "-nan(1_x)", "0x1F", "1e400", ""])
    )
)
def test_what_is_parsed_looks_like_a_number(texts):
    texts = [text for text in texts if text.strip() != "."]  # a mark of a missing number, also with decimal commas
    doomed = unlike_numbers(pa.array(texts, pa.string())).tolist()
    assert doomed == unlike_numbers(pa.array([text.encode() for text in texts], pa.binary())).tolist()
    for kind in (NUMBER, pa.int64()):
        assert not any(is_parsed(text, kind) for text, lost in zip(texts, doomed, strict=True) if lost)
    commas = pa.array([text.replace(".", ",") for text in texts], pa.string())
    assert doomed == unlike_numbers(commas, ",").tolist()


@pytest.mark.parametrize("every", [False, True])
def test_many_bad_cells_take_as_few_trials_as_one(every):
    tried = []

    def read(cells):
        tried.append(len(cells))
        return cells.cast(pa.string()).cast(NUMBER)

    cells = pa.array([b"no %d" % number for number in range(10_000)] + [b"1"])
    bad, advice = unreadable_cells(cells, read, unlike_numbers, every)
    assert (bad.tolist(), advice) == (list(range(10_000 if every else 3)), "")
    assert len(tried) <= 1
    lone, _ = unreadable_cells(cells, read, lambda texts: None, every=False)
    assert (lone.tolist(), len(tried) < 50) == ([0, 1, 2], True)


LINES = [b"1,a", b"oops,a", b"2", b'3,"a"b', b"4,\xff", b"5,a,b", b"nix,b", b"6,b", b"", b"7,a"]


@given(st.lists(st.sampled_from(LINES), max_size=60))
def test_faults_are_those_of_each_row_alone(lines):
    layout = Layout("some.csv", ",", ["n", "text"], ReadOptions())
    types = {"n": NUMBER, "text": pa.string()}
    data = pa.py_buffer(b"\n".join(lines) + b"\n")
    found = find_faults(layout, data, layout.split(data), types, every=True)
    rows = [line for line in lines if line]
    alone = [find_faults(layout, data, layout.split(data), types, True) for data in map(pa.py_buffer, rows)]
    assert found.rows.tolist() == [row for row, fault in enumerate(alone) if len(fault.rows)]
    assert [fault.row for fault in found.first] == found.rows[:REMEMBERED].tolist()
    for fault in found.first:
        assert (fault.column, fault.reason[:20]) == (
            alone[fault.row].first[0].column,
            alone[fault.row].first[0].reason[:20],
        )


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_ten_bad_rows_are_remembered_and_all_are_counted(tmp_path, kind):
    path = tmp_path / f"data.{kind}"
    cells = [f"no {row}" if row % 10 else str(row) for row in range(2000)]
    write(path, pa.table({"n": cells, "y": ["a"] * len(cells)}))
    source = open_source(path, SKIPPING)
    found = [cell for batch in source.batches({"n": NUMBER}) for cell in batch["n"].to_pylist()]
    assert found == [float(row) for row in range(0, 2000, 10)]
    assert (source.skipped, len(source.bad)) == (1800, REMEMBERED)
    assert [bad.reason.partition(" is not")[0] for bad in source.bad] == [
        f"'no {row}'" for row in (1, 2, 3, 4, 5, 6, 7, 8, 9, 11)
    ]


def test_each_unconvertible_cell_of_a_typed_file_is_quoted(tmp_path):
    pq.write_table(pa.table({"n": ["2000-01-01", "yesterday", "today"]}), tmp_path / "days.parquet")
    source = open_source(tmp_path / "days.parquet", SKIPPING)
    assert sum(map(len, source.batches({"n": pa.date32()}))) == 1
    assert [bad.reason.partition(" is not")[0] for bad in source.bad] == ["'yesterday'", "'today'"]


def test_rows_without_a_label_are_refused_together(tmp_path):
    path, chance = tmp_path / "data.csv", random.Random(1)
    labels = [chance.choice(["a", "b", "", "", "", ""]) for _ in range(10_000)]
    path.write_text("x,y\n" + "".join(f"{row % 3},{label}\n" for row, label in enumerate(labels)))
    schema = Schema({"x": Categorical()}, label="y")
    tried = []

    def work(batch):
        tried.append(len(batch))
        return Model.train(schema, batch)

    source = open_source(path, SKIPPING)
    parts = list(source.each({"x": pa.string(), "y": pa.string()}, work))
    assert sum(part.n for part in parts) == 10_000 - labels.count("")
    assert (source.skipped, len(source.bad)) == (labels.count(""), REMEMBERED)
    assert [bad.where for bad in source.bad] == [
        f"{path}, line {row + 2}" for row, label in enumerate(labels) if not label
    ][:REMEMBERED]
    assert len(tried) <= 9  # three parts: refused, the rows before the first without a label, and the others
    with pytest.raises(NoLabelError) as caught:
        Model.train(schema, {"x": [1, 2, 3], "y": ["a", None, None]})
    assert caught.value.rows.tolist() == [1, 2]
