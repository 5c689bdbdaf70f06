"""The page in the browser: try a model, teach it, see what it knows and what happened, answer a table.

`routes` lists the pages and `visits` checks who may see them. Each page is a file that gathers its facts (`trying`,
`knowing`, `happened`, `answered_tables`) and a template that shows them; everything works without scripts. Leans on the
rest of `serve` and on `report`, and is the only importer of Jinja.
"""

from tallybayes.serve.page.routes import page_routes

__all__ = ["page_routes"]
