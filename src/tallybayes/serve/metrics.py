"""Metrics for Prometheus: labelled by operation, model and status, without anything from the content of requests."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache, partial
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from tallybayes.serve.models import ServedModel
from tallybayes.store import Change
from tallybayes.store.chain import CORRECT, FORGET, LEARN

SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
NONE = ""  # the model label of requests without a model; for Prometheus the same as no label
CHANGES = {LEARN: "learned", FORGET: "forgotten", CORRECT: "corrected"}


class RestrictedRegistry(Collector):
    """A registry, restricted to some models."""

    def __init__(self, registry: CollectorRegistry, models: Collection[str]) -> None:
        self._registry, self._models = registry, models

    def collect(self) -> Iterator[Metric]:
        for metric in self._registry.collect():
            metric.samples = [each for each in metric.samples if each.labels.get("model", NONE) in self._models]
            yield metric


class Metrics:
    """Counters of one service."""

    media_type = CONTENT_TYPE_LATEST

    def __init__(self, models: Mapping[str, ServedModel]) -> None:
        registry = self._registry = CollectorRegistry()
        names = ["operation", "model", "status"]
        self._requests = Counter("tallybayes_requests", "Requests answered.", names, registry=registry)
        self._seconds = Histogram(
            "tallybayes_request_seconds", "Seconds until an answer.", ["operation"], buckets=SECONDS, registry=registry
        )
        self._rows = Counter("tallybayes_rows", "Rows that changed a model.", ["model", "what"], registry=registry)
        version = Gauge("tallybayes_version", "The number of a model's last change.", ["model"], registry=registry)
        failed = Gauge(
            "tallybayes_snapshot_failed", "1 if the last snapshot could not be written.", ["model"], registry=registry
        )
        for name, model in models.items():
            version.labels(name).set_function(partial(getattr, model.store, "number"))
            failed.labels(name).set_function(partial(getattr, model.store, "snapshot_failed"))
        self._models = models
        self._labelled = lru_cache(maxsize=10_000)(self._children)
        self._rows_of = lru_cache(maxsize=10_000)(self._rows.labels)

    def answered(self, operation: str, model: str | None, status: int, seconds: float) -> None:
        requests, times = self._labelled(operation, model if model in self._models else None, status)
        requests.inc()
        times.observe(seconds)

    def changed(self, model: str, facts: Mapping[str, Any]) -> None:
        """Counts the rows that a change reports."""
        for what in CHANGES.values():
            if facts.get(what):
                self._rows_of(model, what).inc(facts[what])

    def made(self, model: str, change: Change) -> None:
        """Counts the row of a change."""
        self.changed(model, {CHANGES[change.what]: 1})

    def text(self, models: Collection[str]) -> bytes:
        """The metrics of these models."""
        return generate_latest(RestrictedRegistry(self._registry, {*models, NONE}))

    def _children(self, operation: str, model: str | None, status: int) -> tuple[Any, Any]:
        return self._requests.labels(operation, model or NONE, str(status)), self._seconds.labels(operation)
