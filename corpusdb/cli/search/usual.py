"""What a command takes where nothing is given: a language, and whether case counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from corpusdb.cli.program.command import Settled
from corpusdb.cli.program.invocation import Invocation
from corpusdb.queries.search.request import SearchRequest

__all__ = ["as_usual", "in_usual_language"]


def in_usual_language(invocation: Invocation, options: Any) -> Settled[Any]:
    """The options, dataclasses with a field ``lang``, in the usual language where none is given; and what that is.

    Where they are asked of a result or selection, which has one language, it is that.
    """
    from corpusdb.queries.search.kept.usual_language import language_of_results, usual_language

    if options.lang:
        return Settled(options)
    with invocation.reading() as store:
        asked_of = [getattr(options, name, None) for name in ("collection", "against")]
        usual = language_of_results(store, asked_of) or usual_language(store, remembered=invocation.attended)
    if usual is None:  # the command itself says that the corpus is empty, or finds nothing
        return Settled(options)
    settled = replace(options, lang=usual.language)
    others = ", ".join(usual.others)
    if usual.is_remembered:
        return Settled(settled, f"in {usual} and is remembered; --lang changes that: {others}", is_remembered=True)
    return Settled(settled, f"in {usual}; others with --lang: {others}" if others else "")


def as_usual(invocation: Invocation, options: SearchRequest) -> Settled[SearchRequest]:
    """A search in the usual language, and whatever the case where a person's last one was."""
    from corpusdb.queries.search.kept.usual_language import ignored_case

    settled: Settled[SearchRequest] = in_usual_language(invocation, options)
    if options.cqp or options.ignore_case is not None or not invocation.attended:
        return settled
    with invocation.reading() as store:
        ignored = ignored_case(store)
    if not ignored:
        return settled
    case = "whatever the case, as in your last search, which is remembered; -s has it count"
    told = f"{settled.told}; {case}" if settled.told else case
    return Settled(replace(settled.options, ignore_case=True), told, is_remembered=True)
