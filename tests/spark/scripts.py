"""Scripts with their own Spark in a separate process, which can be killed."""

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "howto-distribute.md"


def run(script, *arguments, folder=None):
    settings = {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYTHONWARNINGS": "ignore",
    }
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(command, env=settings, cwd=folder, capture_output=True, text=True, check=False)


def shown(name):
    """A file shown in the documentation."""
    return re.search(rf"<!-- file: {re.escape(name)} -->\n```python\n(.*?)```", PAGE.read_text(), re.S)[1]
