"""Whether the texts of a file look like the languages that they are said to be in, before they are imported.

First by their script, where the language has one; then by models of characters of what the database has of each
language; for files that lack nothing but the right order, by which of their columns is nearer to what it has; and, for
however few texts, by the language in which it has the same.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from corpusdb.charlm.language_likeness import MOST_CHARACTERS, bits_per_language
from corpusdb.queries.chain.file_import import CheckedSource
from corpusdb.queries.corpus.sentences import languages_of
from corpusdb.scripts import main_script, scripts_of_language
from corpusdb.store import Store
from corpusdb.text import normalise

__all__ = ["column_doubts"]

_LEAST_TEXTS: Final = 10
_LEAST_CHARACTERS: Final = 150
"""Less than that tells nothing."""
_CLEARLY_FEWER: Final = 0.9
"""Bits per character under the model of another language, of those under its own: at most so many are a doubt. In all
columns of real corpora that were tried, of 5 lines or more, another language had 1.2 times as many or more."""
_LEAST_STANDING: Final = 10
"""One of so many texts that the database has in another language is a doubt: names and cries are in several."""
_MOST_LANGUAGES: Final = 12


def column_doubts(store: Store, checked: Sequence[CheckedSource]) -> list[str]:
    """What looks wrong of the languages of some files, a line for each; nothing of those with too few texts to tell."""
    doubts: list[str] = []
    known: dict[str, list[str]] | None = None
    for each in checked:
        columns = {language: texts for language, texts in each.samples.items() if _is_enough(texts)}
        written = {language: doubt for language, texts in columns.items() if (doubt := _script_doubt(language, texts))}
        doubts += [f"{each.source.paths[0]}: {doubt}" for doubt in written.values()]
        columns = {language: texts for language, texts in columns.items() if language not in written}
        told: dict[str, str] = {}
        if columns:
            known = _known_texts(store) if known is None else known
            told = _model_doubts(columns, known)
        if not written and not told:
            told = _standing_doubts(store, each.samples)
        doubts += [f"{each.source.paths[0]}: {doubt}" for doubt in told.values()]
    return doubts


def _is_enough(texts: Sequence[str]) -> bool:
    return len(texts) >= _LEAST_TEXTS and sum(map(len, texts)) >= _LEAST_CHARACTERS


def _script_doubt(language: str, texts: Sequence[str]) -> str | None:
    expected = scripts_of_language(language)
    found = Counter(script for script in map(main_script, texts) if script)
    if not expected or not found:
        return None
    (script, count), total = found.most_common(1)[0], found.total()
    if sum(found[each] for each in expected) * 2 < total:
        seen = "kana" if script == "hiragana" else f"{script} letters"
        return f"what is said to be {language} is written in {seen}: {count:,} of {total:,} lines looked at"
    if language == "jpn" and found["hiragana"] * 10 < total and found["cjk"] * 2 > total:
        return f"what is said to be jpn has hardly any kana, as Chinese: {found['hiragana']:,} of {total:,} lines"
    return None


def _model_doubts(columns: Mapping[str, Sequence[str]], known: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Where another language of the database, or another column, is clearly nearer, by language."""
    doubts: dict[str, str] = {}
    bits = {language: bits_per_language(texts, known) for language, texts in columns.items()}
    for language, found in bits.items():
        if language not in found:
            continue
        own = found[language]
        nearest = min(found, key=lambda each: found[each])
        others = {each: bits[each][language] for each in bits if each != language}
        nearer = min(others, key=lambda each: others[each], default=language)
        if found[nearest] <= own * _CLEARLY_FEWER:
            doubts[language] = (
                f"what is said to be {language} looks like {nearest}: {found[nearest]:.2f} bits per character as"
                f" {nearest}, {own:.2f} as {language}, by what the database has"
            )
        elif others and others[nearer] <= own * _CLEARLY_FEWER:
            doubts[language] = (
                f"{language} and {nearer} look exchanged: by what the database has of {language}, what is said to be it"
                f" has {own:.2f} bits per character, and what is said to be {nearer} {others[nearer]:.2f}"
            )
    return doubts


# One look-up for each text and language, through the index by both.
_STANDING = """
select code.value, count(distinct given.value) from json_each(:texts) given
cross join json_each(:languages) code
cross join sentence on sentence.language = code.value and sentence.text = given.value
group by code.value order by count(distinct given.value) desc, code.value
"""


def _standing_doubts(store: Store, columns: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Where the database has texts of a column in other languages, and none in that which they are said to be in, by
    language: that tells of few texts, too."""
    languages, doubts = json.dumps(languages_of(store)), {}
    for language, texts in columns.items():
        bound = {"texts": json.dumps([normalise(text) for text in texts]), "languages": languages}
        found = dict(store.connection.execute(_STANDING, bound).fetchall())
        if not found or language in found:
            continue
        other, count = next(iter(found.items()))
        if count * _LEAST_STANDING >= len(texts):
            doubts[language] = (
                f"of what is said to be {language} {count:,} of {len(texts):,} texts looked at"
                f" {'stands' if count == 1 else 'stand'} in the database as {other}, and none as {language}"
            )
    return doubts


_BOUNDS = "select coalesce(min(id), 0), coalesce(max(id), -1) from sentence"
_STRETCH = "select language, text from sentence where id between ? and ?"
_FIRST = "select text from sentence where language = ? limit 400"
_STRETCHES: Final = 100
_IN_A_STRETCH: Final = 100


def _known_texts(store: Store) -> dict[str, list[str]]:
    """Texts of the languages of the database: from all over it, and of the rarer ones from wherever they stand.

    At most of as many languages as are told apart in reasonable time: those with most texts.
    """
    first, last = store.connection.execute(_BOUNDS).fetchone()
    step = max((last - first) // _STRETCHES, _IN_A_STRETCH)
    found: dict[str, list[str]] = {language: [] for language in languages_of(store)}
    for start in range(first, last + 1, step):
        for language, text in store.connection.execute(_STRETCH, (start, start + _IN_A_STRETCH - 1)):
            found[language].append(text)
    for language, texts in found.items():
        if sum(map(len, texts)) < MOST_CHARACTERS:
            texts += [row[0] for row in store.connection.execute(_FIRST, (language,))]
    most = sorted(found, key=lambda each: -len(found[each]))[:_MOST_LANGUAGES]
    return {language: found[language] for language in most if sum(map(len, found[language])) >= _LEAST_CHARACTERS * 10}
