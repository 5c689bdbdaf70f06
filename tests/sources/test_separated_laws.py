"""CSV round-trips for any block size, and a bad cell is located."""

import csv
import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_separated import NUMBER, TEXT

from tallybayes.sources import ReadOptions, SourceError, open_source

ENDS = {  # the csv module quotes \r only if lines end in it
    "\r\n": {"lineterminator": "\r\n"},
    "\n": {"lineterminator": "\n", "quoting": csv.QUOTE_ALL},
}
CELL = st.text(alphabet='ab,;"\r\n\t |é字😀1', max_size=6)


def read_back(cell, end):
    """A cell as read back: the csv module quotes white space only if it quotes everything."""
    return cell if end == "\n" or any(sign in cell for sign in ',"\r\n') else cell.strip(" \t")


@given(st.lists(st.lists(CELL, min_size=2, max_size=2), max_size=12), st.integers(1, 60), st.sampled_from([*ENDS]))
def test_csv_module_output_round_trips_for_any_block_size(tmp_path_factory, rows, block_bytes, end):
    path = tmp_path_factory.getbasetemp() / "random.csv"
    with open(path, "w", newline="") as out:
        csv.writer(out, **ENDS[end]).writerows([["x", "y"], *rows])
    source = open_source(path, ReadOptions(block_bytes=block_bytes, missing=()))
    found = [list(row.values()) for batch in source.batches({"x": TEXT, "y": TEXT}) for row in batch.to_pylist()]
    assert found == [[read_back(cell, end) for cell in row] for row in rows]
    assert source.rows == len(rows)


@given(
    st.lists(CELL, min_size=1, max_size=12),
    st.data(),
    st.integers(1, 60),
    st.sampled_from([*ENDS]),
    st.booleans(),
)
def test_planted_bad_cell_is_located(tmp_path_factory, texts, data, block_bytes, end, short):
    bad = data.draw(st.integers(0, len(texts) - 1))
    content = io.StringIO(newline="")
    writer = csv.writer(content, **ENDS[end])
    writer.writerow(["n", "text"])
    for at, text in enumerate(texts):
        if at == bad:
            line = len(io.StringIO(content.getvalue(), newline="").readlines()) + 1
        writer.writerow(["1", text] if at != bad else ["oops", text][: 1 if short else 2])
    path = tmp_path_factory.getbasetemp() / "planted.csv"
    path.write_bytes(content.getvalue().encode())
    reading, kinds = ReadOptions(block_bytes=block_bytes, missing=()), {"n": NUMBER, "text": TEXT}
    with pytest.raises(SourceError, match=f"planted.csv, line {line}[,:]"):
        list(open_source(path, reading).batches(kinds))
    source = open_source(path, replace(reading, skip_bad_rows=True))
    kept = [row["text"] for batch in source.batches(kinds) for row in batch.to_pylist()]
    assert kept == [read_back(text, end) for text in texts[:bad] + texts[bad + 1 :]]
    assert source.skipped == 1


@given(st.lists(st.sampled_from(["1,a", "oops,a", "none at all,b", "2", "3,a,b", '4,"a"b', '"5,a']), max_size=12))
def test_error_is_the_first_of_the_rows_that_would_be_skipped(tmp_path_factory, rows):
    path = tmp_path_factory.getbasetemp() / "rough.csv"
    path.write_text("\n".join(["n,text", *rows, "6,b"]))
    kinds = {"n": NUMBER, "text": TEXT}
    source = open_source(path, ReadOptions(skip_bad_rows=True))
    list(source.batches(kinds))
    if source.bad:
        with pytest.raises(SourceError) as caught:
            list(open_source(path).batches(kinds))
        assert str(caught.value) == str(source.bad[0].error())
