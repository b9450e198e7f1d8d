"""Ranking: how the evidence of several origins makes one score, and which paraphrase of a seed comes first.

Origins say how strong their own evidence is; here it is only combined.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from corpusdb.model import Finding, Paraphrase
from corpusdb.ngrams.fluency_orders import NO_LIMIT

__all__ = ["by_text", "merge", "rank", "rank_key", "score", "validity"]


def validity(findings: Iterable[Finding]) -> float | None:
    """The probability that a paraphrase holds, by what its origins say; None where none of them knows it."""
    return max((each.validity for each in findings if each.validity is not None), default=None)


def score(findings: Sequence[Finding]) -> float:
    """What a paraphrase is ranked by, from 0 to 1: the validity, the highest that an origin gives.

    Where that is not known it is 1 - product of (1 - strength) over the origins that give it, and 1 - strength is
    1 / (1 + odds) for evidence in odds. The last digit depends on the order of the findings, which is therefore always
    that of the registered origins.
    """
    known = validity(findings)
    if known is not None:
        return known
    doubt = 1.0
    for finding in findings:
        doubt = doubt * (1 - finding.strength) / (1 + finding.odds)
    return 1 - doubt


def rank_key(paraphrase: Paraphrase) -> tuple[float, str]:
    """What paraphrases are sorted by: the highest score first, ties in the order of code points."""
    return -paraphrase.score, paraphrase.text


def rank(findings: Iterable[Finding]) -> list[Paraphrase]:
    """The paraphrases of one seed, each text once, best first. ``findings`` are in the order of their origins."""
    return sorted(map(merge, by_text(findings).values()), key=rank_key)


def by_text(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    """What the origins say of each text, in the order of the findings."""
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        found.setdefault(finding.text, []).append(finding)
    return found


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
        validity(findings),
        score(findings),
        tuple(findings),
    )


def _highest(findings: Sequence[Finding]) -> Finding:
    _, text, frequency, pivots, languages, probability, shared, fluency, inner_fluency, *_ = zip(*findings, strict=True)
    return Finding(
        origin="",
        text=text[0],
        frequency=max(frequency),
        pivots=max(pivots),
        languages=max(languages),
        probability=max(probability),
        shared=max(shared),
        fluency=min(fluency),
        inner_fluency=min(inner_fluency),
    )
