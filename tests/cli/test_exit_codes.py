"""Exit codes: one table for every verb and every documented code."""

import io
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from calling import PROGRAM, wait_until_read

from letters import ham, spam, trained
from tallybayes import Store, load, save
from tallybayes.cli.exit_codes import EVERY, WRONG
from tallybayes.cli.program import EXIT_CODES

ENDINGS = {  # verb → code → arguments
    "train": {
        0: "train weather.csv --label play -o new.tally",
        2: "train weather.csv --label rain -o new.tally",
    },
    "weigh": {0: "weigh weather.tally weather.csv", 2: "weigh weather.tally twice.csv"},
    "predict": {
        0: "predict weather.tally weather.csv",
        1: "predict weather.tally --cell outlook=sunny --find yes",
        2: "predict weather.tally nothing.csv",
    },
    "explain": {0: "explain weather.tally --cell outlook=sunny", 2: "explain weather.tally --cell look=sunny"},
    "ask": {0: "ask weather.tally outlook=sunny|play=yes", 2: "ask weather.tally outlook="},
    "suspects": {0: "suspects weather.tally weather.csv", 2: "suspects weather.tally twice.csv"},
    "evaluate": {
        0: "evaluate weather.tally weather.csv --at-least 0.1",
        1: "evaluate weather.csv --label play --folds 5 --at-least 1",
        2: "evaluate weather.tally weather.csv --label outlook",
    },
    "choose": {
        0: "choose weather.tally weather.csv --folds 2",
        2: "choose weather.tally weather.csv --try beta=1",
    },
    "learn": {0: "learn weather.tally weather.csv", 2: "learn weather.csv weather.csv"},
    "forget": {0: "forget weather.tally weather.csv", 2: "forget weather.tally twice.csv"},
    "merge": {0: "merge weather.tally weather.tally -o both.tally", 2: "merge weather.tally weather.csv -o both.tally"},
    "filter": {
        0: "filter mail.tally",
        1: "filter mail.tally --exit-code --ham-score 1000 --spam-score 1000",
        2: "filter mail.tally --exit-code --ham-score -1000 --spam-score 1000",
        3: "filter weather.tally --exit-code",
    },
    "thresholds": {0: "thresholds mail.tally mail", 2: "thresholds weather.tally weather.csv"},
    "serve": {0: "serve store --from weather.tally --new-token learn", 2: "serve none --new-token learn"},
    "show": {0: "show weather.tally", 2: "show weather.tally --class maybe"},
    "report": {0: "report weather.tally weather.csv -o page.html", 2: "report weather.tally nothing.csv -o page.html"},
    "schema": {0: "schema weather.csv --label play", 2: "schema weather.csv"},
    "sample": {0: "sample weather.tally 3", 2: "sample nothing.tally 3"},
    "export": {0: "export weather.tally --to sql --table days", 2: "export weather.tally --to sql"},
    "demo": {0: "demo", 2: "demo --folder weather.csv"},
    "receipt check": {
        0: "receipt check proof.json weather.tally",
        1: "receipt check receipt.json weather.tally",
        2: "receipt check nothing.json store",
    },
    "receipt show": {0: "receipt show store a", 2: "receipt show store b"},
    "store create": {0: "store create weather.tally new", 2: "store create weather.tally store"},
    "store verify": {0: "store verify store", 1: "store verify damaged", 2: "store verify nothing"},
    "store backup": {0: "store backup store copy", 2: "store backup store damaged"},
    "store expire": {0: "store expire store --older-than 1", 2: "store expire weather.csv --older-than 1"},
}

CASES = [(code, line) for codes in ENDINGS.values() for code, line in codes.items()]


@pytest.fixture
def stores(model):
    """A store of one row, receipts of learning and forgetting another, and a damaged store."""
    with Store.create("store", load(model)) as store:
        store.learn({"outlook": "rain", "temp": 17}, "yes", id="a")
        Path("receipt.json").write_text(store.receipt("a").text())
        store.forget(id="a", prove=True)
        Path("proof.json").write_text(store.receipt("a").text())
        store.backup("damaged")
    Path("damaged/base-0.tally").write_bytes(b"")


@pytest.mark.slow
@pytest.mark.thinned(3)
@pytest.mark.parametrize(("code", "line"), CASES, ids=[line for _, line in CASES])
def test_every_verb_exits_as_documented(tally, stores, weather, monkeypatch, code, line):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(spam())))
    save(trained(), "mail.tally")
    for name, content in (("ham", ham()), ("spam", spam())):
        weather.with_name("mail").joinpath(name).mkdir(parents=True)
        weather.with_name("mail").joinpath(name, "1").write_bytes(content)
    weather.with_name("twice.csv").write_text(weather.read_text() * 2)
    before = {path.name: path.read_bytes() for path in weather.parent.iterdir() if path.is_file()}
    ended = tally(*line.split())
    assert ended.code == code
    name = next(verb for verb in sorted(ENDINGS, reverse=True) if line.startswith(verb))
    if code == 2 and EXIT_CODES[name][code] == EVERY[WRONG]:
        assert ended.err.startswith(f"tallybayes {name}: ")
        assert "Traceback" not in ended.err
        assert ended.out == ""
        assert {path.name: path.read_bytes() for path in weather.parent.iterdir() if path.is_file()} == before


def test_table_covers_every_code_of_every_verb():
    assert list(EXIT_CODES) == list(ENDINGS)
    for verb, codes in EXIT_CODES.items():
        assert set(codes) - {75, 130, 141, 143} == set(ENDINGS[verb]), verb  # signals, or tested in test_filter.py


@pytest.mark.parametrize("line", ["", "trian x", "train", "train a.csv", "predict m --format xml", "sample m -3"])
def test_usage_errors_exit_with_2(tally, line):
    ended = tally(*line.split())
    assert ended.code == 2
    assert "Usage: " in ended.err + ended.out


def test_version_and_help_exit_with_0(tally):
    assert tally("--version").out == "tallybayes 0.1.0\n"
    for verb in EXIT_CODES:
        helped = tally(*verb.split(), "--help")
        assert helped.code == 0
        assert f"Usage: pytest {verb}" in helped.out or f" {verb} " in helped.out


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("tallybayes pre", "predict"),
        ("tallybayes train --skip", "--skip-bad-rows"),
        ("tallybayes show --format j", "json"),
    ],
)
def test_the_shell_completes_verbs_and_options(monkeypatch, program, line, offered):
    monkeypatch.setenv("_TALLYBAYES_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
    assert program().out.split() == [offered]


@pytest.mark.slow
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_terminated_train_leaves_no_files(weather, sent, code):
    running = subprocess.Popen(
        [PROGRAM, "train", "-", "--label", "play", "-o", "new.tally"],
        cwd=weather.parent,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    running.stdin.write(weather.read_bytes())
    running.stdin.flush()
    wait_until_read(running)
    running.send_signal(sent)
    assert running.wait() == code
    assert running.communicate()[1] == b""
    assert sorted(path.name for path in weather.parent.iterdir()) == ["weather.csv"]


@pytest.mark.slow
@pytest.mark.parametrize("module", ["typer", "tallybayes.cli.show", "numpy", "safetensors"])
def test_ctrl_c_during_imports_is_quiet(model, module):
    interrupting = f"""
import sys
class Interrupting:
    def find_spec(self, name, *_):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting())
sys.argv = ["tallybayes", "show", "weather.tally"]
from tallybayes.cli import main
main()
"""
    command = [sys.executable, "-c", interrupting]
    ended = subprocess.run(command, cwd=model.parent, capture_output=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, b"", b"")


def test_arrow_installs_no_signal_handlers(monkeypatch, tally, model):
    told = []
    monkeypatch.setattr("pyarrow.enable_signal_handlers", told.append)
    tally("show", model)
    assert told == [False]


def test_warning_raised_as_error_is_not_reported_as_a_bug(monkeypatch, tally, model):
    def warned(*_, **__):
        raise UserWarning("Look out.")

    monkeypatch.setattr("tallybayes.load", warned)
    assert tally("show", model).err == "tallybayes show: Look out.\n"


def test_interrupted_demo_is_not_reported_as_a_bug(monkeypatch, tally):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("tallybayes.save", interrupted)
    assert tally("demo")[::2] == (130, "")


def test_bug_does_not_exit_with_1(monkeypatch, tally, model):
    def broken(*_, **__):
        raise AttributeError("no such thing")

    monkeypatch.setattr("tallybayes.load", broken)
    ended = tally("predict", model, "--cell", "outlook=rain", "--find", "no")
    assert ended.code == 2
    assert ended.err.startswith("tallybayes predict: AttributeError: no such thing. This is a bug")


@pytest.mark.slow
@pytest.mark.parametrize(
    "line", ["predict weather.tally weather.csv", "show weather.tally", "sample weather.tally 100"]
)
def test_broken_pipe_is_quiet(model, line):
    running = subprocess.Popen(
        [PROGRAM, *line.split()], cwd=model.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    running.stdout.close()
    assert running.stderr.read() == b""
    running.stderr.close()
    assert running.wait() == 141
