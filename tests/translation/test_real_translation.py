"""What is translated of 510 sentences held out of Tatoeba; tests/benchmarks/translation_speed.py says how fast."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

import pytest

from corpusdb.base.text import normalise
from corpusdb.scoring.metrics.measures import measures
from corpusdb.scoring.metrics.registry import settings_for
from corpusdb.translation.analogies import open_analogies
from corpusdb.translation.examples import encode_texts, examples_of_pairs, hold_out
from corpusdb.translation.memory import open_memory

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "tatoeba"


def pairs(language: str) -> list[tuple[str, str]]:
    """The pairs of a language with English."""
    file = DATA / f"eng-{language}.tsv.gz"
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        next(lines)
        columns = (line.rstrip("\n").split("\t") for line in lines)
        read = [(normalise(each[1]), normalise(each[0])) for each in columns]
    return list(dict.fromkeys(pair for pair in read if all(pair)))


def score(metric: str, texts: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    (measure,) = measures([settings_for(metric, lowercase=True)], references)
    return float(measure.scores(measure.statistics(texts).sum(axis=0, keepdims=True))[0])


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "answered", "bleu", "both", "mwer"),
    [("fra", 0.22, 70, 28, 0.51), ("jpn", 0.05, 40, 18, 0.65)],
)
def test_held_out(language: str, answered: float, bleu: float, both: float, mwer: float) -> None:
    found = pairs(language)
    held_out = hold_out(found)
    examples = examples_of_pairs(pair for pair, kept in zip(found, held_out.training, strict=True) if kept)
    texts = encode_texts(examples.sources)
    by_analogy, by_memory = (
        [answers[0].text if (answers := rung.translations(source, 1)) else "" for source in held_out.sources]
        for rung in (open_analogies(examples, texts), open_memory(examples, texts))
    )
    covered = [place for place, text in enumerate(by_analogy) if text]
    assert len(covered) / len(by_analogy) >= answered
    own = [held_out.references[place] for place in covered]
    assert score("bleu", [by_analogy[place] for place in covered], own) >= bleu
    laddered = [first or second for first, second in zip(by_analogy, by_memory, strict=True)]
    assert score("bleu", laddered, held_out.references) >= both
    assert score("mwer", laddered, held_out.references) <= mwer
