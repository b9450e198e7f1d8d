"""The dialogs of judging: who judges, and what to draw."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import ClassVar, cast

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Input

from corpusdb.display import check_name
from corpusdb.errors import CorpusError, UsageError
from corpusdb.languages import language_code
from corpusdb.ngrams.fluency_orders import DEFAULT_ORDER
from corpusdb.queries.judging.samples import POPULATIONS, SIZES, Kind, Population, SampleOptions
from corpusdb.queries.paraphrase.filters import filter_at
from tui.messages import Chosen
from tui.shared.dialog import Dialog
from tui.shared.form import one_line
from tui.shown import Label
from tui.widgets.choice import Choice
from tui.widgets.legend import Hints

__all__ = ["JudgeDialog", "SampleDialog", "SampleRequest"]


@dataclass(frozen=True, slots=True)
class SampleRequest:
    """What somebody wants to be drawn."""

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
        """What the dialog asks and says."""
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
        """What the dialog asks and says."""
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
