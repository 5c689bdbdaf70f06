"""The loops that touch every cell, in C++: exact sums by class, words, counting, scoring.

One job per file; `*_module.cpp` has the Python bindings. Each is checked against a slow, obviously right twin in
`tests/kernels`. All release the GIL, none starts threads. Leans on numpy and Arrow alone.
"""

from tallybayes.kernels import compiled

Bumps = compiled.Bumps
Chain = compiled.Chain
Documents = compiled.Documents
Forest = compiled.Forest
Groups = compiled.Groups
MixedScorer = compiled.MixedScorer
NotUtf8Error = compiled.NotUtf8Error
PairIndex = compiled.PairIndex
Reading = compiled.Reading
StringIndex = compiled.StringIndex
Tokeniser = compiled.Tokeniser
Translation = compiled.Translation
WordCells = compiled.WordCells
WordScorer = compiled.WordScorer
add_averaged = compiled.add_averaged
add_bags = compiled.add_bags
add_intervals = compiled.add_intervals
add_linear = compiled.add_linear
add_mixture = compiled.add_mixture
add_network = compiled.add_network
add_normal = compiled.add_normal
add_rows = compiled.add_rows
add_student = compiled.add_student
add_sums = compiled.add_sums
add_tables = compiled.add_tables
add_values = compiled.add_values
add_whole = compiled.add_whole
carry = compiled.carry
code_numbers = compiled.code_numbers
count_bags = compiled.count_bags
count_codes = compiled.count_codes
count_matrix = compiled.count_matrix
count_objects = compiled.count_objects
count_pairs = compiled.count_pairs
count_runs = compiled.count_runs
count_shared = compiled.count_shared
count_units = compiled.count_units
count_words = compiled.count_words
exact_products = compiled.exact_products
find_depth = compiled.find_depth
find_intervals = compiled.find_intervals
find_rows_end = compiled.find_rows_end
find_stray = compiled.find_stray
find_values = compiled.find_values
equal_count = compiled.equal_count
fit_left_out = compiled.fit_left_out
fit_pseudocounts = compiled.fit_pseudocounts
grow_tree = compiled.grow_tree
heed_flag = compiled.heed_flag
heed_signals = compiled.heed_signals
kind_of = compiled.kind_of
least_description = compiled.least_description
leave_out_pairs = compiled.leave_out_pairs
limbs_of = compiled.limbs_of
list_words = compiled.list_words
left_pieces = compiled.left_pieces
logarithm = compiled.logarithm
log_likelihood_of_cuts = compiled.log_likelihood_of_cuts
log_gamma = compiled.log_gamma
log_rising = compiled.log_rising
mark_codes = compiled.mark_codes
mix_codes = compiled.mix_codes
mix_numbers = compiled.mix_numbers
mix_strings = compiled.mix_strings
most_probable = compiled.most_probable
normalise = compiled.normalise
number_values = compiled.number_values
quotients = compiled.quotients
read_labels = compiled.read_labels
read_words = compiled.read_words
scatters = compiled.scatters
split_rows = compiled.split_rows
share_out = compiled.share_out
sum_columns = compiled.sum_columns
sum_products = compiled.sum_products
sum_units = compiled.sum_units
trim_cells = compiled.trim_cells
weighed_loss = compiled.weighed_loss
write_labels = compiled.write_labels
write_words = compiled.write_words
