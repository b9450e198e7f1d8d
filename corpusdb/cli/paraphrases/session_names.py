"""The commands that rename, delete and bring back a paraphrase session."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation

if TYPE_CHECKING:
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
class DeletedOptions:
    """What `session delete` and `session restore` take."""

    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the session.", show_default=False)]


@command("delete")
def delete(invocation: Invocation, options: DeletedOptions) -> None:
    """Delete a session; `session restore` brings it back.

    What was written into the corpus stays there.
    """
    from corpusdb.queries.sessions.names import delete_session

    with invocation.writing() as store:
        standing = delete_session(store, options.name)
    _report(invocation, standing, "deleted")


@command("restore")
def restore(invocation: Invocation, options: DeletedOptions) -> None:
    """Bring a deleted session back."""
    from corpusdb.queries.sessions.names import restore_session

    with invocation.writing() as store:
        standing = restore_session(store, options.name)
    _report(invocation, standing, "session")


def _report(invocation: Invocation, standing: Standing, what: str) -> None:
    invocation.report(
        asdict(standing), [(what, standing.name), ("seeds", standing.seeds), ("of these done", standing.done)]
    )
