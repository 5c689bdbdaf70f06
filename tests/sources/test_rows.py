"""Row-splitting kernels against slow references."""

import csv
import io
import json
import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import kernels

COMMA = ord(",")
ROUGH = st.text(alphabet='a,"\r\n\\ ', max_size=40)


def as_bytes(text):
    return np.frombuffer(text.encode(), np.uint8)


def rows_slowly(text, quotes=True):
    """(start, end, line, cells, open) of every non-blank row, character by character."""
    rows, at, line = [], 0, 0
    while at < len(text):
        start, first_line, cells, fresh, inside, state = at, line, 1, True, False, "row"
        while state == "row" and at < len(text):
            letter, fresh_here = text[at], fresh
            at, fresh = at + 1, False
            ends = letter in "\r\n"
            if ends and letter == "\r" and text[at : at + 1] == "\n":
                at += 1
            line += ends
            if inside:
                if letter == '"':
                    if text[at : at + 1] == '"':
                        at += 1
                    else:
                        inside = False
            elif quotes and letter == '"' and fresh_here:
                inside = True
            elif letter == " " and fresh_here:
                fresh = True
            elif ends:
                state = "end" if text[start:at].strip("\r\n") else "blank"
            elif quotes and letter == ",":
                cells, fresh = cells + 1, True
        if state != "blank":
            rows.append((start, at, first_line, cells, inside))
    return rows


@given(ROUGH)
def test_rows_equal_the_slow_reference(text):
    starts, ends, lines, cells, is_open = kernels.split_rows(as_bytes(text), COMMA)
    expected = rows_slowly(text)
    assert list(zip(starts, ends, lines, cells, strict=True)) == [row[:4] for row in expected]
    assert is_open == (bool(expected) and expected[-1][4])


@given(ROUGH)
def test_cell_counts_equal_the_csv_module(text):
    *_, cells, _ = kernels.split_rows(as_bytes(text), COMMA)
    assert cells.tolist() == [
        len(row) for row in csv.reader(io.StringIO(text, newline=""), skipinitialspace=True) if row
    ]


@given(ROUGH, st.integers(0, 5))
def test_splitting_stops_at_the_limit(text, limit):
    few, all_rows = kernels.split_rows(as_bytes(text), COMMA, limit=limit), kernels.split_rows(as_bytes(text), COMMA)
    for some, every in zip(few[:4], all_rows[:4], strict=True):
        assert some.tolist() == every[:limit].tolist()


@given(ROUGH, st.booleans())
def test_cut_is_at_the_end_of_a_row(text, quotes):
    end, lines, is_open = kernels.find_rows_end(as_bytes(text), COMMA if quotes else -1)
    rows = rows_slowly(text, quotes)
    assert is_open == (bool(rows) and rows[-1][4])
    assert lines == len(io.StringIO(text[:end], newline="").readlines())
    assert (
        rows_slowly(text[:end], quotes)
        + [
            (start + end, stop + end, line + lines, cells, inside)
            for start, stop, line, cells, inside in rows_slowly(text[end:], quotes)
        ]
        == rows
    )
    left = rows_slowly(text[end:], quotes)
    if "\r" not in text:  # otherwise one more row may be left
        assert len(left) <= 1
        assert is_open or not text[end:].endswith("\n")
    assert end or len(left) <= 1 or text.endswith("\r")


def trimmed_slowly(text, delimiter, quotes):
    """Strips white space cell by cell."""
    if delimiter == " ":
        return text
    blanks = " " if delimiter == "\t" else " \t"
    quoted = r'"(?:[^"]|"")*(?:"|\Z)' if quotes else "(?!)"
    cell = re.compile(rf"[{blanks}]*({quoted})?([^{delimiter}\r\n]*)")
    rows, row, at = "", "", 0
    while at < len(text):
        found = cell.match(text, at)
        sign = text[found.end() : found.end() + 1]
        row += (found[1] or "") + found[2].rstrip(blanks)
        at = found.end() + 1
        if sign == delimiter:
            row += sign
        else:
            rows, row = rows + (row or " " * bool(found[0])) + sign, ""
    return rows + row


@given(st.text(alphabet='ab,"\r\n \t', max_size=200), st.sampled_from(",\t "), st.booleans())
def test_trimming_equals_the_slow_reference(text, delimiter, quotes):
    found = kernels.trim_cells(as_bytes(text), delimiter, quotes)
    assert (text if found is None else found.tobytes().decode()) == trimmed_slowly(text, delimiter, quotes)


@given(st.lists(st.text(alphabet='a,"\r\n ', max_size=30), max_size=20), st.booleans(), st.booleans())
def test_long_texts_are_trimmed_like_short_ones(cells, proper, lines_end):
    written = [f'"{cell.replace(chr(34), chr(34) * 2)}"' if proper else cell for cell in cells]
    text = ",".join(written[:7]) + "\n" + "\n".join(written[7:]) + "\n" * lines_end
    end, lines, is_open = kernels.find_rows_end(as_bytes(text), COMMA)
    rows = rows_slowly(text)
    assert is_open == (bool(rows) and rows[-1][4])
    assert lines == len(io.StringIO(text[:end], newline="").readlines())
    assert [row[1] for row in rows_slowly(text[:end])] == [row[1] for row in rows if row[1] <= end]


JSON_TEXT = st.text(alphabet='[]{}":\\ a', max_size=5)


@given(
    st.recursive(
        JSON_TEXT | st.integers() | st.none(),
        lambda some: st.lists(some) | st.dictionaries(JSON_TEXT, some),
        max_leaves=10,
    ),
    st.sampled_from([":", ": ", " \t: "]),
)
def test_nesting_and_names_of_fields_are_measured_outside_strings(value, colon):
    names, items = set(), []

    def depth(value):
        if isinstance(value, dict):
            names.update(value)
            value = [*value.values()]
        elif isinstance(value, list):
            items.extend(each for each in value if each is None or isinstance(each, dict))
        return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0

    deepest = depth(value)
    assert kernels.find_shape(as_bytes(json.dumps(value, separators=(",", colon)))) == (
        deepest,
        len(names),
        len(items),
    )


@given(
    st.lists(st.sampled_from(["{", "}", "{}", " ", "\t", "\r", "\n", "\r\n", "null", ","]), max_size=12).map("".join)
)
def test_object_lines_are_counted(text):
    lines = [line.strip(b" \t") for line in text.encode().splitlines()]
    expected = [line.startswith(b"{") and line.endswith(b"}") for line in lines if line]
    assert kernels.count_objects(as_bytes(text)) == (len(expected) if all(expected) else -1)
