"""Warnings name the line that called the library, so that each is shown once for every such line."""

import numpy as np
import pandas as pd
import pytest

from tallybayes import Categorical, Dirichlet, Histogram, Model, NaiveBayes, Schema

SURE = {"a": Categorical(alpha=0.0), "b": Categorical(alpha=0.0)}
FRAME, LABELS = {"a": ["u", "v"], "b": ["u", "v"]}, ["x", "y"]
MODEL = Model.train(SURE, FRAME, LABELS)
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
    "nothing to choose a family from": lambda: NaiveBayes().partial_fit(pd.DataFrame({"a": [np.nan] * 2}), LABELS),
}
TOLD = "counted in steps|has no values|No column is counted|The prior is|impossible in every class"


@pytest.mark.parametrize("work", WORK)
def test_warnings_name_the_line_that_called(work):
    with pytest.warns(UserWarning, match=TOLD) as found:
        WORK[work]()
    assert {warning.filename for warning in found} == {__file__}
