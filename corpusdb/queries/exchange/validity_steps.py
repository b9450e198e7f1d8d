"""What the validity of a paraphrase is made of beside the rates of its exchanges, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corpusdb.exchange.pair_differences import Pair
from corpusdb.exchange.validity import ODDS_OF_LONE, ODDS_OF_MORE, ODDS_OF_SHARING
from corpusdb.model import Finding
from corpusdb.ngrams.fluency_orders import ONE_PIVOT
from corpusdb.queries.exchange.seed_validity import Bounds, SeedValidity
from corpusdb.store import Store

__all__ = ["validity_steps"]


def validity_steps(
    store: Store, language: str, seed: str, finding: Finding, languages: Sequence[str], *, in_corpus: bool
) -> tuple[str, ...]:
    """What bounds the validity of a finding, and what its odds are multiplied or divided by.

    ``languages``: in which the two share a translation; ``in_corpus``: whether the corpus has the seed. Nothing where a
    person says that it holds, or nothing was learned.
    """
    judge = SeedValidity(store, language)
    if finding.validity is None or finding.validity >= 1 or not judge.is_known:
        return ()
    by_analogies = bool(finding.frequency)
    figures = finding.frequency, finding.languages, finding.probability
    pair = Pair(0, seed, finding.text, *(figures if by_analogies else (0, 0, 0.0)))
    steps = list(_bounding(judge.bounds(pair, derived=by_analogies)))
    if finding.origin == "exchange" and in_corpus:
        before = judge.models.before_lone(finding.validity)
        steps.append(
            f"its odds are divided by {1 / ODDS_OF_LONE:.0f}, from {before:.3f}: no analogy of the index makes it"
        )
    elif languages:
        odds = ODDS_OF_SHARING * ODDS_OF_MORE ** (len(languages) - 1)
        steps.append(f"its odds are multiplied by {odds:,.0f}: the two share a translation ({', '.join(languages)})")
    if judge.models.unseen:
        (pivot,) = judge.models.pivots
        steps.append(
            f"multiplied by {ONE_PIVOT:g}: {pivot} is the one pivot language, which does not mark"
            f" {', '.join(judge.models.unseen)}"
        )
    return tuple(steps)


def _bounding(bounds: Bounds) -> Iterator[str]:
    if bounds.objection is not None:
        language, shared, expected, most = bounds.objection
        yield (
            f"not above {most:.3f} by the exchange: of pairs with translations into {language} {shared:,} share one, "
            f"where {expected:.1f} were expected to"
        )
    if bounds.region is not None:
        (before, after), most = bounds.region
        words = " / ".join(text.strip() or "(nothing)" for text in (before, after))
        yield f"not above {most:.3f} by the exchange: that is {words} alone, and hardly any pair shows all at once"
