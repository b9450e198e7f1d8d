"""What was accepted in a session, as a file of references that scoring reads back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from corpora import Row, import_rows, new_store

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.base.outputs import NEW_ONLY, Guard
from corpusdb.corpus.formats.scoring_input import read_references
from corpusdb.corpus.store import Store
from corpusdb.people.queries.decisions import apply_session, decide, undo_decision
from corpusdb.people.queries.sessions import create_session
from corpusdb.people.queries.views import BLANK, reference_file, session_references, write_session_references

ROWS: list[Row] = [("A beer, please.", "Une bière."), ("A tea, please.", "Un thé.")]
BEER, TEA = "A beer, please.", "A tea, please."


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with new_store(tmp_path) as store:
        import_rows(store, ROWS)
        create_session(store, "s", "eng", [TEA, BEER])
        yield store


def accept_some(store: Store) -> None:
    decide(store, "s", BEER, "One beer.", "accept")
    decide(store, "s", BEER, "Beer!", "accept")
    decide(store, "s", BEER, "No beer.", "reject")
    decide(store, "s", BEER, "Taken back.", "accept")
    undo_decision(store, "s")


@pytest.mark.parametrize("is_written", [False, True])
def test_they_are_the_seeds_and_what_stands_accepted_written_or_not(is_written: bool, store: Store) -> None:
    accept_some(store)
    if is_written:
        finished(apply_session(store, "s"))
    found = [(each.id, each.source, each.references) for each in session_references(store, "s").sets]
    assert found == [("1", TEA, (TEA,)), ("2", BEER, (BEER, "One beer.", "Beer!"))]


@pytest.mark.parametrize(("name", "format"), [("r.tsv", None), ("r.jsonl", None), ("r.JSONL", ""), ("tsv", "tsv")])
def test_the_file_is_read_back_by_scoring(name: str, format: str | None, store: Store, tmp_path: Path) -> None:
    accept_some(store)
    path = tmp_path / (name if "." in name else f"r.{name}")
    written = write_session_references(store, "s", reference_file(path, format, NEW_ONLY))
    assert (written.segments, written.references.accepted, written.references.alone) == (2, 2, 1)
    texts = read_references([path])
    assert [[each.text for each in segment] for segment in texts.references] == [[TEA], [BEER, "One beer.", "Beer!"]]
    assert list(texts.sources) == [TEA, BEER]


@pytest.mark.parametrize("name", ["r.tsv", "r.jsonl"])
def test_they_line_up_with_a_test_set(name: str, store: Store, tmp_path: Path) -> None:
    accept_some(store)
    test_set, path = tmp_path / "test.txt", tmp_path / name
    test_set.write_text(f"{BEER}\n\n{BEER} \nNo seed.\n", encoding="utf-8")
    found = write_session_references(store, "s", reference_file(path, None, NEW_ONLY), test_set).references
    assert [each.references for each in found.sets] == [
        (BEER, "One beer.", "Beer!"),
        (BLANK,),
        (BEER, "One beer.", "Beer!"),
        ("No seed.",),
    ]
    assert (found.accepted, found.alone, found.no_seed, found.blank, found.left_out) == (4, 1, 1, 1, 1)
    assert [len(each) for each in read_references([path]).references] == [3, 1, 3, 1]
    with pytest.raises(InputError, match="no line of the test set is a seed of session 's'"):
        session_references(store, "s", ["Another.", ""])


def test_what_cannot_be_written_is_said(store: Store, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing is accepted in session 's' yet"):
        session_references(store, "s")
    with pytest.raises(InputError, match="no session 'other'"):
        session_references(store, "other")
    for name, format in (("r.txt", None), ("r", None), ("r.tsv", "sgm"), ("r.xlsx", "")):
        with pytest.raises(UsageError, match="tsv and jsonl"):
            reference_file(tmp_path / name, format, NEW_ONLY)
    (tmp_path / "there.tsv").touch()
    with pytest.raises(UsageError, match="exists"):
        reference_file(tmp_path / "there.tsv", None, NEW_ONLY)
    assert reference_file(tmp_path / "there.tsv", None, Guard(store.path, overwrite=True)).format == "tsv"
