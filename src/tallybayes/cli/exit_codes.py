"""Exit codes: those of every verb, and where a verb differs."""

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
    FINE: "success",
    WRONG: "invalid arguments or data: standard error says what is wrong, and nothing was written",
    INTERRUPTED: "interrupted (Ctrl-C): no file is left half written",
    BROKEN_PIPE: "the reader of the output has gone away, as `head` does",
    TERMINATED: "terminated (SIGTERM): no file is left half written",
}

EXCEPTIONS = {
    "serve": EVERY | {FINE: "success; also when the service is stopped by SIGTERM or Ctrl-C"},
    "predict": EVERY | {NO: "with `--find`: no row is of that class"},
    "evaluate": EVERY | {NO: "with `--at-least`: the accuracy is lower"},
    "filter": {
        FINE: "the mail was passed on, whatever else went wrong; with `--exit-code`: it is spam",
        NO: "with `--exit-code`: it is ham",
        UNDECIDED: "with `--exit-code`: unsure",
        FAILED: "with `--exit-code`, or an option that learns or forgets: an error, which standard error explains",
        NOT_WRITTEN: "the mail could not be read or passed on: try again later",
        INTERRUPTED: "interrupted (Ctrl-C)",
        TERMINATED: "terminated (SIGTERM): nothing was passed on",
    },
    "receipt check": EVERY | {NO: "the receipt is not valid, or is not about this model"},
    "store verify": EVERY | {NO: "the store is inconsistent: each problem is a line on standard error"},
}
