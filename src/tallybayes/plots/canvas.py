"""The style of plots: colours, lines and hatches that are distinct in greyscale and for colour-blind readers, names
shown verbatim, bars for and against a class, and SVG in the colour of the page's text. The only importer of
matplotlib."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from tallybayes.report.characters import short

# Okabe and Ito's colour-blind safe palette.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
FOR, AGAINST = PALETTE[0], PALETTE[1]
LINES = ("-", "--", "-.", ":")  # for greyscale printers
HATCHES = ("", "////", "----", "\\\\\\\\", "xxxx", "||||")  # lines only: dots would take 180 kB of SVG
MARKERS = "o^sDvP"
MOST = 6  # series that are easy to distinguish
INK = "#0b0c0d"  # stands for the colour of the page's text
WIDE = 560  # pixels: wider pictures are scrolled on a phone instead of shrunk
FALLBACK = (
    *("Noto Sans CJK SC", "Noto Sans CJK JP", "Source Han Sans", "Droid Sans Fallback", "WenQuanYi Zen Hei"),
    *("PingFang SC", "Hiragino Sans", "Microsoft YaHei", "Yu Gothic", "Malgun Gothic", "Arial Unicode MS"),
    *("Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari", "Noto Sans Thai", "Symbola"),
)  # fonts for characters that the first one lacks, if they are installed
NEEDED = "Pictures need matplotlib; run: pip install 'tallybayes[plot]'."
HATCHED = "////"  # evidence against, for readers who see no colours
BEYOND = 1.15  # the length of an infinite bar, relative to the sum of all finite ones


class Mark(NamedTuple):
    """How one of several series is drawn."""

    color: str
    line: str
    hatch: str
    marker: str


def marks(n: int) -> list[Mark]:
    return [Mark(PALETTE[i % 6], LINES[i % 4], HATCHES[i % 6], MARKERS[i % 6]) for i in range(n)]


def labels_of(given: Any) -> list[Any]:
    """Several labels, or one by itself."""
    several = isinstance(given, Iterable) and not isinstance(given, (str, bytes))
    return list(given) if several else [given]


def is_installed() -> bool:
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        return False
    return True


def pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError(NEEDED) from None
    return pyplot


def named(value: Any, longest: int = 24) -> str:
    """A name shown verbatim: shortened, without control characters, and with dollar signs escaped for mathtext."""
    return short(value, longest).replace("$", r"\$")


@cache
def fonts() -> list[str]:
    """The fonts to use, in order of preference."""
    from matplotlib import font_manager, rcParams

    installed = set(font_manager.get_font_names())
    return [*rcParams["font.family"], *(name for name in FALLBACK if name in installed)]


def style(dark: bool = False) -> dict[str, Any]:
    """Settings for `matplotlib.pyplot.rc_context`, for plots on a light or a dark page.

    >>> from matplotlib import pyplot
    >>> with pyplot.rc_context(style(dark=True)):
    ...     pass
    """
    ink, ground = ("#e6e6e6", "#16181a") if dark else ("#1b1b1b", "#ffffff")
    return _style(ink, ground)


def _style(ink: str, ground: str) -> dict[str, Any]:
    colours = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color", "hatch.color")
    grounds = ("figure.facecolor", "axes.facecolor", "savefig.facecolor", "legend.facecolor")
    return {
        **dict.fromkeys(colours, ink),
        **dict.fromkeys(grounds, ground),
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlesize": 10.5,
        "axes.titlelocation": "left",
        "font.size": 9.5,
        "hatch.linewidth": 0.5,
        "legend.frameon": False,
        "figure.dpi": 110,
    }


def ink() -> str:
    """The colour of text and lines that belong to no series."""
    pyplot()
    from matplotlib import rcParams

    return str(rcParams["text.color"])


def given_axes(ax: Any, count: int) -> list[Any]:
    """The given axes as a list, one for each panel."""
    found = list(ax.ravel()) if hasattr(ax, "ravel") else list(ax) if isinstance(ax, Sequence) else [ax]
    if len(found) != count:
        raise ValueError(f"ax: there are {len(found)} axes for {count} panels; give {count} axes, or none.")
    return found


def legend(ax: Any, handles: Sequence[Any], names: Sequence[Any], **settings: Any) -> None:
    """A legend that includes names with a leading underscore, which matplotlib would leave out."""
    shown = [named(name) for name in names]
    ax.legend(handles, [f"\u200a{name}" if name.startswith("_") else name for name in shown], **settings)


def svg(display: Any) -> str:
    """A plot as SVG for a page: no scripts or external resources, in the colour of the surrounding text, in the
    reader's fonts, with a description for screen readers."""
    pyplot()
    import matplotlib
    from matplotlib.figure import Figure

    out = io.StringIO()
    settings: Any = {**_style(INK, "none"), "svg.fonttype": "none", "svg.hashsalt": "tallybayes"}
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=display.whole_size, layout="constrained")
        display.plot(ax=display.divided(figure))
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
            figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return embedded(out.getvalue(), display.alt)


def embedded(drawing: str, alt: str) -> str:
    """matplotlib's SVG as an element of a page, with unique ids."""
    from html import escape

    body = drawing[drawing.index("<svg") :].strip()
    body = re.sub(r"<metadata>.*?</metadata>\s*", "", body, flags=re.DOTALL)
    own = f"p{sha256(body.encode()).hexdigest()[:10]}-"
    body = re.sub(r'\bid="', f'id="{own}', body)
    body = re.sub(r'(url\(#|href="#)', rf"\g<1>{own}", body)
    body = body.replace(INK, "currentColor").replace("xlink:href", "href")
    body = re.sub(r'(?<= d=")[^"]*', lambda path: re.sub(r"(\.\d\d)\d+", r"\1", path[0]), body)
    body = re.sub(r"(font: [^;\"']*?px) [^;\"]*", r"\1 system-ui, sans-serif", body)
    body = re.sub(r"font-family: [^;\"]*", "font-family: system-ui, sans-serif", body)
    start, rest = body.split(">", 1)
    box = re.search(r'viewBox="[^"]*"', start)
    width = re.search(r'width="([\d.]+)pt"', start)
    assert box is not None
    assert width is not None
    wide = round(float(width[1]) * 4 / 3)
    kind = ' class="wide"' if wide > WIDE else ""
    return f'<svg {box[0]} width="{wide}"{kind} role="img" aria-label="{escape(alt)}">{rest}'


def finite(lengths: Sequence[float]) -> Any:
    """Lengths to draw: an infinite one is a little longer than all others together."""
    given = np.array(lengths, float)
    longest = np.abs(given[np.isfinite(given)]).sum() or 1.0
    return np.where(np.isinf(given), np.sign(given) * longest * BEYOND, given)


def draw_bar(ax: Any, at: float, start: float, length: float, *, infinite: bool, heavy: bool = False) -> None:
    """Blue for the first class, orange and hatched for the second; with an arrow if it is infinite."""
    against = length < 0
    ax.barh(
        at,
        length,
        0.62,
        left=start,
        color=AGAINST if against else FOR,
        hatch=HATCHED if against else None,
        edgecolor=ink(),
        linewidth=1.2 if heavy else 0.4,
    )
    if infinite:
        ax.plot([start + length], [at], "<" if against else ">", color=ink(), markersize=6)
