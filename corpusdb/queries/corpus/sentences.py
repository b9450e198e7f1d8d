"""Sentences by their text, by their number and by where they stand."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Final

from corpusdb.errors import InputError
from corpusdb.queries.corpus.files import check_collections, places, result_languages
from corpusdb.store import Store
from corpusdb.text import LOOK_ALIKES, as_typed, normalise

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "alike_sentences",
    "check_languages",
    "check_place",
    "languages_of",
    "sentence_id",
    "sentences_after",
    "sentences_of",
]

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


_LACKING = """
select value from json_each(:texts) where not exists (
    select 1 from json_each(:languages) code
    cross join sentence on sentence.language = code.value and sentence.text = json_each.value)
"""
_TEXTS = "select text from sentence where language = ? order by id"
_ALIKE: Final = "".join(LOOK_ALIKES)


def alike_sentences(store: Store, texts: Collection[str], language: str | None = None) -> dict[str, tuple[str, ...]]:
    """For each of the texts that the corpus does not have the sentences that look the same: their spaces, apostrophes
    and hyphens are written otherwise, or they hold what is not seen, as a search folds them.

    ``language`` None: in whatever language. Texts that no sentence is like are left out. All sentences are gone through
    once, and only where the corpus lacks one of the texts.
    """
    languages = languages_of(store) if language is None else [language]
    bound = {"texts": json.dumps([normalise(each) for each in texts]), "languages": json.dumps(languages)}
    wanted: dict[str, dict[str, None]] = {}
    lacking = [text for (text,) in store.connection.execute(_LACKING, bound)]
    for text in lacking:
        wanted[as_typed(text, _ALIKE)] = {}
    for code in languages if wanted else ():
        for (text,) in store.connection.execute(_TEXTS, (code,)):
            found = wanted.get(as_typed(text, _ALIKE))
            if found is not None:
                found[text] = None
    return {text: tuple(found) for text in lacking if (found := wanted[as_typed(text, _ALIKE)])}


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
where selection.name = :name
"""
_OF_FILE = "select sentence from occurrence where document = ?"
_OF_SECTION = """
select occurrence.sentence from unit
cross join occurrence on occurrence.document = unit.document and occurrence.line = unit.line
where unit.section = ?
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
        queries: list[tuple[str, tuple[int, ...]]] = [(_ALL, ())]
    elif collection is not None and collection in result_languages(store):
        rows = store.connection.execute(_SELECTED, {"name": collection})
        selected = np.unique(np.fromiter((row[0] for row in rows), np.int64))
        return selected if document is None else np.intersect1d(selected, sentences_of(store, None, document))
    else:
        check_place(store, collection, document)
        queries = [
            (_OF_FILE, (place.document,)) if place.section is None else (_OF_SECTION, (place.section,))
            for place in places(store, () if collection is None else (collection,), document)
        ]
    parts = [np.fromiter((row[0] for row in store.connection.execute(*query)), np.int64) for query in queries]
    return np.unique(np.concatenate([np.empty(0, np.int64), *parts]))
