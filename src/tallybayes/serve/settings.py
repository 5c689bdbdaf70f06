"""What a service allows: every limit by its name, and the hosts it answers for."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Limits:
    """What one client can take of a service, at most."""

    body: int = 10_000_000  # bytes of a request, also after they are unpacked
    head: int = 32_768  # bytes of a request's first line and headers
    seconds: float = 10.0  # until a request has come, and until it is answered
    idle: float = 60.0  # seconds that a connection may be open without a request, or without taking its answer
    numbers: int = 1_000_000  # probabilities in an answer: rows times classes
    small: int = 16_384  # bytes of a question up to which it is answered at once, without a thread …
    few: int = 1_000  # … if the answer has no more probabilities than these
    failures: int = 10  # wrong tokens from one address …
    forgiven: float = 60.0  # … in so many seconds, before it hears nothing but 429
    downloads: int = 2  # model files at a time …
    download_seconds: float = 600.0  # … and how long each may take


@dataclass(frozen=True)
class Settings:
    """How a service is run."""

    limits: Limits = field(default_factory=Limits)
    hosts: frozenset[str] = frozenset()  # names it answers for, beside those of this machine
    tokens: bool = False  # whether a token is needed where no store has any
    learners: int = 64  # threads that wait for changes to be on the disk
    askers: int = 4  # threads for questions that take long …
    lookers: int = 4  # … and for those that wait for who writes, as the model's own facts do
