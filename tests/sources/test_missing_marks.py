"""Missing-value marks and white space in CSV: the same wherever a cell is."""

import re
import warnings

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import Categorical, Gaussian, Histogram, Model, Schema, Words, digest
from tallybayes.data.marks import MISSING, MISSING_NUMBERS
from tallybayes.sources import ReadOptions, SourceError, open_source

SCHEMA = Schema({"x": Gaussian(), "level": Categorical(), "text": Words()}, label="y")
BLANKS = st.text(alphabet=" \t", max_size=2)
TEXT = st.sampled_from(["yes", "no", "None", "-", ".", "a b", "é"])
NUMBER = st.none() | st.floats(-9, 9).map(lambda x: round(x, 2))
NOTHING = st.just("")
MARK = st.sampled_from([*MISSING, *MISSING_NUMBERS])


@st.composite
def cells(draw, value, mark, inside=NOTHING):
    """(the value of a cell, one way to write it)"""
    meant = draw(value)
    written = draw(mark) if meant is None else str(meant)
    around = draw(st.tuples(BLANKS, BLANKS))
    if draw(st.booleans()):
        written = f'"{draw(inside)}{written}{draw(inside)}"'
    return meant, around[0] + written + around[1]


ROW = st.tuples(
    cells(NUMBER, MARK, BLANKS | st.just("\u00a0")),
    cells(TEXT | st.none(), st.sampled_from(MISSING)),
    cells(TEXT | st.just("a, b") | st.none(), st.sampled_from(MISSING)).filter(
        lambda cell: cell[0] != "a, b" or '"' in cell[1]
    ),
    cells(st.sampled_from("pq"), st.just("")),
)


def counted(path, block_bytes):
    return digest(Model.train(SCHEMA, open_source(path, ReadOptions(block_bytes=block_bytes))))


def read(path, kinds, reading=None):
    return [tuple(row.values()) for batch in open_source(path, reading).batches(kinds) for row in batch.to_pylist()]


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "data.csv"
        path.write_text(text)
        return path

    return write


@pytest.mark.slow
@given(st.lists(ROW, min_size=1, max_size=12), st.integers(1, 80), st.randoms(use_true_random=False))
def test_cell_means_the_same_in_any_order_and_block(tmp_path_factory, rows, block_bytes, random):
    meant = {name: [row[at][0] for row in rows] for at, name in enumerate(("x", "level", "text", "y"))}
    expected = digest(Model.train(SCHEMA, {name: pa.array(values) for name, values in meant.items()}))
    path = tmp_path_factory.getbasetemp() / "marks.csv"
    random.shuffle(rows)
    lines = [",".join(written for _, written in row) for row in rows]
    path.write_text("\n".join(["x, level,text , y", *lines]))
    assert counted(path, block_bytes) == counted(path, 1 << 23) == expected


@pytest.mark.parametrize("mark", [*MISSING, *MISSING_NUMBERS])
def test_marks_among_numbers_are_missing(file, mark):
    path = file("x,y\n" + "".join(f"{mark if i % 10 == 0 else i / 7:.4},{'ab'[i % 2]}\n" for i in range(100)))
    schema = Schema.infer(open_source(path), "y")
    assert schema.columns["x"].reads == pa.float64()
    model = Model.train(schema, open_source(path, ReadOptions(block_bytes=64)))
    assert model.counts("x").sums["n"].round().sum() == 90


def test_only_unambiguous_marks_are_missing_in_text(file):
    path = file("a,y\nNone,p\n-,p\n.,q\nNULL,q\nn/a,q\n")
    assert read(path, {"a": pa.string()}) == [("None",), ("-",), (".",), (None,), (None,)]


def test_marks_can_be_replaced(file):
    path = file("a,x\nNULL,1\nNA,~\n,2\n")
    found = read(path, {"a": pa.string(), "x": pa.float64()}, ReadOptions(missing=("~",)))
    assert found == [("NULL", 1.0), ("NA", None), ("", 2.0)]
    none = ReadOptions(missing=(), missing_numbers=())
    with pytest.raises(SourceError, match=r"'-' is not a number"):
        read(file("x,y\n-,1\n"), {"x": pa.float64()}, none)


def test_nearly_numeric_column_is_noted(file):
    path = file("x,y\n" + "".join(f"{'unknown' if i % 10 == 0 else i / 7:.7},{i % 2}\n" for i in range(100)))
    expected = "Column 'x': 90% numbers, the rest 'unknown'. If these are missing values, give --missing unknown."
    with pytest.warns(UserWarning, match="90% numbers") as noted:
        Schema.infer(open_source(path), "y")
    assert [str(note.message) for note in noted] == [expected]
    schema = Schema.infer(open_source(path, ReadOptions(missing=(*MISSING, "unknown"))), "y")
    assert schema.columns["x"].reads == pa.float64()


def test_nearly_all_is_not_reported_as_all(file):
    path = file("x,y\n" + "".join(f"{row / 7},p\n" for row in range(999)) + "unknown,p\n")
    with pytest.warns(UserWarning, match="Column 'x': nearly all numbers, the rest 'unknown'"):
        Schema.infer(open_source(path), "y")


def test_marks_among_integer_categories_are_levels_and_noted(file):
    path = file("x,y\n" + "".join(f"{'-' if i % 10 == 0 else i % 3},{i % 2}\n" for i in range(300)))
    with pytest.warns(UserWarning, match=r"Column 'x': numbers except for '-', all counted as levels\."):
        schema = Schema.infer(open_source(path), "y")
    model = Model.train(schema, open_source(path, ReadOptions(block_bytes=99)))
    assert model.counts("x").slots == ["-", "0", "1", "2"]


def test_marks_without_numbers_are_text(file):
    path = file("x,y\n" + "-,p\nNone,q\n" * 20)
    assert Schema.infer(open_source(path), "y").columns == {"x": Categorical(alpha="fitted")}


@pytest.mark.parametrize("blank", [" ", "\t", "\u00a0"])
def test_blanks_around_quoted_numbers_and_marks_mean_nothing(file, blank):
    cells = ["1.5", "?", "-", "unknown", "2.25", "", "7"]
    path = file("x,y\n" + "".join(f'"{blank}{cell}{blank}",{"pq"[i % 2]}\n' for i, cell in enumerate(cells * 9)))
    reading = ReadOptions(missing=(*MISSING, "unknown"))
    assert read(path, {"x": pa.float64()}, reading) == [(1.5,), (None,), (None,), (None,), (2.25,), (None,), (7.0,)] * 9
    assert Schema.infer(open_source(path, reading), "y").columns == {"x": Gaussian()}
    assert read(path, {"x": pa.string()}, reading)[:2] == [(f"{blank}1.5{blank}",), (f"{blank}?{blank}",)]


def test_labels_follow_the_rules_of_text(file):
    path = file("a,y\n" + "u,1\nv,None\nw,2\n" * 10)
    assert Model.train(Schema({"a": Categorical()}, label="y"), open_source(path)).classes == ["1", "2", "None"]


def test_codes_stay_text(file):
    path = file("zip,y\n" + "".join(f"{'-' if i % 10 == 0 else f'0{i}'},{i % 2}\n" for i in range(100)))
    assert open_source(path).sample().schema.field("zip").type == pa.string()
    assert Schema.infer(open_source(path), "y").columns["zip"].is_text


def test_marks_among_decimal_commas(file):
    path = file("x;y\n" + "".join(f"{'None' if i % 10 == 0 else f'{i},5'};{i % 2}\n" for i in range(100)))
    reading = ReadOptions(decimal=",")
    schema = Schema.infer(open_source(path, reading), "y")
    model = Model.train(schema, open_source(path, reading)).believing(x=Histogram(intervals=1, bits=8))
    assert model.counts("x").sums["n"].round().sum() == 90


def test_error_names_two_possible_marks(file):
    path = file("x,t\n" + "1,a\n" * 20 + "none known,a\n-,b\n" + "lost,a\n")
    with pytest.raises(SourceError) as caught:
        read(path, {"x": pa.float64(), "t": pa.string()})
    assert (
        "if 'none known' and 'lost' mark a missing value, as in 2 of 23 cells here, give --missing 'none known' "
        "--missing lost;" in str(caught.value)
    )


@pytest.mark.parametrize(
    ("line", "cell"),
    [
        ("yes, 1", "yes"),
        (" yes\t,1", "yes"),
        ('" yes ",1', " yes "),
        (' "yes, no" , 1', "yes, no"),
        ('"a" b ,1', "a b"),
    ],
)
def test_white_space_is_stripped_unless_quoted(file, line, cell):
    assert read(file(f"a,x\n{line}\n"), {"a": pa.string(), "x": pa.float64()}) == [(cell, 1.0)]


def test_white_space_between_words_is_kept(file):
    reading = ReadOptions(delimiter=" ")
    assert read(file('a b\nx "y z"\n'), {"a": pa.string(), "b": pa.string()}, reading) == [("x", "y z")]
    reading = ReadOptions(delimiter="\t")
    assert read(file("a\tb\n\t y\nx\t\n"), {"a": pa.string(), "b": pa.string()}, reading) == [(None, "y"), ("x", None)]


def test_row_of_one_blank_cell_is_a_row(file):
    path = file("a\nx\n  \n\ny\n")
    assert read(path, {"a": pa.string()}) == [("x",), (None,), ("y",)]
    assert read(path, {"a": pa.string()}, ReadOptions(quotes=False)) == [("x",), (None,), ("y",)]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (["1,5", "-2,25", "3"], "Column 'x': numbers with a decimal comma are read as text. Give --decimal ,"),
        (["1,234", "12,345,678", "9"], "with a thousands separator"),
        (["1,234.50", "12,345.00", "9"], "with a thousands separator"),
        (["1 234", "12 345", "9"], "with a thousands separator"),
        (["12 345.5", "12 346.0"], "with a thousands separator"),
        (["1.5%", "20%", "3 %"], "a percent sign"),
        (["$1.50", "-$20", "€ 3"], "a currency"),
        ([f"{i}.5 km/h" for i in range(20)], "numbers with the unit 'km/h' are read as text"),
    ],
    ids=str,
)
def test_number_in_another_notation_is_pointed_out(file, written, said):
    path = file("x,y\n" + "".join(f'"{text}",a\n' for text in written))
    with pytest.warns(UserWarning, match=re.escape(said)):
        Schema.infer(open_source(path), "y")


@pytest.mark.parametrize(
    "text", ["1.2.3.4", "12.05.2024", "030 12", "1,5,7", "12:30", "12,34,567", "a", "5-7", "+", "E10", "-"]
)
def test_other_texts_are_not_taken_for_numbers(file, text):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Schema.infer(open_source(file(f'x,y\n"{text}",a\n"{text}",b\n')), "y")


@pytest.mark.parametrize("codes", [["12 345", "45 678", "99 000"], ["00 123", "1 234 567"]], ids=str)
def test_postal_codes_are_not_taken_for_numbers(file, codes):
    rows = "".join(f"{code},{'ab'[i % 2]}\n" for i, code in enumerate(codes * 20))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schema = Schema.infer(open_source(file(f"x,y\n{rows}")), "y")
    assert schema.columns == {"x": Categorical(alpha="fitted")}


USUAL = ["1.5", "2,5", "7", "007"]
ODD = [
    *USUAL,
    *MISSING_NUMBERS,
    "",
    "NA",
    "1e3",
    "+3",
    ",5",
    "12 345",
    "0x1F",
    "1_0",
    "٣",
    "3\u00a0",
    "yes",
    "1.2.3",
    "nan(0)",
]


@pytest.mark.filterwarnings("ignore")
@given(
    columns=st.lists(
        st.tuples(st.sampled_from(USUAL), st.sampled_from(ODD), st.integers(0, 4)), min_size=1, max_size=3
    ),
    decimal=st.sampled_from(".,"),
    quoted=st.booleans(),
)
def test_an_inferred_family_takes_every_cell_of_the_sample_in_any_notation(tmp_path_factory, columns, decimal, quoted):
    path, quote = tmp_path_factory.mktemp("t") / "t.csv", '"' if quoted else ""
    lines = [";".join([*map(str, range(len(columns))), "y"])]
    for i in range(40):
        written = [odd if times and i % (2 * times + 3) == 1 else usual for usual, odd, times in columns]
        lines.append(
            ";".join([*(f"{quote}{i % 3 + 1 if i % 7 else ''}{text}{quote}" for text in written), "pq"[i % 2]])
        )
    path.write_text("\n".join(lines), encoding="utf-8")
    reading = ReadOptions(decimal=decimal, delimiter=";")
    schema = Schema.infer(open_source(path, reading), "y")
    model = Model.train(schema, open_source(path, reading))
    assert model.n == 40


@pytest.mark.parametrize("end", ["", ",50"])
def test_points_between_thousands_are_named_if_a_decimal_comma_is_given(file, end):
    path = file("x;y\n" + "".join(f"{i}.{i * 37 % 1000:03}{end};{'ab'[i % 2]}\n" for i in range(1, 60)))
    with pytest.warns(UserWarning, match="'x': numbers with a thousands separator, .* Write them as plain numbers"):
        Schema.infer(open_source(path, ReadOptions(decimal=",")), "y")


def test_numbers_with_a_decimal_point_are_texts_if_a_comma_is_given(file):
    reading = ReadOptions(decimal=",")
    path = file("x;z;y\n" + "".join(f"{i},5;{i % 4}.5;{'ab'[i % 2]}\n" for i in range(60)))
    with pytest.warns(
        UserWarning,
        match="'z': numbers with a decimal point are read as text, since --decimal , is given. Write them with ','.",
    ):
        schema = Schema.infer(open_source(path, reading), "y")
    assert schema.columns["z"] == Categorical(alpha="fitted")
    assert isinstance(schema.columns["x"], Histogram)
    assert Model.train(schema, open_source(path, reading)).n == 60
