"""Cross-validation: each fold is subtracted from the total.

`dealing` assigns rows to folds, `folds` counts each once, or `retrained` counts all others again where labels choose
what is counted; `held_out` scores every row by the counts of the other folds. `cross_validate` evaluates a model that
way, and `choose` compares beliefs. Leans on `evaluation`.
"""
