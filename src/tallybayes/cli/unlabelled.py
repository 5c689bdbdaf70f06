"""How `train` counts rows without a label: its options, the progress of EM, and its report."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from tallybayes.cli.progress import tell
from tallybayes.cli.terminal import say

if TYPE_CHECKING:
    from tallybayes import EM, Fitted

CHOSEN = "chosen"

option = partial(typer.Option, rich_help_panel="Rows without a label")

Unlabelled = Annotated[bool, option("--unlabelled", help="Count rows without a label too: EM finds their classes.")]
Weight = Annotated[
    str | None,
    option(
        "--unlabelled-weight",
        metavar="WEIGHT",
        help=f"The weight of such a row, from 0 to 1; or {CHOSEN!r}, the default: chosen by held-out log-loss.",
    ),
]
Components = Annotated[
    int, option("--components", metavar="N", min=1, help="Count every class as a mixture of this many components.")
]
Clusters = Annotated[
    int | None, option("--clusters", metavar="N", min=1, help="Find this many classes in rows without labels.")
]


def em_of(unlabelled: bool, weight: str | None, components: int, clusters: int | None) -> EM | None:
    """The settings of EM; None without --unlabelled or --clusters."""
    if clusters is not None and components > 1:
        raise ValueError("--clusters finds classes, and --components divides them; give one of the two.")
    if not unlabelled and clusters is None:
        given = "--unlabelled-weight" if weight is not None else "--components" if components > 1 else None
        if given is not None:
            raise ValueError(f"{given} says how EM counts rows; give --unlabelled as well.")
        return None
    import tallybayes

    if clusters is not None:
        return tallybayes.EM(classes=clusters, progress=_step)
    if weight is None or weight == CHOSEN:
        return tallybayes.EM(weight=CHOSEN, components=components, progress=_step)
    try:
        return tallybayes.EM(weight=float(weight), components=components, progress=_step)
    except ValueError:
        raise ValueError(f"--unlabelled-weight {weight}: give a number from 0 to 1, or {CHOSEN!r}.") from None


def _step(step: int, objective: float) -> None:
    tell(f"EM, step {step}: {objective:.4f}")


def say_fitted(output: str, fitted: Fitted | None) -> None:
    """Reports the result of EM, if there was any."""
    if fitted is None:
        return
    say(f"{output}: {fitted.summary()}")
    if fitted.held_out:
        tried = ", ".join(f"{weight:g} {loss:.4g}" for weight, loss in fitted.held_out.items())
        say(f"Log-loss of held-out rows by the weight of a row without a label: {tried}")
    for note in fitted.notes:
        say(f"Note: {note}")
