"""A larger bitext made of a real one: names are exchanged on both sides, and sentences joined in pairs.

    python tests/benchmarks/grown_corpus.py PAIRS.tsv --sentences N -o OUT.tsv [--seed 1] [--no-header]

PAIRS.tsv, plain or gzip, has a sentence and its translation in its first two columns; N counts distinct sentences of
the first, each with all its translations. The pairs of the file come first, each once, then two kinds of new ones:

    names    a person who is named once on both sides, as Tom / Tom or Tom / トム, gets one of ROOM invented names, of
             the same gender and the same on both sides; what shared a translation shares it still
    joined   two sentences that end in their only mark, one behind the other on both sides: I see. Go on.

No new sentence is made twice or stands in the file, by construction: invented names that the file holds are not used,
and a joined sentence can be divided in one way only. So nothing is remembered: memory is that of the file, whatever N.
The same file, N and seed give the same bytes.

JOINED, FIRST_WORDS and ROOM are chosen so that a corpus that is grown to twice its size is like a natural one of that
size. What growth.py measures, each for a sentence, grown divided by natural, Tatoeba eng-fra / eng-deu:

    sentences         contexts     fillers      slots kept   pairs of fillers   sentences that share a translation
     25,000           1.51 / 1.40  1.40 / 1.13  2.04 / 1.71  2.74 / 3.60        0.45 / 0.57
     50,000           1.36 / 1.27  1.13 / 0.94  1.48 / 1.22  1.22 / 0.74        0.46 / 0.45
    100,000           1.24 / 1.18  1.02 / 0.91  1.17 / 1.03  0.72 / 0.70        0.41 / 0.45

The whole of eng-fra grown from 116,830 to 236,197 sentences has 5.76 kept slots and 63 pairs of fillers a sentence,
that of eng-deu from 135,534 has 5.01 and 54; all four files of Tatoeba, as many natural sentences, have 5.41 and 83.
So it is for costs of the chain, not for claims about quality; and it shares too few translations for those of
detecting. Names alone are some ROOM times the sentences with one; beyond that all that is new is joined, and sparse.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import cycle, islice, starmap
from pathlib import Path
from typing import TypeAlias
from zlib import crc32

from corpusdb.corpus.formats.reading import read_lines

Pair: TypeAlias = tuple[str, str]

JOINED = 0.3
"""Of the new sentences."""
LONGEST_JOINED = 80
"""The length of a sentence that is joined with another, in code points."""
FIRST_WORDS = 0.2
"""Of the sentences that begin with a name, so many are exchanged: all would make ``Tom _`` too common for the size."""
ROOM = 500
"""Invented names of each gender: fewer would give contexts with more fillers."""

PEOPLE = (
    ("Tom", "トム", "汤姆", "湯姆"),
    ("John", "ジョン", "约翰", "約翰"),
    ("Mary", "Marie", "Maria", "メアリー", "メアリ", "玛丽", "瑪麗"),
)
"""Who is named in Tatoeba, and how it is written; the last is a woman."""
_PERSON_OF = {name: number for number, names in enumerate(PEOPLE) for name in names}
_WOMAN = len(PEOPLE) - 1
_NAMED = re.compile(
    r"(?<![\w'’-])(?:Tom|John|Mary|Marie|Maria)(?![\w-])"
    r"|(?<![ァ-ー])(?:トム|ジョン|メアリー?)(?![ァ-ー])"
    "|汤姆|湯姆|约翰|約翰|玛丽|瑪麗"
)
# Each begins with a consonant, before which French elides nothing, and none ends in s, whose genitive is another.
MEN = (
    "Rupert Kelvin Duncan Basil Gilbert Malcolm Barnaby Percival Desmond Mortimer Roland Clifford Bertrand Godfrey "
    "Leopold Reginald Wilfred Cedric Quentin Fabian Lambert Conrad Tristan Ludwig Dexter"
).split()
WOMEN = (
    "Beatrice Priscilla Griselda Millicent Rosalind Prudence Winifred Cordelia Philippa Tabitha Florence Gwendolyn "
    "Matilda Rowena Lavinia Drusilla Cecilia Brunhilda Melinda Petunia Felicity Verity Davina Constance Tamsin"
).split()
SURNAMES = (
    "Ashcroft Blackwell Carmody Delacourt Fairfield Garland Langley Merriweather Nightingale Oldfield Pemberton "
    "Quimby Ravenwood Somerset Thornbury Underhill Vandermeer Whitlock Kingsley Farnborough"
).split()
_SINGLE = re.compile(r"[^.!?…]*[.!?]")
_GAP = "\0"

_Translated: TypeAlias = dict[str, list[str]]
"""Sentences in their order, each with its translations."""


def read_pairs(path: Path, *, header: bool) -> tuple[str, Iterator[Pair]]:
    """The first two cells of the first line, if it is a header, and the pairs of which both sides hold something."""
    rows = (line.split("\t")[:2] for _, line in read_lines(path))
    first = "\t".join(next(rows, [])) if header else ""
    return first, ((row[0], row[1]) for row in rows if len(row) == 2 and row[0].strip() and row[1].strip())


def grow(pairs: Iterable[Pair], sentences: int, seed: int = 1) -> Iterator[Pair]:
    """The pairs, each once, and so many new ones that there are ``sentences`` distinct first sides.

    Raises ValueError where the pairs have more than that, or not enough can be made of them.
    """
    natural: _Translated = {}
    for sentence, translation in pairs:
        known = natural.setdefault(sentence, [])
        if translation not in known:
            known.append(translation)
            yield sentence, translation
    missing = sentences - len(natural)
    if missing < 0:
        raise ValueError(f"there are {len(natural):,} sentences already")
    made = 0
    for group in islice(_mixed(_exchanged(natural, seed), _joined(natural, seed)), missing):
        made += 1
        yield from group
    if made < missing:
        raise ValueError(f"no more than {len(natural) + made:,} sentences can be made of {len(natural):,}")


def _mixed(exchanged: Iterator[list[Pair]], joined: Iterator[list[Pair]]) -> Iterator[list[Pair]]:
    """Of the second kind JOINED of all, evenly; when one kind ends, the other alone."""
    due = 0.0
    while True:
        due += JOINED
        first, second = (joined, exchanged) if due >= 1 else (exchanged, joined)
        due -= due >= 1
        group = next(first, None) or next(second, None)
        if group is None:
            return
        yield group


def invented_names(natural: Iterable[str], seed: int) -> tuple[list[str], list[str]]:
    """Names of men and of women that no sentence holds, in a random order."""
    text = "\n".join(natural)
    names = []
    for given in (MEN, WOMEN):
        found = [f"{one} {surname}" for one in given for surname in SURNAMES if f"{one} {surname}" not in text]
        random.Random(seed).shuffle(found)
        names.append(found[:ROOM])
    return names[0], names[1]


def _exchanged(natural: _Translated, seed: int) -> Iterator[list[Pair]]:
    """Sentences with another name, with their translations: each template once, then each once more."""
    names = invented_names(natural, seed)
    templates: list[tuple[int, int, str, list[str]]] = []
    for (woman, one), others in _templates(natural, seed).items():
        # What has a translation in common has its names in common too.
        begin = crc32(f"{seed} {others[0]}".encode())
        templates.append((woman, begin, one, others))
    random.Random(seed).shuffle(templates)
    for turn in range(ROOM):
        for woman, begin, one, others in templates:
            if turn < len(names[woman]):
                name = names[woman][(begin + turn) % len(names[woman])]
                yield [(one.replace(_GAP, name), other.replace(_GAP, name)) for other in others]


def _templates(natural: _Translated, seed: int) -> dict[tuple[int, str], list[str]]:
    """Sentences with a gap for a man (0) or a woman (1), and their translations with one."""
    found: dict[tuple[int, str], list[str]] = {}
    for sentence, translations in natural.items():
        for translation in translations:
            here, there = list(_NAMED.finditer(sentence)), list(_NAMED.finditer(translation))
            people = {_PERSON_OF[each.group()] for each in (*here, *there)}
            if len(here) != 1 or len(there) != 1 or len(people) != 1:
                continue
            one, other = _with_gap(sentence, here[0]), _with_gap(translation, there[0])
            if one.startswith(_GAP) and crc32(f"{seed} {other}".encode()) >= FIRST_WORDS * 2**32:
                continue
            others = found.setdefault((int(_WOMAN in people), one), [])
            if other not in others:
                others.append(other)
    return found


def _with_gap(text: str, name: re.Match[str]) -> str:
    return text[: name.start()] + _GAP + text[name.end() :]


def _joined(natural: _Translated, seed: int) -> Iterator[list[Pair]]:
    """Pairs of sentences, of which each stands first once, then once more with another behind it.

    What has its first translation in common has in common what stands behind it too, and so a translation.
    """
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for text, translations in natural.items():
        if len(text) <= LONGEST_JOINED and _SINGLE.fullmatch(text):
            groups[translations[0]].append(text)
    alike = list(groups.values())
    random.Random(seed).shuffle(alike)
    for distance in range(1, len(alike)):
        for place, group in enumerate(alike):
            others = alike[(place + distance) % len(alike)]
            second = others[distance % len(others)]
            for first in group:
                if (sentence := f"{first} {second}") not in natural:
                    most = max(len(natural[first]), len(natural[second]))
                    sides = (islice(cycle(natural[each]), most) for each in (first, second))
                    texts = starmap(_one_behind_the_other, zip(*sides, strict=True))
                    yield [(sentence, text) for text in dict.fromkeys(texts)]


def _one_behind_the_other(first: str, second: str) -> str:
    return first + ("" if first[-1] in "。！？" else " ") + second


def main() -> None:
    """Write the file; it appears when it is complete."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--sentences", type=int, required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-header", action="store_true", help="the first line is a pair as well")
    options = parser.parse_args()
    header, pairs = read_pairs(options.pairs, header=not options.no_header)
    unfinished = options.output.with_name(f"{options.output.name}.unfinished")
    try:
        with unfinished.open("w", encoding="utf-8", newline="\n") as file:
            if header:
                file.write(f"{header}\n")
            file.writelines(f"{one}\t{other}\n" for one, other in grow(pairs, options.sentences, options.seed))
    except ValueError as error:
        unfinished.unlink()
        raise SystemExit(f"{options.pairs}: {error}") from error
    unfinished.replace(options.output)


if __name__ == "__main__":
    main()
