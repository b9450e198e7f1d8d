"""Filters: the same in SQL as in Python, the reasons they give, and a new one that everything takes."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from corpora import generated_store, random_rows
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.corpus.model import Finding
from corpusdb.corpus.orders import NO_LIMIT
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.differences import change_of
from corpusdb.paraphrase.queries import filters as registry
from corpusdb.paraphrase.queries.candidates import setting
from corpusdb.paraphrase.queries.filters import (
    DEFAULT_FILTER,
    FILTERS,
    NO_FILTER,
    AllOf,
    Filter,
    NSequenceFilter,
    differs_in_final_marks,
    differs_in_final_marks_sql,
    filter_at,
    filter_from,
    format_relaxations,
    relaxations,
)
from corpusdb.paraphrase.queries.origins.origin import Seed, SeedGeneration, find_seed
from corpusdb.paraphrase.queries.origins.registry import ORIGINS
from corpusdb.paraphrase.queries.paraphrases import paraphrases
from corpusdb.paraphrase.queries.statistics import (
    corpus_statistics,
    exchanged_pairs,
    generation_counts,
    kept_variation,
)
from corpusdb.paraphrase.ranking import merge, rank_key
from corpusdb.people.queries.samples import Kind, SampleOptions, draw_sample
from corpusdb.people.queries.sessions import sample_seeds
from corpusdb.scoring.queries.reference_sets import Recipe, attributed_sets
from corpusdb.studies.queries.reference_sets import SetSelection, generated_sets

# Filters: the same in SQL as in Python, and a new one that everything takes.


@dataclass(frozen=True, slots=True)
class LengthFilter(Filter):
    """At most so many characters."""

    longest: int

    def condition(self, row: str) -> str:
        return f"length({row}.text) < :longest or length({row}.text) = :longest"

    @property
    def values(self) -> Mapping[str, object]:
        return {"longest": self.longest}

    def accepts(self, finding: Any) -> bool:
        return len(finding.text) <= self.longest

    def document(self) -> dict[str, object]:
        return {"longest": self.longest}

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Filter | None:
        return cls(document["longest"]) if "longest" in document else None


@dataclass(frozen=True, slots=True)
class FrequencyFilter(Filter):
    """At least so many analogies."""

    least: int

    def condition(self, row: str) -> str:
        return f"{row}.frequency >= :least_frequency"

    @property
    def values(self) -> Mapping[str, object]:
        return {"least_frequency": self.least}

    def accepts(self, finding: Any) -> bool:
        return bool(finding.frequency >= self.least)

    def document(self) -> dict[str, object]:
        return {"least_frequency": self.least}

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Filter | None:
        return cls(document["least_frequency"]) if "least_frequency" in document else None


VARIOUS: list[Filter] = [
    *(NSequenceFilter(order, marks) for order in (0, 2, 5, 20) for marks in (True, False)),
    *(NSequenceFilter(order, marks, 0.4) for order in (0, 5, 20) for marks in (True, False)),
    NSequenceFilter(3, min_validity=1e-4),
    NSequenceFilter(5, min_validity=0.6, address="any"),
    NSequenceFilter(0, min_validity=0.9, final_marks=False, address="any"),
    LengthFilter(5),
    FrequencyFilter(2),
    AllOf(()),
    AllOf((NSequenceFilter(3), LengthFilter(5))),
    AllOf((LengthFilter(9), NSequenceFilter(4, min_validity=0.3))),
    AllOf((LengthFilter(7), FrequencyFilter(1), NSequenceFilter(2, marks=False))),
]


Corpora: TypeAlias = Callable[[int], Store]


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[Corpora]:
    """By a number a corpus of random sentences."""
    with ExitStack() as opened:
        yield lambda number: opened.enter_context(generated_store(tmp_path, random_rows(random.Random(number), 40)))


_NAMES = count()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with generated_store(tmp_path_factory.mktemp("filters"), random_rows(random.Random(2), 40)) as opened:
        yield opened


@pytest.mark.parametrize("number", range(5))
def test_sql_and_python_say_the_same(corpus: Corpora, number: int) -> None:
    store = corpus(number)
    sentences = [text for (text,) in store.connection.execute("select text from sentence where language = 'eng'")]
    some = 0
    for origin in ORIGINS.values():
        found = [(each, seed) for seed in sentences for each in origin.findings(store, find_seed(store, "eng", seed))]
        for kept in VARIOUS:
            accepted = {(each.text, seed) for each, seed in found if kept.accepts(each)}
            pairs = list(origin.pairs(store, "eng", kept))
            assert set(pairs) == accepted
            assert len(pairs) == len(accepted)
            assert sorted(origin.texts(store, "eng", kept)) == sorted({text for text, _ in accepted})
            assert sorted(origin.seeds(store, "eng", kept)) == sorted({seed for _, seed in accepted})
            some += 0 < len(accepted) < len(found)
    assert some > len(VARIOUS) // 2, "the filters leave some and take some"


@dataclass(frozen=True, slots=True)
class Said:
    """The filter by its documentation, with nothing but comparisons."""

    kept: NSequenceFilter

    def accepts(self, reached: int, validity: float | None, replacement: int | None, gain: float | None) -> bool:
        least = order = self.kept.order
        if self.kept.min_validity > 0 and order:
            if gain is not None and gain < -5:
                return False
            if replacement or (gain is not None and gain >= 0):
                least = (order + 1) // 2
            if replacement is not None and replacement >= 4:
                is_sure = replacement == 5 and gain is not None and gain >= -0.5
                least = (order + 9) // 10 if is_sure else (order + 3) // 4
        return reached >= least and (validity is None or validity >= self.kept.min_validity)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(3))
def test_every_kind_of_row_passes_in_sql_as_in_python_and_as_is_said(corpus: Corpora, number: int) -> None:
    """Whatever the fluency, the validity, which may be unknown, and whether it is a replacement, of which too."""
    store, chance = corpus(number), random.Random(number)
    ids = [each for (each,) in store.connection.execute("select id from candidate")]
    for each in ids:
        figures = chance.randint(0, 12), chance.randint(0, 12), chance.choice([None, 0.0, 0.4, 0.5, 0.95, 1.0])
        columns = setting("fluency", "inner_fluency", "validity", "replacement", "word_gain")
        more = chance.choice([None, 0, 1, 4, 5]), chance.choice([None, -5.1, -5.0, -1.0, -0.5, 0.0])
        store.connection.execute(f"update candidate set {columns} where id = ?", (*figures, *more, each))
    columns = "candidate.text, fluency, inner_fluency, validity, replacement, word_gain"
    rows = store.connection.execute(
        f"select seed.text, {columns} from candidate join seed on seed.id = candidate.seed"
    ).fetchall()
    counts = set()
    for order in (0, 1, 4, 5, 9, 12, 20):
        for marks in (True, False):
            for least in (0.0, 0.4, 0.95, 1.0):
                kept = NSequenceFilter(order, marks, least)
                said = {
                    (text, seed)
                    for seed, text, fluency, inner, *judged in rows
                    if Said(kept).accepts(fluency if marks else inner, *judged)
                }
                found = ORIGINS["analogy"]
                assert set(found.pairs(store, "eng", kept)) == said
                assert said == {
                    (each.text, seed)
                    for seed in {row[0] for row in rows}
                    for each in found.findings(store, find_seed(store, "eng", seed))
                    if kept.accepts(each)
                }
                assert generation_counts(store, "eng", kept).kept == len(said)
                counts.add(len(said))
    assert len(counts) > 10 and {0, len(rows)} <= counts


def test_the_order_that_will_do_for_replacements() -> None:
    orders = (0, 1, 2, 5, 20, 21)
    halves = [NSequenceFilter(each, min_validity=0.5).orders for each in orders]
    assert halves == [(0, 0, 0), (1, 1, 1), (1, 1, 1), (3, 2, 1), (10, 5, 2), (11, 6, 3)]
    assert [NSequenceFilter(each).orders[0] for each in orders] == list(orders), "the paper's filter"
    assert filter_at(0) == NO_FILTER
    usual = DEFAULT_FILTER.min_validity
    assert filter_at(7) == NSequenceFilter(7, min_validity=usual, final_marks=False)
    assert filter_at(7, final_marks=True) == NSequenceFilter(7, min_validity=usual)
    assert filter_at(7, marks=False, min_validity=0) == NSequenceFilter(7, marks=False, final_marks=False)
    assert filter_at(0, min_validity=0.5) == NSequenceFilter(0, min_validity=0.5, final_marks=False)
    assert filter_at(7, address="any") == NSequenceFilter(7, True, usual, final_marks=False, address="any")


GAINS = st.sampled_from([None, -5.01, -5.0, -0.51, -0.5, -0.01, 0.0, 2.0])


@given(
    st.integers(0, 25),
    st.booleans(),
    st.tuples(st.sampled_from([0.0, 0.3, 0.5, 0.95, 1.0]), st.sampled_from([0.0, 0.3, 0.5, 0.95, 1.0])),
    st.lists(
        st.tuples(
            st.integers(0, 25) | st.just(NO_LIMIT),
            st.integers(0, 25) | st.just(NO_LIMIT),
            st.none() | st.floats(0, 1),
            st.integers(0, 5),
            GAINS,
        )
    ),
)
def test_a_lower_threshold_keeps_all_that_a_higher_one_keeps(
    order: int, marks: bool, thresholds: tuple[float, float], rows: list[tuple[Any, ...]]
) -> None:
    lower, higher = (filter_at(order, marks=marks, min_validity=each) for each in sorted(thresholds))
    figures = ("fluency", "inner_fluency", "validity", "replacement", "word_gain")
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"create table made ({', '.join(figures)})")
        connection.executemany("insert into made values (?, ?, ?, ?, ?)", rows)

        def passing(kept: NSequenceFilter) -> set[int]:
            found = f"select rowid, {', '.join(figures)}, 0 as only_marks from made"
            statement = f"select rowid from ({found}) row where {kept.condition('row')}"
            return {number for (number,) in connection.execute(statement, dict(kept.values))}

        assert passing(higher) <= passing(lower)
        for kept in (lower, higher):
            assert passing(kept) == {
                number
                for number, row in enumerate(rows, 1)
                if kept.accepts(Finding("analogy", "", 0, **dict(zip(figures, row, strict=True))))
            }


@pytest.mark.parametrize(("order", "validity"), [(20, -0.1), (20, 1.1), (20, float("nan")), (-1, 0.5)])
def test_figures_that_there_are_not(order: int, validity: float) -> None:
    told = "the least validity is from 0 to 1" if order > 0 else "the order of the filter is 0 or more, not -1"
    with pytest.raises(UsageError, match=told):
        NSequenceFilter(order, min_validity=validity)


@pytest.mark.parametrize(
    "kept", [pytest.param(each, marks=pytest.mark.slow if at % 12 else ()) for at, each in enumerate(VARIOUS)], ids=str
)
def test_the_same_is_kept_everywhere(store: Store, monkeypatch: pytest.MonkeyPatch, kept: Filter) -> None:
    monkeypatch.setattr(registry, "FILTERS", [*FILTERS, LengthFilter, FrequencyFilter])
    sentences = [text for (text,) in store.connection.execute("select text from sentence where language = 'eng'")]
    ranked = {seed: paraphrases(store, seed, "eng", limit=0, kept=NO_FILTER) for seed in sentences}
    passing = {seed: [each for each in found if kept.passes(each)] for seed, found in ranked.items()}
    generated = [(seed, each.text) for seed, found in passing.items() for each in found if "analogy" in each.origins]
    for seed, found in passing.items():
        given = paraphrases(store, seed, "eng", limit=0, kept=kept)
        assert sorted(each.text for each in given) == sorted(each.text for each in found)
    counts = generation_counts(store, "eng", kept)
    assert 0 < counts.kept <= counts.candidates
    analogies = {(seed, text) for seed, text in generated if kept.accepts(by_analogy(ranked, seed, text))}
    assert (counts.kept, counts.kept_seeds) == (len(analogies), len({seed for seed, _ in analogies}))
    assert counts.distinct == len({text for _, text in analogies})
    sets, _ = generated_sets(store, "eng", SetSelection(kept, sample=0))
    assert {(each.seed, text) for each in sets for text in each.paraphrases} == analogies
    assert sorted(sample_seeds(store, "eng", 1000, 1, kept)) == sorted(seed for seed in sentences if passing[seed])
    kinds: list[Kind] = ["grammaticality", "meaning"]
    for kind in kinds:
        drawn = draw_sample(store, f"{kind} {next(_NAMES)}", SampleOptions(kind, "eng", 10_000, seed=1, kept=kept))
        items = store.connection.execute("select seed_text, text from sample_item where sample = ?", (drawn.id,))
        wanted = analogies if kind == "meaning" else {(None, text) for _, text in analogies}
        assert set(items.fetchall()) == wanted
        assert drawn.population == len(wanted)
    recipe = Recipe(language="eng", kept=kept, limit=0)
    assert recipe.document() == recipe.document() | kept.document()
    for each in (recipe, Recipe.of(recipe.document())):
        for made in finished(attributed_sets(store, sentences, each)):
            others = {reference.text for reference in made.references} - {made.source}
            assert others == {one.text for one in passing[made.source]}


def by_analogy(ranked: Mapping[str, Any], seed: str, text: str) -> Any:
    """What analogy says of a paraphrase."""
    (paraphrase,) = (each for each in ranked[seed] if each.text == text)
    (finding,) = (each for each in paraphrase.findings if each.origin == "analogy")
    return finding


def test_seeds_of_a_session_are_filtered_with_or_without_the_marks(corpus: Corpora) -> None:
    """Found by reading: the seeds of a sample knew the order with the marks only, whatever was asked for."""
    store = corpus(1)
    store.connection.executescript("delete from paraphrase; delete from rewording;")
    store.connection.execute("update candidate set fluency = 2, inner_fluency = 7")
    everything = sample_seeds(store, "eng", 1000, 1, NO_FILTER)
    assert sample_seeds(store, "eng", 1000, 1, NSequenceFilter(7, marks=False)) == everything
    assert sample_seeds(store, "eng", 1000, 1, NSequenceFilter(2)) == everything
    with pytest.raises(InputError, match="no sentence in eng has a paraphrase at N = 7"):
        sample_seeds(store, "eng", 1000, 1, NSequenceFilter(7))


def test_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    assert NSequenceFilter(7).document() == {"order": 7}, "as recipes and samples have it since the first version"
    assert filter_from({"order": 7, "limit": 3}) == NSequenceFilter(7)
    assert filter_from({"order": 7, "marks": False}) == NSequenceFilter(7, marks=False)
    asked = NSequenceFilter(7, min_validity=0.9, address="any")
    assert asked.document() == {"order": 7, "address": "any", "min_validity": 0.9}
    assert filter_from(asked.document()) == asked
    assert filter_from({"order": 7, "longest": 3}) == NSequenceFilter(7), "an unknown filter"
    monkeypatch.setattr(registry, "FILTERS", [*FILTERS, LengthFilter])
    assert filter_from({"order": 7, "longest": 3}) == AllOf((NSequenceFilter(7), LengthFilter(3)))
    assert filter_from({"longest": 3}) == LengthFilter(3)
    assert filter_from({}) == AllOf(())
    assert NSequenceFilter(7, min_validity=0.5).document() == {"order": 7, "min_validity": 0.5}
    assert filter_from({"order": 7, "min_validity": 0.5}) == NSequenceFilter(7, min_validity=0.5)
    assert (str(DEFAULT_FILTER), str(AllOf((DEFAULT_FILTER,)))) == ("N = 20, V = 0.95", "N = 20, V = 0.95")
    assert (str(NSequenceFilter(20)), str(AllOf(()))) == ("N = 20", "N = 0"), "the paper's filter, and none"


@pytest.mark.parametrize(
    ("validity", "passes"), [(0.44, False), (0.45, True), (0.5, True), (0.51, False), (0.89, False), (0.9, True)]
)
def test_what_one_pivot_language_halves_is_asked_for(validity: float, passes: bool) -> None:
    """0.45 to 0.5 is 0.9 to 1, halved."""
    found = Finding("analogy", "b", fluency=20, validity=validity, replacement=0)
    assert NSequenceFilter(7, min_validity=0.9, address="any").accepts(found) == passes
    assert NSequenceFilter(7, min_validity=0.9).accepts(found) == (validity >= 0.9)


def test_the_counts_go_through_the_index_of_the_seeds(corpus: Corpora) -> None:
    """One pass over the candidates of the seeds that are asked for, and none over all."""
    store = corpus(1)
    statements: list[str] = []
    store.connection.set_trace_callback(statements.append)
    generation_counts(store, "eng", NSequenceFilter(5), ["a b."])
    store.connection.set_trace_callback(None)
    plans = [row[3] for each in statements for row in store.connection.execute(f"explain query plan {each}")]
    assert [plan for plan in plans if "candidate" in plan]
    assert not [plan for plan in plans if plan.startswith(("SCAN candidate", "SCAN seed"))]


# Punctuation is no paraphrase: what differs in the marks at the end alone is left out, by whatever origin.


@pytest.mark.parametrize(
    ("seed", "text", "alike"),
    [
        ("Go.", "Go!", True),
        ("Go", "Go.", True),
        ("Go…", "Go?!", True),
        ("Tu viens ?", "Tu viens.", True),
        ("Tu viens\u202f!", "Tu viens\u00a0?", True),
        ("¿Vienes?", "Vienes.", True),
        ("行け。", "行け！", True),
        ('He said "go."', 'He said "go!"', True),
        ("Go.", "Go on.", False),
        ("Yes, sir.", "Yes sir.", False),
        ("Don't.", "Do not!", False),
        ("Go. Now.", "Go! Now.", False),
    ],
)
def test_in_sql_as_in_python(seed: str, text: str, alike: bool) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        (found,) = connection.execute(f"select {differs_in_final_marks_sql('?', '?')}", (seed, text))
    assert (differs_in_final_marks(seed, text), found) == (alike, (alike,))


@pytest.fixture
def marked(tmp_path: Path) -> Iterator[Store]:
    """A corpus of which every sentence stands there with other marks, too."""
    rows = random_rows(random.Random(5), 30)
    others = [(f"{text.rstrip('.')}!", translation) for text, translation in rows]
    with generated_store(tmp_path, [*rows, *others]) as opened:
        yield opened


_SEEDS = "select text from sentence where language = 'eng' order by id"


@pytest.mark.slow
def test_they_are_left_out_unless_asked_for(marked: Store) -> None:
    seeds = [text for (text,) in marked.connection.execute(_SEEDS)][::3]
    usual, asked = filter_at(1, min_validity=0), filter_at(1, min_validity=0, final_marks=True)
    by_origin = dict.fromkeys(ORIGINS, 0)
    for seed in seeds:
        kept, more = (paraphrases(marked, seed, "eng", limit=0, kept=each) for each in (usual, asked))
        left = [each for each in more if not differs_in_final_marks(seed, each.text)]
        assert sorted(left, key=rank_key) == sorted(kept, key=rank_key)
        for each in more[: None if len(more) > len(kept) else 0]:
            if differs_in_final_marks(seed, each.text):
                assert usual.reason(each) == "fails: nothing but the marks at the end differs"
                assert usual.failing(each) == "marks"
                by_origin |= {name: by_origin[name] + 1 for name in each.origins}
    assert by_origin["detected"] > 10
    assert by_origin["analogy"] > 10
    counted = [generation_counts(marked, "eng", each).kept for each in (usual, asked)]
    assert counted[0] < counted[1]
    assert corpus_statistics(marked, "eng", usual).generated.counts.kept == counted[0]


@pytest.mark.slow
def test_references_have_none(marked: Store) -> None:
    seeds = [text for (text,) in marked.connection.execute(_SEEDS)][::3]
    counts = []
    for kept in (filter_at(1, min_validity=0), filter_at(1, min_validity=0, final_marks=True)):
        recipe = Recipe(language="eng", origins=("detected", "generated", "exchanged"), kept=kept, limit=0)
        assert Recipe.of(recipe.document()).kept == kept
        found = finished(attributed_sets(marked, seeds, recipe))
        counts.append(
            sum(
                differs_in_final_marks(one.seed, one.text)
                for each in found
                for one in each.references
                if one.seed != one.text
            )
        )
    assert (counts[0], counts[1] > 10) == (0, True)


def test_what_is_generated_now_is_looked_at_alike() -> None:
    class Marking(SeedGeneration):
        def generated(self, seed: Seed) -> list[Finding]:
            return [Finding("any", f"{seed.text.rstrip('.')}!"), Finding("any", "Leave.")]

    found = Marking().generate(Seed("eng", "Go.", None))
    assert [each.only_marks for each in found] == [1, 0]
    assert [filter_at(0, min_validity=0.5).accepts(each) for each in found] == [False, True]


@pytest.mark.parametrize(
    ("document", "kept"),
    [
        ({"order": 20, "min_validity": 0.95}, NSequenceFilter(20, min_validity=0.95)),
        ({"order": 20, "final_marks": False}, NSequenceFilter(20, final_marks=False)),
        ({"order": 0}, NO_FILTER),
    ],
)
def test_documents_of_older_versions_mean_what_they_meant(document: dict[str, object], kept: NSequenceFilter) -> None:
    assert filter_from(document) == kept
    assert kept.document() == document


FINDINGS = st.builds(
    Finding,
    origin=st.just("analogy"),
    text=st.just("text"),
    fluency=st.sampled_from([0, 9, 10, 13, 19, 20, 21, NO_LIMIT]),
    inner_fluency=st.sampled_from([0, 10, 20]),
    validity=st.sampled_from([None, 0.9, 0.95, 1.0]),
    replacement=st.sampled_from([None, 0, 1]),
    word_gain=GAINS,
    is_vouched=st.booleans(),
)


@given(
    findings=st.lists(FINDINGS, min_size=1, max_size=3),
    kept=st.builds(NSequenceFilter, st.sampled_from([0, 19, 20]), st.booleans(), st.sampled_from([0.0, 0.95])),
)
def test_it_fails_where_the_filter_fails(findings: list[Finding], kept: NSequenceFilter) -> None:
    found = merge(findings)
    assert kept.reason(found).startswith("fails: ") == (not kept.passes(found))


@pytest.mark.parametrize(
    ("order", "replacement", "gain", "told"),
    [
        (19, 0, None, "fails: order 19 is below N = 20"),
        (13, 1, None, "order 13, vouched for: N/2 = 10 suffices"),
        (9, 1, None, "fails: order 9 is below N/2 = 10"),
        (20, 0, None, "order 20 reaches N = 20"),
        (19, 0, -0.01, "fails: order 19 is below N = 20"),
        (10, 0, 0.0, "order 10, word gain 0.0: N/2 = 10 suffices"),
        (9, 0, 3.0, "fails: order 9 is below N/2 = 10"),
        (13, 1, -0.4, "order 13, vouched for: N/2 = 10 suffices"),
        (9, 1, 0.5, "fails: order 9 is below N/2 = 10"),
        (5, 4, 0.5, "order 5, very probably a sentence: N/4 = 5 suffices"),
        (2, 5, -0.5, "order 2, very probably a sentence, word gain -0.5: N/10 = 2 suffices"),
        (4, 5, -0.51, "fails: order 4 is below N/4 = 5"),
        (25, 0, -5.0, "order 25 reaches N = 20"),
        (25, 0, -5.01, "fails: its words are far less probable than those of the seed: word gain -5.01 is below -5"),
        (13, 1, -5.01, "fails: its words are far less probable than those of the seed: word gain -5.01 is below -5"),
        (NO_LIMIT, 0, -9.0, ""),
    ],
)
def test_less_of_n_suffices_for_replacements_and_where_the_word_model_agrees(
    order: int, replacement: int, gain: float | None, told: str
) -> None:
    finding = Finding("analogy", "text", 0, fluency=order, inner_fluency=order, replacement=replacement, word_gain=gain)
    found = merge([finding])
    assert NSequenceFilter(20, min_validity=0.95).reason(found) == told
    of_the_paper = NSequenceFilter(20).reason(found)
    assert of_the_paper.startswith("fails") == (order < 20), "there a word model says nothing"
    assert NSequenceFilter(0, min_validity=0.95).passes(found), "where no order is asked, it asks for nothing either"


def test_both_reasons_are_told_where_both_fail() -> None:
    low = Finding("analogy", "text", 0, fluency=9, inner_fluency=9, replacement=1, validity=0.707)
    told = NSequenceFilter(20, min_validity=0.95).reason(merge([low]))
    assert told == "fails: order 9 is below N/2 = 10, and validity 0.7070 is below V = 0.95"


# --real leaves out what differs in capitals, marks and contractions alone, by whatever origin.


@pytest.mark.slow
def test_what_is_no_rewording_is_left_out(finished_phrasebook: Path) -> None:
    """The same in SQL, in Python, and in the counts; a list is the other one without them, but for its order."""
    with open_store(finished_phrasebook, read_only=True) as store:
        seeds = sorted({seed for origin in ORIGINS.values() for seed in origin.seeds(store, "eng", DEFAULT_FILTER)})
        usual, real = filter_at(), filter_at(real=True)
        left, pairs = dict.fromkeys(ORIGINS, 0), set()
        for seed in seeds[::53]:
            everything = paraphrases(store, seed, "eng", limit=0, kept=usual)
            asked = paraphrases(store, seed, "eng", limit=0, kept=real)
            wanted = [each for each in everything if change_of(seed, each.text, "eng").is_real]
            assert sorted(asked, key=rank_key) == sorted(wanted, key=rank_key)
            assert [each for each in everything if real.passes(each)] == wanted
            for each in everything:
                if each not in wanted:
                    assert real.reason(each) == "fails: nothing but capitals, marks and contractions differs"
                    assert real.failing(each) == "change"
                    left |= {name: left[name] + 1 for name in each.origins}
        assert min(left["detected"], left["analogy"]) > 5
        for origin in ORIGINS.values():
            pairs |= set(origin.pairs(store, "eng", usual) if not origin.is_at_hand else ())
            assert set(origin.pairs(store, "eng", real)) == {
                (text, seed) for text, seed in origin.pairs(store, "eng", usual) if change_of(seed, text, "eng").is_real
            }
        kept = sum(change_of(seed, text, "eng").is_real for text, seed in pairs)
        counted = kept_variation(store, "eng")
        assert (counted.real, kept_variation(store, "eng", real)) == (kept, counted)
        assert generation_counts(store, "eng", real).kept + exchanged_pairs(store, "eng", real) == kept
        some = seeds[::7]
        of_some = kept_variation(store, "eng", usual, some)
        assert of_some.real == sum(change_of(seed, text, "eng").is_real for text, seed in pairs if seed in some)


def test_real_ones_in_documents_and_in_words() -> None:
    kept = filter_at(7, real=True)
    assert (filter_from(kept.document()), str(kept)) == (kept, "N = 7, V = 0.95, real")
    assert "real" not in filter_at(7).document()
    assert kept.condition("made").endswith(" and made.is_real")


def test_what_real_ones_alone_leave_out_is_told() -> None:
    kept = filter_at(20, real=True)

    def count_kept(less: Filter) -> int:
        return 2 if isinstance(less, NSequenceFilter) and less.real else 3

    found = relaxations(kept, count_kept)
    assert format_relaxations(found, "shows") == "without --real shows 3, -V 0 shows 2, -N 0 -V 0.95 shows 2"
    assert all(isinstance(each.kept, NSequenceFilter) and each.kept.real for each in found[1:])
    assert relaxations(replace(NO_FILTER, real=True), lambda less: 4)[0].options == "without --real"
    assert relaxations(kept, lambda less: 0) == ()
