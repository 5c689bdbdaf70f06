"""`tallybayes filter`: a mail in, the same mail out, with a header that has the verdict."""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from tallybayes.cli.exit_codes import FAILED, FINE, NO, UNDECIDED
from tallybayes.cli.running import sentence
from tallybayes.cli.terminal import say, waiting_for

if TYPE_CHECKING:
    from tallybayes.filtering.base import Filter, Wanted

TOKEN = "TALLYBAYES_TOKEN"

learning_option = partial(typer.Option, rich_help_panel="Learning")
class_option = partial(typer.Option, rich_help_panel="Classes and thresholds")


def filter(
    model: Annotated[
        str | None, typer.Argument(metavar="MODEL", help="A model file or a store.", show_default=False)
    ] = None,
    server: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Ask a running service instead: http://127.0.0.1:8765, or, to name a model, "
            f"http://127.0.0.1:8765/v1/models/spam. The token, if it needs one, is read from {TOKEN}.",
        ),
    ] = None,
    exit_code: Annotated[
        bool,
        typer.Option(
            "--exit-code",
            "-e",
            help="Write only the header, and exit with 0 for spam, 1 for ham, 2 for unsure or 3 for an error.",
        ),
    ] = False,
    learn: Annotated[
        bool, learning_option("--learn", "-u", help="Learn the mail as whatever it is judged to be, unless unsure.")
    ] = False,
    spam: Annotated[bool, learning_option("--spam", "-s", help="Learn the mail as spam.")] = False,
    ham: Annotated[bool, learning_option("--ham", "-n", help="Learn the mail as ham.")] = False,
    forget: Annotated[
        bool, learning_option("--forget", "-F", help="Forget the mail, whatever it was learned as.")
    ] = False,
    forget_spam: Annotated[
        bool, learning_option("--forget-spam", "-S", help="Forget the mail, which was learned as spam.")
    ] = False,
    forget_ham: Annotated[
        bool, learning_option("--forget-ham", "-N", help="Forget the mail, which was learned as ham.")
    ] = False,
    spam_score: Annotated[
        float | None,
        class_option(
            metavar="SCORE",
            help="Call mail spam from this score up. Scores are log-odds; 4.6, the default unless the store keeps "
            "another, is a probability of 0.99.",
        ),
    ] = None,
    ham_score: Annotated[
        float | None, class_option(metavar="SCORE", help="Call mail ham below this score, and unsure in between.")
    ] = None,
    spam_class: Annotated[
        str | None, class_option(metavar="CLASS", help="Which class is spam; by default the one called spam.")
    ] = None,
    ham_class: Annotated[
        str | None,
        class_option(metavar="CLASS", help="Which class is ham; by default the one called ham, or the only other one."),
    ] = None,
) -> int:
    """Add a header to a mail that says whether it is spam.

    The mail is read from standard input and written to standard output, with the header X-Tallybayes: spam, ham or
    unsure, then the probability of spam and its score. If anything goes wrong, the mail passes through unchanged and
    standard error says why. With --spam, --ham or --forget the mail is learned or forgotten, and passes through
    unchanged.

    Stores and services know a mail by its Message-ID: learning it twice counts once, and learning it as the other class
    corrects it. A model file has no ids; to correct a mail there, forget and learn it in one go, as in -Sn.

    \b
    tallybayes filter spam.tally < mail
    tallybayes filter --exit-code store/ < mail
    tallybayes filter --server http://127.0.0.1:8765 --ham < mail
    """
    mail = sys.stdin.buffer.read()
    output = b""
    try:
        wanted = _wanted(spam, ham, forget, forget_spam, forget_ham)
        if learn and wanted is not None:
            raise ValueError(
                "--learn follows the filter's verdict; --spam, --ham and --forget follow yours. Give one of them."
            )
        scores, names = (spam_score, ham_score), (spam_class, ham_class)
        output, code = _filtered(_opened(model, server, scores, names), mail, wanted, learn, exit_code)
    except Exception as error:
        say(f"tallybayes filter: {sentence(error)}")
        registering = spam or ham or forget or forget_spam or forget_ham
        output, code = b"" if exit_code else mail, FAILED if exit_code or registering else FINE
    sys.stdout.buffer.write(output)
    sys.stdout.buffer.flush()
    return code


def _wanted(spam: bool, ham: bool, forget: bool, forget_spam: bool, forget_ham: bool) -> Wanted | None:
    from tallybayes.filtering.base import ANY, Wanted
    from tallybayes.filtering.thresholds import HAM, SPAM

    learned = [word for word, given in ((SPAM, spam), (HAM, ham)) if given]
    forgotten = [word for word, given in ((ANY, forget), (SPAM, forget_spam), (HAM, forget_ham)) if given]
    if len(learned) > 1 or len(forgotten) > 1 or learned == forgotten != []:
        raise ValueError("Give at most one class to learn the mail as and one to forget it as, not the same one.")
    if not learned and not forgotten:
        return None
    return Wanted(next(iter(learned), None), next(iter(forgotten), None))


def _opened(
    model: str | None,
    server: str | None,
    scores: tuple[float | None, float | None],
    names: tuple[str | None, str | None],
) -> Filter:
    from tallybayes.filtering.classes import Names

    given = {"spam": scores[0], "ham": scores[1]}
    if (model is None) == (server is None):
        raise ValueError("Give one of a model file, a store or --server URL.")
    if server is not None:
        from tallybayes.filtering.at_server import ServerFilter

        return ServerFilter(server, Names(*names), token=os.environ.get(TOKEN), **given)
    assert model is not None
    if os.path.isdir(model):
        from tallybayes.filtering.in_store import StoreFilter, open_patiently

        return StoreFilter(open_patiently(model), Names(*names), own=True, spam=given["spam"], ham=given["ham"])
    from tallybayes.filtering.in_file import FileFilter
    from tallybayes.filtering.thresholds import Thresholds

    return FileFilter(model, Names(*names), Thresholds.of(**given), waiting_for(model))


def _filtered(judge: Filter, mail: bytes, wanted: Wanted | None, learn: bool, exit_code: bool) -> tuple[bytes, int]:
    """The output and the exit code."""
    from tallybayes.filtering.base import Letter
    from tallybayes.filtering.thresholds import HAM, SPAM, UNSURE

    letter = Letter(mail)
    with judge:
        if wanted is not None:
            if not mail:
                raise ValueError("There is no mail on standard input.")
            done = "Forgotten." if wanted.learn is None else f"Learned as {wanted.learn}."
            say(done if judge.change(letter, wanted) else "Nothing to do: that was done before.")
            return b"" if exit_code else mail, FINE
        verdict = judge.verdict(letter)
        if learn and verdict.word != UNSURE:
            try:
                judge.learn_own(letter, verdict)
            except Exception as error:  # the verdict stands
                say(f"tallybayes filter: {sentence(error)}")
    if exit_code:
        return verdict.line, {SPAM: FINE, HAM: NO, UNSURE: UNDECIDED}[verdict.word]
    return verdict.on(mail), FINE
