"""A report: facts, and how they are shown."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from tallybayes.files.replacing import replacing
from tallybayes.report import html, text
from tallybayes.report.blocks import Block
from tallybayes.report.plain import plain

SUBJECTS = ("schema", "model", "evidence", "evaluation", "crossvalidation", "chosen")


@dataclass(frozen=True)
class Report:
    """Facts, and blocks that show them. A notebook displays it as HTML.

    >>> from tallybayes import Categorical, Model
    >>> report = report_on(Model.train({"sky": Categorical()}, {"sky": ["sun", "rain"]}, ["no", "yes"]))
    >>> report.to_json()["classes"]
    {'no': 1.0, 'yes': 1.0}
    """

    title: str
    facts: Any
    blocks: tuple[Block, ...]
    short: tuple[Block, ...]

    def brief(self) -> Report:
        """A shorter view of the same facts."""
        return replace(self, blocks=self.short)

    def text(self) -> str:
        """The report as plain text, 80 characters wide."""
        return text.plain_text(self.blocks)

    def to_json(self) -> Any:
        """All facts as JSON values: NaN is null, and an infinite number is a string."""
        return plain(self.facts)

    def html(self) -> str:
        """A self-contained page: no scripts, no external resources."""
        return html.page(f"tallybayes: {self.title}", self.blocks)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes that page to a file, atomically."""
        with replacing(path) as file:
            file.write(self.html().encode())

    def _repr_html_(self) -> str:
        return html.fragment(self.blocks)

    def __repr__(self) -> str:
        return self.text()


def report_on(thing: Any, **settings: Any) -> Report:
    """The report on a `Schema`, a `Model`, `Evidence`, an `Evaluation`, a `CrossValidation` or a `Chosen`.

    For a model, give a `label` or a `column`, and the number of `top` words and values; for evidence, the `label` and
    class it is `against`. For further arguments, see `facts` in the module of the subject.

    >>> from tallybayes import Categorical, Schema
    >>> report_on(Schema({"outlook": Categorical()}, label="play")).to_json()["columns"]
    [{'column': 'outlook', 'family': 'Categorical()', 'why': '', 'parameter_count': None}]
    """
    names = [kind.__name__.lower() for kind in type(thing).__mro__]
    subject = next((name for name in names if name in SUBJECTS), None)
    if subject is None:
        raise TypeError(
            f"There is no report on {thing!r}; give a Schema, a Model, Evidence, an Evaluation, a CrossValidation "
            "or a Chosen."
        )
    module = import_module(f"tallybayes.report.{subject}")
    facts = module.facts(thing, **settings)
    return Report(subject, facts, tuple(module.blocks(facts)), tuple(module.brief(facts)))
