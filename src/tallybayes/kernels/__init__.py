"""The loops that touch every cell, in C++: exact sums by class, words, counting, scoring.

Each is checked against a slow, obviously right twin in ``tests/test_kernels.py``. All release the interpreter lock;
none starts threads of its own.
"""

from tallybayes.kernels import compiled

FULL_LOW = compiled.FULL_LOW
Documents = compiled.Documents
Groups = compiled.Groups
NotUtf8Error = compiled.NotUtf8Error
PairIndex = compiled.PairIndex
Reading = compiled.Reading
StringIndex = compiled.StringIndex
Tokeniser = compiled.Tokeniser
Translation = compiled.Translation
WordScorer = compiled.WordScorer
add_normal = compiled.add_normal
add_rows = compiled.add_rows
add_student = compiled.add_student
add_tables = compiled.add_tables
add_whole = compiled.add_whole
count_codes = compiled.count_codes
count_words = compiled.count_words
list_words = compiled.list_words
logarithm = compiled.logarithm
normalise = compiled.normalise
sum_by_class = compiled.sum_by_class
sum_products = compiled.sum_products
