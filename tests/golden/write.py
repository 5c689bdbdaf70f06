"""Writes a small model of every family, and what it answers, into this folder: `make golden`.

Released files load for ever. So once there is a release, a file that is here stays as it is: a new family gets a new
file, and a new format a new folder beside this one.
"""

import json
from pathlib import Path

from tallybayes import FAMILIES, Model, Schema, digest, save

FOLDER = Path(__file__).parent
NUMBERS = [0.5, 1.5, 2.0, 7.25, None, 0.125]
WHOLE = [0.0, 1.0, 1.0, 7.0, None, 3.0]
VECTORS = [[1.0, 0.0, 2.5], [0.0, 3.0, 1.0], [4.0, 0.0, 0.0], [0.5, 0.5, 0.0], None, [0.0, 0.0, 9.0]]
CELLS = {
    "Bag": VECTORS,
    "Bernoulli": [True, False, True, True, None, False],
    "Categorical": ["red", "blue", "red", "größe", None, ""],
    "Each": VECTORS,
    "Geometric": WHOLE,
    "NegativeBinomial": WHOLE,
    "Poisson": WHOLE,
    "Words": ["free prize free", "lunch on Monday", "", "größe, prize", None, "lunch"],
}
LABELS = ["a", "b", "a", "b", "b", "a"]


def cells_of(name):
    """Cells that a family takes, one of them missing."""
    return CELLS.get(name, NUMBERS)


def write():
    answers = {}
    for name, family in sorted(FAMILIES.items()):
        model = Model.train(Schema({"x": family()}, label="class"), {"x": cells_of(name)}, LABELS)
        save(model, FOLDER / f"{name}.tally")
        answers[name] = {
            "x": cells_of(name),
            "digest": digest(model),
            "posterior": model.posterior({"x": cells_of(name)}).tolist(),
        }
    (FOLDER / "answers.json").write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    write()
