"""What this room must show of real text: the coefficients of Denoual's Table 1, known-similarity corpora, outliers.

The bounds are those of the paper's table and of what was asked, with references that share no document with what is
measured. No figure here was used to set anything in the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from real_documents import LANGUAGES, Documents, dialogues, meetings, news, phrasebook, tatoeba

from corpusdb.base.arrays import F64
from corpusdb.base.charlm.costs import equal_references, text_bits
from corpusdb.base.charlm.counts import Alphabet, train
from corpusdb.base.charlm.smoothing import Model, model_of
from corpusdb.base.stats.estimates import pearson
from corpusdb.homogeneity.scale import Anchors, Statistics, coefficients, summary
from corpusdb.homogeneity.similarity import (
    character_ngrams,
    chi_square_by_df,
    distance_table,
    judged,
    mixtures,
    of_features,
)

pytestmark = pytest.mark.data
MOST = 150_000


@dataclass(frozen=True)
class Scale:
    """Conversation to news, order 5 and Witten-Bell: dialogues and, where asked, meetings against half of the news."""

    models: tuple[Model, ...]
    anchors: Anchors

    def statistics(self, texts: Sequence[str]) -> Statistics:
        return _statistics(self.models, texts)

    def documents(self, measured: Documents) -> F64:
        count = int(measured.owners.max()) + 1
        return coefficients(self.statistics(measured.texts).grouped(measured.owners, count), self.anchors).values


def _statistics(models: Sequence[Model], texts: Sequence[str]) -> Statistics:
    bits = text_bits(models, texts)
    return Statistics(bits.characters, *bits.bits)


@cache
def scale(language: str, with_meetings: bool) -> Scale:
    spoken = dialogues(language, "dev")
    if with_meetings:
        spoken += meetings(language, "dev")
    sides = equal_references([spoken.texts, news(language).half(0).texts], 1, MOST)
    alphabet = Alphabet.of(sides[0]) | Alphabet.of(sides[1])
    models = tuple(model_of(train(side, alphabet, 5), "wb") for side in sides)
    return Scale(models, Anchors.of(*(_statistics(models, side) for side in sides)))


@pytest.mark.parametrize("with_meetings", [False, True])
@pytest.mark.parametrize(("language", "least", "most"), [("en", 0.25, 0.32), ("ja", 0.33, 0.38)])
def test_topics_of_the_phrasebook_are_where_those_of_the_paper_are(
    language: str, least: float, most: float, with_meetings: bool
) -> None:
    found = summary(scale(language, with_meetings).documents(phrasebook(language)))
    assert found.entries == 8
    assert found.mean is not None and least <= found.mean <= most
    assert found.sd is not None and found.sd <= 0.04


@pytest.mark.parametrize("with_meetings", [False, True])
def test_lines_spread_as_those_of_the_paper_do(with_meetings: bool) -> None:
    own = scale("en", with_meetings)
    found = summary(coefficients(own.statistics(tatoeba("jpn")), own.anchors))
    assert found.sd is not None and 0.12 <= found.sd <= 0.17
    assert 0 < found.undefined + found.clipped <= 0.03 * found.entries


@pytest.mark.parametrize("with_meetings", [False, True])
def test_dialogues_stand_alike_in_both_languages(with_meetings: bool) -> None:
    english, japanese = (scale(each, with_meetings).documents(dialogues(each, "test")) for each in LANGUAGES)
    assert len(english) == len(japanese) == 69
    correlation = pearson(english, japanese)
    assert correlation is not None and correlation >= 0.7


def both(name: str, language: str) -> tuple[list[str], list[str]]:
    spoken = dialogues(language, "dev").texts + dialogues(language, "test").texts
    if name == "news":
        return spoken, news(language).texts
    return spoken, meetings(language, "dev").texts + meetings(language, "test").texts


def sizes(texts: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array([len(text) for text in texts])


@pytest.mark.parametrize("other", ["news", "meetings"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_chi_square_of_trigrams_knows_which_mixtures_are_alike(language: str, other: str) -> None:
    first, second = both(other, language)
    distance = of_features(character_ngrams(first + second, 3), chi_square_by_df)
    for seed in range(3):
        mixed = [mixture.texts for mixture in mixtures(sizes(first), sizes(second), seed)]
        assert judged(distance_table(mixed, distance)).share >= 0.99


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_coefficient_knows_it_on_its_own_axis(language: str) -> None:
    own = scale(language, False)
    first, second = dialogues(language, "test").texts, news(language).half(1).texts
    texts, lines = first + second, own.statistics(first + second)
    for seed in range(3):
        owners = np.full(len(texts), 8)  # the last group is what is in no mixture
        for number, mixture in enumerate(mixtures(sizes(first), sizes(second), seed)):
            owners[mixture.texts] = number
        values = coefficients(lines.grouped(owners, 9), own.anchors).values[:8]
        assert judged(np.abs(np.subtract.outer(values, values))).share >= 0.99
