"""On a terminal, work that may take long shows that it goes on."""

import os
import pty
import subprocess
import sys

import pytest
from calling import PROGRAM

QUICK = "from tallybayes.cli import main, progress; progress.FIRST = 3600; main()"  # nothing takes that long


def on_terminal(folder, *arguments, program=(PROGRAM,)):
    """What a verb writes to standard error, if that is a terminal."""
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb", 0) as screen:
        with subprocess.Popen([*program, *arguments], cwd=folder, stderr=theirs, stdin=subprocess.DEVNULL) as running:
            os.close(theirs)
            shown = b""
            while True:
                try:
                    shown += screen.read(4096)
                except OSError:  # the terminal is closed
                    break
        assert running.returncode == 0, shown
    return shown


@pytest.mark.parametrize("verb", ["train", "weigh"])
def test_weighing_is_shown(tmp_path, verb):
    tmp_path.joinpath("t.csv").write_text("v,y\n" + "".join(f"{i % 7}.5,{'pq'[i % 2]}\n" for i in range(100)))
    train = ("train", "t.csv", "--label", "y", "-o", "m.tally")
    shown = on_terminal(tmp_path, *train)
    if verb == "weigh":
        shown = on_terminal(tmp_path, "weigh", "m.tally", "t.csv")
    assert b"weighing" in shown


def test_quick_answers_that_go_to_the_same_terminal_come_without_a_bar(tmp_path):
    tmp_path.joinpath("t.csv").write_text("v,y\n1,p\n2,q\n3,p\n")
    on_terminal(tmp_path, "train", "t.csv", "--label", "y", "-o", "m.tally", "--column", "v=Gaussian")
    assert on_terminal(tmp_path, "predict", "m.tally", "t.csv", program=(sys.executable, "-c", QUICK)) == b""
