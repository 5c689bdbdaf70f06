"""Slow references for the kernels and exact sums, in fractions and plain loops."""

from __future__ import annotations

import math
import re
import struct
import unicodedata
from collections import Counter
from fractions import Fraction

import numpy as np
from scipy.special import gammaln, logsumexp

from tallybayes.counts.exact import Exact
from tallybayes.families.numbers.gaussian import Gaussian
from tallybayes.families.numbers.moments import Moments


def sums_by_class(values, codes, classes):
    """(n, Σx, Σx²) of every class, as fractions; NaN is skipped."""
    result = [(0, Fraction(0), Fraction(0)) for _ in range(classes)]
    for value, code in zip(values, codes, strict=True):
        if code >= 0 and not math.isnan(value):
            n, x, xx = result[code]
            exact = Fraction(value)
            result[code] = (n + 1, x + exact, xx + exact * exact)
    return result


def sum_products(factors, codes, groups):
    result = [Fraction(0)] * groups
    for *values, code in zip(*factors, codes, strict=True):
        if code >= 0 and not any(map(math.isnan, values)):
            result[code] += math.prod(map(Fraction, values), start=Fraction(1))
    return result


def nearest(fraction):
    """The double nearest to a fraction, infinite on overflow."""
    try:
        return fraction.numerator / fraction.denominator
    except OverflowError:
        return math.inf if fraction > 0 else -math.inf


def quotients(above, below):
    """Exact numbers over others; 0 where the denominator is 0."""
    return [nearest(a / b) if b else 0.0 for a, b in zip(above.fractions(), below.fractions(), strict=True)]


def scatters(n, x, y, xy, places):
    sums = zip(n.fractions(), x.fractions(), y.fractions(), xy.fractions(), places, strict=True)
    found = [(k * q - s * t) / k / Fraction(2) ** place if k else Fraction(0) for k, s, t, q, place in sums]
    return [nearest(exact) or math.copysign(5e-324, exact) if exact else 0.0 for exact in found]  # 0 only if exactly


def encode(strings, known):
    """The number of each string by first occurrence, -1 for None; `known` is extended."""
    codes = []
    for string in strings:
        if string is not None and string not in known:
            known.append(string)
        codes.append(-1 if string is None else known.index(string))
    return codes


def count_codes(codes, classes):
    return Counter((c, k) for c, k in zip(codes, classes, strict=True) if c >= 0 and k >= 0)


def fingerprint(numbers):
    """Of one row; all missing numbers are equal, and so are the two zeros."""
    mark, odd = 0, 0x9E3779B97F4A7C15
    for x in numbers:
        bits = 0x7FF8 << 48 if math.isnan(x) else struct.unpack("<Q", struct.pack("<d", x + 0.0))[0]
        mark = (mark ^ bits) * odd % 2**64
        mark = (mark ^ mark >> 32) * odd % 2**64
        mark ^= mark >> 29
    return mark


def softmax(scores):
    """Of one row; None if no class is possible."""
    best = max(scores)
    if best == -math.inf:
        return None
    shares = [math.exp(s - best) for s in scores]
    return [share / sum(shares) for share in shares]


def weighed(evidence, thetas, bound):
    """The weighed evidence of one cell for every class, in exact fractions until it is weighed."""
    top = max(evidence)
    lowest = Fraction(0.0 if top == -math.inf else top) - 2 * Fraction(bound)
    raised = [lowest if said == -math.inf else max(Fraction(said), lowest) for said in evidence]
    mean = sum(raised) / len(raised)
    return [theta * min(max(float(said - mean), -bound), bound) for said, theta in zip(raised, thetas, strict=True)]


def naive_bayes(rows, labels, row, alpha):
    """P(class | row) for categories: counts, Laplace smoothing over the levels seen, Bayes' rule."""
    classes = sorted(set(labels))
    levels = [sorted({r[j] for r in rows}) for j in range(len(row))]
    joint = []
    for c in classes:
        members = [r for r, label in zip(rows, labels, strict=True) if label == c]
        p = Fraction(len(members), len(rows))
        for j, value in enumerate(row):
            seen = sum(r[j] == value for r in members)
            p *= (seen + Fraction(alpha)) / (len(members) + Fraction(alpha) * len(levels[j]))
        joint.append(p)
    return classes, joint


WORTH = 4.0 ** np.arange(-3, 13)  # the weight of the prior in values: 1/64 to 16 million


def fitted(counts):
    """One pseudo-count per level: a prior worth m values distributed like the classes' profile, m from its mean
    shrinkage.
    """
    held = counts[:, counts.sum(axis=0) > 0]
    levels, classes = held.shape
    if classes < 2 or levels < 2 or held.sum() < 10.0 * levels:
        return np.ones(levels)
    n = held.sum(axis=0)
    profile = np.mean((held + 1.0) / (n + levels), axis=1)
    moved = WORTH / (WORTH + n.mean())
    likely = np.log(moved) + np.log1p(-moved)
    for i, m in enumerate(WORTH):
        pseudo = m * profile[:, None]
        likely[i] += (gammaln(pseudo + held) - gammaln(pseudo)).sum() - (gammaln(m + n) - gammaln(m)).sum()
    mean = np.average(moved, weights=np.exp(likely - likely.max()))
    return n.mean() * mean / (1.0 - mean) * profile


def strength(counts):
    """How many values, spread like all classes, are added to every level; 0 if it is not much better to do so than in
    proportion to the level's values, or one for each class to few, or if there are not two levels and two classes."""
    held = counts[:, counts.sum(axis=0) > 0]
    levels, classes = held.shape
    if classes < 2 or levels < 2:
        return 0.0
    met, each = held[held.any(axis=1)], held.sum() / levels
    n = met.sum(axis=1)
    moved = WORTH / (WORTH + each)

    def likely(spread):
        found = np.log(moved) + np.log1p(-moved)
        for i, s in enumerate(WORTH):
            a = (s * spread)[:, None] * held.sum(axis=0) / held.sum()
            found[i] += (gammaln(a + met) - gammaln(a)).sum() - (gammaln(s * spread + n) - gammaln(s * spread)).sum()
        return found

    even, often = likely(np.ones(len(n))), likely(n / each)
    other = logsumexp(often)
    if held.sum() < 10.0 * levels:
        laplace = gammaln(1.0 + met).sum() + (gammaln(classes) - gammaln(classes + n)).sum()
        other = laplace + np.log((moved * (1.0 - moved)).sum())
    if logsumexp(even) <= other + 3.0:
        return 0.0
    mean = np.average(moved, weights=np.exp(even - even.max()))
    return each * mean / (1.0 - mean)


def exact(fractions):
    """Fractions over powers of two as exact numbers."""
    fractions = list(fractions)
    places = max(-(-(f.denominator.bit_length() - 1) // 32) for f in fractions)
    wholes = [f.numerator * ((1 << (32 * places)) // f.denominator) for f in fractions]
    size = max(-(-abs(w).bit_length() // 32) for w in wholes) or 1
    limbs = [[(abs(w) >> (32 * i) & 0xFFFFFFFF) * (-1 if w < 0 else 1) for i in range(size)] for w in wholes]
    return Exact(np.array(limbs, np.int64), -places)


def words_of(text, shortest=2):
    """The words of a text, by Python's regular expressions."""
    return [word for word in re.findall(r"\w+", text.lower()) if len(word) >= shortest]


def runs(words, low, high):
    """All n-grams of these lengths."""
    return [" ".join(words[i : i + n]) for n in range(low, high + 1) for i in range(len(words) - n + 1)]


def urn(text, known, log_alphas):
    """log P of drawing the words of a text from an urn, each returned with another of its kind, up to a constant."""
    total, drawn = [0.0] * len(log_alphas[0]), Counter()
    for word in [] if text is None else words_of(text):
        if word in known:
            for c, log_alpha in enumerate(log_alphas[known.index(word)]):
                rest = math.log(drawn[word]) if drawn[word] else -math.inf
                total[c] += -math.inf if log_alpha == -math.inf else float(np.logaddexp(log_alpha, rest))
            drawn[word] += 1
    return total


def count_words(documents, classes):
    """{(word, class): (n, documents, share)} of lists of words; None is missing."""
    result = {}
    for words, label in zip(documents, classes, strict=True):
        if words is None or label < 0:
            continue
        for word, times in Counter(words).items():
            n, held, share = result.get((word, label), (0, 0, 0))
            part = Fraction(2**64 // len(words), 2**64)
            result[word, label] = (n + times, held + 1, share + times * part)
    return result


def words_and_punctuation_of(text, shortest=2):
    """Words and, as tokens of their own, the characters that Unicode calls punctuation or symbols."""
    found = re.findall(r"\w+|\W", text.lower())
    return [word for word in found if (len(word) >= shortest if re.match(r"\w", word) else _is_punctuation(word))]


def _is_punctuation(character):
    return unicodedata.category(character)[0] in "PS"


def equal_count(values, counts, intervals):
    """Cuts halfway between neighbours, where the counts below are nearest to equal shares."""
    below, total = [], 0.0
    if len(values) < 2:
        return []
    for row in counts:
        total += sum(row)
        below.append(total)
    cuts = set()
    for i in range(1, intervals):
        share = total * i / intervals
        after = min(sum(each < share for each in below[:-1]), len(values) - 2)
        before = max(after - 1, 0)
        cuts.add(before if share - below[before] <= below[after] - share else after)
    return [values[cut] / 2.0 + values[cut + 1] / 2.0 for cut in sorted(cuts)]


def block_of(word):
    """Words, pairs, and character n-grams after them."""
    return 2 if word.startswith("\3") else word.count(" ")


def mixed_counts(documents, labels, classes):
    """For each n-gram length, each of documents, n and share, and each word: the fractions of every class."""
    counts = {}
    for words, label in zip(documents, labels, strict=True):
        for word, n in Counter(words).items():
            block = block_of(word)
            for base, value in enumerate((Fraction(1), Fraction(n), Fraction(n, len(words)))):
                held = counts.setdefault((block, base), {}).setdefault(word, dict.fromkeys(classes, Fraction(0)))
                held[label] += value
    return counts


def mixed_scales(counts):
    """The factors that scale occurrences and shares to documents."""
    totals = {key: sum(sum(held.values()) for held in words.values()) for key, words in counts.items()}
    return {(block, base): totals[block, 0] / total for (block, base), total in totals.items()}


def mixed_pieces(counts, scales, classes, asked, a):
    """For each class, n-gram length, base and power, the evidence of a text's words; and how many of them are known."""
    found, known = Counter(), 0
    for word, times in Counter(asked).items():
        block = block_of(word)
        held = counts.get((block, 0), {}).get(word)
        if held is None or not any(held.values()):
            continue
        known += 1
        for base in range(3):
            words = counts[block, base]
            scale = float(scales[block, base])
            total = float(sum(sum(each.values()) for each in words.values()))
            part = {c: float(sum(each[c] for each in words.values())) / total for c in classes}
            b = {c: float(words[word][c]) * scale for c in classes}
            overall = sum(b.values())
            q = {c: (b[c] + a * part[c]) / (overall + a) for c in classes}
            information = sum(q[c] * math.log(q[c] / part[c]) for c in classes if part[c])
            for c in classes:
                if not words[word][c]:
                    continue
                said = math.log(q[c] / part[c]) - math.log(a / (overall + a))
                if len(classes) > 2:
                    others = sum(b[k] for k in classes if k != c)
                    said -= math.log((1 - q[c]) / (1 - part[c])) if others else math.log(a / (overall + a))
                said *= math.log2(1 + times) if base == 1 else 1.0
                for power in range(3):
                    found[c, block, base, power] += max(information, 0.0) ** (power / 2) * said
    return found, known


def mixed(pieces, known, classes, mix):
    """The evidence of a text for every class under a mix."""
    factor = (max(known, 1) / mix.length) ** -mix.gamma
    total = dict.fromkeys(classes, 0.0)
    for (c, block, base, power), said in pieces.items():
        total[c] += factor * mix.theta[block][3 * base + power] * said
    return list(total.values())


def written(labels, kinds):
    """Cells as the journal stores them: their labels, and fractions of every kind."""
    held = [i for i in sorted(range(len(labels)), key=labels.__getitem__) if any(kind[i] for kind in kinds)]
    out = _varint(len(held))
    for i in held:
        out += _varint(len(labels[i])) + labels[i] + b"".join(_written_number(kind[i]) for kind in kinds)
    return out


def _written_number(number):
    if number.denominator == 1 and abs(number) < 1 << 61:
        return _varint(abs(int(number)) << 2 | (number < 0) << 1)
    low, limbs, left = 0, [], abs(number)
    while left.denominator > 1:
        left, low = left * 2**32, low - 1
    left = int(left)
    while left % 2**32 == 0:
        left, low = left >> 32, low + 1
    while left:
        limbs.append(left % 2**32)
        left >>= 32
    tag = _varint(len(limbs) << 2 | (number < 0) << 1 | 1) + _varint(-2 * low - 1 if low < 0 else 2 * low)
    return tag + b"".join(limb.to_bytes(4, "little") for limb in limbs)


def _varint(value):
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def count_shared(documents, shares):
    """(n, documents, share) of every word and class, as fractions; shares are in units of 2⁻³²."""
    found = {}
    for words, units in zip(documents, shares, strict=True):
        length = sum(times for _, times in words)
        for word, times in words:
            for class_, unit in units:
                if unit:
                    n, held, share = found.get((word, class_), (Fraction(0),) * 3)
                    part = Fraction((1 << 64) // length, 1 << 64)
                    weight = Fraction(unit, 1 << 32)
                    found[word, class_] = (n + times * weight, held + weight, share + times * part * weight)
    return found


def share_out(scores, weights):
    """The units of each row's weight in every class, by scores[class][row]; and log Σ exp(score) of the row."""
    shares, logs = [], []
    for row, weight in enumerate(weights):
        column = [of_class[row] for of_class in scores]
        best = max(column)
        told = [math.exp(score - best) if math.isfinite(best) else 1.0 for score in column]
        units = [math.floor(each / sum(told) * weight) for each in told]
        units[column.index(best)] += int(weight) - sum(units)
        shares.append(units)
        logs.append(best + math.log(sum(told)) if math.isfinite(best) else -math.inf)
    return shares, logs


def smooth_counts(counts, widths):
    """Every count is spread by a Gaussian over the cells, mirrored at both ends; and the share that stays."""
    cells, classes = counts.shape
    sums, own = np.zeros(counts.shape), np.zeros(counts.shape)
    for c in range(classes):
        reach = min(cells, math.ceil(5.0 * widths[c]))
        away = np.arange(-reach, reach + 1)
        shares = np.exp(-0.5 * (away / widths[c]) ** 2)
        shares /= shares.sum()
        for k in range(cells):
            at = k + away
            at = np.where(at < 0, -1 - at, np.where(at >= cells, 2 * cells - 1 - at, at))
            spread = np.bincount(at, shares, cells)
            own[k, c] = spread[k]
            sums[:, c] += counts[k, c] * spread
    return sums, own


def smooth_densities(n, middles, step, weight):
    """Gaussians on two scales, kernels of three widths, mixtures: of all values, and without one in each cell."""
    scales, slopes = np.stack([np.sinh(middles), middles]), np.stack([np.cosh(middles), np.ones(len(n))])
    found = list(zip(*_students(scales, slopes, n, weight), strict=True))
    parameters = [2.0 * n.shape[1]] * 2
    rule = _bandwidths(middles, n) / step
    for factor in (0.5, 1.0, 2.0):
        widths = np.maximum(rule * factor, 0.5)
        sums, own = smooth_counts(n, widths)
        found.append((sums, np.maximum(sums - weight * own, 0.0)))
        parameters.append(float(np.sum(len(n) / (math.sqrt(2.0 * math.pi) * widths))))
    pairs = np.array([(0, 2), (0, 3), (1, 2), (1, 3)])
    alone = (np.array([full for full, _ in found]), np.array([left for _, left in found]), np.array(parameters))
    return tuple(np.concatenate([each, each[pairs].mean(axis=1)]) for each in alone)


def _students(x, slope, n, weight):
    """Student's distribution, the predictive of a Gaussian, at the middles of the cells on several scales: x[scale,
    cell], with the slope of each scale there."""
    own, whole = _moments(x, n), _moments(x, n.sum(axis=1, keepdims=True))
    rest = np.maximum(own.n - weight, 0.0)
    some, at = rest > 0, np.where(rest > 0, rest, 1.0)
    off = x[:, :, None] - own.mean[:, None]
    mean = np.where(some, own.mean[:, None] - off * (weight / at), 0.0)
    scatter = np.where(some, np.maximum(own.scatter[:, None] - off**2 * (weight * own.n / at), 0.0), 0.0)
    both = Moments(
        np.broadcast_to(np.stack([own.n, rest])[:, None, None], (2, *mean.shape)),
        np.stack([np.broadcast_to(own.mean[:, None], mean.shape), mean]),
        np.stack([np.broadcast_to(own.scatter[:, None], mean.shape), scatter]),
    )
    total = Moments(*(np.reshape(each, (-1, 1, 1)) for each in (np.repeat(whole.n, len(x)), *whole[1:])))
    heights = np.exp(Gaussian().log_predictive(Gaussian().updated(both, total), x[:, :, None])) * slope[:, :, None]
    share = np.maximum(heights[0].sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    return own.n * (heights[0] / share), rest * (heights[1] / share)


def _moments(x, n):
    """The moments of each class on every scale, x[scale, cell]."""
    total = n.sum(axis=0)
    mean = (x[:, :, None] * n).sum(axis=1) / np.where(total > 0, total, 1.0)
    return Moments(total, mean, (n * (x[:, :, None] - mean[:, None]) ** 2).sum(axis=1))


def _bandwidths(x, n):
    """Silverman's bandwidth for every class; that of all together for a class whose values are equal."""
    both = np.column_stack([n, n.sum(axis=1)])
    total, _, scatter = _moments(x[None], both)
    some = np.where(total > 0, total, 1.0)
    sd = np.sqrt(scatter[0] / some)
    below = np.cumsum(both, axis=0)
    low, high = (x[(below >= share * total).argmax(axis=0)] for share in (0.25, 0.75))
    quartiles = (high - low) / 1.34
    found = 0.9 * np.where((quartiles > 0) & (quartiles < sd), quartiles, sd) * some**-0.2
    return np.where(found[:-1] > 0, found[:-1], found[-1])


def left_out_losses(full, left, pseudo, n, worth):
    """Σ −log P(class | cell) of values n[cell, class], each left out, for every density: full[…, cell, class] are the
    counts of all values, and `left` those in a value's own cell and class without it. `pseudo` are the pseudo-counts of
    each cell, `worth` in all."""
    totals = n.sum(axis=0)
    likely = (full + pseudo[..., None]) * (totals / np.maximum(totals + worth, np.finfo(np.float64).tiny))
    without = (left + pseudo[..., None]) * (
        totals / np.maximum(np.maximum(totals - 1.0, 0.0) + worth, np.finfo(np.float64).tiny)
    )
    whole = likely.sum(axis=-1, keepdims=True) - likely + without
    with np.errstate(divide="ignore", invalid="ignore"):
        lost = np.where(n > 0, n * (np.log(whole) - np.log(without)), 0.0)
    found = lost.sum(axis=(-1, -2))
    return np.asarray(np.where(np.isnan(found), np.inf, found))
