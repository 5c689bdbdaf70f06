"""Texts within a database: split into words exactly as by `Words`, and looked up.

Every step is a common table expression, from the rows' texts to the evidence of their words. Its query is a constant,
which names other steps in braces; whatever comes from a model replaces a name that begins with given_, as a node of the
syntax tree. DuckDB and PostgreSQL split texts by regular expressions, SQLite character by character.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from tallybayes.export import letters
from tallybayes.export.expressions import Step, as_double, column, exp, named, number, parsed, text
from tallybayes.families.portable import ByWords, Cutting

_LOWERED = """SELECT r, CASE WHEN {bytes} = LENGTH(c) THEN LOWER({c}) ELSE TRANSLATE(
    REGEXP_REPLACE(
        REGEXP_REPLACE(
            REPLACE(REPLACE(c, given_mark, ' '), given_dotted, given_dotted_small), given_after, given_marked, 'g'),
        given_before, given_sigma, 'g'),
    given_capitals, given_smalls) END AS c FROM {{texts}}"""
LOWERED = {  # ASCII the quick way; independent of the locale
    "duckdb": _LOWERED.format(bytes="STRLEN(c)", c="c"),
    "postgres": _LOWERED.format(bytes="OCTET_LENGTH(c)", c='c COLLATE "C"'),
}
SPLIT = """SELECT r, word, p FROM (
    SELECT r, UNNEST(a) AS word, GENERATE_SUBSCRIPTS(a, 1) AS p
    FROM (SELECT r, REGEXP_SPLIT_TO_ARRAY(given_cell, given_between) AS a FROM {lowered}) AS s) AS w
    WHERE LENGTH(word) >= given_shortest"""
SET_APART = r"REGEXP_REPLACE(c, given_mark, ' \1 ', 'g')"
OR_MARKS = " OR LENGTH(word) = 1 AND REGEXP_REPLACE(word, given_mark, '', 'g') = ''"

# SQLite splits a text with JSON functions. Text that is not ASCII goes through the table of letters, in chunks, because
# finding a character takes time proportional to its position.
ASCII = "SELECT r, c FROM {texts} WHERE LENGTH(CAST(c AS BLOB)) = LENGTH(c)"
ASCII_LOWERED = "SELECT r, LOWER(c) AS c FROM {texts} WHERE LENGTH(CAST(c AS BLOB)) = LENGTH(c)"
NUMBERS = """SELECT 0 AS n UNION ALL SELECT n + 1 FROM {numbers}
    WHERE n < (SELECT MAX(100, COALESCE(MAX(LENGTH(c)), 0) / 100) FROM {texts})"""
CHUNKS = """SELECT r, 100 * n AS start, SUBSTR(c, 100 * n + 1, 100) AS c FROM {texts}
    JOIN {numbers} ON 100 * n < LENGTH(c) WHERE LENGTH(CAST(c AS BLOB)) <> LENGTH(c)"""
CHARACTERS = """SELECT r, start + n AS i, UNICODE(SUBSTR(c, n, 1)) AS code FROM {chunks}
    JOIN {numbers} ON n BETWEEN 1 AND LENGTH(c)"""
LETTERS = """SELECT x.r, x.i, x.code, l.word, l.punctuation * given_punctuation AS mark, l.cased, l.ignorable,
        l.dotted * given_lower AS dotted, l.sigma * given_lower AS sigma, l.shift * given_lower AS shift
    FROM (SELECT r, i, code, (SELECT MAX(low) FROM given_ranges WHERE low <= code) AS k FROM {characters}) AS x
    JOIN given_ranges AS l ON l.low = x.k"""
PLACED = """SELECT r, i, word, mark, CASE
        WHEN sigma = 0 THEN CHAR(code + shift)
        WHEN MAX(CASE WHEN ignorable = 0 THEN 2 * i + cased END) OVER (before) % 2 = 1
            AND COALESCE(MIN(CASE WHEN ignorable = 0 THEN 2 * i + cased END) OVER (behind) % 2, 0) = 0 THEN given_final
        ELSE given_sigma END AS c,
    2 * (SUM(1 - word) OVER (PARTITION BY r ORDER BY i) + COALESCE(SUM(dotted) OVER (before), 0)) + word AS p
    FROM {letters}""".replace(
    "(before)", "(PARTITION BY r ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"
).replace("(behind)", "(PARTITION BY r ORDER BY i DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)")
SPELT = """SELECT r, GROUP_CONCAT(c, '') OVER (PARTITION BY r, p ORDER BY i) AS word, p, mark,
    ROW_NUMBER() OVER (PARTITION BY r, p ORDER BY i DESC) AS from_end FROM {placed} WHERE word + mark > 0"""
JSON = """SELECT r, word, p FROM {spelt} WHERE from_end = 1 AND (mark = 1 OR LENGTH(word) >= given_shortest) UNION ALL
    SELECT r, j.value AS word, j.key AS p
    FROM {last_stage} CROSS JOIN JSON_EACH('["' || REPLACE(c, ' ', '","') || '"]') AS j
    WHERE LENGTH(j.value) >= given_shortest OR j.value GLOB '[^0-9A-Za-z_]'"""

JOINED = dict.fromkeys(
    ("duckdb", "postgres"), "SELECT r, ' ' || STRING_AGG(word, ' ' ORDER BY p) || ' ' AS c FROM {words} GROUP BY r"
) | {
    "sqlite": """SELECT r, ' ' || c || ' ' AS c FROM (
        SELECT r, GROUP_CONCAT(word, ' ') OVER (PARTITION BY r ORDER BY p) AS c,
            ROW_NUMBER() OVER (PARTITION BY r ORDER BY p DESC) AS from_end FROM {words}) AS s WHERE from_end = 1"""
}
PLACES = """SELECT 1 AS n UNION ALL SELECT n + 1 FROM {places} WHERE n < (SELECT MAX(LENGTH(c)) FROM {joined})"""
SPELLED = "SELECT r, ' ' || SUBSTR(c, n, {n}) AS token FROM {joined} JOIN {places} ON n <= LENGTH(c) - {n} + 1"


STAGES = 4  # of replacing characters in SQLite, whose parser stack is a hundred deep
LOG_2 = math.log(2.0)


class Steps:
    """The steps for one column. Their names share a prefix that no user's table has."""

    def __init__(self, dialect: str, prefix: str) -> None:
        self.dialect = dialect
        self.prefix = prefix
        self.made: list[Step] = []

    def name(self, step: str) -> str:
        return f"{self.prefix}_{step}"

    def add(self, step: str, query: str, recursive: bool = False, held: bool = False, **given: exp.Expression) -> None:
        """Adds a step by its query, in which other steps are named in braces."""
        others = {each.name.removeprefix(f"{self.prefix}_"): each.name for each in self.made}
        tree = parsed(query.format(**others, **{step: self.name(step)}), self.dialect, given)
        self.put(step, tree, recursive, held)

    def put(self, step: str, query: exp.Expression, recursive: bool = False, held: bool = False) -> None:
        self.made.append(Step(self.name(step), query, recursive, held))


def cut(cells: exp.Expression, how: Cutting, dialect: str, prefix: str, ranges: Sequence[str]) -> Steps:
    """From a selection of row numbers r and texts c to {counted}: r, token, times."""
    steps = Steps(dialect, prefix)
    steps.put("texts", cells)
    if dialect == "sqlite":
        _split_by_letters(steps, how, ranges)
    else:
        _split_by_patterns(steps, how)
    _without_stop_words(steps, how)
    _run_together(steps, how)
    return steps


def looked_up(steps: Steps, portable: ByWords, weights: Sequence[str], once: int, again: int) -> None:
    """The evidence of the words, {evidence}: r, a sum for every class, s0, s1, …, and the number of different words."""
    found = exp.Select().from_(named([steps.name("counted")], "t"), copy=False)
    found = _with_weights(found, weights, "w", once)
    if portable.again is not None:
        found = _with_weights(found, weights, "v", again)
    found = found.select(exp.column("r", table="t"), exp.alias_(exp.Count(this=exp.Star()), "different"), copy=False)
    for c in range(portable.table.shape[1]):
        found = found.select(exp.alias_(exp.Sum(this=_term(portable, c)), f"s{c}", quoted=True), copy=False)
    steps.put("evidence", found.group_by(exp.column("r", table="t"), copy=False), held=True)


def _term(portable: ByWords, c: int) -> exp.Expression:
    """A word's evidence for a class, times its occurrences."""
    term, times = column(f"w{c}", "w"), as_double(column("times", "t"))
    if portable.repeats:
        return exp.Mul(this=term, expression=times)
    if portable.again is None:
        return term
    doubled = exp.Div(this=exp.paren(exp.Add(this=times, expression=number(1.0))), expression=number(2.0))
    doublings = exp.Div(this=exp.Ln(this=as_double(doubled)), expression=number(LOG_2))
    return exp.Add(this=term, expression=exp.Mul(this=column(f"w{c}", "v"), expression=exp.paren(doublings)))


def _with_weights(found: exp.Select, weights: Sequence[str], alias: str, entry: int) -> exp.Select:
    match = exp.and_(
        exp.EQ(this=column("entry", alias), expression=exp.Literal.number(entry)),
        exp.EQ(this=column("level", alias), expression=column("token", "t")),
    )
    return found.join(named(weights, alias), on=match, copy=False)


def _split_by_patterns(steps: Steps, how: Cutting) -> None:
    if how.lower:
        after, before = letters.sigma_patterns()
        capitals, smalls = letters.small_letters()
        lowering = {
            "mark": letters.MARK,
            "dotted": letters.DOTTED_I,
            "dotted_small": letters.DOTTED_SMALL,
            "after": after,
            "marked": rf"{letters.MARK}\1\2",
            "before": before,
            "sigma": rf"\1\2{letters.SIGMA}",
            "capitals": capitals,
            "smalls": smalls,
        }
        steps.add("lowered", LOWERED[steps.dialect], **{name: text(value) for name, value in lowering.items()})
    marks = letters.punctuation() if how.punctuation else ""
    given = {"between": text(f"[^{letters.word_characters()}{marks}]+"), "shortest": _whole(how.shortest)}
    query = SPLIT.replace("given_cell", SET_APART if marks else "c")
    if marks:
        query, given["mark"] = query + OR_MARKS, text(f"([{marks}])")
    steps.add("split", query.replace("{lowered}", "{lowered}" if how.lower else "{texts}"), **given)


def _split_by_letters(steps: Steps, how: Cutting, ranges: Sequence[str]) -> None:
    """For SQLite, which has no regular expressions and knows only ASCII letters."""
    between = [chr(c) for c in range(1, 128) if not (chr(c).isalnum() or chr(c) == "_")]
    between.sort(key=lambda character: character != "\\")  # first, since the escapes of others contain it
    steps.add("stage0", ASCII_LOWERED if how.lower else ASCII)
    size = -(-len(between) // STAGES)
    for stage in range(STAGES):
        cell: Any = exp.column("c")
        for character in between[stage * size : (stage + 1) * size]:
            cell = exp.func("REPLACE", cell, text(character), text(_set_apart(character, how.punctuation)))
        steps.add(f"stage{stage + 1}", f"SELECT r, given_cell AS c FROM {{stage{stage}}}", cell=cell)
    steps.add("numbers", NUMBERS, recursive=True)
    steps.add("chunks", CHUNKS, held=True)
    steps.add("characters", CHARACTERS)
    given = {"lower": _whole(how.lower), "punctuation": _whole(how.punctuation)}
    steps.add("letters", LETTERS, ranges=named(ranges), **given)
    steps.add("placed", PLACED, final=text(letters.FINAL_SIGMA), sigma=text(letters.SIGMA))
    steps.add("spelt", SPELT)
    query = JSON.replace("{last_stage}", f"{{stage{STAGES}}}")
    steps.add("split", query, shortest=_whole(how.shortest))


def _set_apart(character: str, marks_count: bool) -> str:
    """The replacement, in JSON, of a character that is in no word: a space, or if the character is a word, the
    character between spaces."""
    if not marks_count or not character.isprintable() or character == " ":
        return " "
    return f" {json.dumps(character)[1:-1]} "


def _whole(value: int) -> exp.Expression:
    return exp.Literal.number(int(value))


def _without_stop_words(steps: Steps, how: Cutting) -> None:
    found = exp.select("r", "word", "p").from_(named([steps.name("split")]), copy=False)
    if how.stop_words:
        stopped = exp.In(this=exp.column("word"), expressions=[text(word) for word in how.stop_words])
        found = found.where(exp.Not(this=stopped), copy=False)
    steps.put("words", found)


def _run_together(steps: Steps, how: Cutting) -> None:
    low, high = how.ngrams
    later = "".join(f", LEAD(word, {n}) OVER (PARTITION BY r ORDER BY p) AS w{n}" for n in range(1, high))
    steps.add("behind", f"SELECT r, word AS w0{later} FROM {{words}}")
    runs = [_run(length) for length in range(low, high + 1)]
    if how.characters is not None:
        steps.add("joined", JOINED[steps.dialect])
        steps.add("places", PLACES, recursive=True)
        shortest, longest = how.characters
        runs += [SPELLED.replace("{n}", str(n)) for n in range(shortest, longest + 1)]
    steps.add("runs", " UNION ALL ".join(runs))
    steps.add("counted", "SELECT r, token, COUNT(*) AS times FROM {runs} GROUP BY r, token")


def _run(length: int) -> str:
    joined = " || ' ' || ".join(f"w{n}" for n in range(length))
    there = f" WHERE NOT w{length - 1} IS NULL" if length > 1 else ""
    return f"SELECT r, {joined} AS token FROM {{behind}}{there}"
