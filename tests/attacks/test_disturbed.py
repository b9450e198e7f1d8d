"""Commands that fail, are killed, lose power or meet another one: nothing is lost, and they can be repeated."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from contents import contents, differences
from disturbing import Failing, killed_at, together
from interposed import Injection, library
from losing import lost_at
from workbench import DATABASE, Prepared, copied

# Commands of which an operation fails: nothing is lost, and they can be repeated.
# All are in benchmarks/disturbances.py.


reaches_sqlite = pytest.mark.skipif(library() is None, reason="the SQLite of Python's module is not to be reached")


@reaches_sqlite
@pytest.mark.parametrize(
    ("name", "kind", "nth", "lasting"),
    [
        ("judge record", "full", 3, False),
        ("import A", "write", 100, False),
        ("import A", "full", 300, True),
        ("accept", "allocate", 1300, False),
        ("accept", "write", 30, True),
        ("session apply", "sync", 1, False),
        ("backup", "write", 60, True),
        ("backup", "link", 1, False),
        ("export", "fsync", 1, False),
    ],
)
@pytest.mark.slow
def test_a_fault_loses_nothing(level: Prepared, disturbed: Path, name: str, kind: str, nth: int, lasting: bool) -> None:
    failed = Failing(level, disturbed, name).failed_at(Injection((kind,), nth, lasting=lasting))
    assert failed.reached
    assert failed.wrong == ()


# Commands that are killed and made again: the rows of an undisturbed one.
# All are in benchmarks/disturbances.py.


@pytest.mark.parametrize(
    ("name", "operation"),
    [
        ("session apply", 60),
        ("import A", 40),
        ("accept", 60),
        ("score", 25),
        ("backup", 300),
    ],
)
@pytest.mark.slow
def test_a_command_that_was_killed_and_made_again_ends_with_the_same_rows(
    level: Prepared, disturbed: Path, name: str, operation: int
) -> None:
    done = killed_at(level, disturbed, name, operation)
    assert done.killed
    assert done.wrong == ()


# Two commands that write, at the same moment: what one after the other gives.
# All pairs are in benchmarks/disturbances.py.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("judge sample", "generate"),
        ("import A", "import B"),
        ("import units", "generate"),
        ("generate", "generate"),
        ("accept", "session apply"),
        ("backup", "import B"),
    ],
)
def test_two_at_once_give_what_one_after_the_other_gives(
    behind: Prepared, tmp_path: Path, one: str, other: str
) -> None:
    assert together(behind, tmp_path / "pair", one, other).wrong == ()


# Commands during which the power goes: the file is sound and they can be repeated.
# All are in benchmarks/disturbances.py.


@reaches_sqlite
@pytest.mark.parametrize(
    ("name", "change", "parts"),
    [
        ("judge record", 0, (0.0, 0.5)),
        ("import A", 300, (0.0, 0.5)),
        ("accept", 400, (0.0, 0.5)),
    ],
)
@pytest.mark.slow
def test_what_was_synced_is_there_when_the_power_goes(
    level: Prepared, disturbed: Path, name: str, change: int, parts: Sequence[float]
) -> None:
    assert lost_at(level, disturbed, name, change, random.Random(change), parts).wrong == ()


# What two databases are compared by: nothing that matters escapes it, and numbers do not matter.


def _changed(prepared: Prepared, folder: Path, *statements: str) -> list[str]:
    """The tables in which a copy differs after these statements."""
    with copied(prepared, folder) as place:
        before = contents(place / DATABASE)
        with closing(sqlite3.connect(place / DATABASE)) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()
        return [line.partition(":")[0] for line in differences(contents(place / DATABASE), before)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statement", "tables"),
    [
        (
            "insert into token_segment "
            "(id, language, first_sentence, last_sentence, sentences, lengths, tokens, text, run) "
            "select id + 1000, language, first_sentence + 1000, last_sentence, sentences, lengths, tokens, text, run "
            "from token_segment where id = 1",
            ["token_segment"],
        ),
        ("update ngram_segment set suffixes = zeroblob(length(suffixes))", ["ngram_segment"]),
        ("update candidate set frequency = frequency + 1 where id = 1", ["candidate"]),
        ("update candidate set validity_parts = 1230 where id = 1", ["candidate"]),
        ("update candidate set word_gain_parts = 12 where id = 1", ["candidate"]),
        ("insert into word_model values ('fra', 1, x'00', 1, 1)", ["word_model"]),
        ("insert into lexical_model values ('fra', 'eng', x'', x'', x'', x'', x'', x'', 1, 1)", ["lexical_model"]),
        (
            "update paraphrase set validity_parts = 1230",
            ["paraphrase"],
        ),
        ("update exchange set shared = shared + 1 where id = 1", ["exchange"]),
        ("update exchange_part set expected = expected + 1 where exchange = 1", ["exchange_part"]),
        ("update exchange set id = id + 1000 where id not in (select exchange from exchange_part)", []),
        ("update layer set complete = 0 where name = 'ngram'", ["layer"]),
        ("update run set counts = '{}' where id = 1", ["run"]),
        ("update run set started = 'later', id = id + 1000 where operation = 'sample'", []),
        ("update filler set id = id + 100000 where id not in (select filler from slot)", []),
        ("delete from commutation where x = (select min(x) from commutation)", ["commutation"]),
    ],
)
def test_rows_are_compared_and_numbers_are_not(
    level: Prepared, tmp_path: Path, statement: str, tables: list[str]
) -> None:
    assert _changed(level, tmp_path / "changed", statement) == tables


def test_a_table_that_nobody_thought_of_is_an_error(level: Prepared, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="how to compare another"):
        _changed(level, tmp_path / "changed", "create table another (id integer primary key)")
