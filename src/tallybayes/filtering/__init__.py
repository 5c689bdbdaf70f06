"""What all mail filters share: a mail as bytes, the verdict of a model, and learning from it.

`letter` is the mail, `verdict` and `thresholds` are the answer, `scores` those of known mail, and `classes` finds which
class is spam. `in_file`, `in_store` and `at_server` are filters with a model file, a store, or a remote service;
`at_server` needs neither numpy nor Arrow, since it must start quickly. Leans on `files`, `store`, `sources` and `mail`.
"""
