"""Families of blocks: several columns that are counted together, because they are not independent.

The families are `correlated`, `pairs` (and triples), `trees`, `crossed` and `several`; `block` has their bases.
`coding` turns cells into codes, `networks` finds the structure of dependent columns, `growing` and `questions` those of
trees; a `_belief` scores, a `_left_out` leaves rows out. Leans on the base of the families, `counts`, `data` and, for
levels that are words, on `families/text`.
"""
