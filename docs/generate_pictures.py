"""Writes the pictures of the pages that draw some: runs their examples, and keeps what each draws under the name that
follows it."""

import doctest
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib import pyplot

from tallybayes.plots import style

DOCS = Path(__file__).parent
PAGES = ("plots.md", "theory.md")
STEP = re.compile(r"^```python\n(.*?)^```$|^!\[[^\]]*\]\((pictures/[\w-]+\.svg)\)$", re.M | re.S)


def main() -> None:
    matplotlib.use("agg")
    (DOCS / "pictures").mkdir(exist_ok=True)
    for page in PAGES:
        draw(page)


def draw(page: str) -> None:
    known: dict[str, Any] = {}
    text = (DOCS / page).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder, pyplot.rc_context(style()):
        os.chdir(folder)
        for code, picture in STEP.findall(text):
            if code:
                run(code, page, known)
            elif pyplot.get_fignums():  # a picture that comes from elsewhere has no figure
                keep(DOCS / picture)
        os.chdir(DOCS)


def run(code: str, page: str, known: dict[str, Any]) -> None:
    for example in doctest.DocTestParser().get_examples(code):
        exec(compile(example.source, page, "single"), known)


def keep(path: Path) -> None:
    """The last figure that was drawn; small, and the same every time."""
    figure = pyplot.figure(pyplot.get_fignums()[-1])
    with pyplot.rc_context({"svg.fonttype": "none", "svg.hashsalt": "tallybayes"}):
        figure.savefig(path, metadata={"Date": None, "Creator": None}, facecolor=figure.get_facecolor())
    drawing = path.read_text(encoding="utf-8")
    short = re.sub(r'(?<= d=")[^"]*', lambda found: re.sub(r"(\.\d\d)\d+", r"\1", found[0]), drawing)
    path.write_text("\n".join(line.rstrip() for line in short.splitlines()) + "\n", encoding="utf-8")
    pyplot.close("all")


if __name__ == "__main__":
    main()
