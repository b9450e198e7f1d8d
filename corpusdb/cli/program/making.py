"""What one call of a command is made of, noted while it runs, for the document that it prints."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from corpusdb.options import options_to_json

if TYPE_CHECKING:
    from corpusdb.queries.replay.inputs import Input, MadeFrom
    from corpusdb.store import Store

__all__ = ["Making"]


class Making:
    """The command and its options, the files that it reads, and the database as it is when it is opened.

    So are the analysers that cut its texts into morphemes.
    """

    def __init__(self, command: str, options: object, files: Sequence[Path], analysers: Collection[str]) -> None:
        """``files`` and ``analysers`` grow while the command reads."""
        self._command = command
        self._options = options_to_json(options)
        self._files = files
        self._analysers = analysers
        self._database: list[Input] = []

    def note_database(self, store: Store) -> None:
        """Note what of the database there is to be used; at first, where it is opened several times."""
        from corpusdb.queries.replay.inputs import database_inputs

        if not self._database:
            self._database = list(database_inputs(store))

    def record(self) -> MadeFrom:
        """What was noted so far, with the digests of the files as they are now."""
        from corpusdb.queries.replay.inputs import MadeFrom, analyser_inputs, file_inputs

        inputs = (*file_inputs(self._files), *analyser_inputs(self._analysers), *self._database)
        return MadeFrom(self._command, self._options, inputs)

    def document(self, value: object) -> object:
        """A document, or a list of them, with what it was made from."""
        from corpusdb.queries.replay.documents import with_record

        members = [_plain(each) for each in value] if isinstance(value, list) else _plain(value)
        return with_record(members, self.record())


def _plain(value: object) -> object:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
