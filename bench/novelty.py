"""Detecting texts of unseen classes: a fifth of the classes is left out of training.

    python bench/novelty.py [set …]

AUROC of texts of unseen classes against those of known ones, by `model.novelty`, by the maximum posterior, and by the
mean of their ranks.
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn.metrics import roc_auc_score

from sets import texts
from tallybayes import Model, Words

SETS = ("banking77", "clinc150")
FAMILIES = {
    "multinomial": Words(),
    "auto": Words(reading="auto", ngrams=2, shortest=1, punctuation=True),
}


def main() -> None:
    for given in texts(sys.argv[1:] or list(SETS)):
        part = next(given.parts())
        classes = np.unique(part.labels)
        out = set(np.random.default_rng(0).choice(classes, len(classes) // 5, replace=False))
        known = np.array([label not in out for label in part.labels])
        new = np.array([label in out for label in part.truth])
        for name, family in FAMILIES.items():
            model = Model.train({"text": family}, part.learned[known], part.labels[known])
            sure, usual = model.posterior(part.asked).max(axis=1), model.novelty(part.asked)
            both = sure.argsort().argsort() + usual.argsort().argsort()
            told = (
                f"{what} {roc_auc_score(new, -score):.3f}"
                for what, score in {"novelty": usual, "maximum posterior": sure, "both": both}.items()
            )
            print(f"{given.name:10} {name:12} AUROC: {', '.join(told)}", flush=True)


if __name__ == "__main__":
    main()
