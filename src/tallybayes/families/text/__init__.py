"""Text: `words` is the family, `tokens` says what a word is, `counting` counts them into a `word_tally`, and `readings`
are what those counts may mean."""
