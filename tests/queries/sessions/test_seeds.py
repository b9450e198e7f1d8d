"""Where seeds come from: one source, and samples that a seed repeats."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from corpora import generated_store, import_rows, random_rows

from corpusdb.base.errors import InputError, UsageError
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.filters import NSequenceFilter
from corpusdb.paraphrase.queries.paraphrases import paraphrases
from corpusdb.people.queries.sessions import SeedSource, distinct_seeds, sample_seeds, seeds_from

ROWS = random_rows(random.Random(11), 50)
TEXTS = sorted({row[0] for row in ROWS})


@pytest.fixture
def generated(tmp_path: Path) -> Iterator[Store]:
    with generated_store(tmp_path, ROWS) as opened:
        yield opened


@pytest.mark.parametrize("order", [0, 3, 6, 20])
def test_the_population_is_every_sentence_with_a_paraphrase(generated: Store, order: int) -> None:
    having = [text for text in TEXTS if paraphrases(generated, text, "eng", kept=NSequenceFilter(order))]
    assert len(having) > 0
    assert sorted(sample_seeds(generated, "eng", 1_000, 1, NSequenceFilter(order))) == having


def test_the_seed_decides_and_a_larger_sample_begins_with_the_smaller(generated: Store) -> None:
    ten = sample_seeds(generated, "eng", 10, seed=5)
    assert sample_seeds(generated, "eng", 10, seed=5) == ten
    assert sample_seeds(generated, "eng", 4, seed=5) == ten[:4]
    assert sample_seeds(generated, "eng", 10, seed=6) != ten


def test_each_source(generated: Store, tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("one\n\n two \n", encoding="utf-8")
    wanted: list[tuple[SeedSource, list[str], dict[str, object]]] = [
        (SeedSource(texts=("a", "b")), ["a", "b"], {}),
        (SeedSource(file=file), ["one", "", " two "], {"file": "seeds.txt"}),
        (SeedSource(search="a b"), [text for text in TEXTS if "a b" in text], {"search": "a b"}),
        (SeedSource(sample=3, seed=2), sample_seeds(generated, "eng", 3, 2), {"sample": 3, "seed": 2}),
    ]
    for source, seeds, described in wanted:
        found = seeds_from(generated, source, "eng")
        assert (sorted(found) if source.search else found) == seeds
        assert source.described == described


@pytest.mark.parametrize(
    ("lines", "texts", "told"),
    [
        (["a", "", "b", "a ", "c", "d"], ("a", "b", "c", "d"), "6 lines: 4 seeds, 1 blank, 1 double"),
        (["a", " a"], ("a",), "2 lines: 1 seed, 1 double"),
        (["a", "b"], ("a", "b"), ""),
    ],
)
def test_what_is_left_out_is_told(lines: list[str], texts: tuple[str, ...], told: str) -> None:
    found = distinct_seeds(lines)
    assert (found.texts, found.left_out) == (texts, told)
    assert found.lines == len(lines) == len(texts) + found.blank + found.double


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"texts": ("a",), "search": "b"},
        {"sample": 0},
        {"sample": 3, "seed": -1},
        {"file": Path("x"), "sample": 3},
    ],
)
def test_what_is_no_source(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        SeedSource(**given)


def test_where_nothing_is_found(empty: Store, tmp_path: Path) -> None:
    import_rows(empty, ROWS)
    with pytest.raises(InputError, match="no sentence in eng has a paraphrase at N = 20"):
        seeds_from(empty, SeedSource(sample=3), "eng")
    with pytest.raises(InputError, match="no sentence in eng holds 'zzz'"):
        seeds_from(empty, SeedSource(search="zzz"), "eng")
    with pytest.raises(InputError):
        seeds_from(empty, SeedSource(file=tmp_path / "none.txt"), "eng")
