"""What the browser keeps for the next time: place, query, theme, who judged, and what commands answered.

In a file of the user's own, ``browser.json`` in the state folder of corpusdb, as the history is: databases are shared.
Where it cannot be read or written, or the history is off, nothing is kept, and that is no error.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from corpusdb.base.errors import CorpusError
from corpusdb.base.outputs import Guard, Outputs
from corpusdb.corpus.store.user_history import HISTORY_VARIABLE, history_file

_MOST_DATABASES = 100
_STATE_FILE = "browser.json"


class SavedState:
    """What was kept of one database, and what will be."""

    def __init__(self, database: Path, file: Path | None, begun: str = "") -> None:
        """Read what ``file`` has of a database; without a file nothing is known and nothing is kept.

        ``begun``: when the first operation on the database began. Of another one that had the same name nothing comes
        back.
        """
        self._file = file
        self._database = str(database.resolve())
        kept = _read(file)
        self.begun = begun
        """When its first operation began, by which it is known again; empty while there is none."""
        own = _object(_object(kept.get("databases")).get(self._database))
        if own.get("begun", begun) != begun:
            own = {}
        place = own.get("place")
        self.place = place if isinstance(place, str) else ""
        """The key of the place in which one was; empty where that is not known."""
        self.query: Mapping[str, Any] = _object(own.get("query"))
        """The options of the last search there; empty where that is not known."""
        judge = own.get("judge")
        self.judge = judge if isinstance(judge, str) else ""
        """Who judged samples there last; empty where nobody did, or gave no other name than the usual one."""
        jobs = own.get("jobs")
        self.jobs: Sequence[Mapping[str, Any]] = [*map(_object, jobs)] if isinstance(jobs, list) else []
        """The commands that were begun there, with what they answered, as ``kept_jobs`` gives them."""
        self._theme = _object(kept.get("theme"))

    @property
    def is_kept(self) -> bool:
        """Whether anything will be there the next time."""
        return self._file is not None

    @classmethod
    def of_user(cls, database: Path, begun: str = "") -> SavedState:
        """The one in the user's file, of the database that was ``begun`` then."""
        beside = history_file()
        is_off = beside is None or os.environ.get(HISTORY_VARIABLE) == "off"
        return cls(database, None if beside is None or is_off else beside.with_name(_STATE_FILE), begun)

    def theme(self, configured: str) -> str:
        """The theme that was chosen while the configuration said the same as now; empty where there is none."""
        chosen = self._theme.get("chosen")
        return chosen if isinstance(chosen, str) and self._theme.get("instead_of") == configured else ""

    def keep_theme(self, chosen: str, configured: str) -> None:
        """Keep the theme that was chosen instead of the one that is configured."""
        self._theme = {"chosen": chosen, "instead_of": configured}

    def keep(self, jobs: Sequence[Mapping[str, Any]]) -> None:
        """Write all of it, with the jobs that there are now, beside what the file has of other databases."""
        self.jobs = jobs
        self.write()

    def write(self) -> None:
        if self._file is None:
            return
        databases = dict(_object(_read(self._file).get("databases")))
        databases.pop(self._database, None)
        databases[self._database] = {
            "place": self.place,
            "query": dict(self.query),
            "judge": self.judge,
            "begun": self.begun,
            "jobs": list(self.jobs),
        }
        last = dict(list(databases.items())[-_MOST_DATABASES:])
        text = json.dumps({"theme": dict(self._theme), "databases": last})  # a path may be what UTF-8 is not
        with suppress(OSError, CorpusError):
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
