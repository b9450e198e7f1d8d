"""The reason that the filter gives is that of its verdict."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.fluency_orders import NO_LIMIT
from corpusdb.corpus.model import Finding
from corpusdb.paraphrase.queries.filters import NSequenceFilter
from corpusdb.paraphrase.ranking import merge

FINDINGS = st.builds(
    Finding,
    origin=st.just("analogy"),
    text=st.just("text"),
    fluency=st.sampled_from([0, 9, 10, 13, 19, 20, 21, NO_LIMIT]),
    inner_fluency=st.sampled_from([0, 10, 20]),
    validity=st.sampled_from([None, 0.9, 0.95, 1.0]),
    replacement=st.sampled_from([None, 0, 1]),
    is_vouched=st.booleans(),
)


@given(
    findings=st.lists(FINDINGS, min_size=1, max_size=3),
    kept=st.builds(NSequenceFilter, st.sampled_from([0, 19, 20]), st.booleans(), st.sampled_from([0.0, 0.95])),
)
def test_it_fails_where_the_filter_fails(findings: list[Finding], kept: NSequenceFilter) -> None:
    found = merge(findings)
    assert kept.reason(found).startswith("fails: ") == (not kept.passes(found))


@pytest.mark.parametrize(
    ("order", "replacement", "told"),
    [
        (19, 0, "fails: order 19 is below N = 20"),
        (13, 1, "order 13, vouched for: N/2 = 10 suffices"),
        (9, 1, "fails: order 9 is below N/2 = 10"),
        (20, 0, "order 20 reaches N = 20"),
    ],
)
def test_half_of_n_is_told_where_it_suffices(order: int, replacement: int, told: str) -> None:
    finding = Finding("analogy", "text", fluency=order, inner_fluency=order, validity=1.0, replacement=replacement)
    assert NSequenceFilter(20, min_validity=0.95).reason(merge([finding])) == told
