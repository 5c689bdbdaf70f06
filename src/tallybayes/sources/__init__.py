"""Files, folders and pipes of many kinds → a stream of Arrow record batches, in constant memory."""

from tallybayes.sources.base import BadRow, Chunk, Kinds, Reader, SourceError
from tallybayes.sources.reading import Reading
from tallybayes.sources.source import Source, open_source

__all__ = ["BadRow", "Chunk", "Kinds", "Reader", "Reading", "Source", "SourceError", "open_source"]
