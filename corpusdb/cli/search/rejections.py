"""The commands for equivalents that are none: a person rejects them, takes that back, and sees what stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeAlias

import typer

from corpusdb.cli.program.command import CommandGroup, command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import write_json

__all__ = ["rejections"]

_Word: TypeAlias = Annotated[str, typer.Argument(metavar="WORD|PHRASE", help="A word, or several.", show_default=False)]
_Others: TypeAlias = Annotated[
    list[str], typer.Argument(metavar="OTHER...", help="What is not equivalent to it.", show_default=False)
]
_LanguageIfTold: TypeAlias = Annotated[
    str | None, typer.Option("--lang", metavar="LANG", help="Their language; needed where several have the word.")
]


@dataclass(frozen=True, slots=True)
class PairOptions:
    """What `rejections add` and `rejections remove` take."""

    word: _Word
    others: _Others
    lang: _LanguageIfTold = None


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
    from corpusdb.languages import language_code
    from corpusdb.queries.alignment.phrases.phrase_lookup import language_of_phrase
    from corpusdb.queries.alignment.phrases.rejections import rejected_pairs, set_rejected

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
    from corpusdb.languages import language_code
    from corpusdb.queries.alignment.phrases.rejections import rejected_pairs
    from corpusdb.reports.alignments import REJECTION_COLUMNS, rejection_rows

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
