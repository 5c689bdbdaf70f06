"""Families of numbers: a file for each distribution.

`numeric` makes a family out of a few formulas over exact sums; `values` counts every value by itself, from which
`histogram` makes intervals and `density` a kernel density estimate. A `_belief` scores, a `_left_out` leaves values
out. Leans on the base of the families, `counts`, `data` and the kernels that score.
"""
