"""How an open seed is shown: where one is, the seed, its translations, its paraphrases, and one of these in full."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal

from corpusdb.display import cell_safe
from corpusdb.queries.sessions.views import SeedView
from tui.sessions.candidate_list import CANDIDATE_COLUMNS, CandidateList
from tui.sessions.evidence_pane import EvidencePane
from tui.sessions.open_seed import OpenSeed
from tui.sessions.seed_lines import counts_in_session, told_in_words, translation_lines
from tui.shown import Static, Text
from tui.widgets.head_line import HeadLine

__all__ = ["SeedPanes"]

_SHORT = 22
"""On a screen with fewer lines, the translations have to do with two."""


class SeedPanes:
    """The widgets that show a seed."""

    def __init__(self) -> None:
        self.candidates = CandidateList(id="candidates")
        self.evidence = EvidencePane(id="session-evidence")
        self._head = HeadLine(id="session-head")
        self._seed = Static("", id="session-seed")
        self._translations = Static("", id="session-translations")
        self._candidate = Static("", id="session-candidate")

    def compose(self) -> ComposeResult:
        """The widgets, from top to bottom."""
        yield self._head
        yield self._seed
        yield self._translations
        yield Static(f"  {CANDIDATE_COLUMNS}", id="session-columns")
        with Horizontal(id="session-body"):
            yield self.candidates
            yield self.evidence
        yield self._candidate

    def begin_seed(self) -> None:
        """Forget the cursor and the selection of the seed before."""
        self.candidates.candidates = ()
        self.candidates.selected.clear()
        self.candidates.set_reactive(CandidateList.cursor, 0)

    def show_seed(self, view: SeedView, height: int) -> None:
        """Show the seed and its translations, as many as a screen of this height has room for."""
        self._seed.update(Text(cell_safe(view.seed)))
        most = 2 if height < _SHORT else max(3, height // 8)
        lines = translation_lines(view)
        if len(lines) > most:
            lines = [*lines[: most - 1], f"and {len(lines) - most + 1} more translations: T"]
        self._translations.update(Text("\n".join(lines)))

    def show_candidates(self, seed: OpenSeed) -> None:
        """Show the paraphrases that are not hidden, and what was decided on each."""
        if seed.view is None:
            return
        rows = self.candidates
        rows.decisions = seed.view.decisions
        rows.unstored = seed.unstored
        empty = "All paraphrases fail the filter; h shows them." if seed.view.paraphrases else "No paraphrase is known."
        rows.show_candidates(seed.shown(), seed.kept, empty=empty)
        name = cell_safe(seed.view.standing.name)
        self._head.show(counts_in_session(seed.view), seed.filter_and_hidden, name=name)
        self.show_current()

    def show_current(self) -> None:
        """Show of the paraphrase under the cursor what does not fit into its row."""
        current = self.candidates.current
        told = ""
        if current is not None:
            told = f"{cell_safe(current.text)}\n{told_in_words(current, self.candidates.kept)}"
        self._candidate.update(Text(told), layout=False)
