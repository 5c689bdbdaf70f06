"""A model is its counts.

`counted` counts, adds and subtracts; this module answers questions. Answers come from beliefs (`scoring.Beliefs`),
computed on demand and kept until the counts change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pyarrow as pa

import tallybayes
from tallybayes.counts.exact import Floats
from tallybayes.counts.tally import Key
from tallybayes.data.matching import ERROR
from tallybayes.families.base import Family
from tallybayes.families.belief import Belief, WordWeight
from tallybayes.families.posteriors import Dirichlet, Posterior
from tallybayes.model import draw
from tallybayes.model.batches import Given, labelled
from tallybayes.model.joint.bif import to_bif
from tallybayes.model.joint.distribution import Joint, class_name
from tallybayes.model.joint.graph import Dependences, Graph
from tallybayes.model.linear import Linear, linear_view
from tallybayes.model.parameter_count import ParameterCount, parameter_count
from tallybayes.model.scoring import Beliefs
from tallybayes.model.uncertainty import Uncertainty
from tallybayes.schema import Schema
from tallybayes.schema.class_prior import FREQUENCIES, counted_prior
from tallybayes.schema.entries import Name, members

if TYPE_CHECKING:
    from tallybayes.model.em.fitted import Fitted

SHOWN = 12  # classes that a repr names


class Model(Uncertainty):
    """A schema and its tallies, and the answers that follow from them.

    >>> from tallybayes import Categorical
    >>> frame = {"outlook": ["sunny", "sunny", "rain"]}
    >>> model = Model.train(Schema({"outlook": Categorical()}), frame, ["no", "no", "yes"])
    >>> model.posterior({"outlook": ["rain"]}).round(3)
    array([[0.429, 0.571]])
    >>> model.decide({"outlook": ["rain", None]})
    ['yes', 'no']
    >>> model.believing(alpha=0.5, prior="uniform").decide({"outlook": ["rain"]})  # the same counts
    ['yes']
    """

    def __init__(self, schema: Schema | Mapping[Any, Family], label_type: pa.DataType | None = None) -> None:
        super().__init__(schema, label_type)
        self._beliefs: Beliefs | None = None
        self._changed = False  # since the beliefs were computed
        self.fitted: Fitted | None = None  # how EM fitted it, if it has counted nothing since

    def __getstate__(self) -> dict[str, Any]:
        kept = self.label_type if self.keys() else None
        return {**self.__dict__, "_beliefs": None, "_changed": False, "fitted": None, "label_type": kept}

    def beliefs(self) -> Beliefs:
        """A snapshot of the current beliefs. Learning and forgetting do not change it, and unlike the model itself, it
        is thread-safe.

        >>> from tallybayes import Words
        >>> model = Model.train({"text": Words()}, ["win a prize", "lunch on monday"], ["spam", "ham"])
        >>> now = model.beliefs()
        >>> model += Model.train({"text": Words()}, ["a prize for lunch"], ["ham"])
        >>> now.posterior("prize").round(2), model.posterior("prize").round(2)
        (array([[0.3, 0.7]]), array([[0.57, 0.43]]))
        """
        if self._beliefs is None or self._changed:
            self.schema.check_adds_up()
            self._beliefs = self.believed_apart()
            self._changed = False
        return self._beliefs

    def counts(self, column: Name | None = None) -> Any:
        """The counts of a column, by level and class: `model.counts("outlook")["sunny"]["yes"]`. A family with several
        sums names them before the class: `model.counts("text")["free"]["documents"]["spam"]`. Without a column: the
        number of rows of each class."""
        tally = (self.rows if column is None else self.columns[self.schema.entry(column)]).canonical()
        return tally.renamed(self._labels(tally.classes))

    def estimates(self, column: Name) -> dict[str, dict[Any, float]]:
        """Point estimates of the parameters of a column or block, for every class."""
        name = self.schema.entry(column)
        known = self.beliefs()
        return {
            parameter: dict(zip(known.labels, np.asarray(values).tolist(), strict=True))
            for parameter, values in known.columns[name].estimates().items()
        }

    def parameters(self, column: Name | None = None, label: Any = None) -> Posterior:
        """The posterior of a column's parameters in a class: `Beta`, `Dirichlet`, `GammaRate` or `NormalInverseGamma`.
        Without a column, that of the class probabilities."""
        known = self.beliefs()
        if column is None:
            counts = self._row_counts(known.keys) + counted_prior(self.schema.prior, known.labels)
            return Dirichlet(dict(zip(known.labels, counts.tolist(), strict=True)))
        return known.columns[self.schema.entry(column)].posterior(known.number(label))

    def log_marginal(self, data: Any, *, threads: int | None = None, absent: str = ERROR) -> Floats:
        """log P(row): the joint probability summed over the classes, −∞ if the row is impossible in every class. It
        normalises the posterior, and is low for rows unlike those that were counted."""
        known = self.beliefs()
        _refuse_scores(known)
        return np.asarray(np.logaddexp.reduce(known.log_joint(data, threads, absent), axis=1))

    def belief(self, column: Name) -> Belief:
        """The belief of a column or block, which scores new cells."""
        name = self.schema.entry(column)
        return self.beliefs().columns[name]

    def words(self, label: Any, top: int = 20, *, column: Name | None = None) -> list[WordWeight]:
        """The words of a text column with the most evidence for a class: how often each occurred there, and its
        log-odds against the other classes."""
        return self.beliefs().words(label, top, column)

    def log_likelihood(self, data: Any, labels: Any, *, absent: str = ERROR) -> float:
        """The complete log-likelihood: Σ log P(label, row). An unseen label makes it −∞."""
        known = self.beliefs()
        _refuse_scores(known)
        total = 0.0
        for batch in labelled(Given(data, labels, absent=absent), self.schema):
            self._check_label_type(batch.label_type)
            at = batch.rows.codes_in(known.keys)
            joint = known.log_joint(batch.cells)
            total += float(np.where(at >= 0, joint[np.arange(len(joint)), at], -np.inf).sum())
        return total

    def probability(self, question: Any, given: Any = None) -> float:
        """P(question | given), for any columns and the class; all others are summed out.

        A question is `"outlook=sunny, 20 < temp <= 25"`, or a mapping of columns to levels, lists of levels or tuples
        of two bounds; `"outlook=sunny | play=yes"` has both in one. The class goes by its name in the schema, or
        "class".

        >>> from tallybayes import Categorical
        >>> frame = {"outlook": ["sunny", "sunny", "rain"]}
        >>> model = Model.train({"outlook": Categorical(alpha=0)}, frame, ["no", "yes", "yes"])
        >>> model.probability("class=yes | outlook=sunny")
        0.5
        >>> round(model.probability("outlook=rain", given={"class": "yes"}), 6)
        0.5
        """
        return self._joint().probability(question, given)

    def most_probable_row(self, given: Any = None) -> dict[str, Any]:
        """The most probable combination of class and columns, given some of them."""
        return self._joint().most_probable_row(given)

    def graph(self) -> Graph:
        """The network of the model: which columns, and the class, can depend on which."""
        known, label = self.beliefs(), self._joint_label
        parents: dict[str, tuple[str, ...]] = {label: ()}
        for name, belief in known.counted.items():
            parents |= {column: (label, *some) for column, some in belief.dependences(members(name)).items()}
        return Graph(parents)

    def dependence(self) -> Dependences:
        """How much each pair of columns that are counted together depends on each other within the classes."""
        known = self.beliefs().counted
        found = [each for name, belief in known.items() for each in belief.pair_information(members(name))]
        if not found:
            raise ValueError(
                "No two columns are counted together, so their dependence is not known. Count them as a block: "
                f"Model.train({{{tuple(self.schema.by_column)!r}: Pairs()}}, …)."
            )
        return Dependences(found)

    def to_bif(self, name: str = "tallybayes") -> str:
        """The model as a network in the Bayesian Interchange Format, if all of its columns are categorical."""
        return to_bif(self._joint(), name)

    @property
    def _joint_label(self) -> str:
        return class_name(self.schema.label, self.schema.by_column)

    def _joint(self) -> Joint:
        return Joint(self.beliefs(), self._joint_label)

    def sample(self, n: int, *, seed: int) -> draw.Sample:
        """Draws rows and their labels: a class from the prior, then each column's cell from its distribution in that
        class. The same seed gives the same rows."""
        known = self.beliefs()
        return draw.sample(known.columns, known.prior, pa.array(known.labels, self.label_type), n, seed)

    def against_rest(self, label: Any) -> Model:
        """The same counts as two classes: True for this label, False for all others together."""
        known = self.beliefs()
        at = known.number(label)
        if len(known.keys) < 2:
            raise ValueError(f"{label!r} is the only class, so there is no rest.")
        share = np.exp(known.prior)
        counted = self.schema.prior == FREQUENCIES
        prior = FREQUENCIES if counted else {True: share[at], False: np.delete(share, at).sum()}
        groups: dict[Key, list[Key]] = {True: [known.keys[at]], False: known.keys[:at] + known.keys[at + 1 :]}
        result = self._mapped(lambda tally: tally.merged(groups), pa.bool_())
        result.schema = Schema(self.schema.columns, prior=prior, reasons=self.schema.reasons)
        return result

    def linear(self, label: Any) -> Linear:
        """log P(label, row) − log P(other, row) as a weighted sum of the row's features; with more than two classes,
        the other is all the rest."""
        known = self.beliefs()
        at = known.number(label)
        if len(known.keys) == 2:
            return linear_view(known.columns, known.start, known.labels, at)
        if self.schema.weights is not None:
            raise TypeError("Weighed evidence of more than two classes is not linear; use believing(weights=None).")
        return replace(self.against_rest(label).linear(True), label=label, other=None)

    def parameter_count(self) -> ParameterCount:
        """The number of parameters, compared with that of the full joint distribution of the columns."""
        known = self.beliefs()
        return parameter_count(known.columns, len(known.keys))

    def rows_by_class(self) -> dict[Any, float]:
        """The number of rows of each class, or the sum of their weights."""
        return dict(zip(self.classes, self._row_counts(self.keys()).tolist(), strict=True))

    @property
    def plot(self) -> tallybayes.plots.ModelPlots:
        """Plots, such as `model.plot.densities("temp")`; they need matplotlib."""
        return tallybayes.plots.ModelPlots(self)

    def __repr__(self) -> str:
        pairs = list(self.rows_by_class().items())
        if not pairs:
            return f"Model of no rows\n{self.schema!r}"
        listed = ", ".join(f"{label} {count:.12g}" for label, count in pairs[:SHOWN]) + ", …" * (len(pairs) > SHOWN)
        rows, classes = "row" + "s" * (self.n != 1), "class" + "es" * (len(pairs) != 1)
        return f"Model of {self.n:.12g} {rows} in {len(pairs)} {classes}: {listed}\n{self.schema!r}"

    def _repr_html_(self) -> str:
        """The counts alone, which is fast; `report_on` has the whole report."""
        return tallybayes.report_on(self.schema, classes=self.rows_by_class())._repr_html_()

    def _own(self, label_type: pa.DataType) -> None:
        super()._own(label_type)
        self._changed = True
        self.fitted = None

    def _reading(self, schema: Schema) -> Self:
        result = super()._reading(schema)
        result.fitted = self.fitted
        return result

    def believed_apart(self) -> Beliefs:
        """The beliefs of every column by itself, whether or not their evidence can be added up."""
        keys = self.keys()
        if not keys:
            raise ValueError("The model has counted no rows, so there are no classes.")
        given = (self.schema, keys, self._labels(keys), self._row_counts(keys), self.columns)
        return Beliefs(*given, before=self._beliefs)


def _refuse_scores(known: Beliefs) -> None:
    if known.scores:
        raise TypeError(f"Column {known.scores[0]!r} gives scores, which are not log-likelihoods.")
    if known.schema.weights is not None:
        raise TypeError("Weighed evidence is not a log-likelihood; drop the weights with believing(weights=None).")


def merge(models: Iterable[Model]) -> Model:
    """Adds up models, wherever they were trained. They are taken one at a time and left unchanged, so a generator of
    any length needs the memory of the sum and one model. Any order gives the same bytes.

    >>> from tallybayes import Categorical, digest
    >>> days = [({"outlook": ["sun", "rain"]}, ["no", "yes"]), ({"outlook": ["sun"]}, ["yes"])]
    >>> total = merge(Model.train({"outlook": Categorical()}, rows, labels) for rows, labels in days)
    >>> total.counts("outlook")["sun"]
    {'no': 1, 'yes': 1}
    """
    if isinstance(models, Model):
        raise TypeError("There is only one model. Give a list or another iterable of models.")
    total: Model | None = None
    for number, model in enumerate(models, 1):
        if not isinstance(model, Model):
            raise TypeError(f"Item {number} is a {type(model).__name__}, not a model.")
        try:
            total = model.copy() if total is None else _added(total, model)
        except (TypeError, ValueError) as error:
            raise type(error)(f"Model {number} cannot be added to those before it: {error}") from None
    if total is None:
        raise ValueError("There is nothing to merge. Give at least one model.")
    return total


def _added(total: Model, model: Model) -> Model:
    total += model
    return total
