"""What files say of their documents and lines, such as genre or speaker, as a condition on where a sentence stands.

A line of which something is said, such as its speaker, stands in a section of its own, whose attributes are those of
the document and of the line: so that what asks for documents asks for lines, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from corpusdb.base.errors import InputError, UsageError
from corpusdb.corpus.store import Store

_NAMED = re.compile(r"(?P<name>.*?)\[(?P<conditions>[^\[\]=]+=.*)\]", re.DOTALL)
"""A name may have brackets of its own: what says nothing of an attribute is no condition."""


def documents_where(document: str | None, conditions: Sequence[str]) -> str | None:
    """A document, or any, with conditions on its attributes, as one name for it: "act1[speaker=Ann][scene!=2]".

    Several values stand between bars, * is for any characters, and != for any other value. Raises UsageError for what
    is no condition.
    """
    for each in conditions:
        _Condition.of(each)
    return "".join([document or "", *(f"[{each}]" for each in conditions)]) or None


def conditions_in(name: str) -> tuple[str | None, list[str]] | None:
    """The document and the conditions of such a name; None where it has no conditions."""
    found = _NAMED.fullmatch(name)
    return None if found is None else (found["name"] or None, found["conditions"].split("]["))


@dataclass(frozen=True, slots=True)
class _Condition:
    name: str
    is_negated: bool
    value: re.Pattern[str]
    given: str

    @property
    def bare(self) -> str:
        """The name as it is kept of a document."""
        return self.name.removeprefix("text_")

    @classmethod
    def of(cls, text: str) -> _Condition:
        name, mark, value = text.partition("=")
        if "<" in name or ">" in name:
            raise UsageError(f"{text!r} is not a condition: use =, != or =A|B, with * for any text")
        if not mark or not name.strip("! "):
            raise UsageError(f"{text!r} names no attribute; write NAME=VALUE, such as speaker=Ann")
        pattern = re.escape(value.strip()).replace(r"\*", ".*").replace(r"\|", "|")
        return cls(name.strip().rstrip("! "), name.endswith("!"), re.compile(pattern, re.DOTALL), value.strip())


_VALUES = "(select value from json_each(attributes) where key in (?, ?) order by key = ? desc limit 1)"
_WITH_VALUES = "select document, id, {values} from section where attributes != '{{}}' order by document, number"


def sections_where(store: Store, conditions: Sequence[str]) -> list[tuple[int, int]]:
    """The file and the number of each document inside a file that fulfils all of the conditions.

    text_year, as CWB has it, is also year. Raises UsageError for what is no condition, and InputError where no document
    has an attribute of that name, or none has such a value of it.
    """
    wanted = [_Condition.of(each) for each in conditions]
    query = _WITH_VALUES.format(values=", ".join([_VALUES] * len(wanted)))
    names = [name for each in wanted for name in (each.name, each.bare, each.name)]
    rows = store.connection.execute(query, names).fetchall()
    fulfilling: list[set[str]] = []
    for place, each in enumerate(wanted, 2):
        there = {row[place] for row in rows} - {None}
        if not there:
            raise InputError(no_attribute(each.name, attribute_names(store)))
        matching = {value for value in there if each.value.fullmatch(value)}
        if not each.is_negated and not matching:
            raise InputError(_no_value(each, there))
        fulfilling.append(there - matching if each.is_negated else matching)
    return [
        (document, section)
        for document, section, *values in rows
        if all(value in kept for value, kept in zip(values, fulfilling, strict=True))
    ]


_NAMES = "select distinct key from section, json_each(section.attributes) order by key"


def attribute_names(store: Store) -> list[str]:
    """What files say of their documents and lines."""
    return [row[0] for row in store.connection.execute(_NAMES)]


def require_attribute(store: Store, name: str) -> str:
    """An attribute as it is kept: text_year may be year. Raises InputError where no document and no line has it."""
    known = attribute_names(store)
    found = next((each for each in (name, name.removeprefix("text_")) if each in known), None)
    if found is None:
        raise InputError(no_attribute(name, known))
    return found


_SHOWN_VALUES = 10


def _no_value(condition: _Condition, values: Iterable[str]) -> str:
    shown = sorted(map(str, values))
    more = ", ..." if len(shown) > _SHOWN_VALUES else ""
    told = f"no document or line has {condition.name}={condition.given}"
    return f"{told}; {condition.bare} is {', '.join(shown[:_SHOWN_VALUES])}{more}"


def no_attribute(name: str, known: Iterable[str]) -> str:
    return f"no document or line has an attribute {name!r}; there are {', '.join(known) or 'none'}"
