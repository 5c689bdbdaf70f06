"""Kill −9 repeatedly while fifty threads learn, correct and forget: what is lost, doubled or unreadable?

    python bench/store_kills.py [KILLS]

The same as `tests/store/test_kills.py`, by default 2,000 times. After each kill the store is opened and verified,
everything acknowledged is looked up, and the digest is compared with a model trained on the remaining rows.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests" / "store"
KILLS = 2000
AT_ONCE = 100  # kills of one store, which grows with each


def main(kills: int) -> None:
    sys.path.insert(0, str(TESTS))
    from test_kills import kill_again_and_again

    total: dict[str, int] = {}
    start, done = time.perf_counter(), 0
    while done < kills:
        some = min(AT_ONCE, kills - done)
        with tempfile.TemporaryDirectory() as folder:
            found = kill_again_and_again(Path(folder) / "store", some)
        done += some
        total = {what: total.get(what, 0) + count for what, count in found.items()}
        told = ", ".join(f"{count:,} {what}" for what, count in total.items())
        took = time.perf_counter() - start
        print(f"{done:,} kills in {took:,.0f} s: {told}; 0 lost, 0 doubled, 0 unreadable", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else KILLS)
