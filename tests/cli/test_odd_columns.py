"""Columns and cells that do not fit: left out with a reason, or an error with a location."""

import pyarrow as pa
import pyarrow.parquet
import pytest

from tallybayes import load


def test_infinity_in_the_first_rows_has_its_line_and_can_be_skipped(tally, tmp_path):
    tmp_path.joinpath("t.csv").write_text("a,y\n1.5,p\ninf,q\n3.5,q\n-2.5,p\n")
    ended = tally("train", "t.csv", "--label", "y", "-o", "m.tally")
    assert ended.code == 2
    assert "t.csv, line 3, column 'a': " in ended.err
    ended = tally("train", "t.csv", "--label", "y", "-o", "m.tally", "--skip-bad-rows")
    assert ended.code == 0
    assert "1 row was skipped" in ended.err
    assert load(tmp_path / "m.tally").n == 3


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ([{"city": "x"}, {"city": "z"}], "records: convert their fields to columns to count them"),
        ([[1.0, 2.0], []], "the vector is of length 0; others are of length 2"),
        ([b"\x00\xff", b"\x01"], "bytes: decode them to text to count them"),
    ],
)
def test_unsupported_column_is_left_out(tally, tmp_path, cells, reason):
    pyarrow.parquet.write_table(pa.table({"odd": cells, "v": [1.5, 2.5], "y": ["p", "q"]}), tmp_path / "t.parquet")
    ended = tally("train", "t.parquet", "--label", "y", "-o", "m.tally")
    assert ended.code == 0
    assert f"Left out: odd ({reason})" in ended.err
    assert list(load(tmp_path / "m.tally").schema.columns) == ["v"]


def test_json_fields_of_mixed_types_are_categories(tally, tmp_path):
    """Text and number with the same digits are one level."""
    tmp_path.joinpath("t.jsonl").write_text(
        '{"a": true, "zip": 12345, "y": "p"}\n{"a": false, "zip": "z", "y": "q"}\n{"zip": "12345", "y": "p"}\n'
    )
    assert tally("train", "t.jsonl", "--label", "y", "-o", "m.tally").code == 0
    model = load(tmp_path / "m.tally")
    assert model.n == 3
    assert model.counts("zip").slots == ["12345", "z"]
    assert model.counts("a").slots == ["false", "true"]
    assert [line.split(",")[0] for line in tally("predict", "m.tally", "t.jsonl").out.splitlines()] == list("ypqp")


def test_late_json_object_is_an_error_with_its_line_and_can_be_skipped(tally, tmp_path):
    rows = [f'{{"a": "{"rst"[i % 3]}", "n": {i % 7}.5, "y": "{"pq"[i % 2]}"}}\n' for i in range(300)]
    for name in ("a", "n"):
        late = [*rows, f'{{"{name}": {{"k": 1}}, "y": "p"}}\n']
        tmp_path.joinpath("t.jsonl").write_text("".join(late))
        ended = tally("train", "t.jsonl", "--label", "y", "-o", "m.tally")
        assert (ended.code, ended.err.count("\n")) == (2, 1)
        assert f"t.jsonl, line 301, column '{name}': the value is an object, not a" in ended.err
        assert tally("train", "t.jsonl", "--label", "y", "-o", "m.tally", "--skip-bad-rows").code == 0
        model = load(tmp_path / "m.tally")
        assert (model.n, list(model.schema.columns)) == (300, ["a", "n"])
        assert tally("train", "t.jsonl", "--label", "y", "-o", "m.tally", "--column", f"{name}=left out").code == 0
        assert load(tmp_path / "m.tally").n == 301


def test_json_objects_of_several_types_are_left_out(tally, tmp_path):
    values = ['{"k": 1}', '{"k": "x"}', "[1]", '"none"']
    tmp_path.joinpath("t.jsonl").write_text(
        "".join(f'{{"o": {values[i % 4]}, "a": {i % 3}, "y": "{"pq"[i % 2]}"}}\n' for i in range(40))
    )
    ended = tally("train", "t.jsonl", "--label", "y", "-o", "m.tally")
    assert "Left out: o (nested or mixed values: convert them to columns, or to lists of words" in ended.err
    assert load(tmp_path / "m.tally").n == 40


def test_row_numbers_are_left_out_unless_requested(tally, tmp_path):
    rows = "".join(f"{i},{i % 7},{'pq'[i % 2]}\n" for i in range(5, 1005))
    tmp_path.joinpath("t.csv").write_text("id,v,y\n" + rows)
    ended = tally("train", "t.csv", "--label", "y", "-o", "m.tally")
    assert "Left out: id (1000 different whole numbers: an identifier)" in ended.err
    assert list(load(tmp_path / "m.tally").schema.columns) == ["v"]
    assert tally("train", "t.csv", "--label", "y", "-o", "m.tally", "--column", "id=Gaussian").code == 0
    assert list(load(tmp_path / "m.tally").schema.columns) == ["id", "v"]


def test_model_without_columns_is_pointed_out(tally, tmp_path):
    tmp_path.joinpath("t.csv").write_text("day,y\n2024-05-01,p\n2024-05-02,q\n")
    ended = tally("train", "t.csv", "--label", "y", "-o", "m.tally")
    assert (ended.code, load(tmp_path / "m.tally").schema.columns) == (0, {})
    assert "Note: no column is counted, so every answer is the prior. Give families with --column.\n" in ended.err


def test_mistyped_column_among_many_is_named(tally, tmp_path):
    names = [*(f"x{j}" for j in range(100)), "income", "y"]
    rows = [",".join([*map(str, range(i, i + 101)), "ab"[i % 2]]) for i in range(9)]
    (tmp_path / "wide.csv").write_text("\n".join([",".join(names), *rows]))
    assert tally("train", "wide.csv", "--label", "y", "-o", "wide.tally").code == 0
    ended = tally("predict", "wide.tally", "--cell", "incom=3")
    assert ended.err.startswith("tallybayes predict: --cell 'incom=3': the model has no column 'incom'; it has ")
    assert ended.err.endswith(" and 41 more. Did you mean 'income'?\n")
    ended = tally("train", "wide.csv", "--label", "Incme", "-o", "other.tally")
    assert ended.err.endswith(" and 42 more. Did you mean 'income'?\n")
