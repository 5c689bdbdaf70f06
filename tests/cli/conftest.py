"""The command line, run in this process where that suffices and as a separate process otherwise."""

import os
import subprocess

import pytest
import typer
from calling import PROGRAM, WEATHER, Ended

from tallybayes.cli import app

COMMAND = typer.main.get_command(app)  # `app` builds a new one on every call, which takes longer than most verbs


@pytest.fixture
def tally(capfd, tmp_path, monkeypatch):
    """Run a verb in an empty folder; returns its exit code and output."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")

    def run(*arguments):
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            COMMAND([str(argument) for argument in arguments])
        found = capfd.readouterr()
        return Ended(ended.value.code or 0, found.out, found.err)

    return run


@pytest.fixture
def program(tmp_path):
    """The same as a separate process, with bytes on standard input."""

    def run(*arguments, stdin=b"", **settings):
        done = subprocess.run(
            [PROGRAM, *arguments],
            input=stdin,
            capture_output=True,
            check=False,
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1"},
            **settings,
        )
        return Ended(done.returncode, done.stdout.decode("utf-8", "surrogateescape"), done.stderr.decode())

    return run


@pytest.fixture
def weather(tmp_path):
    """A table of five days, one cell missing."""
    path = tmp_path / "weather.csv"
    path.write_text(WEATHER)
    return path


@pytest.fixture
def model(tally, weather):
    """A model trained on those days."""
    assert tally("train", "weather.csv", "--label", "play", "-o", "weather.tally").code == 0
    return weather.with_name("weather.tally")
