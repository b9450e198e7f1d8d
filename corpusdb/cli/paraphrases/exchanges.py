"""The command for exchanges of words: how often one keeps the meaning."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from corpusdb.cli.paraphrases.paradigms import indexed_language
from corpusdb.cli.paraphrases.paraphrases import Limit
from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import write_json, write_line, write_table

if TYPE_CHECKING:
    from corpusdb.queries.paraphrase.exchanges import ExchangeReport

__all__ = ["exchanges"]


@dataclass(frozen=True, slots=True)
class ExchangesOptions:
    """What `exchanges` takes."""

    one: Annotated[
        str | None, typer.Argument(metavar="U", help="Words as one writes them; '' is nothing.", show_default=False)
    ] = None
    other: Annotated[
        str | None, typer.Argument(metavar="V", help="What is exchanged for them.", show_default=False)
    ] = None
    lang: Annotated[
        str | None, typer.Option("--lang", metavar="LANG", help="Language; needed where several have an index.")
    ] = None
    limit: Limit = 10
    sort: Annotated[Literal["rate", "pairs"], typer.Option(help="What a list is sorted by.")] = "rate"
    least: Annotated[
        float, typer.Option(metavar="E", min=0, help="Of a list only what is expected to share so often.")
    ] = 3.0


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
    from corpusdb.queries.paraphrase.exchanges import exchange_report

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
    from corpusdb.reports.exchanges import EXCHANGE_COLUMNS, example_lines, exchange_rows, exchange_told

    if invocation.chosen_format:
        invocation.show(EXCHANGE_COLUMNS, exchange_rows(found))
        return
    write_line(exchange_told(found.total))
    write_line()
    write_table(EXCHANGE_COLUMNS, exchange_rows(found))
    write_line()
    for line in example_lines(found):
        write_line(line)


def _list(invocation: Invocation, options: ExchangesOptions) -> int:
    from corpusdb.queries.paraphrase.exchanges import stored_exchanges

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
