"""Text: a bag of words (`words`), or each word given the ones before it (`word_sequence`).

`tokens` says what a word is, `counting` counts them into a `word_tally`, and `readings` are event models of those
counts: multinomial, binary, Bernoulli and others; `mix` weighs several of them. A `_belief` scores, a `_left_out`
leaves texts out. Leans on the base of the families, `counts`, `data` and the kernels that read text.
"""
