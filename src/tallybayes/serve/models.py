"""A served store: questions and changes, answered with plain facts.

All methods are thread-safe. Those that change something return when the change is on disk.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

import numpy as np

from tallybayes.data.inputs import columns_of
from tallybayes.files import digest, to_bytes
from tallybayes.filtering.thresholds import SETTING as THRESHOLDS
from tallybayes.model import Model
from tallybayes.model.evaluation import evaluate
from tallybayes.model.scoring import Beliefs
from tallybayes.report import evaluation, evidence, schema
from tallybayes.report.plain import plain, to_text
from tallybayes.serve.problems import Problem
from tallybayes.serve.rows import Row, check_known, label_of, one_row, several
from tallybayes.serve.settings import Limits
from tallybayes.store import Change, Store
from tallybayes.store.parts import AT_ONCE, counted_each
from tallybayes.store.state import own_copy
from tallybayes.store.writer import Current

Facts = dict[str, Any]


class Labelled(NamedTuple):
    """A row with its label and id; to forget, the id is enough."""

    row: Any  # a frame of one row
    label: Any
    id: str | None


class Classes(NamedTuple):
    """The labels of some beliefs, as JSON values and as text."""

    beliefs: Beliefs
    labels: list[Any]
    names: list[str]


class ServedModel:
    """One store under its name."""

    def __init__(self, name: str, store: Store, limits: Limits) -> None:
        self.name, self.store, self.limits = name, store, limits
        self.width: int | None = None  # the number of classes; None while asking may wait for the writer
        self._classes: Classes | None = None
        self._looked = threading.Lock()
        self._copy: tuple[int, Model] | None = None
        self._digest: tuple[int, str] | None = None

    # Questions

    def current(self) -> Current:
        """The current beliefs. The first call may wait for the writer."""
        self.width, found = None, self.store.current()
        self.width = len(found.beliefs.labels)
        return found

    def predict(self, frame: Any, rows: int) -> Facts:
        """The class and probabilities of each row of a frame."""
        number, beliefs = self.current()
        self._check_size(rows, beliefs)
        answers = self._answers(beliefs, beliefs.posterior(frame)) if rows else []
        kept = self.store.setting(THRESHOLDS)
        return {"version": number, "answers": answers, **({} if kept is None else {THRESHOLDS: kept})}

    def predict_rows(self, rows: Sequence[Row]) -> Facts:
        return self.predict(several(rows, self.store.schema) if rows else None, len(rows))

    def explain(self, rows: Sequence[Row], label: Any = None, against: Any = None) -> Facts:
        """The evidence of each column and word for each row."""
        number, beliefs = self.current()
        self._check_size(len(rows) * (len(beliefs.columns) + 1), beliefs)
        if not rows:
            return {"version": number, "explanations": []}
        found = beliefs.evidence(several(rows, self.store.schema))
        labels = [None if each is None else label_of(each, beliefs.labels) for each in (label, against)]
        facts = evidence.facts(found, label=labels[0], against=labels[1], cells=columns_of(rows), rows=len(rows))
        return {"version": number, "explanations": plain(facts)["rows"]}

    def evaluate(self, rows: Sequence[Row], labels: Sequence[Any]) -> Facts:
        """How well the model does on rows whose classes are known."""
        number, model = self._model()
        if not rows:
            raise ValueError("There are no rows, so there is nothing to evaluate.")
        self._check_size(len(rows), model.beliefs())
        truth = [label_of(label, model.classes) for label in labels]
        frame = several(rows, self.store.schema)
        return {"version": number, "evaluation": plain(evaluation.facts(evaluate(model, frame, truth)))}

    def brief(self) -> Facts:
        """The entry in a list of models."""
        number, counted = self.store.look(Model.rows_by_class)
        return {"name": self.name, "rows": _count(sum(counted.values())), "classes": len(counted), "version": number}

    def facts(self) -> Facts:
        """The description of the model."""
        number, model = self._model()
        if self._digest is None or self._digest[0] != number:
            self._digest = number, digest(model)
        classes = {to_text(label): _count(n) for label, n in model.rows_by_class().items()}
        about = plain(schema.facts(model.schema))
        del about["classes"]
        return {
            "name": self.name,
            "rows": _count(model.n),
            "classes": classes,
            "digest": self._digest[1],
            "version": number,
            "schema": about,
        }

    def file(self) -> tuple[int, bytes]:
        """The version of the model and the bytes of its file."""
        number, model = self._model()
        return number, to_bytes(model)

    def receipt(self, id: str) -> str:
        """The receipt of the last change to a row, as JSON."""
        return self.store.receipt(id).text()

    # Changes

    def known_labels(self) -> Sequence[Any]:
        """The classes of the model; empty if nothing is learned yet."""
        try:
            return self.current().beliefs.labels
        except ValueError:
            return ()

    def labelled(self, row: Any, label: Any, id: Any = None) -> Labelled:
        """A JSON row, ready to be learned or forgotten."""
        if row is None:
            return Labelled(None, None, id)
        return Labelled(one_row(row, self.store.schema), label_of(label, self.known_labels()), id)

    def learn(self, entries: Sequence[Labelled], prove: bool = False) -> Facts:
        """Learns rows, each as a separate change. All rows are validated before any is learned."""
        if len(entries) == 1:
            return self.learned(entries, [self.submit(entries[0], prove).result()])
        _check_one(prove)
        if len(entries) > AT_ONCE:
            for _ in counted_each(entries, self._counted):
                pass
        return self.learned(entries, self.store.learn_all(entries))

    def submit(self, entry: Labelled, prove: bool) -> Future[Change]:
        """Counts a row; it is learned when the future has its result."""
        return self.store.submit(entry.row, entry.label, id=entry.id, prove=prove)

    def learned(self, entries: Sequence[Labelled], changes: Sequence[Change]) -> Facts:
        """The answer to rows that were learned, with the ids assigned to rows without one."""
        named = [change.id for change, entry in zip(changes, entries, strict=True) if entry.id is None]
        return {**self._done("learned", changes), **({"ids": named} if named else {})}

    def forget(self, entries: Sequence[Labelled], prove: bool = False) -> Facts:
        """Forgets rows, by id or by content."""
        if len(entries) == 1:
            row, label, id = entries[0]
            return self._done("forgotten", [self.store.forget(row, label, id=id, prove=prove)])
        _check_one(prove)
        return self._done("forgotten", self.store.forget_all(entries))

    def correct(
        self, pairs: Sequence[tuple[str, Any]], prove: bool = False, *, new_class: bool = False, advice: str = ""
    ) -> Facts:
        """Gives rows other labels, by their ids. A class that no row has is an error unless `new_class`; `advice` ends
        its message."""
        known = self.known_labels()
        labels = [(id, label_of(label, known)) for id, label in pairs]
        for _, label in () if new_class else labels:
            check_known(label, known, advice)
        if len(labels) == 1:
            return self._done("corrected", [self.store.correct(*labels[0], prove=prove)])
        _check_one(prove)
        return self._done("corrected", self.store.correct_all(labels))

    def _counted(self, row: Any, label: Any) -> Model:
        return Model.train(self.store.schema, row, [label])

    def _done(self, what: str, changes: Sequence[Change]) -> Facts:
        new = [change.number for change in changes if not change.already]
        version = max(new) if new else self.store.number
        return {"version": version, what: len(new), "already": len(changes) - len(new)}

    def _answers(self, beliefs: Beliefs, posterior: Any) -> list[Facts]:
        classes = self._classes
        if classes is None or classes.beliefs is not beliefs:
            classes = Classes(beliefs, list(map(plain, beliefs.labels)), list(map(to_text, beliefs.labels)))
            self._classes = classes
        best, answers = np.argmax(posterior, axis=1).tolist(), posterior.tolist()
        return [
            {
                "class": classes.labels[at],
                "probability": shares[at],
                "probabilities": dict(zip(classes.names, shares, strict=True)),
            }
            for at, shares in zip(best, answers, strict=True)
        ]

    def _check_size(self, rows: int, beliefs: Beliefs) -> None:
        if rows * len(beliefs.labels) > self.limits.numbers:
            most = max(self.limits.numbers // len(beliefs.labels), 1)
            raise Problem(
                413,
                f"The answer would have over {self.limits.numbers:,} numbers. Send at most {most:,} rows at a time.",
            )

    def _model(self) -> tuple[int, Model]:
        """A copy of the model, cached until the version changes."""
        with self._looked:
            if self._copy is None or self._copy[0] != self.store.number:
                self._copy = self.store.look(own_copy)
            return self._copy


def _check_one(prove: bool) -> None:
    """Refuses proof of many changes: every digest takes as long as writing the model, while other changes wait."""
    if prove:
        raise ValueError("'prove' is for one change at a time: send one row, or leave out 'prove'.")


def _count(n: float) -> int | float:
    """A number of rows, as an integer unless the model has decayed."""
    return int(n) if float(n).is_integer() else n
