"""Families of levels: a cell is one of several texts (`categorical`), or true or false (`bernoulli`).

Both are smoothed by `families/smoothing`. Leans on the base of the families, `counts` and `data`.
"""
