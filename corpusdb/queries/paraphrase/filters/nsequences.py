"""The filter: every sequence of N characters was seen in the corpus, and the paraphrase probably holds.

The N-sequences alone are the filter of Lepage & Denoual (2005, section 4.4). They keep apart what is no sentence, and
say nothing of the meaning. Unless that filter is asked for as it is, shorter sequences will do for a paraphrase that
only replaces words by others of which the corpus knows that they may stand for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, TypedDict

from corpusdb.bounds import rounded_probability
from corpusdb.errors import UsageError
from corpusdb.model import Finding, Paraphrase
from corpusdb.ngrams.fluency_orders import DEFAULT_MIN_VALIDITY, DEFAULT_ORDER, NO_LIMIT
from corpusdb.queries.paraphrase.filters.filter import Filter

__all__ = ["DEFAULT_FILTER", "NO_FILTER", "Failing", "FilterOptions", "NSequenceFilter", "filter_at"]

Failing: TypeAlias = Literal["", "marks", "order", "validity"]
"""What a paraphrase fails a filter by; nothing where it passes."""


@dataclass(frozen=True, slots=True)
class NSequenceFilter(Filter):
    """All sequences of ``order`` characters occur in the corpus (section 4.4), and the validity is high enough.

    Raises UsageError for an order below 0, and for a validity that is no probability.
    """

    order: int = DEFAULT_ORDER
    """N; 0 lets all pass."""
    marks: bool = True
    """Whether the marks at both ends of a sentence are characters of these sequences."""
    min_validity: float = 0.0
    """The least probability that the paraphrase holds, where that is known; 0 with ``final_marks`` is the filter
    of the paper, by N alone."""
    final_marks: bool = True
    """Whether what differs from its seed in the marks at its end alone is accepted, as the paper's filter does."""

    def __post_init__(self) -> None:
        if self.order < 0:
            raise UsageError(f"the order of the filter is 0 or more, not {self.order}")
        if not 0 <= self.min_validity <= 1:
            raise UsageError(f"the least validity is from 0 to 1, not {self.min_validity}")

    def __str__(self) -> str:
        return f"N = {self.order}" + (f", V = {self.min_validity:g}" if self.min_validity else "")

    @property
    def halves(self) -> bool:
        """Whether half of N will do for a replacement with evidence: at whatever least validity, so that a lower one
        lets all pass that a higher one does. The paper's filter has no such thing."""
        return bool(self.min_validity) or not self.final_marks

    @property
    def replacement_order(self) -> int:
        """The order that a replacement with evidence has to reach: half of N, rounded up.

        Of what is only inserted or left out, and passes no more than that, 4 in 10 are no sentences.
        """
        return -(-self.order // 2) if self.halves else self.order

    def reached(self, row: str) -> str:
        """The SQL expression for the highest order that a row passes."""
        return f"{row}.fluency" if self.marks else f"{row}.inner_fluency"

    def condition(self, row: str) -> str:
        parts = [self.order_condition(row)]
        parts += [self.validity_condition(row)] if self.min_validity else []
        return " and ".join(parts if self.final_marks else [*parts, self.marks_condition(row)])

    def order_condition(self, row: str) -> str:
        """The part of the condition that looks at sequences of characters."""
        reached = self.reached(row)
        if not self.halves:
            return f"{reached} >= :order"
        return f"({reached} >= :order or {row}.replacement and {reached} >= :replacement_order)"

    def validity_condition(self, row: str) -> str:
        """The part that looks at the validity, where a least one is asked for."""
        return f"coalesce({row}.validity, 1.0) >= :min_validity" if self.min_validity else "true"

    def marks_condition(self, row: str) -> str:
        """The part that looks at the marks at the end, where these alone make no paraphrase."""
        return "true" if self.final_marks else f"not {row}.only_marks"

    @property
    def values(self) -> Mapping[str, object]:
        values: dict[str, object] = {"order": self.order}
        values |= {"replacement_order": self.replacement_order} if self.halves else {}
        return values | ({"min_validity": self.min_validity} if self.min_validity else {})

    def accepts(self, finding: Finding) -> bool:
        return not self._failing(finding)

    def order_asked(self, finding: Finding) -> int:
        """The order that it has to reach."""
        return self.replacement_order if finding.replacement else self.order

    def _failing(self, finding: Finding) -> Failing:
        if finding.only_marks and not self.final_marks:
            return "marks"
        reached = finding.fluency if self.marks else finding.inner_fluency
        if not finding.is_vouched and reached < self.order_asked(finding):
            return "order"
        is_valid = finding.validity is None or finding.validity >= self.min_validity
        return "" if is_valid else "validity"

    def failing(self, paraphrase: Paraphrase) -> Failing:
        """What a paraphrase fails by; of several findings what the last one does, and nothing where one passes.

        The order before the validity: of what is no sentence, how probable it is that it keeps the meaning says little.
        """
        said = [self._failing(finding) for finding in paraphrase.findings]
        return "" if "" in said or not said else said[-1]

    def reason(self, paraphrase: Paraphrase) -> str:
        """Why a paraphrase passes, or why it fails; of several findings that of one that passes, else of the last.

        Empty for one that passes since the corpus has it.
        """
        told = ""
        for finding in paraphrase.findings:
            told = self._reason(finding)
            if self.accepts(finding):
                break
        return told

    def _reason(self, finding: Finding) -> str:
        if finding.only_marks and not self.final_marks:
            return "fails: nothing but the marks at the end differs"
        reached = finding.fluency if self.marks else finding.inner_fluency
        if finding.is_vouched:
            order = "vouched for: no order is asked"
        elif reached == NO_LIMIT:
            order = ""
        elif reached >= self.order:
            order = f"order {reached} reaches N = {self.order}"
        elif not finding.replacement or not self.halves:
            return f"fails: order {reached} is below N = {self.order}"
        elif reached >= self.replacement_order:
            order = f"order {reached}, vouched for: N/2 = {self.replacement_order} suffices"
        else:
            return f"fails: order {reached} is below N/2 = {self.replacement_order}"
        if finding.validity is not None and finding.validity < self.min_validity:
            return f"fails: validity {rounded_probability(finding.validity, 4):.4f} is below V = {self.min_validity:g}"
        return order

    def document(self) -> dict[str, object]:
        document: dict[str, object] = {"order": self.order}
        # The marks only where they do not count, as in the documents of older versions.
        document |= {} if self.marks else {"marks": False}
        document |= {} if self.final_marks else {"final_marks": False}
        return document | ({"min_validity": self.min_validity} if self.min_validity else {})

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Filter | None:
        if "order" not in document:
            return None
        members = (("marks", True), ("min_validity", 0.0), ("final_marks", True))
        return cls(document["order"], *(document.get(name, usual) for name, usual in members))


class FilterOptions(TypedDict, total=False):
    """What ``filter_at`` takes, for a function that hands it on."""

    order: int
    marks: bool
    min_validity: float | None
    final_marks: bool


def filter_at(
    order: int = DEFAULT_ORDER, *, marks: bool = True, min_validity: float | None = None, final_marks: bool = False
) -> NSequenceFilter:
    """The filter that somebody asks for; None: the usual validity, and none where no order is asked for either.

    ``final_marks``: also what differs from its seed in the marks at its end alone, as where nothing is asked for.
    """
    if min_validity is None:
        min_validity = DEFAULT_MIN_VALIDITY if order else 0.0
    return NSequenceFilter(order, marks, min_validity, final_marks or not (order or min_validity))


DEFAULT_FILTER: Final = filter_at()
"""What is kept where nobody says otherwise."""
NO_FILTER: Final = NSequenceFilter(0)
"""Accepts all."""
