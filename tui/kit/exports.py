"""Tables that are seen, written to files in the format that their names end with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from corpusdb.base.display import EXPORT_FORMATS, Cell, Format, Formulas, latex_note, write_rows
from corpusdb.base.errors import UsageError
from corpusdb.base.outputs import Guard, Outputs, check_output
from tui.kit.dialogs import FormDialog
from tui.kit.fields import ENDINGS, Field
from tui.kit.place_screen import PlaceScreen
from tui.kit.reader import DatabaseReader

Table: TypeAlias = tuple[Sequence[str], Sequence[Sequence[Cell]]]

_BY_ENDING: Mapping[str, Format] = {f".{ENDINGS.get(each, each)}": each for each in EXPORT_FORMATS}


def ask_export(
    screen: PlaceScreen, name: str, table: Table, notes: Iterable[str] = (), printed: Iterable[str] = ()
) -> None:
    """Ask for a file and a format, and write a table to it; ``notes`` stand below it where the format has comments, and
    what is ``printed`` with it in a paper."""
    database = screen.shell.path

    def asked(values: Mapping[str, str]) -> tuple[Path, Format, Guard]:
        if not values["file"]:
            raise UsageError("a file needs a name")
        path = Path(values["file"]).expanduser()
        guard = Guard(database, values["overwrite"] == "yes")
        check_output(path, guard)
        return path, _format(values["format"], path), guard

    def answered(values: dict[str, str]) -> None:
        path, format, guard = asked(values)

        def write(reader: DatabaseReader) -> Formulas:
            columns, rows = table
            with Outputs(guard) as outputs, outputs.text(path) as file:
                formulas = write_rows(format, columns, rows, file)
                below = [*(f"% {note}" for note in notes), *map(latex_note, printed)] if format == "latex" else []
                file.writelines(f"{line}\n" for line in below)
            return formulas

        def written(formulas: Formulas) -> None:
            note = f"; {formulas}" if formulas.cells else ""
            screen.say(f"{len(table[1]):,} rows written to {path}{note}")

        screen.ask(write, written)

    fields = [
        Field("file", "File", f"{name}.tsv", is_file=True, is_written=True),
        Field("format", "Format", "", " ".join(_BY_ENDING), EXPORT_FORMATS, nothing="by the ending"),
        Field("overwrite", "Replace a file", "no", choices=("no", "yes")),
    ]
    FormDialog("Export what is seen", fields, asked).ask(screen, answered)


def _format(given: str, path: Path) -> Format:
    found = next((x for x in EXPORT_FORMATS if x == given), None) or _BY_ENDING.get(path.suffix.casefold())
    if found is None:
        raise UsageError(f"{path.name} does not tell the format; there are {', '.join(EXPORT_FORMATS)}")
    return found
