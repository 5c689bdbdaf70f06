"""Notebook display: pages that run nothing, escaped names, and evidence as a DataFrame."""

import re

import numpy as np
import pandas as pd
import pytest

from html_page import Page
from tallybayes import Categorical, Evaluation, Gaussian, Model, NaiveBayes, Report, Schema, Words, evaluate, report_on
from tallybayes.model.evidence import Evidence

EVIL = "<script>alert('x')</script>\x1b[2J\u202e\"&"
FRAME = {"outlook": ["sunny", "sunny", "rain", "rain"], "temp": [30.0, 29.0, None, 18.0]}
MODEL = Model.train(Schema({"outlook": Categorical(), "temp": Gaussian()}), FRAME, ["no", "no", "yes", "yes"])


def things(name):
    """One of each, with a name wherever one is possible."""
    frame = {f"{name} 1": [name, "b"], f"{name} 2": [f"{name} free", "lunch"]}
    families = dict(zip(frame, (Categorical(), Words()), strict=True))
    schema = Schema(families, label=f"{name} y", reasons={f"{name} 1": name, f"{name} 3": name})
    model = Model.train(schema, frame, [name, "b"])
    return [schema, model, model.evidence(frame), evaluate(model, frame, [name, f"{name} c"]), report_on(model)]


@pytest.mark.parametrize("thing", things(EVIL), ids=lambda thing: type(thing).__name__)
def test_html_runs_nothing_loads_nothing_and_escapes_names(thing):
    assert isinstance(thing, (Schema, Model, Evidence, Evaluation, Report))
    report = thing if isinstance(thing, Report) else report_on(thing)
    for html in (thing._repr_html_(), report.html()):
        page = Page(html)
        allowed = {"html", "head", "meta", "title", "body", "div", "style", "p", "h4", "table", "caption", "thead"}
        assert {*page.tags} <= allowed | {"tbody", "tr", "th", "td", "details", "summary"}
        assert {name for name, _ in page.found} <= {"lang", "charset", "name", "content", "class", "style", "colspan"}
        assert not re.search(r"url\(|@import|https?:|javascript:", html)
        assert "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/scr" in html
        assert isinstance(thing, Evaluation) or "&lt;/script&gt;\\x1b[2J\\u202e&quot;&amp;" in html
        assert all(character.isprintable() or character == "\n" for character in html)


def test_text_of_any_name_is_safe_for_a_terminal():
    for thing in things(EVIL):
        text = thing.text() if isinstance(thing, Report) else report_on(thing).text()
        assert all(character.isprintable() or character == "\n" for character in text)


def test_model_shows_its_counts():
    html = MODEL._repr_html_()
    assert "<p>4 rows in 2 classes</p>" in html
    assert '<tr><td>no</td><td class="n">2</td><td class="n">50.0%</td></tr>' in html
    assert "<tr><td>temp</td><td>Gaussian()</td></tr>" in html
    assert "<caption>for no</caption>" in report_on(MODEL)._repr_html_()
    assert "classes (frequencies)" in Model(MODEL.schema)._repr_html_()


def test_model_that_cannot_be_queried_is_still_shown():
    other = Model.train(Schema({"outlook": Categorical()}, prior={"a": 0.5, "b": 0.5}), FRAME, ["c", "c", "d", "d"])
    assert "4 rows in 2 classes" in other._repr_html_()


def test_evidence_has_a_bar_for_each_class():
    html = MODEL.evidence({"outlook": ["sunny"], "temp": [17.0]})._repr_html_()
    halves = re.findall(r"<tr><th>(.*?)</th><td class=\"half\">(.*?)</td><td class=\"half\">(.*?)</td>", html)
    assert [title for title, _, _ in halves] == ["(class)", "temp", "outlook", "all together"]
    lengths = {title: (left, right) for title, left, right in halves}
    assert lengths["(class)"] == ("", "")
    assert lengths["temp"][0] == ""
    assert lengths["outlook"][1] == ""
    assert 'class="against"' in lengths["outlook"][0]
    assert "width:100.0%" in "".join(part for pair in lengths.values() for part in pair)


def test_evidence_compares_two_given_classes():
    evidence = MODEL.evidence(FRAME)
    assert report_on(evidence, label="no").facts.rows[2].against == "yes"
    with pytest.raises(ValueError, match=r"There is no class 'maybe'; the classes are 'no', 'yes'\."):
        report_on(evidence, against="maybe")
    with pytest.raises(ValueError, match="'no' against itself: give two different classes"):
        report_on(evidence, label="no", against="no")


def test_evidence_data_frame_adds_up_to_the_answer():
    evidence = MODEL.evidence(FRAME)
    found = evidence.to_pandas()
    assert found.columns.tolist() == ["row", "column", "class", "evidence"]
    assert len(found) == 4 * 3 * 2
    wide = found.pivot(index="row", columns=["column", "class"], values="evidence")
    np.testing.assert_array_equal(wide["temp"][["no", "yes"]], evidence["temp"])
    np.testing.assert_array_equal(wide["(class)"][["no", "yes"]], np.tile(evidence.prior, (4, 1)))
    total = found.pivot_table(index="row", columns="class", values="evidence", aggfunc="sum", observed=True)
    np.testing.assert_allclose(total, MODEL.log_joint(FRAME))


@pytest.mark.parametrize("labels", [[3, 3, 1, 1], [True, True, False, False], [0.5, 0.5, 2.0, 2.0], list("aabb")])
def test_evidence_data_frame_with_labels_of_any_type(labels):
    found = Model.train({"outlook": Categorical()}, {"outlook": FRAME["outlook"]}, labels).evidence({"outlook": []})
    assert found.to_pandas()["class"].cat.categories.tolist() == sorted(set(labels))
    assert found.to_pandas().empty


def test_estimator_and_its_model_show_the_same_counts():
    learned = NaiveBayes().fit(pd.DataFrame(FRAME), ["no", "no", "yes", "yes"])
    assert learned.model_._repr_html_() in learned._repr_html_()
