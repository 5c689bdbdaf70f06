"""A mark of a missing number is missing in every format, whatever the other rows are: the same rows are bad, and the
same families are inferred."""

import math
import sqlite3

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from writing import write

from examples import some
from tallybayes import Categorical, Gaussian, Model, ReadOptions, Schema, digest, open_source
from tallybayes.data.marks import MARKS

NUMBERS = st.floats(-1e9, 1e9).map(str) | st.integers(-(10**6), 10**6).map(str)
BAD = st.sampled_from(["abc", "1.5x", "--1", "N/A!", "nonesuch", "12:30", "1,5"])
BLANKS = st.sampled_from(["", " ", "\t "])
CELL = st.tuples(BLANKS, NUMBERS | st.sampled_from(MARKS), BLANKS).map("".join) | BAD
REVIEWED = ["1", "?", "3", "-", "abc", "5", "NA", "7"]
SCHEMA = Schema({"x": Gaussian()}, label="y")
SKIPPING = ReadOptions(skip_bad_rows=True)


def labelled(cells):
    return [(cell, "ab"[row % 2]) for row, cell in enumerate(cells)]


def table(cells, encoded=False):
    x = pa.array(cells, pa.string())
    return pa.table({"x": x.dictionary_encode() if encoded else x, "y": [label for _, label in labelled(cells)]})


def csv(folder, cells):
    rows = "".join(f"{cell};{label}\n" for cell, label in labelled(cells))
    (folder / "data.csv").write_text(f"x;y\n{rows}")
    return folder / "data.csv"


def typed(name, encoded=False):
    """What writes a file of this name."""
    return lambda folder, cells: write(folder / name, table(cells, encoded))


def sqlite(folder, cells):
    path = folder / "data.db"
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (x TEXT, y TEXT)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", labelled(cells))
    connection.commit()
    connection.close()
    return {"database": path, "query": "SELECT x, y FROM t ORDER BY rowid"}


def duckdb(folder, cells):
    return {"query": f"SELECT * FROM '{typed('data.parquet')(folder, cells)}'"}


def quoted_csv(folder, cells):
    return csv(folder, [f'"{cell}"' for cell in cells])


WRITERS = {
    "quoted csv": quoted_csv,
    "jsonl": typed("data.jsonl"),
    "parquet": typed("data.parquet"),
    "encoded parquet": typed("data.parquet", encoded=True),
    "arrow": typed("data.arrow"),
    "sqlite": sqlite,
    "duckdb": duckdb,
}


def opened(place, reading=None):
    return open_source(reading=reading, **place) if isinstance(place, dict) else open_source(place, reading)


def read(place):
    """The rows that are kept, how many are not, why, and the digest of a model of the former."""
    source = opened(place, SKIPPING)
    types = {"x": pa.float64(), "y": pa.string()}
    rows = [(without_nan(row["x"]), row["y"]) for batch in source.batches(types) for row in batch.to_pylist()]
    model = Model.train(SCHEMA, opened(place, SKIPPING)) if rows else None
    return rows, source.skipped, source.bad, model and digest(model)


def without_nan(x):
    """NaN is missing too, as pyarrow reads "NaN " inside quotes."""
    return None if x is None or math.isnan(x) else x


@pytest.mark.parametrize("kind", WRITERS)
@settings(max_examples=some(30))
@given(cells=st.lists(CELL, min_size=1, max_size=40))
@example(cells=REVIEWED)
@example(cells=["0.0", "0.0", "NaN "])
def test_same_rows_are_kept_as_of_csv(tmp_path_factory, kind, cells):
    folder = tmp_path_factory.mktemp("marks")
    rows, skipped, bad, counted = read(csv(folder, cells))
    assert skipped == sum(not is_read(cell) for cell in cells)
    found = read(WRITERS[kind](folder, cells))
    assert (found[0], found[1], found[3]) == (rows, skipped, counted)
    assert reasons(found[2]) == reasons(bad)
    assert all(reasons(bad))
    assert bool(bad) == bool(skipped)


def reasons(bad):
    return [row.reason.partition(" is not a number. ")[0] for row in bad]


def is_read(cell):
    if cell.strip() in MARKS:
        return True
    try:
        float(cell)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("other", ["{broken", '{"x": 5, "y": "a"}', '{"x": "abc", "y": "b"}'])
def test_mark_in_json_does_not_depend_on_other_lines(tmp_path, other):
    path = tmp_path / "data.jsonl"
    path.write_text('{"x": "?", "y": "a"}\n{"x": " - ", "y": "b"}\n{"x": "1", "y": "b"}\n' + other)
    rows, skipped, *_ = read(path)
    assert rows[:3] == [(None, "a"), (None, "b"), (1.0, "b")]
    assert (len(rows), skipped) == ((4, 0) if "5" in other else (3, 1))


SAMPLES = {
    "fractions": ["1.5", "2.5", "-", "4.25"],
    "blanks around": ["1.5", " 2.5", " ? ", "4.25"],
    "several marks": ["1.5", "NA", "-", "none", "4.25", "-7.125"],
    "levels": ["1", "2", "none", "3"],
    "codes": ["007", "-", "012"],
    "marks alone": ["-", "none"],
    "texts": ["1.5", "-", "many"],
}


@pytest.mark.filterwarnings("ignore:Column 'x'")
@pytest.mark.parametrize("sample", SAMPLES)
def test_same_family_is_inferred_of_every_format(tmp_path, sample):
    cells = SAMPLES[sample] * 30
    schema = Schema.infer(open_source(csv(tmp_path, cells)), "y")
    assert Schema.infer(table(cells), "y") == schema
    assert Schema.infer(table(cells).to_pandas(), "y") == schema
    expected = digest(Model.train(schema, table(cells)))
    for kind, make in WRITERS.items():
        if kind != "encoded parquet":  # whose categories are levels, with and without marks
            place = make(tmp_path, cells)
            assert Schema.infer(opened(place), "y") == schema, kind
            if kind == "quoted csv" and schema.columns["x"].reads != pa.float64():
                continue  # blanks inside quotes belong to a level
            assert digest(Model.train(schema, opened(place))) == expected, kind
    if schema.columns["x"].reads == pa.float64():
        assert digest(Model.train(schema, open_source(csv(tmp_path, cells)))) == expected
        missing = pa.array([None if cell.strip() in MARKS else float(cell) for cell in cells])
        assert digest(Model.train(schema, {"x": missing, "y": table(cells)["y"]})) == expected


@pytest.mark.parametrize("cells", [["1.5", "2.5", "4.25"], ["1.5", "2.5", "-", "4.25"]], ids=["numbers", "marks"])
def test_categorical_type_is_a_category_with_and_without_marks(tmp_path, cells):
    encoded = table(cells * 30, encoded=True)
    expected = {"x": Categorical(alpha="fitted")}
    assert Schema.infer(encoded, "y").columns == Schema.infer(encoded.to_pandas(), "y").columns == expected
    assert Schema.infer(open_source(write(tmp_path / "data.parquet", encoded)), "y").columns == expected


@pytest.mark.parametrize("kind", sorted(WRITERS.keys() - {"encoded parquet", "quoted csv"}))
def test_other_texts_among_numbers_are_pointed_out(tmp_path, kind):
    cells = [f"{row / 7:.3f}" for row in range(100)] + ["tba"]
    with pytest.warns(UserWarning, match="Column 'x': 99% numbers, the rest 'tba', so all cells are texts"):
        Schema.infer(opened(WRITERS[kind](tmp_path, cells)), "y")
