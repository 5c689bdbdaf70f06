"""Files that were written once load for ever, and say what they said."""

import json
from pathlib import Path

import numpy as np
import pytest

from tallybayes import FAMILIES, digest, load

FOLDER = Path(__file__).parent.parent / "golden"
ANSWERS = json.loads((FOLDER / "answers.json").read_text("utf-8"))


@pytest.mark.parametrize("name", ANSWERS)
def test_a_file_written_once_loads_for_ever_and_answers_as_it_did(name):
    model = load(FOLDER / f"{name}.tally")
    assert digest(model) == ANSWERS[name]["digest"]
    np.testing.assert_allclose(model.posterior(ANSWERS[name]["rows"]), ANSWERS[name]["posterior"], rtol=1e-9)


def test_every_family_has_such_a_file():
    assert sorted(ANSWERS) == sorted(FAMILIES), "`make golden` writes those that lack"
