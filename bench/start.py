"""How long `import tallybayes` takes, beside the libraries it stands on, each in a process of its own.

python bench/start.py
"""

from __future__ import annotations

import subprocess
import sys

MODULES = ("numpy", "pyarrow", "numpy, pyarrow, pyarrow.compute", "tallybayes", "sklearn.naive_bayes")


def seconds(modules: str, rounds: int = 5) -> float:
    code = f"import time; t = time.perf_counter(); import {modules}; print(time.perf_counter() - t)"
    runs = (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(rounds)
    )
    return min(float(run.stdout) for run in runs)


if __name__ == "__main__":
    print("import (best of 5)")
    for modules in MODULES:
        print(f"  {modules:34}  {seconds(modules):5.2f} s")
