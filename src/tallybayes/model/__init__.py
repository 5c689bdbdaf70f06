"""A schema and its counts, and every question to them: count, believe, ask, decide, evaluate, hold out, draw.

`counted` learns and forgets, `scoring` answers, `model` is both as users have it; a file for each further question, a
folder for `evaluation` and for `validation` on held-out rows.
Leans on `schema`, `families`, `counts` and `data`.
"""

from tallybayes.model.model import Model

__all__ = ["Model"]
