"""Mails a second: spamc asking our spamd, beside SpamAssassin's own spamd with nothing but its Bayes rules, and beside
bogofilter as a process; and `tallybayes filter`, which starts for every mail.

    python bench/spamd.py

The mails are SpamAssassin's: 2,000 are learned by all and 100 others asked about, each by a process of its own from
a shell, as mail programs do; and over a connection each from Python, which shows what the daemons take without the
start of spamc. Debian's packages spamc, spamd, spamassassin and bogofilter must be there; what is not is left out.
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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mail import raw_mails
from tallybayes import Bernoulli, Model, Schema, Words, save
from tallybayes.mail import read_mail
from tallybayes.mail.row import TEXTS
from timing import best_of

LEARNED, ASKED, STARTED, ROUNDS = 2_000, 100, 10, 3
PROGRAM = Path(sys.executable).parent / "tallybayes"
BAYES = Path("/usr/share/spamassassin/23_bayes.cf")
PLUGINS = "".join(f"loadplugin Mail::SpamAssassin::Plugin::{name}\n" for name in ("Check", "Bayes"))
SETTINGS = "use_bayes 1\nbayes_auto_learn 0\nskip_rbl_checks 1\nbayes_min_ham_num 1\nbayes_min_spam_num 1\n"
SCHEMA = {**dict.fromkeys(TEXTS, Words()), "has_html": Bernoulli(), "has_attachment": Bernoulli()}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def written(folder: Path) -> Path:
    """The mails to learn, in a folder for each class, and those to ask about."""
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
def our_service(folder: Path) -> Iterator[tuple[str, int]]:
    """As users run it, in a process of its own: its URL, and the port of its spamd."""
    port = free_port()
    command = [PROGRAM, "serve", "store", "--from", "model.tally", "--port", "0", "--spamd", f"127.0.0.1:{port}"]
    service = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert service.stdout is not None
    try:
        yield service.stdout.readline().split()[-1], port
    finally:
        service.terminate()
        service.wait()


@contextmanager
def their_spamd(folder: Path) -> Iterator[int]:
    """SpamAssassin's, which knows no rule but those of its Bayes filter."""
    conf, port = folder / "spamassassin", free_port()
    conf.mkdir(mode=0o755)
    (conf / "init.pre").write_text(PLUGINS)
    rules = BAYES.read_text().replace("require_version", "# require_version")
    (conf / "bayes.cf").write_text(f"{rules}\n{SETTINGS}bayes_path {conf}/db\n")
    paths = [f"--configpath={conf}", f"--siteconfigpath={conf}"]
    for kind in ("ham", "spam"):
        learn = ["sa-learn", *paths, f"--{kind}", "--no-sync", str(folder / kind)]
        subprocess.run(learn, check=True, capture_output=True)
    subprocess.run(["sa-learn", *paths, "--sync"], check=True, capture_output=True)
    for path in (folder, *conf.iterdir(), conf):
        shutil.chown(path, "nobody") if os.getuid() == 0 else None
    who = ["-u", "nobody"] if os.getuid() == 0 else []
    command = ["spamd", "-x", "-L", *paths, "-p", str(port), "-m", "2", "-s", "null", *who]
    daemon = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        while b"PONG" not in said(port, b"PING SPAMC/1.5\r\n\r\n"):
            if daemon.poll() is not None:
                raise SystemExit("SpamAssassin's spamd did not start.")
            time.sleep(0.1)
        yield port
    finally:
        daemon.terminate()
        daemon.wait()


def said(port: int, request: bytes) -> bytes:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            with connection.makefile("rb") as answer:
                return answer.read()
    except OSError:
        return b""


def connecting(port: int, mails: list[bytes]) -> Callable[[], object]:
    def ask() -> None:
        for mail in mails:
            assert b"EX_OK" in said(port, b"PROCESS SPAMC/1.5\r\nContent-length: %d\r\n\r\n" % len(mail) + mail)

    return ask


def each_by(command: str, folder: Path, most: int = ASKED) -> Callable[[], object]:
    """A process for every mail, one after the other."""
    loop = f'for mail in $(ls asked | head -{most}); do {command} < "asked/$mail" > /dev/null || exit 1; done'
    return lambda: subprocess.run(["sh", "-c", loop], cwd=folder, check=True)


def spamc(port: int) -> str:
    return f"spamc -d 127.0.0.1 -p {port} -s 10000000"


def measured(folder: Path, url: str, ports: dict[str, int]) -> None:
    mails = [path.read_bytes() for path in sorted((folder / "asked").iterdir())]
    works = {f"spamc, {name}": each_by(spamc(port), folder) for name, port in ports.items()}
    if shutil.which("bogofilter"):
        for kind, option in (("ham", "-n"), ("spam", "-s")):
            subprocess.run(["bogofilter", "-d", folder, option, "-B", folder / kind], check=True)
        works["bogofilter, a process"] = each_by("bogofilter -p -e -d .", folder)
    works |= {f"a connection each, {name}": connecting(port, mails) for name, port in ports.items()}
    few = {
        "tallybayes filter MODEL": each_by(f"{PROGRAM} filter model.tally", folder, STARTED),
        "tallybayes filter --server": each_by(f"{PROGRAM} filter --server {url}", folder, STARTED),
    }
    times = best_of(works, ROUNDS) | best_of(few, ROUNDS)
    size = sum(map(len, mails)) // ASKED
    print(f"{ASKED} mails of {size:,} bytes on average, {os.cpu_count()} processors (best of {ROUNDS})")
    for name, seconds in times.items():
        n = STARTED if name in few else ASKED
        print(f"  {name:42}  {n / seconds:8.0f} mails a second  {1e3 * seconds / n:8.2f} ms a mail")
    ours, theirs = times["a connection each, tallybayes"], times.get("a connection each, SpamAssassin")
    if theirs:
        print(f"  tallybayes answers {theirs / ours:.1f} times as many as SpamAssassin's spamd")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = written(Path(name))
        model = our_model(folder)
        save(model, folder / "model.tally")
        with our_service(folder) as (url, port):
            ports = {"tallybayes": port}
            if shutil.which("spamd") and shutil.which("sa-learn"):
                with their_spamd(folder) as other:
                    measured(folder, url, {**ports, "SpamAssassin": other})
            else:
                measured(folder, url, ports)


if __name__ == "__main__":
    main()
