"""Databases damaged at random: how much of it `check` and `check --full` see, and what the commands then answer.

    python tests/benchmarks/damage.py [--cases 500] [--seed 1] [--database FILE] [--repair] [--no-answers]

Makes a small database that has rows in every table, or takes a copy of FILE. Each case is a bit flipped, pages zeroed,
swapped or cut off, an object dropped, or one value of one row edited by another program. A case counts where the rows
differ afterwards or SQLite finds the file damaged; others changed unused space. Then the reading commands run: one that
ends with 0 has to answer as on the sound file. With --repair each is repaired too, and what people and imports gave
is compared before and after.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from typer.testing import CliRunner

from corpusdb.corpus.model import JUDGED, stored_in
from corpusdb.corpus.store import open_store
from corpusdb.people.queries.decisions import decide
from corpusdb.people.queries.sessions import seeds_of_session
from corpusdb.program.catalogue import app

Dump: TypeAlias = dict[str, list[tuple[object, ...]] | str]

PAIRS = """\
A beer, please.\tUne bière, s'il vous plaît.
Can I have a beer?\tUne bière, s'il vous plaît.
I'd like a beer, please.\tJe voudrais une bière.
A coffee, please.\tUn café, s'il vous plaît.
I'd like a coffee, please.\tJe voudrais un café.
A tea, please.\tUn thé, s'il vous plaît.
I'd like a tea, please.\tJe voudrais un thé.
Can I have a tea?\tUn thé, s'il vous plaît.
Thank you.\tMerci.
Thanks.\tMerci.
Thank you so much.\tMerci beaucoup.
Good  morning.\tBonjour.
"""
QUESTIONS = (
    ("info", "--json"),
    ("search", "beer", "--lang", "eng", "--json", "-n", "0"),
    ("search", "a", "--lang", "fra", "--json", "-n", "0"),
    ("search", "e", "--kwic", "--lang", "eng", "-n", "0"),
    ("frequencies", "--lang", "eng", "--json"),
    ("paraphrases", "A beer, please.", "--lang", "eng", "--json", "-n", "0"),
    ("paraphrases", "Thanks.", "--lang", "eng", "--json", "-n", "0"),
    ("explain", "A coffee, please.", "Can I have a coffee?", "--lang", "eng"),
    ("queries", "--json"),
    ("session", "list", "--json"),
    ("session", "decisions", "work"),
    ("judge", "list", "--json"),
    ("judge", "report", "drawn"),
    ("verify",),
    ("detect", "--lang", "eng", "--json"),
)
_CHANGING = ("seconds",)


def ask(database: Path, *arguments: str) -> tuple[int, str]:
    """Exit code and standard output of the program in this process."""
    result = CliRunner().invoke(app, ["--db", str(database), *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        return 70, repr(result.exception)
    lines = result.stdout.splitlines()
    return result.exit_code, "\n".join(line for line in lines if not any(word in line for word in _CHANGING))


def make_database(folder: Path) -> Path:
    """A database with rows in every table that the program writes."""
    database = folder / "sound.db"
    (folder / "pairs.tsv").write_text(PAIRS, encoding="utf-8")
    (folder / "units.tmx").write_text(_tmx(), encoding="utf-8")
    (folder / "output.txt").write_text("A beer, please.\nThank you.\n", encoding="utf-8")
    (folder / "references.txt").write_text("A beer please.\nThanks.\n", encoding="utf-8")
    for arguments in (
        ("import", str(folder / "pairs.tsv"), "--lang", "eng,fra", "--name", "pairs"),
        ("import", str(folder / "units.tmx"), "--lang", "eng,fra", "--name", "units"),
        ("generate", "--lang", "eng"),
        ("generate", "--lang", "eng", "--seed", "A juice, please."),
        ("search", "beer", "--lang", "eng", "--save", "beers"),
        ("session", "new", "work", "--lang", "eng", "--sample", "3", "-N", "0"),
        ("judge", "sample", "drawn", "--kind", "grammaticality", "--lang", "eng", "--size", "5", "-N", "0"),
        ("judge", "record", "drawn", "1", "y", "--judge", "ann"),
        ("judge", "record", "drawn", "2", "n", "--judge", "bob", "--comment", "odd"),
        ("score", str(folder / "output.txt"), "--ref", str(folder / "references.txt"), "--store"),
    ):
        code, said = ask(database, *arguments)
        if code:
            print(f"not made: {arguments}: {code} {said}")
    with open_store(database) as store:
        seed = seeds_of_session(store, "work")[0].text
        decide(store, "work", seed, "Thanks a lot.", "accept")
        store.connection.execute("pragma wal_checkpoint(truncate)")
    return database


def _tmx() -> str:
    units = "".join(
        f'<tu tuid="u{place}"><tuv xml:lang="en"><seg>{english}</seg></tuv><tuv xml:lang="fr"><seg>{french}</seg></tuv>'
        f'<tuv xml:lang="fr"><seg>{french} !</seg></tuv></tu>'
        for place, (english, french) in enumerate([("It is late.", "Il est tard"), ("Good night.", "Bonne nuit")])
    )
    header = '<header creationtool="x" creationtoolversion="1" segtype="sentence" o-tmf="x" adminlang="en" '
    return f'<?xml version="1.0"?><tmx version="1.4">{header}srclang="en" datatype="x"/><body>{units}</body></tmx>'


_TABLES = "select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name"
_OBJECTS = "select type, name, sql from sqlite_master order by type, name"
NUMBERED = ("candidate", "ngram_segment", "seed", "token_segment")
"""Tables to whose numbers nothing refers but the candidates, which are shown with their seed."""
_CANDIDATES = f"""
select candidate.id, seed.language, seed.text, candidate.text, unseen, other_unseen, candidate.run,
       {", ".join(f"candidate.{name}" for name in stored_in("candidate") if name not in JUDGED)}
from candidate not indexed left join seed not indexed on seed.id = candidate.seed
"""
DERIVED = (
    *("paraphrase", "context", "filler", "slot", "commutation", "substitution", "seed", "candidate", "layer"),
    *("ngram_segment", "token_segment", "type"),
)
CHECKSUMS = ("row_checksum", "sentence_checksum", "document_checksum", "translation_checksum")
PASSING = ("damage", "job_lock")
"""Which say what is so now."""


def dump(database: Path) -> Dump:
    """Every row, without its number where nothing refers to it; what cannot be read says why."""
    with closing(sqlite3.connect(database)) as connection:
        connection.text_factory = bytes
        try:
            found: Dump = {"schema": connection.execute(_OBJECTS).fetchall()}
            tables = [row[0].decode() for row in connection.execute(_TABLES)]
            found["version"] = connection.execute("pragma user_version").fetchall()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            return {"schema": str(error)}
        for table in tables:
            try:
                statement = _CANDIDATES if table == "candidate" else f'select * from "{table}" not indexed'
                rows = connection.execute(statement).fetchall()
                found[table] = sorted(row[1:] if table in NUMBERED else row for row in rows)
            except (sqlite3.Error, TypeError) as error:
                found[table] = str(error)
    return found


def is_intact(database: Path) -> bool:
    """Whether SQLite finds nothing wrong with pages and indexes."""
    try:
        with closing(sqlite3.connect(database)) as connection:
            return connection.execute("pragma integrity_check").fetchall() == [("ok",)]
    except (sqlite3.Error, UnicodeDecodeError):
        return False


def flip(database: Path, chance: random.Random) -> str:
    content = bytearray(database.read_bytes())
    place = chance.randrange(len(content))
    content[place] ^= 1 << chance.randrange(8)
    database.write_bytes(content)
    return f"byte {place}"


_PAGE = 4096


def truncate(database: Path, chance: random.Random) -> str:
    pages = database.stat().st_size // _PAGE
    size = chance.randrange(1, pages) * _PAGE + chance.choice([0, 0, 1000])
    os.truncate(database, size)
    return f"to {size} bytes"


def zero(database: Path, chance: random.Random) -> str:
    content = bytearray(database.read_bytes())
    page = chance.randrange(len(content) // _PAGE)
    content[page * _PAGE : (page + 1) * _PAGE] = bytes(_PAGE)
    database.write_bytes(content)
    return f"page {page}"


def swap(database: Path, chance: random.Random) -> str:
    content = bytearray(database.read_bytes())
    one, other = chance.sample(range(len(content) // _PAGE), 2)
    a, b = slice(one * _PAGE, (one + 1) * _PAGE), slice(other * _PAGE, (other + 1) * _PAGE)
    content[a], content[b] = content[b], content[a]
    database.write_bytes(content)
    return f"pages {one} and {other}"


def drop(database: Path, chance: random.Random) -> str:
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        objects = connection.execute(
            "select type, name from sqlite_master where sql is not null and name not like 'sqlite\\_%' escape '\\'"
        ).fetchall()
        kind, name = chance.choice(objects)
        connection.execute("pragma foreign_keys = off")
        connection.execute(f'drop {kind} "{name}"')
        connection.execute("pragma wal_checkpoint(truncate)")
    return f"{kind} {name}"


def edit(database: Path, chance: random.Random) -> str:
    """One value of one row of one table, through SQL; triggers that forbid it are set aside."""
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        tables = [row[0] for row in connection.execute(_TABLES)]
        filled = [table for table in tables if connection.execute(f'select 1 from "{table}"').fetchone()]
        table = chance.choice(filled)
        columns = connection.execute("select name, type, pk from pragma_table_info(?)", (table,)).fetchall()
        name, kind, _ = chance.choice(columns)
        keys = [column[0] for column in columns if column[2]]
        rows = connection.execute(f'select {", ".join(keys)}, "{name}" from "{table}"').fetchall()
        *key, value = chance.choice(rows)
        triggers = connection.execute("select name, sql from sqlite_master where type = 'trigger'").fetchall()
        for trigger, _ in triggers:
            connection.execute(f'drop trigger "{trigger}"')
        where = " and ".join(f'"{column}" = ?' for column in keys)
        with suppress(sqlite3.IntegrityError):
            connection.execute(f'update "{table}" set "{name}" = ? where {where}', (_other(value, kind, chance), *key))
        for _, statement in triggers:
            connection.execute(statement)
        connection.execute("pragma wal_checkpoint(truncate)")
    return f"{table}.{name} of {key}"


def _other(value: object, kind: str, chance: random.Random) -> object:
    match value:
        case int():
            return value ^ (1 << chance.randrange(8))
        case float():
            return value * (1 + 2**-52) if value else 1.0
        case bytes() if value:
            place = chance.randrange(len(value))
            return value[:place] + bytes([value[place] ^ 1]) + value[place + 1 :]
        case str() if value:
            place = chance.randrange(len(value))
            return value[:place] + chr(ord(value[place]) ^ 1) + value[place + 1 :]
    return 1 if kind == "INTEGER" else "x"


KINDS: dict[str, Callable[[Path, random.Random], str]] = {
    "flip": flip,
    "edit": edit,
    "drop": drop,
    "zero": zero,
    "swap": swap,
    "truncate": truncate,
}
WEIGHTS = (10, 5, 2, 1, 1, 1)


@dataclass
class Outcome:
    """What came of all cases."""

    harmful: Counter[str] = field(default_factory=Counter)
    """By kind: those that changed rows or that SQLite sees."""
    harmless: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    seen_full: Counter[str] = field(default_factory=Counter)
    unseen: list[str] = field(default_factory=list)
    false_alarms: list[str] = field(default_factory=list)
    """Where nothing changed and the full check finds something."""
    unexpected: list[str] = field(default_factory=list)
    wrong_answers: list[str] = field(default_factory=list)
    """Of commands that ended with 0 or 1 where the full check refuses the file."""
    mended: int = 0
    touched: list[str] = field(default_factory=list)
    """Where a repair changed what people and imports gave."""


def attack(sound: Path, cases: int, seed: int, *, repairs: bool = False, asks: bool = True) -> Outcome:
    """Damage copies of a sound database in ``cases`` ways."""
    chance, outcome = random.Random(seed), Outcome()
    copy = sound.with_name("damaged.db")
    shutil.copy(sound, copy)  # the name is in some answers
    rows, answers = dump(sound), {question: ask(copy, *question) for question in QUESTIONS} if asks else {}
    for _ in range(cases):
        for rest in ("", "-wal", "-shm"):
            copy.with_name(copy.name + rest).unlink(missing_ok=True)
        shutil.copy(sound, copy)
        kind = chance.choices([*KINDS], WEIGHTS)[0]
        case = f"{kind} {KINDS[kind](copy, chance)}"
        damaged = dump(copy)
        changed = sorted(table for table in rows.keys() | damaged.keys() if rows.get(table) != damaged.get(table))
        case += f" ({', '.join(changed) or 'pages'})"
        harmful = bool(changed) or not is_intact(copy)
        code, full = ask(copy, "--quiet", "check"), ask(copy, "--quiet", "check", "--full")
        if code[0] not in (0, 1, 3, 4) or full[0] not in (0, 1, 3, 4) or "unexpected" in code[1] + full[1]:
            outcome.unexpected.append(f"{case}: {code} {full}")
        if not harmful:
            outcome.harmless += 1
            outcome.false_alarms += [f"{case}: {full[1]}"] if full[0] else []
            continue
        outcome.harmful[kind] += 1
        outcome.seen[kind] += code[0] != 0
        outcome.seen_full[kind] += full[0] != 0
        if full[0] == 0:
            outcome.unseen.append(case)
        for question, answer in answers.items():
            now = ask(copy, *question)
            if now[0] in (0, 1) and now != answer:
                outcome.wrong_answers.append(f"{case}: {' '.join(question)}")
        if repairs:
            _repair(copy, damaged, case, outcome)
    return outcome


def _repair(copy: Path, before: Dump, case: str, outcome: Outcome) -> None:
    code, said = ask(copy, "--quiet", "check", "--repair")
    if code not in (0, 1, 3, 4):
        outcome.unexpected.append(f"{case}: repair: {code} {said}")
    outcome.mended += code == 0
    after = dump(copy)
    for table, rows in before.items():
        if table in (*DERIVED, *CHECKSUMS, *PASSING, "schema", "_sqlite_migrations") or isinstance(rows, str):
            continue
        left = after.get(table, [])
        if table == "run" and not isinstance(left, str):
            left = left[: len(rows)]
        if left != rows:
            outcome.touched.append(f"{case}: {table}")


def report(outcome: Outcome) -> None:
    """Print it."""
    total = sum(outcome.harmful.values())
    print(f"{total} harmful, {outcome.harmless} without effect")
    for kind, count in outcome.harmful.items():
        print(f"  {kind:10} {count:4}  check saw {outcome.seen[kind]:4}  check --full {outcome.seen_full[kind]:4}")
    for what, cases in (
        ("unseen by check --full", outcome.unseen),
        ("false alarms", outcome.false_alarms),
        ("unexpected", outcome.unexpected),
        ("wrong answers", outcome.wrong_answers),
        ("touched by a repair", outcome.touched),
    ):
        print(f"{what}: {len(cases)}", *cases[:40], sep="\n  ")
    print(f"repaired to sound: {outcome.mended}")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--database", type=Path)
    parser.add_argument("--repair", action="store_true")
    parser.add_argument("--no-answers", action="store_true", help="only check, without the reading commands")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        os.environ["CORPUSDB_HISTORY"] = "off"
        folder = Path(name)
        sound = make_database(folder) if options.database is None else folder / "sound.db"
        if options.database is not None:
            shutil.copy(options.database, sound)
        report(attack(sound, options.cases, options.seed, repairs=options.repair, asks=not options.no_answers))


if __name__ == "__main__":
    main()
