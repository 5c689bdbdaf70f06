"""Short texts are read several at a time: none may run into the next or change by its neighbours."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from tallybayes import Model, Schema, Words
from tallybayes.files import to_bytes

PIECES = ["a", "ab", "Prize", "free money", "naïve Bayes", "ΣΑΣ", "漢字 ab", "x" * 40, "", "_1 2.", "é", None]
SETTINGS = [
    {},
    {"ngrams": 2},
    {"shortest": 3},
    {"unit": "characters", "ngrams": (2, 3)},
    {"characters": (2, 4), "ngrams": 2, "punctuation": True, "shortest": 1},
    {"characters": (1, 3), "stems": {"prize": "price"}, "stop_words": ("ab",), "presence": True},
    {"presence": True},
    {"stop_words": ("ab", "prize")},
    {"stems": {"prize": "price", "money": "coin"}, "ngrams": (1, 2)},
    {"vocabulary": ("ab", "free", "bayes"), "unknown": True},
    {"vocabulary": ("ab", "free", "bayes"), "unknown": True, "presence": True},
    {"vocabulary": ("ab", "free", "bayes")},
]


def short_texts(rows):
    """Texts that end inside a word, inside a multi-byte character, or with nothing."""
    random = np.random.default_rng(0)
    return [PIECES[i] for i in random.integers(0, len(PIECES), rows)]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_column_of_short_texts_counts_like_single_texts(settings):
    schema = Schema({"text": Words(**settings)})
    texts = short_texts(3000)
    labels = ["odd" if row % 2 else "even" for row in range(3000)]
    together = Model.train(schema, {"text": texts}, labels, threads=1)
    apart = Model(schema)
    for (text, label), times in Counter(zip(texts, labels, strict=True)).items():
        one = Model.train(schema, {"text": pa.array([text], pa.string())}, [label])
        for _ in range(times):
            apart += one
    assert to_bytes(together) == to_bytes(apart)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_short_texts_score_like_single_texts(settings):
    texts = short_texts(2000)
    labels = ["odd" if len(text or "") % 2 else "even" for text in texts]
    model = Model.train(Schema({"text": Words(**settings)}), {"text": texts}, labels)
    alone = {text: model.posterior({"text": pa.array([text], pa.string())})[0] for text in PIECES}
    expected = np.array([alone[text] for text in texts])
    assert np.array_equal(model.posterior({"text": texts}), expected)


def test_token_lists_are_batched_too():
    schema = Schema({"text": Words(ngrams=2)})
    texts = [None if text is None else text.lower().split() for text in short_texts(3000)]
    cells = pa.array(texts, pa.list_(pa.string()))
    together = Model.train(schema, {"text": cells}, ["a"] * 3000, threads=1)
    apart = Model(schema)
    for start in range(0, 3000, 7):
        apart += Model.train(schema, {"text": cells[start : start + 7]}, ["a"] * len(cells[start : start + 7]))
    assert to_bytes(together) == to_bytes(apart)


@pytest.mark.parametrize("row", [0, 1, 499, 1999])
def test_invalid_utf8_is_named_among_many(row):
    texts = [(text or "").encode() for text in short_texts(2000)]
    texts[row] = b"caf\xe9"
    with pytest.raises(ValueError, match=f"row {row}\\b"):
        Model.train(Schema({"text": Words()}), {"text": pa.array(texts, pa.binary()).view(pa.string())}, ["a"] * 2000)
