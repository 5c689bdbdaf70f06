"""CSV and TSV in which quotes are ordinary characters."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import kernels
from tallybayes.cli.reading import Input
from tallybayes.sources import ReadOptions, SourceError, open_source

PLAIN = ReadOptions(quotes=False)
CELL = st.text(alphabet="ab\"' ,é字", min_size=1, max_size=6).filter(lambda cell: cell.strip())


def rows_of(path, reading):
    source = open_source(path, reading)
    names = dict.fromkeys(source.names, pa.string())
    return [tuple(row.values()) for batch in source.batches(names) for row in batch.to_pylist()]


def test_stray_quotes_leave_rows_unchanged(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text('a\tb\ty\n1\t"x\tp\n2\ty"z\tq\n3\tk\t"p"\n')
    assert rows_of(path, PLAIN) == [("1", '"x', "p"), ("2", 'y"z', "q"), ("3", "k", '"p"')]


def test_text_after_a_closing_quote_is_an_error(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text('a\tb\ty\n0\tk\tp\n1\t"x\tp\n2\ty"z\tq\n3\t"k"\t"p" \n')
    with pytest.raises(SourceError, match=r"t.tsv, line 3: text follows a closing quote. Double the quotes"):
        rows_of(path, ReadOptions())
    assert rows_of(path, ReadOptions(skip_bad_rows=True)) == [("0", "k", "p"), ("3", "k", "p")]


@given(st.text(alphabet='a",\r\n \t', max_size=40))
def test_stray_text_equals_the_slow_reference(text):
    found, state = [], "start"
    for at, letter in enumerate(text):
        if state == "within":
            state = "closed" if letter == '"' else "within"
        elif state == "closed" and letter == '"':
            state = "within"  # it was doubled
        elif letter in ",\r\n":
            state = "start"
        elif state == "start" and letter == '"':
            state = "within"
        elif state != "start" or letter not in " \t":
            found += [at] if state == "closed" and letter not in " \t" else []
            state = "cell"
    assert kernels.find_stray(np.frombuffer(text.encode(), np.uint8), ",").tolist() == found


def test_names_keep_their_quotes_and_locations_their_lines(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text('"a\tb\n1\t2\n\n"3\t4\t5\n')
    assert open_source(path, PLAIN).names == ['"a', "b"]
    with pytest.raises(SourceError, match=r"t.tsv, line 4: the row has 3 cells"):
        rows_of(path, PLAIN)
    assert rows_of(path, replace(PLAIN, skip_bad_rows=True)) == [("1", "2")]


def test_unclosed_quote_is_an_error_that_says_what_to_do(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text('a\tb\n1\t2\n"3\t4\n')
    with pytest.raises(SourceError, match="or give --no-quotes if quotes are ordinary characters"):
        rows_of(path, ReadOptions())
    assert rows_of(path, PLAIN) == [("1", "2"), ('"3', "4")]


@given(rows=st.lists(st.tuples(CELL, CELL), min_size=1, max_size=20), block=st.integers(16, 64))
def test_cells_round_trip(tmp_path_factory, rows, block):
    path = tmp_path_factory.mktemp("quotes") / "t.tsv"
    path.write_text("a\tb\n" + "".join(f"{a}\t{b}\n" for a, b in rows))
    found = rows_of(path, ReadOptions(quotes=False, block_bytes=block, missing=()))
    assert found == [(a.strip(" "), b.strip(" ")) for a, b in rows]


def test_command_line_option(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text('a\ty\n"x\tp\n"z\tq\n')
    assert [len(batch) for batch in Input([str(path)], no_quotes=True).open().batches()] == [2]
