"""Names from the database where one presses Tab: languages, collections, saved queries, sessions, samples, systems ...

The kind of a name is told by what the help shows for it, LANG or SYSTEM, by the option, or by the group of the command.
Nothing is said where the database cannot be read: whoever types sees that when the command runs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from typer.models import ArgumentInfo, OptionInfo

from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.options import names_of
from corpusdb.errors import CorpusError

if TYPE_CHECKING:
    # typer has its own copy of click and no public name for these.
    from typer._click import Context

__all__ = ["add_completion"]

_MOST: Final = 500
_BY_METAVAR: Final[Mapping[str, str]] = {
    "LANG": "language",
    "LANG,...": "language",
    "LANG[,LANG]": "language",
    "LANG:PATTERN": "language",
    "COLLECTION": "collection",
    "QUERY": "query",
    "[QUERY]": "query",
    "SET": "rule set",
    "SYSTEM": "system",
    "[SYSTEM]": "system",
    "[OTHER]": "system",
    "SYSTEM,...": "system",
    "TOPIC": "guide",
}
_BY_OPTION: Final[Mapping[tuple[str, str], str]] = {
    ("--collection", "NAME"): "collection",
    ("--against", "NAME"): "collection",
    ("--document", "NAME"): "document",
    ("--delete", "NAME"): "query",
    ("--categories", "NAME"): "category set",
    ("--query", "NAME"): "query",
    ("--ref-set", "NAME"): "frozen set",
    ("--attribute", "NAME"): "attribute",
    ("--remove", "NAME"): "selection",
    ("--show", "NAME"): "selection",
    ("--model", "NAME|FILE.arpa"): "model",
}
_BY_COMMAND: Final[Mapping[str, str]] = {
    "session": "session",
    "judge": "sample",
    "model export": "model",
    "rules set": "rule set",
    "import": "collection",
    "categories": "category set",
    "results remove": "selection",
}
"""What a NAME is in a command, or in one of a group."""
_NEW: Final = ("session new", "judge sample")
"""Commands whose NAME is that of something that is not there yet."""


def add_completion(field: str, info: OptionInfo | ArgumentInfo) -> None:
    """Let names be completed in the option or argument of a field, if it takes names; else it completes as it did."""
    metavar = info.metavar or ""
    option = names_of(field, info)[0] if isinstance(info, OptionInfo) else ""
    is_of_command = metavar == "NAME" and option in ("", "--name")
    told = _BY_OPTION.get((option, metavar)) or _BY_METAVAR.get(metavar)
    if not (told or is_of_command):
        return

    def complete(ctx: Any, args: list[str], incomplete: str) -> list[str]:
        kind = told or _kind_in(" ".join(_path(ctx)))
        return list(_completed(ctx, kind, metavar, incomplete)) if kind else []

    info.autocompletion = complete


class _Completion(str):
    """A word as the shell takes it, with backslashes, which typer does not find to begin like the one that is typed."""

    __slots__ = ()

    def startswith(self, *args: Any) -> bool:
        return True


def _completed(context: Context, kind: str, metavar: str, incomplete: str) -> Iterator[str]:
    """What the word that is being typed may become."""
    before, comma, begins = incomplete.rpartition(",") if "," in metavar else ("", "", incomplete)
    after = ":" if metavar == "LANG:PATTERN" else ""
    for name in _names(context, kind, begins):
        if name.isprintable() and name not in before.split(","):
            yield _Completion(_as_typed(f"{before}{comma}{name}{after}"))


def _kind_in(command: str) -> str | None:
    """What a NAME is in a command; None where it is that of something new."""
    if command in _NEW:
        return None
    return _BY_COMMAND.get(command) or _BY_COMMAND.get(command.partition(" ")[0])


def _path(context: Context) -> list[str]:
    """The words of the command, without the name of the program."""
    return [*_path(context.parent), context.info_name or ""] if context.parent else []


def _names(context: Context, kind: str, begins: str) -> Iterable[str]:
    if kind == "guide":
        from corpusdb.guides import guide_topics

        return [topic for topic in guide_topics() if topic.startswith(begins)]
    from corpusdb.queries.database.names import names_beginning
    from corpusdb.store import open_store
    from corpusdb.store.connection import translated_errors

    path = _database(context)
    try:
        with open_store(path, read_only=True) as store, translated_errors(path):
            return names_beginning(store, kind, begins, _MOST)
    except (CorpusError, OSError):
        return []


def _database(context: Context) -> Path:
    """The database that the call will be about; the shell has not put in yet what ~ and variables stand for."""
    at: Context | None = context
    while at is not None and not at.params.get("db"):
        at = at.parent
    chosen = at.params["db"] if at else None
    path = Invocation(chosen=chosen).path
    return Path(os.path.expandvars(path)).expanduser()


def _as_typed(name: str) -> str:
    """A name as bash wants it, which puts it into the line as it is; the other shells quote it themselves."""
    words, place = os.environ.get("COMP_WORDS"), os.environ.get("COMP_CWORD", "")
    if words is None or not any(value == "complete_bash" for key, value in os.environ.items() if key[:1] == "_"):
        return name
    typed = words.split("\n")[int(place)] if place.isdigit() and int(place) < len(words.split("\n")) else ""
    return name if typed[:1] in ("'", '"') else re.sub(r"([^\w@%+:,./=-])", r"\\\1", name)
