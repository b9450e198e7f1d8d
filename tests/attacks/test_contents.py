"""What two databases are compared by: nothing that matters escapes it, and numbers do not matter."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from contents import contents, differences
from workbench import DATABASE, Prepared, copied


def _changed(prepared: Prepared, folder: Path, *statements: str) -> list[str]:
    """The tables in which a copy differs after these statements."""
    with copied(prepared, folder) as place:
        before = contents(place / DATABASE)
        with closing(sqlite3.connect(place / DATABASE)) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()
        return [line.partition(":")[0] for line in differences(contents(place / DATABASE), before)]


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
        ("update candidate set validity = 0.123 where id = 1", ["candidate"]),
        (
            "update paraphrase set validity = 0.123",
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
