"""Concordances: every match of a search with what stands before and after it (key word in context), and beside it.

A frequent pattern has a million lines; making, sorting and grouping them are jobs too, to be done step by step.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby, islice, zip_longest
from operator import itemgetter
from typing import Final

import numpy as np

from corpusdb.base.errors import InputError
from corpusdb.base.jobs import Job, Progress, finished
from corpusdb.base.text import has_undelimited_script, is_word
from corpusdb.corpus.queries.attributes import attribute_names
from corpusdb.corpus.queries.sentences import CorpusPart, SentencePlace, Translation, spotted_places
from corpusdb.corpus.store import Store
from corpusdb.search.matches import Span
from corpusdb.search.queries.distribution import (
    NO_TRANSLATION,
    GroupKey,
    LineKeys,
    LinePlace,
    categories_of,
    neighbours,
    occurrences_of,
    part_within,
    spots_of,
    translations_beside,
    translations_in,
)
from corpusdb.search.queries.line_words import LineMatch, Spot, TokenValues, cut_context, key_spans
from corpusdb.search.queries.request import NO_CATEGORY, Arrangement, ContextWidth, line_keys
from corpusdb.search.queries.search import Hits
from corpusdb.search.query_matches import WholeMatch


@dataclass(frozen=True, slots=True)
class Line:
    """One match with its context, which is the rest of its sentence."""

    sentence: int
    left: str
    match: str
    right: str
    spot: Spot | None = None
    """Of a line of one occurrence of the sentence."""
    of: int | None = None
    """The number of the match, from 1, that it is a piece of, where matches may reach over several sentences."""


@dataclass(frozen=True, slots=True)
class Group:
    key: str
    count: int
    share: float
    """Of the lines: they add up to more than 1 where a line counts in several groups."""
    language: str = ""
    """Of a translation; empty for other groups."""

    @property
    def name(self) -> str:
        """The key, of a translation with its language in front: no other group of the lines has it."""
        return f"{self.language} {self.key}" if self.language else self.key


_STEP = 2_000
"""How many lines are looked at in one step of a job."""
_MATCHED = 200
"""In how many sentences the matches are looked for in one step: a pattern may be slow."""
_RUN = 50 * _STEP
"""How many lines are sorted at once, in a tenth of a second; then what was sorted is merged."""
_RARE = 5
"""A word that occurs less often than this in all of its language is not common, however few others it has."""


class Concordance:
    """Lines of a search in an order, as arrange_lines makes it."""

    def __init__(self, hits: Hits, total: int, matches: list[LineMatch], arrangement: Arrangement) -> None:
        self.hits = hits
        self.arrangement = arrangement
        self.total = total
        """How many lines there were before any were chosen."""
        self._wholes = matches
        self._matches = matches
        self._numbers: list[int] = []
        if any(match.more for match in matches):
            self._matches = [piece for match in matches for piece in match.pieces]
            self._numbers = [number for number, match in enumerate(matches, 1) for _ in match.pieces]

    def __len__(self) -> int:
        return len(self._matches)

    @property
    def matches(self) -> int:
        """How many there are: fewer than lines where one reaches over several sentences, each of which is a line."""
        return len(self._wholes)

    @property
    def sentences(self) -> int:
        """In how many sentences the lines are: other hits have none, where lines were chosen."""
        return len({match[0] for match in self._matches})

    def lines(self, first: int = 0, count: int | None = None) -> list[Line]:
        last = len(self._matches) if count is None else first + count
        numbers = self._numbers[first:last]
        found = [_line(self.hits, match) for match in self._matches[first:last]]
        return [replace(each, of=of) for each, of in zip(found, numbers, strict=True)] if numbers else found

    def key_spans(self, row: int) -> list[Span]:
        """Where in its sentence the words beside the match stand, and the target, by which a line was sorted."""
        return key_spans(self.hits, self._matches[row], self.arrangement)

    def groups(self, by: str, store: Store, languages: Sequence[str] = ()) -> list[Group]:
        """How often each form, neighbour, place or translation occurs among the lines, most frequent first.

        A line whose sentence stands in several documents, or has several translations in a language, counts in each of
        them; a line of one occurrence in the document and with the translations of that. Translations are grouped by
        the language, in the order of ``languages`` (empty = all others, those first that lack the fewest lines), and a
        line without any in one of these counts as ``(no translation)``. A match over several sentences counts once.
        """
        return finished(self.grouping(by, store, languages))

    def grouping(self, by: str, store: Store, languages: Sequence[str] = ()) -> Job[list[Group]]:
        counts: Counter[GroupKey] = Counter()
        lines = len(self._wholes)
        for first, keys in self._keys(by, store, languages):
            for of_line in keys:
                counts.update(of_line)
            yield Progress("lines", first + len(keys), lines)
        return ordered_groups(counts, lines, languages)

    def of_group(self, by: str, name: str, store: Store, languages: Sequence[str] = ()) -> Job[Concordance]:
        """The lines that count in the group of a name, in the same order, as a job."""
        chosen: list[LineMatch] = []
        for first, keys in self._keys(by, store, languages):
            chosen += [
                self._wholes[first + place]
                for place, of_line in enumerate(keys)
                if any(Group(key, 0, 0, language).name == name for language, key in of_line)
            ]
            yield Progress("lines", first + len(keys), len(self._wholes))
        return Concordance(self.hits, _lines_in(chosen), chosen, self.arrangement)

    def _keys(
        self, by: str, store: Store, languages: Sequence[str]
    ) -> Iterator[tuple[int, list[tuple[GroupKey, ...]]]]:
        """The groups in which each line counts: for some lines at a time, with the index of the first."""
        groups, keys = LineKeys(self.hits, store, languages, self.arrangement), line_keys(by)
        for first in range(0, len(self._wholes), _STEP):
            yield first, groups.groups_of(self._wholes[first : first + _STEP], keys)


def _lines_in(matches: Iterable[LineMatch]) -> int:
    return sum(1 + len(match.more) for match in matches)


def cut_at(place: LinePlace, text: str) -> Line:
    sentence, start, stop = place
    return Line(sentence, text[:start], text[start:stop], text[stop:])


def place_of(line: Line) -> LinePlace:
    return LinePlace(line.sentence, len(line.left), len(line.left) + len(line.match))


def ordered_groups(counts: Mapping[GroupKey, int], lines: int, languages: Sequence[str] = ()) -> list[Group]:
    """The groups of so many lines, most frequent first: by their languages, these first in their order."""
    others = {language for language, _ in counts} - {*languages}
    ordered = sorted(others, key=lambda language: (counts.get((language, NO_TRANSLATION), 0), language))
    ranks = {language: rank for rank, language in enumerate([*languages, *ordered])}
    items = sorted(counts.items(), key=lambda item: (ranks[item[0][0]], -item[1], item[0][1]))
    return [Group(key, count, count / lines, language) for (language, key), count in items]


def _place(hits: Hits, match: LineMatch) -> LinePlace:
    return LinePlace(int(hits.sentences[match.hit]), match.start, match.stop)


def _line(hits: Hits, match: LineMatch) -> Line:
    return replace(cut_at(_place(hits, match), hits.text(match.hit)), spot=match.spot)


def arrange_lines(hits: Hits, arrangement: Arrangement | None = None) -> Job[Concordance]:
    """The concordance of some hits, as a job: every match, or those that are wanted, in the order that is wanted.

    Of occurrences it has a match once for each place of its sentence, in the order of files and lines.
    """
    arrangement = arrangement or Arrangement()
    part = part_within(hits.store, arrangement.within)
    wholes = hits.wholes()
    found = [] if wholes is None else _over_sentences(wholes, part, occurrences=arrangement.occurrences)
    if wholes is None:
        for first in range(0, len(hits), _MATCHED):
            last = min(first + _MATCHED, len(hits))
            found += [LineMatch(place, *span) for place in range(first, last) for span in hits.spans(place)]
            yield Progress("sentences", last, len(hits))
        if arrangement.occurrences:
            found = _at_each_spot(hits, found, part)
    given = categories_of(hits.store, arrangement.categories) if arrangement.categories else {}
    if arrangement.category:
        found = [each for each in found if arrangement.category in _categories(hits, each, given)]
    total, sample = _lines_in(found), arrangement.sample
    random = np.random.default_rng(arrangement.seed)
    if sample is not None and sample < len(found):
        found = [found[index] for index in sorted(random.choice(len(found), sample, replace=False).tolist())]
    if arrangement.sorting == "random":
        found = [found[index] for index in random.permutation(len(found)).tolist()]
    elif arrangement.sorting == "examples":
        found = yield from _best_first(hits, found)
    elif arrangement.sorting != "corpus":
        found = yield from _sorted(hits, found, arrangement)
    return Concordance(hits, total, found, arrangement)


def _categories(hits: Hits, match: LineMatch, given: Mapping[LinePlace, str]) -> set[str]:
    return {given.get(_place(hits, piece), NO_CATEGORY) for piece in match.pieces}


def _over_sentences(wholes: Sequence[WholeMatch], part: CorpusPart | None, *, occurrences: bool) -> list[LineMatch]:
    """The matches that may reach over several sentences, in the order of files, with what they have in a part of the
    corpus: each once, or as often as their sentences stand so."""
    found: list[tuple[Spot, LineMatch]] = []
    for whole in wholes:
        for pieces in whole:
            inside = [
                LineMatch(piece.sentence, *piece.span, (document, line) if occurrences else None)
                for piece in pieces
                for document, section, line in [piece.spot]
                if part is None or part.languages_at(document, section or None) is not None
            ]
            if inside:
                document, _, line = pieces[0].spot
                found.append(((document, line), inside[0]._replace(more=tuple(inside[1:]))))
                if not occurrences:
                    break
    return [match for _, match in sorted(found, key=itemgetter(0))]


def _at_each_spot(hits: Hits, found: list[LineMatch], part: CorpusPart | None) -> list[LineMatch]:
    of_sentences = {int(hits.sentences[place]): list(lines) for place, lines in groupby(found, key=itemgetter(0))}
    return [
        match._replace(spot=spot)
        for sentence, spot in spots_of(hits.store, [*of_sentences], part)
        for match in of_sentences[sentence]
    ]


def _sorted(hits: Hits, found: list[LineMatch], arrangement: Arrangement) -> Job[list[LineMatch]]:
    keys = LineKeys(hits, hits.store, arrangement=arrangement)
    runs: list[list[tuple[str, LineMatch]]] = []
    for first in range(0, len(found), _STEP):
        if first % _RUN == 0:
            runs.append([])
        some = found[first : first + _STEP]
        runs[-1] += zip(keys.order_of(some, arrangement.sorting), some, strict=True)
        if len(runs[-1]) == _RUN:
            runs[-1].sort(key=itemgetter(0))
        yield Progress("lines read", min(first + _STEP, len(found)), len(found))
    if runs:
        runs[-1].sort(key=itemgetter(0))
    if len(runs) == 1:
        return [match for _, match in runs[0]]
    ordered: list[LineMatch] = []
    for _, match in heapq.merge(*runs, key=itemgetter(0)):
        ordered.append(match)
        if len(ordered) % _STEP == 0:
            yield Progress("lines sorted", len(ordered), len(found))
    return ordered


def _best_first(hits: Hits, found: list[LineMatch]) -> Job[list[LineMatch]]:
    """The lines of sentences that make good examples first, those of equally good ones as they were."""
    # Imported here: other orders do without, and the parser of queries that comes with it.
    from corpusdb.search.lexical import ANAPHORS, COMMON_WORDS, example_score, is_whole
    from corpusdb.search.queries.token_selection import without_case

    anaphors = ANAPHORS.get(hits.language, frozenset())
    is_apart = not any(map(has_undelimited_script, anaphors))
    places = sorted({match[0] for match in found})
    whole, refers = np.zeros(len(hits)), np.zeros(len(hits))
    for first in range(0, len(places), _STEP):
        for place in places[first : first + _STEP]:
            text = hits.text(place)
            whole[place] = is_whole(text)
            refers[place] = not is_apart and any(each in text for each in anaphors)
        yield Progress("sentences weighed", min(first + _STEP, len(places)), len(places))
    corpus = without_case(hits.tokens())
    words = np.fromiter(map(is_word, corpus.types), np.bool_, len(corpus.types))
    counts = np.where(words, np.bincount(corpus.tokens, minlength=len(words)), 0)
    least = np.sort(counts)[-COMMON_WORDS:][0] if len(counts) else 0
    refer = np.fromiter((each in anaphors for each in corpus.types), np.bool_, len(words))
    kinds = (words, words & (counts >= max(least, _RARE)), refer)
    chosen = corpus.restricted_to(hits.sentences)
    of_words, common, referring = (
        np.bincount(chosen.stream.sentences[kind[chosen.tokens]], minlength=len(hits)) for kind in kinds
    )
    scores = -example_score(of_words, common, refers + referring * is_apart, whole)
    return sorted(found, key=lambda match: scores[match[0]])


_PAGE = 1000
"""How many hits are looked up at a time."""


@dataclass(frozen=True, slots=True)
class Wanted:
    languages: tuple[str, ...] | None = None
    """Those of its translations; empty = all but its own, None = no translations."""
    distance: int = 1
    places: bool = False
    spans: bool = False
    """What matched in a sentence; a line of a concordance is split there anyway."""
    part: CorpusPart | None = None
    """Only places there, and of what stands beside the sentences only what does so there; None = anywhere."""


MATCH_NUMBER: Final = "match_number"
"""Of lines that are pieces of matches: match is the text."""


@dataclass(frozen=True, slots=True)
class HitDetails:
    id: int
    language: str
    texts: Mapping[str, str]
    """The sentence under ``text``, or a line of a concordance under ``left``, ``match`` and ``right``."""
    spans: Sequence[Span] | None
    translations: Sequence[Translation]
    places: Sequence[SentencePlace]
    number: int | None = None
    """Of a line of a concordance, from 1, by which `categories set --lines` takes it."""
    spot: Spot | None = None
    """Of a line of one occurrence of the sentence."""
    of: int | None = None
    """The number of the match that a line is a piece of, as Line has it."""

    def document(self) -> dict[str, object]:
        """The details as JSON has them; translations are a list for each language."""
        translations: dict[str, list[dict[str, object]]] = {}
        for each in self.translations:
            entry: dict[str, object] = {"text": each.text, "distance": each.distance, "via": each.via}
            translations.setdefault(each.language, []).append(entry)
        spans = {} if self.spans is None else {"spans": self.spans}
        places = [asdict(place) for place in self.places]
        number = {} if self.number is None else {"line": self.number}
        number |= {} if self.of is None else {MATCH_NUMBER: self.of}
        return {**number, "id": self.id, "language": self.language, **self.texts, **spans} | {
            "translations": translations,
            "places": places,
        }

    def cells(self, columns: Sequence[str]) -> list[str | int]:
        """The cells of a table with these columns: names of texts, of languages, or of what else there is."""
        known: dict[str, str | int] = {"id": self.id, "language": self.language, **self.texts}
        if self.number is not None:
            known["line"] = self.number
        if MATCH_NUMBER in columns:
            known[MATCH_NUMBER] = self.of or ""
        if "places" in columns:
            known["places"] = " | ".join(map(str, self.places))
        if "translations" in columns:
            known["translations"] = joined(self.translations)
        return [
            known[column] if column in known else joined(each for each in self.translations if each.language == column)
            for column in columns
        ]


def joined(translations: Iterable[Translation]) -> str:
    """Translations in one cell, those that are not direct with their distance: "Salut. | (2) Coucou."."""
    return " | ".join(f"({each.distance}) {each.text}" if each.distance > 1 else each.text for each in translations)


def first_details(
    store: Store, found: Sequence[Hits | Concordance], wanted: Wanted, limit: int = 0
) -> Iterator[HitDetails]:
    """The first hits of several searches, one search after the other; ``limit`` 0 is all."""
    left = limit or sum(map(len, found))
    for each in found:
        last = min(left, len(each))
        for first in range(0, last, _PAGE):
            yield from hit_details(store, each, wanted, range(first, min(first + _PAGE, last)))
        left -= last


def hit_details(store: Store, found: Hits | Concordance, wanted: Wanted, rows: range) -> Iterator[HitDetails]:
    if isinstance(found, Concordance):
        language = found.hits.language
        lines = found.lines(rows.start, len(rows))
        texts = [(line.sentence, language, texts_of(line)) for line in lines]
        details = details_of(store, texts, wanted, [line.spot for line in lines])
        yield from (replace(each, of=line.of) for each, line in zip(details, lines, strict=True))
        return
    ids = found.sentences[rows.start : rows.stop].tolist()
    sentences = [(number, found.language, {"text": found.text(row)}) for row, number in zip(rows, ids, strict=True)]
    for row, hit in zip(rows, details_of(store, sentences, wanted), strict=True):
        yield replace(hit, spans=found.spans(row)) if wanted.spans else hit


def texts_of(line: Line) -> dict[str, str]:
    return {"left": line.left, "match": line.match, "right": line.right}


def details_of(
    store: Store,
    rows: Sequence[tuple[int, str, Mapping[str, str]]],
    wanted: Wanted,
    spots: Sequence[Spot | None] = (),
) -> Iterator[HitDetails]:
    """What is wanted of sentences, by number, language and texts; of each at its spot, or at all of its places."""
    ids = [row[0] for row in rows]
    at = [spot for spot in spots if spot is not None]
    beside: Mapping[Spot, Sequence[Translation]] = {}
    translations: Mapping[int, Sequence[Translation]] = {}
    if wanted.languages is not None and at:
        beside = translations_beside(store, at, wanted.languages)
    elif wanted.languages is not None:
        translations = translations_in(store, ids, wanted.languages, wanted.distance, wanted.part)
    places: dict[tuple[int, Spot | None], list[SentencePlace]] = {}
    for sentence, where, place in spotted_places(store, {*ids}, wanted.part) if wanted.places else ():
        places.setdefault((sentence, where if at else None), []).append(place)
    for (sentence, language, texts), spot in zip_longest(rows, spots):
        found = translations.get(sentence, [])
        if spot is not None:
            found = [each for each in beside.get(spot, ()) if each.sentence != sentence]
        yield HitDetails(sentence, language, texts, None, found, places.get((sentence, spot), []), spot=spot)


def number_columns(found: Sequence[Hits | Concordance]) -> list[str]:
    """The column of the numbers of matches, where one may have several lines."""
    return [MATCH_NUMBER] if any(isinstance(each, Concordance) and each.matches < len(each) for each in found) else []


def numbered(lines: Iterable[HitDetails]) -> Iterator[HitDetails]:
    for number, line in enumerate(lines, 1):
        yield replace(line, number=number)


def with_categories(lines: Iterable[HitDetails], categories: Mapping[LinePlace, str]) -> Iterator[HitDetails]:
    """Lines of a concordance with their category as the first of their texts, empty where they have none."""
    for line in lines:
        start = len(line.texts["left"])
        place = LinePlace(line.id, start, start + len(line.texts["match"]))
        yield replace(line, texts={"category": categories.get(place, ""), **line.texts})


def names_of_places(store: Store) -> set[str]:
    """What can be shown of the documents and lines where a sentence stands; anything else is of tokens."""
    return {*attribute_names(store), "document", "collection"}


_OF_LINES: Final = frozenset(
    {"line", "id", "language", "category", "left", "match", "right", "spans", "translations", "places"}
)


def shown_name(attribute: str) -> str:
    """What an attribute is called beside a line: text_left where the line itself has something of that name."""
    return f"text_{attribute}" if attribute in _OF_LINES else attribute


def with_values(
    store: Store,
    lines: Iterable[HitDetails],
    found: Sequence[Concordance],
    names: Sequence[str],
    part: CorpusPart | None = None,
) -> Iterator[HitDetails]:
    """Lines with a text for each attribute, by its ``shown_name``: of documents and lines where the sentence stands,
    different values with | between; else of the tokens of the match, with spaces between. One named +lemma stands at
    every token of the line.

    Raises InputError, before the first line, for an attribute that nothing has.
    """
    there, beside = names_of_places(store), {name: name.removeprefix(EVERY_TOKEN) for name in names}
    try:
        of_languages = {
            each.hits.language: {
                name: TokenValues(each.hits.tokens(), bare) for name, bare in beside.items() if name not in there
            }
            for each in found
        }
    except InputError as error:
        raise InputError(f"{error}; here {', '.join(attribute_names(store)) or 'none'}") from None
    return _with_values(store, lines, of_languages, names, part)


EVERY_TOKEN: Final = "+"
"""Before an attribute that is shown at every token of a line, as CQP's show has it."""


def _with_values(
    store: Store,
    lines: Iterable[HitDetails],
    of_languages: Mapping[str, Mapping[str, TokenValues]],
    names: Sequence[str],
    part: CorpusPart | None,
) -> Iterator[HitDetails]:
    """``of_languages``: of each language what is known of its tokens; other names are of documents and lines."""
    there = {*names}.difference(*of_languages.values())
    for line in lines:
        start = len(line.texts["left"])
        span = start, start + len(line.texts["match"])
        values = of_languages[line.language]
        known = {
            name: " ".join(value or "-" for _, _, value in each.of_span(line.id, span))
            for name, each in values.items()
            if not name.startswith(EVERY_TOKEN)
        }
        if there:
            stands = occurrences_of(store, [line.id], part).get(line.id, ())
            at = [each for each in stands if line.spot in (None, each.spot)]
            for name in there:
                places = ({"document": each.document, "collection": each.collection, **each.attributes} for each in at)
                known[name] = " | ".join(dict.fromkeys(told.get(name) or "-" for told in places))
        tagged = [values[name] for name in names if name.startswith(EVERY_TOKEN)]
        texts = {**line.texts, **_with_every_token(line, span, tagged)}
        yield replace(line, texts={**texts, **{shown_name(name): known[name] for name in names if name in known}})


def _with_every_token(line: HitDetails, span: Span, values: Sequence[TokenValues]) -> dict[str, str]:
    """The three parts of a line as tokens with their values, drink/drink/VERB; none where the line has no values."""
    parts: dict[str, list[str]] = {"left": [], "match": [], "right": []}
    text = "".join(map(line.texts.__getitem__, parts))
    for tokens in zip(*(each.of_sentence(line.id) for each in values), strict=True):
        begin, end, _ = tokens[0]
        part = "left" if end <= span[0] else "right" if begin >= span[1] else "match"
        parts[part].append("/".join([text[begin:end], *(value or "-" for _, _, value in tokens)]))
    if not any(parts.values()):
        return {}
    left, match, right = map(" ".join, parts.values())
    return {"left": f"{left} " if left else "", "match": match, "right": f" {right}" if right else ""}


def with_context(
    store: Store, found: Iterable[HitDetails], count: int, part: CorpusPart | None = None
) -> Iterator[HitDetails]:
    """Hits with the sentences before and after each, where it first stands in a part of the corpus or anywhere: of a
    line as part of its context, else as texts of their own."""
    for each in found:
        first = [each.spot] if each.spot else [spot for _, spot in islice(spots_of(store, [each.id], part), 1)]
        around = neighbours(store, each.id, first[0], count) if first else ([], [])
        before, after = (" ".join(texts) for texts in around)
        texts = dict(each.texts)
        if "match" in texts:
            texts |= {"left": f"{before} {texts['left']}".lstrip(), "right": f"{texts['right']} {after}".rstrip()}
        else:
            texts |= {"before": before, "after": after}
        yield replace(each, texts=texts)


def with_width(found: Iterable[HitDetails], width: ContextWidth) -> Iterator[HitDetails]:
    """Lines with no more of their context than is wanted."""
    for each in found:
        left, right = cut_context(each.texts["left"], each.texts["right"], width)
        yield replace(each, texts={**each.texts, "left": left, "right": right})
