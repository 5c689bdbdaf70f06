"""Columns of many levels, most of them rare: how well fitted pseudo-counts smooth them.

    python bench/rare_levels.py

Levels are Zipf-distributed. Each has an effect on the log-odds of the class, drawn from a normal distribution; effects
of several columns add up. Log-loss of 8,000 new rows after 8,000 to learn from, the mean over seeds 0 to 3, beside the
same model with α = 2 instead, and scikit-learn's logistic regression on indicators of the levels.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from tallybayes import Categorical, NaiveBayes, SemiNaiveBayes

ROWS = 8_000
CASES = [(3_000, 1.0, 1), (3_000, 1.0, 3), (500, 0.7, 4), (20_000, 1.5, 2)]  # levels, standard deviation, columns


def made_up(levels: int, deviation: float, columns: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(seed)
    often = 1.0 / np.arange(1, levels + 1)
    odds, frame = np.zeros(2 * ROWS), {}
    for column in range(columns):
        level = random.choice(levels, 2 * ROWS, p=often / often.sum())
        odds += random.normal(0.0, deviation, levels)[level]
        frame[f"c{column}"] = np.char.add("level ", level.astype(str))
    return pd.DataFrame(frame), (random.random(2 * ROWS) < 1.0 / (1.0 + np.exp(-odds))).astype(int)


def losses(frame: pd.DataFrame, labels: np.ndarray) -> dict[str, float]:
    models = {
        "naive": NaiveBayes(weigh=False),
        "weighed": NaiveBayes(),
        "semi-naive": SemiNaiveBayes(),
        "weighed, α = 2": NaiveBayes(dict.fromkeys(frame, Categorical(alpha=2))),
        "logistic": make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression(max_iter=1000)),
    }
    learned, asked = slice(ROWS), slice(ROWS, None)
    fitted = {name: model.fit(frame[learned], labels[learned]) for name, model in models.items()}
    return {name: log_loss(labels[asked], model.predict_proba(frame[asked])) for name, model in fitted.items()}


def main() -> None:
    for levels, deviation, columns in CASES:
        found = [losses(*made_up(levels, deviation, columns, seed)) for seed in range(4)]
        print(f"\n{columns} column(s) of {levels:,} levels, standard deviation of effects {deviation}")
        for name in found[0]:
            print(f"  {name:16} {np.mean([each[name] for each in found]):.3f}", flush=True)


if __name__ == "__main__":
    main()
