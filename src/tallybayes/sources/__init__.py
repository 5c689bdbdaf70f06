"""Files, folders, pipes and databases as a stream of Arrow record batches, in constant memory.

`source` is the public class, which `Model.train` accepts; `tables` and `documents` detect the format, and each format
has a file. Leans on `data` and `mail`, and knows nothing about models.
"""

from tallybayes.sources.base import BadRow, Chunk, ColumnTypes, Reader, SourceError
from tallybayes.sources.read_options import ReadOptions
from tallybayes.sources.source import Source, open_source

__all__ = ["BadRow", "Chunk", "ColumnTypes", "ReadOptions", "Reader", "Source", "SourceError", "open_source"]
