"""Codes drawn at random, and cells with these codes: a level, or a number within its interval."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats
from tallybayes.families.blocks.coding import MISSING, OTHER, Bytes, Code, is_numeric

ELSE = "(other)"  # any level that is not named


def draw_codes(random: np.random.Generator, shares: Floats, met: Any) -> Bytes:
    """A code for every row of shares, among those that were seen. No cell is drawn as missing, unless all were."""
    there = met & (np.arange(len(met)) != MISSING)
    shares = np.where(there, shares, 0.0)
    ends = np.cumsum(shares, axis=1)
    at = (random.random(len(shares))[:, None] * ends[:, -1:] >= ends).sum(axis=1)
    last = len(met) - 1 - np.argmax(there[::-1])
    return np.where(ends[:, -1] > 0, np.minimum(at, last), MISSING).astype(np.uint8)


def drawn_cells(random: np.random.Generator, family: Any, codes: Bytes) -> pa.Array:
    """A record for every row."""
    cells = [_cells(random, code, codes[:, j]) for j, code in enumerate(family.codes)]
    return cells[0] if len(cells) == 1 else pa.StructArray.from_arrays(cells, names=list(family.columns))


def _cells(random: np.random.Generator, code: Code, codes: Bytes) -> pa.Array:
    missing = codes == MISSING
    if not is_numeric(code):
        texts = np.array(["", ELSE, *(code or ())], object)
        return pa.array(texts[np.minimum(codes, len(texts) - 1)], pa.string(), mask=missing)
    edges = np.array(code, np.float64)
    wide = float(np.ptp(edges)) / max(len(edges) - 1, 1) or max(abs(edges[0]), 1.0)
    low, high = np.append(edges[0] - wide, edges), np.append(edges, edges[-1] + wide)
    at = np.maximum(codes.astype(np.intp) - OTHER, 0)
    between = 1.0 - random.random(len(codes))  # an interval includes its upper edge, not its lower one
    return pa.array(np.where(missing, np.nan, low[at] + between * (high - low)[at]), from_pandas=True)
