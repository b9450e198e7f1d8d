"""Processor time and memory of character models, and the curves of selection, on the shared corpora.

    python tests/benchmarks/homogeneity.py profile|train|kenlm
    python tests/benchmarks/homogeneity.py selection en|ja [--cynical w|12|234]

profile: all English sentences of Tatoeba under two reference models, normalised and measured in parts. train: a
Kneser-Ney model of order 6 of all of them. kenlm: one model scores them here and, read as ARPA, in kenlm, if that is
installed. selection: perplexity of dialogues by amount of a mixed pool, ten amounts by five random draws and the
methods; --cynical adds the greedy choice by words (w) or by runs of so many characters (12: of one and of two), up to
5 % of the pool.
"""

from __future__ import annotations

import argparse
import math
import random
import re
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "oracles"))
from real_documents import dialogues, distinct_sentences, meetings, news, tatoeba

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.char_model_counts import Alphabet, normalised, train
from corpusdb.base.char_model_probabilities import (
    LINES_AT_A_TIME,
    Model,
    SubsetModels,
    arpa_lines,
    arpa_token,
    measured,
    model_of,
    task_counterparts,
    text_bits,
)
from corpusdb.homogeneity.scale import (
    SHARES,
    Anchors,
    Statistics,
    closest_scores,
    coefficients,
    curve,
    cynical_order,
    guard,
    moore_lewis_scores,
    random_scores,
    ranked,
)
from corpusdb.homogeneity.similarity import Features, character_ngrams, feature_counts, tokens

DRAWS = 5


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Print the processor time of what is inside, and the most memory that the process has had."""
    begun = time.process_time()
    yield
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{what}: {time.process_time() - begun:.2f} CPU s, at most {most:.0f} MB so far")


def english() -> list[str]:
    """The distinct English sentences of all four pairs, as they are in the files."""
    return list(dict.fromkeys(text for pair in ("fra", "deu", "jpn", "cmn") for text in distinct_sentences(pair)))


def references(language: str) -> list[Model]:
    """Conversation and news, order 5."""
    sides = [dialogues(language, "dev").texts, news(language).half(0).texts]
    alphabet = Alphabet.of(sides[0]) | Alphabet.of(sides[1])
    return [model_of(train(side, alphabet, 5), "wb") for side in sides]


def profile() -> None:
    texts = english()
    with timed("two reference models"):
        models = references("en")
    characters = 0
    with timed(f"{len(texts)} sentences normalised and measured under both"):
        for start in range(0, len(texts), LINES_AT_A_TIME):
            for _, part in measured(models, normalised(texts[start : start + LINES_AT_A_TIME], "case")):
                characters += int(part.characters.sum())
    print(f"{characters} characters")


def train_all() -> None:
    texts = english()
    with timed("normalised"):
        texts = normalised(texts, "case")
    with timed("alphabet, counts of order 6, Kneser-Ney"):
        model = model_of(train(texts, Alphabet.of(texts), 6), "mkn")
    print([len(keys) for keys in model.keys], "n-grams")


def beside_kenlm() -> None:
    import kenlm  # type: ignore[import-not-found]  # an oracle that need not be there

    texts = [text for text in normalised(english(), "case") if text]
    model = model_of(train(texts, Alphabet.of(texts), 5), "mkn")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.arpa"
        path.write_text("\n".join([*arpa_lines(model), ""]), encoding="utf-8")
        theirs = kenlm.Model(str(path))
    spelled = [" ".join(map(arpa_token, text)) for text in texts]
    with timed("here, from the texts"):
        bits = text_bits([model], texts)
    with timed("kenlm, a call for each text, its characters spelled out beforehand"):
        scores = [theirs.score(text) for text in spelled]
    ours = -(bits.bits[0] + bits.end_bits[0]) / math.log2(10)
    print(f"largest difference of a text: {np.abs(ours - scores).max():.2g} in log10")


def mixed_pool(language: str) -> tuple[list[str], list[str], list[str]]:
    """Pool, sample of the task, test set."""
    rng = random.Random(0)
    test = rng.sample(dialogues(language, "test").texts, 510)
    sample = rng.sample(dialogues(language, "dev").texts, 1_000)
    sentences = rng.sample(tatoeba("jpn", "english" if language == "en" else "translation"), 30_000)
    mixed = sentences + news(language).texts + meetings(language, "dev").texts + meetings(language, "test").texts
    return [text for text in mixed if text not in set(test)], sample, test


def coefficient_scores(language: str, pool: list[str], sample: list[str]) -> F64:
    """How far the coefficient of each text is from the task's, between dialogues and news."""
    sides = [dialogues(language, "dev").texts, news(language).half(0).texts]
    models = references(language)
    anchors = Anchors.of(*(_statistics(models, side) for side in sides))
    task = float(coefficients(_statistics(models, sample).total(), anchors).values[0])
    return closest_scores(coefficients(_statistics(models, pool), anchors).values, task)


def _statistics(models: Sequence[Model], texts: Sequence[str]) -> Statistics:
    bits = text_bits(models, texts)
    return Statistics(bits.characters, *bits.bits)


def joined(parts: Sequence[Features]) -> Features:
    """Features of several kinds of the same texts as one: those of a text are all that it has of each kind."""
    before = np.cumsum([0, *(part.distinct for part in parts)])
    owners = np.concatenate([np.repeat(np.arange(len(part.lengths)), part.lengths) for part in parts])
    numbers = np.concatenate([part.numbers + offset for part, offset in zip(parts, before[:-1], strict=True)])
    lengths = np.sum([part.lengths for part in parts], axis=0)
    order = np.argsort(owners, kind="stable")
    return Features(numbers[order], np.cumsum(lengths) - lengths, lengths, int(before[-1]))


def greedy(pool: list[str], sample: list[str], allowed: Bools, characters: I64, runs: str) -> I64:
    both = [*pool, *sample]
    if runs == "w":
        features = tokens(re.findall(r"\w+|[^\w\s]", text) for text in both)
    else:
        features = joined([character_ngrams(both, int(size)) for size in runs])
    task = feature_counts(features, np.arange(len(pool), len(both)))
    left = [0.051 * float(characters.sum())]

    def enough(place: int) -> bool:
        left[0] -= float(characters[place])
        return left[0] < 0

    return cynical_order(features.first(len(pool)), task, allowed, enough).order


def selection(language: str, cynical: Sequence[str]) -> None:
    pool, sample, test = mixed_pool(language)
    with timed("the whole study of the curves"):
        models = SubsetModels(pool, test, Alphabet.of(pool) | Alphabet.of(sample), 5)
        bits = text_bits(task_counterparts(sample, pool, 6, "mkn", 1), pool)
        allowed = guard(bits.characters, normalised(pool, "letters"))
        orders = {
            "coefficient": ranked(coefficient_scores(language, pool, sample), allowed),
            "moore-lewis": ranked(moore_lewis_scores(bits.characters, *bits.bits), allowed),
        }
        for draw in range(DRAWS):
            orders[f"random {draw}"] = ranked(random_scores(len(pool), draw), np.ones(len(pool), dtype=np.bool_))
        print(f"{'%':12}", *(f"{100 * share:8.4g}" for share in SHARES))
        for method, order in orders.items():
            points = curve(order, bits.characters, models.entropy)
            print(f"{method:12}", *(f"{2**point.bits:8.3f}" for point in points))
    for runs in cynical:
        with timed(f"greedy choice of 5 % by {runs}"):
            order = greedy(pool, sample, allowed, bits.characters, runs)
        points = curve(order, bits.characters, models.entropy, [share for share in SHARES if share <= 0.05])
        print(f"{'cynical ' + runs:12}", *(f"{2**point.bits:8.3f}" for point in points))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["profile", "train", "kenlm", "selection"])
    parser.add_argument("language", nargs="?", default="en", choices=["en", "ja"])
    parser.add_argument("--cynical", action="append", default=[])
    chosen = parser.parse_args()
    match chosen.part:
        case "profile":
            profile()
        case "train":
            train_all()
        case "kenlm":
            beside_kenlm()
        case "selection":
            selection(chosen.language, chosen.cynical)


if __name__ == "__main__":
    main()
