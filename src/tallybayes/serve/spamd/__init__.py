"""Stores as a spamd: the protocol of SpamAssassin's daemon, which spamc, Exim and milters speak.

`protocol` reads requests and writes answers, `commands` knows what each is answered with, `server` has the connections.
It needs nothing but the standard library and the store, and runs beside a web server in the same loop.
"""

from tallybayes.serve.spamd.server import serve_spamd
from tallybayes.serve.spamd.settings import SpamdSettings

__all__ = ["SpamdSettings", "serve_spamd"]
