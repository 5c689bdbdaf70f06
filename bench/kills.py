"""A service that is killed (SIGKILL) at random instants while fifty clients learn, 2,000 times over the same store.

    python bench/kills.py [times]

Printed are rows that were acknowledged and lost, rows that are there twice, and how often the store could not be read.
Every hundredth time all of it is checked: the digest against a model trained on the rows that are there, and `verify`.
Seed 17. It takes about two seconds a time.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

from tallybayes import Store
from tallybayes.store import StoreError

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from killing import check_all_there, killed
from service import TEXTS

TIMES, CHECKED = 2_000, 100


def main() -> None:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else TIMES
    waits = random.Random(17)
    said: dict[str, bool] = {}
    lost = doubled = unreadable = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "s")  # the name that the clients ask for
        Store.create(path, TEXTS).close()
        for turn in range(times):
            new = killed(path, turn, waits)
            said |= new
            try:
                with Store.open(path) as store:
                    there = store.ids()
            except StoreError as error:
                unreadable += 1
                print(error)
                break
            lost += len({id for id, acknowledged in new.items() if acknowledged} - set(there))
            doubled += len(there) - len(set(there))
            if (turn + 1) % CHECKED == 0 or turn + 1 == times:
                check_all_there(path, said)
                told = f"{sum(said.values()):,} acknowledged: {lost} lost, {doubled} doubled; {unreadable} unreadable"
                print(f"{turn + 1:,} kills, {len(said):,} rows sent, {told}", flush=True)


if __name__ == "__main__":
    main()
