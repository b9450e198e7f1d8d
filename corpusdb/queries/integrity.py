"""Is a database sound: undamaged pages, references to what is there, and rows that do not contradict each other."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from random import Random

import numpy as np

from corpusdb.errors import DatabaseDamaged, DatabaseLocked, NotADatabase, StoreError
from corpusdb.languages import language_of_name
from corpusdb.queries.token_integrity import wrong_tokens
from corpusdb.store import Store
from corpusdb.store.connection import translated_errors

__all__ = ["CheckReport", "check"]

_SAMPLE = 300
_SHOWN_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What was looked at in a database, and what was found wrong."""

    ok: bool
    problems: tuple[str, ...]
    checks: tuple[str, ...]
    """What was looked at, in order; after a damaged page the checks that would have followed are left out."""


def check(store: Store, *, full: bool = False, seed: int = 0) -> CheckReport:
    """Look for damage, for references to what is not there, and for rows that contradict each other.

    With ``full`` every index is compared with its table, which takes several times as long. What is too much to recount
    whole is recounted for a sample drawn with ``seed``. Layers that are still being made are only checked for damage.
    All of it sees one state of the database, whoever writes meanwhile. Raises DatabaseLocked.
    """
    problems: list[str] = []
    checks: list[str] = []
    with store.snapshot():
        for what, look in _looks(full):
            checks.append(what)
            try:
                with translated_errors(store.path):
                    problems += look(store.connection, Random(seed))
            except DatabaseLocked:
                raise
            except UnicodeDecodeError:  # of SQLite's own message, where it names what it cannot read
                problems.append(f"{what}: {store.path}: the database is damaged; restore it from a backup")
                break
            except (StoreError, NotADatabase) as error:
                problems.append(f"{what}: {error}")
                if isinstance(error, DatabaseDamaged | NotADatabase):
                    break
    return CheckReport(not problems, tuple(problems), tuple(checks))


_Look = Callable[[sqlite3.Connection, Random], list[str]]


def _looks(full: bool) -> Iterator[tuple[str, _Look]]:
    yield "pages and indexes" if full else "pages", partial(_damage, "integrity_check" if full else "quick_check")
    yield "references", _missing_references
    yield "texts", _unreadable_texts
    yield "language codes", _unknown_languages
    for what, statement, problem in _INVARIANTS:
        yield what, partial(_violations, statement, problem)
    yield "sample of slots", _wrong_slots
    yield "sample of commutations", _wrong_commutations
    yield "n-grams", _wrong_ngrams
    yield "tokens", wrong_tokens


def _damage(pragma: str, connection: sqlite3.Connection, _: Random) -> list[str]:
    rows = connection.execute(f"pragma {pragma}({_SHOWN_PROBLEMS})").fetchall()
    if rows == [("ok",)]:
        return []
    raise DatabaseDamaged("; ".join(" ".join(str(row[0]).split()) for row in rows) + "; restore it from a backup")


def _missing_references(connection: sqlite3.Connection, _: Random) -> list[str]:
    missing = Counter((row[0], row[2]) for row in connection.execute("pragma foreign_key_check"))
    return [
        f"{count} rows of {table} refer to a {parent} that is not there" for (table, parent), count in missing.items()
    ]


_TEXTS = {table: f"select text from {table}" for table in ("sentence", "filler", "seed", "candidate")}


def _unreadable_texts(connection: sqlite3.Connection, _: Random) -> list[str]:
    """SQLite does not look whether a text is UTF-8; Python does, and raises an error for the first that is not."""
    problems = []
    for table, statement in _TEXTS.items():
        count = sum("\n" in text for (text,) in connection.execute(statement))
        if count:
            problems.append(f"{count} texts of {table} hold a line break")
    return problems


_LANGUAGES = "select language, count(*) from sentence group by language"


def _unknown_languages(connection: sqlite3.Connection, _: Random) -> list[str]:
    counts = connection.execute(_LANGUAGES)
    return [
        f"{count} sentences in unknown language {code!r}" for code, count in counts if language_of_name(code) != code
    ]


def _violations(statement: str, problem: str, connection: sqlite3.Connection, _: Random) -> list[str]:
    count = connection.execute(statement).fetchone()[0]
    return [f"{count} {problem}"] if count else []


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
_COMPLETE = "(select language from layer where name = '{}' and complete)"
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
_INVARIANTS = (
    ("languages of documents", _OTHER_LANGUAGE, "languages stand in documents that are not said to have them"),
    ("counts of documents", _IMPLAUSIBLE_DOCUMENT, "documents hold other lines than were counted when they were read"),
    ("units", _MISPLACED_UNIT, "units have no text or stand in a document of another file"),
    (
        "documents inside files",
        _WRONG_SECTION,
        "documents inside files have no unit, no number or unreadable attributes",
    ),
    ("versions", _MISPLACED_VERSION, "versions are not among the texts of their unit or out of order"),
    ("versions of all texts", _INCOMPLETE_VERSIONS, "texts are no version in a unit whose other texts are"),
    ("number of translations", _TRANSLATIONS_LOST, "collections have fewer translations than were read into them"),
    ("symmetry of translations", _ONE_WAY_TRANSLATION, "translations have no counterpart in the other direction"),
    ("symmetry of paraphrases", _ONE_WAY_PARAPHRASE, "paraphrases have no equal counterpart in the other direction"),
    ("paraphrases", _IMPOSSIBLE_PARAPHRASE, "paraphrases are of two languages, of themselves or impossible in number"),
    ("contexts", _TOO_FEW_FILLERS, "contexts have more slots than fillers, too few fillers or no gap"),
    ("fillers", _WRONG_FILLER, "fillers do not stand in as many slots as they say"),
    ("commutations", _WRONG_COMMUTATION, "commutations are out of order or stand in less than two contexts"),
    ("seeds", _WRONG_SEED, "seeds are not the sentence that they say"),
    ("candidates", _WRONG_CANDIDATE, "candidates are their own seed, have no evidence or an impossible fluency"),
)
"""What is looked at, the statement that counts the rows which break it, and what to say of them."""


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


def _wrong_slots(connection: sqlite3.Connection, random: Random) -> list[str]:
    """Contexts whose fillers, put into the gap, do not give the sentence of the slot."""
    last = connection.execute(_LAST_CONTEXT).fetchone()[0]
    wrong = 0
    for _ in range(_SAMPLE):
        wrong += any(not row[2] for row in connection.execute(_SLOTS_FROM, (random.randint(0, last),)))
    return [f"{wrong} of {_SAMPLE} contexts do not give the sentences of their slots"] if wrong else []


_RANDOM_COMMUTATION = "select x, y from commutation where (x, y) >= (?, ?) order by x, y limit 1"
_LAST_COMMUTATION = "select coalesce(max(x), 0) from commutation"
_STORED = """
select coalesce((select contexts from commutation where x = :x and y = :y), 0),
       (select count(*) from slot a join slot b on b.context = a.context and b.filler = :y where a.filler = :x)
"""


def _wrong_commutations(connection: sqlite3.Connection, random: Random) -> list[str]:
    """Pairs of fillers, some with a commutation and some that share a context, recounted."""
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
        stored, counted = connection.execute(_STORED, {"x": x, "y": y}).fetchone()
        wrong += stored != (counted if counted >= 2 else 0)
    return [f"{wrong} of {len(pairs)} pairs of fillers commute in other contexts than is stored"] if wrong else []


_NGRAM_LAYERS = "select language, last_sentence from layer where name = 'ngram' and complete"
_SENTENCES = "select count(*) from sentence where language = ? and id <= ?"
_SEGMENTS = (
    "select id, first_sentence, last_sentence, sentences from ngram_segment where language = ? order by first_sentence"
)
_IDS = "select id from sentence where language = ? and id between ? and ? order by id"


def _wrong_ngrams(connection: sqlite3.Connection, random: Random) -> list[str]:
    """Segments that do not hold exactly the sentences of their layer, or other texts, or suffixes out of order."""
    problems = []
    for language, last in connection.execute(_NGRAM_LAYERS).fetchall():
        held, before = 0, 0
        for segment, first, final, blob in connection.execute(_SEGMENTS, (language,)):
            ids = np.array([row[0] for row in connection.execute(_IDS, (language, first, final))], dtype="<i8")
            if first <= before or ids.tobytes() != blob:
                problems.append(
                    f"n-gram segment {segment} of {language} does not hold the sentences {first} to {final}"
                )
            else:
                problems += _wrong_segment(connection, segment, ids.tolist(), random)
            held, before = held + len(ids), final
        expected = connection.execute(_SENTENCES, (language, last)).fetchone()[0]
        if held != expected:
            problems.append(f"the n-grams of {language} hold {held} sentences and not {expected}")
    return problems


_SEGMENT_TEXT = "select text from ngram_segment where id = ?"
_TEXT = "select text from sentence where id = ?"


def _wrong_segment(connection: sqlite3.Connection, segment: int, ids: list[int], random: Random) -> list[str]:
    try:
        text = connection.execute(_SEGMENT_TEXT, (segment,)).fetchone()[0].decode()
    except UnicodeDecodeError:
        return [f"the text of n-gram segment {segment} is no UTF-8"]
    texts = text[1:-1].split("\n")
    places = random.choices(range(len(ids)), k=_SAMPLE)
    if len(texts) != len(ids) or any(
        texts[place] != connection.execute(_TEXT, (ids[place],)).fetchone()[0] for place in places
    ):
        return [f"n-gram segment {segment} has other texts than its sentences"]
    with connection.blobopen("ngram_segment", "suffixes", segment, readonly=True) as blob:
        if len(blob) != 4 * len(text):
            return [f"n-gram segment {segment} has {len(blob) // 4} suffixes for {len(text)} characters"]
        for place in random.choices(range(len(text) - 1), k=_SAMPLE):
            blob.seek(4 * place)
            a, b = np.frombuffer(blob.read(8), dtype="<i4").tolist()
            if not (0 <= a < len(text) and 0 <= b < len(text) and (_suffix(text, a), a) < (_suffix(text, b), b)):
                return [f"the suffixes of n-gram segment {segment} are out of order"]
    return []


def _suffix(text: str, start: int) -> str:
    """A suffix ends with the first line break behind its first character."""
    stop = text.find("\n", start + 1)
    return text[start : stop + 1 if stop >= 0 else len(text)]
