"""The generated command-line page matches the program; a toy program has options of every kind."""

import importlib.util
import re
import runpy
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import pytest
import typer

DOCS = Path(__file__).parent.parent / "docs"
GENERATOR = runpy.run_path(str(DOCS / "generate_command_line.py"))
page = GENERATOR["page"]

needs_the_program = pytest.mark.skipif(
    importlib.util.find_spec("tallybayes.cli") is None, reason="the command line is not there yet"
)


class Colour(StrEnum):
    red = "red"
    green = "green"


toy = typer.Typer(name="toy", help="Counts toys.", add_completion=False, rich_markup_mode=None)


@toy.callback()
def about(version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False) -> None:
    pass


@toy.command()
def count(
    boxes: Annotated[list[Path], typer.Argument(metavar="BOX...", help="Where the toys are; * is any.")],
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Where to write.")],
    colour: Annotated[Colour, typer.Option(help="Which to count.")] = Colour.red,
    missing: Annotated[list[str], typer.Option(help="What is none.", rich_help_panel="Reading")] = ["", "NA"],  # noqa: B006
    most: Annotated[int | None, typer.Option(min=1, max=9, help="Stop there.")] = None,
    size: Annotated[tuple[int, float], typer.Option(help="Of a toy.")] = (1, 2.5),
    check: Annotated[bool, typer.Option(help="Whether to look twice.")] = True,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing; see --check.")] = False,
    secret: Annotated[bool, typer.Option("--secret", hidden=True)] = False,
) -> None:
    """Count toys.

    Those of one_colour, or
    with --colour `red|green`.

    tallybayes count a b
    tallybayes count c
    """


@toy.command("throw-away")
def throw(toy_name: Annotated[str, typer.Argument(help="Which one.")] = "ball") -> None:
    """Throw a toy away."""


CODES = {"count": {2: "no such box", 0: "fine"}, "throw-away": {0: "fine", 3: "with `-f`: it came back"}}


def verb(name):
    return re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", page(toy, CODES), re.M | re.S)[1]


def test_page_begins_with_the_program_and_a_line_per_verb():
    beginning = page(toy, CODES).split("\n## ")[0]
    assert "\nCounts toys.\n" in beginning
    assert "| `--version` | Show the version. |" in beginning
    assert "| [count](#count) | Count toys. |\n| [throw-away](#throw-away) | Throw a toy away. |" in beginning


def test_verb_usage():
    assert verb("count").startswith("\n`toy count [OPTIONS] BOX...`\n")
    assert verb("throw-away").startswith("\n`toy throw-away [OPTIONS] [TOY_NAME]`\n")


def test_help_is_prose_and_options_are_code():
    assert r"Those of one\_colour, or with `--colour` `red|green`." in verb("count")
    assert "`tallybayes count a b`\\\n`tallybayes count c`\n" in verb("count")


def test_every_argument_and_option_has_a_type_and_a_default():
    for row in (
        r"| `BOX...` | Where the toys are; \* is any. |",
        "| `--output`, `-o` `FILE` | Where to write. (required) |",
        r"| `--colour` `red\|green` | Which to count. (default `red`) |",
        "| `--most` `INTEGER` | Stop there. (at least 1, at most 9) |",
        "| `--size` `INTEGER NUMBER` | Of a toy. (default `1`, `2.5`) |",
        "| `--check` or `--no-check` | Whether to look twice. (default `--check`) |",
        "| `--quiet` | Say nothing; see `--check`. |",
    ):
        assert row in verb("count")
    assert "| `TOY_NAME` | Which one. (default `ball`) |" in verb("throw-away")


def test_options_are_grouped_by_heading_and_hidden_ones_omitted():
    row = '| `--missing` `TEXT` | What is none. (default `""`, `NA`, may be repeated) |'
    assert f"\nReading:\n\n| option | meaning |\n|---|---|\n{row}\n" in verb("count")
    assert "secret" not in page(toy, CODES)


def test_exit_codes_are_listed_in_order():
    assert "| `0` | fine |\n| `2` | no such box |\n" in verb("count")
    assert "| `3` | with `-f`: it came back |" in verb("throw-away")


def alike(*names):
    """A program whose verbs have the same options under a heading, and the same exit codes but for one."""
    app = typer.Typer(name="toy", add_completion=False, rich_markup_mode=None)
    for name in names:

        @app.command(name)
        def verb(
            box: Annotated[str, typer.Option(help="Which box.", rich_help_panel="Reading toys")] = "red",
            loud: Annotated[bool, typer.Option("--loud", help="Say it.")] = False,
        ) -> None:
            """Does something."""

    return page(app, {name: {0: "fine", 2: "broken", **({5: "lost"} if name == names[0] else {})} for name in names})


def test_what_three_verbs_share_is_listed_once_at_the_end():
    row, ends = "| `--box` `TEXT` | Which box. (default `red`) |", "| `0` | fine |\n| `2` | broken |\n"
    assert alike("lose", "find").count(row) == alike("lose", "find").count("`2` | broken") == 2
    shared = alike("lose", "find", "keep", "lend")
    assert shared.count(row) == shared.count("`2` | broken") == shared.count("| `5` | lost |") == 1
    assert shared.count("\nAlso the options for [reading toys](#reading-toys).\n") == 4
    assert shared.count("| `--loud` | Say it. |") == 4
    lose, *_, last_but_one, last = re.split(r"^## .*\n", shared, flags=re.M)[1:]
    assert "| `5` | lost |" in lose
    assert row in last_but_one
    assert ends in last


@pytest.mark.parametrize("codes", [{"count": {0: "fine"}}, {**CODES, "sell": {0: "fine"}}])
def test_verb_without_exit_codes_is_an_error_and_vice_versa(codes):
    with pytest.raises(ValueError, match=r"throw-away|sell"):
        page(toy, codes)


@needs_the_program
def test_page_on_disk_is_up_to_date():
    from tallybayes.cli import app
    from tallybayes.cli.program import EXIT_CODES

    assert GENERATOR["PAGE"].read_text(encoding="utf-8") == page(app, EXIT_CODES), "run: make docs"


@needs_the_program
def test_every_verb_and_option_of_the_program_has_help():
    from tallybayes.cli import app

    for name, command in typer.main.get_command(app).commands.items():
        assert command.help, name
        for given in command.params:
            assert given.hidden or given.help, f"{name}: {given.name}"
