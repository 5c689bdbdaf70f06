"""A preloaded library that records disk calls or makes them fail."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

needs_preloading = pytest.mark.skipif(
    sys.platform != "linux" or not shutil.which("cc"), reason="needs Linux and a C compiler"
)


def run_watched(code, folder, *arguments, log=None):
    """Run Python code with a preloaded library that watches the files in a folder."""
    compiled = Path(folder).with_name("disk_log.so")
    source = Path(__file__).with_name("disk_log.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", compiled, source, "-lpthread"], check=True)
    watch = {"LD_PRELOAD": str(compiled), "WATCH": str(folder)} | ({} if log is None else {"LOG": str(log)})
    command = [sys.executable, "-c", code, str(folder), *map(str, arguments)]
    done = subprocess.run(command, check=False, env={**os.environ, **watch}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
