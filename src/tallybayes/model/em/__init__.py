"""Rows without labels, counted by EM (expectation-maximisation).

`training` is the way in; `start` finds starting points, `fit` repeats its steps until it converges, and `folds`
chooses the weight of unlabelled rows. Leans on `model/scoring` and `tallying`.
"""
