"""Is a database sound: undamaged pages, references to what is there, and rows that do not contradict each other."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from random import Random

from corpusdb.alignment.queries.corpus_alignment import unread_alignments
from corpusdb.base.errors import CorpusError, DatabaseDamaged, DatabaseLocked, NotADatabase, StoreError
from corpusdb.base.jobs import Job, Progress, finished
from corpusdb.base.text import language_of_name
from corpusdb.chain.queries.layers import derived_layers
from corpusdb.chain.queries.recomputed import (
    made_by_other_rules,
    wrong_documents,
    wrong_layers,
    wrong_rows,
    wrong_sentences,
    wrong_translations,
)
from corpusdb.corpus.store import Store
from corpusdb.corpus.store.connection import now, translated_errors
from corpusdb.corpus.store.opening import expected_schema, schema_differences, wrong_versions
from corpusdb.corpus.store.runs import extract_languages
from corpusdb.paraphrase.queries.slot_index_update import IS_ASKED

# Rows that contradict each other: statements that count them, and samples of what is too much to recount whole.

_SAMPLE = 300

_TEXTS = {table: f"select text from {table}" for table in ("sentence", "filler", "seed", "candidate", "rewording")}


def unreadable_texts(connection: sqlite3.Connection) -> list[str]:
    """SQLite does not look whether a text is UTF-8; Python does, and raises an error for the first that is not."""
    problems = []
    for table, statement in _TEXTS.items():
        count = sum("\n" in text for (text,) in connection.execute(statement))
        if count:
            problems.append(f"{count} texts of {table} hold a line break")
    return problems


_LANGUAGES = "select language, count(*) from sentence group by language"


def unknown_languages(connection: sqlite3.Connection) -> list[str]:
    counts = connection.execute(_LANGUAGES)
    return [
        f"{count} sentences in unknown language {code!r}" for code, count in counts if language_of_name(code) != code
    ]


@dataclass(frozen=True, slots=True)
class Invariant:
    """What holds for all rows of a sound database."""

    name: str
    statement: str
    """SQL that counts the rows which break it."""
    problem: str
    """What to say of them, behind their number."""


def violations(invariant: Invariant, connection: sqlite3.Connection) -> list[str]:
    """How many rows break it, in words."""
    count = connection.execute(invariant.statement).fetchone()[0]
    return [f"{count} {invariant.problem}"] if count else []


_OTHER_LANGUAGE = """
with used as (
    select distinct occurrence.document, sentence.language
    from occurrence join sentence on sentence.id = occurrence.sentence)
select count(*) from used join document on document.id = used.document join run on run.id = document.run
where run.operation = 'import' and document.languages <> ''
  and instr(',' || document.languages || ',', ',' || used.language || ',') = 0
"""
_IMPLAUSIBLE_DOCUMENT = """
with used as (select document, count(distinct line) as lines, max(line) as last from occurrence group by document)
select count(*) from document join run on run.id = document.run left join used on used.document = document.id
where run.operation = 'import' and document.complete
  and (used.lines is null or used.last > document.lines_done
       or used.lines > coalesce(json_extract(document.counts, '$.read'), 0))
"""
_TRANSLATIONS_LOST = """
with counted as (
    select collection, sum(json_extract(document.counts, '$.translations')) as pairs
    from document join run on run.id = document.run where run.operation = 'import' group by collection),
stored as (select collection, count(*) / 2 as pairs from translation group by collection)
select count(*) from counted left join stored on stored.collection = counted.collection
where counted.pairs > coalesce(stored.pairs, 0)
"""
_ONE_WAY_TRANSLATION = """
select count(*) from translation there where there.sentence = there.translation or not exists (
    select 1 from translation back where back.sentence = there.translation
    and back.translation = there.sentence and back.collection = there.collection)
"""
# An extract of a larger corpus keeps the counts of the whole.
_COMPLETE = """(
    select language from layer where name = '{}' and complete
    and language not in (select language from layer where name = 'extract'))"""
_ONE_WAY_PARAPHRASE = f"""
select count(*) from paraphrase there
join sentence on sentence.id = there.sentence and sentence.language in {_COMPLETE.format("paraphrase")}
left join paraphrase back on back.sentence = there.paraphrase and back.paraphrase = there.sentence
where back.translations is not there.translations or back.languages is not there.languages
"""
_IMPOSSIBLE_PARAPHRASE = """
select count(*) from paraphrase
join sentence a on a.id = paraphrase.sentence
join sentence b on b.id = paraphrase.paraphrase
where a.id = b.id or a.language <> b.language or translations < 1 or probability <= 0 or probability > 1 + 1e-9
"""
_TOO_FEW_FILLERS = f"""
with used as (select context, count(*) as slots from slot group by context)
select count(*) from context left join used on used.context = context.id
where context.language in {_COMPLETE.format("commutation")}
  and (context.fillers < 2 or context.fillers < used.slots or context.stop < context.start)
"""
_WRONG_FILLER = f"""
with used as (select filler, count(*) as slots from slot group by filler)
select count(*) from filler left join used on used.filler = filler.id
where filler.language in {_COMPLETE.format("commutation")}
  and (filler.contexts < 2 or filler.contexts is not used.slots)
"""
_WRONG_COMMUTATION = "select count(*) from commutation where x >= y or contexts < 2"
_WRONG_SEED = """
select count(*) from seed join sentence on sentence.id = seed.sentence
where sentence.text <> seed.text or sentence.language <> seed.language
"""
_WRONG_CANDIDATE = """
select count(*) from candidate join seed on seed.id = candidate.seed
where candidate.text = seed.text or frequency < 1 or pivots < 1 or candidate.languages < 1
   or inner_fluency < fluency
"""
_MISPLACED_UNIT = """
select count(*) from unit left join section on section.id = unit.section
where section.document <> unit.document or not exists (
    select 1 from occurrence where occurrence.document = unit.document and occurrence.line = unit.line)
"""
_WRONG_SECTION = """
select count(*) from section
left join section before on before.document = section.document and before.number = section.number - 1
where not json_valid(section.attributes) or not exists (select 1 from unit where unit.section = section.id)
   or (section.number <> 1 and before.id is null)
"""
_MISPLACED_VERSION = """
select count(*) from version
left join version before
    on before.document = version.document and before.line = version.line and before.number = version.number - 1
where not exists (select 1 from unit where unit.document = version.document and unit.line = version.line)
   or not exists (
    select 1 from occurrence where occurrence.document = version.document and occurrence.line = version.line
    and occurrence.sentence = version.sentence)
   or (version.number <> 1 and before.number is null)
"""
_INCOMPLETE_VERSIONS = """
select count(*) from occurrence
where exists (select 1 from version where version.document = occurrence.document and version.line = occurrence.line)
  and not exists (
    select 1 from version where version.document = occurrence.document and version.line = occurrence.line
    and version.sentence = occurrence.sentence)
"""
INVARIANTS = (
    Invariant("languages of documents", _OTHER_LANGUAGE, "languages are in documents that are not said to have them"),
    Invariant(
        "counts of documents", _IMPLAUSIBLE_DOCUMENT, "documents hold other lines than were counted when they were read"
    ),
    Invariant("units", _MISPLACED_UNIT, "units have no text or are in a document of another file"),
    Invariant(
        "documents inside files",
        _WRONG_SECTION,
        "documents inside files have no unit, no number or unreadable attributes",
    ),
    Invariant("versions", _MISPLACED_VERSION, "versions are not among the texts of their unit or out of order"),
    Invariant("versions of all texts", _INCOMPLETE_VERSIONS, "texts are not a version in a unit whose other texts are"),
    Invariant(
        "number of translations", _TRANSLATIONS_LOST, "collections have fewer translations than were read into them"
    ),
    Invariant(
        "symmetry of translations", _ONE_WAY_TRANSLATION, "translations have no counterpart in the other direction"
    ),
    Invariant(
        "symmetry of paraphrases", _ONE_WAY_PARAPHRASE, "paraphrases have no equal counterpart in the other direction"
    ),
    Invariant(
        "paraphrases", _IMPOSSIBLE_PARAPHRASE, "paraphrases are of two languages, of themselves or impossible in number"
    ),
    Invariant("contexts", _TOO_FEW_FILLERS, "contexts have more slots than fillers, too few fillers or no gap"),
    Invariant("fillers", _WRONG_FILLER, "fillers do not occur in as many slots as they say"),
    Invariant("commutations", _WRONG_COMMUTATION, "commutations are out of order or occur in fewer than two contexts"),
    Invariant("seeds", _WRONG_SEED, "seeds are not the sentence that they say"),
    Invariant(
        "candidates", _WRONG_CANDIDATE, "candidates are their own seed, have no evidence or an impossible fluency"
    ),
)

_SLOTS_FROM = f"""
select slot.context, slot.filler,
       sentence.text = substr(first.text, 1, context.start) || filler.text || substr(first.text, context.stop + 1)
from slot
join context on context.id = slot.context and context.language in {_COMPLETE.format("commutation")}
join filler on filler.id = slot.filler and filler.language = context.language
join sentence on sentence.id = slot.sentence and sentence.language = context.language
join sentence first on first.id = context.sentence
where slot.context = (select min(context) from slot where context >= ?)
"""
_LAST_CONTEXT = "select coalesce(max(context), 0) from slot"


def wrong_slots(connection: sqlite3.Connection, random: Random) -> list[str]:
    """Contexts whose fillers, put into the gap, do not give the sentence of the slot."""
    last = connection.execute(_LAST_CONTEXT).fetchone()[0]
    wrong = 0
    for _ in range(_SAMPLE):
        wrong += any(not row[2] for row in connection.execute(_SLOTS_FROM, (random.randint(0, last),)))
    return [f"{wrong} of {_SAMPLE} contexts do not give the sentences of their slots"] if wrong else []


_RANDOM_COMMUTATION = "select x, y from commutation where (x, y) >= (?, ?) order by x, y limit 1"
_LAST_COMMUTATION = "select coalesce(max(x), 0) from commutation"
_STORED = f"""
select coalesce((select contexts from commutation where x = :x and y = :y), 0),
       (select count(*) from slot a join slot b on b.context = a.context and b.filler = :y where a.filler = :x),
       {IS_ASKED.format(rarer=":x", other=":y")}
"""


def wrong_commutations(connection: sqlite3.Connection, random: Random) -> list[str]:
    """Pairs of fillers, some with a commutation and some that share a context, recounted.

    Only those are stored that some derivation asks for."""
    last = connection.execute(_LAST_COMMUTATION).fetchone()[0]
    last_context = connection.execute(_LAST_CONTEXT).fetchone()[0]
    pairs: list[tuple[int, int]] = []
    for _ in range(_SAMPLE):
        x = random.randint(0, last)
        pairs += connection.execute(_RANDOM_COMMUTATION, (x, random.randint(x, 2 * last))).fetchall()
        fillers = [row[1] for row in connection.execute(_SLOTS_FROM, (random.randint(0, last_context),))]
        if len(fillers) > 1:
            low, high = sorted(random.sample(fillers, 2))
            pairs.append((low, high))
    wrong = 0
    for x, y in pairs:
        stored, counted, asked = connection.execute(_STORED, {"x": x, "y": y}).fetchone()
        wrong += stored != (counted if counted >= 2 and asked else 0)
    return [f"{wrong} of {len(pairs)} pairs of fillers commute in other contexts than is stored"] if wrong else []


# The check of all of it.

_SHOWN_PROBLEMS = 20

_OF_THE_WHOLE = "sample of commutations"
_EXTRACT = "what was derived was not made again: this file holds an extract of a larger corpus, whose counts it keeps"
DERIVED = "derived layers"
"""The check that rebuilds them; its name."""
_LEFT_OUT = (
    "indexes were not compared with their tables, texts and imports not with their checksums, "
    "and derived layers only in samples: `check --full` does that"
)


@dataclass(frozen=True, slots=True)
class IntegrityProblem:
    check: str
    problem: str


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What was looked at in a database, and what was found wrong."""

    ok: bool
    problems: tuple[str, ...]
    checks: tuple[str, ...]
    """What was looked at, in order; after a damaged page all other checks are left out."""
    left_out: tuple[str, ...] = ()
    """What was not looked at, in words."""
    findings: tuple[IntegrityProblem, ...] = ()
    """The problems with the checks that found them."""


def check(store: Store, *, full: bool = False, seed: int = 0) -> CheckReport:
    """The same as ``checking``, at once."""
    return finished(checking(store, full=full, seed=seed))


def checking(store: Store, *, full: bool = False, seed: int = 0) -> Job[CheckReport]:
    """Look for damage, for references to what is not there, and for rows that contradict each other.

    With ``full`` every index is compared with its table, what people and imports gave with its checksums, and all that
    is derived is rebuilt and compared, which takes as long as making it. Otherwise what is too much to recount
    whole is recounted for a sample drawn with ``seed``. Layers that are still being made are only checked for damage.
    All of it sees one state of the database, whoever writes meanwhile. Raises DatabaseLocked.
    """
    findings: list[IntegrityProblem] = []
    checks: list[str] = []
    with store.snapshot():
        extract = _is_extract(store)
        looks = [each for each in _looks(full, seed) if not (extract and each[0] == _OF_THE_WHOLE)]
        for place, (what, look) in enumerate(looks):
            yield Progress("checking the database", place, len(looks))
            checks.append(what)
            before = len(findings)
            findings += _found(store, what, look)
            if what == looks[0][0] and len(findings) > before:
                break
        else:
            if full and not extract:
                checks.append(DERIVED)
                findings += yield from _found_in_layers(store)
    left_out = [*([] if full else [_LEFT_OUT]), *_not_covered(store), *_unread(store)]
    left_out += [_EXTRACT] if extract else []
    problems = tuple(dict.fromkeys(each.problem for each in findings))
    return CheckReport(not problems, problems, tuple(checks), tuple(left_out), tuple(findings))


_NOTE = "insert or replace into damage (id, found, problems) values (1, ?, ?)"
_FORGET = "delete from damage"


def note_damage(store: Store, report: CheckReport) -> bool:
    """Keep commands from answering from a file that was found damaged; whether that could be written.

    From one that is sound they answer again.
    """
    try:
        with store.write() as connection:
            connection.execute(_FORGET)
            if not report.ok:
                problems = json.dumps(report.problems[:_SHOWN_PROBLEMS], ensure_ascii=False)
                connection.execute(_NOTE, (now(), problems))
    except (StoreError, NotADatabase):
        return False
    return True


_Look = Callable[[sqlite3.Connection], list[str]]


def _looks(full: bool, seed: int) -> Iterator[tuple[str, _Look]]:
    """What is looked at, in order; where the first finds something, nothing else is."""
    yield "pages and indexes" if full else "pages", partial(_damage, "integrity_check" if full else "quick_check")
    yield "schema", _wrong_schema
    yield "references", _missing_references
    yield "checksums of rows", wrong_rows
    if full:
        yield "checksums of sentences", wrong_sentences
        yield "checksums of documents", wrong_documents
        yield "checksums of translations", wrong_translations
    yield "texts", unreadable_texts
    yield "language codes", unknown_languages
    for invariant in INVARIANTS:
        yield invariant.name, partial(violations, invariant)
    yield "sample of slots", lambda connection: wrong_slots(connection, Random(seed))
    yield _OF_THE_WHOLE, lambda connection: wrong_commutations(connection, Random(seed))
    for layer in reversed(derived_layers()):
        for each in layer.checks:
            yield each.name, partial(each.problems, random=Random(seed), full=full)


def _is_extract(store: Store) -> bool:
    """Whether the file is known to hold an extract; where it cannot be read, what is looked at says so."""
    try:
        with translated_errors(store.path):
            return bool(extract_languages(store))
    except DatabaseLocked:
        raise
    except (StoreError, NotADatabase, ValueError, TypeError):
        return False


def _found(store: Store, what: str, look: _Look) -> list[IntegrityProblem]:
    """What one check finds; that it cannot read something is a finding too. Raises DatabaseLocked."""
    try:
        with translated_errors(store.path):
            return [IntegrityProblem(what, problem) for problem in look(store.connection)]
    except DatabaseLocked:
        raise
    except (StoreError, NotADatabase) as error:
        return [IntegrityProblem(what, f"{what}: {error}")]
    except (ValueError, LookupError, TypeError, ArithmeticError) as error:
        return [IntegrityProblem(what, f"{what}: cannot be read ({' '.join(str(error).split())})")]


def _found_in_layers(store: Store) -> Job[list[IntegrityProblem]]:
    try:
        with translated_errors(store.path):
            return [IntegrityProblem(DERIVED, problem) for problem in (yield from wrong_layers(store))]
    except DatabaseLocked:
        raise
    except CorpusError as error:
        return [IntegrityProblem(DERIVED, f"{DERIVED}: {error}")]


_DAMAGE = "pragma {pragma}({most})"


def _damage(pragma: str, connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute(_DAMAGE.format(pragma=pragma, most=_SHOWN_PROBLEMS)).fetchall()
    if rows == [("ok",)]:
        return []
    raise DatabaseDamaged("; ".join(" ".join(str(row[0]).split()) for row in rows) + "; restore it from a backup")


def _wrong_schema(connection: sqlite3.Connection) -> list[str]:
    """What is not as the migrations make it; what else is there is no problem but for triggers, which change rows."""
    expected, applied = expected_schema()
    differences = schema_differences(connection, expected)
    wrong = [each.in_words for each in differences if each.what != "extra" or each.object.kind in ("trigger", "index")]
    return wrong + wrong_versions(connection, applied)


_MISSING_REFERENCES = "pragma foreign_key_check"


def _missing_references(connection: sqlite3.Connection) -> list[str]:
    missing = Counter((row[0], row[2]) for row in connection.execute(_MISSING_REFERENCES))
    return [
        f"{count} rows of {table} refer to a {parent} that is not there" for (table, parent), count in missing.items()
    ]


def _unread(store: Store) -> list[str]:
    try:
        return list(unread_alignments(store.connection))
    except (sqlite3.Error, ValueError, TypeError):  # reported already
        return []


def _not_covered(store: Store) -> list[str]:
    """What an older corpusdb derived, so that it would not be made so again."""
    try:
        languages = made_by_other_rules(store)
    except (sqlite3.Error, ValueError):  # reported already
        return []
    if not languages:
        return []
    named = ", ".join(languages)
    return [f"what an older corpusdb derived in {named} was not made again: the next `generate` does that"]
