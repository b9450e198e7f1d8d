"""What the corpus asks in dialogs: conditions, translations, samples, names."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import get_args

from corpusdb.base.display import check_name
from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import SECONDS_FOR_PATTERNS, Limit
from corpusdb.base.options import options_from_json, options_to_json
from corpusdb.corpus.queries.saved_queries import check_saving, save_query, saved_queries
from corpusdb.corpus.queries.sentences import check_place, collection_names, result_languages
from corpusdb.corpus.store import Store
from corpusdb.corpus.store.user_history import latest_of_each, recall
from corpusdb.search.queries.request import GroupBy, SearchRequest
from corpusdb.search.queries.results import keep_found
from tui.kit.dialogs import ChoiceDialog, Field, FormDialog
from tui.kit.messages import ParadigmWanted
from tui.kit.reader import DatabaseReader
from tui.search import forms
from tui.search.searching import CorpusSearch


def _ask(
    search: CorpusSearch,
    title: str,
    fields: Sequence[Field],
    read: Callable[[SearchRequest, Mapping[str, str]], SearchRequest],
    look_up: Callable[[DatabaseReader, SearchRequest], object] | None = None,
) -> None:
    """Change the search in a form; ``look_up`` raises CorpusError where it names what the database does not have."""

    async def look(values: Mapping[str, str]) -> None:
        if look_up is not None:
            words = read(search.words, values)
            await search.screen.shell.runner.ask(lambda reader: look_up(reader, words))

    def answered(values: dict[str, str] | None) -> None:
        if values is not None:
            search.change(read(search.words, values))

    check = lambda values: read(search.words, values)  # noqa: E731
    search.screen.app.push_screen(FormDialog(title, fields, check, look), answered)


def _choose(
    search: CorpusSearch, question: str, choices: Sequence[str], then: Callable[[int], None], chosen: str | None = None
) -> None:
    def answered(place: int | None) -> None:
        if place is not None:
            then(place)

    search.screen.app.push_screen(ChoiceDialog(question, choices, chosen), answered)


def ask_language(search: CorpusSearch) -> None:
    languages = search.languages
    _choose(
        search, "Which language?", languages, lambda place: search.use_language(languages[place]), search.words.lang
    )


def ask_filters(search: CorpusSearch) -> None:
    def question(reader: DatabaseReader) -> tuple[list[str], dict[str, str]]:
        return collection_names(reader.store), result_languages(reader.store)

    def answered(collections: list[str], results: dict[str, str]) -> None:
        def read(words: SearchRequest, values: Mapping[str, str]) -> SearchRequest:
            made = forms.filtered(words, values)
            chosen = made.collection
            # A result is of one language: there, and nowhere else, is something to be found in it.
            return (
                made
                if chosen is None or chosen == words.collection
                else replace(made, lang=results.get(chosen, made.lang))
            )

        fields = forms.filter_fields(search.words, search.other_languages, [*collections, *results])
        _ask(search, "Only sentences that fulfil all of this", fields, read, _find_documents)

    search.screen.ask(question, lambda known: answered(*known))


def _find_documents(reader: DatabaseReader, words: SearchRequest) -> None:
    """Raise InputError where the collection or document of a search is not there."""
    check_place(reader.store, words.collection, words.document)


def ask_shown(search: CorpusSearch) -> None:
    _ask(
        search,
        "Translations that are shown",
        forms.shown_fields(search.words, search.other_languages),
        forms.shown_with,
    )


def ask_sample(search: CorpusSearch) -> None:
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
        search.words.group,
    )


def ask_name(search: CorpusSearch) -> None:
    """Save the query under a name, and what it finds, or one of these."""
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
                _keep(store, values["result"], search.words, options)
            if values["name"]:
                save_query(store, values["name"], "search", options, note=values["note"])

        await search.screen.shell.runner.change(change)

    def answered(values: dict[str, str] | None) -> None:
        if values is not None:
            done = [f"saved; `corpusdb run {shlex.quote(values['name'])}` runs it too"] if values["name"] else []
            done += [f"{values['result']!r} is kept; f takes it for a collection"] if values["result"] else []
            search.screen.say("; ".join(done))

    fields = [
        Field("name", "Name", "", "for `corpusdb run NAME`"),
        Field("note", "Note"),
        Field("result", "Result", "", "a name under which what it finds is kept"),
    ]
    search.screen.app.push_screen(FormDialog("Save this query", fields, named, save), answered)


def _keep(store: Store, name: str, words: SearchRequest, options: Mapping[str, object]) -> None:
    """Keep what a search finds as a result. Raises UsageError where it finds nothing, and as ``keep_found`` does."""
    check_name(name, "a result")
    if not keep_found(store, name, words, _described(type(words), options), Limit(SECONDS_FOR_PATTERNS)):
        raise UsageError("nothing is found, and nothing is kept")


def ask_kept(search: CorpusSearch) -> None:
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
    gone: list[str] = []
    with search.screen.errors_shown():
        search.open_words(options_from_json(type(search.words), options, gone.append), gone)


def _described(kind: type[SearchRequest], options: Mapping[str, object]) -> str:
    try:
        words = options_from_json(kind, options)
        told = [words.lang, words.mode, *forms.conditions(words), *(["KWIC"] if words.kwic else [])]
    except UsageError:
        return "of another version of corpusdb"
    return f"{words.pattern or 'all sentences'}  ({', '.join(filter(None, told))})"


def ask_paradigm(search: CorpusSearch, text: str) -> None:
    def named(values: Mapping[str, str]) -> None:
        if not values["text"]:
            raise UsageError("type a word or a phrase")

    def answered(values: dict[str, str] | None) -> None:
        if values is not None:
            search.screen.app.post_message(ParadigmWanted(values["text"], search.words.lang))

    field = Field("text", "Word or phrase", text)
    search.screen.app.push_screen(FormDialog("Paradigm", [field], named), answered)
