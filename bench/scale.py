"""Cost of distributed training, measured on one core: counting, and the transfer of models.

    python bench/scale.py [megabytes ...]

Synthetic texts whose vocabulary never stops growing, counted by one thread: megabytes a second, distinct words, the
size of the model, and the time to serialise a model, read it and add it to another. All times are CPU time, so that
other work on the machine does not show. docs/scale.md extrapolates from these numbers.
"""

from __future__ import annotations

import sys
import time

from corpus import MB, batches
from tallybayes import Model, Schema, Words
from tallybayes.files import from_bytes, to_bytes

SCHEMA = Schema({"body": Words()}, label="label")


def measure(megabytes: float) -> None:
    total, size, counting = Model(SCHEMA), 0, 0.0
    for batch in batches(megabytes):
        size += batch["body"].nbytes
        start = time.process_time()
        total += Model.train(SCHEMA, batch, threads=1)
        counting += time.process_time() - start
    start = time.process_time()
    data = to_bytes(total)
    writing = time.process_time() - start
    start = time.process_time()
    other = from_bytes(data)
    reading = time.process_time() - start
    start = time.process_time()
    total += other
    adding = time.process_time() - start
    words = len(total.counts("body").slots)
    print(
        f"{size / MB:6,.0f} MB of text: {size / MB / counting:4.0f} MB/s, {words:9,} words, a model of "
        f"{len(data) / MB:6.1f} MB; writing {writing:.2f} s, reading {reading:.2f} s, adding {adding:.2f} s",
        flush=True,
    )


if __name__ == "__main__":
    for each in map(float, sys.argv[1:] or ("16", "64", "256")):
        measure(each)
