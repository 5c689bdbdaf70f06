"""A store that is killed while fifty threads learn, correct and forget, and the checks afterwards; shared with
`bench/kills.py`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

from tallybayes import Model, Store, Words, digest
from tallybayes.store import StoreInUseError

SCHEMA = {"text": Words()}
AT_ONCE = 50
LONGEST = 0.6  # seconds until the kill


def text_of(id):
    return f"word{id.replace('-', 'x')} common"


def work(path, turn, out):
    """Changes rows of this turn until killed, announcing each change before and after."""
    store = Store.open(path, snapshot_every=7)
    store.model()

    def say(what, id=""):
        os.write(out, f"{what} {id}\n".encode())

    def change(name):
        for i in range(name % 3, 10**6):  # some correct or forget their first row
            id = f"{turn}-{name}-{i}"
            say("learning", id)
            store.learn(text_of(id), "ham", id=id)
            say("learned", id)
            if i % 3 == 1:
                say("correcting", id)
                store.correct(id, "spam")
                say("corrected", id)
            if i % 3 == 2:
                say("forgetting", id)
                store.forget(id=id)
                say("forgotten", id)

    say("ready")
    for name in range(AT_ONCE):
        threading.Thread(target=change, args=(name,)).start()


@contextmanager
def process(path, turn):
    """`work` in a new interpreter: its process id, and its output."""
    child = subprocess.Popen([sys.executable, __file__, str(path), str(turn)], stdout=subprocess.PIPE)
    try:
        yield child.pid, child.stdout
    finally:
        child.kill()
        child.communicate()


def killed(path, turn, wait, start=process):
    """What a process said until it was killed; every second time, not before it has learned something."""
    with start(path, turn) as (pid, output):
        assert output.readline() == b"ready \n"
        try:
            Store.open(path)
        except StoreInUseError:
            pass
        else:
            raise AssertionError("Two processes have opened the store.")
        said = [b""]
        while turn % 2 == 0 and not said[-1].startswith(b"learned"):
            said.append(output.readline())
        time.sleep(wait)
        os.kill(pid, signal.SIGKILL)
        said += output.read().splitlines()
    return [line.decode().split() for line in said if line.count(b" ") == 1]


def kill_again_and_again(path, kills, waits, start=process, whole=1):
    """The number of acknowledged changes; asserts that none is lost or doubled. Every `whole` kills everything is
    checked: all labels, the digest and `verify`."""
    Store.create(path, SCHEMA).close()
    said = {}
    for turn in range(kills):
        for what, id in killed(path, turn, waits.uniform(0, LONGEST), start):
            said.setdefault(id, []).append(what)
        with Store.open(path) as store:
            ids = store.ids()
            there = set(ids)
            assert len(ids) == len(there)
            assert there <= set(said)
            for id, words in said.items():
                if "learned" in words and "forgetting" not in words:
                    assert id in there, (id, words)
                if "forgotten" in words:
                    assert id not in there, (id, words)
            if turn % whole == whole - 1 or turn == kills - 1:
                check_all(store, there, said)
    return {what: sum(what in words for words in said.values()) for what in ("learned", "corrected", "forgotten")}


def check_all(store, there, said):
    labels = [label_of(store, id, said[id]) for id in there]
    left = Model.train(SCHEMA, [text_of(id) for id in there], labels) if there else Model(SCHEMA)
    assert store.digest() == digest(left)
    found = store.verify()
    assert found, found.problems


def label_of(store, id, words):
    """The label in the journal, which must be the acknowledged one or the one in flight."""
    label = "spam" if store.receipt(id).record.what == "correct" else "ham"
    if "corrected" in words:
        assert label == "spam"
    if "correcting" not in words:
        assert label == "ham"
    return label


if __name__ == "__main__":
    work(sys.argv[1], int(sys.argv[2]), 1)
