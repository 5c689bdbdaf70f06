"""A matrix as one column: `bag` counts vectors as documents of words, `each` has a family of numbers for every
position."""
