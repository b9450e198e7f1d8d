"""The formats that help texts list: made from the registry when a help is shown, since it costs time to load."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from corpusdb.formats import Format

__all__ = ["fill_lists"]

# What people ask for most stands first; what is not named here follows in the order of the registry.
_FIRST_WRITTEN: Final = ("tmx", "wmt", "sgm", "jsonl")
_FIRST_TOGETHER: Final = ("moses", "sgm")
_FIRST_SCORED: Final = ("jsonl", "tsv", "csv", "sgm")


def fill_lists(help: str) -> str:
    """A help text with each list in its place, for which its name stands in braces."""
    if not any(name in help for name in ("{formats", "{files", "{extensions")):
        return help
    from corpusdb.formats import FORMATS

    def fill(match: re.Match[str]) -> str:
        return _LISTS[" ".join(match[1].split())](list(FORMATS.values()))

    return re.sub(r"\{([a-z\s]+)\}", fill, help)


def _to_read(formats: Sequence[Format]) -> str:
    return _joined([each.name for each in formats if each.reader], "or")


def _to_write(formats: Sequence[Format]) -> str:
    return _joined([each.name for each in _put_first(formats, _FIRST_WRITTEN) if each.writer], "and")


def _written_to(target: str) -> Callable[[Sequence[Format]], str]:
    return lambda formats: _joined([each.name for each in formats if each.writer and each.writer.target == target])


def _with_option(option: str) -> Callable[[Sequence[Format]], str]:
    return lambda formats: ", ".join(each.name for each in formats if each.reader and option in each.reader.options)


def _read_together(formats: Sequence[Format]) -> str:
    readers = [each.reader for each in _put_first(formats, _FIRST_TOGETHER) if each.reader]
    return _joined([each.read_together for each in readers if each.read_together])


def _extensions_to_score(formats: Sequence[Format]) -> str:
    scored = [each for each in _put_first(formats, _FIRST_SCORED) if each.scoring_reader]
    return ", ".join(each.extensions[0] for each in scored)


def _put_first(formats: Iterable[Format], names: Sequence[str]) -> list[Format]:
    return sorted(formats, key=lambda each: names.index(each.name) if each.name in names else len(names))


def _joined(names: Sequence[str], last: str = "and") -> str:
    return f"{', '.join(names[:-1])} {last} {names[-1]}" if len(names) > 1 else "".join(names)


_LISTS: Final[Mapping[str, Callable[[Sequence[Format]], str]]] = {
    "formats to read": _to_read,
    "formats to write": _to_write,
    "formats with a prefix": _written_to("prefix"),
    "formats with a folder": _written_to("folder"),
    "formats with columns": _with_option("columns"),
    "formats with a header": _with_option("header"),
    "formats with systems": _with_option("systems"),
    "formats with attributes": _with_option("attributes"),
    "formats that skip": _with_option("skip_bad"),
    "files read together": _read_together,
    "extensions to score": _extensions_to_score,
}
