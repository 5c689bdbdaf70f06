"""The joint distribution of a model: any question to it, and what depends on what.

`questions` reads what is asked, `elimination` sums tables out, `asked` puts both together; `graph` says which columns
can depend on which, `dependence` how much they do, `bif` writes networks for other programs, and `table` is a joint
distribution that somebody wrote down. Leans on `families`, whose beliefs give tables and intervals.
"""
