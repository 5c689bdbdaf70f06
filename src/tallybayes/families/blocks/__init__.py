"""Families of blocks: several columns that are counted together, because they are not independent.

Each file is one such family; `block` is their common base. Leans on the base of the families and on `counts`.
"""
