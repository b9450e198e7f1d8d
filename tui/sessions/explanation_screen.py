"""What stands behind one paraphrase: how probable it is and why, the analogies that yield it, and translations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from textual import on
from textual.app import ComposeResult

from corpusdb.display import cell_safe
from corpusdb.errors import DatabaseReadOnly
from corpusdb.model import Analogy, Explanation, Paraphrase, SharedTranslation
from corpusdb.queries.paraphrase.exchanges import ExchangeReport, reports_behind
from corpusdb.queries.paraphrase.explanation import explain
from corpusdb.reports.exchanges import example_lines, exchange_told
from tui.background.reader import DatabaseReader
from tui.messages import Opened
from tui.shared.dialogs import DetailsDialog
from tui.shared.place_screen import PlaceScreen
from tui.shown import Text
from tui.widgets.row_list import RowList

__all__ = ["ExplanationScreen", "explanation_rows"]

_Behind: TypeAlias = tuple[Explanation, list[ExchangeReport]]

_ANALOGIES = 100
_EXAMPLES = 3
"""Pairs of sentences that show an exchange of words, for it and against it."""


class ExplanationScreen(PlaceScreen):
    """The exchanges, analogies and translations behind a paraphrase; Enter shows a row in full."""

    PLACE = "session"

    def __init__(self, seed: str, paraphrase: Paraphrase, language: str) -> None:
        super().__init__()
        self._seed = seed
        self._paraphrase = paraphrase
        self._language = language
        self._rows: list[str] = []

    def compose_body(self) -> ComposeResult:
        yield RowList(id="explanation", empty="...")

    def on_mount(self) -> None:
        self.query_one(RowList).focus()
        terms = self._seed, self._paraphrase.text, self._language

        def question(reader: DatabaseReader) -> _Behind:
            try:
                found = explain(reader.store, *terms, limit=_ANALOGIES)
            except DatabaseReadOnly:  # the corpus does not hold the seed: it is taken in, and out again
                with reader.writing() as store:
                    found = explain(store, *terms, limit=_ANALOGIES)
            return found, reports_behind(reader.store, self._language, found, _EXAMPLES)

        self.ask(question, self._show)

    def _show(self, behind: _Behind) -> None:
        self._rows = [cell_safe(row) for row in explanation_rows(*behind)]
        rows = self.query_one(RowList)
        rows.show_rows(len(self._rows), lambda row: Text(self._rows[row], _style(self._rows[row])))

    @on(Opened)
    def _in_full(self, message: Opened) -> None:
        self.app.push_screen(DetailsDialog(f"Row {message.row + 1}", [self._rows[message.row].strip()]))


def _style(row: str) -> str:
    return "" if row.startswith(" ") else "bold"


def explanation_rows(explanation: Explanation, exchanges: Sequence[ExchangeReport] = ()) -> Iterator[str]:
    """Headings at the margin, sentences below them by their letters in A : B :: C : D and A : B' :: C : x."""
    yield f"{explanation.candidate}"
    yield f"  paraphrases {explanation.seed}"
    if explanation.validity is not None:
        yield f"Validity {explanation.validity:.3f}"
        for each in explanation.exchanges:
            yield f"  {exchange_told(each)}"
    if explanation.direct:
        yield f"Both have the translations ({len(explanation.direct):,})"
        yield from _shared(explanation.direct)
    for report in exchanges:
        yield from example_lines(report)
    yield from explanation.reasons
    told: dict[tuple[str, str], int] = {}
    for number, analogy in enumerate(explanation.analogies, 1):
        yield f"Analogy {number:,} of {explanation.total:,}"
        yield from _analogy(analogy, explanation.candidate)
        pair = analogy.b, analogy.rewording
        if pair in told:
            yield f"       as in analogy {told[pair]:,}"
        else:
            yield from _shared(explanation.shared.get(pair, ()))
        told.setdefault(pair, number)
    left = explanation.total - len(explanation.analogies)
    if left > 0:
        yield f"{left:,} more analogies; `corpusdb explain -n 0` shows all"
    if not explanation.analogies and not explanation.direct and not explanation.reasons:
        yield "No analogy and no shared translation is known."


def _analogy(analogy: Analogy, candidate: str) -> Iterator[str]:
    yield f"  A    {analogy.a}"
    yield f"  B    {analogy.b}"
    yield f"  C    {analogy.c}"
    yield f"  D    {analogy.d}"
    yield f"  x    {candidate}"
    yield f"  B'   {analogy.rewording}"
    yield "       which translates with B to"


def _shared(translations: Sequence[SharedTranslation]) -> Iterator[str]:
    for each in translations:
        places = f"  ({', '.join(each.places)})" if each.places else ""
        yield f"       {each.language}  {each.text}{places}"
