"""Stores as a spamd: the protocol of SpamAssassin's daemon, which spamc, Exim and milters speak.

`protocol` reads requests and writes answers, `commands` knows what each is answered with, `server` has the connections.
Leans on `filtering` and `report`, and needs nothing but the standard library; `beside` runs it in the loop of a web
server.
"""

from tallybayes.serve.spamd.server import serve_spamd
from tallybayes.serve.spamd.settings import SpamdSettings

__all__ = ["SpamdSettings", "serve_spamd"]
