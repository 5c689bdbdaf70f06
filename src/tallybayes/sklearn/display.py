"""The schema and classes of a fitted estimator, which a notebook shows below scikit-learn's diagram."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator

import tallybayes


class Displayed(BaseEstimator):
    """Adds a summary of what was learned to scikit-learn's display."""

    @property
    def _repr_html_(self) -> Any:
        diagram = super()._repr_html_  # raises AttributeError if scikit-learn is set to display text
        return lambda: diagram() + self._summary()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        shown = super()._repr_mimebundle_(**kwargs)
        return {kind: text + self._summary() * (kind == "text/html") for kind, text in shown.items()}

    def _summary(self) -> str:
        if not self.__sklearn_is_fitted__():
            return ""
        learned, schema = self._learned, self.schema_
        rows = dict(zip(learned.classes().tolist(), learned.class_counts().tolist(), strict=True))
        return tallybayes.report_on(schema, classes=rows)._repr_html_()
