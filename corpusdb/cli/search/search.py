"""The command that searches the corpus and shows what it finds, with its translations or as a concordance."""

from __future__ import annotations

from corpusdb.cli.program.command import command, settling
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.search.concordance import say_no_pattern, show_concordances
from corpusdb.cli.search.hits import show_hits
from corpusdb.cli.search.usual import as_usual
from corpusdb.queries.search.request import SearchRequest

__all__ = ["search"]


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
    from corpusdb.cli.search.hits import say_nothing_found
    from corpusdb.queries.search.search import Searcher, searches

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
