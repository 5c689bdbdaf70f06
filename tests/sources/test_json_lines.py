"""JSON lines and plain lines: objects as rows, and errors with their line."""

import json
import re
import sys

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reading import refusal, rows_of

from tallybayes.data.objects import number_text
from tallybayes.sources import ReadOptions, SourceError, open_source
from tallybayes.sources.json_rows import read_rows

NUMBER, TEXT = pa.float64(), pa.string()
SCALAR = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=5) | st.floats(allow_nan=False)


@pytest.fixture
def file(tmp_path):
    def write(*lines, name="data.jsonl"):
        path = tmp_path / name
        path.write_bytes(b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines))
        return path

    return write


def test_absent_fields_are_missing_and_others_are_not_read(file):
    path = file('{"a": 1, "b": "x"}', '{"b": null, "c": [1, {"d": 2}]}', '{"a": 2.5, "b": "y"}')
    assert rows_of(path, {"a": NUMBER, "b": TEXT}) == [
        {"a": 1.0, "b": "x"},
        {"a": None, "b": None},
        {"a": 2.5, "b": "y"},
    ]


def test_sample_is_typed_by_its_content(file):
    source = open_source(file('{"a": 1, "b": "x", "c": true, "d": 0.5, "e": 1}', '{"a": 2, "e": "x"}'))
    assert source.sample().to_pydict() == {
        "a": [1, 2],
        "b": ["x", None],
        "c": [True, None],
        "d": [0.5, None],
        "e": ["1", "x"],
    }
    assert source.names == ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize("mixed", [True, False])
def test_numbers_and_booleans_as_text(file, mixed):
    values = ["1", "1.0", "0.5", "-3e2"]
    path = file(*[f'{{"a": {value}, "b": true}}' for value in values], *['{"a": "x", "b": "y"}'] * mixed)
    expected = [{"a": text, "b": "true"} for text in ("1", "1", "0.5", "-300")] + [{"a": "x", "b": "y"}] * mixed
    assert rows_of(path, {"a": TEXT, "b": TEXT}) == expected


@given(st.lists(st.integers(-(2**70), 2**70) | st.floats(-1e6, 1e6), min_size=1, max_size=5), st.integers(1, 60))
@example([2**53 + 1, 0.5], 1000)
@example([2**63, 1], 1000)
def test_number_as_text_does_not_depend_on_its_neighbours(tmp_path_factory, values, block_bytes):
    path = tmp_path_factory.mktemp("json") / "data.jsonl"
    path.write_text("".join(f'{{"a": {json.dumps(value)}}}\n' for value in values))
    expected = [{"a": number_text(value)} for value in values]
    assert rows_of(path, {"a": TEXT}, ReadOptions(block_bytes=block_bytes)) == expected


def test_text_as_numbers(file):
    assert rows_of(file('{"a": "1.5"}', '{"a": ""}', '{"a": 2}'), {"a": NUMBER}) == [
        {"a": 1.5},
        {"a": None},
        {"a": 2.0},
    ]
    message = refusal(file('{"a": "1.5"}', "", '{"a": "many"}'), {"a": NUMBER})
    assert message.startswith("data.jsonl, line 3, column 'a': 'many' is not a number. Correct it, or")


@given(
    st.lists(st.from_regex(r"-?[0-9]{1,20}(\.[0-9]{1,20})?(e-?[0-9]{1,3})?| ?[+.][0-9]+ ?", fullmatch=True), min_size=1)
)
def test_bad_line_does_not_change_other_numbers(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("json") / "t.jsonl"
    lines = "".join(json.dumps({"x": text}) + "\n" for text in texts)
    path.write_text(lines)
    try:
        quick = rows_of(path, {"x": pa.float64()})
    except SourceError:
        return
    path.write_text(lines + "no JSON\n")
    assert rows_of(path, {"x": pa.float64()}, ReadOptions(skip_bad_rows=True)) == quick


def test_invalid_lines_are_explained(file):
    good = '{"a": 1}'
    start = "data.jsonl, line 2: the line "
    assert refusal(file(good, '{"a": 1'), {"a": NUMBER}).startswith(start + "is not JSON: Expecting ',' delimiter")
    assert refusal(file(good, "[1]"), {"a": NUMBER}).startswith(start + "is a list; give one object per line")
    not_text = "data.jsonl, line 2, column 'a': the text is not UTF-8. Give the encoding of the file"
    assert refusal(file(good, b'{"a": "\xff"}'), {"a": TEXT}).startswith(not_text)
    assert refusal(file(good, '{"a": 1}{"a": 2}'), {"a": NUMBER}).startswith(start + "is not JSON: Extra data")
    column = "data.jsonl, line 2, column 'a': "
    assert refusal(file(good, '{"a": {"b": 1}}'), {"a": TEXT}).startswith(column + "the value is an object")
    assert refusal(file(good, '{"a": [1]}'), {"a": NUMBER}).startswith(column + "the value is a list")
    for escape in (r"\ud800", r"\udc80"):
        assert refusal(file(good, f'{{"a": "{escape}"}}'), {"a": TEXT}).startswith(
            column + f"the text '{escape}' contains a lone surrogate"
        )
    assert refusal(file("{", '"a": 1', "}")).endswith(
        "If one object spans many lines, convert it, for example with: jq -c ."
    )
    assert "is one JSON list" in refusal(file("[", good, "]"))


@pytest.mark.parametrize("sign", ["", "-"])
def test_whole_numbers_are_levels_up_to_4300_digits_and_longer_ones_are_none(file, sign):
    levels = [sign + first + "0" * 4299 for first in "12"]
    assert rows_of(file(*(f'{{"a": {level}}}' for level in levels)), {"a": TEXT}) == [{"a": level} for level in levels]
    path = file('{"a": 1}', f'{{"a": {levels[0]}0}}')
    assert rows_of(path, {"a": NUMBER})[1] == {"a": float(sign + "inf")}
    assert refusal(path, {"a": TEXT}) == (
        "data.jsonl, line 2, column 'a': the whole number has too many digits. Put it in quotes as a text, or skip "
        "such rows with --skip-bad-rows."
    )


def test_whole_numbers_of_more_digits_than_python_is_set_to_read_are_no_levels(file):
    path, before = file(f'{{"a": {"1" * 640}}}', f'{{"a": {"1" * 641}}}'), sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        assert refusal(path, {"a": TEXT}).startswith("data.jsonl, line 2, column 'a': the whole number has too many")
    finally:
        sys.set_int_max_str_digits(before)


def test_bad_lines_are_skipped_and_counted(file):
    source = open_source(
        file('{"a": 1}', "no", "", '{"a": "x"}', '{"a": 2}'), ReadOptions(block_bytes=8, skip_bad_rows=True)
    )
    batches = list(source.batches({"a": NUMBER}))
    assert [row for batch in batches for row in batch.to_pylist()] == [{"a": 1.0}, {"a": 2.0}]
    assert [re.sub(".*/", "", bad.where) for bad in source.bad] == [
        "data.jsonl, line 2",
        "data.jsonl, line 4, column 'a'",
    ]
    assert source.where(0).endswith("line 5")


@pytest.mark.parametrize("block_bytes", [1, 20, 1 << 23])
def test_bad_first_lines_are_skipped_whatever_the_blocks(file, block_bytes):
    path = file("log: started", "", "[1]", '{"a": 1}', "oops", '{"a": 2}')
    source = open_source(path, ReadOptions(skip_bad_rows=True, block_bytes=block_bytes))
    assert [row for batch in source.batches({"a": NUMBER}) for row in batch.to_pylist()] == [{"a": 1.0}, {"a": 2.0}]
    assert [bad.where for bad in source.bad] == [f"{path}, line {line}" for line in (1, 3, 5)]
    assert refusal(path, reading=ReadOptions(block_bytes=block_bytes)).startswith("data.jsonl, line 1: ")
    assert refusal(file("oops", "{"), reading=ReadOptions(skip_bad_rows=True)).startswith("data.jsonl, line 1: ")


def test_fields_in_no_row_are_an_error(file):
    path = file('{"a": 1}')
    assert refusal(path, {"b": NUMBER}) == "data.jsonl has no column 'b'; it has 'a'."


@pytest.mark.parametrize("depth", [100, 100_000])
def test_deep_nesting_is_an_error_not_a_crash(file, depth):
    path = file('{"a": 1, "b": ' + "[" * depth + "]" * depth + "}")
    if depth < 1000:
        assert open_source(path).sample().column("a").to_pylist() == [1]
    else:
        assert refusal(path, {"a": NUMBER}) == "data.jsonl, line 1: the line is nested too deeply."


def test_empty_file_is_an_error(file):
    assert refusal(file("")) == "data.jsonl is empty."
    assert refusal(file("", "  ", "")) == "data.jsonl is empty."


@given(st.lists(st.fixed_dictionaries({}, optional={"a": SCALAR, "b": SCALAR}), min_size=1), st.integers(1, 200))
def test_json_round_trips_for_any_block_size(tmp_path_factory, rows, block_bytes):
    path = tmp_path_factory.getbasetemp() / "random.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in [{"a": None, "b": None}, *rows]))
    found = rows_of(path, {"a": TEXT, "b": TEXT}, ReadOptions(block_bytes=block_bytes))
    assert found == [{name: text_of(row.get(name)) for name in "ab"} for row in [{}, *rows]]


def text_of(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and abs(value) != float("inf") and value == int(value):
        return str(int(value))
    return None if value is None else str(value)


def test_integers_as_text_keep_all_digits(file):
    numbers = ["9007199254740993", "12345678901234567890", "7"]
    path = file(*[f'{{"a": {number}}}' for number in numbers], '{"a": 0.5}')
    for block_bytes in (1, 1 << 20):
        found = rows_of(path, {"a": TEXT}, ReadOptions(block_bytes=block_bytes))
        assert [row["a"] for row in found] == [*numbers, "0.5"]


def test_plain_lines_include_empty_ones(file):
    path = file("Dear friend,", "", '"claim" your\tprize\r', "last", name="mails.txt")
    assert rows_of(path) == [{"text": text} for text in ("Dear friend,", "", '"claim" your\tprize', "last")]
    assert rows_of(path, None, ReadOptions(names=("body",), block_bytes=5))[3] == {"body": "last"}


def test_invalid_utf8_line_has_its_location(file):
    path = file("good", b"b\xe4d", "good again", name="mails.txt")
    assert refusal(path).startswith(r"mails.txt, line 2: b'b\xe4d' is not UTF-8.")
    assert rows_of(path, reading=ReadOptions(skip_bad_rows=True)) == [{"text": "good"}, {"text": "good again"}]
    assert rows_of(path, None, ReadOptions(encoding="latin-1"))[1] == {"text": "bäd"}


def test_nothing_is_read_after_the_first_bad_line_unless_such_lines_are_skipped():
    def lines():
        yield from (b'{"a": 1}', b"null")
        read.append("more")
        yield b'{"a": 2}'

    read = []
    batch, kept, faults = read_rows(lines(), None, every=False)
    assert (batch.to_pylist(), kept, faults.rows, [fault.row for fault in faults.first], read) == (
        [{"a": 1}],
        [0],
        [1],
        [1],
        [],
    )
    batch, kept, faults = read_rows(lines(), None, every=True)
    assert (batch.to_pylist(), kept, faults.rows) == ([{"a": 1}, {"a": 2}], [0, 2], [1])


NESTED = st.dictionaries(st.sampled_from("kl"), st.integers() | st.text(max_size=2), min_size=1) | st.lists(
    st.integers(), max_size=2
)


@given(
    plain=st.lists(st.text("abc", max_size=3), min_size=40, max_size=60)
    | st.lists(st.floats(0, 9), min_size=40, max_size=60),
    nested=NESTED,
    place=st.integers(0, 50),
    block_bytes=st.sampled_from([1, 1 << 20]),
)
def test_a_rare_object_among_plain_values_is_a_bad_row_wherever_it_is(
    tmp_path_factory, plain, nested, place, block_bytes
):
    path, place = tmp_path_factory.mktemp("json") / "data.jsonl", min(place, len(plain))
    lines = [json.dumps({"a": value}) for value in plain]
    path.write_text("\n".join([*lines[:place], json.dumps({"a": nested}), *lines[place:]]))
    reading = ReadOptions(block_bytes=block_bytes)
    kind = open_source(path, reading).sample().schema.field("a").type
    assert kind == (TEXT if isinstance(plain[0], str) else NUMBER)
    message = refusal(path, {"a": kind}, reading)
    assert message.startswith(f"data.jsonl, line {place + 1}, column 'a': the value is a")
    assert message.endswith("; or train without the column: --column 'a=left out'.")
    assert rows_of(path, {"a": kind}, ReadOptions(block_bytes=block_bytes, skip_bad_rows=True)) == [
        {"a": value} for value in plain
    ]


@given(st.lists(NESTED, min_size=3), st.none() | st.text(max_size=3), st.integers(1, 300))
def test_lists_and_objects_stay_nested_whatever_is_among_them(tmp_path_factory, values, other, block_bytes):
    path = tmp_path_factory.mktemp("json") / "data.jsonl"
    values = [*values[:1], other, *values[1:]]
    path.write_text("".join(json.dumps({"a": value, "b": 1}) + "\n" for value in values))
    sample = open_source(path, ReadOptions(block_bytes=block_bytes)).sample()
    assert pa.types.is_nested(sample.schema.field("a").type)
    assert set(sample["b"].to_pylist()) == {1}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("line", ['{{"y": "p", "a{}": 1}}', '{{"y": "p", "scores": {{"a{}" : 1}}}}', '{{"a{}": 1}} x'])
def test_names_that_are_data_are_refused_before_they_fill_the_memory(tmp_path, line, end):
    """As many columns as rows: ten thousand times as much memory as the file."""
    path = tmp_path / "t.jsonl"
    path.write_text("".join(line.format(i) + end for i in range(10_000)))
    with pytest.raises(
        SourceError, match=r"t\.jsonl, line 1 and below: 10,00. different fields in 10,001 lines are too"
    ):
        open_source(path)
    few = line.partition(" x")[0]
    path.write_text("".join(few.format(i % 1000) + end for i in range(10_000)))
    assert len(open_source(path).sample()) == 10_000


def test_names_in_lists_are_refused_before_they_fill_the_memory(tmp_path):
    path = tmp_path / "t.jsonl"
    rows = [[{f"k{20 * i + line}": 1} for i in range(500)] + [None] * 500 for line in range(20)]
    path.write_text("".join(json.dumps({"l": row}) + "\n" for row in rows))
    with pytest.raises(SourceError, match="10,001 different fields in 20,000 items of lists are too many for columns"):
        open_source(path)


@pytest.mark.parametrize("end", ["\n", "\r"])
@pytest.mark.parametrize("line", ['{{"x": {i}, "f{name}": 1}}', '{{"x": {i}, "ids": {{"f{name}": 1}}}}'])
def test_many_rows_of_many_names_are_read_in_parts(tmp_path, line, end):
    path = tmp_path / "t.jsonl"
    path.write_text("".join(line.format(i=i, name=i * 7 % 1601) + end for i in range(50_000)) + "wrong")
    source = open_source(path, ReadOptions(skip_bad_rows=True))
    assert [x for batch in source.batches({"x": NUMBER}) for x in batch["x"].to_pylist()] == list(range(50_000))
    assert len(source.sample()) < 50_000
    assert refusal(path, {"x": NUMBER}).startswith("t.jsonl, line 50001: the line is not JSON")


PARTS = [
    b'"z": "caf\xe9"',
    b'"caf\xe9": 1',
    b'"z": "\\ud800"',
    b'"\\ud800": [1]',
    b'"z": ' + b"9" * 5000,
    b'"z": {"a": [null, 1e999]}',
    b'"y": 1',
]
OTHERS = [
    b"",
    b"null",
    b'{"x": 1',
    b'{"x": "caf\xe9"}',
    b'{"x": "\\ud800"}',
    b'{"x": {"a": 1}}',
    b'{"x": ' + b"9" * 5000 + b"}",
    b'{"x": NaN}',
]


@given(
    st.lists(st.sampled_from([*(b'{"x": "a", ' + part + b"}" for part in PARTS), *OTHERS, b'{"x": "b"}']), max_size=8),
    st.sampled_from([1, 60, 1 << 20]),
)
def test_a_line_is_bad_or_not_whatever_its_neighbours_are(tmp_path_factory, lines, block_bytes):
    path = tmp_path_factory.mktemp("lines") / "t.jsonl"
    kind = {"x": pa.string()}

    def read(lines, **how):
        path.write_bytes(b'{"x": "a"}\n' * 9 + b"\n".join(lines))
        source = open_source(path, ReadOptions(skip_bad_rows=True, **how))
        return [cell for batch in source.batches(kind) for cell in batch.column("x").to_pylist()][9:]

    assert read(lines, block_bytes=block_bytes) == [cell for line in lines for cell in read([line])]
