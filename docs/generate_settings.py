"""Writes the table of settings in docs/families.md from their declarations.

`make docs` runs it, and a test fails where the page on disk is not what it would write.
"""

from __future__ import annotations

from pathlib import Path

from tallybayes import FAMILIES
from tallybayes.families.settings import settings_of

PAGE = Path(__file__).parent / "families.md"
BEGIN = "<!-- Written by docs/generate_settings.py: change the declarations instead, and run make docs. -->\n"
END = "<!-- Up to here. -->\n"


def table() -> str:
    """A line for every setting; families that declare the same are in one."""
    lines: dict[tuple[str, str, str, str], list[str]] = {}
    for name, family in FAMILIES.items():
        for setting, declared in settings_of(family).items():
            before = "yes" if declared.counting else ""
            lines.setdefault((setting, repr(declared.default), before, declared.about), []).append(name)
    bar = r"\|"  # one that does not end the cell
    rows = [
        f"| `{setting}` | {', '.join(families)} | `{default}` | {before} | {about.replace('|', bar)} |"
        for (setting, default, before, about), families in sorted(lines.items())
    ]
    return "\n".join(["| setting | of | default | before | meaning |", "|---|---|---|---|---|", *rows, ""])


def page(text: str) -> str:
    """The page with the table as it is declared."""
    head, _, rest = text.partition(BEGIN)
    return f"{head}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
