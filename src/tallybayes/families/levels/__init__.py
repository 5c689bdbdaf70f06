"""Families of levels: a cell is one of a few texts, or one of two."""
