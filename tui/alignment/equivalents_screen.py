"""Equivalents: how a word is translated and how often, what else it is called, and which of that a person rejects."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from corpusdb.alignment.queries.equivalents import FoundEquivalent
from corpusdb.alignment.queries.phrases import set_rejected
from corpusdb.base.display import cell_safe
from corpusdb.corpus.store import Store
from tui.alignment.lookup import (
    STEPS,
    Found,
    Languages,
    Steps,
    Trail,
    columns_of,
    example_text,
    found_languages,
    row_text,
)
from tui.alignment.pairs_screen import PairsScreen, PivotsScreen
from tui.kit.lines import Hints, Legend
from tui.kit.messages import CorpusWanted, Highlighted, Opened, ParadigmWanted, PlaceWanted, WordAsked
from tui.kit.place_screen import PlaceScreen
from tui.kit.reader import DatabaseReader
from tui.kit.row_list import RowList
from tui.kit.shown import Static, Text

__all__ = ["EquivalentsScreen"]

_TYPE = "i types a word, or up to three."


class AlignedWordLine(Input):
    """Where one types what to look up; Enter looks."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,escape", "leave", "To the list", id="aligned-word.leave", tooltip="Go to the list", show=False),
    ]

    def action_leave(self) -> None:
        self.screen.set_focus(self.screen.query_one(RowList))


class EquivalentsScreen(PlaceScreen):
    """A line for a word, what it is aligned with or else called, and an example of the row under the cursor."""

    PLACE = "equivalents"
    SIGNS = (
        ("count", "How often it is a translation of the word"),
        ("share", "The share of the places of the word at which it is"),
        ("pivot", "p(equivalent | word) over the translations that both have, from 0 to 1"),
        ("languages", "Through how many languages it is known"),
        ("contexts", "In how many contexts both stand; - where the language has no index"),
        ("[ ]", "What is aligned with each other in an example"),
        ("x rejected", "A person said that it is no equivalent"),
    )
    HINTS = Hints(
        (
            *("equivalents.type", "list.open", "equivalents.turn", "equivalents.reject", "equivalents.follow"),
            *("equivalents.language", "equivalents.other", "equivalents.doubtful"),
        ),
        needed=4,
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("i", "type", "Word", id="equivalents.type", tooltip="Type a word, or up to three"),
        Binding(
            "t",
            "look('turn')",
            "Turn",
            id="equivalents.turn",
            tooltip="From translations to what else it is called, and back",
        ),
        Binding("r", "reject", "Reject", id="equivalents.reject", tooltip="This is no equivalent; again: it is one"),
        Binding("f", "look('follow')", "Follow", id="equivalents.follow", tooltip="Look up the phrase of this row"),
        Binding(
            "l", "look('language')", "Language", id="equivalents.language", tooltip="Look in the next aligned language"
        ),
        Binding("o", "look('other')", "Other", id="equivalents.other", tooltip="Translations in the next language"),
        Binding(
            "a",
            "look('doubtful')",
            "All",
            id="equivalents.doubtful",
            tooltip="Also doubtful equivalents, or no longer",
        ),
        Binding(
            "s", "show('corpus')", "Sentences", id="equivalents.sentences", tooltip="Show this phrase in the corpus"
        ),
        Binding(
            "p", "show('paradigm')", "Paradigm", id="equivalents.paradigm", tooltip="What commutes with this phrase"
        ),
        Binding("backspace", "step_back", "Back", id="equivalents.back", tooltip="Go one lookup back", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.trail = Trail()

    def compose_body(self) -> ComposeResult:
        yield AlignedWordLine(id="aligned-word", placeholder="a word, or up to three; Enter", compact=True)
        yield Static(id="lookup")
        yield Static(id="lookup-columns", classes="aligned-columns")
        yield RowList(id="aligned", empty=_TYPE)
        yield Static("", id="aligned-example")

    def on_screen_resume(self) -> None:
        self.ask(lambda reader: found_languages(reader.store), self._languages_read)

    def _languages_read(self, found: Languages) -> None:
        if found == self.trail.languages:
            return
        self.trail = Trail(found) if found.missing else replace(self.trail, languages=found)
        if self.trail.found is None:
            self.query_one(RowList).show_rows(0, self._row, empty=found.missing or _TYPE)
        self._show_head()

    def lines(self) -> list[str]:
        """What was looked up, what was found, and the keys."""
        found = self.trail.found
        told, empty = ([found.told], found.empty) if found else ([], self.trail.languages.missing or _TYPE)
        rows = super().lines() or [empty]
        return [self.trail.name, *told, *rows, self.query_one(Legend).line()]

    def take(self, wanted: PlaceWanted) -> None:
        """Begin with a phrase of a language."""
        if isinstance(wanted, WordAsked):
            self.query_one(Input).value = wanted.word
            with self.errors_told():
                self._go(self.trail.begun(wanted.word, wanted.language))

    @on(Input.Submitted, "#aligned-word")
    def _typed(self, event: Input.Submitted) -> None:
        with self.errors_told():
            self._go(self.trail.begun(event.value))

    def _go(self, steps: Steps) -> None:
        """Ask for the last one of some lookups, and show it when it comes."""
        self.say("looking ...")

        def question(reader: DatabaseReader) -> Found:
            with reader.store.snapshot():
                return steps[-1].ask(reader.store)

        self.ask(question, lambda found: self._arrived(steps, found), kind="aligned")

    def _arrived(self, steps: Steps, found: Found) -> None:
        lookups = (*steps[:-1], found.lookup)
        self.trail = replace(self.trail, lookups=lookups, found=found, cursor=found.lookup.cursor)
        rows, count = self.query_one(RowList), self.trail.count
        rows.show_rows(count, self._row, cursor=found.lookup.cursor, empty=found.empty)
        if count:
            rows.focus()
        self._show_head()
        self._show_example()
        self.say(found.told)

    def _show_head(self) -> None:
        columns = columns_of(self.trail.found.lookup.view) if self.trail.found and self.trail.count else ""
        self.query_one("#lookup", Static).update(cell_safe(self.trail.name))
        self.query_one("#lookup-columns", Static).update(columns)

    def _row(self, at: int) -> Text:
        found = self.trail.found
        if found is None or at > len(found.rows):
            return Text()
        if at == len(found.rows):
            return Text(f"{found.more:,} more: Enter shows them", "bold")
        return row_text(found.rows[at], found.longest, ascii=self.shell.ascii_only)

    @on(Highlighted)
    def _show_example(self) -> None:
        """An example of the row under the cursor."""
        self.trail = replace(self.trail, cursor=self.query_one(RowList).cursor)
        row = self.trail.row
        self.query_one("#aligned-example", Static).update(Text() if row is None else example_text(row), layout=False)

    @on(Opened)
    def _opened(self) -> None:
        """The pairs of sentences of a translation, or through what an equivalent comes."""
        with self.errors_told():
            last, row = self.trail.last, self.trail.row
            if row is None:
                self._go(self.trail.whole())
            elif isinstance(row.found, FoundEquivalent):
                self.app.push_screen(PivotsScreen(last.language, last.text, row.text))
            else:
                self.app.push_screen(PairsScreen([self.trail.aligned()]))

    def action_type(self) -> None:
        self.set_focus(self.query_one(Input))  # at once: what is typed next is for it

    def action_look(self, step: str) -> None:
        """Go where a key leads."""
        with self.errors_told():
            self._go(STEPS[step](self.trail))

    def action_reject(self) -> None:
        """Reject the selected equivalents, or the one under the cursor; if all are rejected, take that back."""
        with self.errors_told():
            last = self.trail.last
            wanted = self.trail.equivalents(frozenset(self.query_one(RowList).selected))
            is_rejected = not all(row.is_rejected for row in wanted)

            def change(store: Store) -> int:
                changes = (
                    set_rejected(store, last.language, last.text, row.text, is_rejected=is_rejected) for row in wanted
                )
                return sum(changes)

            def changed(count: int) -> None:
                if count:
                    self._go(self.trail.again())
                else:
                    self.say("what these phrases differ by is rejected; take that back where one looks it up")

            self.write(change, changed, kept=True)

    def action_show(self, place: str) -> None:
        """Show the phrase of the row in another place."""
        with self.errors_told():
            wanted = CorpusWanted if place == "corpus" else ParadigmWanted
            self.app.post_message(wanted(*self.trail.phrase))

    def action_step_back(self) -> None:
        if len(self.trail.lookups) > 1:
            self._go(self.trail.lookups[:-1])
        else:
            self.query_one(Input).focus()

    def action_back(self) -> None:
        if len(self.trail.lookups) > 1:
            self._go(self.trail.lookups[:-1])
        else:
            super().action_back()
