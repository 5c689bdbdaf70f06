"""What people hand over in place of a model or a schema, and what they are told."""

import pandas as pd
import pytest

from tallybayes import (
    EM,
    Categorical,
    Gaussian,
    Mixture,
    Model,
    NaiveBayes,
    SemiNaiveBayes,
    Store,
    choose,
    choose_clusters,
    counts_digest,
    cross_validate,
    digest,
    evaluate,
    export_sql,
    heaviest,
    learning_curve,
    left_out,
    model_report,
    prepare,
    save,
    weigh,
)
from tallybayes.sklearn import GaussianNB

FRAME = pd.DataFrame({"x": ["u", "v"] * 10})
LABELS = ["a", "b"] * 10

WITH_MODEL = {
    "evaluate": lambda given, path: evaluate(given, FRAME, LABELS),
    "weigh": lambda given, path: weigh(given, FRAME, LABELS),
    "left_out": lambda given, path: left_out(given, FRAME, LABELS),
    "heaviest": lambda given, path: heaviest(given, "a"),
    "choose": lambda given, path: choose(given, FRAME, LABELS),
    "save": lambda given, path: save(given, path),
    "digest": lambda given, path: digest(given),
    "counts_digest": lambda given, path: counts_digest(given),
    "model_report": lambda given, path: model_report(given),
    "export_sql": lambda given, path: export_sql(given),
    "Mixture": lambda given, path: Mixture(given),
}
WITH_SCHEMA = {
    "train": lambda given, path: Model.train(given, FRAME, LABELS),
    "cross_validate": lambda given, path: cross_validate(given, FRAME, LABELS),
    "learning_curve": lambda given, path: learning_curve(given, FRAME, LABELS),
    "prepare": lambda given, path: prepare(given, FRAME, LABELS),
    "choose_clusters": lambda given, path: choose_clusters(given, FRAME, [2]),
    "Store": lambda given, path: Store.create(path, given),
}


@pytest.mark.parametrize("work", WITH_MODEL.values(), ids=WITH_MODEL)
def test_an_estimator_is_asked_for_its_model(work, tmp_path):
    fitted = NaiveBayes().fit(FRAME, LABELS)
    with pytest.raises(TypeError, match=r"A NaiveBayes is not a model\. Give its attribute model_\."):
        work(fitted, tmp_path / "m")
    for given in (FRAME, "m.tally", NaiveBayes()):
        with pytest.raises(TypeError, match=r"is not a model\. Give what Model\.train or load returns\."):
            work(given, tmp_path / "m")
    work(fitted.model_, tmp_path / "m")


def test_a_mixture_is_asked_for_its_model(tmp_path):
    mixture = Mixture.train({"x": Categorical()}, FRAME, LABELS, EM(components=2, iterations=2))
    with pytest.raises(TypeError, match=r"A Mixture is not a model\. Give its attribute model\."):
        save(mixture, tmp_path / "m")


@pytest.mark.parametrize("work", WITH_SCHEMA.values(), ids=WITH_SCHEMA)
def test_data_in_place_of_a_schema_is_named_and_not_printed(work, tmp_path):
    expected = r"like \{'age': Gaussian\(\)\}, not a DataFrame\. Schema\.infer\(frame\) chooses families\."
    with pytest.raises(TypeError, match=expected):
        work(FRAME, tmp_path / "s")


@pytest.mark.parametrize(
    "estimator", [NaiveBayes(), SemiNaiveBayes(), GaussianNB()], ids=lambda each: type(each).__name__
)
def test_missing_labels_say_what_fit_can_do(estimator):
    """Only `NaiveBayes` trains on them."""
    with pytest.raises(ValueError, match="1 of 20 rows have no label, the first in row 0") as raised:
        estimator.fit({"x": [1.0, 2.0] * 10}, [None, *LABELS[1:]])
    assert ("unlabelled=EM()" in str(raised.value)) == isinstance(estimator.get_params().get("weigh"), bool)


def test_one_text_is_asked_for_as_a_list():
    fitted = NaiveBayes().fit(["free money now", "lunch on monday"] * 10, LABELS)
    with pytest.raises(TypeError, match=r"A str is not a table\. Give a list of texts, as in \[text\]"):
        fitted.predict("free money")
    assert fitted.predict(["free money"]).tolist() == ["a"]


def test_one_row_is_not_rows():
    assert repr(Model.train({"x": Gaussian()}, {"x": 1.0}, ["a"])).startswith("Model of 1 row in 1 class: a 1\n")
