"""Deciding, taking back, and writing into the corpus."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from corpora import (
    Row,
    all_rows,
    copy_of_corpus,
    derived_rows,
    generated_store,
    import_file,
    import_rows,
    new_store,
    write_rows,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.corpus.model import ACCEPTED
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.queries.filters import NO_FILTER
from corpusdb.paraphrase.queries.paraphrases import paraphrases
from corpusdb.people.queries.decisions import Decision, Verdict, accept, apply_session, decide, decisions, undo_decision
from corpusdb.people.queries.sessions import create_session, session_standing

# Deciding, taking back and writing into the corpus: against a model, and through kill -9.


ROWS: list[Row] = [
    ("I'd like a beer, please.", "Je voudrais une bière."),
    ("A beer, please.", "Une bière."),
    ("Can I have a beer?", "Une bière."),
    ("I'd like a slice of pizza, please.", "Je voudrais une pizza."),
    ("A slice of pizza, please.", "Une pizza."),
    ("A slice of pizza, please.", "De la pizza."),
]
SEED, OUTSIDE = "A slice of pizza, please.", "Some pizza?"
CANDIDATES = ["Can I have a slice of pizza?", "Can I have a beer?", OUTSIDE, "Pizza!"]


@pytest.fixture(scope="module")
def pizza(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session with a seed of the corpus and one that it does not hold."""
    with new_store(tmp_path_factory.mktemp("decisions")) as store:
        import_rows(store, ROWS)
        finished(generate(store, "eng"))
        create_session(store, "s", "eng", [SEED, OUTSIDE])
        return store.path


@pytest.fixture
def store(pizza: Path, tmp_path: Path) -> Iterator[Store]:
    with open_store(shutil.copy(pizza, tmp_path / "corpus.db")) as store:
        yield store


@dataclass
class Said:
    """A decision in the model."""

    seed: str
    text: str
    verdict: Verdict
    applied: bool = False
    undone: bool = False


class Model:
    """All that was ever decided, in a list."""

    def __init__(self) -> None:
        self.rows: list[Said] = []
        self.translated = {SEED, "Can I have a beer?"}

    def standing(self) -> list[Said]:
        current = {(row.seed, row.text): row for row in self.rows if not row.undone}
        return [row for row in self.rows if current.get((row.seed, row.text)) is row]

    def decide(self, seed: str, text: str, verdict: Verdict) -> bool | None:
        """Whether it changes something; None where it is refused."""
        before = next((row for row in self.standing() if (row.seed, row.text) == (seed, text)), None)
        if before is not None and before.verdict == verdict:
            return False
        if (before is not None and before.applied) or (seed == text and verdict == "accept"):
            return None
        self.rows.append(Said(seed, text, verdict))
        return True

    def undo(self) -> Said | None:
        row = next((row for row in reversed(self.rows) if not row.undone and not row.applied), None)
        if row is not None:
            row.undone = True
        return row

    def apply(self) -> int:
        """How many are accepted for good: in their order, since one may give another its translations."""
        count = 0
        for row in self.standing():
            if row.verdict == "accept" and not row.applied and row.seed in self.translated:
                self.translated.add(row.text)
                count += 1
                for each in self.rows:
                    each.applied |= (each.seed, each.text, each.undone) == (row.seed, row.text, False)
        return count


STEPS = st.one_of(
    st.tuples(st.sampled_from([SEED, OUTSIDE]), st.sampled_from(CANDIDATES), st.sampled_from(["accept", "reject"])),
    st.just("undo"),
    st.just("apply"),
)


@settings(max_examples=40)
@given(st.lists(STEPS, max_size=14))
@pytest.mark.slow
def test_any_order_of_decisions_undos_and_writing_is_that_of_the_model(
    pizza: Path, tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, Verdict] | str]
) -> None:
    path = tmp_path_factory.mktemp("model") / "corpus.db"
    shutil.copy(pizza, path)
    model = Model()
    with open_store(path) as store:
        for step in steps:
            if step == "undo":
                undone, expected = undo_decision(store, "s"), model.undo()
                assert (undone is None) == (expected is None)
                if undone is not None and expected is not None:
                    said = undone.decision
                    assert (said.seed, said.text, said.verdict) == (expected.seed, expected.text, expected.verdict)
                    pair = (said.seed, said.text)
                    stands = [row.verdict for row in model.standing() if (row.seed, row.text) == pair]
                    assert undone.stands == (stands[0] if stands else None)
            elif step == "apply":
                assert finished(apply_session(store, "s")).accepted == model.apply()
            elif isinstance(step, tuple):
                expected_change = model.decide(*step)
                if expected_change is None:
                    with pytest.raises(InputError, match=r"cannot be rejected while|is not a paraphrase of itself"):
                        decide(store, "s", *step)
                else:
                    assert bool(decide(store, "s", *step)) == expected_change
        standing = model.standing()
        assert decisions(store, "s") == [Decision(row.seed, row.text, row.verdict, row.applied) for row in standing]
        counted = session_standing(store, "s")
        accepted = [row for row in standing if row.verdict == "accept"]
        assert (counted.accepted, counted.rejected) == (len(accepted), len(standing) - len(accepted))
        has_translations = translated(store)
        waiting = [row.seed in has_translations for row in accepted if not row.applied]
        assert (counted.to_apply, counted.without_translations) == (sum(waiting), len(waiting) - sum(waiting))
        assert translated(store) >= {row.text for row in accepted if row.applied}
        assert store.connection.execute("select count(*) from session_decision").fetchone() == (len(model.rows),)


def translated(store: Store) -> set[str]:
    rows = store.connection.execute(
        "select text from sentence where language = 'eng' and id in (select sentence from translation)"
    )
    return {row[0] for row in rows}


@pytest.mark.slow
def test_writing_all_at_once_comes_to_the_same_as_one_after_the_other(store: Store, tmp_path: Path) -> None:
    with open_store(shutil.copy(store.path, tmp_path / "single.db")) as single:
        for text in CANDIDATES:
            decide(store, "s", SEED, text, "accept")
            finished(accept(single, SEED, text, "eng"))
        report = finished(apply_session(store, "s"))
        assert (report.accepted, report.without_translations) == (4, ())
        assert derived_rows(store) == derived_rows(single)
    with copy_of_corpus(store) as rebuilt:
        finished(generate(rebuilt, "eng"))
        assert derived_rows(store) == derived_rows(rebuilt)


def test_what_has_no_translations_to_share_waits(store: Store) -> None:
    decide(store, "s", OUTSIDE, "Pizza!", "accept")
    report = finished(apply_session(store, "s"))
    assert (report.accepted, report.without_translations) == (0, ((OUTSIDE, "Pizza!"),))
    standing = session_standing(store, "s")
    assert (standing.accepted, standing.to_apply, standing.without_translations) == (1, 0, 1)
    undone = undo_decision(store, "s")
    assert undone is not None and undone.decision.text == "Pizza!"


@pytest.mark.slow
def test_undo_passes_over_what_is_in_the_corpus_and_says_so(store: Store) -> None:
    decide(store, "s", SEED, "Pizza!", "reject")
    decide(store, "s", SEED, CANDIDATES[0], "accept")
    decide(store, "s", SEED, CANDIDATES[1], "accept")
    finished(apply_session(store, "s"))
    undone = undo_decision(store, "s")
    assert undone is not None
    assert (undone.decision.text, undone.stands, undone.in_corpus) == ("Pizza!", None, 2)
    assert undo_decision(store, "s") is None
    assert [each.applied for each in decisions(store, "s")] == [True, True]


def test_ones_own_decisions_are_taken_back_before_those_of_others(store: Store) -> None:
    first = decide(store, "s", SEED, CANDIDATES[0], "accept")
    decide(store, "s", SEED, CANDIDATES[1], "reject")  # somebody else
    own = {first, decide(store, "s", SEED, "Pizza!", "accept")}
    found = [undo_decision(store, "s", own) for _ in range(3)]
    assert [(each.decision.text, each.is_own) for each in found if each] == [
        ("Pizza!", True),
        (CANDIDATES[0], True),
        (CANDIDATES[1], False),
    ]
    own = {decide(store, "s", SEED, "Pizza!", "accept")}
    decide(store, "s", SEED, "Pizza!", "reject")  # somebody else thinks otherwise, which stands
    undone = undo_decision(store, "s", own)
    assert undone is not None and (undone.decision.verdict, undone.stands, undone.is_own) == ("reject", "accept", False)


def test_what_cannot_be_decided(store: Store) -> None:
    with pytest.raises(InputError, match=r"'No\.' is not a seed of session 's'"):
        decide(store, "s", "No.", CANDIDATES[0], "accept")
    with pytest.raises(InputError, match="the seed is not a paraphrase of itself"):
        decide(store, "s", SEED, f" {SEED} ", "accept")
    with pytest.raises(InputError, match="an empty sentence is not a paraphrase"):
        decide(store, "s", SEED, " \n", "accept")
    with pytest.raises(InputError, match="there is no session 'x'; there are: s"):
        decide(store, "x", SEED, CANDIDATES[0], "accept")
    with pytest.raises(InputError, match="there is no session 'x'"):
        undo_decision(store, "x")
    with pytest.raises(UsageError, match="'maybe' is neither"):
        decide(store, "s", SEED, CANDIDATES[0], "maybe")  # type: ignore[arg-type]
    assert decisions(store, "s") == []


def test_the_table_only_grows(store: Store) -> None:
    decide(store, "s", SEED, CANDIDATES[0], "accept")
    for statement in ("delete from session_decision", "update session_decision set verdict = 'reject'"):
        with pytest.raises(sqlite3.IntegrityError, match="decisions are never"):
            store.connection.execute(statement)


DECIDING = """
import os, signal, sys
from corpusdb.people.queries.decisions import decide, undo_decision
from corpusdb.people.queries.sessions import go_to_seed
from corpusdb.corpus.store import open_store
store = open_store(sys.argv[1])
seed, *candidates = sys.argv[2:]
for text in candidates:
    decide(store, "s", seed, text, "accept")
undo_decision(store, "s")
go_to_seed(store, "s", 2)
os.kill(os.getpid(), signal.SIGKILL)
"""


def killed(program: str, *arguments: str) -> bool:
    """Run a program that kills itself; whether it did, rather than come to its end."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program, *arguments], env=environment, check=False)
    assert done.returncode in (0, -signal.SIGKILL)
    return done.returncode != 0


@pytest.mark.slow
def test_nothing_decided_is_lost_when_the_program_is_killed(store: Store) -> None:
    assert killed(DECIDING, str(store.path), SEED, *CANDIDATES)
    assert [each.text for each in decisions(store, "s")] == CANDIDATES[:3]
    assert session_standing(store, "s").position == 2


APPLYING = """
import os, signal, sys
from corpusdb.base.jobs import finished
from corpusdb.people.queries.decisions import apply_session
from corpusdb.corpus.store import open_store
steps = 0
def step():
    global steps
    steps += 1
    if steps == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    return 0
store = open_store(sys.argv[1])
store.connection.set_progress_handler(step, 500)
finished(apply_session(store, "s"))
"""


@pytest.mark.slow
def test_writing_goes_on_after_being_killed_anywhere(store: Store, tmp_path: Path) -> None:
    for text in CANDIDATES:
        decide(store, "s", SEED, text, "accept")
    store.connection.execute("vacuum into ?", (str(tmp_path / "whole.db"),))
    finished(apply_session(store, "s"))
    deaths = 0
    for moment in (1, 3, 6, 10, 15, 30):
        path = tmp_path / f"killed-{moment}.db"
        shutil.copy(tmp_path / "whole.db", path)
        deaths += killed(APPLYING, str(path), str(moment))
        with open_store(path) as after:
            finished(apply_session(after, "s"))
            assert decisions(after, "s") == decisions(store, "s")
            assert derived_rows(after) == derived_rows(store)
    assert deaths >= 3


# Accepting a candidate: the corpus has it with the seed's translations, and everything derived follows.

ACCEPTANCE_SEED, CANDIDATE = "A slice of pizza, please.", "Can I have a slice of pizza?"


@pytest.fixture
def acceptance_pizza(tmp_path: Path) -> Iterator[Store]:
    with generated_store(tmp_path, ROWS) as opened:
        yield opened


def translations(store: Store, text: str) -> list[str]:
    rows = store.connection.execute(
        "select distinct other.text from sentence join translation on sentence = sentence.id"
        " join sentence other on other.id = translation where sentence.text = ? order by 1",
        (text,),
    )
    return [row[0] for row in rows]


def without_runs(store: Store) -> dict[str, list[tuple[object, ...]]]:
    return {table: rows for table, rows in all_rows(store).items() if table != "run"}


def test_the_candidate_becomes_a_sentence(acceptance_pizza: Store) -> None:
    report = finished(accept(acceptance_pizza, ACCEPTANCE_SEED, CANDIDATE, "eng"))
    assert report.translations == 2
    assert (
        translations(acceptance_pizza, CANDIDATE)
        == translations(acceptance_pizza, ACCEPTANCE_SEED)
        == ["De la pizza.", "Une pizza."]
    )
    assert acceptance_pizza.connection.execute(
        "select text from sentence where id = ?", (report.sentence,)
    ).fetchone() == (CANDIDATE,)
    place = acceptance_pizza.connection.execute(
        "select collection.name, document.name, line, lines_done from occurrence"
        " join document on document.id = document join collection on collection.id = collection where sentence = ?",
        (report.sentence,),
    )
    assert place.fetchall() == [(ACCEPTED, ACCEPTED, 1, 1)]
    (found,) = (
        one for one in paraphrases(acceptance_pizza, ACCEPTANCE_SEED, "eng", kept=NO_FILTER) if one.text == CANDIDATE
    )
    assert (found.shared, found.in_corpus) == (2, True)
    with copy_of_corpus(acceptance_pizza) as copy:
        finished(generate(copy, "eng"))
        assert derived_rows(copy) == derived_rows(acceptance_pizza)


@pytest.mark.slow
def test_accepting_again_changes_nothing(acceptance_pizza: Store) -> None:
    first = finished(accept(acceptance_pizza, ACCEPTANCE_SEED, CANDIDATE, "eng"))
    before = without_runs(acceptance_pizza)
    again = finished(accept(acceptance_pizza, f" {ACCEPTANCE_SEED} ", CANDIDATE, "eng"))
    assert (again.sentence, again.translations) == (first.sentence, 0)
    assert without_runs(acceptance_pizza) == before


@pytest.mark.slow
def test_a_sentence_of_the_corpus_gets_the_translations_it_lacks(acceptance_pizza: Store) -> None:
    report = finished(accept(acceptance_pizza, "Can I have a beer?", "I'd like a beer, please.", "eng"))
    assert report.translations == 1
    assert translations(acceptance_pizza, "I'd like a beer, please.") == ["Je voudrais une bière.", "Une bière."]
    assert acceptance_pizza.connection.execute("select count(*) from sentence where language = 'eng'").fetchone() == (
        5,
    )


def test_before_anything_was_derived(empty: Store) -> None:
    import_rows(empty, ROWS)
    finished(accept(empty, ACCEPTANCE_SEED, CANDIDATE, "eng"))
    assert translations(empty, CANDIDATE) == ["De la pizza.", "Une pizza."]
    assert empty.connection.execute("select distinct name from layer").fetchall() == [("token",)]


@pytest.mark.parametrize(
    ("seed", "candidate", "reason"),
    [(ACCEPTANCE_SEED, "  ", "empty"), ("Not there.", CANDIDATE, "'Not there.' has no translations")],
)
def test_what_cannot_be_accepted(acceptance_pizza: Store, seed: str, candidate: str, reason: str) -> None:
    before = all_rows(acceptance_pizza)
    with pytest.raises(InputError, match=reason):
        finished(accept(acceptance_pizza, seed, candidate, "eng"))
    assert all_rows(acceptance_pizza) == before


@pytest.mark.slow
def test_a_file_imported_under_the_same_name_stays_as_it_is(acceptance_pizza: Store) -> None:
    """Found by test: the line was counted in every document of the collection, and stood in the first."""
    path = write_rows(acceptance_pizza.path.parent / "more.tsv", [("Thanks.", "Merci."), ("Hello.", "Bonjour.")])
    import_file(acceptance_pizza, path, ("eng", "fra"), ACCEPTED)
    report = finished(accept(acceptance_pizza, ACCEPTANCE_SEED, CANDIDATE, "eng"))
    rows = acceptance_pizza.connection.execute(
        "select document.name, lines_done from document join collection on collection.id = collection"
        " where collection.name = ? order by document.id",
        (ACCEPTED,),
    )
    assert rows.fetchall() == [("more.tsv", 2), (ACCEPTED, 1)]
    place = acceptance_pizza.connection.execute(
        "select document.name, line from occurrence join document on document.id = document where sentence = ?",
        (report.sentence,),
    )
    assert place.fetchall() == [(ACCEPTED, 1)]
    assert import_file(acceptance_pizza, path, ("eng", "fra"), ACCEPTED).unchanged == ("more.tsv",)
