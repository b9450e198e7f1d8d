"""What the browser keeps for the next time: the place and the query one was at, and the theme one chose.

In a file of the user's own, ``browser.json`` in the state folder of corpusdb, as the history is: databases are shared.
Where it cannot be read or written, or the history is off, nothing is kept, and that is no error.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from corpusdb.errors import CorpusError
from corpusdb.outputs import Guard, Outputs
from corpusdb.store.user_history import HISTORY_VARIABLE, history_file

__all__ = ["Memory"]

_MOST_DATABASES = 100
_NAME = "browser.json"


class Memory:
    """What was kept of one database, and what will be."""

    def __init__(self, database: Path, file: Path | None, begun: str = "") -> None:
        """Read what ``file`` has of a database; without a file nothing is known and nothing is kept.

        ``begun``: when the first operation on the database began. Of another one that had the same name nothing comes
        back.
        """
        self._file = file
        self._database = str(database.resolve())
        kept = _read(file)
        self._begun = begun
        own = _object(_object(kept.get("databases")).get(self._database))
        if own.get("begun", begun) != begun:
            own = {}
        place = own.get("place")
        self.place = place if isinstance(place, str) else ""
        """The key of the place in which one was; empty where that is not known."""
        self.query: Mapping[str, Any] = _object(own.get("query"))
        """The options of the last search there; empty where that is not known."""
        self._theme = _object(kept.get("theme"))

    @classmethod
    def of_user(cls, database: Path, begun: str = "") -> Memory:
        """The one in the user's file, of the database that was ``begun`` then."""
        beside = history_file()
        is_off = beside is None or os.environ.get(HISTORY_VARIABLE) == "off"
        return cls(database, None if beside is None or is_off else beside.with_name(_NAME), begun)

    def theme(self, configured: str) -> str:
        """The theme that was chosen while the configuration said the same as now; empty where there is none."""
        chosen = self._theme.get("chosen")
        return chosen if isinstance(chosen, str) and self._theme.get("instead_of") == configured else ""

    def keep_theme(self, chosen: str, configured: str) -> None:
        """Keep the theme that was chosen instead of the one that is configured."""
        self._theme = {"chosen": chosen, "instead_of": configured}

    def write(self) -> None:
        """Write all of it, beside what the file has of other databases."""
        if self._file is None:
            return
        databases = dict(_object(_read(self._file).get("databases")))
        databases.pop(self._database, None)
        databases[self._database] = {"place": self.place, "query": dict(self.query), "begun": self._begun}
        last = dict(list(databases.items())[-_MOST_DATABASES:])
        text = json.dumps({"theme": dict(self._theme), "databases": last}, ensure_ascii=False)
        with contextlib.suppress(OSError, CorpusError):
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with Outputs(Guard(overwrite=True)) as outputs, outputs.text(self._file, mode=0o600) as stream:
                stream.write(text + "\n")


def _read(file: Path | None) -> Mapping[str, Any]:
    if file is None:
        return {}
    try:
        return _object(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return {}


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
