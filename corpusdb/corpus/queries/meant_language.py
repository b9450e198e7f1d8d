"""Which language is meant where nothing is said.

The call and the database alone decide, so that a screen, a file and a script have the same figures.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from corpusdb.base.text import normalise
from corpusdb.corpus.queries.sentences import languages_of, result_languages
from corpusdb.corpus.store import Store

# One language after the other, through the indexes by language and text: without a language they are of no use.
_HAVING = """
select code.value from json_each(:languages) code
where exists (select 1 from sentence where sentence.language = code.value and sentence.text = :text)
   or exists (select 1 from seed where seed.language = code.value and seed.text = :text)
"""
_WITH_CANDIDATES = "select language from layer where name = 'candidate' order by language"


def language_of(store: Store, text: str) -> str | None:
    """The language of a seed: the only one that has it, else the only one that has candidates, else None."""
    text = normalise(text)
    values = {"text": text, "languages": json.dumps(languages_of(store))}
    having = [row[0] for row in store.connection.execute(_HAVING, values)]
    derived = [row[0] for row in store.connection.execute(_WITH_CANDIDATES)]
    both = [language for language in having if language in derived]
    for languages in (both, having, derived):
        if len(languages) == 1:
            return str(languages[0])
    return None


_ELSEWHERE = """
select code.value, count(*) from json_each(:texts) given
cross join json_each(:languages) code
cross join sentence on sentence.language = code.value and sentence.text = given.value
where not exists (select 1 from sentence own where own.language = :language and own.text = given.value)
group by code.value order by 2 desc, 1 limit 1
"""


def told_as_another(store: Store, texts: Sequence[str], language: str) -> str:
    """``2 of 3 are fra sentences of the corpus, and no eng ones``; empty where none is."""
    others = [each for each in languages_of(store) if each != language]
    values = {"texts": json.dumps([normalise(text) for text in texts]), "languages": json.dumps(others)}
    row = store.connection.execute(_ELSEWHERE, values | {"language": language}).fetchone()
    if row is None:
        return ""
    return f"{row[1]:,} of {len(texts):,} are {row[0]} sentences of the corpus, and no {language} ones"


@dataclass(frozen=True, slots=True)
class UsualLanguage:
    """A language, and why it is taken for the one that is meant."""

    language: str
    reason: str
    others: tuple[str, ...]
    """The other languages of the corpus, ascending."""

    def __str__(self) -> str:
        return f"{self.language}, {self.reason}"


_FIRST_COLUMNS = "select languages from document order by id limit 1"
_BY_SENTENCES = "select language from sentence group by language order by count(*) desc, language"


def languages_by_size(store: Store) -> list[str]:
    """The languages that the corpus has sentences in, those with most sentences first."""
    return [row[0] for row in store.connection.execute(_BY_SENTENCES)]


def usual_language(store: Store) -> UsualLanguage | None:
    """The language to begin with; None for an empty corpus. With one language there is nothing to choose.

    Else the first column of the first file that was imported, and where the corpus has no sentence of it, the language
    of most sentences.
    """
    present = languages_of(store)
    if not present:
        return None
    if len(present) == 1:
        return UsualLanguage(present[0], "the only language", ())
    row = store.connection.execute(_FIRST_COLUMNS).fetchone()
    language = "" if row is None else str(row[0]).partition(",")[0]
    reason = "the first column of the first import"
    if language not in present:
        language, reason = languages_by_size(store)[0], "which has most sentences"
    return UsualLanguage(language, reason, tuple(each for each in present if each != language))


def language_of_results(store: Store, names: Sequence[str | None]) -> UsualLanguage | None:
    """The language of the first of some names that is that of a result or selection; None where none is."""
    results = result_languages(store)
    found = next((name for name in names if name in results), None)
    if found is None:
        return None
    language = results[found]
    others = tuple(each for each in languages_of(store) if each != language)
    return UsualLanguage(language, f"the language of {found!r}", others)
