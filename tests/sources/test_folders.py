"""Which files are documents, and their classes."""

import os

import pytest
from folder_data import classes, lay_out, mail, mbox, reader, rows

from tallybayes.sources.base import SourceError
from tallybayes.sources.folders import spread


def test_folder_per_class(tmp_path):
    files = {"ham/1": mail("lunch"), "ham/2024/05/2.eml": mail("dinner"), "spam/1": mail("prize")}
    assert classes(lay_out(tmp_path, files)) == {"ham": ["dinner", "lunch"], "spam": ["prize"]}


def test_folder_of_texts_per_class(tmp_path):
    lay_out(tmp_path, {"sport/a.txt": "a goal", "music/b.txt": "a song", "music/c.txt": "a choir"})
    found = reader(tmp_path)
    assert (found.names, found.label, found.total) == (["text", "file", "class"], "class", 19)
    assert classes(tmp_path, column="text") == {"music": ["a choir", "a song"], "sport": ["a goal"]}


def test_folder_of_files_has_no_classes(tmp_path):
    lay_out(tmp_path, {"a.txt": "one", "b.txt": "two"})
    found = reader(tmp_path)
    assert (found.names, found.label) == (["text", "file"], None)
    assert rows(tmp_path, columns=["text", "file"]) == [
        ("one", str(tmp_path / "a.txt")),
        ("two", str(tmp_path / "b.txt")),
    ]


def test_several_folders_are_one_class_each(tmp_path, monkeypatch):
    lay_out(tmp_path, {"in/ham/1": mail("lunch"), "in/spam/1": mail("prize")})
    assert classes(tmp_path / "in/ham", f"{tmp_path}/in/spam/") == {"ham": ["lunch"], "spam": ["prize"]}
    monkeypatch.chdir(tmp_path / "in/ham")
    assert classes(".", "../spam") == {"ham": ["lunch"], "spam": ["prize"]}


def test_several_folders_of_classes_are_combined(tmp_path):
    lay_out(tmp_path, {"a/ham/1": mail("one"), "a/spam/1": mail("two"), "b/ham/1": mail("three")})
    assert classes(tmp_path / "a", tmp_path / "b") == {"ham": ["one", "three"], "spam": ["two"]}


def test_single_class(tmp_path):
    assert classes(lay_out(tmp_path, {"spam/1": mail("prize")})) == {"spam": ["prize"]}


def test_hidden_and_temporary_files_are_skipped(tmp_path):
    kept = {"ham/a": "kept", "spam/b.txt": "kept too"}
    ignored = ["ham/.a.swp", "ham/a~", "ham/#a#", "ham/x.bak", "ham/Inbox.msf", "ham/Thumbs.db", ".git/x", "spam/.x/y"]
    lay_out(tmp_path, kept | dict.fromkeys(ignored, "ignored") | {"README": "about this"})
    assert classes(tmp_path, column="text") == {"ham": ["kept"], "spam": ["kept too"]}


def test_empty_folders_are_skipped(tmp_path):
    lay_out(tmp_path, {"ham/a": "kept"})
    (tmp_path / "spam").mkdir()
    assert classes(tmp_path, column="text") == {"ham": ["kept"]}


def test_cyclic_links_are_followed_once(tmp_path):
    lay_out(tmp_path, {"ham/deep/1": mail("lunch"), "spam/1": mail("prize"), "elsewhere/2": mail("dinner")})
    (tmp_path / "ham/deep/up").symlink_to(tmp_path / "ham")
    (tmp_path / "spam/self").symlink_to(tmp_path / "spam")
    (tmp_path / "top").symlink_to(tmp_path)
    (tmp_path / "ham/linked").symlink_to(tmp_path / "elsewhere/2")
    found = {"elsewhere": ["dinner"], "ham": ["dinner", "lunch"], "spam": ["prize"]}
    assert classes(tmp_path) == found


def test_pipes_and_sockets_are_not_opened(tmp_path):
    lay_out(tmp_path, {"ham/a": "kept"})
    os.mkfifo(tmp_path / "ham/pipe")
    assert classes(tmp_path, column="text") == {"ham": ["kept"]}


def test_non_utf8_names_are_escaped(tmp_path):
    within = os.fsencode(tmp_path) + b"/sp\xe4m"
    os.mkdir(within)
    with open(within + b"/1 \xff.txt", "wb") as file:
        file.write(b"prize")
    found = rows(tmp_path, columns=["class", "file", "text"])
    assert found == [("sp\\xe4m", f"{tmp_path}/sp\\xe4m/1 \\xff.txt", "prize")]


def test_nothing_to_read_is_an_error(tmp_path):
    with pytest.raises(SourceError, match=r"empty contains no documents\. Give a folder of files"):
        reader(lay_out(tmp_path, {"empty/.hidden": "x", "empty/ham/.hidden": "x"}) / "empty")
    with pytest.raises(SourceError, match=r"nowhere cannot be read: No such file or directory\."):
        reader(tmp_path / "nowhere")
    lay_out(tmp_path, {"a.mbox": "", "b.mbox": ""})
    with pytest.raises(SourceError, match=r"a\.mbox, .*b\.mbox contains no documents"):
        reader(tmp_path / "a.mbox", tmp_path / "b.mbox")


def test_folder_of_tables_is_an_error(tmp_path):
    lay_out(tmp_path, {"1.csv": "a,b", "2.CSV": "c,d"})
    with pytest.raises(
        SourceError, match=r"contains tables, like .*/1\.csv\. Give the files themselves, like .*/\*, or --input"
    ):
        reader(tmp_path)
    assert rows(tmp_path, columns=["text"], kind="text") == [("a,b",), ("c,d",)]


def test_tables_in_folders_are_not_documents_of_classes(tmp_path):
    lay_out(tmp_path, {"_SUCCESS": "", "year=2024/1.csv.gz": "", "year=2025/1.csv.gz": "", "year=2025/_SUCCESS": ""})
    with pytest.raises(SourceError, match=r"like .*/year=2024/1\.csv\.gz\. Give .* like '.*/\*\*/\*\.gz', or --input"):
        reader(tmp_path)


def test_many_files_next_to_folders_are_an_error(tmp_path):
    lay_out(tmp_path, {"1": "a", "2": "b", "3": "c", "attached/4": "d"})
    with pytest.raises(SourceError, match=r"has more files \(3, like .*/1\) than folders and mboxes \(1\)\. Give"):
        reader(tmp_path)


def test_files_next_to_classes_are_an_error(tmp_path):
    lay_out(tmp_path, {"in/ham/1": mail("lunch"), "loose.eml": mail("prize")})
    with pytest.raises(SourceError, match=r"loose\.eml has no class, unlike other paths\."):
        reader(tmp_path / "in", tmp_path / "loose.eml")


def test_mbox_per_class(tmp_path):
    files = {"ham.mbox": mbox(mail("lunch"), mail("dinner")), "spam.MBOX": mbox(mail("prize"))}
    found = {"ham": ["dinner", "lunch"], "spam": ["prize"]}
    assert classes(lay_out(tmp_path, files)) == classes(*(tmp_path / name for name in files)) == found


def test_single_mbox_has_no_class(tmp_path):
    lay_out(tmp_path, {"new.mbox": mbox(mail("lunch"))})
    assert reader(tmp_path / "new.mbox").label is None
    assert reader(tmp_path).label == "class"


def test_mboxes_without_extension_are_detected_by_a_second_mail(tmp_path):
    ham, spam = mbox(mail("lunch"), mail("dinner")), mbox(mail("prize"), mail("pills"))
    lay_out(tmp_path, {"ham": ham, "spam": spam, "spam.msf": "index", "trash": ""})
    assert classes(tmp_path) == {"ham": ["dinner", "lunch"], "spam": ["pills", "prize"]}
    mails = lay_out(tmp_path / "mails", {str(number): mbox(mail("lunch")) for number in range(9)})
    assert reader(mails).label is None


def test_mboxes_in_a_class_folder_belong_to_it(tmp_path):
    lay_out(tmp_path, {"ham/2023.mbox": mbox(mail("one"), mail("two")), "ham/3.eml": mail("three")})
    lay_out(tmp_path, {"spam/all": mbox(mail("four"), mail("five"))})
    assert classes(tmp_path) == {"ham": ["one", "three", "two"], "spam": ["five", "four"]}


def test_options_override_detection(tmp_path):
    lay_out(tmp_path, {"ham": mbox(mail("one"), mail("two")), "spam": mbox(mail("three"))})
    assert classes(tmp_path, kind="mbox") == {"ham": ["one", "two"], "spam": ["three"]}
    assert rows(tmp_path, columns=["subject"], kind="mail") == [("one",), ("three",)]
    assert reader(tmp_path, kind="text").names == ["text", "file"]


def test_subset_is_spread_over_all():
    assert spread(range(100), 5) == [0, 25, 50, 74, 99]
    assert spread(range(3), 5) == [0, 1, 2]
    assert spread([], 5) == []
