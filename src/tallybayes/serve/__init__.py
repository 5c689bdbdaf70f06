"""Stores over the network: an HTTP API, a page in the browser, and the spamd protocol.

`app` makes the web application: `operations` is the table of operations, `handlers` executes them through `models`, and
`guard` wraps all routes. `server` runs it. Leans on `store`, `report` and `mail`; needs the extra `serve`, and is the
only importer of its web framework.
"""
