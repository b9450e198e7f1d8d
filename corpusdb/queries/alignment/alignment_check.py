"""Are the stored alignments what they should be: models, links and the counts of phrases."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from typing import Final, NamedTuple

from corpusdb.alignment.links import Link, Links
from corpusdb.errors import CorpusError, InputError
from corpusdb.queries.alignment.alignment_models import model_digest
from corpusdb.queries.alignment.linked_pairs import read_links
from corpusdb.queries.alignment.pair_tokens import SentencePair, SentenceTokens
from corpusdb.queries.alignment.phrases.phrase_counts import PairRow, WordRow, counted
from corpusdb.queries.alignment.token_cutting import can_cut, cut_of

__all__ = ["unread_alignments", "wrong_alignments"]

_SAMPLE: Final = 300
_PAIRS_AT_ONCE: Final = 1 << 14
_SHOWN: Final = 3


class _Model(NamedTuple):
    id: int
    source: str
    target: str
    tables: bytes | None
    digest: bytes | None
    tokens: str | None

    @property
    def ways(self) -> dict[str, str]:
        """How each language is cut."""
        return dict(zip((self.source, self.target), json.loads(self.tokens or "[]"), strict=False))

    @property
    def languages(self) -> str:
        return f"{self.source} and {self.target}"


_MODELS = """
select id, source_language, target_language, tables, digest, json_extract(parameters, '$.tokens') from alignment_model
order by id
"""


def wrong_alignments(connection: sqlite3.Connection, random: Random, *, full: bool = False) -> list[str]:
    """Models that are not what was stored for their languages, links that their sentences cannot have, and counts of
    phrases that do not fit together.

    Links are looked at in a sample; with ``full`` all of them, and the phrases are counted again. Those whose tokens
    nothing here can find are left out: see unread_alignments.
    """
    problems: list[str] = []
    for model in map(_Model._make, connection.execute(_MODELS).fetchall()):
        if model.tables is not None and model.digest != model_digest(model.source, model.target, model.tables):
            problems.append(f"the alignment model of {model.languages} is damaged, or one of other languages")
        problems += _wrong_sentences(connection, model)
        if not all(map(can_cut, model.ways.values())):
            problems += _wrong_sums(connection, model)
            continue
        wrong = _wrong_links(connection, model, None if full else random)
        problems += wrong
        if not wrong:
            problems += _wrong_phrases(connection, model) if full else _wrong_sums(connection, model)
    return problems


_WRONG_SENTENCES = """
select count(*) from alignment
join sentence own on own.id = alignment.sentence join sentence other on other.id = alignment.translation
where alignment.model = ? and (own.language <> ? or other.language <> ? or not exists (
    select 1 from translation there
    where there.sentence = alignment.sentence and there.translation = alignment.translation))
"""


def _wrong_sentences(connection: sqlite3.Connection, model: _Model) -> list[str]:
    (wrong,) = connection.execute(_WRONG_SENTENCES, (model.id, model.source, model.target)).fetchone()
    return [f"{wrong} alignments of {model.languages} are of sentences that are no such pair"] if wrong else []


def unread_alignments(connection: sqlite3.Connection) -> Iterator[str]:
    """The models whose links cannot be read here, and why, a line each."""
    for model in map(_Model._make, connection.execute(_MODELS).fetchall()):
        for way in model.ways.values():
            try:
                cut_of(way)
            except CorpusError as error:
                yield f"the links of {model.languages}: {error}"


class _Row(NamedTuple):
    pair: SentencePair
    links: bytes
    digest: bytes


_ALIGNED = "select sentence, translation, links, tokens_digest from alignment where model = ? order by 1, 2"
_COUNT = "select count(*) from alignment where model = ?"
_SAMPLED = """
select sentence, translation, links, tokens_digest from alignment
where model = :model and (sentence, translation) >= (
    select sentence, translation from alignment where model = :model order by 1, 2 limit 1 offset :place)
order by 1, 2 limit :count
"""


def _rows(connection: sqlite3.Connection, model: _Model, random: Random | None) -> Iterator[list[_Row]]:
    """All that a model aligned, or a stretch of it, some at once."""
    if random is None:
        rows = connection.execute(_ALIGNED, (model.id,))
    else:
        (count,) = connection.execute(_COUNT, (model.id,)).fetchone()
        place = random.randrange(max(1, count - _SAMPLE + 1))
        rows = connection.execute(_SAMPLED, {"model": model.id, "place": place, "count": _SAMPLE})
    while some := [_Row(SentencePair(*row[:2]), *row[2:]) for row in islice(rows, _PAIRS_AT_ONCE)]:
        yield some


def _wrong_links(connection: sqlite3.Connection, model: _Model, random: Random | None) -> list[str]:
    problems, more, cut = [], 0, SentenceTokens(connection, model.ways)
    for rows in _rows(connection, model, random):
        for row, source, target in zip(rows, *_tokens(cut, rows), strict=True):
            try:
                read_links(source, target, row.links, row.digest)
            except InputError as error:
                more += 1
                if more <= _SHOWN:
                    where = f"alignment of sentences {row.pair.sentence} and {row.pair.translation}"
                    problems.append(f"{where} ({model.languages}): {error}")
    if more > _SHOWN:
        problems.append(f"{more - _SHOWN} more alignments of {model.languages} are like that")
    return problems


def _tokens(cut: SentenceTokens, rows: Sequence[_Row]) -> tuple[list[list[str]], list[list[str]]]:
    return cut.of([row.pair.sentence for row in rows]), cut.of([row.pair.translation for row in rows])


_SUMS = """
select (select coalesce(sum(count), 0) from phrase_pair where model = :model),
       (select coalesce(sum(paired), 0) from phrase_count
        cross join phrase on phrase.id = phrase_count.phrase and phrase.language = :source where model = :model),
       (select coalesce(sum(paired), 0) from phrase_count
        cross join phrase on phrase.id = phrase_count.phrase and phrase.language = :target where model = :model)
"""


def _wrong_sums(connection: sqlite3.Connection, model: _Model) -> list[str]:
    bound = {"model": model.id, "source": model.source, "target": model.target}
    pairs, source, target = connection.execute(_SUMS, bound).fetchone()
    if pairs == source == target:
        return []
    return [
        f"the phrases of {model.languages} stand in {pairs} phrase pairs, but {source} and {target} times in one by "
        "their own counts"
    ]


_PAIRS = """
select source.text, target.text, pair.count, pair.size, pair.sentence, pair.translation from phrase_pair pair
left join phrase source on source.id = pair.source left join phrase target on target.id = pair.target
where pair.model = ?
"""
_WORDS = """
select phrase.text, paired, unlinked, unpaired from phrase_count
cross join phrase on phrase.id = phrase_count.phrase and phrase.language = ? where model = ?
"""


def _wrong_phrases(connection: sqlite3.Connection, model: _Model) -> list[str]:
    """Count all phrases again."""
    pairs: dict[tuple[str, str], PairRow] = {}
    words: tuple[dict[str, WordRow], dict[str, WordRow]] = ({}, {})
    cut = SentenceTokens(connection, model.ways)
    for rows in _rows(connection, model, None):
        source, target = _tokens(cut, rows)
        links: list[list[Link]] = [
            read_links(own, theirs, row.links, row.digest)
            for row, own, theirs in zip(rows, source, target, strict=True)
        ]
        found = counted([row.pair for row in rows], source, target, Links.of(links))
        for each in found.pairs():
            known = pairs.get((each.source, each.target))
            pairs[each.source, each.target] = each if known is None else _added(known, each)
        for sums, counts in zip(words, (found.source, found.target), strict=True):
            for text, row in counts.rows().items():
                sums[text] = WordRow(*map(sum, zip(sums.get(text, (0, 0, 0)), row, strict=True)))
    made = {(*each[:4], *each.example) for each in pairs.values()}
    problems = []
    if wrong := len(made ^ {*connection.execute(_PAIRS, (model.id,))}):
        problems.append(f"{wrong} phrase pairs of {model.languages} are not what its links give")
    for language, sums in zip((model.source, model.target), words, strict=True):
        stored = connection.execute(_WORDS, (language, model.id))
        if wrong := len({(text, *row) for text, row in sums.items()} ^ {*stored}):
            problems.append(f"{wrong} counts of {language} phrases of {model.languages} are not what its links give")
    return problems


def _added(one: PairRow, other: PairRow) -> PairRow:
    size, example = min((one.size, one.example), (other.size, other.example))
    return PairRow(one.source, one.target, one.times + other.times, size, example)
