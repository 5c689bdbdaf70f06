"""Full disks, kills, concurrent runs and malformed inputs."""

import os
import resource
import signal
import subprocess

import pyarrow.csv
import pytest
from calling import PROGRAM, WEATHER, wait_until_read

from tallybayes import load
from tallybayes.cli.terminal import waiting_for

pytestmark = pytest.mark.slow

MANY = "outlook,temp,play\n" + "rain,18.5,yes\nsunny,30.25,no\n" * 200_000


def test_full_disk_leaves_the_old_file(program, model, weather):
    before = model.read_bytes()

    def little_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))

    ended = program("learn", "weather.tally", "weather.csv", preexec_fn=little_room)
    assert ended.code == 2
    assert "weather.tally could not be saved: File too large. The old file is unchanged." in ended.err
    assert model.read_bytes() == before
    assert sorted(path.name for path in weather.parent.iterdir()) == ["weather.csv", "weather.tally"]


def test_full_disk_leaves_no_output_file(program, model, weather):
    def no_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))

    ended = program("predict", "weather.tally", "weather.csv", "-o", "a.csv", preexec_fn=no_room)
    assert ended.code == 2
    assert "a.csv could not be saved: File too large. No file was written." in ended.err
    assert not weather.with_name("a.csv").exists()


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "line",
    [
        "predict weather.tally weather.csv",
        "show weather.tally",
        "schema weather.csv --label play",
        "--help",
        "--version",
    ],
)
def test_a_full_standard_output_is_an_error(model, weather, line, unbuffered):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [PROGRAM, *line.split()],
            cwd=weather.parent,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    verb = "" if line.startswith("--") else f" {line.split()[0]}"
    assert done.returncode == 2
    assert done.stderr.decode() == f"tallybayes{verb}: No space left on device\n"


def test_killed_learn_leaves_the_old_or_the_new_model(model, weather):
    before, half = load(model).n, len(MANY) // 2
    for saving in (False, True, True, True):
        command = [PROGRAM, "learn", "weather.tally", "-"]
        with subprocess.Popen(command, cwd=weather.parent, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as running:
            running.stdin.write(MANY[:half].encode())
            running.stdin.flush()
            wait_until_read(running)
            if saving:
                running.stdin.write(MANY[half:].encode())
                running.stdin.close()
                while running.poll() is None and not list(weather.parent.glob(".tally-*")):
                    pass
            running.send_signal(signal.SIGKILL)
        learned = (load(model).n - before) / 400_000
        assert learned == int(learned)
        assert saving or not learned


def test_concurrent_learns_are_both_counted(model, weather):
    weather.with_name("many.csv").write_text(MANY)
    command = [PROGRAM, "learn", "weather.tally", "many.csv"]
    running = [subprocess.Popen(command, cwd=weather.parent, stderr=subprocess.DEVNULL) for _ in range(4)]
    assert [process.wait() for process in running] == [0, 0, 0, 0]
    assert load(model).n == 5 + 4 * 400_000


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "bad.csv is empty"),
        (b"outlook,temp,play\n", "There are no rows to learn from"),
        (b"outlook,outlook,play\na,b,yes\n", "'outlook'"),
        (b"outlook,temp\nsunny,1\n", "'outlook', 'temp'"),
        (b"outlook,temp,play\nsunny,1,no\nrain,2\n", "bad.csv, line 3"),
        (b"outlook,temp,play\nsunny,1,no\nrain,2,\n", "bad.csv, line 3: the row has no label"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00", "bad.csv"),
    ],
)
def test_bad_file_is_an_error_that_names_it(tally, weather, content, message):
    weather.with_name("bad.csv").write_bytes(content)
    ended = tally("train", "bad.csv", "--label", "play", "-o", "m.tally")
    assert ended.code == 2
    assert message in ended.err
    assert not weather.with_name("m.tally").exists()


@pytest.mark.parametrize(
    ("options", "markers"),
    [
        ([], r"empty, '?', 'NA', 'N/A', 'n/a', '#N/A', '<NA>', 'NULL', 'null', 'NaN', 'nan' or '\\N'"),
        (["--no-default-missing", "--missing", "-", "--missing", "NA"], "'-' or 'NA'"),
    ],
)
def test_missing_label_is_an_error_that_lists_the_marks(tally, model, weather, options, markers):
    weather.with_name("bad.csv").write_text("outlook,temp,play\nsunny,1,no\nrain,2,NA\n")
    said = f" Cells that are {markers} are missing values, unless --no-default-missing is given.\n"
    training = "; training can count it without one: `tallybayes train --unlabelled`, or unlabelled=EM()."
    for line, more in (
        ("train bad.csv --label play -o m.tally", training),
        ("learn weather.tally bad.csv", training),
        ("evaluate weather.tally bad.csv", "."),
    ):
        ended = tally(*line.split(), *options)
        advice = f"bad.csv, line 3: the row has no label. Drop it, or give it a label{more}{said}"
        assert (ended.code, ended.err.partition(": ")[2]) == (2, advice)
    assert tally("train", "bad.csv", "--label", "play", "-o", "m.tally", "--no-default-missing").code == 0


def test_missing_label_in_typed_data_lists_no_marks(tally, weather):
    weather.with_name("bad.jsonl").write_text('{"a": "x", "y": "b"}\n{"a": "x", "y": null}\n')
    ended = tally("train", "bad.jsonl", "--label", "y", "-o", "m.tally")
    assert ended.err.endswith(
        "bad.jsonl, line 2: the row has no label. Drop it, or give it a label; "
        "training can count it without one: `tallybayes train --unlabelled`, or unlabelled=EM().\n"
    )


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + WEATHER.encode(),
        WEATHER.replace("\n", "\r\n").encode(),
        WEATHER.encode("utf-16"),
        WEATHER.rstrip("\n").encode(),
        WEATHER.replace(",", ";").encode(),
        WEATHER.replace(",", "\t").encode(),
        WEATHER.replace("sunny", '"sunny"').encode(),
        WEATHER.replace("rain,,", "rain,?,").encode(),
        WEATHER.replace("rain,,", "rain,NA,").encode(),
        WEATHER.replace("rain,,", "rain,null,").encode(),
    ],
    ids=["BOM", "CRLF", "UTF-16", "no last line end", "semicolons", "tabs", "quotes", "?", "NA", "null"],
)
def test_same_table_in_other_formats_is_the_same_model(tally, model, weather, content):
    weather.with_name("other.csv").write_bytes(content)
    assert tally("train", "other.csv", "--label", "play", "-o", "other.tally").code == 0
    assert weather.with_name("other.tally").read_bytes() == model.read_bytes()


def test_quotes_and_newlines_in_cells(tally, weather):
    weather.write_text('word,y\n"a ""b""\nc",1\n"d, e",0\n')
    assert tally("train", weather, "-l", "y", "-o", "m", "--column", "word=Categorical").code == 0
    assert sorted(load("m").counts("word").slots) == ['a "b"\nc', "d, e"]


def test_single_class_is_a_model(tally, weather):
    weather.write_text("x,y\n1.5,a\n2.5,a\n")
    assert tally("train", weather, "-l", "y", "-o", "m").code == 0
    assert tally("predict", "m", weather).out == "y,probability\na,1\na,1\n"
    assert tally("evaluate", "m", weather).code == 0
    assert tally("explain", "m", "--cell", "x=2").code == 0
    assert tally("show", "m").code == 0


def test_number_column_with_text_is_an_error(tally, weather):
    rows = ["x,y", *(f"{i}.5,{'ab'[i % 2]}" for i in range(200_000)), "many,a", "1.5,b"]
    weather.write_text("\n".join(rows))
    ended = tally("train", weather.name, "-l", "y", "-o", "m", "--column", "x=Gaussian")
    assert ended.code == 2
    assert "weather.csv, line 200002" in ended.err
    assert "'x'" in ended.err
    assert "'many'" in ended.err
    assert "--column" in ended.err
    skipped = tally("train", weather.name, "-l", "y", "-o", "m", "--column", "x=Gaussian", "--skip-bad-rows")
    assert skipped.code == 0
    assert "1 row was skipped" in skipped.err
    assert "weather.csv, line 200002" in skipped.err
    assert load("m").n == 200_001


def test_rows_outside_the_support_are_named_and_can_be_skipped(tally, weather):
    rows = ["x,y", *(f"{'-3' if i in (7, 9000) else i + 1},{'ab'[i % 2]}" for i in range(10_000))]
    weather.write_text("\n".join(rows))
    ended = tally("train", weather.name, "-l", "y", "-o", "m", "--column", "x=Gamma")
    assert "weather.csv, line 9, column 'x'" in ended.err
    assert ended.code == 2
    assert tally("train", weather.name, "-l", "y", "-o", "m", "--column", "x=Gamma", "--skip-bad-rows").code == 0
    assert load("m").n == 9998


def test_model_is_not_data_and_data_is_not_a_model(tally, model, weather):
    assert "weather.tally is a model, not data" in tally("predict", model, "weather.tally").err
    assert "weather.csv: This is not a tallybayes model" in tally("predict", "weather.csv", "weather.csv").err


def test_names_with_spaces_and_non_utf8_bytes(program, weather):
    name = os.fsdecode(b"my d\xe4ta.csv")
    weather.rename(weather.with_name(name))
    assert program("train", name, "--label", "play", "-o", os.fsdecode(b"m\xf6del 1.tally")).code == 0
    ended = program("predict", os.fsdecode(b"m\xf6del 1.tally"), name)
    assert ended.code == 0
    assert len(ended.out.splitlines()) == 6
    wrong = program("train", name, "--label", "rain", "-o", "m")
    assert wrong.code == 2
    assert "my d" in wrong.err


def test_control_codes_never_reach_the_terminal(tally, weather):
    weather.write_text('word,y\n"\x1b[2Jfree",a\nplain,b\n')
    assert tally("train", weather, "-l", "y", "-o", "m", "--column", "word=Words").code == 0
    for verb in (["explain", "m", weather], ["show", "m"], ["predict", "m", weather, "--keep", "word", "-f", "table"]):
        assert "\x1b" not in tally(*verb).out
    weather.write_text("\x1b[31mword,y\na,b\n")
    assert "\x1b" not in tally("train", weather, "-l", "z", "-o", "m").err
    assert "\\x1b[31mword" in tally("train", weather, "-l", "z", "-o", "m").err


def test_csv_is_safe_against_formulas_by_default(tally, model, weather):
    weather.write_text('outlook,temp,id\nrain,1,"=cmd|x"\nrain,1,-5\nrain,1,+x\nrain,1,@a\nrain,1,a=b\n')
    guarded = pyarrow.csv.read_csv(_bytes(tally("predict", model, weather, "--keep", "id").out))
    assert guarded["id"].to_pylist() == ["'=cmd|x", "-5", "'+x", "'@a", "a=b"]
    plain = pyarrow.csv.read_csv(_bytes(tally("predict", model, weather, "--keep", "id", "--keep-formulas").out))
    assert plain["id"].to_pylist() == ["=cmd|x", "-5", "+x", "@a", "a=b"]


def _bytes(text):
    import io

    return io.BytesIO(text.encode())


def test_pipe_is_answered_row_by_row(model):
    command = [PROGRAM, "predict", "weather.tally", "-", "--input", "csv"]
    with subprocess.Popen(command, cwd=model.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        running.stdin.write(b"outlook,temp\nrain,18\n")
        running.stdin.flush()
        assert running.stdout.readline() == b"play,probability\n"
        assert running.stdout.readline().startswith(b"yes,")
        running.stdin.write(b"sunny,30\n")
        running.stdin.flush()
        assert running.stdout.readline().startswith(b"no,")
        running.stdin.close()


def test_explain_ends_well_although_an_endless_row_follows_those_it_wants(program, model, weather):
    weather.write_text(WEATHER + "rain,1,yes\n" * 50_000 + "rain" * 20_000_000)
    ended = program("explain", "weather.tally", "weather.csv", "--rows", "1")
    assert (ended.code, ended.err) == (0, "")


def test_data_comes_from_standard_input(program, weather, model):
    ended = program("train", "-", "--label", "play", "-o", "piped.tally", stdin=WEATHER.encode())
    assert ended.code == 0
    assert weather.with_name("piped.tally").read_bytes() == model.read_bytes()


def test_times_are_left_out_and_reported(tally, weather):
    rows = weather.read_text().splitlines()
    weather.write_text("\n".join([f"day,{rows[0]}", *(f"2024-01-0{i + 1},{row}" for i, row in enumerate(rows[1:]))]))
    ended = tally("train", weather, "-l", "play", "-o", "m")
    assert ended.code == 0
    assert "Left out: day (times: convert them to a number or a category to count them)" in ended.err
    assert tally("train", weather, "-l", "day", "-o", "m").code == 0
    assert str(load("m").classes[0]) == "2024-01-01"


def test_wait_for_several_others_is_reported_once(capsys):
    wait = waiting_for("m.tally")
    wait()
    wait()
    assert capsys.readouterr().err == "Waiting for another process that changes m.tally …\n"
