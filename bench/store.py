"""A store under load: the cost of a change, group commit, opening time, and flat memory.

    python bench/store.py [learn] [threads] [words] [opening] [copies] [memory] [ROWS]

Texts have 13 words, drawn from 20,000 by Zipf's law, in two classes. Everything is on the disk of the temporary folder
(TMPDIR), whose sync is timed as well: it dominates a commit. ROWS is the large number of rows, by default a million.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from tallybayes import Model, Store, Words
from timing import CPU, best_of, each, timed

SCHEMA = {"text": Words()}
MANY = 1_000_000
NEVER = 1 << 60  # changes between snapshots


def texts(count: int, seed: int = 0, vocabulary: int = 20_000) -> Iterator[str]:
    random = np.random.default_rng(seed)
    share = 1.0 / np.arange(1, vocabulary + 1)
    for start in range(0, count, 10_000):
        drawn = random.choice(vocabulary, (min(10_000, count - start), 13), p=share / share.sum())
        yield from (" ".join(f"w{word}" for word in words) for words in drawn.tolist())


def rows(count: int, name: str = "m") -> Iterator[tuple[str, str, str]]:
    for i, text in enumerate(texts(count)):
        yield text, "spam" if i % 2 else "ham", f"{name}-{i}"


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as path:
        yield Path(path) / "store"


def unsynced(store: Store) -> None:
    store._ask(lambda: store._journal.sql.execute("PRAGMA synchronous=OFF"))


def resident() -> float:
    """Current memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def processor(work: Callable[[], object], times: int) -> float:
    """CPU seconds per call, in the best of five rounds."""
    return best_of({"it": each(work, times)}, clock=CPU)["it"] / times


def seconds(work: Callable[[], object]) -> float:
    return timed(work)[0]


def learn() -> None:
    """The cost of a change without the sync."""
    with folder() as path, Store.create(path, SCHEMA, snapshot_every=NEVER) as store:
        unsynced(store)
        given = iter(rows(100_000, "one"))
        print("milliseconds of CPU time, without the sync:")
        print(f"learn   {processor(lambda: _learn(store, *next(given)), 1000) * 1e3:6.2f}")
        ids = iter(f"one-{i}" for i in range(5000))
        print(f"correct {processor(lambda: store.correct(next(ids), 'news'), 500) * 1e3:6.2f}")
        print(f"forget  {processor(lambda: store.forget(id=next(ids)), 500) * 1e3:6.2f}")
    with folder() as path, Store.create(path, SCHEMA) as store:
        given = list(rows(100_000))
        took = seconds(lambda: store.learn_all(given))
        print(f"learn_all of 100,000 rows, synced: {took:.1f} s, {100_000 / took:,.0f} rows a second")


def _learn(store: Store, text: str, label: str, id: str) -> None:
    store.learn(text, label, id=id)


def threads() -> None:
    """Durable changes a second, by one thread and by many."""
    with folder() as path, open(path.with_suffix(".sync"), "wb", buffering=0) as file:
        took = seconds(lambda: [(file.write(b"x" * 1024), os.fsync(file.fileno())) for _ in range(200)]) / 200
        print(f"a write of 1 kB and its sync: {took * 1e3:.2f} ms")
    alone = 0.0
    for count in (1, 32):
        with folder() as path, Store.create(path, SCHEMA) as store:
            often = 1000 if count == 1 else 250
            given = [list(rows(often, f"t{i}")) for i in range(count)]
            work = [threading.Thread(target=_learn_each, args=(store, some)) for some in given]
            took = seconds(lambda some=work: _run(some))
            rate = often * count / took
            alone = alone or rate
            print(f"{count:3} threads: {rate:8,.0f} learns a second, {rate / alone:.1f} × one thread")


def _learn_each(store: Store, some: list[tuple[str, str, str]]) -> None:
    for row in some:
        _learn(store, *row)


def _run(work: list[threading.Thread]) -> None:
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()


def words() -> None:
    """A large vocabulary: learn one text, and make one query that sees it."""
    names = np.array([f"word{i}" for i in range(600_000)])
    documents = [" ".join(names[i : i + 200]) for i in range(0, len(names), 200)]
    start = Model.train(SCHEMA, documents, ["ham", "spam"] * (len(documents) // 2))
    with folder() as path, Store.create(path, start, snapshot_every=NEVER) as store:
        unsynced(store)
        store.beliefs()
        given = iter(rows(100_000, "w"))

        def both() -> None:
            text, label, id = next(given)
            done = store.learn(text, label, id=id)
            now = store.current()
            assert now.number >= done.number
            now.beliefs.posterior(text)

        print(f"600,000 words: learn and query {processor(both, 200) * 1e3:6.2f} ms of CPU time, no sync")
        print(f"600,000 words: a snapshot      {seconds(store.snapshot) * 1e3:6.0f} ms, delaying changes")
        print(f"600,000 words: a copy          {seconds(store.model) * 1e3:6.0f} ms, delaying changes in `verify`")


def opening() -> None:
    for behind, after in ((10_000, 0), (MANY, 0), (MANY // 10, MANY // 10)):
        with folder() as path:
            with Store.create(path, SCHEMA, snapshot_every=NEVER) as store:
                unsynced(store)
                took = seconds(lambda s=store, n=behind: s.learn_all(rows(n)))
                store.snapshot()
                store.learn_all(rows(after, "after"))
            opened: list[Store] = []
            busy = time.process_time()
            waited = seconds(lambda p=path, o=opened: o.append(Store.open(p, snapshot_every=NEVER)))
            busy = time.process_time() - busy
            size = sum(file.stat().st_size for file in path.iterdir()) / 1e6
            print(
                f"{behind:9,} changes in a snapshot and {after:7,} after it "
                f"({size:,.0f} MB, learned in {took:.0f} s): open in {waited:.2f} s, {busy:.2f} s of CPU time",
                flush=True,
            )
            if behind == MANY:
                print(f"          verify: {seconds(opened[0].verify):.1f} s")
            opened[0].close()


def copies() -> None:
    """The longest wait of a learner while a store of 100,000 rows is copied and verified."""
    with folder() as path, Store.create(path, SCHEMA) as store:
        store.learn_all(rows(100_000))
        store.snapshot()
        for name, work in {
            "nothing": lambda: time.sleep(5),
            "backup": lambda: store.backup(path.with_name("copy")),
            "verify": lambda: store.verify(),
        }.items():
            waits, ended = [], threading.Event()

            def go(name: str = name, waits: list[float] = waits, ended: threading.Event = ended) -> None:
                for row in rows(MANY, name):
                    if ended.is_set():
                        return
                    waits.append(seconds(lambda r=row: _learn(store, *r)))

            learner = threading.Thread(target=go)
            learner.start()
            took = seconds(work)
            ended.set()
            learner.join()
            middle = sorted(waits)[len(waits) // 2]
            print(
                f"while {name:7} ran for {took:5.1f} s: {len(waits):6,} learns, median {middle * 1e3:5.1f} ms, "
                f"longest {max(waits) * 1e3:6.1f} ms",
                flush=True,
            )


def memory() -> None:
    """A million rows are learned and forgotten, a thousand at a time, each with a unique word."""
    with folder() as path, Store.create(path, SCHEMA) as store:
        unsynced(store)
        store.learn_all(rows(1000, "start"))
        store.beliefs()
        kept = 1000
        for i, text in enumerate(texts(MANY)):
            if i % 1000 == 0:
                some = []
            some.append((f"{text} own{i}", "spam", f"r-{i}"))
            if i % 1000 == 999:
                store.learn_all(some)
                if i > kept:
                    store.forget_all((None, None, f"r-{j}") for j in range(i - 999 - kept, i - 999))
            if (i + 1) % (MANY // 10) == 0:
                print(f"{i + 1:9,} learned, {len(store.ids()):5,} left: {resident():6.0f} MB", flush=True)


if __name__ == "__main__":
    parts = {part.__name__: part for part in (learn, threads, words, opening, copies, memory)}
    numbers = [int(given) for given in sys.argv[1:] if given.isdigit()]
    MANY = numbers[0] if numbers else MANY
    for name in [given for given in sys.argv[1:] if not given.isdigit()] or parts:
        print(f"\n{name}")
        parts[name]()
