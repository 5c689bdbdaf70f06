"""An evaluation as text: some lines and tables, of a width that a terminal has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

FEW = 12  # classes or confusions that are shown
WIDEST = 100  # characters of a table
LONGEST_NAME = 24  # characters of a class


def shown(result: Any) -> str:
    """The evaluation in words and numbers, its classes (the worst of many), its confusions and its calibration."""
    return "\n\n".join([summary(result), _class_table(result), _confusions(result), _calibration(result)])


def summary(result: Any) -> str:
    """The evaluation in a few lines."""
    decided = result.n - result.rejected
    rejected = f"; {_rows(result.rejected)} rejected" if result.rejected else ""
    lines = [
        f"accuracy     {result.accuracy:.4f}  ({result.right} of {decided} right{rejected})",
        f"error        {result.error:.4f}  (the model expects {result.expected_error:.4f})",
        f"log-loss     {result.log_loss:.4f}",
        f"Brier score  {result.brier:.4f}",
    ]
    if result.impossible:
        without = f"; {result.log_loss_of_possible:.4f} without" if result.impossible < result.n else ""
        lines[2] += f"  (in {_rows(result.impossible)} the truth was impossible{without})"
    if result.cost is not None:
        lines.append(f"cost         {result.cost:.4f}  (the model expects {result.expected_cost:.4f})")
    if result.unknown:
        listed = ", ".join(repr(name_of(label)) for label in result.unknown[:FEW]) + ", …" * (len(result.unknown) > FEW)
        lines.append(f"The model has never met {listed}.")
    return "\n".join(lines)


def _class_table(result: Any) -> str:
    met = [score for score in result.per_class if score.n or score.decided]
    worst = sorted(met, key=lambda score: (score.f1, -score.n))[:FEW] if len(met) > FEW else met
    rows = [(name_of(score.label), str(score.n), *(f"{share:.3f}" for share in score[3:])) for score in worst]
    rows.append(("(mean)", "", *(f"{share:.3f}" for share in result.macro.values())))
    table = _table([("class", "rows", "precision", "recall", "F1"), *rows])
    return table if worst is met else f"The {FEW} worst of {len(met)} classes, by F1:\n{table}"


def _confusions(result: Any) -> str:
    """Truth by decision as a table if it is narrow enough, or else the errors that are made most."""
    if len(result.classes) <= FEW:
        last = len(result.classes) + bool(result.rejected)
        names = [*map(name_of, result.classes), "rejected"]
        counts = [[str(n) for n in row[:last]] for row in result.confusion.tolist()]
        table = _table(
            [("truth \\ decision", *names[:last]), *((a, *row) for a, row in zip(names, counts, strict=False))]
        )
        if table.find("\n") <= WIDEST:
            return table
    wrong = result.confusions
    if not wrong:
        return "No decision is wrong."
    errors = [(name_of(truth), name_of(decision), str(n)) for truth, decision, n in wrong[:FEW]]
    most = f"the {FEW} most frequent of {len(wrong)}" if len(wrong) > FEW else "the most frequent first"
    return f"Errors, {most}:\n{_table([('truth', 'decision', 'rows'), *errors], left=2)}"


def _calibration(result: Any) -> str:
    rows = [
        (f"{part.low:.1f} to {part.high:.1f}", str(part.n), f"{part.probability:.3f}", f"{part.right:.3f}")
        for part in result.calibration
        if part.n
    ]
    table = _table([("probability", "rows", "mean", "right"), *rows])
    return f"{table}\ncalibration error {result.calibration_error:.4f}"


def name_of(label: Any) -> str:
    """A class by a short name that is fit for any terminal."""
    text = "".join(letter if letter.isprintable() else "�" for letter in str(label))
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"


def _rows(n: int) -> str:
    return f"{n} row{'s' * (n != 1)}"


def _table(rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Columns of one width each; the first ones begin on the left, the others end on the right."""
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = [str.ljust] * left + [str.rjust] * (len(wide) - left)
    lines = ["  ".join(side(text, w) for side, text, w in zip(sides, row, wide, strict=True)) for row in rows]
    return "\n".join(line.rstrip() for line in lines)
