"""What a spamd allows: every limit by its name."""

from __future__ import annotations

from dataclasses import dataclass, field

from tallybayes.filtering.classes import Names


@dataclass(frozen=True)
class SpamdSettings:
    """How it is run. Thresholds that are not given are the store's."""

    allowed: tuple[str, ...] = ("127.0.0.0/8", "::1/128")  # the networks of clients that are answered
    tell: bool | None = None  # whether mail may be told to be spam or ham; by default from this machine alone
    names: Names = field(default_factory=Names)
    spam_score: float | None = None
    ham_score: float | None = None
    size: int = 10_000_000  # bytes of a mail, also after it is unpacked
    small: int = 16_384  # bytes of a mail up to which it is looked at at once, without a thread
    line: int = 8_192  # bytes of a line before the mail
    lines: int = 100  # of them
    seconds: float = 30.0  # until a request has come, and until its answer is taken
    connections: int = 1_000  # at a time, whatever they do; others are told to try again
    room: int = 256_000_000  # bytes of mail in memory, of all connections
    threads: int = 32  # that look at mail, or wait for the disk
