"""Writing what was accepted in a session to a file of references."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from corpusdb.errors import UsageError
from corpusdb.outputs import Guard
from corpusdb.queries.sessions.references import (
    REFERENCE_FORMATS,
    ReferenceFile,
    WrittenReferences,
    reference_file,
    write_session_references,
)
from tui.shared.form import Field, FormDialog
from tui.shared.place_screen import PlaceScreen

__all__ = ["ask_references"]


def ask_references(screen: PlaceScreen, session: str) -> None:
    """Ask for a file and a format, and write the accepted references of a session to it."""
    database = screen.shell.path

    def asked(values: Mapping[str, str]) -> ReferenceFile:
        if not values["file"]:
            raise UsageError("a file needs a name")
        guard = Guard(database, values["overwrite"].casefold() in ("yes", "y"))
        return reference_file(Path(values["file"]).expanduser(), values["format"] or None, guard)

    def answered(values: dict[str, str] | None) -> None:
        if values is not None:
            file = asked(values)
            screen.ask(lambda reader: write_session_references(reader.store, session, file), written)

    def written(found: WrittenReferences) -> None:
        references = "reference" if found.accepted == 1 else "references"
        seeds = "seed" if found.segments == 1 else "seeds"
        screen.say(f"{found.accepted:,} accepted {references} of {found.segments:,} {seeds} written to {found.path}")

    fields = [
        Field("file", "File", "references.tsv", "`score --ref` reads it"),
        Field("format", "Format", "", "by the ending: .tsv .jsonl", choices=REFERENCE_FORMATS),
        Field("overwrite", "Replace a file", "no", choices=("no", "yes")),
    ]
    screen.app.push_screen(FormDialog("Export the accepted references", fields, asked), answered)
