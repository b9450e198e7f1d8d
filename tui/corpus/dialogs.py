"""What the corpus asks in dialogs: conditions, translations, names, files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, get_args

from corpusdb.errors import UsageError
from corpusdb.jobs import Progress
from corpusdb.options import options_from_json, options_to_json
from corpusdb.queries.corpus.files import collection_names
from corpusdb.queries.search.arrangement import GroupBy
from corpusdb.queries.search.hit_export import Written, export_hits
from corpusdb.queries.search.request import SearchRequest
from corpusdb.queries.search.saved_queries import save_query, saved_queries
from corpusdb.store import Store
from corpusdb.store.user_history import latest_of_each, recall
from tui.background.reader import Desk
from tui.background.stepwise import StepwiseTask
from tui.corpus import forms
from tui.shared.dialogs import ChoiceDialog
from tui.shared.form import Field, FormDialog

if TYPE_CHECKING:
    from tui.corpus.screen import CorpusScreen

__all__ = [
    "ask_filters",
    "ask_group",
    "ask_kept",
    "ask_language",
    "ask_name",
    "ask_paradigm",
    "ask_sample",
    "ask_shown",
    "begin_export",
]


def _ask(
    screen: CorpusScreen,
    title: str,
    fields: Sequence[Field],
    read: Callable[[SearchRequest, Mapping[str, str]], SearchRequest],
) -> None:
    """Change the search in a form."""

    def answered(values: dict[str, str] | None) -> None:
        if values is not None:
            screen.change(read(screen.words, values))

    check = lambda values: read(screen.words, values)  # noqa: E731
    screen.app.push_screen(FormDialog(title, fields, check), answered)


def _choose(screen: CorpusScreen, question: str, choices: Sequence[str], then: Callable[[int], None]) -> None:
    def answered(place: int | None) -> None:
        if place is not None:
            then(place)

    screen.app.push_screen(ChoiceDialog(question, choices), answered)


def ask_language(screen: CorpusScreen) -> None:
    """Choose the language of the sentences."""
    _choose(screen, "Which language?", screen.languages, lambda place: screen.use_language(screen.languages[place]))


def ask_filters(screen: CorpusScreen) -> None:
    """Change the conditions."""

    def answered(collections: list[str]) -> None:
        fields = forms.filter_fields(screen.words, screen.other_languages, collections)
        _ask(screen, "Only sentences that fulfil all of this", fields, forms.filtered)

    screen.ask(lambda desk: collection_names(desk.store), answered)


def ask_shown(screen: CorpusScreen) -> None:
    """Change which translations are shown."""
    _ask(
        screen,
        "Translations that are shown",
        forms.shown_fields(screen.words, screen.other_languages),
        forms.shown_with,
    )


def ask_sample(screen: CorpusScreen) -> None:
    """Choose lines of the concordance at random."""
    _ask(
        screen,
        "Lines chosen at random",
        forms.sample_fields(screen.words),
        lambda words, values: replace(forms.sampled(words, values), kwic=True),
    )


def ask_group(screen: CorpusScreen) -> None:
    """Choose by what the lines of the concordance are counted."""
    kinds: tuple[GroupBy, ...] = get_args(GroupBy)
    _choose(
        screen,
        "Count the lines by",
        kinds,
        lambda place: screen.change(replace(screen.words, kwic=True, group=kinds[place])),
    )


def ask_name(screen: CorpusScreen) -> None:
    """Save the query under a name."""

    def named(values: Mapping[str, str]) -> None:
        if not values["name"]:
            raise UsageError("a query needs a name")

    def answered(values: dict[str, str] | None) -> None:
        if values is None:
            return
        name, options = values["name"], options_to_json(replace(screen.words, limit=0))

        def change(store: Store) -> None:
            save_query(store, name, "search", options, note=values["note"])

        screen.write(change, lambda nothing: screen.say(f"saved; `corpusdb run {name}` runs it too"))

    fields = [Field("name", "Name", "", "for `corpusdb run NAME`"), Field("note", "Note")]
    screen.app.push_screen(FormDialog("Save this query", fields, named), answered)


def ask_kept(screen: CorpusScreen) -> None:
    """Run a query that was saved, or one of the history."""

    def question(desk: Desk) -> list[tuple[str, Mapping[str, object]]]:
        saved = [(f"saved {each.name}", each.options) for each in saved_queries(desk.store) if each.command == "search"]
        earlier = reversed(latest_of_each(recall(desk.path)))
        return saved + [(each.time[:16], each.options) for each in earlier if each.command == "search"]

    def listed(kept: list[tuple[str, Mapping[str, object]]]) -> None:
        if not kept:
            screen.say("no query is saved yet: w saves this one", is_error=True)
            return
        lines = [f"{origin:<16}  {_described(type(screen.words), options)}" for origin, options in kept]
        _choose(screen, "Saved queries and history", lines, lambda place: _open(screen, kept[place][1]))

    screen.ask(question, listed)


def _open(screen: CorpusScreen, options: Mapping[str, object]) -> None:
    with screen.errors_told():
        screen.open_words(options_from_json(type(screen.words), options))


def _described(kind: type[SearchRequest], options: Mapping[str, object]) -> str:
    try:
        words = options_from_json(kind, options)
        told = [words.lang, words.mode, *forms.conditions(words), *(["KWIC"] if words.kwic else [])]
    except UsageError:
        return "of another version of corpusdb"
    return f"{words.pattern or 'all sentences'}  ({', '.join(filter(None, told))})"


def begin_export(screen: CorpusScreen) -> None:
    """Write all hits to a file, while everything else goes on."""
    found = screen.found
    if found is None:
        screen.say("nothing to export yet", is_error=True)
        return
    words, languages = screen.words, screen.languages

    def answered(values: dict[str, str] | None) -> None:
        if values is None:
            return
        export = forms.export_of(values, words, languages, found)

        def watch(progress: Progress) -> None:
            screen.say(f"{progress.done:,} of {progress.total:,} {progress.stage} to {export.path}; e stops it")

        def done(written: Written) -> None:
            note = f"; {written.formulas}" if written.formulas.cells else ""
            screen.say(f"{written.hits:,} hits written to {export.path}{note}")

        screen.export = StepwiseTask(screen, "export", done, watch)
        screen.export.begin(lambda desk: export_hits(desk.store, found, export))

    check = lambda values: forms.export_of(values, words, languages, found)  # noqa: E731
    screen.app.push_screen(FormDialog("Export all hits", forms.export_fields(), check), answered)


def ask_paradigm(screen: CorpusScreen, text: str, open_paradigm: Callable[[str, str], object]) -> None:
    """Show what commutes with a word or phrase."""

    def named(values: Mapping[str, str]) -> None:
        if not values["text"]:
            raise UsageError("type a word or a phrase")

    def answered(values: dict[str, str] | None) -> None:
        if values is not None:
            open_paradigm(values["text"], screen.words.lang)

    field = Field("text", "Word or phrase", text)
    screen.app.push_screen(FormDialog("Paradigm", [field], named), answered)
