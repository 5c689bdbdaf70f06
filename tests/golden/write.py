"""Write a small model of every family, and its answers, into this folder: `make golden`.

Released files load for ever. Once there is a release, existing files stay as they are: a new family gets a new file,
and a new format a new folder next to this one.
"""

import json
from pathlib import Path

from tallybayes import FAMILIES, Model, Pairs, Schema, Trees, digest, save

FOLDER = Path(__file__).parent
NUMBERS = [0.5, 1.5, 2.0, 7.25, None, 0.125]
WHOLE = [0.0, 1.0, 1.0, 7.0, None, 3.0]
VECTORS = [[1.0, 0.0, 2.5], [0.0, 3.0, 1.0], [4.0, 0.0, 0.0], [0.5, 0.5, 0.0], None, [0.0, 0.0, 9.0]]
CELLS = {
    "Bag": VECTORS,
    "Bernoulli": [True, False, True, True, None, False],
    "Categorical": ["red", "blue", "red", "größe", None, ""],
    "Each": VECTORS,
    "WordSequence": ["free prize free", "lunch on Monday", "", "größe, prize", None, "lunch"],
    "Words": ["free prize free", "lunch on Monday", "", "größe, prize", None, "lunch"],
}
LABELS = ["a", "b", "a", "b", "b", "a"]


def rows_of(family):
    """Cells of a family's support, one of them missing: a column, or two for a block."""
    whole = family.support is not None and family.support.whole
    cells = CELLS.get(type(family).__name__, WHOLE if whole else NUMBERS)
    return {"x": cells, "y": [1.0, *NUMBERS[:0:-1]]} if family.takes_blocks else {"x": cells}


def write():
    answers = {}
    for name, family in sorted(FAMILIES.items()):
        rows = rows_of(family())
        small = {"Trees": {"n": 3}, "Several": {"members": (Trees(n=3), Pairs())}}.get(name, {})
        model = Model.train(Schema({tuple(rows): family(**small)}, label="class"), rows, LABELS)
        save(model, FOLDER / f"{name}.tally")
        answers[name] = {"rows": rows, "digest": digest(model), "posterior": model.posterior(rows).tolist()}
    (FOLDER / "answers.json").write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    write()
