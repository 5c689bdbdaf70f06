"""A page as an independent parser sees it."""

from html.parser import HTMLParser

VOID = {"meta", "br"}


class Page(HTMLParser):
    """Checks that tags nest, and collects them, attributes and ids."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.found, self.ids = [], [], [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.found += attrs
        self.ids += [value for name, value in attrs if name == "id"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
