"""The program: its verbs in the order of its help, and what runs before them."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import tallybayes
from tallybayes.cli import receipt, store
from tallybayes.cli.ask import ask
from tallybayes.cli.change import forget, learn, merge
from tallybayes.cli.choose import choose
from tallybayes.cli.demo import demo
from tallybayes.cli.evaluate import evaluate
from tallybayes.cli.exit_codes import EVERY, EXCEPTIONS, WRONG
from tallybayes.cli.explain import explain
from tallybayes.cli.export import export
from tallybayes.cli.filter import filter as filter_mail
from tallybayes.cli.predict import predict
from tallybayes.cli.reading import spread
from tallybayes.cli.report import report
from tallybayes.cli.running import begin, drop_output, ending
from tallybayes.cli.sample import sample
from tallybayes.cli.schema import schema
from tallybayes.cli.serve import serve
from tallybayes.cli.show import show
from tallybayes.cli.suspects import suspects
from tallybayes.cli.terminal import say
from tallybayes.cli.thresholds import thresholds
from tallybayes.cli.train import train
from tallybayes.cli.usage import Verb
from tallybayes.cli.weigh import weigh

ABOUT = "Naive Bayes by exact counting: train, ask, explain, correct and forget."

app = typer.Typer(
    name="tallybayes", help=ABOUT, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None
)

VERBS = (
    *(train, weigh, predict, explain, ask, suspects, evaluate, choose, learn, forget, merge),
    *(filter_mail, thresholds, serve, show, report, schema, sample, export, demo),
)
EXIT_CODES = {verb.__name__: EXCEPTIONS.get(verb.__name__, EVERY) for verb in VERBS}
for verb in VERBS:
    app.command(cls=Verb)(ending(spread(verb), quick=verb is filter_mail))

# Verbs of two words, and the help of the first.
GROUPS = {
    "receipt": ("Print and check receipts of changes to a store.", (receipt.check, receipt.show)),
    "store": ("Manage a store.", (store.create, store.verify, store.backup, store.expire)),
}
for group, (about_group, verbs) in GROUPS.items():
    part = typer.Typer(help=about_group, no_args_is_help=True, rich_markup_mode=None)
    for second in verbs:
        name = f"{group} {second.__name__}"
        part.command(cls=Verb)(ending(second, name))
        EXIT_CODES[name] = EXCEPTIONS.get(name, EVERY)
    app.add_typer(part, name=group)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"tallybayes {tallybayes.__version__}", flush=True)
        raise typer.Exit


@app.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


about.__doc__ = ABOUT


def _leave_only(verb: str) -> None:
    """Removes the other verbs if this is one, since building their options takes 30 ms. The demo calls them all."""
    named = [command for command in app.registered_commands if getattr(command.callback, "__name__", "") == verb]
    if named and verb != demo.__name__:
        app.registered_commands, app.registered_groups = named, []


def run() -> None:
    begin()
    _leave_only(*sys.argv[1:2] or [""])
    try:
        app()
    except OSError as error:  # the help cannot be written
        say(f"tallybayes: {error.strerror}")
        drop_output()
        sys.exit(WRONG)
