"""Texts in several files read together: plain text, and the export of Tatoeba; and sets as sacrebleu takes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice, zip_longest
from pathlib import Path
from typing import Final, Self, TextIO, TypeAlias

from corpusdb.base.display import counted
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.outputs import Content
from corpusdb.corpus.formats.columns import language_of_heading
from corpusdb.corpus.formats.format import FileContents, Format, Reader, ReferenceWriter, Writer
from corpusdb.corpus.formats.reading import first_line, read_lines, read_lines_and_faults
from corpusdb.corpus.formats.records import (
    PROVENANCE,
    FilesRead,
    Item,
    Options,
    Record,
    ReferenceSet,
    Rejected,
    SelectedUnits,
    aligned_unit,
    check_sets,
    check_writable,
    lines_of,
    references_of_rank,
    skip_or_raise,
    variants_of,
)

# Parallel plain-text files, one per language, as the Moses toolkit has them: line n translates line n.

_BREAKS: Final = re.compile("[\n\r\0]")


@dataclass(frozen=True, slots=True)
class MosesSource(FilesRead):
    """Files of equal length in the order of the languages; bad lines are skipped in all of them.

    Raises UsageError unless there is one file for each, or where their extensions (corpus.en, corpus.fr) show that the
    languages are in another order.
    """

    def __post_init__(self) -> None:
        if len(self.paths) != len(self.languages) or not self.paths:
            told = f"{counted(len(self.paths), 'files in parallel')} for {counted(len(self.languages), 'languages')}"
            advice = "; texts of one language are imported one at a time" if len(self.languages) == 1 else ""
            raise UsageError(f"{told}{advice}")
        for path, code in zip(self.paths, self.languages, strict=True):
            named = _language_of_file(path)
            if named != code and named in self.languages:
                raise UsageError(f"{path} is given for {code}; put the files in the order of the languages")

    def format_columns(self) -> str:
        """Which file each language is read from: ``eng from p.en, fra from p.fr``."""
        return ", ".join(f"{code} from {path}" for path, code in zip(self.paths, self.languages, strict=True))

    def items(self) -> Iterator[Item]:
        places = [f"{path.name} ({code})" for path, code in zip(self.paths, self.languages, strict=True)]
        read = read_lines_and_faults if self.options.skip_bad else read_lines
        files = [read(path) for path in self.paths]
        for number, row in enumerate(zip_longest(*files), 1):
            lines = [line[1] for line in row if line is not None]
            if len(lines) < len(row):
                raise self._unequal(number, [line is not None for line in row], files)
            texts = tuple(line for line in lines if not isinstance(line, InputError))
            if len(texts) < len(lines):
                error = next(line for line in lines if isinstance(line, InputError))
                yield skip_or_raise(error, number, skip_bad=True)
            elif not any(text.strip() for text in texts):
                yield Rejected(number, "blank line")
            else:
                yield aligned_unit(number, texts, places)

    def _unequal(self, number: int, lasting: list[bool], files: Sequence[Iterator[object]]) -> InputError:
        """The error for line ``number``, the first that not all files have; ``lasting`` says which ones have it."""
        counts = [
            number + sum(1 for _ in file) if lasts else number - 1 for lasts, file in zip(lasting, files, strict=True)
        ]
        told = ", ".join(f"{path} has {count:,} lines" for path, count in zip(self.paths, counts, strict=True))
        longest = self.paths[lasting.index(True)]
        return InputError(f"has no partner: {told}", path=longest, line=number)


def write_moses(records: Iterable[Record], languages: tuple[str, ...], language: str, file: TextIO) -> int:
    """Write the file of one of the languages, a unit a line; returns how many units.

    Units are left out that have not exactly one text in each of ``languages``: an empty line would say that a text is
    translated by nothing. Raises InputError for texts that hold a line break, which the database never does.
    """
    count = 0
    for record in records:
        variants = [each for each in variants_of(record, languages) if each.language in languages]
        if sorted(each.language for each in variants) == sorted(languages):
            text = next(each.text for each in variants if each.language == language)
            file.write(check_writable(text, _BREAKS, "plain text") + "\n")
            count += 1
    return count


def _language_of_file(path: Path) -> str | None:
    """The language that the extension names: corpus.fr, corpus.fr.txt, corpus.fr.gz, corpus.fra_Latn."""
    extensions = [part for part in path.suffixes if part not in (".gz", ".txt")]
    return language_of_heading(extensions[-1][1:]) if extensions else None


def _languages_of_files(files: tuple[Path, ...]) -> tuple[str, ...]:
    """The languages that the extensions name. Raises UsageError unless each names another one."""
    named: dict[str, Path] = {}
    for path in files:
        code = _language_of_file(path)
        if code is None:
            raise UsageError(
                f"the name of {path} does not end in a language, as p.en does; give --lang, such as eng,fra"
            )
        if code in named:
            raise UsageError(f"{named[code]} and {path} are both {code} by their names; give --lang, such as eng,fra")
        named[code] = path
    return tuple(named)


def _files(units: SelectedUnits, languages: tuple[str, ...], name: str) -> FileContents:
    def content(language: str) -> Callable[[TextIO], int]:
        return lambda file: write_moses(units(), languages, language, file)

    return {f"{name}.{language}": content(language) for language in languages}


MOSES: Final = Format(
    name="moses",
    reader=Reader(
        lambda files, options: MosesSource(
            files, replace(options, languages=options.languages or _languages_of_files(files))
        ),
        options=("skip_bad",),
        read_together="parallel files (moses)",
        # Several text files without a tab.
        recognise=lambda files, named: (
            len(files) > 1 and named <= {"", "tsv"} and not any("\t" in first_line(path) for path in files)
        ),
    ),
    writer=Writer(_files, "not exactly one text in every language", "prefix"),
)


# Reference sets as sacrebleu takes them: plain text files with a segment a line, one for each rank of references.

_SOURCES: Final = "source.txt"


def _reference_files(sets: Sequence[ReferenceSet]) -> dict[str, Content]:
    """source.txt and ref0.txt, ref1.txt ..., one segment a line.

    There are as many reference files as the largest set has references. Smaller sets are filled up by repeating their
    own, because sacrebleu takes an empty line for a reference of length 0, which switches off the brevity penalty.
    Without sources there is no source.txt. Raises InputError for a segment without references and for texts that are
    blank or hold a line break.
    """
    segments, have_sources = check_sets(sets, "\n\r")
    width = max((len(segment.references) for segment in segments), default=0)
    files = {_SOURCES: lines_of(segment.source for segment in segments)} if have_sources else {}
    return files | {f"ref{rank}.txt": lines_of(references_of_rank(segments, rank)) for rank in range(width)}


SACREBLEU: Final = Format(
    name="sacrebleu",
    reference_writer=ReferenceWriter(("ref0.txt", "ref*.txt", _SOURCES, PROVENANCE), _reference_files, fills_up=True),
)


# Tatoeba's own export, as https://tatoeba.org/downloads describes it: ``id<TAB>language<TAB>text``, in the detailed
# export followed by more columns, and the links ``id<TAB>translation id``, where each stands twice, once from either
# side.

_Sentence: TypeAlias = tuple[str, str]
"""Language and text."""
_NO_CELL: Final = re.compile("[\t\n\r\0]")


def holds_links(path: Path) -> bool:
    """Whether the first line of a file is two whole numbers, as in the links. Raises InputError as reading does."""
    cells = first_line(path).split("\t")
    return len(cells) == 2 and all(cell.isdecimal() for cell in cells)


@dataclass(frozen=True, slots=True)
class TatoebaSource(FilesRead):
    """The links of an export as pairs of sentences, each pair once, in the order of the links file, which is the last.

    The others are the sentences: the whole export or the files of single languages. Only pairs within the languages
    asked for (none = all) are yielded, others are dropped without a word; sentences without a language, without a text
    or (as long as all languages are asked for) in one that corpusdb does not know are rejected, and so are links to a
    sentence that no file has and links within one language. Raises InputError for malformed lines.
    """

    @classmethod
    def recognise(cls, paths: tuple[Path, ...], options: Options) -> Self:
        """Tell the links from the sentences by content. Raises UsageError unless there are both."""
        links = [path for path in paths if holds_links(path)]
        sentences = tuple(path for path in paths if path not in links)
        if len(links) != 1 or not sentences:
            raise UsageError("a Tatoeba export is one file of links (two numbers a line) and one or more of sentences")
        return cls((*sentences, *links), options)

    def items(self) -> Iterator[Item]:
        from corpusdb.corpus.formats.tatoeba_links import linked_sentences  # loads numpy

        *sentences, links = self.paths
        yield from linked_sentences(sentences, links, self.languages, skip_bad=self.options.skip_bad)


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
            file.write(f"{number}\t{language}\t{check_writable(text, _NO_CELL, 'a Tatoeba export')}\n")
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
        TatoebaSource.recognise,
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
