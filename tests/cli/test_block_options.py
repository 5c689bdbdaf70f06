"""Blocks of columns on the command line: trained, shown, explained and sampled."""

import json
from pathlib import Path

import pytest

from tallybayes import Categorical, Correlated, Schema, schema_to_toml

PEOPLE = """height,weight,colour,class,id
1.6,50,red,a,0
1.7,61,red,a,1
1.8,72,blue,a,2
1.9,,blue,b,3
,80,red,b,4
1.75,70.5,blue,b,5
"""


@pytest.fixture
def people(tally):
    Path("people.csv").write_text(PEOPLE)


def test_blocks_are_counted_shown_and_explained(tally, people):
    told = ["--column", "weight, height=Correlated(m=2)", "--column", "id=left out"]
    assert tally("train", "people.csv", "--label", "class", *told, "-o", "people.tally")[0] == 0
    code, out, _ = tally("show", "people.tally", "--column", "height")
    assert code == 0
    assert "height, weight  Correlated(m=2.0)" in out
    assert "covariance(height, weight)" in out
    _, out, _ = tally("show", "people.tally", "--format", "json")
    assert {entry["column"] for entry in json.loads(out)["columns"]} == {"height, weight", "colour"}
    code, out, _ = tally("explain", "people.tally", "--cell", "height=1.7", "--cell", "colour=red", "--format", "json")
    assert code == 0
    said = {entry["column"]: entry["value"] for entry in json.loads(out)["columns"]}
    assert said == {"(class)": None, "height, weight": {"height": 1.7, "weight": None}, "colour": "red"}
    _, out, _ = tally("explain", "people.tally", "people.csv", "--rows", "1")
    assert "  height = 1.6  " in out
    assert "  weight = 50  " in out
    _, out, _ = tally("sample", "people.tally", "2")
    assert out.splitlines()[0] == "colour,height,weight,class"


def test_invalid_blocks_are_errors(tally, people):
    def refusal(*told):
        ended = tally("train", "people.csv", "--label", "class", *told, "-o", "x.tally")
        assert ended.code == 2
        return ended.err

    block = Schema({("height", "weight"): Correlated(), "colour": Categorical()})
    Path("people.toml").write_text(schema_to_toml(block))
    assert tally("train", "people.csv", "--schema", "people.toml", "--label", "class", "-o", "y.tally").code == 0
    assert "people.csv has no column 'girth'" in refusal("--column", "height,girth=Correlated")
    twice = refusal("--column", "height,weight=Correlated", "--column", "height=Gaussian")
    assert "the column 'height' is given twice" in twice
    part = refusal("--schema", "people.toml", "--column", "height=Gaussian")
    assert "change the whole block, not some of its columns" in part
