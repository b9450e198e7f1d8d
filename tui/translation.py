"""The translations of a text, the surest first, with the examples that each rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input

from corpusdb.base.display import cell_safe
from corpusdb.base.errors import InputError
from corpusdb.base.jobs import Job
from corpusdb.corpus.queries.sentences import languages_of
from corpusdb.translation.queries.ladder import Abstention
from corpusdb.translation.report import evidence_lines, format_evidence
from tui.kit.dialogs import DetailsDialog
from tui.kit.place_screen import HeadLine, Hints, Legend, PlaceScreen, TypedLine
from tui.kit.reader import DatabaseReader, StepwiseJob
from tui.kit.shown import Highlighted, Opened, RowList, Static, Text, bind

if TYPE_CHECKING:
    from corpusdb.translation.examples import ExampleTranslation

_MOST = 20
_COLUMNS = "  made by  score votes  translation"
_TYPE = "Type a text; Enter translates it."


class TranslatedLine(TypedLine):
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("down,escape", "leave", "To the list", "translated.leave", "Go to the list"),
    ]


class TranslationScreen(PlaceScreen):
    """A line for a text, its translations, and what the one under the cursor rests on."""

    PLACE = "corpus"
    REACHED = "t on a sentence"
    SIGNS = (
        ("exact", "The corpus has the text, and this translation of it"),
        ("analogy", "By an analogy between sentences and one between their translations; so many vote for it"),
        ("phrases", "Put together of phrases that are aligned: rough"),
        ("memory", "The translation of the nearest sentence, as it is"),
        ("score", "From 0 to 1, to compare translations of one kind"),
    )
    HINTS = Hints(
        (
            *("list.open", "translation.type", "translation.source", "translation.target", "translation.abstain"),
            "screen.copy",
        ),
        needed=5,
    )
    AUTO_FOCUS = None
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("slash", "type", "Text", "translation.type", "Type another text"),
        bind("l", "turn('source')", "From", "translation.source", "From the next language"),
        bind("o", "turn('target')", "To", "translation.target", "Into the next language"),
        bind("a", "abstain", "Only sure", "translation.abstain", "Leave out what is doubtful, or not"),
    ]

    def __init__(self, text: str, language: str, target: str = "") -> None:
        """A text in a language, and into which; all can be changed; an empty text is to be typed."""
        super().__init__()
        self._text = text
        self._source, self._target = language, target
        self._sources: list[str] = []
        self._targets: list[str] = []
        self._abstains = False
        self._found: list[ExampleTranslation] = []
        self._empty = _TYPE

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="translation-head")
        yield TranslatedLine(self._text, id="text-to-translate", placeholder="a text; Enter translates", compact=True)
        yield Static("", id="translation-columns", classes="aligned-columns")
        yield RowList(id="translations", empty=_TYPE)
        yield Static("", id="translation-evidence")

    def on_mount(self) -> None:
        self.set_focus(self.query_one(RowList if self._text else Input))
        self._turn_to(self._source)

    def _turn_to(self, source: str) -> None:
        """Translate from a language, into the same as before or into the first that there is."""

        def question(reader: DatabaseReader) -> tuple[list[str], list[str]]:
            return languages_of(reader.store), reader.translators.targets(source)

        def answered(found: tuple[list[str], list[str]]) -> None:
            self._sources, self._targets = found
            self._source = source
            self._target = self._target if self._target in self._targets else next(iter(self._targets), "")
            self._translate()

        self.ask(question, answered, kind="translation")

    def _translate(self) -> None:
        source, target, text = self._source, self._target, self._text
        abstention = Abstention() if self._abstains else None
        if not target:
            self._show([], f"No sentence in {source or 'this language'} is translated: l goes to the next language.")
            return
        if not text.strip():
            self._show([], _TYPE)
            return

        def made(reader: DatabaseReader) -> Job[list[ExampleTranslation]]:
            translator = yield from reader.translators.translator(source, target)
            return translator.translate(text, _MOST, abstention)

        job = StepwiseJob(made)
        self.query_one(HeadLine).show(f"{source} -> {target}", "")
        self.query_one("#translation-columns", Static).update("")
        waits = f"The first text from {source} into {target} takes up to a minute in a large corpus:"
        waits = f"{waits}\nall its examples are read and indexed; leaving this screen stops it. Translating ..."
        self.query_one(RowList).show_rows(0, lambda row: Text(), empty=waits)
        self.wait_for(
            lambda: self.shell.runner.read_in_steps(job, lambda step: self.say(f"{step.stage} ..."), "translation"),
            lambda found: self._show(found, "No translation: the corpus has nothing near enough to this text."),
        )

    def _show(self, found: list[ExampleTranslation], empty: str) -> None:
        self._found, self._empty = found, empty
        self.query_one(RowList).show_rows(len(found), lambda row: _row(self._found[row]), empty=empty)
        self.query_one("#translation-columns", Static).update(_COLUMNS if found else "")
        count = f"{len(found)} translation{'' if len(found) == 1 else 's'}"
        told = f"{count}{', nothing doubtful' if self._abstains else ''}"
        self.query_one(HeadLine).show(f"{self._source} -> {self._target or '?'}", told)
        self._show_evidence()
        self.say("")

    @on(Highlighted)
    def _show_evidence(self) -> None:
        row = self.query_one(RowList).cursor
        told = ""
        if row < len(self._found):
            answer = self._found[row]
            told = f"{answer.rung}: {format_evidence(answer)}"
        self.query_one("#translation-evidence", Static).update(Text(cell_safe(told)))

    @on(Input.Submitted, "#text-to-translate")
    def _typed(self, event: Input.Submitted) -> None:
        with self.errors_shown():
            if not event.value.strip():
                raise InputError("there is nothing to translate: the text is empty")
            self._text = event.value
            self.set_focus(self.query_one(RowList))
            self._translate()

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        """All of what a translation rests on."""
        answer = self._found[message.row]
        lines = [cell_safe(line) for line in evidence_lines(self._text, answer)]
        self.app.push_screen(DetailsDialog(cell_safe(f"{answer.text} ({answer.rung})"), lines))

    def action_type(self) -> None:
        self.set_focus(self.query_one(Input))

    def action_turn(self, side: str) -> None:
        if side == "source":
            self._turn_to(_after(self._sources, self._source))
        else:
            self._target = _after(self._targets, self._target)
            self._translate()

    def action_abstain(self) -> None:
        self._abstains = not self._abstains
        self._translate()

    def copied_text(self) -> str:
        """The translations that are selected, else the one with the cursor."""
        rows = self.query_one(RowList)
        chosen = sorted(rows.selected) or [rows.cursor]
        return "\n".join(self._found[row].text for row in chosen if row < len(self._found))

    def lines(self) -> list[str]:
        head = self.query_one(HeadLine)
        rows = [f"{_row(each).plain}  {format_evidence(each)}" for each in self._found] or [self._empty]
        return [self._text, f"{head.left}  {head.right}", *rows, self.query_one(Legend).line()]


def _after(choices: list[str], current: str) -> str:
    if not choices:
        return current
    return choices[(choices.index(current) + 1) % len(choices)] if current in choices else choices[0]


def _row(answer: ExampleTranslation) -> Text:
    """The rung, the score, the votes and the translation."""
    votes = f"{answer.votes:>4}x" if answer.rung == "analogy" else "     "
    return Text(f"{answer.rung:<8} {answer.score:4.2f} {votes}  {cell_safe(answer.text)}", no_wrap=True)
