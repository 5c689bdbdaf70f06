"""`tallybayes filter`: the mail comes out, with its score in a header."""

import fcntl
import io
import os
import resource
import signal
import subprocess
import sys

import pytest
from calling import PROGRAM, wait_until_read
from hypothesis import given
from hypothesis import strategies as st
from typer import BadParameter
from typer.main import get_command

from letters import ham, spam, trained
from tallybayes import Store, load, save
from tallybayes.cli import app
from tallybayes.cli.judging import LETTERS, VALUES, options_of


@pytest.fixture
def filtered(tally, monkeypatch, tmp_path):
    """Filter a mail in this process; the output is bytes decoded as Latin-1."""
    save(trained(), tmp_path / "spam.tally")

    def run(*arguments, mail=b""):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(mail)))
        return tally("filter", *arguments)

    return run


@pytest.fixture
def store(tmp_path):
    Store.create(tmp_path / "store", trained()).close()
    return tmp_path / "store"


def test_header_is_first_and_the_rest_unchanged(filtered):
    ended = filtered("spam.tally", mail=spam(7))
    assert ended.code == 0
    header, _, rest = ended.out.partition("\n")
    assert header.startswith("X-Tallybayes: spam, 1.0000, score ")
    assert rest == spam(7).decode()


def test_an_earlier_header_is_replaced(filtered):
    plain = b"Subject: free prize, you won\r\n\r\nX-Tallybayes: text\r\n"
    forged = b"X-Tallybayes: ham,\r\n 0.0000\r\nx-tallybayes : ham\r\n" + plain
    out = filtered("spam.tally", mail=forged).out
    assert out.count("ham") == 0
    assert out.endswith(plain.decode())


@pytest.mark.parametrize(
    ("arguments", "word", "code"),
    [
        ((), "spam", 0),
        (("--spam-score", "900"), "unsure", 2),
        (("--spam-score", "900", "--ham-score", "900"), "ham", 1),
    ],
)
def test_exit_code_is_the_answer_if_requested(filtered, arguments, word, code):
    ended = filtered("spam.tally", "--exit-code", *arguments, mail=spam(7))
    assert ended.code == code
    assert ended.out.startswith(f"X-Tallybayes: {word}, 1.0000, score ")
    assert filtered("spam.tally", *arguments, mail=spam(7)).code == 0


def test_store_answers_like_its_model_and_learns(filtered, store):
    assert filtered("store", mail=spam(7)) == filtered("spam.tally", mail=spam(7))
    told = filtered("store", "--ham", mail=spam(50))
    assert (told.code, told.out, told.err) == (0, spam(50).decode(), "Learned as ham.\n")
    assert filtered("store", "-n", mail=spam(50)).err == "Nothing to do: that was done before.\n"
    assert filtered("store", "--spam", mail=spam(50)).err == "Learned as spam.\n"
    assert filtered("store", "--forget", mail=spam(50)).err == "Forgotten.\n"
    assert filtered("store", "--learn", mail=ham(51)).out.startswith("X-Tallybayes: ham")
    with Store.open(store) as found:
        assert found.model().rows_by_class() == {"ham": 11, "spam": 10}


def test_filter_learns_into_a_file_like_the_learn_verb(filtered, program, tmp_path):
    save(trained(), tmp_path / "other.tally")
    assert program("learn", "other.tally", "--class", "spam", "--input", "mail", "-", stdin=spam(50)).code == 0
    filtered("spam.tally", "-s", mail=spam(50))
    assert (tmp_path / "spam.tally").read_bytes() == (tmp_path / "other.tally").read_bytes()
    filtered("spam.tally", "-Sn", mail=spam(50))
    assert load("spam.tally").rows_by_class() == {"ham": 11, "spam": 10}
    filtered("spam.tally", "-N", mail=spam(50))
    filtered("spam.tally", "-u", mail=ham(50))
    assert load("spam.tally").rows_by_class() == {"ham": 11, "spam": 10}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nothing.tally"], "nothing.tally: No such file or directory."),
        (["broken.tally"], "broken.tally: "),
        (["text.tally"], "The model has the column 'outlook'; a mail has "),
        ([], "Give one of a model file, a store or --server URL"),
        (["spam.tally", "--server", "http://127.0.0.1:1"], "Give one of a model file, a store or --server URL"),
        (["--server", "http://127.0.0.1:1"], "http://127.0.0.1:1 does not answer: "),
        (["."], "is not a store"),
        (["spam.tally", "--ham-score", "9"], None),
        (["spam.tally", "--ham-score", "9", "--spam-score", "1"], "Mail would be spam from 1 up and ham below 9"),
        (["spam.tally", "--spam-class", "eggs"], "Which class is spam?"),
        (["spam.tally", "-s", "-n"], "Give at most one class to learn the mail as"),
        (["spam.tally", "-s", "-S"], "Give at most one class to learn the mail as"),
        (["spam.tally", "-u", "-s"], "--learn follows the filter's verdict"),
        (["spam.tally", "-F"], "A file has no ids"),
        (["spam.tally", "-S"], "These rows cannot be forgotten"),
    ],
)
def test_mail_passes_with_a_message_whatever_is_wrong(filtered, tally, tmp_path, weather, arguments, sentence):
    (tmp_path / "broken.tally").write_bytes((tmp_path / "spam.tally").read_bytes()[:-100])
    assert tally("train", "weather.csv", "--label", "play", "-o", "text.tally").code == 0
    before = (tmp_path / "spam.tally").read_bytes()
    ended = filtered(*arguments, mail=ham(99))
    if sentence is None:
        assert ended.out.endswith(ham(99).decode())
        return
    assert ended.out == ham(99).decode()
    assert ended.err.startswith("tallybayes filter: ")
    assert sentence in ended.err
    assert ended.code == (3 if {"-s", "-S", "-F"} & {*arguments} else 0)
    assert filtered("--exit-code", *arguments, mail=ham(99))[:2] == (3, "")
    assert (tmp_path / "spam.tally").read_bytes() == before


@pytest.mark.parametrize("mail", [b"", b"\n", b"no head", b"\x00\xff\x80", b"Subject: x", b"\r\n\r\n"], ids=repr)
def test_any_bytes_pass(filtered, mail):
    ended = filtered("spam.tally", mail=mail)
    assert ended.code == 0
    assert ended.out.startswith("X-Tallybayes: ")
    assert ended.out.endswith(mail.decode("utf-8", "replace"))


WORDS = [f"--{name}" for name in LETTERS.values()] + [f"-{letter}" for letter in LETTERS] + ["-Sn", "-ue", "-es"]
GIVEN = [f"--{name}" for name in VALUES] + [f"--{name}=7" for name in VALUES]
COMMAND = get_command(app).commands["filter"]
OTHERS = ["spam.tally", "7", "-1e5", "high", "", "-", "--", "--eggs", "--forge", "--spam=yes", "-x"]


@given(st.lists(st.sampled_from(WORDS + GIVEN + OTHERS), max_size=5))
def test_options_are_read_as_typer_reads_them(arguments):
    found = options_of(arguments)
    try:
        expected = COMMAND.make_context("filter", [*arguments]).params
    except BadParameter.__base__:  # any wrong usage
        assert found is None
    else:
        strange = {"--", "--eggs", "--forge"}.intersection(arguments)  # left to typer, even as the value of an option
        assert (found is None and strange) or found._asdict() == expected


def test_empty_mail_is_not_learned(filtered):
    assert filtered("spam.tally", "-s").err == "tallybayes filter: There is no mail on standard input.\n"


def run(*arguments, mail=b"", **settings):
    return subprocess.run([PROGRAM, "filter", *arguments], input=mail, capture_output=True, check=False, **settings)


@pytest.fixture
def model(tmp_path):
    save(trained(), tmp_path / "spam.tally")
    return str(tmp_path / "spam.tally")


pytestmark = pytest.mark.slow


def test_unknown_options_let_the_mail_pass(model):
    ended = run(model, "--eggs", mail=ham(1))
    assert (ended.returncode, ended.stdout) == (0, ham(1))
    assert b"No such option: --eggs" in ended.stderr
    ended = run(model, "-e", "--eggs", mail=ham(1))
    assert (ended.returncode, ended.stdout) == (3, b"")
    assert run(model, "-s", "--spam-score", "high", mail=ham(1)).returncode == 3
    ended = run("nothing.tally", "--ham-score", "-1e5", mail=ham(1))
    assert (ended.returncode, ended.stdout) == (0, ham(1))


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_AS"), reason="there is no limit of memory here")
def test_out_of_memory_lets_the_mail_pass(model):
    def little():
        resource.setrlimit(resource.RLIMIT_AS, (150_000_000, 150_000_000))

    assert run(model, mail=ham(1), preexec_fn=little).stdout == ham(1)
    assert run(model, "-e", mail=ham(1), preexec_fn=little).returncode == 3


def test_killed_child_lets_the_mail_pass(model, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import os\nos.register_at_fork(after_in_child=lambda: os.kill(os.getpid(), 9))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ended = run(model, mail=ham(1), env=environment)
    assert (ended.returncode, ended.stdout) == (0, ham(1))
    assert b"was killed by SIGKILL" in ended.stderr
    assert run(model, "-s", mail=ham(1), env=environment).returncode == 3


def test_hung_child_lets_the_mail_pass(model):
    code = "import sys, tallybayes.cli.mail_pipe as p; p.PATIENCE = 1; sys.exit(p.pass_mail(sys.argv[2:]))"
    with open(model, "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        command = [sys.executable, "-c", code, "filter", "-u", model]
        ended = subprocess.run(command, input=ham(1), capture_output=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, ham(1))
    assert b"was killed by SIGKILL" in ended.stderr


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), 15)", "os.kill(os.getpid(), 35)", "sys.exit(3)", "1 / 0"])
def test_child_that_ends_while_it_writes_lets_the_whole_mail_pass(end):
    code = (
        "import os, sys, tallybayes.cli.judging as j, tallybayes.cli.mail_pipe as p; "
        f"j.judge = lambda _: os.write(1, b'From: an') and {end}; sys.exit(p.pass_mail(sys.argv[2:]))"
    )
    for option, written in ("-u", (0, ham(1))), ("-s", (3, ham(1))), ("-e", (3, b"")):
        command = [sys.executable, "-c", code, "filter", option, "spam.tally"]
        ended = subprocess.run(command, input=ham(1), capture_output=True, check=False)
        assert (ended.returncode, ended.stdout) == written


def test_terminated_child_leaves_no_half_written_model(tmp_path):
    code = (
        "import os; from tallybayes.cli.running import begin; from tallybayes.files.replacing import replacing\n"
        "begin()\n"
        "with replacing('new.tally') as file: file.write(b'half'); os.kill(os.getpid(), 15)"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False)
    assert (ended.returncode, list(tmp_path.iterdir())) == (143, [])


def test_mail_of_any_size_passes(model, tmp_path):
    big = tmp_path / "big"
    big.write_bytes(ham(1) + b"0123456789abcde\n" * 6_250_000)
    with big.open("rb") as mail, (tmp_path / "out").open("wb") as out:
        ended = subprocess.run([PROGRAM, "filter", model], stdin=mail, stdout=out, stderr=subprocess.PIPE, check=True)
    assert b"more than 64 MiB is not judged" in ended.stderr
    assert (tmp_path / "out").read_bytes() == big.read_bytes()


def test_unwritable_mail_exits_with_tempfail(model):
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [PROGRAM, "filter", model], input=ham(1), stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert ended.returncode == 75
    assert b"The mail could not be written" in ended.stderr
    running = subprocess.Popen(
        [PROGRAM, "filter", model], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    running.stdout.close()
    running.stdin.write(ham(1))
    running.stdin.close()
    assert b"Broken pipe" in running.stderr.read()
    running.stderr.close()
    assert running.wait() == 75
    closed = subprocess.run(
        ["sh", "-c", f"'{PROGRAM}' filter '{model}' >&-"], input=ham(1), capture_output=True, check=False
    )
    assert closed.returncode == 75


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_terminated_filter_writes_nothing(model, sent, code):
    running = subprocess.Popen(
        [PROGRAM, "filter", model], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    running.stdin.write(ham(1))
    running.stdin.flush()
    wait_until_read(running)
    running.send_signal(sent)
    out, err = running.communicate()
    assert (running.returncode, out, err) == (code, b"", b"")


def test_concurrent_filters_lose_and_double_nothing(model, store):
    def start(where, number):
        child = subprocess.Popen(
            [PROGRAM, "filter", "-s", where], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        child.stdin.write(spam(100 + number))
        child.stdin.close()
        return child

    children = [start(where, number) for number in range(2) for where in (model, str(store), str(store))]
    for child in children:
        child.stderr.read()
        child.stderr.close()
        assert child.wait() == 0
    assert load(model).rows_by_class() == {"ham": 10, "spam": 12}
    with Store.open(store) as found:
        assert found.model().rows_by_class() == {"ham": 10, "spam": 12}
