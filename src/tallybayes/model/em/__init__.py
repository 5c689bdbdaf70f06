"""Rows without labels, counted by EM: what is held of them, how they are shared, where it starts and when it ends.

`training` is the way in; `fit` passes over the rows until nothing is gained. Leans on `model/scoring` and `tallying`.
"""
