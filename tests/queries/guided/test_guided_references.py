"""References generated for outputs, on the phrasebook, against what `paraphrases` says of each reference."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import finished
from corpusdb.base.tokenisation import tokeniser
from corpusdb.corpus.formats.records import ReferenceSet
from corpusdb.corpus.formats.scoring_input import Output
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.queries.filters import NO_FILTER, filter_at
from corpusdb.paraphrase.queries.paraphrases import paraphrases
from corpusdb.scoring.metrics.registry import settings_for
from corpusdb.scoring.metrics.trace import trace_segment
from corpusdb.scoring.queries.frozen_sets import Guidance, GuidedReferences, guided_references, reach_by_order
from corpusdb.scoring.queries.scoring_references import ScoringReferences

SEEDS = "select text from seed where language = 'eng' order by id limit 12"
CUT = tokeniser("13a")
ORDER = 3


@pytest.fixture
def phrasebook(finished_phrasebook: Path, tmp_path: Path) -> Iterator[Store]:
    with open_store(Path(shutil.copy(finished_phrasebook, tmp_path / "phrasebook.db"))) as store:
        yield store


def references(store: Store) -> list[str]:
    return [row[0] for row in store.connection.execute(SEEDS)]


def given(texts: list[str], sources: list[str] | None = None) -> ScoringReferences:
    known = sources or [""] * len(texts)
    sets = tuple(
        ReferenceSet(str(number), source, (text,))
        for number, (source, text) in enumerate(zip(known, texts, strict=True), 1)
    )
    return ScoringReferences(sets, (("given",),) * len(texts), "files", {"files": []})


def outputs(store: Store) -> list[Output]:
    """Two systems: one says the second best paraphrase of each reference, the other the words in another order."""
    texts = references(store)
    others = [[each.text for each in paraphrases(store, text, "eng", kept=NO_FILTER)][:2] for text in texts]
    said = tuple(found[-1] if found else text for found, text in zip(others, texts, strict=True))
    return [
        Output("good", Path("good.txt"), said),
        Output("bad", Path("bad.txt"), tuple(" ".join(reversed(text.split())) for text in texts)),
    ]


def guided(store: Store, systems: list[Output], *, limit: int = 0, order: int = 4) -> GuidedReferences:
    guidance = Guidance(
        language="eng",
        settings=settings_for("bleu", order=ORDER),
        kept=filter_at(order, min_validity=0.0),
        limit=limit,
    )
    return finished(guided_references(store, given(references(store)), systems, guidance))


def unmatched(systems: list[Output], segment: int, reference: str) -> set[tuple[str, ...]]:
    """By the trace, which counts n-grams in another way."""
    traces = [trace_segment(CUT(each.texts[segment]), [CUT(reference)], ORDER) for each in systems]
    return {ngram.units for trace in traces for ngram in trace.ngrams if not any(ngram.in_references)}


def matches(text: str, ngrams: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
    trace = trace_segment(CUT(text), [()], ORDER)
    return {each.units for each in trace.ngrams} & ngrams


def test_the_chosen_are_the_paraphrases_that_match_something_missed(phrasebook: Store) -> None:
    systems = outputs(phrasebook)
    found = guided(phrasebook, systems)
    assert found.chosen > 10
    for segment, (each, reference) in enumerate(zip(found.segments, references(phrasebook), strict=True)):
        missed = unmatched(systems, segment, reference)
        ranked = paraphrases(phrasebook, reference, "eng", limit=0, kept=filter_at(4, min_validity=0.0))
        wanted = [one for one in ranked if matches(one.text, missed)]
        wanted.sort(key=lambda one: (-one.score, -one.frequency, one.text))
        assert each.unmatched == missed
        assert [one.text for one in each.chosen] == [one.text for one in wanted]
        assert [one.validity for one in each.chosen] == [one.validity for one in wanted]
        assert each.by_chosen == {ngram for one in wanted for ngram in matches(one.text, missed)}
        every = paraphrases(phrasebook, reference, "eng", limit=0, kept=NO_FILTER)
        assert each.by_any == {ngram for one in every for ngram in matches(one.text, missed)}


def test_what_another_output_says_changes_no_order(phrasebook: Store) -> None:
    """Evidence alone ranks: outputs only decide which paraphrases are looked at."""
    good, bad = outputs(phrasebook)
    both, one = guided(phrasebook, [good, bad]), guided(phrasebook, [good])
    for wide, narrow in zip(both.segments, one.segments, strict=True):
        assert [each for each in wide.chosen if each in narrow.chosen] == list(narrow.chosen)
    assert both.chosen >= one.chosen


def test_the_limit_takes_the_first(phrasebook: Store) -> None:
    systems = outputs(phrasebook)
    every, two = guided(phrasebook, systems), guided(phrasebook, systems, limit=2)
    assert [each.chosen for each in two.segments] == [each.chosen[:2] for each in every.segments]
    assert [each.by_passing for each in two.segments] == [each.by_passing for each in every.segments]
    assert two.candidates == every.candidates > two.chosen


def test_reach_counts_ngrams_and_segments(phrasebook: Store) -> None:
    found = guided(phrasebook, outputs(phrasebook), limit=1, order=8)
    rows = reach_by_order(found.segments, ORDER)
    assert [row.order for row in rows] == [1, 2, 3]
    assert sum(row.ngrams for row in rows) == sum(len(each.unmatched) for each in found.segments)
    assert sum(row.by_chosen for row in rows) == sum(len(each.by_chosen) for each in found.segments) > 0
    for row in rows:
        assert row.ngrams >= row.by_any >= row.by_passing >= row.by_chosen
        assert row.segments >= row.segments_by_any >= row.segments_by_passing >= row.segments_by_chosen


def test_outputs_that_miss_nothing_need_no_reference(phrasebook: Store) -> None:
    same = Output("same", Path("same.txt"), tuple(references(phrasebook)))
    found = guided(phrasebook, [same])
    assert (found.chosen, found.candidates) == (0, 0)
    assert {row.ngrams for row in reach_by_order(found.segments, ORDER)} == {0}


def test_what_people_wrote_for_the_source_comes_first(phrasebook: Store) -> None:
    """The corpus has the source: its translations are candidates, though the reference is not in the corpus."""
    query = (
        "select source.text, sentence.text from sentence join translation on translation.sentence = sentence.id"
        " join sentence source on source.id = translation.translation and source.language = 'jpn'"
        " where sentence.language = 'eng' order by sentence.id limit 1"
    )
    source, written = phrasebook.connection.execute(query).fetchone()
    guidance = Guidance(language="eng", settings=settings_for("bleu"), kept=NO_FILTER, limit=0)
    system = Output("said", Path("said.txt"), (written,))
    reference = given(["Nobody ever said quite this."], [source])
    (segment,) = finished(guided_references(phrasebook, reference, [system], guidance)).segments
    people = [each for each in segment.chosen if each.origins[0] == "original"]
    assert written in [each.text for each in people]
    assert segment.chosen[: len(people)] == tuple(people)
    assert {each.validity for each in people} == {None}


def test_calls_that_make_no_sense(phrasebook: Store) -> None:
    one = outputs(phrasebook)[0]
    for systems, reason in (([], "no output is given"), ([one, one], "given twice")):
        with pytest.raises(UsageError, match=reason):
            guided(phrasebook, systems)


def test_the_guidance_comes_back_from_its_document() -> None:
    guidance = Guidance(
        language="eng",
        settings=settings_for("bleu", order=2, tokenisation="intl", lowercase=True),
        kept=filter_at(8, min_validity=0.9),
        limit=3,
    )
    assert Guidance.of(guidance.document()) == guidance
    characters = Guidance(language="jpn", settings=settings_for("bleu", unit="char"), kept=NO_FILTER)
    assert Guidance.of(characters.document()) == characters
