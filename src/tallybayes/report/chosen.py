"""A choice of settings: every value that was tried, its loss, and whether it was the best so far."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tallybayes.model.validation.choose import Chosen, Trial
from tallybayes.report.blocks import Block, Lines, Table, how_many
from tallybayes.report.characters import short
from tallybayes.schema.entries import title


@dataclass(frozen=True)
class TrialFacts:
    setting: str
    value: str
    log_loss: float
    standard_error: float
    impossible: int
    better: bool


@dataclass(frozen=True)
class ChosenFacts:
    log_loss: float
    beliefs: dict[str, str]
    start: TrialFacts
    tried: tuple[TrialFacts, ...]


def facts(chosen: Chosen) -> ChosenFacts:
    beliefs = {title(setting): _written(value) for setting, value in chosen.beliefs.items()}
    return ChosenFacts(chosen.log_loss, beliefs, _trial(chosen.start), tuple(map(_trial, chosen.tried)))


def _trial(trial: Trial) -> TrialFacts:
    setting = "unchanged" if trial.setting is None else title(trial.setting)
    value = "" if trial.setting is None else _written(trial.value)
    return TrialFacts(setting, value, *trial[2:])


def _written(value: object) -> str:
    return value if isinstance(value, str) else repr(value)


def blocks(facts: ChosenFacts) -> Iterator[Block]:
    """All trials in order, and the choice."""
    rows = [_row(trial) for trial in (facts.start, *facts.tried)]
    yield Table(rows, ("", "", "log-loss", "", ""), "held-out log-loss, ± its standard error", "llrl")
    yield from brief(facts)


def brief(facts: ChosenFacts) -> Iterator[Block]:
    chosen = ", ".join(f"{setting}={value}" for setting, value in facts.beliefs.items())
    gained = f"log-loss {facts.start.log_loss:.4f} → {facts.log_loss:.4f}"
    yield Lines([f"Chosen: {chosen} ({gained})." if chosen else f"No other setting is better ({gained})."])


def _row(trial: TrialFacts) -> tuple[str, ...]:
    impossible = f"true class impossible in {how_many(trial.impossible)}" if trial.impossible else ""
    remark = "; ".join(filter(None, ["better" if trial.better else "", impossible]))
    error = "" if trial.standard_error != trial.standard_error else f"± {trial.standard_error:.4f}"
    return short(trial.setting), short(trial.value), f"{trial.log_loss:.4f}", error, remark
