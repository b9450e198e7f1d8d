"""The whole chain: the same rows whatever interrupts it; and analogies that only an exchange of words vouches for."""

from __future__ import annotations

import random
import shutil
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from brute_force import Generation, Shared, detected, fluency, slots
from corpora import (
    SAD,
    TOGETHER,
    Row,
    all_rows,
    copy_of_corpus,
    derived_rows,
    generated_store,
    import_rows,
    judged_rows,
    near,
    new_store,
    random_rows,
    rewordings_rows,
    tatoeba,
    two_exchanges,
)
from interrupted import run, run_with_kills

from corpusdb.base.errors import InputError
from corpusdb.base.jobs import finished
from corpusdb.base.options import format_probability
from corpusdb.base.text import unit_ends, units_of
from corpusdb.chain.queries import generation
from corpusdb.chain.queries.checking import check
from corpusdb.chain.queries.generation import generate, update_rewordings
from corpusdb.chain.queries.importing import check_source, import_source, update_layers
from corpusdb.corpus.formats import Options, open_source
from corpusdb.corpus.model import REWORDING_COLUMNS
from corpusdb.corpus.orders import NO_LIMIT, REPLACES
from corpusdb.corpus.store import Store, layer_state, open_store
from corpusdb.corpus.store.runs import exclusive
from corpusdb.paraphrase.differences import difference
from corpusdb.paraphrase.pair_differences import Pair
from corpusdb.paraphrase.queries import candidates, rewordings, slot_index, validity_update
from corpusdb.paraphrase.queries.filters import NO_FILTER, NSequenceFilter
from corpusdb.paraphrase.queries.origins.registry import origin_marks
from corpusdb.paraphrase.queries.paraphrases import explain, paraphrases
from corpusdb.paraphrase.queries.rewordings import clause_of
from corpusdb.paraphrase.queries.seeds import SeedValidity, load_replacements
from corpusdb.paraphrase.queries.statistics import exchanged_pairs, generation_counts
from corpusdb.paraphrase.rewording import OF_A_STEP
from corpusdb.phrasebook import phrasebook_files

# The whole chain: the same rows whatever interrupts it, given seeds, and layers that are kept up to date.


def some_pairs(store: Store) -> None:
    """English with four languages, or where the data is absent with one."""
    try:
        for language in ("fra", "deu", "jpn", "cmn"):
            import_rows(store, tatoeba(language, 1000, 550), ("eng", language))
    except pytest.skip.Exception:
        for path in phrasebook_files():
            source = open_source("tsv", [path], Options(languages=("eng", "fra")))
            finished(import_source(store, finished(check_source(source)), "phrasebook"))


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("imported")
    with new_store(folder) as store:
        some_pairs(store)
        return store.path


@pytest.fixture(scope="module")
def undisturbed(imported: Path) -> tuple[Path, int]:
    """The database after an undisturbed run, and how many thousand steps that took."""
    path = Path(shutil.copy(imported, imported.with_name("undisturbed.db")))
    steps = run("generate", path)
    assert steps is not None
    return path, steps


@pytest.mark.data
@pytest.mark.parametrize(
    ("kills", "number"), [(4, 3), *(pytest.param(10, number, marks=pytest.mark.slow) for number in range(3))]
)
def test_killed_runs_end_with_the_same_rows(
    imported: Path, undisturbed: tuple[Path, int], tmp_path: Path, kills: int, number: int
) -> None:
    expected, steps = undisturbed
    path = Path(shutil.copy(imported, tmp_path / "killed.db"))
    assert run_with_kills("generate", path, kills, steps, random.Random(number)) == kills
    with open_store(path) as killed, open_store(expected) as whole:
        found, wanted = all_rows(killed), all_rows(whole)
        assert len(wanted["candidate"]) > 100
        for table, rows in wanted.items():
            assert found[table] == rows, table
        assert killed.connection.execute("pragma integrity_check").fetchone() == ("ok",)


def rows() -> list[Row]:
    return random_rows(random.Random(1), 25)


def unfinished(store: Store) -> int:
    return int(store.connection.execute("select count(*) from run where finished is null").fetchone()[0])


@pytest.fixture
def small_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generation, "_SEEDS_PER_TRANSACTION", 3)
    monkeypatch.setattr(slot_index, "_ROWS_PER_TRANSACTION", 50)


def steps_of(store: Store) -> list[str]:
    """What an undisturbed generation in a copy of the corpus shows at its every step."""
    with copy_of_corpus(store, "watched") as copy:
        stages: list[str] = []
        finished(generate(copy, "eng"), lambda step: stages.append(step.stage))
        return stages


_INTERRUPTED = ((0.4, "generate", 0.0), (1.0, "generate", 0.0), (0.0, "follow", 10.0), (0.8, "follow", 10.0))
"""The part that was done, what comes next, and how much growth is followed: what is tried by default."""


@pytest.mark.usefixtures("small_transactions")
@pytest.mark.parametrize(
    ("part", "then", "small"),
    [
        pytest.param(*case, marks=() if case in _INTERRUPTED else pytest.mark.slow)
        for case in product((0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0), ("generate", "follow"), (0.0, 10.0))
    ],
)
@pytest.mark.slow
def test_what_is_imported_during_an_interruption_is_in_the_end(
    empty: Store, monkeypatch: pytest.MonkeyPatch, part: float, then: str, small: float
) -> None:
    """Stopped at any step, the corpus grown meanwhile: the rows are those of a generation from all at once.

    ``small`` decides whether what is new is followed or everything made anew.
    """
    monkeypatch.setattr(candidates, "_SMALL", small)
    import_rows(empty, rows())
    stages = steps_of(empty)
    assert {"cutting slots", "storing slots", "generating from sentences"} <= {*stages}
    job = generate(empty, "eng")
    for _ in range(max(1, int(part * len(stages)))):
        next(job)
    job.close()
    import_rows(empty, [("a b d.", "t1"), ("d.", "t2")])
    if then == "follow":
        finished(update_layers(empty))
    finished(generate(empty, "eng"))
    with copy_of_corpus(empty) as copy:
        finished(generate(copy, "eng"))
        assert derived_rows(copy) == derived_rows(empty)


@pytest.mark.slow
def test_a_second_call_does_nothing(empty: Store) -> None:
    import_rows(empty, rows())
    first = finished(generate(empty, "eng"))
    before = all_rows(empty)
    again = finished(generate(empty, "eng"))
    assert all_rows(empty) == before
    assert replace(again, seconds=first.seconds) == first
    assert unfinished(empty) == 0


@pytest.mark.slow
def test_all_seeds_after_some(empty: Store) -> None:
    """What was generated for some seeds only is no part of what is generated for all."""
    import_rows(empty, rows())
    some = finished(generate(empty, "eng", [rows()[0][0], "x y z."]))
    everything = finished(generate(empty, "eng"))
    assert some.candidates < everything.candidates
    with copy_of_corpus(empty) as copy:
        finished(generate(copy, "eng"))
        assert derived_rows(copy) == derived_rows(empty)
    assert empty.connection.execute("select count(*) from seed where sentence is null").fetchone() == (0,)


def test_some_seeds_after_all(empty: Store) -> None:
    """Those of the corpus are there already, and those that are not in it come to them."""
    import_rows(empty, rows())
    everything = finished(generate(empty, "eng"))
    before = derived_rows(empty)["candidate"]
    inside = empty.connection.execute("select text from seed order by id limit 1").fetchone()[0]
    report = finished(generate(empty, "eng", [inside, "a b a c b."]))
    after = derived_rows(empty)["candidate"]
    assert [row for row in after if row[2] is not None] == before
    assert report.candidates == sum(row[1] in (inside, "a b a c b.") for row in after)
    assert finished(generate(empty, "eng")).candidates == everything.candidates + len(after) - len(before)


@pytest.mark.slow
@pytest.mark.usefixtures("small_transactions")
def test_no_run_is_left_unfinished(empty: Store) -> None:
    """Found by test: a generation that ``update_layers`` brought to its end had no end in the record of runs."""
    import_rows(empty, rows())
    job = generate(empty, "eng")
    while next(job).stage != "generating from sentences":
        pass
    next(job)
    next(job)  # the first seeds are stored while the third are generated
    job.close()
    assert unfinished(empty) == 1
    finished(update_layers(empty))
    assert unfinished(empty) == 0


def test_an_update_without_anything_derived_makes_the_corpus_searchable_and_nothing_else(empty: Store) -> None:
    import_rows(empty, rows())
    before = all_rows(empty)
    finished(update_layers(empty))
    after = all_rows(empty)
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"layer", "run", "token_segment", "type"}
    finished(update_layers(empty))
    assert all_rows(empty) == after


@pytest.mark.slow
def test_every_language_that_has_something_is_followed(empty: Store) -> None:
    import_rows(empty, rows())
    finished(generate(empty, "eng"))
    finished(generate(empty, "fra"))
    import_rows(empty, [("a b d.", "t1"), ("d.", "t2 t3")])
    finished(update_layers(empty))
    with copy_of_corpus(empty) as copy:
        for language in ("eng", "fra"):
            finished(generate(copy, language))
        assert derived_rows(copy) == derived_rows(empty)


def test_given_seeds_that_an_interruption_left_out_are_generated_after_a_small_update(
    empty: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by reading: the candidates of all sentences were generated in their place."""
    import_rows(empty, rows())
    seeds = [rows()[0][0], rows()[3][0]]
    finished(generate(empty, "eng", seeds))
    monkeypatch.setattr(candidates, "_SMALL", 0.0)
    import_rows(empty, [("a b d.", "t1")])
    job = update_layers(empty)
    while next(job).stage != "generating from seeds":
        pass
    job.close()
    monkeypatch.setattr(candidates, "_SMALL", 10.0)
    import_rows(empty, [("d.", "t2")])
    finished(update_layers(empty))
    state = layer_state(empty, "eng", "candidate")
    assert state is not None
    assert (state.parameters, state.complete) == ({"seeds": "given"}, True)
    with copy_of_corpus(empty) as copy:
        finished(generate(copy, "eng", seeds))
        assert derived_rows(copy) == derived_rows(empty)


def test_what_was_given_is_known_as_gone_once_all_are_being_generated(empty: Store) -> None:
    """The candidates of given seeds are dropped in the transaction that says so, so that an update brings them back."""
    import_rows(empty, rows())
    finished(generate(empty, "eng", [rows()[0][0]]))
    job = generate(empty, "eng")
    assert next(job).stage == "generating from sentences"
    job.close()
    assert derived_rows(empty)["candidate"] == []
    state = layer_state(empty, "eng", "candidate")
    assert state is not None
    assert (state.parameters, state.complete) == ({"seeds": "all"}, False)
    finished(update_layers(empty))
    assert derived_rows(empty)["candidate"] != []


def test_a_language_without_sentences(empty: Store) -> None:
    with pytest.raises(InputError, match="the corpus is empty"):
        finished(generate(empty, "deu"))


# Analogies that no second context shows, where the exchange of words vouches for what they give.


SEED, REWORDED = SAD, SAD.replace(" is", "'s")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with generated_store(tmp_path, rewordings_rows()) as opened:
        yield opened


def stored(store: Store) -> dict[tuple[str, str], tuple[object, ...]]:
    query = """
        select sentence.text, rewording.text, pivots, languages, probability, fluency, inner_fluency
        from rewording join sentence on sentence.id = rewording.sentence where pivots > 0"""
    return {(seed, text): tuple(figures) for seed, text, *figures in store.connection.execute(query)}


def lone(sentences: list[str], shared: dict[str, dict[str, Shared]]) -> dict[tuple[str, str], set[tuple[str, str]]]:
    """By brute force: what is derived in one context alone, with its B and B'."""
    brute = Generation(sentences, shared)
    found: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    for seed in sentences:
        for context, x in slots(seed):
            for y, sentence in brute.contexts.get(context, {}).items():
                if len(x) > 0.7 * len(seed) or y == x or brute.places[x] & brute.places[y] != {context}:
                    continue
                if min(len(brute.places[x]), len(brute.places[y])) < 2:
                    continue
                for rewording in shared.get(sentence, {}):
                    bounds = {0, *unit_ends(rewording)}
                    at = rewording.find(y)
                    if y and rewording.count(y) == 1 and rewording.find(y, at + 1) < 0 and {at, at + len(y)} <= bounds:
                        text = rewording[:at] + x + rewording[at + len(y) :]
                        if text and text == text.strip() and text != seed:
                            found[seed, text].add((sentence, rewording))
    return found


def expected(store: Store) -> dict[tuple[str, str], tuple[object, ...]]:
    """What the table must hold, from the sentences, what is detected, and what was learned of exchanges."""
    sentences = [text for (text,) in store.connection.execute("select text from sentence where language = 'eng'")]
    links = store.connection.execute(
        """select one.text, other.language, other.text from translation join sentence one on one.id = sentence
        join sentence other on other.id = translation where one.language = 'eng'"""
    ).fetchall()
    shared = detected(links)
    known = set(store.connection.execute("select seed.text, c.text from candidate c join seed on seed.id = c.seed"))
    replacements, judge = load_replacements(store, "eng"), SeedValidity(store, "eng")
    found: dict[tuple[str, str], tuple[object, ...]] = {}
    for (seed, text), pairs in lone(sentences, shared).items():
        usable = {pair for pair in pairs if set(difference(*map(units_of, pair)).regions) <= replacements}
        order, inner = fluency(text, sentences), fluency(text, sentences, marks=False)
        if (
            not usable
            or (seed, text) in known
            or text in shared.get(seed, {})
            or order < vars(rewordings)["LEAST_ORDER"]
        ):
            continue
        if judge.judge_applied([Pair(0, seed, text)])[0].replacement:
            evidence = [shared[one][other] for one, other in usable]
            languages = len({language for each in evidence for language in each.languages})
            best = near(max(each.probability for each in evidence))
            found[seed, text] = len({other for _, other in usable}), languages, best, order, inner
    return found


@pytest.mark.slow
def test_what_one_context_gives_is_stored_where_the_exchange_vouches_for_it(store: Store) -> None:
    assert (SEED, REWORDED) in stored(store)
    assert stored(store) == expected(store)


@pytest.mark.parametrize("number", range(8))
def test_it_is_what_a_brute_force_finds(empty: Store, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rewordings, "LEAST_ORDER", 0)
    drawn = random_rows(random.Random(number), 80, words="abcde", pivots=9)
    import_rows(empty, [*rewordings_rows(), *drawn])
    finished(generate(empty, "eng"))
    assert stored(empty) == expected(empty)


def test_it_is_a_paraphrase_of_the_origin_exchange(store: Store) -> None:
    found = {each.text: each for each in paraphrases(store, SEED, "eng", limit=0, kept=NO_FILTER)}
    one = found[REWORDED]
    assert one.origins == ("exchange",)
    assert origin_marks(one) == "  E   "
    assert (one.frequency, one.findings[0].replacement) == (0, 1)
    plain = SeedValidity(store, "eng").judge_applied([Pair(0, SEED, REWORDED)])[0].validity
    assert one.validity == pytest.approx(plain, abs=1e-4)


def test_it_is_counted_beside_the_candidates(store: Store) -> None:
    counts = generation_counts(store, "eng", NO_FILTER)
    report = finished(generate(store, "eng", kept=NO_FILTER))
    assert report.exchanged == exchanged_pairs(store, "eng", NO_FILTER) == len(stored(store)) > 0
    assert report.kept == counts.kept
    assert exchanged_pairs(store, "eng", NO_FILTER, [SEED]) == sum(seed == SEED for seed, _ in stored(store))
    assert exchanged_pairs(store, "eng", NSequenceFilter(10_000_000)) == 0


def test_the_explanation_names_what_was_reworded(store: Store) -> None:
    found = explain(store, SEED, REWORDED, "eng")
    assert found.analogies == ()
    (reason,) = found.reasons
    assert "'He is quite new here.', in one context with the seed, becomes \"He's quite new here.\"" in reason
    assert "(fra)" in reason
    assert explain(store, SEED, "He was quite sad here.", "eng").reasons == ()


@pytest.mark.slow
def test_an_update_has_the_rows_of_a_rebuild(empty: Store) -> None:
    everything = rewordings_rows()
    import_rows(empty, everything[:-6])
    finished(generate(empty, "eng"))
    assert (SEED, REWORDED) not in stored(empty)
    import_rows(empty, everything[-6:])
    finished(update_layers(empty))
    assert (SEED, REWORDED) in stored(empty)
    assert stored(empty) == expected(empty)
    assert check(empty, full=True).problems == ()


@pytest.mark.parametrize(
    ("everything", "fresh"),
    [(rewordings_rows(), SAD), pytest.param(two_exchanges(), TOGETHER, marks=pytest.mark.slow)],
)
def test_few_new_sentences_have_what_all_would_get(
    empty: Store, everything: list[Row], fresh: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the exchanges that were summed up before them, which stay until all is generated again."""
    monkeypatch.setattr(validity_update, "_FEW", 0)
    monkeypatch.setattr(validity_update, "_LITTLE", 1.0)
    monkeypatch.setattr(candidates, "_SMALL", 1.0)
    old, new = ([row for row in everything if (row[0] == fresh) == is_new] for is_new in (False, True))
    import_rows(empty, old)
    finished(generate(empty, "eng"))
    import_rows(empty, new)
    finished(update_layers(empty))
    of_fresh = f"""select rewording.text, {", ".join(REWORDING_COLUMNS)} from rewording
        join sentence on sentence.id = sentence where sentence.text = ? order by 1"""
    found = empty.connection.execute(of_fresh, (fresh,)).fetchall()
    empty.connection.execute("delete from layer where name = 'rewording'")
    finished(exclusive("update")(update_rewordings)(empty, "eng"))
    assert found == empty.connection.execute(of_fresh, (fresh,)).fetchall() != []
    assert empty.connection.execute("select count(*) from run where operation = 'validity'").fetchone() == (1,)


def test_it_is_made_again_only_after_exchanges_were_summed_up(store: Store) -> None:
    before = store.connection.execute("select run from layer where name = 'rewording'").fetchone()
    finished(generate(store, "eng"))
    assert store.connection.execute("select run from layer where name = 'rewording'").fetchone() == before
    store.connection.execute("delete from rewording")
    store.connection.execute("delete from layer where name = 'rewording'")
    finished(generate(store, "eng"))
    assert stored(store) == expected(store)


def test_given_seeds_have_none(empty: Store) -> None:
    """The exchanges of all sentences are looked through for all sentences, or not at all."""
    import_rows(empty, rewordings_rows())
    finished(generate(empty, "eng", [SEED]))
    assert layer_state(empty, "eng", "rewording") is None
    assert stored(empty) == {}


@pytest.mark.slow
def test_a_job_that_is_stopped_before_the_end_stores_nothing(store: Store) -> None:
    held = stored(store)
    store.connection.execute("delete from layer where name = 'rewording'")
    store.connection.execute("delete from rewording")
    for step in (job := generate(store, "eng")):
        if step.stage == "rewording by exchanges":
            break
    job.close()
    assert stored(store) == {}
    finished(generate(store, "eng"))
    assert stored(store) == held


# Exchanges between neighbours that they are known by, and several paraphrases of a sentence put together.


@pytest.fixture
def exchanging(tmp_path: Path) -> Iterator[Store]:
    with generated_store(tmp_path, two_exchanges()) as opened:
        yield opened


SHOULD, LARGE, BOTH = (
    TOGETHER.replace(" must", " should"),
    TOGETHER.replace(" big", " large"),
    TOGETHER.replace(" must", " should").replace(" big", " large"),
)


def made_of_seed(store: Store, seed: str) -> dict[str, tuple[int, float, int, int]]:
    """What no other sentence was reworded for: parts, validity, order and replacement."""
    query = """
        select rewording.text, parts, validity, fluency, replacement
        from rewording join sentence on sentence.id = rewording.sentence where sentence.text = ? and pivots = 0"""
    return {text: tuple(figures) for text, *figures in store.connection.execute(query, (seed,))}


@pytest.mark.slow
def test_exchanges_are_made_between_known_words_and_put_together(exchanging: Store) -> None:
    found = made_of_seed(exchanging, TOGETHER)
    assert {text: figures[0] for text, figures in found.items()} == {SHOULD: 1, LARGE: 1, BOTH: 2}
    judge = SeedValidity(exchanging, "eng")
    for text in (SHOULD, LARGE):
        plain, support, _ = judge.judge_applied([Pair(0, TOGETHER, text)])[0]
        assert support & REPLACES
        assert found[text][1] == pytest.approx(plain, abs=1e-4)
        assert found[text][3] == support
    assert found[BOTH][1] == pytest.approx(found[SHOULD][1] * found[LARGE][1], abs=1e-4)
    sentences = [text for (text,) in exchanging.connection.execute("select text from sentence where language = 'eng'")]
    assert {text: figures[2] for text, figures in found.items()} == {text: fluency(text, sentences) for text in found}
    assert found[BOTH][3] == min(found[SHOULD][3], found[LARGE][3])


@pytest.mark.slow
def test_all_that_exchanges_make_is_explained(exchanging: Store) -> None:
    sentences = [text for (text,) in exchanging.connection.execute("select text from sentence where language = 'eng'")]
    made = [(seed, text) for seed in sentences for text in made_of_seed(exchanging, seed)]
    assert made
    assert all(explain(exchanging, *pair, "eng").reasons for pair in made)


def test_the_clause_that_has_the_paraphrase_is_found(exchanging: Store) -> None:
    with exchanging.write() as connection:
        connection.execute("update rewording set validity_parts = 9700 where parts = 1")
    for text in (SHOULD, LARGE):
        seed, made = (f"Well, {each[0].lower()}{each[1:-1]}!" for each in (TOGETHER, text))
        assert clause_of(exchanging, "eng", seed, made) == (TOGETHER, text)
        assert clause_of(exchanging, "eng", f"Well. {TOGETHER}", f"Well. {text}") == (TOGETHER, text)
        assert clause_of(exchanging, "eng", seed, seed) is None


def test_what_was_made_of_two_is_explained_by_them(exchanging: Store) -> None:
    found = explain(exchanging, TOGETHER, BOTH, "eng")
    parts = exchanging.connection.execute("select text, validity from rewording where parts = 1").fetchall()
    valid = {text: format_probability(validity) for text, validity in parts}
    (reason,) = found.reasons
    assert reason == (
        f"made of two paraphrases of the seed that change other places: {SHOULD!r} ({valid[SHOULD]}) and {LARGE!r} "
        f"({valid[LARGE]}); its validity is the product of these"
    )
    assert found.steps[0].text == "the product of the validities of the paraphrases that it is made of"
    (reason,) = explain(exchanging, TOGETHER, LARGE, "eng").reasons
    assert reason.startswith("'big' becomes 'large': 64 pairs of sentences")
    one = {each.text: each for each in paraphrases(exchanging, TOGETHER, "eng", limit=0, kept=NO_FILTER)}[BOTH]
    assert one.origins == ("exchange",)


def test_two_steps_are_explained_by_what_the_second_costs(exchanging: Store) -> None:
    texts = "select id, text from sentence where language = 'eng' and text <> ? order by id limit 2"
    (one, first), (_, last) = exchanging.connection.execute(texts, (TOGETHER,)).fetchall()
    seed = exchanging.connection.execute("select id from sentence where text = ?", (TOGETHER,)).fetchone()[0]
    rows = (seed, first, 0.99, 1), (one, last, 0.98, 1), (seed, last, round(0.99 * 0.98 * OF_A_STEP, 4), 2)
    made = """
        insert into rewording (sentence, text, validity_parts, parts, pivots, languages, probability, fluency,
            inner_fluency, replacement, run)
        values (?, ?, round(? * 10000), ?, 0, 0, 0.0, 30, 30, 1, (select min(id) from run))"""
    with exchanging.write() as connection:
        connection.execute("delete from rewording")
        connection.executemany(made, rows)
    found = explain(exchanging, TOGETHER, last, "eng")
    assert found.steps[0].text == "0.99 of the product of the validities of the paraphrases that it is made of"
    begin = f"made in two steps: the seed becomes {first!r} (0.990), and that becomes this (0.9"
    assert found.reasons[0].startswith(begin) and found.reasons[0].endswith(" 0.99 of the product of these")


def test_a_seed_outside_of_the_corpus_is_reworded_in_the_same_way(exchanging: Store) -> None:
    seed = "Tom must sell the hat now, since Mary has a big car now."
    both = seed.replace(" must", " should").replace(" big", " large")
    found = {each.text: each for each in paraphrases(exchanging, seed, "eng", limit=0, kept=NO_FILTER)}
    assert {seed.replace(" must", " should"), seed.replace(" big", " large"), both} <= found.keys()
    assert explain(exchanging, seed, both, "eng").reasons[0].startswith("made of two paraphrases of the seed")
    parts = found[seed.replace(" must", " should")], found[seed.replace(" big", " large")]
    orders = [NO_LIMIT if each.order is None else each.order for each in (found[both], *parts)]
    assert orders[0] == min(orders[1:]), "what was written between the two counts as seen"


@pytest.mark.slow
def test_they_are_the_same_however_the_corpus_grew(empty: Store) -> None:
    everything = two_exchanges()
    half = len(everything) // 2
    for part in (everything[half:], everything[:half]):
        import_rows(empty, part)
        finished(generate(empty, "eng"))
    grown = judged_rows(empty)
    assert BOTH in made_of_seed(empty, TOGETHER)
    with copy_of_corpus(empty) as copy:
        finished(generate(copy, "eng"))
        assert judged_rows(copy) == grown
    assert check(empty, full=True).problems == ()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_the_same_of_any_rows(empty: Store, seed: int) -> None:
    chance = random.Random(seed)
    everything = [*two_exchanges(), *random_rows(chance, 60, words="abcde", pivots=9)]
    chance.shuffle(everything)
    for at in range(0, len(everything), 150):
        import_rows(empty, everything[at : at + 150])
        finished(update_layers(empty) if at else generate(empty, "eng"))
    with copy_of_corpus(empty) as copy:
        finished(generate(copy, "eng"))
        assert judged_rows(copy)["rewording"] == judged_rows(empty)["rewording"] != []
