"""How probable it is that a phrase holds in the place of another, in its sentence.

What is equivalent in one sense is not in another, nor beside other words. So of each change it is asked how probable it
is that the two are equivalents at all; what exchanges of the corpus, and translations of the sentence, say of it (as
of any rewording, see corpusdb.paraphrase.validity), the source of a reference being one of these; and whether the words
in a row at its place are seen elsewhere. What each is worth was learned from pairs that were read (tests/readings).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib.resources import files
from typing import Final, Literal, NamedTuple

import numpy as np

from corpusdb.alignment.equivalence import Phrase, closed_share, closed_words
from corpusdb.base.arrays import F64
from corpusdb.base.estimates import log_odds, logistic
from corpusdb.base.text import lower_words
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.differences import Application, change
from corpusdb.paraphrase.logistic import BoostedModel
from corpusdb.paraphrase.pair_differences import Pair
from corpusdb.paraphrase.queries.models import load_word_model, shared_ngrams
from corpusdb.paraphrase.queries.seed_rewordings import SeedRewordings
from corpusdb.paraphrase.queries.seeds import SeedValidity
from corpusdb.paraphrase.validity import READ
from corpusdb.paraphrase.word_model import WordModel, said_by_words, train_word_model
from corpusdb.scoring.queries.recipe import UnitText

OF_PHRASES: Final = ("log odds", "closed before", "closed", "words before", "words")
"""What is known of the two phrases themselves: whether they are equivalents, which part of either is of closed classes,
and how many words they have."""
_RANGE: Final = 1e-4
"""A probability is believed to be no nearer to 0 or 1."""
_UNKNOWN: Final = -6.0
"""The log odds of what is not known to be an equivalent."""
_DIGITS: Final = 4
_AT_ONCE: Final = 5_000


class Substituted(NamedTuple):
    """A sentence in which something stands in the place of a phrase."""

    sentence: str
    text: str
    """With it."""
    phrase: Phrase
    """In lower case; empty where something is put in only."""
    other: Phrase
    """What stands there; empty where the phrase is left out."""
    probability: float | None
    """That the two are equivalents, by themselves; None where nothing is known of that."""


class Exchanged(NamedTuple):
    """A change that an exchange makes."""

    begin: int
    """Between which characters of the sentence it is made."""
    end: int
    change: Substituted

    @property
    def written(self) -> str:
        """What stands there then."""
        longer = len(self.change.text) - len(self.change.sentence)
        return self.change.text[self.begin : self.end + longer]


class JudgedPlaces(NamedTuple):
    """What may be put into some sentences."""

    probability: Mapping[Substituted, float]
    """That it holds there."""
    exchanged: Mapping[str, Sequence[Exchanged]]
    """By the sentence; all of these are judged."""


class SubstitutionJudge:
    """Judges changes in sentences of a language, as its exchanges stand when they are first asked for."""

    def __init__(self, store: Store, language: str) -> None:
        self._store = store
        self._language = language
        self._closed = closed_words(language, "closed")
        self._validity = SeedValidity(store, language)

    @cached_property
    def _word_model(self) -> WordModel | None:
        return load_word_model(self._store, self._language) or train_word_model(
            [text for (text,) in self._store.connection.execute(_SENTENCES, (self._language,))]
        )

    @property
    def can_judge(self) -> bool:
        """Whether there is a model of words, without which nothing is said of any place."""
        return self._word_model is not None

    @cached_property
    def _rewordings(self) -> SeedRewordings | None:
        if not self._validity.is_known:
            return None
        return SeedRewordings(self._store, self._language, shared_ngrams(self._store, self._language))

    def give(self, sentence: str, source: str) -> None:
        """Note the source of a reference: it is a witness of what may stand there."""
        given = (source,) if source else ()
        self._validity.translations.give(sentence, given)
        if self._rewordings is not None:
            self._rewordings.give(sentence, given)

    def exchanged(self, sentences: Sequence[str]) -> dict[str, list[Exchanged]]:
        """What exchanges make of each sentence that is more than another mark, a contraction, or this for that."""
        if self._rewordings is None:
            return {sentence: [] for sentence in sentences}
        made = zip(sentences, self._rewordings.applied(sentences), strict=True)
        return {sentence: list(self._real(sentence, found)) for sentence, found in made}

    def _real(self, sentence: str, made: Iterable[Application]) -> Iterator[Exchanged]:
        words = lower_words(sentence)
        for each in made:
            # Another mark at the end is not what anybody asked for: bicycle., bike!
            ends_otherwise = not sentence[-1:].isalnum() and each.text[-1:] != sentence[-1:]
            if ends_otherwise or change(words, lower_words(each.text), self._language).kind != "real":
                continue
            # Of a frame the exchange has a gap for what stays, and is shorter than what is written anew.
            end = len(sentence) - (len(each.text) - each.stop)
            begin = each.begin + (sentence[each.begin : end][:1] == each.text[each.begin : each.stop][:1] == " ")
            phrase, other = (UnitText.of(part.strip()).tokens for part in each.exchange)
            yield Exchanged(begin, end, Substituted(sentence, each.text, phrase, other, None))

    def probabilities(self, changes: Iterable[Substituted]) -> dict[Substituted, float]:
        """How probable it is that each holds, to four places."""
        different, found = list(dict.fromkeys(changes)), list[float]()
        for begin in range(0, len(different), _AT_ONCE):
            found += logistic(self._log_odds(self.features(different[begin : begin + _AT_ONCE]))).tolist()
        return {each: round(probability, _DIGITS) for each, probability in zip(different, found, strict=True)}

    def _log_odds(self, figures: F64) -> F64:
        """The mean of what the models of rewordings and of substitutions say; without exchanges, what words say.

        Of 370 places of news that were read blind this has the area .833, the latter model alone .809, and .813 with
        the words alone as a third. On sentences of Tatoeba, which need it less, the latter alone is better: .862, .841.
        """
        if not self._validity.is_known:
            return substitution_model("words").log_odds(figures)
        rewordings = READ.plain.log_odds(figures[:, : -len(OF_PHRASES)])
        return (rewordings + substitution_model("exchanges").log_odds(figures)) / 2

    def features(self, changes: Sequence[Substituted]) -> F64:
        """What is known of changes: what the words around say and, where exchanges were learned, these and
        translations; then what is known of the two phrases.
        """
        own = np.array([self._of_phrases(each) for each in changes])
        if self._validity.is_known:
            said = self._validity.read_features([Pair(0, *each[:2]) for each in changes])
        else:
            said = said_by_words(
                self._word_model, [each.sentence for each in changes], [each.text for each in changes]
            ).features
        return np.concatenate([said, np.round(own, _DIGITS - 1)], axis=1)

    def _of_phrases(self, change: Substituted) -> tuple[float, ...]:
        known = change.probability is not None
        odds = log_odds(np.clip([change.probability or 0.0], _RANGE, 1 - _RANGE))[0] if known else _UNKNOWN
        sides = change.phrase, change.other
        return odds, *(closed_share(words, self._closed) if words else 0.0 for words in sides), *map(len, sides)


_SENTENCES = "select text from sentence where language = ? order by id"


@cache
def substitution_model(name: Literal["exchanges", "words"]) -> BoostedModel:
    """The model of how probable it is that a change holds; ``words``: by what is known without exchanges."""
    document = files("corpusdb.scoring").joinpath("substitution_models.json").read_text(encoding="utf-8")
    return BoostedModel.read(json.loads(document)[name])
