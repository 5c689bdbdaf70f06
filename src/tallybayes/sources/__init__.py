"""Files, folders and pipes of many types → a stream of Arrow record batches, in constant memory.

`source` is what a user opens and gives to `Model.train`; `tables` and `documents` find the format, and each format has
a file of its own. Leans on `data` and `mail`, and knows nothing of models.
"""

from tallybayes.sources.base import BadRow, Chunk, ColumnTypes, Reader, SourceError
from tallybayes.sources.read_options import ReadOptions
from tallybayes.sources.source import Source, open_source

__all__ = ["BadRow", "Chunk", "ColumnTypes", "ReadOptions", "Reader", "Source", "SourceError", "open_source"]
