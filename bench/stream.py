"""Tables larger than memory: training directly from CSV and Parquet of 0.1, 1 and 4 GB, each in its own process.

    python bench/stream.py [sizes in GB]

A mixed table (a label, three numbers, two categories, two counts, a short text) is written to a temporary folder, one
piece repeated. "reading" is pyarrow reading the same columns of the same file and discarding them. Both start with a
file of a few rows, so that one-time imports do not count. Memory must be flat from the smallest to the largest file,
and training at least 70 % as fast as reading.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from processes import peak_memory
from tallybayes import Categorical, Gaussian, Model, Poisson, Schema, Words
from tallybayes.sources import open_source

PIECE_ROWS = 500_000
GROUP_ROWS = 1 << 17
SCHEMA = {
    "age": Gaussian(),
    "income": Gaussian(),
    "distance": Gaussian(),
    "city": Categorical(),
    "plan": Categorical(),
    "calls": Poisson(),
    "visits": Poisson(),
    "note": Words(),
}
KINDS = {name: pa.float64() if family.reads == pa.float64() else pa.string() for name, family in SCHEMA.items()} | {
    "label": pa.string()
}  # for the peer


def piece(rows: int = PIECE_ROWS) -> pa.Table:
    random = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = np.array(["".join(random.choice(letters, random.integers(2, 10))) for _ in range(5000)])
    likely = random.dirichlet(np.full(len(words), 0.1))
    notes = random.choice(words, (rows, 4), p=likely)
    return pa.table(
        {
            "label": np.array(["stays", "leaves", "returns"])[random.integers(0, 3, rows)],
            "age": random.integers(18, 90, rows).astype(float),
            "income": random.lognormal(10, 0.5, rows).round(2),
            "distance": random.normal(50, 20, rows).round(3),
            "city": np.array([f"city {i}" for i in range(300)])[random.integers(0, 300, rows)],
            "plan": np.array(["free", "small", "large"])[random.integers(0, 3, rows)],
            "calls": random.poisson(3, rows),
            "visits": random.poisson(12, rows),
            "note": [" ".join(note) for note in notes],
        }
    )


def write(path: Path, table: pa.Table, size: float) -> None:
    """The table, repeated until the file has this many GB."""
    if path.suffix == ".csv":
        sink = pa.BufferOutputStream()
        pa.csv.write_csv(table, sink)
        header, rows = sink.getvalue().to_pybytes().split(b"\n", 1)
        with open(path, "wb") as out:
            out.write(header + b"\n" + rows)
            while out.tell() < size * 1e9:
                out.write(rows)
        return
    with pa.OSFile(str(path), "wb") as out, pa.parquet.ParquetWriter(out, table.schema) as writer:
        writer.write_table(table, GROUP_ROWS)
        while out.tell() < size * 1e9:
            writer.write_table(table, GROUP_ROWS)


def read(path: Path) -> int:
    """pyarrow alone, discarding what it reads."""
    if path.suffix == ".csv":
        options = pa.csv.ConvertOptions(column_types=KINDS, include_columns=list(KINDS))
        return sum(len(batch) for batch in pa.csv.open_csv(path, convert_options=options))
    return sum(len(batch) for batch in pa.parquet.ParquetFile(path).iter_batches(columns=list(KINDS)))


def train(path: Path) -> int:
    return int(Model.train(Schema(SCHEMA, label="label"), open_source(path), label_type=pa.string()).n)


def measure(what: str, path: Path) -> None:
    work = {"read": read, "train": train}[what]
    work(path.with_name(f"few{path.suffix}"))
    before = time.perf_counter()
    rows = work(path)
    print(rows, time.perf_counter() - before, peak_memory())


def measured(path: Path, times: int) -> dict[str, tuple[float, int, float]]:
    """Seconds, rows and MB of memory: the fastest of several processes each, in turn."""
    runs: dict[str, list[tuple[float, int, float]]] = {"read": [], "train": []}
    for _ in range(times):
        for what, found in runs.items():
            command = [sys.executable, __file__, what, str(path)]
            rows, took, peak = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
            found.append((float(took), int(rows), float(peak)))
    return {what: min(found) for what, found in runs.items()}


def compare(folder: Path, sizes: list[float]) -> None:
    table = piece()
    for suffix in (".csv", ".parquet"):
        write(folder / f"few{suffix}", table[:1000], 0.0)
        for size in sizes:
            free = shutil.disk_usage(folder).free / 1e9
            if free < size * 1.2 + 1:
                print(f"{suffix[1:]:8} {size:4g} GB  left out: only {free:.1f} GB are free in {folder}")
                continue
            path = folder / f"data{suffix}"
            write(path, table, size)
            stored = path.stat().st_size / 1e6
            found = measured(path, 7 if size < 0.5 else 3)
            shown = [f"{suffix[1:]:7} {stored / 1e3:5.2f} GB {found['train'][1]:12,} rows"]
            for name, what in (("training", "train"), ("reading", "read")):
                took, _, peak = found[what]
                shown.append(f"{name} {took:6.2f} s {stored / took:4.0f} MB/s {peak:4.0f} MB peak")
            print(*shown, f"{found['read'][0] / found['train'][0]:.0%} of its speed", sep="   ", flush=True)
            path.unlink()


if __name__ == "__main__":
    if sys.argv[1:2] in (["read"], ["train"]):
        measure(sys.argv[1], Path(sys.argv[2]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            compare(Path(folder), [float(size) for size in sys.argv[1:]] or [0.1, 1.0, 4.0])
