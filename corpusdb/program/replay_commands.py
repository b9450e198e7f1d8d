"""The command that makes results again, and says whether they are the same."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass, replace
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.options import number_of, options_from_json
from corpusdb.commands.command import command
from corpusdb.commands.invocation import Invocation
from corpusdb.commands.output import Making, write_json, write_line
from corpusdb.program.catalogue import replayed_command
from corpusdb.program.queries.replay import Replayed

if TYPE_CHECKING:
    from corpusdb.program.queries.replay import MadeFrom

__all__ = [
    "replay",
    "replay_lines",
]


# What was made again, as text.


def replay_lines(found: Replayed) -> Iterator[str]:
    """What it is and whether it is the same; below that what differs, and which input is another."""
    yield f"{'equal  ' if found.equal else 'differs'}  {found.what}"
    for difference in found.differences:
        yield f"    {difference}"
    for line in found.inputs:
        yield f"    {'but ' if found.equal else ''}{line}"
    if not found.equal and not found.inputs and not found.notes:
        yield "    no input that is known has changed"
    for note in found.notes:
        yield f"    {note}"


# The command that makes results again, and says whether they are the same.


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """What `replay` takes."""

    what: Annotated[
        list[str],
        typer.Argument(metavar="WHAT...", help="RUN, score:N, set:NAME or FILE.json.", show_default=False),
    ]


@command("replay")
def replay(invocation: Invocation, options: ReplayOptions) -> None:
    """Make results again, and compare them bit for bit.

    A number is that of a run, as `corpusdb info` lists them: its scores or its frozen set, or what is derived in its
    language, which is rebuilt beside and compared row by row. score:N is a stored score, set:NAME a frozen reference
    set. A file is the --json of a study, of `references` or of `score`; the files that it was made of are read where it
    names them, from this folder on. Where something differs, lines say in what, and which input is another: a file,
    the corpus, what was derived from it, the version. The exit code is then 1. Nothing is stored.
    """
    found = [each for what in options.what for each in _replayed(invocation, what)]
    if invocation.json:
        write_json([asdict(each) for each in found])
    else:
        for each in found:
            for line in replay_lines(each):
                write_line(line)
    if not found:
        invocation.say("there is nothing that was made")
    if not all(each.equal for each in found):
        raise typer.Exit(1)


def _replayed(invocation: Invocation, what: str) -> Sequence[Replayed]:
    from corpusdb.program.queries import replay as stored

    kind, colon, name = what.partition(":")
    if colon and kind == "set":
        return invocation.look(lambda store: invocation.run(stored.replay_set(store, name)))
    if colon and kind in ("score", "run"):
        number = _number(name, what)
        again = stored.replay_score if kind == "score" else stored.replay_run
        return invocation.look(lambda store: invocation.run(again(store, number)))
    if what.isascii() and what.isdecimal():
        return invocation.look(lambda store: invocation.run(stored.replay_run(store, _number(what, what))))
    return [_replayed_file(invocation, Path(what))]


def _number(text: str, what: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise UsageError(f"{what!r} names no number; there are RUN, run:N, score:N, set:NAME and FILE.json")
    return number_of(text)


def _replayed_file(invocation: Invocation, path: Path) -> Replayed:
    """A document of a file, made again by the command that it names."""
    from corpusdb.program.queries.replay import (
        Replayed,
        check_analysers,
        differences,
        differing_inputs,
        file_inputs,
        read_document,
        version_difference,
    )

    document, record = read_document(path)
    check_analysers(record, path)
    what = f"{path}: {record.command}"
    files = [Path(each.name) for each in record.inputs if each.kind == "file"]
    if Path("-") in files:
        raise InputError("it was made of what stood on standard input, which nobody has now", path=path)
    of_files = tuple(each for each in record.inputs if each.kind == "file")
    others = [*differing_inputs(of_files, tuple(file_inputs(files)))]
    try:
        again, now = _made_again(invocation, record, path)
    except InputError as error:
        if not others:
            raise
        return Replayed(
            what, False, (f"it cannot be made again: {error}",), (*version_difference(record.version), *others)
        )
    found = differences(document, again)
    inputs = (*version_difference(record.version), *differing_inputs(record.inputs, now.inputs))
    return Replayed(what, not found, tuple(found), inputs)


def _made_again(invocation: Invocation, record: MadeFrom, path: Path) -> tuple[Any, MadeFrom]:
    """The document that the command now prints, and what it is made of. Raises InputError for another's command."""
    from corpusdb.base.morphemes import analysers_used
    from corpusdb.corpus.formats.reading import files_read

    command = replayed_command(record.command)
    if command is None or command.replayed is None:
        raise InputError(f"it was made by {record.command!r}, which is not replayed", path=path)
    try:
        options = options_from_json(command.options, record.options, invocation.say, of=f"{path} of {record.command}")
    except UsageError as error:
        raise InputError(f"its options are not those of {record.command!r}: {error}", path=path) from error
    with (
        TemporaryDirectory(prefix="corpusdb-") as folder,
        files_read() as files,
        analysers_used() as analysers,
        redirect_stdout(StringIO()) as out,
    ):
        making = Making(command.name, options, files, analysers)
        silent = replace(invocation, quiet=True, json=True, chosen_format=None, making=making)
        command.run(silent, command.replayed(options, Path(folder)))
        now = making.record()
    return json.loads(out.getvalue()), now
