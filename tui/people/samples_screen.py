"""The samples that were drawn, the way to judge them, and the dialogs of judging."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import ClassVar, cast

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Input

from corpusdb.base.display import check_name
from corpusdb.base.errors import CorpusError, UsageError
from corpusdb.base.text import language_code
from corpusdb.corpus.model import DEFAULT_ORDER
from corpusdb.paraphrase.queries.filters import filter_at
from corpusdb.people.queries.samples import (
    POPULATIONS,
    SIZES,
    Kind,
    Population,
    Sample,
    SampleOptions,
    draw_sample,
    samples,
)
from corpusdb.people.queries.verdicts import JudgeProgress, progress
from tui.kit.dialogs import Dialog, one_line
from tui.kit.place_screen import Choice, Hints, Legend, PlaceScreen
from tui.kit.reader import DatabaseReader
from tui.kit.shown import Chosen, Label, Opened, RowList, Static, Text
from tui.people.judging_screen import ITEM_SCREENS, REPORT, ReportScreen


@dataclass(frozen=True, slots=True)
class SampleRequest:
    name: str
    options: SampleOptions


class JudgeDialog(Dialog[str | None]):
    """Asks who judges; None where somebody thinks better of it."""

    HINTS = Hints(last=("judge-dialog.cancel", "dialog.help"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Cancel", id="judge-dialog.cancel", tooltip="Leave the judge as it is"),
    ]

    def __init__(self, judge: str) -> None:
        super().__init__()
        self._judge = judge

    def compose(self) -> ComposeResult:
        with Vertical(classes="form"):
            yield Label("Who judges? Verdicts are kept under this name.", classes="form-title")
            yield Input(self._judge, id="judge", placeholder="name", compact=True)
            yield Label("", classes="form-error")
            with Horizontal(classes="form-buttons"):
                yield Button("Judge", id="accept", compact=True)
                yield Button("Cancel", id="cancel", compact=True)
            yield self.hints()

    def lines(self) -> list[str]:
        return _lines(self)

    @on(Button.Pressed, "#cancel")
    def _cancelled(self) -> None:
        self.dismiss(None)

    @on(Button.Pressed, "#accept")
    @on(Input.Submitted)
    def _accepted(self) -> None:
        name = self.query_one(Input).value.strip()
        try:
            if not name:
                raise UsageError("a judge needs a name")
            check_name(name, "a judge")
        except UsageError as error:
            self.query_one(".form-error", Label).update(f"! {error}")
            self.query_one(Input).focus()
        else:
            self.dismiss(name)


_FIELDS = (
    ("language", "Language", "such as eng, fra, ja"),
    ("size", "Items", "400 and 470 in the paper"),
    ("controls", "Controls", "known ones, mixed in"),
    ("seed", "Seed", "of the random choice"),
    ("order", "N", "fluency order; 0: all"),
    ("name", "Name", "of the sample"),
)
_NUMBERS = ("size", "controls", "seed", "order")
_KINDS: tuple[Kind, ...] = ("grammaticality", "meaning")


class SampleDialog(Dialog[SampleRequest | None]):
    """Asks what to draw; None where somebody thinks better of it."""

    HINTS = Hints(("sample-dialog.draw",), last=("sample-dialog.cancel", "dialog.help"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "accept", "Draw", id="sample-dialog.draw", tooltip="Draw the sample"),
        Binding("escape", "dismiss(None)", "Cancel", id="sample-dialog.cancel", tooltip="Draw nothing"),
    ]

    def __init__(
        self, language: str, taken: Collection[str], draw: Callable[[SampleRequest], Awaitable[object]]
    ) -> None:
        """``draw`` draws it, and raises CorpusError where that cannot be done: the dialog then says so and stays."""
        super().__init__()
        self._language = language
        self._draw = draw
        self._taken = frozenset(taken)
        self._usual = self._defaults(_KINDS[0], POPULATIONS[0])
        """What the fields say unless somebody types."""

    def compose(self) -> ComposeResult:
        numbers = {"controls": "0", "seed": "1", "order": str(DEFAULT_ORDER)}
        values = {"language": self._language, **numbers, **self._usual}
        with Vertical(classes="form"):
            yield Label("Draw a sample to be judged", classes="form-title")
            yield Label("Tab goes on, Space changes")
            with Horizontal(classes="form-field"):
                yield Label("Kind", classes="form-label")
                yield Choice(_KINDS, id="kind")
            with Horizontal(classes="form-field"):
                yield Label("From", classes="form-label")
                yield Choice(POPULATIONS, id="population")
            for name, label, hint in _FIELDS:
                with Horizontal(classes="form-field"):
                    yield Label(label, classes="form-label")
                    yield Input(values[name], id=name, compact=True)
                    yield Label(hint, classes="form-hint")
            yield Label("", classes="form-error")
            with Horizontal(classes="form-buttons"):
                yield Button("Draw", id="accept", compact=True)
                yield Button("Cancel", id="cancel", compact=True)
            yield self.hints()

    def lines(self) -> list[str]:
        return _lines(self)

    def _defaults(self, kind: Kind, population: Population) -> dict[str, str]:
        """The values that depend on what is drawn: the size in the paper, a name that is not taken, N, the language.

        What rules made is Japanese, and passes no filter.
        """
        is_generated = population == "generated"
        number, stem = 1, kind if is_generated else f"rules-{kind}"
        while (name := f"{stem}-{number}") in self._taken:
            number += 1
        order, language = (str(DEFAULT_ORDER), self._language) if is_generated else ("0", "jpn")
        return {"size": str(SIZES[kind]), "name": name, "order": order, "language": language}

    @property
    def _chosen(self) -> tuple[Kind, Population]:
        kind, population = (self.query_one(f"#{name}", Choice).value for name in ("kind", "population"))
        return cast("Kind", kind), cast("Population", population)

    @on(Chosen)
    def _something_chosen(self) -> None:
        """Change the defaults with what is drawn, but nothing that was typed."""
        usual, self._usual = self._usual, self._defaults(*self._chosen)
        for name, value in self._usual.items():
            field = self.query_one(f"#{name}", Input)
            if field.value == usual[name]:
                field.value = value

    @on(Button.Pressed, "#cancel")
    def _cancelled(self) -> None:
        self.dismiss(None)

    @on(Button.Pressed, "#accept")
    @on(Input.Submitted)
    def action_accept(self) -> None:
        self._finish()

    @work(exclusive=True)
    async def _finish(self) -> None:
        told = self.query_one(".form-error", Label)
        try:
            request = self._request()
            told.update(f"drawing {request.name} ...")
            await self._draw(request)
        except CorpusError as error:
            told.update(f"! {one_line(error)}")
        else:
            self.dismiss(request)

    def _request(self) -> SampleRequest:
        """What the fields say. Raises CorpusError."""
        texts = {name: self.query_one(f"#{name}", Input).value.strip() for name, _, _ in _FIELDS}
        numbers = {name: self._number(name, texts[name]) for name in _NUMBERS}
        if not texts["name"] or texts["name"] in self._taken:
            self.query_one("#name", Input).focus()
            raise UsageError(
                f"there is a sample {texts['name']!r} already" if texts["name"] else "a sample needs a name"
            )
        check_name(texts["name"], "a sample")
        kind, population = self._chosen
        options = SampleOptions(
            kind=kind,
            language=language_code(texts["language"]),
            size=numbers["size"],
            seed=numbers["seed"],
            kept=filter_at(numbers["order"]),
            controls=numbers["controls"],
            population=population,
        )
        return SampleRequest(texts["name"], options)

    def _number(self, name: str, text: str) -> int:
        if not text.isdecimal():
            self.query_one(f"#{name}", Input).focus()
            label = next(label for field, label, _ in _FIELDS if field == name)
            raise UsageError(f"{label}: {text!r} is no number")
        return int(text)


def _lines(dialog: ModalScreen[str | None] | ModalScreen[SampleRequest | None]) -> list[str]:
    """The labels and fields of a dialog, in the order of the screen."""
    found = []
    for widget in dialog.query("Label, Choice, Input, Button").results():
        match widget:
            case Input():
                found.append(widget.value)
            case Choice():
                found.append(widget.value)
            case Button() | Label():
                found.append(str(widget.label if isinstance(widget, Button) else widget.content))
    return [line for line in found if line]


_NAME_CELLS = 20
_HEADINGS = f"  {'sample':<{_NAME_CELLS}}  {'judged':>9}  {'%':>5}  {'kind':<14}  lang  {'N':>3}  seed"


class JudgingScreen(PlaceScreen):
    """The samples with the progress of one judge."""

    PLACE = "judging"
    SIGNS = (
        ("judged", "Items that were judged, of all"),
        ("%", "Of these, how many were found correct, or to say the same"),
        ("N", "Of the filter by fluency; - where none was used"),
    )
    HINTS = Hints(("list.open", "judging.draw", "judging.judge", "judging.report"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "draw", "Draw", id="judging.draw", tooltip="Draw a new sample"),
        Binding("J", "judge", "Judge", id="judging.judge", tooltip="Change who judges"),
        REPORT,
    ]

    def __init__(self) -> None:
        super().__init__()
        self.judge = os.environ.get("USER", "").strip()
        self.samples: list[tuple[Sample, JudgeProgress]] = []

    def compose_body(self) -> ComposeResult:
        yield Static(id="judge-line")
        yield Static(_HEADINGS, id="samples-head")
        yield RowList(id="samples", empty="No sample was drawn yet.")

    def on_screen_resume(self) -> None:
        self._load()

    def lines(self) -> list[str]:
        return [self._judge_line(), _HEADINGS.strip(), *super().lines(), self.query_one(Legend).line()]

    def _judge_line(self) -> str:
        return f"Judge: {self.judge or 'nobody yet'}"

    def _load(self, name: str | None = None) -> None:
        """Read the samples again, and go to the one of this name."""
        judge = self.judge

        def question(reader: DatabaseReader) -> list[tuple[Sample, JudgeProgress]]:
            return [(sample, progress(reader.store, sample, judge)) for sample in samples(reader.store)]

        def then(found: list[tuple[Sample, JudgeProgress]]) -> None:
            self.samples = found
            rows = self.query_one(RowList)
            cursor = next((row for row, (sample, _) in enumerate(found) if sample.name == name), rows.cursor)
            rows.show_rows(len(found), lambda row: Text(_row(*found[row])), cursor=cursor)
            self.query_one("#judge-line", Static).update(Text(self._judge_line()))

        self.ask(question, then)

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        sample, _ = self.samples[message.row]
        if self.judge:
            self.app.push_screen(ITEM_SCREENS[sample.kind](sample, self.judge))
        else:
            self._ask_judge(lambda: self._opened(message))

    def action_judge(self) -> None:
        self._ask_judge(self._load)

    def _ask_judge(self, then: Callable[[], None]) -> None:
        def answered(judge: str | None) -> None:
            if judge is not None:
                self.judge = judge
                then()

        self.app.push_screen(JudgeDialog(self.judge), answered)

    def action_draw(self) -> None:
        language = self.samples[-1][0].language if self.samples else "eng"
        drawn: list[Sample] = []

        async def draw(request: SampleRequest) -> None:
            change = self.shell.runner.change
            drawn.append(await change(lambda store: draw_sample(store, request.name, request.options)))

        def answered(request: SampleRequest | None) -> None:
            if request is not None:
                self._drawn(drawn[-1])

        self.app.push_screen(SampleDialog(language, [sample.name for sample, _ in self.samples], draw), answered)

    def _drawn(self, sample: Sample) -> None:
        what = "sentences" if sample.kind == "grammaticality" else "pairs"
        self.say(f"{sample.name}: {sample.items - sample.controls:,} of {sample.population:,} {what} drawn")
        self._load(sample.name)

    def action_report(self) -> None:
        if self.samples:
            self.app.push_screen(ReportScreen(self.samples[self.query_one(RowList).cursor][0]))
        else:
            self.say("there is no sample to report on", is_error=True)


def _row(sample: Sample, standing: JudgeProgress) -> str:
    rate = "-" if standing.rate is None else f"{100 * standing.rate:.1f}"
    judged = f"{standing.judged}/{standing.total}"
    name = Text(sample.name)
    name.truncate(_NAME_CELLS, overflow="ellipsis", pad=True)
    order = sample.order if sample.drawn_from == "generated" else "-"
    return f"{name}  {judged:>9}  {rate:>5}  {sample.kind:<14}  {sample.language:<4}  {order:>3}  {sample.seed}"
