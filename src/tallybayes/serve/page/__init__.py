"""The page in the browser: try a model, teach it, see what it knows and what happened, have a table answered.

`routes` says what is where and `visits` who asks. Each page is a file that finds out its facts (`trying`, `knowing`,
`happened`, `answered_tables`) and a template that shows them; scripts only make quicker what works without. Leans on
`serve` beside it and on `report`, and is the only importer of Jinja.
"""

from tallybayes.serve.page.routes import page_routes

__all__ = ["page_routes"]
