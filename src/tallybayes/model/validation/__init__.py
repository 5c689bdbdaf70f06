"""How good a model is on rows it has not counted: those of a fold, which are subtracted from the total.

`dealing` says which fold a row belongs to, `folds` counts each once, `cross_validate` scores every row by the counts of
the other folds, `choose` tries beliefs on them, `calibration` looks at the probabilities. Leans on `evaluation`.
"""
