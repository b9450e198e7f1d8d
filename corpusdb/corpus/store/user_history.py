"""What a user asked, in a file of their own: JSON lines in $XDG_STATE_HOME/corpusdb/history.jsonl.

Not in the database, since reading must never wait for a writer and databases are shared. Where the file cannot be
written, or $CORPUSDB_HISTORY is ``off``, nothing is remembered, and that is no error; nor is a line that is no entry.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import filterfalse
from pathlib import Path

from corpusdb.base.errors import CorpusError
from corpusdb.base.outputs import Guard, Outputs, append
from corpusdb.corpus.store.connection import now
from corpusdb.corpus.store.opening import open_for_reading

HISTORY_VARIABLE = "CORPUSDB_HISTORY"
_MOST_ENTRIES = 1_000
_TRIM_ABOVE = 1 << 19  # bytes; looking at the size only keeps remembering at one write


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    number: int
    """Its line in the file, from 1: stays when others are added, until the file is trimmed or cleared."""
    time: str
    """UTC, ISO 8601."""
    database: str
    """Its absolute path."""
    command: str
    options: Mapping[str, object]
    total: int | None
    """How many results there were, where that was known."""
    attended: bool = True
    """Whether a person asked at a terminal, and not a script; what scripts ask is no habit of their user."""
    terminal: str = ""
    """Where it was asked, as ``this_terminal`` names it; empty where that is not known."""
    begun: str = ""
    """What ``first_operation`` said of the database; empty where nothing was stored there yet."""


def this_terminal() -> str:
    """The session of processes that this one belongs to, which each window of a terminal has; "" where none is known.

    With the time at which it began, since its number is given again.
    """
    try:
        leader = os.getsid(0)
        after_name = Path(f"/proc/{leader}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2]
        return f"{os.uname().nodename}:{leader}:{after_name.split()[19]}"
    except (AttributeError, OSError, IndexError):
        return ""


def folder_of_user(variable: str, *usual: str) -> Path | None:
    """What a variable of the XDG specification names, else a folder in the home; None for a user without a home."""
    told = os.environ.get(variable, "")
    if os.path.isabs(told):  # the specification has relative ones ignored
        return Path(told)
    home = os.path.expanduser("~")
    return Path(home, *usual) if os.path.isabs(home) else None


def history_file() -> Path | None:
    """Where the history is; None for a user without a home."""
    state = folder_of_user("XDG_STATE_HOME", ".local", "state")
    return None if state is None else state / "corpusdb" / "history.jsonl"


def remember(
    database: Path,
    command: str,
    options: Mapping[str, object],
    total: int | None = None,
    *,
    attended: bool = True,
    again: bool = True,
) -> None:
    """Add a query to the end of the history, in one write, so that programs can do so at the same time.

    ``options`` must be what JSON can hold. At most the last 1,000 queries are kept. Unless ``again``, the query that
    this terminal asked last in the database is not added once more.
    """
    file = history_file()
    if file is None or os.environ.get(HISTORY_VARIABLE) == "off":
        return
    here, begun = this_terminal(), first_operation(database)
    entry = HistoryEntry(0, now(), str(database.resolve()), command, options, total, attended, here, begun)
    if not again:
        last = last_asked([*filter(_asked_of(entry.database, begun), recall())], entry.terminal)
        if last is not None and last.terminal == entry.terminal and _query(last) == _query(entry):
            return
    line = _line(entry)
    with contextlib.suppress(OSError, CorpusError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if append(file, line, mode=0o600) > _TRIM_ABOVE:
            _trim(file)


_FIRST_RUN = "select coalesce(min(started), '') from run"


def first_operation(database: Path) -> str:
    """When the first operation on a database began, UTC, ISO 8601; empty where there was none, or it cannot be read.

    It tells a database from another that had the same name before; a copy has it, too.
    """
    with contextlib.suppress(CorpusError), open_for_reading(database) as store:
        return str(store.connection.execute(_FIRST_RUN).fetchone()[0])
    return ""


def _of_database(database: Path | None) -> Callable[[HistoryEntry], bool]:
    """Whether a query was asked of a database: of that name, and not of another that had it before."""
    if database is None:
        return lambda entry: True
    return _asked_of(str(database.resolve()), first_operation(database))


def _asked_of(name: str, begun: str) -> Callable[[HistoryEntry], bool]:
    return lambda entry: entry.database == name and entry.begun in ("", begun)


def recall(database: Path | None = None) -> list[HistoryEntry]:
    """The last 1,000 queries, oldest first; only those of one database, if given."""
    file = history_file()
    if file is None:
        return []
    try:
        lines = file.read_bytes().split(b"\n")[:-1]  # what follows the last line end is still being written
    except OSError:
        return []
    numbered = list(enumerate(lines, 1))[-_MOST_ENTRIES:]
    entries = [entry for number, line in numbered if (entry := _entry(number, line)) is not None]
    return [*filter(_of_database(database), entries)]


def last_asked(entries: Sequence[HistoryEntry], terminal: str) -> HistoryEntry | None:
    """The last query that was asked at a terminal, else the last of all; another window may have asked meanwhile."""
    own = [entry for entry in entries if terminal and entry.terminal == terminal]
    return next(reversed(own or entries), None)


def latest_of_each(entries: Iterable[HistoryEntry]) -> list[HistoryEntry]:
    """The entries without those that were asked again later, in the same database with the same options."""
    latest: dict[str, HistoryEntry] = {}
    for entry in entries:
        query = _query(entry)
        latest.pop(query, None)
        latest[query] = entry
    return list(latest.values())


def forget(database: Path | None = None) -> int:
    """Take the queries of one database, or all, out of the history; how many they were. Raises InputError."""
    file = history_file()
    entries = recall()
    kept = [*filterfalse(_of_database(database), entries)]
    if file is not None and len(kept) < len(entries):
        _replace(file, [_line(entry) for entry in kept])
    return len(entries) - len(kept)


def _query(entry: HistoryEntry) -> str:
    """The same for whoever asks the same of the same database."""
    return json.dumps([entry.database, entry.begun, entry.command, entry.options], sort_keys=True)


def _line(entry: HistoryEntry) -> bytes:
    document = asdict(entry)
    del document["number"]
    return json.dumps(document, ensure_ascii=False).encode(errors="backslashreplace") + b"\n"  # a path is bytes


_MEMBERS = frozenset(member.name for member in fields(HistoryEntry)) - {"number"}
"""Of a line; another version may have written others."""


def _entry(number: int, line: bytes) -> HistoryEntry | None:
    try:
        document = json.loads(line)
        entry = HistoryEntry(number, **{name: value for name, value in document.items() if name in _MEMBERS})
    except (ValueError, TypeError, AttributeError):  # not JSON, not an object, or without what there must be
        return None
    texts = (entry.time, entry.database, entry.command)
    sound = all(isinstance(text, str) for text in texts) and isinstance(entry.options, dict)
    known = isinstance(entry.attended, bool) and isinstance(entry.terminal, str) and isinstance(entry.begun, str)
    return entry if sound and known and isinstance(entry.total, int | None) else None


def _trim(file: Path) -> None:
    """Keep the last entries only. What another program adds in this very moment may be lost with the rest."""
    lines = file.read_bytes().splitlines(keepends=True)
    if len(lines) > _MOST_ENTRIES:
        _replace(file, lines[-_MOST_ENTRIES:])


def _replace(file: Path, lines: Sequence[bytes]) -> None:
    with Outputs(Guard(overwrite=True)) as outputs, outputs.file(file, mode=0o600) as stream:
        stream.writelines(lines)
