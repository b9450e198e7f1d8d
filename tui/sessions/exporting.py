"""Writing what was accepted in a session to a file of references."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from corpusdb.display import cell_safe
from corpusdb.errors import UsageError
from corpusdb.outputs import Guard
from corpusdb.queries.sessions.references import (
    REFERENCE_FORMATS,
    ReferenceFile,
    WrittenReferences,
    reference_file,
    write_session_references,
)
from corpusdb.queries.sessions.sessions import Standing, session_name, session_standing
from tui.background.reader import DatabaseReader
from tui.shared.form import Field, FormDialog
from tui.shared.place_screen import PlaceScreen

__all__ = ["ask_references"]


def ask_references(screen: PlaceScreen, session: Standing) -> None:
    """Ask for a file and a format, and write the accepted references of a session to it.

    The form stays where that cannot be done.
    """
    database = screen.shell.path

    named = screen.shell.test_sets

    def asked(values: Mapping[str, str]) -> tuple[ReferenceFile, Path | None]:
        if not values["file"]:
            raise UsageError("a file needs a name")
        guard = Guard(database, values["overwrite"].casefold() in ("yes", "y"))
        file = reference_file(Path(values["file"]).expanduser(), values["format"] or None, guard)
        test_set = Path(values["for"]).expanduser() if values["for"] else None
        if test_set is not None and not test_set.is_file():
            raise UsageError(f"there is no file {values['for']!r}")
        return file, test_set

    async def write(values: Mapping[str, str]) -> None:
        file, test_set = asked(values)

        def question(reader: DatabaseReader) -> tuple[WrittenReferences, int]:
            name = session_name(reader.store, session.id)
            written = write_session_references(reader.store, name, file, test_set)
            return written, session_standing(reader.store, name).accepted

        written = await screen.shell.runner.ask(question)
        named[session.id] = values["for"]
        screen.say(_told(*written))

    fields = [
        Field("file", "File", "references.tsv", "`score --ref` reads it"),
        Field("for", "For test set", named.get(session.id, ""), "a file: a segment for each of its lines"),
        Field("format", "Format", "", "by the ending: .tsv .jsonl", choices=REFERENCE_FORMATS),
        Field("overwrite", "Replace a file", "no", choices=("no", "yes")),
    ]
    title = f"Export the accepted references of {cell_safe(session.name)}"
    screen.app.push_screen(FormDialog(title, fields, asked, write))


def _told(written: WrittenReferences, in_session: int) -> str:
    """How much was written; where that is not the + of the session, why."""
    accepted = written.references.accepted
    references, unit = "reference" if accepted == 1 else "references", written.unit
    units = unit if written.segments == 1 else f"{unit}s"
    told = f"{accepted:,} accepted {references} of {written.segments:,} {units} written to {written.path}"
    other = [f"not the +{in_session:,} of the session, which has each once, whatever lines ask for it"]
    return "; ".join([told, *(other if accepted != in_session else []), *written.notes])
