"""Options of reading."""

import re

import pytest

from tallybayes.sources import ReadOptions, open_source


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"format": "excel"}, "format='excel': give one of csv, tsv"),
        ({"delimiter": "ab"}, "delimiter='ab': give one ASCII character"),
        ({"delimiter": "\n"}, "delimiter='\\n': give one ASCII character"),
        ({"decimal": "e"}, "decimal='e': give the character"),
        ({"encoding": "martian"}, "encoding='martian' is not an encoding of text; give one such as utf-8"),
        ({"encoding": "base64"}, "encoding='base64' is not an encoding of text"),
        ({"encoding": "undefined"}, "encoding='undefined' is not an encoding of text"),
        ({"names": ("a", "a")}, "every column needs a different name"),
        ({"names": "ab"}, "names='ab': give a tuple of strings, such as ('age', 'city')."),
        ({"names": (1, 2)}, "names=(1, 2): give a tuple of strings"),
        ({"missing": "NA"}, "missing='NA': give a tuple of strings, such as ('NA',)."),
        ({"missing": ""}, "missing='': give a tuple of strings"),
        ({"missing": b"NA"}, "missing=b'NA': give a tuple of strings"),
        ({"missing": None}, "missing=None: give a tuple of strings"),
        ({"missing": ("NA", None)}, "missing=('NA', None): give a tuple of strings"),
        ({"block_bytes": 0}, "block_bytes=0: give a whole number of at least 1."),
        ({"block_bytes": -1}, "block_bytes=-1: give a whole number"),
        ({"block_bytes": 1e6}, "block_bytes=1000000.0: give a whole number"),
        ({"block_bytes": True}, "block_bytes=True: give a whole number"),
    ],
)
def test_invalid_options_are_errors(settings, expected):
    with pytest.raises(ValueError, match=re.escape(expected)):
        ReadOptions(**settings)


def test_missing_marks_as_any_collection():
    assert list(ReadOptions(names=["a", "b"]).names) == ["a", "b"]
    assert ReadOptions(missing=()).missing == ()
    assert ReadOptions(missing={"-"}, block_bytes=1).missing == {"-"}


def test_empty_lines_are_skipped_in_tables_and_counted_in_text(tmp_path):
    path = tmp_path / "data"
    path.write_text("x\n\na\n\n\nb\n\n")
    counted = {
        kind: sum(map(len, open_source(path, ReadOptions(format=kind)).batches())) for kind in ("csv", "tsv", "lines")
    }
    assert counted == {"csv": 2, "tsv": 2, "lines": 7}
