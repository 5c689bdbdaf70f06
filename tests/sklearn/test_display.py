"""Notebook display of estimators, and lazy import of scikit-learn."""

import subprocess
import sys

import pandas as pd
import pytest
import sklearn

import tallybayes
from tallybayes import Categorical, NaiveBayes, Poisson, Schema


def test_notebook_shows_the_schema_and_the_counts():
    learned = NaiveBayes(Schema({"calls": Poisson()}, reasons={"calls": "whole numbers", "day": "as given"}))
    assert "tallybayes" not in learned._repr_html_()
    learned.fit({"calls": [1, 2, 3], "day": [1, 2, 3]}, ["no", "no", "yes"])
    html = learned._repr_html_()
    assert html[html.index('<div class="tallybayes"') :] in learned._repr_mimebundle_()["text/html"]
    assert "<tr><td>calls</td><td>Poisson()</td><td>whole numbers</td></tr>" in html
    assert "<tr><td>day</td><td>left out</td><td>as given</td></tr>" in html
    assert '<tr><td>no</td><td class="n">2</td><td class="n">66.7%</td></tr>' in html
    assert "<p>3 rows in 2 classes</p>" in html
    assert "<caption>classes (frequencies)</caption>" in html
    with sklearn.config_context(display="text"):
        assert not hasattr(learned, "_repr_html_")
        assert list(learned._repr_mimebundle_()) == ["text/plain"]
    assert repr(NaiveBayes(alpha=0.5)) == "NaiveBayes(alpha=0.5)"


def test_names_are_escaped():
    evil = "<script>alert('x')</script>"
    learned = NaiveBayes(Schema({evil: Categorical(levels=(evil,))}, reasons={evil: evil}), prior={evil: 1.0})
    html = learned.fit(pd.DataFrame({evil: [evil]}), [evil])._repr_mimebundle_()["text/html"]
    ours = html[html.index('<div class="tallybayes"') :]
    assert "<script>" not in ours
    assert ours.count("&lt;script&gt;") == 5
    assert evil not in html


def test_long_tables_are_truncated():
    learned = NaiveBayes(Categorical()).fit({f"c{i}": ["a"] for i in range(110)}, ["a"])
    assert "… and 10 more" in learned._repr_html_()


@pytest.mark.slow
def test_sklearn_is_imported_lazily():
    code = (
        "import sys, tallybayes; assert 'NaiveBayes' in dir(tallybayes); assert 'sklearn' not in sys.modules; "
        "tallybayes.NaiveBayes; assert 'sklearn' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    missing = "import sys; sys.modules['sklearn'] = None; import tallybayes; tallybayes.NaiveBayes"
    found = subprocess.run([sys.executable, "-c", missing], capture_output=True, text=True)
    assert (
        "ImportError: tallybayes.sklearn needs scikit-learn 1.6 or newer; run: pip install 'tallybayes[sklearn]'"
        in (found.stderr)
    )
    with pytest.raises(AttributeError, match="module 'tallybayes' has no attribute 'Bayes'"):
        tallybayes.Bayes  # noqa: B018
