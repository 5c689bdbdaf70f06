"""P(word | class) of the 600 words of `xwindows`, X Windows against MS Windows, by maximum likelihood.

    python bench/xwindows.py

Draws docs/pictures/xwindows.svg for docs/theory.md: the data set itself is not part of the project.
"""

from __future__ import annotations

import runpy
from pathlib import Path

import matplotlib

from sets import tables
from tallybayes import Bernoulli, Model
from tallybayes.plots import style

DOCS = Path(__file__).parent.parent / "docs"
NAMES = {"1": "X Windows", "2": "MS Windows"}


def main() -> None:
    (data,) = tables(["xwindows"])
    part = next(data.parts())
    schema = dict.fromkeys(part.learned.columns, Bernoulli(alpha=0))
    model = Model.train(schema, part.learned, [NAMES[label] for label in part.labels])
    matplotlib.use("agg")
    with matplotlib.rc_context(style()):
        print(model.plot.words(spikes=1))
        runpy.run_path(str(DOCS / "generate_pictures.py"))["keep"](DOCS / "pictures" / "xwindows.svg")


if __name__ == "__main__":
    main()
