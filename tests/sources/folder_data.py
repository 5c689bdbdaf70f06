"""Folders of documents shared by the tests of sources, and helpers to read them."""

import pyarrow as pa

from tallybayes.sources.documents import DocumentReader
from tallybayes.sources.read_options import ReadOptions

MAIL = b"From: ann@example.org\nSubject: %b\n\n%b\n"
FROM_LINE = b"From ann@example.org Mon Sep  2 12:23:11 2002\n"


def mail(subject, body=""):
    return MAIL % (subject.encode(), body.encode())


def mbox(*mails):
    return b"".join(FROM_LINE + raw + b"\n" for raw in mails)


def lay_out(folder, files):
    """Write files by their paths in a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def reader(*paths, kind=None, encoding="utf-8"):
    return DocumentReader([str(path) for path in paths], ReadOptions(format=kind, encoding=encoding))


def table(*paths, kinds=None, bad=None, **said):
    """All rows of an input."""
    return pa.Table.from_batches(chunk.read(kinds, bad) for chunk in reader(*paths, **said).chunks())


def rows(*paths, columns, **said):
    """Some columns of all rows, sorted."""
    kinds = dict.fromkeys(columns, pa.string())
    return sorted(tuple(row.values()) for row in table(*paths, kinds=kinds, **said).to_pylist())


def classes(*paths, column="subject", **said):
    """The documents of each class."""
    found = {}
    for name, value in rows(*paths, columns=["class", column], **said):
        found.setdefault(name, []).append(value)
    return found
