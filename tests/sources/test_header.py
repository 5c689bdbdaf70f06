"""The first row of a table as column names."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import refusal, rows_of

from tallybayes.sources import ReadOptions, SourceError, open_source
from tallybayes.sources.layout import settle_names


def test_repeated_names_are_numbered_with_a_note():
    expected = "t.csv has columns of the same name; the later ones are renamed: 'a' → 'a.2'; 'a' → 'a.3'."
    with pytest.warns(UserWarning, match="same name") as noted:
        assert settle_names("t.csv", ["a", "b", "a", " a"]) == ["a", "b", "a.2", "a.3"]
    assert [str(note.message) for note in noted] == [expected]
    with pytest.warns(UserWarning, match=r"'a' → 'a\.2'; .*; 'a' → 'a\.11'; and 89 more\.$"):
        assert len(settle_names("t.csv", ["a"] * 100)) == 100


def test_only_column_that_looks_like_several_suggests_a_delimiter(tmp_path):
    (tmp_path / "colons.csv").write_text("x:kind\n1:a\n")
    source = open_source(tmp_path / "colons.csv")
    with pytest.raises(
        SourceError, match=r"'kind'; it has 'x:kind'\. If these are several columns, give --delimiter\.$"
    ):
        source.require(["kind"])
    with pytest.raises(SourceError, match=r"has no column 'kin'; it has 'x:kind'\.$"):
        source.require(["kin"])


def test_comment_instead_of_a_header_is_pointed_out(tmp_path):
    (tmp_path / "t.csv").write_text("# made by hand\nx,kind\n1,a\n")
    with pytest.raises(
        SourceError, match=r"'kind'; it has '# made by hand'\. If its first line is a comment, remove it\.$"
    ):
        open_source(tmp_path / "t.csv").require(["kind"])


def test_header_without_a_name_for_the_names_of_rows_is_pointed_out(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,kind\n1,2.5,a\n2,3.5,b\n")
    expected = r"line 2: the row has 3 cells, but there are 2 columns, and so it is in every row\. If rows begin"
    with pytest.raises(SourceError, match=expected):
        list(open_source(path).batches())
    path.write_text("x,kind\n1,2.5,a\n3.5,b\n")
    with pytest.raises(SourceError, match=r"line 2: the row has 3 cells, but there are 2 columns\. Quote cells that"):
        list(open_source(path).batches())


@pytest.mark.filterwarnings("ignore")
@given(st.lists(st.sampled_from(["x", "x.2", "x.3", "x.2.2", "", "column 1", " x"]), max_size=12))
def test_numbered_names_are_unique_and_the_first_keeps_its_name(first):
    names = settle_names("t.csv", first)
    plain = [name.strip() or f"column {place}" for place, name in enumerate(first, 1)]
    assert len(set(names)) == len(names)
    assert [names[plain.index(name)] for name in plain] == plain


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("declared", ["sep={}", '"sep={}"', "SEP={}", "\ufeffsep={}"])
@pytest.mark.parametrize("delimiter", [";", "\t", "|", ",", ":", " "])
def test_declared_delimiter_is_no_row(tmp_path, declared, delimiter, end):
    path, cells = tmp_path / "t.csv", [["a", "b,c"], ["1", "x"], ["2"]]
    rows = [delimiter.join(f'"{cell}"' if delimiter in cell else cell for cell in row) for row in cells]
    path.write_text(end.join([declared.format(delimiter), *rows]), newline="")
    for block_bytes in (10, 1000):
        reading = ReadOptions(block_bytes=block_bytes)
        assert open_source(path, reading).names == ["a", "b,c"]
        assert refusal(path, None, reading).startswith("t.csv, line 4: the row has 1 cell, but there are 2 columns.")
        assert rows_of(path, None, replace(reading, skip_bad_rows=True)) == [{"a": 1, "b,c": "x"}]
    assert rows_of(path, None, ReadOptions(names=("u", "v"), skip_bad_rows=True)) == [
        {"u": "a", "v": "b,c"},
        {"u": "1", "v": "x"},
    ]


def test_repeated_number_is_no_name():
    with pytest.raises(SourceError) as caught:
        settle_names("t.csv", ["0", "0", "1.5"])
    assert str(caught.value) == (
        "t.csv has 2 columns called '0'. If its first row is data, it has no header: give --names a,b,c or --no-header."
    )


@pytest.mark.parametrize("first", [["5.1", "3.5", "1.4", "iris"], ["1", "0", "17"], ["2,5"]])
def test_names_that_look_like_data_are_noted(first):
    with pytest.warns(UserWarning, match="names are numbers: .* give --names a,b,c or --no-header"):
        assert settle_names("t.csv", first) == first


@pytest.mark.parametrize("first", [["0", "1", "2"], ["country", "2001", "2002", "2003"], ["a", "1"]])
def test_numbered_columns_and_years_are_names(first):
    assert settle_names("t.csv", first) == first


def test_file_without_a_header_has_numbered_columns(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("0,x\n0,y\n")
    source = open_source(path, ReadOptions(header=False))
    assert source.names == ["column 1", "column 2"]
    assert [batch.to_pydict() for batch in source.batches()] == [{"column 1": [0, 0], "column 2": ["x", "y"]}]


def test_quoted_names_after_white_space(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('a, "b, c"\n1, 2\n')
    assert open_source(path).names == ["a", "b, c"]
