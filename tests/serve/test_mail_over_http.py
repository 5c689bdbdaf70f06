"""A mail as it is, instead of a row."""

import html
import re

import pytest

from letters import ham, spam, trained
from service import problem, serving, spam_service
from tallybayes import Store
from tallybayes.filtering.base import ANY, Letter, Wanted
from tallybayes.filtering.in_store import StoreFilter
from tallybayes.mail import read_mail

MAIL = {"content-type": "message/rfc822"}


@pytest.mark.parametrize("raw", [spam(7), ham(7), b"", b"\x00\xff", spam(7) + b"more words\n" * 10_000])
def test_mail_is_answered_like_its_row(tmp_path, raw):
    with Store.create(tmp_path / "mails", trained()) as store, serving({"mails": store}) as client:
        answer = client.post("/v1/models/mails/predict", content=raw, headers=MAIL)
        assert answer.json() == client.post("/v1/models/mails/predict", json={"row": read_mail(raw)}).json()
        assert answer.json()["answers"][0]["class"] == ("spam" if b"prize" in raw else "ham")


def test_mail_is_not_learned_without_a_label(tmp_path):
    with Store.create(tmp_path / "mails", trained()) as store, serving({"mails": store}) as client:
        answer = client.post("/v1/models/mails/learn", content=spam(7), headers=MAIL)
        assert "The body is 'message/rfc822'; send application/json" in problem(answer, 415)


def test_model_of_other_rows_refuses_mail(tmp_path):
    with spam_service(tmp_path) as (client, _):
        answer = client.post("/v1/models/spam/predict", content=spam(7), headers=MAIL)
    assert "The model has the column 'text'; a mail has 'subject'" in problem(answer, 400)


def pasted(client, raw):
    """The page for a whole mail, and the id that its form teaches."""
    page = client.post("/models/mails", data={"mail": raw.decode()}).text
    row, id = (html.unescape(re.search(f'name="{name}" value="([^"]*)"', page)[1]) for name in ("row", "id"))
    return {"row": row, "id": id}


@pytest.mark.parametrize("raw", [spam(77), b"Subject: without an id\n\nx"])
def test_mail_pasted_on_the_page_is_known_to_filters(tmp_path, raw):
    letter = Letter(raw)
    with Store.create(tmp_path / "mails", trained()) as store, serving({"mails": store}) as client:
        before, judge = store.digest(), StoreFilter(store)
        fields = pasted(client, raw)
        assert fields["id"] == letter.id
        for label, said in (("spam", "Learned as"), ("ham", "Corrected to")):
            assert said in client.post("/models/mails/teach", data={**fields, "label": label}).text
        assert not judge.change(letter, Wanted(learn="ham"))
        assert judge.change(letter, Wanted(learn="spam"))
        taught = client.post("/models/mails/teach", data={"mail": raw.decode(), "label": "ham"}).text
        assert "Corrected to" in taught
        assert "Forget it" in taught
        assert "already been learned" in client.post("/models/mails/teach", data={**fields, "label": "ham"}).text
        assert store.model().rows_by_class() == {"ham": 11, "spam": 10}
        assert judge.change(letter, Wanted(forget=ANY))
        assert store.digest() == before
