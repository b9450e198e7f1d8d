"""The commands for aligned words: translations, equivalents, and what a person rejects of these."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from corpusdb.base.cells import cut_right
from corpusdb.base.errors import UsageError
from corpusdb.commands.command import CommandGroup, command
from corpusdb.commands.invocation import Invocation
from corpusdb.commands.output import write_json, write_line, write_table

if TYPE_CHECKING:
    from corpusdb.alignment.equivalence import LeftOut
    from corpusdb.alignment.queries.phrase_places import Translations
    from corpusdb.corpus.store import Store

__all__ = [
    "equivalents",
    "rejections",
    "translations",
]


# The commands for aligned words: how a word is translated, and what else it is called.


_LanguageIfTold: TypeAlias = Annotated[
    str | None, typer.Option("--lang", metavar="LANG", help="Its language; needed where several have it.")
]
_Limit: TypeAlias = Annotated[
    int, typer.Option("--limit", "-n", metavar="N", min=0, help="How many at most; 0 is all.")
]


@dataclass(frozen=True, slots=True)
class TranslationsOptions:
    """What `translations` takes."""

    word: Annotated[str, typer.Argument(metavar="WORD", help="A word, or up to three.", show_default=False)]
    other: Annotated[str, typer.Option("--with", metavar="LANG,...", help="Of its translations.", show_default=False)]
    lang: _LanguageIfTold = None
    min_count: Annotated[int, typer.Option(metavar="N", min=1, help="Only what it is aligned with so often.")] = 1
    pairs: Annotated[
        str | None,
        typer.Option(metavar="TRANSLATION", help="Instead the sentences with this; '' with none.", show_default=False),
    ] = None
    limit: _Limit = 20


@command("translations", answers=True)
def translations(invocation: Invocation, options: TranslationsOptions) -> int:
    """Show how a word is translated, and how often.

    In the pairs of sentences that `corpusdb align --lang` has aligned, whatever the case. share: of all places where
    the word stands in them. (nothing): how often it is aligned with no word. The example is the shortest pair of
    sentences in which both stand, with both in brackets; a table cuts it where it is too long for the terminal. Phrases
    have up to three words. With --pairs, instead of this, the pairs of sentences in which the word is aligned with one
    translation, the shortest first. The exit code is 1 where there is nothing to show.

    A word is one form. Of a lemma, or of another query over tokens, the sentences it is found in have translations:
    `corpusdb search --cqp '[lemma="go"]' --group translation` counts these, and `--group match` the forms to ask for.
    """
    from corpusdb.alignment.queries.phrase_places import translations_of
    from corpusdb.alignment.report import TRANSLATION_COLUMNS, translation_rows, translations_told
    from corpusdb.base.languages import language_codes

    _check_no_query(options.word, options.other, options.lang)
    others = language_codes([each.strip() for each in options.other.split(",")])
    if options.pairs is not None:
        if len(others) > 1:
            raise UsageError("--pairs is of the translations in one language")
        return _pairs(invocation, options, options.pairs)
    with invocation.reading() as store:
        language = _language(store, options.lang, options.word, others[0])
        found = [
            translations_of(store, language, options.word, other, options.limit, min_count=options.min_count)
            for other in others
        ]
    if invocation.json:
        write_json(found[0] if len(found) == 1 else found)
    elif invocation.format == "table":
        for number, each in enumerate(found):
            if len(found) > 1:
                write_line(f"\n{each.other}" if number else each.other)
            _show_translations(each)
    elif len(found) == 1:
        invocation.show(TRANSLATION_COLUMNS, translation_rows(found[0]))
    else:
        rows = ((each.other, *row) for each in found for row in translation_rows(each))
        invocation.show(("language", *TRANSLATION_COLUMNS), rows)
    for each in found:
        invocation.say(translations_told(each))
        invocation.say_cut(len(each.members), each.total, "translations")
    if any(each.occurrences for each in found):
        invocation.say("pairs of sentences are counted; frequencies count a sentence once, whatever its translations")
    if not any(each.occurrences for each in found):
        raise typer.Exit(1)
    return sum(each.total for each in found)


def _check_no_query(word: str, other: str, language: str | None) -> None:
    """Raise UsageError, with the call that takes it, for a query over tokens: links are of words as they stand."""
    from corpusdb.search.report import is_cqp_query

    if is_cqp_query(word):
        asked = f"corpusdb search --cqp {shlex.quote(word)} --with {shlex.quote(other)}"
        asked += "" if language is None else f" --lang {shlex.quote(language)}"
        raise UsageError(
            f"{word!r} is a CQP query, and no word; `{asked} --group translation` counts the translations of the"
            " sentences that it finds, --group match its forms"
        )


def _show_translations(found: Translations) -> None:
    """A table for one language, and below it an example of each translation."""
    from corpusdb.alignment.report import TRANSLATION_COLUMNS, translation_lines, translation_rows

    width = get_terminal_size().columns
    rows = [(cut_right(str(row[0]), width // 2), *row[1:3]) for row in translation_rows(found)]
    write_table(TRANSLATION_COLUMNS[:3], rows)
    write_line()
    for line in translation_lines(found, width):
        write_line(line)


def _pairs(invocation: Invocation, options: TranslationsOptions, translation: str) -> int:
    """The pairs of sentences with one translation."""
    from corpusdb.alignment.queries.phrase_places import AlignedPhrase, phrase_places
    from corpusdb.alignment.report import PAIR_COLUMNS, marked_pair
    from corpusdb.base.languages import language_code
    from corpusdb.search.queries.search import Searcher

    with invocation.reading() as store:
        language, other = _language(store, options.lang, options.word, options.other), language_code(options.other)
        asked = AlignedPhrase(language, options.word, other, translation or None)
        found = phrase_places(store, Searcher(store), asked, options.limit)
    if invocation.json:
        write_json(found)
    else:
        invocation.show(PAIR_COLUMNS, map(marked_pair, found.pairs))
    if not found.is_all:
        invocation.say(f"there are more than {len(found.pairs):,} pairs; `-n 0` shows all")
    if not found.pairs:
        raise typer.Exit(1)
    return len(found.pairs)


@dataclass(frozen=True, slots=True)
class EquivalentsOptions:
    """What `equivalents` takes."""

    phrase: Annotated[str, typer.Argument(metavar="WORD|PHRASE", help="A word, or up to three.", show_default=False)]
    lang: _LanguageIfTold = None
    through: Annotated[
        str | None, typer.Option(metavar="LANG[,LANG]", help="Only through these languages.", show_default=False)
    ] = None
    min_count: Annotated[
        int, typer.Option(metavar="N", min=1, help="Both are aligned so often with what they share.")
    ] = 2
    pivot: Annotated[float, typer.Option(metavar="P", min=0, max=1, help="Least pivot probability.")] = 0.01
    languages: Annotated[int, typer.Option(metavar="N", min=1, help="Through so many languages at least.")] = 1
    same_context: Annotated[
        int, typer.Option(metavar="N", min=0, help="Both stand in so many contexts of the corpus.")
    ] = 0
    closed_class: Annotated[
        Literal["drop", "prepositions", "keep"],
        typer.Option(help="Articles, pronouns, prepositions ...: leave them out, or prepositions only, or nothing."),
    ] = "drop"
    rejected: Annotated[bool, typer.Option("--rejected", help="Also what was rejected, with a mark.")] = False
    limit: _Limit = 20


@command("equivalents", answers=True)
def equivalents(invocation: Invocation, options: EquivalentsOptions) -> int:
    """Show what else a word is called: what shares translations.

    In the pairs of sentences that `corpusdb align --lang` has aligned, whatever the case. pivot: p(f|word) times
    p(equivalent|f), summed over the phrases f of each language, and the mean over languages. count: how often the
    rarer of the two stands with an f. contexts: in how many sentences with a gap both stand, from the index that
    `corpusdb generate` makes. through: the f that adds most, and how often the word and the equivalent stand with it.

    Words of one form in French are often of two in English: what is aligned with the same word is no synonym yet. More
    languages, and contexts, tell. What a person rejected (`corpusdb rejections`, or r in the browser) is left out. The
    exit code is 1 where there is no equivalent.
    """
    from corpusdb.alignment.queries.equivalents import EquivalentFilter, equivalents_of
    from corpusdb.alignment.report import equivalent_table, equivalents_told
    from corpusdb.base.languages import language_codes

    kept = EquivalentFilter(
        options.min_count,
        options.pivot,
        options.languages,
        options.same_context,
        _LEFT_OUT[options.closed_class],
        options.rejected,
    )
    through = None if options.through is None else language_codes(options.through)
    with invocation.reading() as store:
        language = _language(store, options.lang, options.phrase)
        found = equivalents_of(store, language, options.phrase, through, kept, options.limit)
    if invocation.json:
        write_json(found)
    else:
        width = get_terminal_size().columns if invocation.format == "table" else None
        columns, rows = equivalent_table(found, width, with_rejected=options.rejected)
        invocation.show(columns, rows)
    invocation.say(equivalents_told(found))
    if found.rejected and not options.rejected:
        invocation.say(f"{found.rejected:,} rejected; --rejected shows what")
    invocation.say_cut(len(found.members), found.total, "equivalents")
    if not found.total:
        raise typer.Exit(1)
    return found.total


_LEFT_OUT: dict[str, LeftOut] = {"drop": "closed", "prepositions": "prepositions", "keep": "nothing"}


def _language(store: Store, given: str | None, text: str, other: str | None = None) -> str:
    """The language that was given, or the one that has the phrase; not the other one."""
    from corpusdb.alignment.queries.phrases import language_of_phrase
    from corpusdb.base.languages import language_code

    if given is not None:
        return language_code(given)
    return language_of_phrase(store, text, None if other is None else language_code(other))


# The commands for equivalents that are none: a person rejects them, takes that back, and sees what stands.


_Word: TypeAlias = Annotated[str, typer.Argument(metavar="WORD|PHRASE", help="A word, or several.", show_default=False)]
_Others: TypeAlias = Annotated[
    list[str], typer.Argument(metavar="OTHER...", help="What is not equivalent to it.", show_default=False)
]
_LanguageOfPhrase: TypeAlias = Annotated[
    str | None, typer.Option("--lang", metavar="LANG", help="Their language; needed where several have the word.")
]


@dataclass(frozen=True, slots=True)
class PairOptions:
    """What `rejections add` and `rejections remove` take."""

    word: _Word
    others: _Others
    lang: _LanguageOfPhrase = None


@command("add")
def add(invocation: Invocation, options: PairOptions) -> None:
    """Say that words are not equivalent.

    Neither is then an equivalent of the other, whatever they are aligned with: not in `corpusdb equivalents`, nor in
    paraphrases, nor in references and scores that are made with this database. Case does not matter. An alignment that
    is made anew changes nothing of it. Exit code 0 also where it was said before.
    """
    _set(invocation, options, is_rejected=True)


@command("remove")
def remove(invocation: Invocation, options: PairOptions) -> None:
    """Take back that words are not equivalent.

    That it was said stays in the file, with the time at which it was taken back.
    """
    _set(invocation, options, is_rejected=False)


def _set(invocation: Invocation, options: PairOptions, *, is_rejected: bool) -> None:
    """Reject all of the pairs, or take all back, in one transaction."""
    from corpusdb.alignment.queries.phrases import language_of_phrase, rejected_pairs, set_rejected
    from corpusdb.base.languages import language_code

    with invocation.writing() as store:
        language = language_of_phrase(store, options.word) if options.lang is None else language_code(options.lang)
        with store.write():
            changed = sum(
                set_rejected(store, language, options.word, other, is_rejected=is_rejected) for other in options.others
            )
        standing = len(rejected_pairs(store, language))
    invocation.report(
        {
            "language": language,
            "word": options.word,
            "others": options.others,
            "changed": changed,
            "rejected": standing,
        },
        [
            ("language", language),
            ("word", options.word),
            ("others", ", ".join(options.others)),
            ("changed", changed),
            ("rejected in all", standing),
        ],
    )


@dataclass(frozen=True, slots=True)
class ListOptions:
    """What `rejections list` takes."""

    lang: Annotated[str | None, typer.Option("--lang", metavar="LANG", help="Only those of this language.")] = None


@command("list", answers=True, kept=False)
def list_rejections(invocation: Invocation, options: ListOptions) -> int:
    """List the words that are not equivalent.

    Each pair stands once, as it has no direction. rejected: when, in UTC.
    """
    from corpusdb.alignment.queries.phrases import rejected_pairs
    from corpusdb.alignment.report import REJECTION_COLUMNS, rejection_rows
    from corpusdb.base.languages import language_code

    with invocation.reading() as store:
        found = rejected_pairs(store, None if options.lang is None else language_code(options.lang))
    if invocation.json:
        write_json(found)
    else:
        invocation.show(REJECTION_COLUMNS, rejection_rows(found))
    return len(found)


rejections = CommandGroup(
    "rejections",
    """Equivalents that people reject.

    What is rejected is offered nowhere: not as an equivalent, not in paraphrases, and not in references and scores that
    are made with this database. Every command takes --json.
    """,
    (add, remove, list_rejections),
)
