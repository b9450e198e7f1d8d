"""The word alignment of two files, one the translation of the other line by line. No database is asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from corpusdb.alignment.agreement import Agreement, agreement
from corpusdb.alignment.decoding import align
from corpusdb.alignment.links import Links, Symmetrisation
from corpusdb.alignment.training import train
from corpusdb.errors import InputError, UsageError
from corpusdb.formats.files.reading import STDIN
from corpusdb.formats.pharaoh import GoldLinks, read_gold_links
from corpusdb.formats.scoring_input import read_plain
from corpusdb.formats.segments import check_counts, segmentation_by_line
from corpusdb.jobs import Job
from corpusdb.metrics.tokenisation import TOKENISATIONS, tokeniser
from corpusdb.morphemes import sudachi_analyser
from corpusdb.queries.alignment.token_cutting import UNITS, cut_of, way_of_language
from corpusdb.text import MAX_SENTENCE_UNITS, are_undelimited
from corpusdb.textsearch.token_corpus import Cut

__all__ = [
    "AUTO",
    "UNITS",
    "WAYS_TO_CUT",
    "TokenisedFiles",
    "agreement_with",
    "align_files",
    "figures_of",
    "read_gold",
    "read_tokenised",
]

AUTO: Final = "auto"
"""Japanese morphemes for a file that is Japanese, where they can be had; units for any other."""
WAYS_TO_CUT: Final = (AUTO, UNITS, *TOKENISATIONS)
_MORPHEMES: Final = "ja-sudachi"
_KANA: Final = re.compile("[\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\uff66-\uff9f]")
"""What Chinese does not have."""


@dataclass(frozen=True, slots=True)
class TokenisedFiles:
    """The tokens of both files, line by line."""

    source: Sequence[Sequence[str]]
    target: Sequence[Sequence[str]]
    notes: tuple[str, ...] = ()
    """What someone should know of them, a line each."""

    @property
    def lengths(self) -> list[tuple[int, int]]:
        """How many tokens each line has in both files."""
        return [(len(source), len(target)) for source, target in zip(self.source, self.target, strict=True)]


@dataclass(frozen=True, slots=True)
class AlignmentFigures:
    """What came out, in numbers."""

    pairs: int
    links: int
    unlinked_source: int
    """Tokens without a link."""
    unlinked_target: int
    too_long: int
    """Pairs with over MAX_SENTENCE_UNITS tokens on a side, which have no links."""


def read_tokenised(source: Path, target: Path, tokenise: str = AUTO) -> TokenisedFiles:
    """Two plain text files, cut into tokens: ``tokenise`` is one of WAYS_TO_CUT, or one for each with a comma between.

    Raises UsageError for another, where a tokenisation needs what is not installed, and where both are standard input;
    InputError where the files have different numbers of lines, for a line without a token, and for what cannot be read.
    """
    if source == target == STDIN:
        raise UsageError("standard input (-) is given twice")
    ways = tokenise.split(",")
    if len(ways) > 2 or not set(ways) <= set(WAYS_TO_CUT):
        raise UsageError(f"unknown tokenisation {tokenise!r}; there are {', '.join(WAYS_TO_CUT)}, or two of these")
    paths = source, target
    texts = [read_plain(path) for path in paths]
    check_counts(*(segmentation_by_line(path, len(lines)) for path, lines in zip(paths, texts, strict=True)))
    tokens, notes = [], []
    for path, lines, asked in zip(paths, texts, (ways * 2)[:2], strict=True):
        is_japanese = sum(_KANA.search(line) is not None for line in lines) > len(lines) // 2
        way = _way_for(is_japanese) if asked == AUTO else asked
        cut = cut_of(UNITS) if way == UNITS else tokeniser(way)
        tokens.append([_tokens(line, cut, path, number) for number, line in enumerate(lines, 1)])
        if asked == AUTO and way == _MORPHEMES:
            notes.append(f"{path}: Japanese, cut into morphemes by {sudachi_analyser().identity}")
        elif way == UNITS and are_undelimited(lines):
            notes.append(
                f"{path}: words are not delimited there, and every character is a token; {_ADVICE[is_japanese]}"
            )
    return TokenisedFiles(tokens[0], tokens[1], tuple(notes))


_ADVICE: Final = {
    True: "--tokenise ja-sudachi cuts it into morphemes, with pip install 'corpusdb[japanese]'",
    False: "cut it into words first, and give --tokenise none",
}


def _way_for(is_japanese: bool) -> str:
    return _MORPHEMES if is_japanese and way_of_language("jpn") != UNITS else UNITS


def _tokens(line: str, cut: Cut, path: Path, number: int) -> Sequence[str]:
    tokens = cut(line)
    if not tokens:
        raise InputError("the line is blank, and can be aligned with nothing", path=path, line=number)
    return tokens


def read_gold(path: Path, files: TokenisedFiles) -> list[GoldLinks]:
    """What people have linked in the two files. Raises InputError as read_gold_links does."""
    return read_gold_links(path, files.lengths)


def align_files(files: TokenisedFiles, way: Symmetrisation) -> Job[Links]:
    """The links of each pair of lines, by a model that is trained on all of them."""
    model = yield from train(files.source, files.target)
    return (yield from align(model, files.source, files.target, way))


def figures_of(files: TokenisedFiles, links: Links) -> AlignmentFigures:
    """How many links and how many tokens without one."""
    own = theirs = too_long = 0
    for number, (source, target) in enumerate(files.lengths):
        found = links.of_pair(number)
        own += source - len({link[0] for link in found})
        theirs += target - len({link[1] for link in found})
        too_long += max(source, target) > MAX_SENTENCE_UNITS
    return AlignmentFigures(len(links), len(links.sources), own, theirs, too_long)


def agreement_with(gold: Sequence[GoldLinks], links: Links) -> Agreement:
    """How far the links agree with those that people made of the same pairs of lines."""
    return agreement((links.of_pair(number), each.sure, each.possible) for number, each in enumerate(gold))
