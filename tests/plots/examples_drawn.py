"""Models and rows to plot."""

import numpy as np

from tallybayes import EM, Categorical, Gaussian, Model, Pairs, Poisson, Words, evaluate

RANDOM = np.random.default_rng(3)
ILL = RANDOM.random(240) < 0.4
FRAME = {
    "temp": RANDOM.normal(36.8 + 1.2 * ILL, 0.5),
    "calls": RANDOM.poisson(1 + 2 * ILL),
    "city": np.where(RANDOM.random(240) < 0.3 + 0.4 * ILL, "Paris", "Rome"),
}
LABELS = np.where(ILL, "ill", "well")
MODEL = Model.train({"temp": Gaussian(), "calls": Poisson(), "city": Categorical()}, FRAME, LABELS)
EVALUATION = evaluate(MODEL, FRAME, LABELS)
ROW = {"temp": 38.2, "calls": 3, "city": "Paris"}
MAILS = ["Free money, claim your free prize", "Lunch on Monday?", "You won money", "Monday's agenda, and lunch"]
SPAM = Model.train({"text": Words()}, {"text": MAILS}, ["spam", "ham", "spam", "ham"])
TREE = Model.train(
    {("city", "rain", "wind"): Pairs(structure="tree")},
    {"city": FRAME["city"], "rain": np.roll(FRAME["city"], 1), "wind": np.where(LABELS == "ill", "weak", "strong")},
    LABELS,
)
FITTED = Model.train(MODEL.schema, FRAME, [*LABELS[:20], *[None] * 220], unlabelled=EM())
