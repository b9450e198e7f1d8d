"""What people said of candidates: the judgements of all samples of meaning."""

from __future__ import annotations

from corpusdb.store import Store

__all__ = ["judged_candidates"]

# The majority of all judges; a tie says nothing. Accepting are the verdicts of section 6.2 of the paper.
_JUDGED = """
select candidate.id, sum(iif(verdict in ('equivalence', 'entailment'), 1, -1)) as balance
from sample
cross join sample_item on sample_item.sample = sample.id and sample_item.source = 'candidate'
cross join current_judgement on current_judgement.item = sample_item.id and verdict <> 'skip'
cross join seed on seed.language = sample.language and seed.text = sample_item.seed_text
cross join candidate on candidate.seed = seed.id and candidate.text = sample_item.text
where sample.kind = 'meaning' and sample.language = ?
group by candidate.id having balance <> 0 order by candidate.id
"""


def judged_candidates(store: Store, language: str) -> dict[int, bool]:
    """The numbers of judged candidates, and whether more judges say that one holds than that it does not."""
    return {number: balance > 0 for number, balance in store.connection.execute(_JUDGED, (language,))}
