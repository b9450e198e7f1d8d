"""Commands of the program, which are begun on every place: the form of each, and its job."""

from __future__ import annotations

import asyncio
import os
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from glob import glob
from itertools import combinations, islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.events import DescendantFocus
from textual.widget import Widget
from textual.widgets import Input

from corpusdb.base.cells import cell_width, cut_middle
from corpusdb.base.display import counted
from corpusdb.base.errors import CorpusError, InputError
from corpusdb.base.options import CommandForm, FormField
from corpusdb.base.text import language_codes
from corpusdb.corpus.formats import Options, open_sources
from corpusdb.corpus.formats.records import Record, Rejected
from corpusdb.corpus.store import Store
from tui.kit.background import Offered
from tui.kit.dialogs import FormDialog, shown_lines
from tui.kit.fields import Field, FieldLine
from tui.kit.help_screens import FoundChoiceDialog, GuideScreen, guide_lines
from tui.kit.place_screen import Hints, Legend, PlaceScreen, hint_name
from tui.kit.programs import Program, short_title
from tui.kit.shown import Label, Static, bind, said_here

if TYPE_CHECKING:
    from corpusdb.scoring.queries.stored_scores import TestSet

_MORE, _HIDDEN = "more-options", "hidden"
"""The line that opens the rest of a long form, and what it says before."""
_MOST_LINES = 11
"""A form of more lines than these has the others behind one of them."""
_COMMAND_LINES = 3
_BORDERS = 2
_FORM_LINES = (3, 11)
"""So many lines of a form are seen at least, and at most."""
_AROUND = 3
"""Cells beside a line of an answer."""


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
    "V": "0 to 1",
    "TEXT": "a text",
    "WORD": "a word",
    "WORD|PHRASE": "a word or phrase",
    "PHRASE": "a word or phrase",
    "METRICS...": "as bleu,chrf",
}
"""What the word of the shell for a value says that it is."""


def _line(field: FormField, value: str, stored: Sequence[str] = ()) -> Field:
    """An option as a line of the form, with what is said instead of its default, and what is stored of its kind."""
    hint = "" if field.is_flag or field.choices else _IN_WORDS.get(field.metavar, field.metavar.replace("|", " or "))
    if field.is_file:
        hint = f"{_kind_of_file(field)}; tab completes"
    label = field.label + "*" * field.is_required
    told = ": ".join(filter(None, ["* needed" * field.is_required, said_here(field.help)]))
    path = {"is_file": field.is_file, "is_many": field.is_many, "is_written": field.name in _WRITTEN}
    nothing = _NOTHING.get(field.name, "usual")
    choices = field.choices or tuple(stored)
    told = f"{told.removesuffix('.')}; stored: {', '.join(stored)}" if stored and field.is_file else told
    is_open = bool(stored)
    return Field(
        field.name, label, value or field.default, hint, choices, told, nothing=nothing, is_open=is_open, **path
    )


def _folded(form: str, fields: Sequence[FormField], lines: Sequence[Field]) -> list[str]:
    """The options of a long form that few need: those that are not named as its first ones, and say what is usual."""
    if len(fields) <= _MOST_LINES:
        return []
    first = _FIRST.get(form) or [each.name for each in fields[: _MOST_LINES - 1]]
    usual = {each.name: each.default for each in fields}
    shown = {each.name for each in fields if each.is_required or each.name in first}
    shown |= {each.name for each in lines if each.value != usual[each.name]}
    shown |= {"overwrite"} if "output" in shown else set()
    return [each.name for each in fields if each.name not in shown]


def _more(count: int) -> Field:
    told = f"Space shows {counted(count, 'other options')}, which are as usual unless you change them"
    return Field(_MORE, "More options", _HIDDEN, choices=(_HIDDEN, f"show {count}"), help=told)


_NOTHING: Mapping[str, str] = {
    **dict.fromkeys(("significance", "by", "add"), "none"),
    **dict.fromkeys(("kind", "level"), "all"),
    "ref_from": "files",
    "paraphrased": "either",
}
"""What an option does where nothing is chosen, by its name, where that is not left to the command."""


class CommandDialog(FormDialog):
    """The options of a command, what the one with the cursor means, and the command line that all of it stands for."""

    HINTS = Hints(("form.done", "command.page", "form.choose", "form.complete"), last=("form.cancel", "dialog.help"))
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("pagedown", "page(1)", "Page", "command.page", "A page of lines down", priority=True),
        bind("pageup", "page(-1)", "Page", "command.page-back", "A page of lines up", priority=True),
        bind("ctrl+r", "as_last_time", "As last time", "command.last", "All lines as the last time", priority=True),
    ]
    last_time: Mapping[str, str] = {}
    """What the lines said when such a job was begun last."""

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
            begin(form.words(values), {name: said for name, said in values.items() if name != _MORE})

        needed, asked_first = _NEEDED.get(form.name, ""), _FIRST.get(form.name, ())
        fields = (replace(each, is_required=each.is_required or each.name == needed) for each in form.fields)
        form = replace(form, fields=tuple(fields))

        def place(field: FormField) -> tuple[int, bool]:
            at = asked_first.index(field.name) if field.name in asked_first else len(asked_first)
            return at, not field.is_required

        ordered = sorted(form.fields, key=place)
        lines = [_line(each, known.get(each.name, ""), stored.get(each.name, ())) for each in ordered]
        self._folded = _folded(form.name, ordered, lines)
        if self._folded:
            lines = [each for each in lines if each.name not in self._folded]
            lines += [_more(len(self._folded)), *(_line(each, "") for each in ordered if each.name in self._folded)]
        summary, _, _ = form.help.partition("\n")

        def check(values: Mapping[str, str]) -> None:
            form.words(values)
            if form.name in _PREVIEWS:
                require_files(values["files"])

        super().__init__(f"{form.name}: {summary}", lines, check, carry_out)
        self._form = form
        self._by_name = {field.name: field for field in form.fields}
        self._begins_on = first
        self._looked_into: Mapping[str, str] = {}
        self._command = ""

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
        return "begin" if binding.id == "form.done" else hint_name(binding)

    def on_mount(self) -> None:
        self._show_line()
        if self._begins_on in self._folded:
            self.query_one(f"#{_MORE}", FieldLine).choose(1)
        self._unfold()
        if self._begins_on:
            self.set_focus(self.query_one(f"#{self._begins_on}", FieldLine))  # at once: what is typed next is for it
        now = self.values()
        if any(now.get(name, said) != said for name, said in self.last_time.items()):
            self._tell("ctrl+r: all lines as the last time")

    def action_as_last_time(self) -> None:
        now = self.values()
        others = {name: said for name, said in self.last_time.items() if now.get(name, said) != said}
        if not others.keys().isdisjoint(self._folded) and self.query_one(f"#{_MORE}", FieldLine).value == _HIDDEN:
            self.query_one(f"#{_MORE}", FieldLine).choose(1)
        for name, said in others.items():
            self.query_one(f"#{name}", FieldLine).value = said
        self._tell("as the last time" if self.last_time else "no such job was begun here yet")

    def _unfold(self) -> None:
        """Show the lines behind the one that opens, once it is opened."""
        is_open = bool(self._folded) and self.query_one(f"#{_MORE}", FieldLine).value != _HIDDEN
        for name in self._folded:
            line = self.query_one(f"#{name}", FieldLine).parent
            if isinstance(line, Widget):
                line.display = is_open

    @on(Input.Changed, f"#{_MORE}")
    def _opened(self) -> None:
        self._unfold()
        line = self.query_one(f"#{_MORE}", FieldLine)
        self.call_after_refresh(line.scroll_visible, animate=False, top=line.value != _HIDDEN)

    @on(DescendantFocus)
    def _look_into_it(self) -> None:
        self._look_if_changed()

    @on(Input.Changed)
    def _show_line(self) -> None:
        try:
            words = self._form.words(self.values())
        except CorpusError:
            words = [*self._form.name.split(), "..."]
        self._command = f"$ {shlex.join(['corpusdb', *words])}"
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
        told = (self._command, short_title(self._command, has_folders=True), short_title(self._command))
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
    follows = "minutes where much is new; no in 'Bring up to date' leaves it to generate"
    told = [] if values.get("follow") == "no" else [f"then what is derived follows: {follows}"]
    return "\n".join([*shown, rejected, *told])


def require_files(text: str) -> None:
    """Raise InputError for the first of some names, or patterns of names, of which there is no file."""
    for word in shlex.split(text):
        if not glob(name := os.path.expanduser(word)) and not os.path.exists(name):
            raise InputError(f"there is no file {word!r}")


_LOOKED_AT, _SHOWN = 1_000, 2
_PREVIEWS = {"import": import_preview}


_GUIDE = "guide "


def choose_command(screen: PlaceScreen, first: Sequence[str] = (), group: str = "") -> None:
    """Choose one of the commands, those that belong to a place first, and fill in its form."""
    offered = screen.shell.commands
    if offered is None:
        screen.say("this browser begins no commands", is_error=True)
        return
    listed = dict(offered.listed(group))
    groups = dict.fromkeys(name.partition(" ")[0] for name in first if " " in name)
    within = {name: summary for each in groups for name, summary in offered.listed(each) if name in first}
    listed |= {} if group else within
    names = [*(name for name in first if name in listed), *(name for name in listed if name not in first)]
    width = max(map(len, names), default=0)
    choices = [f"{name:<{width}}  {listed[name]}" for name in names]
    chosen = [(name, "") for name in names]

    def members(word: str) -> list[str]:
        known = {name for name, option in chosen if not option}
        found = offered.listed(word) if word in listed else ()
        new = [(name, summary) for name, summary in found if name not in known]
        chosen.extend((name, "") for name, _ in new)
        return [f"{name:<{width}}  {summary}" for name, summary in new]

    async def options() -> list[str]:
        """And what the guides say."""
        found = await asyncio.to_thread(lambda: [*_options_of(offered, names)])
        chosen.extend((name, option.name) for name, option in found)
        told = await asyncio.to_thread(guide_lines)
        chosen.extend((f"{_GUIDE}{topic}", line) for topic, line in told)
        return [
            *(f"{name:<{width}}  {option.label}: {_told_of(option)}" for name, option in found),
            *(f"{_GUIDE + topic:<{width}}  {line.strip()}" for topic, line in told),
        ]

    def begin(place: int) -> None:
        name, at = chosen[place]
        if name.startswith(_GUIDE):
            screen.app.push_screen(GuideScreen(name.removeprefix(_GUIDE), at))
        else:
            begin_command(screen, name, option=at)

    FoundChoiceDialog("Begin which job?" if not group else f"corpusdb {group}", choices, members, options).ask(
        screen, begin
    )


def _options_of(offered: Offered, names: Sequence[str]) -> Iterator[tuple[str, FormField]]:
    """The options of some commands, and of those in groups of this name."""
    for name in names:
        if (form := offered.form(name)) is not None:
            yield from ((name, field) for field in form.fields)
        else:
            within = [each for each, _ in offered.listed(name) if each not in names]
            yield from _options_of(offered, within)


def _told_of(field: FormField) -> str:
    choices = () if field.is_flag else field.choices
    return f"{said_here(field.help)} {' '.join(each for each in choices if each not in field.help)}".rstrip()


def begin_command(screen: PlaceScreen, name: str, said: Mapping[str, str] | None = None, option: str = "") -> None:
    """Fill in the form of a command, and start it as a job; of a group, choose one of its commands first.

    ``said`` is in the form instead of what else would be; the cursor begins on the line of an ``option``.
    """
    offered = screen.shell.commands
    form = None if offered is None else offered.form(name)
    if form is None:
        choose_command(screen, group=name)
        return

    def begin(words: list[str], typed: Mapping[str, str]) -> None:
        program = Program(tuple(words), max(screen.size.width, 80) - _AROUND, name, typed)
        screen.shell.jobs.start(shlex.join(words), program)
        is_next = len(screen.shell.jobs.active) > 1
        screen.say(f"{'waits for the job before it' if is_next else 'started'}; 6, then Enter, shows its answer")

    known = {each.name: screen.shell.language for each in form.fields if each.is_required and each.metavar == "LANG"}
    before = {**known, **_USUAL_HERE.get(name, {}), **screen.CHOSEN_FOR(name), **_in_vain(screen, name), **(said or {})}

    def ask(stored: Mapping[str, Sequence[str]]) -> None:
        first = {name: choices[0] for name, choices in stored.items() if choices}
        others = {each: said for each, said in before.items() if not (first and each in _NOT_STORED.get(name, ()))}
        dialog = CommandDialog(form, begin, {**first, **others}, stored, option)
        typed, _ = screen.shell.jobs.typed_before(name)
        dialog.last_time = {field: said for field, said in typed.items() if field not in _WRITTEN}
        screen.app.push_screen(dialog)

    if (look := _STORED.get(name)) is None:
        ask({})
    else:
        about = {**before, "language": screen.shell.language}
        screen.ask(lambda reader: look(reader.store, about), ask, kind="form", opens=True)


def _pairs_to_align(store: Store, about: Mapping[str, str]) -> Mapping[str, Sequence[str]]:
    from corpusdb.alignment.queries.phrases import languages_to_align

    language = about["language"]
    return {"lang": [f"{language},{other}" for other in languages_to_align(store, language)]}


def _test_set(store: Store, about: Mapping[str, str]) -> TestSet | None:
    """That which the form is about, else the one that was scored last; None without any."""
    from corpusdb.scoring.queries.score_table import chosen_test_set
    from corpusdb.scoring.queries.stored_scores import all_test_sets

    found = all_test_sets(store)
    number, digest = about.get("test_set", ""), about.get("set", "")
    own = [each for each in found if number == str(each.number) or (digest and each.set_called(digest))]
    return chosen_test_set(own or found) if found else None


def _people(store: Store, about: Mapping[str, str]) -> Mapping[str, Sequence[str]]:
    from corpusdb.scoring.queries.stored_people import names_of_people

    return {"human": names_of_people(store, _test_set(store, about) if "test_set" in about else None)}


def _stored_systems(store: Store, about: Mapping[str, str]) -> Mapping[str, Sequence[str]]:
    """Pairs of systems of a test set, and all metrics that they were scored with."""
    from corpusdb.scoring.queries.score_table import score_table

    if (chosen := _test_set(store, about)) is None:
        return {}
    table = score_table(store, chosen)
    names = [shlex.quote(row.name) for row in table.rows][:_MOST_PAIRED]
    settings = [column.settings for column in table.columns if column.settings is not None]
    metrics = ",".join(dict.fromkeys(each.metric for each in settings))
    pairs = [" ".join(each) for each in combinations(names, 2)]
    return {"systems": pairs, "metric": [metrics], "unit": [settings[0].unit]} if pairs and metrics else {}


_MOST_PAIRED = 4
_STORED: Mapping[str, Callable[[Store, Mapping[str, str]], Mapping[str, Sequence[str]]]] = {
    "align": _pairs_to_align,
    "agreement": _people,
    "compare": _stored_systems,
}
"""What the database has for the lines of a form, by the names of their fields; the first is what they begin with."""
_NOT_STORED: Mapping[str, Sequence[str]] = {
    "agreement": ("hypotheses", "ref", "source"),
    "compare": ("ref", "source"),
}
"""Files that need not be said where the database has what they hold."""


def _in_vain(screen: PlaceScreen, name: str) -> Mapping[str, str]:
    """What the form of a command said the last time, by the names of its fields, where nothing came of it."""
    typed, is_in_vain = screen.shell.jobs.typed_before(name)
    return typed if is_in_vain else {}


_AS_WORDS: Mapping[str, str] = {"ignore_case": "yes", "words_only": "yes"}
_USUAL_HERE: Mapping[str, Mapping[str, str]] = {
    "score": {"store": "yes"},
    "references": {"format": "jsonl"},
    "frequencies": _AS_WORDS,
    "collocates": {**_AS_WORDS, "least": "2"},
    "keywords": _AS_WORDS,
}
"""What is said instead of defaults, so that the browser shows what comes of it, and counts as its places do."""
_WRITTEN = frozenset(("output", "page"))
"""Fields of files that are there once such a job is done."""
_FIRST: Mapping[str, Sequence[str]] = {
    "score": (
        *("hypotheses", "ref", "metric", "unit", "significance", "by", "documents"),
        *("source", "ref_from", "store"),
    ),
    "compare": ("systems", "metric", "ref", "scores", "unit", "significance", "section", "examples", "page"),
    "agreement": ("human", "hypotheses", "ref", "human_column", "metric", "unit", "level", "scores", "by", "documents"),
    "scores import": ("files", "human", "metric", "system_names", "skip_unknown", "replace"),
    "references": ("sources", "output", "lang", "with_source", "limit", "min_validity", "format", "ref", "ref_from"),
    "trace": ("segment", "hypothesis", "ref", "score", "unit", "order", "missed", "source"),
    "import": ("files", "lang", "name", "columns", "header", "attributes", "licence", "follow"),
    "generate": ("lang", "order", "min_validity", "real", "seed", "seeds", "outputs", "ref", "source", "name"),
    "paraphrases": ("text", "lang", "limit", "order", "min_validity", "real", "address", "output"),
    "search": ("pattern", "lang", "word", "regex", "cqp", "kwic", "aligned", "collection", "limit", "output"),
    "frequencies": ("lang", "unit", "attribute", "ngram", "pattern", "collection", "where", "dispersion", "limit"),
    "collocates": ("word", "lang", "window", "measure", "against", "relations", "collection", "where", "limit"),
    "keywords": ("collection", "lang", "against", "measure", "attribute", "ngram", "negative", "least", "limit"),
    "equivalents": ("phrase", "lang", "through", "probability", "all", "forms", "limit", "output"),
    "translations": ("word", "other", "lang", "pairs", "sketch", "where", "limit"),
    "translate": ("text", "source", "target", "method", "limit", "explain", "output"),
    "profile": ("lang", "spoken", "written", "level", "each", "collection", "outliers", "histogram", "limit"),
    "select": ("lang", "task", "method", "share", "pool", "spoken", "written", "name", "list_all"),
    "study worth": ("hypotheses", "ref", "human", "human_column", "made", "equivalents", "source", "lang", "metric"),
    "study bitext": ("source", "ref", "hypotheses", "lang", "equivalents_from", "human", "human_column", "tokenise"),
    "study bleu-in-characters": ("hypotheses", "ref", "max_order_words", "max_order_chars", "equivalent", "plots"),
    "study equivalents-sheet": ("source", "ref", "output", "lang", "items", "seed", "equivalents_from"),
}
"""The options that most need: these are asked for first, and alone where there are many."""
_NEEDED: Mapping[str, str] = {"score": "hypotheses"}
"""What a command may have from elsewhere in a shell, and needs here."""
