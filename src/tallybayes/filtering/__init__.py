"""What all mail filters share: a mail as bytes, the verdict of a model, and learning from it.

`base` has the mail, the verdict on it and the interface of a filter; `thresholds` decide, `scores` are those of known
mail, and `classes` finds which class is spam. `in_file`, `in_store` and `at_server` are filters with a model file, a
store, or a remote service; `at_server` imports little, since it must start quickly, and asks through `site`. Leans on
`files`, `store`, `sources` and `mail`.
"""
