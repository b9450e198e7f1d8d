"""What an origin of paraphrases must be able to do. Nothing outside of its module knows how it does it."""

from __future__ import annotations

import json
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import ClassVar, Final, Generic, TypeAlias, TypeVar

from corpusdb.base.errors import InputError
from corpusdb.base.text import differs_in_words, normalise
from corpusdb.corpus.model import FIGURES, Explanation, Finding
from corpusdb.corpus.queries.sentences import check_languages, sentence_id, sentences_after
from corpusdb.corpus.store import Store, layer_state
from corpusdb.corpus.store.runs import layers_made
from corpusdb.paraphrase.queries.filters import NO_FILTER, Filter, differs_in_final_marks, differs_in_final_marks_sql

_Held = TypeVar("_Held")
Opener: TypeAlias = Callable[[], AbstractContextManager[Store]]
"""Opens the database for writing, for what cannot be tried without; nothing is left behind."""


@dataclass(frozen=True, slots=True)
class Seed:
    language: str
    text: str
    """Normalised."""
    sentence: int | None
    """Its number; None where the corpus does not hold it."""
    translations: tuple[str, ...] = ()
    """Those that somebody gave with it, in whatever languages, besides those of the corpus."""


def find_seed(store: Store, language: str, text: str) -> Seed:
    text = normalise(text)
    return Seed(language, text, sentence_id(store, language, text))


def require_index(store: Store, language: str) -> None:
    """Raise InputError where a language has no commutation index, which generating from a seed begins with, or it is
    being made again."""
    index = layer_state(store, language, "commutation")
    if index is None or not index.complete:
        check_languages(store, [language])
        lacks = "nothing was generated for {} yet" if index is None else "what was generated for {} is being made again"
        first = " first" if index is None else ", if it was interrupted"
        raise InputError(f"{lacks.format(language)}; run `corpusdb generate --lang {language}`{first}")


class SeedGeneration:
    """Generates from seeds of which the file holds nothing, one after the other; this one generates nothing."""

    def generate(self, seed: Seed) -> list[Finding]:
        """The paraphrases of a seed. Raises DatabaseReadOnly where it would have to write and may not."""
        return [
            each._replace(
                only_marks=int(differs_in_final_marks(seed.text, each.text)),
                is_real=int(differs_in_words(seed.text, each.text, seed.language)),
            )
            for each in self.generated(seed)
        ]

    def generated(self, seed: Seed) -> list[Finding]:
        """The same, before it is looked at what they differ by."""
        return []

    def reasons(self, seed: Seed, text: str) -> Iterator[str]:
        """Why ``text`` is among what is generated, in words."""
        yield from ()

    def prepare(self, language: str) -> None:
        """Read into memory what is needed for seeds of a language."""

    def forget(self) -> None:
        """Free that memory."""


class GenerationOnce(SeedGeneration):
    """Generates from each seed once, however often it is asked."""

    def __init__(self, generation: SeedGeneration) -> None:
        self._generate = cache(generation.generate)

    def generate(self, seed: Seed) -> list[Finding]:
        return self._generate(seed)


class HeldGeneration(SeedGeneration, Generic[_Held]):
    """Keeps in memory what it needs for a language, and reads it again when layers of that language have changed."""

    LAYERS: ClassVar[tuple[str, ...]]

    def __init__(self, store: Store) -> None:
        self._store = store
        self._held: dict[str, tuple[list[object], _Held]] = {}

    @abstractmethod
    def read(self, language: str) -> _Held:
        """What is needed for the seeds of a language."""

    def states(self, language: str) -> list[object]:
        """What is read again when it has changed."""
        return [layers_made(self._store, language, *self.LAYERS)]

    def held(self, language: str) -> _Held:
        states, known = self.states(language), self._held.get(language)
        if known is None or known[0] != states:
            known = self._held[language] = states, self.read(language)
        return known[1]

    def prepare(self, language: str) -> None:
        self.held(language)

    def forget(self) -> None:
        self._held.clear()


class Origin(ABC):
    """A source of paraphrases of a sentence."""

    name: ClassVar[str]
    """By which it is registered and limited to."""
    label: ClassVar[str]
    """By which references from it are asked for and labelled."""
    mark: ClassVar[str]
    """The one character that lists show."""
    is_at_hand: ClassVar[bool] = True
    """Whether it answers for any sentence without an index that has to be built first."""
    needs_extra: ClassVar[bool] = False
    """Whether it needs what may not be installed."""
    is_usual: ClassVar[bool] = True
    """Whether references have such where no origins are named. What one corpus has and another has not, by what is
    installed or by what else was built, would change a test set that nobody meant to change."""
    is_implied_by_acceptance: ClassVar[bool] = False
    """Whether it yields a sentence only because a person accepted it."""

    @abstractmethod
    def stored(self, store: Store, seed: Seed) -> list[Finding] | None:
        """What the file holds of a seed, or None where that has to be generated now.

        Raises InputError where it cannot be generated either.
        """

    def generation(self, store: Store, writing: Opener | None = None) -> SeedGeneration:
        """What generates from the seeds of which ``stored`` gave None."""
        return SeedGeneration()

    def accepted(self, store: Store, seed: Seed, kept: Filter) -> list[Finding] | None:
        """What of ``stored`` the filter accepts."""
        stored = self.stored(store, seed)
        return None if stored is None else list(filter(kept.accepts, stored))

    def findings(
        self, store: Store, seed: Seed, kept: Filter = NO_FILTER, generation: SeedGeneration | None = None
    ) -> list[Finding]:
        """The paraphrases of one seed that the filter accepts, in any order, each once and never the seed itself.

        ``generation`` is that of this origin, where the caller keeps one for several seeds.
        """
        accepted = self.accepted(store, seed, kept)
        if accepted is None:
            return list(filter(kept.accepts, (generation or self.generation(store)).generate(seed)))
        return accepted

    def pairs(self, store: Store, language: str, kept: Filter) -> Iterable[tuple[str, str]]:
        """All its paraphrases in a language that the filter accepts, each with a seed that it is one of."""
        found = ((finding.text, seed) for seed, finding in self._all_findings(store, language, kept))
        return without_rejected(store, language, found)

    def texts(self, store: Store, language: str, kept: Filter) -> Iterable[str]:
        """The different paraphrases among these."""
        return {text for text, _ in self.pairs(store, language, kept)}

    def seeds(self, store: Store, language: str, kept: Filter) -> Iterable[str]:
        """The different seeds among these."""
        return {seed for _, seed in self.pairs(store, language, kept)}

    def findings_of(self, store: Store, language: str, texts: Collection[str]) -> Iterable[tuple[str, Finding]]:
        """What it says of these paraphrases: the text of each seed that has one of them, and the finding."""
        wanted = frozenset(texts)
        return (each for each in self._all_findings(store, language, NO_FILTER) if each[1].text in wanted)

    def explain(self, store: Store, seed: Seed, text: str, limit: int, generation: SeedGeneration) -> Explanation:
        """Why ``text`` is a paraphrase of a seed, ``generation`` being that of this origin.

        At most ``limit`` analogies, 0 is all.
        """
        reasons = () if self.stored(store, seed) is not None else tuple(generation.reasons(seed, text))
        return Explanation(seed.text, text, (), 0, reasons=reasons)

    def missing(self, language: str) -> str | None:
        """What somebody has to do so that it yields paraphrases in a language; None where nothing is missing."""
        return None

    def _all_findings(self, store: Store, language: str, kept: Filter) -> Iterator[tuple[str, Finding]]:
        for sentence, text in sentences_after(store, language, 0):
            for finding in self.findings(store, Seed(language, text, sentence), kept):
                yield text, finding


def kept_findings(
    store: Store, seed: Seed, kept: Filter, generations: Iterable[tuple[Origin, SeedGeneration]]
) -> list[Finding]:
    """All that some origins say of the paraphrases of a seed that the filter accepts by what one of them says.

    So what is told of a pair does not change with the filter. ``generations``: each origin with that of its own. What
    exchanges equivalents that people rejected is left out, whoever yields it.
    """
    said = [each for origin, made in generations for each in origin.findings(store, seed, generation=made)]
    texts = {each.text for each in said if kept.accepts(each)}
    return unrejected(store, seed, [each for each in said if each.text in texts])


def unrejected(store: Store, seed: Seed, findings: list[Finding]) -> list[Finding]:
    """Those findings of a seed that do not exchange equivalents that people rejected."""
    if not has_rejected(store, seed.language):
        return findings
    pairs = {(each.text, seed.text) for each in findings}
    texts = {text for text, _ in without_rejected(store, seed.language, pairs)}
    return [each for each in findings if each.text in texts]


_REJECTED: Final = "select exists (select 1 from current_rejection where language = ?)"


def has_rejected(store: Store, language: str) -> bool:
    """Whether people rejected equivalents of a language."""
    return bool(store.connection.execute(_REJECTED, (language,)).fetchone()[0])


def without_rejected(store: Store, language: str, pairs: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    """Those pairs of texts that do not exchange equivalents that people rejected."""
    if not has_rejected(store, language):
        return pairs
    from corpusdb.alignment.queries.phrases import RejectedExchanges

    rejected = RejectedExchanges(store, language)
    return (pair for pair in pairs if rejected.between(*pair) is None)


_COLUMNS: Final = Finding._fields[1:-3]
"""Of the rows of a stored origin: what a finding has beside its origin and what speaks for it."""
_LACKING: Final = {name: "null" if value is None else str(value) for name, value in Finding._field_defaults.items()}


def figures_of(table: str, **given: str) -> str:
    """The text and the figures of a finding in SQL, on a row of ``table``, under the names that a finding has for them.

    What is ``given``, else the columns that the table has, else what a finding has that lacks the figure.
    """
    held = {each.column: f"{table}.{each.column}" for each in FIGURES if table in each.tables}
    expressions = _LACKING | held | given
    return ", ".join(f"{expressions[name]} as {name}" for name in _COLUMNS)


def differences_from_seed(text: str, seeds: str, number: str) -> dict[str, str]:
    """In SQL whether a text differs from its seed in final marks alone, and whether in words.

    ``number`` is that of the seed in the table ``seeds``.
    """
    own = f"from {seeds} own where own.id = {number}"
    return {
        "only_marks": differs_in_final_marks_sql(f"(select own.text {own})", text),
        "is_real": f"(select differs_in_words(own.text, {text}, own.language) {own})",
    }


class StoredOrigin(Origin):
    """An origin whose paraphrases of a language are all rows of the file."""

    ROWS: ClassVar[str]
    """A query for all of them in ``:language``: the text of the seed as ``seed``, and ``figures_of`` a table.

    A table that only gives some of these columns is joined by a left join, which costs nothing where they are not used.
    """
    OF_SEED: ClassVar[str]
    """A query for those of the seed whose number in the file is ``{seed}``, without the column of the seed."""
    SEEDS: ClassVar[str]
    """The table of the seeds, with their number as ``id``, their language and their text."""
    OF_TEXTS: ClassVar[str | None] = None
    """A query for those whose text is in the JSON array ``:texts``, with the columns of ``ROWS``.

    None where no index leads from a text to its seeds: then ``ROWS`` are searched.
    """

    @abstractmethod
    def finding(self, row: Finding) -> Finding:
        """What the text and the figures of a row say, which are of no origin yet."""

    def stored(self, store: Store, seed: Seed) -> list[Finding] | None:
        return self.accepted(store, seed, NO_FILTER)

    @abstractmethod
    def accepted(self, store: Store, seed: Seed, kept: Filter) -> list[Finding] | None: ...

    def accepted_of(self, store: Store, number: int, kept: Filter) -> list[Finding]:
        query = _query_of_seed(self.OF_SEED, kept.condition("found"))
        rows = store.connection.execute(query, {"seed": number, **kept.values})
        return [self.finding(Finding("", *row)) for row in rows]

    def pairs(self, store: Store, language: str, kept: Filter) -> Iterable[tuple[str, str]]:
        return without_rejected(store, language, self._accepted(store, _PAIRS, language, kept))

    def texts(self, store: Store, language: str, kept: Filter) -> Iterable[str]:
        if has_rejected(store, language):
            return super().texts(store, language, kept)
        return map(_FIRST, self._accepted(store, _TEXTS, language, kept))

    def seeds(self, store: Store, language: str, kept: Filter) -> Iterable[str]:
        if has_rejected(store, language):
            return super().seeds(store, language, kept)
        rows = self.OF_SEED.format(seed="one.id")
        query = _SEEDS.format(seeds=self.SEEDS, rows=rows, kept=kept.condition("found"))
        return map(_FIRST, store.connection.execute(query, {"language": language, **kept.values}))

    def findings_of(self, store: Store, language: str, texts: Collection[str]) -> Iterable[tuple[str, Finding]]:
        bound = {"language": language, "texts": json.dumps(list(texts))}
        for seed, *row in store.connection.execute(self.OF_TEXTS or _OF_TEXTS.format(rows=self.ROWS), bound):
            yield seed, self.finding(Finding("", *row))

    def _accepted(self, store: Store, statement: str, language: str, kept: Filter) -> sqlite3.Cursor:
        query = statement.format(rows=self.ROWS, kept=kept.condition("found"))
        return store.connection.execute(query, {"language": language, **kept.values})


@cache
def _query_of_seed(rows: str, kept: str) -> str:
    return _OF_SEED.format(rows=rows.format(seed=":seed"), kept=kept)


_FIRST = itemgetter(0)


_OF_SEED = "select * from ({rows}) found where ({kept})"
_PAIRS = "select text, seed from ({rows}) found where ({kept})"
_TEXTS = "select distinct text from ({rows}) found where ({kept})"
_SEEDS = """
select one.text from {seeds} one
where one.language = :language and exists (select 1 from ({rows}) found where ({kept}))
"""
_OF_TEXTS = f"""
select seed, {", ".join(_COLUMNS)} from ({{rows}}) found where text in (select value from json_each(:texts))
"""
