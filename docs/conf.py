"""How `make docs` builds the pages. They stay plain Markdown, with links that work on a code-hosting site as well."""

import re
from pathlib import Path
from typing import Any

from tallybayes import __version__

ROOT = Path(__file__).parent.parent
IN_THE_ROOT = {  # page: the file that it shows, from where and up to where, and the title in place of where it starts
    "architecture": ("ARCHITECTURE.md", "# ", None, "# "),
    "contributing": ("CONTRIBUTING.md", "# ", None, "# "),
    "changelog": ("CHANGELOG.md", "# ", None, "# "),
    "minute": ("README.md", "## A minute of use", "## At a glance", "# A minute of use"),
}
HOMES = {name: page for page, (name, *_) in IN_THE_ROOT.items()} | {"README.md": "index"}

project = "tallybayes"
version = release = __version__
copyright = "the tallybayes authors, BSD-3-Clause"
html_title = "tallybayes"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
templates_path = ["_templates"]
myst_heading_anchors = 4
smartquotes = False  # "multinomial" and --label are to be typed as they stand
default_role = "literal"  # docstrings say `name` for what is code
autodoc_member_order = "bysource"
autodoc_type_aliases = {"Floats": "numpy.ndarray", "Counts": "numpy.ndarray"}
autodoc_typehints_format = "short"
toc_object_entries_show_parents = "hide"  # "Model." before every method leaves no room for its name
python_maximum_signature_line_length = 100
python_use_unqualified_type_names = True

html_theme = "pydata_sphinx_theme"
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["wide.css"]
html_search_scorer = str(ROOT / "docs" / "_static" / "scorer.js")
html_sidebars = {"**": ["sections.html"]}
html_theme_options = {
    "navbar_center": [],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_toc_level": 2,
}


def setup(app: Any) -> None:
    from pygments.lexers.special import TextLexer

    app.connect("source-read", read_page)
    for language in ("csv", "tsv", "jsonl", "mail"):  # of which Pygments knows nothing
        app.add_lexer(language, TextLexer)


def read_page(app: Any, page: str, source: list[str]) -> None:
    """Files of the root come in where docs/ only points to them, links lead to what is built, and examples lose the
    empty line at their end, which is for doctest."""
    text = source[0]
    if page in IN_THE_ROOT:
        app.env.note_dependency(str(ROOT / IN_THE_ROOT[page][0]))
        text = from_the_root(*IN_THE_ROOT[page])
    up = "../" * (page.count("/") + 1)
    for name, home in HOMES.items():
        text = text.replace(f"]({up}{name}", f"](/{home}.md")
    source[0] = re.sub(r"(^ *```python\n(?:(?! *```).*\n)*?)\n+( *```$)", r"\1\2", text, flags=re.M)


def from_the_root(name: str, start: str, stop: str | None, title: str) -> str:
    """A file of the root or a part of it, its links as seen from docs/."""
    text = (ROOT / name).read_text(encoding="utf-8")
    text = title + text[text.index(start) + len(start) : text.index(stop) if stop else None]
    text = re.sub(r"\]\(([A-Z]+\.md)", r"](../\1", text).replace("](docs/decisions)", "](decisions/README.md)")
    return text.replace("](docs/", "](")
