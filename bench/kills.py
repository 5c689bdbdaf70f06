"""Kill a service (SIGKILL) at random instants while fifty clients learn, 2,000 times, a hundred per store.

    python bench/kills.py [times]

Prints the rows acknowledged and lost, the rows counted twice, and how often the store was unreadable. After every
hundred kills everything is checked: the digest against a model trained on the stored rows, and `verify`. Every service
is forked from a process that has imported everything: starting Python 2,000 times would take longer than the rest. Seed
17.
"""

from __future__ import annotations

import multiprocessing
import random
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from tallybayes import Store
from tallybayes.serve.app import make_app
from tallybayes.serve.opening import opened_stores
from tallybayes.serve.server import bound_socket, serve, url_of
from tallybayes.store import StoreError

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from killing import check_all_there, killed
from service import TEXTS

TIMES, CHECKED = 2_000, 100
FORKED = multiprocessing.get_context("forkserver")


@contextmanager
def forked(path: Path) -> Iterator[tuple[BaseProcess, str]]:
    """A service in a separate process, and its URL."""
    ours, theirs = FORKED.Pipe(duplex=False)
    child = FORKED.Process(target=run, args=(path, theirs))
    child.start()
    theirs.close()
    try:
        yield child, ours.recv()
    finally:
        child.kill()
        child.join()


def run(path: Path, address: Connection) -> None:
    with opened_stores([str(path)]) as stores, bound_socket("127.0.0.1", 0) as listening:
        serve(make_app(stores), listening, lambda: address.send(url_of(listening)))


def main() -> None:
    FORKED.set_forkserver_preload(["__main__", "uvloop", "scipy.special"])
    times = int(sys.argv[1]) if len(sys.argv) > 1 else TIMES
    waits = random.Random(17)
    lost = doubled = sent = acknowledged = 0
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, times, CHECKED):
            path = Path(folder, str(start), "s")  # the name that the clients use
            path.parent.mkdir()
            Store.create(path, TEXTS).close()
            said: dict[str, bool] = {}
            for turn in range(start, min(start + CHECKED, times)):
                new = killed(path, turn, waits, forked)
                said |= new
                try:
                    with Store.open(path) as store:
                        there = store.ids()
                except StoreError as error:
                    raise SystemExit(f"After {turn + 1:,} kills the store is unreadable: {error}") from None
                lost += len({id for id, is_there in new.items() if is_there} - set(there))
                doubled += len(there) - len(set(there))
            check_all_there(path, said)
            sent, acknowledged = sent + len(said), acknowledged + sum(said.values())
            told = f"{acknowledged:,} acknowledged, {lost} lost, {doubled} doubled; 0 unreadable"
            print(f"{turn + 1:,} kills, {sent:,} rows sent, {told}", flush=True)


if __name__ == "__main__":
    main()
