"""Filters backed by a file and by a store: the same answers and the same counts."""

import pytest

from letters import ham, spam, trained
from tallybayes import Model, Store, Words, digest, load, save
from tallybayes.filtering.base import ANY, Letter, Wanted
from tallybayes.filtering.classes import Names
from tallybayes.filtering.in_file import FileFilter
from tallybayes.filtering.in_store import StoreFilter
from tallybayes.filtering.thresholds import SETTING, Thresholds
from tallybayes.mail import read_mail
from tallybayes.mail.stamping import stamped


def file_filter(path, names=None, **scores):
    return FileFilter(str(path), names or Names(), Thresholds.of(**scores), lambda: None)


@pytest.fixture
def path(tmp_path):
    save(trained(), tmp_path / "spam.tally")
    return tmp_path / "spam.tally"


def test_file_and_store_agree(path, store):
    for raw in (ham(77), spam(77), b"", b"\x00\xff", b"Subject: prize at noon\n\n"):
        assert file_filter(path).verdict(Letter(raw)) == StoreFilter(store).verdict(Letter(raw))
    assert StoreFilter(store).verdict(Letter(ham(77))).word == "ham"
    assert StoreFilter(store).verdict(Letter(spam(77))).is_spam


def test_file_learns_forgets_and_corrects_to_the_byte(path):
    before = path.read_bytes()
    wanted = trained() + Model.train(trained().schema, read_mail(spam(50)), ["spam"])
    file_filter(path).change(Letter(spam(50)), Wanted(learn="spam"))
    assert digest(load(path)) == digest(wanted)
    file_filter(path).change(Letter(spam(50)), Wanted(learn="ham", forget="spam"))
    assert load(path).rows_by_class() == {"ham": 11, "spam": 10}
    file_filter(path).change(Letter(spam(50)), Wanted(forget="ham"))
    assert path.read_bytes() == before


def test_impossible_correction_changes_nothing(path):
    before = path.read_bytes()
    with pytest.raises(ValueError, match="never learned"):
        file_filter(path).change(Letter(b"Subject: new\n\nnever seen"), Wanted(learn="ham", forget="spam"))
    with pytest.raises(ValueError, match="--forget-spam or --forget-ham"):
        file_filter(path).change(Letter(spam(1)), Wanted(forget=ANY))
    assert path.read_bytes() == before


def test_repeat_counts_once_and_other_class_corrects(store):
    asked, letter, before = StoreFilter(store), Letter(spam(50)), store.digest()
    assert asked.change(letter, Wanted(learn="spam"))
    once = store.digest()
    assert not asked.change(letter, Wanted(learn="spam"))
    assert store.digest() == once
    assert asked.change(letter, Wanted(learn="ham"))
    assert store.model().rows_by_class() == {"ham": 11, "spam": 10}
    assert asked.change(letter, Wanted(forget=ANY))
    assert store.digest() == before
    assert not asked.change(letter, Wanted(forget=ANY))
    assert not asked.change(Letter(b"never seen"), Wanted(forget="spam"))


def test_mail_has_the_same_id_whatever_its_route(store):
    asked, mail = StoreFilter(store), spam(50)
    assert asked.change(Letter(mail), Wanted(learn="spam"))
    moved = b"Received: from mx.example.net (192.0.2.1)\r\n" + stamped(mail, {"X-Tallybayes": "ham"}).replace(
        b"\n", b"\r\n"
    )
    assert not asked.change(Letter(moved), Wanted(learn="spam"))
    nameless = mail.replace(b"Message-ID", b"X-ID")
    assert asked.change(Letter(nameless), Wanted(learn="spam"))
    assert not asked.change(Letter(b"Received: from mx.example.net\n" + nameless), Wanted(learn="spam"))
    assert len(store.ids()) == 2
    assert not any("example" in id for id in store.ids())


def test_self_training_never_overrides_users(store):
    asked, letter = StoreFilter(store), Letter(spam(50))
    asked.change(letter, Wanted(learn="ham"))
    told = store.digest()
    verdict = asked.verdict(letter)
    assert verdict.is_spam
    assert not asked.learn_own(letter, verdict)
    assert store.digest() == told
    assert asked.learn_own(Letter(ham(51)), asked.verdict(Letter(ham(51))))
    assert store.model().rows_by_class() == {"ham": 12, "spam": 10}


def test_fewer_than_two_classes_is_unsure(tmp_path):
    with Store.create(tmp_path / "new", trained().schema) as store:
        asked = StoreFilter(store)
        assert asked.verdict(Letter(spam(1))).word == "unsure"
        asked.change(Letter(spam(1)), Wanted(learn="spam"))
        assert asked.verdict(Letter(spam(1))).word == "unsure"
        asked.change(Letter(ham(1)), Wanted(learn="ham"))
        assert asked.verdict(Letter(spam(1))).is_spam
        assert store.model().rows_by_class() == {"ham": 1, "spam": 1}


def test_store_keeps_its_thresholds(store):
    score = StoreFilter(store).verdict(Letter(spam(3))).score
    store.set(SETTING, {"spam": score + 1, "ham": score})
    assert StoreFilter(store).verdict(Letter(spam(3))).word == "unsure"
    assert StoreFilter(store, spam=score).verdict(Letter(spam(3))).word == "spam"
    store.set(SETTING, {"spam": "high"})
    with pytest.raises(ValueError, match="The threshold of spam is 'high'"):
        StoreFilter(store)


@pytest.mark.parametrize(
    ("labels", "names", "spam_label", "ham_label"),
    [
        (("ham", "spam"), Names(), "spam", "ham"),
        (("good", "Spam"), Names(), "Spam", "good"),
        ((0, 1), Names("1"), 1, 0),
        (("a", "b"), Names("a", "b"), "a", "b"),
        ((), Names(), "spam", "ham"),
        (("ham",), Names(), "spam", "ham"),
        (("spam",), Names(), "spam", "ham"),
        (("spam", "x", "y"), Names(None, "x"), "spam", "x"),
    ],
)
def test_spam_and_ham_classes_are_found_by_name(labels, names, spam_label, ham_label):
    assert (names.of_spam(labels), names.of_ham(labels)) == (spam_label, ham_label)


def test_unrecognisable_classes_must_be_named(path):
    with pytest.raises(ValueError, match="Which class is spam"):
        Names().of_spam(["a", "b"])
    with pytest.raises(ValueError, match="Which class is ham"):
        Names().of_ham(["spam", "x", "y"])


def test_classes_may_be_numbers(tmp_path):
    save(trained(labels=(0, 1)), tmp_path / "m.tally")
    asked = file_filter(tmp_path / "m.tally", Names("1"))
    assert asked.verdict(Letter(spam(3))).is_spam
    asked.change(Letter(ham(50)), Wanted(learn="ham"))
    assert load(tmp_path / "m.tally").rows_by_class() == {0: 11, 1: 10}


def test_model_of_other_data_is_refused(tmp_path):
    save(Model.train({"text": Words()}, ["a", "b"], ["ham", "spam"]), tmp_path / "m.tally")
    with pytest.raises(ValueError, match="The model has the column 'text'; a mail has 'subject'"):
        file_filter(tmp_path / "m.tally")


def test_several_classes_are_named_in_the_header(tmp_path):
    model = trained(labels=("work", "spam")) + trained(labels=("a\nBcc: x", "spam"), each=1)
    save(model, tmp_path / "m.tally")
    letter = Letter(ham(3))
    verdict = file_filter(tmp_path / "m.tally").verdict(letter)
    assert (verdict.word, verdict.most_probable) == ("ham", "work")
    assert verdict.line.endswith(b", class work\n")
    hostile = verdict._replace(most_probable="a\nBcc: x")
    assert hostile.on(letter.raw).startswith(hostile.line)
    assert hostile.line.endswith(b", class a?Bcc: x\n")
