"""Every row of a file, and what is said about one that cannot be read."""

import pytest

from tallybayes.sources import SourceError, open_source


def rows_of(path, kinds=None, reading=None):
    return [row for batch in open_source(path, reading).batches(kinds) for row in batch.to_pylist()]


def refusal(path, kinds=None, reading=None):
    with pytest.raises(SourceError) as caught:
        rows_of(path, kinds, reading)
    return str(caught.value).replace(f"{path.parent}/", "")
