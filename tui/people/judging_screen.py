"""Judging one item after the other, blind: one key judges and goes on; and what was found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar, TypeAlias

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Input

from corpusdb.base.cells import cell_width
from corpusdb.base.display import cell_safe
from corpusdb.base.errors import CorpusError
from corpusdb.corpus.store import Store
from corpusdb.people.queries.samples import Kind, Sample
from corpusdb.people.queries.verdicts import (
    BlindItem,
    Disagreement,
    JudgeProgress,
    JudgingReport,
    judging_report,
    next_items,
    progress,
    record,
    undo,
)
from corpusdb.people.report import render
from tui.kit.dialogs import DetailsDialog
from tui.kit.late_screen import is_there
from tui.kit.place_screen import Hints, Legend, PlaceScreen
from tui.kit.shown import MARK_CELLS, Highlighted, Opened, RowList, Static, Text, TextPane, bind


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was said of an item."""

    item: BlindItem
    word: str
    """A verdict of its kind, or ``skip``."""
    comment: str = ""


class JudgingQueue:
    """The items of one judge in one sample, as far as the screen needs them.

    A verdict takes the item away at once; the file learns it later. Where storing fails, the item comes back.
    """

    def __init__(self) -> None:
        self.unstored: list[Verdict] = []
        """Verdicts that the file does not hold yet, in the order in which they were given."""
        self.given: list[Verdict] = []
        """All verdicts that were given here and stand, the last one last."""
        self._returned: list[BlindItem] = []
        self._ahead: list[BlindItem] = []
        self._comments: dict[int, str] = {}

    @property
    def current(self) -> BlindItem | None:
        """The item to judge; None where none is left or none has come yet."""
        return next(chain(self._returned, self._ahead), None)

    @property
    def comment(self) -> str:
        return "" if self.current is None else self._comments.get(self.current.item, "")

    @comment.setter
    def comment(self, text: str) -> None:
        if self.current is not None:
            self._comments[self.current.item] = text

    def judge(self, word: str) -> Verdict | None:
        """Say ``word`` of the current item and go on to the next; None where there is no item."""
        if self.current is None:
            return None
        verdict = Verdict(self.current, word, self.comment)
        (self._returned or self._ahead).pop(0)
        self._comments.pop(verdict.item.item, None)
        self.unstored.append(verdict)
        self.given.append(verdict)
        return verdict

    def was_stored(self, verdict: Verdict, coming: Iterable[BlindItem]) -> None:
        """The file holds the verdict, and after it these items are due."""
        self.unstored.remove(verdict)
        self.was_fetched(coming)

    def was_not_stored(self, verdict: Verdict) -> None:
        """The item comes back with its comment, after others that came back before it."""
        self.unstored.remove(verdict)
        self._forget(verdict)
        self._returned.append(verdict.item)

    def was_taken_back(self, item: BlindItem, coming: Iterable[BlindItem]) -> None:
        """The file no longer holds the last verdict, on ``item``, which is the current one now."""
        last = next((verdict for verdict in reversed(self.given) if verdict.item == item), None)
        if last is not None:
            self._forget(last)
        self._ahead = [each for each in self._ahead if each != item]
        self._returned = [item, *(each for each in self._returned if each != item)]
        self.was_fetched(coming)

    def was_fetched(self, coming: Iterable[BlindItem]) -> None:
        """These items were due, by what the file held when it was asked. The current one stays where it is."""
        known = [*self._returned, *self._ahead[:1], *(verdict.item for verdict in self.unstored)]
        self._ahead[1:] = [item for item in coming if item not in known]

    def _forget(self, verdict: Verdict) -> None:
        del self.given[-1 - self.given[::-1].index(verdict)]  # it may have been skipped before
        if verdict.comment:
            self._comments[verdict.item.item] = verdict.comment


# What the place of judging tells in words: the item, the last verdicts, how far a judge is.


_HISTORY = 5


def item_texts(item: BlindItem) -> list[str]:
    """What the judge sees of an item: the sentence to compare with first, where there is one."""
    return [cell_safe(text) for text in (item.seed, item.text) if text is not None]


def item_text(item: BlindItem, question: str, comment: str) -> Text:
    """An item with the question about it, and the comment that will be noted."""
    text = Text(f"Item {item.item}. {question}", "dim")
    for each in item_texts(item):
        text.append("\n\n").append(each, "not dim bold")
    if comment:
        text.append("\n\nComment: ", "dim").append(cell_safe(comment), "not dim")
    return text


def verdict_lines(queue: JudgingQueue) -> list[str]:
    """The last verdicts, the newest first."""
    lines = []
    for verdict in queue.given[: -_HISTORY - 1 : -1]:
        comment = f" ({verdict.comment})" if verdict.comment else ""
        state = "  (not stored yet)" if verdict in queue.unstored else ""
        lines.append(cell_safe(f"{verdict.item.item:>5}  {verdict.word:<11}  {verdict.item.text}{comment}{state}"))
    return lines


REPORT = bind("r", "report", "Report", "judging.report", "Show the report on this sample")
"""The key that leads here, from every other screen of judging."""


class _ReportRows(RowList):
    """The rows of a report, of which some can be opened; the key is offered on these alone."""

    def __init__(self, *, id: str, empty: str) -> None:
        super().__init__(id=id, empty=empty)
        self.opens: Callable[[int], bool] = lambda row: False
        """Whether there is more to a row than is seen."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return super().check_action(action, parameters) and (action != "open" or self.opens(self.cursor))


class ReportScreen(PlaceScreen):
    """The report on a sample, as `judge report` gives it; Enter shows a disagreement, or a long row, in full."""

    PLACE = "judging"
    REACHED = "r on a sample"
    SIGNS = (
        ("rate", "Of 100 that were judged so many were accepted; skipped ones are none of these"),
        ("Wilson", "In 95 of 100 samples the true rate is between such bounds; good for few items, too"),
        ("Clopper-Pearson", "The same, never too narrow, hence wider: the exact bounds of the binomial distribution"),
        ("controls", "Sentences of the corpus that were mixed in, to see how a judge judges; they count apart"),
        ("kappa", "How far two judges agree beyond chance: 1 is always, 0 no more than by chance"),
        ("order >= 24", "Of those whose runs of 24 characters the corpus has; whole: it has the whole sentence"),
        ("score >= 0.9", "Of those of which the validity is 0.9 or more"),
    )
    HINTS = Hints(("list.open", "screen.find", "screen.copy"))

    def __init__(self, sample: Sample) -> None:
        super().__init__()
        self._sample = sample
        self._disagreements: dict[int, Disagreement] = {}

    def compose_body(self) -> ComposeResult:
        rows = _ReportRows(id="report", empty="counting the verdicts ...")
        rows.opens = self._opens
        yield rows

    def on_screen_resume(self) -> None:
        self.ask(lambda reader: judging_report(reader.store, self._sample), self._show, kind="judging.report")

    def _show(self, report: JudgingReport) -> None:
        lines = render(report).split("\n")
        self._disagreements = dict(_disagreement_rows(report, lines))
        rows = self.query_one(RowList)
        rows.show_rows(len(lines), lambda row: Text(lines[row]), cursor=rows.cursor)

    def _opens(self, row: int) -> bool:
        rows = self.query_one(RowList)
        return row in self._disagreements or cell_width(rows.text_of(row)) > rows.size.width - MARK_CELLS

    @on(Highlighted)
    def _highlighted(self) -> None:
        self.refresh_bindings()  # not every row has more to show

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        disagreement = self._disagreements.get(message.row)
        line = self.query_one(RowList).text_of(message.row)
        if disagreement is not None:
            self.app.push_screen(DetailsDialog(f"Item {disagreement.item}", list(_in_full(disagreement))))
        else:
            self.app.push_screen(DetailsDialog("The whole line", [line.strip()]))


def _disagreement_rows(report: JudgingReport, lines: list[str]) -> Iterator[tuple[int, Disagreement]]:
    """The rows of the report that are about a disagreement: one for its texts and one for each judge."""
    if not report.disagreements:
        return
    row = lines.index(f"Disagreements: {len(report.disagreements):,}") + 1
    for disagreement in report.disagreements:
        for _ in range(1 + len(disagreement.verdicts)):
            yield row, disagreement
            row += 1


def _in_full(disagreement: Disagreement) -> Iterator[str]:
    """The texts, and what each judge said of them, each after an empty line."""
    for sentence in (disagreement.seed, disagreement.text):
        if sentence is not None:
            yield from ("", cell_safe(sentence))
    for judge, verdict in disagreement.verdicts.items():
        comment = f" ({cell_safe(disagreement.comments[judge])})" if judge in disagreement.comments else ""
        yield from ("", f"{judge}: {verdict}{comment}")


_AHEAD = 20
"""How many items to fetch ahead; as many verdicts can be given while another process writes to the file."""
_ALSO = ("judging.skip", "judging.undo", "judging.comment", "judging.report")


_Look: TypeAlias = tuple[JudgeProgress, list[BlindItem]]
"""What the file holds of a sample at one moment: how far the judge is, and the next items, at most _AHEAD."""


class CommentLine(Input):
    """The line in which one types a comment; it goes away on Enter."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("escape", "leave", "Leave", "comment.leave", "Leave the comment as it was"),
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
        bind("space", "judge('skip')", "Skip", "judging.skip", "Have this item again after all others"),
        bind("u,backspace", "undo", "Undo", "judging.undo", "Take the last verdict back; again: the next"),
        bind("c", "comment", "Comment", "judging.comment", "Write a comment, then give the verdict"),
        REPORT,
        bind("Y", "copy", "Copy", "judging.copy", "Copy this item"),
    ]

    def __init__(self, sample: Sample, judge: str) -> None:
        super().__init__()
        self._sample = sample
        self._judge = judge
        self._what = f"{judge} on {sample.name}: {sample.kind}"
        self.queue = JudgingQueue()
        self.standing: JudgeProgress | None = None
        self._shown: BlindItem | None = None
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
        head = [self._what, self._figures]
        return [*head, *self.query_one(TextPane).lines(), *verdict_lines(self.queue), self.query_one(Legend).line()]

    def copied_text(self) -> str:
        item = self.queue.current
        return "" if item is None else "\n".join(item_texts(item))

    @property
    def _figures(self) -> str:
        """How far a judge is; not at which rate, which would sway whoever goes on: r tells it."""
        at = self.standing
        return "" if at is None else f"{at.judged}/{at.total} judged{f', {at.skipped} skipped' if at.skipped else ''}"

    def _look(self, store: Store) -> _Look:
        """How far the judge is, and what comes; in the thread that reads or writes."""
        sample, judge = self._sample, self._judge
        return progress(store, sample, judge), next_items(store, sample, judge, _AHEAD)

    def _show_fetched(self, look: _Look) -> None:
        self.standing, coming = look
        self.queue.was_fetched(coming)
        self._show()

    def _show(self) -> None:
        item = self.queue.current
        if item != self._shown:
            self._shown = item
            self.end_waiting()  # a verdict is of an item that was seen
        if item is None:
            is_done = self.standing is not None and not self.queue.unstored
            told = f"Nothing is left: all {self._sample.items:,} items are judged. r shows the report."
            text = Text(told if is_done else "...")
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

        def change(store: Store) -> tuple[_Look, tuple[str, ...]]:
            told = len(store.notes)
            record(store, self._sample, self._judge, verdict.item.item, verdict.word, verdict.comment)
            return self._look(store), store.notes[told:]

        try:
            (self.standing, coming), notes = await self.shell.runner.change(change, kept=True)
        except CorpusError as error:
            self.queue.was_not_stored(verdict)
            self._undoing = self._leaving = False
            self.say(f"item {verdict.item.item} comes back, not stored: {error}", is_error=True)
        else:
            self.queue.was_stored(verdict, coming)
            if notes:
                self.say("; ".join(notes))
        if is_there(self):
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
            item, (self.standing, coming) = await self.shell.runner.change(change, kept=True)
        except CorpusError:
            self._leaving = False
            raise
        finally:
            self._undoing = False
        if item is None:
            self.say("nothing to take back", is_error=True)
        else:
            self.queue.was_taken_back(item, coming)
            self.say(f"item {item.item} again")
        if is_there(self):
            self._show()
            self._go_on()

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
        if self.queue.unstored or self._undoing:
            self.say("storing the last verdicts ...")
        else:
            self._go_on()


class GrammaticalityScreen(ItemsScreen):
    """Whether a sentence is correct."""

    QUESTION = "Is this sentence correct?"
    HINTS = Hints(("judging.yes", "judging.no", *_ALSO), main=2, needed=4)
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("a,y", "judge('yes')", "Yes", "judging.yes", "The sentence is correct"),
        bind("x,n", "judge('no')", "No", "judging.no", "The sentence is not correct"),
    ]


class MeaningScreen(ItemsScreen):
    """Whether a sentence is a paraphrase of another."""

    QUESTION = "Do both say the same, or does either say more than the other?"
    HINTS = Hints(("judging.equivalence", "judging.entailment", "judging.neither", *_ALSO), main=3, needed=5)
    BINDINGS: ClassVar[list[BindingType]] = [
        bind(
            "a,equals_sign", "judge('equivalence')", "Equivalence", "judging.equivalence", "Both sentences say the same"
        ),
        bind(
            "e,greater_than_sign",
            "judge('entailment')",
            "Entailment",
            "judging.entailment",
            "One sentence says all that the other says, and more",
        ),
        bind("x", "judge('neither')", "Neither", "judging.neither", "The sentences say different things"),
    ]


ITEM_SCREENS: dict[Kind, type[ItemsScreen]] = {"grammaticality": GrammaticalityScreen, "meaning": MeaningScreen}
"""The screen for each kind of judging."""
