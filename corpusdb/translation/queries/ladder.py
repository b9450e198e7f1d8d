"""The ladder: a text is translated by the surest method that has an answer, and the answer says which that was."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.text import normalise
from corpusdb.corpus.queries.sentences import languages_by_size
from corpusdb.corpus.store import Store
from corpusdb.translation.example_rungs import AnalogyTranslator, Memory, open_analogies, open_memory
from corpusdb.translation.examples import (
    RUNGS,
    Examples,
    ExampleTranslation,
    Rung,
    RungName,
    TranslationExample,
    UnitTexts,
    encode_texts,
)
from corpusdb.translation.queries.example_pairs import (
    KeptParts,
    TranslationDirection,
    are_paired,
    direction_of,
    exact_translations,
    kept_parts,
    read_examples,
)
from corpusdb.translation.queries.phrase_rung import PhraseRung


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


def _open_analogies(ground: Ground) -> Job[Rung]:
    examples, texts = (yield from ground.examples()), (yield from ground.texts())

    def make() -> Job[AnalogyTranslator]:
        yield Progress("indexing for analogies", 0, len(examples))
        return open_analogies(examples, texts)

    return (yield from ground.part("analogies", AnalogyTranslator, make))


def _open_memory(ground: Ground) -> Job[Rung]:
    examples, texts = (yield from ground.examples()), (yield from ground.texts())

    def make() -> Job[Memory]:
        yield Progress("indexing for the memory", 0, len(examples))
        return open_memory(examples, texts)

    return (yield from ground.part("memory", Memory, make))


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
    "analogy": _open_analogies,
    "phrases": _open_phrases,
    "memory": _open_memory,
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
        self._kept: tuple[tuple[str, str, int], Translator] | None = None

    def translator(self, source: str, target: str) -> Job[Translator]:
        """From one language to another, by all methods that the corpus is ready for. Raises as Translator.open does."""
        key = (source, target, int(self._store.connection.execute(_NEWEST_RUN).fetchone()[0]))
        if self._kept is None or self._kept[0] != key:
            self._kept = None  # two of them at a time would be twice the memory
            self._kept = key, (yield from Translator.open(self._store, source, target))
        return self._kept[1]

    def targets(self, source: str) -> list[str]:
        """The languages that sentences of a language are translated into: English, then those with most sentences."""
        others = [code for code in languages_by_size(self._store) if code != source]
        found = [code for code in others if are_paired(self._store, source, code)]
        return sorted(found, key=lambda code: code != _FIRST)


_NEWEST_RUN = "select coalesce(max(id), 0) from run"
