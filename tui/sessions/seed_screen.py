"""A session that is open: one seed with its paraphrases, which are filtered, looked into, accepted and rejected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from corpusdb.display import cell_safe
from corpusdb.errors import InputError
from corpusdb.queries.paraphrase.filters import NSequenceFilter
from corpusdb.queries.sessions.decisions import (
    ApplyReport,
    Undone,
    Verdict,
    apply_session,
    decide,
    undo_decision,
)
from corpusdb.queries.sessions.sessions import (
    SessionSeed,
    add_seed,
    go_to_seed,
    mark_seed,
    seeds_of_session,
    set_order,
)
from corpusdb.queries.sessions.views import SeedView
from corpusdb.store import Store
from tui.background.jobs import JobState
from tui.messages import Highlighted, Opened
from tui.sessions.candidate_list import CANDIDATE_COLUMNS, CandidateList
from tui.sessions.candidate_screen import CandidateScreen
from tui.sessions.seed_lines import (
    told_applied,
    told_decided,
    told_undone,
    translation_lines,
    where_in_session,
)
from tui.shared.dialogs import ChoiceDialog, ConfirmDialog, DetailsDialog
from tui.shared.form import Field, FormDialog
from tui.shared.place_screen import PlaceScreen
from tui.shown import Static, Text
from tui.widgets.head_line import HeadLine
from tui.widgets.legend import Legend

__all__ = ["SeedScreen"]

_LEGEND = (
    *("session.accept", "session.reject", "session.undo", "list.open", "session.order-up", "session.order-down"),
    *("session.next", "session.previous", "session.apply", "session.done", "session.type", "session.hide"),
)
_SHORT = 22
"""Below so many lines, the translations have to do with two."""


class SeedScreen(PlaceScreen):
    """The open seed of a session; the session is stored at every step."""

    PLACE = "session"
    AUTO_FOCUS = "#candidates"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "a", "decide('accept')", "Accept", id="session.accept", tooltip="Accept this paraphrase, or the selected"
        ),
        Binding(
            "x", "decide('reject')", "Reject", id="session.reject", tooltip="Reject this paraphrase, or the selected"
        ),
        Binding(
            "u,backspace", "undo", "Undo", id="session.undo", tooltip="Take the last decision back; again: the next"
        ),
        Binding("right", "order(1)", "N+", id="session.order-up", tooltip="A stricter filter: N + 1"),
        Binding("left", "order(-1)", "N-", id="session.order-down", tooltip="A weaker filter: N - 1"),
        Binding("h", "hide", "Hide", id="session.hide", tooltip="Hide what fails the filter, or show it struck out"),
        Binding("right_square_bracket", "step(1)", "Next", id="session.next", tooltip="Open the next seed"),
        Binding("left_square_bracket", "step(-1)", "Back", id="session.previous", tooltip="Open the seed before"),
        Binding(
            "s", "done", "Done", id="session.done", tooltip="Mark the seed as done and open the next; or take it back"
        ),
        Binding("t", "type", "Type", id="session.type", tooltip="Type a seed of your own; the corpus need not have it"),
        Binding("o", "seeds", "Seeds", id="session.seeds", tooltip="Choose a seed of the session"),
        Binding(
            "T", "translations", "Translations", id="session.translations", tooltip="Show all translations of the seed"
        ),
        Binding("w", "apply", "Write", id="session.apply", tooltip="Write what was accepted into the corpus"),
    ]

    def __init__(self, name: str) -> None:
        super().__init__()
        self.session_name = name
        self.view: SeedView | None = None
        self.order = 0
        self.hides = False
        """Whether paraphrases that fail the filter are left out."""
        self._goal: int | None = None
        """The position of the seed that was asked for."""
        self._job: int | None = None
        """The job that writes what was accepted."""
        self._unstored: Counter[tuple[str, str]] = Counter()
        """How many decisions on a paraphrase of a seed the file does not have yet."""

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="session-head")
        yield Static("", id="session-seed")
        yield Static("", id="session-translations")
        yield Static(f"  {CANDIDATE_COLUMNS}", id="session-columns")
        yield CandidateList(id="candidates")
        yield Static("", id="session-candidate")
        yield Legend(_LEGEND, id="legend", needed=8)

    @property
    def candidates(self) -> CandidateList:
        return self.query_one(CandidateList)

    def on_mount(self) -> None:
        self.browser.job_changed.subscribe(self, self._job_changed)

    def on_screen_resume(self) -> None:
        self._look()

    def on_resize(self, event: events.Resize) -> None:
        if self.view is not None:
            self._show_seed(self.view)

    def lines(self) -> list[str]:
        """Where one is, the seed, its translations, the filter, the paraphrases and the keys."""
        if self.view is None:
            return []
        rows = [line.strip() for line in self.candidates.lines()]
        keys = self.query_one(Legend).line()
        seed = [where_in_session(self.view), self.view.seed, *translation_lines(self.view)]
        return [*seed, self._filter(), CANDIDATE_COLUMNS.strip(), *rows, keys]

    # The seed

    def _look(self) -> None:
        """Look at the open seed, as it is now."""
        name = self.session_name
        # Where nothing may be written, the file does not know which seed is open here.
        position = self.view.standing.position if self.view and self.browser.read_only else None
        self.ask(lambda desk: desk.seed_reader.read(name, position), self._show, kind="session.look")

    def _open(self, position: int) -> None:
        self._goal = position
        self._go(position)

    @work(exclusive=False)
    async def _go(self, position: int) -> None:
        """Open the seed at a position, and keep in the file where one is."""
        name = self.session_name
        with self.errors_told():
            try:
                view = await self.browser.desktop.ask(
                    lambda desk: desk.seed_reader.read(name, position), "session.open"
                )
            finally:
                if self._goal == position:
                    self._goal = None
            if self.is_attached:
                self._show(view)
            if not self.browser.read_only:
                await self.browser.desktop.change(lambda store: go_to_seed(store, name, position))

    def _show(self, view: SeedView) -> None:
        before, self.view = self.view, view
        if before is None:
            self.order = view.standing.order
        if before is None or before.seed != view.seed:
            self.candidates.candidates = ()
            self.candidates.selected.clear()
            self.candidates.set_reactive(CandidateList.cursor, 0)
            self.say(view.note, is_error=bool(view.note))
        self._show_seed(view)
        self._show_candidates()

    def _show_seed(self, view: SeedView) -> None:
        self.query_one("#session-seed", Static).update(Text(cell_safe(view.seed)))
        most = 2 if self.size.height < _SHORT else max(3, self.size.height // 8)
        lines = translation_lines(view)
        if len(lines) > most:
            lines = [*lines[: most - 1], f"and {len(lines) - most + 1} more translations: T"]
        self.query_one("#session-translations", Static).update(Text("\n".join(lines)))

    def _filter(self) -> str:
        if self.view is None:
            return ""
        return f"N = {self.order}: {self.view.passing(self.order):,} of {len(self.view.paraphrases):,} pass"

    def _show_candidates(self) -> None:
        view = self.view
        if view is None:
            return
        rows = self.candidates
        rows.decisions = view.decisions
        rows.unstored = frozenset(text for seed, text in +self._unstored if seed == view.seed)
        kept = NSequenceFilter(self.order)
        shown = [each for each in view.paraphrases if not self.hides or kept.passes(each)]
        empty = "All paraphrases fail the filter; h shows them." if view.paraphrases else "No paraphrase is known."
        rows.show_candidates(shown, self.order, empty=empty)
        hidden = ", others hidden" if self.hides and len(shown) < len(view.paraphrases) else ""
        self.query_one(HeadLine).show(where_in_session(view), f"{self._filter()}{hidden}")
        self._show_current()

    @on(Highlighted)
    def _show_current(self) -> None:
        """Tell of the paraphrase under the cursor what does not fit into its row."""
        current = self.candidates.current
        told = ""
        if current is not None:
            evidence = [f"p {current.probability:.3f}", f"shared {current.shared}", f"score {current.score:.3f}"]
            told = f"{cell_safe(current.text)}  ({', '.join(evidence)})"
        self.query_one("#session-candidate", Static).update(Text(told), layout=False)

    def action_step(self, by: int) -> None:
        if self.view is None:
            return
        at = self.view.standing
        position = (self._goal or at.position) + by
        if 1 <= position <= at.seeds:
            self._open(position)
        else:
            self.say(f"this is the {'last' if by > 0 else 'first'} of {at.seeds:,} seeds", is_error=True)

    def action_seeds(self) -> None:
        def choose(seeds: list[SessionSeed]) -> None:
            lines = [
                f"{each.position:>5}  {each.state:<7}  +{each.accepted} -{each.rejected}  {each.text}" for each in seeds
            ]
            dialog = ChoiceDialog("Which seed?", [cell_safe(line) for line in lines])
            self.app.push_screen(dialog, lambda place: None if place is None else self._open(place + 1))

        self.ask(lambda desk: seeds_of_session(desk.store, self.session_name), choose, kind="session.seeds")

    def action_translations(self) -> None:
        if self.view is not None:
            lines = translation_lines(self.view)
            self.app.push_screen(DetailsDialog("Translations of the seed", lines or ["none"]))

    def action_type(self) -> None:
        def typed(values: Mapping[str, str]) -> None:
            if not values["text"]:
                raise InputError("an empty sentence is no seed")

        def answered(values: dict[str, str] | None) -> None:
            if values is not None:
                self._change(lambda store: add_seed(store, self.session_name, values["text"]))

        if self.view is not None:
            language = self.view.standing.language
            # What it takes to generate from a sentence that the corpus does not have is read while one types.
            self.ask(lambda desk: desk.seed_reader.prepare(language), lambda nothing: None)
            self.app.push_screen(FormDialog("A seed of your own", [Field("text", "Sentence")], typed), answered)

    def action_done(self) -> None:
        """Mark the seed as done and go on, or take that back."""
        if self.view is None:
            return
        name, seed, at = self.session_name, self.view.seed, self.view.standing
        was_done = self.view.state == "done"

        def change(store: Store) -> None:
            mark_seed(store, name, seed, "seen" if was_done else "done")
            if not was_done and at.position < at.seeds:
                go_to_seed(store, name, at.position + 1)

        self._change(change)

    def _change(self, change: Callable[[Store], object]) -> None:
        """Change the session, and look at the seed that is open then."""
        self.write(change, lambda changed: self._look())

    def action_back(self) -> None:
        self.ask(lambda desk: desk.seed_reader.forget(), lambda nothing: None)
        super().action_back()

    # The filter

    def action_order(self, by: int) -> None:
        """Move N; the file learns it when no newer one has come meanwhile."""
        if self.view is None or self.order + by < 0:
            return
        self.order += by
        self._show_candidates()
        name, order = self.session_name, self.order

        def change(store: Store) -> None:
            if order == self.order:  # no newer one has come meanwhile
                set_order(store, name, order)

        if not self.browser.read_only:
            self.write(change, lambda nothing: None)

    def action_hide(self) -> None:
        self.hides = not self.hides
        self._show_candidates()

    # The paraphrases

    @on(Opened)
    def _look_into(self) -> None:
        current = self.candidates.current
        if self.view is not None and current is not None:
            self.app.push_screen(CandidateScreen(self.view.seed, current, self.view.standing.language))

    def action_decide(self, verdict: Verdict) -> None:
        rows = self.candidates
        texts = [each.text for each in rows.chosen()]
        if self.view is None or not texts:
            self.say("there is no paraphrase to decide on", is_error=True)
            return
        if not rows.selected:
            rows.cursor += 1
        rows.selected.clear()
        self._unstored.update((self.view.seed, text) for text in texts)
        self._show_candidates()
        self._store(self.view, texts, verdict)

    @work(exclusive=False)
    async def _store(self, view: SeedView, texts: Sequence[str], verdict: Verdict) -> None:
        """Write decisions down, all or none; until then they are marked as not stored."""
        name = self.session_name

        def change(store: Store) -> int:
            return sum(decide(store, name, view.seed, text, verdict) for text in texts)

        with self.errors_told():
            try:
                changed = await self.browser.desktop.change(change)
                now = await self.browser.desktop.ask(lambda desk: desk.seed_reader.read(name, view.standing.position))
            finally:
                self._unstored.subtract((view.seed, text) for text in texts)
                self._show_candidates()
            if self.is_attached:
                self.say(told_decided(view, verdict, changed, len(texts)))
                if self.view is not None and self.view.seed == now.seed:
                    self._show(now)

    def action_undo(self) -> None:
        name = self.session_name

        def change(store: Store) -> Undone | None:
            undone = undo_decision(store, name)
            if undone is not None:
                add_seed(store, name, undone.decision.seed)  # it is there, and is opened
            return undone

        self.write(change, self._taken_back)

    def _taken_back(self, undone: Undone | None) -> None:
        if undone is None:
            self.say("nothing to take back that is not in the corpus", is_error=True)
            return

        def then(view: SeedView) -> None:
            self._show(view)
            self.candidates.go_to(undone.decision.text)
            self.say(told_undone(undone))

        self.ask(lambda desk: desk.seed_reader.read(self.session_name), then)

    # The corpus

    def action_apply(self) -> None:
        if self.view is None:
            return
        count = self.view.standing.to_apply
        if self.browser.read_only:
            self.say("the database may only be read", is_error=True)
        elif count:
            question = f"Write {count:,} accepted into the corpus? That cannot be undone."
            self.app.push_screen(ConfirmDialog(question), lambda yes: self._apply() if yes else None)
        else:
            self._apply()  # what an interrupted one has left to follow

    def _apply(self) -> None:
        name = self.session_name
        job = self.browser.jobs.start(f"write accepted of {name}", lambda store: apply_session(store, name))
        self._job = job.number
        self.say("writing in the background")

    def _job_changed(self, state: JobState) -> None:
        """What a job has written may change what is known of the seed."""
        if not state.is_over or self.view is None:
            return
        report = state.result if state.number == self._job else None

        def then(view: SeedView) -> None:
            self._show(view)
            if isinstance(report, ApplyReport):
                self.say(told_applied(report))

        self.ask(lambda desk: desk.seed_reader.read(self.session_name), then)
