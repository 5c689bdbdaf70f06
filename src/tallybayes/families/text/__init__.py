"""Text: the family is `Words`, in `words`.

`tokens` says what a word is, `counting` counts them into a `word_tally`, and `readings` are event models of those
counts: multinomial, binary, Bernoulli and others. Leans on the base of the families, `counts`, `data` and the kernels
that read text.
"""
