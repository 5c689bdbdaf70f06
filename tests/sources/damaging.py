"""Read a file with many fixed kinds of damage, or every n-th of them, in a separate process, which may crash.

Prints the number of rows of reads without an error, the number of errors, and the memory used.
"""

import json
import random
import resource
import sys
from itertools import islice
from pathlib import Path

import pyarrow as pa

from tallybayes.sources import ReadOptions, SourceError, open_source

PIECES = [b"null\n", b"\nnull", b"{", b"}", b"[", b'"', b"\0", b"\xef\xbb\xbf", b"\r", b"\n", b",", b"\xff", b"1e999"]
FLIP = 0x02  # in a footer this toggles optional columns, lengthens lists and shrinks numbers
HUGE = (0x7FFFFFF0).to_bytes(4, "little")


def mutations(content, is_text):
    """The end is where Parquet and Arrow keep metadata, the beginning where a stream does."""
    chance = random.Random(7)
    yield from (content[: chance.randrange(4, len(content))] for _ in range(20))
    for _ in range(200):
        damaged = bytearray(content)
        for _ in range(chance.choice([1, 1, 2, 3, 8])):
            damaged[chance.randrange(4, len(content))] = chance.choice([chance.randrange(256), 0, 127, 128, 255])
        yield damaged
    if is_text:
        for _ in range(400):
            at = chance.randrange(len(content))
            yield content[:at] + chance.choice(PIECES) + content[at + chance.randrange(3) :]
        return
    for at in range(0, min(len(content), 600), 4):
        yield content[:at] + HUGE + content[at + 4 :]
    for at in range(max(len(content) - 1200, 0), len(content)):
        yield content[:at] + bytes([content[at] ^ FLIP]) + content[at + 1 :]


def peak():
    """Bytes of memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def main(path, is_text, step):
    content, damaged = Path(path).read_bytes(), Path(path).with_name(f"damaged-{Path(path).name}")
    kinds = {"x": pa.float64(), "word": pa.string()}
    errors, rows, before = 0, set(), None
    for number, mutation in enumerate(islice(mutations(content, is_text), 0, None, step)):
        damaged.write_bytes(mutation)
        try:
            source = open_source(damaged, ReadOptions(block_bytes=(64, 1 << 20)[number % 2]))
            if number % 3:
                source.sample()
            rows.add(sum(map(len, source.batches(kinds))))
        except SourceError as error:
            errors += str(error).isprintable()
        before = before or peak()
    print(json.dumps({"errors": errors, "rows": sorted(rows), "memory": peak() - before}))


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main(sys.argv[1], sys.argv[2] == "text", int(sys.argv[3]))
