"""The dialogs of the search, and the categories of its lines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Input

from corpusdb.base.cells import cut_right, padded
from corpusdb.base.display import cell_safe, check_name, counted, moment
from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import SECONDS_FOR_PATTERNS, Limit
from corpusdb.base.options import options_from_json, options_to_json
from corpusdb.corpus.queries.names import check_saving, save_query, saved_queries
from corpusdb.corpus.queries.sentences import check_place, collection_names, result_languages
from corpusdb.corpus.store import Store
from corpusdb.corpus.store.user_history import latest_of_each, recall
from corpusdb.search.queries.categories import (
    CategoryCount,
    CategorySet,
    FoundLines,
    category_counts,
    category_sets,
    check_category,
    check_category_set,
    counts_among,
    set_category,
    undo_categories,
)
from corpusdb.search.queries.concordance import Concordance, place_of
from corpusdb.search.queries.distribution import LinePlace, categories_of
from corpusdb.search.queries.request import NO_CATEGORY, SearchRequest
from corpusdb.search.queries.results import keep_found
from tui.kit.background import shell_call
from tui.kit.dialogs import ChoiceDialog, DetailsDialog, Dialog, FormDialog, one_line
from tui.kit.fields import Field
from tui.kit.place_screen import Hints
from tui.kit.reader import DatabaseReader
from tui.kit.shown import Label, ParadigmWanted, RowList, Text, bind
from tui.search import forms
from tui.search.results import GroupRows, LineRows, Results
from tui.search.searching import CorpusSearch

_Answer = TypeVar("_Answer")


def _ask(
    search: CorpusSearch,
    title: str,
    fields: Sequence[Field],
    read: Callable[[SearchRequest, Mapping[str, str]], SearchRequest],
    look_up: Callable[[DatabaseReader, SearchRequest], object] | None = None,
) -> None:
    """Change the search in a form; ``look_up`` raises CorpusError where it names what the database does not have."""

    def changed(values: Mapping[str, str]) -> SearchRequest:
        return read(search.words, values)

    async def check(values: Mapping[str, str]) -> None:
        words = changed(values)
        if look_up is not None:
            await search.screen.shell.runner.ask(lambda reader: look_up(reader, words))

    dialog = FormDialog(title, fields, check)
    dialog.ask(search.screen, lambda values: search.change(changed(values)))


def ask_language(search: CorpusSearch) -> None:
    languages = search.languages
    dialog = ChoiceDialog("Which language?", languages, search.words.lang)
    dialog.ask(search.screen, lambda place: search.use_language(languages[place]))


def ask_shown(search: CorpusSearch) -> None:
    fields = forms.shown_fields(search.words, search.other_languages)
    _ask(search, "Translations that are shown", fields, forms.shown_with)


def ask_sample(search: CorpusSearch) -> None:
    _ask(search, "Lines chosen at random", forms.sample_fields(search.words), forms.sampled)


def ask_name(search: CorpusSearch) -> None:
    if search.fault:
        search.screen.say(f"a query with an error is not saved: {search.fault}", is_error=True)
        return
    options = options_to_json(replace(search.words, limit=0))

    def named(values: Mapping[str, str]) -> None:
        if not values["name"] and not values["result"]:
            raise UsageError("a query needs a name, or its result does")
        if search.fault:
            raise UsageError(f"a query with an error is not saved: {search.fault}")

    async def save(values: Mapping[str, str]) -> None:
        def change(store: Store) -> None:
            if values["name"]:
                check_saving(store, values["name"], "search", options)
            if values["result"]:
                check_name(values["result"], "a result")
                told = _described(type(search.words), options)
                if not keep_found(store, values["result"], search.words, told, Limit(SECONDS_FOR_PATTERNS)):
                    raise UsageError("nothing is found, and nothing is kept")
            if values["name"]:
                save_query(store, values["name"], "search", options, note=values["note"])

        await search.screen.shell.runner.change(change)

    def saved(values: Mapping[str, str]) -> None:
        call = shell_call(search.screen.shell.commands, ("run", values["name"]))
        done = [f"saved: o opens it, `{call}` runs it"] if values["name"] else []
        done += [f"{values['result']!r} is kept: f can choose it as a collection"] if values["result"] else []
        search.screen.say("; ".join(done))

    fields = [
        Field("name", "Save query as", "", "o opens it again; in a shell, `corpusdb run NAME`"),
        Field("note", "Note on the query", "", "what you want to remember of it"),
        Field("result", "Save result as", "", "these sentences, a collection for f and for Keywords"),
    ]
    FormDialog("Save this query", fields, named, save).ask(search.screen, saved)


def ask_kept(search: CorpusSearch) -> None:
    def question(reader: DatabaseReader) -> list[tuple[str, Mapping[str, object]]]:
        saved = [
            (f"saved {each.name}{each.note and f' ({each.note})'}", each.options)
            for each in saved_queries(reader.store)
            if each.command == "search"
        ]
        earlier = reversed(latest_of_each(recall(reader.path)))
        return saved + [(moment(each.time), each.options) for each in earlier if each.command == "search"]

    def listed(kept: list[tuple[str, Mapping[str, object]]]) -> None:
        if not kept:
            search.screen.say("no query is saved yet: w saves this one", is_error=True)
            return
        kind = type(search.words)
        lines = [f"{origin:<16}  {_described(kind, options)}" for origin, options in kept]
        dialog = ChoiceDialog("Saved queries and history (times are UTC)", lines)
        dialog.ask(search.screen, lambda place: _open(search, kept[place][1]))

    search.screen.ask(question, listed, opens=True)


def _open(search: CorpusSearch, options: Mapping[str, object]) -> None:
    gone: list[str] = []
    with search.screen.errors_shown():
        search.open_words(options_from_json(type(search.words), options, gone.append), gone)


def _described(kind: type[SearchRequest], options: Mapping[str, object]) -> str:
    """The pattern, and what tells the search from others first: most are in one language and of one kind."""
    try:
        words = options_from_json(kind, options)
    except UsageError:
        return "of another version of corpusdb"
    usual = ("no conditions", "translations: all", "KWIC in corpus order")
    told = [each.removeprefix("only: ") for each in forms.view_text(words).split(" | ") if each not in usual]
    told.append(forms.mode_text(words).removesuffix(":"))
    return f"{words.pattern or 'all sentences'}  ({', '.join(told)})"


def ask_paradigm(search: CorpusSearch, text: str) -> None:
    def named(values: Mapping[str, str]) -> None:
        if not values["text"]:
            raise UsageError("type a word or a phrase")

    def asked(values: Mapping[str, str]) -> None:
        search.screen.app.post_message(ParadigmWanted(values["text"], search.words.lang))

    title = "Paradigm: what can take its place"
    FormDialog(title, [Field("text", "Word or phrase", text)], named).ask(search.screen, asked)


# Categories.


_USUAL_SET = "categories"
"""The set where none was chosen."""
_DIGITS = "123456789"
_NONE = "0"
"""The digit that takes a category away."""
_NAME_CELLS = 24
_TITLE_CELLS = 70


class CategoryDialog(Dialog[str | None]):
    """Asks for a category by its digit or its name; gives it, "" for none at all, None to change nothing."""

    HINTS = Hints(("category-dialog.done",), last=("category-dialog.cancel", "dialog.help"))
    BINDINGS: ClassVar[list[BindingType]] = [
        bind(
            "enter",
            "done",
            "Give it",
            "category-dialog.done",
            "Give the lines what was typed, or the category with the cursor",
            priority=True,
        ),
        bind("down", "move(1)", "Down", "category-dialog.down", "The next category"),
        bind("up", "move(-1)", "Up", "category-dialog.up", "The category before"),
        bind("escape,ctrl+g", "dismiss(None)", "Cancel", "category-dialog.cancel", "Change nothing"),
    ]

    def __init__(self, question: str, counts: Sequence[CategoryCount]) -> None:
        super().__init__()
        self._question = question
        self._counts = counts
        self._asked = "a digit above, or a new name and Enter; 0: none" if counts else "a new name, such as verb"

    def compose(self) -> ComposeResult:
        rows = self._rows()
        with Vertical(classes="form wide"):
            yield Label(self._question, classes="form-title")
            if rows:
                yield RowList(id="categories")
            yield Input("", id="category", placeholder=self._asked, compact=True)
            yield Label("", classes="form-error")
            yield self.hints()

    def on_mount(self) -> None:
        rows = self._rows()
        if rows:
            shown = self.query_one(RowList)
            shown.can_focus = False
            shown.styles.height = min(len(rows), 10)
            shown.show_rows(len(rows), lambda row: Text(rows[row]))
        self.set_focus(self.query_one(Input))  # at once: what is typed next is for it

    def _rows(self) -> list[str]:
        """The categories with the digits of the first nine, their lines, and their ratios with the interval."""
        return [
            f"{self._digit(place)} {padded(cut_right(cell_safe(each.category or '(none)'), _NAME_CELLS), _NAME_CELLS)}"
            f"{each.lines:>7,}  {each.share:>6.1%}{_format_interval(each)}"
            for place, each in enumerate(self._counts)
        ]

    def _digit(self, place: int) -> str:
        if not self._counts[place].category:
            return _NONE
        return _DIGITS[place] if place < len(_DIGITS) else " "

    def lines(self) -> list[str]:
        return [self._question, *self._rows()]

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        name = event.value.strip()
        fault = _fault(name)
        is_new = bool(name) and not self._has(name)
        told = (f"! {fault}" if fault else f"Enter gives the new category {cell_safe(name)}") if is_new else ""
        self.query_one(".form-error", Label).update(told)
        if event.value == _NONE:
            self.dismiss("")
        elif event.value and event.value in map(self._digit, range(len(self._counts))):
            self.dismiss(self._counts[int(event.value) - 1].category)

    def _has(self, name: str) -> bool:
        return any(each.category == name for each in self._counts)

    def action_move(self, rows: int) -> None:
        """What was typed is no longer what is given."""
        if self._counts:
            self.query_one(Input).value = ""
            self.query_one(RowList).cursor += rows

    def action_done(self) -> None:
        """Give the name that was typed, or the category with the cursor; what cannot be one is said."""
        name = self.query_one(Input).value.strip()
        if not name and self._counts:
            self.dismiss(self._counts[self.query_one(RowList).cursor].category)
            return
        if fault := _fault(name):
            self.query_one(".form-error", Label).update(f"! {fault}")
        else:
            self.dismiss(name)


def _fault(name: str) -> str:
    """Why something cannot be a category; empty where it can."""
    try:
        check_category(name)
    except UsageError as error:
        return one_line(error)
    return ""


def _format_interval(count: CategoryCount) -> str:
    if count.interval is None:
        return ""
    return f"  95 %: {count.interval.low:.1%} to {count.interval.high:.1%}"


def _lines_of(found: object) -> FoundLines:
    """All lines of a concordance, of which some are in sight."""
    if not isinstance(found, Concordance):
        return FoundLines((), are_drawn=False)
    return FoundLines([place_of(line) for line in found.lines()], are_drawn=len(found) < found.total)


class LineCategories:
    """The categories of the lines that are shown, in the set that the search names."""

    def __init__(self, search: CorpusSearch, results: Results) -> None:
        self._search = search
        self._screen = search.screen
        self._results = results
        self._last = ""
        """The set that was used last here."""

    def set_in(self, sets: Sequence[CategorySet]) -> str:
        """The set that the search names, else the one used last, else the only one that there is."""
        only = sets[0].name if len(sets) == 1 else _USUAL_SET
        return self._search.words.categories or self._last or only

    def _places(self) -> list[LinePlace]:
        """The matches of the selected lines, else of the one with the cursor. Raises UsageError where there is none."""
        rows, shown = self._results.found, self._results.rows
        if not isinstance(rows, LineRows) or not rows.count:
            raise UsageError(f"only lines of a concordance have categories: {self._way_to_lines()}")
        return [rows.place(row) for row in sorted(shown.selected) or [shown.cursor]]

    def _way_to_lines(self) -> str:
        """How one comes to lines from where one is."""
        words, rows = self._search.words, self._results.found
        if not words.kwic:
            return "v shows them"
        if not words.pattern:
            return "/ and a pattern find some"
        if isinstance(rows, GroupRows):
            return "Enter opens those of a group"
        return "nothing is found" if rows is not None else "the search is not done yet"

    def ask(self) -> None:
        """Ask for the category of the chosen lines, and give it to them.

        Where there are none, that is said in a dialog: whoever types a name for a category at once starts nothing.
        """
        try:
            places = self._places()
        except UsageError as error:
            self._screen.say(str(error), is_error=True)
            self._screen.app.push_screen(DetailsDialog("No category was given", [str(error)]))
            return
        with self._screen.errors_shown():

            def counted_now(name: str, counts: list[CategoryCount]) -> None:
                question = f"Which category for {counted(len(places), 'lines')}?"
                if name != _USUAL_SET:
                    question += f" (of the set {cell_safe(name)})"
                give = lambda category: self._give(places, name, category or None)  # noqa: E731
                CategoryDialog(question, counts).ask(self._screen, give)

            shown = self._search.found

            def count(reader: DatabaseReader) -> tuple[str, list[CategoryCount]]:
                name = self.set_in(category_sets(reader.store))
                return name, counts_among(reader.store, name, _lines_of(shown))

            self._screen.ask(count, lambda counted: counted_now(*counted), opens=True)

    def _give(self, places: Sequence[LinePlace], name: str, category: str | None) -> None:
        def given(changed: int) -> None:
            what = cell_safe(category) if category else "no category"
            self._use(name, f"{what}: {counted(len(places), 'lines')}, {changed:,} changed; u takes it back")
            self._search.remember(again=False)  # for `categories ratios SET -`
            rows = self._results.rows
            if rows.selected:
                rows.selected.clear()
            else:
                rows.cursor += 1

        self._write(lambda store: set_category(store, name, places, category), given)

    def _write(self, change: Callable[[Store], _Answer], then: Callable[[_Answer], None]) -> None:
        """Change the database; keys that are pressed meanwhile are for the line to which ``then`` goes."""

        def written(answer: _Answer) -> None:
            self._screen.hand_over()
            then(answer)

        self._screen.begin_holding()
        self._screen.write(change, written)

    def undo(self) -> None:
        with self._screen.errors_shown():
            self._places()

            def undone(name: str, changed: Collection[LinePlace]) -> None:
                if changed:
                    self._use(name, f"{counted(len(changed), 'lines')} as before")
                    self._go_to(changed)
                else:
                    self._screen.say(f"nothing to undo in the set {cell_safe(name)}", is_error=True)

            def undo_in(store: Store) -> tuple[str, list[LinePlace]]:
                name = self.set_in(category_sets(store))
                return name, undo_categories(store, name)

            self._write(undo_in, lambda answer: undone(*answer))

    def _go_to(self, places: Collection[LinePlace]) -> None:
        """Put the cursor on the first of some lines, for another category, where one of them is shown."""
        found = self._search.found
        if isinstance(found, Concordance):
            rows = (row for row, line in enumerate(found.lines()) if place_of(line) in places)
            self._results.rows.cursor = next(rows, self._results.rows.cursor)

    def choose_set(self) -> None:
        with self._screen.errors_shown():

            def listed(sets: list[CategorySet]) -> None:
                names = [each.name for each in sets]
                told = ", ".join(f"{cell_safe(each.name)} ({counted(each.lines, 'lines')})" for each in sets)
                title = cut_right(f"Sets of categories: {told or 'none yet'}", _TITLE_CELLS)
                field = Field(
                    "set",
                    "Name of the set",
                    self.set_in(sets),
                    choices=tuple(names),
                    is_open=True,
                    help="A set holds the categories of one question, such as sense: c gives lines one of them, "
                    "s sorts, b counts and f chooses lines by them. Empty: none are shown",
                )

                async def check(values: Mapping[str, str]) -> None:
                    if values["set"]:
                        check_category_set(values["set"])
                        await self._screen.shell.runner.ask(lambda reader: categories_of(reader.store, values["set"]))

                def chosen(values: Mapping[str, str]) -> None:
                    name = values["set"]
                    told = (
                        f"the set of categories is {cell_safe(name)}"
                        if name
                        else "no categories are shown; C chooses a set"
                    )
                    self._use(name, told)

                FormDialog(title, [field], check).ask(self._screen, chosen)

            self._screen.ask(lambda reader: category_sets(reader.store), listed, opens=True)

    def name(self, words: SearchRequest) -> None:
        """Search for words that ask for categories, of the usual set; say so where there is no category at all."""

        def named(sets: list[CategorySet]) -> None:
            if sets:
                self._search.change(replace(words, categories=self.set_in(sets)))
            else:
                self._screen.say("no line has a category yet: c gives lines one", is_error=True)

        self._screen.ask(lambda reader: category_sets(reader.store), named)

    def _use(self, name: str, told: str) -> None:
        """Show the categories of a set, as they are now, and go on with it."""
        self._last = name
        self._search.change(replace(self._search.words, categories=name))
        self._screen.say(told)


# Dialogs in which categories are among what there is to choose from.


def ask_filters(search: CorpusSearch, categories: LineCategories) -> None:
    def question(reader: DatabaseReader) -> tuple[list[str], dict[str, str], str, list[str]]:
        name = categories.set_in(category_sets(reader.store))
        known = [each.category for each in category_counts(reader.store, name)]
        return collection_names(reader.store), result_languages(reader.store), name, known

    def asked(collections: list[str], results: dict[str, str], name: str, known: list[str]) -> None:
        def read(words: SearchRequest, values: Mapping[str, str]) -> SearchRequest:
            if values["category"] and not words.pattern:
                raise UsageError("only lines with a match have categories: type a pattern first (/)")
            if values["category"]:
                words = replace(words, kwic=True, categories=words.categories or name)
            made = forms.filtered(words, values)
            if made.collection in (None, words.collection):
                return made
            # A result is of one language: there, and nowhere else, is something to be found in it.
            return replace(made, lang=results.get(made.collection or "", made.lang))

        def look_up(reader: DatabaseReader, words: SearchRequest) -> None:
            check_place(reader.store, words.collection, words.document)
            if words.category not in ("", NO_CATEGORY, *known):
                raise UsageError(f"no line has the category {words.category!r}; there are {', '.join(known) or 'none'}")

        fields = forms.filter_fields(search.words, search.other_languages, [*collections, *results], known)
        _ask(search, "Only sentences that fulfil all of this", fields, read, look_up)

    search.screen.ask(question, lambda found: asked(*found), opens=True)


def ask_sort(search: CorpusSearch, categories: LineCategories) -> None:
    kinds = forms.sortings(search.words)
    menu = ["Sort the lines", *(forms.SORTED[kind] for kind in kinds), forms.SORTED_BY_SEVERAL]
    chosen = kinds.index(search.words.sort) if search.words.sort in kinds else len(kinds)

    def change(words: SearchRequest, place: int) -> SearchRequest | None:
        if place < len(kinds):
            return replace(words, sort=kinds[place])
        _ask(
            search,
            "Sort the lines by several, each where those before are equal",
            forms.sort_fields(words),
            forms.sorted_by,
        )
        return None

    _choose(search, menu, chosen, change, categories)


def ask_group(search: CorpusSearch, categories: LineCategories) -> None:
    kinds = forms.countings(search.words)
    menu = ["Count the lines by", *(forms.COUNTED[kind] for kind in kinds)]
    chosen = next((place for place, kind in enumerate(kinds) if kind == search.words.group), 0)
    _choose(search, menu, chosen, lambda words, place: replace(words, group=kinds[place]), categories)


def _choose(
    search: CorpusSearch,
    menu: Sequence[str],
    chosen: int,
    change: Callable[[SearchRequest, int], SearchRequest | None],
    categories: LineCategories,
) -> None:
    """Choose by what lines are sorted or counted, or whether marks are passed over then; ``menu`` has its title first.

    ``change`` gives None where it asks further. It stands there at once, so that what is typed next is for it.
    """
    title, *lines = menu

    def answered(place: int) -> None:
        words = search.words
        if place == len(lines):
            search.change(replace(words, kwic=True, words_only=not words.words_only))
            return
        made = change(words, place)
        if made is None:
            return
        changed = replace(made, kwic=True)
        if "category" in (changed.sort, changed.group) and not changed.categories:
            categories.name(changed)
        else:
            search.change(changed)

    marks = "let punctuation marks count as words" if search.words.words_only else "pass over punctuation marks"
    ChoiceDialog(title, [*lines, marks], lines[chosen]).ask(search.screen, answered)
