"""Training on streams: memory follows what is counted, not the number of rows. Each stream has a process of its own.

    python bench/growth.py [rows] [texts] [languages]

"rows": 1 to 10 million rows of five numbers (one as a histogram), three categories and two counts. "texts": 0.25 to
2 GB of synthetic documents, whose vocabulary never stops growing. "languages": 139 classes and three million distinct
words, nine in ten of them in one class only; then a text is asked about, and memory should stay below 2 GB. Batches are
generated on the fly; "counting" is the time inside the library, without that.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from corpus import MB, batches
from processes import peak_memory
from tallybayes import Categorical, Gaussian, Histogram, Model, Poisson, Schema, Words
from timing import timed

BATCH = 65_536  # rows
SIZES = {"rows": (1_000_000, 2_000_000, 5_000_000, 10_000_000), "texts": (250, 500, 1000, 2000), "languages": (160,)}
LANGUAGES = {"classes": 139, "own": 0.9, "tail": 0.3}
MIXED = Schema(
    {f"n{i}": Gaussian() for i in range(4)}
    | {"h": Histogram()}
    | {f"c{i}": Categorical() for i in range(3)}
    | {f"p{i}": Poisson() for i in range(2)}
)
TEXTS = Schema({"body": Words()})


class Timed:
    """A stream that records its own generation time and bytes."""

    def __init__(self, stream: Iterator[pa.RecordBatch]) -> None:
        self.stream, self.seconds, self.bytes = stream, 0.0, 0

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        start = time.perf_counter()
        for batch in self.stream:
            self.bytes += batch.nbytes
            self.seconds += time.perf_counter() - start
            yield batch
            start = time.perf_counter()
        self.seconds += time.perf_counter() - start


def mixed(rows: int) -> Iterator[pa.RecordBatch]:
    rng, words = np.random.default_rng(0), np.array([f"word {i}" for i in range(200)])
    for start in range(0, rows, BATCH):
        n = min(BATCH, rows - start)
        cells = {f"n{i}": rng.normal(size=n) for i in range(4)} | {"h": rng.exponential(size=n)}
        cells |= {f"c{i}": words[rng.integers(0, 200, n)] for i in range(3)}
        cells |= {f"p{i}": rng.poisson(3, n) for i in range(2)}
        yield pa.record_batch({**cells, "label": rng.integers(0, 3, n)})


def measure(what: str, size: int) -> None:
    make = {"rows": mixed, "texts": batches, "languages": lambda size: batches(size, **LANGUAGES)}[what]
    next(make(size))
    generating, stream = peak_memory(), Timed(make(size))
    schema = MIXED if what == "rows" else TEXTS
    took, model = timed(lambda: Model.train(schema, iter(stream), "label", threads=1 if what == "rows" else 2))
    took -= stream.seconds
    print(
        f"{what:9} {model.n:12,.0f} rows, {stream.bytes / MB:6,.0f} MB  counting {took:6.2f} s, "
        f"{took / model.n * 1e9:8,.0f} ns a row, {stream.bytes / MB / took:4.0f} MB/s  "
        f"peak memory {peak_memory():5.0f} MB ({peak_memory() - generating:.0f} MB over generating)",
        flush=True,
    )
    if what == "languages":
        ask(model)
    if what != "rows":
        print(f"  {len(model.counts('body').slots):,} different words in {len(model.classes)} classes", flush=True)


def ask(model: Model) -> None:
    asked = next(batches(1, **LANGUAGES, seed=1))
    first, _ = timed(lambda: model.posterior(asked.slice(0, 1)))
    took, posterior = timed(lambda: model.posterior(asked))
    right = np.mean(np.array(model.classes)[posterior.argmax(axis=1)] == np.array(asked["label"].to_pylist()))
    print(
        f"  first answer {first:.2f} s, then {took / len(asked) * 1e6:.1f} µs a text, {right:.1%} right; "
        f"peak memory {peak_memory():.0f} MB (target 2,000 MB)"
    )


if __name__ == "__main__":
    if sys.argv[-1].isdigit():
        measure(sys.argv[1], int(sys.argv[2]))
    else:
        for what in sys.argv[1:] or SIZES:
            for size in SIZES[what]:
                subprocess.run([sys.executable, __file__, what, str(size)], check=True)
