"""The search of the corpus place: what is searched for, the search that is under way, and what was found."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from corpusdb.jobs import Progress
from corpusdb.options import options_to_json
from corpusdb.queries.search.concordance import Concordance
from corpusdb.queries.search.request import SearchRequest
from corpusdb.queries.search.search import Hits
from corpusdb.store.user_history import remember
from tui.corpus.forms import without_filters
from tui.corpus.questions import Answer, SearchJob
from tui.corpus.results import Results
from tui.corpus.search_head import SearchHead
from tui.shared.place_screen import PlaceScreen

__all__ = ["CorpusSearch"]

_FIRST_LANGUAGE = "eng"
"""The one that is shown first, where the corpus has it."""
_SECONDS_UNTIL_TOLD = 0.3
"""A search that takes longer is mentioned in the status line."""


class CorpusSearch:
    """Searches for what it is told to, one search at a time; a newer one takes the place of one under way."""

    def __init__(self, screen: PlaceScreen, head: SearchHead, results: Results) -> None:
        """``screen`` asks and says; ``head`` and ``results`` show what is searched for and found."""
        self.screen = screen
        self._head = head
        self._results = results
        self.words = SearchRequest()
        """What is searched for; ``lang`` is the one language that is shown."""
        self.languages: list[str] = []
        """Those of the corpus."""
        self.group: str | None = None
        """The group whose lines are shown, where some are."""
        self.found: Hits | Concordance | None = None
        """The result that is shown."""
        self._goal: int | None = None
        """The sentence that is to get the cursor in what will be found."""
        self.job: SearchJob | None = None
        """The last search."""

    @property
    def other_languages(self) -> tuple[str, ...]:
        """Those of the corpus into which sentences may be translated."""
        return tuple(each for each in self.languages if each != self.words.lang)

    def begin(self, languages: list[str]) -> None:
        """Begin with the first of the languages of the corpus."""
        self.languages = languages
        if languages and not self.words.lang:
            self.use_language(_FIRST_LANGUAGE if _FIRST_LANGUAGE in languages else languages[0])

    def change(self, words: SearchRequest) -> None:
        """Search for something else."""
        if words.group != self.words.group:
            self.group = None
        only_shown = replace(words, shown=self.words.shown, distance=self.words.distance) == self.words
        self.words = words
        self._head.show(words)
        if only_shown and words.group != "translation":
            self._results.show_detail(words)
        else:
            self.search()

    def type(self, pattern: str) -> None:
        """Search for what was typed."""
        if pattern != self.words.pattern:
            self.group = None
            self.change(replace(self.words, pattern=pattern))

    def open_words(self, words: SearchRequest) -> None:
        """Run a query that was kept; of several languages the first is shown."""
        language = words.lang.split(",")[0] or self.words.lang
        self.group = None
        self.change(replace(words, lang=language))
        self._head.show_pattern(words.pattern)
        self._results.rows.focus()

    def use_language(self, language: str) -> None:
        """Search in the sentences of another language."""
        self.change(replace(self.words, lang=language))
        self.screen.ask(lambda reader: reader.searcher.text(language).ends, lambda ends: None, kind="warm")

    def next_language(self) -> None:
        """Search in the language after this one."""
        if self.languages:
            place = self.languages.index(self.words.lang) if self.words.lang in self.languages else -1
            self.use_language(self.languages[(place + 1) % len(self.languages)])

    def search_for(self, text: str, language: str) -> None:
        """Search for a string, without conditions."""
        words = without_filters(self.words.with_mode("substring"))
        self.open_words(replace(words, pattern=text, lang=language, ignore_case=False, kwic=False, group=None))

    def show_all_around(self, sentence: int, language: str) -> None:
        """Show all sentences of a language, with the cursor on one of them."""
        self._goal = sentence
        self.search_for("", language)

    def open_group(self, key: str | None) -> None:
        """Show the lines of a group, or all groups again."""
        self.group = key
        self.search()

    def search(self) -> None:
        """Search for the words as they are."""
        self.stop()
        job = self.job = SearchJob(self.words, self.group)
        watch = partial(self._watch, job)
        self.screen.wait_for(lambda: self.screen.shell.runner.read_in_steps(job, watch, "search"), self._show)
        self.screen.set_timer(_SECONDS_UNTIL_TOLD, lambda: self._tell(job))

    def stop(self) -> bool:
        """Stop the search that is under way; whether there was one."""
        if self.job is None or self.job.is_over:
            return False
        self.job.stop()
        return True

    def leave_group(self) -> bool:
        """From the lines of a group to the groups, and from these to all lines; False where there is none."""
        if self.group is not None:
            self.open_group(None)
        elif self.words.group is not None:
            self.change(replace(self.words, group=None))
        else:
            return False
        return True

    def remember(self, total: int) -> None:
        """Put the search into the history."""
        options = options_to_json(replace(self.words, limit=0))
        self.screen.ask(lambda reader: remember(reader.path, "search", options, total), lambda nothing: None)

    def _show(self, found: Answer) -> None:
        self.found = found[0] if isinstance(found, tuple) else found
        rows = self._results.show_found(found, self.words, self._goal)
        self._goal = None
        self.screen.say(rows.summary + (f": {self.group}" if self.group is not None else ""))

    def _watch(self, job: SearchJob, progress: Progress) -> None:
        job.is_told = True
        of = f" of {progress.total:,}" if progress.total else ""
        self.screen.say(f"{progress.done:,}{of} {progress.stage} ...; escape stops it")

    def _tell(self, job: SearchJob) -> None:
        if not (job.is_over or job.is_told):
            self.screen.say("searching ...; escape stops it")
