"""Pairs of sentences taken out of links and phrases, of which all others keep what they have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from corpusdb.alignment.links import Links
from corpusdb.alignment.queries.pairs import (
    FORGET_PHRASES,
    SentencePair,
    SentenceTokens,
    StoredModel,
    all_models,
    read_links,
)
from corpusdb.alignment.queries.phrases import PairRow, PhraseCounts, counted, set_examples, take_out_phrases
from corpusdb.corpus.store import Run, Store, layer_state, save_layer


class _Row(NamedTuple):
    pair: SentencePair
    links: bytes
    digest: bytes


_GONE = """
select alignment.sentence, alignment.translation, links, tokens_digest from temp.unlinked
cross join alignment on model = ? and alignment.sentence = unlinked.sentence
    and alignment.translation = unlinked.translation
order by 1, 2
"""
_FORGET = """
delete from alignment where model = ? and (sentence, translation) in (select sentence, translation from temp.unlinked)
"""
_IS_LEFT = "select exists (select 1 from alignment where model = ?)"


def forget_links(store: Store, language: str, run: Run) -> list[str]:
    """Take the pairs in temp.unlinked out of the links and phrases of a language; inside a transaction of the caller.

    What a model has learned stays. Where the analyser that it needs is not here, all that it aligned is dropped, or
    what was counted of imported links. Gives what was dropped so, in words.
    """
    state, dropped = layer_state(store, language, "alignment"), list[str]()
    if state is None:
        return dropped
    for model in all_models(store.connection):
        rows = [_Row(SentencePair(*row[:2]), *row[2:]) for row in store.connection.execute(_GONE, (model.id,))]
        if rows and language == model.source:  # and not once more for the target
            store.connection.execute(_FORGET, (model.id,))
            is_left = store.connection.execute(_IS_LEFT, (model.id,)).fetchone()[0]
            if not (is_left and model.can_cut):
                for statement in _DROP[2 * (model.is_imported or not is_left) :]:
                    store.connection.execute(statement, {"model": model.id})
                store.connection.execute(FORGET_PHRASES)
                dropped += [_DROPPED[model.is_imported].format(model=model)] * is_left
                continue
            cut = SentenceTokens(store.connection, model.way_by_language)
            lost = take_out_phrases(store, model, _counted(cut, rows))
            set_examples(store, model, _examples_of(store, model, lost, cut))
    save_layer(store, language, "alignment", state, run)
    return dropped


# Imported links, which nothing here makes again, keep the first two; so does a model of which no link is left.
_DROP: Final = (
    "delete from alignment where model = :model",
    "delete from alignment_model where id = :model",
    "delete from phrase_pair where model = :model",
    "delete from phrase_count where model = :model",
)
_DROPPED: Final = (
    "the analyser of {model.languages} is not installed, so that their alignment was dropped: `corpusdb align --lang"
    " {model.source},{model.target}` makes it anew",
    "the analyser of {model.languages} is not installed, so that the phrases of their links were dropped: where it is,"
    " `corpusdb check --repair` counts them",
)


def _counted(cut: SentenceTokens, rows: Sequence[_Row]) -> PhraseCounts:
    source, target = (cut.of([row.pair[side] for row in rows]) for side in (0, 1))
    tokens = zip(source, target, rows, strict=True)
    links = [read_links(own, theirs, row.links, row.digest) for own, theirs, row in tokens]
    return counted([row.pair for row in rows], source, target, Links.of(links))


_TEXTS = """
select own.text, other.text, own.id, other.id, links, tokens_digest from alignment
cross join sentence own on own.id = alignment.sentence cross join sentence other on other.id = alignment.translation
where model = ?
"""
_PAIRS_AT_ONCE: Final = 500


def _examples_of(
    store: Store, model: StoredModel, lost: Mapping[tuple[str, str], tuple[int, int]], cut: SentenceTokens
) -> dict[tuple[int, int], PairRow]:
    """By their numbers, phrase pairs with the shortest pair of sentences that has each, the first of several."""
    rows = sorted(_holding(store, model, lost, cut)) if lost else []
    found: dict[tuple[int, int], PairRow] = {}
    for first in range(0, len(rows), _PAIRS_AT_ONCE):
        for row in _counted(cut, [row for _, row in rows[first : first + _PAIRS_AT_ONCE]]).pairs():
            if numbers := lost.get((row.source, row.target)):
                found.setdefault(numbers, row)
        if len(found) == len(lost):
            break
    return found


def _holding(
    store: Store, model: StoredModel, phrases: Mapping[tuple[str, str], object], cut: SentenceTokens
) -> Iterator[tuple[int, _Row]]:
    """The pairs that have all words of a phrase pair, behind the number of their tokens."""
    wanted = [source.split(" ") + target.split(" ") for source, target in phrases]
    rows = []
    for text, other, *pair, links, digest in store.connection.execute(_TEXTS, (model.id,)):
        both = f"{text} {other}".lower()
        if any(all(word in both for word in words) for words in wanted):
            rows.append(_Row(SentencePair(*pair), links, digest))
    lengths = [cut.numbered([row.pair[side] for row in rows]).texts.lengths.tolist() for side in (0, 1)]
    yield from zip(map(sum, zip(*lengths, strict=True)), rows, strict=True)
