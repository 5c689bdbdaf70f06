"""An estimator pickled by another version is accepted only if it has the same format."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator

from tallybayes import __version__

FORMAT = 2  # incremented with every change to what an estimator keeps


class Pickled(BaseEstimator):
    """Pickles the format and the version, and checks them first when unpickling."""

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_written": (FORMAT, __version__)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        form, version = state.get("_written", (None, "of an unknown version"))
        if form != FORMAT:
            raise ValueError(
                f"This {type(self).__name__} was pickled by tallybayes {version}, whose format differs from that of "
                f"tallybayes {__version__}. Fit it again, or save its model with the old version: "
                "tallybayes.save(estimator.model_, path). Every later version reads that file."
            )
        super().__setstate__({name: value for name, value in state.items() if name != "_written"})
