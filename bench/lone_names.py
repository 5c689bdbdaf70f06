"""What a lone column of names says: read by characters, as inferred, and by words, beside a linear model on characters.

    pip install names faker vaderSentiment
    python bench/lone_names.py

First names by sex (`names`), surnames by language (`faker`) and words by sentiment (`vaderSentiment`), 3,000 of each at
most, three folds: error % and log-loss of `NaiveBayes()`, of `NaiveBayes` with words alone, and of LinearSVC with Platt
scaling on tf-idf of character 1- to 5-grams.
"""

from __future__ import annotations

import random
import warnings
from collections import Counter
from importlib import import_module
from importlib.resources import files

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from tallybayes import NaiveBayes, Words

MOST, LEAST = 3000, 12  # names in all, and of a class
LANGUAGES = (
    "cs_CZ",
    "da_DK",
    "de_DE",
    "en_US",
    "es_ES",
    "fi_FI",
    "fr_FR",
    "hr_HR",
    "hu_HU",
    "it_IT",
    "nl_NL",
    "pl_PL",
    "sv_SE",
)


def first_names() -> dict[str, str]:
    lists = {sex: files("names").joinpath(f"dist.{sex}.first").read_text().splitlines() for sex in ("female", "male")}
    return {line.split()[0].lower(): sex for sex, lines in lists.items() for line in lines}


def surnames() -> dict[str, str]:
    found = {}
    for language in LANGUAGES:
        found |= dict.fromkeys(import_module(f"faker.providers.person.{language}").Provider.last_names, language)
    return found


def sentiments() -> dict[str, str]:
    lines = files("vaderSentiment").joinpath("vader_lexicon.txt").read_text(encoding="utf-8").splitlines()
    scores = {line.split("\t")[0]: float(line.split("\t")[1]) for line in lines if line}
    return {word: "positive" if score > 0 else "negative" for word, score in scores.items() if word.isalpha()}


def peer() -> object:
    grams = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 5), sublinear_tf=True)
    return make_pipeline(grams, CalibratedClassifierCV(LinearSVC(), cv=3))


def main() -> None:
    warnings.simplefilter("ignore")
    words = NaiveBayes({"text": Words(reading="auto", shortest=1)})
    for read in (first_names, surnames, sentiments):
        pairs = list(read().items())
        often = {label for label, count in Counter(label for _, label in pairs).items() if count >= LEAST}
        pairs = [pair for pair in pairs if pair[1] in often]
        random.Random(0).shuffle(pairs)
        texts, labels = (np.array(each, object) for each in zip(*pairs[:MOST], strict=True))
        told = [f"{read.__name__.replace('_', ' ')}, {len(texts)} in {len(set(labels))} classes:"]
        for name, model in {"NaiveBayes()": NaiveBayes(), "by words": words, "LinearSVC": peer()}.items():
            rows = texts if name == "LinearSVC" else pd.DataFrame({"text": texts})
            dealt = StratifiedKFold(3, shuffle=True, random_state=0)
            posterior = cross_val_predict(model, rows, labels, cv=dealt, method="predict_proba")
            wrong = np.mean(np.unique(labels)[posterior.argmax(axis=1)] != labels)
            told.append(f"{name} {wrong:.1%} / {log_loss(labels, posterior):.3f}")
        print("  ".join(told), flush=True)


if __name__ == "__main__":
    main()
