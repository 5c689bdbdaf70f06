"""Leave-one-out by subtraction, against retraining without each row.

    python bench/validate.py

The 32,561 rows of adult-train, 14 columns of all kinds with the inferred schema: `left_out` scores every row by the
counts without it. The peer is the same library trained and queried 200 times, each time without one row; all rows would
take 162.8 times as long. Texts: all documents of a set, in the inferred reading; and in the multinomial one, compared
with subtracting 200 of them one by one, as `choose_again=True` does.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from corpus import DATA
from sets import TABLES, read_lines
from tallybayes import Model, Schema, Words, left_out
from timing import best_of

REFITS = 200
SETS = ("movie-reviews-2k", "cr", "enron1-2")


def tables() -> None:
    rows = pd.read_csv(TABLES / "adult-train.csv")
    labels = rows.pop("income").to_numpy(object)
    schema = Schema.infer(rows)
    model = Model.train(schema, rows, labels)
    some = np.linspace(0, len(rows) - 1, REFITS).astype(int)

    def refit() -> None:
        for row in some:
            kept = np.arange(len(rows)) != row
            Model.train(schema, rows[kept], labels[kept]).evidence(rows.iloc[[row]])

    ours = best_of({"left out": lambda: left_out(model, rows, labels)})["left out"]
    again = best_of({"refits": refit}, rounds=1)["refits"] / REFITS * len(rows)
    print(f"adult-train, {len(rows):,} rows: {ours:.2f} s by subtraction, {again:,.0f} s by retraining")
    print(f"  {again / ours:,.0f} × as fast")


def texts() -> None:
    for name in SETS:
        pairs = read_lines(DATA / f"{name}.jsonl.gz")
        frame, labels = {"text": [text for text, _ in pairs]}, [label for _, label in pairs]
        model = Model.train(Schema.infer(frame), frame, labels)
        took = best_of({"left out": lambda m=model, f=frame, y=labels: left_out(m, f, y)}, rounds=2)["left out"]
        print(f"{name}: {len(labels):,} texts in {took:.2f} s, {took / len(labels) * 1e6:.0f} µs each")
        plain = Model.train({"text": Words()}, frame, labels)
        some, own = {"text": frame["text"][:REFITS]}, labels[:REFITS]
        took = best_of({"at once": lambda m=plain, f=frame, y=labels: left_out(m, f, y)}, rounds=2)["at once"]
        slow = {"one by one": lambda m=plain, f=some, y=own: left_out(m, f, y, choose_again=True)}
        each, alone = took / len(labels), best_of(slow, rounds=2)["one by one"] / len(own)
        print(f"  multinomial: {each * 1e6:.0f} µs each, one by one {alone * 1e6:.0f} µs: {alone / each:.0f} × as fast")


if __name__ == "__main__":
    if DATA.exists():
        tables()
        texts()
    else:
        print(f"{DATA} is missing.")
