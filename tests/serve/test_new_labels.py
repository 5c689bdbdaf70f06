"""Names of new classes: whoever reads them must be able to tell them apart."""

import pytest

from tallybayes.serve.rows import _check_new

ENGLAND, SCOTLAND = (
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(c)) for c in tag) + "\U000e007f" for tag in ("gbeng", "gbsct")
)


@pytest.mark.parametrize(
    ("label", "known"),
    [
        ("کتاب\u200cها", "کتابها"),  # Persian: the letters are not joined
        ("👨\u200d👩\u200d👧", "👨👩👧"),  # a family, or three people
        (ENGLAND, "\U0001f3f4"),
        (SCOTLAND, ENGLAND),
        ("a\u200bb", "ab c"),
    ],
)
def test_invisible_characters_that_make_a_difference(label, known):
    _check_new(label, [known])


@pytest.mark.parametrize(
    "label",
    [
        "ham\u200b",
        "h\u200dam",
        "ha\u200b\u200d\u200bm",
        "ham\u200d",
        "\u200cham",
        "ham\U000e0041",
        "h\xadam",
        "ham\u200e",
    ],
)
def test_invisible_characters_that_make_none(label):
    with pytest.raises(ValueError, match="shows nothing but 'ham'"):
        _check_new(label, ["spam", "ham"])


@pytest.mark.parametrize(("label", "known"), [("cafe\u0301", "caf\xe9"), ("caf\xe9", "cafe\u0301"), ("\u212b", "\xc5")])
def test_letters_that_are_composed_otherwise(label, known):
    with pytest.raises(ValueError, match="looks the same as the class") as error:
        _check_new(label, ["tea", known])
    assert ascii(label) in str(error.value)
    assert ascii(known) in str(error.value)
    _check_new(label, ["cafe", "a"])


@pytest.mark.parametrize("label", ["\u200b", "\u200d\u200d\u200d", "\u200b\U000e0041", " \xad "])
def test_labels_that_nobody_sees(label):
    with pytest.raises(ValueError, match="shows nothing but"):
        _check_new(label, [])
