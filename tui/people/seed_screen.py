"""A session that is open: one seed with its paraphrases, which are filtered, looked into, accepted and rejected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType

from corpusdb.base.display import cell_safe
from corpusdb.corpus.store import Store
from corpusdb.people.queries.decisions import Verdict
from corpusdb.people.queries.sessions import mark_seed
from corpusdb.people.queries.views import SeedView, UnstoredSession
from tui.alignment.words_screen import words_of_seed
from tui.kit.background import JobState
from tui.kit.dialogs import DetailsDialog
from tui.kit.late_screen import LEADS_AWAY
from tui.kit.place_screen import Hints, Legend, PlaceScreen
from tui.kit.shown import Highlighted, Opened, bind
from tui.kit.terminal import moved_validity
from tui.people.deciding import (
    Deciding,
    SeedNavigation,
    WritingAccepted,
    ask_position,
    ask_references,
    ask_seed,
    ask_wording,
)
from tui.people.explanation_screen import ExplanationScreen, format_verdict
from tui.people.open_seed import (
    SIGNS,
    OpenSeed,
    SeedPanes,
    candidate_columns,
    counts_in_session,
    format_all_done,
    format_applied,
    format_moved,
    translation_lines,
)


class SeedScreen(PlaceScreen):
    """The open seed of a session; the session is stored at every step."""

    PLACE = "session"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-short"), (18, "-tall")]  # noqa: RUF012
    SIGNS = SIGNS
    AUTO_FOCUS = "#candidates"
    REACHED = "Enter on a session"
    HINTS = Hints(
        (
            *("session.accept", "session.reject", "session.undo", "session.done", "session.next", "list.open"),
            *("session.edit", "session.export", "session.apply", "session.order-up", "session.validity-up"),
            *("session.previous", "session.next-to-decide", "session.type", "session.hide", "session.words"),
            *("session.order-down", "session.validity-down"),
        ),
        needed=8,
    )
    CALLED: ClassVar[Mapping[str, str]] = {"list.open": "why"}
    BINDINGS: ClassVar[list[BindingType]] = [
        bind(
            "a",
            "decide('accept')",
            "Accept",
            "session.accept",
            "Accept this paraphrase and go to the next row; or the selected",
        ),
        bind(
            "x",
            "decide('reject')",
            "Reject",
            "session.reject",
            "Reject this paraphrase, or the selected, and go on; or take what is written out of the corpus",
        ),
        bind(
            "u,backspace",
            "undo",
            "Undo",
            "session.undo",
            "Take the last decision back, those made here first; U makes it again",
        ),
        bind("U", "ask('redo')", "Redo", "session.redo", "Make the decision again that was taken back last"),
        bind("E", "ask('edit')", "Edit", "session.edit", "Edit it into a wording of your own, which is accepted"),
        bind("right", "order(1)", "N+", "session.order-up", "A stricter filter: N + 1"),
        bind("left", "order(-1)", "N-", "session.order-down", "A weaker filter: N - 1"),
        bind(
            "greater_than_sign",
            "validity(1)",
            "V+",
            "session.validity-up",
            "A stricter filter: a higher V, the least validity",
        ),
        bind(
            "less_than_sign", "validity(-1)", "V-", "session.validity-down", "A weaker filter: a lower V; 0 is N alone"
        ),
        bind("h", "hide", "Hide", "session.hide", "Hide what fails the filter, but for what is decided on; or show it"),
        bind("right_square_bracket", "step(1)", "Next", "session.next", "Open the next seed"),
        bind(
            "right_curly_bracket",
            "ask('to-decide')",
            "To decide",
            "session.next-to-decide",
            "Open the next seed, not done, of which one that passes is not decided on",
        ),
        bind("left_square_bracket", "step(-1)", "Back", "session.previous", "Open the seed before"),
        bind("d", "done", "Done", "session.done", "Mark the seed as done and open the next; or take it back"),
        bind("t", "ask('own-seed')", "Type", "session.type", "Type a seed of your own; the corpus need not have it"),
        bind("o", "ask('seed')", "Seeds", "session.seeds", "Choose a seed of the session"),
        bind("T", "ask('translations')", "Translations", "session.translations", "Show all translations of the seed"),
        bind("A", "ask('words')", "Words", "session.words", "What each word of the seed is aligned with"),
        bind("w", "ask('apply')", "Write", "session.apply", "Write what was accepted into the corpus: session apply"),
        bind("e", "ask('export')", "Export", "session.export", "Write the accepted references to a file"),
    ]

    def __init__(
        self,
        name: str,
        id: int | None = None,
        *,
        decided_here: set[int] | None = None,
        told: str = "",
        unstored: UnstoredSession | None = None,
    ) -> None:
        """``id`` is the number of the session, where it is known; ``told`` is said when it is open.

        ``unstored`` is the session itself where somebody only looks at it.
        """
        super().__init__()
        self.seed = OpenSeed(name, id, decided_here, unstored)
        self._told = told
        self.panes = SeedPanes()
        self._navigation = SeedNavigation(self, self.seed, self._show)
        self._deciding = Deciding(self, self.seed, self._show)
        self._applying = WritingAccepted(self, self.seed)
        self._was_marked = False
        """Whether a seed was marked as done just now."""
        self._own = ""
        """A wording of one's own to which the cursor goes when the file has it."""

    def compose_body(self) -> ComposeResult:
        yield from self.panes.compose()

    def on_mount(self) -> None:
        self.shell.job_changed.subscribe(self, self._job_changed)
        self.begin_waiting(*LEADS_AWAY)

    def on_screen_resume(self) -> None:
        self._navigation.look(stays=True)

    def look_again(self) -> None:
        self._navigation.look_again()

    def on_resize(self, event: events.Resize) -> None:
        if self.seed.view is not None:
            self.panes.show_seed(self.seed.view, self.size.height)
            self.call_after_refresh(self._highlighted)

    def lines(self) -> list[str]:
        view = self.seed.view
        if view is None:
            return []
        rows = [line.strip() for line in self.panes.candidates.lines()]
        keys = self.query_one(Legend).line()
        where = f"{cell_safe(view.standing.name)}{counts_in_session(view)}"
        head = [where, view.seed, *translation_lines(view)]
        return [
            *head,
            f"{self.seed.passing}; {self.seed.filter}",
            candidate_columns(self.size.width).strip(),
            *rows,
            keys,
        ]

    def _show(self, view: SeedView | None = None) -> None:
        """Show the open seed as it was read, or its paraphrases again."""
        is_other = False
        if view is not None:
            name = self.seed.session
            is_other = self.seed.update(view)
            if is_other:
                self.end_waiting()
                self.panes.begin_seed()
                self.say(view.note or self._told, is_error=bool(view.note))
                self._told = ""
            if view.standing.name != name:
                self.say(f"{name} is called {view.standing.name} now")
            if self._was_marked and view.standing.done == view.standing.seeds:
                self.say(format_all_done(view.standing))
            self._was_marked = False
            self.panes.show_seed(view, self.size.height)
        self.panes.show_candidates(self.seed, goes_on=is_other)
        if view is not None and self._own in view.decisions:
            self.panes.candidates.go_to(self._own)
            self._own = ""
        self.call_after_refresh(self._highlighted)

    @on(Highlighted)
    def _highlighted(self) -> None:
        self.panes.show_current()
        if self.seed.view is not None:
            self.panes.evidence.show_behind(self.seed.view, self.panes.candidates.current, self.ask)

    @on(Opened)
    def _look_into(self) -> None:
        view, current = self.seed.view, self.panes.candidates.current
        if view is not None and current is not None:
            own = current.validity if not current.origins else None
            verdict = format_verdict(current, self.seed.kept)
            self.app.push_screen(ExplanationScreen(view.seed, current.text, view.standing.language, own, verdict))

    # The seed

    def action_step(self, by: int) -> None:
        self._navigation.step(by)

    def action_ask(self, what: str) -> None:
        view, current = self.seed.view, self.panes.candidates.current

        def accept_own(own: str) -> None:
            self._own = own
            if view is not None:
                said = None if current is None or current.origins else view.decisions.get(current.text)
                if said is not None and said.verdict == "accept" and not said.applied and said.text != own:
                    self._deciding.decide(view, [said.text], "reject")  # one's own wording of before
                self._deciding.decide(view, [own], "accept")

        if what == "seed":
            ask_position(self, self.seed, self._navigation.open)
        elif view is None:
            return
        elif what == "to-decide":
            self._navigation.step_to_decide()
        elif what == "own-seed":
            ask_seed(self, view.standing.language, self._navigation.add)
        elif what == "edit":
            text = view.seed if current is None else current.text
            ask_wording(self, view.seed, text, accept_own)
        elif what == "translations":
            if view.translations:
                self.app.push_screen(DetailsDialog("Translations of the seed", translation_lines(view)))
            else:
                self.say(f"no translations to show: {translation_lines(view)[0]}")
        elif what == "words":
            words_of_seed(self, view.seed, view.standing.language)
        elif what == "redo":
            self._deciding.redo(self.panes.candidates)
        elif self.seed.is_only_looked_at:
            self.say("nothing was accepted yet: a accepts, and stores this session", is_error=True)
        elif what == "export":
            ask_references(self, view.standing)
        else:
            self._applying.ask(view)

    def action_done(self) -> None:
        seed, view = self.seed, self.seed.view
        if view is None:
            return
        at, was_done = view.standing, view.state == "done"

        def change(store: Store, name: str) -> None:
            mark_seed(store, name, view.seed, "seen" if was_done else "done")

        def then(changed: None) -> None:
            self._was_marked = not was_done
            goes_on = not was_done and at.position < at.seeds
            if seed.view is not None and seed.view.seed == view.seed:  # nobody has gone on before it was written
                self._navigation.open(at.position + goes_on)

        self._navigation.wait("no longer done ..." if was_done else "marking it as done ...")
        self.write(seed.changing(change), then, kept=True)

    # The paraphrases

    def action_order(self, by: int) -> None:
        """Move N; the file learns it when no newer one has come meanwhile."""
        self._move(max(self.seed.order + by, 0), self.seed.min_validity)

    def action_validity(self, by: int) -> None:
        """Move the least validity; the file learns it as it learns N."""
        self._move(self.seed.order, moved_validity(self.seed.kept.min_validity, by))

    def _move(self, order: int, least: float | None) -> None:
        if self.seed.view is not None:
            before = self.seed.kept
            self.seed.order, self.seed.min_validity = order, least
            self.say(format_moved(self.seed.view, before, self.seed.kept))
            self._deciding.keep_filter()

    def action_hide(self) -> None:
        self.seed.hides = not self.seed.hides
        self._show()

    def action_decide(self, verdict: Verdict) -> None:
        rows, view = self.panes.candidates, self.seed.view
        texts = [each.text for each in rows.chosen()]
        if view is None or not texts:
            self.say("there is no paraphrase to decide on", is_error=True)
            return
        said = view.decisions.get(texts[0])
        if verdict == "reject" and len(texts) == 1 and said is not None and said.applied and not self.shell.read_only:
            self._applying.ask_to_take_out(texts[0])
            return
        if not rows.selected:
            rows.cursor += 1
        rows.selected.clear()
        self._deciding.decide(view, texts, verdict)

    def action_undo(self) -> None:
        self._deciding.undo(self.panes.candidates)

    def _job_changed(self, state: JobState) -> None:
        """What a job has written may change what is known of the seed."""
        if not state.is_over or self.seed.view is None:
            return
        report = self._applying.report_of(state)

        def then(view: SeedView) -> None:
            self._show(view)
            if report is not None:
                self.say(format_applied(report))

        self.ask(lambda reader: self.seed.read(reader, stays=True), then)
