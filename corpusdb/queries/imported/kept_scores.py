"""Which scores of others are new, beside those that are kept already: each level, segments and systems, by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from corpusdb.errors import InputError
from corpusdb.formats.scores.score_file import ExternalScores, Level
from corpusdb.store import Store

__all__ = ["FLOATS", "Kind", "ScoreToKeep", "new_scores"]

Kind: TypeAlias = Literal["metric", "human"]

FLOATS: Final = "<f8"
"""How scores of segments are kept."""


class ScoreToKeep(NamedTuple):
    """What is to be stored, in the order of the columns."""

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
        """Of the segments that have a score."""
        return None if self.segment_values is None else float(np.nanmean(np.frombuffer(self.segment_values, FLOATS)))

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
            before, now = (np.isfinite(np.frombuffer(each.segment_values or b"", FLOATS)) for each in (kept, row))
            gone[row.name] += int((before & ~now).sum())
        yield both
    remarks += [f"{name}: scores of {count:,} systems are replaced" for name, count in replaced.items() if count]
    remarks += [
        f"{name}: {count:,} scores of segments are gone, which the new files do not have"
        for name, count in gone.items()
        if count
    ]


def _with_kept(row: ScoreToKeep, kept: ScoreToKeep) -> ScoreToKeep:
    """New scores with those that are kept at a level that they do not have."""
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
