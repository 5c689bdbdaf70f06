"""Startup time: importing the library, and whole commands, each in a separate process.

    python bench/start.py

Compared with the imports they depend on, and with a script that asks a pickled scikit-learn model the same: one new row
of two columns, or one text. A command is timed from outside, including the start and exit of Python.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline

from tallybayes import Gaussian, Model, Schema, Words, save
from timing import best_of

ROUNDS = 7
MODULES = ("numpy", "pyarrow", "numpy, pyarrow, pyarrow.compute", "tallybayes.model", "sklearn.naive_bayes")
PROGRAM = str(Path(sys.executable).parent / "tallybayes")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}  # installed
ROW = "import pickle; print(pickle.load(open('row.pickle', 'rb')).predict([[2.5, 1.0]]))"
TEXT = "import pickle; print(pickle.load(open('text.pickle', 'rb')).predict(['claim your prize']))"


def prepare(folder: str) -> None:
    """Models of a few rows, ours and the peer's."""
    rows, labels = {"a": [1.5, 2.0, 7.5, 8.0], "b": [0.5, 1.0, 3.5, 4.0]}, ["low", "low", "high", "high"]
    save(Model.train(Schema({"a": Gaussian(), "b": Gaussian()}, label="class"), rows, labels), f"{folder}/row.tally")
    Path(folder, "new.csv").write_text("a,b\n2.5,1.0\n")
    peer = GaussianNB().fit(list(zip(*rows.values(), strict=True)), labels)
    Path(folder, "row.pickle").write_bytes(pickle.dumps(peer))
    texts = ["claim your free prize", "lunch on monday", "you won a prize", "the agenda for monday"]
    save(Model.train({"text": Words()}, texts, ["spam", "ham", "spam", "ham"]), f"{folder}/text.tally")
    pipeline = make_pipeline(CountVectorizer(), MultinomialNB()).fit(texts, ["spam", "ham", "spam", "ham"])
    Path(folder, "text.pickle").write_bytes(pickle.dumps(pipeline))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        print(f"whole process (best of {ROUNDS}), {os.cpu_count()} cores")
        commands = {
            "python": [sys.executable, "-c", ""],
            **{f"import {modules}": [sys.executable, "-c", f"import {modules}"] for modules in MODULES},
            "tallybayes --help": [PROGRAM, "--help"],
            "tallybayes predict, a row from CSV": [PROGRAM, "predict", "row.tally", "new.csv"],
            "  scikit-learn, pickled": [sys.executable, "-c", ROW],
            "tallybayes predict, a text": [PROGRAM, "predict", "text.tally", "--text", "claim your prize"],
            "  scikit-learn, pickled ": [sys.executable, "-c", TEXT],
        }
        run = partial(subprocess.run, cwd=folder, check=True, capture_output=True, env=ENVIRONMENT)
        for name, seconds in best_of({name: partial(run, each) for name, each in commands.items()}, ROUNDS).items():
            print(f"  {name:42}  {seconds:5.2f} s")


if __name__ == "__main__":
    main()
