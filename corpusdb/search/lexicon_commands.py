"""The commands that count words, and the one that cuts sentences into words with what is known of each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

import typer

from corpusdb.base.display import Cell, counted, short
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import SAME_COMMAND
from corpusdb.base.options import Argument, Option, RowLimit, number_of
from corpusdb.base.text import language_code, normalise
from corpusdb.commands.command import command, knowing, settling
from corpusdb.commands.invocation import Invocation, write_json
from corpusdb.commands.options import shell_line
from corpusdb.search.commands import in_usual_language
from corpusdb.search.report import format_case

if TYPE_CHECKING:
    from corpusdb.corpus.store import Store
    from corpusdb.search.queries.collocations import Neighbourhood, OtherWay
    from corpusdb.search.queries.frequencies import Frequency
    from corpusdb.search.queries.token_selection import TokenSelection


_LanguageIfOnly: TypeAlias = Annotated[
    str | None, Option("The language (default: the first in the corpus).", "--lang", metavar="LANG")
]
_Collection: TypeAlias = Annotated[str | None, Option("Only in this collection.", metavar="NAME")]
_Document: TypeAlias = Annotated[str | None, Option("Only in this document or file.", metavar="NAME")]
_Where: TypeAlias = Annotated[
    tuple[str, ...], Option("Only where an attribute of the document or line has this value.", metavar="NAME=VALUE")
]
_IgnoreCase: TypeAlias = Annotated[
    bool | None, Option("Ignore case; it matters by default.", "--ignore-case/--match-case -i/-s")
]
_WordsOnly: TypeAlias = Annotated[bool, Option("Leave out tokens without letters or digits.", "--words-only")]
_Attribute: TypeAlias = Annotated[
    str, Option("Count this instead of words: lemma, pos ... (`corpusdb guide annotations`).", metavar="NAME")
]
_Occurrences: TypeAlias = Annotated[bool, Option("Count every occurrence of a repeated sentence, not just one.")]
_Least: TypeAlias = Annotated[int, Option("Minimum frequency.", metavar="N", least=1)]


_SPELLED: Final = {"--sort": "--measure"}
"""As `search` has it, and others."""
_LIKELIHOOD: Final = dict.fromkeys(("ll", "llr", "g", "g2", "loglik", "likelihood"), "loglikelihood")
_ASSOCIATION: Final = _LIKELIHOOD | {
    **dict.fromkeys(("miscore", "mutualinformation", "mutinf"), "mi"),
    **dict.fromkeys(("tscore", "ttest"), "t"),
    **dict.fromkeys(("zscore", "ztest"), "z"),
    **dict.fromkeys(("minsens", "minsensitivity", "minimumsensitivity"), "sensitivity"),
    **dict.fromkeys(("mik3", "mi3score"), "mi3"),
}
_KEYNESS: Final = _LIKELIHOOD | {"simplemaths": "simple", "simplemath": "simple", "sm": "simple"}
"""As Sketch Engine, CQPweb and AntConc call them."""


@dataclass(frozen=True, slots=True)
class FrequenciesOptions:
    lang: _LanguageIfOnly = None
    attribute: _Attribute = "word"
    unit: Annotated[Literal["word", "char"], Option("Count words or characters.")] = "word"
    # As a number it is what earlier versions kept of a query.
    ngram: Annotated[str | int, Option("Count n-grams of this length, or of 2 to 5: 2-5.", metavar="N|N-N")] = "1"
    collection: _Collection = None
    document: _Document = None
    where: _Where = ()
    ignore_case: _IgnoreCase = None
    words_only: _WordsOnly = False
    occurrences: _Occurrences = False
    pattern: Annotated[
        str | None, Option("Only rows that match this regular expression; ^...$ matches whole ones.", metavar="REGEX")
    ] = None
    least: _Least = 1
    dispersion: Annotated[bool, Option("Also show how evenly each is spread over documents.")] = False
    trend: Annotated[
        str,
        Option("Show what becomes more or less frequent with an attribute of documents, such as year.", metavar="NAME"),
    ] = ""
    open_slot: Annotated[bool, Option("With --ngram: count frames with one open slot, such as in the * of.")] = False
    limit: RowLimit = 50


@settling(in_usual_language)
@command("frequencies", answers=True, timed=True)
def frequencies(invocation: Invocation, options: FrequenciesOptions) -> int:
    """List words, characters or n-grams by frequency.

    Each distinct sentence counts once, however often it occurs; --occurrences counts every occurrence. Words are the
    tokens of search: words, clitics and punctuation marks; characters in Japanese, Chinese ... N-grams do not cross the
    end of a sentence. With --unit char a space counts too, and is shown as ␣.

    per_million: per million n-grams of its length; --words-only leaves out punctuation, and n-grams across it.
    sentences: how many contain it. fillers: how many different words fill the open slot.

    With --dispersion: range, the number of documents (without documents, files) that contain it; Juilland's D (1 is
    evenly spread) and Gries's DP and DPnorm (0 is evenly spread), where a sentence counts in each of its documents;
    arf, the average reduced frequency, by distances between occurrences as files are read, in words with --words-only.

    With --trend, most certain changes first: slope, the change from one value of the attribute to the next in per cent
    of the mean frequency (Theil-Sen); p, its p-value (Mann-Kendall); from and to, per million at the first and last.
    """
    from corpusdb.search.queries.frequencies import Count, frequency_list
    from corpusdb.search.queries.nothing_found import nothing_counted

    lengths = _lengths(str(options.ngram))
    with _selection(invocation, options) as (store, tokens):
        count = Count(
            *(tokens, options.unit, lengths[0], options.least, options.pattern),
            longest=lengths[1],
            dispersion=options.dispersion,
            trend=options.trend,
            open_slot=options.open_slot,
        )
        found = frequency_list(store, count, options.limit, time_limit=invocation.limit())
        absent = [] if found.found else nothing_counted(store, count)
    columns = ["text", "count", "per_million", "sentences"]
    columns += ["range", "juilland_d", "dp", "dp_norm", "arf"] if options.dispersion else []
    columns += ["slope", "p", "from", "to"] if options.trend else []
    columns += ["fillers"] if options.open_slot else []
    invocation.show(columns, map(_frequency_cells, found.rows), document=found)
    told = f"{counted(found.total, _things(tokens, count.lengths, options.unit))} counted, {found.distinct:,} different"
    told += f" ({format_case(folds=bool(options.ignore_case))})"
    each = "occurrences of" if options.occurrences else "different"
    invocation.say(f"{told}, in {found.sentences:,} {each} {tokens.language} sentences")
    invocation.say_none(found.rows, "is nothing to list")
    if found.alike:
        invocation.say(f"of these with other spaces, apostrophes or hyphens: {found.alike:,}, in rows of their own")
    for each in absent:
        invocation.say(each)
    invocation.say_cut(len(found.rows), found.found, "rows")
    return found.found


def _frequency_cells(row: Frequency) -> tuple[Cell, ...]:
    cells: list[Cell] = [row.text, row.count, row.per_million, row.sentences]
    cells += astuple(row.dispersion) if row.dispersion else ()
    if row.trend is not None:
        cells += [row.trend.slope, row.trend.p, row.trend.per_million[0], row.trend.per_million[-1]]
    cells += [] if row.fillers is None else [row.fillers]
    return tuple(map(short, cells))


_LONGEST: Final = 1000


def _lengths(given: str) -> tuple[int, int]:
    """The least and the most units of a sequence: 3, or 2-5. Raises UsageError for anything else."""
    least, dash, most = (each.strip() for each in given.partition("-"))
    both = least, most if dash else least
    if not all(each.isascii() and each.isdigit() and 0 < number_of(each) <= _LONGEST for each in both):
        raise UsageError(f"--ngram takes a number from 1 to {_LONGEST:,}, or two: 2-5; not {given!r}")
    if number_of(both[0]) > number_of(both[1]):
        raise UsageError(f"--ngram: the smaller number comes first: {both[1]}-{both[0]}")
    return number_of(both[0]), number_of(both[1])


def _things(tokens: TokenSelection, lengths: range, unit: str = "word") -> str:
    one = "character" if unit == "char" else _unit(tokens)
    one = one if one in ("character", "word", "token") else f"{one} value"
    least, most = lengths[0], lengths[-1]
    told = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return f"{one}s" if most == 1 else f"sequences of {told} {one}s"


def _counted_in(tokens: TokenSelection) -> str:
    return "counting every occurrence of a sentence" if tokens.occurrences else "counting each distinct sentence once"


@dataclass(frozen=True, slots=True)
class CollocatesOptions:
    word: Annotated[str, Argument("One or more words, or a query.", metavar="WORD")]
    lang: _LanguageIfOnly = None
    attribute: _Attribute = "word"
    regex: Annotated[bool, Option("WORD is a regular expression for one word.", "--regex -e")] = False
    cqp: Annotated[bool, Option("WORD is a CQP query, such as '[lemma=\"go\"]'.")] = False
    window: Annotated[int, Option("Look at this many tokens on either side.", metavar="N", least=0)] = 5
    left: Annotated[int | None, Option("Look at this many tokens before WORD.", metavar="N", least=0)] = None
    right: Annotated[int | None, Option("Look at this many tokens after WORD.", metavar="N", least=0)] = None
    measure: Annotated[
        Literal["loglikelihood", "mi", "t", "logdice", "mi3", "z", "logratio", "sensitivity"],
        Option("Sort by this measure.", called=_ASSOCIATION),
    ] = "loglikelihood"
    against: Annotated[str | None, Option("Compare with the collocates of this word.", metavar="WORD")] = None
    relations: Annotated[bool, Option("List by grammatical relation, -n of each; needs a treebank.")] = False
    collection: _Collection = None
    document: _Document = None
    where: _Where = ()
    ignore_case: _IgnoreCase = None
    words_only: _WordsOnly = False
    occurrences: _Occurrences = False
    least: _Least = 5
    limit: RowLimit = 50


@settling(in_usual_language)
@knowing(_SPELLED, {})
@command("collocates", answers=True, timed=True)
def collocates(invocation: Invocation, options: CollocatesOptions) -> int:
    """List the collocates of a word, strongest first.

    Windows around WORD end with the sentence. A token in two windows counts once, and WORD itself is not counted (Evert
    2008). --words-only takes punctuation out of the windows and the counts. Each distinct sentence counts once, unless
    --occurrences is given. With --attribute, WORD is a value of that attribute; a query may name any.

    count: occurrences in windows; left, right: those before and after WORD; a token between two WORDs is in both.
    frequency: all occurrences. expected: the count expected by chance. loglikelihood: Dunning's G2, negative if there
    are fewer than expected. mi: mutual information in bits. t: the t-score. logdice: 14 if the two always occur
    together; one less is half as often. --measure also offers mi3, which favours frequent words more than mi does; z,
    the z-score; logratio, 1 if the word is twice as frequent near WORD as elsewhere; sensitivity, the minimum
    sensitivity, 1 if the two always occur together.

    With --against: other_count and other_logdice are those of the other word; difference is logdice minus
    other_logdice, taking 0 for a word that does not occur. With --relations: obj lists the objects of WORD, obj of the
    words that WORD is the object of, and so on, with the treebank's relations; logdice is computed within each
    relation.

    The exit code is 1 if there are no collocates.
    """
    from corpusdb.search.queries.collocations import Neighbourhood

    if options.regex and options.cqp:
        raise UsageError("--regex and --cqp exclude each other")
    if options.relations and (options.cqp or options.against is not None):
        raise UsageError("--relations is for a word or a regular expression, not with --cqp or --against")
    if options.measure != "loglikelihood" and (options.relations or options.against is not None):
        raise UsageError("--relations and --against are sorted by logdice, and take no --measure")
    left, right = (options.window if given is None else given for given in (options.left, options.right))
    with _selection(invocation, options) as (store, tokens):
        near = Neighbourhood(tokens, options.word, options.regex, left, right, options.least, options.cqp)
        if options.relations:
            return _show_relations(invocation, store, near, options)
        if options.against is not None:
            return _show_contrast(invocation, store, near, options)
        return _show_collocates(invocation, store, near, options)


def _show_collocates(invocation: Invocation, store: Store, near: Neighbourhood, options: CollocatesOptions) -> int:
    from corpusdb.search.queries.collocations import absent_words, letters_remark_on_node, other_ways
    from corpusdb.search.queries.collocations import collocates as find_collocates

    tokens = near.tokens
    found = find_collocates(store, near, options.measure, options.limit, time_limit=invocation.limit())
    ways = () if found.nodes else other_ways(store, near, invocation.limit())
    words = () if found.nodes or ways else absent_words(store, near)
    letters = letters_remark_on_node(store, near)
    if invocation.json:
        write_json(found)
    else:
        columns = ["text", "count", "frequency", "expected", "loglikelihood", "mi", "t", "logdice"]
        columns += [options.measure] if options.measure not in columns else []
        columns += ["left", "right"]
        if invocation.format == "table":  # a screen has no room for all
            unasked = {"expected", "t", "left", "right"} - {options.measure}
            columns = ["text", "count", "left", "right", *(name for name in columns[2:] if name not in unasked)]
        invocation.show(columns, ([short(getattr(row, name)) for name in columns] for row in found.rows))
    node = "what the query matches" if options.cqp else f"the {_unit(tokens)} {options.word!r}"
    if options.regex or len(options.word.split()) > 1:
        node = f"what {options.word!r} matches" if options.regex else repr(options.word)
    case = "" if options.cqp else f", {format_case(folds=bool(options.ignore_case))}"
    around = counted(found.window_tokens, "words" if tokens.words_only else "tokens")
    told = f"{node} occurs {counted(found.nodes, 'times')}{case}, with {around} around it"
    invocation.say(f"{told}, {_counted_in(tokens)}")
    if found.alike:
        invocation.say(f"of these with other spaces, apostrophes or hyphens: {found.alike:,}")
    if letters is not None:
        invocation.say(letters)
    for way in ways:
        invocation.say(_format_way(way, options))
    if words:
        invocation.say(f"{tokens.language} has {', '.join(words)}")
    _say_rarer(invocation, found.rarer, options.least)
    invocation.say_none(found.rows, "is no collocate to list")
    invocation.say_cut(len(found.rows), found.found, "collocates")
    if not found.rows:
        raise typer.Exit(1)
    return found.found


def _show_relations(invocation: Invocation, store: Store, near: Neighbourhood, options: CollocatesOptions) -> int:
    from corpusdb.search.queries.collocations import related

    nodes, found = related(store, near, time_limit=invocation.limit())
    of_relations = [list(each) for _, each in groupby(found, key=lambda row: row.relation)]
    shown = [row for each in of_relations for row in each[: options.limit or None]]
    invocation.show(
        ("relation", "text", "count", "logdice"),
        (tuple(map(short, astuple(row))) for row in shown),
        document={"nodes": nodes, "relations": [asdict(row) for row in shown]},
    )
    invocation.say(f"{options.word!r} occurs {counted(nodes, 'times')}, {_counted_in(near.tokens)}")
    invocation.say_none(
        shown, f"is no word in a relation to {options.word!r} {counted(options.least, 'times')} or more (--least)"
    )
    invocation.say_cut(len(shown), len(found), "words")
    if not shown:
        raise typer.Exit(1)
    return len(found)


def _show_contrast(invocation: Invocation, store: Store, near: Neighbourhood, options: CollocatesOptions) -> int:
    from corpusdb.search.queries.collocations import contrast

    one, two, rows = contrast(store, near, options.against or "", options.limit, time_limit=invocation.limit())
    columns = ("text", "count", "other_count", "logdice", "other_logdice", "difference")
    invocation.show(
        columns,
        (tuple(map(short, astuple(row))) for row in rows),
        document={"nodes": one.nodes, "other_nodes": two.nodes, "rows": [asdict(row) for row in rows]},
    )
    for node, found in ((options.word, one), (options.against, two)):
        invocation.say(f"{node!r} occurs {counted(found.nodes, 'times')}, {_counted_in(near.tokens)}")
    invocation.say_none(rows, "is no collocate to list")
    if not rows:
        raise typer.Exit(1)
    return len(rows)


def _format_way(way: OtherWay, options: CollocatesOptions) -> str:
    near, folds = way.near, way.near.tokens.fold_case
    given = replace(options, word=near.node, regex=near.is_pattern, cqp=near.is_query, ignore_case=folds or None)
    what = {"case": "in another case", "attribute": "as a word", "mode": "as a pattern"}[way.reason]
    return f"{what} it occurs {counted(way.nodes, 'times')}: `{shell_line('collocates', given)}`"


def _unit(tokens: TokenSelection) -> str:
    return ("word" if tokens.words_only else "token") if tokens.attribute == "word" else tokens.attribute


def _say_rarer(invocation: Invocation, rarer: int, least: int) -> None:
    if rarer:
        invocation.say(f"{rarer:,} more {'occurs' if rarer == 1 else 'occur'} fewer than {least:,} times (--least)")


@dataclass(frozen=True, slots=True)
class KeywordsOptions:
    collection: Annotated[
        str | None,
        Argument("The collection, selection or result; or --where.", metavar="COLLECTION"),
    ] = None
    lang: _LanguageIfOnly = None
    attribute: _Attribute = "word"
    against: Annotated[
        str | None,
        Option(
            "The reference: a collection, a part such as 'mine[genre=news]', or a file of word TAB count "
            "(default: all other sentences).",
            metavar="NAME|FILE",
        ),
    ] = None
    document: _Document = None
    where: _Where = ()
    measure: Annotated[
        Literal["loglikelihood", "logratio", "diff", "simple"],
        Option("Sort by this measure.", called=_KEYNESS),
    ] = "loglikelihood"
    ngram: Annotated[int, Option("Compare n-grams of this many words.", metavar="N", least=1, most=1000)] = 1
    negative: Annotated[bool, Option("List words that are less frequent instead.")] = False
    significance: Annotated[
        float, Option("Only keywords with a p-value of at most P.", "--p", metavar="P", least=0, most=1)
    ] = 1.0
    smoothing: Annotated[
        float, Option("Added to frequencies per million for the measure simple.", metavar="N", least=0, most=1e6)
    ] = 1.0
    ignore_case: _IgnoreCase = None
    words_only: _WordsOnly = False
    occurrences: _Occurrences = False
    least: Annotated[
        int | None, Option("Minimum frequency (default: 5; 2 in fewer than 10,000 words).", metavar="N", least=1)
    ] = None
    limit: RowLimit = 50


@settling(in_usual_language)
@knowing(_SPELLED, {})
@command("keywords", answers=True)
def keywords(invocation: Invocation, options: KeywordsOptions) -> int:
    """List keywords or terms of a collection, against a reference.

    Each distinct sentence counts once in the collection, and once in the reference, unless --occurrences is given.

    loglikelihood: Rayson and Garside's, negative with --negative. significance: its p-value, not corrected for the
    number of words. logratio: 1 is twice as frequent, 2 four times; a count of 0 is taken as 0.5. diff: how many per
    cent more frequent; empty if the reference lacks the word. simple: Kilgarriff's ratio of frequencies per million,
    with --smoothing added to both.
    """
    from corpusdb.search.queries.frequencies import KeywordComparison
    from corpusdb.search.queries.frequencies import keywords as find_keywords

    with _selection(invocation, options) as (store, target):
        counts = None if options.against is None else _counts_in(store, options.against)
        comparison = KeywordComparison(
            target,
            None if counts else options.against,
            counts,
            negative=options.negative,
            least=options.least,
            significance=options.significance,
            smoothing=options.smoothing,
            n=options.ngram,
        )
        found = find_keywords(store, comparison, options.measure, options.limit)
    columns = ["text", "count", "reference_count", "per_million", "reference_per_million"]
    columns += ["loglikelihood", "significance", "logratio", "diff", "simple"]
    invocation.show(columns, (tuple(map(short, astuple(row))) for row in found.rows), document=found)
    what = _things(target, range(options.ngram, options.ngram + 1))
    told = f"{counted(found.target_tokens, what)} against {found.reference_tokens:,}"
    invocation.say(f"{told}, {format_case(folds=bool(options.ignore_case))}, {_counted_in(target)}")
    if found.shared_tokens:
        invocation.say(
            f"{found.shared_tokens:,} of these are in both; without --against, a part is compared with the rest"
        )
    _say_rarer(invocation, found.rarer, found.least)
    invocation.say_none(found.rows, "is no keyword to list")
    invocation.say_cut(len(found.rows), found.found, "keywords")
    return found.found


_MOST_COUNTED: Final = 100_000_000_000
"""In a corpus of a trillion words the commonest does not: what it is multiplied with stays a number of 64 bits."""
_DIGITS: Final = 20
"""That are read; more are too many in any case."""


def _counts_in(store: Store, name: str) -> dict[str, int] | None:
    """How often each word occurs, by a file, where no collection or result has that name.

    Words are in NFC, as those of the corpus. Raises InputError for a line that is no word and count, but for a header.
    """
    from corpusdb.corpus.formats.reading import read_lines
    from corpusdb.corpus.queries.sentences import collection_names, result_languages

    path = Path(name)
    if name in {*collection_names(store), *result_languages(store)} or not path.is_file():
        return None
    counts: dict[str, int] = {}
    for number, line in read_lines(path):
        text, _, rest = line.partition("\t")
        told, word = rest.partition("\t")[0], normalise(text)
        if told.isdecimal():
            counts[word] = counts.get(word, 0) + int(told.lstrip("0")[:_DIGITS] or 0)
            if counts[word] > _MOST_COUNTED:
                raise InputError(f"a word cannot occur more than {_MOST_COUNTED:,} times", path=path, line=number)
        elif number > 1 and line.strip():
            raise InputError("a line needs a word, a tab and a count", path=path, line=number)
    if not counts:
        raise InputError("no line has a word, a tab and a count", path=path)
    return counts


@contextmanager
def _selection(
    invocation: Invocation, options: FrequenciesOptions | CollocatesOptions | KeywordsOptions
) -> Iterator[tuple[Store, TokenSelection]]:
    from corpusdb.corpus.queries.attributes import conditions_in, documents_where
    from corpusdb.corpus.queries.sentences import (
        collection_names,
        format_other_language,
        places_within,
        result_languages,
    )
    from corpusdb.search.queries.token_selection import TokenSelection, require_language

    given = None if options.lang is None else language_code(options.lang)
    with invocation.reading() as store, store.snapshot():
        language = require_language(store, given)
        is_result = options.collection in result_languages(store)
        if options.occurrences and is_result and not places_within(store, options.collection):
            invocation.say(f"every occurrence of the sentences of {options.collection!r} counts, wherever it is")
        collection, where = options.collection, options.where
        if collection is not None and not is_result and collection not in collection_names(store):
            collection, conditions = conditions_in(collection) or (collection, [])
            where = (*where, *conditions)
        selection = TokenSelection(
            *(language, collection, documents_where(options.document, where)),
            *(bool(options.ignore_case), options.words_only),
            attribute=options.attribute,
            occurrences=options.occurrences,
            having=("deprel",) if isinstance(options, CollocatesOptions) and options.relations else (),
        )
        names = (
            options.collection,
            getattr(options, "against", None) if isinstance(options, KeywordsOptions) else None,
        )
        for name in names:
            if (told := format_other_language(store, name, language)) is not None:
                invocation.say(told)
        asked = options.word if isinstance(options, CollocatesOptions) and options.cqp else None
        _say_coverage(invocation, store, selection, asked)
        yield store, selection


def _say_coverage(invocation: Invocation, store: Store, tokens: TokenSelection, query: str | None) -> None:
    """Say how many sentences are counted, where not all have the attribute or those that a query asks for, and how they
    are cut where that matters."""
    from corpusdb.search.queries.token_index import way_of
    from corpusdb.search.queries.token_selection import coverages

    found = coverages(store, tokens, query)
    for each in found:
        if not each.is_complete:
            invocation.say(f"{each}; the others are left out")
    if not found and (told := way_of(store, tokens.language)):
        invocation.say(told)


@dataclass(frozen=True, slots=True)
class AnnotateOptions:
    lang: Annotated[str | None, Option("The language; without --file only jpn.", metavar="LANG")] = None
    file: Annotated[
        list[Path],
        Option("conllu, vert, tmx: a file with annotation; may be repeated.", metavar="FILE"),
    ] = field(default_factory=list)
    format: Annotated[str | None, Option("Format of the files; recognised if not given.", metavar="FORMAT")] = None
    attributes: Annotated[
        str, Option("vert, tmx: the attributes of tokens, as word,pos,lemma.", metavar="NAME,...")
    ] = ""
    replace: Annotated[bool, Option("Replace the annotation of other files.")] = False


@command("annotate")
def annotate(invocation: Invocation, options: AnnotateOptions) -> None:
    """Give sentences lemmas and tags, from files or an analyser.

    With --file, sentences of the corpus get the annotation that CoNLL-U or vertical files have for the same text; only
    spaces may differ. Nothing is added to the corpus: sentences that it lacks are reported with their lines. A second
    call changes nothing.

    Without --file, Japanese is split into words (pip install 'corpusdb[japanese]'; not needed to search the result).
    `search --cqp`, `frequencies` and `collocates` then use words instead of characters, and have the attributes lemma,
    pos, conjugation, form, reading and norm. Sentences imported later are annotated too; those annotated by files stay
    as they are. The output of another version of the analyser is replaced.

    If interrupted, run the same command again. `corpusdb guide annotations` says where to get annotated files.
    """
    from corpusdb.search.queries.morpheme_annotation import annotate as annotate_language

    if options.file:
        _annotate_by_files(invocation, options)
        return
    if options.format or options.attributes or options.replace:
        raise UsageError("--format, --attributes and --replace need --file")
    language = language_code(options.lang or "jpn")
    with invocation.writing() as store:
        found = invocation.run(annotate_language(store, language), goes_on=SAME_COMMAND)
    invocation.report(
        found,
        [
            ("analyser", found.analyser),
            ("sentences annotated", found.sentences),
            ("tokens", found.tokens),
            ("sentences that files annotated", found.imported),
            ("seconds", round(found.seconds, 1)),
        ],
    )


def _annotate_by_files(invocation: Invocation, options: AnnotateOptions) -> None:
    from corpusdb.corpus.formats import Options, open_sources
    from corpusdb.search.queries.file_annotation import annotate_by_files

    if options.lang is None:
        raise UsageError("files do not name their language: give --lang")
    language = language_code(options.lang)
    reading = Options((language,), attributes=tuple(options.attributes.split(",")) if options.attributes else ())
    sources = [each for file in options.file for each in open_sources(options.format, [file], reading)]
    with invocation.writing() as store:
        job = annotate_by_files(store, language, sources, replaces=options.replace)
        found = invocation.run(job, goes_on=SAME_COMMAND)
    for file, line, reason in found.first_absent:
        invocation.say(f"left out: {file}:{line}: {reason}")
    if found.absent > len(found.first_absent):
        invocation.say(f"left out: {counted(found.absent - len(found.first_absent), 'more sentences')}")
    if found.annotated_before:
        invocation.say("sentences keep their first annotation; --replace takes that of these files")
    figures = [
        ("sentences read", found.read),
        ("sentences annotated", found.annotated),
        ("of these with another one before", found.replaced),
        ("annotated before", found.annotated_before),
        ("not in the corpus", found.absent),
        ("seconds", round(found.seconds, 1)),
    ]
    invocation.report(found, figures)
