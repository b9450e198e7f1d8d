"""The rung of the ladder that puts a translation together of the phrases of the aligned corpus.

Its language models of words are those of characters (corpusdb.base), over an alphabet with a character for each word.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from corpusdb.alignment.queries.pairs import SentencePair, SentenceTokens, spans_of
from corpusdb.base.arrays import F64, I32, I64, Bools
from corpusdb.base.char_model_counts import FIRST_CHARACTER, START, UNKNOWN, Alphabet, train
from corpusdb.base.char_model_probabilities import Model, model_of
from corpusdb.base.jobs import Job, Progress
from corpusdb.corpus.store import Store
from corpusdb.translation.decoder import DecodedTranslation, Decoder, DecoderLimits, LinkedBitext
from corpusdb.translation.examples import ExampleTranslation, Piece, TranslationExample
from corpusdb.translation.phrase_choices import (
    DEFAULT_WEIGHTS,
    OptionLimits,
    PhraseOption,
    PhraseSource,
    PhraseWeights,
    weighted,
    written_text,
)
from corpusdb.translation.queries.example_pairs import (
    KeptParts,
    LinkedCorpus,
    TargetTexts,
    aligned_model,
    linked_corpus,
    target_texts,
)

_FIRST_CODE: Final = 0x10000
"""The code point of word 0: all from here on are characters to Python, and none is half of a surrogate pair."""
_MOST_WORDS: Final = 0x110000 - _FIRST_CODE
_END_SYMBOL: Final = 1
_ROOT: Final = -1
_NATURAL: Final = float(np.log(2))


class WordModel:
    """A model of texts as numbers of words; what a sentence needs of it becomes a dictionary."""

    def __init__(self, words: I32, lengths: I64, order: int, smoothing: str) -> None:
        """Texts laid end to end, in numbers of words from 0; words above a million are unknown ones."""
        texts = _as_characters(words, lengths)
        model = model_of(train(texts, Alphabet.of(texts), order), smoothing)
        self._levels = _levels_of(model)
        self._size = model.alphabet.size
        self._order = model.order
        self._symbols = {
            ord(character) - _FIRST_CODE: FIRST_CHARACTER + number
            for number, character in enumerate(model.alphabet.characters)
        }

    def for_words(self, words: Iterable[int]) -> SentenceWordModel:
        """The part of the model in which these words alone occur; all others are one unknown word."""
        symbols = {word: self._symbols.get(word, UNKNOWN) for word in words}
        allowed = np.zeros(self._size, dtype=np.bool_)
        allowed[[START, _END_SYMBOL, UNKNOWN, *symbols.values()]] = True
        return SentenceWordModel(self._levels, allowed, symbols, self._size)


def _as_characters(words: I32, lengths: I64) -> list[str]:
    kept = np.minimum(words, _MOST_WORDS - 1).astype("<u4") + np.uint32(_FIRST_CODE)
    text = kept.tobytes().decode("utf-32-le")
    ends = np.cumsum(lengths).tolist()
    return [text[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]


class _Level:
    def __init__(self, keys: I64, size: int, bits: F64, backoff: F64 | None) -> None:
        contexts, last = np.divmod(keys, size)
        self.contexts: I32 = contexts.astype(np.int32)
        """The number, on the level below, of the n-gram without its last word."""
        self.last: I32 = last.astype(np.int32)
        self.scores = (-_NATURAL * bits).astype(np.float32)
        """Natural logarithms of the probabilities."""
        self.backoff = None if backoff is None else (-_NATURAL * backoff).astype(np.float32)


def _levels_of(model: Model) -> list[_Level]:
    backoffs = [*model.backoff_bits, None]
    return [
        _Level(keys, model.alphabet.size, bits, backoff)
        for keys, bits, backoff in zip(model.keys, model.bits, backoffs, strict=True)
    ]


class SentenceWordModel:
    """What a decoder asks; a state is the longest known n-gram at the end of a text, or -1 for none."""

    def __init__(
        self,
        levels: Sequence[_Level],
        allowed: np.ndarray[tuple[int], np.dtype[np.bool_]],
        symbols: dict[int, int],
        size: int,
    ) -> None:
        self._size = size
        self._symbols = symbols
        self._known: dict[int, tuple[float, int]] = {}
        """By state and symbol: what a known n-gram scores, and its number."""
        self._backoffs: dict[int, float] = {}
        self._parts: dict[int, tuple[int, int]] = {}
        self._shorter: dict[int, int] = {}
        self._memory: dict[int, tuple[float, int]] = {}
        kept, offset, before = allowed, 0, _ROOT
        self._longest = 0
        for number, level in enumerate(levels):
            if number:
                kept = allowed[level.last] & kept[level.contexts]
            rows = np.flatnonzero(kept)
            numbers = (rows + offset).tolist()
            contexts = level.contexts[rows].astype(np.int64) + before if number else np.full(len(rows), _ROOT)
            keys = ((contexts + 1) * size + level.last[rows]).tolist()
            self._known.update(zip(keys, zip(level.scores[rows].tolist(), numbers, strict=True), strict=True))
            self._parts.update(
                zip(numbers, zip(contexts.tolist(), level.last[rows].tolist(), strict=True), strict=True)
            )
            if level.backoff is not None:
                self._backoffs.update(zip(numbers, level.backoff[rows].tolist(), strict=True))
                self._longest = offset + len(level.last)
            before, offset = offset, offset + len(level.last)

    @property
    def start(self) -> int:
        return START if self._longest else _ROOT

    def follow(self, state: int, word: int) -> tuple[float, int]:
        """What a word scores after a state, and the state behind it."""
        return self._after(state, self._symbols.get(word, UNKNOWN))

    def end(self, state: int) -> float:
        """What the end of the text scores after a state."""
        return self._after(state, _END_SYMBOL)[0]

    def _after(self, state: int, symbol: int) -> tuple[float, int]:
        key = (state + 1) * self._size + symbol
        found = self._memory.get(key)
        if found is None:
            score, at = 0.0, state
            known = self._known.get(key)
            while known is None:
                score += self._backoffs[at]
                at = self._without_first(at)
                known = self._known.get((at + 1) * self._size + symbol)
            behind = known[1]
            found = score + known[0], behind if behind < self._longest else self._without_first(behind)
            self._memory[key] = found
        return found

    def _without_first(self, number: int) -> int:
        found = self._shorter.get(number)
        if found is None:
            context, symbol = self._parts[number]
            found = (
                _ROOT if context == _ROOT else self._known[(self._without_first(context) + 1) * self._size + symbol][1]
            )
            self._shorter[number] = found
        return found


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
        self._phrases = PhraseSource(LinkedBitext(corpus.bitext), self._settings.options)
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

    def _ways(self, length: int, options: Sequence[PhraseOption], limit: int) -> Iterator[DecodedTranslation]:
        weights = self._settings.weights
        model = self._model.for_words({word for option in options for word in option.words})
        decoder = Decoder(self._settings.decoder, weights.model, weights.jump)
        most = 1 if limit == 1 else limit * _WAYS_FOR_EACH
        yield from decoder.best(length, weighted(options, weights), model, most)

    def _words(self, option: PhraseOption, tokens: Sequence[str]) -> list[str]:
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


_PART = "phrases"


@dataclass(frozen=True, slots=True)
class PhraseRung:
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
        are not those of their sentences, and as spans_of does where an analyser is missing.
        """
        model = aligned_model(store, source, target)
        tokens = SentenceTokens(store.connection, model.way_by_language)
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

    def translations(self, text: str, limit: int) -> list[ExampleTranslation]:
        """At most ``limit`` of a normalised text, best first; none where too many of its words are unknown."""
        found = self.translator.translations(text, limit)
        numbers = {number for each in found for phrase in each.phrases if (number := phrase.option.pair) is not None}
        examples = _examples(self.store, {number: self.pairs[number] for number in numbers})
        return [self._translation(text, each, examples) for each in found]

    def _translation(
        self, text: str, made: Assembled, examples: Mapping[int, TranslationExample]
    ) -> ExampleTranslation:
        pieces = tuple(_piece(text, phrase, examples) for phrase in made.phrases)
        return ExampleTranslation(made.text, "phrases", made.score, 1, pieces)


def _piece(text: str, phrase: UsedPhrase, examples: Mapping[int, TranslationExample]) -> Piece:
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


def _examples(store: Store, pairs: Mapping[int, SentencePair]) -> dict[int, TranslationExample]:
    wanted = sorted({sentence for pair in pairs.values() for sentence in pair})
    texts = dict(store.connection.execute(_TEXTS, (json.dumps(wanted),)).fetchall())
    return {
        number: TranslationExample(pair.sentence, texts[pair.sentence], texts[pair.translation])
        for number, pair in pairs.items()
    }
