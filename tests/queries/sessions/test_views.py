"""A seed of a session as one sees it: the paraphrases of `paraphrases`, moved by N in memory, with the decisions."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from corpora import Row, generated_store, import_rows, random_rows

from corpusdb.base.errors import DatabaseReadOnly, InputError
from corpusdb.base.jobs import finished
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.queries.filters import NO_FILTER, NSequenceFilter, filter_at
from corpusdb.paraphrase.queries.origins.registry import origin_marks
from corpusdb.paraphrase.queries.paraphrases import paraphrases
from corpusdb.people.queries.decisions import apply_session, decide
from corpusdb.people.queries.sessions import add_seed, create_session, go_to_seed
from corpusdb.people.queries.views import SeedReader, chosen_paraphrase

ROWS: list[Row] = random_rows(random.Random(7), 60)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A session with all English sentences."""
    with generated_store(tmp_path, ROWS) as opened:
        create_session(opened, "s", "eng", [row[0] for row in ROWS])
        yield opened


class Opener:
    """Opens the file for writing, and counts how often."""

    def __init__(self, store: Store) -> None:
        self.path = store.path
        self.opened = 0

    def __call__(self) -> AbstractContextManager[Store]:
        self.opened += 1
        return open_store(self.path)


def test_the_view_is_what_paraphrases_gives_at_every_n(store: Store) -> None:
    opener = Opener(store)
    with open_store(store.path, read_only=True) as reading:
        reader = SeedReader(reading, opener)
        for position in range(1, len({row[0] for row in ROWS}) + 1):
            go_to_seed(store, "s", position)
            view = reader.read("s")
            assert reader.read("s", position) == view
            for order in (0, 2, 4, 7, 20):
                kept = tuple(each for each in view.paraphrases if NSequenceFilter(order).passes(each))
                assert list(kept) == paraphrases(store, view.seed, "eng", limit=0, kept=NSequenceFilter(order))
                assert view.passing(NSequenceFilter(order)) == len(kept)
                assert (
                    view.passing(filter_at(order)) == sum(map(filter_at(order).passes, view.paraphrases)) <= len(kept)
                )
            translations = {row[1] for row in ROWS if row[0] == view.seed}
            assert {each.text for each in view.translations} == translations
            assert (view.in_corpus, view.note, view.decisions) == (True, "", {})
    assert opener.opened == 0


def test_a_seed_that_the_corpus_does_not_hold(store: Store) -> None:
    seed = "c b a b c."
    before = store.connection.total_changes
    add_seed(store, "s", seed)
    opener = Opener(store)
    with open_store(store.path, read_only=True) as reading:
        view = SeedReader(reading, opener).read("s")
        assert (view.in_corpus, view.translations, opener.opened) == (False, (), 1)
        assert list(view.paraphrases) == paraphrases(store, seed, "eng", limit=0, kept=NO_FILTER)
        assert view.paraphrases
    assert store.connection.execute("select count(*) from sentence where text = ?", (seed,)).fetchone() == (0,)
    assert store.connection.total_changes > before


def test_a_seed_that_the_corpus_does_not_hold_in_a_file_that_may_only_be_read(store: Store) -> None:
    add_seed(store, "s", "c b a b c.")
    with open_store(store.path, read_only=True) as reading:
        reader = SeedReader(reading, lambda: open_store(store.path, read_only=True))
        with pytest.raises(DatabaseReadOnly, match="can be tried only where the file may be written"):
            reader.read("s")


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
        assert list(reader.read("s").paraphrases) == paraphrases(store, "c b a b c.", "eng", limit=0, kept=NO_FILTER)


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
        with pytest.raises(InputError, match=f"is no paraphrase of .*; they are numbered 1 to {len(texts)}"):
            chosen_paraphrase(view, word)


def test_marks(store: Store) -> None:
    found = paraphrases(store, ROWS[0][0], "eng", limit=0, kept=NO_FILTER)
    for each in found:
        expected = f"{'D' if each.shared else ' '}{'G' if each.frequency else ' '}   {'*' if each.in_corpus else ' '}"
        assert origin_marks(each) == expected
