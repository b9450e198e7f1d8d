"""What judges said of pairs, beside the probability that the corpus gives these."""

from __future__ import annotations

from typing import NamedTuple

from corpusdb.analogy.ranking import validity
from corpusdb.model import Finding
from corpusdb.queries.judging.report import judged_items
from corpusdb.queries.judging.samples import samples
from corpusdb.queries.paraphrase.origins.registry import select_origins
from corpusdb.store import Store

__all__ = ["JudgedPair", "judged_pairs"]


class JudgedPair(NamedTuple):
    """A pair that more judges of a sample accepted than not, or the other way round."""

    validity: float
    """As it is now."""
    accepted: bool


def judged_pairs(store: Store, language: str) -> list[JudgedPair]:
    """The pairs of all samples of a language in which meaning was judged, controls among them.

    Pairs of which as many judges accept as not are left out, and those whose validity is not known.
    """
    wanted = [each for each in samples(store) if each.kind == "meaning" and each.language == language]
    decided = [
        (item.seed, item.text, accepted)
        for sample in wanted
        for item in judged_items(store, sample)[0]
        if (accepted := item.accepted) is not None
    ]
    if not decided:
        return []
    findings: dict[tuple[str, str], list[Finding]] = {}
    for origin in select_origins():
        for seed, finding in origin.findings_of(store, language, [text for _, text, _ in decided]):
            findings.setdefault((seed, finding.text), []).append(finding)
    known = ((validity(findings.get((seed or "", text), ())), accepted) for seed, text, accepted in decided)
    return [JudgedPair(value, accepted) for value, accepted in known if value is not None]
