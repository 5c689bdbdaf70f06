"""Families of numbers: `numeric` makes one out of a few formulas over exact sums; `values` counts every value
by itself, which `histogram` reads as intervals and `density` as bumps."""
