"""Which family counts which column, and the prior of the classes: given, inferred, written and read.

`schema` is the mapping, `infer` chooses families by default, `toml` and `family_text` write and read them. Leans on
`families` and `data`.
"""

from tallybayes.schema.schema import Schema

__all__ = ["Schema"]
