"""The loops that touch every cell, in C++: exact sums by class, string lookup, counting, scoring.

Each is checked against a slow, obviously right twin in ``tests/test_kernels.py``. All release the interpreter lock;
none starts threads of its own.
"""

from tallybayes.kernels import compiled

FULL_LOW = compiled.FULL_LOW
Groups = compiled.Groups
StringIndex = compiled.StringIndex
add_normal = compiled.add_normal
add_student = compiled.add_student
add_table = compiled.add_table
count_codes = compiled.count_codes
logarithm = compiled.logarithm
normalise = compiled.normalise
sum_by_class = compiled.sum_by_class
sum_products = compiled.sum_products
