"""A model file as a filter. It is loaded for every mail and locked during changes; its rows have no ids."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from tallybayes.files import changing, load_version
from tallybayes.filtering.base import ANY, Filter, Letter, Verdict, Wanted
from tallybayes.filtering.classes import Names
from tallybayes.filtering.in_memory import check_columns, probabilities_of
from tallybayes.filtering.thresholds import Thresholds
from tallybayes.model import Model


class FileFilter(Filter):
    """A filter with a model file, in which a mail that is learned twice counts twice."""

    def __init__(self, path: str, names: Names, thresholds: Thresholds, waiting: Callable[[], object]) -> None:
        self.path, self.names, self.thresholds, self.waiting = path, names, thresholds, waiting
        self._loaded = load_version(path)
        check_columns(self._loaded.model.schema)

    def verdict(self, letter: Letter) -> Verdict:
        model = self._loaded.model
        found = probabilities_of(model.beliefs(), letter) if model.classes else {}
        return Verdict.of(found, self.names.of_spam(model.classes), self.thresholds)

    def change(self, letter: Letter, wanted: Wanted) -> bool:
        model = self._loaded.model
        if wanted.forget == ANY:
            raise ValueError("A file has no ids: give the class to forget, with --forget-spam or --forget-ham.")
        add, take = (self._counted(model, letter, word) for word in wanted)
        with changing(self.path, self.waiting, self._loaded) as found:
            if take is not None:
                found -= take
            if add is not None:
                found += add
        return True

    def learn_own(self, letter: Letter, verdict: Verdict) -> bool:
        return self.change(letter, Wanted(learn=verdict.word))

    def _counted(self, model: Model, letter: Letter, word: str | None) -> Model | None:
        if word is None:
            return None
        label: Any = pa.array([self.names.of(word, model.classes)], model.label_type)
        return Model.train(model.schema, letter.row, label)
