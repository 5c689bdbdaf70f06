"""Files, folders and pipes of many kinds → a stream of Arrow record batches, in constant memory.

`source` is what a user opens, `tables` and `documents` find the format, and each format has a file of its own. These
lean on `data` and `mail` alone; `streams` takes a source to a schema, a model and its answers.
"""

from tallybayes.sources.base import BadRow, Chunk, Kinds, Reader, SourceError
from tallybayes.sources.read_options import ReadOptions
from tallybayes.sources.source import Source, open_source

__all__ = ["BadRow", "Chunk", "Kinds", "ReadOptions", "Reader", "Source", "SourceError", "open_source"]
