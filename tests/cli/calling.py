"""The path of the program, and a table of five days to run it on."""

import fcntl
import sys
import termios
import time
from pathlib import Path
from typing import NamedTuple

PROGRAM = str(Path(sys.executable).parent / "tallybayes")


class Ended(NamedTuple):
    code: int
    out: str
    err: str


WEATHER = """outlook,temp,play
sunny,30.5,no
sunny,29,no
overcast,25,yes
rain,18.25,yes
rain,,yes
"""


def wait_until_read(running):
    """Wait until a process has read all of its standard input and blocks for more."""
    unread = bytearray(4)
    fcntl.ioctl(running.stdin, termios.FIONREAD, unread)
    while running.poll() is None and any(unread):
        time.sleep(0.01)
        fcntl.ioctl(running.stdin, termios.FIONREAD, unread)
