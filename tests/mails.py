"""A few mails shared by the tests of texts, and helpers."""

import re

from tallybayes import Model, Schema

DOCUMENTS = [
    "Free money, free prizes: claim now",
    "the meeting is on Monday; the agenda follows",
    "claim your FREE prize money",
    "lunch on Monday? the usual place",
    "money money money",
    "",
    "see you at lunch, see you",
]
LABELS = ["spam", "ham", "spam", "ham", "spam", "ham", "ham"]
ASKED = ["free lunch money money", "the meeting about nothing known", "", "zork", "see the prizes see"]
READINGS = ["multinomial", "binary", "averaged", "bernoulli", "poisson", "complement", "dirichlet-multinomial", "auto"]


def train(family, documents=DOCUMENTS, labels=LABELS, **options):
    return Model.train(Schema({"x": family}), {"x": documents}, labels, **options)


def tokens(text):
    return re.findall(r"(?u)\b\w\w+\b", text.lower())


def counted(family, text):
    """How often each word of a text is counted."""
    table = train(family, [text], ["a"]).counts("x")
    return dict(zip(table.slots, table.sums["n"].round().astype(int).tolist(), strict=True))
