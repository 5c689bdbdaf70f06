"""Sets as cells: sorted, since the order of a set depends on the process."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from tallybayes import Gaussian, Model, Words, WordSequence, digest

TAGS = [{"red", "green", "blue"}, {"x"}, None, {"d", "a", "c", "b"}, set()] * 4
LABELS = ["p", "q"] * 10
SORTED = [None if tags is None else sorted(tags) for tags in TAGS]

PROGRAM = """
from tallybayes import Model, NaiveBayes, Words, digest
tags = [{"red", "green", "blue"}, {"red", "x"}, {"d", "a", "c", "b"}, {"green", "y"}] * 10
labels = ["p", "q", "q", "p", "q"] * 8
print(digest(Model.train({"t": Words(ngrams=2)}, {"t": tags}, labels)))
print(NaiveBayes().fit({"t": tags}, labels).predict_proba({"t": tags}).tobytes().hex())
"""


def frozen(cells):
    return [None if tags is None else frozenset(tags) for tags in cells]


@pytest.mark.parametrize("family", [Words(ngrams=2), WordSequence()], ids=str)
@pytest.mark.parametrize("cells", [TAGS, frozen(TAGS), [*TAGS[:10], *frozen(TAGS[10:])]], ids=["set", "frozen", "both"])
@pytest.mark.parametrize("frame", [lambda cells: {"t": cells}, lambda cells: pd.DataFrame({"t": cells})])
def test_set_counts_as_its_sorted_list(family, cells, frame):
    expected = Model.train({"t": family}, {"t": SORTED}, LABELS)
    model = Model.train({"t": family}, frame(cells), LABELS)
    assert digest(model) == digest(expected)
    np.testing.assert_array_equal(model.posterior(frame(cells)), expected.posterior({"t": SORTED}))


def test_set_of_several_types_is_refused_as_a_list_is():
    for cells in ([{"a", 1}], [["a", 1]]):
        with pytest.raises(ValueError, match="Column 't' mixes types"):
            Model.train({"t": Words()}, {"t": cells}, ["p"])


def test_set_is_no_number():
    with pytest.raises(ValueError, match="Column 't'"):
        Model.train({"t": Gaussian()}, {"t": [{1.0}]}, ["p"])


def test_answers_do_not_depend_on_the_hash_seed():
    answers = set()
    for seed in ("0", "1", "2"):
        given = os.environ | {"PYTHONHASHSEED": seed}
        ended = subprocess.run([sys.executable, "-c", PROGRAM], env=given, capture_output=True, text=True, check=True)
        answers.add(ended.stdout)
    assert len(answers) == 1
