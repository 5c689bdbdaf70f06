"""The shapes of requests and answers as JSON Schema, for the API description; tests check answers against it."""

from __future__ import annotations

from typing import Any

Shape = dict[str, Any]

NUMBER: Shape = {"type": "number"}
COUNT: Shape = {"type": "integer", "minimum": 0}
TEXT: Shape = {"type": "string"}
BYTES: Shape = {"type": "string", "format": "binary"}
LABEL: Shape = {"type": ["string", "number", "boolean"], "description": "A class."}
EVIDENCE: Shape = {
    "type": ["number", "string", "null"],
    "description": "A logarithm; an infinite one is the string 'inf' or '-inf'.",
}


def object_of(required: dict[str, Shape], optional: dict[str, Shape] | None = None, *, closed: bool = True) -> Shape:
    """An object with these members; if `closed`, without any others."""
    members = {"type": "object", "properties": {**required, **(optional or {})}, "required": list(required)}
    return {**members, "additionalProperties": False} if closed else members


def array_of(shape: Shape) -> Shape:
    return {"type": "array", "items": shape}


def by_name(shape: Shape) -> Shape:
    return {"type": "object", "additionalProperties": shape}


VERSION: Shape = {**COUNT, "description": "The version of the model behind the answer: the number of its last change."}
ID: Shape = {
    **TEXT,
    "minLength": 1,
    "maxLength": 1000,
    "description": "The id of the row. The same row under the same id is counted once.",
}
CELL: Shape = {
    "description": "A string, a number, a boolean, null if it is missing, or an array of numbers for a vector."
}
ROW: Shape = {**by_name(CELL), "description": "A cell for every column of the model."}
PROVE: Shape = {
    "type": "boolean",
    "description": "Whether the receipt has the model's digests before and after. Only for one row.",
}
NEW_CLASS: Shape = {"type": "boolean", "description": "Whether a label may be a class that no row has yet."}

ASK: Shape = {"oneOf": [object_of({"row": ROW}), object_of({"rows": array_of(ROW)})]}
_PAIR = {"class": LABEL, "against": LABEL}
EXPLAIN: Shape = {"oneOf": [object_of({"row": ROW}, _PAIR), object_of({"rows": array_of(ROW)}, _PAIR)]}


def _one_or_many(one: Shape, **beside: Shape) -> Shape:
    options = one.get("oneOf", [one])
    alone = [{**option, "properties": {**option["properties"], **beside}} for option in options]
    return {"oneOf": [*alone, object_of({"rows": array_of(one)}, beside)]}


LEARN = _one_or_many(object_of({"row": ROW, "label": LABEL}, {"id": ID}), prove=PROVE)
FORGET = _one_or_many({"oneOf": [object_of({"id": ID}), object_of({"row": ROW, "label": LABEL})]}, prove=PROVE)
CORRECT = _one_or_many(object_of({"id": ID, "label": LABEL}), prove=PROVE, new_class=NEW_CLASS)
EVALUATE = _one_or_many(object_of({"row": ROW, "label": LABEL}))


def changed(what: str, **others: Shape) -> Shape:
    return object_of({"version": VERSION, what: COUNT, "already": COUNT}, others)


ANSWER = object_of({"class": LABEL, "probability": NUMBER, "probabilities": by_name(NUMBER)})
_THRESHOLDS: Shape = {"description": "The score at or above which mail is spam, and the score below which it is ham."}
ANSWERS = object_of({"version": VERSION, "answers": array_of(ANSWER)}, {"thresholds": _THRESHOLDS})
_WORD = object_of({"word": TEXT, "times": NUMBER, "evidence": by_name(EVIDENCE), "log_odds": EVIDENCE})
_COLUMN = object_of(
    {
        "column": TEXT,
        "value": CELL,
        "score": {"type": "boolean"},
        "evidence": by_name(EVIDENCE),
        "log_odds": EVIDENCE,
        "words": array_of(_WORD),
    }
)
EXPLANATION = object_of(
    {
        "class": LABEL,
        "against": {"type": [*LABEL["type"], "null"]},
        "possible": {"type": "boolean"},
        "probability": by_name(NUMBER),
        "columns": array_of(_COLUMN),
    }
)
EXPLANATIONS = object_of({"version": VERSION, "explanations": array_of(EXPLANATION)})
EVALUATION = object_of(
    {
        "version": VERSION,
        "evaluation": object_of({"n": COUNT, "accuracy": EVIDENCE, "log_loss": EVIDENCE}, closed=False),
    }
)
BRIEF = object_of({"name": TEXT, "rows": NUMBER, "classes": COUNT, "version": VERSION})
MODELS = object_of({"models": array_of(BRIEF)})
SCHEMA = object_of(
    {
        "label": {"type": ["string", "null"]},
        "prior": TEXT,
        "columns": array_of(object_of({"column": TEXT, "family": TEXT}, closed=False)),
    }
)
MODEL = object_of(
    {
        "name": TEXT,
        "rows": NUMBER,
        "classes": by_name(NUMBER),
        "digest": {**TEXT, "description": "The sha256 of the model's file."},
        "version": VERSION,
        "schema": SCHEMA,
    }
)
RECEIPT = object_of(
    {"receipt": COUNT, "record": {"type": "object"}, "previous": TEXT, "link": TEXT},
)
HEALTH = object_of({"status": TEXT})
PROBLEM = object_of({"type": TEXT, "title": TEXT, "status": COUNT, "detail": TEXT})
