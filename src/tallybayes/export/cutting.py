"""SQL that splits texts into words: in DuckDB and PostgreSQL by regular expressions, in SQLite character by character.

Other steps are named in braces; names that begin with given_ are replaced by `texts`.
"""

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
