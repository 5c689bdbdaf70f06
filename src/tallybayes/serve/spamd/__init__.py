"""Stores as a spamd: the protocol of SpamAssassin's daemon, which spamc, Exim and milters speak.

`protocol` reads requests and writes answers, `commands` executes them, `connection` is a client, and `server` decides
who is answered. Leans on `filtering` and `report`, and needs only the standard library; `beside` runs it in the loop of
a web server.
"""

from tallybayes.serve.spamd.server import serve_spamd
from tallybayes.serve.spamd.settings import SpamdSettings

__all__ = ["SpamdSettings", "serve_spamd"]
