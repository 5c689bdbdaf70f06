"""Mails of two classes, and a model of them."""

from tallybayes import Bernoulli, Model, Schema, Words
from tallybayes.mail import read_mail

HAM = (
    "From: ann@example.org\nTo: ben@example.org\nSubject: Lunch\nMessage-ID: <ham-{0}@example.org>\n\nAt noon on {0}?\n"
)
SPAM = (
    "From: offers@example.com\nTo: ben@example.org\nSubject: You won\nMessage-ID: <spam-{0}@example.com>\n\n"
    "Claim your free prize, number {0}, today.\n"
)


def ham(number=0):
    return HAM.format(number).encode()


def spam(number=0):
    return SPAM.format(number).encode()


def trained(schema=None, labels=("ham", "spam"), each=10):
    """A model of a few mails of each class."""
    columns = {"from": Words(), "subject": Words(), "body": Words(), "has_html": Bernoulli()}
    schema = schema or Schema(columns, label="class")
    texts = [(make(number), label) for make, label in zip((ham, spam), labels, strict=True) for number in range(each)]
    model = Model(schema)
    for raw, label in texts:
        model += Model.train(schema, read_mail(raw), [label])
    return model
