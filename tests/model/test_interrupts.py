"""Ctrl-C and SIGTERM interrupt running kernels, and all threads of the same job stop."""

import signal
import subprocess
import sys
from functools import partial
from threading import Event, Thread

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import some
from tallybayes import Bag, Model, Schema, Words, kernels
from tallybayes.data import frames
from tallybayes.data.objects import MOST_CHARACTERS, REFUSALS, SLICE, object_cells

pytestmark = pytest.mark.slow

DIFFERENT = 3_000_000  # words in one text, which take about a second
LONG = " ".join(map(str, range(1_000_000, 1_400_000)))
WIDE = np.random.default_rng(0).random((200, 40_000))
MANY = WIDE.reshape(-1)
CODES = np.arange(MANY.size, dtype=np.int32) % 3


class AlarmedError(Exception):
    pass


@pytest.fixture
def interrupted():
    """Does work with a signal some milliseconds after its start; it takes a tenth of a second or more."""

    def interrupt(*_):
        raise AlarmedError

    before = signal.signal(signal.SIGALRM, interrupt)

    def start(work):
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        work()

    yield start
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def heard():
    """How many signals were handled while something ran. Ten are sent per millisecond: a kernel looks less often."""
    times = []
    before = signal.signal(signal.SIGALRM, lambda *_: times.append(1))

    def count(work):
        signal.setitimer(signal.ITIMER_REAL, 0.0001, 0.0001)
        work()
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        return len(times)

    yield count
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    signal.signal(signal.SIGALRM, before)


def count(text, index, words=None):
    words = words or Words()
    documents = words.cutter.documents(words.cutter.encode(pa.array([text])))
    reading = kernels.Reading(words.cutter.tokeniser, None, None, words.presence, -1)
    kernels.count_words(documents, reading, index, True, np.zeros(1, np.int32), 1)


def test_kernel_reading_one_long_text_is_interruptible(interrupted):
    index, text = kernels.StringIndex(), " ".join(map(str, range(10_000_000, 10_000_000 + DIFFERENT)))
    with pytest.raises(AlarmedError):
        interrupted(lambda: count(text, index))
    assert len(index) < DIFFERENT
    after = kernels.StringIndex()
    count("still reading", after)
    assert len(after) == 2


def test_kernel_scoring_many_columns_is_interruptible(interrupted):
    columns, classes, x = 40_000, 50, np.zeros(512)
    zeros, ones = np.zeros((columns, classes)), np.ones((columns, classes))
    scores = np.zeros((classes, len(x)))
    with pytest.raises(AlarmedError):
        interrupted(lambda: kernels.add_normal([x] * columns, zeros, zeros, ones, scores, False))
    assert scores[0, 0] < columns  # one is added per column


def sums(values):
    return kernels.sum_products(values, values, None, CODES, np.zeros((3, 40), np.int64), -34)


def scored(reading, classes):
    rows = {"x": [LONG[:2_000_000]] * classes}
    model = Model.train(Schema({"x": Words(reading=reading)}), rows, list(range(classes)))
    model.posterior("a")
    return lambda: model.posterior(LONG * 4)


def bags():
    starts = np.arange(0, MANY.size + 1, 1000)
    return starts, np.tile(np.arange(1000, dtype=np.int32), MANY.size // 1000), MANY


def many_words():
    index = kernels.StringIndex()
    count(" ".join(map(str, range(1_000_000, 2_500_000))), index)
    return index


KERNELS = {
    "words of another index": lambda: partial(kernels.StringIndex().merge, many_words()),
    "words that are looked for": lambda: partial(kernels.StringIndex().find_all, many_words()),
    "words in their order": lambda: many_words().sorted,
    "a copy of an index": lambda: many_words().copy,
    "some of the words": lambda: partial(many_words().subset, np.arange(1_500_000, dtype=np.int32)),
    "words": lambda: lambda: count(LONG, kernels.StringIndex()),
    "words and punctuation": lambda: lambda: count(LONG, kernels.StringIndex(), Words(punctuation=True)),
    "words that count once": lambda: lambda: count(LONG, kernels.StringIndex(), Words(presence=True)),
    "runs of words": lambda: lambda: count(LONG, kernels.StringIndex(), Words(ngrams=(1, 2))),
    "characters": lambda: lambda: count(LONG, kernels.StringIndex(), Words(unit="characters", ngrams=(2, 3))),
    "a text asked about two classes": lambda: scored("multinomial", 2),
    "a text asked about three classes": lambda: scored("multinomial", 3),
    "a text whose words come again": lambda: scored("dirichlet-multinomial", 2),
    "values counted one by one": lambda: lambda: kernels.number_values(MANY, 52),
    "the kind of numbers": lambda: lambda: [kernels.kind_of(MANY) for _ in range(4)],
    "exact sums": lambda: lambda: kernels.sum_columns(MANY[:, None], kernels.Groups(CODES, 3), True),
    "exact sums of many classes": lambda: (
        lambda: kernels.sum_columns(
            MANY[:, None], kernels.Groups(np.arange(MANY.size, dtype=np.int32) % 1000, 1000), True
        )
    ),
    "exact sums of products": lambda: lambda: sums(MANY),
    "exact sums of a matrix": lambda: (
        lambda: kernels.sum_columns(MANY.reshape(-1, 100), kernels.Groups(CODES[: MANY.size // 100], 3), True)
    ),
    "a matrix of whole numbers": lambda: (
        lambda: [kernels.count_matrix(np.ones((2000, 4000)), CODES[:2000], 3) for _ in range(4)]
    ),
    "sparse vectors": lambda: lambda: kernels.count_bags(*bags(), CODES[: MANY.size // 1000], 3, 1000, 4, -3),
    "sparse vectors asked": lambda: (
        lambda: kernels.add_bags(*bags(), np.ones((1000, 9)), False, np.zeros((9, MANY.size // 1000)))
    ),
}


@pytest.mark.thinned(3)
@pytest.mark.parametrize("work", KERNELS)
def test_long_kernels_handle_signals_throughout(heard, work):
    assert heard(KERNELS[work]()) > 1  # not only once, at the end


def test_two_threads_adding_words_get_distinct_numbers():
    """While a large table grows, other threads may add to it."""
    index, met, counted = kernels.StringIndex(), [], Event()

    def add():
        while not counted.is_set():
            met.extend(index.encode_few([f"other {len(met)}"], True).tolist())

    thread = Thread(target=add)
    thread.start()
    count(LONG, index)
    counted.set()
    thread.join()
    numbers = index.encode_few([*LONG.split(), *(f"other {i}" for i in range(len(met)))], False).tolist()
    assert numbers[400_000:] == met
    assert sorted(numbers) == list(range(len(index)))


@pytest.mark.parametrize("family", [Bag(), Bag(reading="averaged")])
def test_fractions_in_many_columns_are_counted_in_steps(heard, family):
    assert heard(lambda: Model.train(Schema({"x": family}), {"x": WIDE}, [0, 1] * 100, threads=1)) > 10


def test_long_lists_of_texts_go_to_arrow_in_parts():
    texts = ["x" * (MOST_CHARACTERS // SLICE)] * SLICE + ["y", None] * SLICE
    parts = list(frames.batches({"text": texts, "n": range(len(texts))}))
    assert [part.num_rows for part in parts] == [SLICE, 2 * SLICE]
    assert [text for part in parts for text in part.column("text").to_pylist()] == texts
    assert [n for part in parts for n in part.column("n").to_pylist()] == list(range(len(texts)))


cells = st.sampled_from([None, float("nan"), True, 1, 2**63, 2.5, "a", b"a", np.float32(0.1), np.longdouble(2)])


@settings(max_examples=some(50), deadline=None)
@given(first=cells, second=cells)
def test_long_list_has_the_type_of_a_short_one(first, second):
    def meant(values):
        try:
            found = object_cells(values)
        except REFUSALS:
            return "refused"
        return found.type, found[0].as_py(), found[len(found) - 1].as_py()

    assert meant([first] * SLICE + [second] * 2) == meant([first, second])


MINUTES_OF_WORK = {
    "numbers asked": """
x, y = rng.normal(size=100_000), rng.integers(0, 100, 100_000)
model = Model.train(Schema({"x": Density(bits=40)}), {"x": x}, y)
watch()
model.posterior({"x": rng.normal(size=1_000_000)}, threads=2)
""",
    "texts counted": """
texts = [" ".join(map(str, rng.integers(0, 1_000_000, 200)))] * 200_000
watch()
Model.train(Schema({"x": Words(unit="characters", ngrams=(2, 40))}), {"x": texts}, [0] * len(texts), threads=2)
""",
    "shares counted": """
x = rng.random((2000, 20_000))
watch()
Model.train(Schema({"x": Bag(reading="averaged")}), {"x": x}, [0] * len(x), threads=2)
""",
}
WATCHED = """
import sys, threading, time
import numpy as np
from tallybayes import *
rng = np.random.default_rng(0)

def watch():
    def wait(until):
        while time.process_time() < until:
            time.sleep(0.01)
        print("busy", flush=True)
    threading.Thread(target=wait, args=[time.process_time() + 0.5], daemon=True).start()
"""


@pytest.mark.thinned(3)
@pytest.mark.parametrize("work", MINUTES_OF_WORK)
def test_all_threads_stop_when_one_is_interrupted(work):
    running = subprocess.Popen(
        [sys.executable, "-c", WATCHED + MINUTES_OF_WORK[work]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stdout.readline() == "busy\n"
    assert running.poll() is None
    running.send_signal(signal.SIGINT)
    said = running.communicate()[1]  # minutes later, if the signal is not handled
    assert said.endswith("KeyboardInterrupt\n")
    assert running.returncode == -signal.SIGINT
