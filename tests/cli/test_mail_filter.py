"""Mail, from folders to a filter, as an administrator sets it up."""

import csv
import io

import pytest

from tallybayes import load

HAM = "From: ann@example.org\nTo: ben@example.org\nSubject: Lunch\n\nShall we meet at noon on {}?\n"
SPAM = "From: offers@example.com\nTo: ben@example.org\nSubject: You won\n\nClaim your free prize, number {}, today.\n"


@pytest.fixture
def mail(tally, tmp_path):
    """Ten mails of each class, in a folder of its own."""
    for name, text in (("ham", HAM), ("spam", SPAM)):
        folder = tmp_path / "mail" / name
        folder.mkdir(parents=True)
        for number in range(10):
            (folder / f"{number}").write_text(text.format(number))
    assert tally("train", "mail", "-o", "spam.tally").code == 0
    return tmp_path / "mail"


def answers(ended):
    return [(row["file"], row["class"]) for row in csv.DictReader(io.StringIO(ended.out))]


def test_train_on_a_folder_per_class(mail):
    model = load("spam.tally")
    assert model.schema.label == "class"
    assert model.n == 20
    assert model.classes == ["ham", "spam"]
    assert "body" in model.schema.columns
    assert "file" not in model.schema.columns


def test_predictions_name_the_file(tally, mail):
    found = answers(tally("predict", "spam.tally", "mail"))
    assert sorted(found) == sorted((f"mail/{name}/{i}", name) for name in ("ham", "spam") for i in range(10))


def test_single_file_is_recognised_as_mail(tally, mail):
    assert answers(tally("predict", "spam.tally", "mail/spam/3")) == [("mail/spam/3", "spam")]
    (mail / "new.txt").write_text(HAM.format("Monday"))
    assert answers(tally("predict", "spam.tally", "mail/new.txt")) == [("mail/new.txt", "ham")]
    assert "Subject" not in tally("explain", "spam.tally", "mail/new.txt").err


def test_predict_find_sets_the_exit_code(program, mail):
    line = ("predict", "spam.tally", "--input", "mail", "--find", "spam", "-")
    assert program(*line, stdin=SPAM.format(99).encode()).code == 0
    assert program(*line, stdin=HAM.format(99).encode()).code == 1
    told = program("predict", "spam.tally", "-", stdin=HAM.format(99).encode())
    assert told.code == 2
    assert "Standard input looks like mail. Give --input mail" in told.err


def test_learn_and_forget_a_mail(program, mail):
    before = mail.with_name("spam.tally").read_bytes()
    new = b"From: x@example.net\nSubject: invoice\n\nPlease pay.\n"
    assert program("learn", "spam.tally", "--class", "ham", "--input", "mail", "-", stdin=new).code == 0
    assert load(mail.with_name("spam.tally")).n == 21
    assert program("forget", "spam.tally", "--class", "ham", "--input", "mail", "-", stdin=new).code == 0
    assert mail.with_name("spam.tally").read_bytes() == before


def test_mbox_per_class_gives_the_same_model(tally, mail):
    boxes = mail.with_name("boxes")
    boxes.mkdir()
    for name, text in (("ham", HAM), ("spam", SPAM)):
        mails = "".join(f"From a@b Mon Jan  1 00:00:00 2024\n{text.format(i)}\n" for i in range(10))
        (boxes / f"{name}.mbox").write_text(mails)
    assert tally("train", "boxes", "-o", "boxes.tally").code == 0
    assert tally("train", "boxes/ham.mbox", "boxes/spam.mbox", "-o", "files.tally").code == 0
    assert mail.with_name("boxes.tally").read_bytes() == mail.with_name("files.tally").read_bytes()
    assert load("boxes.tally").counts("body") == load("spam.tally").counts("body")


def test_folder_of_plain_texts(tally, tmp_path):
    for name, text in (("a", "one two"), ("b", "three four five")):
        (tmp_path / "texts" / name).mkdir(parents=True)
        (tmp_path / "texts" / name / "x.txt").write_text(text)
    assert tally("train", "texts", "-o", "m.tally", "--column", "text=Words").code == 0
    assert load("m.tally").counts("text").slots == ["five", "four", "one", "three", "two"]
    assert tally("predict", "m.tally", "--text", "three").out.splitlines()[1].startswith("b,")
