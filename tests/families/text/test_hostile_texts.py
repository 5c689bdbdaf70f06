"""Large, hostile, invalid and absent texts."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from one_column import train
from tallybayes import Words, digest


def broken(*texts):
    """A string column not checked for UTF-8."""
    return pa.array(texts, pa.binary()).view(pa.string())


def test_invalid_utf8_is_an_error_that_names_the_row():
    cells = broken(b"fine", b"caf\xe9 au lait")
    with pytest.raises(ValueError, match=r"Column 'x', row 1: the text is not valid UTF-8. Words\(errors='replace'\)"):
        train(Words(), cells, ["a", "b"])
    model = train(Words(), ["fine", "other"], ["a", "b"])
    with pytest.raises(ValueError, match="Column 'x', row 1: the text is not valid UTF-8"):
        model.posterior({"x": cells})
    with pytest.raises(ValueError, match="Column 'x', row 1: the text is not valid UTF-8"):
        train(Words(), cells, ["a", "b"], weights=[1.0, 2.0])


@given(st.binary(max_size=40))
def test_replaced_bytes_tokenise_as_in_python(data):
    text = data.decode("utf-8", "replace")
    for family in (Words(errors="replace"), Words(errors="replace", unit="characters", ngrams=2)):
        assert train(family, broken(data), ["a"]).counts("x") == train(family, [text], ["a"]).counts("x")


def test_tokeniser_gets_the_decoded_text():
    with pytest.raises(ValueError, match="Column 'x', row 1: the text is not valid UTF-8"):
        train(Words(tokeniser=str.split), broken(b"fine", b"a\xffb"), ["a", "b"])
    model = train(Words(tokeniser=str.split, errors="replace"), broken(b"fine", b"a\xffb"), ["a", "b"])
    assert model.counts("x").slots == ["a\ufffdb", "fine"]


def test_nul_is_an_ordinary_character():
    assert train(Words(), ["one\0two\0"], ["a"]).counts("x").slots == ["one", "two"]
    assert train(Words(tokeniser=str.split), ["o\0e two"], ["a"]).counts("x").slots == ["o\0e", "two"]


@pytest.mark.long
def test_a_token_of_a_hundred_million_bytes():
    model = train(Words(), ["x" * 100_000_000, "x" * 99_999_999 + "y small"], ["a", "b"])
    table = model.counts("x")
    assert [len(word) for word in table.slots] == [5, 100_000_000, 100_000_000]
    assert model.posterior("x" * 100_000_000)[0, 0] > 0.5


def test_a_million_empty_rows():
    model = train(Words(), pa.array([""] * 1_000_000), np.arange(1_000_000) % 3)
    assert model.n == 1_000_000
    assert len(model.counts("x")) == 0
    np.testing.assert_allclose(model.posterior({"x": ["", "word"]}), 1 / 3, rtol=1e-5)


def test_more_threads_than_rows_and_rows_without_text():
    expected = digest(train(Words(), ["one two", None, "two"], ["a", "b", "b"]))
    assert digest(train(Words(), ["one two", None, "two"], ["a", "b", "b"], threads=50)) == expected
    assert train(Words(), ["one two"], ["a"]).posterior({"x": pa.nulls(0, pa.string())}, threads=9).shape == (0, 1)


@pytest.mark.long
def test_more_than_two_gigabytes_in_one_batch():
    """Offsets beyond 2³¹; the texts share their bytes, so little else is needed in memory."""
    part = b"alpha beta gamma " * 4096
    size = (1 << 31) // len(part) + 2
    data = pa.py_buffer(part * size)
    offsets = np.arange(size + 1, dtype=np.int64) * len(part)
    cells = pa.LargeStringArray.from_buffers(size, pa.py_buffer(offsets), data)
    assert len(data) > 1 << 31
    model = train(Words(), cells, np.zeros(size, np.int64))
    assert model.counts("x").words.dense().sums["n"].round().tolist() == [[4096 * size]] * 3
    np.testing.assert_allclose(model.posterior({"x": cells[-2:]}), 1.0)


def test_words_with_equal_ends_are_distinct():
    """The table keeps the ends, the length and a hash of a long word."""
    words = [f"aaaaaaaa{i:05d}zzzzzzzz" for i in range(20_000)]
    model = train(Words(), [" ".join(words * 2)], ["a"])
    assert model.counts("x").slots == words
    assert set(model.counts("x").sums["n"].round().tolist()) == {2.0}


def test_lone_surrogates_are_refused():
    model = train(Words(), ["fine", "other"], ["a", "b"])
    for text in ("\ud800", "a\udfffb"):
        for ask in (model.posterior, lambda text: train(Words(), [text], ["a"])):
            with pytest.raises(ValueError, match=r"Column 'x': '.*' is a lone surrogate. Remove it, or decode"):
                ask(text)
        for texts in ([text, "fine"], np.array([text, "fine"])):
            with pytest.raises(ValueError, match=r"Column 'x': .* is a lone surrogate. Remove it, or decode"):
                model.posterior({"x": texts})
            with pytest.raises(ValueError, match=r"The labels: .* is a lone surrogate. Remove it, or decode"):
                train(Words(), ["fine", "other"], texts)


def test_invalid_offsets_are_an_error_not_a_crash():
    offsets = pa.py_buffer(np.array([0, 1_000_000_000, 10], np.int32))
    cells = pa.StringArray.from_buffers(2, offsets, pa.py_buffer(b"alpha beta"))
    with pytest.raises((ValueError, IndexError), match="offsets do not fit"):
        train(Words(), cells, ["a", "b"])
