"""The ladder: a text is translated by the surest method that has an answer, and the answer says which that was.

Its last rung puts a translation together of the phrases of the aligned corpus.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeVar

from corpusdb.alignment.queries.pairs import SentencePair, SentenceTokens, spans_of
from corpusdb.base.arrays import I64
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.text import normalise
from corpusdb.corpus.queries.meant_language import languages_by_size
from corpusdb.corpus.store import Store
from corpusdb.translation.decoder import DecodedTranslation, Decoder, DecoderLimits, LinkedBitext
from corpusdb.translation.example_rungs import AnalogyTranslator, Memory, open_analogies, open_memory
from corpusdb.translation.examples import (
    RUNGS,
    Examples,
    ExampleTranslation,
    Piece,
    Rung,
    RungName,
    TranslationExample,
    UnitTexts,
    encode_texts,
)
from corpusdb.translation.phrase_choices import (
    DEFAULT_WEIGHTS,
    OptionLimits,
    PhraseOption,
    PhraseSource,
    PhraseWeights,
    TargetWordModel,
    weighted,
    written_text,
)
from corpusdb.translation.queries.example_pairs import (
    KeptParts,
    LinkedCorpus,
    TargetTexts,
    TranslationDirection,
    aligned_model,
    are_paired,
    direction_of,
    exact_translations,
    kept_parts,
    linked_corpus,
    read_examples,
    target_texts,
)

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
        self._model = TargetWordModel(target.words, target.lengths, self._settings.order, self._settings.smoothing)

    @property
    def pairs(self) -> Sequence[SentencePair]:
        """The sentences of each pair that it has learned from, by the numbers that phrases name them by."""
        return self._corpus.pairs

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


# The rungs in their order, and the translator that asks one after the other.


@dataclass(frozen=True, slots=True)
class ExactRung:
    store: Store
    direction: TranslationDirection

    def translations(self, text: str, limit: int) -> list[ExampleTranslation]:
        """They all have the score 1, for the corpus does not tell the better one; the oldest first."""
        rows = exact_translations(self.store, self.direction, text)
        return [
            ExampleTranslation(target, "exact", 1.0, 1, (TranslationExample(sentence, text, target),))
            for sentence, target in rows[:limit]
        ]


_T = TypeVar("_T")
_Rung = TypeVar("_Rung", AnalogyTranslator, Memory)


class MethodNotReady(InputError):
    """A method that this corpus is not ready for; the message says what makes it ready."""


@dataclass(frozen=True, slots=True)
class Abstention:
    """Below what a method had better say nothing."""

    votes: int = 2
    """The fewest analogies that must agree in a translation."""
    fuzzy: float = 0.7
    """The least fuzzy score of a nearest example; tools for translators offer nothing below it."""
    phrases: float = 0.0
    """The least score of a translation made of phrases."""

    def refuses(self, answer: ExampleTranslation) -> bool:
        """Whether there is too little behind an answer."""
        match answer.rung:
            case "analogy":
                return answer.votes < self.votes
            case "memory":
                return answer.score < self.fuzzy
            case "phrases":
                return answer.score < self.phrases
        return False


@dataclass
class Ground:
    """What rungs are opened on; the examples are read once, and only where one needs them."""

    store: Store
    direction: TranslationDirection
    kept: KeptParts | None = None
    _known: dict[str, object] = field(default_factory=dict)
    """The parts that others refer to, by their names."""

    def examples(self) -> Job[Examples]:
        return self.part("examples", Examples, lambda: read_examples(self.store, self.direction))

    def texts(self) -> Job[UnitTexts]:
        """Their sources, with their units numbered."""
        examples = yield from self.examples()
        return (yield from self.part("texts", UnitTexts, lambda: _cut(examples)))

    def part(self, name: str, kind: type[_T], make: Callable[[], Job[_T]]) -> Job[_T]:
        """A part as it is known or kept, or else made now and noted to be kept."""
        found = self._known.get(name)
        if isinstance(found, kind):
            return found
        others = dict(self._known)
        loaded = self.kept.load(name, kind, others) if self.kept else None
        if loaded is None:
            loaded = yield from make()
            if self.kept:
                self.kept.made(name, loaded, others)
        self._known[name] = loaded
        return loaded


def _cut(examples: Examples) -> Job[UnitTexts]:
    yield Progress("cutting sentences", 0, len(examples))
    return encode_texts(examples.sources)


def _open_exact(ground: Ground) -> Job[Rung]:
    yield from ()
    return ExactRung(ground.store, ground.direction)


def _opening(
    name: str, kind: type[_Rung], stage: str, make: Callable[[Examples, UnitTexts], _Rung]
) -> Callable[[Ground], Job[Rung]]:
    """What opens a rung that is made of the examples and their units."""

    def opened(ground: Ground) -> Job[Rung]:
        examples, texts = (yield from ground.examples()), (yield from ground.texts())

        def made() -> Job[_Rung]:
            yield Progress(stage, 0, len(examples))
            return make(examples, texts)

        return (yield from ground.part(name, kind, made))

    return opened


def _open_phrases(ground: Ground) -> Job[Rung]:
    """The rung that assembles phrases of the aligned corpus.

    Raises RungMissing where the pair is not aligned, or by an analyser that is not installed.
    """
    direction = ground.direction
    try:
        of_pair = ground.store, direction.source, direction.target, direction.within
        return (yield from PhraseRung.open(*of_pair, kept=ground.kept))
    except (InputError, UsageError) as error:
        raise MethodNotReady(str(error)) from error


_OPENERS: Mapping[RungName, Callable[[Ground], Job[Rung]]] = {
    "exact": _open_exact,
    "analogy": _opening("analogies", AnalogyTranslator, "indexing for analogies", open_analogies),
    "phrases": _open_phrases,
    "memory": _opening("memory", Memory, "indexing for the memory", open_memory),
}


def rung_names(given: str | Iterable[str]) -> tuple[RungName, ...]:
    """Methods by name, with commas or one by one, in the order of the ladder. Raises UsageError for any other name."""
    names = [name.strip() for name in (given.split(",") if isinstance(given, str) else given)]
    for name in names:
        if name not in RUNGS:
            raise UsageError(f"there is no method {name!r}; there are {', '.join(RUNGS)}")
    return tuple(name for name in RUNGS if name in names)


@dataclass(frozen=True, slots=True)
class TranslatedText:
    text: str
    translations: tuple[ExampleTranslation, ...]


@dataclass(frozen=True, slots=True)
class Translator:
    direction: TranslationDirection
    rungs: Mapping[RungName, Rung]
    """In their order."""
    missing: Mapping[RungName, str]
    """The methods that this corpus is not ready for, with the reason."""
    _kept: KeptParts | None = None

    @classmethod
    def open(
        cls, store: Store, source: str, target: str, methods: Sequence[RungName] = (), within: Sequence[str] = ()
    ) -> Job[Translator]:
        """Open the ladder from one language to another, on the whole corpus or on some collections.

        ``methods`` that are named must be there: RungMissing is raised for one that is not. With none named, all that
        are there are opened. Raises as direction_of does.
        """
        direction = direction_of(store, source, target, within)
        kept = None if within else kept_parts(store, direction.source, direction.target)
        ground = Ground(store, direction, kept)
        rungs: dict[RungName, Rung] = {}
        missing: dict[RungName, str] = {}
        for name in methods or RUNGS:
            try:
                rungs[name] = yield from _OPENERS[name](ground)
            except MethodNotReady as error:
                if methods:
                    raise
                missing[name] = str(error)
        return cls(ground.direction, rungs, missing, kept)

    def keep(self) -> None:
        """Keep what was made to open it, so that it is opened faster another time; see ``kept_parts``."""
        if self._kept is not None:
            self._kept.save()

    def translate(self, text: str, limit: int = 5, abstention: Abstention | None = None) -> list[ExampleTranslation]:
        """Translations of a text, the surest rung first, at most ``limit``; no text twice.

        A lower rung is asked only for what those above it leave room for. With an abstention, what it refuses is left
        out. Raises InputError for an empty text.
        """
        wanted = normalise(text)
        if not wanted:
            raise InputError("there is nothing to translate: the text is empty")
        found: dict[str, ExampleTranslation] = {}
        for rung in self.rungs.values():
            if len(found) >= limit:
                break
            for answer in sorted(rung.translations(wanted, limit), key=lambda each: -each.score):
                if abstention is None or not abstention.refuses(answer):
                    found.setdefault(answer.text, answer)
        return list(found.values())[:limit]

    def translate_all(
        self, texts: Sequence[str], limit: int = 1, abstention: Abstention | None = None
    ) -> Job[list[TranslatedText]]:
        """Each of many texts; an empty one has no translation."""
        found = []
        for done, text in enumerate(texts):
            yield Progress("translating", done, len(texts))
            answers = self.translate(text, limit, abstention) if normalise(text) else []
            found.append(TranslatedText(text, tuple(answers)))
        return found


_FIRST = "eng"


class OpenTranslators:
    """Translators of a database; the newest one is kept."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: tuple[tuple[str, ...], Translator] | None = None

    def translator(self, source: str, target: str) -> Job[Translator]:
        """From one language to another, by all methods that the corpus is ready for. Raises as Translator.open does."""
        key = (source, target, *self._store.connection.execute(_RUNS).fetchone())
        if self._kept is None or self._kept[0] != key:
            self._kept = None  # two of them at a time would be twice the memory
            self._kept = key, (yield from Translator.open(self._store, source, target))
        return self._kept[1]

    def targets(self, source: str) -> list[str]:
        """The languages that sentences of a language are translated into: English, then those with most sentences."""
        others = [code for code in languages_by_size(self._store) if code != source]
        found = [code for code in others if are_paired(self._store, source, code)]
        return sorted(found, key=lambda code: code != _FIRST)


_RUNS = "select max(id), count(finished) from run"  # what one that is not finished has made grows
