"""A network as text: every column under the one that it depends on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

MOST = 100  # lines


def drawn_network(columns: Sequence[str], parents: Mapping[str, Sequence[str]]) -> list[str]:
    """A line for every column. Of several parents, the closest comes first and the others are listed after it.

    >>> print("\\n".join(drawn_network("abcd", {"b": ["a"], "c": ["b"], "d": ["a", "c"]})))
    a
    ├─ b
    │  └─ c
    └─ d (and c)
    """
    children: dict[str | None, list[str]] = {}
    for column in columns:
        children.setdefault(parents[column][0] if parents.get(column) else None, []).append(column)

    def below(parent: str | None, before: str) -> list[str]:
        lines = []
        for at, column in enumerate(some := children.get(parent, [])):
            last = at == len(some) - 1
            more = ", ".join(parents.get(column, ())[1:])
            edge, further = ("", "") if parent is None else ("└─ ", "   ") if last else ("├─ ", "│  ")
            lines.append(before + edge + column + (f" (and {more})" if more else ""))
            lines += below(column, before + further)
        return lines

    lines = below(None, "")
    return lines if len(lines) <= MOST else [*lines[:MOST], f"… and {len(lines) - MOST:,} more columns"]
