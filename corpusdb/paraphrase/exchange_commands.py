"""The commands for exchanges of words, and for paradigms."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.options import Argument, Option
from corpusdb.commands.command import command
from corpusdb.commands.invocation import Invocation
from corpusdb.commands.output import write_json, write_line, write_table
from corpusdb.paraphrase.commands import Limit

if TYPE_CHECKING:
    from corpusdb.corpus.store import Store
    from corpusdb.paraphrase.queries.exchanges import ExchangeReport
    from corpusdb.paraphrase.queries.paradigms import (
        CommutingFiller,
        ContextFiller,
        FillerContext,
        Paradigm,
        SharedContext,
    )


_SPACE_BEFORE_MARK = re.compile(r"\s+(?=[.,;:!?…]+(\s|$))")
"""As texts that are cut into tokens have it."""


@dataclass(frozen=True, slots=True)
class ParadigmOptions:
    phrase: Annotated[str, Argument("A phrase, or a sentence with _ for a gap.", metavar="PHRASE")]
    lang: Annotated[str | None, Option("Language; needed where several have an index.", metavar="LANG")] = None
    limit: Limit = 20
    contexts: Annotated[bool, Option("Show where the phrase stands instead.")] = False
    other: Annotated[
        str | None, Option("Show where both this phrase and that one stand.", "--with", metavar="PHRASE")
    ] = None


@command("paradigm", answers=True)
def paradigm(invocation: Invocation, options: ParadigmOptions) -> int:
    """Show what stands in the place of a phrase, or in a gap.

    For a phrase: the phrases that stand in two or more of the same contexts, and in how many. With a space in front it
    is looked for inside of sentences only. For a gap: what fills it, and in how many contexts that stands. A context
    is a sentence with one run of at most eight units taken out; the index, which `corpusdb generate` makes, has those
    that from 2 to 2,000 sentences share.
    """
    from corpusdb.paraphrase.queries.paradigms import (
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
    from corpusdb.base.text import language_code
    from corpusdb.paraphrase.queries.paradigms import prepared_languages

    if given:
        return language_code(given)
    prepared = prepared_languages(store)
    if not prepared:
        raise InputError("no language has an index of commutations; `corpusdb generate --lang LANG` makes it")
    if len(prepared) > 1:
        raise UsageError(f"give one of the languages that have an index with --lang: {', '.join(prepared)}")
    return prepared[0]


# The command for exchanges of words: how often one keeps the meaning.


@dataclass(frozen=True, slots=True)
class ExchangesOptions:
    one: Annotated[str | None, Argument("Words as one writes them; '' is nothing.", metavar="U")] = None
    other: Annotated[str | None, Argument("What is exchanged for them.", metavar="V")] = None
    lang: Annotated[str | None, Option("Language; needed where several have an index.", metavar="LANG")] = None
    limit: Limit = 10
    sort: Annotated[Literal["rate", "pairs"], Option("What a list is sorted by.")] = "rate"
    least: Annotated[float, Option("Of a list only what is expected to share so often.", metavar="E", least=0)] = 3.0


@command("exchanges", answers=True)
def exchanges(invocation: Invocation, options: ExchangesOptions) -> int:
    """Show how often exchanging U for V keeps a translation.

    Of the pairs of sentences that differ in nothing else. pairs: all of them. shared: those that share a translation.
    expected: how many would if the exchange kept the meaning, by the numbers of their translations. rate: (shared +
    0.3) / (expected + 1). They are told by language and by neighbour (^ and $ are the ends of a sentence), with
    examples that share a translation and counter-examples with the probability that they would; a --format has the
    figures only. The exit code is 1 where the corpus has no such pair.

    With U alone, or nothing, lists the exchanges that paraphrases were found to differ by, best rate first.
    """
    if options.one is None or options.other is None:
        return _list(invocation, options)
    from corpusdb.paraphrase.queries.exchanges import exchange_report

    with invocation.reading() as store:
        language = indexed_language(store, options.lang)
        found = exchange_report(store, language, options.one, options.other, options.limit)
    if found is None:
        invocation.say(f"no two sentences differ by {options.one!r} and {options.other!r} alone")
        raise typer.Exit(1)
    if invocation.json:
        write_json(_document(found))
    else:
        _write(invocation, found)
    for shown, total, what in (
        (found.left, found.neighbours[0], "neighbours to the left"),
        (found.right, found.neighbours[1], "neighbours to the right"),
        (found.examples, found.with_translations[0], "examples"),
        (found.counter_examples, found.with_translations[1], "counter-examples"),
    ):
        invocation.say_cut(len(shown), total, what)
    return found.total.pairs


def _document(found: ExchangeReport) -> dict[str, object]:
    parts = {name: getattr(found, name) for name in ("forms", "by_language", "left", "right")}
    return asdict(found.total) | parts | {"examples": found.examples, "counter_examples": found.counter_examples}


def _write(invocation: Invocation, found: ExchangeReport) -> None:
    from corpusdb.paraphrase.report import EXCHANGE_COLUMNS, example_lines, exchange_rows, format_exchange

    if invocation.chosen_format:
        invocation.show(EXCHANGE_COLUMNS, exchange_rows(found))
        return
    write_line(format_exchange(found.total))
    write_line()
    write_table(EXCHANGE_COLUMNS, exchange_rows(found))
    write_line()
    for line in example_lines(found):
        write_line(line)


def _list(invocation: Invocation, options: ExchangesOptions) -> int:
    from corpusdb.paraphrase.queries.exchanges import stored_exchanges

    with invocation.reading() as store:
        language = indexed_language(store, options.lang)
        found = stored_exchanges(store, language, options.one, sort=options.sort, least=options.least)
    shown = found[: options.limit or None]
    if invocation.json:
        write_json(shown)
    elif shown:
        rows = [
            (each.before, each.after, each.pairs, each.shared, round(each.expected, 1), round(each.rate, 3))
            for each in shown
        ]
        invocation.show(("u", "v", "pairs", "shared", "expected", "rate"), rows)
    else:
        of = "" if options.one is None else f" of {options.one!r}"
        least = f" with {options.least:g} pairs expected to share; --least 0 shows all" if options.least else ""
        invocation.say(f"no exchange{of}{least}")
    invocation.say_cut(len(shown), len(found), "exchanges")
    return len(found)
