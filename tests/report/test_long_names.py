"""Words, levels and classes of any length: a line of a report stays a line, and JSON has them whole."""

import json

import pytest

from tallybayes import Categorical, Histogram, Model, Words, WordSequence, report_on

LONG = "x" * 100_000
LABELS = "a" * 5_000, "b"
FRAME = {"level": [LONG, "v"], "text": [LONG, "a few words"], "sequence": [LONG, LONG], "number": [1.0, 2.0]}
MODEL = Model.train(
    {"level": Categorical(), "text": Words(), "sequence": WordSequence(), "number": Histogram()}, FRAME, LABELS
)


@pytest.mark.parametrize("shown", [MODEL, MODEL.evidence(FRAME), MODEL.schema], ids=["model", "evidence", "schema"])
def test_lines_are_short_and_json_is_whole(shown):
    report = report_on(shown, classes=MODEL.rows_by_class()) if shown is MODEL.schema else report_on(shown)
    assert max(map(len, report.text().split("\n"))) < 200
    assert len(report.html()) < 40_000
    written = json.dumps(report.to_json())
    assert LABELS[0] in written
    assert (LONG in written) == (shown is not MODEL.schema)
