"""Small databases made by the real import and migrations, what is in them, and what goes into them."""

from __future__ import annotations

import gzip
import hashlib
import itertools
import random
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias, cast

import pytest
from hypothesis import strategies as st

from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.importing import check_source, import_source
from corpusdb.corpus.formats import Item, Options, Record, Rejected, open_source
from corpusdb.corpus.formats.records import Document, Version
from corpusdb.corpus.model import JUDGED, REWORDING_COLUMNS, ImportReport, stored_in
from corpusdb.corpus.store import Store, open_store

Row: TypeAlias = tuple[str, ...]
Dump: TypeAlias = dict[str, list[tuple[Any, ...]]]

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
"""Real data beside the checkout; the tests that need it are skipped where it is absent."""

CHARACTERS = st.characters(exclude_categories=["Cs"])
"""All that UTF-8 has, as in ``st.text()``, which asks this of each code point: seconds, in each process anew."""

TALK = ("Hey, you there?", "Yeah. Okay, sure thing.", "What d'you want to eat?", "Oh, right.", "See you, then!")
NEWS = (
    "The minister announced the plan on Tuesday.",
    "Officials declined to comment on the report.",
    "Shares fell by four percent in early trading.",
    "The committee will publish its findings in March.",
)
MIXED_ROWS: Sequence[Row] = (
    ("Okay, see you there.", "D'accord."),
    ("The plan was announced in March.", "Le plan."),
    ("Oh, right.", "Ah oui."),
    ("!!!", "!!!"),
    ("Yeah, sure.", "Oui."),
    ("Shares fell.", "Les actions."),
    ("你好", "Salut."),
)
"""Sentences between talk and news, and two that cannot be measured by them."""


def near(value: float) -> float:
    """A value that equals every number so close to it that only the order of additions can differ."""
    return cast("float", pytest.approx(value, rel=1e-12))


def data_folder(name: str) -> Path:
    """A folder of real data."""
    return DATA / name


def tatoeba(language: str, first: int, count: int) -> list[Row]:
    """``count`` pairs of English and another language from the row ``first`` on, counted from 0."""
    path = data_folder("tatoeba") / f"eng-{language}.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        chosen = [line for number, line in enumerate(lines) if first < number <= first + count]
    return [tuple(line.rstrip("\n").split("\t")[:2]) for line in chosen]


def new_store(folder: Path, name: str = "corpus") -> Store:
    """An empty database; the migrations run once a session, and their outcome is copied."""
    path = folder / f"{name}.db"
    path.write_bytes(_empty())
    return open_store(path)


@cache
def _empty() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "empty.db"
        open_store(path, create=True).close()
        return path.read_bytes()


def filled_store(folder: Path, fill: Callable[..., object], *given: Any) -> Store:
    """A database that a function has filled, which is called with it and with what is given: made once and copied."""
    path = folder / "corpus.db"
    path.write_bytes(_filled(fill, *given))
    return open_store(path)


@cache
def _filled(fill: Callable[..., object], *given: Any) -> bytes:
    with TemporaryDirectory() as folder:
        with new_store(Path(folder)) as store:
            fill(store, *given)
        return store.path.read_bytes()


def generated_store(folder: Path, rows: Iterable[Row], languages: Sequence[str] = ("eng", "fra")) -> Store:
    """A database with these rows and the candidates of all sentences of the first language, made once and copied."""
    return filled_store(folder, _generate, tuple(rows), tuple(languages))


def _generate(store: Store, rows: tuple[Row, ...], languages: tuple[str, ...]) -> None:
    import_rows(store, rows, languages)
    finished(generate(store, languages[0]))


def write_rows(path: Path, rows: Iterable[Row]) -> Path:
    """A tab-separated file without a header."""
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    return path


def import_file(store: Store, path: Path, languages: Sequence[str], collection: str = "rows") -> ImportReport:
    """Check and import one tab-separated file without a header."""
    source = open_source("tsv", [path], Options(languages=tuple(languages), header="no"))
    return finished(import_source(store, finished(check_source(source)), collection))


def import_rows(store: Store, rows: Iterable[Row], languages: Sequence[str] = ("eng", "fra")) -> ImportReport:
    """Import rows of texts, in the order of ``languages``, as a file of their own."""
    (documents,) = store.connection.execute("select count(*) from document").fetchone()
    path = write_rows(store.path.parent / f"{store.path.stem}-{documents}.tsv", rows)
    return import_file(store, path, languages)


TOGETHER = "Tom must sell the hat now, she has a big car now."
"""A sentence in which both exchanges of ``two_exchanges`` can be made, between words that they are known by."""


def two_exchanges() -> list[Row]:
    """Sentences with "big" and "large", "must" and "should", which share translations; and TOGETHER, which does not."""
    people, things = "Tom Mary Ann Bob Kim Joe Sue Max".split(), "hat car dog cat cup bag pen box".split()
    rows: list[Row] = []
    for who, thing, number in itertools.product(people, things, range(2)):
        rows += [(f"{who} has a {size} {thing} now.", f"{who} {thing} taille {number}") for size in ("big", "large")]
        rows += [(f"{who} {may} sell the {thing} now.", f"{who} {thing} vend {number}") for may in ("must", "should")]
    return [*rows, (TOGETHER, "longue phrase"), ("Now she has a large car now.", "elle a")]


def random_rows(chance: random.Random, count: int, words: str = "abc", pivots: int = 6) -> list[Row]:
    """Rows over so few words and translations that contexts, fillers and paraphrases meet all the time."""

    def sentence() -> str:
        text = " ".join(chance.choice(words) for _ in range(chance.randint(1, 4)))
        return text + chance.choice(["", ".", "."])

    return [(sentence(), f"t{chance.randrange(pivots)}") for _ in range(count)]


_DERIVED = {
    "paraphrase": "select sentence, paraphrase, translations, languages, probability from paraphrase",
    "context": "select language, hash, fillers, sentence, start, stop from context",
    "filler": "select language, hash, text, contexts from filler",
    "slot": """
        select context.hash, filler.hash, slot.sentence
        from slot join context on context.id = slot.context join filler on filler.id = slot.filler""",
    "commutation": """
        select min(x.hash, y.hash), max(x.hash, y.hash), commutation.contexts
        from commutation join filler x on x.id = commutation.x join filler y on y.id = commutation.y""",
    "substitution": """
        select context.hash, filler.hash, rewording, substitution.sentence, substitution.start, substitution.stop
        from substitution join context on context.id = substitution.context
        join filler on filler.id = substitution.filler""",
    "candidate": f"""
        select seed.language, seed.text, seed.sentence, candidate.text, unseen, other_unseen,
               {", ".join(f"candidate.{name}" for name in stored_in("candidate") if name not in JUDGED)}
        from candidate join seed on seed.id = candidate.seed""",
}


_JUDGED = {
    "exchange": "select language, x, y, pairs, shared, expected from exchange",
    "exchange_part": """
        select language, x, y, kind, name, part.pairs, part.shared, part.expected
        from exchange_part part join exchange on exchange.id = part.exchange""",
    "paraphrase": """
        select one.language, one.text, other.text, validity from paraphrase
        join sentence one on one.id = paraphrase.sentence join sentence other on other.id = paraphrase.paraphrase""",
    "candidate": """
        select seed.language, seed.text, candidate.text, validity, word_gain, replacement
        from candidate join seed on seed.id = candidate.seed""",
    "rewording": f"""
        select sentence.language, sentence.text, rewording.text, {", ".join(REWORDING_COLUMNS)}
        from rewording join sentence on sentence.id = rewording.sentence""",
    "word_model": "select language, sentences, checksum from word_model",
    "lexical_model": "select language, other, checksum from lexical_model",
}


def judged_rows(store: Store) -> Dump:
    """What the layer of validity holds, without numbers."""
    return {name: sorted(store.connection.execute(query).fetchall(), key=repr) for name, query in _JUDGED.items()}


def derived_rows(store: Store) -> Dump:
    """Every derived row without the numbers that depend on the order in which rows were made."""
    return {name: sorted(store.connection.execute(query).fetchall(), key=repr) for name, query in _DERIVED.items()}


def all_rows(store: Store) -> Dump:
    """Every row of every table with its number; of runs everything but when they were.

    Checksums of rows hold those times, and those of sentences how many were stored at once; `check` compares them.
    """
    tables = store.connection.execute("select name from pragma_table_list where schema = 'main' and type = 'table'")
    dump: Dump = {}
    for (table,) in tables.fetchall():
        if table.startswith(("sqlite_", "_")) or table in ("row_checksum", "sentence_checksum"):
            continue
        wanted = "*" if table != "run" else "id, operation, parameters, fingerprint, finished is null, counts"
        dump[table] = store.connection.execute(f"select {wanted} from {table} order by 1, 2, 3").fetchall()
    return dump


_DERIVED_TABLES = (
    "rewording word_model lexical_model exchange_part exchange candidate seed substitution commutation slot filler "
    "context ngram_segment token_segment type paraphrase layer"
).split()


def copy_of_corpus(store: Store, name: str = "copy") -> Store:
    """A second database with the same sentences and translations, and nothing derived from them."""
    path = store.path.parent / f"{name}.db"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as target:
        store.connection.backup(target)
    copy = open_store(path)
    with copy.write() as connection:
        for table in _DERIVED_TABLES:
            connection.execute(f"delete from {table}")
    return copy


# Units that a test lists or draws, as the source that a format with documents and versions would give.


LANGUAGES = ("eng", "fra", "jpn")


@dataclass(frozen=True)
class ListedSource:
    """A file that holds the items given."""

    listed: tuple[Item, ...]
    languages: tuple[str, ...] = ()
    name: str = "listed.tmx"

    @property
    def paths(self) -> tuple[Path, ...]:
        return (Path(self.name),)

    def items(self) -> Iterator[Item]:
        return iter(self.listed)

    def digest(self) -> str:
        return hashlib.sha256(repr(self.listed).encode()).hexdigest()


def import_units(
    store: Store,
    listed: Sequence[Item],
    languages: tuple[str, ...] = (),
    collection: str = "units",
    name: str = "listed.tmx",
) -> ImportReport:
    """Check and import the items as one file."""
    source = ListedSource(tuple(listed), languages, name)
    return finished(import_source(store, finished(check_source(source)), collection))


def drawn_units(chance: random.Random, count: int) -> list[Item]:
    """Units in and outside documents, with and without ids and versions, and some that are left out."""
    items: list[Item] = []
    document: Document | None = None
    for line in range(1, count + 1):
        if chance.random() < 0.3:
            name = f"d{chance.randrange(3)}"
            document = chance.choice([None, Document(name), Document(name, (("domain", "news"), ("origlang", "en")))])
        if chance.random() < 0.1:
            items.append(Rejected(line, "empty text"))
            continue
        languages = tuple(chance.choices(LANGUAGES, k=chance.randint(2, 4)))
        texts = [f"{language} {chance.randrange(count // 3)}" for language in languages]
        texts += [texts[0]] if chance.random() < 0.2 else []
        languages += (languages[0],) * (len(texts) - len(languages))
        roles = [Version("source")] + [Version("reference", name) for name in "ABCDE"]
        versions = tuple(roles[: len(texts)]) if chance.random() < 0.3 else ()
        items.append(Record(line, tuple(texts), languages, chance.choice(["", f"u{line}"]), document, versions))
    return items


# Small corpora of two languages whose words translate each other, and what was stored of their alignment.


ENGLISH = "the cat kitty dog hound house home Tom sees likes begins starts big large old red don't soon fast".split()
FRENCH = "le chat chat chien chien maison maison Tom voit aime commence commence grand grand vieux rouge ne".split()
FRENCH += ["vite", "vite"]
"""A word of each stands for that of the other at the same place; two English ones for the same French one."""


def drawn_pairs(chance: random.Random, count: int) -> list[Row]:
    """Sentences of one to seven words with their translations, of which some words are left out or stand elsewhere."""
    rows: list[Row] = []
    for _ in range(count):
        words = [chance.randrange(len(ENGLISH)) for _ in range(chance.randint(1, 7))]
        french = [FRENCH[word] for word in words if chance.random() > 0.1] or [FRENCH[words[0]]]
        if len(french) > 2 and chance.random() < 0.3:
            place = chance.randrange(len(french) - 1)
            french[place : place + 2] = french[place + 1], french[place]
        end = chance.choice(["", ".", "!"])
        rows.append((" ".join(ENGLISH[word] for word in words) + end, " ".join(french) + end))
    return rows


_ROWS = {
    "model": "select source_language, target_language, state, tables from alignment_model",
    "alignment": """
        select own.text, other.text, links, tokens_digest from alignment
        join sentence own on own.id = alignment.sentence join sentence other on other.id = alignment.translation""",
    "phrase": """
        select language, text, paired, unlinked, unpaired from phrase_count
        join phrase on phrase.id = phrase_count.phrase""",
    "pair": """
        select source.text, target.text, count, size, own.text, other.text from phrase_pair pair
        join phrase source on source.id = pair.source join phrase target on target.id = pair.target
        join sentence own on own.id = pair.sentence join sentence other on other.id = pair.translation""",
}


def aligned_rows(store: Store) -> Dump:
    """All of it, without the numbers that depend on the order in which rows were made."""
    return {name: sorted(store.connection.execute(query).fetchall(), key=repr) for name, query in _ROWS.items()}


def compressed_text(text: bytes) -> str:
    """A text as segments hold it, in SQL."""
    return f"x'{zlib.compress(text).hex()}'"


UNJUDGED = """
select (select count(*) from candidate where validity is null), (select count(*) from paraphrase where validity is null)
"""
"""How many candidates, and detected pairs, have no validity."""


WHO = ("It", "That", "He", "She")
WHAT = ("very good", "quite late", "not here", "my friend", "too cold")
SAD = "He is quite sad here."
"""New and sad stand together in one context only."""
LONE: list[Row] = [
    ("He is quite new here.", "nouveau"),
    ("He's quite new here.", "nouveau"),
    (SAD, "triste"),
    ("She's quite sandy now.", "sableux"),
    *((f"The {what} {of}.", f"{what} {of}") for what, of in (("new", "hat"), ("old", "hat"), ("sad", "man"))),
    ("The old man.", "vieil homme"),
]


def rewordings_rows() -> list[Row]:
    """Sentences with " is" and "'s" that share translations, and what only one context shows."""
    found: list[Row] = []
    for who, what in itertools.product(WHO, WHAT):
        found += [(f"{who}{verb} {what}.", f"{who} {what} {n}") for verb in (" is", "'s") for n in range(3)]
    return [*found, *LONE]
