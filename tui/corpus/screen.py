"""The corpus: all sentences of a language, searched while one types, with their translations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, get_args

from textual import events, on
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal
from textual.widgets import Input

from corpusdb.options import options_to_json
from corpusdb.queries.corpus.sentence_detail import SentenceDetail, sentence_detail
from corpusdb.queries.corpus.sentences import languages_of
from corpusdb.queries.search.arrangement import Sorting
from corpusdb.queries.search.concordance import Concordance
from corpusdb.queries.search.hit_export import Written
from corpusdb.queries.search.request import SearchRequest
from corpusdb.queries.search.search import Hits
from corpusdb.store.user_history import Entry, recall, remember
from corpusdb.textsearch.patterns import Mode
from tui.background.reader import Desk
from tui.background.stepwise import StepwiseTask
from tui.corpus import dialogs
from tui.corpus.document_screen import DocumentScreen
from tui.corpus.forms import mode_text, view_text, without_filters
from tui.corpus.questions import Answer, SearchErrand
from tui.corpus.rows import GroupRows, HitRows, LineRows, SentenceRows
from tui.corpus.search_line import SearchLine
from tui.corpus.sentence_pane import SentencePane
from tui.messages import Highlighted, Opened
from tui.shared.place_screen import PlaceScreen
from tui.shown import Static, Text
from tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from tui.app import Browser

__all__ = ["CorpusScreen", "show_in_corpus"]

_MODES: tuple[Mode, ...] = get_args(Mode)
_SORTINGS: tuple[Sorting, ...] = get_args(Sorting)
_FIRST_LANGUAGE = "eng"


class CorpusScreen(PlaceScreen):
    """Sentences and what was found in them."""

    PLACE = "corpus"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-short"), (18, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        # With priority: it works wherever the focus is, and passes the key on where nothing is to be stopped.
        Binding(
            "escape,ctrl+c", "stop", "Stop", id="corpus.stop", tooltip="Stop the search", show=False, priority=True
        ),
        Binding("slash", "search", "Search", id="corpus.search", tooltip="Type what to search for"),
        Binding("m", "mode", "Mode", id="corpus.mode", tooltip="Search for a string, whole words, a regex, or CQP"),
        Binding("i", "case", "Case", id="corpus.case", tooltip="Tell upper from lower case, or not"),
        Binding("l", "language(1)", "Language", id="corpus.next-language", tooltip="The next language"),
        Binding("L", "ask('language')", "Choose", id="corpus.language", tooltip="Choose the language", show=False),
        Binding("f", "ask('filters')", "Filter", id="corpus.filter", tooltip="Conditions on the sentences"),
        Binding("F", "no_filters", "No filter", id="corpus.no-filter", tooltip="No conditions", show=False),
        Binding("d", "detail", "Detail", id="corpus.detail", tooltip="Show the translations, or hide them"),
        Binding("T", "ask('shown')", "Translations", id="corpus.translations", tooltip="Choose which are shown"),
        Binding("v", "kwic", "KWIC", id="corpus.kwic", tooltip="Matches in the middle, or sentences"),
        Binding("s", "sort", "Sort", id="corpus.sort", tooltip="Sort the matches by what is beside them"),
        Binding("S", "ask('sample')", "Sample", id="corpus.sample", tooltip="Choose matches at random", show=False),
        Binding("b", "ask('group')", "Group by", id="corpus.group", tooltip="Count the matches by what is in common"),
        Binding("p", "paraphrase", "Paraphrase", id="corpus.paraphrase", tooltip="A session with these sentences"),
        Binding("P", "paradigm", "Paradigm", id="corpus.paradigm", tooltip="What commutes with a word", show=False),
        Binding("w", "ask('name')", "Save", id="corpus.save", tooltip="Save this query under a name", show=False),
        Binding("o", "ask('kept')", "Queries", id="corpus.queries", tooltip="Saved queries and history"),
        Binding("e", "export", "Export", id="corpus.export", tooltip="Write all hits to a file; stop it"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.words = SearchRequest()
        """What is searched for; ``lang`` is the one language that is shown."""
        self.languages: list[str] = []
        self.found: Hits | Concordance | None = None
        """The result that is shown."""
        self.export: StepwiseTask[Written] | None = None
        self._rows: HitRows | None = None
        self._group: str | None = None
        """The group whose lines are shown, where some are."""
        self._errand: SearchErrand | None = None
        self._goal: int | None = None
        """The sentence that is to get the cursor."""
        self._detailed: tuple[object, ...] = ()

    def compose_body(self) -> ComposeResult:
        with Horizontal(id="search-row"):
            yield Static("", id="search-mode")
            yield SearchLine(id="search", results="hits")
        yield Static("", id="filters")
        with Container(id="corpus-body"):
            yield RowList(id="hits", empty="")
            yield SentencePane(id="detail")

    def on_mount(self) -> None:
        self.hits.focus()
        self.ask(lambda desk: (languages_of(desk.store), recall(desk.path)), lambda answer: self._begin(*answer))

    def _begin(self, languages: list[str], history: list[Entry]) -> None:
        self.languages = languages
        asked = [entry.options.get("pattern") for entry in history if entry.command == "search"]
        self.search_line.remember([pattern for pattern in asked if isinstance(pattern, str)])
        if not languages:
            self.hits.show_rows(0, lambda row: Text(), empty="The corpus is empty; `corpusdb import` fills it.")
        elif not self.words.lang:
            self.use_language(_FIRST_LANGUAGE if _FIRST_LANGUAGE in languages else languages[0])

    @property
    def hits(self) -> RowList:
        return self.query_one("#hits", RowList)

    @property
    def search_line(self) -> SearchLine:
        return self.query_one("#search", SearchLine)

    @property
    def other_languages(self) -> tuple[str, ...]:
        """Those of the corpus into which sentences may be translated."""
        return tuple(each for each in self.languages if each != self.words.lang)

    def lines(self) -> list[str]:
        """The search, its conditions, how much was found, the rows, and the detail of the one with the cursor."""
        head = [f"{mode_text(self.words)} {self.words.pattern}".rstrip(), view_text(self.words)]
        summary = [self._rows.summary] if self._rows else []
        return [*head, *summary, *self.hits.lines(), *self.query_one("#detail", SentencePane).lines()]

    # What is searched for

    def change(self, words: SearchRequest) -> None:
        """Search for something else."""
        if words.group != self.words.group:
            self._group = None
        only_shown = replace(words, shown=self.words.shown, distance=self.words.distance) == self.words
        self.words = words
        self._tell_search()
        if only_shown and words.group != "translation":
            self._ask_detail(self.hits.cursor)
        else:
            self._search()

    def open_words(self, words: SearchRequest) -> None:
        """Run a query that was kept; of several languages the first is shown."""
        language = words.lang.split(",")[0] or self.words.lang
        self._group = None
        self.change(replace(words, lang=language))
        with self.prevent(Input.Changed):
            self.search_line.value = words.pattern
        self.hits.focus()

    def use_language(self, language: str) -> None:
        """Search in the sentences of another language."""
        self.change(replace(self.words, lang=language))
        self.ask(lambda desk: desk.searcher.text(language).ends, lambda ends: None, kind="warm")

    def search_for(self, text: str, language: str) -> None:
        """Search for a string, without conditions."""
        words = without_filters(self.words.with_mode("substring"))
        self.open_words(replace(words, pattern=text, lang=language, ignore_case=False, kwic=False, group=None))

    def show_sentence(self, sentence: int, text: str, language: str) -> None:
        """Go to a sentence: in what was found where it is there, else among all sentences of its language."""
        rows = self._rows
        place = rows.row_of(sentence) if isinstance(rows, SentenceRows) and language == self.words.lang else None
        self.hits.focus()
        if place is not None:
            self.hits.cursor = place
            return
        self._remember()
        self._goal = sentence
        self.search_for("", language)

    def _search(self) -> None:
        if self._errand is not None:
            self._errand.stop()
        self._errand = SearchErrand(self, self._show)
        self._errand.look_for(self.words, self._group)

    def action_stop(self) -> None:
        if self._errand is None or self._errand.is_over:
            raise SkipAction
        self._errand.stop()
        self.say("the search was stopped; the list is as it was before")

    def on_unmount(self) -> None:
        if self._errand is not None:
            self._errand.give_up()

    def _show(self, found: Answer) -> None:
        rows: HitRows
        if isinstance(found, Hits):
            self.found, rows = found, SentenceRows(found)
        elif isinstance(found, Concordance):
            self.found, rows = found, LineRows(found, lambda: self.hits.scrollable_content_region.width - 2)
        else:
            concordance, groups = found
            self.found, rows = concordance, GroupRows(groups, concordance)
        cursor = rows.row_of(self._goal) if self._goal is not None and isinstance(rows, SentenceRows) else None
        self._rows, self._goal = rows, None
        empty = "No sentence holds this." if self.words.pattern or not self.words.kwic else "KWIC: type a pattern."
        self.hits.show_rows(rows.count, rows.text, cursor=cursor or 0, empty=empty)
        if not rows.count:
            self.query_one("#detail", SentencePane).show(Text())
        self._detailed = ()
        self.say(rows.summary + (f": {self._group}" if self._group is not None else ""))

    def _tell_search(self) -> None:
        self.query_one("#search-mode", Static).update(mode_text(self.words))
        self.query_one("#filters", Static).update(view_text(self.words))

    # The line of the search

    @on(Input.Changed, "#search")
    def _typed(self, event: Input.Changed) -> None:
        if event.value != self.words.pattern:
            self._group = None
            self.change(replace(self.words, pattern=event.value))

    @on(SearchLine.Left)
    def _search_left(self) -> None:
        self._remember()

    def _remember(self) -> None:
        """Put the search into the history."""
        words, rows = self.words, self._rows
        if words.pattern and rows is not None:
            self.search_line.remember([words.pattern])
            options, total = options_to_json(replace(words, limit=0)), rows.count
            self.ask(lambda desk: remember(desk.path, "search", options, total), lambda nothing: None)

    def action_search(self) -> None:
        self.set_focus(self.search_line)

    def action_mode(self) -> None:
        place = _MODES.index(self.words.mode)
        self.change(self.words.with_mode(_MODES[(place + 1) % len(_MODES)]))

    def action_case(self) -> None:
        if self.words.cqp:
            self.say('a CQP query says itself where case does not count: "word"%c', is_error=True)
        else:
            self.change(replace(self.words, ignore_case=not self.words.ignore_case))

    def action_language(self, step: int) -> None:
        if self.languages:
            place = self.languages.index(self.words.lang) if self.words.lang in self.languages else -1
            self.use_language(self.languages[(place + step) % len(self.languages)])

    def action_no_filters(self) -> None:
        self.change(without_filters(self.words))

    def action_ask(self, what: str) -> None:
        """Open one of the dialogs."""
        _DIALOGS[what](self)

    # The list and the detail

    @on(Highlighted)
    def _highlighted(self, message: Highlighted) -> None:
        if message.list_id == "hits":
            self._ask_detail(message.row)

    def _ask_detail(self, row: int) -> None:
        pane = self.query_one("#detail", SentencePane)
        rows = self._rows
        if rows is None or row >= rows.count or not pane.display:
            return
        sentence = rows.sentence(row)
        if sentence is None:
            pane.show(Text())
            return
        number, text = sentence
        wanted = (number, self.words.shown, self.words.distance)
        if wanted == self._detailed:
            return
        self._detailed = wanted
        languages, distance = self.words.shown_languages, self.words.distance

        def question(desk: Desk) -> SentenceDetail:
            return sentence_detail(desk.store, number, languages, distance)

        self.ask(question, lambda detail: pane.show_detail(text, detail), kind="detail")

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        rows = self._rows
        if message.list_id != "hits" or rows is None:
            return
        if isinstance(rows, GroupRows):
            self._group = rows.groups[message.row].key
            self._search()
        elif (sentence := rows.sentence(message.row)) is not None:
            self._remember()
            self.app.push_screen(DocumentScreen(sentence[0]))

    def action_detail(self) -> None:
        shown = self.query_one("#detail").display
        self.set_class(shown, "without-detail")
        self.set_class(not shown, "with-detail")
        self.call_after_refresh(lambda: self._ask_detail(self.hits.cursor))

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(lambda: self._ask_detail(self.hits.cursor))

    # Concordances

    def action_kwic(self) -> None:
        self.change(replace(self.words, kwic=not self.words.kwic, group=None))

    def action_sort(self) -> None:
        place = _SORTINGS.index(self.words.sort) + 1 if self.words.kwic else 0
        self.change(replace(self.words, kwic=True, sort=_SORTINGS[place % len(_SORTINGS)]))

    def action_back(self) -> None:
        """From the lines of a group to the groups, from the groups to all lines, and from there out."""
        if self._group is not None:
            self._group = None
            self._search()
        elif self.words.group is not None:
            self.change(replace(self.words, group=None))
        else:
            super().action_back()

    # What goes on elsewhere

    def chosen_texts(self) -> list[str]:
        """The selected sentences, else the one with the cursor."""
        rows = self._rows
        if rows is None or not rows.count:
            return []
        chosen = [rows.sentence(row) for row in sorted(self.hits.selected) or [self.hits.cursor]]
        return list(dict.fromkeys(sentence[1] for sentence in chosen if sentence is not None))

    def action_paraphrase(self) -> None:
        open_session = getattr(self.app, "open_session", None)
        texts = self.chosen_texts()
        if open_session is None or not texts:
            self.say("no sentence is chosen" if not texts else "sessions are not there yet", is_error=True)
        else:
            open_session(texts, self.words.lang)

    def action_paradigm(self) -> None:
        open_paradigm = getattr(self.app, "open_paradigm", None)
        if open_paradigm is None:
            self.say("paradigms are not there yet", is_error=True)
            return
        rows = self._rows
        match = rows.match(self.hits.cursor) if rows is not None and rows.count else ""
        dialogs.ask_paradigm(self, match, open_paradigm)

    def action_export(self) -> None:
        if self.export is not None and not self.export.is_over:
            self.export.stop()
            self.say("the export was stopped; no file was written")
        else:
            dialogs.begin_export(self)


_DIALOGS: dict[str, Callable[[CorpusScreen], None]] = {
    "language": dialogs.ask_language,
    "filters": dialogs.ask_filters,
    "shown": dialogs.ask_shown,
    "sample": dialogs.ask_sample,
    "group": dialogs.ask_group,
    "name": dialogs.ask_name,
    "kept": dialogs.ask_kept,
}


def show_in_corpus(browser: Browser, text: str, language: str) -> None:
    """Go to the corpus, and search for a string in it."""
    browser.switch_mode(CorpusScreen.PLACE)
    while len(browser.screen_stack) > 1:
        browser.pop_screen()
    if isinstance(browser.screen, CorpusScreen):
        browser.screen.search_for(text, language)
