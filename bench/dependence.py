"""Dependent columns, a million rows of twenty columns with ten levels: pair counts and networks against numpy, and
forests against scikit-learn.

    python bench/dependence.py

Both count codes on one thread: numpy's `bincount` each pair with the class, the kernel all pairs in one pass. "From
columns" is `Model.train` on pandas integers; "from frame" also chooses intervals. Seed 0.
"""

from __future__ import annotations

import resource
from itertools import combinations

import numpy as np
import pandas as pd
import pyarrow as pa
from sklearn.ensemble import RandomForestClassifier

from tallybayes import Model, Pairs, Schema, SemiNaiveBayes, Trees, Tuples, prepare
from tallybayes.counts.tally import Rows
from timing import best_of, each, row

ROWS, COLUMNS, LEVELS, CLASSES = 1_000_000, 20, 10, 2
MANY = 50  # columns, too
FEW = 12  # columns counted in triples
ASKED = 100_000


def table(rng: np.random.Generator, rows: int, columns: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Each column equals the previous one in half of its cells, and the class in a few."""
    labels = rng.integers(0, CLASSES, rows)
    found = [rng.integers(0, LEVELS, rows)]
    for _ in range(columns - 1):
        new = np.where(rng.random(rows) < 0.5, found[-1], rng.integers(0, LEVELS, rows))
        found.append(np.where(rng.random(rows) < 0.05, labels, new))
    return pd.DataFrame({f"x{j:02}": column for j, column in enumerate(found)}), labels


def by_numpy(codes: np.ndarray, labels: np.ndarray) -> list[np.ndarray]:
    """Every column, and every pair, with the class."""
    wide = [column.astype(np.int64) for column in codes.T]
    tables = [np.bincount(column * CLASSES + labels) for column in wide]
    return tables + [np.bincount((a * (LEVELS + 1) + b) * CLASSES + labels) for a, b in combinations(wide, 2)]


def counting(frame: pd.DataFrame, labels: np.ndarray) -> Model:
    """Count pairs."""
    block = tuple(frame.columns)
    schema = prepare({block: Pairs()}, frame, labels)
    family = schema.columns[block]
    codes, rows = family.encode(_struct(frame)), Rows(["0", "1"], labels.astype(np.int32))
    times = best_of(
        {
            "numpy": lambda: by_numpy(codes, labels),
            "codes": lambda: family.tally(codes, rows),
            "one thread": lambda: Model.train(schema, frame, labels, threads=1),
            "frame": lambda: Model.train({block: Pairs()}, frame, labels),
        },
        rounds=3,
    )
    pairs = ROWS * COLUMNS * (COLUMNS - 1) / 2
    for name, ours, asked in (
        ("codes", "codes", "0.4 s"),
        ("columns, one thread", "one thread", ""),
        ("frame", "frame", ""),
    ):
        told, peer = f"{times[ours]:.2f} s", f"numpy {times['numpy']:.2f} s"
        row(f"pairs of {ROWS:,} × {COLUMNS}, from {name}", told, peer, times["numpy"] / times[ours], asked)
    row("one pair of one row", f"{times['codes'] / pairs * 1e9:.2f} ns", f"{times['numpy'] / pairs * 1e9:.2f} ns")
    return Model.train(schema, frame, labels)


def _struct(frame: pd.DataFrame) -> pa.Array:
    return pa.Table.from_pandas(frame, preserve_index=False).to_struct_array().combine_chunks()


def believing(model: Model, frame: pd.DataFrame) -> None:
    """Find networks, and score rows."""
    block = next(iter(model.schema.columns))
    family, tally = model.schema.columns[block], model.columns[block]
    codes = np.ascontiguousarray(family.encode(_struct(frame[:ASKED])))
    scores = np.zeros((CLASSES, ASKED))
    for structure in ("naive", "tree", "k-dependence", "averaged"):
        chosen = family.changed({"structure": structure}).over(block)
        belief = chosen.believe(tally, model.keys())
        times = best_of(
            {
                "believe": lambda chosen=chosen: chosen.believe(tally, model.keys()),
                "score": lambda belief=belief: belief.add_evidence(codes, scores),
            }
        )
        row(f"{structure} of {len(block)} columns: find", f"{times['believe'] * 1e3:.1f} ms")
        asked = "0.4 µs" if structure == "averaged" and len(block) == COLUMNS else ""
        asked = "5 µs" if structure == "averaged" and len(block) == MANY else asked
        row(f"{structure} of {len(block)} columns: score a row", f"{times['score'] / ASKED * 1e6:.2f} µs", target=asked)


def learning(model: Model, frame: pd.DataFrame, labels: np.ndarray) -> None:
    """Learn and forget a row."""
    one = frame.iloc[0].to_dict()
    label = [labels[0].item()]

    def change() -> None:
        nonlocal model
        model += Model.train(model.schema, one, label)
        model -= Model.train(model.schema, one, label)

    took = best_of({"both": each(change, 50)})["both"] / 100
    row("learn or forget a row", f"{took * 1e3:.2f} ms", target="1 ms")


def threes(frame: pd.DataFrame, labels: np.ndarray) -> None:
    """Count triples of a few columns, and average over every two parents."""
    some = frame[list(frame.columns[:FEW])]
    block = tuple(some.columns)
    family = prepare({block: Tuples(structure="averaged")}, some, labels).columns[block]
    codes, rows = family.encode(_struct(some)), Rows(["0", "1"], labels.astype(np.int32))
    belief = family.believe(family.tally(codes, rows), ["0", "1"])
    few, scores = np.ascontiguousarray(codes[:ASKED]), np.zeros((CLASSES, ASKED))
    works = {"count": lambda: family.tally(codes, rows), "score": lambda: belief.add_evidence(few, scores)}
    times = best_of(works, rounds=3)
    row(f"triples of {ROWS:,} × {FEW}, from codes", f"{times['count']:.2f} s")
    row(f"averaged over every two of {FEW} columns: score a row", f"{times['score'] / ASKED * 1e6:.2f} µs")


def trees(frame: pd.DataFrame, labels: np.ndarray) -> None:
    """Grow, count and score forests, against scikit-learn's with as many trees. That one is grown on a tenth of the
    rows and its time multiplied by ten, although its time grows faster than the rows.
    """
    block, some = tuple(frame.columns), frame[:ASKED]
    schema = prepare({block: Trees()}, frame, labels)
    family = schema.columns[block]
    codes, rows = family.encode(_struct(frame)), Rows(["0", "1"], labels.astype(np.int32))
    part = len(frame) // 10
    forest = RandomForestClassifier(200, n_jobs=2, random_state=0).fit(frame[:part], labels[:part])
    model = SemiNaiveBayes().fit(frame, labels)
    times = best_of(
        {
            "forest": lambda: RandomForestClassifier(200, n_jobs=2, random_state=0).fit(frame[:part], labels[:part]),
            "grow": lambda: prepare({block: Trees()}, frame, labels),
            "count": lambda: family.tally(codes, rows),
            "fit": lambda: SemiNaiveBayes().fit(frame, labels),
        },
        rounds=1,
    )
    times |= best_of({"forest asked": lambda: forest.predict_proba(some), "asked": lambda: model.predict_proba(some)})
    row("find the questions of 200 trees", f"{times['grow']:.2f} s")
    row(f"200 trees of {ROWS:,} × {COLUMNS} counted, one thread", f"{times['count']:.2f} s", target="6 s")
    peer = f"forest {10 * times['forest']:.0f} s"
    row("SemiNaiveBayes.fit", f"{times['fit']:.2f} s", peer, 10 * times["forest"] / times["fit"], "10 ×")
    asked = times["forest asked"] / times["asked"]
    row(f"score {ASKED:,} rows", f"{times['asked']:.2f} s", f"forest {times['forest asked']:.2f} s", asked, "3 ×")
    learning(Model.train(schema, frame, labels), frame, labels)


def main() -> None:
    rng = np.random.default_rng(0)
    frame, labels = table(rng, ROWS, COLUMNS)
    print(f"\n{ROWS:,} rows of {COLUMNS} columns with {LEVELS} levels, {CLASSES} classes")
    model = counting(frame, labels)
    believing(model, frame)
    learning(model, frame, labels)
    threes(frame, labels)
    trees(frame, labels)
    wide, more = table(rng, ASKED, MANY)
    believing(Model.train(Schema({tuple(wide.columns): Pairs()}), wide, more), wide)
    print(f"  peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


if __name__ == "__main__":
    main()
