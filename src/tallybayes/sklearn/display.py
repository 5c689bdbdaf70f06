"""What a notebook shows of a fitted estimator beside scikit-learn's diagram: its schema, and its classes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from sklearn.base import BaseEstimator

from tallybayes.schema import Schema
from tallybayes.schema.entries import title
from tallybayes.sklearn.learned import Learned

SHOWN = 50  # rows of a table


class Displayed(BaseEstimator):
    """Shows what was learned below what scikit-learn shows."""

    @property
    def _repr_html_(self) -> Any:
        diagram = super()._repr_html_  # an AttributeError where scikit-learn is set to display texts
        return lambda: diagram() + self._summary()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        shown = super()._repr_mimebundle_(**kwargs)
        return {kind: text + self._summary() * (kind == "text/html") for kind, text in shown.items()}

    def _summary(self) -> str:
        return summary(self._learned, self.schema_) if self.__sklearn_is_fitted__() else ""


def summary(learned: Learned, schema: Schema) -> str:
    """Two small tables in HTML: why each column has its family, and how many rows each class has."""
    columns = [(title(name), repr(family), schema.reasons.get(name, "")) for name, family in schema.columns.items()]
    columns += [(title(name), "left out", why) for name, why in schema.reasons.items() if name not in schema.columns]
    counts = [f"{count:.12g}" for count in learned.class_counts().tolist()]
    classes = list(zip(map(str, learned.classes().tolist()), counts, strict=True))
    prior = schema.prior if isinstance(schema.prior, str) else f"prior {schema.prior!r}"
    return (
        '<details class="tallybayes" open><summary>'
        f"{_number(len(schema.by_column), 'column', 'columns')} counted, "
        f"{_number(len(classes), 'class', 'classes')} ({escape(prior)})</summary>"
        f"{_table(('column', 'family', 'why'), columns)}{_table(('class', 'rows'), classes)}</details>"
    )


def _number(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = _row("th", titles)
    body = "".join(_row("td", row) for row in rows[:SHOWN])
    more = len(rows) - SHOWN
    rest = f'<tr><td colspan="{len(titles)}">… and {more} more</td></tr>' if more > 0 else ""
    return f"<table><thead>{head}</thead><tbody>{body}{rest}</tbody></table>"


def _row(cell: str, texts: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{cell}>{escape(text)}</{cell}>' for text in texts)}</tr>"
