"""How a verb is called, in the first line of its help: as in the documentation, whatever typer makes of it."""

from __future__ import annotations

from typing import Any

import typer.core


class Verb(typer.core.TyperCommand):
    """A command whose usage shows which arguments may be left out or repeated."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        shown = [given for given in self.params if given.param_type_name == "argument"]
        return ["[OPTIONS]", *map(_written, shown)]


def _written(argument: Any) -> str:
    name = (argument.metavar or argument.name.upper()).strip("[].")
    several = name if argument.nargs == 1 else f"{name}..."
    return several if argument.required else f"[{several}]"
