"""`tallybayes schema`: the family that every column would get, as a file to edit."""

from __future__ import annotations

import tallybayes
from tallybayes.cli.options import Columns, Label
from tallybayes.cli.reading import Input
from tallybayes.cli.terminal import print_text


def schema(how: Input, label: Label = None, column: Columns = None) -> None:
    """Print the schema that train would choose.

    Look at it, edit it, and give it to train --schema.

    \b
    tallybayes schema data.csv --label y > schema.toml
    """
    from tallybayes.cli.option_values import parsed_columns
    from tallybayes.cli.train import schema_for

    text = tallybayes.schema_to_toml(schema_for(how.open(), label, None, parsed_columns(column), None))
    print_text(text)
