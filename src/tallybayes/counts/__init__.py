"""Exact sums and tallies, dense and sparse: the only arithmetic of models.

`exact` is the one kind of number, `sums` makes it from columns by class, `tally` and `sparse` label it by class and
slot. Leans on `kernels` alone, and knows nothing about families or files.
"""
