"""`tallybayes serve`: stores over HTTP."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tallybayes.cli.terminal import say

if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

    from tallybayes import Store
    from tallybayes.serve.service import Beside

INSTALL = "The service needs some packages that are not installed: pip install 'tallybayes[serve]'."

mail_option = partial(typer.Option, rich_help_panel="Mail")


TokenScope = Literal["predict", "learn", "admin"]  # each includes the ones before


def serve(
    stores: Annotated[
        list[str], typer.Argument(metavar="STORE...", help="The folders of one or more stores.", show_default=False)
    ],
    from_: Annotated[
        str | None,
        typer.Option("--from", metavar="MODEL", help="If there is no store yet, make one that starts with this model."),
    ] = None,
    schema: Annotated[
        str | None,
        typer.Option("--schema", metavar="FILE", help="If there is no store yet, make an empty one with this schema."),
    ] = None,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="Port to listen on; 0 picks a free one.")
    ] = 8765,
    allowed_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A host name that clients use for this machine. Can be repeated."),
    ] = None,
    spamd: Annotated[
        str | None,
        mail_option(
            metavar="ADDRESS:PORT",
            help="Also speak the spamd protocol there, for spamc, Exim and milters: 127.0.0.1:7830.",
        ),
    ] = None,
    spamd_allow: Annotated[
        list[str] | None,
        mail_option(
            metavar="NETWORK",
            help="Answer spamd clients from this network too, such as 192.0.2.0/24; by default only from this machine. "
            "Can be repeated.",
        ),
    ] = None,
    allow_tell: Annotated[
        bool,
        mail_option(
            "--allow-tell",
            help="Let every spamd client teach what is spam and ham, even if a store has tokens; by default only this "
            "machine may, and only if there are none.",
        ),
    ] = False,
    new_token: Annotated[
        TokenScope | None, typer.Option("--new-token", help="Make a token, print it, and exit.")
    ] = None,
    revoke_tokens: Annotated[
        bool, typer.Option("--revoke-tokens", help="Revoke all tokens of the store, and exit.")
    ] = False,
) -> None:
    """Serve models over HTTP: ask, explain, learn, correct, forget.

    A store is a folder with a model and its journal; whatever is acknowledged is on disk. If there is none yet, --from
    or --schema makes one. SIGTERM or Ctrl-C ends the service, after it has finished or refused the requests in flight.
    Without tokens, anyone on this machine may ask and change everything; to listen on any other address, make tokens
    first.

    \b
    tallybayes serve store/ --from spam.tally
    tallybayes serve store/ --spamd 127.0.0.1:7830
    tallybayes serve store/ --new-token learn
    tallybayes serve store/ --host 0.0.0.0 --allowed-host filter.example.org
    """
    try:
        from tallybayes.serve import server
    except ModuleNotFoundError as error:
        raise ImportError(f"{INSTALL} ({error})") from None
    from tallybayes.serve.opening import is_store, opened_stores

    if new_token is not None or revoke_tokens:
        _change_tokens(stores, schema, from_, new_token, revoke_tokens)
        return
    if (unused := from_ or schema) and is_store(stores[0]):
        say(f"{stores[0]} is a store already, so {unused} is not used.")
    with ExitStack() as stack:  # a store is created last, when nothing else can be wrong
        beside = [] if spamd is None else [stack.enter_context(_spamd(spamd, spamd_allow or [], allow_tell))]
        listening = stack.enter_context(server.bound_socket(host, port))
        found = stack.enter_context(opened_stores(stores, schema=schema, model=from_, mail=bool(beside)))
        _serve(found, listening, [host, *(allowed_host or ())], beside)


def _spamd(place: str, networks: list[str], tell: bool) -> AbstractContextManager[Beside]:
    from tallybayes.serve.spamd.beside import spamd_at  # which needs lxml

    return spamd_at(place, networks, tell)


def _change_tokens(stores: list[str], schema: str | None, model: str | None, scope: str | None, revoke: bool) -> None:
    from tallybayes.serve.opening import name_of, opened_store
    from tallybayes.serve.tokens import new_token, revoke_tokens
    from tallybayes.store import StoreInUseError

    if len(stores) > 1:
        raise ValueError("A token is for one store. Give a single store.")
    try:
        store = opened_store(stores[0], schema, model)
    except StoreInUseError as error:
        raise ValueError(f"{error} Change tokens while the service is stopped, then start it again.") from None
    with store:
        if revoke:
            ended = revoke_tokens(store)
            say(f"{name_of(store)}: revoked {ended} token{'s' * (ended != 1)}.")
        if scope is not None:
            print(new_token(store, scope))
            say(f"This token may {scope} on {name_of(store)!r}. Save it now: the store keeps only its hash.")


def _serve(
    stores: Mapping[str, Store],
    listening: socket.socket,
    hosts: list[str],
    beside: Sequence[Beside],
) -> None:
    from tallybayes.serve.app import make_app
    from tallybayes.serve.server import is_loopback, serve, url_of
    from tallybayes.serve.settings import Settings

    local = is_loopback(listening)
    app = make_app(stores, Settings(hosts=frozenset(name.lower() for name in hosts), tokens=not local), beside=beside)
    tokens = app.state.service.tokens
    without = [name for name in stores if not tokens.has_any(name)]
    if without and tokens.required:
        raise ValueError(
            f"The model {without[0]!r} has no token, so nobody could ask it{'' if local else ' at this address'}. Make "
            "one: tallybayes serve STORE --new-token learn (or predict, or admin)."
        )
    if not tokens.required:
        say("There are no tokens: anyone who can log in to this machine may ask and change everything.")

    def ready() -> None:
        print(f"Serving {', '.join(stores)} at {url_of(listening)}", flush=True)

    serve(app, listening, ready)
