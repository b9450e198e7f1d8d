"""Where the lines of a concordance stand, how many for a million tokens, and what they have in common."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice, product
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, get_args

import numpy as np

from corpusdb.base.errors import InputError
from corpusdb.base.text import is_word
from corpusdb.corpus.queries.attributes import require_attribute
from corpusdb.corpus.queries.sentences import CorpusPart, Translation, languages_of, part_of, translations_of_sentence
from corpusdb.corpus.store import Store
from corpusdb.search.queries.line_words import (
    BESIDE_MATCH,
    ENDS,
    WORDS,
    LineMatch,
    Spot,
    TokenValues,
    key_words,
    piece_of,
)
from corpusdb.search.queries.request import NO_CATEGORY, Arrangement, GroupBy, LineKey, Within, sort_keys
from corpusdb.search.queries.search import Hits

if TYPE_CHECKING:
    from corpusdb.search.token_corpus import TokenCorpus

_PARTS = """
select {distinct} occurrence.sentence, case :kind
    when 'collection' then collection.name
    else iif(
        :of = '', collection.name || '/' || coalesce(nullif(section.name, ''), document.name),
        (select value from json_each(section.attributes) where key = :of)
    )
end as part
from occurrence
join sentence on sentence.id = occurrence.sentence and sentence.language = :language
join document on document.id = occurrence.document
join collection on collection.id = document.collection
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
left join section on section.id = unit.section
where part is not null and {inside}
"""
_INSIDE = """
(:files is null or occurrence.document in (select value from json_each(:files))
    or unit.section in (select value from json_each(:sections)))
"""


def part_within(store: Store, within: Within) -> CorpusPart | None:
    """The part of the corpus that is asked for; None for all of it."""
    return None if within == Within() else part_of(store, *within)


def _bounds(part: CorpusPart | None) -> dict[str, str | None]:
    """What ``_INSIDE`` asks for a part of the corpus, or for all of it."""
    if part is None:
        return {"files": None, "sections": None}
    files = [document for document, section in part.languages if section is None]
    return {"files": json.dumps(files), "sections": json.dumps([section for _, section in part.languages])}


def part_sizes(
    store: Store,
    key: LineKey,
    corpora: Iterable[TokenCorpus],
    part: CorpusPart | None = None,
    *,
    occurrences: bool = False,
) -> Counter[str]:
    """How many tokens each collection or document has, or all documents of which an attribute says the same; in a part
    of the corpus, or in all of it.

    A sentence counts once in each, or every occurrence of it. ``corpora``: the tokens of each language.
    """
    query = _PARTS.format(distinct="" if occurrences else "distinct", inside=_INSIDE)
    key = kept_key(store, key)
    sizes: Counter[str] = Counter()
    for corpus in corpora:
        given = {"language": corpus.language, "kind": key.kind, "of": key.of, **_bounds(part)}
        rows = store.connection.execute(query, given).fetchall()
        places = np.searchsorted(corpus.sentences, np.array([sentence for sentence, _ in rows], dtype=np.int64))
        for (_, name), size in zip(rows, corpus.lengths[places].tolist(), strict=True):
            sizes[str(name)] += size
    return sizes


def kept_key(store: Store, key: LineKey) -> LineKey:
    """A key with its attribute of documents as it is kept. Raises InputError where no document and no line has it."""
    return key._replace(of=require_attribute(store, key.of)) if key.kind == "document" and key.of else key


# The lines of one speaker stand in a section of their own, which has the name of their document.
_EXTENTS = """
select occurrence.document, coalesce(section.name, '') as part, min(occurrence.line), max(occurrence.line)
from occurrence
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
left join section on section.id = unit.section
group by occurrence.document, part
"""
_SPOTS = f"""
select collection.name || '/' || coalesce(nullif(section.name, ''), document.name),
    occurrence.document, coalesce(section.name, ''), occurrence.line
from occurrence
join document on document.id = occurrence.document
join collection on collection.id = document.collection
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
left join section on section.id = unit.section
where occurrence.sentence in (select value from json_each(:sentences)) and {_INSIDE}
"""


def plots(store: Store, sentences: Collection[int], part: CorpusPart | None = None, cells: int = 40) -> dict[str, str]:
    """For each document where the sentences stand in it, from its first line to its last: | where one does, else a dot.

    Only places in a part of the corpus are marked, or all of them.

    A document whose name another one of its collection has is one with it, and each is drawn from end to end.
    """
    extents = {(document, section): ends for document, section, *ends in store.connection.execute(_EXTENTS)}
    marked: dict[str, set[int]] = {}
    given = {"sentences": json.dumps(sorted(sentences)), **_bounds(part)}
    for name, document, section, line in store.connection.execute(_SPOTS, given):
        first, last = extents[document, section]
        marked.setdefault(name, set()).add((line - first) * (cells - 1) // max(last - first, 1))
    return {name: "".join("|" if cell in found else "." for cell in range(cells)) for name, found in marked.items()}


class Occurrence(NamedTuple):
    spot: Spot
    collection: str
    document: str
    """With the collection in front."""
    attributes: Mapping[str, str]
    """Of the document and the line."""


_OCCURRENCES = """
select occurrence.sentence, occurrence.document, unit.section, occurrence.line, collection.name,
    collection.name || '/' || coalesce(nullif(section.name, ''), document.name), coalesce(section.attributes, '{}')
from occurrence
join document on document.id = occurrence.document
join collection on collection.id = document.collection
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
left join section on section.id = unit.section
where occurrence.sentence in (select value from json_each(?))
order by occurrence.document, occurrence.line
"""


def occurrences_of(
    store: Store, sentences: Iterable[int], part: CorpusPart | None = None
) -> dict[int, list[Occurrence]]:
    """Every occurrence of each sentence in a part of the corpus or anywhere, in the order of files and lines."""
    found: dict[int, list[Occurrence]] = {}
    given = json.dumps(list(dict.fromkeys(sentences)))
    read = lru_cache(1000)(json.loads)
    for sentence, document, section, line, collection, name, attributes in store.connection.execute(
        _OCCURRENCES, (given,)
    ):
        if part is None or part.languages_at(document, section) is not None:
            at = Occurrence((document, line), collection, name, read(attributes))
            found.setdefault(sentence, []).append(at)
    return found


_SPOTS_OF = """
select occurrence.sentence, occurrence.document, unit.section, occurrence.line
from json_each(?) given join occurrence on occurrence.sentence = given.value
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
order by occurrence.document, occurrence.line
"""


def spots_of(store: Store, sentences: Sequence[int], part: CorpusPart | None = None) -> Iterator[tuple[int, Spot]]:
    """The sentences where they occur in a part of the corpus or anywhere, in the order of files and lines."""
    for sentence, document, section, line in store.connection.execute(_SPOTS_OF, (json.dumps(sentences),)):
        if part is None or part.languages_at(document, section) is not None:
            yield sentence, (document, line)


_AT = """
select occurrence.document, occurrence.line, sentence.id, sentence.language, sentence.text
from json_each(?) given
join occurrence on occurrence.document = given.value ->> 0 and occurrence.line = given.value ->> 1
join sentence on sentence.id = occurrence.sentence
order by sentence.language, sentence.id
"""


def translations_beside(
    store: Store, spots: Iterable[Spot], languages: Collection[str] = ()
) -> dict[Spot, list[Translation]]:
    """What stands at each spot in some languages, none are all: the text itself, and what translates it there."""
    found: dict[Spot, list[Translation]] = {}
    for document, line, sentence, language, text in store.connection.execute(
        _AT, (json.dumps(list(dict.fromkeys(spots))),)
    ):
        if not languages or language in languages:
            found.setdefault((document, line), []).append(Translation(sentence, language, text, 1, None))
    return found


# Lines of a file without documents, of which nothing is said, stand among those of which something is.
_PLACE_OF = """
select nullif(section.name, ''), sentence.language
from sentence
left join unit on unit.document = ? and unit.line = ?
left join section on section.id = unit.section
where sentence.id = ?
"""
_NEXT = """
select sentence.text
from occurrence
join sentence on sentence.id = occurrence.sentence
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
left join section on section.id = unit.section
where occurrence.document = ? and occurrence.line {side} ? and nullif(section.name, '') is ? and sentence.language = ?
order by occurrence.line {order} limit ?
"""


def neighbours(store: Store, sentence: int, spot: Spot, count: int) -> tuple[list[str], list[str]]:
    """The sentences of its language before and after one that occurs at a spot, inside its document or file."""
    place = (*spot, *store.connection.execute(_PLACE_OF, (*spot, sentence)).fetchone())
    before, after = (
        [text for (text,) in store.connection.execute(_NEXT.format(side=side, order=order), (*place, count))]
        for side, order in (("<", "desc"), (">", "asc"))
    )
    return before[::-1], after


_FIRST_PLACE = "select document, line from occurrence where sentence = ? order by document, line limit 1"
_AROUND = """
select occurrence.line, sentence.language, sentence.id, sentence.text
from occurrence join sentence on sentence.id = occurrence.sentence
where occurrence.document = ? and occurrence.line between ? and ?
order by occurrence.line, sentence.language = (select language from sentence where id = ?) desc, sentence.language
"""


def surroundings(
    store: Store, sentence: int, lines: int = 5, at: tuple[int, int] | None = None
) -> list[tuple[int, str, int, str]]:
    """The lines around a place of a sentence: line, language, sentence, text; the sentence's language first.

    ``at``: the file, by its number, and the line there; where none is given, the first place.
    """
    place = at or store.connection.execute(_FIRST_PLACE, (sentence,)).fetchone()
    if place is None:
        return []
    document, line = place
    return store.connection.execute(_AROUND, (document, line - lines, line + lines, sentence)).fetchall()


_ENDS = "select min(line), max(line) from occurrence where document = ?"


def line_ends(store: Store, document: int) -> tuple[int, int]:
    """The first and the last line of a file, by its number; 0 and 0 of one that has none."""
    first, last = store.connection.execute(_ENDS, (document,)).fetchone()
    return first or 0, last or 0


class DocumentExtent(NamedTuple):
    """A file of a collection, or a document inside it."""

    name: str
    languages: str
    lines: int
    at: tuple[int, int]
    """The number of the file, and the first line."""
    sentence: int
    """One that stands there."""


_DOCUMENTS = """
select document.name || iif(section.name is null or section.name = '', '', '/' || section.name), document.languages,
       count(distinct occurrence.line), document.id, min(occurrence.line), occurrence.sentence
from collection
join document on document.collection = collection.id
cross join occurrence on occurrence.document = document.id
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
left join section on section.id = unit.section
where collection.name = ?
group by document.id, section.id
order by document.id, min(occurrence.line)
"""


def documents_in(store: Store, collection: str) -> list[DocumentExtent]:
    """The documents of a collection in the order in which its files came in, and of their lines."""
    rows = store.connection.execute(_DOCUMENTS, (collection,))
    return [
        DocumentExtent(name, languages, lines, (document, line), sentence)
        for name, languages, lines, document, line, sentence in rows
    ]


_BESIDE = """
select own.sentence, own.document, unit.section, sentence.language, sentence.id
from occurrence own
left join occurrence other on other.document = own.document and other.line = own.line and other.sentence <> own.sentence
left join sentence on sentence.id = other.sentence
left join unit on unit.document = own.document and unit.line = own.line
where own.sentence in (select value from json_each(?))
"""


def translations_in(
    store: Store,
    sentences: Sequence[int],
    languages: Collection[str] = (),
    distance: int = 1,
    part: CorpusPart | None = None,
) -> dict[int, list[Translation]]:
    """The translations of sentences, without those that stand beside them outside of a part of the corpus only."""
    without = None if part is None else _translated_elsewhere(store, {*sentences}, part)
    return translations_of_sentence(store, sentences, languages, distance, without)


def _translated_elsewhere(store: Store, sentences: Collection[int], part: CorpusPart) -> dict[int, set[int]]:
    """For each sentence the translations that stand beside it outside of a part of the corpus only.

    Of the languages of the files in which it stands in the part: in others these say nothing of how it is translated.
    """
    inside: dict[int, set[int]] = {}
    outside: dict[int, set[tuple[str, int]]] = {}
    told: dict[int, set[str]] = {}
    for sentence, document, section, language, other in store.connection.execute(
        _BESIDE, (json.dumps(sorted(sentences)),)
    ):
        languages = part.languages_at(document, section)
        if languages is not None:
            told.setdefault(sentence, set()).update(languages)
            inside.setdefault(sentence, set()).add(other)
        elif language is not None:
            outside.setdefault(sentence, set()).add((language, other))
    return {
        sentence: {other for language, other in found if language in told.get(sentence, ())}
        - inside.get(sentence, set())
        for sentence, found in outside.items()
    }


# What lines of a concordance have in common: their words and those beside them, what is known of these, where they
# stand, and what translates them.


class LinePlace(NamedTuple):
    """A match: its sentence, and where in it, in Unicode characters."""

    sentence: int
    start: int
    stop: int
    """Behind the last character."""


_ALL = "select sentence, start, stop, category from current_line_category where name = ?"


def categories_of(store: Store, name: str) -> dict[LinePlace, str]:
    """The category of every line of a set that has one; none for a set that there is not."""
    return {LinePlace(*place): category for *place, category in store.connection.execute(_ALL, (name,))}


GroupKey: TypeAlias = tuple[str, str]
"""The language of a translation, or nothing; and what the lines of a group have in common."""

NO_TRANSLATION = "(no translation)"
_NO_PLACE = "(nowhere)"
_NO_VALUE = "(unknown)"
"""The keys of lines whose sentence has none."""
_NO_WORD = "-"
_NO_WORD_BESIDE: Mapping[bool, str] = {True: "(start of sentence)", False: "(end of sentence)"}
"""Of a match with which the sentence begins or ends: whether the word before it was wanted."""
_AS_THEY_ARE = Arrangement()
_LAST = chr(0x10FFFF)
"""Behind all that a category may be called."""
_BETWEEN_WORDS = "\0"
"""Before all that a word may hold, so that words that are joined by it are in the same order as lists of them."""


class LineKeys:
    """The groups of lines of some hits, and what these are sorted by."""

    def __init__(
        self, hits: Hits, store: Store, languages: Sequence[str] = (), arrangement: Arrangement = _AS_THEY_ARE
    ) -> None:
        """``languages``: of translations; none are all others. Of a collection and document that the lines are within,
        only places there count, and what translates the sentences there."""
        self._hits = hits
        self._store = store
        self._languages = languages or [each for each in languages_of(store) if each != hits.language]
        self._part = part_within(store, arrangement.within)
        self._words_only = arrangement.words_only
        self._folds_case = arrangement.folds_case
        self._set = arrangement.categories
        self._values: dict[str, TokenValues] = {}
        self._kept: dict[LineKey, LineKey] = {}

    def order_of(self, matches: Sequence[LineMatch], by: str) -> list[str]:
        """By what each line is sorted, whatever its case: the group of each key, and by the last one of words also what
        is farther away from the match.

        Of several places the first counts. Raises what ``groups_of`` does.
        """
        keys = sort_keys(by)
        parts: list[list[str]] = []
        for key in keys:
            if key.of or key.kind not in WORDS | {*BESIDE_MATCH}:
                groups = self.groups_of(matches, (key,))
                parts.append([_LAST if each[0][1] == NO_CATEGORY else _in_order(each[0][1]) for each in groups])
                continue
            pieces = (piece_of(self._hits, match, key.kind) for match in matches)
            words = (key_words(self._hits, match, key.kind, words_only=self._words_only) for match in pieces)
            wanted = None if key == keys[-1] else 1
            parts.append([_BETWEEN_WORDS.join(islice(each, wanted)) for each in words])
        return [_BETWEEN_WORDS.join(of_line).casefold() for of_line in zip(*parts, strict=True)]

    def groups_of(self, matches: Sequence[LineMatch], given: Sequence[LineKey]) -> list[tuple[GroupKey, ...]]:
        """The groups in which each line counts, by a key or several.

        A line of a sentence counts once in the groups of each of its places, a line of an occurrence in those of that.
        Raises UsageError for a key that there is not, and InputError for an attribute that nothing has.
        """
        for key in given:
            if key not in self._kept:
                try:
                    self._kept[key] = kept_key(self._store, key)
                except InputError as error:
                    raise InputError(f"{error}; other keys: {', '.join(get_args(GroupBy))}") from None
        keys = [self._kept[key] for key in given]
        kinds = {key.kind for key in keys}
        sentences = [int(self._hits.sentences[match[0]]) for match in matches]
        placed = occurrences_of(self._store, sentences, self._part) if kinds & {"document", "collection"} else {}
        translated = self._translations(matches, sentences) if "translation" in kinds else []
        categories = categories_of(self._store, self._set) if "category" in kinds else {}
        groups: list[tuple[GroupKey, ...]] = []
        for at, (match, sentence) in enumerate(zip(matches, sentences, strict=True)):
            known: dict[LineKey, Sequence[GroupKey]] = {
                key: translated[at] if key.kind == "translation" else [("", self._value(match, key, categories))]
                for key in keys
                if key.kind not in ("document", "collection")
            }
            stands: list[Occurrence | None] = []
            stands += [each for each in placed.get(sentence, ()) if match[3] in (None, each.spot)]
            of_places = (
                _joined([known.get(key) or [("", _place(each, key))] for key in keys]) for each in stands or [None]
            )
            groups.append(tuple(dict.fromkeys(chain.from_iterable(of_places))))
        return groups

    def _translations(self, matches: Sequence[LineMatch], sentences: Sequence[int]) -> list[list[GroupKey]]:
        """For each line its different translations in each of the languages, or that there is none."""
        spots = [match[3] for match in matches if match[3] is not None]
        if spots:
            beside = translations_beside(self._store, spots, self._languages)
            found = [beside.get(match[3], ()) if match[3] else () for match in matches]
        else:
            of_sentences = translations_in(self._store, sentences, self._languages, part=self._part)
            found = [of_sentences[sentence] for sentence in sentences]
        return [
            [
                (language, text)
                for language in self._languages
                for text in dict.fromkeys(each.text for each in of_line if each.language == language)
                or [NO_TRANSLATION]
            ]
            for of_line in found
        ]

    def _value(self, match: LineMatch, key: LineKey, categories: Mapping[LinePlace, str]) -> str:
        if key.kind != "category":
            return self._word(match, key)
        place = LinePlace(int(self._hits.sentences[match[0]]), match[1], match[2])
        return categories.get(place, NO_CATEGORY)

    def _word(self, match: LineMatch, key: LineKey) -> str:
        if match.more and key.kind == "match":
            return " ".join(self._word(piece._replace(more=()), key) for piece in match.pieces)
        match = piece_of(self._hits, match, key.kind)
        if not key.of:
            word = next(key_words(self._hits, match, key.kind, words_only=self._words_only), "")
            absent = _NO_WORD_BESIDE[BESIDE_MATCH[key.kind][0]] if key.kind in BESIDE_MATCH else _NO_WORD
            return (word.lower() if self._folds_case else word) or absent
        place, start, stop, *_ = match
        if key.of not in self._values:
            self._values[key.of] = TokenValues(self._hits.tokens(), key.of)
        values = self._values[key.of].of_sentence(int(self._hits.sentences[place]))
        if not values:
            return _NO_VALUE
        if key.kind in BESIDE_MATCH:
            is_left, first = BESIDE_MATCH[key.kind]
            text = self._hits.text(place)
            beside = [
                value
                for begin, end, value in values
                if (end <= start if is_left else begin >= stop) and (not self._words_only or is_word(text[begin:end]))
            ]
            found = (beside[::-1] if is_left else beside)[first : first + 1]
        else:
            span = self._hits.target(place, (start, stop)) if key.kind == "target" else (start, stop)
            found = [] if span is None else [value for begin, end, value in values if span[0] <= begin < end <= span[1]]
            found = found[ENDS.get(key.kind, slice(None))]
        absent = _NO_WORD_BESIDE[BESIDE_MATCH[key.kind][0]] if key.kind in BESIDE_MATCH else _NO_WORD
        return " ".join(found) or (_NO_VALUE if found else absent)


_DIGITS = 20
"""Of more no number is known in the order of numbers."""


def _in_order(group: str) -> str:
    """A group as it is sorted: 9 before 10, and numbers before words, as in trends."""
    return group.zfill(_DIGITS) if group.isascii() and group.isdecimal() else group


def _place(occurrence: Occurrence | None, key: LineKey) -> str:
    if occurrence is None:
        return _NO_VALUE if key.of else _NO_PLACE
    return (occurrence.attributes.get(key.of) or _NO_VALUE) if key.of else getattr(occurrence, key.kind)


def _joined(groups: Sequence[Sequence[GroupKey]]) -> Sequence[GroupKey]:
    """What a line counts in by one key, or by several: each group of the one with each of the others."""
    if len(groups) == 1:
        return groups[0]
    return [
        (next((language for language, _ in each if language), ""), " | ".join(key for _, key in each))
        for each in product(*groups)
    ]
