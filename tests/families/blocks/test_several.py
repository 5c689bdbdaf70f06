"""Several families over one block: the laws, and each member as it is alone."""

import numpy as np
import pandas as pd
import pytest

from tallybayes import Gaussian, Model, Pairs, Schema, Several, Trees, left_out, prepare, weigh

BLOCK = ("a", "b")
MEMBERS = (Trees(n=6), Pairs(structure="tree"))


def made(rows=150, seed=0):
    random = np.random.default_rng(seed)
    one, two = random.integers(0, 3, (2, rows))
    labels = np.where(random.random(rows) < 0.85, (one + two) % 2, random.integers(0, 3, rows))
    return pd.DataFrame({"a": one.astype(str), "b": two + random.normal(0, 0.1, rows)}), labels.tolist()


FRAME, LABELS = made()
SCHEMA = prepare({BLOCK: Several(members=MEMBERS)}, FRAME, LABELS)


def alone(member):
    return Model.train({BLOCK: SCHEMA.columns[BLOCK].members[member]}, FRAME, LABELS)


def test_members_count_as_alone_and_yield_their_mean():
    model = Model.train(SCHEMA, FRAME, LABELS)
    said = [alone(member).evidence(FRAME)[BLOCK] for member in range(2)]
    np.testing.assert_allclose(model.evidence(FRAME)[BLOCK], np.mean(said, axis=0), rtol=1e-12)
    for at in (0, 7):
        np.testing.assert_allclose(model.evidence(FRAME.iloc[[at]])[BLOCK][0], model.evidence(FRAME)[BLOCK][at])


def test_leave_one_out_is_the_mean_too():
    found = left_out(Model.train(SCHEMA, FRAME, LABELS), FRAME, LABELS)[BLOCK]
    said = [left_out(alone(member), FRAME, LABELS)[BLOCK] for member in range(2)]
    np.testing.assert_allclose(found, np.mean(said, axis=0), rtol=1e-12)


def test_parts_of_each_member_are_weighed():
    model = weigh(Model.train(SCHEMA, FRAME, LABELS), FRAME, LABELS)
    parts = model.schema.weights.parts[BLOCK]
    kinds = [f"{kind} {part}" for kind in ("best", "drawn") for part in ("mean of logs", "log of mean")]
    assert [*parts] == [*kinds, "Pairs"] == list(SCHEMA.columns[BLOCK].parts)
    assert all(weight >= 0 for weight in parts.values())
    right = (model.posterior(FRAME).argmax(axis=1) == LABELS).mean()
    assert right > 0.8


def test_beliefs_of_members_can_be_changed():
    model = Model.train(SCHEMA, FRAME, LABELS).believing(m=2.0)
    assert [member.m for member in model.schema.columns[BLOCK].members] == [2.0, 2.0]
    assert model.believing(structure="naive").schema.columns[BLOCK].members[1].structure == "naive"


def test_merge_error_names_the_differing_member():
    other = prepare({BLOCK: Several(members=(Trees(n=6, seed=1), MEMBERS[1]))}, FRAME, LABELS)
    with pytest.raises(ValueError, match="The questions differ: <6 trees"):
        Model.train(SCHEMA, FRAME, LABELS) + Model.train(other, FRAME, LABELS)


def test_evidence_network_and_questions_are_shown():
    model = Model.train(SCHEMA, FRAME, LABELS)
    assert {part.word for part in model.evidence(FRAME.iloc[:1]).words()} == {"a", "b", "(together)"}
    drawn = model.belief(BLOCK).drawing()
    assert any("of 6 trees" in line for line in drawn)
    assert model.belief(BLOCK).parents in ({"a": "b"}, {"b": "a"})
    with pytest.raises(TypeError, match="Rows cannot be drawn from several families"):
        model.sample(2, seed=0)


@pytest.mark.parametrize(
    "members",
    [(), (Trees(),), (Trees(), Trees(n=3)), (Trees(), Gaussian()), "Trees", (Trees(), Several()), {"a": Trees()}, 3],
    ids=str,
)
def test_invalid_members_are_refused(members):
    with pytest.raises(ValueError, match="two or more different families of blocks"):
        Several(members=members)


def test_text_form():
    assert repr(Several()) == "Several()"
    assert Schema({BLOCK: Several(members=MEMBERS)}).columns[BLOCK].brief == (
        "Several(members=(Trees(n=6), Pairs(structure='tree')))"
    )
