"""Vectors: a matrix, dense or sparse, as one column.

`bag` counts vectors of counts as documents of words, `each` has a family of numbers for every position, and says which
of the two counts a given matrix. Leans on `families/numbers`, `families/text`, `counts` and `data`.
"""
