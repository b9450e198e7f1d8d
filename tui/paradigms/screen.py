"""Paradigms: what stands in the place of a phrase, where it stands, and what fills a gap, one step after another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from corpusdb.errors import UsageError
from corpusdb.queries.analogy.paradigms import prepared_languages
from tui.background.reader import Desk
from tui.messages import Opened
from tui.paradigms.steps import Answer, Row, Step, step_for
from tui.shared.place_screen import PlaceScreen
from tui.shown import Static, Text
from tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from tui.app import Browser

__all__ = ["ParadigmsScreen", "open_paradigm"]

_TEXT_CELLS = 30
"""The width of the first column of texts; what is longer moves the next one to the right."""
_NO_INDEX = "no language has an index; x in the jobs (5) makes one"


class PhraseLine(Input):
    """Where one types what to look for; Enter looks."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,escape", "leave", "To the list", id="phrase.leave", tooltip="Go to the list", show=False),
    ]

    def action_leave(self) -> None:
        self.screen.set_focus(self.screen.query_one(RowList))


class ParadigmsScreen(PlaceScreen):
    """A line for a phrase or a sentence with a gap, the way that one came, and what was found at its end."""

    PLACE = "paradigms"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("i", "type", "Phrase", id="paradigms.type", tooltip="Type a phrase, or a sentence with _ for a gap"),
        Binding("f", "look('fillers')", "Fillers", id="paradigms.fillers", tooltip="What commutes with this phrase"),
        Binding("c", "look('contexts')", "Contexts", id="paradigms.contexts", tooltip="Where this phrase stands"),
        Binding("s", "sentences", "Sentences", id="paradigms.sentences", tooltip="Show it in the corpus"),
        Binding("l", "language", "Language", id="paradigms.language", tooltip="The next language with an index"),
        Binding("backspace", "step_back", "Back", id="paradigms.back", tooltip="Go one step back", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.language = ""
        self._languages: list[str] = []
        self._way: list[Step] = []
        self._answer = Answer(0, ())

    def compose_body(self) -> ComposeResult:
        yield PhraseLine(id="phrase", placeholder="a phrase, or a sentence with _ for a gap; Enter", compact=True)
        yield Static(id="way")
        yield RowList(id="paradigm", empty="Type a phrase such as  coffee  or a gap such as  I like _.")

    def on_mount(self) -> None:
        self.query_one(Input).focus()
        self.ask(lambda desk: prepared_languages(desk.store), self._languages_read)

    def _languages_read(self, languages: list[str]) -> None:
        self._languages = languages
        if not self.language:
            self.language = "eng" if "eng" in languages else next(iter(languages), "")
        if not languages:
            self.say(_NO_INDEX, is_error=True)
        self._show_way()

    def lines(self) -> list[str]:
        """The way and what was found at its end."""
        return [self._way_in_words(), *super().lines()]

    def open(self, text: str, language: str) -> None:
        """Begin with a phrase, or a sentence with a gap, in a language."""
        self.language = language
        self.query_one(Input).value = text
        self._begin(text)

    def _begin(self, text: str) -> None:
        with self.errors_told():
            if not text.strip():
                raise UsageError("type a phrase, or a sentence with _ for a gap")
            self._go([step_for(text)])

    def _go(self, way: list[Step]) -> None:
        """Ask for what is at the end of a way, and show it when it comes."""
        language = self.language
        self.say("looking ...")

        def question(desk: Desk) -> Answer:
            if not language:
                raise UsageError(_NO_INDEX)
            return way[-1].ask(desk.store, language)

        self.ask(question, lambda answer: self._arrived(way, answer), kind="paradigm")

    def _arrived(self, way: list[Step], answer: Answer) -> None:
        self._way, self._answer = way, answer
        self._show_way()
        rows = self.query_one(RowList)
        count = len(answer.rows) + (answer.total > len(answer.rows))
        rows.show_rows(count, self._line, cursor=way[-1].cursor, empty="Nothing was found.")
        if count:
            rows.focus()
        self.say(f"{answer.total:,} {way[-1].found}")

    def _show_way(self) -> None:
        self.query_one("#way", Static).update(self._way_in_words())

    def _way_in_words(self) -> str:
        return f"{self.language or 'no language'}: {' > '.join(step.name for step in self._way)}"

    def _line(self, place: int) -> Text:
        if place == len(self._answer.rows):
            return Text(f"{self._answer.total - place:,} more: Enter shows them", "bold")
        row = self._answer.rows[place]
        text = Text(row.text)
        text.pad_right(max(_TEXT_CELLS - text.cell_len, 0))
        shown = Text.assemble(f"{row.count:>7,}  ", text, "  ", row.beside)
        return Text(shown.plain.replace("␣", "_")) if self.browser.has_class("ascii") else shown

    @on(Input.Submitted, "#phrase")
    def _typed(self, event: Input.Submitted) -> None:
        self._begin(event.value)

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        here = self._left_at(message.row)
        if message.row == len(self._answer.rows):
            self._go([*here[:-1], here[-1].whole()])
            return
        row = self._answer.rows[message.row]
        step = here[-1].into(row)
        if step is not None:
            self._go([*here, step])
        elif row.sentence is not None:
            self.browser.show_in_corpus(row.sentence, self.language)

    def _left_at(self, cursor: int) -> list[Step]:
        """The way, with where the cursor is at its end, so that one comes back to it."""
        return [*self._way[:-1], replace(self._way[-1], cursor=cursor)]

    def _row(self) -> Row | None:
        """The row under the cursor."""
        cursor = self.query_one(RowList).cursor
        return self._answer.rows[cursor] if cursor < len(self._answer.rows) else None

    def action_type(self) -> None:
        self.set_focus(self.query_one(Input))  # at once: what is typed next is for it

    def action_look(self, kind: str) -> None:
        """Look at the fillers or contexts of the phrase in the row, else of the one that the step is about."""
        row = self._row()
        if not self._way:
            self.say("type a phrase first", is_error=True)
        elif row is not None and row.phrase is not None and row.phrase != self._way[-1].text:
            self._look(kind, row.phrase)
        elif self._way[-1].kind == "gap":
            self.say("this row is no phrase", is_error=True)
        else:
            self._look(kind, self._way[-1].text)

    def _look(self, kind: str, phrase: str) -> None:
        self._go(
            [
                *self._left_at(self.query_one(RowList).cursor),
                Step("fillers" if kind == "fillers" else "contexts", phrase),
            ]
        )

    def action_sentences(self) -> None:
        row = self._row()
        text = None if row is None else row.sentence or row.phrase
        if text:
            self.browser.show_in_corpus(text, self.language)
        else:
            self.say("nothing to show in the corpus here", is_error=True)

    def action_language(self) -> None:
        if len(self._languages) < 2:
            self.say(f"only {self.language} has an index" if self.language else _NO_INDEX, is_error=True)
            return
        place = self._languages.index(self.language) + 1 if self.language in self._languages else 0
        self.language = self._languages[place % len(self._languages)]
        self._show_way()
        if self._way:
            self._go([replace(self._way[0], cursor=0)])

    def action_step_back(self) -> None:
        if len(self._way) > 1:
            self._go(self._way[:-1])
        else:
            self.query_one(Input).focus()

    def action_back(self) -> None:
        if len(self._way) > 1:
            self._go(self._way[:-1])
        else:
            super().action_back()


def open_paradigm(browser: Browser, text: str, language: str) -> None:
    """Go to the paradigms, and begin there with a phrase or a sentence with a gap."""
    browser.switch_mode(ParadigmsScreen.PLACE)
    while len(browser.screen_stack) > 1:
        browser.pop_screen()
    screen = browser.screen
    if isinstance(screen, ParadigmsScreen):
        screen.call_after_refresh(screen.open, text, language)  # it may not be mounted yet
