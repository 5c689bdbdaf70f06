"""Which family counts which column, and what is believed of the classes: told, inferred, written and read.

`schema` is the mapping, `infer` chooses families where none are given, `toml` and `family_text` write and read
them. Leans on `families` and `data`.
"""

from tallybayes.schema.schema import Schema

__all__ = ["Schema"]
