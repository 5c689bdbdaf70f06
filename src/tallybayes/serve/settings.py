"""The settings of a service: its limits, and the hosts it answers for."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Limits:
    """Limits on the resources that a client can use."""

    body: int = 10_000_000  # bytes of a request, before and after decompression
    room: int = 256_000_000  # bytes of all bodies that are in memory at a time; more get status 503
    head: int = 32_768  # bytes of a request's first line and headers
    seconds: float = 10.0  # for a request to arrive, and for it to be answered
    idle: float = 60.0  # seconds that a connection may stay open without a request, or without reading its answer
    waiting: int = 1_000  # requests that run in threads, or wait for one, of each kind; more get status 503
    numbers: int = 1_000_000  # probabilities in an answer: rows times classes
    small: int = 16_384  # bytes of a question up to which it is answered at once, without a thread …
    few: int = 1_000  # … if the answer has no more probabilities than this
    failures: int = 10  # wrong tokens allowed from one address …
    forgiven: float = 60.0  # … in this many seconds; more get status 429
    downloads: int = 2  # simultaneous downloads of model files …
    download_seconds: float = 600.0  # … and how long each may take


@dataclass(frozen=True)
class Settings:
    """The settings of a service."""

    limits: Limits = field(default_factory=Limits)
    hosts: frozenset[str] = frozenset()  # names it answers for, in addition to those of this machine
    tokens: bool = False  # whether a token is needed even if no store has any
    learners: int = 64  # threads that wait for changes to be on disk
    askers: int = 4  # threads for slow questions
    lookers: int = 4  # threads for questions that wait for the writer, such as facts about the model
