"""A model as SQL: a table of weights, and a view with the class and probabilities of every row of a table."""

from __future__ import annotations

from collections.abc import Sequence

from tallybayes.export.portable_model import portable_model, unweighed
from tallybayes.families.portable import ByWords, NotPortableError, Portable
from tallybayes.model.model import Model

CUT_TEXTS = ("duckdb", "postgres", "sqlite")
DIALECTS = (*CUT_TEXTS, "bigquery", "snowflake", "spark")


def export_sql(
    model: Model,
    *,
    dialect: str = "duckdb",
    table: str | Sequence[str] = "rows",
    keep: Sequence[str] | None = None,
    view: str | None = None,
) -> str:
    """SQL statements that create a view with answers for the rows of a table. `table` is its name, or ("schema",
    "name"). The view, by default "name_scored", has the columns to `keep` (by default those of the model), the class
    "predicted", its "probability", and "P(…)" of every class.

    >>> from tallybayes import Gaussian
    >>> model = Model.train({"x": Gaussian(plugin=True)}, {"x": [1.0, 2.0, 5.0, 7.0]}, ["a", "a", "b", "b"])
    >>> export_sql(model, table="points").splitlines()[0]
    'CREATE VIEW "points_scored" AS'
    """
    if dialect not in DIALECTS:
        raise ValueError(f"dialect={dialect!r}: give one of {', '.join(DIALECTS)}.")
    from tallybayes.export.statements import statements

    def refuse(portable: Portable) -> None:
        if isinstance(unweighed(portable), ByWords) and dialect not in CUT_TEXTS:
            raise NotPortableError(f"text can be split into words in {', '.join(CUT_TEXTS)}, not in {dialect}.")

    portable = portable_model(model, "SQL", refuse)
    parts = [table] if isinstance(table, str) else list(table)
    kept = list(dict.fromkeys([column.name for column in portable.columns] if keep is None else keep))
    names = [*parts, *kept, *(column.name for column in portable.columns), *([] if view is None else [view])]
    for name in names:
        if not name or "\0" in name:
            raise ValueError(f"{name!r} is not a valid SQL name: it is empty or contains a NUL character. Rename it.")
    for label in portable.labels:
        if "\0" in str(label):
            raise ValueError(f"The class {label!r} contains a NUL character, which SQL text cannot hold. Rename it.")
    return statements(portable, dialect, parts, [*parts[:-1], view or f"{parts[-1]}_scored"], kept)
