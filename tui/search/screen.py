"""The corpus: all sentences of a language, searched while one types, with their translations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import ClassVar

from textual import on
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from corpusdb.corpus.queries.meant_language import UsualLanguage, usual_language
from corpusdb.corpus.queries.sentences import languages_of
from corpusdb.corpus.store.user_history import HistoryEntry, recall
from tui.kit.place_screen import Hints, PlaceScreen, went_back_inside
from tui.kit.reader import DatabaseReader
from tui.kit.shown import CorpusWanted, DocumentsWanted, Opened, PlaceWanted, RowList, Text, bind
from tui.search import dialogs
from tui.search.dialogs import LineCategories
from tui.search.forms import CHANGES, conditions, mode_text, view_text
from tui.search.results import GroupRows, Results, typed_text
from tui.search.searching import (
    CorpusSearch,
    Exporting,
    SearchHead,
    SearchLine,
    begin_at,
    bring_back,
    look_again,
    requests_in,
    search_again,
)

_OF_LINES = ("corpus.search", "list.open", "corpus.sort", "corpus.group", "corpus.kwic", "corpus.mode")
_SHORT_MODES = {"substring": "string", "word": "words"}
"""What the line of hints calls how is searched next."""


def _beginning(reader: DatabaseReader) -> tuple[list[str], UsualLanguage | None, list[HistoryEntry]]:
    store = reader.store
    return languages_of(store), usual_language(store), recall(reader.path)


def _telling(reader: DatabaseReader, language: str) -> int | None:
    from corpusdb.paraphrase.queries.paraphrases import telling_sentence

    return telling_sentence(reader.store, language)


def _chosen_for(screen: CorpusScreen, form: str) -> Mapping[str, str]:
    """The sentence with the cursor, else what was typed; of a search, all that is typed."""
    words = screen.search.words
    named = {"paraphrases": "text", "explain": "seed", "translate": "text", "accept": "seed"}.get(form)
    if form == "search":
        return {"pattern": words.pattern, "lang": words.lang, words.mode: "yes"}
    if named is None:
        return {}
    text = next(iter(screen.results.chosen_texts()), typed_text(words))
    return {named: text, "source" if form == "translate" else "lang": words.lang}


class CorpusScreen(PlaceScreen):
    PLACE = "corpus"
    BEGINS = ("import", "export", "search", "annotate", "results")
    SIGNS = (
        ("fra 1", "A translation; 2: a translation of a translation, and so on"),
        ("#12", "The number of the sentence"),
        ("accepted", "The collection that sessions write into: `remove accepted --sentence TEXT` takes one out"),
    )
    CHOSEN_FOR = _chosen_for
    HINTS = Hints(
        (
            "corpus.search",
            "list.open",
            "corpus.mode",
            "corpus.filter",
            "corpus.kwic",
            "corpus.paraphrase",
            "corpus.next-language",
            "corpus.words",
            "corpus.translate",
            "corpus.group",
            "corpus.category",
            "corpus.queries",
            "corpus.export",
            "search.results",
            "search.earlier",
            "search.later",
        ),
        needed=5,
    )
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-short"), (18, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        # With priority: it works wherever the focus is, and passes the key on where nothing is to be stopped.
        bind("escape,ctrl+c", "stop", "Stop", "corpus.stop", "Stop the search, or leave a group", priority=True),
        bind("slash", "search", "Search", "corpus.search", "Type what to search for"),
        bind("m", "change('mode')", "Mode", "corpus.mode", "Search for a string, whole words, a regex, or CQP"),
        bind("i", "change('case')", "Case", "corpus.case", "Tell upper from lower case, or not"),
        bind("l", "ask('next-language')", "Language", "corpus.next-language", "The next language"),
        bind("L", "ask('language')", "Choose", "corpus.language", "Choose the language"),
        bind("f", "ask('filters')", "Filter", "corpus.filter", "Conditions on the sentences"),
        bind("F", "change('no-filters')", "No filter", "corpus.no-filter", "No conditions"),
        bind("d", "ask('detail')", "Detail", "corpus.detail", "Show the translations, or hide them"),
        bind("T", "ask('shown')", "Translations", "corpus.translations", "Choose which are shown"),
        bind("v", "change('kwic')", "KWIC", "corpus.kwic", "Matches in the middle, or sentences"),
        bind("s", "ask('sort')", "Sort", "corpus.sort", "Choose by what the matches are sorted"),
        bind("S", "ask('sample')", "Sample", "corpus.sample", "Choose matches at random"),
        bind("b", "ask('group')", "Group by", "corpus.group", "Count the matches by what they have in common"),
        bind("c", "ask('category')", "Category", "corpus.category", "Give these lines a category"),
        bind("C", "ask('category-set')", "Categories", "corpus.category-set", "Choose the set of categories"),
        bind("u", "ask('category-undo')", "Undo", "corpus.category-undo", "Undo a category"),
        bind("p", "paraphrase", "Paraphrase", "corpus.paraphrase", "Paraphrases of these sentences"),
        bind("P", "ask('paradigm')", "Paradigm", "corpus.paradigm", "What stands in the place of a word"),
        bind("r", "ask('rewritings')", "Rewrite", "corpus.rewritings", "What rules make of it, in Japanese"),
        bind("t", "ask('translate')", "Translate", "corpus.translate", "Translate it from the corpus"),
        bind("a", "ask('words')", "Words", "corpus.words", "What each word of this sentence is aligned with"),
        bind("w", "ask('name')", "Save", "corpus.save", "Save this query or keep its result"),
        bind("o", "ask('kept')", "Queries", "corpus.queries", "Saved queries and history"),
        bind("e", "ask('export')", "Export", "corpus.export", "Write all hits to a file; stop it"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.head = SearchHead(results="hits")
        self.results = Results(self.ask, id="corpus-body")
        self.search = CorpusSearch(self, self.head, self.results)
        self.exporting = Exporting(self.search)
        self.categories = LineCategories(self.search, self.results)
        self.steps_back = self.search.leave_group
        """From the lines of a group to the groups, and from the groups to all lines."""

    def compose_body(self) -> ComposeResult:
        yield from self.head.compose()
        yield self.results

    def on_mount(self) -> None:
        self.hits.focus()
        self.ask(_beginning, lambda answer: self._begin(*answer))

    def _begin(self, languages: list[str], usual: UsualLanguage | None, history: list[HistoryEntry]) -> None:
        self.head.line.remember(requests_in(history))
        if not languages:
            self.hits.show_rows(0, lambda row: Text(), empty="The corpus is empty: ! begins an import.")
        if not self.search.words.lang:  # another place may have asked for something meanwhile
            self.search.come_back(languages)
        self.search.begin(languages, usual.language if usual else "")
        language = self.search.words.lang
        if language and not self.search.words.pattern and self.shell.memory.is_kept:
            # The first sentences of many corpora are the shortest ones, and tell nothing.
            self.ask(partial(_telling, language=language), partial(begin_at, self.search))

    def on_unmount(self) -> None:
        self.search.stop()

    @property
    def hits(self) -> RowList:
        return self.results.rows

    def lines(self) -> list[str]:
        words = self.search.words
        return [
            f"{mode_text(words)} {words.pattern}".rstrip(),
            view_text(words, self.search.group),
            *self.results.lines(),
        ]

    def take(self, wanted: PlaceWanted) -> None:
        if isinstance(wanted, CorpusWanted):
            self.search.search_for(
                wanted.text, wanted.language, wanted.mode, wanted.collection, occurrences=wanted.occurrences
            )
        if isinstance(wanted, DocumentsWanted):
            from tui.search.document_screen import DocumentsScreen

            self.app.push_screen(DocumentsScreen(wanted.collection))

    @on(Input.Changed, "#search")
    def _typed(self, event: Input.Changed) -> None:
        line = self.head.line
        anew, line.is_anew = line.is_anew, False
        self.search.type(event.value, anew=anew)

    @on(SearchLine.Recalled)
    def _recalled(self, message: SearchLine.Recalled) -> None:
        with self.errors_shown():
            search_again(self.search, message.request)

    @on(SearchLine.Left)
    def _remember(self) -> None:
        self.search.remember()

    def action_search(self) -> None:
        self.set_focus(self.head.line)
        self.head.line.select_all()  # what is typed takes the place of the old search, as in a form
        look_again(self.search)

    def action_change(self, what: str) -> None:
        with self.errors_shown():
            self.search.change(CHANGES[what](self.search.words))

    def action_ask(self, what: str) -> None:
        _ASKED[what](self)

    def action_stop(self) -> None:
        job = self.search.job
        if job is not None and not job.is_over and job.is_all_seen:
            self.say("all is looked at: what was found comes in a moment")
        elif self.search.stop():
            self.results.show_nothing("The search was stopped. / begins it again.")
            self.say("the search was stopped; / begins it again", stays=True)
        elif not isinstance(self.focused, RowList) or (self.shell.is_lowest(self) and not self.steps_back()):
            raise SkipAction
        elif not self.shell.is_lowest(self):
            self.action_back()

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        rows = self.results.found
        if isinstance(rows, GroupRows):
            self.search.open_group(rows.groups[message.row].name)
        elif rows is not None and (sentence := rows.sentence(message.row)) is not None:
            self._remember()
            from tui.search.document_screen import DocumentScreen

            self.app.push_screen(DocumentScreen(sentence[0], within=self.search.words.place))

    def action_back(self) -> None:
        """Whoever goes back to the place that asked for something here finds one's own search here later."""
        if not went_back_inside(self):
            if not self.shell.is_lowest(self):
                bring_back(self.search)
            self.shell.go_back()

    def first_hints(self) -> Sequence[str]:
        """Of a concordance what is done with its lines; where conditions leave nothing, how they are dropped."""
        if not self.hits.count and conditions(self.search.words):
            return ("corpus.search", "corpus.no-filter")
        return _OF_LINES if self.search.words.kwic else ()

    def _name_of(self, binding: Binding) -> str:
        """What the line of hints calls a binding: what it does next, and out of groups one goes back."""
        if binding.id == "screen.back" and (self.search.group or self.search.words.group) is not None:
            return "back"
        words = self.search.words
        if binding.id == "corpus.kwic" and words.kwic:
            return "plain"
        if binding.id == "corpus.mode":
            return _SHORT_MODES.get(mode := CHANGES["mode"](words).mode, mode)
        return super()._name_of(binding)

    def action_paraphrase(self) -> None:
        """Look at the paraphrases of the chosen sentences, or of what was typed where the corpus does not have it.

        The session is stored when something is decided there.
        """
        words = self.search.words
        if texts := self.results.chosen_texts() or [*filter(None, [typed_text(words)])]:
            from tui.search.document_screen import show_paraphrases

            show_paraphrases(self, texts, words.lang)
        else:
            self.say("no sentence is chosen", is_error=True)


_ASKED: Mapping[str, Callable[[CorpusScreen], object]] = {
    "detail": lambda screen: screen.results.toggle_detail(),
    "next-language": lambda screen: screen.search.next_language(),
    "language": lambda screen: dialogs.ask_language(screen.search),
    "filters": lambda screen: dialogs.ask_filters(screen.search, screen.categories),
    "shown": lambda screen: dialogs.ask_shown(screen.search),
    "sample": lambda screen: dialogs.ask_sample(screen.search),
    "sort": lambda screen: dialogs.ask_sort(screen.search, screen.categories),
    "group": lambda screen: dialogs.ask_group(screen.search, screen.categories),
    "category": lambda screen: screen.categories.ask(),
    "category-set": lambda screen: screen.categories.choose_set(),
    "category-undo": lambda screen: screen.categories.undo(),
    "paradigm": lambda screen: dialogs.ask_paradigm(screen.search, screen.results.match()),
    "rewritings": lambda screen: _show_rewritings(screen),
    "translate": lambda screen: _translate(screen),
    "words": lambda screen: _show_words(screen),
    "name": lambda screen: dialogs.ask_name(screen.search),
    "kept": lambda screen: dialogs.ask_kept(screen.search),
    "export": lambda screen: screen.exporting.begin_or_stop(),
}


# Where one goes from a sentence is loaded when somebody does: most who begin here only search.


def _translate(screen: CorpusScreen) -> None:
    from tui.translation import TranslationScreen

    text = next(iter(screen.results.chosen_texts()), "")
    words = screen.search.words
    target = words.shown.split(",")[0] if words.shown else ""
    screen.app.push_screen(TranslationScreen(text, words.lang, target))


def _show_words(screen: CorpusScreen) -> None:
    from tui.alignment.words_screen import WordsScreen

    sentence = screen.results.current
    if sentence is None:
        screen.say("no sentence is chosen", is_error=True)
    else:
        screen.app.push_screen(WordsScreen(screen.place, sentence))


def _show_rewritings(screen: CorpusScreen) -> None:
    from corpusdb.rules.queries.rewritings import JAPANESE
    from tui.search.document_screen import RewritingsScreen

    texts = screen.results.chosen_texts()
    if screen.search.words.lang != JAPANESE:
        screen.say("rules rewrite Japanese: l goes to another language", is_error=True)
    elif not texts:
        screen.say("no sentence is chosen", is_error=True)
    else:
        screen.app.push_screen(RewritingsScreen(texts[0]))
