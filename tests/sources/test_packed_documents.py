"""Compressed documents give the same rows."""

import gzip
import io
import sys
from types import SimpleNamespace

import pyarrow as pa
import pytest
from folder_data import classes, lay_out, mail, mbox, rows
from writing import PACKERS

from tallybayes.sources import open_source
from tallybayes.sources.base import SourceError
from tallybayes.sources.raw_documents import Opened


def subjects(*paths, **said):
    return [subject for (subject,) in rows(*paths, columns=["subject"], **said)]


@pytest.mark.parametrize("ending", PACKERS)
def test_mbox_per_class_compressed(tmp_path, ending):
    boxes = {"ham.mbox": mbox(mail("lunch"), mail("minutes")), "spam.mbox": mbox(mail("prize"))}
    packed = {name + ending: PACKERS[ending](content) for name, content in boxes.items()}
    expected = {"ham": ["lunch", "minutes"], "spam": ["prize"]}
    assert classes(lay_out(tmp_path / "plain", boxes)) == expected
    assert classes(lay_out(tmp_path / "packed", packed)) == expected
    assert classes(*(tmp_path / "packed" / name for name in packed)) == expected


def test_compressed_mboxes_without_extension(tmp_path):
    lay_out(tmp_path, {"ham.gz": gzip.compress(mbox(mail("lunch"), mail("minutes")))})
    assert classes(tmp_path) == {"ham": ["lunch", "minutes"]}


def test_concatenated_compressed_parts(tmp_path):
    parts = gzip.compress(mbox(mail("lunch"))) + gzip.compress(mbox(mail("minutes")))
    lay_out(tmp_path, {"old.mbox.gz": parts})
    assert subjects(tmp_path / "old.mbox.gz") == ["lunch", "minutes"]


def test_single_mails_and_texts_compressed(tmp_path):
    mails = {"ham/1.eml.gz": gzip.compress(mail("lunch")), "spam/2.eml": mail("prize")}
    assert classes(lay_out(tmp_path / "mails", mails)) == {"ham": ["lunch"], "spam": ["prize"]}
    texts = {"a/1.txt.gz": gzip.compress(b"good day"), "b/2.txt": b"good night"}
    assert classes(lay_out(tmp_path / "texts", texts), column="text") == {"a": ["good day"], "b": ["good night"]}


def test_maildir_mails_compressed(tmp_path):
    """As mail servers store them, under names that do not say so."""
    (tmp_path / "tmp").mkdir()
    lay_out(tmp_path, {"cur/1.host:2,S": gzip.compress(mail("lunch")), "new/2.host": mail("prize")})
    assert subjects(tmp_path) == ["lunch", "prize"]


def test_compressed_mbox_on_standard_input(monkeypatch):
    content = io.BufferedReader(io.BytesIO(gzip.compress(mbox(mail("lunch"), mail("minutes")))))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=content))
    assert subjects("-", kind="mbox") == ["lunch", "minutes"]


@pytest.mark.slow
def test_progress_counts_compressed_bytes(tmp_path):
    box = mbox(*(mail(f"mail {i}") for i in range(30_000)))
    lay_out(tmp_path, {"plain.mbox": box, "packed.mbox.gz": gzip.compress(box)})
    given, done = {}, {}
    for name in ("plain.mbox", "packed.mbox.gz"):
        source = open_source(tmp_path / name)
        given[name], done[name] = [], []
        for batch in source.batches({"subject": pa.string()}):
            given[name].append(len(batch))
            done[name].append(source.done / source.total)
        assert source.done == source.total == (tmp_path / name).stat().st_size
    assert given["packed.mbox.gz"] == given["plain.mbox"]
    assert sum(given["plain.mbox"]) == 30_000
    assert done["packed.mbox.gz"] == pytest.approx(done["plain.mbox"], abs=0.25)


def test_damaged_file_is_named(tmp_path):
    whole = gzip.compress(mbox(*(mail(f"mail {i}") for i in range(2000))))
    lay_out(tmp_path, {"ham.mbox.gz": whole[: len(whole) // 2], "texts/1.txt.gz": whole[:100], "texts/2.txt": b"fine"})
    with pytest.raises(SourceError, match=r"ham.mbox.gz cannot be read"):
        subjects(tmp_path / "ham.mbox.gz")
    with pytest.raises(SourceError, match=r"1.txt.gz: cannot be read"):
        rows(tmp_path / "texts", columns=["text"], kind="text")


def test_errors_of_the_system_keep_their_reason():
    class Broken(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, buffer):
            raise OSError(5, "Input/output error")

    with pytest.raises(OSError, match="Input/output error") as caught:
        Opened(Broken()).read(10)
    assert caught.value.strerror == "Input/output error"
