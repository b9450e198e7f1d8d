"""Where the lines of a concordance stand, how many for a million tokens, and what they have in common."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import TypeAlias

import numpy as np

from corpusdb.base.text import has_undelimited_script
from corpusdb.corpus.queries.sentences import CorpusPart, languages_of, part_of, places_of, translations_of_sentence
from corpusdb.corpus.store import Store
from corpusdb.search.matches import Span
from corpusdb.search.queries.request import LineKey, Sorting, Within, line_keys
from corpusdb.search.queries.search import Hits
from corpusdb.search.token_corpus import TokenCorpus

_PARTS = """
select {distinct} occurrence.sentence, case :kind
    when 'collection' then collection.name
    else iif(
        :of = '', collection.name || '/' || coalesce(section.name, document.name),
        json_extract(section.attributes, '$.' || json_quote(:of))
    )
end as part
from occurrence
join sentence on sentence.id = occurrence.sentence and sentence.language = :language
join document on document.id = occurrence.document
join collection on collection.id = document.collection
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
left join section on section.id = unit.section
where part is not null
"""


def part_sizes(
    store: Store, key: LineKey, corpora: Iterable[TokenCorpus], *, occurrences: bool = False
) -> Counter[str]:
    """How many tokens each collection or document has, or all documents of which an attribute says the same.

    A sentence counts once in each, or every occurrence of it. ``corpora``: the tokens of each language.
    """
    query = _PARTS.format(distinct="" if occurrences else "distinct")
    sizes: Counter[str] = Counter()
    for corpus in corpora:
        given = {"language": corpus.language, "kind": key.kind, "of": key.of}
        rows = store.connection.execute(query, given).fetchall()
        places = np.searchsorted(corpus.sentences, np.array([sentence for sentence, _ in rows], dtype=np.int64))
        for (_, part), size in zip(rows, corpus.lengths[places].tolist(), strict=True):
            sizes[str(part)] += size
    return sizes


_EXTENTS = """
select coalesce(-unit.section, occurrence.document) as part, min(occurrence.line), max(occurrence.line)
from occurrence left join unit on unit.document = occurrence.document and unit.line = occurrence.line
group by part
"""
_SPOTS = """
select collection.name || '/' || coalesce(section.name, document.name), coalesce(-unit.section, occurrence.document),
    occurrence.line
from occurrence
join document on document.id = occurrence.document
join collection on collection.id = document.collection
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
left join section on section.id = unit.section
where occurrence.sentence in (select value from json_each(?))
"""


def plots(store: Store, sentences: Collection[int], cells: int = 40) -> dict[str, str]:
    """For each document where the sentences stand in it, from its first line to its last: | where one does, else a dot.

    A document whose name another one of its collection has is one with it, and each is drawn from end to end.
    """
    extents = {part: (first, last) for part, first, last in store.connection.execute(_EXTENTS)}
    marked: dict[str, set[int]] = {}
    for name, part, line in store.connection.execute(_SPOTS, (json.dumps(sorted(sentences)),)):
        first, last = extents[part]
        marked.setdefault(name, set()).add((line - first) * (cells - 1) // max(last - first, 1))
    return {name: "".join("|" if cell in found else "." for cell in range(cells)) for name, found in marked.items()}


_PLACES = """
select unit.section, occurrence.document, occurrence.line, section.name, sentence.language
from occurrence
join sentence on sentence.id = occurrence.sentence
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
left join section on section.id = unit.section
where occurrence.sentence = ? order by occurrence.document, occurrence.line
"""
_NEXT = """
select sentence.text
from occurrence
join sentence on sentence.id = occurrence.sentence
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
left join section on section.id = unit.section
where occurrence.document = ? and occurrence.line {side} ? and section.name is ? and sentence.language = ?
order by occurrence.line {order} limit ?
"""


def neighbours(store: Store, sentence: int, count: int, part: CorpusPart | None = None) -> tuple[list[str], list[str]]:
    """The sentences of its language before and after the first place of a sentence, in a part of the corpus or
    anywhere, inside its document or file."""
    rows = store.connection.execute(_PLACES, (sentence,))
    inside = (row for section, *row in rows if part is None or part.languages_at(row[0], section) is not None)
    place = next(inside, None)
    before, after = (
        [text for (text,) in store.connection.execute(_NEXT.format(side=side, order=order), (*place, count))]
        if place
        else []
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


def surroundings(store: Store, sentence: int, lines: int = 5) -> list[tuple[int, str, int, str]]:
    """The lines around the first place of a sentence: line, language, sentence, text; the sentence's language first."""
    place = store.connection.execute(_FIRST_PLACE, (sentence,)).fetchone()
    if place is None:
        return []
    document, line = place
    return store.connection.execute(_AROUND, (document, line - lines, line + lines, sentence)).fetchall()


_BESIDE = """
select own.sentence, own.document, unit.section, sentence.language, sentence.id
from occurrence own
left join occurrence other on other.document = own.document and other.line = own.line and other.sentence <> own.sentence
left join sentence on sentence.id = other.sentence
left join unit on unit.document = own.document and unit.line = own.line
where own.sentence in (select value from json_each(?))
"""


def translated_elsewhere(store: Store, sentences: Collection[int], part: CorpusPart) -> dict[int, set[int]]:
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

Match: TypeAlias = tuple[int, int, int]
"""The index of a hit, and where in its sentence something matched."""
GroupKey: TypeAlias = tuple[str, str]
"""The language of a translation, or nothing; and what the lines of a group have in common."""

_NO_TRANSLATION = "(no translation)"
_NO_PLACE = "(nowhere)"
_NO_VALUE = "(unknown)"
"""The keys of lines whose sentence has none."""
_NO_WORD = "-"
_OF_PLACES = ("translation", "collection", "document")
"""The kinds of keys that are no words of the sentence."""


class LineKeys:
    """The groups of lines of some hits."""

    def __init__(self, hits: Hits, store: Store, languages: Sequence[str] = (), within: Within | None = None) -> None:
        """``languages``: of translations; none are all others. ``within``: where a line counts as often as its sentence
        occurs there; None: once in each of its groups."""
        self._hits = hits
        self._store = store
        self._languages = languages
        self._within = within
        self._values: dict[str, TokenValues] = {}

    def groups_of(self, matches: Sequence[Match], by: str) -> list[tuple[GroupKey, ...]]:
        """The groups in which each line counts, by a key or several, as ``line_keys`` reads them.

        Raises UsageError for a key that there is not, and InputError for an attribute that no language has.
        """
        if self._within is not None:
            return list(self._of_occurrences(matches, line_keys(by), self._within))
        of_keys = [self._groups(matches, key) for key in line_keys(by)]
        return of_keys[0] if len(of_keys) == 1 else [_joined(each) for each in zip(*of_keys, strict=True)]

    def _groups(self, matches: Sequence[Match], key: LineKey) -> list[tuple[GroupKey, ...]]:
        if key.kind not in _OF_PLACES:
            return [(("", self._word(match, key)),) for match in matches]
        sentences = [int(self._hits.sentences[place]) for place, _, _ in matches]
        if key.kind == "translation":
            others = [each for each in languages_of(self._store) if each != self._hits.language]
            names = _translations(self._store, sentences, self._languages or others)
        else:
            names = _places(key, self._store, sentences)
        return [names[sentence] for sentence in sentences]

    def _of_occurrences(
        self, matches: Sequence[Match], keys: Sequence[LineKey], within: Within
    ) -> Iterator[tuple[GroupKey, ...]]:
        """The groups of each line, once for each occurrence; translations are those that stand beside it there."""
        sentences = [int(self._hits.sentences[place]) for place, _, _ in matches]
        rows = _occurrences(self._store, sentences, within)
        has_translation = any(key.kind == "translation" for key in keys)
        others = self._languages or [each for each in languages_of(self._store) if each != self._hits.language]
        beside = _beside(self._store, sentences, others) if has_translation else {}
        for match, sentence in zip(matches, sentences, strict=True):
            words = {key: self._word(match, key) for key in keys if key.kind not in _OF_PLACES}
            found: list[GroupKey] = []
            for place, collection, document, attributes in rows.get(sentence, ()):
                named = {"collection": collection, "document": document}
                of_keys: list[tuple[GroupKey, ...]] = []
                for key in keys:
                    if key.kind == "translation":
                        texts = beside.get((sentence, *place), {})
                        of_keys.append(
                            tuple((code, text) for code in others for text in texts.get(code, [_NO_TRANSLATION]))
                        )
                    elif key.of and key.kind == "document":
                        of_keys.append((("", str(json.loads(attributes).get(key.of) or _NO_VALUE)),))
                    else:
                        of_keys.append((("", words[key] if key in words else named[key.kind]),))
                found += of_keys[0] if len(of_keys) == 1 else _joined(of_keys)
            yield tuple(found)

    def _word(self, match: Match, key: LineKey) -> str:
        if not key.of:
            return next(key_words(self._hits, match, key.kind), _NO_WORD)
        place, start, stop = match
        if key.of not in self._values:
            self._values[key.of] = TokenValues(self._hits.tokens(), key.of)
        values = self._values[key.of].of_sentence(int(self._hits.sentences[place]))
        if key.kind in _BESIDE_MATCH:
            is_left, first = _BESIDE_MATCH[key.kind]
            beside = [value for begin, end, value in values if (end <= start if is_left else begin >= stop)]
            found = (beside[::-1] if is_left else beside)[first : first + 1]
        else:
            span = self._hits.target(place, (start, stop)) if key.kind == "target" else (start, stop)
            found = [] if span is None else [value for begin, end, value in values if span[0] <= begin < end <= span[1]]
        return " ".join(found) or _NO_WORD


_OCCURRENCES = """
select occurrence.sentence, occurrence.document, unit.section, occurrence.line, collection.name,
    collection.name || '/' || coalesce(section.name, document.name), coalesce(section.attributes, '{}')
from occurrence
join document on document.id = occurrence.document
join collection on collection.id = document.collection
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
left join section on section.id = unit.section
where occurrence.sentence in (select value from json_each(?))
order by occurrence.document, occurrence.line
"""
_Occurrence: TypeAlias = tuple[tuple[int, int], str, str, str]
"""Its file and line, its collection, its document and the attributes of that."""


def _occurrences(store: Store, sentences: Sequence[int], within: Within) -> dict[int, list[_Occurrence]]:
    """Every occurrence of each sentence; of a result, which has sentences and no places, wherever it is."""
    part = part_of(store, *within)
    found: dict[int, list[_Occurrence]] = {}
    for sentence, document, section, line, *told in store.connection.execute(_OCCURRENCES, (json.dumps(sentences),)):
        if part.languages_at(document, section) is not None:
            found.setdefault(sentence, []).append(((document, line), *told))
    return found


_SIDE_BY_SIDE = """
select own.sentence, own.document, own.line, sentence.language, sentence.text
from occurrence own
join occurrence other on other.document = own.document and other.line = own.line
join sentence on sentence.id = other.sentence
where own.sentence in (select value from json_each(?)) and sentence.language in (select value from json_each(?))
order by other.sentence
"""


def _beside(
    store: Store, sentences: Sequence[int], languages: Sequence[str]
) -> dict[tuple[int, int, int], dict[str, list[str]]]:
    """What stands beside each occurrence, by sentence, file and line: the texts of each language."""
    found: dict[tuple[int, int, int], dict[str, list[str]]] = {}
    given = json.dumps(sentences), json.dumps(languages)
    for sentence, document, line, language, text in store.connection.execute(_SIDE_BY_SIDE, given):
        found.setdefault((sentence, document, line), {}).setdefault(language, []).append(text)
    return found


def _joined(groups: Sequence[tuple[GroupKey, ...]]) -> tuple[GroupKey, ...]:
    """What a line counts in by several keys: each group of the one with each of the others."""
    return tuple(
        (next((language for language, _ in each if language), ""), " | ".join(key for _, key in each))
        for each in product(*groups)
    )


class TokenValues:
    """What is known of the tokens of annotated sentences: lemmas, tags ..."""

    def __init__(self, corpus: TokenCorpus, attribute: str) -> None:
        """Raises InputError for an attribute that no language has."""
        from corpusdb.search.queries.annotated_corpus import by_attribute

        self._corpus = corpus
        self._known = by_attribute(corpus, attribute)

    def of_sentence(self, sentence: int) -> list[tuple[int, int, str]]:
        """Where each token begins and ends in the text, and its value; none of a sentence that is not annotated."""
        corpus, annotated = self._corpus, self._corpus.annotated
        index = int(np.searchsorted(corpus.sentences, sentence))
        if annotated is None or not annotated.sentences[index]:
            return []
        tokens = slice(int(corpus.ends[index]) - int(corpus.lengths[index]), int(corpus.ends[index]))
        values = map(self._known.types.__getitem__, self._known.tokens[tokens].tolist())
        return list(zip(annotated.begins[tokens].tolist(), annotated.ends[tokens].tolist(), values, strict=True))

    def of_span(self, sentence: int, span: Span) -> list[tuple[int, int, str]]:
        return [each for each in self.of_sentence(sentence) if span[0] <= each[0] < each[1] <= span[1]]


def _translations(store: Store, sentences: Sequence[int], languages: Sequence[str]) -> dict[int, tuple[GroupKey, ...]]:
    """For each sentence its different translations in each of the languages, or that there is none."""
    named: dict[int, tuple[GroupKey, ...]] = {}
    for sentence, found in translations_of_sentence(store, sentences, languages).items():
        into = {language: [each.text for each in found if each.language == language] for language in languages}
        named[sentence] = tuple(
            (language, text) for language in languages for text in dict.fromkeys(into[language] or [_NO_TRANSLATION])
        )
    return named


_ATTRIBUTES = """
select occurrence.sentence, json_extract(section.attributes, '$.' || json_quote(:name))
from occurrence
join unit on unit.document = occurrence.document and unit.line = occurrence.line
join section on section.id = unit.section
where occurrence.sentence in (select value from json_each(:sentences))
order by occurrence.sentence, section.id
"""


def _places(key: LineKey, store: Store, sentences: Sequence[int]) -> dict[int, tuple[GroupKey, ...]]:
    """For each sentence the collections or documents in which it stands, or what an attribute of these says."""
    named: dict[int, tuple[GroupKey, ...]] = {}
    if key.of:
        given = {"name": key.of, "sentences": json.dumps(sentences)}
        for sentence, value in store.connection.execute(_ATTRIBUTES, given):
            named[sentence] = tuple(dict.fromkeys([*named.get(sentence, ()), ("", str(value or _NO_VALUE))]))
        return {sentence: named.get(sentence, (("", _NO_VALUE),)) for sentence in sentences}
    for sentence, found in places_of(store, sentences).items():
        inside = [each.collection for each in found]
        if key.kind == "document":
            inside = [f"{each.collection}/{each.document or each.file}" for each in found]
        named[sentence] = tuple(("", name) for name in dict.fromkeys(inside or [_NO_PLACE]))
    return named


def _words(text: str) -> list[str]:
    """Words and punctuation marks as frequencies count them, or characters where the script does not delimit words."""
    if has_undelimited_script(text):
        return list(text.replace(" ", ""))
    return [token for run in text.split() for token in _tokens(run)]


@lru_cache(1 << 16)
def _tokens(run: str) -> tuple[str, ...]:
    """What stands between two spaces, cut; the same comes again and again."""
    from corpusdb.search.token_corpus import tokenise

    return tuple(tokenise(run))


_BESIDE_MATCH: Mapping[str, tuple[bool, int]] = {
    "left": (True, 0),
    "2L": (True, 1),
    "3L": (True, 2),
    "right": (False, 0),
    "2R": (False, 1),
    "3R": (False, 2),
}
"""Of the words beside a match, the nearest first: whether those on its left, and how many are left out."""


def key_words(hits: Hits, match: Match, by: Sorting | str) -> Iterator[str]:
    """The words that a line is sorted by, and grouped by the first of: none without a target, or words beside it."""
    place, start, stop = match
    text = hits.text(place)
    if by in _BESIDE_MATCH:
        is_left, first = _BESIDE_MATCH[by]
        words = _words(text[:start])[::-1] if is_left else _words(text[stop:])
        yield from words[first:]
    elif (span := hits.target(place, (start, stop)) if by == "target" else (start, stop)) is not None:
        yield text[slice(*span)]
        yield from _words(text[stop:])
