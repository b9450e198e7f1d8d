"""Sentences put together of phrases: tokens in, the best translations with their phrases out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from corpusdb.arrays import Bools
from corpusdb.queries.alignment.pair_tokens import SentencePair
from corpusdb.queries.translation.phrases.linked_corpus import LinkedCorpus, TargetTexts
from corpusdb.queries.translation.phrases.word_models import WordModel
from corpusdb.translation.phrases.decoder import Decoder, DecoderLimits, Translated
from corpusdb.translation.phrases.linked_texts import LinkedTexts
from corpusdb.translation.phrases.options import OptionLimits, PhraseOption, PhraseSource
from corpusdb.translation.phrases.surface import written_text
from corpusdb.translation.phrases.weights import DEFAULT_WEIGHTS, PhraseWeights, weighted

__all__ = ["Assembled", "PhraseSettings", "PhraseTranslator", "UsedPhrase"]

Span = tuple[int, int]
_WAYS_FOR_EACH: Final = 10
"""Different phrases may give the same text: so many ways are looked at for each text that is wanted."""


@dataclass(frozen=True, slots=True)
class PhraseSettings:
    """How a text is put together."""

    options: OptionLimits = field(default_factory=OptionLimits)
    decoder: DecoderLimits = field(default_factory=DecoderLimits)
    weights: PhraseWeights = DEFAULT_WEIGHTS
    order: int = 4
    """Words of the n-grams of the language model."""
    smoothing: str = "mkn"
    unknown: float = 0.5
    """The greatest share of unknown words: of a text with more nothing is made."""


class UsedPhrase(NamedTuple):
    """A phrase of a text and what it was translated by."""

    start: int
    """In the text, in code points."""
    stop: int
    target: str
    option: PhraseOption


class Assembled(NamedTuple):
    """A translation."""

    text: str
    score: float
    """0 to 1: the mean of the probabilities of the phrases by the words of the source, geometric."""
    phrases: tuple[UsedPhrase, ...]
    """In the order of the translation."""


class PhraseTranslator:
    """The phrases of a bitext and a language model, ready to translate.

    In memory are some 40 bytes for each word of the bitext, 40 more for each of its target side, and 16 for each
    different n-gram of the model: of 165,000 pairs of ten words on either side 250 MB.
    """

    def __init__(
        self,
        corpus: LinkedCorpus,
        target: TargetTexts,
        spans: Callable[[str], list[Span]],
        settings: PhraseSettings | None = None,
    ) -> None:
        """``spans`` cuts a source text into the tokens that are linked."""
        self._settings = settings or PhraseSettings()
        self._corpus = corpus
        self._target = target
        self._spans = spans
        self._phrases = PhraseSource(LinkedTexts(corpus.bitext), self._settings.options)
        self._model = WordModel(target.words, target.lengths, self._settings.order, self._settings.smoothing)

    @property
    def pairs(self) -> Sequence[SentencePair]:
        """The sentences of each pair that it has learned from, by the numbers that phrases name them by."""
        return self._corpus.pairs

    def restricted_to(self, kept: Bools) -> PhraseTranslator:
        """One that has learned from some of the pairs alone, and from their target sentences."""
        corpus = self._corpus.restricted_to(kept)
        sentences = np.array([pair.translation for pair in corpus.pairs], dtype=np.int64)
        return PhraseTranslator(corpus, self._target.restricted_to(sentences), self._spans, self._settings)

    def translations(self, text: str, limit: int) -> list[Assembled]:
        """The best different translations of a normalised text; none where too much of it is unknown."""
        spans = self._spans(text)
        tokens = [text[begin:end] for begin, end in spans]
        numbers = self._corpus.source_words
        known = [numbers.get(token.lower()) for token in tokens]
        options = self._phrases.options(known)
        if not tokens or _unknown_share(tokens, options) > self._settings.unknown:
            return []
        found: dict[str, Assembled] = {}
        for way in self._ways(len(tokens), options, limit):
            used = [options[each.number] for each in way.options]
            words = [self._words(option, tokens) for option in used]
            whole = self._written([word for phrase in words for word in phrase], capital=_has_capital(text))
            if whole not in found:
                pieces = tuple(
                    UsedPhrase(spans[each.begin][0], spans[each.end - 1][1], self._written(phrase), each)
                    for each, phrase in zip(used, words, strict=True)
                )
                found[whole] = Assembled(whole, _confidence(used, len(tokens)), pieces)
        return list(found.values())[:limit]

    def _ways(self, length: int, options: Sequence[PhraseOption], limit: int) -> Iterator[Translated]:
        """The best ways to put phrases together."""
        weights = self._settings.weights
        model = self._model.for_words({word for option in options for word in option.words})
        decoder = Decoder(self._settings.decoder, weights.model, weights.jump)
        most = 1 if limit == 1 else limit * _WAYS_FOR_EACH
        yield from decoder.best(length, weighted(options, weights), model, most)

    def _words(self, option: PhraseOption, tokens: Sequence[str]) -> list[str]:
        """Those of the target phrase in lower case; a copied one as it is."""
        if option.is_copied:
            return [tokens[option.begin]]
        return [self._corpus.target_words[word] for word in option.words]

    def _written(self, words: Sequence[str], *, capital: bool = False) -> str:
        return written_text(words, self._target.forms, self._target.spacing, capital=capital)


def _unknown_share(tokens: Sequence[str], options: Sequence[PhraseOption]) -> float:
    """The share of the words with a letter that no phrase has; 0 where there is no such word."""
    known = {place for option in options if not option.is_copied for place in range(option.begin, option.end)}
    words = [place for place, token in enumerate(tokens) if any(map(str.isalpha, token))]
    return sum(place not in known for place in words) / len(words) if words else 0.0


def _has_capital(text: str) -> bool:
    """Whether a text begins as a sentence does: with a capital, or in a script that has none."""
    first = next(filter(str.isalpha, text), "")
    return not first.islower()


def _confidence(used: Sequence[PhraseOption], length: int) -> float:
    total = sum(_LEAST if option.is_copied else max(option.features[0], _LEAST) for option in used)
    return math.exp(total / length)


_LEAST: Final = math.log(1e-3)
