"""Time grows with the rows, memory does not: training on streams of 1 and 10 million rows, each in its own process.

    python bench/growth.py

Ten columns: five numbers (one as a histogram), three categories, two counts; batches of 65,536 rows generated on the
fly. "counting" is the time inside the library, without generating the data.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa

from tallybayes import Categorical, Gaussian, Histogram, Model, Poisson, Schema

BATCH = 65_536
SCHEMA = Schema(
    {f"n{i}": Gaussian() for i in range(4)}
    | {"h": Histogram()}
    | {f"c{i}": Categorical() for i in range(3)}
    | {f"p{i}": Poisson() for i in range(2)}
)


def batch(rng: np.random.Generator, rows: int) -> pa.RecordBatch:
    words = np.array([f"word {i}" for i in range(200)])
    cells = {f"n{i}": rng.normal(size=rows) for i in range(4)} | {"h": rng.exponential(size=rows)}
    cells |= {f"c{i}": words[rng.integers(0, 200, rows)] for i in range(3)}
    cells |= {f"p{i}": rng.poisson(3, rows) for i in range(2)}
    return pa.record_batch({**cells, "label": rng.integers(0, 3, rows)})


def measure(rows: int) -> None:
    rng = np.random.default_rng(0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    made = 0.0

    def stream():
        nonlocal made
        left = rows
        while left:
            start = time.perf_counter()
            cells = batch(rng, min(left, BATCH))
            made += time.perf_counter() - start
            left -= len(cells)
            yield cells

    start = time.perf_counter()
    model = Model.train(SCHEMA, stream(), "label", threads=1)
    took = time.perf_counter() - start - made
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"{model.n:12,.0f} rows  counting {took:6.2f} s  {took / rows * 1e9:6.0f} ns a row  "
        f"peak memory {peak / 1024:5.0f} MB ({(peak - before) / 1024:.0f} MB over the start)"
    )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(int(sys.argv[1]))
    else:
        for rows in (1_000_000, 2_000_000, 5_000_000, 10_000_000):
            subprocess.run([sys.executable, __file__, str(rows)], check=True)
