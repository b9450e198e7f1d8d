"""Writing what is seen to a file, in the formats of the commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from corpusdb.errors import UsageError
from corpusdb.outputs import Guard, Outputs, check_output
from corpusdb.reports.row_formats import EXPORT_FORMATS, Format, write_rows
from corpusdb.rows import Cell
from corpusdb.spreadsheets import Formulas
from tui.background.reader import DatabaseReader
from tui.shared.form import Field, FormDialog
from tui.shared.place_screen import PlaceScreen

__all__ = ["Table", "ask_export"]

Table: TypeAlias = tuple[Sequence[str], Sequence[Sequence[Cell]]]
"""The names of the columns, and the rows."""

_BY_ENDING: Mapping[str, Format] = {
    ".tsv": "tsv",
    ".csv": "csv",
    ".md": "markdown",
    ".tex": "latex",
    ".json": "json",
    ".jsonl": "jsonl",
}


def ask_export(screen: PlaceScreen, name: str, table: Table, notes: Iterable[str] = ()) -> None:
    """Ask for a file and a format, and write a table to it; ``notes`` stand below it where the format has comments."""
    database = screen.shell.path

    def asked(values: Mapping[str, str]) -> tuple[Path, Format, Guard]:
        if not values["file"]:
            raise UsageError("a file needs a name")
        path = Path(values["file"]).expanduser()
        guard = Guard(database, values["overwrite"].casefold() in ("yes", "y"))
        check_output(path, guard)
        return path, _format(values["format"], path), guard

    def answered(values: dict[str, str] | None) -> None:
        if values is None:
            return
        path, format, guard = asked(values)

        def write(reader: DatabaseReader) -> Formulas:
            columns, rows = table
            with Outputs(guard) as outputs, outputs.text(path) as file:
                formulas = write_rows(format, columns, rows, file)
                for note in notes if format == "latex" else ():
                    file.write(f"% {note}\n")
            return formulas

        def written(formulas: Formulas) -> None:
            note = f"; {formulas}" if formulas.cells else ""
            screen.say(f"{len(table[1]):,} rows written to {path}{note}")

        screen.ask(write, written)

    fields = [
        Field("file", "File", f"{name}.tsv"),
        Field("format", "Format", "", "by the ending: .tsv .csv .md .tex .json", choices=EXPORT_FORMATS),
        Field("overwrite", "Replace a file", "no", choices=("no", "yes")),
    ]
    screen.app.push_screen(FormDialog("Export what is seen", fields, asked), answered)


def _format(given: str, path: Path) -> Format:
    if not given:
        found = _BY_ENDING.get(path.suffix.casefold())
        if found is None:
            raise UsageError(f"{path.name} does not tell the format; there are {', '.join(EXPORT_FORMATS)}")
        return found
    for format in EXPORT_FORMATS:
        if given == format:
            return format
    raise UsageError(f"there is no format {given!r}; there are {', '.join(EXPORT_FORMATS)}")
