"""A store killed at any instant has everything acknowledged, once."""

import random

import pytest
from hypothesis import settings

from killing_stores import kill_again_and_again

pytestmark = pytest.mark.slow

KILLS = 2 * settings().max_examples if settings().max_examples > 20 else 12


def test_nothing_acknowledged_is_lost_and_nothing_doubled(tmp_path):
    """`bench/kills.py` does this a thousand times."""
    figures = kill_again_and_again(tmp_path / "s", KILLS, random.Random(5))
    assert figures["learned"] >= KILLS // 2
