"""A temporary PostgreSQL cluster on loopback, removed after the test."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

from parts import missing

WITHOUT = ("-c", "fsync=off", "-c", "unix_socket_directories=")


def programs():
    """The folder of initdb and related programs, which Debian keeps off the path."""
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not folders or not (folders[-1] / "initdb").exists():
        missing("postgresql", "there is no initdb here")
    return folders[-1]


def unprivileged():
    """The user to run it as, since it refuses root."""
    if os.geteuid():
        return {}
    names = [name for name in ("postgres", "nobody") if any(name == entry.pw_name for entry in pwd.getpwall())]
    user = pwd.getpwnam(names[0])
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


@contextmanager
def running():
    """Yields the URI of its database."""
    folder, who = programs(), unprivileged()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as home:
        os.chown(home, who.get("user", -1), who.get("group", -1))

        def run(program, *arguments):
            command = [folder / program, "-D", f"{home}/data", *arguments]
            subprocess.run(command, check=True, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **who)

        run("initdb", "-A", "trust", "-U", "tally", "-E", "UTF8", "--no-sync", "--no-locale")
        options = " ".join(("-p", str(port), "-c", "listen_addresses=127.0.0.1", *WITHOUT))
        run("pg_ctl", "-w", "-o", options, "-l", f"{home}/log", "start")
        try:
            yield f"postgresql://tally@127.0.0.1:{port}/postgres"
        finally:
            run("pg_ctl", "-m", "immediate", "stop")


@contextmanager
def asking(uri):
    """A cursor whose changes are committed."""
    from adbc_driver_postgresql import dbapi

    with dbapi.connect(uri, autocommit=True) as connection, connection.cursor() as cursor:
        yield cursor
