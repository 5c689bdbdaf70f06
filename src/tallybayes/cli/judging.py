"""What `tallybayes filter` does with a mail, without typer, which takes longer to load than a service to answer."""

from __future__ import annotations

import os
import sys
import warnings
from getopt import GetoptError, gnu_getopt
from typing import TYPE_CHECKING, Any, NamedTuple

from tallybayes.cli.exit_codes import FAILED, FINE, NO, UNDECIDED
from tallybayes.cli.running import note, sentence
from tallybayes.cli.terminal import say, waiting_for

if TYPE_CHECKING:
    from tallybayes.filtering.base import Filter, Wanted

TOKEN = "TALLYBAYES_TOKEN"
LETTERS = {
    "e": "exit-code",
    "u": "learn",
    "s": "spam",
    "n": "ham",
    "F": "forget",
    "S": "forget-spam",
    "N": "forget-ham",
}
VALUES = {"server": str, "spam-score": float, "ham-score": float, "spam-class": str, "ham-class": str}


class Options(NamedTuple):
    """The arguments of `tallybayes filter`, which its help explains."""

    model: str | None = None
    server: str | None = None
    exit_code: bool = False
    learn: bool = False
    spam: bool = False
    ham: bool = False
    forget: bool = False
    forget_spam: bool = False
    forget_ham: bool = False
    spam_score: float | None = None
    ham_score: float | None = None
    spam_class: str | None = None
    ham_class: str | None = None

    @property
    def changes(self) -> bool:
        """Whether the mail is learned or forgotten at the user's request."""
        return self.spam or self.ham or self.forget or self.forget_spam or self.forget_ham


def options_of(arguments: list[str]) -> Options | None:
    """The options in the arguments, as typer reads them; None if it has something to say about them."""
    known = {f"--{name}" for name in (*LETTERS.values(), *VALUES)}
    if any(each.startswith("--") and each.partition("=")[0] not in known for each in arguments):
        return None  # getopt would accept an abbreviation
    given: dict[str, Any] = {}
    try:
        found, models = gnu_getopt(arguments, "".join(LETTERS), [*LETTERS.values(), *(f"{name}=" for name in VALUES)])
        for option, value in found:
            name = LETTERS.get(option[1:], option[2:])
            given[name.replace("-", "_")] = VALUES[name](value) if name in VALUES else True
    except (GetoptError, ValueError):
        return None
    return Options(next(iter(models), None), **given) if len(models) <= 1 else None


def judge(options: Options) -> int:
    """Writes the mail on standard input to standard output, and returns the exit code."""
    warnings.showwarning = note  # type: ignore[assignment]
    mail = sys.stdin.buffer.read()
    output = b""
    try:
        wanted = _wanted(options)
        if options.learn and wanted is not None:
            raise ValueError(
                "--learn follows the filter's verdict; --spam, --ham and --forget follow yours. Give one of them."
            )
        output, code = _filtered(_opened(options), mail, wanted, options)
    except Exception as error:
        say(f"tallybayes filter: {sentence(error)}")
        output = b"" if options.exit_code else mail
        code = FAILED if options.exit_code or options.changes else FINE
    sys.stdout.buffer.write(output)
    sys.stdout.buffer.flush()
    return code


def _wanted(options: Options) -> Wanted | None:
    from tallybayes.filtering.base import ANY, Wanted
    from tallybayes.filtering.thresholds import HAM, SPAM

    learned = [word for word, given in ((SPAM, options.spam), (HAM, options.ham)) if given]
    forgetting = ((ANY, options.forget), (SPAM, options.forget_spam), (HAM, options.forget_ham))
    forgotten = [word for word, given in forgetting if given]
    if len(learned) > 1 or len(forgotten) > 1 or learned == forgotten != []:
        raise ValueError("Give at most one class to learn the mail as and one to forget it as, not the same one.")
    if not options.changes:
        return None
    return Wanted(next(iter(learned), None), next(iter(forgotten), None))


def _opened(options: Options) -> Filter:
    from tallybayes.filtering.classes import Names

    names, given = Names(options.spam_class, options.ham_class), {"spam": options.spam_score, "ham": options.ham_score}
    if (options.model is None) == (options.server is None):
        raise ValueError("Give one of a model file, a store or --server URL.")
    if options.server is not None:
        from tallybayes.filtering.at_server import ServerFilter

        return ServerFilter(options.server, names, token=os.environ.get(TOKEN), **given)
    assert options.model is not None
    if os.path.isdir(options.model):
        from tallybayes.filtering.in_store import StoreFilter, open_patiently

        return StoreFilter(open_patiently(options.model), names, own=True, spam=given["spam"], ham=given["ham"])
    from tallybayes.filtering.in_file import FileFilter
    from tallybayes.filtering.thresholds import Thresholds

    return FileFilter(options.model, names, Thresholds.of(**given), waiting_for(options.model))


def _filtered(chosen: Filter, mail: bytes, wanted: Wanted | None, options: Options) -> tuple[bytes, int]:
    """The output and the exit code."""
    from tallybayes.filtering.base import Letter
    from tallybayes.filtering.thresholds import HAM, SPAM, UNSURE

    letter = Letter(mail)
    with chosen:
        if wanted is not None:
            if not mail:
                raise ValueError("There is no mail on standard input.")
            done = "Forgotten." if wanted.learn is None else f"Learned as {wanted.learn}."
            say(done if chosen.change(letter, wanted) else "Nothing to do: that was done before.")
            return b"" if options.exit_code else mail, FINE
        verdict = chosen.verdict(letter)
        if options.learn and verdict.word != UNSURE:
            try:
                chosen.learn_own(letter, verdict)
            except Exception as error:  # the verdict stands
                say(f"tallybayes filter: {sentence(error)}")
    if options.exit_code:
        return verdict.line, {SPAM: FINE, HAM: NO, UNSURE: UNDECIDED}[verdict.word]
    return verdict.on(mail), FINE
