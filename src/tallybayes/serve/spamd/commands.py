"""Executes the commands. Nothing here waits for the network; the time a command takes depends on its mail."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from tallybayes.filtering.base import HEADER, Letter, Verdict, Wanted
from tallybayes.filtering.in_store import StoreFilter
from tallybayes.filtering.thresholds import HAM, SPAM
from tallybayes.mail.stamping import head_of, stamped
from tallybayes.report import text
from tallybayes.report.report import report_on
from tallybayes.serve.spamd.protocol import OK, PROTOCOL, RefusedError, Request, answer

WITH_HEADER = (1, 3)  # the first version with a header "Spam"; before, the score is in the body, where Exim reads it
WITH_MAIL = ("PROCESS", "HEADERS")  # commands that are answered with the mail
LOCAL = "local"  # the only database that is supported; "remote" means networks that collect spam
DIGITS = 2
TOP = 5  # words of a column in a report
OTHERS_MARKS = "X-Spam-*"  # headers of other filters, which may be forged


def respond(judge: StoreFilter, request: Request) -> bytes:
    """The answer to a request with a mail."""
    letter = Letter(request.mail)
    if request.command == "TELL":
        return _tell(judge, letter, request)
    verdict = judge.verdict(letter)
    body = BODIES[request.command](judge, letter, verdict)
    if request.version < WITH_HEADER and request.command not in WITH_MAIL:
        return answer(OK, {}, "/".join(shown_scores(verdict)).encode() + b"\r\n" + body)
    return answer(OK, {"Spam": spam_line(verdict)}, body)


def spam_line(verdict: Verdict) -> str:
    """The value of the header Spam, like "True ; 6.21 / 4.60"."""
    return f"{verdict.is_spam} ; {' / '.join(shown_scores(verdict))}"


@lru_cache(maxsize=64)  # an answer shows them twice
def shown_scores(verdict: Verdict) -> tuple[str, str]:
    """Score and threshold, rounded such that comparing them, as Exim does, gives the same verdict."""
    score, threshold = round(verdict.score, DIGITS), round(verdict.thresholds.spam, DIGITS)
    if verdict.is_spam:
        score = max(score, threshold)
    elif score >= threshold:
        score = threshold - 10**-DIGITS
    return f"{score:.{DIGITS}f}", f"{threshold:.{DIGITS}f}"


def _symbols(verdict: Verdict) -> str:
    return f"TALLYBAYES_{verdict.word.upper()}"


def marked(raw: bytes, verdict: Verdict) -> bytes:
    """The mail with our header, and with those of SpamAssassin that other programs read."""
    score, threshold = shown_scores(verdict)
    status = f"{'Yes' if verdict.is_spam else 'No'}, score={score} required={threshold}"
    flag = {"X-Spam-Flag": "YES"} if verdict.is_spam else {}
    fields = {HEADER: str(verdict), **flag, "X-Spam-Status": f"{status} tests={_symbols(verdict)}"}
    return stamped(raw, fields, OTHERS_MARKS)


def _report(judge: StoreFilter, letter: Letter, verdict: Verdict) -> bytes:
    """The evidence of each column and word."""
    found = judge.evidence(letter)
    lines = () if found is None else text.lines(report_on(found, rows=1, top=TOP).blocks, ascii=True)
    written = ["".join(span for span, _ in line) for line in lines]
    return "\n".join([str(verdict), "", *written, ""]).encode()


def _tell(judge: StoreFilter, letter: Letter, request: Request) -> bytes:
    """Learns or forgets. If nothing changed, the answer has no DidSet or DidRemove, which spamc reports as
    "already"."""
    places = {name: _places(request.headers.get(name, "")) for name in ("set", "remove")}
    if LOCAL not in places["set"] | places["remove"]:
        raise RefusedError(PROTOCOL, "TELL needs Set: local or Remove: local")
    if LOCAL not in places["set"]:
        done = judge.change(letter, Wanted(forget=request.headers.get("message-class") or SPAM))
        return answer(OK, {"DidRemove": LOCAL} if done else {})
    word = request.headers.get("message-class", "").lower()
    if word not in (SPAM, HAM):
        raise RefusedError(PROTOCOL, "TELL with Set: local needs Message-class: spam or ham")
    return answer(OK, {"DidSet": LOCAL} if judge.change(letter, Wanted(learn=word)) else {})


def _places(value: str) -> set[str]:
    return {place.strip().lower() for place in value.split(",")}


BODIES: dict[str, Callable[[StoreFilter, Letter, Verdict], bytes]] = {
    "CHECK": lambda *_: b"",
    "SYMBOLS": lambda _, __, verdict: _symbols(verdict).encode() + b"\r\n",
    "REPORT": _report,
    "REPORT_IFSPAM": lambda judge, letter, verdict: _report(judge, letter, verdict) if verdict.is_spam else b"",
    "PROCESS": lambda _, letter, verdict: marked(letter.raw, verdict),
    "HEADERS": lambda _, letter, verdict: head_of(marked(letter.raw, verdict)),
}
