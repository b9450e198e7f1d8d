"""The rung of the ladder that puts a translation together of the phrases of the aligned corpus."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from corpusdb.arrays import I64
from corpusdb.jobs import Job, Progress
from corpusdb.queries.alignment.pair_tokens import SentencePair, SentenceTokens
from corpusdb.queries.alignment.token_cutting import spans_of
from corpusdb.queries.translation.kept_parts import KeptParts
from corpusdb.queries.translation.phrases.linked_corpus import aligned_model, linked_corpus, target_texts
from corpusdb.queries.translation.phrases.phrase_translator import (
    Assembled,
    PhraseSettings,
    PhraseTranslator,
    UsedPhrase,
)
from corpusdb.store import Store
from corpusdb.translation.answers import Example, Piece, Translation

__all__ = ["PhraseRung"]

_PART = "phrases"


@dataclass(frozen=True, slots=True)
class PhraseRung:
    """The phrases of two languages, and where they stand."""

    store: Store
    translator: PhraseTranslator
    pairs: Sequence[SentencePair] = field(repr=False)

    @classmethod
    def open(
        cls,
        store: Store,
        source: str,
        target: str,
        within: I64 | None = None,
        settings: PhraseSettings | None = None,
        kept: KeptParts | None = None,
    ) -> Job[PhraseRung]:
        """Read the linked pairs from one language to another, in some sentences alone or in all.

        What is ``kept`` of all, by the usual settings, is taken from there, or noted to be kept.
        Raises InputError where the languages are not aligned or no linked pair is within, DatabaseDamaged where links
        are not those of their sentences, and as token_cutting.spans_of does where an analyser is missing.
        """
        model = aligned_model(store, source, target)
        tokens = SentenceTokens(store.connection, {model.source: model.ways[0], model.target: model.ways[1]})
        spans = spans_of(model.way_of(source))
        found = kept.load(_PART, PhraseTranslator, {"spans": spans}) if kept else None
        if found is not None:
            return cls(store, found, found.pairs)
        yield Progress("reading the links of phrases", 0, 0)
        corpus = linked_corpus(store, model, source, tokens, within)
        yield Progress(f"reading {target}", 0, 0)
        texts = target_texts(store, model, target, tokens, corpus, all_texts=within is None)
        yield Progress("sorting phrases and counting words", 0, 0)
        translator = PhraseTranslator(corpus, texts, spans, settings)
        if kept:
            kept.made(_PART, translator, {"spans": spans})
        return cls(store, translator, corpus.pairs)

    def translations(self, text: str, limit: int) -> list[Translation]:
        """At most ``limit`` of a normalised text, best first; none where too many of its words are unknown."""
        found = self.translator.translations(text, limit)
        numbers = {number for each in found for phrase in each.phrases if (number := phrase.option.pair) is not None}
        examples = _examples(self.store, {number: self.pairs[number] for number in numbers})
        return [self._translation(text, each, examples) for each in found]

    def _translation(self, text: str, made: Assembled, examples: Mapping[int, Example]) -> Translation:
        pieces = tuple(_piece(text, phrase, examples) for phrase in made.phrases)
        return Translation(made.text, "phrases", made.score, 1, pieces)


def _piece(text: str, phrase: UsedPhrase, examples: Mapping[int, Example]) -> Piece:
    option = phrase.option
    source = text[phrase.start : phrase.stop]
    if option.pair is None:
        return Piece(phrase.start, phrase.stop, source, phrase.target, 0.0)
    figures = option.probability, option.times, examples[option.pair]
    return Piece(phrase.start, phrase.stop, source, phrase.target, *figures)


_TEXTS = """
select sentence.id, sentence.text from json_each(?) wanted
cross join sentence on sentence.id = wanted.value
"""


def _examples(store: Store, pairs: Mapping[int, SentencePair]) -> dict[int, Example]:
    """The sentences of some pairs, by the numbers of these."""
    wanted = sorted({sentence for pair in pairs.values() for sentence in pair})
    texts = dict(store.connection.execute(_TEXTS, (json.dumps(wanted),)).fetchall())
    return {
        number: Example(pair.sentence, texts[pair.sentence], texts[pair.translation]) for number, pair in pairs.items()
    }
