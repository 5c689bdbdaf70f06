"""Writes docs/gallery.md: every picture of the pages that draw some, with the line that drew it.

`make docs` runs it, and a test fails where the page on disk is not what it would write.
"""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parent
PAGES = ("plots.md", "theory.md")
STEP = re.compile(
    r"^#{1,3} (?P<title>[^\n]+)$"
    r"|^```python\n(?P<code>.*?)^```$"
    r"|^!\[(?P<alt>[^\]]*)\]\((?P<path>[\w/-]+\.svg)\)$",
    re.M | re.S,
)
HEAD = """<!-- Written by docs/generate_gallery.py: change the pages instead, and run make docs. -->

# Gallery

Every picture here was drawn by the line above it, on the page that the heading links to. To draw your own:
`pip install 'tallybayes[plot]'`.
"""


def page() -> str:
    return "\n".join([HEAD, *(line for name in PAGES for line in pictures(name))])


def pictures(name: str) -> list[str]:
    """Of one page, under the headings it has."""
    lines: list[str] = []
    title, line, shown = "", "", ""
    for step in STEP.finditer((DOCS / name).read_text(encoding="utf-8")):
        if step["title"]:
            title = step["title"]
        elif step["code"]:
            line = last_drawn(step["code"])
        elif line:  # a picture that comes from elsewhere has no line
            if title != shown:
                lines.append(f"## [{title}]({name}#{anchor(title)})\n")
            shown = title
            lines += ["```text", line, "```\n", f"![{step['alt']}]({step['path']})\n"]
            line = ""
    return lines


def last_drawn(code: str) -> str:
    """The last statement that draws, without its prompts."""
    statements = re.split(r"^>>> ", code, flags=re.M)[1:]
    drawing = [each for each in statements if ".plot" in each]
    if not drawing:
        return ""
    kept = [line for line in drawing[-1].splitlines() if not re.match(r"\w+Display: ", line)]
    return "\n".join(line.removeprefix("... ") for line in kept if line)


def anchor(title: str) -> str:
    """As Markdown makes one of a heading."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


if __name__ == "__main__":
    (DOCS / "gallery.md").write_text(page(), encoding="utf-8")
