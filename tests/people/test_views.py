"""A session as it is looked at, stored or not yet, and as a file of references."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from corpora import Row, filled_store, generated_store, import_rows, random_rows

from corpusdb.base.errors import DatabaseReadOnly, InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.base.outputs import NEW_ONLY, Guard
from corpusdb.corpus.formats.scoring_input import read_references
from corpusdb.corpus.model import Paraphrase
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.queries.filters import NO_FILTER, NSequenceFilter, filter_at
from corpusdb.paraphrase.queries.origins.registry import origin_marks
from corpusdb.paraphrase.queries.paraphrases import paraphrases
from corpusdb.paraphrase.ranking import rank_key
from corpusdb.people.queries.decisions import apply_session, decide, undo_decision
from corpusdb.people.queries.sessions import add_seed, create_session, go_to_seed, seeds_of_session, sessions
from corpusdb.people.queries.views import (
    BLANK,
    SeedReader,
    UnstoredSession,
    chosen_paraphrase,
    reference_file,
    session_references,
    write_session_references,
)

# A seed of a session as one sees it: the paraphrases of `paraphrases`, moved by N in memory, with the decisions.


ROWS: list[Row] = random_rows(random.Random(7), 60)
KEPT = filter_at(4, min_validity=0)
"""The filter of the session."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A session with all English sentences."""
    with generated_store(tmp_path, ROWS) as opened:
        create_session(opened, "s", "eng", [row[0] for row in ROWS], KEPT)
        yield opened


def by_rank(found: Iterable[Paraphrase]) -> list[Paraphrase]:
    return sorted(found, key=rank_key)


class Opener:
    """Opens the file for writing, and counts how often."""

    def __init__(self, store: Store) -> None:
        self.path = store.path
        self.opened = 0

    def __call__(self) -> AbstractContextManager[Store]:
        self.opened += 1
        return open_store(self.path)


@pytest.mark.slow
def test_the_view_is_what_paraphrases_gives_at_every_n(store: Store) -> None:
    opener, reordered = Opener(store), 0
    with open_store(store.path, read_only=True) as reading:
        reader = SeedReader(reading, opener)
        for position in range(1, len({row[0] for row in ROWS}) + 1):
            go_to_seed(store, "s", position)
            view = reader.read("s")
            assert reader.read("s", position) == view
            for order in (0, 2, 4, 7, 20):
                kept = tuple(each for each in view.paraphrases if NSequenceFilter(order).passes(each))
                asked = paraphrases(store, view.seed, "eng", limit=0, kept=NSequenceFilter(order))
                assert by_rank(kept) == by_rank(asked)
                assert view.passing(NSequenceFilter(order)) == len(kept)
                assert (
                    view.passing(filter_at(order)) == sum(map(filter_at(order).passes, view.paraphrases)) <= len(kept)
                )
            passing = [each for each in view.paraphrases if KEPT.passes(each)]
            assert passing == paraphrases(store, view.seed, "eng", limit=0, kept=KEPT)
            reordered += passing != by_rank(passing)
            translations = {row[1] for row in ROWS if row[0] == view.seed}
            assert {each.text for each in view.translations} == translations
            assert (view.in_corpus, view.note, view.decisions) == (True, "", {})
    assert opener.opened == 0
    assert reordered


@pytest.mark.slow
def test_a_seed_that_the_corpus_does_not_hold(store: Store) -> None:
    seed = "c b a b c."
    before = store.connection.total_changes
    add_seed(store, "s", seed)
    opener = Opener(store)
    with open_store(store.path, read_only=True) as reading:
        view = SeedReader(reading, opener).read("s")
        assert (view.in_corpus, view.translations, opener.opened) == (False, (), 1)
        assert by_rank(view.paraphrases) == by_rank(paraphrases(store, seed, "eng", limit=0, kept=NO_FILTER))
        assert view.paraphrases
    assert store.connection.execute("select count(*) from sentence where text = ?", (seed,)).fetchone() == (0,)
    assert store.connection.total_changes > before


def test_a_seed_that_the_corpus_does_not_hold_in_a_file_that_may_only_be_read(store: Store) -> None:
    add_seed(store, "s", "c b a b c.")
    with open_store(store.path, read_only=True) as reading:
        reader = SeedReader(reading, lambda: open_store(store.path, read_only=True))
        with pytest.raises(DatabaseReadOnly, match="can be tried only where the file may be written"):
            reader.read("s")


@pytest.mark.slow
def test_what_is_kept_follows_the_corpus(store: Store) -> None:
    """The index in memory is made anew when the corpus has grown."""
    with open_store(store.path, read_only=True) as reading:
        reader = SeedReader(reading, Opener(store))
        add_seed(store, "s", "c b a b c.")
        reader.read("s")
        seed = ROWS[0][0]
        add_seed(store, "s", seed)
        decide(store, "s", seed, "brand new and unlike all others", "accept")
        finished(apply_session(store, "s"))
        add_seed(store, "s", "c b a b c.")
        everything = paraphrases(store, "c b a b c.", "eng", limit=0, kept=NO_FILTER)
        assert by_rank(reader.read("s").paraphrases) == by_rank(everything)


def test_decisions_are_shown_even_on_what_is_generated_no_longer(store: Store) -> None:
    reader = SeedReader(store, Opener(store))
    view = reader.read("s")
    first = view.paraphrases[0].text
    decide(store, "s", view.seed, first, "accept")
    decide(store, "s", view.seed, "of another time", "reject")
    view = reader.read("s")
    assert {text: said.verdict for text, said in view.decisions.items()} == {
        first: "accept",
        "of another time": "reject",
    }
    assert view.paraphrases[-1].text == "of another time"
    assert (view.paraphrases[-1].order, origin_marks(view.paraphrases[-1])) == (0, "      ")


def test_before_anything_was_generated_what_is_known_is_shown_with_the_reason(empty: Store) -> None:
    import_rows(empty, ROWS)
    create_session(empty, "s", "eng", [ROWS[0][0]])
    view = SeedReader(empty, Opener(empty)).read("s")
    assert view.paraphrases == ()
    assert view.translations
    assert "run `corpusdb generate --lang eng` first" in view.note


def test_a_paraphrase_by_its_number_or_text(store: Store) -> None:
    view = SeedReader(store, Opener(store)).read("s")
    texts = [each.text for each in view.paraphrases]
    assert [chosen_paraphrase(view, str(number)) for number in range(1, len(texts) + 1)] == texts
    assert chosen_paraphrase(view, f" {texts[-1]}\n") == texts[-1]
    for word in ("0", str(len(texts) + 1), "none of these", ""):
        with pytest.raises(InputError, match=f"is not a paraphrase of .*; they are numbered 1 to {len(texts)}"):
            chosen_paraphrase(view, word)


def test_marks(store: Store) -> None:
    found = paraphrases(store, ROWS[0][0], "eng", limit=0, kept=NO_FILTER)
    for each in found:
        exchanged = any(one.origin == "exchange" for one in each.findings)
        made = "".join(
            mark if is_so else " " for mark, is_so in (("D", each.shared), ("G", each.frequency), ("E", exchanged))
        )
        expected = f"{made}  {'*' if each.in_corpus else ' '}"
        assert origin_marks(each) == expected


SESSION = UnstoredSession("mine-1", "eng", ("a.", "b.", "c."))


def test_it_is_shown_as_one_just_begun(empty: Store) -> None:
    at = SESSION.standing(2)
    assert (at.name, at.position, at.seed, at.seeds, at.accepted, at.is_stored) == ("mine-1", 2, "b.", 3, 0, False)
    assert [(each.position, each.text) for each in SESSION.seeds()] == [(1, "a."), (2, "b."), (3, "c.")]
    with pytest.raises(InputError, match="the seeds are 1 to 3"):
        SESSION.standing(4)
    assert sessions(empty) == []


def test_it_is_stored_under_a_name_that_is_free(empty: Store) -> None:
    first, second = SESSION.store(empty, 2, filter_at(7)), SESSION.store(empty, 1, filter_at(20))
    assert [(each.name, each.position, each.order, each.is_stored) for each in (first, second)] == [
        ("mine-1", 2, 7, True),
        ("mine-2", 1, 20, True),
    ]
    assert [each.text for each in seeds_of_session(empty, "mine-2")] == list(SESSION.texts)


# What was accepted in a session, as a file of references that scoring reads back.


REFERENCES_ROWS: list[Row] = [("A beer, please.", "Une bière."), ("A tea, please.", "Un thé.")]
BEER, TEA = "A beer, please.", "A tea, please."


@pytest.fixture
def references_store(tmp_path: Path) -> Iterator[Store]:
    with filled_store(tmp_path, import_rows, tuple(REFERENCES_ROWS)) as store:
        create_session(store, "s", "eng", [TEA, BEER])
        yield store


def accept_some(store: Store) -> None:
    decide(store, "s", BEER, "One beer.", "accept")
    decide(store, "s", BEER, "Beer!", "accept")
    decide(store, "s", BEER, "No beer.", "reject")
    decide(store, "s", BEER, "Taken back.", "accept")
    undo_decision(store, "s")


@pytest.mark.parametrize("is_written", [False, True])
def test_they_are_the_seeds_and_what_stands_accepted_written_or_not(is_written: bool, references_store: Store) -> None:
    accept_some(references_store)
    if is_written:
        finished(apply_session(references_store, "s"))
    found = [(each.id, each.source, each.references) for each in session_references(references_store, "s").sets]
    assert found == [("1", TEA, (TEA,)), ("2", BEER, (BEER, "One beer.", "Beer!"))]


@pytest.mark.parametrize(("name", "format"), [("r.tsv", None), ("r.jsonl", None), ("r.JSONL", ""), ("tsv", "tsv")])
def test_the_file_is_read_back_by_scoring(
    name: str, format: str | None, references_store: Store, tmp_path: Path
) -> None:
    accept_some(references_store)
    path = tmp_path / (name if "." in name else f"r.{name}")
    written = write_session_references(references_store, "s", reference_file(path, format, NEW_ONLY))
    assert (written.segments, written.references.accepted, written.references.alone) == (2, 2, 1)
    texts = read_references([path])
    assert [[each.text for each in segment] for segment in texts.references] == [[TEA], [BEER, "One beer.", "Beer!"]]
    assert list(texts.sources) == [TEA, BEER]


@pytest.mark.parametrize("name", ["r.tsv", "r.jsonl"])
def test_they_line_up_with_a_test_set(name: str, references_store: Store, tmp_path: Path) -> None:
    accept_some(references_store)
    test_set, path = tmp_path / "test.txt", tmp_path / name
    test_set.write_text(f"{BEER}\n\n{BEER} \nNo seed.\n", encoding="utf-8")
    found = write_session_references(references_store, "s", reference_file(path, None, NEW_ONLY), test_set).references
    assert [each.references for each in found.sets] == [
        (BEER, "One beer.", "Beer!"),
        (BLANK,),
        (BEER, "One beer.", "Beer!"),
        ("No seed.",),
    ]
    assert (found.accepted, found.alone, found.no_seed, found.blank, found.left_out) == (4, 1, 1, 1, 1)
    assert [len(each) for each in read_references([path]).references] == [3, 1, 3, 1]
    with pytest.raises(InputError, match="no line of the test set is a seed of session 's'"):
        session_references(references_store, "s", ["Another.", ""])


def test_what_cannot_be_written_is_said(references_store: Store, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing is accepted in session 's' yet"):
        session_references(references_store, "s")
    with pytest.raises(InputError, match="no session 'other'"):
        session_references(references_store, "other")
    for name, format in (("r.txt", None), ("r", None), ("r.tsv", "sgm"), ("r.xlsx", "")):
        with pytest.raises(UsageError, match="give --format: tsv, jsonl"):
            reference_file(tmp_path / name, format, NEW_ONLY)
    (tmp_path / "there.tsv").touch()
    with pytest.raises(UsageError, match="exists"):
        reference_file(tmp_path / "there.tsv", None, NEW_ONLY)
    assert reference_file(tmp_path / "there.tsv", None, Guard(references_store.path, overwrite=True)).format == "tsv"
