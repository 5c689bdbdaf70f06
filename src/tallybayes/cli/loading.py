"""Models from their files, as a verb needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import tallybayes

if TYPE_CHECKING:
    from tallybayes import Model


def load_of_classes(path: str) -> Model:
    """A model whose classes are not split into components; others are an error, since their answers would be about
    components."""
    model = tallybayes.load(path)
    check_of_classes(model, path)
    return model


def check_of_classes(model: Model, path: str) -> None:
    if model.schema.components is not None:
        raise ValueError(
            f"{path} counts each class as several components; such a model works with predict, evaluate, explain and "
            "show. For anything else, train one without --components."
        )
