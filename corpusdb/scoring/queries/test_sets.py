"""Test sets: which stored outputs and reference sets belong together."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from corpusdb.corpus.store import Store
from corpusdb.scoring.queries.stored_scores import stored_sets
from corpusdb.scoring.queries.substituted_references import EQUIVALENTS

__all__ = [
    "StoredOutput",
    "StoredSet",
    "TestSet",
    "all_test_sets",
    "test_set_names",
]


@dataclass(frozen=True, slots=True)
class StoredOutput:
    """What a system made of the sources of a test set."""

    id: int
    system: str
    digest: str
    segments: int


@dataclass(frozen=True, slots=True)
class StoredSet:
    """A reference set without its texts."""

    id: int
    digest: str
    origin: str
    """corpus or files."""
    parameters: Mapping[str, Any]
    """What it can be made from again, without the sources."""
    segments: int
    frozen: str | None
    """The name of one that was frozen."""

    @property
    def has_equivalents(self) -> bool:
        """Whether scores on it are of the references with equivalents in them."""
        return EQUIVALENTS in self.parameters

    @property
    def files(self) -> list[PurePath]:
        return [PurePath(each["path"]) for each in self.parameters.get("files", ())]

    @property
    def label(self) -> str:
        """A short name: that of a frozen set, "corpus", or the names of the files, "ref.A.en+1" for two of them, with
        "and corpus" where there are references of both; "eq" behind it where equivalents were put in."""
        if self.frozen is not None:
            return self.frozen
        files = self.files
        more = " eq" if self.has_equivalents else ""
        told = self.origin
        if files:
            told = files[0].name if len(files) == 1 else f"{files[0].name}+{len(files) - 1}"
            told += " and corpus" if self.origin == "corpus" else ""
        rules = f", rules {self.parameters['rules']['name']}" if "rules" in self.parameters else ""
        return f"{told}{more}{rules}"

    @property
    def place(self) -> str:
        """The folder of its files, or the corpus and the language of its references."""
        if self.origin == "corpus" and not self.files:
            return f"corpus {self.parameters.get('language', '')}".rstrip()
        return self.files[0].parent.name or "/" if self.files else "files"


@dataclass(frozen=True, slots=True)
class TestSet:
    """Sources with the outputs and reference sets that belong to them."""

    __test__ = False  # pytest takes what is called so for tests

    number: int
    """From 1, in the order in which their first outputs were stored."""
    name: str
    segments: int
    outputs: tuple[StoredOutput, ...]
    reference_sets: tuple[StoredSet, ...]
    last_score: int
    """The number of the newest score; 0 without any."""

    @property
    def set_ids_json(self) -> str:
        return json.dumps([each.id for each in self.reference_sets])

    @property
    def output_ids_json(self) -> str:
        return json.dumps([each.id for each in self.outputs])

    def __str__(self) -> str:
        systems, sets = len(self.outputs), len(self.reference_sets)
        return (
            f"{self.name}: {self.segments:,} segments, {systems:,} system{'' if systems == 1 else 's'}, "
            f"{sets:,} reference set{'' if sets == 1 else 's'}"
        )


def test_set_names(store: Store) -> dict[int, str]:
    """The test set that each stored output is of, with its number, by that of the output."""
    return {
        output.id: f"test set {each.number}, {each.name}" for each in all_test_sets(store) for output in each.outputs
    }


_OUTPUTS = "select id, system, digest, segments from system_output order by id"
_SETS = """
select reference_set.id, reference_set.digest, origin, json_remove(parameters, '$.sources'), segments, frozen_set.name,
    frozen_set.guided_by
from reference_set left join frozen_set on frozen_set.reference_set = reference_set.id
order by reference_set.id
"""
_LINKS = "select output, reference_set, max(id) from score group by output, reference_set"


def all_test_sets(store: Store) -> list[TestSet]:
    """Every test set that has an output."""
    outputs = [StoredOutput(*row) for row in store.connection.execute(_OUTPUTS)]
    sets, guided = [], []
    for set_id, digest, origin, parameters, segments, frozen, by in store.connection.execute(_SETS):
        sets.append(StoredSet(set_id, digest, origin, json.loads(parameters), segments, frozen))
        guided += [(tuple(pair), sets[-1].id) for pair in json.loads(by or "[]")]
    ids = {(each.system, each.digest): each.id for each in outputs}
    links = [tuple(row) for row in store.connection.execute(_LINKS)]
    links += [(ids[pair], set_id, 0) for pair, set_id in guided if pair in ids]
    parts = _parts(outputs, sets, links)
    parts = _joined_by_sources(store, parts)
    return list(_with_distinct_names([_test_set(number, part, links) for number, part in enumerate(parts, 1)]))


_Part = tuple[list[StoredOutput], list[StoredSet]]


def _parts(
    outputs: Sequence[StoredOutput], sets: Sequence[StoredSet], links: Sequence[tuple[int, int, int]]
) -> list[_Part]:
    """What is linked, directly or through others, by the first output; sets without outputs are left out."""
    above: dict[int, int] = {}
    """From outputs by their numbers, and sets by their negative ones, to another that they are linked with."""

    def root(node: int) -> int:
        while node in above:
            node = above[node]
        return node

    for output, set_id, _ in links:
        first, second = root(output), root(-set_id)
        if first != second:
            above[second] = first
    parts: dict[int, _Part] = {}
    for each in outputs:
        parts.setdefault(root(each.id), ([], []))[0].append(each)
    for one in sets:
        if (part := parts.get(root(-one.id))) is not None:
            part[1].append(one)
    return list(parts.values())


def _joined_by_sources(store: Store, parts: Sequence[_Part]) -> list[_Part]:
    """The parts, those of the same sources together. Only where two could be the same are texts looked at."""
    lengths = Counter(outputs[0].segments for outputs, _ in parts)
    joined: dict[object, _Part] = {}
    for outputs, sets in parts:
        key: object = outputs[0].id
        if sets and lengths[outputs[0].segments] > 1:
            sources = tuple(each.source for each in stored_sets(store, sets[0].id))
            key = sources if any(sources) else key
        part = joined.setdefault(key, ([], []))
        part[0].extend(outputs)
        part[1].extend(sets)
    return list(joined.values())


def _test_set(number: int, part: _Part, links: Sequence[tuple[int, int, int]]) -> TestSet:
    outputs, sets = part
    ids = {each.id for each in outputs}
    last = max((score for output, _, score in links if output in ids), default=0)
    name = sets[0].place if sets else outputs[0].system
    return TestSet(number, name, outputs[0].segments, tuple(outputs), tuple(sets), last)


def _with_distinct_names(found: Sequence[TestSet]) -> Iterator[TestSet]:
    """Those of one name get a number behind it."""
    names: defaultdict[str, int] = defaultdict(int)
    for each in found:
        names[each.name] += 1
        yield each if names[each.name] == 1 else replace(each, name=f"{each.name} ({names[each.name]})")
