"""Documents as rows: columns, types, unreadable files and order."""

import io
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest
from folder_data import lay_out, mail, mbox, reader, rows, table

from tallybayes import Model, Schema, open_source
from tallybayes.mail import COLUMNS, read_mail
from tallybayes.sources import documents
from tallybayes.sources.base import BadRow, BadRows, SourceError
from tallybayes.sources.contents import looks_like_mail
from tallybayes.sources.faults import SKIP


def texts(folder, **said):
    return table(folder, **said)["text"].to_pylist()


def test_mail_columns(tmp_path):
    raw = mail("lunch", "at noon")
    lay_out(tmp_path, {"ham/1": raw})
    found = reader(tmp_path)
    assert (found.names, found.label, found.place) == ([*COLUMNS, "file", "class"], "class", "file")
    assert (found.file, found.total) == (str(tmp_path), len(raw))
    (row,) = table(tmp_path).to_pylist()
    assert row == {**read_mail(raw), "file": f"{tmp_path}/ham/1", "class": "ham"}


def test_free_text_columns_are_known(tmp_path):
    lay_out(tmp_path, {"1.eml": mail("lunch"), "2.txt": "dinner"})
    headers = ("subject", "from", "to", "reply_to", "list_id")
    assert reader(tmp_path / "1.eml").texts == (*headers, "received", "mailer", "links", "body")
    assert reader(tmp_path / "2.txt").texts == ("text",)


def test_column_types(tmp_path):
    schema = table(lay_out(tmp_path, {"1.eml": mail("lunch")})).schema
    others = {"parts": pa.int64(), "has_html": pa.bool_(), "has_attachment": pa.bool_()}
    assert {name: schema.field(name).type for name in schema.names} == {
        name: others.get(name, pa.string()) for name in (*COLUMNS, "file")
    }


def test_only_requested_columns_in_the_requested_types(tmp_path):
    lay_out(tmp_path, {"1/a": mail("lunch"), "2/a": mail("dinner")})
    kinds = {"class": pa.int64(), "parts": pa.string(), "has_html": pa.float64(), "subject": pa.string()}
    found = table(tmp_path, kinds=kinds)
    assert found.schema == pa.schema(kinds)
    assert found.to_pylist() == [
        {"class": 1, "parts": "1", "has_html": 0.0, "subject": "lunch"},
        {"class": 2, "parts": "1", "has_html": 0.0, "subject": "dinner"},
    ]
    assert table(tmp_path, kinds={}).num_columns == 0


def test_unknown_column_is_an_error(tmp_path):
    lay_out(tmp_path, {"1.txt": "a"})
    with pytest.raises(SourceError, match=r"has no column 'body'; it has 'text', 'file'\."):
        open_source(tmp_path).batches({"body": pa.string()})


def test_cell_of_another_type_is_a_bad_row(tmp_path):
    lay_out(tmp_path, {"1.txt": "12", "2.txt": "twelve", "3.txt": "13"})
    with pytest.raises(SourceError, match=r"2\.txt, column 'text': 'twelve' is not of type int64"):
        table(tmp_path, kinds={"text": pa.int64()})
    (chunk,) = reader(tmp_path).chunks()
    bad = BadRows()
    assert chunk.read({"file": pa.string(), "text": pa.int64()}, bad)["text"].to_pylist() == [12, 13]
    assert [row.where for row in bad.first] == [f"{tmp_path}/2.txt, column 'text'"]
    assert chunk.where(1) == f"{tmp_path}/3.txt"
    with pytest.raises(SourceError, match=r"column 'text': '12' is not of type struct<>"):
        table(tmp_path, kinds={"text": pa.struct([])})


def test_unreadable_file_is_a_bad_row(tmp_path):
    lay_out(tmp_path, {"1.txt": "one", "2.txt": "two"})
    (tmp_path / "3.txt").symlink_to(tmp_path / "nowhere")
    (chunk,) = reader(tmp_path).chunks()
    (tmp_path / "1.txt").unlink()
    with pytest.raises(SourceError, match=r"1\.txt: cannot be read: No such file or directory\."):
        chunk.read(None, None)
    bad = BadRows()
    assert chunk.read(None, bad)["text"].to_pylist() == ["two"]
    reason = f"cannot be read: No such file or directory. Remove it, {SKIP}."
    assert bad.first == [BadRow(f"{tmp_path}/{name}.txt", reason) for name in (1, 3)]
    assert chunk.where(0) == f"{tmp_path}/2.txt"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("gr\u00fcn".encode(), "grün"),
        (b"gr\xfcn \x80", "grün €"),
        ("\ufeffgrün\r\n€".encode(), "grün\n€"),
        ("grün".encode("utf-16"), "grün"),
        ("grün".encode("utf-16-be").join([b"\xfe\xff", b""]), "grün"),
        ("grün".encode("utf-32"), "grün"),
        (b"", ""),
        (b"a\x1b[31mb", "a[31mb"),
        (b"stray \0zero" + b"\0", "stray zero"),
    ],
)
def test_encoding_is_detected(tmp_path, content, said):
    assert texts(lay_out(tmp_path, {"1.txt": content}), kind="text") == [said]


def test_encoding_can_be_given(tmp_path):
    lay_out(tmp_path, {"1.txt": "Привет".encode("koi8-r"), "2.txt": "grün".encode("utf-16")})
    assert texts(tmp_path, encoding="KOI8-R") == ["Привет", "grün"]
    lay_out(tmp_path / "16", {"1.txt": "grün".encode("utf-16-le")})
    assert texts(tmp_path / "16", encoding="utf-16-le", kind="text") == ["grün"]
    bad = BadRows()
    assert table(lay_out(tmp_path / "bad", {"1.txt": b"\xff"}), kind="text", encoding="ascii", bad=bad).num_rows == 0
    assert bad.first[0].reason.startswith("not text in the encoding 'ascii': 'ascii' codec can't decode byte 0xff")


def test_binary_files_among_texts_are_bad_rows(tmp_path):
    lay_out(tmp_path, {"1.txt": "one", "2.png": b"\x89PNG\r\n\x1a\n\0\0\0"})
    with pytest.raises(SourceError, match=r"2\.png: not text: it contains NUL bytes\."):
        table(tmp_path)
    bad = BadRows()
    assert texts(tmp_path, bad=bad) == ["one"]
    assert bad.first == [BadRow(f"{tmp_path}/2.png", f"not text: it contains NUL bytes. Remove it, {SKIP}.")]


@pytest.mark.parametrize("kind", ["text", "mail"])
def test_oversized_files_are_bad_rows(tmp_path, kind):
    lay_out(tmp_path, {"1.txt": "one"})
    with open(tmp_path / "2.txt", "wb") as file:
        file.truncate((1 << 26) + 1)
    bad = BadRows()
    assert table(tmp_path, kind=kind, bad=bad).num_rows == 1
    reason = f"the document is longer than 64 MiB. Remove it, {SKIP}."
    assert bad.first == [BadRow(f"{tmp_path}/2.txt", reason)]


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (b"Received: from a\n\tby b\nX-Mood: good\n\nbody", True),
        (b"Subject: lunch\r\n\r\nbody", True),
        (b"From ann@example.org Mon Sep  2 12:23:11 2002\nx", True),
        (b"To: bob", True),
        (b"Title: lunch\nDate: today\n\nbody", False),
        (b"Subject: lunch\nis at noon\n\n", False),
        (b"once upon a time\nSubject: x\n\n", False),
        (b"\nSubject: x\n\n", False),
        (b"", False),
        (b"\0\xff", False),
    ],
)
def test_mail_is_distinguished_from_text(head, said):
    assert looks_like_mail(head) == said


def test_majority_decides_mail_or_text(tmp_path):
    lay_out(tmp_path, {"ham/1": mail("one"), "ham/2": "no headers", "spam/1": mail("two"), "spam/2": "  \n"})
    assert rows(tmp_path, columns=["subject"]) == [("",), ("",), ("one",), ("two",)]
    assert reader(tmp_path, kind="text").names == ["text", "file", "class"]


def test_mail_in_one_class_and_text_in_another_is_an_error(tmp_path):
    lay_out(tmp_path, {"ham/1": mail("one"), "other/1": "", "spam/1": "no headers"})
    with pytest.raises(SourceError, match="of 'ham' look like mail, and those of 'spam' like plain text"):
        reader(tmp_path)
    assert reader(tmp_path, kind="mail").label == "class"


def test_single_documents_have_no_class(tmp_path):
    lay_out(tmp_path, {"1.eml": mail("one"), "2.EML": mail("two"), "3.txt": mail("three")})
    assert rows(tmp_path / "1.eml", columns=["subject"]) == [("one",)]
    assert rows(tmp_path / "1.eml", tmp_path / "2.EML", columns=["subject"]) == [("one",), ("two",)]
    assert rows(tmp_path / "3.txt", columns=["subject"], kind="mail") == [("three",)]
    assert texts(tmp_path / "3.txt", kind="text") == ["From: ann@example.org\nSubject: three\n\n\n"]


@pytest.mark.parametrize(("kind", "column"), [("mail", "body"), ("text", "text")])
def test_document_on_standard_input(monkeypatch, kind, column):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"gr\xfcn")))
    found = reader("-", kind=kind)
    assert (found.label, found.total) == (None, None)
    (chunk,) = found.chunks()
    for _ in range(2):  # a sample, then everything
        found = chunk.read({column: pa.string(), "file": pa.string()}, None)
        assert found.to_pylist() == [{column: "grün", "file": "standard input"}]
    assert chunk.where(0) == "standard input"
    with pytest.raises(SourceError, match=r"The format of standard input is unknown\. Give --input mail"):
        reader("-")


def test_chunk_limits_of_documents_and_bytes(tmp_path, monkeypatch):
    lay_out(tmp_path, {f"{number:02}.txt": "a" * number for number in range(20)})
    monkeypatch.setattr(documents, "CHUNK_DOCUMENTS", 8)
    monkeypatch.setattr(documents, "CHUNK_BYTES", 50)
    chunks = list(reader(tmp_path).chunks())
    assert [chunk.size for chunk in chunks] == [28, 50, 58, 54]
    assert sum(chunk.size for chunk in chunks) == reader(tmp_path).total == 190
    lengths = [len(text) for chunk in chunks for text in chunk.read(None, None)["text"].to_pylist()]
    assert lengths == list(range(20))


def test_first_documents_are_a_fair_sample(tmp_path):
    lay_out(tmp_path, {f"many/{number:02}": "ham" for number in range(60)})
    lay_out(tmp_path, {f"some/{number:02}": "eggs" for number in range(20)})
    lay_out(tmp_path, {"one/1": "spam"})
    first = table(tmp_path)["class"].to_pylist()[:21]
    assert [first.count(name) for name in ("many", "some", "one")] == [15, 5, 1]


def test_mboxes_of_classes_are_interleaved(tmp_path, monkeypatch):
    ham, spam = mbox(*[mail("a" * 990)] * 3_000), mbox(*[mail("b" * 990)] * 3_000)
    lay_out(tmp_path, {"ham.mbox": ham, "spam.mbox": spam})
    found = reader(tmp_path)
    first, second = (chunk.read(None, None)["class"].to_pylist() for chunk in found.chunks())
    assert len(first) + len(second) == 6_000
    assert set(first) == set(second) == {"ham", "spam"}
    assert sum(chunk.size for chunk in reader(tmp_path).chunks()) == found.total == len(ham) + len(spam)


def test_model_of_a_folder(tmp_path):
    for number in range(20):
        lay_out(tmp_path / "mail", {f"spam/{number}": mail(f"prize {number}", f"claim your prize money {number} now")})
        lay_out(tmp_path / "mail", {f"ham/{number}": mail(f"lunch {number}", f"lunch with the others at {number}")})
    found = table(tmp_path / "mail")
    model = Model.train(Schema.infer(found, label="class"), found)
    asked = table(lay_out(tmp_path / "new", {"1.eml": mail("money", "a prize"), "2.eml": mail("", "lunch")}))
    assert list(model.classes) == ["ham", "spam"]
    assert model.posterior(asked).argmax(axis=1).tolist() == [1, 0]


def test_texts_need_no_lxml_and_mail_says_that_it_does(tmp_path):
    lay_out(tmp_path, {"texts/1.txt": "one", "mails/1.eml": mail("one")})
    code = """if True:
        import sys
        sys.modules["lxml"] = None
        sys.path.insert(0, sys.argv[1])
        from folder_data import reader, table
        from tallybayes.sources.base import SourceError
        print(table("texts")["text"].to_pylist())
        try:
            reader("mails")
        except SourceError as error:
            print(error)
    """
    command = [sys.executable, "-c", code, str(Path(__file__).parent)]
    told = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path).stdout
    assert told == "['one']\nReading mail needs lxml, for HTML: pip install 'tallybayes[mail]'.\n"
