"""Is it spam? A mail as bytes, what a model says of it, and what to learn from it: what all mail filters here share.

`verdict` and `thresholds` are the answer, `letter` is the mail that is asked about, `classes` which class is spam.
`in_file`, `in_store` and `at_server` answer from a model file, a store, or a service elsewhere: all are a `Filter`.
Leans on `files`, `store` and `mail`; the last of the three needs neither numpy nor Arrow, since it must start quickly.
"""
