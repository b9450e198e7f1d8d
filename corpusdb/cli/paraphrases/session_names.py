"""The commands that rename, delete and bring back a paraphrase session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import write_json

if TYPE_CHECKING:
    from corpusdb.queries.sessions.names import DeletedSession
    from corpusdb.queries.sessions.sessions import Standing

__all__ = ["delete", "rename", "restore"]


@dataclass(frozen=True, slots=True)
class RenameOptions:
    """What `session rename` takes."""

    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the session.", show_default=False)]
    new: Annotated[str, typer.Argument(metavar="NEW", help="Its new name.", show_default=False)]


@command("rename")
def rename(invocation: Invocation, options: RenameOptions) -> None:
    """Give a session another name."""
    from corpusdb.queries.sessions.names import rename_session

    with invocation.writing() as store:
        standing = rename_session(store, options.name, options.new)
    _report(invocation, standing, "session")


@dataclass(frozen=True, slots=True)
class DeleteOptions:
    """What `session delete` takes."""

    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the session.", show_default=False)]


@command("delete")
def delete(invocation: Invocation, options: DeleteOptions) -> None:
    """Delete a session; `session restore` brings it back.

    What was written into the corpus stays there.
    """
    from corpusdb.queries.sessions.names import delete_session

    with invocation.writing() as store:
        standing = delete_session(store, options.name)
    _report(invocation, standing, "deleted")


@dataclass(frozen=True, slots=True)
class RestoreOptions:
    """What `session restore` takes."""

    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Name of the deleted session.", show_default=False)
    ] = None


@command("restore")
def restore(invocation: Invocation, options: RestoreOptions) -> None:
    """Bring a deleted session back.

    Without a name it is the only one; where there are several, these are listed, the last one first, and the exit code
    is 1.
    """
    from corpusdb.queries.sessions.names import deleted_sessions, restore_session

    if options.name is None:
        with invocation.reading() as store:
            found = deleted_sessions(store)
        if len(found) > 1:
            _list(invocation, found)
            raise typer.Exit(1)
    with invocation.writing() as store:
        standing = restore_session(store, options.name)
    _report(invocation, standing, "session")


def _list(invocation: Invocation, found: Sequence[DeletedSession]) -> None:
    columns = ("name", "language", "seeds", "decisions", "last_used")
    if invocation.json:
        write_json(found)
    else:
        invocation.show(columns, [tuple(getattr(each, column) for column in columns) for each in found])
    invocation.say(f"{len(found):,} sessions are deleted: name the one to bring back")


def _report(invocation: Invocation, standing: Standing, what: str) -> None:
    invocation.report(
        asdict(standing), [(what, standing.name), ("seeds", standing.seeds), ("of these done", standing.done)]
    )
