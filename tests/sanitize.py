"""Run the kernels under AddressSanitizer and UndefinedBehaviorSanitizer: `make sanitize`.

Builds them twice, with and without vector instructions, next to a copy of the package, and runs the tests that use
them. Leaks are not checked: Python itself leaves some at exit.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
TESTS = [  # besides all of tests/kernels
    "test_rows",
    "test_quotes",
    "test_pairs",
    "test_tuples",
    "test_trees",
    "test_trees_crossed",
    "test_word_sequence",
    "test_values",
    "test_interval_kernels",
    "test_smooth",
    "test_vectors",
    "test_one_row",
    "test_exact",
    "test_words",
    "test_auto_fit",
    "test_dirichlet_multinomial",
    "test_fitted",
    "test_folds_left_out",
    "test_single_row_learning",
    "test_soft_labels",
    "test_word_settings",
    "test_word_edges",
    "test_punctuation",
    "test_word_files",
    "test_hostile_texts",
    "test_many_short_texts",
    "test_sampled_rows",
    "test_model",
    "test_files",
]
SLOW = "not gigabytes and not hundred and not obeys and not every_character"


def build(folder: Path, definitions: str) -> Path:
    """Compile the kernels with sanitizers into a copy of the package, and return its folder."""
    flags = f"-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g {definitions}"
    settings = [f"-DCMAKE_CXX_FLAGS={flags}", "-DCMAKE_BUILD_TYPE=Release", f"-DPython_EXECUTABLE={sys.executable}"]
    cmake = shutil.which("cmake", path=str(Path(sys.executable).parent)) or "cmake"
    target = str(folder / "build")
    subprocess.run([cmake, "-S", str(ROOT), "-B", target, *settings], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([cmake, "--build", target, "--parallel", "2"], check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(folder / "tree", ignore_errors=True)
    shutil.copytree(ROOT / "src", folder / "tree", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    (compiled,) = (folder / "build").glob("compiled*.so")
    shutil.copy(compiled, folder / "tree" / "tallybayes" / "kernels")
    return folder / "tree"


def library(name: str) -> str:
    found = subprocess.run(["g++", f"-print-file-name={name}"], check=True, capture_output=True, text=True)
    return found.stdout.strip()


def run(tree: Path) -> None:
    """Run the tests on that copy; editable installs that redirect imports to the sources are disabled."""
    start = (
        "import sys, pytest\n"
        "sys.meta_path[:] = [f for f in sys.meta_path if 'ScikitBuild' not in type(f).__name__]\n"
        f"sys.path.insert(0, {str(tree)!r})\n"
        "import tallybayes.kernels.compiled as compiled\n"
        f"assert compiled.__file__.startswith({str(tree)!r}), compiled.__file__\n"
        "sys.exit(pytest.main(sys.argv[1:]))\n"
    )
    named = [path for name in TESTS for path in (ROOT / "tests").rglob(f"{name}.py")]
    files = list(map(str, [*sorted((ROOT / "tests" / "kernels").glob("test_*.py")), *named]))
    options = ["-q", "-x", "-p", "no:cacheprovider", "-k", SLOW, "--rootdir", str(ROOT)]
    environment = {
        **os.environ,
        "LD_PRELOAD": f"{library('libasan.so')} {library('libubsan.so')}",
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    subprocess.run([sys.executable, "-c", start, *options, *files], check=True, cwd=ROOT, env=environment)


if __name__ == "__main__":
    for name, definitions in (("vector", ""), ("scalar", "-DTALLYBAYES_SCALAR")):
        print(f"sanitized kernels, {name}", flush=True)
        run(build(ROOT / "build" / f"sanitized-{name}", definitions))
