"""The peers of accuracy.py: scikit-learn's naive Bayes in every reasonable encoding, logistic regression, a random
forest, gradient boosting and support vectors.

scikit-learn has one distribution for all columns of a model. For mixed tables, a GaussianNB of the numbers and a
CategoricalNB of the rest are combined by hand: the sum of their joint logarithms, minus one prior. All choices are made
in its favour, by trying:

- a missing number is the column's mean; a missing level is a separate level, or the most frequent one;
- a level not seen in training is one more level, without counts;
- numbers are Gaussian; or those with at most ten integer values are levels; or all are cut into ten intervals of equal
  count, which are levels;
- tables of 0 and 1 alone are also tried with BernoulliNB and MultinomialNB;
- a column of names (text, more than half the cells distinct) is dropped.

Every candidate runs; the best one counts for each set and measure, chosen on the test rows themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import LinearSVC

from sets import Part

FEW = 10  # distinct integers


class Answers(NamedTuple):
    """P(class) for every test row, and the names of the classes."""

    classes: list[str]
    probabilities: Any


Contender = Callable[[Part], Answers]


class Columns(NamedTuple):
    numbers: list[str]
    few: list[str]  # numbers with few integer values
    levels: list[str]


def columns_of(rows: pd.DataFrame) -> Columns:
    numbers, few, levels = [], [], []
    for name, cells in rows.items():
        different = cells.nunique()
        if pd.api.types.is_numeric_dtype(cells) and not pd.api.types.is_bool_dtype(cells):
            whole = (cells.dropna() % 1 == 0).all()
            (few if whole and different <= FEW else numbers).append(str(name))
        elif different <= cells.count() / 2 or len(cells) < 2 * FEW:
            levels.append(str(name))
    return Columns(numbers, few, levels)


def as_texts(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.astype(object).where(frame.notna(), "(missing)").astype(str)


def encoded(part: Part, names: list[str], missing: str) -> tuple[Any, Any, list[int]]:
    """Levels as numbers from 0, for training and test rows; and their number, plus one for unseen ones."""
    learned, asked = (frame[names].astype(object) for frame in (part.learned, part.asked))
    if missing == "frequent":
        usual = {name: cells.mode().iloc[0] for name, cells in learned.items() if cells.notna().any()}
        learned, asked = learned.fillna(usual), asked.fillna(usual)
    learned, asked = as_texts(learned), as_texts(asked)
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1).fit(learned)
    sizes = [len(levels) + 1 for levels in encoder.categories_]
    return encoder.transform(learned) + 1, encoder.transform(asked) + 1, sizes


def cut(part: Part, names: list[str]) -> tuple[Any, Any, list[int]]:
    """Numbers as interval codes."""
    imputer = SimpleImputer().fit(part.learned[names])
    cutter = KBinsDiscretizer(FEW, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf")
    learned = cutter.fit_transform(imputer.transform(part.learned[names]))
    return learned, cutter.transform(imputer.transform(part.asked[names])), [FEW] * len(names)


def naive(few_as: str, cutting: bool, missing: str) -> Contender:
    """GaussianNB and CategoricalNB combined."""

    def contender(part: Part) -> Answers:
        numbers, few, levels = columns_of(part.learned)
        gaussian = [] if cutting else numbers + (few if few_as == "numbers" else [])
        named = levels + (few if few_as == "levels" or cutting else [])
        joints: list[Any] = []
        prior = np.log(pd.Series(part.labels).value_counts(normalize=True).sort_index())
        if gaussian:
            imputer = SimpleImputer().fit(part.learned[gaussian])
            model = GaussianNB().fit(imputer.transform(part.learned[gaussian]), part.labels)
            joints.append(model.predict_joint_log_proba(imputer.transform(part.asked[gaussian])))
        sources = ([encoded(part, named, missing)] if named else []) + (
            [cut(part, numbers)] if cutting and numbers else []
        )
        for learned, asked, sizes in sources:
            model = CategoricalNB(min_categories=sizes).fit(learned, part.labels)
            joints.append(model.predict_joint_log_proba(asked))
        joint = sum(joints) - (len(joints) - 1) * prior.to_numpy()
        return Answers(list(prior.index), np.exp(joint - logsumexp(joint, axis=1, keepdims=True)))

    return contender


def plain(model: Any) -> Contender:
    """A model of tables of 0 and 1."""

    def contender(part: Part) -> Answers:
        fitted = model.fit(part.learned.to_numpy(), part.labels)
        return Answers(list(fitted.classes_), fitted.predict_proba(part.asked.to_numpy()))

    return contender


def of_tables(rows: pd.DataFrame) -> dict[str, Contender]:
    """The candidates for this table."""
    numbers, few, levels = columns_of(rows)
    ways = ["level", "frequent"] if rows[[*levels, *few]].isna().any(axis=None) else ["level"]
    found = {}
    for missing in ways:
        said = f", missing {missing}" if len(ways) > 1 else ""
        if few or not numbers:
            found[f"few as levels{said}"] = naive("levels", False, missing)
        if numbers or few:
            found[f"numbers Gaussian{said}"] = naive("numbers", False, missing)
        if numbers:
            found[f"numbers cut{said}"] = naive("levels", True, missing)
    if not numbers and not levels and rows.isin([0, 1]).all(axis=None):
        found |= {"BernoulliNB": plain(BernoulliNB()), "MultinomialNB": plain(MultinomialNB())}
    return found


def logistic(part: Part) -> Answers:
    """Numbers standardised, levels one-hot encoded."""
    numbers, few, levels = columns_of(part.learned)
    frames = [frame.assign(**as_texts(frame[levels])) for frame in (part.learned, part.asked)]
    transformer = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), numbers + few),
        (OneHotEncoder(handle_unknown="ignore"), levels),
    )
    model = make_pipeline(transformer, LogisticRegression(max_iter=1000)).fit(frames[0], part.labels)
    return Answers(list(model.classes_), model.predict_proba(frames[1]))


def numbered(part: Part) -> tuple[Any, Any]:
    """Numbers as they are, with the column's mean for missing ones, and levels by number: as forests take them."""
    numbers, few, levels = columns_of(part.learned)
    learned, asked = [np.zeros((len(part.learned), 0))], [np.zeros((len(part.asked), 0))]
    if numbers or few:
        imputer = SimpleImputer(keep_empty_features=True).fit(part.learned[numbers + few])
        learned.append(imputer.transform(part.learned[numbers + few]))
        asked.append(imputer.transform(part.asked[numbers + few]))
    if levels:
        one, other, _ = encoded(part, levels, "level")
        learned.append(one)
        asked.append(other)
    return np.hstack(learned), np.hstack(asked)


def forest(heated: bool) -> Contender:
    """200 trees; if `heated`, with the temperature that maximises the out-of-bag likelihood."""

    def contender(part: Part) -> Answers:
        learned, asked = numbered(part)
        model = RandomForestClassifier(200, random_state=0, oob_score=heated, n_jobs=-1).fit(learned, part.labels)
        answers = model.predict_proba(asked)
        if heated:
            said, truth = np.nan_to_num(model.oob_decision_function_), np.searchsorted(model.classes_, part.labels)
            power = minimize_scalar(lambda t: loss_at(said, truth, t), bounds=(0.1, 10.0), method="bounded").x
            answers = powered(answers, power)
        return Answers(list(model.classes_), answers)

    return contender


def powered(p: Any, power: float) -> Any:
    """Probabilities to a power, never 0."""
    raised = (0.999 * p + 0.001 / p.shape[1]) ** power
    return raised / raised.sum(axis=1, keepdims=True)


def loss_at(said: Any, truth: Any, power: float) -> float:
    return float(-np.log(powered(said, power)[np.arange(len(truth)), truth]).mean())


def boosting(part: Part) -> Answers:
    learned, asked = numbered(part)
    model = HistGradientBoostingClassifier(random_state=0).fit(learned, part.labels)
    return Answers(list(model.classes_), model.predict_proba(asked))


def of_texts(vectors: Callable[[], Any], model: Callable[[], Any]) -> Contender:
    def contender(part: Part) -> Answers:
        pipeline = make_pipeline(vectors(), model()).fit(part.learned["text"], part.labels)
        return Answers(list(pipeline.classes_), pipeline.predict_proba(part.asked["text"]))

    return contender


TEXT_PEERS = {
    "MultinomialNB": of_texts(CountVectorizer, MultinomialNB),
    "ComplementNB": of_texts(CountVectorizer, ComplementNB),
}
text_logistic = of_texts(TfidfVectorizer, lambda: LogisticRegression(max_iter=1000))
SVC = of_texts(
    lambda: TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), lambda: CalibratedClassifierCV(LinearSVC(), cv=3)
)
