"""A user's program in types: mypy checks it strictly with the library, and `test_typed_program.py` runs it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

from tallybayes import (
    EM,
    Categorical,
    Correlated,
    Evaluation,
    Family,
    Gaussian,
    Mixture,
    Model,
    NaiveBayes,
    Pairs,
    Poisson,
    Schema,
    Several,
    SoftLabels,
    Store,
    Trees,
    Words,
    choose_clusters,
    cross_validate,
    digest,
    evaluate,
    folds,
    heaviest,
    load,
    prepare,
    save,
)

PEOPLE: dict[str, Any] = {
    "height": [1.62, 1.70, 1.75, 1.81, 1.68, 1.90],
    "weight": [54.0, 60.5, 66.0, 79.0, 81.0, 97.5],
    "city": ["a", "a", "b", "b", "a", "b"],
}
BUILD = ["slight", "slight", "slight", "heavy", "heavy", "heavy"]

BLOCK = {("height", "weight"): Correlated(), "city": Categorical(levels=["a", "b", "c"])}
ONE_KIND = {"height": Gaussian(), "weight": Gaussian()}  # a dictionary of Gaussian, not of Family
NAMED: dict[str, Family] = {"height": Gaussian(m=2), "city": Categorical(alpha=0.5)}
ANY: Mapping[str | tuple[str, ...], Family] = {"city": Categorical(), ("height", "weight"): Pairs()}


def models() -> list[Model]:
    """Every way to write what is counted."""
    return [
        Model.train(BLOCK, PEOPLE, BUILD),
        Model.train(ONE_KIND, PEOPLE, np.array(BUILD), weights=[1, 2, 1, 1, 1, 1]),
        Model.train(NAMED, PEOPLE, BUILD),
        Model.train(ANY, PEOPLE, BUILD),
        Model.train({("height", "weight"): Several(members=[Trees(n=3), Pairs(alone=["weight"])])}, PEOPLE, BUILD),
        Model.train(Schema({"city": Poisson()}, label="y", prior={"p": 0.5, "q": 0.5}), _stream()),
        Model.train(NAMED, PEOPLE, SoftLabels({"slight": [0.5] * 6, "heavy": [0.5] * 6})),
    ]


def _stream() -> Iterator[dict[str, list[Any]]]:
    yield {"city": [1, 2], "y": ["p", "q"]}


def with_blocks() -> None:
    """The same mappings wherever a schema is given."""
    cross_validate(BLOCK, PEOPLE, BUILD, k=2)
    folds(BLOCK, PEOPLE, BUILD, k=2)
    prepare(ANY, PEOPLE, BUILD)
    Mixture.train(BLOCK, PEOPLE, BUILD, EM(components=1, iterations=2))
    choose_clusters(BLOCK, PEOPLE, [1], settings=EM(restarts=1))
    NaiveBayes({("height", "weight"): Correlated(), "city": None}).fit(PEOPLE, BUILD)


def asked(model: Model) -> list[Any]:
    """What answers are."""
    changed = (model + model - model) * 0.5
    assert_type(changed, Model)
    assert_type(model.posterior(PEOPLE), NDArray[np.float64])
    assert_type(evaluate(model, PEOPLE, BUILD), Evaluation)
    assert_type(evaluate(model, PEOPLE, BUILD).accuracy, float)
    assert_type(model.probability("city=a | class=slight"), float)
    assert_type([each.log_odds for each in heaviest(model, "slight")], list[float])
    assert_type(model.believing(prior="uniform", city=Categorical(alpha=1)), Model)
    return model.decide({"height": 1.7, "city": "a"})


def kept(folder: Path) -> str:
    """Files and stores."""
    model = Model.train({"text": Words(stop_words={"the"}, vocabulary=["free", "lunch"])}, ["free", "lunch"], [1, 2])
    save(model, folder / "m.tally")
    with Store.create(folder / "s", {("height", "weight"): Correlated()}) as store:
        store.learn({"height": 1.7, "weight": 60.0}, "slight", id="1")
    assert_type(load(folder / "m.tally"), Model)
    return digest(load(folder / "m.tally"))
