"""`from tallybayes import *`, with and without scikit-learn."""

import ast
import subprocess
import sys
from importlib.util import find_spec

import pytest

import tallybayes

pytestmark = pytest.mark.slow

NAMES = "from tallybayes import *\nprint(sorted(name for name in dir() if not name.startswith('_')))"


def printed(code, folder):
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def test_star_import_has_every_public_name(tmp_path):
    assert printed(NAMES, tmp_path) == str(sorted(tallybayes._MODULES))


def test_star_import_without_sklearn(tmp_path):
    others = str(sorted(tallybayes._MODULES.keys() - {"NaiveBayes", "SemiNaiveBayes"}))
    hidden = "import sys as _sys\n_sys.modules['sklearn'] = None\n"
    assert printed(hidden + NAMES, tmp_path) == others
    (tmp_path / "sklearn").mkdir()  # not a package, but importlib finds something
    alone = "import sys\nsys.path[1:] = [path for path in sys.path[1:] if not has(path)]\n"
    has = "from pathlib import Path\ndef has(path): return (Path(path) / 'sklearn').exists()\n"
    kept = "import numpy, pyarrow, safetensors, tallybayes\n"
    assert "NaiveBayes" not in printed(kept + has + alone + "print(tallybayes.__all__)", tmp_path)


COMPLETION = "import tallybayes\ntallybayes.Model\nprint(dir(tallybayes))"


def test_completion_shows_public_names_only(tmp_path):
    faces = {"plots", "sklearn", "testing"} | ({"spark"} if find_spec("pyspark") else set())
    assert printed(COMPLETION, tmp_path) == str(sorted({*tallybayes._MODULES, *faces, "__version__"}))


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    ("framework", "names"),
    [("sklearn", {"sklearn", "NaiveBayes", "SemiNaiveBayes"}), ("pyspark", {"spark"}), ("hypothesis", {"testing"})],
)
def test_completion_hides_unavailable_names(framework, names, tmp_path):
    hidden = f"import sys\nsys.modules[{framework!r}] = None\n"
    everything = "[getattr(tallybayes, name) for name in dir(tallybayes)]"
    assert not names & set(ast.literal_eval(printed(f"{hidden}{COMPLETION}\n{everything}", tmp_path)))


def test_listing_names_imports_nothing(tmp_path):
    code = "import sys, tallybayes\ntallybayes.__all__\nprint([m for m in ('sklearn', 'numpy') if m in sys.modules])"
    assert printed(code, tmp_path) == "[]"
