"""A remote service as a filter, over HTTP. It must start quickly, so it imports little; the service reads the mail."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

from tallybayes.filtering.base import Filter, Letter, Verdict, Wanted
from tallybayes.filtering.classes import Names
from tallybayes.filtering.site import Site
from tallybayes.filtering.thresholds import SETTING, Thresholds

MODELS = "/v1/models"
JSON, MAIL = "application/json", "message/rfc822"
LONGEST = 1 << 20  # bytes of a mail that is sent as it is: of a longer one, most is attachments
FINE, REFUSED, UNKNOWN, CONFLICT, TOO_LONG, NO_MAIL = 200, 400, 404, 409, 413, 415


class ServerError(ValueError):
    """A service is unreachable or returned an error. `status` is 0 if there was no answer."""

    def __init__(self, sentence: str, status: int = 0) -> None:
        super().__init__(sentence)
        self.status = status


class ServerFilter(Filter):
    """A model of a service: http://host:port if there is only one, or http://host:port/v1/models/spam."""

    def __init__(
        self, url: str, names: Names, *, token: str | None = None, spam: float | None = None, ham: float | None = None
    ) -> None:
        self.url, self.names, self._given = url, names, {"spam": spam, "ham": ham}
        try:
            self._site = Site.of(url)
        except ValueError:
            raise ServerError(f"--server {url}: give a URL such as http://127.0.0.1:8765.") from None
        if token and not (token.isascii() and token.isprintable()):
            raise ServerError("The token has characters that no token has.")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        before, _, name = self._site.path.rstrip("/").partition(MODELS)
        self._prefix, self._name = quote(before, safe="/%") + MODELS, unquote(name.strip("/"))

    def verdict(self, letter: Letter) -> Verdict:
        raw = self._unless("predict", letter.raw, NO_MAIL, TOO_LONG) if len(letter.raw) <= LONGEST else None
        answer = raw or self._ask("POST", "predict", {"row": letter.row})
        probabilities = self._probabilities(answer)
        spam = self.names.of_spam(list(probabilities))
        return Verdict.of(probabilities, spam, Thresholds.of(answer.get(SETTING), **self._given))

    def change(self, letter: Letter, wanted: Wanted) -> bool:
        if wanted.learn is None:
            done = self._unless("forget", {"id": letter.id}, UNKNOWN)
        else:
            label = self.names.of(wanted.learn, self._classes(letter))
            other = {"id": letter.id, "label": label, "new_class": True}  # the first ham, say
            done = self._learned(letter, label) or self._ask("POST", "correct", other)
        return done is not None and not done.get("already")

    def learn_own(self, letter: Letter, verdict: Verdict) -> bool:
        done = self._learned(letter, self.names.of(verdict.word, self._classes(letter)))
        return done is not None and not done.get("already")

    def _learned(self, letter: Letter, label: str) -> Mapping[str, Any] | None:
        return self._unless("learn", {"id": letter.id, "row": letter.row, "label": label}, CONFLICT)

    def _classes(self, letter: Letter) -> list[str]:
        """The classes that the service names in an answer; none if it has learned too little to answer."""
        answer = self._unless("predict", {"row": letter.row}, REFUSED)
        return [] if answer is None else list(self._probabilities(answer))

    def _probabilities(self, answer: Mapping[str, Any]) -> Mapping[str, float]:
        answers = answer.get("answers")
        found = _mapping(_mapping(answers[0] if isinstance(answers, list) and answers else None).get("probabilities"))
        if not found or not all(isinstance(share, (int, float)) and 0.0 <= share <= 1.0 for share in found.values()):
            raise self._strange("its answer has no probabilities")
        return found

    def _only_model(self) -> str:
        models = self._ask("GET").get("models")
        names = [_mapping(model).get("name") for model in models] if isinstance(models, list) else []
        if len(names) != 1:
            listed = ", ".join(map(repr, names)) or "none"
            raise ServerError(f"Which model? {self.url} has {listed}; give {self.url.rstrip('/')}{MODELS}/NAME.")
        return str(names[0])

    def _unless(self, verb: str, body: Mapping[str, Any] | bytes, *statuses: int) -> Mapping[str, Any] | None:
        """The answer; None if it has one of these statuses."""
        try:
            return self._ask("POST", verb, body)
        except ServerError as error:
            if error.status not in statuses:
                raise
            return None

    def _ask(self, method: str, verb: str | None = None, body: Mapping[str, Any] | bytes = b"") -> Mapping[str, Any]:
        """The answer to a request whose body is a mail or JSON."""
        self._name = self._name or ("" if verb is None else self._only_model())
        path = "/".join([self._prefix, *([] if verb is None else [quote(self._name, safe=""), verb])])
        kind, data = (MAIL, body) if isinstance(body, bytes) else (JSON, json.dumps(body).encode())
        try:
            answer = self._site.ask(method, path, {"Content-Type": kind, **self._headers}, data)
        except OSError as error:
            raise ServerError(f"{self.url} does not answer: {error or type(error).__name__}.") from error
        try:
            found = json.loads(answer.body)
        except (ValueError, RecursionError):
            found = None
        if answer.status != FINE:
            why = _mapping(found).get("detail") or answer.reason
            raise ServerError(f"{self.url} answered {answer.status}: {why}", answer.status)
        if not isinstance(found, dict):
            raise self._strange("its answer is not a JSON object")
        return found

    def _strange(self, what: str) -> ServerError:
        return ServerError(f"{self.url} is not a tallybayes service: {what}.")


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
