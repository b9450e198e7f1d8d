"""Samples of rewritings by rules: drawn from those that are kept, and reported by rule."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from corpora import import_rows, new_store

from corpusdb.base.errors import CorpusError, InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.base.stats.estimates import wilson
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.detection import detect
from corpusdb.paraphrase.queries.filters import NO_FILTER, NSequenceFilter
from corpusdb.people.queries.samples import SampleOptions, draw_sample, find_sample, samples
from corpusdb.people.queries.verdicts import judging_report, next_items, record
from corpusdb.people.report import render
from corpusdb.rules.queries.method import rewriting_method
from corpusdb.rules.queries.rewritings import keep_rewritings, stored_rewritings
from corpusdb.rules.queries.rule_sets import choose_rules

TEXTS = ("彼が本を読んだ。", "静かだ。", "トムはもう怒ってないよ。", "これはディズニーランドじゃないよ。")
ALIKE = ("彼は寝た。", "彼は眠った。")
OPTIONS = SampleOptions("meaning", "jpn", 1000, seed=1, kept=NO_FILTER, population="rewritings")
GRAMMATICALITY = replace(OPTIONS, kind="grammaticality")


@pytest.fixture
def store(tmp_path: Path, recorded_morphemes: object) -> Iterator[Store]:
    with new_store(tmp_path) as opened:
        rows = [(text, f"Sentence {number}.") for number, text in enumerate(TEXTS)]
        import_rows(opened, [*rows, *((text, "He slept.") for text in ALIKE)], ("jpn", "eng"))
        finished(detect(opened, "jpn"))
        method = rewriting_method(choose_rules("all", lambda name: pytest.fail(name)))
        finished(keep_rewritings(opened, method, TEXTS))
        yield opened


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


def test_pairs_are_drawn_from_what_is_kept_with_controls_among_them(store: Store) -> None:
    drawn = draw_sample(store, "all", replace(OPTIONS, controls=10))
    items = pairs(store, "all")
    assert {each[:2] for each in items if each[2] == "candidate"} == kept(store).keys()
    assert {each[:2] for each in items if each[2] == "detected"} == {ALIKE, ALIKE[::-1]}
    assert (drawn.population, drawn.items, drawn.controls) == (len(kept(store)), len(kept(store)) + 2, 2)
    assert (drawn.drawn_from, drawn.order) == ("rewritings", 0)
    assert samples(store) == [drawn]
    assert [each[2] for each in items] != sorted(each[2] for each in items)  # the order tells nothing


def test_sentences_are_drawn_once_without_what_they_were_made_of(store: Store) -> None:
    draw_sample(store, "sentences", replace(GRAMMATICALITY, controls=3))
    items = pairs(store, "sentences")
    texts = [text for text, _, source in items if source == "candidate"]
    assert sorted(texts) == sorted({text for text, _ in kept(store)})
    assert [source for *_, source in items].count("corpus") == 3
    assert {seed for _, seed, _ in items} == {None}


def test_the_same_seed_draws_the_same_and_a_larger_sample_holds_the_smaller(store: Store) -> None:
    for name, size, seed in (("small", 4, 1), ("again", 4, 1), ("large", 8, 1), ("other", 4, 2)):
        draw_sample(store, name, replace(OPTIONS, size=size, seed=seed))
    assert pairs(store, "small") == pairs(store, "again")
    assert set(pairs(store, "small")) < set(pairs(store, "large"))
    assert set(pairs(store, "small")) != set(pairs(store, "other"))


def test_a_judge_sees_no_rule(store: Store) -> None:
    drawn = draw_sample(store, "blind", OPTIONS)
    told = json.dumps([repr(each) for each in next_items(store, drawn, "ann", 0)], ensure_ascii=False)
    assert not any(rule in told for made in kept(store).values() for rule in made)


@pytest.mark.parametrize("options", [OPTIONS, GRAMMATICALITY])
def test_the_report_has_the_rate_of_each_rule(store: Store, options: SampleOptions) -> None:
    drawn = draw_sample(store, "judged", replace(options, controls=2))
    good, bad = ("yes", "no") if drawn.kind == "grammaticality" else ("equivalence", "neither")
    made_of = {text: made for (text, _), made in reversed(kept(store).items())}
    for item in next_items(store, drawn, "ann", 0):
        record(store, drawn, "ann", item.item, bad if "よ" in item.text else good, "odd" if "よ" in item.text else None)
    refused = {text for text, _, source in pairs(store, "judged") if source == "candidate" and "よ" in text}
    found = judging_report(store, drawn)
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
    assert "Precision" not in told


def test_what_was_drawn_stays_when_rewritings_are_gone(store: Store) -> None:
    drawn = draw_sample(store, "kept", OPTIONS)
    for item in next_items(store, drawn, "ann", 0):
        record(store, drawn, "ann", item.item, "equivalence")
    before = judging_report(store, drawn)
    store.connection.execute("delete from rewriting")
    assert judging_report(store, drawn) == before
    assert before.by_rule and not before.refused


def test_samples_of_what_was_generated_have_no_rules(store: Store) -> None:
    with pytest.raises(InputError, match="nothing of order 0 or more was generated for jpn"):
        draw_sample(store, "none", replace(OPTIONS, population="generated"))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"language": "eng"}, InputError, "no rewritings of eng are kept; `corpusdb rules apply --corpus --store`"),
        ({"kept": NSequenceFilter(5)}, UsageError, "rewritings by rules pass no filter"),
        ({"population": "dreams"}, UsageError, "'dreams' cannot be drawn; there are generated and rewritings"),
    ],
)
def test_what_cannot_be_drawn(store: Store, change: dict[str, str], error: type[CorpusError], message: str) -> None:
    with pytest.raises(error, match=message):
        draw_sample(store, "new", replace(OPTIONS, **change))  # type: ignore[arg-type]
    assert samples(store) == []
