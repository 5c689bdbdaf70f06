"""Notes on standard error about data that is probably not as intended."""

import pytest

from tallybayes import load


@pytest.fixture
def spam(tally, tmp_path):
    (tmp_path / "mails.csv").write_text("text,class\nwin a prize,spam\nlunch at noon,ham\n")
    assert tally("train", "mails.csv", "--label", "class", "--column", "text=Words", "-o", "spam.tally").code == 0
    return tmp_path / "spam.tally"


def test_new_class_is_noted_with_the_nearest_known_one(tally, spam):
    ended = tally("learn", spam, "--text", "win again", "--class", "Spma")
    assert ended.code == 0
    assert ended.err.startswith("Note: 'Spma' is a new class. Did you mean 'spam'?\n")
    assert load(spam).classes == ["Spma", "ham", "spam"]
    assert "new class" not in tally("learn", spam, "--text", "win again", "--class", "Spma").err


def test_new_class_in_data_is_noted(tally, spam):
    spam.with_name("more.csv").write_text("text,class\nan invoice,bill\nmore,spam\n")
    assert tally("learn", spam, "more.csv").err.startswith("Note: 'bill' is a new class.\n")


def test_forgetting_an_unknown_class_suggests_the_nearest(tally, spam):
    before = spam.read_bytes()
    ended = tally("forget", spam, "--text", "win a prize", "--class", "spm")
    assert (ended.code, ended.err) == (
        2,
        "tallybayes forget: There is no class 'spm'; the classes are ham, spam. Did you mean 'spam'?\n",
    )
    assert spam.read_bytes() == before


def labels(tmp_path, values):
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{i % 7},{value}\n" for i, value in enumerate(values)))
    return ["train", "t.csv", "--label", "y", "-o", "t.tally"]


NOTE = "Note: the labels in 'y' are {} different numbers, which looks like a regression"


@pytest.mark.parametrize(
    ("values", "classes"), [([i % 101 for i in range(1000)], 101), ([i * 1.5 for i in range(30)], 30)]
)
def test_many_numeric_labels_look_like_regression(tally, tmp_path, values, classes):
    train = labels(tmp_path, values)
    assert NOTE.format(classes) in tally(*train).err
    assert "regression" not in tally(*train, "--label-as-text").err


@pytest.mark.parametrize(("distinct", "noted"), [(13, True), (20, True), (10, False), (12, False)])
def test_labels_that_hardly_repeat_look_like_names(tally, tmp_path, distinct, noted):
    train = labels(tmp_path, [f"u{min(i, distinct - 1)}" for i in range(20)])
    note = f"Note: 20 rows have {distinct} different labels in 'y', which looks like names of rows rather than classes."
    assert (note in tally(*train).err) == noted


def test_gain_by_weighing_is_estimated_for_enough_rows_and_not_too_many_columns(tally, tmp_path):
    def noted(rows, columns):
        lines = [",".join(["01"[i % 5 < 2 or i % 2]] * columns + ["ab"[i % 2]]) for i in range(rows)]
        names = [*(f"x{j}" for j in range(columns)), "y"]
        (tmp_path / "wide.csv").write_text("\n".join([",".join(names), *lines]))
        return "--weigh" in tally("train", "wide.csv", "--label", "y", "-o", "wide.tally").err

    assert [noted(200, 9), noted(199, 9), noted(200, 1000), noted(200, 1001)] == [True, False, True, False]


@pytest.mark.parametrize(
    "values", [[i % 100 for i in range(1000)], ["abcdefghijklmnop"[: i % 16] + "z" for i in range(20)]]
)
def test_other_labels_are_not_noted(tally, tmp_path, values):
    assert "regression" not in tally(*labels(tmp_path, values)).err


@pytest.mark.filterwarnings("default")
def test_missing_marks_are_noted_and_missing_adds_to_the_defaults(tally, tmp_path):
    rows = [f"{'lost' if i % 10 == 0 else 'NULL' if i % 9 == 0 else i / 7:.5},{'pq'[i % 2]}\n" for i in range(90)]
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(rows))
    train = ["train", "t.csv", "--label", "y", "-o", "t.tally"]
    assert "Note: Column 'x': 89% numbers" not in tally(*train).err
    assert tally(*train, "--missing", "lost").err == "t.tally: 90 rows in 2 classes: p 45, q 45\n"
    assert load(tmp_path / "t.tally").counts("x").sums["n"].round().sum() == 90 - 9 - 9


def test_kept_columns_may_contain_missing_marks(tally, tmp_path):
    rows = [f"{'-' if i % 10 == 0 else i / 7:.5},{'pq'[i % 2]}\n" for i in range(50)]
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(rows))
    assert tally("train", "t.csv", "--label", "y", "-o", "t.tally").code == 0
    ended = tally("predict", "t.tally", "t.csv", "--keep", "x", "--keep-formulas")
    assert ended.out.splitlines()[1].startswith("-,")
    plain = tally("predict", "t.tally", "t.csv").out.splitlines()
    assert [line.partition(",")[2] for line in ended.out.splitlines()[1:]] == plain[1:]


@pytest.mark.filterwarnings("default")
def test_repeated_column_name_can_be_the_label(tally, tmp_path):
    (tmp_path / "t.csv").write_text("a,a\n1,p\n2,q\n")
    ended = tally("train", "t.csv", "--label", "a.2", "-o", "t.tally")
    assert ended.err == (
        "Note: t.csv has columns of the same name; the later ones are renamed: 'a' → 'a.2'.\n"
        "t.tally: 2 rows in 2 classes: p 1, q 1\n"
    )
