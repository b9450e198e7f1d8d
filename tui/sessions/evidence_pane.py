"""Beside the paraphrases, where there is room: what stands behind the one under the cursor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from corpusdb.display import cell_safe
from corpusdb.model import Paraphrase
from corpusdb.queries.paraphrase.explanation import explain
from corpusdb.queries.sessions.views import SeedView
from tui.background.reader import DatabaseReader
from tui.sessions.explanation_screen import ExplanationRow, explanation_rows, folded
from tui.shown import Text
from tui.widgets.text_pane import TextPane

__all__ = ["EvidencePane"]

_ANALOGIES = 5
"""As many as a screen may show; Enter on the paraphrase shows more."""
_BESIDE_TEXT = 5
"""Cells for the border, the space inside and the scroll bar."""

Ask = Callable[[Callable[[DatabaseReader], Any], Callable[[Any], None], str], object]
"""Asks a question of a kind, and hands its answer on."""


class EvidencePane(TextPane):
    """The analogies that yield a paraphrase and the translations that it shares with the seed."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._wanted: tuple[str, str] | None = None
        """The seed and the paraphrase that it shows, or asks for."""

    def show_behind(self, view: SeedView, paraphrase: Paraphrase | None, ask: Ask) -> None:
        """Show what stands behind a paraphrase, where there is room for that."""
        if not self.display or not self.size.width:
            return
        wanted = None if paraphrase is None else (view.seed, paraphrase.text)
        if wanted == self._wanted:
            return
        self._wanted = wanted
        if wanted is None:
            self.show(Text())
            return
        if not view.in_corpus:  # it would have to be taken into the file for a moment
            self.show(Text("Enter shows what stands behind it.", "dim"))
            return
        seed, text = wanted
        language = view.standing.language

        def question(reader: DatabaseReader) -> list[ExplanationRow]:
            return list(explanation_rows(explain(reader.store, seed, text, language, limit=_ANALOGIES)))

        ask(question, self._arrived, "evidence")

    def _arrived(self, rows: list[ExplanationRow]) -> None:
        shown = Text()
        for row in rows[2:]:  # the paraphrase and the seed stand beside it
            for line in folded(cell_safe(row.text), self.size.width - _BESIDE_TEXT):
                shown.append(f"{line}\n", "bold" if row.is_heading else "")
        self.show(shown)
