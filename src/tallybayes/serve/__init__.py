"""Stores that answer over the network: HTTP, a page in the browser, and the protocol of spamd.

Leans on `store`, `report` and `mail`; needs the extra `serve`. It is the only importer of its web framework.
"""
