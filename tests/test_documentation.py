"""What is there is documented. (The examples themselves are run as doctests.)"""

import re
from pathlib import Path

import pytest

from tallybayes import FAMILIES

ROOT = Path(__file__).parent.parent
FAMILY_PAGE = (ROOT / "docs" / "families.md").read_text()


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_every_family_and_setting_is_documented(name):
    assert re.search(rf"^\| `{name}` \|", FAMILY_PAGE, re.M)
    rows = [line for line in FAMILY_PAGE.splitlines() if line.startswith("| `") and name in line.split("|")[2]]
    for setting in FAMILIES[name]().settings():
        assert any(f"`{setting}`" in row.split("|")[1] for row in rows), setting


def test_every_decision_is_listed():
    folder = ROOT / "docs" / "decisions"
    listed = (folder / "README.md").read_text()
    for path in folder.glob("0*.md"):
        assert path.name in listed


def test_every_link_to_a_file_leads_somewhere():
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
