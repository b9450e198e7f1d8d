"""What a command takes where nothing is given: a language, and whether case counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from corpusdb.cli.program.invocation import Invocation
from corpusdb.queries.search.request import SearchRequest

__all__ = ["as_usual", "in_usual_language"]


def in_usual_language(invocation: Invocation, options: Any) -> tuple[Any, str]:
    """The options, dataclasses with a field ``lang``, in the usual language where none is given; and what that is.

    Where they are asked of a result or selection, which has one language, it is that.
    """
    from corpusdb.queries.search.kept.usual_language import language_of_results, usual_language

    if options.lang:
        return options, ""
    with invocation.reading() as store:
        asked_of = [getattr(options, name, None) for name in ("collection", "against")]
        usual = language_of_results(store, asked_of) or usual_language(store, remembered=invocation.attended)
    if usual is None:  # the command itself says that the corpus is empty, or finds nothing
        return options, ""
    told = f"in {usual}; others with --lang: {', '.join(usual.others)}" if usual.others else ""
    return replace(options, lang=usual.language), told


def as_usual(invocation: Invocation, options: SearchRequest) -> tuple[SearchRequest, str]:
    """A search in the usual language, and whatever the case where a person's last one was."""
    from corpusdb.queries.search.kept.usual_language import ignored_case

    settled, told = in_usual_language(invocation, options)
    if options.cqp or options.ignore_case is not None or not invocation.attended:
        return settled, told
    with invocation.reading() as store:
        ignored = ignored_case(store)
    if not ignored:
        return settled, told
    case = "whatever the case, as in your last search; -s has it count"
    return replace(settled, ignore_case=True), f"{told}; {case}" if told else case
