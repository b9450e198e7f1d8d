"""What selection must show of real text: dialogues as the task, other sentences, news and meetings as the pool.

The sample of the task and the test set come from different dialogues, and no sentence of the test set is in the pool.
"""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest
from real_documents import LANGUAGES, dialogues, meetings, news, tatoeba

from corpusdb.base.charlm.costs import SubsetModels, task_counterparts, text_bits
from corpusdb.base.charlm.counts import Alphabet, normalised
from corpusdb.homogeneity.selection import curve, guard, moore_lewis_scores, random_scores, ranked

pytestmark = [pytest.mark.data, pytest.mark.slow]
SHARES = (0.1, 0.25, 0.5, 1.0)
RANDOM_DRAWS = 3
DIRECTIONS = (("dev", "test"), ("test", "dev"))


@cache
def perplexities(language: str) -> dict[str, list[float]]:
    """Of Moore-Lewis, of random selections, and of everything, at each share: means over both directions."""
    found: dict[str, list[list[float]]] = {"moore-lewis": [], "random": []}
    everything = []
    for seed, (sample_part, test_part) in enumerate(DIRECTIONS):
        rng = random.Random(seed)
        test = rng.sample(dialogues(language, test_part).texts, 510)
        sample = rng.sample(dialogues(language, sample_part).texts, 1_000)
        sentences = rng.sample(tatoeba("jpn", "english" if language == "en" else "translation"), 30_000)
        mixed = sentences + news(language).texts
        mixed += meetings(language, "dev").texts + meetings(language, "test").texts
        pool = [text for text in mixed if text not in set(test)]
        models = SubsetModels(pool, test, Alphabet.of(pool) | Alphabet.of(sample), 5)
        bits = text_bits(task_counterparts(sample, pool, 6, "mkn", seed), pool)
        allowed = guard(bits.characters, normalised(pool, "letters"))
        orders = {"moore-lewis": [ranked(moore_lewis_scores(bits.characters, *bits.bits), allowed)]}
        orders["random"] = [
            ranked(random_scores(len(pool), draw), np.ones(len(pool), dtype=np.bool_)) for draw in range(RANDOM_DRAWS)
        ]
        for method, own in orders.items():
            for order in own:
                points = curve(order, bits.characters, models.entropy, SHARES)
                found[method].append([point.perplexity for point in points])
        everything.append(models.perplexity(np.arange(len(pool))))
    means = {method: np.mean(values, axis=0).tolist() for method, values in found.items()}
    return {**means, "everything": [float(np.mean(everything))]}


@pytest.mark.parametrize("language", LANGUAGES)
def test_half_of_the_pool_by_moore_lewis_is_better_than_all_of_it(language: str) -> None:
    found = perplexities(language)
    assert found["moore-lewis"][SHARES.index(0.5)] < found["everything"][0]
    assert found["random"][-1] == pytest.approx(found["everything"][0], rel=1e-9)


def test_a_tenth_by_moore_lewis_is_better_than_a_quarter_at_random() -> None:
    found = perplexities("ja")
    assert found["moore-lewis"][SHARES.index(0.1)] < found["random"][SHARES.index(0.25)]
