"""Rewritings as rows: of a method, resumable, with the lineage that made them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from corpora import new_store
from recorded_analyses import RecordedAnalyser

from corpusdb.base.errors import InputError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.checking import check
from corpusdb.corpus.store import Store
from corpusdb.program.queries.replay import replay_run
from corpusdb.rules import Direction, Expander
from corpusdb.rules.queries import rewritings
from corpusdb.rules.queries.method import (
    RewritingMethod,
    changes_told,
    check_japanese,
    label_of,
    method_of,
    rewriting_method,
    rule_changes,
)
from corpusdb.rules.queries.rewritings import (
    expansions,
    keep_rewritings,
    lineage_document,
    lineage_from,
    rewriting_counts,
    rule_uses,
    stored_rewritings,
)
from corpusdb.rules.queries.rule_sets import choose_rules

MINE = """\
my-past polite = $1(verb euphonic) : た(ta) <-> $1(continuative) : まし(masu) : た(ta) / _ END
my-da polite = だ(da final) <-> です(desu final) / _ END
my-dearu other = だ(da final) -> で(da) : ある(godan final) / _ END
"""
PLAIN, QUIET, NOTHING = "彼が本を読んだ。", "静かだ。", "東京駅"
TEXTS = (PLAIN, QUIET, NOTHING)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with new_store(tmp_path) as opened:
        yield opened


@pytest.fixture
def method(tmp_path: Path, recorded_morphemes: RecordedAnalyser) -> RewritingMethod:
    path = tmp_path / "mine.rules"
    path.write_text(MINE, encoding="utf-8")
    return rewriting_method(choose_rules(str(path), lambda name: pytest.fail(name)))


def rows(store: Store) -> list[tuple[object, ...]]:
    statement = """
    select rewritten_text.text, dropped, rewriting.position, rewriting.text, lineage from rewritten_text
    left join rewriting on rewriting.origin = rewritten_text.id order by 1, 3
    """
    return store.connection.execute(statement).fetchall()


def test_what_is_kept_is_what_the_rules_make(store: Store, method: RewritingMethod) -> None:
    report = finished(keep_rewritings(store, method, [*TEXTS, PLAIN]))
    expander = Expander(method.rules, method.analyser, method.most)
    for text in TEXTS:
        assert [each.rewriting for each in stored_rewritings(store, text)] == [*expander.expand(text).rewritings]
    assert report == rewriting_counts(finished(expansions(method, TEXTS)))
    assert (report.texts, report.rewritten) == (3, 2)
    (one,) = stored_rewritings(store, PLAIN)
    assert (one.origin, one.rule_set, one.most) == (PLAIN, method.rules.digest, 16)
    assert [(step.rule, step.direction) for step in one.rewriting.lineage] == [("my-past", Direction.FORWARD)]
    assert rule_uses(store) == rule_uses(store, method.rules.digest) == {"my-past": 1, "my-da": 1, "my-dearu": 1}
    assert rule_uses(store, "0" * 16) == {}
    assert check(store, full=True).problems == ()


def test_nothing_is_made_twice(store: Store, method: RewritingMethod) -> None:
    finished(keep_rewritings(store, method, TEXTS[:2]))
    before = rows(store)
    first = finished(keep_rewritings(store, method, TEXTS[:2]))
    assert store.connection.execute("select count(*) from run").fetchone() == (1,)
    assert first.texts == 2
    finished(keep_rewritings(store, method, TEXTS))
    assert [row for row in rows(store) if row[0] != NOTHING] == before
    assert store.connection.execute("select counts from run order by id").fetchall()[1] == (
        '{"dropped": {}, "rewritings": 0, "rewritten": 0, "texts": 1}',
    )


@pytest.mark.parametrize("stops", [0, 1, 2])
def test_an_interrupted_call_goes_on(
    stops: int, store: Store, method: RewritingMethod, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rewritings, "_TEXTS_PER_TRANSACTION", 1)
    job = keep_rewritings(store, method, TEXTS)
    for _ in range(stops + 1):
        next(job)
    job.close()
    report = finished(keep_rewritings(store, method, TEXTS))
    with new_store(tmp_path, "other") as other:
        assert finished(keep_rewritings(other, method, TEXTS)) == report
        assert rows(other) == rows(store)
        counts = "select operation, parameters, counts from run"
        assert store.connection.execute(counts).fetchall() == other.connection.execute(counts).fetchall()


def test_another_method_has_rows_of_its_own(store: Store, method: RewritingMethod) -> None:
    finished(keep_rewritings(store, method, [QUIET]))
    fewer = RewritingMethod(method.name, method.rules, method.analyser, 1)
    report = finished(keep_rewritings(store, fewer, [QUIET]))
    assert (report.rewritings, report.dropped) == (1, {"cap": 1})
    less = RewritingMethod("chosen", method.rules.without(["my-da"]), method.analyser)
    finished(keep_rewritings(store, less, [QUIET]))
    assert [(each.most, each.rule_set) for each in stored_rewritings(store, QUIET)] == [
        *[(16, method.rules.digest)] * 2, (1, method.rules.digest), (16, less.rules.digest)
    ]  # fmt: skip


def test_a_method_comes_back_from_its_document(store: Store, method: RewritingMethod) -> None:
    finished(keep_rewritings(store, method, TEXTS))
    again = method_of(store, method.document())
    assert (again.label, again.rules.digest) == (method.label, method.rules.digest)
    assert again.label == label_of(method.document())
    with pytest.raises(InputError, match=r"pip install sudachipy==0\.1 "):
        method_of(store, method.document() | {"analyser": "sudachi-0.1-small-20200101-C"})


def test_a_run_is_replayed(store: Store, method: RewritingMethod) -> None:
    finished(keep_rewritings(store, method, TEXTS))
    ((same,),) = [finished(replay_run(store, 1))]
    assert (same.equal, same.differences) == (True, ())
    with store.write() as connection:
        connection.execute("update rewriting set text = '静かっす。' where text = '静かです。'")
    (other,) = finished(replay_run(store, 1))
    assert (other.equal, other.differences) == (
        False,
        (f"of 1 texts something else comes now, the first is {QUIET!r}",),
    )


@pytest.mark.parametrize("texts", [TEXTS, ["彼"], ["東京", "Yes."], ["1984", "...", "本だ。"]])
def test_what_passes_for_japanese(texts: Sequence[str]) -> None:
    check_japanese(texts, "t.txt")


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["本だ。", "It is.", "A book."], r"t.txt:2: the rules are of Japanese, and this is not: 'It is.'"),
        (["这是书"] * 4, "t.txt: the rules are of Japanese, and there is not one kana"),
        (["Это книга"], "t.txt:1: "),
    ],
)
def test_what_is_not_japanese(texts: Sequence[str], told: str) -> None:
    with pytest.raises(InputError, match=told):
        check_japanese(texts, "t.txt")


def test_lineages_come_back_and_are_told(method: RewritingMethod) -> None:
    (found,) = method.expander.expand(PLAIN).rewritings
    assert lineage_from(lineage_document(found.lineage)) == found.lineage
    assert [*changes_told(rule_changes(PLAIN, found))] == ["読んだ becomes 読みました: my-past ->"]
