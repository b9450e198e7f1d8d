"""Real text for what this room must show: dialogues, meetings, news, and sentences of Tatoeba, in two languages.

Each is a list of documents and texts, normalised as profiles are by default.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from corpusdb.base.arrays import I64
from corpusdb.base.char_model_counts import normalised
from corpusdb.phrasebook import phrasebook_files

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
LANGUAGES = ("en", "ja")


@dataclass(frozen=True)
class Documents:
    """Texts, none of them empty, and the document of each."""

    texts: list[str]
    documents: list[str]

    @classmethod
    def of(cls, texts: list[str], documents: list[str]) -> Documents:
        kept = [(text, document) for text, document in zip(normalised(texts, "case"), documents, strict=True) if text]
        return cls([text for text, _ in kept], [document for _, document in kept])

    @property
    def owners(self) -> I64:
        """The number of each text's document, in the order in which they come."""
        numbers = {name: number for number, name in enumerate(dict.fromkeys(self.documents))}
        return np.array([numbers[name] for name in self.documents])

    def half(self, odd: int) -> Documents:
        """Every second document."""
        kept = (self.owners % 2 == odd).tolist()
        return Documents(
            [text for text, is_kept in zip(self.texts, kept, strict=True) if is_kept],
            [name for name, is_kept in zip(self.documents, kept, strict=True) if is_kept],
        )

    def __add__(self, other: Documents) -> Documents:
        return Documents(self.texts + other.texts, self.documents + other.documents)


def _table(name: str) -> list[dict[str, str]]:
    path = DATA / name
    data = path.read_bytes()
    lines = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8").removesuffix("\n").split("\n")
    head = lines[0].split("\t")
    return [dict(zip(head, line.split("\t"), strict=True)) for line in lines[1:]]


def _dialogue(folder: str, part: str, language: str) -> Documents:
    rows = _table(f"{folder}/{part}.tsv")
    return Documents.of([row[language] for row in rows], [row["doc"] for row in rows])


def dialogues(language: str, part: str) -> Documents:
    """Business dialogues; ``part`` is dev or test."""
    return _dialogue("dialogue-bsd", part, language)


def meetings(language: str, part: str) -> Documents:
    """Meetings; ``part`` is dev or test."""
    return _dialogue("dialogue-ami", part, language)


def news(language: str) -> Documents:
    """News written in this language, not translated; where the document is not known, ten lines are one."""
    rows = _table(f"homogeneity/news.{language}.meta.tsv")
    texts = (DATA / f"homogeneity/news.{language}.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    own = [(text, row) for text, row in zip(texts, rows, strict=True) if row["origin"] == "original"]
    return Documents.of(
        [text for text, _ in own],
        [f"{row['set']} {row['doc'] or int(row['source_line']) // 10}" for _, row in own],
    )


def distinct_sentences(pair: str, column: str = "english") -> list[str]:
    """The distinct sentences of one side of the pairs of English with a language, as they are in the file."""
    return list(dict.fromkeys(row[column] for row in _table(f"tatoeba/eng-{pair}.tsv.gz")))


@cache
def tatoeba(pair: str, column: str = "english") -> list[str]:
    """The same, normalised."""
    return [text for text in normalised(distinct_sentences(pair, column), "case") if text]


def phrasebook(language: str) -> Documents:
    """The built-in phrasebook, each topic's distinct sentences."""
    column = {"en": 0, "ja": 1}[language]
    rows = [
        (text, path.stem)
        for path in phrasebook_files()
        for text in dict.fromkeys(
            line.split("\t")[column] for line in path.read_text(encoding="utf-8").splitlines()[1:]
        )
    ]
    return Documents.of([text for text, _ in rows], [name for _, name in rows])
