"""Systems and reference sets that are compared from the database, where scores were kept with them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from corpusdb.errors import InputError
from corpusdb.formats import ReferenceSet
from corpusdb.formats.reference_digest import digest
from corpusdb.formats.scoring_input import Output
from corpusdb.jobs import Job
from corpusdb.queries.evaluation.stored_scores import stored_output, stored_sets
from corpusdb.queries.guided.frozen_sets import frozen_name, frozen_references
from corpusdb.queries.guided.kept_references import kept_references
from corpusdb.queries.imported.stored_outputs import StoredOutput, all_outputs, known_outputs, outputs_called
from corpusdb.queries.references.combined_sets import additions_again
from corpusdb.queries.references.coverage import pivot_languages
from corpusdb.queries.references.reference_sets import AttributedReference, AttributedSet
from corpusdb.queries.references.scoring_references import ScoringReferences
from corpusdb.store import Store

__all__ = ["stored_comparison", "stored_system"]


def stored_system(store: Store, name: str, segments: int) -> Output:
    """The output of so many segments that is kept under a name, or NAME@DIGEST.

    Raises InputError where there is none, and where there are several.
    """
    return _output(store, _one_of(_called(store, name), name, segments))


def _called(store: Store, name: str) -> list[StoredOutput]:
    outputs = all_outputs(store)
    found = outputs_called(outputs, name)
    if not found:
        raise InputError(f"{name} is no file, and no output of this name is stored; {known_outputs(outputs)}")
    return found


def _one_of(found: Sequence[StoredOutput], name: str, segments: int) -> StoredOutput:
    fitting = [each for each in found if each.segments == segments]
    if not fitting:
        counts = " or ".join(sorted({f"{each.segments:,}" for each in found}))
        raise InputError(f"the stored output of {name} has {counts} segments, the references have {segments:,}")
    if len(fitting) > 1:
        ways = " or ".join(each.full_name for each in fitting)
        raise InputError(f"{len(fitting)} stored outputs of {segments:,} segments are called {name}; say {ways}")
    return fitting[0]


def _output(store: Store, stored: StoredOutput) -> Output:
    return Output(stored.system, Path(stored.full_name), stored_output(store, stored.id))


class _StoredSet(NamedTuple):
    id: int
    digest: str
    origin: str
    parameters: str
    segments: int

    def __str__(self) -> str:
        return f"{self.digest[:16]} ({self.segments:,} segments, from {self.origin})"


_SETS = """
select distinct reference_set.id, reference_set.digest, reference_set.origin, reference_set.parameters,
    reference_set.segments
from reference_set join score on score.reference_set = reference_set.id
where score.output in (select value from json_each(?)) order by reference_set.id
"""


def stored_comparison(
    store: Store, names: Sequence[str], reference_set: str | None = None
) -> Job[tuple[list[Output], ScoringReferences]]:
    """Stored outputs, and the reference set that all of them were scored with.

    ``reference_set`` is the beginning of its digest, where there are several. Raises InputError for a name that is not
    stored, where there is no such set, and where it is not clear which one or which output is meant.
    """
    called = [_called(store, name) for name in names]
    sets = _common_sets(store, called)
    if reference_set is not None:
        sets = [each for each in sets if each.digest.startswith(reference_set)]
    if not sets:
        what = f" of digest {reference_set}" if reference_set else ""
        raise InputError(f"no reference set{what} has scores of all of {', '.join(names)}; give --ref FILE...")
    # One set may be kept under the digest of an older version, too.
    if len({each.digest for each in sets}) > 1 and len({digest(stored_sets(store, each.id)) for each in sets}) > 1:
        raise InputError(f"{len(sets)} reference sets have scores of these; say --set {' or '.join(map(str, sets))}")
    chosen = sets[0]
    outputs = [_output(store, _one_of(found, name, chosen.segments)) for name, found in zip(names, called, strict=True)]
    return outputs, (yield from _references(store, chosen))


def _common_sets(store: Store, called: Sequence[Sequence[StoredOutput]]) -> list[_StoredSet]:
    """The sets that an output of each system was scored with."""
    common: list[_StoredSet] | None = None
    for outputs in called:
        rows = store.connection.execute(_SETS, (json.dumps([each.id for each in outputs]),))
        found = [_StoredSet(*row) for row in rows]
        common = found if common is None else [each for each in common if each in found]
    return common or []


def _references(store: Store, chosen: _StoredSet) -> Job[ScoringReferences]:
    """The set as it was kept; with its origins, where it is frozen or the corpus still gives them."""
    name = frozen_name(store, chosen.id)
    if name is not None:
        return frozen_references(store, name)
    kept = kept_references(store, chosen.id)
    if kept.origin != "corpus":
        return kept
    both = yield from additions_again(store, kept.sets, kept.parameters)
    attributed = tuple(_attributed(before, now) for before, now in zip(kept.sets, both, strict=True))
    labels = tuple(tuple("+".join(one.origins) or "unknown" for one in each.references) for each in attributed)
    pivots = pivot_languages(store, kept.parameters["language"])
    return replace(kept, labels=labels, attributed=attributed, pivots=pivots)


def _attributed(kept: ReferenceSet, now: AttributedSet) -> AttributedSet:
    """The references as they were kept, with the origins that they have now; none where the corpus lost one."""
    known = {one.text: one for one in now.references}
    return AttributedSet(
        kept.source, tuple(known.get(text) or AttributedReference(text, (), kept.source) for text in kept.references)
    )
