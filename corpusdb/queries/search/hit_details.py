"""What is shown of hits and of the lines of a concordance: their texts, their translations and where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from corpusdb.queries.corpus.occurrences import Place, places_of
from corpusdb.queries.corpus.translations import Translation, translations_of
from corpusdb.queries.search.concordance import Concordance, LinePlace
from corpusdb.queries.search.search import Hits
from corpusdb.store import Store
from corpusdb.textsearch.matches import Span

__all__ = ["HitDetails", "Wanted", "first_details", "hit_details", "joined", "numbered", "with_categories"]

_PAGE = 1000
"""How many hits are looked up at a time."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked up for every hit."""

    languages: tuple[str, ...] | None = None
    """Those of its translations; empty = all but its own, None = no translations."""
    distance: int = 1
    """Of the translations."""
    places: bool = False
    spans: bool = False
    """What matched in a sentence; a line of a concordance is split there anyway."""


@dataclass(frozen=True, slots=True)
class HitDetails:
    """A sentence that was found, or a line of a concordance."""

    id: int
    """Of the sentence."""
    language: str
    texts: Mapping[str, str]
    """The sentence under ``text``, or a line of a concordance under ``left``, ``match`` and ``right``."""
    spans: Sequence[Span] | None
    translations: Sequence[Translation]
    places: Sequence[Place]
    number: int | None = None
    """Of a line of a concordance, from 1, by which `categories set --lines` takes it."""

    def document(self) -> dict[str, object]:
        """The details as JSON has them; translations are a list for each language."""
        translations: dict[str, list[dict[str, object]]] = {}
        for each in self.translations:
            entry: dict[str, object] = {"text": each.text, "distance": each.distance, "via": each.via}
            translations.setdefault(each.language, []).append(entry)
        spans = {} if self.spans is None else {"spans": self.spans}
        places = [asdict(place) for place in self.places]
        number = {} if self.number is None else {"line": self.number}
        return {**number, "id": self.id, "language": self.language, **self.texts, **spans} | {
            "translations": translations,
            "places": places,
        }

    def cells(self, columns: Sequence[str]) -> list[str | int]:
        """The cells of a table with these columns: names of texts, of languages, or of what else there is."""
        known: dict[str, str | int] = {"id": self.id, "language": self.language, **self.texts}
        if self.number is not None:
            known["line"] = self.number
        if "places" in columns:
            known["places"] = " | ".join(map(str, self.places))
        if "translations" in columns:
            known["translations"] = joined(self.translations)
        return [
            known[column] if column in known else joined(each for each in self.translations if each.language == column)
            for column in columns
        ]


def joined(translations: Iterable[Translation]) -> str:
    """Translations in one cell, those that are not direct with their distance: "Salut. | (2) Coucou."."""
    return " | ".join(f"({each.distance}) {each.text}" if each.distance > 1 else each.text for each in translations)


def first_details(
    store: Store, found: Sequence[Hits | Concordance], wanted: Wanted, limit: int = 0
) -> Iterator[HitDetails]:
    """The first hits of several searches, one search after the other; ``limit`` 0 is all."""
    left = limit or sum(map(len, found))
    for each in found:
        last = min(left, len(each))
        for first in range(0, last, _PAGE):
            yield from hit_details(store, each, wanted, range(first, min(first + _PAGE, last)))
        left -= last


def hit_details(store: Store, found: Hits | Concordance, wanted: Wanted, rows: range) -> Iterator[HitDetails]:
    """Some of the hits or lines, which are looked up together."""
    if isinstance(found, Concordance):
        lines = found.lines(rows.start, len(rows))
        language, ids = found.hits.language, [line.sentence for line in lines]
        texts = [{"left": line.left, "match": line.match, "right": line.right} for line in lines]
    else:
        language, ids = found.language, found.sentences[rows.start : rows.stop].tolist()
        texts = [{"text": found.text(row)} for row in rows]
    translations = {} if wanted.languages is None else translations_of(store, ids, wanted.languages, wanted.distance)
    places = places_of(store, ids) if wanted.places else {}
    for row, sentence, text in zip(rows, ids, texts, strict=True):
        spans = found.spans(row) if wanted.spans and isinstance(found, Hits) else None
        yield HitDetails(sentence, language, text, spans, translations.get(sentence, []), places.get(sentence, []))


def numbered(lines: Iterable[HitDetails]) -> Iterator[HitDetails]:
    """Lines of concordances with their numbers, from 1."""
    for number, line in enumerate(lines, 1):
        yield replace(line, number=number)


def with_categories(lines: Iterable[HitDetails], categories: Mapping[LinePlace, str]) -> Iterator[HitDetails]:
    """Lines of a concordance with their category as the first of their texts, empty where they have none."""
    for line in lines:
        start = len(line.texts["left"])
        place = LinePlace(line.id, start, start + len(line.texts["match"]))
        yield replace(line, texts={"category": categories.get(place, ""), **line.texts})
