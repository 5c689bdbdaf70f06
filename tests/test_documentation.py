"""Everything public is documented. (The examples are run as doctests.)"""

import ast
import dataclasses
import inspect
import pydoc
import re
import runpy
from pathlib import Path
from typing import get_args

import pytest

import tallybayes
import tallybayes.mail
import tallybayes.model.evaluation
import tallybayes.plots
import tallybayes.sklearn
import tallybayes.sources
import tallybayes.store
from console import blocks, commands
from tallybayes import FAMILIES, ReadOptions
from tallybayes.cli.options import AnswerFormat, ReportFormat
from tallybayes.cli.program import EXIT_CODES
from tallybayes.cli.reading import Input, InputFormat
from tallybayes.mail.row import TEXTS
from tallybayes.sources.read_options import DOCUMENTS, TABLES

ROOT = Path(__file__).parent.parent
FAMILY_PAGE = (ROOT / "docs" / "families.md").read_text()
FORMAT_PAGE = (ROOT / "docs" / "data-formats.md").read_text()
MAKEFILE = (ROOT / "Makefile").read_text()
MODULES = (
    tallybayes,
    tallybayes.model.evaluation,
    tallybayes.mail,
    tallybayes.plots,
    tallybayes.sklearn,
    tallybayes.sources,
    tallybayes.store,
)


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_every_family_and_setting_is_documented(name):
    assert re.search(rf"^\| `{name}` \|", FAMILY_PAGE, re.M)
    rows = [line for line in FAMILY_PAGE.splitlines() if line.startswith("| `") and name in line.split("|")[2]]
    for setting in FAMILIES[name]().settings():
        assert any(f"`{setting}`" in row.split("|")[1] for row in rows), setting


def test_settings_table_is_up_to_date():
    assert runpy.run_path(str(ROOT / "docs" / "generate_settings.py"))["page"](FAMILY_PAGE) == FAMILY_PAGE, (
        "run: make docs"
    )


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.stem)
def test_rows_of_a_table_have_as_many_cells_as_its_head(page):
    prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    for table in re.findall(r"(?:^\|.*\n)+", prose, re.M):
        bars = [len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()]
        assert set(bars) == {bars[0]}, table


def test_gallery_has_every_picture_of_the_pages():
    page = (ROOT / "docs" / "gallery.md").read_text()
    assert runpy.run_path(str(ROOT / "docs" / "generate_gallery.py"))["page"]() == page, "run: make docs"
    drawn = {path.name for path in (ROOT / "docs" / "pictures").glob("*.svg")}
    assert set(re.findall(r"\(pictures/([\w-]+\.svg)\)", page)) == drawn - {"xwindows.svg"}


def public_names(module):
    functions = inspect.getmembers(module, inspect.isfunction)
    own = [name for name, found in functions if found.__module__ == module.__name__ and not name.startswith("_")]
    found = getattr(module, "__all__", own)
    return {*found, *({"NaiveBayes"} if module is tallybayes else ())}


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_is_on_the_python_page(module):
    page = (ROOT / "docs" / "api.md").read_text()
    assert public_names(module)
    for name in public_names(module):
        assert re.search(rf"^\.\. (?:auto\w+|py:data):: {name}$", page, re.M), name


def test_members_listed_on_the_python_page_are_shown_there():
    """Sphinx drops a listed member that has no docstring, unless told otherwise."""
    module = tallybayes.__name__
    for directive in re.split(r"\n(?=\.\. )", (ROOT / "docs" / "api.md").read_text()):
        if found := re.match(r"\.\. currentmodule:: (\S+)", directive):
            module = found[1]
        named, listed = re.match(r"\.\. autoclass:: (\S+)", directive), re.search(r":members: (\S.*)", directive)
        if named and listed and ":undoc-members:" not in directive:
            shown = pydoc.locate(named[1] if named[1].startswith("tallybayes.") else f"{module}.{named[1]}")
            for name in listed[1].split(", "):
                assert getattr(shown, name).__doc__, f"{named[1]}.{name}"


def test_every_public_name_has_an_example():
    found = {name: getattr(tallybayes, name) for name in public_names(tallybayes)}
    called = {name: each for name, each in found.items() if inspect.isclass(each) or inspect.isroutine(each)}
    assert len(called) > 60
    without = {name for name, each in called.items() if ">>> " not in (inspect.getdoc(each) or "")}
    assert without == {"Family"}  # CONTRIBUTING.md has a whole one


def test_methods_of_a_model_that_pages_name_exist():
    """In prose and tables; examples are run."""
    pages = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CHANGELOG.md")]
    named = {}
    for page in [*pages, *(ROOT / "docs").glob("*.md")]:
        prose = re.sub(r"^ *```.*?^ *```", "", page.read_text(), flags=re.M | re.S)
        for code in re.findall(r"`([^`]+)`", prose):
            named |= dict.fromkeys(re.findall(r"(?<![\w./])model\.([a-z]\w+)", code), page.name)
    assert len(named) > 30
    known = {*dir(tallybayes.Model), "schema", "fitted"}
    assert {name: page for name, page in named.items() if name not in known} == {}


def test_every_verb_has_an_example():
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    shown = [block for page in pages for block in blocks(page.read_text()) if block.language == "console"]
    typed = "\n".join(command.typed for block in shown for command in commands(block))
    for verb in EXIT_CODES:
        assert re.search(rf"(?:^|[|&;] *)tallybayes {verb}\b", typed, re.M), verb


def first_cells(page):
    return {name for row in re.findall(r"^\| (.+?) \|", page, re.M) for name in re.findall(r"`([^`]+)`", row)}


def test_every_input_and_output_format_is_described():
    kinds = {*get_args(InputFormat)}
    assert kinds == {*TABLES, *DOCUMENTS}
    assert {*kinds, *get_args(AnswerFormat)} <= first_cells(FORMAT_PAGE)
    for report in get_args(ReportFormat):
        assert f"`{report}` for" in FORMAT_PAGE


def test_every_read_option_is_described():
    for field in dataclasses.fields(ReadOptions):
        assert f"`ReadOptions.{field.name}`" in FORMAT_PAGE
    for field in dataclasses.fields(Input)[1:]:  # the first is the data itself
        assert f"--{field.name.replace('_', '-')}" in first_cells(FORMAT_PAGE)


def test_every_mail_column_is_described():
    described = re.search(r"^### Columns of a mail\n(.*?)^## ", FORMAT_PAGE, re.M | re.S)[1]
    assert tuple(re.findall(r"^\| `(\w+)` \| \w", described, re.M)) == tallybayes.mail.COLUMNS
    for name in TEXTS:
        assert f"`{name}`" in described.rpartition("\n|")[2]


ROOMS = sorted(path.parent for path in (ROOT / "src" / "tallybayes").rglob("__init__.py"))
PYTHON_FILES = sorted((ROOT / "src" / "tallybayes").rglob("*.py"))


def test_every_package_is_in_the_architecture():
    page = (ROOT / "ARCHITECTURE.md").read_text()
    for folder in ROOMS:
        if folder.parent.name == "tallybayes":
            assert re.search(rf"^\| `{folder.name}` \|", page, re.M), folder.name


def test_every_module_of_the_architecture_exists():
    rooms = "|".join(folder.name for folder in ROOMS if folder.parent.name == "tallybayes")
    named = re.findall(rf"`((?:{rooms})/[a-z_/]+)(?:\.\w+)?`", (ROOT / "ARCHITECTURE.md").read_text())
    assert len(named) > 50
    for name in named:
        path = ROOT / "src" / "tallybayes" / name
        assert any(path.with_suffix(suffix).exists() for suffix in ("", ".py", ".cpp", ".hpp")), name


@pytest.mark.parametrize("path", PYTHON_FILES, ids=lambda path: str(path.relative_to(ROOT / "src" / "tallybayes")))
def test_every_module_has_a_docstring(path):
    assert ast.get_docstring(ast.parse(path.read_text()))


@pytest.mark.parametrize("folder", ROOMS[1:], ids=lambda folder: folder.name)
def test_every_package_states_its_dependencies(folder):
    docstring = ast.get_docstring(ast.parse((folder / "__init__.py").read_text()))
    if folder.name not in ("infer", "evaluation"):  # modules in several files
        assert "Leans on" in docstring


def test_every_page_is_in_the_index():
    listed = (ROOT / "docs" / "index.md").read_text()
    for path in (ROOT / "docs").rglob("*.md"):
        page = str(path.relative_to(ROOT / "docs").with_suffix(""))
        assert page.startswith("decisions/0") or page == "index" or re.search(rf"^{page}$", listed, re.M), page


def test_included_root_files_exist():
    conf = runpy.run_path(str(ROOT / "docs" / "conf.py"))
    for page, where in conf["IN_THE_ROOT"].items():
        text = conf["from_the_root"](*where)
        assert text.startswith("# "), page
        for target in re.findall(r"\]\(([^)#:]+)", text):
            assert (ROOT / "docs" / target).exists(), f"{page}: {target}"


def test_every_decision_is_listed():
    folder = ROOT / "docs" / "decisions"
    listed = (folder / "README.md").read_text()
    for path in folder.glob("0*.md"):
        assert path.name in listed


def test_every_link_to_a_file_resolves():
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def headings(page):
    """As links name them: GitHub and Sphinx alike."""
    prose = re.sub(r"^ *```.*?^ *```", "", page.read_text(), flags=re.M | re.S)
    return {re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-") for text in re.findall(r"^#+ (.*)$", prose, re.M)}


def test_every_link_to_a_heading_resolves():
    links = 0
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target, heading in re.findall(r"\]\(([\w./-]*)#([^)]+)\)", page.read_text()):
            links += 1
            assert heading in headings(page.parent / target if target else page), f"{page.name}: {target}#{heading}"
    assert links > 50


def test_every_benchmark_that_pages_name_exists():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "tests").rglob("*.py")]
    named = {name for page in pages for name in re.findall(r"\bbench/(\w+\.\w+)", page.read_text())}
    named |= {f"{name}.py" for name in re.findall(r"\w+", re.search(r"BENCHMARKS := (.*?)\n\n", MAKEFILE, re.S)[1])}
    there = {path.name for path in (ROOT / "bench").iterdir()}
    assert len(named) > 30
    assert named <= there


def test_decisions_are_listed_under_their_titles():
    folder = ROOT / "docs" / "decisions"
    titles = {path.name: path.read_text().splitlines()[0] for path in folder.glob("0*.md")}
    listed = re.findall(r"^- \[(\d+)\]\(([\w-]+\.md)\)\. (.*)$", (folder / "README.md").read_text(), re.M)
    assert {name: f"# {number}. {title}" for number, name, title in listed} == titles


def test_every_decision_that_is_named_exists():
    """Under its own number: links to one that was merged lead to the record that it is part of."""
    there = {int(path.name[:4]) for path in (ROOT / "docs" / "decisions").glob("0*.md")}
    texts = [
        *ROOT.glob("*.md"),
        *(path for name in ("docs", "src", "tests", "bench") for path in (ROOT / name).rglob("*")),
    ]
    named = {
        int(number)
        for path in texts
        if path.suffix in (".md", ".py", ".cpp", ".hpp")
        for number in re.findall(r"[Dd]ecisions?\s\[?([1-9]\d*)", path.read_text())
    }
    assert len(named) > 10
    assert named <= there
