"""What the corpus asks in dialogs: conditions, translations, samples, names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import get_args

from corpusdb.errors import UsageError
from corpusdb.options import options_from_json, options_to_json
from corpusdb.queries.corpus.files import collection_names
from corpusdb.queries.search.arrangement import GroupBy
from corpusdb.queries.search.request import SearchRequest
from corpusdb.queries.search.saved_queries import save_query, saved_queries
from corpusdb.store import Store
from corpusdb.store.user_history import latest_of_each, recall
from tui.background.reader import DatabaseReader
from tui.corpus import forms
from tui.corpus.searching import CorpusSearch
from tui.messages import ParadigmWanted
from tui.shared.dialogs import ChoiceDialog
from tui.shared.form import Field, FormDialog

__all__ = [
    "ask_filters",
    "ask_group",
    "ask_kept",
    "ask_language",
    "ask_name",
    "ask_paradigm",
    "ask_sample",
    "ask_shown",
]


def _ask(
    search: CorpusSearch,
    title: str,
    fields: Sequence[Field],
    read: Callable[[SearchRequest, Mapping[str, str]], SearchRequest],
) -> None:
    """Change the search in a form."""

    def answered(values: dict[str, str] | None) -> None:
        if values is not None:
            search.change(read(search.words, values))

    check = lambda values: read(search.words, values)  # noqa: E731
    search.screen.app.push_screen(FormDialog(title, fields, check), answered)


def _choose(search: CorpusSearch, question: str, choices: Sequence[str], then: Callable[[int], None]) -> None:
    def answered(place: int | None) -> None:
        if place is not None:
            then(place)

    search.screen.app.push_screen(ChoiceDialog(question, choices), answered)


def ask_language(search: CorpusSearch) -> None:
    """Choose the language of the sentences."""
    _choose(search, "Which language?", search.languages, lambda place: search.use_language(search.languages[place]))


def ask_filters(search: CorpusSearch) -> None:
    """Change the conditions."""

    def answered(collections: list[str]) -> None:
        fields = forms.filter_fields(search.words, search.other_languages, collections)
        _ask(search, "Only sentences that fulfil all of this", fields, forms.filtered)

    search.screen.ask(lambda reader: collection_names(reader.store), answered)


def ask_shown(search: CorpusSearch) -> None:
    """Change which translations are shown."""
    _ask(
        search,
        "Translations that are shown",
        forms.shown_fields(search.words, search.other_languages),
        forms.shown_with,
    )


def ask_sample(search: CorpusSearch) -> None:
    """Choose lines of the concordance at random."""
    _ask(
        search,
        "Lines chosen at random",
        forms.sample_fields(search.words),
        lambda words, values: replace(forms.sampled(words, values), kwic=True),
    )


def ask_group(search: CorpusSearch) -> None:
    """Choose by what the lines of the concordance are counted."""
    kinds: tuple[GroupBy, ...] = get_args(GroupBy)
    _choose(
        search,
        "Count the lines by",
        kinds,
        lambda place: search.change(replace(search.words, kwic=True, group=kinds[place])),
    )


def ask_name(search: CorpusSearch) -> None:
    """Save the query under a name."""

    def named(values: Mapping[str, str]) -> None:
        if not values["name"]:
            raise UsageError("a query needs a name")

    def answered(values: dict[str, str] | None) -> None:
        if values is None:
            return
        name, options = values["name"], options_to_json(replace(search.words, limit=0))

        def change(store: Store) -> None:
            save_query(store, name, "search", options, note=values["note"])

        search.screen.write(change, lambda nothing: search.screen.say(f"saved; `corpusdb run {name}` runs it too"))

    fields = [Field("name", "Name", "", "for `corpusdb run NAME`"), Field("note", "Note")]
    search.screen.app.push_screen(FormDialog("Save this query", fields, named), answered)


def ask_kept(search: CorpusSearch) -> None:
    """Run a query that was saved, or one of the history."""

    def question(reader: DatabaseReader) -> list[tuple[str, Mapping[str, object]]]:
        saved = [
            (f"saved {each.name}", each.options) for each in saved_queries(reader.store) if each.command == "search"
        ]
        earlier = reversed(latest_of_each(recall(reader.path)))
        return saved + [(each.time[:16], each.options) for each in earlier if each.command == "search"]

    def listed(kept: list[tuple[str, Mapping[str, object]]]) -> None:
        if not kept:
            search.screen.say("no query is saved yet: w saves this one", is_error=True)
            return
        lines = [f"{origin:<16}  {_described(type(search.words), options)}" for origin, options in kept]
        _choose(search, "Saved queries and history", lines, lambda place: _open(search, kept[place][1]))

    search.screen.ask(question, listed)


def _open(search: CorpusSearch, options: Mapping[str, object]) -> None:
    with search.screen.errors_told():
        search.open_words(options_from_json(type(search.words), options))


def _described(kind: type[SearchRequest], options: Mapping[str, object]) -> str:
    try:
        words = options_from_json(kind, options)
        told = [words.lang, words.mode, *forms.conditions(words), *(["KWIC"] if words.kwic else [])]
    except UsageError:
        return "of another version of corpusdb"
    return f"{words.pattern or 'all sentences'}  ({', '.join(filter(None, told))})"


def ask_paradigm(search: CorpusSearch, text: str) -> None:
    """Show what commutes with a word or phrase."""

    def named(values: Mapping[str, str]) -> None:
        if not values["text"]:
            raise UsageError("type a word or a phrase")

    def answered(values: dict[str, str] | None) -> None:
        if values is not None:
            search.screen.app.post_message(ParadigmWanted(values["text"], search.words.lang))

    field = Field("text", "Word or phrase", text)
    search.screen.app.push_screen(FormDialog("Paradigm", [field], named), answered)
