"""Committed model files must load for ever and give the same answers."""

import json
from pathlib import Path

import numpy as np
import pytest

from tallybayes import FAMILIES, digest, load

FOLDER = Path(__file__).parent.parent / "golden"
ANSWERS = json.loads((FOLDER / "answers.json").read_text("utf-8"))


@pytest.mark.parametrize("name", ANSWERS)
def test_golden_file_loads_and_answers_the_same(name):
    model = load(FOLDER / f"{name}.tally")
    assert digest(model) == ANSWERS[name]["digest"]
    np.testing.assert_allclose(model.posterior(ANSWERS[name]["rows"]), ANSWERS[name]["posterior"], rtol=1e-9)


def test_every_family_has_a_golden_file():
    assert sorted(ANSWERS) == sorted(FAMILIES), "`make golden` writes those that lack"
