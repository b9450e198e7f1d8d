"""A long form: what few need of it stands below headings, which are opened, and is found by its words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from corpusdb.base.display import counted
from tui.kit.dialogs import FormDialog
from tui.kit.fields import ChoiceLine, Field, FieldLine
from tui.kit.help_screens import FoundChoiceDialog
from tui.kit.shown import Label, Text, bind, fitted

_HIDDEN, _SHOWN = "hidden", "shown"
"""What a heading of a form says of the lines below it."""


def _heading(name: str, heading: str) -> Field:
    told = "Space opens this heading; letters find an option of any. All are as usual unless you change them"
    return Field(name, heading, _HIDDEN, choices=(_HIDDEN, _SHOWN), help=told)


class FoldLine(ChoiceLine):
    """A heading of a form: it opens the lines below it, and names those of them that do not say what is usual.

    Letters find an option, below any of the headings.
    """

    def __init__(self, field: Field, names: Sequence[str]) -> None:
        super().__init__(field)
        self._heading = field.label
        self.names = names
        """Of the lines below it."""
        self.filled: Sequence[str] = ()
        """What those of its lines are called that do not say what is usual."""

    @property
    def is_open(self) -> bool:
        return self.value == _SHOWN

    def render_line(self, y: int) -> Strip:
        style = Style(reverse=True) if self.has_focus else Style(bold=True)
        told = f": {counted(len(self.names), 'options')}" + "; set: " * bool(self.filled) + ", ".join(self.filled)
        shown = Text.assemble((f"{'-' if self.is_open else '+'} {self._heading}", style), told)
        return fitted(shown, self.size.width, self.rich_style, self.app.console)

    def _type(self, letter: str) -> None:
        if isinstance(self.screen, FoldedForm):
            self.screen.action_find(letter)


class FoldedForm(FormDialog):
    """A form of which some lines stand below headings."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("ctrl+f", "find", "Find", "form.find", "Find an option by words, hidden or not", priority=True),
    ]

    def __init__(
        self,
        title: str,
        lines: Sequence[Field],
        folds: Mapping[str, Sequence[str]],
        check: Callable[[Mapping[str, str]], object],
        carry_out: Callable[[Mapping[str, str]], Awaitable[object]],
    ) -> None:
        """``folds``: the names of lines below each heading; all others stand before them."""
        by_name, hidden = {each.name: each for each in lines}, {name for names in folds.values() for name in names}
        fields = [each for each in lines if each.name not in hidden]
        self._folds: dict[str, Sequence[str]] = {}
        """The same by the names of the lines that are headings."""
        for number, (heading, names) in enumerate(folds.items()):
            fields.append(fold := _heading(f"heading-{number}", heading))
            fields += [replace(each, help=f"{heading}: {each.help}") for each in (by_name[name] for name in names)]
            self._folds[fold.name] = names
        super().__init__(title, fields, check, carry_out)

    def compose_fields(self) -> ComposeResult:
        for field in self._fields.values():
            with Horizontal(classes="form-field"):
                if field.name in self._folds:
                    yield FoldLine(field, self._folds[field.name])
                else:
                    yield Label(field.label, classes="form-label")
                    yield field.line()

    def on_mount(self) -> None:
        self._unfold()

    def _unfold(self) -> None:
        """Show the lines below headings that are open."""
        for fold in self.query(FoldLine):
            for name in fold.names:
                line = self.query_one(f"#{name}", FieldLine).parent
                if isinstance(line, Widget):
                    line.display = fold.is_open

    def open_for(self, *names: str) -> None:
        """Open the headings that these lines are below."""
        for fold in self.query(FoldLine):
            if not {*names}.isdisjoint(fold.names):
                fold.value = _SHOWN
        self._unfold()

    def go_to(self, name: str) -> None:
        self.open_for(name)
        line = self.query_one(f"#{name}", FieldLine)
        self.set_focus(line)
        self.call_after_refresh(line.scroll_visible, animate=False)

    @property
    def heading(self) -> FoldLine | None:
        """The heading with the cursor, where it is open: the way out closes it first."""
        return self.focused if isinstance(self.focused, FoldLine) and self.focused.is_open else None

    def action_cancel(self) -> None:
        if (heading := self.heading) is not None:
            heading.choose(1)
        else:
            super().action_cancel()

    def action_find(self, typed: str = "") -> None:
        """Find an option by words of its name, its heading or what it does, and go to it."""
        found = [field for field in self._fields.values() if field.name not in self._folds]
        width = max(map(len, (field.label for field in found)))
        choices = [f"{field.label:<{width}}  {field.told}" for field in found]
        dialog = FoundChoiceDialog("Which option?", choices, lambda word: (), typed=typed)
        dialog.ask(self, lambda place: self.go_to(found[place].name))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A form that is seen whole has nothing to be found."""
        return (action != "find" or bool(self._folds)) and super().check_action(action, parameters)

    @on(Input.Changed)
    def _opened(self, event: Input.Changed) -> None:
        if isinstance(line := event.input, FoldLine):
            self._unfold()
            if line.has_focus:
                self.call_after_refresh(line.scroll_visible, animate=False, top=line.is_open)
        values = self.values()
        for fold in self.query(FoldLine):
            fields = (self._fields[name] for name in fold.names)
            fold.filled = [each.label for each in fields if values[each.name] != each.value]
            fold.refresh()
