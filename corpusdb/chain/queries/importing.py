"""Import: files are checked, go into the database in short transactions, and what was derived is updated."""

from __future__ import annotations

import hashlib
import json
import shlex
import sqlite3
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple, TypedDict

from corpusdb.base.char_model_probabilities import MOST_CHARACTERS, bits_per_language
from corpusdb.base.display import counted
from corpusdb.base.errors import InputError
from corpusdb.base.jobs import Job, Progress, duration
from corpusdb.base.options import is_sent, record_from_json
from corpusdb.base.startup import loaded_now
from corpusdb.base.text import is_utf8, main_script, nfc, normalise, scripts_of_language
from corpusdb.chain.queries.layers import begun_languages, derived_layers, layers_on_request
from corpusdb.chain.queries.overview import behind_in
from corpusdb.corpus.formats import Record, Rejected, Source
from corpusdb.corpus.formats.records import Options, Skipped
from corpusdb.corpus.model import ImportReport
from corpusdb.corpus.queries.sentences import languages_of
from corpusdb.corpus.queries.storing import FEW_TEXTS, ImportCounts, StoredDocument, UnitWriter, check_unit
from corpusdb.corpus.store import Run, Store, finish_run, layer_state, start_run
from corpusdb.corpus.store.runs import exclusive

# The update: everything that was derived is brought up to date with the corpus.


@exclusive("update")
def update_layers(store: Store) -> Job[None]:
    """Bring every derived layer up to date with the corpus: those that every language has, such as what is searched,
    and the others in the languages in which they were begun.
    """
    for layer in derived_layers():
        if layer.in_every_language:
            for language in languages_of(store):
                yield from layer.update(store, language)
    for language in begun_languages(store):
        for layer in layers_on_request():
            if layer_state(store, language, layer.name) is not None:
                yield from layer.update(store, language)


_GENERATED = """
select unixepoch(finished) - unixepoch(started) from run
where operation = 'generate' and json_extract(parameters, '$.language') = ? and finished is not null
    and json_type(parameters, '$.seeds') is null order by id desc limit 1
"""


def foreseen_layers(store: Store, *, follow: bool) -> Iterator[str]:
    """What ``update_layers`` is about to take after a few new sentences, in words, where that is long, or what is left
    where nobody follows.

    It takes as long as generating in a language where more is new by now than is judged by what was learned before.
    """
    for language in languages_of(store):
        if layer_state(store, language, "validity") is None:
            continue
        again = f"`corpusdb generate --lang {language}`"
        row = store.connection.execute(_GENERATED, (language,)).fetchone()
        if not follow:
            yield f"what was derived of {language} stays as it is; {again} brings it up to date"
        elif row is not None and row[0] >= _LONG and not loaded_now(_IS_LITTLE)(store, language):
            yield (
                f"then what was derived of {language} is brought up to date, which may take as long as generating did"
                f" ({duration(row[0])}); --no-follow leaves it to {again}"
            )


def left_behind(store: Store, *, followed: bool) -> Iterator[str]:
    """What is not as `generate` would make it after something new, in words."""
    new = "what is new is judged by what was learned before; " if followed else ""
    for language in behind_in(store, "validity"):
        yield f"validity of {language} is behind: {new}`corpusdb generate --lang {language}` brings it up to date"


_LONG = 10
"""In seconds: less need not be told beforehand."""
_IS_LITTLE = "corpusdb.paraphrase.queries.validity_update:is_little"


# Import: files that were checked go into the database, in transactions that may be interrupted between any two.

_BATCH = 5000
_SECONDS_PER_TRANSACTION = 0.5
_SHOWN_LINES = 10
_SAMPLED_TEXTS = 150
_SAMPLED_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class CheckedSource:
    """Files that were read once from end to end and found usable."""

    source: Source
    digest: str
    """SHA-256 of the files and of how they are read."""
    languages: tuple[str, ...]
    """Those that the source says it has, in its order; otherwise as ``language_order`` makes of its units."""
    records: int
    rejected: int
    first_rejected: tuple[tuple[str, int, str], ...]
    skipped: tuple[tuple[str, int, str], ...] = ()
    """File, line and reason of each bad line that is skipped; they are among the rejected ones."""
    samples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By language some of the texts, from all over the files; long ones are cut."""


class TextSample:
    """Some of many texts, at equal distances, whatever their number: the same for the same texts."""

    __slots__ = ("_seen", "_step", "texts")

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._step = 1
        self._seen = 0

    def add(self, text: str) -> None:
        """Take it, if it is its turn; where there are too many, every other one is let go."""
        if self._seen % self._step == 0:
            self.texts.append(text[:_SAMPLED_CHARACTERS])
            if len(self.texts) >= 2 * _SAMPLED_TEXTS:
                self.texts = self.texts[::2]
                self._step *= 2
        self._seen += 1


def check_source(source: Source, skippable: int = 0) -> Job[CheckedSource]:
    """Read the files once without storing anything, so that bad input is refused before the database is touched.

    Of a source that skips bad lines, so many may be ``skippable``. Raises InputError with file and line.
    """
    if bad := [path for path in source.paths if not is_utf8(str(path))]:
        raise InputError("the name is not UTF-8, so it cannot be stored; rename the file", path=bad[0])
    records, rejected = 0, 0
    first: list[tuple[str, int, str]] = []
    skipped: list[tuple[str, int, str]] = []
    sequences: dict[tuple[str, ...], None] = {source.languages: None}
    samples: dict[str, TextSample] = {}
    for number, item in enumerate(source.items()):
        if isinstance(item, Rejected):
            rejected += 1
            if isinstance(item, Skipped):
                if len(skipped) == skippable:
                    reason = f"{item.reason}; more lines are bad than may be skipped"
                    raise InputError(reason, path=item.path, line=item.place)
                skipped.append((str(item.path), item.place, item.reason))
            elif len(first) < _SHOWN_LINES:
                first.append((str(item.path or source.paths[0]), item.place or item.line, item.reason))
        else:
            records += 1
            for language, text in zip(item.languages or source.languages, item.texts, strict=False):
                if text:
                    (samples.get(language) or samples.setdefault(language, TextSample())).add(text)
            if len(item.texts) > FEW_TEXTS:
                try:
                    check_unit(item, source.languages)
                except InputError as error:
                    raise InputError(error.reason, path=source.paths[0], line=error.line) from error
            if item.languages:
                sequences.update(_sequences(item))
        if number % 50_000 == 0:
            yield Progress("checking lines", number, 0)
    if not records:
        why = f": {counted(rejected, 'lines')} rejected, the first, {first[0][1]}, as {first[0][2]}" if first else ""
        raise InputError(f"holds no aligned text{why}", path=source.paths[0])
    sampled = {language: tuple(sample.texts) for language, sample in samples.items()}
    digest, order = reading_digest(source), language_order(sequences)
    return CheckedSource(source, digest, order, records, rejected, tuple(first), tuple(skipped), sampled)


def reading_digest(source: Source) -> str:
    """SHA-256 of the files of a source and of how they are read.

    Only options that are not left at their defaults count, so that an option more changes the digest of no file that is
    read without it; and not whether bad lines are skipped, since a file that is read at all reads the same with it.
    """
    options: Options | None = getattr(source, "options", None)
    chosen = {}
    if options is not None:
        defaults = asdict(type(options)())
        chosen = {name: value for name, value in asdict(options).items() if value != defaults[name]}
        chosen.pop("skip_bad", None)
    told = json.dumps([source.digest(), source.languages, chosen], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()


def _sequences(record: Record) -> dict[tuple[str, ...], None]:
    """The languages of a unit as one sequence; each by itself where versions keep the order of its texts."""
    spoken = tuple(language for language, text in zip(record.languages, record.texts, strict=True) if text)
    if record.versions or len(set(spoken)) < len(spoken):
        return dict.fromkeys((language,) for language in spoken)
    return {spoken: None}


def language_order(sequences: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """All the languages in one order that keeps that of every sequence, where there is such an order.

    It decides how the texts of plain units are ordered when they are exported, so that a file whose units all have
    their languages in one order, though none has all of them, comes out as it went in. What the sequences leave open
    or contradict goes by the first appearance; the order of the first sequence is always kept.
    """
    before: dict[str, set[str]] = {}
    for sequence in sequences:
        distinct = list(dict.fromkeys(sequence))
        for language in distinct:
            before.setdefault(language, set())
        for one, other in pairwise(distinct):
            before[other].add(one)
    order: list[str] = []
    while before:
        free = (language for language, others in before.items() if others.isdisjoint(before))
        order.append(next(free, next(iter(before))))
        del before[order[-1]]
    return tuple(order)


@dataclass(slots=True)
class _Import:
    store: Store
    run: Run
    units: UnitWriter


@exclusive("import")
def import_source(
    store: Store, checked: CheckedSource, collection: str, licence: str | None = None
) -> Job[ImportReport]:
    """Store one checked source in a collection.

    The same files read the same way add nothing the second time. Each transaction takes about half a second; after an
    interruption the same call goes on behind the last one.
    """
    begun, collection = time.monotonic(), nfc(collection)
    name = document_name(checked.source)
    with store.write() as connection:
        document = _document(connection, collection, licence, checked)
        if document and document.complete:
            none_read = (0, 0, 0, 0, checked.rejected, time.monotonic() - begun)
            return ImportReport(*none_read, skipped=checked.skipped, unchanged=(name,))
        parameters: dict[str, object] = {"collection": collection, "digest": checked.digest, "document": name}
        if checked.skipped:
            parameters["skipped"] = checked.skipped
        if document is None:
            run = start_run(store, "import", parameters)
            document = _new_document(connection, collection, name, checked, run.id)
        elif connection.execute(_WAS_FOLLOWED, (document.run,)).fetchone()[0]:
            _begin_later_run(store, document, parameters)
    units = UnitWriter(store.connection, document, checked.source.languages)
    task = _Import(store, Run(document.run, "import"), units)
    total = checked.records + checked.rejected
    # By their number and not by their line: lines that are left out may be of another file than the units.
    items = islice(checked.source.items(), document.done, None)
    yield Progress("importing lines", document.done, total)
    with store.unchecked_references():
        while _store_some(task, items):
            yield Progress("importing lines", document.done, total)
    with store.write() as connection:
        connection.execute(_COMPLETE, (document.id,))
        finish_run(store, task.run, document.counts.to_store())
    file = str(checked.source.paths[0])
    counts = document.counts
    return ImportReport(
        *(counts.read, counts.sentences, counts.translations, counts.duplicates, counts.rejected),
        seconds=time.monotonic() - begun,
        annotated=counts.annotated or None,
        annotated_before=counts.annotated_before or None,
        first_rejected=checked.first_rejected,
        skipped=checked.skipped,
        first_duplicates=tuple((file, line) for line in units.first_duplicates),
    )


STDIN: Final = "stdin"


def document_name(source: Source) -> str:
    """What a source is called in its collection; what was sent has no name, whatever the shell calls its pipe."""
    return ", ".join(STDIN if is_sent(path) else nfc(path.name) for path in source.paths)


_COMPLETE = "update document set complete = 1 where id = ?"
_COLLECTION = """
insert into collection (name, licence) values (?, ?)
on conflict (name) do update set licence = licence
returning licence
"""
_DOCUMENT = """
select document.id, document.collection, document.run, document.complete, document.counts
from document join collection on collection.id = document.collection where collection.name = ? and digest = ?
"""
_NEW_DOCUMENT = """
insert into document (collection, name, digest, languages, run)
select id, ?, ?, ?, ? from collection where name = ? returning id, collection
"""


def _document(
    connection: sqlite3.Connection, collection: str, licence: str | None, checked: CheckedSource
) -> StoredDocument | None:
    """The document as an earlier import left it, or None. Raises InputError for another licence than it has."""
    there = connection.execute(_COLLECTION, (collection, licence)).fetchone()[0]
    if licence not in (None, there):
        raise InputError(
            f"the licence of {collection} is {there or 'unknown'}, for all its files: give these another"
            f" --name, or change it by `corpusdb licence {shlex.quote(collection)} {shlex.quote(licence)}`"
        )
    row = connection.execute(_DOCUMENT, (collection, checked.digest)).fetchone()
    if row is None:
        return None
    number, collection_number, run, complete, counts = row
    counted = record_from_json(ImportCounts, json.loads(counts), of="an import")
    return StoredDocument(number, collection_number, run, counted, bool(complete))


def _new_document(
    connection: sqlite3.Connection, collection: str, name: str, checked: CheckedSource, run: int
) -> StoredDocument:
    languages = ",".join(checked.languages)
    row = connection.execute(_NEW_DOCUMENT, (name, checked.digest, languages, run, collection)).fetchone()
    return StoredDocument(row[0], row[1], run, ImportCounts())


def _store_some(task: _Import, items: Iterator[Record | Rejected]) -> bool:
    """Store units for about half a second in one transaction; False when there are no more."""
    limit = time.monotonic() + _SECONDS_PER_TRANSACTION
    with task.store.write():
        while batch := list(islice(items, _BATCH)):
            task.units.write(batch)
            if time.monotonic() > limit:
                break
        else:
            return False
    return True


_WAS_FOLLOWED = "select exists (select 1 from layer where last_run >= ?)"
_RUN = "update document set run = ? where id = ?"


def _begin_later_run(store: Store, document: StoredDocument, parameters: dict[str, object]) -> None:
    """Give what comes now a run of its own, since a layer was brought up to date after the import was interrupted, and
    knows by the runs what it has to look at. Inside a transaction of the caller."""
    finish_run(store, Run(document.run, "import"), document.counts.to_store())
    document.run = start_run(store, "import", parameters).id
    store.connection.execute(_RUN, (document.run, document.id))


# Whether the texts of a file look like the languages that they are said to be in, before they are imported: by their
# script, by models of characters of what the database has of each language, by which of its columns is nearer to what
# it has, and, for however few texts, by the language in which it has the same.

_LEAST_TEXTS: Final = 10
_LEAST_CHARACTERS: Final = 150
"""Less than that tells nothing."""
_CLEARLY_FEWER: Final = 0.9
"""Bits per character under the model of another language, of those under its own: at most so many are a doubt. In all
columns of real corpora that were tried, of 5 lines or more, another language had 1.2 times as many or more."""
_LEAST_STANDING: Final = 10
"""One of so many texts that the database has in another language is a doubt: names and cries are in several."""
_SURELY: Final = 0.9
"""So many of ten texts or more that the database has in another language, or that are in another script, are none of
the language: then nothing is imported unless that is asked for, since to remove it all is made again."""
_MOST_LANGUAGES: Final = 12


class ColumnDoubt(NamedTuple):
    told: str
    is_sure: bool = False


def column_doubts(store: Store, checked: Sequence[CheckedSource]) -> list[ColumnDoubt]:
    """What looks wrong of the languages of some files, a line for each; nothing of those with too few texts to tell."""
    doubts: list[ColumnDoubt] = []
    known: dict[str, list[str]] | None = None
    for each in checked:
        columns = {
            language: texts
            for language, texts in each.samples.items()
            if len(texts) >= _LEAST_TEXTS and sum(map(len, texts)) >= _LEAST_CHARACTERS
        }
        written = {language: doubt for language, texts in columns.items() if (doubt := _script_doubt(language, texts))}
        columns = {language: texts for language, texts in columns.items() if language not in written}
        told: dict[str, ColumnDoubt] = {}
        if columns:
            known = _known_texts(store) if known is None else known
            told = _model_doubts(columns, known)
        if not written:
            standing = _standing_doubts(store, each.samples)
            told |= {language: doubt for language, doubt in standing.items() if doubt.is_sure or not told}
        doubts += [doubt._replace(told=f"{each.source.paths[0]}: {doubt.told}") for doubt in (written | told).values()]
    return doubts


def _script_doubt(language: str, texts: Sequence[str]) -> ColumnDoubt | None:
    expected = scripts_of_language(language)
    found = Counter(script for script in map(main_script, texts) if script)
    if not expected or not found:
        return None
    (script, count), total = found.most_common(1)[0], found.total()
    if sum(found[each] for each in expected) * 2 < total:
        seen = "kana" if script == "hiragana" else f"{script} letters"
        told = f"text given as {language} is written in {seen}: {count:,} of {total:,} lines looked at"
        return ColumnDoubt(told, count >= _SURELY * total)
    if language == "jpn" and found["hiragana"] * 10 < total and found["cjk"] * 2 > total:
        return ColumnDoubt(
            f"text given as jpn has hardly any kana, as Chinese: {found['hiragana']:,} of {total:,} lines"
        )
    return None


def _model_doubts(columns: Mapping[str, Sequence[str]], known: Mapping[str, Sequence[str]]) -> dict[str, ColumnDoubt]:
    """Where another language of the database, or another column, is clearly nearer, by language."""
    doubts: dict[str, ColumnDoubt] = {}
    bits = {language: bits_per_language(texts, known) for language, texts in columns.items()}
    for language, found in bits.items():
        if language not in found:
            continue
        own = found[language]
        nearest = min(found, key=lambda each: found[each])
        others = {each: bits[each][language] for each in bits if each != language}
        nearer = min(others, key=lambda each: others[each], default=language)
        if found[nearest] <= own * _CLEARLY_FEWER:
            doubts[language] = ColumnDoubt(
                f"text given as {language} looks like {nearest}: {found[nearest]:.2f} bits per character as"
                f" {nearest}, {own:.2f} as {language}, by what the database has"
            )
        elif others and others[nearer] <= own * _CLEARLY_FEWER:
            doubts[language] = ColumnDoubt(
                f"{language} and {nearer} look exchanged: by what the database has of {language}, text given as it"
                f" has {own:.2f} bits per character, and text given as {nearer} {others[nearer]:.2f}"
            )
    return doubts


# One look-up for each text and language, through the index by both.
_STANDING = """
select code.value, count(distinct given.value) from json_each(:texts) given
cross join json_each(:languages) code
cross join sentence on sentence.language = code.value and sentence.text = given.value
group by code.value order by count(distinct given.value) desc, code.value
"""


def _standing_doubts(store: Store, columns: Mapping[str, Sequence[str]]) -> dict[str, ColumnDoubt]:
    """Where the database has texts of a column in other languages, and none in that which they are said to be in, by
    language: that tells of few texts, too."""
    languages, doubts = json.dumps(languages_of(store)), dict[str, ColumnDoubt]()
    for language, texts in columns.items():
        bound = {"texts": json.dumps([normalise(text) for text in texts]), "languages": languages}
        found = dict(store.connection.execute(_STANDING, bound).fetchall())
        if not found or language in found:
            continue
        other, count = next(iter(found.items()))
        if count * _LEAST_STANDING >= len(texts):
            doubts[language] = ColumnDoubt(
                f"of text given as {language} {count:,} of {len(texts):,} texts looked at"
                f" {'is' if count == 1 else 'are'} in the database as {other}, and none as {language}",
                count >= _SURELY * len(texts) and len(texts) >= _LEAST_TEXTS,
            )
    return doubts


_BOUNDS = "select coalesce(min(id), 0), coalesce(max(id), -1) from sentence"
_STRETCH = "select language, text from sentence where id between ? and ?"
_FIRST = "select text from sentence where language = ? limit 400"
_STRETCHES: Final = 100
_IN_A_STRETCH: Final = 100


def _known_texts(store: Store) -> dict[str, list[str]]:
    """Texts of the languages of the database: from all over it, and of the rarer ones from wherever they stand.

    At most of as many languages as are told apart in reasonable time: those with most texts.
    """
    first, last = store.connection.execute(_BOUNDS).fetchone()
    step = max((last - first) // _STRETCHES, _IN_A_STRETCH)
    found: dict[str, list[str]] = {language: [] for language in languages_of(store)}
    for start in range(first, last + 1, step):
        for language, text in store.connection.execute(_STRETCH, (start, start + _IN_A_STRETCH - 1)):
            found[language].append(text)
    for language, texts in found.items():
        if sum(map(len, texts)) < MOST_CHARACTERS:
            texts += [row[0] for row in store.connection.execute(_FIRST, (language,))]
    most = sorted(found, key=lambda each: -len(found[each]))[:_MOST_LANGUAGES]
    return {language: found[language] for language in most if sum(map(len, found[language])) >= _LEAST_CHARACTERS * 10}


# The import of some files into one collection: all are checked first, and what was derived is updated afterwards.

_LINES_LOOKED_AT = 10


class ImportOptions(TypedDict, total=False):
    """How files are imported, for a function that passes it on to ``import_files``."""

    licence: str | None
    skip_bad: int
    """So many bad lines may be skipped, where the sources skip them."""


def import_files(
    store: Store,
    sources: Sequence[Source],
    collection: str,
    licence: str | None = None,
    *,
    skip_bad: int = 0,
    follow: bool = True,
) -> Job[ImportReport]:
    """Check all sources, and then store them in a collection; see the two functions below."""
    checked = yield from check_sources(sources, skip_bad)
    return (yield from import_checked(store, checked, collection, licence, follow=follow))


def check_sources(sources: Sequence[Source], skippable: int = 0) -> Job[list[CheckedSource]]:
    """Read all files once, so that a bad one is refused before the database is touched.

    Of all sources together that skip bad lines, so many may be ``skippable``. Raises InputError.
    """
    checked: list[CheckedSource] = []
    for source in sources:
        left = skippable - sum(len(each.skipped) for each in checked)
        checked.append((yield from check_source(source, left)))
    return checked


@exclusive("import")
def import_checked(
    store: Store,
    checked: Sequence[CheckedSource],
    collection: str,
    licence: str | None = None,
    *,
    follow: bool = True,
) -> Job[ImportReport]:
    """Store checked sources, one after the other; with ``follow`` bring what was derived up to date afterwards.

    Files that were imported before, read the same way, add nothing. After an interruption the same call goes on.
    """
    reports, begun = [], time.monotonic()
    for source in checked:
        reports.append((yield from import_source(store, source, collection, licence)))
    if follow:
        yield from update_layers(store)
    return _total(reports, time.monotonic() - begun)


def collection_name(file: Path) -> str:
    """What a collection is called after its first file: corpus for corpus.tsv, corpus.en.gz and corpus.fr.txt."""
    if is_sent(file):
        return STDIN
    name = nfc(file.name)
    for extension in (".gz", ".txt"):
        name = name.removesuffix(extension)
    return Path(name).stem


def _total(reports: Sequence[ImportReport], seconds: float) -> ImportReport:
    counts = ("read", "sentences", "translations", "duplicates", "rejected")
    found: dict[str, Any] = {name: sum(getattr(each, name) for each in reports) for name in counts}
    for name in ("annotated", "annotated_before"):
        found[name] = sum(getattr(each, name) or 0 for each in reports) or None
    for name in ("first_rejected", "first_duplicates", "skipped", "unchanged"):
        most = _LINES_LOOKED_AT if name.startswith("first") else None
        found[name] = tuple(line for each in reports for line in getattr(each, name))[:most]
    return ImportReport(seconds=seconds, **found)
