"""Spam filtering throughput: our spamd against SpamAssassin's with only its Bayes rules and against bogofilter; and
`tallybayes filter`, which starts for every mail.

    python bench/spamd.py

The mails are SpamAssassin's: 2,000 for training and 100 others for testing. Mail reaches a spamd in two ways. Exim and
milters speak the protocol themselves: a connection per mail, here from Python, one after the other and then four at a
time. Others start spamc for every mail, which takes longer than our response, since it loads OpenSSL; a third server
with a constant, immediate response shows the limit: no spamd can be faster through spamc. The CPU time per mail of the
servers does not depend on what calls them. Every measurement ends after a few seconds, and progress goes to standard
error. Needs Debian's packages spamc, spamd, spamassassin and bogofilter; missing ones are skipped.
"""

from __future__ import annotations

import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from mail import raw_mails
from tallybayes import Bernoulli, Model, Schema, Words, save
from tallybayes.mail import read_mail
from tallybayes.mail.row import TEXTS
from timing import served

Work = Callable[[float], int]  # asks until that time, and returns the number of mails

LEARNED, ASKED, ROUNDS, TOGETHER = 2_000, 100, 5, 4
SECONDS = 3.0  # of a measurement; of programs, at most
PATIENCE = 300  # seconds to train SpamAssassin, and to start it
OURS, THEIRS, BOUND = "tallybayes", "SpamAssassin", "a server that answers at once"
PROGRAM = Path(sys.executable).parent / "tallybayes"
PROCESSES = Path("/proc")
TICK = os.sysconf("SC_CLK_TCK")  # a second
BAYES = Path("/usr/share/spamassassin/23_bayes.cf")
PLUGINS = "".join(f"loadplugin Mail::SpamAssassin::Plugin::{name}\n" for name in ("Check", "Bayes"))
SETTINGS = "use_bayes 1\nbayes_auto_learn 0\nskip_rbl_checks 1\nbayes_min_ham_num 1\nbayes_min_spam_num 1\n"
SCHEMA = {**dict.fromkeys(TEXTS, Words()), "has_html": Bernoulli(), "has_attachment": Bernoulli()}

# A server that reads a mail and always sends the same response.
SAYS_THE_SAME = r"""
import socket
listening = socket.create_server(("127.0.0.1", 0), backlog=128)
print(listening.getsockname()[1], flush=True)
while True:
    connection, _ = listening.accept()
    while connection.recv(1 << 20):
        pass
    connection.sendall(b"SPAMD/1.1 0 EX_OK\r\nContent-length: 4\r\nSpam: False ; 0.0 / 5.0\r\n\r\nA: b")
    connection.close()
"""


class Daemon(NamedTuple):
    """A process that listens."""

    pid: int
    port: int

    def seconds(self) -> float:
        """CPU time of all threads of the process and of its children, those that have ended included."""
        children = (PROCESSES / f"{self.pid}/task/{self.pid}/children").read_text().split()
        threads = [path for pid in (self.pid, *children) for path in PROCESSES.glob(f"{pid}/task/*/schedstat")]
        ended = (PROCESSES / f"{self.pid}/stat").read_text().rpartition(")")[2].split()[13:15]
        return sum(int(path.read_text().split()[0]) for path in threads) / 1e9 + sum(map(int, ended)) / TICK


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def written(folder: Path) -> Path:
    """The training mails, in a folder per class, and the test mails."""
    mails = raw_mails()
    random.Random(0).shuffle(mails)
    for number, mail in enumerate(mails[: LEARNED + ASKED]):
        kind = "asked" if number >= LEARNED else "spam" if "spam" in mail.folder else "ham"
        (folder / kind).mkdir(exist_ok=True)
        (folder / kind / f"{number}").write_bytes(mail.raw)
    return folder


def our_model(folder: Path) -> Model:
    schema, model = Schema(SCHEMA, label="class"), Model(Schema(SCHEMA, label="class"))
    for kind in ("ham", "spam"):
        rows = [read_mail(path.read_bytes()) for path in (folder / kind).iterdir()]
        model += Model.train(schema, {name: [row[name] for row in rows] for name in SCHEMA}, [kind] * len(rows))
    return model


@contextmanager
def our_service(folder: Path) -> Iterator[tuple[str, Daemon]]:
    """As users run it, in a separate process: its URL, and its spamd."""
    port = free_port()
    command = [PROGRAM, "serve", "store", "--from", "model.tally", "--port", "0", "--spamd", f"127.0.0.1:{port}"]
    service = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert service.stdout is not None
    try:
        yield service.stdout.readline().split()[-1], Daemon(service.pid, port)
    finally:
        service.terminate()
        service.wait()


@contextmanager
def their_spamd(folder: Path) -> Iterator[Daemon]:
    """SpamAssassin's, with only the rules of its Bayes filter."""
    conf, port = folder / "spamassassin", free_port()
    conf.mkdir(mode=0o755)
    (conf / "init.pre").write_text(PLUGINS)
    rules = BAYES.read_text().replace("require_version", "# require_version")
    (conf / "bayes.cf").write_text(f"{rules}\n{SETTINGS}bayes_path {conf}/db\n")
    paths = [f"--configpath={conf}", f"--siteconfigpath={conf}"]
    for kind in ("ham", "spam"):
        learn = ["sa-learn", *paths, f"--{kind}", "--no-sync", str(folder / kind)]
        subprocess.run(learn, check=True, capture_output=True, timeout=PATIENCE)
    subprocess.run(["sa-learn", *paths, "--sync"], check=True, capture_output=True, timeout=PATIENCE)
    for path in (folder, *conf.iterdir(), conf):
        shutil.chown(path, "nobody") if os.getuid() == 0 else None
    who = ["-u", "nobody"] if os.getuid() == 0 else []
    command = ["spamd", "-x", "-L", *paths, "-p", str(port), "-m", str(os.cpu_count()), "-s", "null", *who]
    daemon = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    until = time.monotonic() + PATIENCE
    try:
        while not answers(port):
            if daemon.poll() is not None or time.monotonic() > until:
                raise SystemExit("SpamAssassin's spamd did not start.")
            time.sleep(0.1)
        yield Daemon(daemon.pid, port)
    finally:
        daemon.terminate()
        daemon.wait()


def said(port: int, request: bytes) -> bytes:
    """The response, with as few calls as possible: the client's time is added to every server's."""
    with socket.socket() as connection:
        connection.connect(("127.0.0.1", port))
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        response = connection.recv(1 << 20)
        while part := connection.recv(1 << 20):
            response += part
    return response


def answers(port: int) -> bool:
    """Whether a spamd has started."""
    try:
        return b"PONG" in said(port, b"PING SPAMC/1.5\r\n\r\n")
    except OSError:
        return False


def connecting(port: int, mails: list[bytes], together: int = 1) -> Work:
    """A connection per mail, this many at a time, for the whole time: noise must not spare the faster server."""
    requests = [b"PROCESS SPAMC/1.5\r\nContent-length: %d\r\n\r\n" % len(mail) + mail for mail in mails]

    def ask(until: float) -> int:
        def asking(first: int) -> int:
            at = first
            while time.perf_counter() < until:
                assert b"EX_OK" in said(port, requests[at % len(requests)])
                at += together
            return (at - first) // together

        with ThreadPoolExecutor(together) as threads:
            return sum(threads.map(asking, range(together)))

    return ask


def each_by(command: Sequence[object], folder: Path, together: int = 1) -> Work:
    """A process per mail, this many at a time, by `posix_spawn`, since forking this large process would be slow."""
    words = [str(word) for word in command]
    program = shutil.which(words[0])
    assert program is not None
    mails = sorted((folder / "asked").iterdir())

    def ask(until: float) -> int:
        started = finished = 0
        while finished < started or (started < len(mails) and time.perf_counter() < until):
            if started - finished < together and started < len(mails) and time.perf_counter() < until:
                opened = (
                    (os.POSIX_SPAWN_OPEN, 0, mails[started], os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                )
                os.posix_spawn(program, words, os.environ, file_actions=opened)
                started += 1
            else:
                assert os.waitstatus_to_exitcode(os.wait()[1]) == 0
                finished += 1
        return finished

    return ask


def spamc(port: int) -> Sequence[object]:
    return ["spamc", "-x", "-d", "127.0.0.1", "-p", port, "-s", 10_000_000]


def connections_of(folder: Path, ports: dict[str, int]) -> dict[str, Work]:
    """What is measured without processes for the mails, by name."""
    mails = [path.read_bytes() for path in sorted((folder / "asked").iterdir())]
    works = {}
    for name, port in ports.items():
        works[f"a connection per mail, {name}"] = connecting(port, mails)
        works[f"a connection per mail, {name}, {TOGETHER} at a time"] = connecting(port, mails, TOGETHER)
    return works


def programs_of(folder: Path, url: str, ports: dict[str, int]) -> dict[str, Work]:
    """What is measured with a process per mail, by name."""
    commands = {f"spamc, {name}": spamc(port) for name, port in ports.items()}
    if shutil.which("bogofilter"):
        for kind, option in (("ham", "-n"), ("spam", "-s")):
            subprocess.run(["bogofilter", "-d", folder, option, "-B", folder / kind], check=True, timeout=PATIENCE)
        commands["bogofilter"] = ["bogofilter", "-p", "-e", "-d", folder]
    works = {}
    for name, command in commands.items():
        works[name] = each_by(command, folder)
        works[f"{name}, {TOGETHER} at a time"] = each_by(command, folder, TOGETHER)
    works["tallybayes filter MODEL"] = each_by([PROGRAM, "filter", folder / "model.tally"], folder)
    works["tallybayes filter --server"] = each_by([PROGRAM, "filter", "--server", url], folder)
    return works


def rates(works: dict[str, Work]) -> dict[str, float]:
    """Mails a second, the best of several rounds; all run once per round, so that a noisy minute affects all."""
    best: dict[str, float] = {}
    for turn in range(ROUNDS):
        for name, work in works.items():
            start = time.perf_counter()
            rate = work(start + SECONDS) / (time.perf_counter() - start)
            best[name] = max(best.get(name, 0.0), rate)
            tell(f"round {turn + 1} of {ROUNDS}: {name}: {rate:.0f} mails a second")
    return best


def tell(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def busy(folder: Path, daemons: dict[str, Daemon]) -> None:
    """Prints the CPU time of each daemon per mail, the least of several rounds in turn."""
    mails = [path.read_bytes() for path in sorted((folder / "asked").iterdir())]
    least: dict[str, float] = {}
    for _ in range(ROUNDS):
        for name, daemon in daemons.items():
            before = daemon.seconds()
            asked = connecting(daemon.port, mails)(time.perf_counter() + SECONDS)
            least[name] = min(least.get(name, 1e9), (daemon.seconds() - before) / asked)
    for name, seconds in least.items():
        ratio = f"{least[THEIRS] / seconds:7.1f} × {THEIRS}" if name != THEIRS in least else ""
        print(f"  {f'CPU time, {name}':68}  {1 / seconds:7.0f} mails a second  {1e3 * seconds:7.2f} ms a mail{ratio}")


def measured(folder: Path, url: str, ports: dict[str, int]) -> None:
    best = rates(connections_of(folder, ports) | programs_of(folder, url, ports))
    size = sum(path.stat().st_size for path in (folder / "asked").iterdir()) // ASKED
    print(f"{ASKED} mails of {size:,} bytes on average, {os.cpu_count()} cores (best of {ROUNDS})")
    for name, rate in best.items():
        peer = best.get(name.replace(OURS, THEIRS).replace(BOUND, THEIRS), rate)
        ratio = "" if peer == rate else f"{rate / peer:7.1f} × {THEIRS}"
        bound = f", {rate / best[name.replace(OURS, BOUND)]:.0%} of {BOUND}" if f"spamc, {OURS}" in name else ""
        print(f"  {name:68}  {rate:7.0f} mails a second  {1e3 / rate:7.2f} ms a mail{ratio}{bound}")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = written(Path(name))
        tell("training tallybayes")
        save(our_model(folder), folder / "model.tally")
        with ExitStack() as stack:
            url, ours = stack.enter_context(our_service(folder))
            daemons, at_once = {OURS: ours}, stack.enter_context(served(SAYS_THE_SAME))
            if shutil.which("spamd") and shutil.which("sa-learn"):
                tell("training SpamAssassin")
                daemons[THEIRS] = stack.enter_context(their_spamd(folder))
            measured(folder, url, {BOUND: at_once, **{name: daemon.port for name, daemon in daemons.items()}})
            busy(folder, daemons)


if __name__ == "__main__":
    main()
