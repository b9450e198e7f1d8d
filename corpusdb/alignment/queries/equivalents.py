"""What else a phrase is called, and phrases of a sentence replaced by equivalents that are probable.

Candidates are the members of the equivalence sets of Owczarzak et al. (2006, section 3.2), with the pivot probability
of Bannard and Callison-Burch (2005); how probable it is that one holds, equivalence.py says. Filters are conditions on
figures that are counted or computed when somebody asks, so that another filter needs no other alignment.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from corpusdb.alignment.equivalence import LeftOut, are_forms_of_one, closed_words
from corpusdb.alignment.links import has_letter, may_part
from corpusdb.alignment.phrase_evidence import Judgement
from corpusdb.alignment.queries.equivalence_evidence import Candidate, Having, equivalence_judge
from corpusdb.alignment.queries.pairs import StoredModel, can_cut, ready_models, spans_of
from corpusdb.alignment.queries.phrase_places import PhraseStanding, standing_of
from corpusdb.alignment.queries.phrases import (
    LONGEST_PHRASE,
    key_in,
    models_of,
    occurrences,
    phrase_key,
    rejected_among,
    shown,
)
from corpusdb.base.errors import InputError
from corpusdb.corpus.queries.fillers import prepared_languages, shared_context_counts
from corpusdb.corpus.queries.sentences import check_languages
from corpusdb.corpus.store import Store
from corpusdb.search.queries.search import Searcher
from corpusdb.search.token_corpus import token_spans

_PIVOTS_SHOWN: Final = 3
_NEAREST: Final = 3


LEAST_PROBABILITY: Final = 0.6
"""What is less probable is not shown unless somebody asks."""
_DIGITS: Final = 4
"""Of a probability, so that the last bits of a sum do not show."""
_JUDGED: Final = 40
"""Candidates that are judged: those whose translations are most like those of the phrase."""


@dataclass(frozen=True, slots=True)
class EquivalentFilter:
    min_count: int = 2
    """How often each of the two phrases stands with the phrase that they share."""
    min_pivot: float = 0.0005
    """Minimum pivot probability."""
    min_languages: int = 1
    """Through how many languages at least."""
    same_context: int = 0
    """In how many contexts both stand in the corpus."""
    left_out: LeftOut = "nothing"
    """Phrases of nothing but such words, and what differs from the phrase by nothing else."""
    min_probability: float = LEAST_PROBABILITY
    """How probable it is at least that it is an equivalent."""
    with_forms: bool = False
    """Whether also other forms of the same words, and what has all words of the phrase, or only such; and of what is
    more probable."""
    with_rejected: bool = False
    """Whether also what a person has rejected, which is then said of it."""
    judgement: Judgement = "listed"
    """What is to be probable: that it can be put in the place of the phrase, or that it is to be listed."""


DEFAULT_FILTER: Final = EquivalentFilter()


@dataclass(frozen=True, slots=True)
class Pivot:
    """A phrase of another language that two phrases are aligned with."""

    language: str
    text: str
    count: int
    """How often the phrase that was asked about stands with it."""
    other_count: int
    """How often the equivalent does."""
    probability: float
    """What it adds to the pivot probability in its language: p(pivot | phrase) p(equivalent | pivot)."""
    example: str
    """The shortest sentence in which the phrase stands with it."""
    other_example: str
    """The same of the equivalent."""
    example_translation: str = ""
    """The other sentence of that pair, which has the pivot."""
    other_example_translation: str = ""


@dataclass(frozen=True, slots=True)
class FoundEquivalent:
    """A phrase, and what speaks for its being equivalent."""

    text: str
    probability: float
    """How probable it is that it is one: see equivalence.py."""
    pivot: float
    """p(equivalent | phrase), summed over the phrases of each language, and the mean over the languages that have the
    phrase."""
    count: int
    """How often the rarer of the two stands with a phrase that they share: the most of all."""
    languages: tuple[str, ...]
    """Through which languages, ascending."""
    contexts: int | None
    """In how many contexts both stand, 0 for fewer than two; None where the language has no index of commutations."""
    pivots: tuple[Pivot, ...]
    """What they share, by what it adds: the first few."""
    is_rejected: bool = False
    """Whether a person said that it is none."""


@dataclass(frozen=True, slots=True)
class FoundEquivalents:
    text: str
    language: str
    through: tuple[str, ...]
    """The languages that have the phrase, of those that were asked for."""
    total: int
    """How many pass the filter, with or without what was rejected, as was wanted."""
    below: int
    """How many would pass it if they were more probable."""
    rejected: int
    """How many of what passes the filter a person has rejected; they are members only where these were wanted."""
    members: tuple[FoundEquivalent, ...]
    """The most probable first, then by text."""
    nearest: tuple[tuple[str, float], ...] = ()
    """The first few of what would pass it if it were more probable, and how probable each is."""
    places: tuple[int, ...] = ()
    """How often the phrase is aligned in each of the languages that have it."""
    standing: tuple[PhraseStanding, ...] = ()
    """Of a phrase of several words, where it stands in the pairs of each language in which it does, and how often it is
    aligned as a whole there: what the figures of the members are of."""


@dataclass(slots=True)
class _Sum:
    pivot: float = 0.0
    likeness: float = 0.0
    """Sum over the languages of p(equivalent | phrase) and p(phrase | equivalent), the geometric mean of both."""
    count: int = 0
    languages: tuple[str, ...] = ()
    shares: tuple[float, ...] = ()


class _Judged(NamedTuple):
    key: str
    number: int
    figures: _Sum
    probability: float


_FOUND = """
select found.phrase, found.pivot, found.count, theirs.paired from (
    select other.{own} as phrase, max(min(mine.count, other.count)) as count,
           sum(1.0 * mine.count * other.count / (:paired * pivot.paired)) as pivot
    from phrase_pair mine
    cross join phrase_count pivot on pivot.model = :model and pivot.phrase = mine.{other}
    cross join phrase_pair other indexed by phrase_pair_{other} on other.model = :model and other.{other} = mine.{other}
        and other.count >= :least and other.{own} <> :phrase
    where mine.model = :model and mine.{own} = :phrase and mine.count >= :least
    group by other.{own}
) found
cross join phrase_count theirs on theirs.model = :model and theirs.phrase = found.phrase
"""


def equivalents_of(
    store: Store,
    language: str,
    text: str,
    through: Sequence[str] | None = None,
    kept: EquivalentFilter = DEFAULT_FILTER,
    limit: int = 0,
) -> FoundEquivalents:
    """The equivalents of a phrase through the languages that it is aligned with, or these; ``limit`` 0 is all.

    Raises InputError where the language is not aligned with these, or has no contexts to be filtered by; UsageError
    for no text.
    """
    models = models_of(store, language, through)
    key = _key(store, language, text, models)
    if kept.same_context and language not in prepared_languages(store):
        check_languages(store, [language])
        raise InputError(f"{language} has no index of contexts; `corpusdb generate --lang {language}` makes it")
    found = _equivalents(store, language, key, models, kept, limit)
    return replace(found, standing=_standing(store, language, key, models))


def _equivalents(
    store: Store, language: str, key: str, models: Sequence[StoredModel], kept: EquivalentFilter, limit: int
) -> FoundEquivalents:
    """The equivalents of a phrase, given as it is stored, without where it stands."""
    sums, having = _sums(store, language, key, models, kept.min_count)
    candidates = _candidates(store, language, key, sums, len(having), kept)
    contexts = _contexts(store, language, key, (each.key for each, _ in candidates)) if kept.same_context else None
    if contexts is not None:
        candidates = [each for each in candidates if contexts.get(each[0].key, 0) >= kept.same_context]
    rejected = rejected_among(store, language, key, [each.key for each, _ in candidates])
    judged = _ranked(store, language, key, having, candidates, kept)
    probable, ranked = _passing(language, judged, kept)
    of_rejected = sum(each.key in rejected for each in ranked)
    if rejected and not kept.with_rejected:
        candidates = [each for each in candidates if each[0].key not in rejected]
        judged = _ranked(store, language, key, having, candidates, kept)
        probable, ranked = _passing(language, judged, kept)
    best = ranked[: limit or None]
    if contexts is None and language in prepared_languages(store):
        contexts = _contexts(store, language, key, (each.key for each in best))
    shared = [tuple(_pivots(store, language, having, each.number)) for each in best]
    members = [
        FoundEquivalent(
            _spelt(store, language, shown(each.key), (pivot.other_example for pivot in pivots)),
            each.probability,
            each.figures.pivot,
            each.figures.count,
            tuple(sorted(each.figures.languages)),
            None if contexts is None else contexts.get(each.key, 0),
            pivots,
            each.key in rejected,
        )
        for each, pivots in zip(best, shared, strict=True)
    ]
    asked = _spelt(store, language, shown(key), (pivot.example for pivots in shared for pivot in pivots))
    languages = tuple(model.other(language) for model, *_ in having)
    counts = len(ranked), len(candidates) - len(probable), of_rejected
    next_ones = judged[len(probable) :][:_NEAREST]
    nearest = tuple((_written(store, language, shown(each.key)), each.probability) for each in next_ones)
    places = tuple(each.paired for each in having)
    return FoundEquivalents(asked, language, languages, *counts, tuple(members), nearest, places)


def _standing(store: Store, language: str, key: str, models: Sequence[StoredModel]) -> tuple[PhraseStanding, ...]:
    """Where a phrase of several words stands in the pairs of some models; nothing of a word."""
    if " " not in key:
        return ()
    searcher = Searcher(store)
    found = []
    for model in models:
        known = occurrences(store, model, language, key)
        found.append(standing_of(store, searcher, model, language, key, known.paired if known else 0))
    return tuple(each for each in found if each.pairs)


@dataclass(frozen=True, slots=True)
class RankedEquivalent:
    """An equivalent by its figures alone: see FoundEquivalent."""

    key: str
    """As it is stored."""
    probability: float
    """0 of what is not among the likeliest."""
    pivot: float
    count: int
    languages: tuple[str, ...]
    shares: tuple[float, ...]
    """The pivot probability through each of these."""


def ranked_equivalents(
    store: Store, language: str, key: str, models: Sequence[StoredModel], kept: EquivalentFilter
) -> list[RankedEquivalent]:
    """The equivalents of a phrase, given as it is stored, by these models, those of the highest pivot first.

    For many phrases one after the other: without what they share. Contexts are not looked at, nor how probable it is.
    """
    sums, having = _sums(store, language, key, models, kept.min_count)
    if not sums:
        return []
    found = _candidates(store, language, key, sums, len(having), kept)
    known = _probabilities(store, language, key, having, _likeliest(found), "substituted")
    return [
        RankedEquivalent(each.key, known.get(each, 0.0), own.pivot, own.count, own.languages, own.shares)
        for each, own in found
    ]


def _key(store: Store, language: str, text: str, models: Sequence[StoredModel]) -> str:
    """A phrase as the first of the models stores it that knows it. Models that cut a language otherwise do not."""
    keys = [key_in(store, model, language, text) for model in models]
    known = (key for model, key in zip(models, keys, strict=True) if occurrences(store, model, language, key))
    return next(known, keys[0])


def _sums(
    store: Store, language: str, key: str, models: Sequence[StoredModel], least: int
) -> tuple[dict[int, _Sum], list[Having]]:
    """What each phrase that shares a phrase of another language comes to, and the models that it comes from."""
    sums: defaultdict[int, _Sum] = defaultdict(_Sum)
    having = []
    for model in models:
        found = occurrences(store, model, language, key)
        if found is None or not found.paired:
            continue
        having.append(Having(model, found.phrase, found.paired))
        bound = {"model": model.id, "phrase": found.phrase, "paired": found.paired, "least": least}
        for phrase, pivot, count, paired in store.connection.execute(_FOUND.format(**_sides(model, language)), bound):
            each = sums[phrase]
            each.pivot += pivot
            each.likeness += pivot * sqrt(found.paired / paired)
            each.count = max(each.count, count)
            each.languages += (model.other(language),)
            each.shares += (pivot,)
    return sums, having


def _sides(model: StoredModel, language: str) -> dict[str, str]:
    if language == model.source:
        return {"own": "source", "other": "target", "sentence": "sentence", "translation": "translation"}
    return {"own": "target", "other": "source", "sentence": "translation", "translation": "sentence"}


_TEXTS = "select phrase.id, phrase.text from json_each(?) wanted cross join phrase on phrase.id = wanted.value"


_Found: TypeAlias = tuple[Candidate, _Sum]


def _candidates(
    store: Store, language: str, key: str, sums: dict[int, _Sum], languages: int, kept: EquivalentFilter
) -> list[_Found]:
    """What passes all filters but those of contexts and of probability, the highest pivot first."""
    for each in sums.values():
        each.pivot /= languages
    left = [
        phrase
        for phrase, each in sums.items()
        if each.pivot >= kept.min_pivot and len(each.languages) >= kept.min_languages
    ]
    texts = store.connection.execute(_TEXTS, (json.dumps(left),)).fetchall()
    closed = closed_words(language, kept.left_out)
    own = _open(key, closed)
    found = [
        (Candidate(text, phrase), sums[phrase])
        for phrase, text in texts
        if (not closed or ((words := _open(text, closed)) and words != own))
        and (kept.with_forms or not _is_form(language, key, text))
    ]
    return sorted(found, key=lambda each: (-each[1].pivot, each[0].key))


def _is_form(language: str, key: str, other: str) -> bool:
    """Whether two phrases are forms of the same words, or one has all the words of the other."""
    first, second = key.split(" "), other.split(" ")
    closed = closed_words(language, "closed")
    if closed.issuperset(first) and closed.issuperset(second):
        closed = frozenset()  # two of these are no forms of each other for that alone
    has_all = {*first} <= {*second} or {*second} <= {*first}
    return has_all or are_forms_of_one(language, first, second, closed)


def _ranked(
    store: Store, language: str, key: str, having: Sequence[Having], found: Sequence[_Found], kept: EquivalentFilter
) -> list[_Judged]:
    """What was judged, the most probable first."""
    chosen = _likeliest(found) if kept.min_probability else found
    judged = _probabilities(store, language, key, having, chosen, kept.judgement)
    figures = dict(found)
    left = [_Judged(*each, figures[each], probability) for each, probability in judged.items()]
    return sorted(left, key=lambda each: (-each.probability, -each.figures.pivot, each.key))


def _passing(language: str, judged: Sequence[_Judged], kept: EquivalentFilter) -> tuple[list[_Judged], list[_Judged]]:
    """What is probable enough, and of that what is shown."""
    probable = [each for each in judged if each.probability >= kept.min_probability]
    has_forms = kept.with_forms or kept.judgement == "substituted"
    return probable, probable if has_forms else _different(language, probable)


def _different(language: str, found: Iterable[_Judged]) -> list[_Judged]:
    """Without other forms of what is more probable: lent and lending behind lend."""
    left: list[_Judged] = []
    for each in found:
        if not any(_is_form(language, better.key, each.key) for better in left):
            left.append(each)
    return left


def _likeliest(found: Sequence[_Found]) -> list[_Found]:
    return sorted(found, key=lambda each: (-each[1].likeness, each[0].key))[:_JUDGED]


def _probabilities(
    store: Store,
    language: str,
    key: str,
    having: Sequence[Having],
    found: Sequence[_Found],
    judgement: Judgement,
) -> dict[Candidate, float]:
    if not found:
        return {}
    candidates = [each for each, _ in found]
    judged = equivalence_judge(store, language).probabilities(key, having, candidates, judgement)
    return dict(zip(candidates, np.round(judged, _DIGITS).tolist(), strict=True))


def _open(key: str, closed: frozenset[str]) -> list[str]:
    return [word for word in key.split(" ") if word not in closed]


_PAIRS = """
select best.text, best.mine_count, best.other_count, best.share, own.text, theirs.text,
       own_translation.text, their_translation.text
from (
    select phrase.text, mine.{other} as pivot, mine.count as mine_count, other.count as other_count,
           1.0 * mine.count * other.count / (:paired * pivot.paired) as share
    from phrase_pair other
    cross join phrase_pair mine on mine.model = :model and mine.{own} = :phrase and mine.{other} = other.{other}
    cross join phrase_count pivot on pivot.model = :model and pivot.phrase = mine.{other}
    cross join phrase on phrase.id = mine.{other}
    where other.model = :model and other.{own} = :equivalent
    order by share desc, phrase.text limit :shown) best
cross join phrase_pair mine on mine.model = :model and mine.{own} = :phrase and mine.{other} = best.pivot
cross join phrase_pair other on other.model = :model and other.{own} = :equivalent and other.{other} = best.pivot
cross join sentence own on own.id = mine.{sentence}
cross join sentence theirs on theirs.id = other.{sentence}
cross join sentence own_translation on own_translation.id = mine.{translation}
cross join sentence their_translation on their_translation.id = other.{translation}
order by best.share desc, best.text
"""


def _pivots(
    store: Store, language: str, having: Iterable[Having], equivalent: int, limit: int = _PIVOTS_SHOWN
) -> list[Pivot]:
    """The phrases of other languages that two phrases share, those that add most first; ``limit`` 0 is all."""
    found = []
    for model, phrase, paired in having:
        bound = {"model": model.id, "phrase": phrase, "paired": paired}
        bound |= {"equivalent": equivalent, "shown": limit or -1}
        for text, *figures in store.connection.execute(_PAIRS.format(**_sides(model, language)), bound):
            other = model.other(language)
            found.append(Pivot(other, _spelt(store, other, shown(text), figures[-2:]), *figures))
    found.sort(key=lambda pivot: (-pivot.probability, pivot.language, pivot.text))
    return found[: limit or None]


def pivots_of(store: Store, language: str, text: str, equivalent: str) -> list[Pivot]:
    """All phrases of other languages that two phrases share, however rarely.

    Raises InputError where the language is aligned with nothing, and UsageError for no text.
    """
    models = models_of(store, language)
    having, numbers = [], []
    for model in models:
        own = occurrences(store, model, language, key_in(store, model, language, text))
        other = occurrences(store, model, language, key_in(store, model, language, equivalent))
        if own is not None and own.paired:
            having.append(Having(model, own.phrase, own.paired))
        if other is not None:
            numbers.append(other.phrase)
    return _pivots(store, language, having, numbers[0], 0) if numbers else []


def _contexts(store: Store, language: str, key: str, found: Iterable[str]) -> dict[str, int]:
    """In how many contexts a phrase stands with each of what was found, by the texts that are stored."""
    written = {text: shown(text) for text in found}
    counts = shared_context_counts(store, language, shown(key), list(dict.fromkeys(written.values())))
    return {text: counts.get(phrase, 0) for text, phrase in written.items()}


# One phrase of a sentence replaced by an equivalent of good figures (Owczarzak et al. 2006, section 3.5).


_MOST_OF_A_PHRASE: Final = 5
_SUBSTITUTED: Final = EquivalentFilter(min_probability=0.7, judgement="substituted")


@dataclass(frozen=True, slots=True)
class SeedSubstitution:
    """A sentence with one phrase replaced."""

    text: str
    begin: int
    """Where the new phrase begins in the text, in code points."""
    stop: int
    left: int
    """Where the token before it begins, or 0."""
    right: int
    """Where the token after it ends, or the length of the text."""
    before: str
    """The phrase that it stands for."""
    equivalent: FoundEquivalent


def seed_substitutions(
    store: Store, language: str, sentence: str, known: MutableMapping[str, tuple[FoundEquivalent, ...]] | None = None
) -> Iterator[SeedSubstitution]:
    """The sentence with each of its phrases replaced by each of its best equivalents, in the order of the places.

    Names, and other words that begin with a capital inside of the sentence, are left as they are. None where the
    language is not aligned, or by an analyser that is not installed. ``known`` keeps the equivalents of each phrase for
    other sentences, most of whose words are the same; who gives it forgets it where alignment or rejections change.
    """
    known = {} if known is None else known
    models = ready_models(store, language)
    if not models:
        return
    way = models[0].way_of(language)
    if not can_cut(way):
        return
    spans = spans_of(way)(sentence)
    tokens = [sentence[begin:stop] for begin, stop in spans]
    for first, last in _phrases(tokens):
        begin, stop = spans[first][0], spans[last][1]
        before = sentence[begin:stop]
        if before not in known:
            key = _key(store, language, before, models)
            known[before] = _equivalents(store, language, key, models, _SUBSTITUTED, _MOST_OF_A_PHRASE).members
        for each in known[before]:
            written = _written(store, language, each.text)
            if first == 0 and before[:1].isupper():
                written = written[:1].upper() + written[1:]
            text = sentence[:begin] + written + sentence[stop:]
            if phrase_key(text, way) != phrase_key(sentence, way):
                left = spans[first - 1][0] if first else 0
                longer = len(text) - len(sentence)
                right = (spans[last + 1][1] if last + 1 < len(spans) else len(sentence)) + longer
                yield SeedSubstitution(text, begin, begin + len(written), left, right, before, each)


def _phrases(tokens: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The first and the last token of each phrase of words that cuts no clitic from its host."""
    for first in range(len(tokens)):
        if first and not may_part(tokens[first - 1], tokens[first]):
            continue
        for last in range(first, min(first + LONGEST_PHRASE, len(tokens))):
            if not has_letter(tokens[last]) or (last > 0 and tokens[last][:1].isupper()):
                break
            if last + 1 == len(tokens) or may_part(tokens[last], tokens[last + 1]):
                yield first, last


def _spelt(store: Store, language: str, text: str, sentences: Iterable[str]) -> str:
    """A phrase, which is stored in lower case, as sentences have it most often where it does not begin them."""
    phrase = re.compile(rf"(?<!\w){re.escape(text)}(?!\w)", re.IGNORECASE)
    inside = (match for each in sentences for match in phrase.finditer(each) if has_letter(each[: match.start()]))
    spellings = Counter(match[0] for match in inside).most_common(1)
    return spellings[0][0] if spellings else _written(store, language, text)


_TYPE = "select exists (select 1 from type where language = ? and text = ?)"


def _written(store: Store, language: str, text: str) -> str:
    """A phrase, which is stored in lower case, with a capital where the corpus has a word in no other way."""
    for begin, end in reversed(token_spans(text)):
        token, capital = text[begin:end], text[begin : begin + 1].upper() + text[begin + 1 : end]
        (has_lower,), (has_capital,) = (
            store.connection.execute(_TYPE, (language, form)).fetchone() for form in (token, capital)
        )
        if has_capital and not has_lower:
            text = text[:begin] + capital + text[end:]
    return text
