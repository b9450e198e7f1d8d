"""Word alignments in the format of Pharaoh (Koehn 2004): a line for each pair of texts, a link as ``0-0``.

A link is a source and a target word by their places, from 0. What GIZA++ (by way of its symmetrisation), fast_align and
eflomal write is this. In gold standards a link that is possible rather than sure is ``0?0`` or ``0p0``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from corpusdb.base.errors import InputError
from corpusdb.corpus.formats.reading import read_lines

__all__ = ["GoldLinks", "Lengths", "WordLink", "pharaoh_line", "read_gold_links", "read_links"]

WordLink: TypeAlias = tuple[int, int]
"""A source and a target word."""
Lengths: TypeAlias = tuple[int, int]
"""How many words the source and the target text have."""

_LINK: Final = re.compile(r"([0-9]{1,9})([-?p])([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class GoldLinks:
    """What people have linked in a pair of texts."""

    sure: frozenset[WordLink]
    possible: frozenset[WordLink]
    """The sure ones and those that may be left out."""


def pharaoh_line(links: Iterable[WordLink]) -> str:
    """The links of a pair of texts as a line without its end."""
    return " ".join(f"{source}-{target}" for source, target in links)


def read_links(path: Path, lengths: Sequence[Lengths]) -> list[list[WordLink]]:
    """The links of each pair of texts, in the order in which they stand; ``-`` is standard input.

    Raises InputError, with the line, for what is no link, one that is outside of the texts or there twice, for more or
    fewer lines than pairs of texts, and as read_lines does.
    """
    return [[link for link, _ in links] for links in _read(path, lengths, marks="-")]


def read_gold_links(path: Path, lengths: Sequence[Lengths]) -> list[GoldLinks]:
    """The sure and possible links of each pair of texts. Raises InputError as read_links does."""
    return [
        GoldLinks(frozenset(link for link, mark in links if mark == "-"), frozenset(link for link, _ in links))
        for links in _read(path, lengths, marks="-?p")
    ]


def _read(path: Path, lengths: Sequence[Lengths], marks: str) -> list[list[tuple[WordLink, str]]]:
    pairs = []
    for number, line in read_lines(path):
        if number > len(lengths):
            raise InputError(f"has more lines than the {len(lengths):,} pairs of texts", path=path, line=number)
        found: dict[WordLink, str] = {}
        for word in line.split():
            link, mark = _parsed(word, marks, path, number)
            for place, length, side in zip(link, lengths[number - 1], ("source", "target"), strict=True):
                if place >= length:
                    reason = f"link {word}: the {side} text has {length:,} words, which are counted from 0"
                    raise InputError(reason, path=path, line=number)
            if link in found:
                raise InputError(f"link {word} stands there twice", path=path, line=number)
            found[link] = mark
        pairs.append(list(found.items()))
    if len(pairs) < len(lengths):
        raise InputError(f"ends after {len(pairs):,} lines; there are {len(lengths):,} pairs of texts", path=path)
    return pairs


def _parsed(word: str, marks: str, path: Path, line: int) -> tuple[WordLink, str]:
    match = _LINK.fullmatch(word)
    if match is None or match[2] not in marks:
        raise InputError(f"{word[:40]!r} is no link; one is as 0-0, source and target", path=path, line=line)
    return (int(match[1]), int(match[3])), match[2]
