"""The settings and limits of a spamd."""

from __future__ import annotations

from dataclasses import dataclass, field

from tallybayes.filtering.classes import Names


@dataclass(frozen=True)
class SpamdSettings:
    """The settings of a spamd. Thresholds that are not given are the store's."""

    allowed: tuple[str, ...] = ("127.0.0.0/8", "::1/128")  # the networks of clients that are answered
    tell: bool | None = None  # whether clients may teach spam and ham; by default only from this machine
    names: Names = field(default_factory=Names)
    spam_score: float | None = None
    ham_score: float | None = None
    size: int = 10_000_000  # bytes of a mail, before and after decompression
    small: int = 16_384  # bytes of a mail up to which it is judged at once, without a thread
    line: int = 8_192  # bytes of a header line of the protocol
    lines: int = 100  # header lines of the protocol
    seconds: float = 30.0  # for a request to arrive, and for its answer to be read
    connections: int = 1_000  # at a time; others are told to try again
    room: int = 256_000_000  # bytes of mail in memory, over all connections
    threads: int = 32  # that judge mail or wait for the disk
