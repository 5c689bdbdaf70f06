"""Kill −9 at random instants while fifty learn, 2,000 times: what is lost, doubled or unreadable?

    python bench/kills.py [KILLS] [SEED]

Half the kills hit a service with fifty HTTP clients that learn; the others hit a process with fifty threads that learn,
correct and forget, with a snapshot every seven changes. After each kill the store is opened, and everything
acknowledged is looked up. After every 25 (of a service, 100) everything is checked: the digest against a model trained
on the remaining rows, and `verify`. Each store is killed a hundred times. Every process is forked from one that has
imported everything, since starting Python would take longer than the rest. Seed 17, or the one given.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from tallybayes import Store
from tallybayes.serve.app import make_app
from tallybayes.serve.opening import opened_stores
from tallybayes.serve.server import bound_socket, serve, url_of

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import killing
import killing_stores
from service import TEXTS

KILLS, OF_A_STORE, WHOLE = 2_000, 100, 25
FORKED = multiprocessing.get_context("forkserver")
LOADED = ["tallybayes.serve.opening", "uvloop", "scipy.special", "pandas", "killing", "killing_stores"]


@contextmanager
def forked(target: Any, *arguments: object) -> Iterator[tuple[BaseProcess, Connection]]:
    """A separate process, and what it sends to its last argument."""
    ours, theirs = FORKED.Pipe(duplex=False)
    child = FORKED.Process(target=target, args=(*arguments, theirs))
    child.start()
    theirs.close()
    try:
        yield child, ours
    finally:
        child.kill()
        child.join()
        ours.close()


@contextmanager
def forked_service(path: Path) -> Iterator[tuple[BaseProcess, str]]:
    with forked(run_service, path) as (child, address):
        yield child, address.recv()


def run_service(path: Path, address: Connection) -> None:
    with opened_stores([str(path)]) as stores, bound_socket("127.0.0.1", 0) as listening:
        serve(make_app(stores), listening, lambda: address.send(url_of(listening)))


@contextmanager
def forked_store(path: Path, turn: int) -> Iterator[tuple[int | None, Any]]:
    with forked(run_store, path, turn) as (child, said), open(os.dup(said.fileno()), "rb") as output:
        yield child.pid, output


def run_store(path: Path, turn: int, said: Connection) -> None:
    killing_stores.work(path, turn, said.fileno())


def service_killed(path: Path, kills: int, waits: random.Random) -> dict[str, int]:
    """The number of acknowledged rows, of which none may be lost or doubled."""
    Store.create(path, TEXTS).close()
    said: dict[str, bool] = {}
    for turn in range(kills):
        said |= killing.killed(path, turn, waits, forked_service)
        with Store.open(path) as store:
            there = store.ids()
        assert len(there) == len(set(there))
        assert {id for id, acknowledged in said.items() if acknowledged} <= set(there) <= set(said)
    killing.check_all_there(path, said)
    return {"learned over HTTP": sum(said.values())}


def store_killed(path: Path, kills: int, waits: random.Random) -> dict[str, int]:
    return killing_stores.kill_again_and_again(path, kills, waits, forked_store, WHOLE)


def main(kills: int, seed: int) -> None:
    os.environ["PYTHONPATH"] = sys.path[0]  # where the server finds the tests
    FORKED.set_forkserver_preload(LOADED)
    done, total, start, waits = 0, Counter[str](), time.perf_counter(), random.Random(seed)
    while done < kills:
        some = min(OF_A_STORE, kills - done)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "s")  # the name that the clients use
            killed = store_killed if done // OF_A_STORE % 2 else service_killed
            total.update(killed(path, some, waits))
        done += some
        told = ", ".join(f"{count:,} {what}" for what, count in total.items())
        took = time.perf_counter() - start
        print(f"{done:,} kills in {took:,.0f} s: {told}; 0 lost, 0 doubled, 0 unreadable", flush=True)


if __name__ == "__main__":
    kills, seed = [*map(int, sys.argv[1:]), *(KILLS, 17)[len(sys.argv) - 1 :]]
    main(kills, seed)
