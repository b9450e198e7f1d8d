"""The paraphrases of a seed, those that fail the filter struck out, as in Table 5 of Lepage & Denoual (2005)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.style import Style
from textual.binding import BindingType

from corpusdb.display import cell_safe
from corpusdb.model import Paraphrase
from corpusdb.queries.paraphrase.filters import NO_FILTER, Filter
from corpusdb.queries.paraphrase.origins.registry import ORIGINS, origin_marks
from corpusdb.queries.sessions.decisions import Decision, Verdict
from tui.shown import Text
from tui.widgets.row_list import RowList

__all__ = ["CANDIDATE_COLUMNS", "CandidateList"]

_STRUCK = Style(strike=True, dim=True)
_DECIDED: Mapping[Verdict, str] = {"accept": "+", "reject": "-"}
_WRITTEN = "w"
CANDIDATE_COLUMNS = (
    f"{'':3}{'from':{len(ORIGINS) + 2}}{'valid':>6} {'freq':>5} {'order':>5} {'piv':>3} {'lg':>2}  paraphrase"
)


class CandidateList(RowList, inherit_bindings=False):
    """A row for each paraphrase: marks, figures, text.

    Marks: x fails the filter; + accepted, w accepted and written into the corpus, - rejected, ~ decided, but not in the
    file yet; D detected, G generated, E exchanged, Q an equivalent, R by rules, * in the corpus. Left and right are
    free for the screen.
    """

    BINDINGS: ClassVar[list[BindingType]] = RowList.BINDINGS

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, empty="...")
        self.candidates: Sequence[Paraphrase] = ()
        """Those that are shown, by their rows."""
        self.kept: Filter = NO_FILTER
        """What does not pass it is struck out."""
        self.decisions: Mapping[str, Decision] = {}
        """What was decided, by the text of the paraphrase."""
        self.unstored: frozenset[str] = frozenset()
        """The paraphrases whose decisions the file does not have yet."""

    @property
    def current(self) -> Paraphrase | None:
        """The paraphrase under the cursor."""
        return self.candidates[self.cursor] if self.candidates else None

    def chosen(self) -> list[Paraphrase]:
        """The selected paraphrases, else the one under the cursor."""
        rows = sorted(self.selected) or [self.cursor]
        return [self.candidates[row] for row in rows if row < len(self.candidates)]

    def show_candidates(self, candidates: Sequence[Paraphrase], kept: Filter, *, empty: str) -> None:
        """Show paraphrases; cursor and selection stay on those that they were on, if these are shown."""
        before, row = self.current, self.cursor
        selected = {self.candidates[each].text for each in self.selected}
        self.candidates, self.kept = candidates, kept
        texts = [each.text for each in candidates]
        cursor = texts.index(before.text) if before is not None and before.text in texts else row
        self.show_rows(len(candidates), self._line, cursor=cursor, empty=empty)
        self.selected.update(place for place, text in enumerate(texts) if text in selected)

    def go_to(self, text: str) -> None:
        """Put the cursor on a paraphrase, if it is shown."""
        self.cursor = next((row for row, each in enumerate(self.candidates) if each.text == text), self.cursor)

    def _line(self, row: int) -> Text:
        each = self.candidates[row]
        fails, decision = not self.kept.passes(each), self.decisions.get(each.text)
        said = "~" if each.text in self.unstored else _said(decision)
        order = "whole" if each.order is None else str(each.order)
        line = Text(f"{'x' if fails else ' '}{said} {origin_marks(each)} ")
        validity = "-" if each.validity is None else f"{each.validity:.3f}"
        line.append(f"{validity:>6} {each.frequency:>5} {order:>5} {each.pivots:>3} {each.languages:>2}  ")
        line.append(cell_safe(each.text), _STRUCK if fails else "bold" if said in "+w" else "")
        return line


def _said(decision: Decision | None) -> str:
    if decision is None:
        return " "
    return _WRITTEN if decision.applied else _DECIDED[decision.verdict]
