"""Growing gives the rows of a rebuild, and what is new is judged by what was learned before."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from corpora import UNJUDGED, copy_of_corpus, derived_rows, import_rows, new_store, random_rows, tatoeba

from corpusdb.alignment.queries.corpus_alignment import align_languages
from corpusdb.base.jobs import Job, finished
from corpusdb.chain.queries import generation as index_update
from corpusdb.chain.queries.checking import check, checking
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.importing import update_layers
from corpusdb.chain.queries.layers import VALIDITY
from corpusdb.chain.queries.removing import remove_accepted, remove_collection
from corpusdb.corpus.store import Layer, Store, layer_state
from corpusdb.paraphrase.pair_differences import Pair
from corpusdb.paraphrase.queries import candidates, detection, slot_index, slot_index_update, validity_update
from corpusdb.paraphrase.queries.detection import detect
from corpusdb.paraphrase.queries.filters import DEFAULT_FILTER
from corpusdb.paraphrase.queries.paraphrases import explain, paraphrases
from corpusdb.paraphrase.queries.seeds import SeedValidity
from corpusdb.paraphrase.queries.slot_index import PARAMETERS, unusable
from corpusdb.paraphrase.queries.slot_index_update import ContextTooCommon
from corpusdb.paraphrase.slots import Slots, index_slots
from corpusdb.people.queries.decisions import accept

# Growing gives the rows of a rebuild: over tiny vocabularies, where every context and filler meets every other.


@pytest.fixture
def rebuilds(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Growth is always taken for small; the list gets the database's name for each index that is still rebuilt."""
    seen: list[str] = []
    build = index_update.rebuild_index

    def counted(store: Store, language: str) -> Job[None]:
        seen.append(store.path.stem)
        return build(store, language)

    monkeypatch.setattr(candidates, "_SMALL", 10.0)
    monkeypatch.setattr(index_update, "rebuild_index", counted)
    return seen


@pytest.fixture
def grown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The list gets the database's name for each growth that was begun."""
    seen: list[str] = []
    grow = candidates.update_in_place

    def counted(store: Store, language: str, state: Layer) -> Job[None]:
        seen.append(store.path.stem)
        return grow(store, language, state)

    monkeypatch.setattr(index_update, "update_in_place", counted)
    return seen


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Sets the most fillers of a context everywhere."""

    def limit(fillers: int) -> None:
        def index(slots: Slots) -> object:
            return index_slots(slots, fillers)

        monkeypatch.setattr(slot_index, "index_slots", index)
        monkeypatch.setattr(slot_index_update, "MAX_FILLERS", fillers)
        monkeypatch.setitem(PARAMETERS, "max_fillers", fillers)

    return limit


def assert_as_rebuilt(store: Store, seeds: Sequence[str] | None = None) -> None:
    """Every derived row of English is what a new database makes of the same sentences and translations."""
    with copy_of_corpus(store) as copy:
        finished(generate(copy, "eng", seeds))
        expected, counts = derived_rows(copy), unusable(copy, "eng")
    assert unusable(store, "eng") == counts
    found = derived_rows(store)
    for table, rows in expected.items():
        assert found[table] == rows, table


ANY_CANDIDATE = """
select seed.text, candidate.text from candidate join seed on seed.id = candidate.seed
where candidate.text not in (select text from sentence) order by candidate.frequency, seed.text, candidate.text limit 1
"""


def pieces(chance: random.Random, count: int) -> list[list[tuple[str, ...]]]:
    """Random rows in 2 to 4 parts."""
    parts = chance.randint(2, 4)
    return [random_rows(chance, chance.randint(1, count)) for _ in range(parts)]


@pytest.mark.slow
@pytest.mark.parametrize("number", range(20))
def test_parts_give_what_the_whole_gives(tmp_path: Path, rebuilds: list[str], grown: list[str], number: int) -> None:
    chance = random.Random(number)
    first, *rest = pieces(chance, 14)
    with new_store(tmp_path) as store:
        import_rows(store, first)
        finished(generate(store, "eng"))
        for part in rest:
            import_rows(store, part)
            finished(update_layers(store))
        assert rebuilds.count("corpus") == 1, "only the first index is made from nothing"
        assert len(grown) <= len(rest)
        assert_as_rebuilt(store)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(8))
def test_growth_is_not_empty(tmp_path: Path, rebuilds: list[str], grown: list[str], number: int) -> None:
    """The property above says nothing where nothing grows: here every part brings slots and candidates."""
    chance = random.Random(1000 + number)
    with new_store(tmp_path) as store:
        import_rows(store, random_rows(chance, 12))
        finished(generate(store, "eng"))
        before = derived_rows(store)
        import_rows(store, random_rows(chance, 12, words="abd"))
        finished(update_layers(store))
        after = derived_rows(store)
        assert (rebuilds.count("corpus"), len(grown)) == (1, 1)
        for table in ("context", "filler", "slot", "candidate"):
            assert len(after[table]) > len(before[table]), table
        assert_as_rebuilt(store)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(8))
def test_new_translations_of_old_sentences(tmp_path: Path, rebuilds: list[str], grown: list[str], number: int) -> None:
    chance = random.Random(2000 + number)
    rows = random_rows(chance, 20, pivots=20)
    with new_store(tmp_path) as store:
        import_rows(store, rows)
        finished(generate(store, "eng"))
        for language in ("jpn", "fra"):
            known = [(english, f"{language}{chance.randrange(5)}") for english, _ in chance.sample(rows, 6)]
            import_rows(store, known, ("eng", language))
            finished(update_layers(store))
            assert_as_rebuilt(store)
        assert rebuilds.count("corpus") == 1
        assert grown


@pytest.mark.parametrize("number", [0, *(pytest.param(number, marks=pytest.mark.slow) for number in range(1, 20))])
def test_less_gives_what_the_rest_gives(
    tmp_path: Path, rebuilds: list[str], limited: Callable[[int], None], number: int
) -> None:
    """Files and accepted sentences are taken back in any order, also before anything has followed them."""
    chance = random.Random(6000 + number)
    if number % 4 == 3:
        limited(chance.randint(3, 6))
    with new_store(tmp_path) as store:
        parts = pieces(chance, 14)
        for place, part in enumerate(parts):
            import_rows(store, part, ("eng", chance.choice(["fra", "jpn"] if place else ["fra"])))
        if number % 3 == 2:
            finished(align_languages(store, "eng", "fra"))
        finished(generate(store, "eng"))
        files = [f"corpus-{place}.tsv" for place in range(1, len(parts))]
        for _ in range(4):
            new = store.connection.execute(ANY_CANDIDATE).fetchone()
            if new and chance.random() < 0.7:
                finished(accept(store, new[0], new[1], "eng", follow=chance.random() < 0.7))
                if chance.random() < 0.7:
                    finished(remove_accepted(store, new[1], follow=chance.random() < 0.7))
            elif files:
                name = files.pop(chance.randrange(len(files)))
                finished(remove_collection(store, "rows", name, follow=chance.random() < 0.7))
        assert check(store).problems == ()
        finished(update_layers(store))
        assert number % 4 == 3 or rebuilds.count("corpus") == 1
        assert check(store, full=True).problems == ()
        assert_as_rebuilt(store)


@pytest.mark.parametrize("number", range(8))
def test_only_given_seeds(tmp_path: Path, rebuilds: list[str], grown: list[str], number: int) -> None:
    """Seeds of the corpus are followed; those that are not in it are forgotten, unless they come into it."""
    chance = random.Random(4000 + number)
    first, *rest = pieces(chance, 16)
    seeds = sorted({english for english, _ in chance.sample(first, (len(first) + 1) // 2)})
    coming = rest[0][0][0]
    with new_store(tmp_path) as store:
        import_rows(store, first)
        finished(generate(store, "eng", [*seeds, "a b c d.", coming]))
        for part in rest:
            import_rows(store, part)
            finished(update_layers(store))
        assert rebuilds.count("corpus") == 1
        assert_as_rebuilt(store, sorted({*seeds, coming}))
        kept = {row[0] for row in store.connection.execute("select text from seed")}
        assert kept == {*seeds, coming} if grown else kept >= set(seeds)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(8))
def test_a_context_that_becomes_too_common(
    tmp_path: Path, rebuilds: list[str], limited: Callable[[int], None], number: int
) -> None:
    """The index is made anew when a context passes the limit; where none does, or one was beyond before, it grows."""
    chance = random.Random(5000 + number)
    limited(chance.randint(3, 6))
    first, *rest = pieces(chance, 16)
    with new_store(tmp_path) as store:
        import_rows(store, first)
        finished(generate(store, "eng"))
        for part in rest:
            import_rows(store, part)
            finished(update_layers(store))
        assert_as_rebuilt(store)


@pytest.mark.slow
def test_the_limit_was_passed(
    tmp_path: Path, rebuilds: list[str], grown: list[str], limited: Callable[[int], None]
) -> None:
    limited(3)
    with new_store(tmp_path) as store:
        import_rows(store, [("a b", "t1"), ("a c", "t1"), ("d b", "t2"), ("d c", "t3")])
        finished(generate(store, "eng"))
        import_rows(store, [("a e", "t4")])
        finished(update_layers(store))
        assert (rebuilds.count("corpus"), len(grown)) == (1, 1)
        import_rows(store, [("a f", "t4")])
        finished(update_layers(store))
        assert (rebuilds.count("corpus"), len(grown)) == (2, 2)
        assert finished(generate(store, "eng")).too_common == 1
        assert_as_rebuilt(store)


@pytest.mark.parametrize("number", range(8))
def test_paraphrases_that_are_none_any_more(
    tmp_path: Path, grown: list[str], monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """A translation that too many sentences come to share takes its pairs away, and all that rested on them."""
    chance = random.Random(5000 + number)
    monkeypatch.setattr(detection, "MAX_SHARING", chance.randint(2, 5))
    monkeypatch.setattr(candidates, "_SMALL", 10.0)
    first, *rest = pieces(chance, 14)
    seeds = sorted({english for english, _ in first})[:3] if number % 4 == 0 else None
    with new_store(tmp_path) as store:
        import_rows(store, first)
        finished(generate(store, "eng", seeds))
        for part in rest:
            import_rows(store, part)
            if number % 2:
                finished(detect(store, "eng"))
                for (candidate,) in store.connection.execute("select distinct text from seed").fetchall():
                    explain(store, candidate, "a b.", "eng")  # nothing may rest on a pair that is gone
            finished(update_layers(store))
            assert_as_rebuilt(store, seeds)


@pytest.mark.slow
def test_a_lost_paraphrase_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The property above says nothing where nothing is lost: here all substitutions and candidates are."""
    monkeypatch.setattr(detection, "MAX_SHARING", 3)
    with new_store(tmp_path) as store:
        import_rows(store, [("a b", "t1"), ("c b d", "t1"), ("a e", "t2"), ("f b", "t3"), ("f e", "t4")])
        finished(generate(store, "eng"))
        before = derived_rows(store)
        assert before["substitution"]
        assert "c e d" in {row[3] for row in before["candidate"]}
        import_rows(store, [("x", "t1"), ("y", "t1")])
        finished(update_layers(store))
        after = derived_rows(store)
        assert not after["paraphrase"] and not after["substitution"] and not after["candidate"]
        assert_as_rebuilt(store)


@pytest.mark.slow
@pytest.mark.data
def test_real_sentences(tmp_path: Path, rebuilds: list[str], grown: list[str]) -> None:
    rows, languages = tatoeba("jpn", 300, 2500), ("eng", "jpn")
    random.Random(7).shuffle(rows)
    with new_store(tmp_path) as store:
        import_rows(store, rows[:2000], languages)
        finished(generate(store, "eng"))
        import_rows(store, rows[2000:2400], languages)
        finished(update_layers(store))
        import_rows(store, rows[2400:], languages)
        finished(update_layers(store))
        assert (rebuilds.count("corpus"), len(grown)) == (1, 2)
        assert len(derived_rows(store)["candidate"]) > 500
        assert_as_rebuilt(store)


@pytest.mark.slow
def test_large_growth_is_a_rebuild(tmp_path: Path) -> None:
    """What the commands do by themselves: a fiftieth of the corpus is followed, more is made anew."""
    chance = random.Random(8)
    with new_store(tmp_path) as store:
        import_rows(store, sorted(set(random_rows(chance, 150, words="abcdefgh", pivots=30))))
        finished(generate(store, "eng"))
        import_rows(store, [("new one.", "t1")])
        finished(update_layers(store))
        assert index_runs(store) == ["whole", "grown"]
        import_rows(store, [(f"new {word} here.", "t2") for word in "abcdefghijklmnop"])
        finished(update_layers(store))
        assert index_runs(store) == ["whole", "grown", "whole"]
        assert_as_rebuilt(store)


def index_runs(store: Store) -> list[str]:
    rows = store.connection.execute(
        "select case when json_extract(parameters, '$.after') is null then 'whole' else 'grown' end"
        " from run where operation = 'index' order by id"
    )
    return [row[0] for row in rows]


# Commutations that no derivation asks for are not stored, and `check` finds them.


_ALL = """
insert or ignore into commutation
select one.filler, two.filler, count(*) from slot one join slot two
on two.context = one.context and two.filler > one.filler group by one.filler, two.filler having count(*) > 1
"""


@pytest.mark.slow
def test_check_knows_commutations_that_nobody_asks_for(empty: Store) -> None:
    import_rows(empty, random_rows(random.Random(1), 24))
    finished(generate(empty, "eng"))
    assert finished(checking(empty)).ok
    with empty.write() as connection:
        connection.execute(_ALL)
    problems = finished(checking(empty)).problems
    assert [problem for problem in problems if "commute in other contexts" in problem]


# What is new in a large corpus: judged by the sums and the model there are, until all is judged again.


_EXCHANGES = "select x, y, pairs, shared, expected from exchange order by 1, 2"
_ENGLISH = "select text from sentence where language = 'eng' order by id"
_DETECTED = """
select one.text, other.text from paraphrase
join sentence one on one.id = paraphrase.sentence join sentence other on other.id = paraphrase.paraphrase
"""
_VALIDITY = """
select seed.text, candidate.text, validity, replacement from candidate join seed on seed.id = seed order by 1, 2
"""


@pytest.fixture
def large(empty: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A small corpus that is taken for a large one."""
    monkeypatch.setattr(validity_update, "_FEW", 0)
    monkeypatch.setattr(validity_update, "_LITTLE", 0.5)
    monkeypatch.setattr(candidates, "_SMALL", 0.5)
    import_rows(empty, random_rows(random.Random(7), 40, pivots=8))
    finished(generate(empty, "eng"))
    return empty


def behind(store: Store) -> int:
    state = layer_state(store, "eng", "validity")
    assert state is not None
    assert VALIDITY.behind is not None
    return VALIDITY.behind(store, "eng", state)


def a_pair(store: Store) -> tuple[str, str]:
    """A seed that has translations, with a candidate that the corpus does not hold."""
    query = """
    select seed.text, candidate.text from candidate join seed on seed.id = candidate.seed
    where not exists (select 1 from sentence where sentence.text = candidate.text) order by 1, 2 limit 1
    """
    seed, text = store.connection.execute(query).fetchone()
    return str(seed), str(text)


@pytest.mark.slow
def test_everything_is_judged_and_the_sums_stay(large: Store) -> None:
    before = large.connection.execute(_EXCHANGES).fetchall()
    assert behind(large) == 0
    finished(accept(large, *a_pair(large), "eng"))
    assert large.connection.execute(UNJUDGED).fetchone() == (0, 0)
    assert large.connection.execute(_EXCHANGES).fetchall() == before
    assert behind(large) > 0
    assert check(large, full=True).problems == ()


@pytest.mark.parametrize("before", [{}, {"rules": 0}], ids=["this version", "an earlier one"])
def test_who_accepts_one_does_not_wait_for_all(large: Store, before: dict[str, object]) -> None:
    """Nor where all would be judged otherwise now: that is for `generate`, which then does it."""
    learned = "select count(*) from run where operation in ('validity', 'reword') and parameters ->> 'after' is null"
    assert large.connection.execute(learned).fetchone() == (2,)
    if before:
        statement = "update layer set parameters = ? where name in ('validity', 'rewording')"
        large.connection.execute(statement, (json.dumps(before),))
    finished(accept(large, *a_pair(large), "eng"))
    assert large.connection.execute(learned).fetchone() == (2,)
    assert large.connection.execute(UNJUDGED).fetchone() == (0, 0)
    finished(generate(large, "eng"))
    assert large.connection.execute(learned).fetchone() == (4,)


@pytest.mark.slow
def test_many_new_translations_are_much_also_of_old_sentences(large: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validity_update, "_LITTLE", 0.3)
    english = [text for (text,) in large.connection.execute(_ENGLISH)]
    few, many = english[:5], english[: len(english) // 2]
    for chosen, left in ((few, len(few)), (many, 0)):
        import_rows(large, [(text, f"again {len(chosen)} {number}") for number, text in enumerate(chosen)])
        finished(update_layers(large))
        assert behind(large) == left


@pytest.mark.slow
def test_where_the_index_is_rebuilt_only_what_is_new_is_judged(large: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A context may come to be too common by one sentence."""
    before = {row[:2]: row[2:] for row in large.connection.execute(_VALIDITY)}
    judged: set[tuple[str, str]] = set()
    judge = SeedValidity.judge

    def seen(self: SeedValidity, pairs: Sequence[Pair], *given: Any, **options: Any) -> Any:
        judged.update((each.seed, each.text) for each in pairs)
        return judge(self, pairs, *given, **options)

    def too_common(*_: object) -> Job[None]:
        raise ContextTooCommon
        yield

    monkeypatch.setattr(SeedValidity, "judge", seen)
    monkeypatch.setattr(index_update, "update_in_place", too_common)
    accepted = a_pair(large)
    finished(accept(large, *accepted, "eng"))
    after = {row[:2]: row[2:] for row in large.connection.execute(_VALIDITY)}
    both = before.keys() & after.keys() - {accepted}
    assert len(both) > 20 and after.keys() - before.keys()
    assert {pair: after[pair] for pair in both} == {pair: before[pair] for pair in both}
    detected = set(large.connection.execute(_DETECTED))
    assert judged and not judged & before.keys() - detected


@pytest.mark.slow
def test_asked_for_all_it_is_as_if_made_at_once(large: Store, tmp_path: Path) -> None:
    seed, text = a_pair(large)
    finished(accept(large, seed, text, "eng"))
    finished(generate(large, "eng"))
    assert behind(large) == 0
    assert check(large, full=True).problems == ()
    with new_store(tmp_path, "other") as other:
        import_rows(other, random_rows(random.Random(7), 40, pivots=8))
        finished(generate(other, "eng"))
        other_accepted = accept(other, seed, text, "eng")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(validity_update, "_FEW", 10**9)  # all is judged again at once
            finished(other_accepted)
        assert derived_rows(other) == derived_rows(large)
        assert other.connection.execute(_VALIDITY).fetchall() == large.connection.execute(_VALIDITY).fetchall()


@pytest.mark.slow
def test_a_small_corpus_is_judged_again_at_once(empty: Store) -> None:
    import_rows(empty, random_rows(random.Random(7), 40, pivots=8))
    finished(generate(empty, "eng"))
    finished(accept(empty, *a_pair(empty), "eng"))
    assert behind(empty) == 0
    assert empty.connection.execute(UNJUDGED).fetchone() == (0, 0)


@pytest.mark.slow
def test_what_stays_keeps_its_validity(large: Store) -> None:
    before = {row[:2]: row[2:] for row in large.connection.execute(_VALIDITY)}
    accepted = a_pair(large)
    finished(accept(large, *accepted, "eng"))
    after = {row[:2]: row[2:] for row in large.connection.execute(_VALIDITY)}
    both = before.keys() & after.keys() - {accepted}
    assert len(both) > 20
    assert after.keys() - before.keys()
    assert {pair: after[pair] for pair in both} == {pair: before[pair] for pair in both}


@pytest.mark.slow
@pytest.mark.parametrize("few", [0, 10**9])
def test_what_was_accepted_holds(large: Store, monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    """Judged in place or all again, in both directions; other sentences do not change by it."""
    monkeypatch.setattr(validity_update, "_FEW", few)
    seed, text = a_pair(large)
    finished(accept(large, seed, text, "eng"))
    for one, other in ((seed, text), (text, seed)):
        (found,) = [each for each in paraphrases(large, one, "eng", limit=0, kept=DEFAULT_FILTER) if each.text == other]
        assert found.validity == 1.0
    (certain,) = large.connection.execute("select count(*) from paraphrase where validity = 1.0").fetchone()
    assert certain == 2
