"""The translations of a seed as witnesses: whether they ask for the words by which a paraphrase differs from it.

Of the words that it adds and of those that it leaves out, how much more probable they are given a translation than
usual; of the words of the translation, how much better it explains them than the seed does. A translation that the two
share is not asked: that they share it is counted elsewhere. Of any two texts, translated or not, it is known besides
how alike the words that are added and left out are translated elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I64, distinct, grouped, in_file, places_in
from corpusdb.base.ngrams import joined_ranges
from corpusdb.paraphrase.differences import GAP
from corpusdb.paraphrase.lexical_model import (
    CrossedWords,
    LexicalModel,
    Vocabulary,
    WordSets,
    cells_of,
    train_lexical,
    vocabulary_and_sets,
)

SAID: Final = ("added", "left out", "explained", "no witness", "nothing added", "nothing left out")
"""Mean over the languages of what the translation says that speaks most for the pair; then whether none says it."""
WORDED: Final = (
    *("alike", "least alike", "most alike", "not compared"),
    *("news added", "most news added", "least news added", "kept of the added"),
    *("news left out", "most news left out", "least news left out", "kept of what is left out"),
)
"""What is known of the words themselves. Over the languages the mean, the least and the greatest Bhattacharyya
coefficient of what the words that are added are translated as, and those that are left out; whether there is none.
Then of either side, means over the languages: the sum of how rare its words are (the logarithm, negated), that of the
rarest and of the most usual, and how much of what a word gives is its translations."""
TESTIMONY: Final = (*SAID, *WORDED)
NO_TESTIMONY: Final = (0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, *[0.0] * 8)
_FIGURES: Final = 3
_NEWS: Final = 4
"""Figures of the words of either side."""
_MOST_TRANSLATIONS: Final = 6
"""Of one sentence into one language; further ones are not asked."""
_PAIRS_AT_ONCE: Final = 5_000
_LEAST_ASKED: Final = 1e-5
"""What no word of a translation gives has this probability."""
_LEAST_EXPLAINED: Final = 1e-4
_LEAST_GIVEN: Final = 0.05
"""What a word gives less probably is no translation of it."""


@dataclass(frozen=True, slots=True)
class ChangedSides:
    """The texts that are exchanged in pairs of sentences, by region: parallel arrays but for the texts."""

    pair: I64
    """Of each region which pair it is of, ascending."""
    before: I64
    """The text in the seed, by its place in ``texts``."""
    after: I64
    texts: Sequence[str]
    pairs: int

    def words(self, vocabulary: Vocabulary) -> tuple[WordSets, WordSets]:
        """Of each pair the words that are added and those that are left out, as far as they have a number."""
        of_text = vocabulary.sets_of([text.replace(GAP, " ") for text in self.texts])
        size = max(len(vocabulary), 1)
        keys = []
        for side in (self.after, self.before):
            found = of_text[side]
            keys.append(distinct(self.pair[found.owners] * size + found.words))
        sides = (one[~places_in(other, one)[1]] for one, other in (keys, keys[::-1]))
        added, removed = (
            WordSets(each % size, np.searchsorted(each // size, np.arange(self.pairs + 1))) for each in sides
        )
        return added, removed

    def distinct(self) -> tuple[I64, I64]:
        """A pair of each change, and by pair which of these has the same."""
        begin = np.searchsorted(self.pair, np.arange(self.pairs + 1))
        sizes, which = np.diff(begin), np.zeros(self.pairs, dtype=np.int64)
        sides = grouped(self.before * max(len(self.texts), 1) + self.after).group
        for place in range(int(sizes.max(initial=0))):
            side = np.zeros(self.pairs, dtype=np.int64)
            side[sizes > place] = sides[begin[:-1][sizes > place] + place] + 1
            which = grouped(which * (len(sides) + 1) + side).group
        return grouped(which).first, which


class ChangedWords(NamedTuple):
    """The words that are changed in pairs of sentences, as one vocabulary numbers them."""

    added: WordSets
    """By pair."""
    removed: WordSets
    first: I64
    """A pair of each change."""
    which: I64
    """By pair which of these has the same."""

    @classmethod
    def of(cls, changed: ChangedSides, vocabulary: Vocabulary) -> ChangedWords:
        return cls(*changed.words(vocabulary), *changed.distinct())

    def between(self, begin: int, end: int) -> ChangedWords:
        """Those of the pairs at some places."""
        some = np.arange(begin, min(end, len(self.which)))
        found = grouped(self.which[some])
        return ChangedWords(self.added[some], self.removed[some], found.first, found.group)

    def in_file(self) -> ChangedWords:
        """The same in files, where there are many, while nobody looks at them."""
        return ChangedWords(self.added.in_file(), self.removed.in_file(), in_file(self.first), in_file(self.which))


_NONE: Final = np.empty(0, dtype=np.int64)
NOTHING_CHANGED: Final = ChangedSides(_NONE, _NONE, _NONE, (), 0)


class TranslationPairs(NamedTuple):
    """Sentences and their translations into one language, each pair once: parallel arrays but for the texts."""

    sentence: I64
    """Its place."""
    translation: I64
    """Place in ``texts``."""
    texts: Sequence[str]
    """Of the translations, ascending, so that nothing depends on the order in which they came."""

    @classmethod
    def of(cls, rows: Sequence[tuple[int, str]]) -> TranslationPairs:
        """By the place of a sentence and the text of a translation."""
        texts = sorted({text for _, text in rows})
        number = {text: place for place, text in enumerate(texts)}
        pairs = np.array([(sentence, number[text]) for sentence, text in rows], dtype=np.int64).reshape(-1, 2)
        return cls(pairs[:, 0], pairs[:, 1], texts)


@dataclass(frozen=True, slots=True)
class TranslationsInto:
    """The translations of sentences into one language."""

    language: str
    model: LexicalModel
    sentences: WordSets
    """By place; of those with a translation."""
    translations: WordSets
    begin: I64
    """Where the links of each sentence begin, and at last where all end."""
    translation: I64
    """By link, the place of the translation; those of a sentence ascend."""

    @classmethod
    def of(
        cls, language: str, model: LexicalModel, links: TranslationPairs, sentences: WordSets, translations: WordSets
    ) -> TranslationsInto:
        order = np.lexsort((links.translation, links.sentence))
        begin = np.searchsorted(links.sentence[order], np.arange(len(sentences) + 1))
        return cls(language, model, sentences, translations, begin, links.translation[order])

    def said_of(self, seed: I64, other: I64, changed: ChangedWords) -> F64:
        """Pairs by what is said of each; ``seed`` and ``other`` as ``asked`` takes them.

        First of the translation that speaks most for it, NaN where none does, then of the words that are changed.
        """
        added, removed, first, which = changed
        parts = [np.empty((0, _FIGURES))]
        for begin in range(0, len(seed), _PAIRS_AT_ONCE):
            some = np.arange(begin, min(begin + _PAIRS_AT_ONCE, len(seed)))
            parts.append(_said_of(self, seed[some], other[some], (added[some], removed[some])))
        return np.concatenate([np.concatenate(parts), _worded(self.model, added[first], removed[first])[which]], axis=1)

    def asked(self, seed: I64, other: I64) -> tuple[I64, I64]:
        """Which translations are asked of each pair: places of pairs and of translations.

        ``seed`` and ``other`` are places of sentences; below 0: it has no translations.
        """
        pair, link = self._links_of(seed)
        translation = self.translation[link]
        shared_pair, shared = self._links_of(other)
        size = max(len(self.translations), 1)
        both = distinct(shared_pair * size + self.translation[shared])
        is_shared = places_in(both, pair * size + translation)[1]
        pair, translation = pair[~is_shared], translation[~is_shared]
        few = np.arange(len(pair)) - np.searchsorted(pair, pair) < _MOST_TRANSLATIONS
        return pair[few], translation[few]

    def _links_of(self, sentence: I64) -> tuple[I64, I64]:
        known = np.maximum(sentence, 0)
        sizes = np.where(sentence < 0, 0, self.begin[known + 1] - self.begin[known])
        pair = np.repeat(np.arange(len(sentence)), sizes)
        return pair, joined_ranges(self.begin[known], sizes)


@dataclass(frozen=True, slots=True)
class TranslatedSentences:
    """The sentences of a language that have translations, to learn from those into one language after the other."""

    vocabulary: Vocabulary
    sets: WordSets
    """By place; empty for a sentence without translations."""

    @classmethod
    def of(cls, texts: Sequence[str], translated: I64) -> TranslatedSentences:
        """``translated`` are the places of those with a translation into any language."""
        vocabulary, found = vocabulary_and_sets([texts[place] for place in np.unique(translated).tolist()])
        sizes = np.zeros(len(texts), dtype=np.int64)
        sizes[np.unique(translated)] = found.sizes
        return cls(vocabulary, WordSets(found.words, np.concatenate([[0], np.cumsum(sizes)])))

    def learn(self, language: str, links: TranslationPairs) -> TranslationsInto:
        """What the translations into one language teach."""
        others, translations = vocabulary_and_sets(links.texts)
        pairs = self.sets[links.sentence], translations[links.translation]
        model = train_lexical(self.vocabulary, others, *pairs)
        return TranslationsInto.of(language, model, links, self.sets, translations)


class AskedTranslations(NamedTuple):
    """Some translations, and what is asked of each: sets at equal places."""

    seeds: WordSets
    translations: WordSets
    link: I64
    """A number for each seed with a translation; several pairs may have one."""


class Crossed(NamedTuple):
    """The words of some sets beside those of translations at equal places."""

    model: LexicalModel
    words: WordSets
    translations: WordSets
    cells: CrossedWords
    places: I64
    """Of each cell in the model."""

    @classmethod
    def of(cls, model: LexicalModel, words: WordSets, translations: WordSets) -> Crossed:
        cells = cells_of(words, translations)
        places = model.places(words.words[cells.one], translations.words[cells.other])
        return cls(model, words, translations, cells, places)

    def is_asked(self) -> F64:
        """By word, the logarithm of how much more probable it is given the translation than usual."""
        given = self.model.given(self.model.word_given, self.places)
        sums = np.bincount(self.cells.one, given, len(self.words.words))
        sizes = np.maximum(self.translations.sizes, 1)[self.words.owners]
        return np.asarray(np.log(sums / sizes + _LEAST_ASKED) - self.model.usual[self.words.words])

    def given_sums(self) -> F64:
        """By word of the translations the sum of how probably each of the words gives it."""
        given = self.model.given(self.model.other_given, self.places)
        return np.asarray(np.bincount(self.cells.other, given, len(self.translations.words)), dtype=np.float64)


def explained(asked: AskedTranslations, added: Crossed, removed: Crossed) -> F64:
    """Of each translation the sum over its words of the logarithm of how much more probable each is given the
    paraphrase than given the seed."""
    _, first, link, _ = grouped(asked.link)
    by_seed = Crossed.of(added.model, asked.seeds[first], asked.translations[first]).given_sums()
    places = WordSets(np.arange(len(by_seed)), asked.translations[first].begin)[link].words
    sums = by_seed[places]
    sizes = asked.seeds.sizes
    owners = asked.translations.owners
    before = sums / np.maximum(sizes, 1)[owners]
    sums = np.maximum(sums + added.given_sums() - removed.given_sums(), 0.0)
    after = sums / np.maximum(sizes + added.words.sizes - removed.words.sizes, 1)[owners]
    gains = np.log((after + _LEAST_EXPLAINED) / (before + _LEAST_EXPLAINED))
    return np.asarray(np.bincount(owners, gains, len(asked.translations)), dtype=np.float64)


def _said_of(into: TranslationsInto, seed: I64, other: I64, changed: tuple[WordSets, WordSets]) -> F64:
    pair, translation = into.asked(seed, other)
    link = seed[pair] * max(len(into.translations), 1) + translation
    asked = AskedTranslations(into.sentences[seed[pair]], into.translations[translation], link)
    added, removed = (Crossed.of(into.model, words[pair], asked.translations) for words in changed)
    asking = (_means(each.words, each.is_asked()) for each in (added, removed))
    columns = (*asking, explained(asked, added, removed))
    best = np.full((len(seed), _FIGURES), -np.inf)
    for number, column in enumerate(columns):
        said = ~np.isnan(column)
        np.maximum.at(best[:, number], pair[said], column[said])
    return np.where(np.isinf(best), np.nan, best)


# What the words say themselves, whatever the sentences around them.


def _worded(model: LexicalModel, added: WordSets, removed: WordSets) -> F64:
    """Changes by figures of their words: how alike the two sides are translated, then the figures of either."""
    figures = [_likeness(model, added, removed), *_news(model, added), *_news(model, removed)]
    return np.stack(figures, axis=1)


def _news(model: LexicalModel, words: WordSets) -> F64:
    """How rare the words of each set are, all and the rarest and the most usual, and how much of them is kept."""
    rare, owners = -model.usual[words.words], words.owners
    most, least = np.zeros(len(words)), np.full(len(words), np.inf)
    np.maximum.at(most, owners, rare)
    np.minimum.at(least, owners, rare)
    keys, given = _translated_as(model, words)
    kept = np.bincount(keys // max(len(model.others), 1), given, len(words)) / np.maximum(words.sizes, 1)
    return np.stack([np.bincount(owners, rare, len(words)), most, np.where(words.sizes > 0, least, 0.0), kept])


def _likeness(model: LexicalModel, one: WordSets, other: WordSets) -> F64:
    """Of sets at equal places the Bhattacharyya coefficient of what their words give; NaN where one gives nothing."""
    others, sets = max(len(model.others), 1), len(one)
    (keys, given), (other_keys, other_given) = (_translated_as(model, words) for words in (one, other))
    sums = np.bincount(keys // others, given, sets) * np.bincount(other_keys // others, other_given, sets)
    both, place, other_place = np.intersect1d(keys, other_keys, assume_unique=True, return_indices=True)
    found = np.bincount(both // others, np.sqrt(given[place] * other_given[other_place]), sets)
    return np.where(sums > 0, found / np.sqrt(np.where(sums > 0, sums, 1.0)), np.nan)


def _translated_as(model: LexicalModel, words: WordSets) -> tuple[I64, F64]:
    """What the words of each set give: the number of the set times the number of others, plus the other, ascending;
    and the sum of how probably its words give it. What a word hardly ever gives is left out."""
    others = max(len(model.others), 1)
    found = grouped(words.words)
    begin, end = (np.searchsorted(model.keys, (found.values + more) * others) for more in (0, 1))
    place = joined_ranges(begin, end - begin)
    likely = place[model.other_given[place] >= _LEAST_GIVEN]
    chosen = WordSets(likely, np.searchsorted(likely, np.append(begin, end[-1:])))[found.group]
    place, keys = chosen.words, np.repeat(words.owners, chosen.sizes) * others + model.keys[chosen.words] % others
    found = grouped(keys)
    return found.values, np.bincount(found.group, model.other_given[place], len(found.values)).astype(np.float64)


def _means(words: WordSets, values: F64) -> F64:
    """Of each set the mean of the values of its words; NaN where it has none."""
    sums = np.bincount(words.owners, values, len(words))
    return np.where(words.sizes > 0, sums / np.maximum(words.sizes, 1), np.nan)


TranslatedText: TypeAlias = tuple[str, str, str]
"""A text, the language of a translation of it, and that."""


def known_testimony(
    pairs: Sequence[tuple[str, str]],
    changed: ChangedSides,
    translated: Iterable[TranslatedText],
    models: Mapping[str, LexicalModel],
) -> F64:
    """Pairs of a seed and another text by TESTIMONY, by translations of either.

    ``models`` by the language of the translations; those into another language say nothing.
    """
    texts = sorted({text for pair in pairs for text in pair})
    place = {text: number for number, text in enumerate(texts)}
    rows: dict[str, list[tuple[int, str]]] = {}
    translated = sorted(set(translated))
    for text, language, translation in translated:
        rows.setdefault(language, []).append((place[text], translation))
    known = {text for text, _, _ in translated}
    links = {language: TranslationPairs.of(each) for language, each in rows.items()}
    asked = [text if text in known else "" for text in texts]  # of others nothing is asked
    seed, other = (np.array([place[pair[side]] for pair in pairs], dtype=np.int64) for side in (0, 1))
    return testimony(translations_into(asked, links, models), seed, other, changed)


def translations_into(
    sentences: Sequence[str], links: Mapping[str, TranslationPairs], models: Mapping[str, LexicalModel]
) -> list[TranslationsInto]:
    """The translations of sentences into the languages of ``models``; those into others say nothing."""
    vocabularies = {id(model.words): model.words for model in models.values()}  # of the language, nearly always one
    sets = {key: each.sets_of(sentences) for key, each in vocabularies.items()}
    found = []
    for language, model in sorted(models.items()):
        own = links.get(language, TranslationPairs.of(()))
        translations = model.others.sets_of(own.texts)
        found.append(TranslationsInto.of(language, model, own, sets[id(model.words)], translations))
    return found


def testimony(witnesses: Iterable[TranslationsInto], seed: I64, other: I64, changed: ChangedSides) -> F64:
    """Pairs by TESTIMONY: what the translations of the seed into some languages say that the pair does not share.

    ``seed`` and ``other`` as ``TranslationsInto.asked`` takes them.
    """
    said = OverLanguages(len(seed))
    known: tuple[Vocabulary, ChangedWords] | None = None
    for into in witnesses:
        vocabulary = into.model.words
        if known is None or (vocabulary is not known[0] and vocabulary.words != known[0].words):
            known = vocabulary, ChangedWords.of(changed, vocabulary)
        said.hear(into.said_of(seed, other, known[1]))
    return said.testimony()


class OverLanguages:
    """What the translations into one language after the other say of pairs, of which nothing is kept but sums."""

    def __init__(self, pairs: int) -> None:
        self._languages = 0
        self._said = np.zeros((pairs, _FIGURES))
        self._saying = np.zeros((pairs, _FIGURES), dtype=np.int16)
        """How many of the languages say each."""
        self._alike, self._most_alike, self._least_alike = np.zeros(pairs), np.zeros(pairs), np.full(pairs, np.inf)
        self._compared = np.zeros(pairs, dtype=np.int16)
        self._news = np.zeros((pairs, 2 * _NEWS))

    def hear(self, said: F64) -> None:
        """Add what one language says, as ``TranslationsInto.said_of`` has it."""
        figures, alike = said[:, :_FIGURES], said[:, _FIGURES]
        self._languages += 1
        self._said += np.nan_to_num(figures)
        self._saying += ~np.isnan(figures)
        self._alike += np.nan_to_num(alike)
        self._least_alike = np.fmin(self._least_alike, alike)
        self._most_alike = np.fmax(self._most_alike, alike)
        self._compared += ~np.isnan(alike)
        self._news += said[:, _FIGURES + 1 :]

    def testimony(self) -> F64:
        """Pairs by TESTIMONY."""
        if not self._languages:
            return np.tile(NO_TESTIMONY, (len(self._said), 1))
        found = np.empty((len(self._said), len(TESTIMONY)))
        said, worded = np.split(found, [len(SAID)], axis=1)
        said[:, :_FIGURES] = self._said / np.maximum(self._saying, 1)
        said[:, _FIGURES:] = self._saying[:, [2, 0, 1]] == 0
        worded[:, 0] = self._alike / np.maximum(self._compared, 1)
        worded[:, 1] = np.where(self._compared > 0, self._least_alike, 0.0)
        worded[:, 2] = self._most_alike
        worded[:, 3] = self._compared == 0
        worded[:, 4:] = self._news / self._languages
        return found


# What translations say of one pair, to be told in words.


_ASKS: Final = float(np.log(3.0))
"""A translation asks for a word that it makes three times as probable as usual, or more."""


class Witness(NamedTuple):
    """A translation of the seed, the one of its language that speaks most for the paraphrase."""

    language: str
    translation: str
    added: tuple[tuple[str, bool], ...]
    """The words that the paraphrase adds, ascending, and whether the translation asks for each."""
    left_out: tuple[tuple[str, bool], ...]
    """The same of those that it leaves out."""


def witnesses_of(
    changed: ChangedSides, translations: Iterable[tuple[str, str]], models: Mapping[str, LexicalModel]
) -> list[Witness]:
    """What the translations of the seed of one pair say, by language; ``translations``: language and text of each.

    Of words that the model does not know nothing is told, nor of a language that knows none.
    """
    best: dict[str, tuple[float, Witness]] = {}
    for language, text in sorted(translations):
        if language not in models:
            continue
        model = models[language]
        translation = model.others.sets_of([text])
        told, sums = [], []
        for words in changed.words(model.words):
            values = Crossed.of(model, words, translation).is_asked()
            names = [model.words.words[number] for number in words.words.tolist()]
            said = zip(names, values.tolist(), strict=True)
            told.append(tuple((name, bool(value >= _ASKS)) for name, value in said if _is_told(name)))
            sums.append(float(values.sum()))
        speaks = sums[0] - sums[1]
        if any(told) and (language not in best or speaks > best[language][0]):
            best[language] = speaks, Witness(language, text, *told)
    return [witness for _, witness in best.values()]


def _is_told(word: str) -> bool:
    """Whether a word says anything to a person: not a mark, nor what is left of a contraction."""
    return word.isalnum() and (len(word) > 1 or not word.isascii())
