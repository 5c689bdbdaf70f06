"""CSV and TSV: every cell as written, and errors with line and column."""

import re

import pyarrow as pa
import pytest
from reading import refusal, rows_of

from tallybayes.sources import ReadOptions, open_source

NUMBER, TEXT = pa.float64(), pa.string()


@pytest.fixture
def file(tmp_path):
    def write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_cells_have_the_requested_types(file):
    path = file("age,city,calls\n17,Ulm,3\n18.5,Köln,4\n")
    assert rows_of(path, {"city": TEXT, "age": NUMBER}) == [
        {"city": "Ulm", "age": 17.0},
        {"city": "Köln", "age": 18.5},
    ]


def test_sample_is_typed_by_its_content_and_not_consumed(file):
    source = open_source(file("a,b,c,d,e\n1,x,0.5,true,\n2,y,1,false,\n"))
    kinds = [pa.int64(), pa.string(), pa.float64(), pa.bool_(), pa.null()]
    assert source.sample().schema.types == kinds
    assert source.sample().num_rows == 2
    assert [batch.num_rows for batch in source.batches()] == [2]


def test_codes_with_leading_zeros_are_text_in_a_sample(file):
    sample = open_source(file("zip,n\n07745,1\n89073,0\n")).sample()
    assert sample.to_pydict() == {"zip": ["07745", "89073"], "n": [1, 0]}


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiter_is_the_most_frequent_in_the_header(file, delimiter):
    others = '"x,;|\t,;|\t,;|\ty"'
    path = file(f"{others}{delimiter}b\n1{delimiter}2\n")
    assert rows_of(path) == [{"x,;|\t,;|\t,;|\ty": 1, "b": 2}]


def test_tsv_is_split_by_tabs(file):
    assert rows_of(file("a,b\tc\n1\t2\n", "data.tsv")) == [{"a,b": 1, "c": 2}]
    assert rows_of(file("a,b\tc\n1\t2\n", "data"), None, ReadOptions(format="tsv")) == [{"a,b": 1, "c": 2}]


def test_decimal_comma(file):
    path = file("a;b\n1,5;x\n-2;y\n")
    assert rows_of(path, {"a": NUMBER}, ReadOptions(decimal=",")) == [{"a": 1.5}, {"a": -2.0}]
    assert "line 3, column 'a': '1.5' is not a number" in refusal(
        file("a;b\n1,5;x\n1.5;y\n"), {"a": NUMBER}, ReadOptions(decimal=",")
    )


def test_names_for_a_file_without_a_header(file):
    path = file("1,x\n2,y\n")
    assert rows_of(path, None, ReadOptions(names=("a", "b"))) == [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
    assert refusal(path, None, ReadOptions(names=("a",))) == "data.csv has 2 columns; --names gives 1: 'a'."


@pytest.mark.parametrize("mark", ["utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_mark_gives_the_encoding(file, mark):
    assert rows_of(file("é,b\nü,1\n".encode(mark))) == [{"é": "ü", "b": 1}]


@pytest.mark.parametrize("block_bytes", [1, 11, 1 << 23])
def test_later_byte_order_mark_and_nul_are_ordinary_characters(file, block_bytes):
    texts = ["\ufeffa", "b", "\ufeff", "\0", "c\0d", '\ufeff"e"', "f"]
    path = file("\ufefftext\n" + "\n".join(texts) + "\n")
    reading = ReadOptions(block_bytes=block_bytes)
    assert [row["text"] for row in rows_of(path, {"text": TEXT}, reading)] == texts
    names = ReadOptions(block_bytes=block_bytes, names=("text",))
    assert [row["text"] for row in rows_of(path, {"text": TEXT}, names)] == ["text", *texts]


@pytest.mark.parametrize("content", ["text,y\na,b\n".encode("utf-16-le"), b"\0\1\2\3\n"])
def test_binary_data_is_refused(file, content):
    assert " is not a table: it contains bytes that are not text" in refusal(file(content))


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16-le", "shift_jis"])
@pytest.mark.parametrize("block_bytes", [1, 7, 1 << 23])
def test_other_encodings_are_read_in_blocks(file, encoding, block_bytes):
    text = "ア,b\nイ,1\n" if encoding == "shift_jis" else "é,b\nü,1\n"
    (row,) = rows_of(file(text.encode(encoding)), None, ReadOptions(encoding=encoding, block_bytes=block_bytes))
    assert list(row.items()) == [(text[0], text[4]), ("b", 1)]


def test_white_space_around_names_is_stripped(file):
    assert open_source(file("a , b,,\n1,2,3,4\n")).names == ["a", "b", "column 3", "column 4"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
def test_any_line_ending(file, end, last):
    path = file(end.join(["", "a,b", "1,x", "", "2,", *[""] * last]))
    assert rows_of(path, {"a": NUMBER, "b": TEXT}) == [{"a": 1.0, "b": "x"}, {"a": 2.0, "b": None}]
    path = file(end.join(["", "a,b", "1,x", "", "no,x", *[""] * last]))
    assert refusal(path, {"a": NUMBER}).startswith("data.csv, line 5, column 'a': 'no' is not a number.")


def test_text_in_a_number_column_is_an_error_that_suggests_a_fix(file):
    path = file("age,city\n" + "17,x\n" * 100 + "abc,y\n" + "17,x\n" * 100)
    assert refusal(path, {"age": NUMBER}, ReadOptions(block_bytes=64)) == (
        "data.csv, line 102, column 'age': 'abc' is not a number. Correct it, or skip such rows with "
        "--skip-bad-rows; if 'abc' marks a missing value, give --missing abc; if the "
        "column holds categories, train with --column 'age=Categorical()'."
    )


def test_decimal_comma_in_a_number_column_is_an_error_that_suggests_the_option(file):
    path = file("age;city\n17;x\n17,5;y\n")
    assert refusal(path, {"age": NUMBER}) == (
        "data.csv, line 3, column 'age': '17,5' is not a number. Correct it, or skip such rows with --skip-bad-rows; "
        "if numbers have a decimal comma, give --decimal ,; if the column holds categories, train with --column "
        "'age=Categorical()'."
    )


def test_integers_followed_by_fractions_are_numbers(file):
    path = file("a\n" + "1\n" * 50 + "0.5\n1e3\n")
    assert rows_of(path, {"a": NUMBER}, ReadOptions(block_bytes=16))[-2:] == [{"a": 0.5}, {"a": 1000.0}]


def test_rows_of_wrong_length_are_errors(file):
    path = file('a,b\n1,"2\n3"\n4,5,6\n')
    assert refusal(path) == (
        "data.csv, line 4: the row has 3 cells, but there are 2 columns. Quote cells that contain a ',', "
        "or skip such rows with --skip-bad-rows."
    )
    assert refusal(file("a,b\n1\n")).startswith("data.csv, line 2: the row has 1 cell, but there are 2 columns.")


def test_invalid_utf8_error_suggests_an_encoding(file):
    path = file("a,b\nx,ö\n".encode() + b"caf\xe9,y\n")
    reason = (
        r"data.csv, line 3, column 'a': b'caf\xe9' is not UTF-8. Give the encoding of the file, like --encoding latin-1"
    )
    assert refusal(path, {"a": TEXT}).startswith(reason)
    assert refusal(path).startswith(reason)
    assert rows_of(path, {"b": TEXT}) == [{"b": "ö"}, {"b": "y"}]
    assert "names of the columns are not UTF-8" in refusal(file(b"caf\xe9,b\n1,2\n"))


def test_unclosed_quote_is_an_error(file):
    path = file('a,b\n1,x\n2,"y\n3,z\n')
    assert refusal(path).startswith("data.csv, line 3: a quote is opened and never closed.")
    assert rows_of(path, reading=ReadOptions(skip_bad_rows=True)) == [{"a": 1, "b": "x"}]


def test_bad_rows_are_skipped_counted_and_recorded(file):
    lines = ["1,x"] * 1000
    for at in range(0, 1000, 50):
        lines[at] = ["no,x", "1", "1,x,2", "1,\xff"][at // 50 % 4]
    path = file("\n".join(["a,b", *lines]).encode("latin-1"))
    source = open_source(path, ReadOptions(block_bytes=256, skip_bad_rows=True))
    batches = list(source.batches({"a": NUMBER, "b": TEXT}))
    assert sum(batch.num_rows for batch in batches) == source.rows == 980
    assert source.skipped == 20
    assert [int(re.search(r"line (\d+)", bad.where)[1]) for bad in source.bad] == [2 + 50 * i for i in range(10)]
    assert "'no' is not a number" in source.bad[0].reason


def test_locations_are_correct_after_bad_rows(file):
    source = open_source(file('a,b\n"1\n",x\nno\n\n2,y\n'), ReadOptions(skip_bad_rows=True))
    (batch,) = source.batches({"b": TEXT})
    assert [re.sub(".*/", "", source.where(row)) for row in range(len(batch))] == [
        "data.csv, line 2",
        "data.csv, line 6",
    ]


def test_locations_are_correct_after_a_sample_with_bad_rows(file):
    source = open_source(file(b"a,b\n\xff,1\nx,2\n"))
    assert source.sample().num_rows == 1
    (batch,) = source.batches({"b": NUMBER})
    assert batch.num_rows == 2
    assert source.where(1).endswith("line 3")


def test_labels_of_other_types_are_errors(file):
    path = file("y\n1\n2.5\n")
    assert "line 3, column 'y': '2.5' is not a whole number" in refusal(path, {"y": pa.int64()})
    assert "line 3, column 'y': '2.5' is not of type bool" in refusal(path, {"y": pa.bool_()})


@pytest.mark.parametrize(("cell", "decimal"), [("1.0", "."), ("+1.", "."), (" 1.00 ", "."), ("1,0", ",")])
def test_integer_written_with_a_point_is_an_integer_label(file, cell, decimal):
    message = refusal(file(f"x;y\na;{cell}\n"), {"y": pa.int64()}, ReadOptions(decimal=decimal))
    expected = "has a decimal point; whole numbers have none, like 1. Correct it, or"
    assert message.startswith(f"data.csv, line 2, column 'y': {cell.strip()!r} {expected}")
    assert "'1,000' is not a whole number" in refusal(file("x;y\na;1,000\n"), {"y": pa.int64()})


def test_empty_file_is_an_error_and_header_alone_has_no_rows(file):
    assert rows_of(file("\n\r\n\na\n1\n"), None, ReadOptions(block_bytes=1)) == [{"a": 1}]
    for content in ("", "\n\n", b"\xef\xbb\xbf"):
        assert refusal(file(content)) == "data.csv is empty."
    for content in ("a,b", "a,b\n", "a,b\r\n\r\n"):
        source = open_source(file(content))
        assert source.sample().schema.names == ["a", "b"]
        assert source.sample().num_rows == 0
        assert list(source.batches({"a": NUMBER})) == []


def test_unknown_column_error_lists_the_columns(file):
    path = file("age,Calls\n1,2\n")
    assert refusal(path, {"calls": NUMBER}) == "data.csv has no column 'calls'; it has 'age', 'Calls'."


def test_oversized_row_is_an_error_without_extra_memory(file, monkeypatch):
    monkeypatch.setattr("tallybayes.sources.text.ROW_LIMIT", 1 << 12)
    reading = ReadOptions(block_bytes=256)
    path = file("a,b\n1,2\n" + "x" * 10_000)
    assert refusal(path, None, reading).startswith("data.csv, line 3: the row is longer than")
    path = file('a,b\n1,2\n3,"' + "x\n" * 5_000)
    assert refusal(path, None, reading).endswith("give --no-quotes if quotes are ordinary characters.")


@pytest.mark.parametrize("size", [16, 40, 64])
@pytest.mark.parametrize("ending", ["", "\n", "\n2\n"])
def test_limit_of_a_row_does_not_depend_on_where_blocks_begin(file, monkeypatch, size, ending):
    monkeypatch.setattr("tallybayes.sources.text.ROW_LIMIT", 64)
    reading = ReadOptions(block_bytes=size)
    for before in range(1, 40):
        start = "a\n" + "b" * before + "\n"
        assert rows_of(file(start + "c" * 64 + ending), None, reading)[1] == {"a": "c" * 64}
        message = refusal(file(start + "c" * 65 + ending), None, reading)
        assert message.startswith("data.csv, line 3: the row is longer than")


def test_very_wide_files(file):
    names = [f"c{i}" for i in range(2000)]
    path = file(",".join(names) + "\n" + "\n".join(",".join(str(i + row) for i in range(2000)) for row in range(20)))
    found = rows_of(path, {"c1999": NUMBER, "c0": TEXT}, ReadOptions(block_bytes=1000))
    assert found == [{"c1999": 1999.0 + row, "c0": str(row)} for row in range(20)]


def test_control_characters_are_escaped_in_messages(file):
    message = refusal(file("a\x1b[2J,b\n\x1b[31mred,2\n"), {"a\x1b[2J": NUMBER})
    assert message.isprintable()
    assert r"\x1b[31mred" in message
