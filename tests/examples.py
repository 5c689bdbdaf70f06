"""How many examples a law is tried on: of as many as it has on CI, the part that the profile of hypothesis asks for."""

from hypothesis import settings


def some(examples):
    return max(examples * settings().max_examples // 100, 1)
