"""A mail as it is, instead of a row."""

import pytest

from letters import ham, spam, trained
from service import problem, serving, spam_service
from tallybayes import Store
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
