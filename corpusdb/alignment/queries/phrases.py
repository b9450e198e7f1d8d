"""Phrases and what they are aligned with: counted, found by their texts, and rejected by people.

The counts of some pairs of sentences are added to what the file has; sums do not depend on the order in which pairs
come, so that it is no matter in how many imports they came.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, pairwise, repeat
from typing import Final, NamedTuple

import numpy as np

from corpusdb.alignment.bitext import WordedTexts
from corpusdb.alignment.equivalence import is_rejected
from corpusdb.alignment.links import Links, Phrases, has_letter, may_part, phrase_pairs
from corpusdb.alignment.queries.pairs import (
    FORGET_PHRASES,
    UNITS,
    SentencePair,
    StoredModel,
    can_cut,
    cut_of,
    ordered_languages,
    ready_models,
)
from corpusdb.base.arrays import I64, Bools
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.text import alike_in, has_undelimited_script, normalise
from corpusdb.corpus.queries.meant_language import languages_by_size
from corpusdb.corpus.queries.sentences import check_languages
from corpusdb.corpus.store import Store
from corpusdb.corpus.store.connection import now
from corpusdb.search.patterns import Folding, Pattern
from corpusdb.search.queries.conditions import Search
from corpusdb.search.queries.search import Searcher

LONGEST_PHRASE: Final = 3
"""Words of a phrase at most, on either side."""


class PairRow(NamedTuple):
    """A phrase pair; a phrase is its tokens in lower case, with a space between two."""

    source: str
    target: str
    times: int
    size: int
    """Tokens of the shortest pair of sentences in which both stand."""
    example: SentencePair


class WordRow(NamedTuple):
    """Where a phrase stands; see schema/alignment.sql."""

    paired: int
    unlinked: int
    unpaired: int


@dataclass(frozen=True, slots=True)
class PhraseTable:
    """The phrases of one language: what is in each column of WordRow, for each of the texts."""

    texts: Sequence[str]
    paired: I64
    unlinked: I64
    unpaired: I64

    def rows(self) -> dict[str, WordRow]:
        columns = map(WordRow, self.paired.tolist(), self.unlinked.tolist(), self.unpaired.tolist())
        return dict(zip(self.texts, columns, strict=True))

    def __neg__(self) -> PhraseTable:
        return PhraseTable(self.texts, -self.paired, -self.unlinked, -self.unpaired)


@dataclass(frozen=True, slots=True)
class PhraseCounts:
    """What some pairs of sentences add."""

    source: PhraseTable
    target: PhraseTable
    sources: I64
    """Of each phrase pair the number of its source phrase in the table."""
    targets: I64
    counts: I64
    sizes: I64
    examples: Sequence[SentencePair]

    def pairs(self) -> Iterator[PairRow]:
        own = map(self.source.texts.__getitem__, self.sources.tolist())
        theirs = map(self.target.texts.__getitem__, self.targets.tolist())
        return map(PairRow, own, theirs, self.counts.tolist(), self.sizes.tolist(), self.examples)

    def __neg__(self) -> PhraseCounts:
        """What takes them out again where it is added."""
        return replace(self, source=-self.source, target=-self.target, counts=-self.counts)


def counted(
    pairs: Sequence[SentencePair], source: Sequence[Sequence[str]], target: Sequence[Sequence[str]], links: Links
) -> PhraseCounts:
    """The counts of these pairs of sentences, given by their tokens and links."""
    return counted_in(pairs, WordedTexts.of(source), WordedTexts.of(target), links)


def counted_in(pairs: Sequence[SentencePair], source: WordedTexts, target: WordedTexts, links: Links) -> PhraseCounts:
    """The same of texts whose words are numbered."""
    sizes = source.texts.lengths + target.texts.lengths
    # The shortest pair of sentences comes first, so that it is the example of each phrase pair.
    order = np.argsort(sizes, kind="stable")
    ordered, own, theirs = links.reordered(order), source.lowered().reordered(order), target.lowered().reordered(order)
    lengths = own.texts.lengths, theirs.texts.lengths
    phrases = phrase_pairs(ordered, own, theirs, LONGEST_PHRASE)
    examples = order[phrases.examples]
    is_linked, is_linked_there = ordered.linked_words(*lengths)
    return PhraseCounts(
        _table(own, is_linked, phrases.source),
        _table(theirs, is_linked_there, phrases.target),
        phrases.sources,
        phrases.targets,
        phrases.counts,
        sizes[examples],
        [pairs[number] for number in examples.tolist()],
    )


def _table(worded: WordedTexts, is_linked: Bools, phrases: Phrases) -> PhraseTable:
    """The phrases of phrase pairs, by their numbers, and then the words that are none of these."""
    tokens, count = worded.texts.words, len(worded.words)
    seen, linked = np.bincount(tokens, minlength=count), np.bincount(tokens[is_linked], minlength=count)
    texts = [" ".join(words) for words in phrases.texts]
    numbers = {text: number for number, text in enumerate(texts)}
    places, words = [], []
    for word, text in enumerate(worded.words):
        if has_letter(text):
            place = numbers.get(text)
            places.append(len(texts) if place is None else place)
            words.append(word)
            if place is None:
                texts.append(text)
    paired, unlinked, unpaired = (np.zeros(len(texts), dtype=np.int64) for _ in range(3))
    paired[: len(phrases.counts)] = phrases.counts
    unlinked[places] = seen[words] - linked[words]
    unpaired[places] = linked[words] - paired[places]
    return PhraseTable(texts, paired, unlinked, unpaired)


_NEW_PHRASES = "insert or ignore into phrase (language, text) select :language, value from json_each(:texts)"
_PHRASES = """
select phrase.text, phrase.id from json_each(:texts) wanted
cross join phrase on phrase.language = :language and phrase.text = wanted.value
"""
_COUNT_PHRASE = """
insert into phrase_count (model, phrase, paired, unlinked, unpaired) values (?, ?, ?, ?, ?)
on conflict (model, phrase) do update set
    paired = paired + excluded.paired, unlinked = unlinked + excluded.unlinked, unpaired = unpaired + excluded.unpaired
"""
_IS_SHORTER = "(excluded.size, excluded.sentence, excluded.translation) < (size, sentence, translation)"
_COUNT_PAIR = f"""
insert into phrase_pair (model, source, target, count, size, sentence, translation) values (?, ?, ?, ?, ?, ?, ?)
on conflict (model, source, target) do update set
    count = count + excluded.count,
    size = iif({_IS_SHORTER}, excluded.size, size),
    sentence = iif({_IS_SHORTER}, excluded.sentence, sentence),
    translation = iif({_IS_SHORTER}, excluded.translation, translation)
"""


def add_phrases(store: Store, model: StoredModel, counts: PhraseCounts) -> None:
    """Add the counts to those of a model; inside a transaction of the caller."""
    numbers = []
    for language, table in ((model.source, counts.source), (model.target, counts.target)):
        bound = {"language": language, "texts": json.dumps(sorted(table.texts), ensure_ascii=False)}
        store.connection.execute(_NEW_PHRASES, bound)
        known = dict(store.connection.execute(_PHRASES, bound).fetchall())
        ids = np.fromiter(map(known.__getitem__, table.texts), dtype=np.int64, count=len(table.texts))
        order = np.argsort(ids)
        columns = (each[order].tolist() for each in (ids, table.paired, table.unlinked, table.unpaired))
        store.connection.executemany(_COUNT_PHRASE, zip(repeat(model.id), *columns))
        numbers.append(ids)
    source, target = numbers[0][counts.sources], numbers[1][counts.targets]
    examples = np.array(counts.examples, dtype=np.int64).reshape(-1, 2)
    order = np.lexsort((target, source))
    figures = (source, target, counts.counts, counts.sizes, examples[:, 0], examples[:, 1])
    rows = zip(repeat(model.id), *(each[order].tolist() for each in figures))
    store.connection.executemany(_COUNT_PAIR, rows)


# What has no more counts, and then the phrase pairs whose example was a pair of sentences that is going.
_FORGET_UNCOUNTED = (
    "delete from phrase_pair where model = ? and count = 0",
    "delete from phrase_count where model = ? and paired + unlinked + unpaired = 0",
)
_WITHOUT_EXAMPLE = """
select source.text, target.text, source.id, target.id from phrase_pair pair
join phrase source on source.id = pair.source join phrase target on target.id = pair.target
where pair.model = ? and (pair.sentence, pair.translation) in (select sentence, translation from temp.unlinked)
"""


def take_out_phrases(store: Store, model: StoredModel, counts: PhraseCounts) -> dict[tuple[str, str], tuple[int, int]]:
    """Take the counts of pairs of sentences, which are in temp.unlinked, out of those of a model.

    Gives the texts of the phrase pairs that have lost their example, with their numbers. Inside a transaction of the
    caller.
    """
    add_phrases(store, model, -counts)
    for statement in _FORGET_UNCOUNTED:
        store.connection.execute(statement, (model.id,))
    store.connection.execute(FORGET_PHRASES)
    rows = store.connection.execute(_WITHOUT_EXAMPLE, (model.id,))
    return {(source, target): (number, other) for source, target, number, other in rows}


_SET_EXAMPLE = """
update phrase_pair set size = ?, sentence = ?, translation = ? where model = ? and source = ? and target = ?
"""


def set_examples(store: Store, model: StoredModel, found: Mapping[tuple[int, int], PairRow]) -> None:
    """Give phrase pairs, by their numbers, other examples; inside a transaction of the caller."""
    rows = ((row.size, *row.example, model.id, *numbers) for numbers, row in found.items())
    store.connection.executemany(_SET_EXAMPLE, rows)


# Phrases by their texts: how what a person writes is found, and how what is stored is shown.


_APOSTROPHES: Final = ("'", "\N{RIGHT SINGLE QUOTATION MARK}")
_OTHER_APOSTROPHES = str.maketrans("".join(_APOSTROPHES), "".join(_APOSTROPHES[::-1]))
_HOST: Final = "a"


def phrase_key(text: str, way: str = UNITS) -> str:
    """A phrase as it is stored by a model that cuts its language in this way: its tokens in lower case, a space between
    two.

    Raises UsageError for no token, and as spans_of does.
    """
    text = normalise(text)
    cut = cut_of(way)
    tokens = cut(text)
    if way == UNITS and text[-1:] in _APOSTROPHES and (hosted := cut(f"{text}{_HOST}"))[-1] == _HOST:
        tokens = hosted[:-1]  # l' is a word only where another one follows
    if not tokens:
        raise UsageError("a phrase has at least one word")
    return " ".join(token.lower() for token in tokens)


_CUTS = """
select phrase.text from json_each(:keys) wanted
cross join phrase on phrase.language = :language and phrase.text = wanted.value
cross join phrase_count on phrase_count.model = :model and phrase_count.phrase = phrase.id
order by paired + unlinked + unpaired desc, wanted.key
"""
_LONGEST_IN_ALL_CUTS: Final = 30


def key_in(store: Store, model: StoredModel, language: str, text: str) -> str:
    """A phrase as a model stores it.

    Morphemes depend on what stands beside them: alone a phrase may be cut otherwise than in a sentence. So it is the
    cut into one to three tokens that the pairs of the model have; of several the one that the phrase has alone, or else
    the most frequent. Most often that needs no analyser. Raises UsageError for no token.
    """
    way, written = model.way_of(language), normalise(text)
    if way == UNITS or not written:
        key = phrase_key(text)
        # Nobody sees which apostrophe is which: the other one is found where this is not.
        known = _known(store, model, language, {key, with_other_apostrophes(key)})
        return key if key in known or not known else known[0]
    keys = [" ".join(parts) for parts in _cuts(written.lower())]
    known = _known(store, model, language, keys)
    if (len(known) > 1 or not keys) and can_cut(way):
        alone = phrase_key(text, way)
        known = [alone] if alone in known or not known else known
    return known[0] if known else phrase_key(text)


def with_other_apostrophes(key: str) -> str:
    """A stored phrase with U+2019 for each ' and the other way round; the same where it has none."""
    return key.translate(_OTHER_APOSTROPHES)


def _known(store: Store, model: StoredModel, language: str, keys: Iterable[str]) -> list[str]:
    """Which of some phrases the pairs of a model have, the most frequent first."""
    bound = {"model": model.id, "language": language, "keys": json.dumps(list(keys), ensure_ascii=False)}
    return [str(row[0]) for row in store.connection.execute(_CUTS, bound)]


def _cuts(text: str) -> Iterator[tuple[str, ...]]:
    """A text in one part, in two and in three; nothing of a long one. Spaces are between parts only."""
    if len(text) > _LONGEST_IN_ALL_CUTS:
        return
    for count in range(3):
        for places in combinations(range(1, len(text)), count):
            edges = (0, *places, len(text))
            parts = tuple(text[begin:end].strip() for begin, end in pairwise(edges))
            if all(part and " " not in part for part in parts):
                yield parts


def shown(key: str) -> str:
    """A stored phrase as it is written: clitics stand at their hosts, and characters that are words have no space."""
    text = before = ""
    for token in key.split(" "):
        is_apart = may_part(before, token) and not (has_undelimited_script(before) and has_undelimited_script(token))
        text += f" {token}" if before and is_apart else token
        before = token
    return text


_ALIGNED = """
select source_language from alignment_model where state = 'ready'
union select target_language from alignment_model where state = 'ready' order by 1
"""


def aligned_languages(store: Store) -> list[str]:
    """The languages that are aligned with another, ascending."""
    return [row[0] for row in store.connection.execute(_ALIGNED)]


def languages_to_align(store: Store, language: str) -> list[str]:
    """The other languages of the corpus, those first that one is not aligned with, and of these what has most text."""
    known = {each.other(language) for each in ready_models(store, language)}
    return sorted((each for each in languages_by_size(store) if each != language), key=known.__contains__)


def _has_phrase(store: Store, language: str, text: str) -> bool:
    """Whether it stands in pairs of sentences by which a language is aligned with any other."""
    models = ready_models(store, language)
    return any(occurrences(store, model, language, key_in(store, model, language, text)) for model in models)


def languages_of_phrase(store: Store, text: str) -> list[str]:
    """The aligned languages that have a phrase, as a person writes it, ascending."""
    return [each for each in aligned_languages(store) if _has_phrase(store, each, text)]


def language_of_phrase(store: Store, text: str, apart_from: Collection[str] = ()) -> str:
    """The one aligned language that has a phrase, as a person writes it, apart from some.

    Raises InputError where nothing is aligned, UsageError where the corpus does not tell, and for no word.
    """
    phrase_key(text)  # which raises for no word
    every = aligned_languages(store)
    aligned = [language for language in every if language not in apart_from]
    if not every:
        raise InputError("nothing is aligned yet; run `corpusdb align --lang A,B` first")
    found = [each for each in languages_of_phrase(store, text) if each in aligned]
    for other in apart_from:
        if other not in every:
            check_languages(store, (other,))
            which = " and ".join(found or aligned)
            each = found[0] if len(found) == 1 else "LANG"
            told = f"{which} {'is' if which in aligned else 'are'} not aligned with {other}"
            raise InputError(f"{told}; run `corpusdb align --lang {each},{other}`")
    if not aligned:
        raise UsageError(f"only {', '.join(every)} are aligned, and translations are wanted in all of these")
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{normalise(text)!r} occurs in {', '.join(found)}; say which with --lang")
    searcher = Searcher(store)
    counts = {language: sentences_with(searcher, language, text) for language in aligned}
    standing = [language for language, count in counts.items() if count]
    if len(standing) == 1:
        return standing[0]
    if standing:
        told = ", ".join(f"{counts[language]:,} {language} sentences" for language in standing)
        raise UsageError(
            f"{normalise(text)!r} occurs in {told}, and is aligned as a whole in none; say which with --lang"
        )
    raise UsageError(f"{normalise(text)!r} occurs in no pair of sentences that is aligned ({', '.join(aligned)})")


def sentences_with(searcher: Searcher, language: str, text: str) -> int:
    """How many sentences of a language have a text as whole words, ignoring case, aligned or not."""
    return len(searcher.find(Search(language, Pattern(text, "word", Folding(case=True, alike=alike_in(text))))))


def models_of(store: Store, language: str, through: Sequence[str] | None = None) -> list[StoredModel]:
    """The models by which a language is aligned with others, or with these.

    Raises InputError where it is not, and UsageError for the language itself.
    """
    check_languages(store, (language, *(through or ())))
    models = ready_models(store, language)
    known = {model.other(language) for model in models}
    for other in through or ():
        if other not in known and ordered_languages(language, other):
            raise InputError(f"{language} is not aligned with {other}; run `corpusdb align --lang {language},{other}`")
    if not models:
        raise InputError(f"{language} is aligned with nothing; run `corpusdb align --lang {language},OTHER`")
    return [model for model in models if through is None or model.other(language) in through]


class Occurrences(NamedTuple):
    phrase: int
    paired: int
    """How often it stands with a phrase of the other language."""
    unlinked: int
    """How often it is aligned with nothing."""
    unpaired: int
    """How often its links are part of longer or broken phrases only."""

    @property
    def total(self) -> int:
        return self.paired + self.unlinked + self.unpaired


_OCCURRENCES = """
select phrase.id, paired, unlinked, unpaired from phrase
cross join phrase_count on phrase_count.model = ? and phrase_count.phrase = phrase.id
where phrase.language = ? and phrase.text = ?
"""


def occurrences(store: Store, model: StoredModel, language: str, key: str) -> Occurrences | None:
    """Where a phrase stands; None where it does not."""
    row = store.connection.execute(_OCCURRENCES, (model.id, language, key)).fetchone()
    return None if row is None else Occurrences(*row)


# What a person said to be no equivalent: rejected, taken back, listed.
# A rejection is about two phrases of a language, in no direction and of no model: an equivalence set (Owczarzak et al.
# 2006, section 3.2) has no direction either, and what does not mean the same does not do so after another training.


@dataclass(frozen=True, slots=True)
class RejectedPair:
    language: str
    phrase: str
    """The lesser one, as it is written."""
    equivalent: str
    rejected: str
    """When: UTC, ISO 8601."""


def _ordered(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)


_STANDS = "select id from current_rejection where language = ? and phrase = ? and equivalent = ?"
_REJECT = "insert into rejected_equivalent (language, phrase, equivalent, rejected) values (?, ?, ?, ?)"
_TAKE_BACK = "update rejected_equivalent set undone = ? where id = ?"


_SO_FAR = "select count(*), count(undone) from rejected_equivalent"


def rejections_so_far(store: Store) -> tuple[int, int]:
    """How many were ever made, and how many of these taken back: as long as it is the same, so are the rejections."""
    made, undone = store.connection.execute(_SO_FAR).fetchone()
    return int(made), int(undone)


def set_rejected(store: Store, language: str, one: str, other: str, *, is_rejected: bool) -> bool:
    """Reject two phrases as equivalents of each other, or take that back; whether that changed anything.

    When this returns, the file has it. Raises UsageError for no phrase, and for a phrase and itself.
    """
    keys = _ordered(phrase_key(one), phrase_key(other))
    if keys[0] == keys[1]:
        raise UsageError(f"{shown(keys[0])!r} is one phrase: two are not equivalents of each other")
    with store.write() as connection:
        found = connection.execute(_STANDS, (language, *keys)).fetchone()
        if (found is not None) == is_rejected:
            return False
        if found is None:
            connection.execute(_REJECT, (language, *keys, now()))
        else:
            connection.execute(_TAKE_BACK, (now(), *found))
        return True


_OF = """
select phrase, equivalent from json_each(:parts) part
cross join current_rejection said on said.language = :language and said.phrase = part.value
union
select phrase, equivalent from json_each(:parts) part
cross join current_rejection said on said.language = :language and said.equivalent = part.value
"""


def rejected_among(store: Store, language: str, key: str, texts: Collection[str]) -> frozenset[str]:
    """Those of some phrases that are not equivalent to this one, by ``is_rejected``; all as they are stored."""
    if not texts:  # as of a whole sentence, which has very many parts
        return frozenset()
    words = _units(key)
    spans = ((begin, end) for begin in range(len(words)) for end in range(begin + 1, len(words) + 1))
    parts = json.dumps([" ".join(words[begin:end]) for begin, end in spans], ensure_ascii=False)
    pairs = frozenset(store.connection.execute(_OF, {"parts": parts, "language": language}).fetchall())
    return frozenset(text for text in texts if pairs and is_rejected(words, _units(text), pairs))


def _units(key: str) -> tuple[str, ...]:
    """The units of a stored phrase, as rejections have them, whatever the model cuts its language into."""
    return tuple(phrase_key(shown(key)).split(" "))


_ALL = """
select language, phrase, equivalent, rejected from current_rejection
where :language is null or language = :language order by language, phrase, equivalent
"""


def rejected_pairs(store: Store, language: str | None = None) -> list[RejectedPair]:
    """What stands, of one language or of all, by language and phrases."""
    rows = store.connection.execute(_ALL, {"language": language})
    return [RejectedPair(each, shown(one), shown(other), when) for each, one, other, when in rows]


_PAIRS = "select phrase, equivalent from current_rejection where language = ? order by 1, 2"


def rejections(store: Store, language: str) -> tuple[tuple[str, str], ...]:
    """What stands of one language, as it is stored, ascending: for who substitutes equivalents."""
    return tuple(store.connection.execute(_PAIRS, (language,)).fetchall())


class RejectedExchanges:
    """Tells of two texts of a language whether one has what the other has an equivalent for that somebody rejected."""

    def __init__(self, store: Store, language: str) -> None:
        # The longer one first: where "first" is not "first time", the latter is no place of the former.
        self._pairs = [sorted(pair, key=len, reverse=True) for pair in rejections(store, language)]
        self._apart = cache(_apart)

    def __bool__(self) -> bool:
        return bool(self._pairs)

    def between(self, text: str, other: str) -> tuple[str, str] | None:
        """The first such pair, as they are shown: the one that the first text has more of; None where there is none."""
        for pair in self._pairs:
            longer, shorter = (_apart(shown(each)) for each in pair)
            texts = [self._apart(each) for each in (text, other)]
            long = [each.count(longer) for each in texts]
            short = [each.replace(longer, "").count(shorter) for each in texts]
            if (long[0] - long[1]) * (short[0] - short[1]) < 0:
                first, second = map(shown, pair)
                return (first, second) if long[0] > long[1] else (second, first)
        return None


def _apart(text: str) -> str:
    """The units of a text in lower case, each between spaces of its own: no two share one."""
    return "".join(f" {unit.lower()} " for unit in cut_of(UNITS)(normalise(text)))
