"""The program, and a table of five days to call it with."""

import sys
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
