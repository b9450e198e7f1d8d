"""The pairs of the corpus that translate one language into another, as texts and with their links."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from corpusdb.alignment.bitext import WordedTexts
from corpusdb.alignment.links import tokens_digests
from corpusdb.alignment.queries.models import StoredModel, ordered_languages, ready_model, spans_of
from corpusdb.alignment.queries.pairs import SentencePair, SentenceTokens
from corpusdb.base.arrays import I32, I64, Bools
from corpusdb.base.errors import DatabaseDamaged, InputError, UsageError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.languages import language_code
from corpusdb.corpus.queries.sentences import languages_of, sentences_of
from corpusdb.corpus.store import Store
from corpusdb.translation.examples import Examples
from corpusdb.translation.linked_texts import NumberedBitext
from corpusdb.translation.phrase_choices import Spacing, is_after_end

__all__ = [
    "Direction",
    "LinkedCorpus",
    "TargetTexts",
    "aligned_model",
    "are_paired",
    "direction_of",
    "exact_translations",
    "linked_corpus",
    "read_examples",
    "target_texts",
]


# The pairs of sentences of the corpus that translate one language into another.


@dataclass(frozen=True, slots=True)
class Direction:
    """Which pairs translate what into what."""

    source: str
    """ISO 639-3."""
    target: str
    within: I64 | None = None
    """Numbers of sentences, ascending: only pairs of these. Where none is of one of the two languages, that side is
    free. None: all pairs."""


_PAIRED = """
select exists (
    select 1 from translation
    cross join sentence own on own.id = translation.sentence and own.language = :source
    cross join sentence other on other.id = translation.translation and other.language = :target
)
"""


def are_paired(store: Store, source: str, target: str) -> bool:
    """Whether a sentence of one language is translated into another."""
    return bool(store.connection.execute(_PAIRED, {"source": source, "target": target}).fetchone()[0])


def direction_of(store: Store, source: str, target: str, within: Sequence[str] = ()) -> Direction:
    """From one language to another, in collections or selections; none named is the whole corpus.

    Raises InputError for a code that is none, for a language that the corpus does not hold, for a collection that there
    is not, and where no pair is of these languages; UsageError for one language given twice.
    """
    codes = language_code(source), language_code(target)
    if codes[0] == codes[1]:
        raise UsageError(f"from {codes[0]} to {codes[1]}: these are one language")
    present = languages_of(store)
    for code in codes:
        if code not in present:
            raise InputError(f"the corpus has no sentences in {code!r}; it has {', '.join(present) or 'none'}")
    if not are_paired(store, *codes):
        raise InputError(f"no sentence of the corpus is translated from {codes[0]} to {codes[1]}")
    chosen = [sentences_of(store, name) for name in within]
    return Direction(*codes, np.unique(np.concatenate(chosen)) if chosen else None)


# The pairs by their numbers: both directions of each are stored, and their sentences are read one language at a time.
_TEXTS = "select id, text from sentence not indexed where language = ? order by id"
_PAIRS = "select distinct sentence, translation from translation order by sentence, translation"


def read_examples(store: Store, direction: Direction) -> Job[Examples]:
    """All examples of a direction. Raises InputError where there is none."""
    yield Progress("reading sentences", 0, 0)
    sources: dict[int, str] = dict(_texts(store, direction, direction.source))
    targets: dict[int, str] = dict(_texts(store, direction, direction.target))
    yield Progress("reading pairs", 0, 0)
    found: dict[int, list[str]] = {}
    for sentence, translation in store.connection.execute(_PAIRS):
        if sentence in sources and (text := targets.get(translation)) is not None:
            found.setdefault(sentence, []).append(text)
    if not found:
        raise InputError(f"nothing that was chosen is translated from {direction.source} to {direction.target}")
    return Examples(list(found), [sources[number] for number in found], list(found.values()))


def _texts(store: Store, direction: Direction, language: str) -> list[tuple[int, str]]:
    rows: list[tuple[int, str]] = store.connection.execute(_TEXTS, (language,)).fetchall()
    if direction.within is None:
        return rows
    allowed = set(direction.within.tolist())
    return [row for row in rows if row[0] in allowed] or rows


_EXACT = """
select distinct own.id, other.id, other.text from sentence own
join translation on translation.sentence = own.id
join sentence other on other.id = translation.translation and other.language = :target
where own.language = :source and own.text = :text
order by other.id
"""
_SIDE = "select exists (select 1 from sentence where language = ? and id in (select value from json_each(?)))"


def exact_translations(store: Store, direction: Direction, text: str) -> list[tuple[int, str]]:
    """The number of a text and each of its translations, the oldest first."""
    bound = {"source": direction.source, "target": direction.target, "text": text}
    rows = store.connection.execute(_EXACT, bound).fetchall()
    if direction.within is None or not rows:
        return [(sentence, translation) for sentence, _, translation in rows]
    within = set(direction.within.tolist())
    members = json.dumps(direction.within.tolist())
    free = [
        not store.connection.execute(_SIDE, (code, members)).fetchone()[0]
        for code in (direction.source, direction.target)
    ]
    return [
        (sentence, translation)
        for sentence, other, translation in rows
        if (free[0] or sentence in within) and (free[1] or other in within)
    ]


# The aligned pairs of two languages as numbers, from a source to a target language, whichever the model calls so.


_SENTENCES_FOR_SPACING: Final = 20_000
_WIDTHS: Final = (1, 2)
"""Bytes of one number of a stored link."""
_REPAIR: Final = "`corpusdb check --repair` makes them anew"


@dataclass(frozen=True, slots=True)
class LinkedCorpus:
    """What phrases are extracted from."""

    bitext: NumberedBitext
    pairs: Sequence[SentencePair]
    """The sentences of each pair, source language first."""
    source_words: Mapping[str, int]
    """The number of each word, in lower case."""
    target_words: Sequence[str]
    """The word of each number, in lower case."""

    def restricted_to(self, kept: Bools) -> LinkedCorpus:
        """Some of the pairs alone; words keep their numbers."""
        bitext = self.bitext
        of_source = np.repeat(kept, bitext.source_lengths)
        of_target, of_links = np.repeat(kept, bitext.target_lengths), np.repeat(kept, bitext.links_of_pair)
        part = NumberedBitext(
            bitext.sources[of_source],
            bitext.source_lengths[kept],
            bitext.targets[of_target],
            bitext.target_lengths[kept],
            bitext.links[of_links],
            bitext.links_of_pair[kept],
        )
        pairs = [self.pairs[number] for number in np.flatnonzero(kept).tolist()]
        return LinkedCorpus(part, pairs, self.source_words, self.target_words)


@dataclass(frozen=True, slots=True)
class TargetTexts:
    """Sentences of the target language, all of them or some."""

    words: I32
    """By the numbers of a LinkedCorpus, and more behind these."""
    lengths: I64
    sentences: I64
    """Their numbers, ascending."""
    forms: Mapping[str, str]
    """How words are written inside of a sentence that are not written in lower case there."""
    spacing: Spacing

    def restricted_to(self, sentences: I64) -> TargetTexts:
        """Some of the sentences alone; words are written as in all."""
        kept = np.isin(self.sentences, sentences)
        words = self.words[np.repeat(kept, self.lengths)]
        return TargetTexts(words, self.lengths[kept], self.sentences[kept], self.forms, self.spacing)


def aligned_model(store: Store, source: str, target: str) -> StoredModel:
    """The model that aligned two languages. Raises InputError, which says what to run, where there is none."""
    model = ready_model(store, *ordered_languages(source, target))
    if model is None:
        raise InputError(f"{source} and {target} are not aligned; run `corpusdb align --lang {source},{target}` first")
    return model


_Row: TypeAlias = tuple[int, int, bytes, bytes]
_LINKS = """
select sentence, translation, links, tokens_digest from alignment where model = ? order by sentence, translation
"""


def linked_corpus(
    store: Store, model: StoredModel, source: str, tokens: SentenceTokens, within: I64 | None = None
) -> LinkedCorpus:
    """The pairs that a model aligned, with their links, from a source language.

    ``within``: numbers of sentences, ascending; only pairs of these. Where none is of one of the two languages, that
    side is free. Raises DatabaseDamaged where links are not those of their sentences, and InputError where no pair is
    left.
    """
    rows = _within(store.connection.execute(_LINKS, (model.id,)).fetchall(), within)
    if not rows:
        raise InputError(f"nothing that was chosen is aligned between {model.languages}")
    sides = [tokens.numbered([row[0] for row in rows]), tokens.numbered([row[1] for row in rows])]
    for row, digest in zip(rows, tokens_digests(*sides), strict=True):
        if digest != row[3]:
            raise DatabaseDamaged(
                f"alignment of sentences {row[0]} and {row[1]} ({model.languages}): the stored links are those of "
                f"other tokens; {_REPAIR}"
            )
    links, counts = _links(model, [row[2] for row in rows], sides)
    pairs = [SentencePair(row[0], row[1]) for row in rows]
    if source != model.source:
        sides, links, pairs = sides[::-1], links[:, ::-1], [SentencePair(pair[1], pair[0]) for pair in pairs]
    own, theirs = (side.lowered() for side in sides)
    bitext = NumberedBitext(
        own.texts.words,
        own.texts.lengths,
        theirs.texts.words,
        theirs.texts.lengths,
        np.ascontiguousarray(links),
        counts,
    )
    return LinkedCorpus(bitext, pairs, {word: number for number, word in enumerate(own.words)}, theirs.words)


def _within(rows: list[_Row], within: I64 | None) -> list[_Row]:
    if within is None:
        return rows
    ids = np.array([row[:2] for row in rows], dtype=np.int64).reshape(-1, 2)
    is_member = np.isin(ids, within)
    if not is_member.any():
        return []
    counts_for = is_member | ~is_member.any(axis=0, keepdims=True)
    return [rows[number] for number in np.flatnonzero(counts_for[:, 0] & counts_for[:, 1]).tolist()]


def _links(model: StoredModel, stored: Sequence[bytes], sides: Sequence[WordedTexts]) -> tuple[I32, I64]:
    """The links of all pairs, and how many each has; see corpusdb.alignment.links."""
    widths = np.array([each[0] if each else 0 for each in stored], dtype=np.int64)
    counts, left = np.divmod([len(each) - 1 for each in stored], 2 * np.maximum(widths, 1))
    if left.any() or not np.isin(widths, _WIDTHS).all():
        raise DatabaseDamaged(f"alignment of {model.languages}: stored links are damaged; {_REPAIR}")
    links = np.zeros((int(counts.sum()), 2), dtype=np.int32)
    for width in _WIDTHS:
        here = widths == width
        packed = b"".join(stored[number][1:] for number in np.flatnonzero(here).tolist())
        links[np.repeat(here, counts)] = np.frombuffer(packed, dtype=f"<u{width}").reshape(-1, 2)
    for side, places in zip(sides, (links[:, 0], links[:, 1]), strict=True):
        if (places >= np.repeat(side.texts.lengths, counts)).any():
            raise DatabaseDamaged(
                f"alignment of {model.languages}: a stored link leads outside of its texts; {_REPAIR}"
            )
    return links, counts


_TARGETS = "select id from sentence where language = ? order by id"
_LINKED_TEXTS = """
select sentence.text from json_each(?) wanted cross join sentence on sentence.id = wanted.value order by wanted.key
"""


def target_texts(
    store: Store, model: StoredModel, target: str, tokens: SentenceTokens, corpus: LinkedCorpus, *, all_texts: bool
) -> TargetTexts:
    """The sentences of the target language: all that the corpus has, or those of the pairs alone."""
    ids = [row[0] for row in store.connection.execute(_TARGETS, (target,))]
    if not all_texts:
        ids = sorted({pair.translation for pair in corpus.pairs})
    written = tokens.numbered(ids)
    lowered = written.lowered()
    numbers = {word: number for number, word in enumerate(corpus.target_words)}
    table = np.fromiter(
        (numbers.setdefault(word, len(numbers)) for word in lowered.words), dtype=np.int32, count=len(lowered.words)
    )
    spans = spans_of(model.way_of(target))
    some = store.connection.execute(_LINKED_TEXTS, (json.dumps(ids[:: 1 + len(ids) // _SENTENCES_FOR_SPACING]),))
    spacing = Spacing((text, spans(text)) for (text,) in some)
    words, numbered_ids = table[lowered.texts.words], np.array(ids, dtype=np.int64)
    return TargetTexts(words, lowered.texts.lengths, numbered_ids, _forms(written), spacing)


def _forms(written: WordedTexts) -> dict[str, str]:
    """For each word in lower case how it is most often written where its place asks for no capital."""
    words = written.texts.words
    is_free = np.ones(len(words), dtype=np.bool_)
    is_free[written.texts.starts[:-1][written.texts.lengths > 0]] = False
    ends = np.fromiter(map(is_after_end, written.words), dtype=np.bool_, count=len(written.words))
    is_free[1:] &= ~ends[words[:-1]]
    counts = np.bincount(words[is_free], minlength=len(written.words)).tolist()
    best: dict[str, tuple[int, str]] = {}
    for word, often in zip(written.words, counts, strict=True):
        lower = word.lower()
        if often > best.get(lower, (0, ""))[0]:
            best[lower] = often, word
    return {lower: word for lower, (_, word) in best.items() if word != lower}
