"""Scores of others, kept beside our own, and what people said of the systems that are evaluated."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.system_agreement import RankedSystem, clusters_of_people
from corpusdb.corpus.formats.reading import digest_of
from corpusdb.corpus.formats.score_file import ExternalScores, Level, ScoreFile, differs, joined, name_of_mean
from corpusdb.corpus.formats.scoring_input import (
    HumanJudgements,
    ScoreReading,
    first_few,
    missing_segments,
    named_alike,
    read_score_file,
)
from corpusdb.corpus.store import Store, finish_run, start_run
from corpusdb.corpus.store.connection import now
from corpusdb.scoring.metrics import is_corpus_metric
from corpusdb.scoring.reference_count import HumanScores


def format_means(scores: Sequence[ExternalScores]) -> list[str]:
    """Where the scores of systems are not the means of their segments: both are given and differ, or would differ."""
    levels: dict[str, dict[Level, ExternalScores]] = {}
    for each in scores:
        levels.setdefault(each.name, {})[each.level] = each
    lines = []
    for name, found in levels.items():
        if "segment" not in found:
            continue
        segments = found["segment"].scores
        given = {} if "system" not in found else {system: float(x[0]) for system, x in found["system"].scores.items()}
        unlike = [
            f"{system} {whole:.5g}, not {np.nanmean(segments[system]):.5g}"
            for system, whole in given.items()
            if system in segments and not np.isnan(segments[system]).all() and differs(whole, segments[system])
        ]
        if unlike:
            lines.append(f"{name}: scores of systems as given, not the means of their segments: {first_few(unlike)}")
        elif not given and is_corpus_metric(name):
            lines.append(f"{name}: scores of segments alone; their mean is no {name} of a system: {name_of_mean(name)}")
    return lines


# The outputs of systems that are kept, as they are named.


_NAMES_SHOWN: Final = 5


class StoredOutput(NamedTuple):
    """The output of a system as it is kept, but for its texts."""

    id: int
    system: str
    digest: str
    segments: int

    @property
    def full_name(self) -> str:
        """The name by which it is told from other outputs of the system: NAME@DIGEST."""
        return f"{self.system}@{self.digest[:8]}"


_OUTPUTS = "select id, system, digest, segments from system_output order by id"


def all_outputs(store: Store) -> list[StoredOutput]:
    return [StoredOutput(*row) for row in store.connection.execute(_OUTPUTS)]


def outputs_called(outputs: Sequence[StoredOutput], name: str) -> list[StoredOutput]:
    """The outputs of that name, or of that name and the beginning of a digest: NAME@DIGEST."""
    if found := [each for each in outputs if each.system == name]:
        return found
    system, _, digest = name.rpartition("@")
    return [each for each in outputs if digest and each.system == system and each.digest.startswith(digest)]


def known_outputs(outputs: Sequence[StoredOutput]) -> str:
    """Which systems outputs are kept of, in words."""
    known = list(dict.fromkeys(each.system for each in outputs))
    if not known:
        return "`corpusdb score --store` keeps outputs"
    return f"there are {', '.join(known[:_NAMES_SHOWN])}{', ...' if len(known) > _NAMES_SHOWN else ''}"


# Which scores of others are new, beside those that are kept already: each level, segments and systems, by itself.


Kind: TypeAlias = Literal["metric", "human"]

_FLOATS: Final = "<f8"


def packed_values(values: F64) -> bytes:
    """Scores of segments as they are kept."""
    return values.astype(_FLOATS).tobytes()


def values_from(data: bytes) -> F64:
    return np.frombuffer(data, dtype=_FLOATS).astype(np.float64)


class ScoreToKeep(NamedTuple):
    output: int
    name: str
    kind: Kind
    value: float
    segment_values: bytes | None
    file: str
    """Of both levels, that of the segments first."""
    digest: str

    @property
    def mean(self) -> float | None:
        return None if self.segment_values is None else float(np.nanmean(values_from(self.segment_values)))

    @property
    def whole(self) -> float | None:
        """What is given for the system: a value that is only the mean of the segments is kept like a given one."""
        return None if self.value == self.mean else self.value


_KEPT = """
select output, name, kind, value, segment_values, file, digest from imported_score
where output = ? and name = ? and kind = ?
"""


def new_scores(
    store: Store,
    rows: Sequence[ScoreToKeep],
    metrics: Mapping[str, Mapping[Level, ExternalScores]],
    remarks: list[str],
    *,
    replace: bool,
) -> Iterator[ScoreToKeep]:
    """What is not kept yet, each with what is kept at the other level.

    Raises InputError where others are kept at the same level, unless these are replaced.
    """
    replaced, gone = dict.fromkeys(metrics, 0), dict.fromkeys(metrics, 0)
    for row in rows:
        found = store.connection.execute(_KEPT, row[:3]).fetchone()
        if found is None:
            yield row
            continue
        kept = ScoreToKeep(*found)
        both = _with_kept(row, kept)
        if both[3:5] == kept[3:5]:
            continue
        is_other = None not in (row.segment_values, kept.segment_values) and row.segment_values != kept.segment_values
        is_other |= None not in (row.whole, kept.whole) and row.whole != kept.whole
        if is_other and not replace:
            path = next(iter(metrics[row.name].values())).path
            reason = f"scores of {row.name} are kept already, from {kept.file}; --replace puts these in their place"
            raise InputError(reason, path=path, line=1)
        replaced[row.name] += is_other
        if row.segment_values and kept.segment_values:
            before, now = (np.isfinite(values_from(each.segment_values or b"")) for each in (kept, row))
            gone[row.name] += int((before & ~now).sum())
        yield both
    remarks += [f"{name}: scores of {count:,} systems are replaced" for name, count in replaced.items() if count]
    remarks += [
        f"{name}: {count:,} scores of segments are gone, which the new files do not have"
        for name, count in gone.items()
        if count
    ]


def _with_kept(row: ScoreToKeep, kept: ScoreToKeep) -> ScoreToKeep:
    segments = row.segment_values or kept.segment_values
    whole = kept.whole if row.whole is None else row.whole
    both = row._replace(segment_values=segments)
    files = kept.file.split(", ")
    if row.segment_values is None and kept.segment_values is not None:
        file = f"{files[0]}, {row.file}"
    elif row.whole is None and kept.whole is not None:
        file = f"{row.file}, {files[-1]}"
    else:
        return both
    of_both = sha256(f"{kept.digest}{row.digest}".encode()).hexdigest()
    value = both.mean if whole is None else whole
    return both._replace(value=row.value if value is None else value, file=file, digest=of_both)


# Scores of others, kept beside our own: each with the stored output of the system that it was given to.


_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """Which scores of the files are taken, and which outputs they belong to."""

    system_names: Mapping[str, str] = field(default_factory=dict)
    """The name of a stored output by the name in the files; NAME@DIGEST is that of several with this digest."""
    metrics: Sequence[str] = ()
    """Only these; all, if none is named."""
    skip_unknown: bool = False
    """Whether systems of which no output is stored are left out."""
    replace: bool = False
    """Whether scores take the place of others of their name."""
    outputs: Collection[int] | None = None
    """Only outputs of these numbers, such as those of a test set; None for all."""
    test_sets: Mapping[int, str] = field(default_factory=dict)
    """What is said of an output, by its number, where several have one name: its test set."""
    how: ScoreReading = field(default_factory=ScoreReading)
    """How the files are to be read."""


@dataclass(frozen=True, slots=True)
class ScoreImport:
    names: tuple[str, ...]
    imported: int
    unchanged: int
    """Scores that were there."""
    unscored: tuple[str, ...]
    skipped: tuple[str, ...]
    """Systems of which no output is stored."""
    run: int | None
    """None where nothing changed."""
    notes: tuple[str, ...] = ()
    """What is to be told of how the files were read."""
    remarks: tuple[str, ...] = ()
    """What is to be told of what they hold: what has no score, and what is gone for them."""


@dataclass(frozen=True, eq=False)
class ImportedScore:
    id: int
    output: int
    """The number of the output that it was given to."""
    system: str
    output_digest: str
    segments: int
    name: str
    """Of the metric or the kind of human score."""
    kind: Kind
    value: float
    """Of the system: as the file gives it, else the mean over the segments that have a score."""
    segment_values: F64 | None
    """Of each segment, NaN for one without; None where only systems were scored."""
    file: str
    digest: str
    """SHA-256 of the file; of both, one after the other, where one has the segments and one the systems, and of their
    digests where they came one after the other."""
    imported: str
    """When, UTC."""

    @property
    def mean(self) -> float | None:
        """Of the segments that have a score; None where only systems were scored."""
        return None if self.segment_values is None else float(np.nanmean(self.segment_values))


def import_scores(
    store: Store, files: Sequence[Path], *, human: bool = False, attachment: Attachment | None = None
) -> ScoreImport:
    """Keep the scores in some files, each with the stored output of its system; nothing unless all of them fit.

    Where several outputs have the name of the system, it is the one with as many segments as are scored. Scores that
    are kept already stay as they are; those of systems come to those of segments, and the other way round. Raises
    InputError, with file and line, for a system of which no output or more than one is stored, outputs with another
    number of segments, which a score file of another test set has, scores that would take the place of others, and as
    read_score_file; UsageError for a metric that no file has.
    """
    attachment = attachment or Attachment()
    how = replace(attachment.how, also=[*attachment.how.also, *attachment.metrics])
    read = [read_score_file(path, how) for path in files]
    kind: Kind = "human" if human else "metric"
    with store.write():
        outputs = [each for each in all_outputs(store) if attachment.outputs is None or each.id in attachment.outputs]
        sizes = {file.path: _segments(file, outputs, attachment) for file in read}
        metrics = _by_name([each for file in read for each in file.scores(sizes[file.path])], attachment.metrics)
        skipped: dict[str, None] = {}
        unscored: dict[str, None] = {}
        rows: list[ScoreToKeep] = []
        for levels in metrics.values():
            for system, output in _attached(levels, outputs, attachment):
                if output is None:
                    skipped[system] = None
                elif (row := _row(levels, system, output, kind)) is None:
                    unscored[system] = None
                else:
                    rows.append(row)
        remarks = _remarks(metrics, skipped)
        new = list(new_scores(store, rows, metrics, remarks, replace=attachment.replace))
        run = _stored(store, new) if new else None
        remarks += _unscored_outputs(store, rows, outputs, attachment)
    notes = [note for file in read for note in file.how_read(sizes[file.path])]
    if not attachment.metrics:
        notes += [note for file in read for note in file.columns_left]
    left = tuple(unscored), tuple(skipped)
    return ScoreImport(tuple(metrics), len(new), len(rows) - len(new), *left, run, tuple(notes), tuple(remarks))


def _segments(file: ScoreFile, outputs: Sequence[StoredOutput], attachment: Attachment) -> int | None:
    """How many segments the test set has that a file with numbers scores; None where that is not asked.

    That is as many as the outputs of its systems have. Raises InputError where these are of several test sets into
    which the numbers fit.
    """
    if file.usual_first is None or (named := file.count()) is None:
        return None
    systems = file.systems
    sizes = sorted({each.segments for system in systems for each in _called(system, outputs, attachment)})
    fitting = [size for size in sizes if (file.count(size) or 0) <= size]
    if len(sizes) == 1 and not fitting:
        return sizes[0]  # so that the first score too many is told, with its line
    if len(fitting) < 2 or (file.is_whole and named in fitting):
        return named if len(fitting) != 1 else fitting[0]
    of_size = {size: next(each for each in outputs if each.segments == size) for size in fitting}
    ways = " or ".join(f"{size:,} {_of_set(of_size[size], attachment)}".rstrip() for size in fitting)
    reason = f"it has up to {named:,} segments, and outputs of its systems have {ways}; say --test-set NUMBER"
    raise InputError(reason, path=file.path, line=min(systems.values()))


def _called(system: str, outputs: Sequence[StoredOutput], attachment: Attachment) -> list[StoredOutput]:
    return outputs_called(outputs, attachment.system_names.get(system, system))


def _of_set(output: StoredOutput, attachment: Attachment) -> str:
    return f"({attachment.test_sets[output.id]})" if output.id in attachment.test_sets else ""


def _by_name(files: Sequence[ExternalScores], wanted: Sequence[str]) -> dict[str, dict[Level, ExternalScores]]:
    found: dict[str, dict[Level, ExternalScores]] = {}
    for scores in joined(files):
        found.setdefault(scores.name, {})[scores.level] = scores
    for name in wanted:
        if name not in found:
            raise UsageError(f"the files have no scores of {name!r}; there are {', '.join(found)}")
    return {name: levels for name, levels in found.items() if not wanted or name in wanted}


def _attached(
    levels: Mapping[Level, ExternalScores], outputs: Sequence[StoredOutput], attachment: Attachment
) -> Iterator[tuple[str, StoredOutput | None]]:
    """Every system with its output; None for a system that is skipped. Raises InputError as import_scores does."""
    taken: dict[int, str] = {}
    places = {system: scores for scores in reversed(list(levels.values())) for system in scores.scores}
    segments = levels["segment"].segments if "segment" in levels else None
    for system, scores in places.items():
        path, line = scores.path_of(system), scores.lines[system]
        named = _called(system, outputs, attachment)
        if not named:
            if not attachment.skip_unknown:
                raise InputError(_unknown(system, outputs), path=path, line=line)
            yield system, None
            continue
        fitting = [each for each in named if segments in (None, each.segments)]
        if not fitting:
            counts = " or ".join(sorted({f"{each.segments:,}" for each in named}))
            reason = f"{system} has {segments:,} segments here and {counts} stored: the scores of another test set"
            raise InputError(reason, path=path, line=line)
        if len(fitting) > 1:
            ways = " or ".join(
                f"{system}={each.full_name} {_of_set(each, attachment)}".rstrip() for each in fitting[:_SHOWN]
            )
            more = ", or --test-set NUMBER" if attachment.outputs is None and attachment.test_sets else ""
            reason = f"{len(fitting)} stored outputs are called {fitting[0].system}; say --system-names {ways}{more}"
            raise InputError(reason, path=path, line=line)
        (output,) = fitting
        if output.id in taken:
            reason = f"{system} and {taken[output.id]} would be scores of one output, {output.system}"
            raise InputError(reason, path=path, line=line)
        taken[output.id] = system
        yield system, output
    if len(taken) == 0:
        first = next(iter(places.values()))
        raise InputError(f"no output of its {len(places)} systems is stored", path=first.path)


def _unknown(system: str, outputs: Sequence[StoredOutput]) -> str:
    advice = "; --skip-unknown leaves out what has none, --system-names says what it is called here" * bool(outputs)
    alike = named_alike(system, [each.system for each in outputs])
    return f"no output of {system!r} is stored{alike}; {known_outputs(outputs)}{advice}"


def _row(levels: Mapping[Level, ExternalScores], system: str, output: StoredOutput, kind: Kind) -> ScoreToKeep | None:
    """What is kept of a system; None where no score is given for it."""
    values = {level: scores.scores[system] for level, scores in levels.items() if system in scores.scores}
    segments, whole = values.get("segment"), values.get("system")
    if segments is not None and np.isnan(segments).all():
        segments = None
    if whole is not None and not np.isnan(whole[0]):
        value = float(whole[0])
    elif segments is not None:
        value = float(np.nanmean(segments))
    else:
        return None
    paths = list(dict.fromkeys(levels[level].path_of(system) for level in sorted(values)))
    blob = None if segments is None else packed_values(segments)
    name = next(iter(levels.values())).name
    return ScoreToKeep(output.id, name, kind, value, blob, ", ".join(path.name for path in paths), digest_of(paths))


def _remarks(metrics: Mapping[str, Mapping[Level, ExternalScores]], skipped: Collection[str]) -> list[str]:
    """What has no score in the files, and where the score of a system is another than the mean of its segments."""
    every = [scores for levels in metrics.values() for scores in levels.values()]
    lines = missing_segments(every, {system for each in every for system in each.scores} - set(skipped))
    return [*lines, *format_means(every)]


_SCORED = "select output from imported_score where name = ? and kind = ?"


def _unscored_outputs(
    store: Store, rows: Sequence[ScoreToKeep], outputs: Sequence[StoredOutput], attachment: Attachment
) -> list[str]:
    """Which outputs of the same test sets have no score of a metric, and what is like their names."""
    own = {row.output for row in rows}
    sets = {(attachment.test_sets.get(each.id), each.segments) for each in outputs if each.id in own}
    lacking: dict[str, list[str]] = {}
    for name, kind in dict.fromkeys((row.name, row.kind) for row in rows):
        scored = {number for (number,) in store.connection.execute(_SCORED, (name, kind))}
        absent = [
            each.system
            for each in outputs
            if each.id not in scored and (attachment.test_sets.get(each.id), each.segments) in sets
        ]
        if absent:
            lacking.setdefault(", ".join(absent), []).append(name)
    told = "no scores of {}, whose outputs are stored"
    return [f"{', '.join(names)}: {told.format(systems)}" for systems, names in lacking.items()]


_STORE = """
insert into imported_score (output, name, kind, value, segment_values, file, digest, run, imported)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (output, name, kind) do update set value = excluded.value, segment_values = excluded.segment_values,
    file = excluded.file, digest = excluded.digest, run = excluded.run, imported = excluded.imported
"""


def _stored(store: Store, rows: Sequence[ScoreToKeep]) -> int:
    files = {row.file: row.digest for row in rows}
    run = start_run(store, "import scores", {"files": files, "kind": rows[0].kind})
    store.connection.executemany(_STORE, [(*row, run.id, now()) for row in rows])
    finish_run(store, run, {"scores": len(rows)})
    return run.id


_NAMED = "select id, output from imported_score where name = ? and kind = ?"
_REMOVE = "delete from imported_score where id = ?"


def remove_scores(store: Store, name: str, *, human: bool = False, outputs: Collection[int] | None = None) -> int:
    """Undo the import of the scores of a name, of these outputs or of all; how many they were.

    Raises InputError where there are none.
    """
    kind: Kind = "human" if human else "metric"
    with store.write() as connection:
        kept = connection.execute(_NAMED, (name, kind)).fetchall()
        chosen = [(number,) for number, output in kept if outputs is None or output in outputs]
        if not chosen:
            raise InputError(
                f"no {'scores of people' if human else 'imported scores'} called {name!r} are stored there"
            )
        run = start_run(store, "remove scores", {"name": name, "kind": kind})
        connection.executemany(_REMOVE, chosen)
        finish_run(store, run, {"scores": len(chosen)})
    return len(chosen)


_IMPORTED = """
select imported_score.id, imported_score.output, system_output.system, system_output.digest, system_output.segments,
    imported_score.name, imported_score.kind, imported_score.value, imported_score.segment_values,
    imported_score.file, imported_score.digest, imported_score.imported
from imported_score join system_output on system_output.id = imported_score.output
order by imported_score.kind desc, imported_score.name, imported_score.output
"""


def imported_scores(store: Store) -> list[ImportedScore]:
    """The scores of others that are kept: those of metrics by their names, then those of people."""
    found = []
    for row in store.connection.execute(_IMPORTED):
        columns: list[Any] = [values_from(each) if isinstance(each, bytes) else each for each in row]
        found.append(ImportedScore(*columns))
    return found


def human_ratings(human: HumanJudgements, systems: Sequence[str], segments: int) -> HumanScores:
    """The human scores of these systems, in their order.

    Raises InputError where none of them has any, and for a score of a segment that is not there.
    """
    if not any(name in human.systems for name in systems):
        raise InputError(f"the human scores are of other systems: {', '.join(sorted(human.systems))}")
    by_system = np.array([human.systems.get(name, np.nan) for name in systems])
    by_segment = np.full((len(systems), segments), np.nan)
    for row, name in zip(by_segment, systems, strict=True):
        for segment, score in human.segments.get(name, {}).items():
            if segment >= segments:
                raise InputError(f"{name} has a human score of segment {segment}, and there are {segments} from 0")
            row[segment] = score
    return HumanScores(by_system, None if np.isnan(by_segment).all() else by_segment)


def human_clusters(human: HumanJudgements, path: Path) -> list[RankedSystem]:
    """The systems in clusters by what people said of their segments. Raises InputError where they said nothing."""
    found = clusters_of_people(human.systems, human.segments)
    if not found:
        raise InputError("has scores of whole systems only: clusters need those of segments", path=path)
    return found
