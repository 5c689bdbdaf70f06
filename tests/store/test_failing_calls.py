"""Any failing disk call (write, sync, rename, …) leaves no part of the change."""

import pytest
from preloaded import needs_preloading, run_watched

from examples import STEP

pytestmark = [pytest.mark.slow, needs_preloading]

# Makes the n-th call fail, for every n, until there are no more; each time the store must be in the old or the new
# state, in memory and on disk. Prints the number of calls.
CHILD = """
import ctypes, shutil, sys
from datetime import UTC, datetime
from tallybayes import Model, Store, Words
from tallybayes.store import InDoubtError, StoreError

folder, change, times, step = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
disk = ctypes.CDLL(None)
disk.disk_fails.argtypes = [ctypes.c_int64, ctypes.c_int64]
disk.disk_failures_left.restype = ctypes.c_int64
CHANGES = {
    "learn": lambda store: store.learn("new words", "spam", id="new"),
    "forget": lambda store: store.forget(id="a"),
    "forget by content": lambda store: store.forget("from the start", "ham"),
    "correct": lambda store: store.correct("a", "ham"),
    "expire": lambda store: store.expire(datetime.now(UTC)),
    "decay": lambda store: store.decay(0.5),
    "snapshot": lambda store: store.snapshot(),
    "set": lambda store: store.set("threshold", 0.5),
    "verify": lambda store: store.verify(),
}

def known(store):
    return store.digest(), store.settings()

def start():
    disk.disk_fails(0, 0)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(folder + "-start", folder)
    return Store.open(folder)

with Store.create(folder + "-start", Model.train({"text": Words()}, ["from the start"], ["ham"])) as store:
    store.learn("win a prize", "spam", id="a")
    store.learn("lunch on monday", "ham", id="b")
    store.snapshot()
    store.learn("after the snapshot", "ham", id="c")
with start() as store:
    before = known(store)
    CHANGES[change](store)
    after = known(store)

n = 1
while True:
    with start() as store:
        disk.disk_fails(n, times)
        refused = None
        try:
            CHANGES[change](store)
        except StoreError as error:
            refused = error
        unhurt = disk.disk_failures_left() == times
        disk.disk_fails(0, 0)
        found = known(store)
        if isinstance(refused, InDoubtError):
            assert found in (before, after), (n, refused)
        elif refused is None or "The change was made" in str(refused):
            assert found == after, (n, refused)
        else:
            assert found == before, (n, refused)
    with Store.open(folder) as store:
        assert known(store) == found, (n, refused)
        problems = store.verify().problems
        assert not problems, (n, problems)
    if unhurt:
        break
    n += step
print(n)
"""


@pytest.mark.thinned(5)
@pytest.mark.parametrize("times", [1, 10**9])
@pytest.mark.parametrize(
    ("change", "least"),
    {
        "learn": 20,
        "forget": 30,
        "forget by content": 30,
        "correct": 20,
        "expire": 30,
        "decay": 30,
        "snapshot": 10,
        "set": 8,
        "verify": 4,
    }.items(),
)
def test_any_failing_call_loses_nothing_and_leaves_nothing_half_done(tmp_path, change, least, times):
    calls = run_watched(CHILD, tmp_path / "s", change, times, STEP)
    assert int(calls) > least


SAVE = """
import ctypes, sys
from pathlib import Path
from tallybayes.files.replacing import SaveError, replacing

disk = ctypes.CDLL(None)
disk.disk_fails.argtypes = [ctypes.c_int64, ctypes.c_int64]
path, calls, said = Path(sys.argv[1]) / "m.tally", 0, ""
while said is not None:
    calls += 1
    path.write_bytes(b"old")
    disk.disk_fails(calls, 1)
    try:
        with replacing(path) as file:
            file.write(b"new")
        said = None
    except SaveError as error:
        said = error.strerror
    disk.disk_fails(0, 0)
    print(path.read_text(), said, [other.name for other in path.parent.iterdir()])
"""


def test_error_of_any_failing_call_says_which_file_is_left(tmp_path):
    (tmp_path / "f").mkdir()
    *failed, synced, done = run_watched(SAVE, tmp_path / "f").splitlines()
    path = tmp_path / "f" / "m.tally"
    assert set(failed) == {f"old {path} could not be saved: Input/output error. The old file is unchanged. ['m.tally']"}
    assert synced == f"new {path} was saved, but may be lost if the power fails: Input/output error. ['m.tally']"
    assert done == "new None ['m.tally']"
