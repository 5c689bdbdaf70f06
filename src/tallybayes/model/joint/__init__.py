"""The joint distribution of a model: queries to it, and which columns depend on which.

`questions` parses a query, `elimination` sums columns out, `distribution` puts both together; `graph` says which
columns can depend on which, and how much they do; `bif` writes networks for other programs, and `table` is a joint
distribution given as a table. Leans on `families`, whose beliefs give tables and intervals.
"""
