"""Explanation: how probable it is that a paraphrase of a seed holds, and what each origin says of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from corpusdb.analogy.ranking import merge, validity
from corpusdb.errors import InputError
from corpusdb.model import ExchangeFigures, Explanation, Finding, SharedTranslation
from corpusdb.queries.exchange.exchange_figures import exchanges_between
from corpusdb.queries.paraphrase.acceptances import acceptances
from corpusdb.queries.paraphrase.filters import DEFAULT_FILTER
from corpusdb.queries.paraphrase.origins.origin import Seed, find_seed
from corpusdb.queries.paraphrase.origins.registry import ORIGINS
from corpusdb.store import Store
from corpusdb.text import normalise

__all__ = ["explain"]


def explain(store: Store, seed: str, candidate: str, language: str, *, limit: int = 10) -> Explanation:
    """What stands behind ``candidate`` as a paraphrase of ``seed``.

    At most ``limit`` analogies; 0 is all. The explanation has no analogy where the candidate was not generated, and no
    direct translation where the two share none.
    """
    known, text = find_seed(store, language, seed), normalise(candidate)
    findings = list(_findings(store, known, text))
    holds = validity(findings)
    parts = [origin.explain(store, known, text, limit) for origin in ORIGINS.values()]
    direct = tuple(chain.from_iterable(part.direct for part in parts))
    exchanges = () if holds is None else exchanges_between(store, language, known.text, text)
    return Explanation(
        seed=known.text,
        candidate=text,
        analogies=tuple(chain.from_iterable(part.analogies for part in parts)),
        total=sum(part.total for part in parts),
        shared={pair: shared for part in parts for pair, shared in part.shared.items()},
        direct=direct,
        reasons=tuple(chain.from_iterable(part.reasons for part in parts)),
        validity=holds,
        fails=_fails(findings),
        accepted=tuple(acceptances(store, language, known.text, text)),
        exchanges=exchanges,
        steps=_steps(store, known, findings, holds, direct, exchanges),
    )


def _fails(findings: Sequence[Finding]) -> str:
    """Why the usual filter refuses what may be valid, in words; nothing where it does not, or by the validity."""
    if not findings:
        return ""
    merged = merge(findings)
    return DEFAULT_FILTER.reason(merged) if DEFAULT_FILTER.failing(merged) in ("marks", "order") else ""


def _steps(
    store: Store,
    seed: Seed,
    findings: Sequence[Finding],
    holds: float | None,
    direct: Sequence[SharedTranslation],
    exchanges: Sequence[ExchangeFigures],
) -> tuple[str, ...]:
    """What the highest validity that an origin gives is made of, beside its exchanges."""
    if holds is None:
        return ()
    from corpusdb.queries.exchange.validity_steps import validity_steps

    best = next(each for each in findings if each.validity == holds)
    languages = sorted({each.language for each in direct})
    in_corpus = seed.sentence is not None
    steps = validity_steps(store, seed.language, seed.text, best, languages, in_corpus=in_corpus)
    if holds >= 1 or not best.frequency or any(each.pairs for each in exchanges):
        return steps
    known = f"what is known are the analogies that give it: rewordings {best.frequency:,}, languages {best.languages}"
    return (known, *steps)


def _findings(store: Store, seed: Seed, text: str) -> Iterator[Finding]:
    """What each origin that can answer says of a paraphrase."""
    for origin in ORIGINS.values():
        try:
            found = origin.findings(store, seed)
        except InputError:  # it has no index
            continue
        yield from (finding for finding in found if finding.text == text)
