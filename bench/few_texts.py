"""Whether weighing helps models of a few texts: log-loss and error on 400 other rows, weighed and not.

    python bench/few_texts.py

Eight draws for each size, from the text sets of `sets.py`; of sets with many classes the four most frequent. "mixed"
adds the length of the text, its capital letters, a random number and a random level as columns.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from sklearn.metrics import log_loss

from sets import texts
from tallybayes import NaiveBayes

SIZES = (20, 30, 60, 120)
DRAWS = 8
ASKED = 400
CLASSES = 4


def table(bodies: np.ndarray, random: np.random.Generator, mixed: bool) -> pd.DataFrame:
    frame = pd.DataFrame({"text": bodies})
    if not mixed:
        return frame
    return frame.assign(
        length=[len(text) for text in bodies],
        capitals=[sum(map(str.isupper, text)) for text in bodies],
        noise=random.normal(size=len(bodies)),
        level=random.choice(list("abcd"), len(bodies)),
    )


def losses(rows: pd.DataFrame, labels: np.ndarray, learned: int, weigh: bool) -> tuple[float, float]:
    """The error and the log-loss of the rows that were not learned."""
    model = NaiveBayes(weigh=weigh).fit(rows[:learned], labels[:learned])
    classes, truth = np.unique(labels), labels[learned:]
    posterior = np.full((len(truth), len(classes)), 1e-5)
    posterior[:, np.isin(classes, model.classes_)] += model.predict_proba(rows[learned:])
    posterior /= posterior.sum(axis=1, keepdims=True)
    return float(np.mean(classes[posterior.argmax(axis=1)] != truth)), log_loss(truth, posterior, labels=classes)


def main() -> None:
    warnings.simplefilter("ignore")
    for each in texts([]):
        name, labels, bodies = each.name, np.asarray(each.labels), each.rows.iloc[:, 0].to_numpy()
        often = pd.Series(labels).value_counts().index[:CLASSES]
        known = np.isin(labels, often)
        for mixed in (False, True):
            for size in SIZES:
                found = []
                for seed in range(DRAWS):
                    random = np.random.default_rng(seed)
                    drawn = random.permutation(np.flatnonzero(known))[: size + ASKED]
                    rows = table(bodies[drawn], random, mixed)
                    found.append([losses(rows, labels[drawn], size, weigh) for weigh in (False, True)])
                (error, loss), (error_weighed, loss_weighed) = np.mean(found, axis=0)
                better = int(np.sum([weighed[1] < plain[1] for plain, weighed in found]))
                print(
                    f"{name:18} {'mixed' if mixed else 'text':5} {size:4}  {100 * error:4.1f} / {loss:.3f}  weighed "
                    f"{100 * error_weighed:4.1f} / {loss_weighed:.3f}  lower log-loss in {better} of {DRAWS}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
