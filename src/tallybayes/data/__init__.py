"""Any frame, row, text or matrix → Arrow columns or plain cells, and labels; errors that know their row.

`inputs` says what may be given, `frames` and `one_row` are the ways in for many rows and for one, `labels` turns
classes of any type into keys. Leans on `kernels` alone, and knows nothing of counts.
"""
