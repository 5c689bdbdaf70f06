"""The recipes of docs/howto-spam.md for Postfix, Dovecot and Exim, each run by its program."""

import os
import shutil
import smtplib
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

import parts
from console import blocks
from letters import ham, spam
from spamd_client import free_port

PAGE = Path(__file__).parents[3] / "docs" / "howto-spam.md"
RECIPES = {block.file: block.text for block in blocks(PAGE.read_text()) if block.file}
NOBODY = 65534
pytestmark = pytest.mark.slow

MAIN = """compatibility_level = 3.6
queue_directory = {here}/queue
data_directory = {here}/data
maillog_file = {here}/log
maillog_file_prefixes = /
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mydestination =
mynetworks = 127.0.0.0/8
smtpd_recipient_restrictions = permit_mynetworks, reject
"""
MASTER = """postlog unix-dgram n - n - 1 postlogd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
anvil unix - - n - 1 anvil
"""
SENDMAIL = """#!/bin/sh
{ echo "$*"; cat; } > HERE/mail/$$.tmp && mv HERE/mail/$$.tmp HERE/mail/$$
"""
DELIVERING = """smtp       inet  n  -  n  -  -   smtpd
kept unix - n n - 10 pipe flags=Rq user=nobody argv={here}/sendmail -f ${{sender}} -- ${{recipient}}
"""
DOVECOT = """dovecot_config_version = 2.4.0
dovecot_storage_version = 2.4.0
mail_driver = maildir
mail_path = {here}/home/Maildir
"""
DOVECOT_BEFORE = "mail_location = maildir:{here}/home/Maildir\n"
DOVECOT_BOTH = """mail_home = {here}/home
base_dir = {here}/run
ssl = no
"""
EXIM = """exim_user = nobody
spool_directory = {here}/spool
log_file_path = {here}/log-%slog
spamd_address = 127.0.0.1 {port}
acl_smtp_rcpt = rcpt
acl_smtp_data = data
begin acl
rcpt:
  accept
data:
{acl}
  accept
"""


@pytest.fixture
def here(spamd):
    """A folder that other users may enter, with the recipes as documented except for paths."""
    parts.program("spamc")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        for name, text in RECIPES.items():
            text = text.replace("127.0.0.1 -p 7830", f"127.0.0.1 -p {spamd}").replace("/etc/dovecot", folder)
            text = text.replace("/usr/local/bin", folder).replace("/usr/sbin/sendmail", f"{folder}/sendmail")
            Path(folder, name).write_text(text.replace("user=filter", "user=nobody"))
            Path(folder, name).chmod(0o755)
        yield Path(folder)


@contextmanager
def postfix(here, main="", recipe="master.cf"):
    """A temporary Postfix, and the port where it accepts mail."""
    program, port = parts.program("postfix"), free_port()
    needs_root()
    for name, owner in (("conf", 0), ("queue", 0), ("data", "postfix"), ("mail", NOBODY)):
        (here / name).mkdir(mode=0o755)
        shutil.chown(here / name, owner)
    (here / "conf" / "main.cf").write_text(MAIN.format(here=here) + main)
    recipe = (here / recipe).read_text().replace("smtp       inet", f"{port} inet")
    (here / "conf" / "master.cf").write_text(recipe + MASTER)
    subprocess.run([program, "-c", here / "conf", "start"], check=True, capture_output=True)
    try:
        yield port
    finally:
        subprocess.run([program, "-c", here / "conf", "stop"], check=True, capture_output=True)


def test_postfix_content_filter(here):
    """Up to sendmail, which works only for the system's Postfix: a substitute keeps its input."""
    good, bad = through_postfix(here)
    assert "X-Tallybayes: ham, " in good
    assert "At noon on 77?" in good
    assert "X-Tallybayes: spam, " in bad
    assert "Claim your free prize, number 77, today." in bad
    assert good.startswith("-G -i -f ann@example.net -- ben@example.org\n")


def test_postfix_content_filter_keeps_the_empty_sender_of_bounces(here):
    good, bad = through_postfix(here, sender="")
    assert good.startswith("-G -i -f  -- ben@example.org\n")
    assert "\nReturn-Path: <>\n" in good
    assert bad.startswith("-G -i -f  -- ben@example.org\n")


def test_postfix_milter(here):
    with milter(here) as place:
        main = (here / "main.cf").read_text().replace("spamass/spamass.sock", str(place))
        (here / "delivering.cf").write_text(DELIVERING.format(here=here))
        good, bad = through_postfix(here, f"{main}default_transport = kept:\n", "delivering.cf")
    assert "X-Spam-Status: No, score=" in good
    assert "At noon on 77?" in good
    assert "X-Spam-Status: Yes, score=" in bad
    assert "Claim your free prize, number 77, today." in bad


@contextmanager
def milter(here):
    """A spamass-milter for Postfix, and its address."""
    program, folder = parts.program("spamass-milter"), here / "milter"
    needs_root()
    folder.mkdir()
    shutil.chown(folder, "postfix")
    asking = f". {here}/spamass-milter; exec {program} -p {folder}/sock $OPTIONS"
    process = subprocess.Popen(["sh", "-c", asking], user="postfix")
    try:
        until = time.monotonic() + 300
        while not (folder / "sock").exists():
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.02)
        yield folder / "sock"
    finally:
        process.kill()
        process.wait()


def needs_root():
    if os.getuid() != 0:
        parts.missing("postfix", "only root can start it")


def through_postfix(here, *how, sender="ann@example.net"):
    """A good mail and spam, as they come out."""
    (here / "sendmail").write_text(SENDMAIL.replace("HERE", str(here)))
    (here / "sendmail").chmod(0o755)
    with postfix(here, *how) as port:
        with smtplib.SMTP("127.0.0.1", port, timeout=120) as client:
            for mail in (ham(77), spam(77)):
                client.sendmail(sender, ["ben@example.org"], mail)
        found = [content.decode() for content in arrived(here / "mail", 2, here / "log")]
    return sorted(found, key=lambda mail: "X-Spam-Flag: YES" in mail)


def arrived(folder, wanted, log):
    """The mails in a folder, once there are this many."""
    until = time.monotonic() + 300
    while len(found := [path for path in folder.iterdir() if not path.suffix]) < wanted:
        assert time.monotonic() < until, log.read_text()
        time.sleep(0.02)
    return [path.read_bytes() for path in found]


@pytest.fixture
def dovecot(here):
    """Runs a Dovecot program as an unprivileged user, with a Maildir of one mail."""
    path = Path("/usr/lib/dovecot/imap")
    if not path.exists() or not Path("/usr/bin/sieve-test").exists():
        parts.missing("dovecot", "there is no Dovecot here with IMAP and Sieve")
    for folder in ("Maildir", "Maildir/.Spam", "Maildir/.Trash"):
        for part in ("cur", "new", "tmp"):
            (here / "home" / folder / part).mkdir(parents=True)
    (here / "home" / "Maildir" / "cur" / "1:2,S").write_bytes(spam(99))
    (here / "sieve-bin").mkdir()
    (here / "tell").rename(here / "sieve-bin" / "tell")
    (here / "dovecot.conf").write_text(configured(here))
    other = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}
    if other:
        for found in [here, *here.rglob("*")]:
            shutil.chown(found, NOBODY)

    def run(*command, said=b""):
        env = {"HOME": str(here / "home"), "USER": "somebody", "DOVECOT_PRESERVE_ENVS": "HOME USER"}
        settings = {"cwd": here, "env": env | {"PATH": os.environ["PATH"]}}
        return subprocess.run(command, input=said, capture_output=True, check=True, **settings, **other).stdout.decode()

    return run


def configured(here):
    """The settings for the Dovecot that is here."""
    version = subprocess.run(["dovecot", "--version"], capture_output=True, text=True, check=True).stdout
    is_new = tuple(map(int, version.split(".")[:2])) >= (2, 4)
    about, recipe = (DOVECOT, "90-spam.conf") if is_new else (DOVECOT_BEFORE, "90-spam-2.3.conf")
    return (about + DOVECOT_BOTH).format(here=here) + (here / recipe).read_text()


def test_dovecot_reports_mail_that_users_move(dovecot, here, store):
    moves = b"a SELECT INBOX\r\nb MOVE 1 Spam\r\nc LOGOUT\r\n"
    assert "b OK Move completed" in dovecot("/usr/lib/dovecot/imap", "-c", here / "dovecot.conf", said=moves)
    assert store.model().rows_by_class() == {"ham": 10, "spam": 11}
    back = b"a SELECT Spam\r\nb MOVE 1 INBOX\r\nc LOGOUT\r\n"
    assert "b OK Move completed" in dovecot("/usr/lib/dovecot/imap", "-c", here / "dovecot.conf", said=back)
    assert store.model().rows_by_class() == {"ham": 11, "spam": 10}


def test_dovecot_reports_no_spam_that_users_delete(dovecot, here, store):
    moves = b"a SELECT INBOX\r\nb MOVE 1 Spam\r\nc SELECT Spam\r\nd MOVE 1 Trash\r\ne LOGOUT\r\n"
    assert "d OK Move completed" in dovecot("/usr/lib/dovecot/imap", "-c", here / "dovecot.conf", said=moves)
    assert store.model().rows_by_class() == {"ham": 10, "spam": 11}


@pytest.mark.parametrize(
    ("mail", "folder"),
    [(b"X-Tallybayes: spam, 0.9\n" + spam(), "Spam"), (b"X-Tallybayes: ham, 0.1\n" + ham(), "INBOX")],
)
def test_sieve_files_mail_by_header(dovecot, here, mail, folder):
    (here / "mail").write_bytes(mail)
    assert f"store message in folder: {folder}\n" in dovecot("sieve-test", "-c", "dovecot.conf", "spam.sieve", "mail")


def test_exim_reads_score_and_verdict(here, spamd):
    """From the queue, after the ACL has seen the mail."""
    exim = parts.program("exim", "exim4")
    if "Content_Scanning" not in subprocess.run([exim, "-bV"], capture_output=True, text=True, check=True).stdout:
        parts.missing("exim", "it was built without content scanning")
    acl = "\n".join(f"  {line}" for line in (here / "acl-data").read_text().splitlines())
    (here / "exim.conf").write_text(EXIM.format(here=here, port=spamd, acl=acl))
    shutil.chown(here, NOBODY)
    for mail in (ham(77), spam(77)):
        said = [b"EHLO x", b"MAIL FROM:<a@example.net>", b"RCPT TO:<b@example.org>", b"DATA", *mail.split(b"\n")[:-1]]
        said = b"\r\n".join([*said, b".", b"QUIT", b""])
        subprocess.run([exim, "-C", here / "exim.conf", "-odq", "-bs"], input=said, check=True, capture_output=True)
    queued = [path.read_text() for path in (here / "spool" / "input").glob("*-H")]
    good, bad = sorted(queued, key=lambda head: "X-Spam-Flag: YES" in head)
    assert "X-Spam-Score: -" in good
    assert "Subject: Lunch" in good
    assert "X-Spam-Score: 1" in bad
    assert "Subject: You won" in bad
    assert "X-Spam-Flag: YES" in bad
