"""The recipes of docs/howto-spam.md, each run by its own mail program."""

import subprocess
from pathlib import Path

import pytest
from calling import PROGRAM

import parts
from console import blocks
from letters import ham, spam, trained
from tallybayes import save

PAGE = Path(__file__).parents[2] / "docs" / "howto-spam.md"
RECIPES = {block.file: block.text for block in blocks(PAGE.read_text()) if block.file}
pytestmark = pytest.mark.slow


@pytest.fixture
def home(tmp_path):
    """A home with a model and a Maildir."""
    for folder in ("Maildir", "Maildir/.Spam"):
        for part in ("cur", "new", "tmp"):
            (tmp_path / folder / part).mkdir(parents=True)
    save(trained(), tmp_path / "spam.tally")
    return tmp_path


@pytest.fixture
def deliver(home):
    """Pass a mail to a program with its recipe. Both programs set their own environment, that of the user who runs the
    tests.
    """

    def run(part, recipe, mail):
        here = f'HOME="{home}"\nPATH="{Path(PROGRAM).parent}:/usr/bin:/bin"\n'
        (home / recipe).write_text(here + RECIPES[recipe])
        subprocess.run([parts.program(part), str(home / recipe)], input=mail, cwd=home, check=True)

    return run


def delivered(home, folder=""):
    return [path.read_bytes() for path in (home / "Maildir" / folder / "new").iterdir()]


BY = [("procmail", ".procmailrc"), ("maildrop", ".mailfilter")]


@pytest.mark.parametrize(("part", "recipe"), BY)
def test_mail_is_filed_by_its_class(home, deliver, part, recipe):
    for mail in (ham(77), spam(77)):
        deliver(part, recipe, mail)
    (good,), (bad,) = delivered(home), delivered(home, ".Spam")
    assert ham(77) in good  # procmail adds an empty line to any mail
    assert spam(77) in bad
    assert good.startswith(b"X-Tallybayes: ham, ")
    assert bad.startswith(b"X-Tallybayes: spam, ")


@pytest.mark.parametrize(("part", "recipe"), BY)
def test_mail_is_delivered_without_a_model(home, deliver, part, recipe):
    (home / "spam.tally").unlink()
    deliver(part, recipe, spam(77))
    assert [mail.strip() for mail in delivered(home)] == [spam(77).strip()]
