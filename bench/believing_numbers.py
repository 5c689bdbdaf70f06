"""CPU time of believing columns of numbers again after a row was learned; needs no data.

    python bench/believing_numbers.py

A row is learned and one asked, by models of 20 columns of numbers and two classes, counted as histograms as
`Schema.infer` chooses. The best of several rounds; also by column, since believing is nearly all of it.
"""

from __future__ import annotations

import time

import numpy as np

from tallybayes import Model, Schema

COLUMNS, ROUNDS = 20, 15


def main() -> None:
    random = np.random.default_rng(0)
    print(f"{'rows':>9} {'different values':>17} {'learn and ask':>14} {'by column':>10}")
    for rows in (60, 300, 2_000, 30_000, 300_000):
        labels = random.integers(0, 2, rows + ROUNDS)
        numbers = {f"x{i}": random.normal(size=len(labels)) + 0.2 * labels for i in range(COLUMNS)}
        schema = Schema.infer({name: x[:rows] for name, x in numbers.items()}, labels[:rows])
        model = Model.train(schema, {name: x[:rows] for name, x in numbers.items()}, labels[:rows])
        asked = {name: x[:1] for name, x in numbers.items()}
        model.posterior(asked)
        best = np.inf
        for row in range(rows, rows + ROUNDS):
            more = Model.train(schema, {name: x[row : row + 1] for name, x in numbers.items()}, labels[row : row + 1])
            start = time.process_time()
            model += more
            model.posterior(asked)
            best = min(best, time.process_time() - start)
        different = len(model.columns["x0"])
        print(f"{rows:9,} {different:17,} {best * 1e3:11.1f} ms {best / COLUMNS * 1e6:7.0f} µs", flush=True)


if __name__ == "__main__":
    main()
