"""`tallybayes filter`: a mail in, the same mail out, with a header that has the verdict."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from tallybayes.cli.judging import TOKEN, Options, judge

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
    scores, classes = (spam_score, ham_score), (spam_class, ham_class)
    forgetting = (forget, forget_spam, forget_ham)
    return judge(Options(model, server, exit_code, learn, spam, ham, *forgetting, *scores, *classes))
