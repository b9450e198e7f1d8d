"""One pivot language that does not see all that a paraphrase may change: nothing is more than half probable there."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import pytest
from corpora import Row, derived_rows, import_rows, judged_rows, new_store, random_rows

from corpusdb.base.fluency_orders import ONE_PIVOT
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.importing import update_layers
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries import validity_update
from corpusdb.paraphrase.queries.filters import NO_FILTER
from corpusdb.paraphrase.queries.paraphrases import paraphrases
from corpusdb.paraphrase.queries.validity_rows import validity_pivots

_VALIDITIES = """
select 'candidate', seed.text, candidate.text, validity from candidate
join seed on seed.id = candidate.seed and seed.language = 'fra'
union all
select 'paraphrase', sentence.text, other.text, validity from paraphrase
join sentence on sentence.id = paraphrase.sentence and sentence.language = 'fra'
join sentence other on other.id = paraphrase.paraphrase
union all
select 'rewording', sentence.text, rewording.text, validity from rewording
join sentence on sentence.id = rewording.sentence and sentence.language = 'fra'
order by 1, 2, 3
"""


def rows(number: int) -> list[Row]:
    return random_rows(random.Random(number), 60, pivots=8)


def in_other_words(given: Iterable[Row]) -> list[Row]:
    return [(text, f"u{translation}") for text, translation in given]


def made(store: Store, languages: str, number: int) -> Store:
    """A French corpus with its paraphrases, whose translations are into these languages."""
    for language in languages.split():
        import_rows(store, in_other_words(rows(number)) if language == "deu" else rows(number), ("fra", language))
    finished(generate(store, "fra"))
    return store


def validities(store: Store) -> dict[tuple[str, str, str], float]:
    return {tuple(row[:3]): row[3] for row in store.connection.execute(_VALIDITIES)}


def test_a_pivot_that_does_not_see_all_halves_every_validity(tmp_path: Path) -> None:
    with new_store(tmp_path, "blind") as blind, new_store(tmp_path, "seeing") as seeing:
        halved, whole = validities(made(blind, "eng", 2)), validities(made(seeing, "ita", 2))
        assert {name for name, *_ in halved} >= {"candidate", "paraphrase"}
        assert max(halved.values()) <= ONE_PIVOT < max(whole.values())
        assert halved == pytest.approx({pair: ONE_PIVOT * each for pair, each in whole.items()}, abs=1e-4)
        (known, other) = (validity_pivots(store, "fra") for store in (blind, seeing))
        assert known is not None
        assert other is not None
        assert (known.languages, known.unseen[:2], other.languages, other.unseen) == (
            ("eng",),
            ("address", "gender"),
            ("ita",),
            (),
        )
        seeds = ["c c b a a.", *(text for text, _ in rows(3))]
        found = [each for seed in seeds for each in paraphrases(blind, seed, "fra", limit=0, kept=NO_FILTER)]
        assert max(each.score for each in found if each.validity is not None) <= ONE_PIVOT, "of unseen seeds, too"


@pytest.mark.parametrize("few", [0, 10**9])
@pytest.mark.parametrize("number", range(3))
def test_another_pivot_language_lifts_it_as_a_rebuild_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, few: int
) -> None:
    """Also in a corpus that is large enough to have little that is new judged in place."""
    monkeypatch.setattr(validity_update, "_FEW", few)
    monkeypatch.setattr(validity_update, "_LITTLE", 1.0)
    with new_store(tmp_path, "grown") as grown, new_store(tmp_path, "rebuilt") as rebuilt:
        made(grown, "eng", number)
        assert max(validities(grown).values()) <= ONE_PIVOT
        import_rows(grown, in_other_words(rows(number)), ("fra", "deu"))
        finished(update_layers(grown))
        made(rebuilt, "eng deu", number)
        assert max(validities(grown).values()) > ONE_PIVOT, "an import brings it up to date"
        assert validities(grown) == validities(rebuilt)
        assert (derived_rows(grown), judged_rows(grown)) == (derived_rows(rebuilt), judged_rows(rebuilt))
