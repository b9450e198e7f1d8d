"""Where the lines of a concordance stand: how many for a million tokens of a part of the corpus, and where in it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable

import numpy as np

from corpusdb.corpus.queries.sentences import CorpusPart
from corpusdb.corpus.store import Store
from corpusdb.search.queries.request import LineKey
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
