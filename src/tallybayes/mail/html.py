"""The text and links of HTML, by lxml, whose parser is lenient and bounded.

It gives up at 256 levels of nesting, where other parsers take time quadratic in the depth. Only malicious mail is that
deep, or has tags of many attributes. Its text must not be lost, so its tags are removed by a regular expression.
"""

from __future__ import annotations

import re
from html import unescape
from itertools import islice

from tallybayes.mail.decoding import one_line, plain

try:
    from lxml import etree
except ImportError:
    raise ImportError("Reading mail needs lxml, for HTML: pip install 'tallybayes[mail]'.") from None

LINKS = 1_000  # that are read on one page
LINK_READ = 200  # characters of one link

INLINE = "a|abbr|acronym|b|big|code|em|font|i|kbd|s|small|span|strike|strong|sub|sup|tt|u"  # these divide no words
# The first letter in both cases: an alternative that begins with a set of letters is skipped without trying it.
NAMES = "|".join(f"[{name[0]}{name[0].upper()}](?i:{name[1:]})" for name in INLINE.split("|"))
BLOCK = re.compile(rf"<(?=[/a-zA-Z])(?!/?(?:{NAMES})[\s>])")
LINK = re.compile(rf"=(?:(?<=href=)|(?<=src=))\s*+[\"']?([^\s\"'<>]{{1,{LINK_READ}}}+)", re.IGNORECASE)
NO_CHARACTER = re.compile(r"&#(?:[0-9]{9,}+|x[0-9a-f]{9,}+);?", re.IGNORECASE)
TAG = re.compile(r"<[^<>]*+>")
ATTRIBUTES = 64  # of a tag that lxml may parse: with many, libxml2 takes time quadratic in their number …
SHORT = 16_384  # … which is little in a page of no more characters
ATTRIBUTE = r"""[\s/]*+[^\s/>=][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?+)?+"""
NAME = r"(?:((?i:script|style))(?=[\s/>])|[a-zA-Z][^\s/>]*+)"
OPENING = rf"<{NAME}(?:{ATTRIBUTE}){{0,{ATTRIBUTES}}}+((?:{ATTRIBUTE})*+)(?(1)[^>]*+>?.*?(?:</(?i:\1)|\Z))"
MARKUP = re.compile(rf"<!--.*?(?:-->|\Z)|<[!?/][^>]*+|{OPENING}", re.DOTALL)


def html_text(page: str) -> str:
    """The visible text, with words separated by single spaces.

    >>> html_text("<p>F<b>re</b>e<p>money &amp; more<script>x()</script>")
    'Free money & more'
    """
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    crowded = is_crowded(page)
    root = etree.fromstring(BLOCK.sub(" <", page).encode(), parser) if page.strip() and not crowded else None
    if crowded or parser.error_log.filter_from_fatals():
        text = unescape(NO_CHARACTER.sub("\ufffd", TAG.sub(" ", page)))  # `unescape` fails on 4,301 digits
    elif root is None:
        return ""
    else:
        etree.strip_elements(root, "script", "style", with_tail=False)
        text = etree.tostring(root, method="text", encoding="unicode", with_tail=False)
    return " ".join(plain(text).split())


def is_crowded(page: str) -> bool:
    """Whether a tag of a long page has too many attributes. To leave some out could hide text: where a comment or a tag
    ends, libxml2 may see otherwise."""
    return len(page) > SHORT and any(found[2] for found in MARKUP.finditer(page))


def html_links(page: str) -> list[str]:
    """The links of a page, in order.

    >>> html_links('<a href="http://example.org/?a=1&amp;b=2">x</a><img src=cid:7>')
    ['http://example.org/?a=1&b=2', 'cid:7']
    """
    return [one_line(unescape(found[1])) for found in islice(LINK.finditer(page), LINKS)]
