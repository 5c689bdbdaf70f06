"""Warnings name the line that called the library, so that each is shown once for every such line."""

import numpy as np
import pandas as pd
import pytest

from tallybayes import Categorical, Dirichlet, Gamma, Gaussian, Histogram, Model, NaiveBayes, Schema, open_source
from tallybayes.sklearn import MultinomialNB

SURE = {"a": Categorical(alpha=0.0), "b": Categorical(alpha=0.0)}
FRAME, LABELS = {"a": ["u", "v"], "b": ["u", "v"]}, ["x", "y"]
MODEL = Model.train(SURE, FRAME, LABELS)
POSITIVE = Model.train({"a": Gamma(), "b": Gamma()}, {"a": [1.0, 2.0], "b": [1.0, 2.0]}, LABELS)
WORK = {
    "an impossible row": lambda: MODEL.posterior({"a": ["u"], "b": ["v"]}),
    "an impossible row in one thread": lambda: MODEL.posterior({"a": ["u"], "b": ["v"]}, threads=1),
    "rounded numbers": lambda: Model.train({"a": Histogram(bits=1)}, {"a": np.linspace(1.0, 1.4, 99)}, [0, 1, 2] * 33),
    "a prior of other classes": lambda: Model.train(
        Schema(SURE, prior={"x": 0.5, "y": 0.4, "z": 0.1}), FRAME, LABELS
    ).posterior(FRAME),
    "pseudo-counts of other classes": lambda: Model.train(
        Schema(SURE, prior=Dirichlet({"z": 1.0})), FRAME, LABELS
    ).posterior(FRAME),
    "nothing to count": lambda: NaiveBayes().fit(pd.DataFrame({"a": [None, None]}), LABELS),
    "a value outside of the support": lambda: POSITIVE.posterior({"a": [-1.0], "b": [1.0]}),
    "a variance that is too small": lambda: Model.train({"a": Gaussian()}, {"a": [1e-310, 2e-310]}, LABELS).posterior(
        {"a": [1e-310]}
    ),
    "a decimal comma": lambda: Schema.infer({"a": [f"{number / 7:.2f}".replace(".", ",") for number in range(300)]}),
    "a word among numbers": lambda: Schema.infer({"a": [*(f"{number / 7:.3f}" for number in range(300)), "unknown"]}),
    "a small alpha": lambda: MultinomialNB(alpha=0.0, force_alpha=False).fit([[1, 2], [3, 4]], LABELS),
    "nothing to choose a family from": lambda: NaiveBayes().partial_fit(pd.DataFrame({"a": [np.nan] * 2}), LABELS),
}
TOLD = (
    "counted in steps|has no values|No column is counted|The prior is|impossible in every class|treated as missing|"
    "does not fit a double|decimal comma|numbers, the rest|alpha too small"
)


@pytest.mark.parametrize("work", WORK)
def test_warnings_name_the_line_that_called(work):
    with pytest.warns(UserWarning, match=TOLD) as found:
        WORK[work]()
    assert {warning.filename for warning in found} == {__file__}


def test_warnings_about_files_name_the_line_that_called(tmp_path):
    path = tmp_path / "twice.csv"
    path.write_text("a,a\n1,2\n3,4\n")
    with pytest.warns(UserWarning, match="columns of the same name") as found:
        open_source(path)
    assert {warning.filename for warning in found} == {__file__}
