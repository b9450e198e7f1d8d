"""What the places ask before a job begins, and what they make of the answers."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from corpusdb.display import check_name
from corpusdb.errors import UsageError
from corpusdb.formats import Options, Source, open_sources
from corpusdb.formats.registry import readable_formats, reader_of
from corpusdb.jobs import Job
from corpusdb.languages import language_codes
from corpusdb.model import ImportReport
from corpusdb.queries.chain.importing import collection_name, import_files
from corpusdb.store import Store
from tui.shared.form import Field

__all__ = ["IMPORT_FIELDS", "ImportRequest", "import_request"]

IMPORT_FIELDS = (
    Field("files", "Files", hint="as in a shell: one or several, with quotes around spaces"),
    Field("languages", "Languages", hint="in their order, such as eng,fra"),
    Field(
        "format",
        "Format",
        hint="recognised if empty; PgDn goes through them",
        choices=("", *sorted(readable_formats())),
    ),
    Field("name", "Collection", hint="named after the first file if empty"),
    Field("licence", "Licence", hint="of the collection; may be empty"),
)


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """Files that somebody wants in the database."""

    files: tuple[Path, ...]
    languages: tuple[str, ...]
    format: str | None
    collection: str
    licence: str | None

    @property
    def title(self) -> str:
        more = f" and {len(self.files) - 1} more" if len(self.files) > 1 else ""
        return f"import {self.files[0].name}{more}"

    def check(self) -> None:
        """Look into the files. Raises CorpusError where they are not what they are said to be; may take a moment."""
        self._sources()

    def _sources(self) -> list[Source]:
        return open_sources(self.format, self.files, Options(languages=self.languages))

    def job(self, store: Store) -> Job[ImportReport]:
        """The import. Opens the files to see what is in them, so that this is not for the screen's thread."""
        return import_files(store, self._sources(), self.collection, self.licence)


def import_request(values: Mapping[str, str]) -> ImportRequest:
    """What the fields say. Raises UsageError and InputError."""
    try:
        files = tuple(Path(word).expanduser() for word in shlex.split(values["files"]))
    except ValueError as error:
        raise UsageError(f"the files cannot be told apart: {error}") from error
    if not files:
        raise UsageError("no file is given")
    for file in files:
        if file == Path("-"):
            raise UsageError("standard input is the keyboard here; `corpusdb import -` reads it")
        if not file.is_file():
            raise UsageError(f"{file}: {'is a folder' if file.is_dir() else 'there is no such file'}")
    if values["format"]:
        reader_of(values["format"])
    if values["name"]:
        check_name(values["name"], "a collection")
    languages = language_codes(values["languages"]) if values["languages"] else ()
    return ImportRequest(
        files,
        languages,
        values["format"] or None,
        values["name"] or collection_name(files[0]),
        values["licence"] or None,
    )
