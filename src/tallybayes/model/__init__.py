"""A schema and its counts: count, believe, score, decide, evaluate, validate, draw.

`batches` are labelled rows, `counted` learns and forgets, `scoring` computes answers, `classifier` gives them, and
`model` is the public class. Each further question has a file; `evaluation`, `validation`, `em` and `joint` are folders.
Leans on `schema`, `families`, `counts` and `data`.
"""

from tallybayes.model.model import Model

__all__ = ["Model"]
