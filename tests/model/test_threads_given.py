"""`threads=1` is one thread: nothing that a call does for the answer starts another."""

import threading
from contextlib import contextmanager

import numpy as np
import pytest

from tallybayes import (
    Correlated,
    Histogram,
    Model,
    NaiveBayes,
    SemiNaiveBayes,
    Trees,
    Words,
    choose,
    cross_validate,
    digest,
    evaluate,
    left_out,
)
from tallybayes.data.processors import at_most, in_threads, limited, processors

RANDOM = np.random.default_rng(0)
LABELS = RANDOM.choice(["a", "b"], 4000)
NUMBERS = {f"n{i}": RANDOM.normal(LABELS == "a") for i in range(20)}
TEXTS = [" ".join(f"w{i}" for i in words) for words in RANDOM.integers(0, 500, (4000, 20))]
HISTOGRAMS = dict.fromkeys(NUMBERS, Histogram(method="auto", bits=8, alpha="fitted"))
MODEL = Model.train(HISTOGRAMS, NUMBERS, LABELS)

WORK = {
    "train trees": lambda n: Model.train({("n0", "n1"): Trees(n=20)}, NUMBERS, LABELS, threads=n),
    "train a matrix": lambda n: Model.train({tuple(NUMBERS): Correlated()}, NUMBERS, LABELS, threads=n),
    "posterior of new beliefs": lambda n: MODEL.copy().believing(alpha=0.5).posterior(NUMBERS, threads=n),
    "evaluate": lambda n: evaluate(MODEL.copy().believing(alpha=0.5), NUMBERS, LABELS, threads=n),
    "left_out": lambda n: left_out(MODEL.copy().believing(alpha=0.5), NUMBERS, LABELS, threads=n),
    "choose": lambda n: choose(MODEL, NUMBERS, LABELS, {"alpha": [0.5, 1.0]}, threads=n),
    "cross_validate": lambda n: cross_validate(HISTOGRAMS, NUMBERS, LABELS, k=3, threads=n),
    "fit numbers": lambda n: NaiveBayes(threads=n).fit(NUMBERS, LABELS),
    "fit texts": lambda n: NaiveBayes({"text": Words(reading="auto")}, threads=n).fit({"text": TEXTS}, LABELS),
    "fit trees": lambda n: SemiNaiveBayes(threads=n).fit({"n0": NUMBERS["n0"], "n1": NUMBERS["n1"]}, LABELS),
}


@contextmanager
def started():
    """The names of the threads that start meanwhile."""
    names = set()
    threading.setprofile(lambda *_: names.add(threading.current_thread().name))
    try:
        yield names
    finally:
        threading.setprofile(None)


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_one_thread_is_one(work):
    with started() as names:
        work(1)
    assert names == set()


@pytest.mark.skipif(processors() < 2, reason="there is one processor")
@pytest.mark.parametrize("name", ["train trees", "fit numbers", "fit texts", "fit trees"])
def test_by_default_there_are_several(name):
    """Otherwise the test above would show nothing."""
    with started() as names:
        WORK[name](None)
    assert names


@pytest.mark.parametrize("name", ["fit numbers", "fit texts", "fit trees"])
def test_the_number_of_threads_does_not_matter(name):
    assert digest(WORK[name](1).model_) == digest(WORK[name](None).model_)


def test_a_limit_ends_with_its_call():
    whole = processors()

    @limited
    def within(*, threads=None):
        return processors()

    assert (within(threads=1), within(threads=None), within(threads=10**6), processors()) == (1, whole, whole, whole)
    with at_most(1):
        assert (within(threads=None), within(threads="x"), within(threads=0)) == (1, 1, 1)
    assert processors() == whole


def test_limits_within_limits_apply_together_and_in_threads():
    with at_most(1), at_most(4):
        assert processors() == 1
    with at_most(1):
        assert in_threads(lambda _: processors(), [0, 1, 2], 2) == [1, 1, 1]
