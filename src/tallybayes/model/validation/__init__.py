"""Cross-validation: each fold is subtracted from the total.

`dealing` assigns rows to folds, `folds` counts each once, `cross_validate` scores every row by the counts of the other
folds, and `choose` compares beliefs that way. Leans on `evaluation`.
"""
