"""A store killed at any instant has everything acknowledged, once."""

import random
import signal
import subprocess
import sys
import time

import pytest
from hypothesis import settings

from tallybayes import Model, Store, Words, digest
from tallybayes.store import StoreInUseError

pytestmark = pytest.mark.slow

KILLS = 2 * settings().max_examples if settings().max_examples > 20 else 12
SCHEMA = {"text": Words()}

# Fifty threads learn, correct and forget their own rows, announcing each change before and after.
CHILD = """
import os, sys, threading
from tallybayes import Store

store = Store.open(sys.argv[1], snapshot_every=7)
store.model()

def say(*words):
    os.write(1, (" ".join(words) + chr(10)).encode())

def work(name):
    for i in range(10**6):
        id = f"{sys.argv[2]}-{name}-{i}"
        say("learning", id); store.learn(f"word{id.replace('-', 'x')} common", "ham", id=id); say("learned", id)
        if i % 3 == 1:
            say("correcting", id); store.correct(id, "spam"); say("corrected", id)
        if i % 3 == 2:
            say("forgetting", id); store.forget(id=id); say("forgotten", id)

say("ready")
for name in range(50):
    threading.Thread(target=work, args=(name,)).start()
"""


def killed(path, turn, wait):
    """The child's output until it was killed; every second time, not before it has learned something."""
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(path), str(turn)], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    with pytest.raises(StoreInUseError, match="is in use by another process"):
        Store.open(path)
    said = [""]
    while turn % 2 == 0 and not said[-1].startswith("learned"):
        said.append(child.stdout.readline())
    time.sleep(wait)
    child.send_signal(signal.SIGKILL)
    said += child.communicate()[0].splitlines()
    return [line.split() for line in said if line.count(" ") == 1]


def test_nothing_acknowledged_is_lost_and_nothing_doubled(tmp_path):
    figures = kill_again_and_again(tmp_path / "s", KILLS)
    assert figures["learned"] >= KILLS // 2


def kill_again_and_again(path, kills):
    """The number of acknowledged changes; asserts that none is lost or doubled."""
    random_waits = random.Random(5)
    Store.create(path, SCHEMA).close()
    said = {}
    for turn in range(kills):
        for what, id in killed(path, turn, random_waits.uniform(0, 0.6)):
            said.setdefault(id, []).append(what)
        with Store.open(path) as store:
            there = set(store.ids())
            for id, words in said.items():
                if "learned" in words and "forgetting" not in words:
                    assert id in there, (id, words)
                if "forgotten" in words:
                    assert id not in there, (id, words)
            labels = {id: label_of(store, id, said) for id in there}
            texts = [f"word{id.replace('-', 'x')} common" for id in there]
            left = Model.train(SCHEMA, texts, list(labels.values())) if there else Model(SCHEMA)
            assert store.digest() == digest(left)
            found = store.verify()
            assert found, found.problems
        assert there <= set(said)
    return {what: sum(what in words for words in said.values()) for what in ("learned", "corrected", "forgotten")}


def label_of(store, id, said):
    """The label in the journal, which must be the acknowledged one or the one in flight."""
    label = "spam" if store.receipt(id).record.what == "correct" else "ham"
    if "corrected" in said[id]:
        assert label == "spam"
    if "correcting" not in said[id]:
        assert label == "ham"
    return label
