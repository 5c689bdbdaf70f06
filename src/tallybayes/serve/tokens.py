"""Authorisation: tokens of at least 128 random bits, of which a store keeps only hashes.

A token is made for a store and has one of three scopes, each of which includes the ones before: predict (ask), learn
(learn, correct, forget, receipts) and admin (the model's file). Too many wrong tokens from an address get status 429;
a valid token is always accepted, so that nobody can lock others out.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from ipaddress import IPv6Address

from tallybayes.serve.addresses import ip_of
from tallybayes.serve.problems import Problem
from tallybayes.serve.settings import Limits
from tallybayes.store import Store

SCOPES = ("predict", "learn", "admin")
KEPT_AS = "tokens"  # the setting of a store
RANDOM_BYTES = 32
REMEMBERED = 10_000  # addresses with failures
SCHEME = "bearer "
CHALLENGE = {"www-authenticate": "Bearer"}

Known = Sequence[tuple[bytes, int]]  # hashes, and the level of each scope


def new_token(store: Store, scope: str) -> str:
    """Makes a token for a store and returns it. Only its hash is kept."""
    if scope not in SCOPES:
        raise ValueError(f"There is no scope {scope!r}; give one of {', '.join(SCOPES)}.")
    token = f"tally-{secrets.token_urlsafe(RANDOM_BYTES)}"
    made = datetime.now(UTC).isoformat(timespec="seconds")
    kept = store.settings().get(KEPT_AS) or []
    store.set(KEPT_AS, [*kept, {"scope": scope, "sha256": _hashed(token).hex(), "made": made}])
    return token


def revoke_tokens(store: Store) -> int:
    """Revokes all tokens of a store, and returns their number."""
    kept = store.settings().get(KEPT_AS) or []
    store.set(KEPT_AS, None)
    return len(kept)


def known_tokens(store: Store) -> Known:
    kept = store.settings().get(KEPT_AS) or []
    return [(bytes.fromhex(each["sha256"]), SCOPES.index(each["scope"])) for each in kept]


def _hashed(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


class Tokens:
    """The tokens of all served stores, as of the start of the service."""

    def __init__(self, known: Mapping[str, Known], required: bool, limits: Limits) -> None:
        self._known = dict(known)
        self.required = required or any(self._known.values())
        self._failures = Failures(limits)

    def check(self, headers: Mapping[str, str], address: str, model: str | None, scope: str) -> None:
        """Raises a problem unless the request has this scope for a model; without a model, for any."""
        if self.required:
            self.check_token(bearer(headers.get("authorization")), address, model, scope)

    def check_token(self, token: str | None, address: str, model: str | None, scope: str) -> None:
        if token is None:
            raise Problem(401, "This needs a token: send the header 'Authorization: Bearer <token>'.", CHALLENGE)
        level, anywhere = self._levels(token, model)
        if anywhere < 0:
            self._failures.add(address)
            raise Problem(401, "Unknown token. Make one with `tallybayes serve --new-token`.", CHALLENGE)
        if level < SCOPES.index(scope):
            raise Problem(403, f"This token may not do that: it needs the scope {scope!r} for this model.")

    def has_any(self, model: str) -> bool:
        return bool(self._known[model])

    def allowed(self, token: str | None, model: str) -> bool:
        """Whether a model may be seen at all."""
        return not self.required or (token is not None and self._levels(token, model)[0] >= 0)

    def _levels(self, token: str, model: str | None) -> tuple[int, int]:
        """The level of a token for a model, and for any model. Every hash is compared, in constant time."""
        given, level, anywhere = _hashed(token), -1, -1
        for name, known in self._known.items():
            for expected, scope in known:
                found = scope if hmac.compare_digest(given, expected) else -1
                anywhere = max(anywhere, found)
                level = max(level, found) if model in (None, name) else level
        return level, anywhere


def bearer(authorization: str | None) -> str | None:
    """The token of a header."""
    if authorization is None or not authorization.lower().startswith(SCHEME):
        return None
    return authorization[len(SCHEME) :].strip() or None


class Failures:
    """Recent failures by address."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._clock = limits, clock
        self._times: OrderedDict[str, list[float]] = OrderedDict()

    def add(self, address: str) -> None:
        """Records a failure; too many raise a problem."""
        now, name = self._clock(), _network(address)
        late = [at for at in self._times.pop(name, []) if now - at < self._limits.forgiven]
        if len(late) >= self._limits.failures:
            self._times[name] = late
            wait = max(round(late[0] + self._limits.forgiven - now), 1)
            raise Problem(429, f"Too many wrong tokens. Wait {wait} seconds.", {"retry-after": str(wait)})
        self._times[name] = [*late, now]
        while len(self._times) > REMEMBERED:
            self._times.popitem(last=False)


def _network(address: str) -> str:
    """The address, or for IPv6 its first 64 bits, which one customer has."""
    found = ip_of(address)
    return str(int(found) >> 64) if isinstance(found, IPv6Address) else str(found or address)
