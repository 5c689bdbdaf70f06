"""`python -m tallybayes` is the command line."""

from tallybayes.cli import main

if __name__ == "__main__":
    main()
