"""`python -m tallybayes.cli`."""

from tallybayes.cli import main

main()
