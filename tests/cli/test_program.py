"""The program as a process, which builds only the verb that is called."""

import subprocess
import sys
from pathlib import Path

import pytest
from calling import PROGRAM

from tallybayes.cli.program import GROUPS, VERBS

PAGE = (Path(__file__).parents[2] / "docs/command-line.md").read_text()
CALLED = [[verb.__name__] for verb in VERBS]
CALLED += [[group, verb.__name__] for group, (_, verbs) in GROUPS.items() for verb in verbs]


def ran(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("verb", CALLED, ids=" ".join)
def test_every_verb_has_help(tally, verb):
    ended = tally(*verb, "--help")
    assert (ended.code, ended.err) == (0, "")
    usage = " ".join(ended.out.partition("Usage: ")[2].partition("\n\n")[0].split())
    called = " ".join(verb)
    assert f"`tallybayes {called}{usage.partition(f' {called}')[2]}`" in PAGE.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("verb", [CALLED[0], CALLED[-1]], ids=" ".join)
def test_help_of_the_program(verb):
    ended = ran(*verb, "--help")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert f"Usage: tallybayes {' '.join(verb)} " in ended.stdout


@pytest.mark.slow
def test_the_demo_calls_other_verbs():
    ended = ran("demo")
    assert ended.returncode == 0
    assert ended.stdout.endswith("Equal: no trace of it is left in the model.\n")


def test_misspelled_verb_is_an_error_that_names_it():
    ended = ran("trian")
    assert ended.returncode == 2
    assert "No such command 'trian'." in ended.stderr


def test_module_is_the_same_program():
    done = subprocess.run(
        [sys.executable, "-m", "tallybayes", "--version"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, ran("--version").stdout, "")
