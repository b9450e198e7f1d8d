"""What other programs found in two texts: links of GIZA++ and others, put between our tokens, and phrases of Moses."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np

from corpusdb.alignment.links import (
    Link,
    Links,
    PhrasePairs,
    Phrases,
    counted_phrases,
    has_letter,
    read_links,
)
from corpusdb.base.errors import InputError
from corpusdb.base.text import units_of
from corpusdb.corpus.formats.reading import STDIN, digest_of, read_lines

Tokens: TypeAlias = Sequence[str]
Phrase: TypeAlias = tuple[str, ...]
_SEPARATOR: Final = "|||"


@dataclass(frozen=True, slots=True)
class AlignerFiles:
    """Links or a phrase table, by their paths."""

    alignment: str = ""
    """Links: Pharaoh lines, or A3 of GIZA++."""
    alignment_text: str = ""
    """The two texts of Pharaoh lines, by their tokens: source ||| target."""
    phrase_table: str = ""
    """Of Moses."""

    @property
    def digest(self) -> str:
        """SHA-256 of them all. Raises InputError for one that cannot be read."""
        return digest_of(Path(each) for each in (self.alignment, self.alignment_text, self.phrase_table) if each)

    def phrases(
        self, plain: Sequence[tuple[str, str]], sources: Sequence[Tokens], targets: Sequence[Tokens], longest: int
    ) -> PhrasePairs:
        """The phrase pairs of up to ``longest`` words that they have for some texts, ``plain`` and by our tokens.

        Raises InputError for what cannot be read, and for links of other texts.
        """
        if self.phrase_table:
            ngrams = (
                tuple(tokens[begin : begin + size])
                for tokens in targets
                for size in range(1, longest + 1)
                for begin in range(len(tokens) - size + 1)
            )
            return read_phrase_table(Path(self.phrase_table), frozenset(ngrams), longest)
        links = Links.of(links_of_others(self, plain, list(zip(sources, targets, strict=True))))
        return counted_phrases(links, sources, targets, longest)


@dataclass(frozen=True, slots=True)
class AlignerTexts:
    """A pair of texts in the tokens of an aligner, and its links."""

    source: Tokens
    target: Tokens
    links: Sequence[Link]

    def between(self, source: Tokens, target: Tokens) -> list[Link] | None:
        """The links between other tokens of the same texts, whichever is the source; None for other texts.

        Texts are the same where their characters are, apart from case and white space. A token has the links of all
        tokens with which it shares a character.
        """
        for own, links in (
            ((self.source, self.target), self.links),
            ((self.target, self.source), [(theirs, mine) for mine, theirs in self.links]),
        ):
            sides = [_shared(*side) for side in zip(own, (source, target), strict=True)]
            if None not in sides:
                return sorted({(f, e) for mine, theirs in links for f in sides[0][mine] for e in sides[1][theirs]})  # type: ignore[index]
        return None


def _shared(theirs: Tokens, ours: Tokens) -> list[range] | None:
    """For each of their tokens the places of ours that share a character with it; None for another text."""
    cut, other = (["".join(token.casefold().split()) for token in side] for side in (theirs, ours))
    if "".join(cut) != "".join(other):
        return None
    owner = np.repeat(np.arange(len(other)), [len(token) for token in other])
    ends = list(accumulate(map(len, cut)))
    starts = [end - len(token) for end, token in zip(ends, cut, strict=True)]
    return [
        range(int(owner[begin]), int(owner[end - 1]) + 1) if begin < end else range(0)
        for begin, end in zip(starts, ends, strict=True)
    ]


# A3 of GIZA++ (Och and Ney 2003) has three lines for a pair of texts: its number and lengths; the text that is
# generated; and the words of the other text, of which NULL is the first, each with the places, from 1, of the words
# that it generates. Texts are known by their numbers: MGIZA writes them in the order in which its threads are done.
# Words end at spaces alone: those that do not break stand inside of words, as in 10 000.


_HEAD: Final = re.compile(
    r"# Sentence pair \(([1-9][0-9]{0,8})\) source length ([0-9]{1,9}) target length ([0-9]{1,9})\b.*"
)
_WORD: Final = re.compile(r"([^ \t]+) \(\{((?: [0-9]{1,9})*) \}\) ?")
_LINES: Final = 3


def is_a3(path: Path) -> bool:
    """Whether a file begins as those of GIZA++ do; standard input does not."""
    return path != STDIN and _HEAD.fullmatch(next(read_lines(path))[1]) is not None


def read_a3(path: Path) -> list[AlignerTexts]:
    """Pairs of texts by their numbers. Raises InputError, with the line, for what is no such file."""
    found: dict[int, AlignerTexts] = {}
    for _, lines in groupby(read_lines(path), lambda line: (line[0] - 1) // _LINES):
        group = list(lines)
        head = _HEAD.fullmatch(group[0][1])
        if head is None or len(group) < _LINES:
            raise InputError("this is not a sentence pair of GIZA++, three lines long", path=path, line=group[0][0])
        made, words = group[1][1].replace("\t", " ").split(" "), list(_WORD.finditer(group[2][1]))
        made = [word for word in made if word]
        length = sum(len(word[0]) for word in words)
        if length < len(group[2][1].rstrip()) or (len(words) - 1, len(made)) != (int(head[2]), int(head[3])):
            raise InputError("the words are others than the head says", path=path, line=group[2][0])
        links = [(place, int(each) - 1) for place, word in enumerate(words[1:]) for each in word[2].split()]
        if any(not 0 <= each < len(made) for _, each in links):
            raise InputError("a link leads outside of its text", path=path, line=group[2][0])
        if (
            found.setdefault(int(head[1]), pair := AlignerTexts([word[1] for word in words[1:]], made, links))
            is not pair
        ):
            raise InputError(f"sentence pair {head[1]} appears twice", path=path, line=group[0][0])
    if sorted(found) != list(range(1, len(found) + 1)):
        raise InputError(f"sentence pairs are missing: there are {len(found):,}, up to {max(found):,}", path=path)
    return [found[number] for number in sorted(found)]


def read_linked_texts(files: AlignerFiles, plain: Sequence[tuple[str, str]]) -> list[AlignerTexts]:
    """The links of a file with the texts that they stand between.

    Those of Pharaoh lines are ``alignment_text``; without it the tokens are the words of ``plain``, as split by white
    space. Raises InputError for what cannot be read, and for another number of texts than ``plain`` has.
    """
    path = Path(files.alignment)
    if is_a3(path):
        found = read_a3(path)
    else:
        texts = [(source.split(), target.split()) for source, target in plain]
        if files.alignment_text:
            texts = list(_paired(Path(files.alignment_text)))
        lengths = [(len(source), len(target)) for source, target in texts]
        links = read_links(path, lengths)
        found = [AlignerTexts(*pair, own) for pair, own in zip(texts, links, strict=True)]
    if len(found) != len(plain):
        raise InputError(f"links {len(found):,} pairs of texts; there are {len(plain):,}", path=path)
    return found


def _paired(path: Path) -> Iterator[tuple[list[str], list[str]]]:
    for number, line in read_lines(path):
        sides = line.split(_SEPARATOR)
        if len(sides) != 2:
            raise InputError("a line is: source ||| target", path=path, line=number)
        yield sides[0].split(), sides[1].split()


def links_of_others(
    files: AlignerFiles, plain: Sequence[tuple[str, str]], tokens: Sequence[tuple[Tokens, Tokens]]
) -> list[list[Link]]:
    """The links of a file between our tokens of each pair of texts, of which ``plain`` has the texts themselves.

    Raises InputError as read_linked_texts does, and for other texts.
    """
    found = []
    for number, (each, (source, target)) in enumerate(zip(read_linked_texts(files, plain), tokens, strict=True), 1):
        links = each.between(source, target)
        if links is None:
            reason = f"pair {number:,}: the texts that are linked are others than source and reference"
            raise InputError(reason, path=Path(files.alignment_text or files.alignment))
        found.append(links)
    return found


# Phrase tables of Moses (Koehn et al. 2007): source ||| target ||| scores ||| alignment ||| counts, of which the counts
# are those of the target, of the source and of both. Its special characters are written as entities.


_COUNTS: Final = 4
_MOST_COUNTED: Final = 10**12
_Row: TypeAlias = tuple[Phrase, Phrase, float, float, float]


def read_phrase_table(path: Path, wanted: frozenset[Phrase], longest: int) -> PhrasePairs:
    """The phrase pairs of a table, in lower case, whose source phrases translate one of the target phrases ``wanted``.

    Phrases are of up to ``longest`` units, all with a letter. Rows of one source phrase follow each other, as Moses
    writes them; those of one are in memory, and what is wanted. Raises InputError, with the line, for a row without
    its counts.
    """
    counts: Counter[tuple[Phrase, Phrase]] = Counter()
    totals: tuple[dict[str, tuple[Phrase, float]], dict[str, tuple[Phrase, float]]] = {}, {}
    for _, group in groupby(_rows(path), lambda row: row[0][0]):
        rows = [(texts, row) for texts, row in group if all(0 < len(side) <= longest for side in row[:2])]
        if not any(row[1] in wanted for _, row in rows):
            continue
        for texts, (source, target, of_target, of_source, both) in rows:
            counts[source, target] += round(both)
            totals[0][texts[0]], totals[1][texts[1]] = (source, of_source), (target, of_target)
    return _phrase_pairs(counts, totals)


def _rows(path: Path) -> Iterator[tuple[tuple[str, str], _Row]]:
    for number, line in read_lines(path):
        fields = list(map(str.strip, line.split(_SEPARATOR)))
        try:
            of_target, of_source, both = map(float, fields[_COUNTS].split())
        except (IndexError, ValueError):
            reason = "a row of a phrase table has its counts: source ||| target ||| scores ||| links ||| 3 4 2"
            raise InputError(reason, path=path, line=number) from None
        if not all(count <= _MOST_COUNTED for count in (of_target, of_source, both)):
            raise InputError(f"a count is not a number up to {_MOST_COUNTED:,}", path=path, line=number)
        if not 1 <= both <= min(of_target, of_source):
            raise InputError("both phrases are counted more often than one of them", path=path, line=number)
        yield (fields[0], fields[1]), (_phrase(fields[0]), _phrase(fields[1]), of_target, of_source, both)


def _phrase(written: str) -> Phrase:
    """Its units, in lower case; none where one has no letter."""
    text = html.unescape(" ".join(written.split())).replace(" '", "'")
    units = tuple(unit.strip().lower() for unit in units_of(text))
    return units if all(map(has_letter, units)) else ()


def _phrase_pairs(
    counts: Counter[tuple[Phrase, Phrase]], totals: Sequence[dict[str, tuple[Phrase, float]]]
) -> PhrasePairs:
    own, theirs = (_counted(each.values()) for each in totals)
    numbers = [{text: number for number, text in enumerate(side.texts)} for side in (own, theirs)]
    rows = sorted((numbers[0][source], numbers[1][target], count) for (source, target), count in counts.items())
    sources, targets, both = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return PhrasePairs(own, theirs, sources, targets, both, np.zeros(len(rows), dtype=np.int64))


def _counted(phrases: Iterable[tuple[Phrase, float]]) -> Phrases:
    """Each phrase once, with the sum of its counts in all the ways in which it is written."""
    counts: Counter[Phrase] = Counter()
    for phrase, count in phrases:
        counts[phrase] += round(count)
    texts = tuple(sorted(counts))
    return Phrases(texts, np.array([counts[text] for text in texts], dtype=np.int64))
