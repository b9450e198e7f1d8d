"""Sentences by text, by number and by where they stand; what translates them, and what two of them share."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from corpusdb.base.errors import InputError
from corpusdb.corpus.queries.attributes import conditions_in, documents_where, sections_where
from corpusdb.corpus.store import Layer, Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from corpusdb.corpus.model import SharedTranslation


@dataclass(frozen=True, slots=True)
class SentencePlace:
    collection: str
    file: str
    document: str
    """The document inside the file; empty where the file has none."""
    unit: str
    """The id of the unit there; empty where it has none."""
    line: int
    """In the file, from 1; the number of the unit in formats without lines."""

    def __str__(self) -> str:
        inside = f"/{self.document}" if self.document else ""
        return f"{self.collection}/{self.file}{inside}:{self.unit or self.line}"


# Files and the documents inside them, found by the names that people know them by.

_SHOWN_NAMES = 10


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A file, or one document inside it."""

    document: int
    """Number of the file."""
    languages: tuple[str, ...]
    """Those of the file, in its order."""
    section: int | None = None
    """Number of the document inside it; None is the whole file."""


_FILES = """
select document.id, document.languages, document.name, collection.name
from document join collection on collection.id = document.collection
where :collections = '[]' or collection.name in (select value from json_each(:collections))
order by collection.id, document.id
"""
_SECTIONS = "select document, id from section where name = ? order by document, number"


def places(store: Store, collections: Sequence[str] = (), document: str | None = None) -> list[FilePlace]:
    """All files of some collections, or what is called ``document`` in them: files, and documents inside files.

    Without collections, of all. The order is that of the collections, the files and the documents in these. Raises
    InputError, which says what there is, for a collection or document that there is not. A document may have the name
    of its collection in front, as places are shown, and behind it what its attributes are, as ``documents_where``
    writes it.
    """
    check_collections(store, collections)
    rows = store.connection.execute(_FILES, {"collections": json.dumps(list(collections))}).fetchall()
    files = [
        (FilePlace(number, tuple(filter(None, languages.split(",")))), name) for number, languages, name, _ in rows
    ]
    if document is None:
        return [place for place, _ in files]
    found = _called(store, files, document)
    if not found:  # as it is shown where it stands: with its collection in front
        for each in dict.fromkeys(row[-1] for row in rows if document.startswith(f"{row[-1]}/")):
            of_it = [file for file, row in zip(files, rows, strict=True) if row[-1] == each]
            found += _called(store, of_it, document.removeprefix(f"{each}/"))
    if not found and (conditions := conditions_in(document)) is not None:
        named, wanted = conditions
        inside = {(place.document, place.section): place for place in places(store, collections, named)}
        return [
            replace(place, section=section)
            for number, section in sections_where(store, wanted)
            if (place := inside.get((number, None)) or inside.get((number, section)))
        ]
    if not found:
        raise InputError(f"there is no document {document!r}; there are {_names(store, files)}")
    return found


def _called(store: Store, files: Sequence[tuple[FilePlace, str]], document: str) -> list[FilePlace]:
    """Those of some files, and of the documents inside them, that have a name."""
    inside: dict[int, list[int]] = {}
    for number, section in store.connection.execute(_SECTIONS, (document,)):
        inside.setdefault(number, []).append(section)
    found: list[FilePlace] = []
    for place, name in files:
        if document in (name, *name.split(", ")):
            found.append(place)
        else:
            found += [FilePlace(place.document, place.languages, section) for section in inside.get(place.document, ())]
    return found


@dataclass(frozen=True, slots=True)
class CorpusPart:
    """Some files, and documents inside files."""

    languages: Mapping[tuple[int, int | None], tuple[str, ...]]
    """Those of the file, by its number and that of the document inside it; None is the whole file."""

    def languages_at(self, document: int, section: int | None) -> tuple[str, ...] | None:
        """The languages of a file, for a document inside it that the part holds; None where it does not hold it."""
        return self.languages.get((document, None), self.languages.get((document, section)))


def part_of(store: Store, collection: str | None, document: str | None) -> CorpusPart:
    """Where the sentences of a collection or result and document stand, as ``standing`` has it."""
    return _part(standing(store, collection, document))


def _part(found: Iterable[FilePlace]) -> CorpusPart:
    return CorpusPart({(place.document, place.section): place.languages for place in found})


def standing(store: Store, collection: str | None, document: str | None) -> list[FilePlace]:
    """As ``places``, of a collection or a result: that of a search in a part of the corpus stands in that part.

    Other results are sentences, and stand anywhere. Raises InputError as ``places`` does.
    """
    within = places_within(store, collection)
    if document is not None and within:
        within = [*within, (None, document)]
    if not within:
        is_everywhere = collection is None or collection in result_languages(store)
        return places(store, () if is_everywhere else (str(collection),), document)
    found, *more = (places(store, () if name is None else (name,), inside) for name, inside in within)
    for each in more:
        found = _in_both(found, each)
    return found


def _in_both(one: Sequence[FilePlace], other: Sequence[FilePlace]) -> list[FilePlace]:
    part, whole = _part(other), {place.document for place in one if place.section is None}
    inside = [place for place in other if place.section is not None and place.document in whole]
    return [place for place in one if part.languages_at(place.document, place.section) is not None] + inside


_WITHIN = "select coalesce(parameters ->> 'within', '[]') from selection where name = ?"


def places_within(store: Store, name: str | None) -> list[tuple[str | None, str | None]]:
    """The collections and documents that the searches of a result were limited to, all of which hold; else none."""
    if name is None or name not in result_languages(store):
        return []
    (within,) = store.connection.execute(_WITHIN, (name,)).fetchone()
    return [(collection, document) for collection, document in json.loads(within)]


def part_named(store: Store, name: str) -> tuple[str | None, str | None]:
    """Collection and document of a name, which a collection has, a result, or a part: "mine[genre=news]"."""
    conditions = None if name in {*collection_names(store), *result_languages(store)} else conditions_in(name)
    return (name, None) if conditions is None else (conditions[0], documents_where(None, conditions[1]))


_PLACES = """
select given.value, occurrence.document, unit.section,
    collection.name, document.name, coalesce(section.name, ''), coalesce(unit.name, ''), occurrence.line
from json_each(?) given
join occurrence on occurrence.sentence = given.value
join document on document.id = occurrence.document
join collection on collection.id = document.collection
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
left join section on section.id = unit.section
order by given.value, occurrence.document, occurrence.line
"""


def places_of(store: Store, sentences: Iterable[int], part: CorpusPart | None = None) -> dict[int, list[SentencePlace]]:
    """For each sentence every place where it stands, in a part or anywhere, in the order in which files came in."""
    found: dict[int, list[SentencePlace]] = {sentence: [] for sentence in sentences}
    for sentence, _, place in spotted_places(store, found, part):
        found[sentence].append(place)
    return found


def spotted_places(
    store: Store, sentences: Iterable[int], part: CorpusPart | None = None
) -> Iterator[tuple[int, tuple[int, int], SentencePlace]]:
    for sentence, document, section, *place in store.connection.execute(_PLACES, (json.dumps([*sentences]),)):
        if part is None or part.languages_at(document, section) is not None:
            yield sentence, (document, place[-1]), SentencePlace(*place)


_COLLECTIONS = "select name from collection order by id"


def collection_names(store: Store) -> list[str]:
    return [row[0] for row in store.connection.execute(_COLLECTIONS)]


_RESULTS = """
select name, language from selection where name not in (select name from collection) order by id
"""


def result_languages(store: Store) -> dict[str, str]:
    """The languages of the results and selections that are kept, by their names, the oldest first.

    Those whose name a collection has are left out: there the collection is meant.
    """
    return dict(store.connection.execute(_RESULTS).fetchall())


def format_other_language(store: Store, name: str | None, language: str) -> str | None:
    """That a result is in another language than was asked for, which then finds nothing in it; None where it is not."""
    of_result = None if name is None else result_languages(store).get(name)
    if of_result in (None, language):
        return None
    return f"{name!r} is a result in {of_result}, and holds no sentence of {language}"


def check_collections(store: Store, collections: Sequence[str], *, or_results: bool = False) -> None:
    """Raise InputError, which says which there are, for the name of a collection that there is not.

    With ``or_results`` the message names results and selections too, for a question that takes them as well.
    """
    known = collection_names(store)
    for name in collections:
        if name not in known:
            kept = ", ".join(result_languages(store)) if or_results else ""
            listed = (", ".join(known) or "none") + (f", and of results {kept}" if kept else "")
            raise InputError(f"there is no collection {name!r}; there are {listed}")


_SOME_SECTIONS = """
select distinct name from section where document in (select value from json_each(?)) order by document, number limit ?
"""


def _names(store: Store, files: Sequence[tuple[FilePlace, str]]) -> str:
    """Some of the files and of the documents inside them, as a list for a message."""
    numbers = json.dumps([place.document for place, _ in files])
    sections = [row[0] for row in store.connection.execute(_SOME_SECTIONS, (numbers, _SHOWN_NAMES + 1))]
    names = list(dict.fromkeys([*(name for _, name in files), *sections]))
    return ", ".join([*names[:_SHOWN_NAMES], *(["..."] if len(names) > _SHOWN_NAMES else [])]) or "none"


# Sentences by their text, by their number and by where they stand.

_ID = "select id from sentence where language = ? and text = ?"


def sentence_id(store: Store, language: str, text: str) -> int | None:
    """The number of a normalised sentence, or None where the corpus does not hold it."""
    row = store.connection.execute(_ID, (language, text)).fetchone()
    return None if row is None else int(row[0])


# By their numbers: the index by language and text would be gone through from end to end.
_NEW = "select id, text from sentence not indexed where language = ? and id > ? order by id"


def sentences_after(store: Store, language: str, after: int) -> list[tuple[int, str]]:
    """Id and text of the sentences stored since ``after``; 0 for all."""
    return store.connection.execute(_NEW, (language, after)).fetchall()


# Jumps from one language to the next through the index: as many steps as there are languages.
_LANGUAGES = """
with recursive present (language) as (
    select min(language) from sentence
    union all
    select (select min(sentence.language) from sentence where sentence.language > present.language)
    from present where present.language is not null
)
select language from present where language is not null order by language
"""


def languages_of(store: Store) -> list[str]:
    """The languages that the corpus has sentences in, ascending."""
    return [row[0] for row in store.connection.execute(_LANGUAGES)]


def check_languages(store: Store, languages: Iterable[str]) -> None:
    """Raise InputError, which says which there are, for a language that the corpus has no sentence in."""
    present = languages_of(store)
    for language in languages:
        if not present:
            raise InputError("the corpus is empty; `corpusdb import` fills it", path=store.path)
        if language not in present:
            raise InputError(f"there are no sentences in {language}; there are some in {', '.join(present)}")


_ALL = "select id from sentence"
_SELECTED = """
select selection_member.sentence from selection
join selection_member on selection_member.selection = selection.id
where selection.name = ?
"""
_OF_FILE = "select sentence from occurrence where document = ?"
_OF_SECTIONS = """
select occurrence.sentence from json_each(?) given
cross join unit on unit.section = given.value
cross join occurrence on occurrence.document = unit.document and occurrence.line = unit.line
"""


def check_place(store: Store, collection: str | None, document: str | None) -> None:
    """Raise InputError, which says what there is, for a collection, result or document that there is not."""
    if collection is not None and collection in result_languages(store):
        collection = None
    check_collections(store, () if collection is None else (collection,), or_results=True)
    if document is not None:
        places(store, () if collection is None else (collection,), document)


def sentences_of(store: Store, collection: str | None = None, document: str | None = None) -> NDArray[np.int64]:
    """The numbers of the sentences of a collection, of what is called ``document`` in it, or of the whole corpus.

    A result or selection that is kept is taken for a collection, where no collection has its name; of it and of a
    document what is in both. Ascending and distinct, of all languages. A document is a file or a document inside a
    file; where several have the name, all of them. Raises InputError as ``check_place`` does.
    """
    import numpy as np  # here: the other questions need none of it

    if collection is None and document is None:
        return _numbers(store, _ALL)
    if collection is None or collection not in result_languages(store):
        named = () if collection is None else (collection,)
        check_collections(store, named, or_results=True)
        return _sentences_at(store, places(store, named, document))
    selected = _numbers(store, _SELECTED, collection)
    if document is None:
        return selected
    return np.intersect1d(selected, _sentences_at(store, standing(store, collection, document)))


def _sentences_at(store: Store, found: Sequence[FilePlace]) -> NDArray[np.int64]:
    import numpy as np

    inside = json.dumps([place.section for place in found if place.section is not None])
    files = [_numbers(store, _OF_FILE, place.document) for place in found if place.section is None]
    return np.unique(np.concatenate([*files, _numbers(store, _OF_SECTIONS, inside)]))


def _numbers(store: Store, query: str, *values: int | str) -> NDArray[np.int64]:
    """The numbers of sentences that a query gives, ascending and distinct."""
    import numpy as np

    return np.unique(np.fromiter((row[0] for row in store.connection.execute(query, values)), np.int64))


# What translates a sentence, directly and through other languages.


@dataclass(frozen=True, slots=True)
class Translation:
    sentence: int
    language: str
    text: str
    distance: int
    """1: the corpus has the pair; 2: through a sentence of a third language, and so on."""
    via: int | None
    """The sentence through which it was reached, where it is not direct."""


_DIRECT = """
select distinct given.value, other.id, other.language, other.text
from json_each(?) given
join translation on translation.sentence = given.value
join sentence other on other.id = translation.translation
order by given.value, other.language, other.id
"""


def translations_of_sentence(
    store: Store,
    sentences: Iterable[int],
    languages: Collection[str] = (),
    distance: int = 1,
    without: Mapping[int, Collection[int]] | None = None,
) -> dict[int, list[Translation]]:
    """For each sentence its translations up to a distance, but those ``without``: nearest first, by language and age.

    ``languages`` chooses what is returned, empty = all but the sentence's own; through which languages a distant
    one is reached is free. A sentence that is reached on several ways is given once, on the shortest and first.
    """
    given = list(dict.fromkeys(sentences))
    found: dict[int, list[Translation]] = {sentence: [] for sentence in given}
    seen: dict[int, set[int]] = {sentence: {sentence, *(without or {}).get(sentence, ())} for sentence in given}
    own = dict(store.connection.execute(_LANGUAGES_OF, (json.dumps(given),)).fetchall())
    edge: dict[int, list[int]] = {sentence: [sentence] for sentence in given}
    for step in range(1, distance + 1):
        neighbours = _neighbours(store, {node for nodes in edge.values() for node in nodes})
        for origin, nodes in edge.items():
            reached: list[Translation] = []
            for node in nodes:
                for other, language, text in neighbours.get(node, ()):
                    if other not in seen[origin]:
                        seen[origin].add(other)
                        via = None if node == origin else node
                        reached.append(Translation(other, language, text, step, via))
            edge[origin] = [each.sentence for each in reached]
            reached.sort(key=lambda each: (each.language, each.sentence))
            found[origin].extend(
                each for each in reached if (each.language in languages if languages else each.language != own[origin])
            )
    return found


_LANGUAGES_OF = "select id, language from sentence where id in (select value from json_each(?))"


def _neighbours(store: Store, sentences: Collection[int]) -> dict[int, list[tuple[int, str, str]]]:
    neighbours: dict[int, list[tuple[int, str, str]]] = {}
    rows = store.connection.execute(_DIRECT, (json.dumps(sorted(sentences)),))
    for sentence, other, language, text in rows:
        neighbours.setdefault(sentence, []).append((other, language, text))
    return neighbours


# Through the index by language and text, one language after the other: without a language it is of no use.
_INTO = """
select distinct other.text from json_each(:languages) code
cross join sentence on sentence.language = code.value and sentence.text = :text
cross join translation on translation.sentence = sentence.id
cross join sentence other on other.id = translation.translation and other.language = :language
order by other.id
"""


def translations_into(store: Store, text: str, language: str) -> list[str]:
    """The translations into a language of a text in whatever other language, oldest first."""
    others = [code for code in languages_of(store) if code != language]
    values = {"text": text, "language": language, "languages": json.dumps(others)}
    return [row[0] for row in store.connection.execute(_INTO, values)]


_TRANSLATED_INTO = """
select code.value from json_each(:languages) code where exists (
    select 1 from sentence own
    cross join translation on translation.sentence = own.id
    cross join sentence other on other.id = translation.translation and other.language = code.value
    where own.language = :language)
order by code.value
"""


def translated_into(store: Store, language: str) -> tuple[str, ...]:
    """The languages that a sentence of this one has a translation into, ascending."""
    languages = [each for each in languages_of(store) if each != language]
    bound = {"language": language, "languages": json.dumps(languages)}
    return tuple(code for (code,) in store.connection.execute(_TRANSLATED_INTO, bound))


# The translations that two sentences share, with the places where people made them.

_PLACES_SHOWN = 3

_SHARED = """
select sentence.id, sentence.language, sentence.text
from translation one
join translation two on two.translation = one.translation and two.sentence = :two
join sentence on sentence.id = one.translation
where one.sentence = :one and sentence.language <> (select language from sentence where id = :one)
group by sentence.id order by sentence.language, sentence.id
"""
_PLACES_OF_PAIR = """
select distinct collection.name, document.name, here.line
from occurrence here
join occurrence there on there.document = here.document and there.line = here.line and there.sentence = :translation
join document on document.id = here.document
join collection on collection.id = document.collection
where here.sentence in (:one, :two) order by document.id, here.line limit :limit
"""

# Where one of the two has the translation only because it was accepted with those of its seed, what was accepted.
_ACCEPTED = """
select translation.translation, collection.name, document.name, occurrence.line
from collection
join translation on translation.collection = collection.id and translation.sentence in (:one, :two)
join occurrence on occurrence.sentence = translation.sentence
join document on document.id = occurrence.document and document.collection = collection.id
where collection.name = :accepted and not exists (
    select 1 from translation given where given.sentence = translation.sentence
        and given.translation = translation.translation and given.collection <> collection.id
)
order by occurrence.line
"""


def shared_translations(store: Store, one: int, two: int) -> tuple[SharedTranslation, ...]:
    """The translations that two sentences share, with the first places where one of them stands beside each.

    Before these the line of what was accepted, where one has the translation for that alone.
    """
    from corpusdb.corpus.model import ACCEPTED, SharedTranslation

    pair = {"one": one, "two": two}
    accepted: dict[int, list[str]] = {}
    for translation, *place in store.connection.execute(_ACCEPTED, {**pair, "accepted": ACCEPTED}):
        accepted.setdefault(translation, []).append("{}/{}:{}".format(*place))
    found = []
    for translation, language, text in store.connection.execute(_SHARED, pair).fetchall():
        values = {**pair, "translation": translation, "limit": _PLACES_SHOWN}
        places = [
            f"{collection}/{document}:{line}"
            for collection, document, line in store.connection.execute(_PLACES_OF_PAIR, values)
        ]
        found.append(SharedTranslation(language, text, (*accepted.get(translation, ())[:1], *places)))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class SentenceDetail:
    sentence: int
    translations: tuple[Translation, ...]
    places: tuple[SentencePlace, ...]
    paraphrases: int
    """How many sentences of its language were detected as paraphrases of it."""


_PARAPHRASES = "select count(*) from paraphrase where sentence = ?"


def sentence_detail(store: Store, sentence: int, languages: Collection[str] = (), distance: int = 1) -> SentenceDetail:
    """The translations of a sentence in some languages (empty = all others) up to a distance, and where it stands."""
    with store.snapshot() as connection:
        (paraphrases,) = connection.execute(_PARAPHRASES, (sentence,)).fetchone()
        return SentenceDetail(
            sentence,
            tuple(translations_of_sentence(store, [sentence], languages, distance)[sentence]),
            tuple(places_of(store, [sentence])[sentence]),
            paraphrases,
        )


# How many sentences a derived layer does not have as they are.


_COUNT_NEW = "select count(*) from sentence not indexed where language = ? and id > ?"


def new_sentences(store: Store, language: str, state: Layer) -> int:
    """How many sentences a layer does not have: ``behind`` of one that is made from sentences alone."""
    return int(store.connection.execute(_COUNT_NEW, (language, state.last_sentence)).fetchone()[0])


# Whatever stores translations stores a checksum of those of its run.
_TRANSLATED = "select exists (select 1 from translation_checksum where run > :run)"


def may_be_retranslated(store: Store, state: Layer) -> bool:
    """Whether translations may have come since a state; mostly none have, and then they need not be gone through."""
    return bool(store.connection.execute(_TRANSLATED, {"run": state.last_run}).fetchone()[0])


_RETRANSLATED = """
select count(*) from (
    select id from sentence where language = :language and id > :sentence
    union
    select translation.sentence from translation join sentence on sentence.id = translation.sentence
    where translation.run > :run and sentence.language = :language)
"""


def retranslated_sentences(store: Store, language: str, state: Layer) -> int:
    """How many sentences are new since, or have new translations."""
    if not may_be_retranslated(store, state):
        return new_sentences(store, language, state)
    values = {"language": language, "sentence": state.last_sentence, "run": state.last_run}
    return int(store.connection.execute(_RETRANSLATED, values).fetchone()[0])
