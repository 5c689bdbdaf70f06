"""Writes docs/command-line.md from the program itself: its verbs, what they take, and what they end with.

`make docs` runs it, and a test fails where the page on disk is not what it would write.
"""

from __future__ import annotations

import inspect
import re
import types
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

import typer
from typer.main import get_command, get_command_name
from typer.utils import get_params_from_function

PAGE = Path(__file__).parent / "command-line.md"
OFTEN = 3  # verbs that have the same: it is then listed once, at the end
KINDS = {str: "TEXT", int: "INTEGER", float: "NUMBER", Path: "PATH"}
ALWAYS = """\
<!-- Written by docs/generate_command_line.py: change the program instead, and run make docs. -->

# Command line
"""
Codes = Mapping[str, Mapping[int, str]]
Rows = tuple[tuple[str, str], ...]


def page(app: typer.Typer, codes: Codes) -> str:
    """The whole page; `codes` are the exit codes of every verb and what they mean."""
    program = get_command(app)
    callbacks = callbacks_of(app)
    verbs = verbs_of(program)
    if apart := verbs.keys() ^ codes.keys():
        raise ValueError(f"Either a verb without exit codes or exit codes without a verb: {', '.join(sorted(apart))}.")
    begin = app.registered_callback.callback if app.registered_callback else None
    groups = [group for name, command in verbs.items() for group in options_of(command, callbacks[name]).items()]
    shared = often((heading, rows) for heading, rows in groups if heading)
    usual = often(("", exit_codes(codes[name])) for name in verbs).get("", ())
    parts = [ALWAYS, *described(program, begin, {})]
    parts += [
        f"`{app.info.name} VERB --help` describes one verb.{' See also the [exit codes](#exit-codes).' * bool(usual)}\n"
    ]
    parts += contents(verbs)
    for name, command in verbs.items():
        parts += [f"## {name}\n", f"`{usage(app.info.name, name, command)}`\n"]
        parts += described(command, callbacks[name], shared)
        ends = exit_codes(codes[name])
        as_usual = bool(usual) and set(usual) <= set(ends)
        parts += table("exit code", [end for end in ends if not as_usual or end not in usual])
    for heading, rows in shared.items():
        parts += [f"## {heading}\n", *table("option", rows)]
    if usual:
        parts += ["## Exit codes\n", "Unless a verb says otherwise:\n", *table("exit code", usual)]
    return "\n".join(parts)


def often(groups: Iterable[tuple[str, Rows]]) -> dict[str, Rows]:
    """The rows that several verbs have under the same heading."""
    return {heading: rows for (heading, rows), verbs in Counter(groups).items() if verbs >= OFTEN and rows}


def exit_codes(codes: Mapping[int, str]) -> Rows:
    return tuple((f"`{code}`", prose(codes[code])) for code in sorted(codes))


def callbacks_of(app: typer.Typer) -> dict[str, Any]:
    """The function of every verb; a verb of two words is one of a group."""
    found = {
        about.name or get_command_name(about.callback.__name__): about.callback
        for about in app.registered_commands
        if about.callback is not None
    }
    for group in app.registered_groups:
        if group.typer_instance is not None:
            found |= {f"{group.name} {verb}": call for verb, call in callbacks_of(group.typer_instance).items()}
    return found


def verbs_of(program: Any) -> dict[str, Any]:
    found = {}
    for name, command in program.commands.items():
        if hasattr(command, "commands"):
            found |= {f"{name} {verb}": part for verb, part in verbs_of(command).items()}
        elif not command.hidden:
            found[name] = command
    return found


def contents(verbs: Mapping[str, Any]) -> list[str]:
    """Every verb in a line."""
    return table(
        "verb",
        [(f"[{name}](#{name.replace(' ', '-')})", prose(first_line(command))) for name, command in verbs.items()],
    )


def first_line(command: Any) -> str:
    return next(iter(paragraphs(command.short_help or command.help or "")), "")


def usage(program: str, name: str, command: Any) -> str:
    """How the verb is called: options first, arguments in their order."""
    shown = [f"{program} {name} [OPTIONS]"]
    for argument in command.params:
        if argument.param_type_name == "argument" and not argument.hidden:
            shown.append(argument_name(argument) if argument.required else f"[{argument_name(argument)}]")
    return " ".join(shown)


def described(command: Any, callback: Any, shared: Mapping[str, Rows]) -> list[str]:
    """Help, arguments and options, those with a heading of their own under it, or where it is if several share it."""
    parts = [f"{text}\n" for text in map(paragraph, paragraphs(command.help or ""))]
    arguments = [(f"`{argument_name(given)}`", meaning) for given, _, meaning in taken(command, callback, "argument")]
    parts += table("argument", arguments)
    elsewhere = []
    for heading, rows in sorted(options_of(command, callback).items(), key=lambda item: item[0] != ""):
        if shared.get(heading) == rows:
            elsewhere.append(f"[{heading.lower()}](#{heading.lower().replace(' ', '-')})")
        else:
            parts += ([f"{heading}:\n"] if heading else []) + table("option", rows)
    parts += [f"Also the options for {' and '.join(elsewhere)}.\n"] if elsewhere else []
    if getattr(command, "epilog", None):
        parts += [f"{text}\n" for text in map(paragraph, paragraphs(command.epilog))]
    return parts


def options_of(command: Any, callback: Any) -> dict[str, Rows]:
    """Every option with its meaning, by heading; those without one first."""
    found: dict[str, Rows] = {}
    for given, known, meaning in taken(command, callback, "option"):
        about = known.default if known else None
        heading = getattr(about, "rich_help_panel", None)
        name = option_name(given, about, known.annotation if known else bool)
        at = heading if isinstance(heading, str) else ""
        found[at] = (*found.get(at, ()), (name, meaning))
    return found


def taken(command: Any, callback: Any, sort: str) -> Iterator[tuple[Any, Any, str]]:
    """The arguments or the options of a verb, what is declared about each, and what it means."""
    declared = get_params_from_function(callback) if callback else {}
    for given in command.params:
        if given.param_type_name == sort and not given.hidden:
            known = declared.get(given.name)
            about = known.default if known else None
            yield given, known, f"{prose((about or given).help or '')}{remarks(given, about)}".strip()


def argument_name(argument: Any) -> str:
    name = (argument.metavar or argument.name.upper()).strip("[].")
    return name if argument.nargs == 1 else f"{name}..."


def option_name(option: Any, about: Any, annotation: Any) -> str:
    """Its spellings, and what it takes."""
    names = ", ".join(f"`{name}`" for name in sorted(option.opts, key=lambda name: not name.startswith("--")))
    if option.secondary_opts:
        names += " or " + ", ".join(f"`{name}`" for name in option.secondary_opts)
    metavar = getattr(about, "metavar", None)
    taken = metavar if isinstance(metavar, str) else kind(annotation)
    return f"{names} `{taken}`" if taken and not getattr(option, "is_flag", False) else names


def kind(annotation: Any) -> str:
    """What a value of this type looks like on the command line."""
    arguments = [part for part in get_args(annotation) if part is not type(None)]
    if get_origin(annotation) is Literal:
        return "|".join(map(str, arguments))
    if get_origin(annotation) in (Union, types.UnionType, list):
        return kind(arguments[0])
    if get_origin(annotation) is tuple:
        return " ".join(map(kind, arguments))
    if inspect.isclass(annotation) and issubclass(annotation, Enum):
        return "|".join(str(choice.value) for choice in annotation)
    return "" if annotation is bool else KINDS.get(annotation, "TEXT")


def remarks(given: Any, about: Any) -> str:
    """Whether it must be there, what it is otherwise, how often it may come and within which limits."""
    found = ["required"] if given.required and given.param_type_name == "option" else []
    least, most = getattr(about, "min", None), getattr(about, "max", None)
    found += [f"at least {least:g}"] if least is not None else []
    found += [f"at most {most:g}"] if most is not None else []
    if about is not None and (default := shown_default(given, about)):
        found.append(f"default {default}")
    if getattr(given, "multiple", False) and "repeat" not in (about.help or "").lower():
        found.append("may be repeated")
    return f" ({', '.join(found)})" if found else ""


def shown_default(given: Any, about: Any) -> str:
    default = about.default
    if isinstance(about.show_default, str):
        return prose(about.show_default)
    if not about.show_default or default in (None, ..., [], ()) or callable(default):
        return ""
    if isinstance(default, bool):
        names = given.opts if default else given.secondary_opts
        return f"`{names[0]}`" if names and given.secondary_opts else ""
    values: Sequence[Any] = default if isinstance(default, (list, tuple)) else [default]
    texts = [str(value.value if isinstance(value, Enum) else value) for value in values]
    return ", ".join(f"`{text}`" if text else '`""`' for text in texts)


def paragraphs(text: str) -> list[str]:
    text = inspect.cleandoc(text).split("\f")[0].replace("\b\n", "")
    return [part for part in re.split(r"\n\s*\n", text) if part.strip()]


def paragraph(text: str) -> str:
    """Prose; but lines that call the program are code, each in a line of its own."""
    lines = [line.strip() for line in text.splitlines()]
    if all(line.startswith("tallybayes ") for line in lines):
        return "\\\n".join(f"`{line}`" for line in lines)
    return prose(" ".join(lines))


def prose(text: str) -> str:
    """Plain text as Markdown: options become code, and no letter has a meaning of its own but the backtick."""
    parts = re.split(r"(`[^`]*`)", " ".join(text.split()))
    for i in range(0, len(parts), 2):
        plain = re.sub(r"([\\*_<>\[\]])", r"\\\1", parts[i])
        parts[i] = re.sub(r"(?<![\w-])(--?[a-z][\w-]*)", r"`\1`", plain)
    return "".join(parts)


def table(what: str, rows: Sequence[tuple[str, str]]) -> list[str]:
    if not rows:
        return []
    cells = [" | ".join(text.replace("|", "\\|") for text in row) for row in rows]
    return ["\n".join([f"| {what} | meaning |", "|---|---|", *(f"| {row} |" for row in cells)]) + "\n"]


if __name__ == "__main__":
    from tallybayes.cli import app
    from tallybayes.cli.program import EXIT_CODES

    PAGE.write_text(page(app, EXIT_CODES), encoding="utf-8")
