"""In pipelines, searches, voting and cross-validation the estimator equals the core."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from mixed_table import SCHEMA, table
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import VotingClassifier
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tallybayes import Model, NaiveBayes, digest

pytestmark = pytest.mark.slow


def frame(n=300):
    columns, labels = table(n)
    return pd.DataFrame(columns), labels


def by_hand(X, y, folds, **settings):
    """Accuracy in every fold, with models of the core."""
    found = []
    for train, test in folds:
        model = Model.train(SCHEMA, X.iloc[train], y[train]).believing(**settings)
        found.append(np.mean(np.array(model.decide(X.iloc[test])) == y[test]))
    return found


@pytest.mark.parametrize("jobs", [1, 2])
def test_cross_validation_equals_the_core(jobs):
    X, y = frame()
    folds = list(KFold(3).split(X))
    assert cross_val_score(NaiveBayes(SCHEMA, weigh=False), X, y, cv=folds, n_jobs=jobs).tolist() == by_hand(
        X, y, folds
    )


@pytest.mark.parametrize(("name", "values"), [("alpha", [0.01, 1.0, 50.0]), ("plugin", [True, False])])
def test_grid_over_beliefs_equals_the_core(name, values):
    X, y = frame()
    folds = list(KFold(3).split(X))
    search = GridSearchCV(NaiveBayes(SCHEMA, weigh=False), {name: values}, cv=folds).fit(X, y)
    expected = [np.mean(by_hand(X, y, folds, **{name: value})) for value in values]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], expected, rtol=1e-12)
    assert digest(search.best_estimator_.model_) == digest(
        Model.train(SCHEMA, X, y).believing(**{name: search.best_params_[name]})
    )


@pytest.mark.parametrize("output", ["pandas", "polars", "default"])
def test_takes_the_output_of_a_column_transformer(output):
    X, y = frame()
    scaled = ColumnTransformer([("scaled", StandardScaler(), ["age", "calls"])], remainder="passthrough")
    scaled.set_output(transform=output)
    pipeline = make_pipeline(scaled, NaiveBayes(weigh=False)).fit(X, y)
    last = pipeline[-1]
    families = [type(family).__name__ for family in last.schema_.columns.values()]
    assert families == ["Histogram", "Histogram", "Categorical", "Bernoulli", "Categorical"]
    assert last.n_features_in_ == 5
    assert hasattr(last, "feature_names_in_") == (output != "default")
    again = NaiveBayes(last.schema_, weigh=False).fit(scaled.transform(X), y)
    assert digest(again.model_) == digest(last.model_)
    assert pipeline.score(X, y) == np.mean(again.predict(scaled.transform(X)) == y) > 0.6


def test_calibration_and_voting():
    X, y = frame()
    calibrated = CalibratedClassifierCV(NaiveBayes(SCHEMA, weigh=False), cv=2, ensemble=False).fit(X, y)
    assert digest(calibrated.calibrated_classifiers_[0].estimator.model_) == digest(Model.train(SCHEMA, X, y))
    np.testing.assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1.0)
    vote = VotingClassifier(
        [("ours", NaiveBayes(SCHEMA, weigh=False)), ("prior", DummyClassifier())], voting="soft"
    ).fit(X, y)
    half = (Model.train(SCHEMA, X, y).posterior(X) + np.mean(y[:, None] == np.unique(y), axis=0)) / 2
    np.testing.assert_allclose(vote.predict_proba(X), half, rtol=1e-12)


def test_weights_are_routed():
    X, y = frame()
    weights = np.arange(300) % 4 + 1.0
    folds = list(KFold(3).split(X))
    with sklearn.config_context(enable_metadata_routing=True):
        asking = (
            NaiveBayes(SCHEMA, weigh=False).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        )
        found = cross_validate(asking, X, y, cv=folds, params={"sample_weight": weights}, return_estimator=True)
        search = GridSearchCV(asking, {"alpha": [0.5, 2.0]}, cv=folds).fit(X, y, sample_weight=weights)
        NaiveBayes(weigh=False).set_partial_fit_request(sample_weight=True, classes=True)
    for (train, test), learned, score in zip(folds, found["estimator"], found["test_score"], strict=True):
        model = Model.train(SCHEMA, X.iloc[train], y[train], weights=weights[train])
        assert digest(learned.model_) == digest(model)
        right = np.array(model.decide(X.iloc[test])) == y[test]
        assert score == pytest.approx(np.average(right, weights=weights[test]), rel=1e-12)
    assert search.best_estimator_.class_count_.sum() == weights.sum()
