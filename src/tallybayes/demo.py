"""A minute of tallybayes: fourteen days of weather, and whether tennis was played. `make demo` runs it."""

from __future__ import annotations

from importlib.resources import files

import pyarrow as pa
import pyarrow.csv

from tallybayes.families import Categorical
from tallybayes.files import digest
from tallybayes.model import Model
from tallybayes.schema import Schema

NEW_DAY = {"outlook": "sunny", "temperature": "cool", "humidity": "high", "wind": "strong"}
FORGOTTEN = 8  # counted from 0: a sunny, cool day with tennis


def play_tennis() -> pa.Table:
    """The fourteen days, the answer in the last column."""
    with (files("tallybayes") / "data" / "play-tennis.csv").open("rb") as file:
        return pyarrow.csv.read_csv(file)


def main() -> None:
    days = play_tennis()
    schema = Schema({name: Categorical(alpha=0.0) for name in days.column_names[:-1]})
    model = Model.train(schema, days, "play")
    print("A model is its counts:\n")
    for column in schema.columns:
        print(f"{column}\n{model.counts(column)}\n")
    print(model)

    print(f"\nTennis on a day like {NEW_DAY}?\n")
    print(model.evidence(NEW_DAY))
    print(f"\nDecision: {model.decide(NEW_DAY)[0]}")

    day = days.slice(FORGOTTEN, 1)
    model -= Model.train(schema, day, "play")
    others = pa.concat_tables([days.slice(0, FORGOTTEN), days.slice(FORGOTTEN + 1)])
    never = Model.train(schema, others, "play")
    print(f"\nDay {FORGOTTEN + 1} is forgotten: {day.to_pylist()[0]}")
    print(f"sha256 after forgetting it    {digest(model)}")
    print(f"sha256 without ever seeing it {digest(never)}")
    if digest(model) != digest(never):
        raise SystemExit("The model remembers. This is a bug; please report it.")
    print("Equal: nothing of that day is left in the model.")


if __name__ == "__main__":
    main()
