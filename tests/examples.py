"""The number of examples for a law: its number on CI, scaled by the hypothesis profile."""

from hypothesis import settings


def some(examples):
    return max(examples * settings().max_examples // 100, 1)


STEP = {100: 1, 20: 5}.get(settings().max_examples, 15)  # with EXAMPLES=all, every case of a long list
