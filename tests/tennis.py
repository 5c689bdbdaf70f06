"""Fourteen days of weather, and whether tennis was played: the lecture notes' table."""

from importlib.resources import files

import pyarrow.csv

from tallybayes import Categorical, Model, Schema

DAYS = pyarrow.csv.read_csv(str(files("tallybayes.cli") / "play-tennis.csv"))
COLUMNS = DAYS.column_names[:-1]


def tennis(alpha=0.0):
    return Model.train(Schema({name: Categorical(alpha=alpha) for name in COLUMNS}), DAYS, "play")
