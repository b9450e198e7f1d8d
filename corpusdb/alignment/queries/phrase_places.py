"""How a word or phrase is translated, and the pairs of sentences that show it."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, islice
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from corpusdb.alignment.bitext import WordedTexts
from corpusdb.alignment.links import Links, has_letter, may_begin, may_part, phrase_spans
from corpusdb.alignment.phrase_extraction import PhraseAlignment, phrase_alignments
from corpusdb.alignment.queries.pairs import (
    UNITS,
    LinkedPair,
    SentencePair,
    Span,
    StoredModel,
    decoded_pair,
    linked_pair,
)
from corpusdb.alignment.queries.phrases import (
    LONGEST_PHRASE,
    Occurrences,
    key_in,
    models_of,
    occurrences,
    phrase_key,
    sentences_with,
    shown,
    with_other_apostrophes,
)
from corpusdb.base.arrays import I64
from corpusdb.base.text import normalise
from corpusdb.corpus.queries.attributes import documents_where
from corpusdb.corpus.queries.sentences import CorpusPart, part_of, spotted_places
from corpusdb.corpus.store import Store
from corpusdb.search.queries.search import Hits, Searcher
from corpusdb.search.token_corpus import TokenCorpus

_SENTENCES_AT_ONCE: Final = 400


@dataclass(frozen=True, slots=True)
class AlignedPhrase:
    """A phrase of a language with what it is aligned with in another."""

    language: str
    text: str
    other: str
    translation: str | None
    """The phrase there; None: places where a word is aligned with nothing."""
    is_counted: bool = False
    """As phrase pairs are counted when they are aligned, by which equivalents are known; else as ``translations_of``
    has them."""
    where: tuple[str, ...] = ()
    """Only pairs of sentences that stand together where these conditions on attributes hold, such as speaker=Ann."""
    occurrences: bool = False
    """Whether a pair counts as often as it stands in the corpus, and not once."""


@dataclass(frozen=True, slots=True)
class PhrasePlaces:
    """Pairs of sentences, the language that was asked about first, in which all such places are marked."""

    pairs: tuple[LinkedPair, ...]
    """The shortest first."""
    is_all: bool
    """Whether these are all there are; otherwise they are the shortest among the first ones of the corpus."""

    @property
    def places(self) -> int:
        """How many places are marked: of all pairs, the count of the phrase pair."""
        return sum(len(pair.marks) for pair in self.pairs)


@dataclass(frozen=True, slots=True)
class PhraseStanding:
    """Where a phrase stands in the aligned pairs of sentences of two languages, whatever it is aligned with."""

    other: str
    pairs: int
    """In how many pairs."""
    places: int
    """How often: a pair may have it twice, and a sentence several translations."""
    aligned: int
    """At how many of these places it is aligned as a whole."""

    @property
    def share(self) -> float:
        """How much of it is aligned as a whole, 0 to 1; 0 where it stands nowhere."""
        return self.aligned / self.places if self.places else 0.0


class _Phrases(NamedTuple):
    own: Sequence[str]
    other: Sequence[str] | None


class _Sought(NamedTuple):
    """What is looked for on the side that was asked about."""

    sentences: I64
    """Those that hold it."""
    places: Callable[[LinkedPair], Iterable[range]]
    """Its tokens in a pair that begins with one of these."""


class _Batch(NamedTuple):
    pairs: list[LinkedPair]
    times: list[int]
    """How often each of them counts."""


class _Found(NamedTuple):
    pairs: list[LinkedPair]
    alignments: list[PhraseAlignment]
    times: list[int]
    """How often each alignment counts."""


_Place: TypeAlias = tuple[range, range | None]
"""The tokens of a phrase, and those that it is aligned with."""


def phrase_places(
    searcher: Searcher, asked: AlignedPhrase, limit: int = 0, *, hits: Hits | None = None
) -> PhrasePlaces:
    """The pairs of sentences in which the phrases are a phrase pair, at most ``limit``; 0 is all.

    ``hits``: what is looked for in place of the phrase that was asked about. Raises InputError where the two languages
    are not aligned, UsageError for no text and for what is no condition, and DatabaseDamaged where links are not those
    of their sentences.
    """
    store = searcher.store
    (model,) = models_of(store, asked.language, (asked.other,))
    own = [] if hits is not None else _standing_key(store, searcher, model, asked.language, asked.text).split(" ")
    other = None if asked.translation is None else key_in(store, model, asked.other, asked.translation).split(" ")
    phrases = _Phrases(own, other)
    found: list[LinkedPair] = []
    if hits is not None or (not asked.is_counted and (asked.where or len(own) > 1 or len(other or ()) > 1)):
        wanted = None if asked.translation is None else normalise(asked.translation).lower()
        among = other if len(own) == 1 else None  # a translation of several words hangs on all places of them
        sought = _phrase(searcher, asked, own) if hits is None else _matched(hits)
        pairs, alignments, _ = _alignments(searcher, model, asked, sought, among)
        if wanted is not None and all(each.text != wanted for each in alignments):
            wanted = with_other_apostrophes(wanted)
        for number, each in groupby(alignments, key=lambda each: each.pair):
            places = [place for place in each if (place.is_unlinked if wanted is None else place.text == wanted)]
            if places:
                found.append(_shown(pairs[number], places))
        found.sort(key=lambda pair: len(pair.spans) + len(pair.translation_spans))
        return PhrasePlaces(tuple(found[: limit or None]), not limit or len(found) <= limit)
    with store.snapshot():
        driving = _holding(searcher.tokens(asked.language), own)
        for batch in _batches(searcher, model, asked, driving, other):
            found += _marked(batch.pairs, phrases)
            if limit and len(found) > limit:
                break
    is_all = not limit or len(found) <= limit
    found.sort(key=lambda pair: len(pair.spans) + len(pair.translation_spans))
    return PhrasePlaces(tuple(found[: limit or None]), is_all)


def _phrase(searcher: Searcher, asked: AlignedPhrase, phrase: Sequence[str]) -> _Sought:
    def places(pair: LinkedPair) -> Iterator[range]:
        text = _words(pair.text, pair.spans)
        for begin in range(len(text)):
            if (place := _place(text, begin, phrase)) is not None:
                yield place

    return _Sought(_holding(searcher.tokens(asked.language), phrase), places)


def _matched(hits: Hits) -> _Sought:
    """Whatever a search matched: the tokens of a pair that are in it, or partly."""
    spans = {hits.text(at): hits.spans(at) for at in range(len(hits))}

    def places(pair: LinkedPair) -> Iterator[range]:
        for begin, end in spans[pair.text]:
            inside = [at for at, span in enumerate(pair.spans) if span[0] < end and span[1] > begin]
            if inside:
                yield range(inside[0], inside[-1] + 1)

    return _Sought(hits.sentences, places)


def _alignments(
    searcher: Searcher,
    model: StoredModel,
    asked: AlignedPhrase,
    sought: _Sought,
    other: Sequence[str] | None = None,
    *,
    batches: int | None = None,
) -> _Found:
    """The pairs that hold what is sought, and a phrase in the other language if it is given; and what the first is
    translated by at each of its places there, in their order. Of so many batches, or of all."""
    with searcher.store.snapshot():
        read = list(islice(_batches(searcher, model, asked, sought.sentences, other), batches))
    pairs, times = (list(chain.from_iterable(each)) for each in zip(*read, strict=True)) if read else ([], [])
    places = [(number, place) for number, pair in enumerate(pairs) for place in sought.places(pair)]
    alignments = phrase_alignments(pairs, places, widens=any(len(place) > 1 for _, place in places))
    return _Found(pairs, alignments, [times[each.pair] for each in alignments])


def _shown(pair: LinkedPair, places: Sequence[PhraseAlignment]) -> LinkedPair:
    """The pair with some places of a phrase marked, and their translations."""
    others = (_span(pair.translation_spans, each.other) for each in places if each.other is not None)
    marks = tuple(_span(pair.spans, each.own) for each in places)
    return replace(pair, marks=marks, translation_marks=tuple(dict.fromkeys(others)))


_LINKED = """
select distinct alignment.sentence, alignment.translation, one.text, two.text, links, tokens_digest
from json_each(:sentences) wanted
cross join translation there on there.sentence = wanted.value
cross join alignment on alignment.model = :model
    and alignment.{driving} = wanted.value and alignment.{driven} = there.translation
cross join sentence one on one.id = alignment.sentence
cross join sentence two on two.id = alignment.translation
order by 1, 2
"""
_COLUMNS: Final = ("sentence", "translation")


def linked_rows(store: Store, model: StoredModel, language: str, sentences: I64) -> list[tuple[Any, ...]]:
    """The aligned pairs that have some sentences of a language: their ids, their texts, and what ``decoded_pair`` takes
    besides."""
    columns = _COLUMNS if language == model.source else _COLUMNS[::-1]
    statement = _LINKED.format(driving=columns[0], driven=columns[1])
    return store.connection.execute(
        statement, {"sentences": json.dumps(sentences.tolist()), "model": model.id}
    ).fetchall()


def _batches(
    searcher: Searcher, model: StoredModel, asked: AlignedPhrase, driving: I64, other: Sequence[str] | None
) -> Iterator[_Batch]:
    """The aligned pairs of these sentences whose other side holds a phrase, if one is given, linked or not.

    What fewer sentences hold leads: of a frequent word only the sentences with a rare translation are looked at.
    """
    store, language, held = searcher.store, asked.language, None
    if other is not None:
        held = _holding(searcher.tokens(asked.other), other)
        if len(held) < len(driving):
            driving, language, held = held, asked.other, driving
    among = None if held is None else frozenset(held.tolist())
    part = part_where(store, asked.where)
    for first in range(0, len(driving), _SENTENCES_AT_ONCE):
        rows = linked_rows(store, model, language, driving[first : first + _SENTENCES_AT_ONCE])
        counts = times_together(store, rows, part) if asked.occurrences or part is not None else [1] * len(rows)
        batch = _Batch([], [])
        for (sentence, translation, *stored), count in zip(rows, counts, strict=True):
            if count and (among is None or (translation if language == model.source else sentence) in among):
                pair = decoded_pair(model, SentencePair(sentence, translation), *stored)
                batch.pairs.append(pair if asked.language == model.source else pair.turned())
                batch.times.append(count if asked.occurrences else 1)
        yield batch


def part_where(store: Store, conditions: Sequence[str]) -> CorpusPart | None:
    """The part of the corpus where some conditions on attributes hold; None without any."""
    document = documents_where(None, conditions)
    return None if document is None else part_of(store, None, document)


def times_together(store: Store, rows: Sequence[Any], part: CorpusPart | None) -> list[int]:
    """At how many places of a part, or of the corpus, the sentence and the translation stand that each row begins
    with."""
    standing: defaultdict[int, set[tuple[int, int]]] = defaultdict(set)
    for sentence, place, _ in spotted_places(store, {number for row in rows for number in row[:2]}, part):
        standing[sentence].add(place)
    return [len(standing[row[0]] & standing[row[1]]) for row in rows]


_PAIRS_WITH: Final = """
select wanted.value, count(distinct there.translation) from json_each(:sentences) wanted
cross join translation there on there.sentence = wanted.value
cross join alignment on alignment.model = :model
    and alignment.{driving} = wanted.value and alignment.{driven} = there.translation
group by wanted.value
"""


def standing_of(
    store: Store, searcher: Searcher, model: StoredModel, language: str, key: str, aligned: int
) -> PhraseStanding:
    """Where a phrase, given as a model stores it, stands in the pairs that the model aligned, by the units of search.

    ``aligned``: at how many places it is aligned as a whole.
    """
    sentences, counts = np.unique(_places_of(searcher.tokens(language), key.split(" ")), return_counts=True)
    columns = _COLUMNS if language == model.source else _COLUMNS[::-1]
    statement = _PAIRS_WITH.format(driving=columns[0], driven=columns[1])
    bound = {"sentences": json.dumps(sentences.tolist()), "model": model.id}
    pairs = dict(store.connection.execute(statement, bound).fetchall())
    each = np.array([pairs.get(sentence, 0) for sentence in sentences.tolist()], dtype=np.int64)
    return PhraseStanding(model.other(language), int(each.sum()), int((each * counts).sum()), aligned)


def _standing_key(store: Store, searcher: Searcher, model: StoredModel, language: str, text: str) -> str:
    """A phrase as a model stores it; of one that is too long to be stored with the apostrophes that sentences have."""
    key = key_in(store, model, language, text)
    other = with_other_apostrophes(key)
    has_other = other != key and not len(_holding(searcher.tokens(language), key.split(" ")))
    return other if has_other and len(_holding(searcher.tokens(language), other.split(" "))) else key


def _holding(tokens: TokenCorpus, phrase: Sequence[str]) -> I64:
    """The sentences that hold a phrase as a model stores it, ignoring case, ascending: by the units of the token
    index."""
    return np.unique(_places_of(tokens, phrase_key(shown(" ".join(phrase))).split(" ")))


def _places_of(tokens: TokenCorpus, phrase: Sequence[str]) -> I64:
    """The sentence of each place at which some tokens in lower case stand, ignoring case."""
    known: dict[str, list[int]] = {word: [] for word in phrase}
    for number, text in enumerate(tokens.types):
        if (lower := text.lower()) in known:
            known[lower].append(number)
    begins = np.arange(max(0, len(tokens.tokens) - len(phrase) + 1))
    for step, word in enumerate(phrase):
        begins = begins[np.isin(tokens.tokens[begins + step], known[word])]
    at = tokens.sentence_at(begins)
    is_whole = tokens.sentence_at(begins + len(phrase) - 1) == at
    return np.asarray(tokens.sentences[at[is_whole]])


def _marked(pairs: Sequence[LinkedPair], phrases: _Phrases) -> Iterator[LinkedPair]:
    """Those of the pairs that have such places, with these marked."""
    own = [_words(pair.text, pair.spans) for pair in pairs]
    other = [_words(pair.translation, pair.translation_spans) for pair in pairs]
    places = _unlinked(pairs, own, phrases.own) if phrases.other is None else _paired(pairs, own, other, phrases)
    for number, pair in enumerate(pairs):
        if found := places.get(number):
            marks = tuple(_span(pair.spans, place) for place, _ in found)
            other_marks = dict.fromkeys(_span(pair.translation_spans, place) for _, place in found if place is not None)
            yield replace(pair, marks=marks, translation_marks=tuple(other_marks))


def _words(text: str, spans: Sequence[Span]) -> list[str]:
    return [text[begin:end].lower() for begin, end in spans]


def _span(spans: Sequence[Span], place: range) -> Span:
    return spans[place[0]][0], spans[place[-1]][1]


def _unlinked(
    pairs: Sequence[LinkedPair], texts: Sequence[Sequence[str]], phrase: Sequence[str]
) -> dict[int, list[_Place]]:
    """Where a word has no link; there are such figures of words alone."""
    found: dict[int, list[_Place]] = {}
    for number, (pair, text) in enumerate(zip(pairs, texts, strict=True)):
        linked = {own for own, _ in pair.links}
        places = [at for at, word in enumerate(text) if [word] == list(phrase) and at not in linked]
        found[number] = [(range(at, at + 1), None) for at in places]
    return found


def _paired(
    pairs: Sequence[LinkedPair], own: Sequence[Sequence[str]], other: Sequence[Sequence[str]], phrases: _Phrases
) -> dict[int, list[_Place]]:
    """Where both are a phrase pair, as they were counted."""
    links = Links.of([pair.links for pair in pairs])
    spans = phrase_spans(links, WordedTexts.of(own), WordedTexts.of(other), LONGEST_PHRASE)
    has_length = (spans.source_lengths == len(phrases.own)) & (spans.target_lengths == len(phrases.other or ()))
    found: defaultdict[int, list[_Place]] = defaultdict(list)
    columns = (each[has_length].tolist() for each in (spans.pairs, spans.sources, spans.targets))
    for number, begin, other_begin in zip(*columns, strict=True):
        place = range(begin, begin + len(phrases.own))
        there = range(other_begin, other_begin + len(phrases.other or ()))
        is_there = [*map(own[number].__getitem__, place)], [*map(other[number].__getitem__, there)]
        if is_there == ([*phrases.own], [*(phrases.other or ())]):
            found[number].append((place, there))
    return found


def _place(text: Sequence[str], begin: int, phrase: Sequence[str]) -> range | None:
    """The tokens of a phrase that stands there, and cuts no clitic from its host; otherwise None."""
    end = begin + len(phrase)
    if list(text[begin:end]) != list(phrase):
        return None
    is_cut = (begin > 0 and not may_begin(text[begin])) or (end < len(text) and not may_part(text[end - 1], text[end]))
    return None if is_cut else range(begin, end)


@dataclass(frozen=True, slots=True)
class PhraseTranslation:
    """A phrase of the other language that a phrase is aligned with."""

    text: str
    """With the capitals that it most often has there, but for those of first words."""
    count: int
    share: float
    """Of all places where the phrase stands."""
    example: LinkedPair
    """The shortest pair of sentences in which both stand."""


@dataclass(frozen=True, slots=True)
class Translations:
    text: str
    language: str
    other: str
    occurrences: int
    """In pairs of sentences."""
    unlinked: int
    """How often it is aligned with nothing."""
    unpaired: int
    """How often it is a part of longer phrases only, or is no phrase."""
    total: int
    """How many different phrases it is aligned with."""
    members: tuple[PhraseTranslation, ...]
    """The most frequent first, then by text."""
    sentences: int = 0
    """Of several words: how many sentences of its language hold them, where that is in no aligned pair."""
    otherwise: int = 0
    """How often it stands there with the other apostrophe, ' or U+2019: another phrase, which nobody sees to be one."""
    asked: str = ""
    """The phrase as it was asked for, with its capitals and without spaces around a hyphen."""
    standing: PhraseStanding | None = None
    """Where it stands in the aligned pairs; None of a word of a language that is cut into morphemes."""


def first_translation(store: Store, model: StoredModel, language: str, text: str) -> str:
    """What a phrase of one of the languages of a model is most often aligned with; empty for nothing."""
    found = occurrences(store, model, language, key_in(store, model, language, text))
    if found is None:
        return ""
    statement = _PAIRED.format(**_sides(language == model.source))
    bound = {"model": model.id, "phrase": found.phrase, "limit": 1}
    row = store.connection.execute(statement, bound).fetchone()
    return "" if row is None else shown(row[0])


_NONE = Occurrences(0, 0, 0, 0)
_MOST_LOOKED_AT: Final = 5_000
"""Places of such a word, which take some seconds; of a more frequent one, such as n't, the counts are shown."""
_PAIRED = """
select phrase.text, pair.count, pair.sentence, pair.translation from phrase_pair pair
cross join phrase on phrase.id = pair.{other}
where pair.model = :model and pair.{own} = :phrase
order by pair.count desc, phrase.text limit :limit
"""


def translations_of(
    store: Store, language: str, text: str, other: str, limit: int = 0, *, min_count: int = 1
) -> Translations:
    """The phrases of another language that a phrase is aligned with, at most ``limit``; 0 is all.

    Of a word they are counted when it is aligned. Of several words, where translations have hyphens, and of a word that
    mostly stands in longer phrases, as until does whose translation is jusqu'à, they are found here, as
    ``phrase_alignments`` does.

    Raises InputError where the two languages are not aligned, UsageError for no text, and DatabaseDamaged where the
    links of an example are not those of its sentences. Where the analyser that found its tokens is not installed it
    raises UsageError, and InputError where another version is.
    """
    (model,) = models_of(store, language, (other,))
    searcher = Searcher(store)
    key = _standing_key(store, searcher, model, language, text)
    found = occurrences(store, model, language, key) or _NONE
    is_source = language == model.source
    statement = _PAIRED.format(**_sides(is_source))
    rows = store.connection.execute(statement, {"model": model.id, "phrase": found.phrase, "limit": -1}).fetchall()
    members = []
    for phrase, count, *pair in rows:
        example = linked_pair(store, model, SentencePair(*pair))
        example = example.marked(key, phrase) if is_source else example.marked(phrase, key).turned()
        members.append(PhraseTranslation(shown(phrase), count, count / found.total, example))
    # It does not hang on how much is shown whether the places are looked at: the counts would be others.
    is_seldom = found.paired < found.unpaired and found.total <= _MOST_LOOKED_AT
    is_whole = " " not in key and not is_seldom and not any(map(_cuts_word, members))
    members = [each for each in members if each.count >= min_count]
    counts = found.total, found.unlinked, found.unpaired, len(members)
    members = members[: limit or None]
    asked = AlignedPhrase(language, text, other, None)
    if not is_whole:
        sought = _phrase(searcher, asked, key.split(" "))
        counts, members = _counted(_alignments(searcher, model, asked, sought), limit, min_count)
    elif any(each.text.upper() != each.text for each in members):
        some = _alignments(searcher, model, asked, _phrase(searcher, asked, [key]), batches=1)
        spelt = _spellings(some)
        members = [replace(each, text=spelt.get(each.text, each.text)) for each in members]
    others = with_other_apostrophes(key)
    alike = None if others == key else occurrences(store, model, language, others)
    otherwise = alike.total if alike else 0
    standing = None
    if " " in key or model.way_of(language) == UNITS:
        standing = standing_of(store, searcher, model, language, key, counts[0] - counts[1] - counts[2])
    holding = sentences_with(searcher, language, text) if " " in key and not counts[0] else 0
    told = holding, otherwise, normalise(text), standing
    return Translations(shown(key), language, other, *counts, tuple(members), *told)


def translations_where(
    store: Store, asked: AlignedPhrase, limit: int = 0, *, min_count: int = 1, hits: Hits | None = None
) -> Translations:
    """As ``translations_of``, in the pairs of sentences that the conditions of ``asked`` leave, or by occurrences.

    Of ``hits`` the translations of all that they matched, which the text of ``asked`` names. Raises UsageError for what
    is no condition, too, and InputError where no document or line has the attribute.
    """
    if hits is None and not asked.where and not asked.occurrences:
        return translations_of(store, asked.language, asked.text, asked.other, limit, min_count=min_count)
    (model,) = models_of(store, asked.language, (asked.other,))
    searcher = Searcher(store)
    key = normalise(asked.text)
    if hits is None:
        key = _standing_key(store, searcher, model, asked.language, asked.text)
    sought = _phrase(searcher, asked, key.split(" ")) if hits is None else _matched(hits)
    found = _alignments(searcher, model, asked, sought)
    counts, members = _counted(found, limit, min_count)
    places, unlinked, unpaired, _ = counts
    pairs = sum({each.pair: count for each, count in zip(found.alignments, found.times, strict=True)}.values())
    standing = PhraseStanding(asked.other, pairs, places, places - unlinked - unpaired)
    told = 0, 0, normalise(asked.text), standing
    text = shown(key) if hits is None else key
    return Translations(text, asked.language, asked.other, *counts, tuple(members), *told)


def _counted(found: _Found, limit: int, min_count: int) -> tuple[tuple[int, int, int, int], list[PhraseTranslation]]:
    """The counts of ``Translations``, occurrences to total, and its members."""
    every = [each for each in _members(found) if each.count >= min_count]
    counted = list(zip(found.alignments, found.times, strict=True))
    unlinked = sum(count for each, count in counted if each.is_unlinked)
    unpaired = sum(count for each, count in counted if each.other is None) - unlinked
    return (sum(found.times), unlinked, unpaired, len(every)), every[: limit or None]


def _cuts_word(member: PhraseTranslation) -> bool:
    """Whether in its example the translation of a word is only a part of one with a hyphen."""
    places = [(0, range(at, at + 1)) for at, span in enumerate(member.example.spans) if span in member.example.marks]
    found = phrase_alignments([member.example], places, widens=False)
    return any("-" in each.text and each.text != member.text for each in found)


def _members(found: _Found) -> list[PhraseTranslation]:
    """The translations of a phrase, each with the shortest of its pairs."""
    pairs, total, spelt = found.pairs, sum(found.times), _spellings(found)
    of_texts: defaultdict[str, list[PhraseAlignment]] = defaultdict(list)
    counts: Counter[str] = Counter()
    for each, count in zip(found.alignments, found.times, strict=True):
        if each.other is not None:
            of_texts[each.text].append(each)
            counts[each.text] += count
    members = []
    for text, places in of_texts.items():
        shortest = min(places, key=lambda each: len(pairs[each.pair].spans) + len(pairs[each.pair].translation_spans))
        example = _shown(pairs[shortest.pair], [shortest])
        members.append(PhraseTranslation(spelt[text], counts[text], counts[text] / total, example))
    return sorted(members, key=lambda each: (-each.count, each.text))


def _spellings(found: _Found) -> dict[str, str]:
    """Of each translation how it is most often written, where it does not begin its sentence if there is such a place:
    das Haus, and Vielleicht only where it begins one."""
    written: defaultdict[str, Counter[tuple[bool, str]]] = defaultdict(Counter)
    for each, count in zip(found.alignments, found.times, strict=True):
        if each.other is not None:
            pair = found.pairs[each.pair]
            begin, end = _span(pair.translation_spans, each.other)
            text = " ".join(pair.translation[begin:end].split())
            written[each.text][has_letter(pair.translation[:begin]), text] += count
    chosen = ((text, max(spelt, key=lambda each: (each[0], spelt[each], each[1]))) for text, spelt in written.items())
    return {text: spelt for text, (_, spelt) in chosen}


def _sides(is_source: bool) -> dict[str, str]:
    return {"own": "source", "other": "target"} if is_source else {"own": "target", "other": "source"}
