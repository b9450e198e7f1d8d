"""Paradigms: what stands in the place of a phrase, where it stands, and what fills a gap, one step after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from corpusdb.base.errors import UsageError
from corpusdb.paraphrase.queries.paradigms import prepared_languages
from tui.kit.lines import Hints
from tui.kit.messages import CorpusWanted, Opened, ParadigmWanted, PlaceWanted, WordAsked
from tui.kit.place_screen import PlaceScreen
from tui.kit.reader import DatabaseReader
from tui.kit.row_list import RowList
from tui.kit.shown import Static, Text
from tui.paraphrase.paradigm_steps import NO_INDEX, Answer, Kind, Languages, Step, Trail, step_for

__all__ = ["ParadigmsScreen"]

_TEXT_CELLS = 30
"""The width of the first column of texts; what is longer moves the next one to the right."""


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
    SIGNS = (
        ("figure", "In how many contexts it stands, or how many sentences the context has"),
        ("_", "A gap"),
    )
    HINTS = Hints(
        (
            "paradigms.type",
            "list.open",
            "paradigms.fillers",
            "paradigms.contexts",
            "paradigms.sentences",
            "paradigms.equivalents",
            "paradigms.language",
            "paradigms.back",
        ),
        needed=5,
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("i", "type", "Phrase", id="paradigms.type", tooltip="Type a phrase, or a sentence with _ for a gap"),
        Binding("f", "look('fillers')", "Fillers", id="paradigms.fillers", tooltip="What commutes with this phrase"),
        Binding("c", "look('contexts')", "Contexts", id="paradigms.contexts", tooltip="Where this phrase stands"),
        Binding("s", "sentences", "Sentences", id="paradigms.sentences", tooltip="Show it in the corpus"),
        Binding("e", "look('equivalents')", "Equivalents", id="paradigms.equivalents", tooltip="How it is translated"),
        Binding("l", "language", "Language", id="paradigms.language", tooltip="The next language with an index"),
        Binding("backspace", "step_back", "Back", id="paradigms.back", tooltip="Go one step back", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.languages = Languages()
        self.trail = Trail()

    def compose_body(self) -> ComposeResult:
        yield PhraseLine(id="phrase", placeholder="a phrase, or a sentence with _ for a gap; Enter", compact=True)
        yield Static(id="way")
        yield RowList(id="paradigm", empty="i types a phrase such as  coffee  or a gap such as  I like _.")

    def on_mount(self) -> None:
        self.ask(lambda reader: prepared_languages(reader.store), self._languages_read)

    def _languages_read(self, found: list[str]) -> None:
        self.languages.were_read(found, self.shell.language)
        if not found:
            self.say(NO_INDEX, is_error=True)
        self._show_way()

    def lines(self) -> list[str]:
        """The way and what was found at its end."""
        return [self._way_in_words(), *super().lines()]

    def take(self, wanted: PlaceWanted) -> None:
        """Begin with a phrase, or a sentence with a gap, in a language."""
        if isinstance(wanted, ParadigmWanted):
            self.languages.current = wanted.language
            self.query_one(Input).value = wanted.text
            self._begin(wanted.text)

    @on(Input.Submitted, "#phrase")
    def _typed(self, event: Input.Submitted) -> None:
        self._begin(event.value)

    def _begin(self, text: str) -> None:
        with self.errors_told():
            if not text.strip():
                raise UsageError("type a phrase, or a sentence with _ for a gap")
            self.go([step_for(text)])

    def go(self, steps: Sequence[Step]) -> None:
        """Ask for what is at the end of some steps, and show it when it comes."""
        language = self.languages.current
        self.say("looking ...")

        def question(reader: DatabaseReader) -> Answer:
            if not language:
                raise UsageError(NO_INDEX)
            return steps[-1].ask(reader.store, language)

        self.ask(question, lambda answer: self._arrived(Trail(tuple(steps), answer)), kind="paradigm")

    def _arrived(self, trail: Trail) -> None:
        self.trail = trail
        self._show_way()
        rows = self.query_one(RowList)
        rows.show_rows(trail.count, self._line, cursor=trail.steps[-1].cursor, empty="Nothing was found.")
        if trail.count:
            rows.focus()
        self.say(f"{trail.answer.total:,} {trail.steps[-1].found}")

    def _show_way(self) -> None:
        self.query_one("#way", Static).update(self._way_in_words())

    def _way_in_words(self) -> str:
        return f"{self.languages.current or 'no language'}: {self.trail.name}"

    def _line(self, place: int) -> Text:
        row = self.trail.row(place)
        if row is None:
            return Text(f"{self.trail.answer.total - place:,} more: Enter shows them", "bold")
        text = Text(row.text)
        text.pad_right(max(_TEXT_CELLS - text.cell_len, 0))
        shown = Text.assemble(f"{row.count:>7,}  ", text, "  ", row.beside)
        return Text(shown.plain.replace("␣", "_")) if self.shell.ascii_only else shown

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        steps, row = self.trail.opened(message.row), self.trail.row(message.row)
        if steps is not None:
            self.go(steps)
        elif row is not None and row.sentence is not None:
            self.app.post_message(CorpusWanted(row.sentence, self.languages.current))

    def action_type(self) -> None:
        self.set_focus(self.query_one(Input))  # at once: what is typed next is for it

    def action_look(self, kind: str) -> None:
        """Look at the fillers, contexts or equivalents of the phrase in the row, else of the one of the step."""
        with self.errors_told():
            cursor = self.query_one(RowList).cursor
            if kind == "equivalents":
                phrase = self.trail.looked_at("fillers", cursor)[-1].text
                self.app.post_message(WordAsked(phrase, self.languages.current))
            else:
                self.go(self.trail.looked_at(cast("Kind", kind), cursor))

    def action_sentences(self) -> None:
        row = self.trail.row(self.query_one(RowList).cursor)
        text = None if row is None else row.sentence or row.phrase
        if text:
            self.app.post_message(CorpusWanted(text, self.languages.current))
        else:
            self.say("nothing to show in the corpus here", is_error=True)

    def action_language(self) -> None:
        with self.errors_told():
            self.languages.next()
            self._show_way()
            if self.trail.steps:
                self.go([replace(self.trail.steps[0], cursor=0)])

    def action_step_back(self) -> None:
        if len(self.trail.steps) > 1:
            self.go(self.trail.steps[:-1])
        else:
            self.query_one(Input).focus()

    def action_back(self) -> None:
        if len(self.trail.steps) > 1:
            self.go(self.trail.steps[:-1])
        else:
            super().action_back()
