"""The search of the place: the line in which one types, what is searched for, the search, and its file."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from rich.segment import Segment
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.strip import Strip
from textual.widgets import Input

from corpusdb.base.cells import cell_width
from corpusdb.base.display import counted
from corpusdb.base.errors import CorpusError, QueryError, UsageError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.options import options_from_json, options_to_json
from corpusdb.corpus.store.user_history import HistoryEntry, remember
from corpusdb.search.patterns import Mode
from corpusdb.search.queries.concordance import Concordance
from corpusdb.search.queries.distribution import categories_of
from corpusdb.search.queries.hit_export import HitExport, Written, export_hits
from corpusdb.search.queries.request import SearchRequest
from corpusdb.search.queries.search import Hits
from tui.kit.dialogs import FormDialog
from tui.kit.exports import ask_export
from tui.kit.late_screen import is_there
from tui.kit.place_screen import PlaceScreen
from tui.kit.reader import DatabaseReader, StepwiseJob
from tui.kit.shown import Static, StatusChanged, bind, said_here
from tui.search import forms
from tui.search.forms import COUNTED, mode_text, view_text, without_filters
from tui.search.results import Answer, GroupRows, Results, SearchJob

_MEND = "correct the search first, as the line above says; escape leaves the line"
_UNTYPED, _TYPED = "all sentences; / to search", "type what to search for; what is found is shown below"
"""What stands in the empty line, without and with the cursor in it."""


class SearchLine(Input):
    """Posts Changed with every keystroke, Recalled with a search of before, and Left when somebody is done with it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # With priority, so that keys which are typed fast behind it already go to the results.
        bind("enter", "results", "Results", "search.results", "Go to the results", priority=True),
        bind("escape", "leave", "Results", "search.leave", "Go to the results"),
        bind("up", "earlier", "Earlier search", "search.earlier", "Recall the search before"),
        bind("down", "later", "Later search", "search.later", "Recall the later one; the results"),
    ]

    class Left(Message):
        """The line was left for the results."""

    @dataclass
    class Recalled(Message):
        request: SearchRequest

    def __init__(self, *, id: str, results: str) -> None:
        """``results``: the id of the widget that gets the focus when the line is left."""
        super().__init__(id=id, placeholder=_UNTYPED, compact=True, select_on_focus=False)
        self._results = results
        self._earlier: list[SearchRequest] = []
        self._place = 0
        """How many searches back; 0 is what is being typed."""
        self.request = SearchRequest()
        """How it is searched now."""
        self._typed = SearchRequest()
        self.fault = ""
        """What is wrong with what is searched for, in the mode that it is searched in; empty where nothing is."""
        self.is_anew = False
        """Whether all that stood here gave way to what was typed since this was looked at last."""

    def on_focus(self) -> None:
        self.placeholder = _TYPED

    def on_blur(self) -> None:
        self.placeholder = _UNTYPED
        self.cursor_position = 0  # of a longer one the beginning is seen, with a mark behind it

    def render_line(self, y: int) -> Strip:
        line, width = super().render_line(y), self.scrollable_content_region.width
        if self.has_focus or cell_width(self.value) <= width:
            return line
        return Strip.join([line.crop(0, width - 1), Strip([Segment("…")])])

    def replace(self, text: str, start: int, end: int) -> None:
        self.is_anew |= {start, end} == {0, len(self.value)}
        super().replace(text, start, end)

    def remember(self, requests: Sequence[SearchRequest]) -> None:
        """Searches to recall, oldest first; others come behind those that are known, as they were arranged last."""
        kept: dict[SearchRequest, SearchRequest] = {}
        for request in reversed([*self._earlier, *requests]):
            if request.pattern:
                kept.setdefault(_not_arranged(request), request)
        self._earlier = list(reversed(kept.values()))
        self._place = 0

    def action_results(self) -> None:
        """Go to the results; where something is wrong with the search there are none, and it can be mended."""
        if self.fault:
            self.post_message(StatusChanged(_MEND, is_error=True))
        else:
            self.action_leave()

    def action_leave(self) -> None:
        self.screen.set_focus(self.screen.query_one(f"#{self._results}"))
        self.post_message(self.Left())

    def action_earlier(self) -> None:
        if self._place == 0:
            self._typed = replace(self.request, pattern=self.value)
        self._recall(min(self._place + 1, len(self._earlier)))

    def action_later(self) -> None:
        if self._place:
            self._recall(self._place - 1)
        else:
            self.action_leave()

    def _recall(self, place: int) -> None:
        self._place = place
        recalled = self._earlier[-place] if place else self._typed
        with self.prevent(Input.Changed):  # the words alone would be searched for first
            self.value = recalled.pattern
        self.cursor_position = len(self.value)
        self.post_message(self.Recalled(recalled))


_BEGUN = SearchRequest(words_only=True)
"""Nothing yet; as for whoever counts words."""


def _in_corpus_order(request: SearchRequest) -> SearchRequest:
    """The same with all lines as they come, none counted together, and one for all occurrences of a sentence."""
    return replace(request, sort="corpus", sample=None, seed=1, group=None, category="", occurrences=False)


def _not_arranged(request: SearchRequest) -> SearchRequest:
    """The same whether sentences or lines are wanted, and whichever of these."""
    return replace(_in_corpus_order(request), kwic=False)


# The top of the corpus place: the mode, the line in which one types, and the conditions.


class SearchHead:
    def __init__(self, *, results: str) -> None:
        """``results``: the id of the widget that gets the focus when the line is left."""
        self.line = SearchLine(id="search", results=results)
        self._mode = Static("", id="search-mode")
        self._filters = Static("", id="filters")

    def compose(self) -> ComposeResult:
        with Horizontal(id="search-row"):
            yield self._mode
            yield self.line
        yield self._filters

    def show(self, words: SearchRequest, group: str | None) -> None:
        """Show everything but the pattern, which stands in the line if it was typed there."""
        self.line.request = words
        self._mode.update(mode_text(words))
        self._filters.update(view_text(words, group))

    def show_fault(self, fault: str, *, is_left: bool = False) -> None:
        """Keep what is wrong with the search, empty where nothing is; where the line ``is_left`` already, go back."""
        self.line.fault = fault
        if fault and is_left:
            self.line.focus()

    def show_pattern(self, pattern: str) -> None:
        with self.line.prevent(Input.Changed):
            self.line.value = pattern


_INDENT = "  "
_FAULT_CELLS = 76
_QUERY_BEGINS = ("[", '"', "(", "<")
_SECONDS_UNTIL_TOLD = 0.1
"""A search that takes longer is mentioned in the status line, and what was found before is not shown any more."""


@dataclass(frozen=True, slots=True)
class _Left:
    """What was shown before lines were counted, or before a group was opened, for whoever comes back."""

    words: SearchRequest
    group: str | None
    found: Answer
    cursor: int


class CorpusSearch:
    """Searches for what it is told to, one search at a time; a newer one takes the place of one under way."""

    def __init__(self, screen: PlaceScreen, head: SearchHead, results: Results) -> None:
        """``screen`` asks and says; ``head`` and ``results`` show what is searched for and found."""
        self.screen = screen
        self._head = head
        self._results = results
        self.words = _BEGUN
        """What is searched for; ``lang`` is the one language that is shown."""
        self.languages: list[str] = []
        """Those of the corpus."""
        self.group: str | None = None
        """The group whose lines are shown, where some are."""
        self.found: Hits | Concordance | None = None
        """The result that is shown."""
        self._left: list[_Left] = []
        """Where one goes back to, the last at the end."""
        self._shown: Answer | None = None
        """What the rows are of."""
        self.fault = ""
        """What is wrong with what is searched for; empty where nothing is known to be."""
        self._goal: int | None = None
        """The sentence that is to get the cursor in what will be found."""
        self.job: SearchJob | None = None
        """The last search."""
        self._is_wanted = False
        """Whether the line was left, so that what is searched for goes into the history when it is found."""
        self._is_changed = False
        """Whether it does since something else was asked of the same pattern."""
        self._finished = SearchRequest()
        """What was searched for when something was found last, all groups together."""
        self._total = 0
        """How much that was."""
        self._told: tuple[str, ...] = ()
        """What is to be said of what is searched for, once it is found."""
        self._own: SearchRequest | None = None
        """How it was searched before another place asked for something: so is what is then typed here."""
        self._own_at: int | None = None
        """The sentence that had the cursor then."""

    @property
    def other_languages(self) -> tuple[str, ...]:
        """Those of the corpus into which sentences may be translated."""
        return tuple(each for each in self.languages if each != self.words.lang)

    def begin(self, languages: list[str], first: str) -> None:
        """Begin with ``first``, one of the languages of the corpus; empty where it has none."""
        self.languages = languages
        if first and not self.words.lang:
            self.use_language(first)

    def come_back(self, languages: list[str]) -> None:
        """Search for what was searched for the last time, if it can still be searched for; for all lines of it.

        A sample is of the query that it was asked for: it must not go over to those that are typed after days.
        """
        kept = self.screen.shell.memory.query
        with suppress(CorpusError):
            gone: list[str] = []
            words = options_from_json(SearchRequest, {"words_only": True, **kept}, gone.append)
            if kept and words.lang in languages:
                self.open_words(replace(words, sample=None), gone)

    def change(self, words: SearchRequest) -> None:
        if words.group != self.words.group:
            self.group = None
        if words.mode != self.words.mode:
            self._own = None
        shown = {name: getattr(self.words, name) for name in _BESIDE}
        has_other_set = words.categories != self.words.categories
        only_shown = replace(words, **shown) == self.words and not (has_other_set and _is_by_category(words))
        is_changed = words.pattern == self.words.pattern
        left = self._way_back(words)
        self.words = words
        self.screen.shell.language = words.lang
        self._head.show(words, self.group)
        if only_shown and words.group != "translation":
            self._finished = replace(self._finished, **shown)
            self._results.show_with(words)
            self.screen.shell.memory.query = options_to_json(words)
        else:
            self.search()
            self._is_changed, self._left = is_changed, left

    def type(self, pattern: str, *, anew: bool = False) -> None:
        """Search for a pattern; one that is typed ``anew`` with all its lines, in the order of those before.

        Where it does not change what another place asked for it is searched for as one searched oneself, unless it
        begins as a query in CQP does and that is what is asked for.
        """
        words, own = self.words, self._own if anew else None
        if anew:
            words = replace(_in_corpus_order(words), sort="corpus" if _is_by_category(words) else words.sort)
        is_query = words.mode == "cqp" and pattern.startswith(_QUERY_BEGINS)
        if own is not None and not is_query:
            words, self._own = replace(words.with_mode(own.mode), kwic=own.kwic), None
        words = replace(words, pattern=pattern)
        if words != self.words:
            self.group = None
            self.change(words)

    def open_words(self, words: SearchRequest, told: Iterable[str] = ()) -> None:
        """Run a query that was kept; of several languages the first is shown. ``told`` stands behind what is found."""
        search_again(self, words)
        self._told = tuple(told)
        self._head.show_pattern(words.pattern)
        self._results.rows.focus()

    def use_language(self, language: str) -> None:
        """Search in a language; where only translations into that one are shown, all are again: it has none."""
        hides_all = self.words.shown_languages == (language,)
        self.change(replace(self.words, lang=language, shown="" if hides_all else self.words.shown))
        self.screen.ask(lambda reader: reader.searcher.text(language).ends, lambda ends: None, kind="warm")

    def next_language(self) -> None:
        if self.languages:
            place = self.languages.index(self.words.lang) if self.words.lang in self.languages else -1
            self.use_language(self.languages[(place + 1) % len(self.languages)])

    def search_for(
        self,
        text: str,
        language: str,
        mode: Mode = "substring",
        collection: str | None = None,
        *,
        occurrences: bool = False,
    ) -> None:
        own, at = (self._own, self._own_at) if self._own else (self.words, self._results.current)
        words, kwic = without_filters(_in_corpus_order(self.words.with_mode(mode))), mode != "substring"
        words = replace(words, pattern=text, lang=language, ignore_case=None, kwic=kwic, collection=collection)
        words = replace(words, occurrences=occurrences)
        self.open_words(words)
        self._own, self._own_at = own, at

    def open_group(self, name: str | None) -> None:
        left = [] if name is None else self._way_back(self.words)
        self.group = name
        self._head.show(self.words, name)
        self.search()
        self._left = left

    def _way_back(self, words: SearchRequest) -> list[_Left]:
        """From a group to what is shown now; from counts to their lines, whatever these were counted by before."""
        if words.group is None or replace(words, group=self.words.group) != self.words:
            return []
        if self.words.group not in (None, words.group):
            return self._left[:1]
        cursor = self._results.rows.cursor
        return [*self._left, *([] if self._shown is None else [_Left(self.words, self.group, self._shown, cursor)])]

    def search(self) -> None:
        """Search for the words as they are; what was found for others can no more be opened."""
        self.stop()
        self.found = self._shown = self._results.found = None
        self._left, self._told = [], ()
        self._is_wanted = self._is_changed = False
        self.fault = ""
        self._head.show_fault(self.fault)
        self.screen.refresh_bindings()  # the way out may be another
        job = self.job = SearchJob(self.words, self.group)
        self.screen.wait_for(lambda: self._run(job), lambda nothing: None)
        self.screen.set_timer(_SECONDS_UNTIL_TOLD, lambda: self._tell(job))

    async def _run(self, job: SearchJob) -> None:
        try:
            found = await self.screen.shell.runner.read_in_steps(job, partial(self._watch, job), "search")
        except CorpusError as error:
            if is_there(self.screen) and job is self.job:
                self._results.show_nothing(_fault(error))
                self.screen.say("", stays=True)
                if isinstance(error, UsageError | QueryError):
                    self.fault = error.reason if isinstance(error, QueryError) else str(error)
                    self._head.show_fault(self.fault, is_left=self._is_wanted)
                    at = f" at character {error.position + 1}" if isinstance(error, QueryError) else ""
                    self.screen.say(f"the search has an error{at}", is_error=True)
                    return  # which is told where the lines would stand
            raise
        # What was found for other words may come when somebody has begun to search for these already.
        if is_there(self.screen) and job is self.job:
            self._show(found)

    def stop(self) -> bool:
        if self.job is None or self.job.is_over:
            return False
        self.job.stop()
        return True

    def leave_group(self) -> bool:
        """From the lines of a group to the groups, and from these to all lines; False where there is none."""
        if self.group is None and self.words.group is None:
            return False
        if self._left and not _is_by_category(self.words):
            left = self._left.pop()
            self.stop()
            self.job = None  # its answer may be on the way
            shown = {name: getattr(self.words, name) for name in _BESIDE}  # as it was chosen last
            self.words, self.group = replace(left.words, **shown), left.group
            self._head.show(self.words, self.group)
            self._is_changed = self.words.group is None
            self._show(left.found, left.cursor)
            self.screen.refresh_bindings()  # the way out may be another
        elif self.group is not None:
            self.open_group(None)
        else:
            self.change(replace(self.words, group=None))
        return True

    def remember(self, *, again: bool = True) -> None:
        """Put the search into the history, now or when something was found; what fails is not kept.

        Unless ``again``, a search that is the last one of the history is not put there once more.
        """
        if not self.words.pattern:
            return
        self._is_wanted = self.found is None
        if self.found is not None:
            words = replace(self.words, limit=0)
            self._head.line.remember([words])
            options, total = options_to_json(words), self._total if self._finished == self.words else None
            self.screen.ask(
                lambda reader: remember(reader.path, "search", options, total, again=again), lambda nothing: None
            )

    def _show(self, found: Answer, cursor: int = 0) -> None:
        self.found, self._shown = found[0] if isinstance(found, tuple) else found, found
        rows = self._results.show_found(found, self.words, self._goal, cursor)
        self._goal = None
        if self.group is None:
            self._finished, self._total = self.words, rows.count
        self.screen.shell.memory.query = options_to_json(self.words)
        if self._is_wanted or (self._is_changed and rows.count):
            self.remember(again=False)
        notes = (self.found.hits if isinstance(self.found, Concordance) else self.found).notes
        counted_by = COUNTED.get(self.words.group, self.words.group)  # type: ignore[call-overload]
        summary = (
            rows.summary if self.group is None else f"{counted(rows.count, 'lines')}: {counted_by} is {self.group}"
        )
        self.screen.say("; ".join([summary, *map(said_here, notes), *self._told]), stays=True)

    def _watch(self, job: SearchJob, progress: Progress) -> None:
        job.is_told = True
        job.is_all_seen = 0 < progress.total <= progress.done
        of = f" of {progress.total:,}" if progress.total else ""
        self.screen.say(f"{progress.done:,}{of} {progress.stage} ...; escape stops it")

    def _tell(self, job: SearchJob) -> None:
        if job.is_over or job is not self.job:
            return
        self._results.show_nothing("...")
        if not job.is_told:
            self.screen.say("searching ...; escape stops it")


def search_again(search: CorpusSearch, words: SearchRequest) -> None:
    """Search as it was searched earlier: not only for the words, but in its mode and with all that was asked."""
    language = words.lang.split(",")[0] or search.words.lang
    search.group = None
    search.change(replace(words, lang=language))
    search._is_changed = False  # it is in the history already


def bring_back(search: CorpusSearch) -> None:
    """Search again as one searched oneself, where it is still shown what another place asked for."""
    if search._own is not None:
        own, search._goal, search._own = search._own, search._own_at, None
        search_again(search, own)
        search._head.show_pattern(own.pattern)


def begin_at(search: CorpusSearch, sentence: int | None) -> None:
    """Go to a sentence that shows something, where nobody has begun to look yet."""
    results = search._results
    if sentence is None or results.rows.cursor or search.words.pattern or not results.go_to(sentence):
        return
    if results.found is not None:
        told = "opened at one with many paraphrases (p); g: the first"
        search.screen.say(f"{results.found.summary}; {told}", stays=True)


def look_again(search: CorpusSearch) -> None:
    """Where all sentences are shown, show those that have come meanwhile, too; the cursor stays.

    A search that was stopped begins again.
    """
    if search.job is not None and search.job.is_stopped and search.found is None:
        search.search()
    elif search.found is not None and not search.words.pattern and search.group is None:
        search._goal = search._results.current
        search.search()


_BESIDE = ("shown", "distance", "categories")
"""What is chosen of a search that changes nothing of what is found."""


def _is_by_category(words: SearchRequest) -> bool:
    """Whether what is found depends on the categories of lines."""
    return bool(words.category) or "category" in f"{words.sort},{words.group}".split(",")


def requests_in(history: Iterable[HistoryEntry]) -> list[SearchRequest]:
    """The searches of a history; those that another version of the program kept are left out."""
    requests = []
    for entry in history:
        if entry.command == "search":
            with suppress(CorpusError):
                requests.append(replace(options_from_json(SearchRequest, entry.options), limit=0))
    return requests


def _fault(error: CorpusError) -> str:
    """What is wrong with what is searched for, where that is known with a caret below it."""
    if not isinstance(error, QueryError):
        return _indented(said_here(str(error)))
    return f"{_indented(said_here(error.reason))}\n\n{textwrap.indent(error.pointer(), _INDENT)}"


def _indented(text: str) -> str:
    return textwrap.fill(text, _FAULT_CELLS, initial_indent=_INDENT, subsequent_indent=_INDENT)


class Exporting:
    def __init__(self, search: CorpusSearch) -> None:
        self._search = search
        self._screen = search.screen
        self.job: StepwiseJob[Written] | None = None
        """The last export."""

    def begin_or_stop(self) -> None:
        if self.job is not None and not self.job.is_over:
            self.job.stop()
            self._screen.say("the export was stopped; no file was written")
        elif self._search.found is None:
            self._screen.say("nothing to export yet", is_error=True)
        elif isinstance(rows := self._search._results.found, GroupRows):
            by = (self._search.words.group or "").replace(",", "_")
            ask_export(self._screen, f"by-{by}", (("language", by, "lines", "share"), rows.table()))
        else:
            self._ask(self._search.found)

    def _ask(self, found: Hits | Concordance) -> None:
        words, languages = self._search.words, self._search.languages

        def export(values: Mapping[str, str]) -> HitExport:
            return forms.export_of(values, words, languages, found)

        is_sample = isinstance(found, Concordance) and words.sample is not None
        title = "Export the lines of the sample" if is_sample else "Export all hits"
        dialog = FormDialog(title, forms.export_fields(words), export)
        dialog.ask(self._screen, lambda values: self.begin(found, export(values)))

    def begin(self, found: Hits | Concordance, export: HitExport) -> None:
        def watch(progress: Progress) -> None:
            self._screen.say(f"{progress.done:,} of {progress.total:,} {progress.stage} to {export.path}; e stops it")

        def done(written: Written) -> None:
            note = f"; {written.formulas}" if written.formulas.cells else ""
            self._screen.say(f"{written.hits:,} hits written to {export.path}{note}")

        name = self._search.words.categories

        def job_of(reader: DatabaseReader) -> Job[Written]:
            categories = categories_of(reader.store, name) if name else None
            return export_hits(reader.store, found, replace(export, categories=categories))

        job = self.job = StepwiseJob(job_of)
        self._screen.wait_for(lambda: self._screen.shell.runner.read_in_steps(job, watch, "export"), done)
