"""Samples to be judged: what is drawn, with what figures, also of rewritings by rules."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from corpora import filled_store, import_rows, near, new_store, random_rows

from corpusdb.base.errors import CorpusError, DatabaseLocked, InputError, UsageError
from corpusdb.base.estimates import wilson
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.corpus.orders import NO_LIMIT
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.queries.detection import detect
from corpusdb.paraphrase.queries.filters import NO_FILTER, NSequenceFilter
from corpusdb.paraphrase.queries.paraphrases import paraphrases
from corpusdb.people.queries.samples import SampleOptions, draw_sample, find_sample, samples
from corpusdb.people.queries.verdicts import judging_report, next_items, record
from corpusdb.people.report import render
from corpusdb.rules.queries.rewritings import keep_rewritings, stored_rewritings
from corpusdb.rules.queries.rule_sets import choose_rules, rewriting_method

# Samples: what is drawn, with what figures, and that the same seed draws the same.


ROWS = random_rows(random.Random(3), 60)
GRAMMATICALITY = SampleOptions("grammaticality", "eng", 50, seed=1, kept=NO_FILTER)
MEANING = replace(GRAMMATICALITY, kind="meaning")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with new_store(tmp_path_factory.mktemp("sampling")) as store:
        import_rows(store, ROWS)
        finished(generate(store, "eng"))
        yield store


@pytest.fixture
def store(made: Store, tmp_path: Path) -> Iterator[Store]:
    """A copy to draw from."""
    made.connection.execute("vacuum into ?", (str(tmp_path / "corpus.db"),))
    with open_store(tmp_path / "corpus.db") as copy:
        yield copy


COLUMNS = "position, text, seed_text, source, fluency, inner_fluency, frequency, score"


def items(store: Store, name: str) -> list[tuple[object, ...]]:
    return store.connection.execute(
        f"select {COLUMNS} from sample_item where sample = ? order by position", (find_sample(store, name).id,)
    ).fetchall()


def texts(store: Store, name: str) -> set[tuple[object, object]]:
    return {(item[1], item[2]) for item in items(store, name)}


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        GRAMMATICALITY,
        MEANING,
        replace(MEANING, controls=20),
    ],
)
def test_the_same_seed_draws_the_same_whatever_the_order_of_the_rows(
    store: Store, tmp_path: Path, options: SampleOptions
) -> None:
    with new_store(tmp_path, "other") as other:
        import_rows(other, random.Random(4).sample(ROWS, len(ROWS)))
        finished(generate(other, "eng"))
        for each in (store, other):
            draw_sample(each, "one", options)
        draw_sample(store, "other seed", replace(options, seed=2))
        first, second = items(store, "one"), items(other, "one")
    assert [item[:-1] for item in first] == [item[:-1] for item in second]
    assert [item[-1] for item in first] == [near(float(str(item[-1]))) for item in second]
    assert texts(store, "other seed") != texts(store, "one")


@pytest.mark.parametrize("options", [GRAMMATICALITY, MEANING])
def test_a_larger_sample_holds_the_smaller(store: Store, options: SampleOptions) -> None:
    draw_sample(store, "small", options)
    draw_sample(store, "large", replace(options, size=120))
    assert texts(store, "small") < texts(store, "large")


@pytest.mark.slow
def test_every_candidate_has_the_same_chance(store: Store) -> None:
    samples_drawn = 300
    drawn: Counter[object] = Counter()
    size = 40
    for seed in range(samples_drawn):
        name = f"sample {seed}"
        population = draw_sample(store, name, replace(GRAMMATICALITY, size=size, seed=seed)).population
        drawn.update(item[1] for item in items(store, name))
    chance = size / population
    expected, variance = samples_drawn * chance, samples_drawn * chance * (1 - chance)
    assert drawn.total() == samples_drawn * size
    # The sum over all candidates of (drawn - expected)² / variance is about their number, give or take 4 deviations.
    spread = sum((drawn[text] - expected) ** 2 for text in drawn) + (population - len(drawn)) * expected**2
    assert abs(spread / variance - population) < 4 * (2 * population) ** 0.5


def test_the_order_tells_nothing_of_the_source(store: Store) -> None:
    draw_sample(store, "mixed", replace(GRAMMATICALITY, size=30, controls=10))
    sources = [str(item[3]) for item in items(store, "mixed")]
    assert Counter(sources) == {"candidate": 30, "corpus": 10}
    assert sources != sorted(sources) != sources[::-1]
    assert [item[0] for item in items(store, "mixed")] == list(range(1, 41))


def test_sentences_are_drawn_once_and_controls_are_others(store: Store) -> None:
    draw_sample(store, "all", replace(GRAMMATICALITY, size=10_000, controls=10_000))
    drawn = [item[1] for item in items(store, "all")]
    corpus = {text for (text,) in store.connection.execute("select text from sentence where language = 'eng'")}
    generated = {text for (text,) in store.connection.execute("select text from candidate")}
    assert len(drawn) == len(set(drawn))
    assert set(drawn) == corpus | generated
    assert {item[1] for item in items(store, "all") if item[3] == "corpus"} == corpus - generated


@pytest.mark.slow
def test_pairs_have_the_figures_by_which_they_rank(store: Store) -> None:
    draw_sample(store, "pairs", replace(MEANING, controls=30))
    for _, text, seed, source, fluency, inner, frequency, score in items(store, "pairs"):
        ranked = {one.text: one for one in paraphrases(store, str(seed), "eng", limit=0, kept=NO_FILTER)}
        one = ranked[str(text)]
        if source == "candidate":
            assert (one.order or NO_LIMIT, one.inner_order or NO_LIMIT, one.frequency) == (fluency, inner, frequency)
            assert one.score == score
        else:
            assert one.shared > 0
            assert score == next(each.validity for each in one.findings if each.origin == source)


@pytest.mark.slow
def test_detected_pairs_of_unknown_validity_have_the_figures_of_their_evidence(store: Store) -> None:
    store.connection.execute("update paraphrase set validity_parts = null")
    draw_sample(store, "unknown", replace(MEANING, size=1, controls=30))
    detected = [item for item in items(store, "unknown") if item[3] != "candidate"]
    assert detected
    for _, text, seed, *_, score in detected:
        ranked = {one.text: one for one in paraphrases(store, str(seed), "eng", limit=0, kept=NO_FILTER)}
        assert score == 1 - 0.05 * 0.2 ** (ranked[str(text)].shared - 1)


@pytest.mark.slow
def test_sentences_have_the_figures_of_their_best_seed(store: Store) -> None:
    draw_sample(store, "sentences", GRAMMATICALITY)
    seeds = [text for (text,) in store.connection.execute("select text from seed")]
    ranked = [
        one for seed in seeds for one in paraphrases(store, seed, "eng", limit=0, kept=NO_FILTER) if one.frequency
    ]
    for _, text, seed, _, fluency, _, frequency, score in items(store, "sentences"):
        best = max((one for one in ranked if one.text == text), key=lambda one: (one.score, one.frequency))
        assert (seed, best.order or NO_LIMIT, best.frequency, best.score) == (None, fluency, frequency, score)


@pytest.mark.slow
@pytest.mark.parametrize("marks", [True, False])
def test_the_order_filters_with_or_without_marks(store: Store, marks: bool) -> None:
    drawn = draw_sample(store, "filtered", replace(MEANING, size=10_000, kept=NSequenceFilter(5, marks)))
    column = "fluency" if marks else "inner_fluency"
    passing = store.connection.execute(f"select count(*) from candidate where {column} >= 5").fetchone()
    everything = store.connection.execute("select count(*) from candidate").fetchone()
    assert (drawn.population,) == (drawn.items,) == passing
    assert passing < everything


@pytest.mark.slow
def test_what_was_drawn_stays_when_candidates_are_made_anew(store: Store) -> None:
    drawn = draw_sample(store, "kept", MEANING)
    before = items(store, "kept")
    import_rows(store, random_rows(random.Random(5), 40))
    finished(generate(store, "eng"))
    store.connection.execute("delete from candidate")
    assert items(store, "kept") == before
    assert find_sample(store, "kept") == drawn


def test_a_sample_says_how_it_was_drawn(store: Store) -> None:
    drawn = draw_sample(store, " mixed ", replace(MEANING, controls=5))
    assert samples(store) == [drawn]
    assert (drawn.name, drawn.kind, drawn.seed, drawn.order) == ("mixed", "meaning", 1, 0)
    assert (drawn.items, drawn.controls) == (55, 5)
    operation, done = store.connection.execute(
        "select operation, finished is not null from run join sample on sample.run = run.id"
    ).fetchone()
    assert (operation, done) == ("sample", 1)


@pytest.mark.parametrize(
    ("name", "change", "error", "message"),
    [
        ("taken", {}, UsageError, "there is a sample 'taken' already"),
        (" ", {}, UsageError, "not a name"),
        ("a\tb", {}, UsageError, "not a name"),
        ("new", {"kind": "beauty"}, UsageError, "there are grammaticality and meaning"),
        ("new", {"size": 0}, UsageError, "one item or more"),
        ("new", {"controls": -1}, UsageError, "below 0"),
        ("new", {"seed": 2**63}, UsageError, "a seed is a number"),
        ("new", {"language": "fra"}, InputError, "nothing of order 0 or more was generated for fra"),
        ("new", {"kept": NSequenceFilter(NO_LIMIT), "language": "jpn"}, InputError, "nothing of order"),
    ],
)
def test_what_cannot_be_drawn(
    store: Store, name: str, change: dict[str, int], error: type[CorpusError], message: str
) -> None:
    draw_sample(store, "taken", GRAMMATICALITY)
    with pytest.raises(error, match=message):
        draw_sample(store, name, replace(GRAMMATICALITY, **change))  # type: ignore[arg-type]
    assert [sample.name for sample in samples(store)] == ["taken"]


def test_an_unknown_sample_is_told_with_those_there_are(store: Store) -> None:
    with pytest.raises(InputError, match="none yet"):
        find_sample(store, "other")
    draw_sample(store, "one", GRAMMATICALITY)
    with pytest.raises(InputError, match="there is no sample 'other'; there are: one"):
        find_sample(store, "other")


def test_a_sample_tells_the_validity_that_was_asked_for(store: Store) -> None:
    """Found by reading a report: it told of N alone, and the filter of the sample was that of N alone."""
    kept = NSequenceFilter(2, marks=False, min_validity=0.4)
    drawn = draw_sample(store, "valid", replace(GRAMMATICALITY, kept=kept))
    assert drawn == find_sample(store, "valid")
    assert drawn.n_sequences == kept
    assert draw_sample(store, "paper", replace(GRAMMATICALITY, kept=NSequenceFilter(2))).min_validity == 0
    told = " ".join(render(judging_report(store, drawn)).split())
    assert "every run of 2 characters, or of fewer, where other evidence is strong; validity >= 0.4" in told
    with pytest.raises(InputError, match="nothing that passes N = 2, V = 1 was generated for jpn"):
        draw_sample(store, "none", replace(GRAMMATICALITY, language="jpn", kept=NSequenceFilter(2, min_validity=1.0)))


def test_nothing_is_drawn_while_another_process_derives_what_it_would_be_drawn_from(store: Store) -> None:
    """Found by two commands at once: of the candidates the half was there, and none was judged."""
    with open_store(store.path) as other:
        assert other.start_job("generate") is None
        with pytest.raises(DatabaseLocked, match=r"`generate` of process .* is running; draw the sample when"):
            draw_sample(store, "half", GRAMMATICALITY)
        other.end_job()
    assert draw_sample(store, "half", GRAMMATICALITY).items > 0


# Samples of rewritings by rules: drawn from those that are kept, and reported by rule.


TEXTS = ("彼が本を読んだ。", "静かだ。", "トムはもう怒ってないよ。", "これはディズニーランドじゃないよ。")
ALIKE = ("彼は寝た。", "彼は眠った。")
OPTIONS = SampleOptions("meaning", "jpn", 1000, seed=1, kept=NO_FILTER, population="rewritings")
REWRITTEN_SAMPLES_GRAMMATICALITY = replace(OPTIONS, kind="grammaticality")


@pytest.fixture
def rewritten_samples_store(tmp_path: Path, recorded_morphemes: object) -> Iterator[Store]:
    with filled_store(tmp_path, rewrite_texts) as opened:
        yield opened


def rewrite_texts(store: Store) -> None:
    rows = [(text, f"Sentence {number}.") for number, text in enumerate(TEXTS)]
    import_rows(store, [*rows, *((text, "He slept.") for text in ALIKE)], ("jpn", "eng"))
    finished(detect(store, "jpn"))
    method = rewriting_method(choose_rules("all", lambda name: pytest.fail(name)))
    finished(keep_rewritings(store, method, TEXTS))


def kept(store: Store) -> dict[tuple[str, str], list[str]]:
    """The rules behind each rewriting that is kept, by its text and that of its origin."""
    return {
        (each.rewriting.text, text): [step.rule for step in each.rewriting.lineage]
        for text in TEXTS
        for each in stored_rewritings(store, text)
    }


def pairs(store: Store, name: str) -> list[tuple[str, str | None, str]]:
    statement = "select text, seed_text, source from sample_item where sample = ? order by position"
    return store.connection.execute(statement, (find_sample(store, name).id,)).fetchall()


def test_pairs_are_drawn_from_what_is_kept_with_controls_among_them(rewritten_samples_store: Store) -> None:
    drawn = draw_sample(rewritten_samples_store, "all", replace(OPTIONS, controls=10))
    items = pairs(rewritten_samples_store, "all")
    assert {each[:2] for each in items if each[2] == "candidate"} == kept(rewritten_samples_store).keys()
    assert {each[:2] for each in items if each[2] == "detected"} == {ALIKE, ALIKE[::-1]}
    assert (drawn.population, drawn.items, drawn.controls) == (
        len(kept(rewritten_samples_store)),
        len(kept(rewritten_samples_store)) + 2,
        2,
    )
    assert (drawn.drawn_from, drawn.order) == ("rewritings", 0)
    assert samples(rewritten_samples_store) == [drawn]
    assert [each[2] for each in items] != sorted(each[2] for each in items)  # the order tells nothing


def test_sentences_are_drawn_once_without_what_they_were_made_of(rewritten_samples_store: Store) -> None:
    draw_sample(rewritten_samples_store, "sentences", replace(REWRITTEN_SAMPLES_GRAMMATICALITY, controls=3))
    items = pairs(rewritten_samples_store, "sentences")
    texts = [text for text, _, source in items if source == "candidate"]
    assert sorted(texts) == sorted({text for text, _ in kept(rewritten_samples_store)})
    assert [source for *_, source in items].count("corpus") == 3
    assert {seed for _, seed, _ in items} == {None}


def test_the_same_seed_draws_the_same_and_a_larger_sample_holds_the_smaller(rewritten_samples_store: Store) -> None:
    for name, size, seed in (("small", 4, 1), ("again", 4, 1), ("large", 8, 1), ("other", 4, 2)):
        draw_sample(rewritten_samples_store, name, replace(OPTIONS, size=size, seed=seed))
    assert pairs(rewritten_samples_store, "small") == pairs(rewritten_samples_store, "again")
    assert set(pairs(rewritten_samples_store, "small")) < set(pairs(rewritten_samples_store, "large"))
    assert set(pairs(rewritten_samples_store, "small")) != set(pairs(rewritten_samples_store, "other"))


def test_a_judge_sees_no_rule(rewritten_samples_store: Store) -> None:
    drawn = draw_sample(rewritten_samples_store, "blind", OPTIONS)
    told = json.dumps([repr(each) for each in next_items(rewritten_samples_store, drawn, "ann", 0)], ensure_ascii=False)
    assert not any(rule in told for made in kept(rewritten_samples_store).values() for rule in made)


@pytest.mark.parametrize("options", [OPTIONS, REWRITTEN_SAMPLES_GRAMMATICALITY])
def test_the_report_has_the_rate_of_each_rule(rewritten_samples_store: Store, options: SampleOptions) -> None:
    drawn = draw_sample(rewritten_samples_store, "judged", replace(options, controls=2))
    good, bad = ("yes", "no") if drawn.kind == "grammaticality" else ("equivalence", "neither")
    made_of = {text: made for (text, _), made in reversed(kept(rewritten_samples_store).items())}
    for item in next_items(rewritten_samples_store, drawn, "ann", 0):
        record(
            rewritten_samples_store,
            drawn,
            "ann",
            item.item,
            bad if "よ" in item.text else good,
            "odd" if "よ" in item.text else None,
        )
    refused = {
        text for text, _, source in pairs(rewritten_samples_store, "judged") if source == "candidate" and "よ" in text
    }
    found = judging_report(rewritten_samples_store, drawn)
    assert {each.text for each in found.refused} == refused
    assert all(each.comments == {"ann": "odd"} for each in found.refused)
    assert (found.by_order, found.by_score) == ((), ())
    rules = {rule for made in made_of.values() for rule in made}
    assert {each.rule for each in found.by_rule} == rules
    for each in found.by_rule:
        texts = [text for text, made in made_of.items() if each.rule in made]
        accepted = sum(text not in refused for text in texts)
        assert (each.judged, each.accepted) == (len(texts), accepted)
        assert each.interval == wilson(accepted, len(texts))
    assert [each.rate for each in found.by_rule] == sorted(each.rate for each in found.by_rule)
    told = render(found)
    assert f"Not accepted: {len(refused)}" in told
    assert "that rules made, and 2 controls" in told
    assert all(rule in told for rule in rules)
    assert "Accepted, %, from this" not in told


def test_what_was_drawn_stays_when_rewritings_are_gone(rewritten_samples_store: Store) -> None:
    drawn = draw_sample(rewritten_samples_store, "kept", OPTIONS)
    for item in next_items(rewritten_samples_store, drawn, "ann", 0):
        record(rewritten_samples_store, drawn, "ann", item.item, "equivalence")
    before = judging_report(rewritten_samples_store, drawn)
    rewritten_samples_store.connection.execute("delete from rewriting")
    assert judging_report(rewritten_samples_store, drawn) == before
    assert before.by_rule and not before.refused


def test_samples_of_what_was_generated_have_no_rules(rewritten_samples_store: Store) -> None:
    with pytest.raises(InputError, match="nothing of order 0 or more was generated for jpn"):
        draw_sample(rewritten_samples_store, "none", replace(OPTIONS, population="generated"))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"language": "eng"}, InputError, "no rewritings of eng are kept; `corpusdb rules apply --corpus --store`"),
        ({"kept": NSequenceFilter(5)}, UsageError, "rewritings by rules are not filtered"),
        ({"population": "dreams"}, UsageError, "'dreams' cannot be drawn; there are generated and rewritings"),
    ],
)
def test_what_cannot_be_drawn_of_rewritings(
    rewritten_samples_store: Store, change: dict[str, str], error: type[CorpusError], message: str
) -> None:
    with pytest.raises(error, match=message):
        draw_sample(rewritten_samples_store, "new", replace(OPTIONS, **change))  # type: ignore[arg-type]
    assert samples(rewritten_samples_store) == []
