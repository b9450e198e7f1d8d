"""The form of a command: its options under headings, what each means, and the line of a shell that all stand for."""

from __future__ import annotations

import asyncio
import os
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from glob import glob
from itertools import islice, zip_longest
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.events import DescendantFocus
from textual.widgets import Input

from corpusdb.base.cells import cell_width, cut_middle
from corpusdb.base.errors import CorpusError, InputError
from corpusdb.base.options import CommandForm, FormField
from corpusdb.base.text import language_codes
from corpusdb.corpus.formats import Options, open_sources
from corpusdb.corpus.formats.records import Record, Rejected
from tui.kit.background import Offered, shell_call
from tui.kit.dialogs import ChoiceDialog, shown_lines
from tui.kit.fields import Field, FieldLine, recent_paths
from tui.kit.folded_form import FoldedForm
from tui.kit.place_screen import Hints, Legend, hint_name
from tui.kit.programs import short_title
from tui.kit.shown import Label, Static, bind, said_here

_MORE, _OTHERS = "More options", "Other options"
"""The heading of all that few need, where they are no more than a page, and of those that have none of their own."""
_MOST_LINES = 11
"""A form of more lines than these has the others behind headings."""
_LEAST_HEADED = 2
"""One option alone has no heading of its own."""
_COMMAND_LINES = 3
_BORDERS = 2
_FORM_LINES = (3, 11)
"""So many lines of a form are seen at least, and at most."""


def _kind_of_file(field: FormField) -> str:
    """What the word of the shell for a file says that it is."""
    if "DIR" in field.metavar or "FOLDER" in field.metavar:
        return "a folder"
    if "SOURCE" in field.metavar:
        return "also files, such as text.en"
    if "TEXT" in field.metavar:
        return "a text, or a file"
    return "files, or a pattern such as out/*.en" if field.is_many else "a file"


_IN_WORDS: Mapping[str, str] = {
    **dict.fromkeys(("N", "NUMBER"), "a number"),
    **dict.fromkeys(("NAME", "SET", "WHO"), "a name"),
    **dict.fromkeys(("NAMES", "NAME,...", "ORIGINS"), "names, with commas"),
    **dict.fromkeys(("QUERY", "[QUERY]", "PATTERN"), "what is looked for"),
    "LANG": "as eng, or en",
    "LANG,...": "as eng,fra",
    "min_validity": "0 to 1",
    **dict.fromkeys(("A,B", "spoken", "written"), "collections or files"),
    **dict.fromkeys(("U", "V"), "words"),
    "TEXT": "a text",
    "WORD": "a word",
    "WORD|PHRASE": "a word or phrase",
    "PHRASE": "a word or phrase",
    "METRICS...": "as bleu,chrf",
}
"""What an option of that name takes, or what the word of the shell for a value says that it is."""


def _line(field: FormField, value: str, stored: Sequence[str] = ()) -> Field:
    """An option as a line of the form, with what is said instead of its default, and what is stored of its kind."""
    said = _IN_WORDS.get(field.name) or _IN_WORDS.get(field.metavar, field.metavar.replace("|", " or "))
    hint = "" if field.is_flag or field.choices else said
    if field.is_file:
        hint = f"{_kind_of_file(field)}; tab completes"
    label = field.label + "*" * field.is_required
    told = ": ".join(filter(None, ["* needed" * field.is_required, said_here(field.help)]))
    path = {"is_file": field.is_file, "is_many": field.is_many, "is_written": field.name in WRITTEN}
    nothing = _NOTHING.get(field.name, "usual")
    choices = field.choices or tuple(stored)
    told = f"{told.removesuffix('.')}; stored: {', '.join(stored)}" if stored and field.is_file else told
    is_open = bool(stored)
    return Field(
        field.name, label, value or field.default, hint, choices, told, nothing=nothing, is_open=is_open, **path
    )


def _folded(form: str, fields: Sequence[FormField], lines: Sequence[Field]) -> dict[str, list[str]]:
    """The options of a long form that few need, by their headings: those that are not named as its first ones, and say
    what is usual."""
    if len(fields) <= _MOST_LINES:
        return {}
    first = _FIRST.get(form) or [each.name for each in fields[: _MOST_LINES - 1]]
    usual = {each.name: each.default for each in fields}
    shown = {each.name for each in fields if each.is_required or each.name in first}
    shown |= {each.name for each in lines if each.value != usual[each.name]}
    shown |= {"overwrite"} if "output" in shown else set()
    hidden = [each for each in fields if each.name not in shown]
    folds: dict[str, list[str]] = {}
    together = Counter(each.heading for each in hidden if each.heading)
    for each in sorted(hidden, key=lambda field: together[field.heading] < _LEAST_HEADED):
        heading = each.heading if together[each.heading] >= _LEAST_HEADED else _OTHERS
        folds.setdefault(heading if len(hidden) > _MOST_LINES else _MORE, []).append(each.name)
    return folds


_NOTHING: Mapping[str, str] = {
    **dict.fromkeys(("significance", "by", "add"), "none"),
    **dict.fromkeys(("kind", "level"), "all"),
    "ref_from": "files",
    "paraphrased": "either",
}
"""What an option does where nothing is chosen, by its name, where that is not left to the command."""


class CommandDialog(FoldedForm):
    """The options of a command, what the one with the cursor means, and the command line that all of it stands for."""

    HINTS = Hints(
        ("form.done", "form.find", "form.complete", "command.recent", "form.choose", "command.page"),
        last=("form.cancel", "dialog.help"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("pagedown", "page(1)", "Page", "command.page", "A page of lines down", priority=True),
        bind("pageup", "page(-1)", "Page", "command.page-back", "A page of lines up", priority=True),
        bind("ctrl+o", "recent", "Recent", "command.recent", "A file or folder that was named before", priority=True),
        bind("ctrl+r", "as_last_time", "As last time", "command.last", "All lines as the last time", priority=True),
    ]
    last_time: Mapping[str, str] = {}
    """What the lines said when such a form was begun, or left, last."""
    keep: Callable[[Mapping[str, str]], object] = staticmethod(lambda said: None)
    """Given what was typed where somebody leaves the form."""
    said_before: Iterable[str] = ()
    """What forms of jobs said, the newest first."""

    def __init__(
        self,
        form: CommandForm,
        begin: Callable[[list[str], Mapping[str, str]], object],
        known: Mapping[str, str] | None = None,
        stored: Mapping[str, Sequence[str]] | None = None,
        first: str = "",
    ) -> None:
        """``begin`` gets the words of the command, and what was typed.

        ``known`` is said instead of defaults, by the names of fields; one of ``stored`` may be chosen. The cursor
        begins on the field with the name ``first``.
        """
        known, stored = known or {}, stored or {}

        async def carry_out(values: Mapping[str, str]) -> None:
            begin(form.words(values), {each: values[each] for each in self._options})

        needed, asked_first = _NEEDED.get(form.name, ""), _FIRST.get(form.name, ())
        fields = (replace(each, is_required=each.is_required or each.name == needed) for each in form.fields)
        form = replace(form, fields=tuple(fields))

        def place(field: FormField) -> tuple[int, bool]:
            at = asked_first.index(field.name) if field.name in asked_first else len(asked_first)
            return at, not field.is_required

        ordered = sorted(form.fields, key=place)
        lines = [_line(each, known.get(each.name, ""), stored.get(each.name, ())) for each in ordered]
        folds = _folded(form.name, ordered, lines)
        summary, _, _ = form.help.partition("\n")

        def check(values: Mapping[str, str]) -> None:
            form.words(values)
            if form.name in _PREVIEWS:
                require_files(values["files"])
                if not values.get("lang"):
                    _require_languages(values)

        super().__init__(f"{form.name}: {summary}", lines, folds, check, carry_out)
        self._form = form
        self._options = [each.name for each in form.fields]
        self._begins_on = first
        self._looked_into: Mapping[str, str] = {}
        self._words: Sequence[str] = ()
        self._command = ""
        self.commands: Offered | None = None
        """Those of the browser, which know how the database is named in a shell."""

    def compose(self) -> ComposeResult:
        with Vertical(classes="form wide command"):
            yield Label(self._title, classes="form-title")
            with VerticalScroll(can_focus=False):
                yield from self.compose_fields()
            yield Static("", id="field-help")
            yield Static("", id="command-line")
            yield Label("", classes="form-error")
            yield self.hints()

    def hints(self) -> Legend:
        return Legend(self.HINTS, self._name_of)

    def _name_of(self, binding: Binding) -> str:
        named = {"form.done": "begin", "form.cancel": "close" if self.heading is not None else ""}
        return named.get(binding.id or "") or hint_name(binding)

    def on_mount(self) -> None:
        self._show_line()
        super().on_mount()
        if self._begins_on:
            self.go_to(self._begins_on)  # at once: what is typed next is for it
        now = self.values()
        if any(now.get(name, said) != said for name, said in self.last_time.items()):
            self._tell("ctrl+r: all lines as the last time")

    def action_recent(self) -> None:
        """Choose one of the files and folders that this form or others have named, for the line with the cursor."""
        line = self.focused
        if not isinstance(line, FieldLine):
            return
        here = (each.value for each in self.query(FieldLine) if each.is_path)
        found = recent_paths([*here, *self.said_before])
        if not found:
            self._tell("no file or folder was named yet", of_line=True)
            return
        ChoiceDialog("Which file or folder?", found).ask(self, lambda place: line.take_path(found[place]))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        is_path = isinstance(self.focused, FieldLine) and self.focused.is_path
        return (action != "recent" or is_path) and super().check_action(action, parameters)

    def action_cancel(self) -> None:
        """Keep what was typed for the next time."""
        now = self.values()
        if self.heading is None and any(now[each] != self._fields[each].value for each in self._options):
            self.keep({each: now[each] for each in self._options})
        super().action_cancel()

    def action_as_last_time(self) -> None:
        now = self.values()
        others = {name: said for name, said in self.last_time.items() if now.get(name, said) != said}
        self.open_for(*others)
        for name, said in others.items():
            self.query_one(f"#{name}", FieldLine).value = said
        self._tell("as the last time" if self.last_time else "no such job was begun here yet")

    @on(DescendantFocus)
    def _look_into_it(self) -> None:
        self._look_if_changed()

    @on(Input.Changed)
    def _show_line(self) -> None:
        try:
            self._words = self._form.words(self.values())
        except CorpusError:
            self._words = [*self._form.name.split(), "..."]
        self._command = f"$ {shell_call(self.commands, self._words)}"
        self._show_command()

    def on_resize(self) -> None:
        self._show_command()
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        """Leave the lines so much room that all around them is seen, the keys at the end, too."""
        view, form = self.query_one(VerticalScroll), self.query_one(Vertical)
        least, most = _FORM_LINES
        around = sum(each.outer_size.height for each in form.children if each is not view) + _BORDERS
        room = max(min(most, self.size.height - around), least)
        if view.styles.max_height is None or view.styles.max_height.value != room:
            view.styles.max_height = room
            if self.focused is not None:
                self.call_after_refresh(self.focused.scroll_visible, animate=False)

    def _tell(self, text: str, *, of_line: bool = False) -> None:
        super()._tell(text, of_line=of_line)
        self.call_after_refresh(self._fit)

    def _show_command(self) -> None:
        """The command; of one that is longer than its place, first what its files have in common is left out."""
        line = self.query_one("#command-line", Static)
        room = line.size.width * _COMMAND_LINES - line.size.width // 2  # words are not broken at the end of a line
        program = f"$ {shell_call(self.commands, ())}"
        short = (short_title(self._words, has_folders=each, is_quoted=True) for each in (True, False))
        told = (self._command, *(f"{program} {each}" for each in short))
        fits = (each for each in told if not room or cell_width(each) <= room)
        line.update(next(fits, cut_middle(told[-1], room)))
        self.call_after_refresh(self._fit)

    def lines(self) -> list[str]:
        return [*super().lines(), self._command]

    def action_page(self, step: int) -> None:
        """Go on by a page: the form is longer than the screen."""
        lines = shown_lines(self)
        at = next((place for place, line in enumerate(lines) if line.has_focus), 0)
        view = self.query_one(VerticalScroll)
        page = max(view.size.height - 1, 1)
        to = max(min(at + step * page, len(lines) - 1), 0)
        view.scroll_to(y=view.scroll_y + step * page, animate=False)
        lines[to].focus(scroll_visible=False)  # which would leave out lines, as it brings this one to the middle
        if to == at:
            self._tell(f"this is the {'last' if step > 0 else 'first'} line", of_line=True)

    def action_complete(self) -> None:
        """And where it is whole, look into the file."""
        super().action_complete()
        self._look_if_changed()

    def _look_if_changed(self) -> None:
        """Look into the files where what the fields say of them is not what was looked into last."""
        preview, values = _PREVIEWS.get(self._form.name), self.values()
        if preview is not None and values["files"] and values != self._looked_into:
            self._looked_into = values
            self._look(preview, values)

    @work(exclusive=True)
    async def _look(self, preview: Callable[[Mapping[str, str]], str], values: Mapping[str, str]) -> None:
        try:
            self._tell(await asyncio.to_thread(preview, values))
        except (CorpusError, ValueError) as error:
            self._tell(
                f"{'! ' if values.get('lang') else ''}{error}"
            )  # without languages it may only lack what comes next


def import_preview(values: Mapping[str, str]) -> str:
    """What is in the files of an import: format, languages, the first lines, and how many of a thousand are rejected.

    Raises CorpusError for files that cannot be read so.
    """
    files = [Path(each).expanduser() for each in shlex.split(values["files"])]
    languages = language_codes(values["lang"]) if values.get("lang") else ()
    shown, counts = list[str](), Counter[bool]()
    for source in open_sources(values.get("format") or None, files, Options(languages=languages)):
        for item in islice(source.items(), _LOOKED_AT):
            counts[isinstance(item, Rejected)] += 1
            if isinstance(item, Record) and len(shown) < _SHOWN:
                texts = zip_longest(item.languages or source.languages, item.texts, fillvalue="?")
                shown.append(" | ".join(f"{language}: {text}" for language, text in texts))
    rejected = f"of the first {counts.total():,} lines {counts[True]:,} are rejected"
    follows = "Then its words are indexed, and paraphrases, alignments and profiles follow: minutes in a large corpus"
    told = [] if values.get("follow") == "no" else [follows]
    return "\n".join([*shown, rejected, *told])


def require_files(text: str) -> None:
    """Raise InputError for the first of some names, or patterns of names, of which there is no file."""
    for word in shlex.split(text):
        if not glob(name := os.path.expanduser(word)) and not os.path.exists(name):
            raise InputError(f"there is no file {word!r}")


def _require_languages(values: Mapping[str, str]) -> None:
    """Raise what an import of some files would raise that tell no languages; of patterns of names it says so itself."""
    if all(Path(word).expanduser().is_file() for word in shlex.split(values["files"])):
        import_preview(values)


_LOOKED_AT, _SHOWN = 1_000, 2
_PREVIEWS = {"import": import_preview}


WRITTEN = frozenset(("output", "page"))
"""Fields of files that are there once such a job is done."""
_FIRST: Mapping[str, Sequence[str]] = {
    "score": (
        *("hypotheses", "ref", "metric", "unit", "significance", "baseline", "by"),
        *("source", "ref_from", "store"),
    ),
    "compare": ("systems", "metric", "ref", "scores", "unit", "significance", "section", "examples", "page"),
    "agreement": ("human", "hypotheses", "ref", "human_column", "metric", "unit", "level", "scores", "by", "documents"),
    "scores import": ("files", "human", "metric", "system_names", "skip_unknown", "replace"),
    "references": ("sources", "output", "lang", "with_source", "limit", "min_validity", "format", "ref", "ref_from"),
    "trace": ("segment", "hypothesis", "ref", "score", "unit", "order", "missed", "source"),
    "import": ("files", "lang", "name", "columns", "header", "attributes", "licence", "replace"),
    "generate": ("lang", "order", "min_validity", "real", "seed", "seeds", "outputs", "ref", "source", "name"),
    "paraphrases": ("text", "lang", "limit", "order", "min_validity", "real", "address", "output"),
    "search": ("pattern", "lang", "word", "regex", "cqp", "kwic", "aligned", "collection", "limit", "output"),
    "frequencies": ("lang", "unit", "attribute", "ngram", "pattern", "collection", "where", "dispersion", "limit"),
    "collocates": ("word", "lang", "window", "measure", "against", "relations", "collection", "where", "limit"),
    "keywords": ("collection", "lang", "against", "measure", "attribute", "ngram", "negative", "least", "limit"),
    "equivalents": ("phrase", "lang", "through", "probability", "all", "forms", "limit", "output"),
    "translations": ("word", "other", "lang", "pairs", "sketch", "where", "limit"),
    "translate": ("text", "source", "target", "method", "limit", "explain", "output"),
    "profile": ("lang", "spoken", "written", "text", "level", "each", "collection", "rebuild", "limit"),
    "select": ("lang", "task", "method", "share", "pool", "spoken", "written", "name", "list_all"),
    "study worth": ("hypotheses", "ref", "human", "human_column", "made", "equivalents", "source", "lang", "metric"),
    "study bitext": ("source", "ref", "hypotheses", "lang", "equivalents_from", "human", "human_column", "tokenise"),
    "study bleu-in-characters": ("hypotheses", "ref", "max_order_words", "max_order_chars", "equivalent", "plots"),
    "study equivalents-sheet": ("source", "ref", "output", "lang", "items", "seed", "equivalents_from"),
}
"""The options that most need: these are asked for first, and alone where there are many."""
_NEEDED: Mapping[str, str] = {"score": "hypotheses"}
"""What a command may have from elsewhere in a shell, and needs here."""
