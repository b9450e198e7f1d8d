"""The command that searches the corpus, and what commands take where nothing is given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from corpusdb.commands.command import Settled, command, settling
from corpusdb.commands.invocation import Invocation
from corpusdb.search.concordance_commands import say_no_pattern, show_concordances, show_hits
from corpusdb.search.queries.request import SearchRequest

__all__ = [
    "as_usual",
    "in_usual_language",
    "search",
]


# What a command takes where nothing is given: a language, and whether case counts.


def in_usual_language(invocation: Invocation, options: Any) -> Settled[Any]:
    """The options, dataclasses with a field ``lang``, in the usual language where none is given; and what that is.

    Where they are asked of a result or selection, which has one language, it is that.
    """
    from corpusdb.search.queries.usual_language import language_of_results, usual_language

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
    from corpusdb.search.queries.usual_language import ignored_case

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


# The command that searches the corpus and shows what it finds, with its translations or as a concordance.


@settling(as_usual)
@command("search", answers=True, timed=True)
def search(invocation: Invocation, options: SearchRequest) -> int:
    """Search sentences, or show a concordance (--kwic).

    PATTERN is a string unless --word, --regex or --cqp says what else; the patterns behind --aligned are of the same
    kind. Without --lang search is in the language of the result that --collection names, else at a terminal in the one
    that you used last in this database, and at first, and in scripts, in the first column of the first import; --lang
    all is in all. Case counts where a pattern has a capital; -s has it always count, and -i, which a terminal remembers
    until then, never. A typed space, apostrophe or hyphen finds whatever looks like it, with -s only itself. A word is
    a token, with --word, in CQP and for frequencies alike: a run of letters and digits, also with an apostrophe inside
    (o'clock); do and n't, Tom and 's, l' and eau are two; every hyphen and punctuation mark is one; a character where
    the script does not delimit words; and what the file says where it was annotated (`corpusdb guide annotations`):

    \b
    "regex"   "Regex"%c   "a.m."%l   a whole token; in any case; as it stands
    [word="un.*" & word!="under"]    conditions on a token; [] is any token
    [lemma="go" & pos="V.*"]         other attributes, in annotated sentences
    "a" [] "b"   "a" | "b"   ( )     one behind the other; one of two; a group
    ?   *   +   {2}   {1,3}          how often the token or group before
    <s>   </s>   within 5            the ends of a sentence; five tokens at most
    within s   within 2 s            in one sentence; in two in a row
    a:[] [] b:[] :: a.word = b.word  labels, and a condition on them
    :fra "chat"   :fra ! "chat"      a French translation matches; none does
    """
    from corpusdb.search.concordance_commands import say_nothing_found
    from corpusdb.search.queries.search import Searcher, searches

    limit = invocation.limit()
    with invocation.reading() as store:
        searcher = Searcher(store)
        with store.snapshot():
            if options.kwic and not options.pattern:
                say_no_pattern(invocation, store, options)
            found = [searcher.find(each, limit) for each in searches(store, options)]
            show = show_concordances if options.kwic or options.group else show_hits
            total = show(invocation, store, found, options, limit)
            if not total:
                say_nothing_found(invocation, searcher, options, limit)
            return total
