"""The command for paradigms: what stands in the place of a phrase or fills a gap."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from corpusdb.cli.paraphrases.paraphrases import Limit
from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import write_json
from corpusdb.errors import InputError, UsageError

if TYPE_CHECKING:
    from corpusdb.queries.analogy.paradigms import (
        CommutingFiller,
        ContextFiller,
        FillerContext,
        Paradigm,
        SharedContext,
    )
    from corpusdb.store import Store

__all__ = ["indexed_language", "paradigm"]

_SPACE_BEFORE_MARK = re.compile(r"\s+(?=[.,;:!?…]+(\s|$))")
"""As texts that are cut into tokens have it."""


@dataclass(frozen=True, slots=True)
class ParadigmOptions:
    """What `paradigm` takes."""

    phrase: Annotated[
        str, typer.Argument(metavar="PHRASE", help="A phrase, or a sentence with _ for a gap.", show_default=False)
    ]
    lang: Annotated[
        str | None, typer.Option("--lang", metavar="LANG", help="Language; needed where several have an index.")
    ] = None
    limit: Limit = 20
    contexts: Annotated[bool, typer.Option("--contexts", help="Show where the phrase stands instead.")] = False
    other: Annotated[
        str | None, typer.Option("--with", metavar="PHRASE", help="Show where both this phrase and that one stand.")
    ] = None


@command("paradigm", answers=True)
def paradigm(invocation: Invocation, options: ParadigmOptions) -> int:
    """Show what stands in the place of a phrase, or in a gap.

    For a phrase: the phrases that stand in two or more of the same contexts, and in how many. With a space in front it
    is looked for inside of sentences only. For a gap: what fills it, and in how many contexts that stands. A context
    is a sentence with one run of at most eight units taken out; the index, which `corpusdb generate` makes, has those
    that from 2 to 2,000 sentences share.
    """
    from corpusdb.queries.analogy.paradigms import (
        contexts_of_filler,
        fillers_commuting_with,
        fillers_of_context,
        gap_of,
        shared_contexts,
    )

    phrase = options.phrase
    is_context = gap_of(phrase) is not None
    if is_context and (options.contexts or options.other is not None):
        raise UsageError("--contexts and --with are for a phrase; a sentence with a gap is a context itself")
    answer = fillers_of_context if is_context else contexts_of_filler if options.contexts else fillers_commuting_with
    with invocation.reading() as store:
        language = indexed_language(store, options.lang)
        found: Paradigm[CommutingFiller] | Paradigm[ContextFiller] | Paradigm[FillerContext] | Paradigm[SharedContext]
        if options.other is None:
            found = answer(store, language, phrase, options.limit)
            close = _SPACE_BEFORE_MARK.sub("", phrase)
            if is_context and not found.total and close != phrase:
                found = answer(store, language, close, options.limit)
                if found.total:
                    invocation.say(f"of {close!r}: {phrase!r}, with a space before the mark, has none")
                    phrase = close
        else:
            found = shared_contexts(store, language, phrase, options.other, options.limit)
    kind = "contexts" if options.contexts or options.other is not None else "fillers"
    _show(invocation, phrase, kind, found.total, found.members)
    if not found.total:
        invocation.say(_nothing(options, is_context=is_context))
    invocation.say_cut(len(found.members), found.total, kind)
    return found.total


def _nothing(options: ParadigmOptions, *, is_context: bool) -> str:
    """What there is not, and where to look on."""
    phrase = repr(options.phrase)
    if options.other is not None:
        return f"no context has both {phrase} and {options.other!r}"
    if is_context:
        return f"no fillers of {phrase}: at least two sentences must differ by that gap alone"
    if options.contexts:
        return f"no contexts of {phrase}"
    return f"no phrase stands in two or more of the contexts of {phrase}; --contexts shows these"


def _show(invocation: Invocation, phrase: str, kind: str, total: int, members: Sequence[object]) -> None:
    documents = [asdict(member) for member in members]  # type: ignore[call-overload]
    if invocation.json:
        write_json({"phrase": phrase, "total": total, kind: documents})
    elif documents:
        columns = tuple(documents[0])
        invocation.show(columns, [[document[column] for column in columns] for document in documents])


def indexed_language(store: Store, given: str | None) -> str:
    """The language that was given, or the only one that has an index."""
    from corpusdb.languages import language_code
    from corpusdb.queries.analogy.paradigms import prepared_languages

    if given:
        return language_code(given)
    prepared = prepared_languages(store)
    if not prepared:
        raise InputError("no language has an index of commutations; `corpusdb generate --lang LANG` makes it")
    if len(prepared) > 1:
        raise UsageError(f"give one of the languages that have an index with --lang: {', '.join(prepared)}")
    return prepared[0]
