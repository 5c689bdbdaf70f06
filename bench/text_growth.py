"""Training on a stream of texts: 0.25 to 2 GB of synthetic documents, each in its own process.

    python bench/text_growth.py

The texts are generated on the fly, in batches of about 6 MB, and their vocabulary never stops growing. "counting" is
the time inside the library, without generating the texts; memory follows the vocabulary, not the texts.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Iterator

import pyarrow as pa

from corpus import MB, batches
from tallybayes import Model, Schema, Words

SIZES = (250, 500, 1000, 2000)  # MB


class Timed:
    """A stream that records its own generation time and bytes."""

    def __init__(self, stream: Iterator[pa.RecordBatch]) -> None:
        self.stream, self.seconds, self.bytes = stream, 0.0, 0

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        start = time.perf_counter()
        for batch in self.stream:
            self.bytes += batch["body"].nbytes
            self.seconds += time.perf_counter() - start
            yield batch
            start = time.perf_counter()
        self.seconds += time.perf_counter() - start


def peak() -> int:
    """Peak memory of this process in bytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def measure(megabytes: float) -> None:
    next(batches(megabytes))
    before = peak()
    texts = Timed(batches(megabytes))
    start = time.perf_counter()
    model = Model.train(Schema({"body": Words()}), iter(texts), "label", threads=2)
    took = time.perf_counter() - start - texts.seconds
    after, words = peak(), len(model.counts("body").slots)
    print(
        f"{texts.bytes / MB:7,.0f} MB  counting {took:6.2f} s  {texts.bytes / MB / took:5.0f} MB/s  {words:9,} words  "
        f"peak memory {after / MB:5.0f} MB ({(after - before) / MB:.0f} MB over generating the texts)",
        flush=True,
    )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(float(sys.argv[1]))
    else:
        for megabytes in SIZES:
            subprocess.run([sys.executable, __file__, str(megabytes)], check=True)
