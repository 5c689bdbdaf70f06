"""Exit codes, verb by verb."""

from __future__ import annotations

FINE = 0
NO = 1
WRONG = UNDECIDED = 2
FAILED = 3
NOT_WRITTEN = 75  # EX_TEMPFAIL: the mail server tries again later
INTERRUPTED = 130
BROKEN_PIPE = 141
TERMINATED = 143

EVERY = {
    FINE: "fine",
    WRONG: "invalid arguments or data: standard error says what is wrong, and nothing was written",
    INTERRUPTED: "interrupted (Ctrl-C): no file is left half written",
    BROKEN_PIPE: "the reader of the answers has gone away, as `head` does",
    TERMINATED: "terminated (SIGTERM): no file is left half written",
}

VERBS = (
    "train",
    "weigh",
    "predict",
    "explain",
    "ask",
    "suspects",
    "evaluate",
    "choose",
    "learn",
    "forget",
    "merge",
    "filter",
    "thresholds",
    "serve",
    "show",
    "report",
    "schema",
    "sample",
    "export",
    "demo",
    "receipt check",
    "receipt show",
    "store create",
    "store verify",
    "store backup",
    "store expire",
)

EXIT_CODES: dict[str, dict[int, str]] = {verb: dict(EVERY) for verb in VERBS}
EXIT_CODES["serve"][FINE] = "success; also when the service is stopped by SIGTERM or Ctrl-C"
EXIT_CODES["predict"][NO] = "with `--find`: no row is of that class"
EXIT_CODES["evaluate"][NO] = "with `--at-least`: the accuracy is lower"
EXIT_CODES["filter"] |= {
    FINE: "the mail was passed on, whatever else went wrong; with `--exit-code`: it is spam",
    NO: "with `--exit-code`: it is ham",
    UNDECIDED: "with `--exit-code`: unsure",
    FAILED: "with `--exit-code`, or a mail to be learned or forgotten: that failed, and standard error says why",
    NOT_WRITTEN: "the mail could not be read or passed on: try again later",
    INTERRUPTED: "interrupted (Ctrl-C)",
    TERMINATED: "terminated (SIGTERM): nothing was passed on",
}
del EXIT_CODES["filter"][BROKEN_PIPE]
EXIT_CODES["receipt check"][NO] = "the receipt is not valid, or is not about this model"
EXIT_CODES["store verify"][NO] = "the store is inconsistent: each problem is a line on standard error"
