"""Any frame, row, text or matrix as Arrow columns or plain cells, and labels; errors that know their row.

`inputs` recognises what is given, `frames` and `one_row` read many rows and one, `labels` turns classes of any type
into keys. Leans on `kernels` alone, and knows nothing about counts.
"""
