"""Texts that are hard to tokenise, and the text families that can be exported as SQL."""

import random

import pyarrow as pa
from hypothesis import strategies as st

from tallybayes import Words

ODD = [
    "ΑΣ ΣΑΣ ΟΔΥΣΣΕΥΣ'Α Σ ΑΣ. ς",  # whether a capital sigma is final depends on its neighbours
    "İstanbul ISTANBUL ıı",  # its lower case is two characters, the second of which ends a word
    "free Money free MONEY",
    "don't-stop_it 12 a b c",
    "",
    "  ",
    "Köln straße STRASSE ÉÈ",
    "日本語 テキスト free",
    None,
    "\ue000Σ aΣ\ue000",
    "a\tb\nfree\r\nmoney",
    "Ⓐb ⓐB ǅ ǆ",
    'free!!! "$5" £5 \\ a_b [x] {y} ^~` « » — … é?',
    "x" * 300 + " é" + "É" * 150,  # longer than SQLite's chunks of characters
    "free 'quoted\" back\\slash money #fr",
    "'; DROP TABLE rows; --",
]
FAMILIES = {
    "multinomial": Words(),
    "binary": Words(reading="binary"),
    "averaged": Words(reading="averaged"),
    "bernoulli": Words(reading="bernoulli"),
    "poisson": Words(reading="poisson"),
    "complement": Words(reading="complement"),
    "auto": Words(reading="auto", ngrams=2, characters=(2, 4)),
    "punctuation": Words(punctuation=True, ngrams=2),
    "inferred": Words(shortest=1, punctuation=True, ngrams=2, characters=(2, 3), reading="auto"),
    "capitals": Words(lower=False, shortest=1),
    "runs": Words(ngrams=3, stop_words=("free", "ας"), coefficient=True),
    "ruled out": Words(alpha=0),
    "few": Words(ngrams=(2, 2), min_count=2, limit=50),
    "vocabulary": Words(vocabulary=("free", "money"), presence=True),
}
CHARACTERS = "aZé!\"\\€ ΣσςİıΑ'.\u0345\u00ad\u0307-_9日ẞⒶ\n\ue000𐐀🙂"
TEXTS = st.lists(st.text(CHARACTERS, max_size=12) | st.text(max_size=6), min_size=1, max_size=6)


def table(rows=60, seed=3):
    draw = random.Random(seed)
    words = [word for text in ODD if text for word in text.split()]
    texts = ODD + [" ".join(draw.choices(words, k=draw.randrange(12))) for _ in range(rows)]
    labels = [draw.choice("abc") for _ in texts]
    return pa.table({"id": range(len(texts)), "text": texts, "class": labels})
