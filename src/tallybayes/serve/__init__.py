"""Stores that answer over the network: HTTP, a page in the browser, and the protocol of spamd.

`app` makes the web application of some stores: `operations` is the table of what can be asked, `handlers` does it by
way of `models`, `guard` is around everything. `server` runs it. Leans on `store`, `report` and `mail`; needs the extra
`serve`, and is the only importer of its web framework.
"""
