"""Commutations that no derivation asks for: an older database that has them loses them, and nothing else."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing

import pytest
from corpora import derived_rows, import_rows, random_rows

from corpusdb.base.jobs import finished
from corpusdb.chain.queries.checking import checking
from corpusdb.chain.queries.generation import generate
from corpusdb.corpus.store import Store, open_store

_ALL = """
insert or ignore into commutation
select one.filler, two.filler, count(*) from slot one join slot two
on two.context = one.context and two.filler > one.filler group by one.filler, two.filler having count(*) > 1
"""
_SCHEMA_25 = """
drop view current_line_category;
drop table line_category;
delete from checksum_since where name = 'line_category';
drop index candidate_inner_unseen;
create index candidate_inner_unseen on candidate (inner_unseen) where inner_unseen is not null;
create index substitution_sentence on substitution (sentence);
drop index context_hash;
create unique index context_hash on context (hash, language);
drop index filler_hash;
create unique index filler_hash on filler (hash, language);
delete from row_checksum where name = '_sqlite_migrations'
    and row in (select cast(id as text) from _sqlite_migrations where name >= '0026');
delete from _sqlite_migrations where name >= '0026';
pragma user_version = 25;
"""


@pytest.mark.parametrize("number", (0, 1, 2, 3, 4, 8))
def test_an_older_database_keeps_what_is_asked_for(empty: Store, number: int) -> None:
    import_rows(empty, random_rows(random.Random(number), 24))
    finished(generate(empty, "eng"))
    expected, path = derived_rows(empty), empty.path
    empty.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        (stored,) = database.execute("select count(*) from commutation").fetchone()
        database.execute(_ALL)
        (everything,) = database.execute("select count(*) from commutation").fetchone()
        assert everything > stored > 0, "there is something that nobody asks for"
        database.executescript(_SCHEMA_25)
    with open_store(path) as store:
        assert derived_rows(store) == expected
        assert finished(checking(store)).ok


def test_check_knows_commutations_that_nobody_asks_for(empty: Store) -> None:
    import_rows(empty, random_rows(random.Random(1), 24))
    finished(generate(empty, "eng"))
    assert finished(checking(empty)).ok
    with empty.write() as connection:
        connection.execute(_ALL)
    problems = finished(checking(empty)).problems
    assert [problem for problem in problems if "commute in other contexts" in problem]
