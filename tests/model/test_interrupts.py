"""Ctrl-C is heard while a kernel runs, and threads that work on the same rows stop with it."""

import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pytest

from tallybayes import Words, kernels

DIFFERENT = 3_000_000  # words of one text, which take a second or so


class AlarmedError(Exception):
    pass


@pytest.fixture
def soon():
    """A signal that comes in a tenth of a second, if the text is read by then."""

    def interrupt(*_):
        raise AlarmedError

    before = signal.signal(signal.SIGALRM, interrupt)
    yield lambda: signal.setitimer(signal.ITIMER_REAL, 0.1)
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    signal.signal(signal.SIGALRM, before)


def count(text, index):
    cutter = Words().cutter
    documents = cutter.documents(cutter.encode(pa.array([text])))
    reading = kernels.Reading(cutter.tokeniser, None, None, False, -1)
    kernels.count_words(documents, reading, index, True, np.zeros(1, np.int32), 1)


def test_a_kernel_that_reads_one_long_text_hears_signals(soon):
    index, text = kernels.StringIndex(), " ".join(map(str, range(10_000_000, 10_000_000 + DIFFERENT)))
    soon()
    with pytest.raises(AlarmedError):
        count(text, index)
    assert len(index) < DIFFERENT
    after = kernels.StringIndex()
    count("still reading", after)
    assert len(after) == 2


def test_a_kernel_that_scores_many_columns_hears_signals(soon):
    columns, classes, x = 40_000, 50, np.zeros(512)
    zeros, ones = np.zeros((columns, classes)), np.ones((columns, classes))
    scores = np.zeros((classes, len(x)))
    soon()
    with pytest.raises(AlarmedError):
        kernels.add_normal([x] * columns, zeros, zeros, ones, scores, False)
    assert scores[0, 0] < columns  # one is added for every column


MINUTES_OF_WORK = {
    "numbers asked": """
x, y = rng.normal(size=100_000), rng.integers(0, 100, 100_000)
model = Model.train(Schema({"x": Density(bits=40)}), {"x": x}, y)
print("go", flush=True)
model.posterior({"x": rng.normal(size=1_000_000)}, threads=2)
""",
    "texts counted": """
texts = [" ".join(map(str, rng.integers(0, 1_000_000, 200)))] * 200_000
print("go", flush=True)
Model.train(Schema({"x": Words(unit="characters", ngrams=(2, 40))}), {"x": texts}, [0] * len(texts), threads=2)
""",
}


@pytest.mark.parametrize("work", MINUTES_OF_WORK)
def test_all_threads_stop_when_one_is_interrupted(work):
    setting = "import numpy as np\nfrom tallybayes import *\nrng = np.random.default_rng(0)\n"
    running = subprocess.Popen(
        [sys.executable, "-c", setting + MINUTES_OF_WORK[work]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stdout.readline() == "go\n"
    time.sleep(3)
    assert running.poll() is None
    running.send_signal(signal.SIGINT)
    said = running.communicate(timeout=60)[1]
    assert said.endswith("KeyboardInterrupt\n")
    assert running.returncode == -signal.SIGINT
