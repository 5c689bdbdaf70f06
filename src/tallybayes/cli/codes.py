"""What the program ends with, verb by verb."""

from __future__ import annotations

FINE = 0
NO = 1
WRONG = 2
INTERRUPTED = 130
BROKEN_PIPE = 141
TERMINATED = 143

EVERY = {
    FINE: "fine",
    WRONG: "something that was given is wrong: a sentence on standard error says what, and nothing was written",
    INTERRUPTED: "interrupted (Ctrl-C): no file is left half written",
    BROKEN_PIPE: "the reader of the answers has gone away, as `head` does",
    TERMINATED: "told to end (SIGTERM): no file is left half written",
}

VERBS = (
    "train",
    "weigh",
    "predict",
    "explain",
    "ask",
    "evaluate",
    "choose",
    "learn",
    "forget",
    "merge",
    "show",
    "schema",
    "sample",
    "export",
    "demo",
)

EXIT_CODES: dict[str, dict[int, str]] = {verb: dict(EVERY) for verb in VERBS}
EXIT_CODES["predict"][NO] = "with `--find`: no row was found to be of that class"
EXIT_CODES["evaluate"][NO] = "with `--at-least`: the accuracy is lower"
