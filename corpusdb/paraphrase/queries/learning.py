"""What all sentences of a language and their translations teach, and what these then say of paraphrases."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Final, NamedTuple

import numpy as np

from corpusdb.base.arrays import F64, distinct
from corpusdb.base.jobs import Job, Progress, computed_in_order, cores_for
from corpusdb.corpus.queries.sentences import sentences_after
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.lexical_model import LexicalModel, Vocabulary, WordSets
from corpusdb.paraphrase.pair_differences import PairDifferences
from corpusdb.paraphrase.sharing import TranslationLinks
from corpusdb.paraphrase.witnesses import (
    TESTIMONY,
    ChangedWords,
    OverLanguages,
    TranslatedSentences,
    TranslationPairs,
    TranslationsInto,
)
from corpusdb.paraphrase.word_model import train_word_model


class Learned(NamedTuple):
    """What the sentences of a language and their translations teach."""

    models: list[tuple[str, tuple[bytes, ...]]]
    """The languages of the translations, and the blobs of the models."""
    into: list[TranslationsInto]
    """The translations, to be asked."""
    vocabulary: Vocabulary
    """Of the sentences that have translations."""
    word_model: bytes | None
    """That of all sentences, packed."""


def learn_models(
    store: Store, sentences: Sequence[tuple[int, str]], languages: Sequence[str], links: TranslationLinks
) -> Job[Learned]:
    """Learn from all sentences of a language, and their translations: part of a job.

    ``sentences`` are their numbers and texts, ascending, ``links`` those of ``load_links``. Memory, of a language for
    each core: some 40 bytes for each pair of a word and one of its translation. So nothing else should be held yet.
    """
    yield Progress("learning from translations, languages", 0, len(languages))
    texts = [text for _, text in sentences]
    learner = TranslatedSentences.of(texts, links.sentence)
    known = [(language, links_into(store, language, links, number)) for number, language in enumerate(languages)]
    known = [(language, each) for language, each in known if len(each.sentence)]

    def learned(number: int) -> tuple[tuple[bytes, ...], WordSets]:
        if not number:  # what takes longest is begun first
            model = train_word_model(texts)
            return () if model is None else (model.packed(),), learner.sets
        into = learner.learn(*known[number - 1])
        return into.model.blobs(), into.translations.in_file()

    found, vocabularies, sets = list[tuple[str, tuple[bytes, ...]]](), dict[bytes, Vocabulary](), learner.sets.in_file()
    translated: list[TranslationsInto] = []
    store.give_memory_back()
    with closing(computed_in_order(learned, len(known) + 1, cores_for(len(sentences)))) as results:
        of_words, _ = next(results)
        for (language, own), (blobs, translations) in zip(known, results, strict=True):
            model = LexicalModel.read(blobs, vocabularies)
            found.append((language, blobs))
            translated.append(TranslationsInto.of(language, model, own, sets, translations.in_file()))
            yield Progress("learning from translations, languages", len(found), len(languages))
    return Learned(found, translated, learner.vocabulary, next(iter(of_words), None))


_ASKED_AT_ONCE: Final = 50_000


def hear_witnesses(learned: Learned, asked: Sequence[PairDifferences], cores: int) -> Job[list[F64]]:
    """Ask the translations of all sentences of a language: of each list of pairs, these by TESTIMONY. Part of a job."""
    changed = [ChangedWords.of(pairs.changed, learned.vocabulary).in_file() for pairs in asked]
    for into in learned.into:  # once, and not in each copy
        into.model.prepare_for_many()
    parts = [(place, begin) for place, pairs in enumerate(asked) for begin in range(0, len(pairs.row), _ASKED_AT_ONCE)]

    def said_of(task: int) -> F64:
        language, part = divmod(task, len(parts))
        place, begin = parts[part]
        some = slice(begin, begin + _ASKED_AT_ONCE)
        words = changed[place].between(begin, begin + _ASKED_AT_ONCE)
        return learned.into[language].said_of(asked[place].seed[some], asked[place].other[some], words)

    heard = [OverLanguages(min(_ASKED_AT_ONCE, len(asked[place].row) - begin)) for place, begin in parts]
    tasks = len(learned.into) * len(parts)
    with closing(computed_in_order(said_of, tasks, cores)) as results:
        for task, figures in enumerate(results):
            heard[task % len(parts)].hear(figures)
            yield Progress("asking translations", task + 1, tasks)
    none = np.empty((0, len(TESTIMONY)))
    by_part = list(zip(parts, heard, strict=True))
    return [
        np.concatenate([none, *(each.testimony() for (own, _), each in by_part if own == place)])
        for place in range(len(asked))
    ]


def links_into(store: Store, language: str, links: TranslationLinks, number: int) -> TranslationPairs:
    """Those into one language, which has this number in ``links``."""
    of_language = links.language == number
    translations = distinct(links.translation[of_language])
    numbers, texts = zip(*sentences_after(store, language, 0), strict=True)
    chosen = [texts[place] for place in np.searchsorted(numbers, translations).tolist()]
    order = sorted(range(len(chosen)), key=chosen.__getitem__)
    rank = np.empty(len(chosen), dtype=np.int64)
    rank[order] = np.arange(len(chosen))
    place = np.searchsorted(translations, links.translation[of_language])
    return TranslationPairs(links.sentence[of_language], rank[place], [chosen[place] for place in order])
