"""The command that launches the terminal browser, and the one module of the command line that knows it."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from corpusdb.base.errors import UsageError
from corpusdb.base.options import Option
from corpusdb.commands.command import command
from corpusdb.commands.invocation import Invocation
from corpusdb.commands.output import write_json, write_line, write_table


@dataclass(frozen=True, slots=True)
class BrowseOptions:
    """What `browse` takes."""

    config: Annotated[Path | None, Option("Keys and looks, instead of the file of the user.", metavar="FILE")] = None
    keys: Annotated[bool, Option("Show every setting, and where it comes from.")] = False
    check_config: Annotated[bool, Option("Say whether the settings are right.")] = False
    lines: Annotated[str | None, Option("Print what a place shows, as lines.", metavar="PLACE")] = None
    find: Annotated[str | None, Option("lines: typed there, or the row to open.", metavar="TEXT")] = None
    press: Annotated[tuple[str, ...], Option("lines: pressed after that; repeat it for more.", metavar="KEY")] = ()


@command("browse")
def browse(invocation: Invocation, options: BrowseOptions) -> int | None:
    """Browse the corpus by keyboard.

    --lines prints the content of one place instead, for pipes and screen readers: corpus, session, paradigms, judging,
    scores, jobs, overview, equivalents, rules or profile. --press drives it as on the screen: --lines corpus --find
    please --press v, or --press "?" for the keys of a place. Settings are read from $CORPUSDB_CONFIG, else from
    corpusdb/browser.toml in ~/.config.
    """
    _check(options)
    if options.keys:
        _show_settings(invocation, options)
    elif options.check_config:
        _check_settings(invocation, options)
    elif options.lines is not None:
        _show_lines(invocation, options, options.lines)
    else:
        _browse(invocation, options)
    return None


def _check(options: BrowseOptions) -> None:
    modes = {"--keys": options.keys, "--check-config": options.check_config, "--lines": options.lines is not None}
    chosen = [name for name, is_chosen in modes.items() if is_chosen]
    if len(chosen) > 1:
        raise UsageError(f"{' and '.join(chosen)} exclude each other")
    if (options.find is not None or options.press) and options.lines is None:
        raise UsageError("--find and --press go with --lines")


def _show_settings(invocation: Invocation, options: BrowseOptions) -> None:
    from tui.app import all_bindings, load_configuration

    settings = load_configuration(options.config).shown(all_bindings())
    if invocation.json:
        write_json(settings)
        return
    write_table(("setting", "value", "origin"), [(each.name, each.value, each.origin) for each in settings])


def _check_settings(invocation: Invocation, options: BrowseOptions) -> None:
    from tui.app import load_configuration

    file = load_configuration(options.config).file
    if invocation.json:
        write_json({"ok": True, "file": None if file is None else str(file)})
    else:
        write_line("ok" if file is None else f"{file}: ok")
    if file is None:
        invocation.say("there is no file of settings; everything is as it comes")


def _show_lines(invocation: Invocation, options: BrowseOptions, place: str) -> None:
    from tui.app import Visit, visit_place

    view = visit_place(invocation.path, Visit(place, options.find, options.press), options.config)
    if invocation.json:
        write_json(asdict(view))
    else:
        for line in view.lines:
            write_line(line)
    if view.message:
        invocation.say(view.message)
    if view.is_error:
        raise typer.Exit(1)


def _browse(invocation: Invocation, options: BrowseOptions) -> None:
    streams = {"stdin": sys.stdin, "stdout": sys.stdout, "stderr": sys.stderr}
    away = [name for name, stream in streams.items() if not stream.isatty()]
    if away:
        raise UsageError(f"{away[0]} is no terminal; `corpusdb browse --lines PLACE` prints what a place shows")
    if os.environ.get("TERM", "dumb") == "dumb":
        raise UsageError("this terminal cannot be drawn on; `corpusdb browse --lines PLACE` prints what a place shows")
    from tui.app import run

    run(invocation.path, options.config)
