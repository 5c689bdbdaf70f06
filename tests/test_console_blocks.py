"""Every command in the documentation does what is shown, and every code block is run."""

import doctest
from pathlib import Path

import pytest

from console import Block, blocks, commands, environment, run_page

ROOT = Path(__file__).parent.parent
RUN = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in [*RUN, *ROOT.glob("*.md")]}
WITH_COMMANDS = [name for name, page in PAGES.items() if any(block.language == "console" for block in blocks(page))]
SHELLS = {"bash", "sh", "shell", "zsh", "fish", "shell-session", "bash-session", "sh-session"}
PYTHON = {"python", "python3", "py", "py3", "pycon", "doctest"}
NOT_RUN: dict[str, str] = {}  # "page.md:line of the fence": why this Python block cannot be run


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_COMMANDS)
def test_commands_of_a_page(name, tmp_path):
    run_page(PAGES[name], tmp_path)


def text_beside_examples(block):
    return "".join(part for part in doctest.DocTestParser().parse(block.text) if isinstance(part, str)).strip()


@pytest.mark.parametrize("name", PAGES)
def test_every_code_block_is_run(name):
    for block in blocks(PAGES[name]):
        place = f"{name}:{block.line}"
        assert block.language not in SHELLS, f"{place}: call it console, and show what its commands show"
        if block.language in PYTHON and block.file is None and place not in NOT_RUN:
            assert not text_beside_examples(block), f"{place}: write it with >>>, so that it is run"
        if block.language in {*PYTHON, "console"}:
            assert ROOT / name in RUN, f"{place}: the blocks of this page are not run"
        if block.language != "console":
            typed = [line for line in block.text.splitlines() if line.startswith(("$ ", "tallybayes "))]
            assert not typed or block.file, f"{place}: a command that is not run; call the block console"


@pytest.mark.parametrize("name", PAGES)
def test_file_of_a_page_is_named_before(name):
    lines = PAGES[name].splitlines()
    for block in blocks(PAGES[name]):
        if block.file is not None:
            before = "\n".join(lines[: block.line - 2])
            assert f"`{block.file}`" in before, f"{name}:{block.line}: readers do not see the comment"


def test_exceptions_are_still_there():
    for place in NOT_RUN:
        name, _, line = place.rpartition(":")
        assert any(block.line == int(line) and block.language in PYTHON for block in blocks(PAGES[name])), place


def page(*lines):
    return "\n".join(["# A page", "", "```console", *lines, "```", ""])


def test_blocks_know_their_language_line_and_file():
    table = "Text\n\n<!-- file: a b.csv -->\n```csv\nx,y\n```\n\n"
    item = "- item\n\n  ~~~~console\n  $ ls\n  ~~~\n  ~~~~\n"
    assert list(blocks(table + item + "```\n$ no\n```\n")) == [
        Block("csv", "x,y\n", 4, "a b.csv"),
        Block("console", "$ ls\n~~~\n", 10),
        Block("", "$ no\n", 14),
    ]


def test_commands_continue_on_further_lines():
    block = Block("console", "$ cat <<X\n> one\n>\n> X\none\n\n> quoted\n$ echo a \\\n  b\na b\n[exit 0]\n", 3)
    assert [(command.typed, command.shown, command.code, command.line) for command in commands(block)] == [
        ("cat <<X\none\n\nX", "one\n\n> quoted\n", 0, 4),
        ("echo a \\\n  b", "a b\n", 0, 11),
    ]


@pytest.mark.parametrize("text", ["", "output\n$ ls\n"])
def test_block_begins_with_a_command(text):
    with pytest.raises(ValueError, match="command"):
        commands(Block("console", text, 1))


def test_expected_output(tmp_path):
    run_page(
        page("$ echo one; echo two >&2; echo three", "one", "two", "three", "$ true", "$ printf four", "four"), tmp_path
    )


def test_dots_match_anything_and_spaces_match_exactly(tmp_path):
    run_page(page("$ echo 'took   1.25 s,  fine'", "took ... s, fine"), tmp_path)


@pytest.mark.parametrize("lines", [("$ echo one", "two"), ("$ echo one",), ("$ true", "one"), ("$ echo 1", "True")])
def test_wrong_output_fails(lines, tmp_path):
    with pytest.raises(AssertionError, match=r"line 4: \$ "):
        run_page(page(*lines), tmp_path)


def test_exit_code_is_0_unless_stated(tmp_path):
    run_page(page("$ echo no; (exit 2)", "no", "[exit 2]", "$ false", "[exit 1]"), tmp_path)
    with pytest.raises(AssertionError, match="ends with 3 instead of 0"):
        run_page(page("$ echo no; (exit 3)", "no"), tmp_path)
    with pytest.raises(AssertionError, match="ends with 0 instead of 2"):
        run_page(page("$ echo no", "no", "[exit 2]"), tmp_path)


def test_files_variables_and_folders_persist_between_blocks(tmp_path):
    first = page("$ echo kept > file; name=value; mkdir inner; cd inner")
    run_page(first + page("$ cat ../file; echo $name; basename $PWD", "kept", "value", "inner"), tmp_path)


def test_page_writes_its_files(tmp_path):
    weather = "<!-- file: data/weather.csv -->\n```csv\noutlook,play\n'rain',no\n```\n\n"
    run_page(weather + page("$ cat data/weather.csv", "outlook,play", "'rain',no"), tmp_path)
    with pytest.raises(ValueError, match="outside"):
        run_page("<!-- file: ../weather.csv -->\n```csv\na\n```\n", tmp_path)


def test_file_exists_only_after_its_block(tmp_path):
    with pytest.raises(AssertionError):
        run_page(page("$ cat a.csv", "1") + "<!-- file: a.csv -->\n```csv\n1\n```\n", tmp_path)


def test_quotes_input_and_errors_do_not_confuse_the_shell(tmp_path):
    quotes = """$ echo "it's" '$HOME'"""
    run_page(page(quotes, "it's $HOME", "$ cat", "$ no-such", "...", "[exit 127]", "$ echo on", "on"), tmp_path)
    with pytest.raises(AssertionError, match="unexpected EOF"):
        run_page(page("$ echo 'open"), tmp_path)


def test_shell_that_exits_is_reported(tmp_path):
    run_page(page("$ exit 4", "[exit 4]"), tmp_path)
    with pytest.raises(AssertionError, match="ended before"):
        run_page(page("$ exit 4", "[exit 4]", "$ true", "$ true"), tmp_path)


def test_programs_of_this_environment_come_first_without_colours(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    monkeypatch.setenv("FORCE_COLOR", "1")
    found = environment(tmp_path)
    assert {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "LC_ALL": "C.UTF-8"}.items() <= found.items()
    assert not {"PYTHONHASHSEED", "FORCE_COLOR"} & found.keys()
    run_page(page("$ python -c 'import tallybayes, os; print(os.getcwd() == os.environ[\"HOME\"])'", "True"), tmp_path)
