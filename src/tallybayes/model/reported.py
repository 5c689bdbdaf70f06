"""A mixin for results that are shown as reports: as text, JSON and, in notebooks, HTML."""

from __future__ import annotations

from typing import Any

import tallybayes


class Reported:
    """Shows a result with `report_on`."""

    def to_json(self) -> Any:
        """The whole report as JSON values: NaN is null, and an infinite number a string."""
        return tallybayes.report_on(self).to_json()

    def __repr__(self) -> str:
        return tallybayes.report_on(self).text()

    def _repr_html_(self) -> str:
        return tallybayes.report_on(self)._repr_html_()
