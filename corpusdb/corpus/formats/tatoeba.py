"""Tatoeba's own export: sentences with their languages, and the links between them.

https://tatoeba.org/downloads describes it: ``id<TAB>language<TAB>text``, in the detailed export followed by more
columns, and ``id<TAB>translation id``, where each link stands twice, once from either side.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, islice
from pathlib import Path
from typing import Final, TextIO, TypeAlias

from corpusdb.base.errors import UsageError
from corpusdb.corpus.formats.format import Format, Reader, Writer
from corpusdb.corpus.formats.reading import digest_of, first_line
from corpusdb.corpus.formats.records import Item, Record, check_writable, variants_of

_Sentence: TypeAlias = tuple[str, str]
"""Language and text."""
_BREAKS: Final = re.compile("[\t\n\r\0]")


def holds_links(path: Path) -> bool:
    """Whether the first line of a file is two whole numbers, as in the links. Raises InputError as reading does."""
    cells = first_line(path).split("\t")
    return len(cells) == 2 and all(cell.isdecimal() for cell in cells)


@dataclass(frozen=True, slots=True)
class TatoebaSource:
    """The links of an export as pairs of sentences, each pair once, in the order of the links file.

    ``sentences`` is the whole export or the files of single languages. Only pairs within ``languages`` (empty = all)
    are yielded, other pairs are dropped without a word; sentences without a language, without a text or (as long as all
    languages are asked for) in one that corpusdb does not know are rejected, and so are links to a sentence that no
    file has and links within one language. Raises InputError for malformed numbers and missing columns.
    """

    sentences: tuple[Path, ...]
    links: Path
    languages: tuple[str, ...] = ()
    skip_bad: bool = False

    @classmethod
    def recognise(
        cls, paths: tuple[Path, ...], languages: tuple[str, ...] = (), *, skip_bad: bool = False
    ) -> TatoebaSource:
        """Tell the links from the sentences by content. Raises UsageError unless there are both."""
        links = [path for path in paths if holds_links(path)]
        sentences = tuple(path for path in paths if path not in links)
        if len(links) != 1 or not sentences:
            raise UsageError("a Tatoeba export is one file of links (two numbers a line) and one or more of sentences")
        return cls(sentences, links[0], languages, skip_bad)

    @property
    def paths(self) -> tuple[Path, ...]:
        return (*self.sentences, self.links)

    def digest(self) -> str:
        return digest_of(self.paths)

    def items(self) -> Iterator[Item]:
        from corpusdb.corpus.formats.tatoeba_links import linked_sentences  # loads numpy

        yield from linked_sentences(self.sentences, self.links, self.languages, skip_bad=self.skip_bad)


def write_sentences(records: Iterable[Record], file: TextIO) -> int:
    """Write the sentences of units that name their languages, each distinct one once; returns how many units.

    Numbers are given from 1, in the order in which the links come to the sentences. In memory are all sentences.
    Sentences without a translation are left out, and so are units of a single language. Raises InputError for texts
    that hold a tab or a line break, which the database never does.
    """
    known: dict[_Sentence, int] = {}
    count = 0
    for record in records:
        before = len(known)
        count += bool(list(_links_of(record, known)))
        new = list(islice(reversed(known.items()), len(known) - before))
        for (language, text), number in reversed(new):
            file.write(f"{number}\t{language}\t{check_writable(text, _BREAKS, 'a Tatoeba export')}\n")
    return count


def write_links(records: Iterable[Record], file: TextIO) -> int:
    """Write the links between the sentences that ``write_sentences`` numbers, from both sides; returns how many units.

    The texts of a unit are linked each to each but for those of one language, and as often as units say so.
    """
    known: dict[_Sentence, int] = {}
    count = 0
    for record in records:
        links = list(_links_of(record, known))
        file.writelines(f"{left}\t{right}\n{right}\t{left}\n" for left, right in links)
        count += bool(links)
    return count


def _links_of(record: Record, known: dict[_Sentence, int]) -> Iterator[tuple[int, int]]:
    """The links of one unit, from the smaller number to the larger; sentences that are not known yet are added."""
    sentences = dict.fromkeys((each.language, each.text) for each in variants_of(record, ()))
    for one, other in combinations(sentences, 2):
        if one[0] != other[0]:
            first = known.setdefault(one, len(known) + 1)
            second = known.setdefault(other, len(known) + 1)
            yield min(first, second), max(first, second)


TATOEBA: Final = Format(
    name="tatoeba",
    reader=Reader(
        lambda files, options: TatoebaSource.recognise(files, options.languages, skip_bad=options.skip_bad),
        options=("skip_bad",),
        read_together="the files of a Tatoeba export",
        # One of several files holds links; all are tab-separated, as eng_sentences.tsv and as links.csv.
        recognise=lambda files, named: (
            len(files) > 1 and named <= {"", "tsv", "csv"} and any(holds_links(path) for path in files)
        ),
    ),
    writer=Writer(
        lambda units, languages, name: {
            "sentences.csv": lambda file: write_sentences(units(), file),
            "links.csv": lambda file: write_links(units(), file),
        },
        "all texts in one language",
        "folder",
    ),
)
