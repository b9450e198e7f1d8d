"""What exchanges, and paraphrases of clauses, make of all sentences of a corpus: made and judged in copies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import Final, NamedTuple, TypeAlias, TypeVar

import numpy as np

from corpusdb.base.arrays import F64, I64, Places, places_in
from corpusdb.base.jobs import computed_in_order, cores_for
from corpusdb.base.ngrams import combined, text_hashes
from corpusdb.base.text import units_of
from corpusdb.corpus.orders import REPLACES
from corpusdb.paraphrase.differences import GAP, Exchange, persons
from corpusdb.paraphrase.exchange_index import StoredExchange, StoredPart, Sums, index_of_sums, most_probable
from corpusdb.paraphrase.familiar import FamiliarExchanges, Gates
from corpusdb.paraphrase.frames import Frames, as_inside, as_sentence, differs_so
from corpusdb.paraphrase.known import Known, said_of_exchanges
from corpusdb.paraphrase.marking import marking_of
from corpusdb.paraphrase.pair_differences import UNKNOWN, Pair, PairComparer, trifles_of_pairs
from corpusdb.paraphrase.rewording import LEAST_APPLIED, PART_OF_DOUBT, AppliedExchange, Clauses, Judged
from corpusdb.paraphrase.validity import ValidityModels, judge_applied
from corpusdb.paraphrase.witnesses import ChangedSides, TranslationsInto, testimony
from corpusdb.paraphrase.word_model import WordModel, said_by_words, word_gains

Judge: TypeAlias = Callable[[Sequence[Pair]], Sequence[Judged]]
"""What judges pairs that an exchange makes."""
Sentences: TypeAlias = Sequence[tuple[int, str]]
"""With their numbers."""


class PackedSentences(NamedTuple):
    """Sentences as lines: a copy of this process shares them, where it would copy the page of each object it reads."""

    numbers: I64
    lines: str

    @classmethod
    def of(cls, sentences: Sentences) -> PackedSentences:
        return cls(np.array([number for number, _ in sentences]), "\n".join(text for _, text in sentences))

    def sentences(self) -> Sentences:
        return list(zip(self.numbers.tolist(), self.lines.split("\n"), strict=True))


class PackedExchanges(NamedTuple):
    """What exchanges make, by columns and as lines, for the same reason and in a third of the memory."""

    numbers: I64
    lines: str
    validity: F64
    replacement: I64
    word_gain: F64
    """NaN for None."""

    @classmethod
    def of(cls, made: Sequence[AppliedExchange]) -> PackedExchanges:
        return cls(
            np.array([each.sentence for each in made], dtype=np.int64),
            "\n".join(each.text for each in made),
            np.array([each.validity for each in made], dtype=np.float64),
            np.array([each.replacement for each in made], dtype=np.int64),
            np.array([each.word_gain for each in made], dtype=np.float64),
        )

    def exchanges(self) -> list[AppliedExchange]:
        gains = (None if np.isnan(gain) else gain for gain in self.word_gain.tolist())
        texts = self.lines.split("\n") if len(self.numbers) else []
        columns = self.numbers.tolist(), texts, self.validity.tolist(), self.replacement.tolist(), gains
        return list(map(AppliedExchange, *columns))


# What is known of all sentences of a language, in memory, since a copy of a process has no database.


class OfOtherOrigins:
    """Which paraphrases other origins have of sentences, by their fingerprints: in eight bytes each."""

    def __init__(self, pairs: Iterable[tuple[int, str]]) -> None:
        rows = iter(pairs)
        prints = [np.empty(0, dtype=np.int64)]
        while some := list(islice(rows, _PAIRS_AT_ONCE)):
            prints.append(_prints(some))
        self._prints = np.sort(np.concatenate(prints))

    def add(self, pairs: Iterable[tuple[int, str]]) -> None:
        """Take these for theirs from now on."""
        self._prints = np.sort(np.concatenate([self._prints, _prints(list(pairs))]), kind="stable")

    def have(self, pairs: Iterable[tuple[int, str]]) -> list[bool]:
        """Of each pair of a sentence, by its number, and a text whether they have it."""
        found: list[bool] = places_in(self._prints, _prints(list(pairs)))[1].tolist()
        return found


_PAIRS_AT_ONCE: Final = 50_000


def _prints(rows: Sequence[tuple[int, str]]) -> I64:
    numbers = np.array([number for number, _ in rows], dtype=np.uint64)
    return combined(numbers, text_hashes([text for _, text in rows]).view(np.uint64)).view(np.int64)


@dataclass(frozen=True)
class Exchanges:
    """All exchanges of a language, at one place and at two."""

    sums: Sequence[StoredExchange]
    parts: Sequence[StoredPart]


Heard: TypeAlias = Callable[[Sequence[str], Sequence[str], ChangedSides], F64]
"""What translations say of pairs, by TESTIMONY: given the seeds, the other texts and what is changed."""


class Translated:
    """The sentences of a language and their translations, all of them."""

    def __init__(self, sentences: Iterable[str], into: Sequence[TranslationsInto]) -> None:
        prints = text_hashes(list(sentences))
        self._order = np.argsort(prints)
        self._prints = Places(prints[self._order])
        self._into = into
        for each in into:  # once, and not in each copy
            each.model.prepare_for_many()

    def heard(self, seeds: Sequence[str], texts: Sequence[str], changed: ChangedSides) -> F64:
        """As ``Heard`` has it."""
        return testimony(self._into, self._places(seeds), self._places(texts), changed)

    def _places(self, texts: Sequence[str]) -> I64:
        places, known = self._prints.of(text_hashes(texts))
        return np.where(known, np.append(self._order, UNKNOWN)[places], UNKNOWN)


_NO_NEIGHBOUR: Final = ""
"""Stands for all units that no exchange is known beside."""


class CorpusJudge:
    """Judges pairs that only an exchange makes of sentences of a language, by all that is known of it."""

    def __init__(
        self,
        language: str,
        models: ValidityModels,
        exchanges: Exchanges,
        heard: Heard,
        word_model: WordModel | None,
    ) -> None:
        self._language = language
        self._models = models
        self._marking = marking_of(language) if models.unseen and models.exchanges else None
        self._heard = heard
        self._word_model = word_model
        beside = dict.fromkeys(part.name for part in exchanges.parts if part.kind != "language")
        self._beside = {name: place for place, name in enumerate((*beside, _NO_NEIGHBOUR))}
        fillers = sorted({text for each in exchanges.sums for text in (each.x, each.y)})
        self._number_of = {text: number for number, text in enumerate(fillers)}
        self._index = index_of_sums(exchanges.sums, exchanges.parts, fillers, self._beside)
        if word_model is not None:  # once, and not in each copy
            word_model.prepare_for_many()

    def __call__(self, pairs: Sequence[Pair]) -> list[Judged]:
        seeds, texts = [pair.seed for pair in pairs], [pair.text for pair in pairs]
        comparer = PairComparer({}, dict(self._beside), self._marking)
        comparer.add(pairs)
        found = comparer.differences(self._number_of)
        beside = found.left, found.right, found.region_left, found.region_right
        left, right, region_left, region_right = (np.minimum(each, self._beside[_NO_NEIGHBOUR]) for each in beside)
        differences = replace(found, left=left, right=right, region_left=region_left, region_right=region_right)
        heard = self._heard(seeds, texts, differences.changed)
        words = said_by_words(self._word_model, seeds, texts)
        trifle = trifles_of_pairs(differences.changed, self._language)
        said = said_of_exchanges(found, self._language)
        known = Known(np.zeros(len(pairs), dtype=np.int64), heard, words, trifle, said)
        shown, support = judge_applied(self._models, self._index.evidence(differences), differences, known)
        return list(map(Judged, shown.tolist(), support.tolist(), words.gains))

    def frames(self, exchanges: Exchanges) -> Frames:
        """The frames of the language but for those of which nothing comes that has more than LEAST_APPLIED.

        No pair is above what the language of translations leaves of it that objects most to its exchange.
        """
        figures: dict[int, list[tuple[int, int]]] = {each.id: [] for each in exchanges.sums if GAP in each.x}
        for part in exchanges.parts:
            if part.kind == "language" and part.exchange in figures:
                figures[part.exchange].append((part.shared, part.expected))
        most = np.array([most_probable(Sums.of(rows)) for rows in figures.values()], dtype=np.float64)
        bounds = self._models.shown(most, np.ones(len(most), dtype=np.bool_)).tolist()
        held = {number for number, bound in zip(figures, bounds, strict=True) if bound > LEAST_APPLIED}
        return Frames.stored((each for each in exchanges.sums if each.id in held), exchanges.parts, self._language)


# What is made of some thousands of sentences, each text once, without what other origins have.


def odd_elsewhere(pairs: Sequence[tuple[str, str]], model: WordModel | None, gates: Gates) -> set[tuple[str, str]]:
    """Of sentences, and what exchanges make of them beside words that they are not known by, what is less probable."""
    gains = word_gains(model, [seed for seed, _ in pairs], [text for _, text in pairs])
    return {pair for pair, gain in zip(pairs, gains, strict=True) if gain is None or gain < gates.gain}


_LEAST_FRAME_GAIN: Final = -3.0
"""log10, at least: what a frame makes less probable is where something else stands between its places."""


def framed(sentences: Sentences, frames: Frames, model: WordModel | None) -> list[tuple[int, str, str, Exchange]]:
    """What frames make of sentences, by number and text: the number, the text, the sentence and the frame.

    By which the two differ in fact, and which makes the sentence not much less probable; each text once.
    """
    if model is None:
        return []
    made: dict[tuple[int, str], tuple[str, Exchange]] = {}
    for (number, seed), inside in zip(sentences, as_inside([seed for _, seed in sentences], model), strict=True):
        units = units_of(inside)
        for each in frames.applied(inside):
            text = as_sentence(each.text)
            is_new = text != seed and (number, text) not in made
            if is_new and (each.is_sure or differs_so(units, each.text, each.exchange)):
                made[number, text] = seed, each.exchange
    rows = [(*key, *made[key]) for key in sorted(made)]
    gains = word_gains(model, [seed for _, _, seed, _ in rows], [text for _, text, *_ in rows])
    return [row for row, gain in zip(rows, gains, strict=True) if gain is not None and gain >= _LEAST_FRAME_GAIN]


_Row = TypeVar("_Row", tuple[int, str, str], tuple[int, str, str, float], tuple[int, str, str, Exchange])


@dataclass(frozen=True)
class Applying:
    """What is made of sentences by exchanges and by clauses, and what it is asked of."""

    judge: Judge
    others: OfOtherOrigins
    model: WordModel | None

    def exchanged(self, sentences: Sentences, familiar: FamiliarExchanges) -> list[AppliedExchange]:
        """What exchanges make of sentences, if it is more probable than not to hold.

        Beside words that it is not known by, only if the word model finds it not much less probable.
        """
        made: dict[tuple[int, str, str], bool] = {}
        for key, seed in sentences:
            for each, is_known in familiar.applied(seed):
                row = key, each.text, seed
                made[row] = is_known or made.get(row, False)
        elsewhere = [(seed, text) for (_, text, seed), is_known in made.items() if not is_known]
        odd = odd_elsewhere(elsewhere, self.model, familiar.gates)
        usual = [row for row in made if (row[2], row[1]) not in odd or made[row]]
        return _vouched(self._judged(usual))

    def framed(self, sentences: Sentences, frames: Frames) -> list[AppliedExchange]:
        """The same by exchanges at two places at once.

        They are not much less probable than the sentence by the word model, without which there are none.
        """
        return _vouched(self._judged(framed(sentences, frames, self.model), itemgetter(3)))

    def clauses(self, sentences: Sentences, clauses: Clauses) -> list[AppliedExchange]:
        """What paraphrases of clauses make of the sentences that they begin or end.

        They are not much less probable than the sentence by the word model, without which there are none.
        """
        made = list(_with_other_clauses(sentences, clauses))
        gains = word_gains(self.model, [seed for _, _, seed, _ in made], [text for _, text, *_ in made])
        said = zip(made, gains, strict=True)
        usual = [each for each, gain in said if gain is not None and gain >= LEAST_CLAUSE_GAIN]
        return [
            AppliedExchange(
                number,
                text,
                round(validity * (1 - PART_OF_DOUBT * (1 - judged.validity)), _DIGITS),
                max(judged.replacement, REPLACES),
                judged.word_gain,
            )
            for (number, text, _, validity), judged in self._judged(usual)
            if judged.validity > LEAST_APPLIED
        ]

    def _judged(
        self, rows: Sequence[_Row], frame: Callable[[_Row], Exchange | None] = lambda _: None
    ) -> list[tuple[_Row, Judged]]:
        """Of rows of a sentence, a text and the text of the sentence those that are new, as they are judged.

        ``frame``: that which makes the text of a row, if one does.
        """
        there = self.others.have(row[:2] for row in rows)
        fresh = [row for row, is_there in zip(rows, there, strict=True) if not is_there]
        judged = self.judge([Pair(0, row[2], row[1], frame=frame(row)) for row in fresh]) if fresh else ()
        return list(zip(fresh, judged, strict=True))


def _vouched(
    judged: Iterable[tuple[tuple[int, str, str] | tuple[int, str, str, Exchange], Judged]],
) -> list[AppliedExchange]:
    return [
        AppliedExchange(row[0], row[1], *said)
        for row, said in judged
        if said.replacement and said.validity > LEAST_APPLIED
    ]


LEAST_CLAUSE_GAIN: Final = -2.0
"""log10, at least: what the last steps let in was read down to this and the next (tests/readings, english-32)."""
_DIGITS: Final = 4


def _with_other_clauses(sentences: Sentences, clauses: Clauses) -> Iterator[tuple[int, str, str, float]]:
    """They speak of nobody that the sentence does not speak of."""
    for number, text in sentences:
        made: dict[str, float] = {}
        for other, validity in clauses.exchanged(text):
            made[other] = max(validity, made.get(other, 0.0))
        whom = persons(text, clauses.language) if made else frozenset()
        for other, validity in sorted(made.items()):
            if persons(other, clauses.language) <= whom:
                yield number, other, text, validity


# All sentences of a language.

SENTENCES_AT_ONCE: Final = 6_000
"""What is made of fewer is judged as slowly: trees, and arrays of figures, take their time for any number of pairs. Of
12,000, a copy takes a fifth more memory, and as much time."""


def applied_to_all(
    sentences: Sequence[PackedSentences], makers: Iterable[Callable[[Sentences], list[AppliedExchange]]]
) -> Iterator[list[AppliedExchange]]:
    """What one maker after the other makes of all sentences, which come as many at a time as are judged together.

    In a copy of this process for each core. A copy has what it looked at once more, so that each maker has copies of
    its own, and is made when the one before it is done.
    """

    def made_of(maker: Callable[[Sentences], list[AppliedExchange]], number: int) -> list[AppliedExchange]:
        return maker(sentences[number].sentences())

    cores = cores_for(sum(len(each.numbers) for each in sentences))
    for maker in makers:
        with closing(computed_in_order(partial(made_of, maker), len(sentences), cores)) as results:
            yield from results
