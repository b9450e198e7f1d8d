"""Ranking: how the evidence of several origins makes one score, and which paraphrase of a seed comes first.

Origins say how strong their own evidence is; here it is only combined.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from corpusdb.model import NO_LIMIT, Finding, Paraphrase

__all__ = ["merge", "rank", "rank_key", "score"]


def score(findings: Iterable[Finding]) -> float:
    """How much speaks for a paraphrase, from 0 to 1: 1 - product of (1 - strength) over the origins that give it.

    1 - strength is 1 / (1 + odds) for evidence in odds. The last digit depends on the order of the findings, which is
    therefore always that of the registered origins.
    """
    doubt = 1.0
    for finding in findings:
        doubt = doubt * (1 - finding.strength) / (1 + finding.odds)
    return 1 - doubt


def rank_key(paraphrase: Paraphrase) -> tuple[float, str]:
    """What paraphrases are sorted by: the highest score first, ties in the order of code points."""
    return -paraphrase.score, paraphrase.text


def rank(findings: Iterable[Finding]) -> list[Paraphrase]:
    """The paraphrases of one seed, each text once, best first. ``findings`` are in the order of their origins."""
    by_text: dict[str, list[Finding]] = {}
    for finding in findings:
        by_text.setdefault(finding.text, []).append(finding)
    return sorted(map(merge, by_text.values()), key=rank_key)


def merge(findings: Sequence[Finding]) -> Paraphrase:
    """One paraphrase from what its origins say of it: the highest of each figure, and the lowest order."""
    one = findings[0] if len(findings) == 1 else _highest(findings)
    in_corpus = one.fluency == NO_LIMIT
    return Paraphrase(
        one.text,
        one.frequency,
        None if in_corpus else one.fluency,
        None if one.inner_fluency == NO_LIMIT else one.inner_fluency,
        in_corpus,
        one.pivots,
        one.languages,
        one.probability,
        one.shared,
        score(findings),
        tuple(findings),
    )


def _highest(findings: Sequence[Finding]) -> Finding:
    return Finding(
        origin="",
        text=findings[0].text,
        frequency=max(each.frequency for each in findings),
        pivots=max(each.pivots for each in findings),
        languages=max(each.languages for each in findings),
        probability=max(each.probability for each in findings),
        shared=max(each.shared for each in findings),
        fluency=min(each.fluency for each in findings),
        inner_fluency=min(each.inner_fluency for each in findings),
    )
