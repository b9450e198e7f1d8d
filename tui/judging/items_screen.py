"""Judging one item after the other, blind: one key judges and goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input

from corpusdb.errors import CorpusError
from corpusdb.queries.judging.samples import Kind, Sample
from corpusdb.queries.judging.verdicts import BlindItem, Standing, next_items, progress, record, undo
from corpusdb.store import Store
from tui.judging.item_lines import figures, item_text, item_texts, verdict_lines
from tui.judging.queue import JudgingQueue, Verdict
from tui.judging.report_screen import REPORT, ReportScreen
from tui.shared.place_screen import PlaceScreen
from tui.shown import Static, Text
from tui.widgets.legend import Hints, Legend
from tui.widgets.text_pane import TextPane

__all__ = ["ITEM_SCREENS", "GrammaticalityScreen", "ItemsScreen", "MeaningScreen"]

_AHEAD = 20
"""How many items to fetch ahead; as many verdicts can be given while another process writes to the file."""
_ALSO = ("judging.skip", "judging.undo", "judging.comment", "judging.report")


@dataclass(frozen=True, slots=True)
class _Look:
    """What the file holds of a sample at one moment."""

    standing: Standing
    """How far the judge is."""
    coming: list[BlindItem]
    """The next items, at most _AHEAD."""


class CommentLine(Input):
    """The line in which one types a comment; it goes away on Enter."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", id="comment.leave", tooltip="Leave the comment as it was", show=False),
    ]

    def action_leave(self) -> None:
        self.display = False


class ItemsScreen(PlaceScreen):
    """The items of a sample that a judge has still to judge."""

    PLACE = "judging"
    REACHED = "Enter on a sample"
    AUTO_FOCUS = "#item"
    QUESTION: ClassVar[str] = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "judge('skip')", "Skip", id="judging.skip", tooltip="Have this item again after all others"),
        Binding(
            "u,backspace", "undo", "Undo", id="judging.undo", tooltip="Take the last verdict back; again: the next"
        ),
        Binding("c", "comment", "Comment", id="judging.comment", tooltip="Write a comment, then give the verdict"),
        REPORT,
        Binding("Y", "copy", "Copy", id="judging.copy", tooltip="Copy this item", show=False),
    ]

    def __init__(self, sample: Sample, judge: str) -> None:
        super().__init__()
        self._sample = sample
        self._judge = judge
        self._what = f"{judge} on {sample.name}: {sample.kind}"
        self.queue = JudgingQueue()
        self.standing: Standing | None = None
        self._undoing = False
        self._leaving = False

    def compose_body(self) -> ComposeResult:
        with Horizontal(id="judging-head"):
            yield Static(Text(self._what), id="judging-what")
            yield Static(id="judging-figures")
        yield TextPane(id="item")
        comment = CommentLine(id="comment", placeholder="comment; Enter keeps it", compact=True)
        comment.display = False
        yield comment
        yield Static(id="verdicts")

    def on_mount(self) -> None:
        self.ask(lambda reader: self._look(reader.store), self._show_fetched)

    def lines(self) -> list[str]:
        """The sample, the figures, the item, the last verdicts and the keys."""
        head = [self._what, self._figures]
        return [*head, *self.query_one(TextPane).lines(), *verdict_lines(self.queue), self.query_one(Legend).line()]

    def copied_text(self) -> str:
        item = self.queue.current
        return "" if item is None else "\n".join(item_texts(item))

    @property
    def _figures(self) -> str:
        return "" if self.standing is None else figures(self.standing)

    def _look(self, store: Store) -> _Look:
        """How far the judge is, and what comes; in the thread that reads or writes."""
        sample, judge = self._sample, self._judge
        return _Look(progress(store, sample, judge), next_items(store, sample, judge, _AHEAD))

    def _show_fetched(self, look: _Look) -> None:
        self.standing = look.standing
        self.queue.was_fetched(look.coming)
        self._show()

    def _show(self) -> None:
        item = self.queue.current
        if item is None:
            is_done = self.standing is not None and not self.queue.unstored
            text = Text(f"Nothing is left: all {self._sample.items:,} items are judged." if is_done else "...")
        else:
            text = item_text(item, self.QUESTION, self.queue.comment)
        self.query_one(TextPane).show(text)
        self.query_one("#judging-figures", Static).update(Text(self._figures))
        self.query_one("#verdicts", Static).update(Text("\n".join(verdict_lines(self.queue))))

    def action_judge(self, word: str) -> None:
        if self._undoing:
            self.say("one moment: the last verdict is being taken back")
            return
        verdict = self.queue.judge(word)
        if verdict is not None:
            self.say("")
            self._show()
            self.wait_for(lambda: self._store(verdict), lambda nothing: None)

    async def _store(self, verdict: Verdict) -> None:
        """Write a verdict down; where that fails, say why and bring the item back."""

        def change(store: Store) -> _Look:
            record(store, self._sample, self._judge, verdict.item.item, verdict.word, verdict.comment)
            return self._look(store)

        try:
            look = await self.shell.runner.change(change, kept=True)
        except CorpusError as error:
            self.queue.was_not_stored(verdict)
            self._undoing = self._leaving = False
            self.say(f"item {verdict.item.item} comes back, not stored: {error}", is_error=True)
        else:
            self.standing = look.standing
            self.queue.was_stored(verdict, look.coming)
        if self.is_attached:
            self._show()
            self._go_on()

    def _go_on(self) -> None:
        """Do what had to wait until every verdict was stored."""
        if self.queue.unstored:
            return
        if self._undoing:
            self.wait_for(self._take_back, lambda nothing: None)
        elif self._leaving:
            super().action_back()

    def action_undo(self) -> None:
        if not self._undoing:
            self._undoing = True
            self._go_on()

    async def _take_back(self) -> None:
        def change(store: Store) -> tuple[BlindItem | None, _Look]:
            return undo(store, self._sample, self._judge), self._look(store)

        try:
            item, look = await self.shell.runner.change(change, kept=True)
            self.standing = look.standing
        finally:
            self._undoing = False
        if item is None:
            self.say("nothing to take back", is_error=True)
        else:
            self.queue.was_taken_back(item, look.coming)
            self.say(f"item {item.item} again")
        self._show()

    def action_comment(self) -> None:
        if self.queue.current is not None:
            line = self.query_one(CommentLine)
            line.value = self.queue.comment
            line.display = True
            line.focus()

    @on(Input.Submitted, "#comment")
    def _commented(self, event: Input.Submitted) -> None:
        self.queue.comment = event.value.strip()
        self.query_one(CommentLine).display = False
        self._show()

    def action_report(self) -> None:
        self.app.push_screen(ReportScreen(self._sample))

    def action_back(self) -> None:
        self._leaving = True
        if self.queue.unstored:
            self.say("storing the last verdicts ...")
        self._go_on()


class GrammaticalityScreen(ItemsScreen):
    """Whether a sentence is correct."""

    QUESTION = "Is this sentence correct?"
    HINTS = Hints(("judging.yes", "judging.no", *_ALSO), main=2, needed=4)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a,y", "judge('yes')", "Yes", id="judging.yes", tooltip="The sentence is correct"),
        Binding("x,n", "judge('no')", "No", id="judging.no", tooltip="The sentence is not correct"),
    ]


class MeaningScreen(ItemsScreen):
    """Whether a sentence is a paraphrase of another."""

    QUESTION = "Do both say the same, or does either say more than the other?"
    HINTS = Hints(("judging.equivalence", "judging.entailment", "judging.neither", *_ALSO), main=3, needed=5)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "a,equals_sign",
            "judge('equivalence')",
            "Equivalence",
            id="judging.equivalence",
            tooltip="Both sentences say the same",
        ),
        Binding(
            "e,greater_than_sign",
            "judge('entailment')",
            "Entailment",
            id="judging.entailment",
            tooltip="One sentence says all that the other says, and more",
        ),
        Binding("x", "judge('neither')", "Neither", id="judging.neither", tooltip="The sentences say different things"),
    ]


ITEM_SCREENS: dict[Kind, type[ItemsScreen]] = {"grammaticality": GrammaticalityScreen, "meaning": MeaningScreen}
"""The screen for each kind of judging."""
