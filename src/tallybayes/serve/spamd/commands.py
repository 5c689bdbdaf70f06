"""What each command is answered with. Nothing here waits for the network; a command may take as long as its mail."""

from __future__ import annotations

from collections.abc import Callable

from tallybayes.filtering.base import Wanted
from tallybayes.filtering.in_store import StoreFilter
from tallybayes.filtering.letter import Letter
from tallybayes.filtering.thresholds import HAM, SPAM
from tallybayes.filtering.verdict import HEADER, Verdict
from tallybayes.mail.stamping import head_of, stamped
from tallybayes.report import text
from tallybayes.report.report import report_on
from tallybayes.serve.spamd.protocol import OK, PROTOCOL, RefusedError, Request, answer

WITH_HEADER = (1, 3)  # the version since when there is a header "Spam"; Exim takes scores from the body, as of before
WITH_MAIL = ("PROCESS", "HEADERS")  # whose body is the mail
LOCAL = "local"  # the only place where mail is learned; "remote" means networks that collect spam
DIGITS = 2
TOP = 5  # words of a column in a report
OTHERS_MARKS = "X-Spam-*"  # which may be forged


def respond(asked: StoreFilter, request: Request) -> bytes:
    """The answer to a request that has a mail."""
    letter = Letter(request.mail)
    if request.command == "TELL":
        return _tell(asked, letter, request)
    verdict = asked.verdict(letter)
    body = BODIES[request.command](asked, letter, verdict)
    if request.version < WITH_HEADER and request.command not in WITH_MAIL:
        return answer(OK, {}, "/".join(shown_scores(verdict)).encode() + b"\r\n" + body)
    return answer(OK, {"Spam": spam_line(verdict)}, body)


def spam_line(verdict: Verdict) -> str:
    """As "True ; 6.21 / 4.60"."""
    return f"{verdict.is_spam} ; {' / '.join(shown_scores(verdict))}"


def shown_scores(verdict: Verdict) -> tuple[str, str]:
    """Score and threshold, rounded so that who compares them, as Exim does, comes to the same verdict."""
    score, threshold = round(verdict.score, DIGITS), round(verdict.thresholds.spam, DIGITS)
    if verdict.is_spam:
        score = max(score, threshold)
    elif score >= threshold:
        score = threshold - 10**-DIGITS
    return f"{score:.{DIGITS}f}", f"{threshold:.{DIGITS}f}"


def _symbols(verdict: Verdict) -> str:
    return f"TALLYBAYES_{verdict.word.upper()}"


def marked(raw: bytes, verdict: Verdict) -> bytes:
    """The mail with our header, and those by which other programs know what spamd says."""
    score, threshold = shown_scores(verdict)
    status = f"{'Yes' if verdict.is_spam else 'No'}, score={score} required={threshold}"
    flag = {"X-Spam-Flag": "YES"} if verdict.is_spam else {}
    fields = {HEADER: str(verdict), **flag, "X-Spam-Status": f"{status} tests={_symbols(verdict)}"}
    return stamped(raw, fields, OTHERS_MARKS)


def _report(asked: StoreFilter, letter: Letter, verdict: Verdict) -> bytes:
    """Why: what each column and word says."""
    found = asked.evidence(letter)
    told = () if found is None else text.lines(report_on(found, rows=1, top=TOP).blocks, ascii=True)
    written = ["".join(span for span, _ in line) for line in told]
    return "\n".join([str(verdict), "", *written, ""]).encode()


def _tell(asked: StoreFilter, letter: Letter, request: Request) -> bytes:
    """Learns or forgets. Where nothing changed, nothing is said to be done: spamc calls that "already"."""
    places = {name: _places(request.headers.get(name, "")) for name in ("set", "remove")}
    if LOCAL not in places["set"] | places["remove"]:
        raise RefusedError(PROTOCOL, "TELL needs Set: local or Remove: local")
    if LOCAL not in places["set"]:
        done = asked.change(letter, Wanted(forget=request.headers.get("message-class") or SPAM))
        return answer(OK, {"DidRemove": LOCAL} if done else {})
    word = request.headers.get("message-class", "").lower()
    if word not in (SPAM, HAM):
        raise RefusedError(PROTOCOL, "TELL with Set: local needs Message-class: spam or ham")
    return answer(OK, {"DidSet": LOCAL} if asked.change(letter, Wanted(learn=word)) else {})


def _places(value: str) -> set[str]:
    return {place.strip().lower() for place in value.split(",")}


BODIES: dict[str, Callable[[StoreFilter, Letter, Verdict], bytes]] = {
    "CHECK": lambda *_: b"",
    "SYMBOLS": lambda _, __, verdict: _symbols(verdict).encode() + b"\r\n",
    "REPORT": _report,
    "REPORT_IFSPAM": lambda asked, letter, verdict: _report(asked, letter, verdict) if verdict.is_spam else b"",
    "PROCESS": lambda _, letter, verdict: marked(letter.raw, verdict),
    "HEADERS": lambda _, letter, verdict: head_of(marked(letter.raw, verdict)),
}
