"""Judging: next, record, undo, skip; against a model that keeps all in a list; and sheets."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import TypeAlias

import pytest
from corpora import import_rows, new_store, random_rows
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import CorpusError, InputError, UsageError
from corpusdb.base.estimates import wilson
from corpusdb.base.jobs import finished
from corpusdb.base.text import normalise
from corpusdb.chain.queries.generation import generate
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.queries.filters import NO_FILTER
from corpusdb.people.queries.samples import (
    COLUMNS,
    Kind,
    Sample,
    SampleOptions,
    SheetLine,
    draw_sample,
    find_sample,
    read_sheet,
    sheet_lines,
    write_sheet,
)
from corpusdb.people.queries.verdicts import (
    BlindItem,
    next_items,
    parse_verdict,
    progress,
    record,
    record_sheet,
    sheet,
    undo,
)

SIZE = 8
Judging: TypeAlias = tuple[Store, Sample]
Word: TypeAlias = tuple[int, str, str]
"""Item, verdict and comment."""

_judges = count(1)


@pytest.fixture(scope="module")
def judging(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judging]:
    """A sample of pairs, some of them controls; tests take a judge of their own each."""
    with new_store(tmp_path_factory.mktemp("judging")) as store:
        import_rows(store, random_rows(random.Random(3), 60))
        finished(generate(store, "eng"))
        yield (
            store,
            draw_sample(store, "pairs", SampleOptions("meaning", "eng", SIZE - 2, seed=1, kept=NO_FILTER, controls=2)),
        )


@pytest.fixture
def judge() -> str:
    return f"judge {next(_judges)}"


def standing(words: list[Word]) -> dict[int, tuple[str, str]]:
    """What the words come to: the last on each item."""
    return {item: (verdict, comment) for item, verdict, comment in words}


def left(words: list[Word]) -> list[int]:
    """The items still to judge, by brute force: the untouched, then the skipped from the longest ago."""
    said = standing(words)
    last = {item: number for number, (item, _, _) in enumerate(words)}
    skipped = [item for item, (verdict, _) in said.items() if verdict == "skip"]
    return [item for item in range(1, SIZE + 1) if item not in said] + sorted(skipped, key=last.__getitem__)


WORDS = st.tuples(
    st.integers(1, SIZE),
    st.sampled_from(["equivalence", "entailment", "neither", "skip"]),
    st.sampled_from(["", "doubtful"]),
)


@pytest.mark.slow
@given(st.lists(st.one_of(WORDS, st.just("undo")), max_size=25))
def test_any_order_of_verdicts_and_undos_is_that_of_a_list_of_words(judging: Judging, steps: list[Word | str]) -> None:
    store, sample = judging
    judge = f"judge {next(_judges)}"
    words: list[Word] = []
    written = 0
    for step in steps:
        if isinstance(step, tuple):
            item, verdict, comment = step
            record(store, sample, judge, item, verdict, comment)
            if verdict == "skip" or (verdict, comment) != standing(words).get(item):  # the same again says nothing
                words.append(step)
                written += 1
        else:
            taken_back = undo(store, sample, judge)
            assert (taken_back.item if taken_back else None) == (words.pop()[0] if words else None)
    lines = {line.item: (line.verdict, line.comment) for line in sheet(store, sample, judge) if line.verdict}
    assert lines == standing(words)
    assert [item.item for item in next_items(store, sample, judge, 0)] == left(words)
    assert [item.item for item in next_items(store, sample, judge)] == left(words)[:1]
    verdicts = [verdict for verdict, _ in standing(words).values()]
    found = progress(store, sample, judge)
    accepted = sum(verdict in ("equivalence", "entailment") for verdict in verdicts)
    judged = sum(verdict != "skip" for verdict in verdicts)
    assert (found.judged, found.skipped, found.total) == (judged, verdicts.count("skip"), SIZE)
    assert found.accepted == accepted
    if judged < SIZE:
        assert (found.rate, found.interval) == (accepted / judged if judged else None, wilson(accepted, judged))
    rows = store.connection.execute("select count(*) from judgement where judge = ?", (judge,)).fetchone()
    assert rows == (written,)  # undone ones stay too


def test_taking_all_back_and_saying_it_again_comes_to_the_same(judging: Judging, judge: str) -> None:
    store, sample = judging
    words: list[Word] = [(1, "neither", ""), (2, "skip", ""), (1, "equivalence", "sure"), (3, "entailment", "")]
    for _ in range(2):
        for item, verdict, comment in words:
            record(store, sample, judge, item, verdict, comment)
        after = sheet(store, sample, judge)
        while undo(store, sample, judge):
            pass
        assert all(not line.verdict for line in sheet(store, sample, judge))
        for item, verdict, comment in words:
            record(store, sample, judge, item, verdict, comment)
        assert sheet(store, sample, judge) == after


def test_the_rate_of_a_whole_sample_is_that_of_its_report(judging: Judging, judge: str) -> None:
    store, sample = judging
    controls = {
        item for (item,) in store.connection.execute("select position from sample_item where source <> 'candidate'")
    }
    assert len(controls) == 2
    for item in range(1, SIZE + 1):
        record(store, sample, judge, item, "equivalence" if item in controls else "neither")
    assert progress(store, sample, judge).rate == 0
    undo(store, sample, judge)
    assert progress(store, sample, judge).rate == (2 - (SIZE in controls)) / (SIZE - 1), "or it told the controls"


def test_judges_do_not_see_or_undo_each_other(judging: Judging) -> None:
    store, sample = judging
    record(store, sample, "one", 1, "neither")
    record(store, sample, "other", 1, "equivalence")
    assert undo(store, sample, "one") == next_items(store, sample, "one")[0]
    assert undo(store, sample, "one") is None
    assert progress(store, sample, "other").judged == 1


def test_an_item_has_its_texts_and_nothing_else(judging: Judging, judge: str) -> None:
    store, sample = judging
    rows = store.connection.execute("select position, seed_text, text from sample_item order by position").fetchall()
    items = next_items(store, sample, judge, 0)
    assert items == [BlindItem(*row) for row in rows]
    assert BlindItem.__slots__ == ("item", "seed", "text")
    assert [(line.item, line.seed, line.text) for line in sheet(store, sample, judge)] == rows


@pytest.mark.parametrize(
    ("kind", "word", "verdict"),
    [
        ("grammaticality", "yes", "yes"),
        ("grammaticality", " Y ", "yes"),
        ("grammaticality", "n", "no"),
        ("grammaticality", "s", "skip"),
        ("meaning", "Equivalence", "equivalence"),
        ("meaning", "=", "equivalence"),
        ("meaning", ">", "entailment"),
        ("meaning", "x", "neither"),
        ("meaning", "skip", "skip"),
    ],
)
def test_words_and_letters(kind: Kind, word: str, verdict: str) -> None:
    assert parse_verdict(kind, word) == verdict


@pytest.mark.parametrize(
    ("kind", "word"), [("grammaticality", "="), ("meaning", "yes"), ("meaning", ""), ("meaning", "e")]
)
def test_what_is_no_verdict(kind: Kind, word: str) -> None:
    with pytest.raises(InputError, match=rf"is not a verdict on {kind}; there are .*skip \(s\)"):
        parse_verdict(kind, word)


@pytest.mark.parametrize(
    ("judge", "item", "verdict", "error", "message"),
    [
        ("ann", 0, "neither", InputError, "has no item 0; its items are 1 to 8"),
        ("ann", SIZE + 1, "neither", InputError, "has no item 9"),
        ("ann", 1, "yes", InputError, "not a verdict on meaning"),
        (" ", 1, "neither", UsageError, "not a name for a judge"),
        ("a\nb", 1, "neither", UsageError, "not a name for a judge"),
    ],
)
def test_what_cannot_be_recorded(
    judging: Judging, judge: str, item: int, verdict: str, error: type[CorpusError], message: str
) -> None:
    store, sample = judging
    with pytest.raises(error, match=message):
        record(store, sample, judge, item, verdict)
    assert progress(store, sample, judge).judged == 0


def test_a_sheet_is_recorded_once(judging: Judging, judge: str) -> None:
    store, sample = judging
    record(store, sample, judge, 1, "neither", 'a "remark"')
    record(store, sample, judge, 2, "skip")
    lines = sheet(store, sample, judge)
    assert [line.item for line in lines] == [1, 3, 4, 5, 6, 7, 8, 2]
    numbered = list(enumerate(lines, 2))
    assert record_sheet(store, sample, judge, numbered, "sheet.tsv") == 0
    verdicts = {1: "neither", 2: "=", 3: ">", 4: "skip"}
    filled = [
        (number, SheetLine(line.item, line.seed, line.text, verdicts.get(line.item, ""), line.comment))
        for number, line in numbered
    ]
    assert [record_sheet(store, sample, judge, filled, "sheet.tsv") for _ in range(2)] == [3, 0]
    assert {line.item: line.verdict for line in sheet(store, sample, judge) if line.verdict} == {
        1: "neither",
        2: "equivalence",
        3: "entailment",
        4: "skip",
    }


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (SheetLine(3, "seed", "text", "x"), r"^sheet\.tsv:4: item 3 of sample 'pairs' is '.*', not 'text'$"),
        (SheetLine(99, "", "", "x"), r"^sheet\.tsv:4: sample 'pairs' has no item 99"),
        (None, r"^sheet\.tsv:4: item 1 appears twice$"),
        ("yes", r"^sheet\.tsv:4: 'yes' is not a verdict on meaning"),
    ],
)
def test_a_bad_line_keeps_the_whole_sheet_out(
    judging: Judging, judge: str, bad: SheetLine | str | None, message: str
) -> None:
    store, sample = judging
    own = sheet(store, sample, judge)
    good = [SheetLine(line.item, line.seed, line.text, "neither") for line in own[:2]]
    if bad is None:
        bad = good[0]
    elif isinstance(bad, str):
        bad = SheetLine(own[2].item, own[2].seed, own[2].text, bad)
    with pytest.raises(InputError, match=message):
        record_sheet(store, sample, judge, enumerate([*good, bad], 2), "sheet.tsv")
    assert progress(store, sample, judge).judged == 0


def test_the_table_only_grows(judging: Judging, judge: str) -> None:
    store, sample = judging
    record(store, sample, judge, 1, "neither")
    for statement in ("delete from judgement", "update judgement set verdict = 'equivalence'"):
        with pytest.raises(sqlite3.IntegrityError, match="judgements are never"):
            store.connection.execute(statement)
    undo(store, sample, judge)
    row = store.connection.execute("select verdict, undone is not null from judgement where judge = ?", (judge,))
    assert row.fetchall() == [("neither", 1)]


KILLED = """
import os, signal, sys
from corpusdb.people.queries.verdicts import record
from corpusdb.people.queries.samples import find_sample
from corpusdb.corpus.store import open_store
store = open_store(sys.argv[1])
for item in (1, 2, 3):
    record(store, find_sample(store, "pairs"), "killed", item, "x")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_nothing_recorded_is_lost_when_the_program_is_killed(judging: Judging, tmp_path: Path) -> None:
    store, _ = judging
    path = tmp_path / "killed.db"
    store.connection.execute("vacuum into ?", (str(path),))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    with open_store(path) as after:
        assert progress(after, find_sample(after, "pairs"), "killed").judged == 3


# Sheets: written, filled in, and read back, also through a spreadsheet that quotes cells.


HEADER = "\t".join(COLUMNS) + "\n"
CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"), max_size=12).map(normalise)


def write(folder: Path, text: str) -> Path:
    path = folder / "sheet.tsv"
    path.write_bytes(text.encode())
    return path


@given(st.lists(st.tuples(CELLS, CELLS, st.sampled_from(["", "yes", "no"]), CELLS), max_size=5))
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, cells: list[tuple[str, str, str, str]]
) -> None:
    lines = [SheetLine(number, *rest) for number, rest in enumerate(cells, 1)]
    path = write(tmp_path_factory.mktemp("sheets"), "".join(f"{line}\n" for line in sheet_lines(lines)))
    back = list(read_sheet(path))
    assert [number for number, _ in back] == list(range(2, len(lines) + 2))
    for (_, found), line in zip(back, lines, strict=True):
        assert found.is_about(line)
        assert found.has_comment_of(line)
        assert found.verdict == line.verdict


def quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


@pytest.mark.parametrize("text", ["A beer, please.", 'He said "no".', '"No."', '"', 'a "b', ""])
def test_a_spreadsheet_may_quote_cells(tmp_path: Path, text: str) -> None:
    path = write(
        tmp_path, HEADER.replace("\n", "\r\n") + "\t".join(["3", "", *map(quoted, (text, "yes", text))]) + "\r\n"
    )
    ((_, found),) = read_sheet(path)
    own = SheetLine(3, "", text, "yes", text)
    assert (found.is_about(own), found.has_comment_of(own), found.verdict) == (True, True, "yes")


def test_other_texts_and_items_are_told_apart() -> None:
    line = SheetLine(1, "a", "b")
    assert not any(
        line.is_about(other) for other in (SheetLine(2, "a", "b"), SheetLine(1, "a", "c"), SheetLine(1, "", "b"))
    )


def test_empty_lines_and_a_missing_last_cell_are_passed_over(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER + "\n1\t\ttext\tyes\n\t\t\t\t\n")
    assert list(read_sheet(path)) == [(3, SheetLine(1, "", "text", "yes"))]


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("", "", "empty"),
        ("text\tverdict\n", ":1", "its header is not item, seed, text, verdict, comment"),
        (HEADER + "1\t\ttext\n", ":2", "has 3 cells, not 5"),
        (HEADER + "\n1\t\ttext\tyes\t\tmore\n", ":3", "has 6 cells, not 5"),
        (HEADER + "one\t\ttext\tyes\t\n", ":2", "'one' is not an item number"),
        (HEADER + "-1\t\ttext\tyes\t\n", ":2", "'-1' is not an item number"),
    ],
)
def test_a_file_that_is_no_sheet_is_refused_with_its_line(tmp_path: Path, text: str, place: str, reason: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(InputError, match=reason) as caught:
        list(read_sheet(path))
    assert str(caught.value).startswith(f"{path}{place}: ")


def test_a_sheet_that_a_program_stored_in_nfd_is_the_same(tmp_path: Path) -> None:
    own = SheetLine(1, "Un café ?", "Un thé ?", "=", "très bien")
    path = write(tmp_path, unicodedata.normalize("NFD", "\n".join(sheet_lines([own]))))
    ((_, line),) = read_sheet(path)
    assert (line.is_about(own), line.has_comment_of(own), line.verdict) == (True, True, "=")


def test_a_sheet_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "sheet.tsv"
    write_sheet([SheetLine(1, "", "text")], path)
    assert path.read_text(encoding="utf-8") == HEADER + "1\t\ttext\t\t\n"
    with pytest.raises(UsageError, match="exists already; --overwrite replaces it"):
        write_sheet([], path)
    with pytest.raises(InputError, match="no such folder"):
        write_sheet([], tmp_path / "missing" / "sheet.tsv")
