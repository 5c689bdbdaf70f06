"""A schema and its counts, and everything they can be asked: count, believe, score, decide, evaluate, hold out, draw.

`counted` learns and forgets, `scoring` answers, and `model` is the class that users see. Each further question has a
file of its own; `evaluation` and `validation` on held-out rows are folders. Leans on `schema`, `families`, `counts` and
`data`.
"""

from tallybayes.model.model import Model

__all__ = ["Model"]
