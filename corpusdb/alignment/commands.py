"""The commands that align words, and those that look up what words are aligned with and what else they are called."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from shutil import get_terminal_size
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

import typer

from corpusdb.base.cells import cut_right
from corpusdb.base.display import Cell, cell_text
from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import SAME_COMMAND
from corpusdb.base.options import Argument, Option, RowLimit, refuse_given
from corpusdb.base.outputs import Guard, Outputs, check_output
from corpusdb.base.text import MAX_SENTENCE_UNITS, language_code, language_codes
from corpusdb.commands.command import CommandGroup, Overwrite, command
from corpusdb.commands.invocation import Invocation, stdout_in, write_json, write_line, write_table, write_text

if TYPE_CHECKING:
    from corpusdb.alignment.equivalence import LeftOut
    from corpusdb.alignment.queries.phrase_places import Translations
    from corpusdb.corpus.store import Store
    from corpusdb.search.queries.search import Hits


_METHOD: Final = "grow-diag-final-and"


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignOptions:
    lang: Annotated[str | None, Option("Align these languages in the database.", metavar="A,B")] = None
    retrain: Annotated[bool, Option("With --lang: train a new model.")] = False
    links: Annotated[
        Path | None, Option("With --lang, --source and --ref: store these links instead.", metavar="FILE")
    ] = None
    source: Annotated[Path | None, Option("Plain text, one segment per line.", metavar="FILE")] = None
    ref: Annotated[Path | None, Option("Its translation, line by line; - is stdin.", metavar="FILE")] = None
    output: Annotated[
        Path | None,
        Option(
            "Write the links to FILE instead of stdout; with --lang also the texts, to FILE.A and FILE.B.",
            "--output -o",
            metavar="FILE",
        ),
    ] = None
    tokenise: Annotated[
        str | None,
        Option(
            "Tokeniser: auto, units, none (white space), 13a, intl, char, ja-mecab, zh, ja-sudachi; or two, for "
            "source and reference (default: auto; with --links none).",
            metavar="NAME[,NAME]",
        ),
    ] = None
    method: Annotated[
        Literal["grow-diag-final-and", "intersection", "union", "forward", "backward"],
        Option("How links of both directions are combined."),
    ] = _METHOD
    tokens: Annotated[Path | None, Option("Also write the tokens: source ||| reference.", metavar="FILE")] = None
    gold: Annotated[Path | None, Option("Compare with these gold links: 0-0 sure, 0?0 possible.", metavar="FILE")] = (
        None
    )
    overwrite: Overwrite = False


@command("align")
def align(invocation: Invocation, options: AlignOptions) -> None:
    """Align the words of texts and their translations.

    With --lang, all pairs of sentences of two languages in the database: links and phrases are stored, for `corpusdb
    translations` and `equivalents`. The first time, a model is trained on all of them; pairs imported later are aligned
    with it at once. --retrain trains a new one. If interrupted, run the same command again. --output also writes what
    is stored: links to FILE, tokenised texts to FILE.A and FILE.B.

    With --lang and --links, the links of another aligner replace the stored ones: Pharaoh lines, or A3 of GIZA++, with
    the two texts whose tokens they link as --source (in A) and --ref (in B). They are stored for pairs in the database
    that have the same tokens, ignoring case; --output writes texts with these tokens. There is no model: pairs imported
    later have no links until you use --links or --retrain again.

    With --source and --ref alone, two files: writes a line for each segment in Pharaoh format, as fast_align, eflomal
    and awesome-align do: 0-0 1-2 links the first word of the source with the first of the reference, and the second
    with the third. Words that translate nothing have no link. The model is trained on the two files alone; the same
    files give the same links. A thousand segments of news take about a second.

    The model is IBM-1, then HMM, with both directions trained to agree, ignoring case. Japanese is split into morphemes
    if corpusdb[japanese] is installed, and a model trained that way keeps to it; otherwise Japanese, like Chinese, is
    split into characters. To align words instead, split the text into words yourself, and use --tokenise none. Other
    languages are split into words, clitics and punctuation marks.
    """
    if options.links is not None:
        _import_links(invocation, options, options.links)
    elif options.lang is not None:
        _align_corpus(invocation, options)
    elif options.source is None or options.ref is None:
        raise UsageError("align needs --lang A,B for the database, or two files: --source FILE --ref FILE")
    elif options.retrain:
        raise UsageError("--retrain is for --lang; a model of files is always a new one")
    else:
        _align_files(invocation, options, options.source, options.ref)


def _languages(options: AlignOptions) -> tuple[str, str]:
    languages = language_codes(options.lang or "")
    if len(languages) != 2:
        raise UsageError(f"--lang takes two languages with a comma between, such as fra,eng, not {options.lang!r}")
    return languages[0], languages[1]


def _import_links(invocation: Invocation, options: AlignOptions, links: Path) -> None:
    from corpusdb.alignment.queries.link_files import import_links, read_link_file
    from corpusdb.alignment.report import import_rows

    if options.lang is None or options.source is None or options.ref is None:
        raise UsageError("--links needs --lang A,B and the texts that are linked: --source FILE in A, --ref FILE in B")
    refused = ("retrain", "output", "tokens", "gold", "method")
    refuse_given(options, refused, "{} does not go with --links, which only takes links in")
    languages = _languages(options)
    given_links = read_link_file(links, options.source, options.ref, options.tokenise or "none")
    with invocation.writing() as store:
        found = invocation.run(import_links(store, *languages, given_links), goes_on=SAME_COMMAND)
    invocation.report(found, import_rows(found))


def _align_corpus(invocation: Invocation, options: AlignOptions) -> None:
    from corpusdb.alignment.queries.corpus_alignment import align_languages
    from corpusdb.alignment.report import alignment_rows

    of_files = ("source", "ref", "gold", "tokenise")
    refuse_given(options, of_files, "{} is for files, and --lang for the database; give one of the two")
    if options.method != _METHOD:
        raise UsageError(f"--method is for files: the links of the database are those of {_METHOD}")
    if options.tokens is not None and options.output is None:
        raise UsageError("with --lang, --tokens needs --output: the tokens are those of the links that it writes")
    if invocation.json and str(options.output) == "-":
        raise UsageError("--json prints a report to stdout; write the links to a file with --output")
    languages = _languages(options)
    guard = invocation.guard(overwrite=options.overwrite)
    _check_outputs(_outputs(options, languages), guard)
    with invocation.writing() as store:
        found = invocation.run(align_languages(store, *languages, retrain=options.retrain), goes_on=SAME_COMMAND)
        if options.output is not None:
            _write_links(store, options, languages, guard)
    for line in found.advice:
        invocation.say(line)
    if str(options.output) != "-":
        invocation.report(found, alignment_rows(found))
    if found.without_links:
        invocation.say(
            f"{found.without_links:,} pairs have no links: the others are imported, and no model came with them; "
            "import links of these too, or --retrain"
        )
    if found.too_long:
        _say_too_long(invocation, found.too_long, "pairs")


def _outputs(options: AlignOptions, languages: tuple[str, str]) -> list[Path]:
    """The files that --output and --tokens name: links, both texts, and these side by side."""
    output = options.output
    if output is None:
        return []
    texts = [] if str(output) == "-" else [output.with_name(f"{output.name}.{each}") for each in languages]
    return [output, *texts, *([options.tokens] if options.tokens else [])]


def _check_outputs(files: Sequence[Path], guard: Guard) -> None:
    """Say before the long work that they cannot be written; the links alone may go to stdout."""
    if len({*files}) < len(files) or Path("-") in files[1:]:
        raise UsageError("links and texts go to different files; give --tokens another name")
    for file in files:
        if str(file) != "-":
            check_output(file, guard)


def _write_links(store: Store, options: AlignOptions, languages: tuple[str, str], guard: Guard) -> None:
    """The stored links as Pharaoh lines, and beside them the texts, a space between two tokens."""
    from corpusdb.alignment.links import pharaoh_line
    from corpusdb.alignment.queries.link_files import linked_texts

    with Outputs(guard) as outputs, ExitStack() as stack:
        links, *texts = [
            sys.stdout if str(file) == "-" else stack.enter_context(outputs.text(file))
            for file in _outputs(options, languages)
        ]
        beside = texts.pop() if options.tokens else None
        for each in linked_texts(store, *languages):
            links.write(f"{pharaoh_line(each.links)}\n")
            sides = " ".join(each.source), " ".join(each.target)
            for file, side in zip(texts, sides, strict=False):
                file.write(f"{side}\n")
            if beside is not None:
                beside.write(f"{' ||| '.join(sides)}\n")


def _say_too_long(invocation: Invocation, count: int, what: str) -> None:
    invocation.say(f"of the {what} {count:,} have over {MAX_SENTENCE_UNITS:,} tokens on a side, and no links")


def _align_files(invocation: Invocation, options: AlignOptions, source_file: Path, ref: Path) -> None:
    from corpusdb.alignment.links import pharaoh_line
    from corpusdb.alignment.queries.link_files import agreement_with, align_files, figures_of, read_gold, read_tokenised

    is_shown = options.output is None or str(options.output) == "-"
    if invocation.json and is_shown:
        raise UsageError("--json prints a report to stdout; write the links to a file with --output")
    begun = monotonic()
    files = read_tokenised(source_file, ref, options.tokenise or "auto")
    gold = None if options.gold is None else read_gold(options.gold, files)
    for note in files.notes:
        invocation.say(note)
    guard = invocation.guard(overwrite=options.overwrite)
    _check_outputs([options.output or Path("-"), *([options.tokens] if options.tokens else [])], guard)
    with stdout_in(options.output, guard):
        if options.tokens is not None:
            with stdout_in(options.tokens, guard):
                for source, target in zip(files.source, files.target, strict=True):
                    write_text(f"{' '.join(source)} ||| {' '.join(target)}")
        links = invocation.run(align_files(files, options.method))
        for number in range(len(links)):
            write_text(pharaoh_line(links.of_pair(number)))
    found = figures_of(files, links)
    report: dict[str, Cell] = {**asdict(found), "seconds": round(monotonic() - begun, 2)}
    if gold is not None:
        report |= asdict(agreement_with(gold, links))
    if found.too_long:
        _say_too_long(invocation, found.too_long, "segments")
    if is_shown:
        invocation.say(", ".join(f"{name} {cell_text(value)}" for name, value in report.items()))
    else:
        invocation.report(report, list(report.items()))


_LanguageIfTold: TypeAlias = Annotated[
    str | None, Option("Its language; needed if several have it.", "--lang", metavar="LANG")
]


@dataclass(frozen=True, slots=True)
class TranslationsOptions:
    word: Annotated[str, Argument("A word, a phrase, or a CQP query.", metavar="WORD")]
    other: Annotated[str, Option("Languages of the translations.", "--with", metavar="LANG,...")]
    lang: _LanguageIfTold = None
    min_count: Annotated[int, Option("Minimum count of a translation.", metavar="N", least=1)] = 1
    pairs: Annotated[
        str | None, Option("Show sentence pairs with this translation; '' is none.", metavar="TRANSLATION")
    ] = None
    sketch: Annotated[bool, Option("Show each translation with its collocates.")] = False
    cooccurring: Annotated[bool, Option("Show what is significantly frequent in its translations, aligned or not.")] = (
        False
    )
    where: Annotated[tuple[str, ...], Option("Only there, as in `search`.", metavar="NAME=VALUE")] = ()
    occurrences: Annotated[bool, Option("Count every occurrence of a repeated pair.")] = False
    limit: RowLimit = 20


@command("translations", answers=True)
def translations(invocation: Invocation, options: TranslationsOptions) -> int:
    """Show how a word is translated, and how often.

    In the sentence pairs that `corpusdb align --lang` has aligned, ignoring case. Each distinct pair counts once,
    unless --occurrences is given. share: of all occurrences of the word in them. (nothing): how often it is aligned
    with no word. The example is the shortest pair with both, in brackets, cut to fit the terminal. The translation of
    several words is extracted as in Moses, with unaligned words at its edges if most occurrences have them. A word that
    mostly occurs in longer phrases has one of these: jusqu'à for until. With --pairs, instead, sentence pairs in which
    the word is aligned with one translation, shortest first. The exit code is 1 if there is nothing to show.

    With --sketch, instead, a row for the word and for each translation with at least 2 % of its occurrences: collocates
    within three words before and after (p < .001), best first by logDice; those of a translation are followed by the
    source word that they are most often aligned with.

    With --cooccurring, instead, words and n-grams of up to three words that are significantly frequent (p < .001) in
    the translations of its sentences, best first by logDice, even where nothing is aligned.

    A word is a single form. For a lemma, a regular expression or any other CQP query, such as '[lemma="go"]' and
    '"colou?r"%c', the translations of all matches are counted together.
    """
    from corpusdb.alignment.queries.phrase_places import AlignedPhrase, translations_where

    others = language_codes([each.strip() for each in options.other.split(",")])
    _check_view(options, others)
    if options.pairs is not None:
        return _pairs(invocation, options, others[0], options.pairs)
    if options.sketch:
        return _sketch(invocation, options, others)
    if options.cooccurring:
        return _cooccurring(invocation, options, others[0])
    with invocation.reading() as store:
        language, hits = _asked(store, options, others)
        asked = [
            AlignedPhrase(*(language, options.word, other, None), where=options.where, occurrences=options.occurrences)
            for other in others
        ]
        least = options.min_count
        found = [translations_where(store, each, options.limit, min_count=least, hits=hits) for each in asked]
    _show_all(invocation, found, options)
    if not any(each.occurrences for each in found):
        raise typer.Exit(1)
    return sum(each.total for each in found)


def _asked(store: Store, options: TranslationsOptions, others: Sequence[str]) -> tuple[str, Hits | None]:
    """The language, and what a query over tokens finds; None of a word, whose links are counted."""
    from corpusdb.search.report import is_cqp_query

    hits = _hits(store, options, others[0]) if is_cqp_query(options.word) else None
    return hits.language if hits is not None else _language(store, options.lang, options.word, others), hits


def _hits(store: Store, options: TranslationsOptions, other: str) -> Hits:
    from corpusdb.search.queries.request import SearchRequest
    from corpusdb.search.queries.search import Searcher, language_of_hits
    from corpusdb.search.report import is_cqp_query

    is_query = is_cqp_query(options.word)
    case = None if is_query else True
    request = SearchRequest(options.word, word=not is_query, cqp=is_query, ignore_case=case, where=options.where)
    searcher = Searcher(store)
    language = language_code(options.lang) if options.lang else language_of_hits(searcher, request, other)
    return searcher.find(request.search(language))


def _check_view(options: TranslationsOptions, others: Sequence[str]) -> None:
    """Raise UsageError for what would not be looked at: there is one view, and two of them are of one language."""
    views = {"--pairs": options.pairs is not None, "--sketch": options.sketch, "--cooccurring": options.cooccurring}
    chosen = [name for name, is_chosen in views.items() if is_chosen]
    if len(chosen) > 1:
        raise UsageError(f"{' and '.join(chosen)} exclude each other")
    for name, is_given in (("--min-count", options.min_count > 1), ("--occurrences", options.occurrences)):
        if chosen and is_given:
            raise UsageError(f"{name} is for the list of translations, which {chosen[0]} takes the place of")
    if len(others) > 1 and not options.sketch and chosen:
        raise UsageError(f"{chosen[0]} is of the translations in one language")


def _show_all(invocation: Invocation, found: Sequence[Translations], options: TranslationsOptions) -> None:
    """The translations into each of several languages, and where they were looked for."""
    from corpusdb.alignment.report import PAIRS_COUNTED, TRANSLATION_COLUMNS, format_translations, translation_rows

    if invocation.json:
        write_json(found[0] if len(found) == 1 else found)
    elif invocation.format == "table":
        for number, each in enumerate(found):
            if len(found) > 1:
                if number:
                    write_line()
                write_line(each.other)
            _show_translations(each)
    elif len(found) == 1:
        invocation.show(TRANSLATION_COLUMNS, translation_rows(found[0]))
    else:
        rows = ((each.other, *row) for each in found for row in translation_rows(each))
        invocation.show(("language", *TRANSLATION_COLUMNS), rows)
    for each in found:
        invocation.say(format_translations(each, options.where))
        invocation.say_cut(len(each.members), each.total, "translations")
    if any(each.occurrences for each in found):
        invocation.say(PAIRS_COUNTED[options.occurrences])


def _sketch(invocation: Invocation, options: TranslationsOptions, others: Sequence[str]) -> int:
    from corpusdb.alignment.queries.company import word_sketches
    from corpusdb.alignment.report import SKETCH_COLUMNS, format_sketch, sketch_row
    from corpusdb.search.report import is_cqp_query

    if is_cqp_query(options.word):
        raise UsageError(f"--sketch is of a word, and {options.word!r} is a CQP query; without it, it has translations")
    with invocation.reading() as store, store.snapshot():
        language = _language(store, options.lang, options.word, others)
        found = word_sketches(store, language, options.word, others, options.limit, where=options.where)
    invocation.show(SKETCH_COLUMNS, map(sketch_row, found), document=found)
    translations = len(found) - 1
    invocation.say(format_sketch(options.word, language, found[0].count))
    if not translations:
        raise typer.Exit(1)
    return translations


def _cooccurring(invocation: Invocation, options: TranslationsOptions, other: str) -> int:
    from corpusdb.alignment.queries.company import cooccurrences
    from corpusdb.alignment.report import COOCCURRENCE_COLUMNS, format_cooccurrences

    with invocation.reading() as store, store.snapshot():
        hits = _hits(store, options, other)
        found, translations = cooccurrences(store, hits.sentences, hits.language, other, where=options.where)
    shown = found[: options.limit or None]
    invocation.show_records(COOCCURRENCE_COLUMNS, shown)
    invocation.say(format_cooccurrences(options.word, len(hits.sentences), translations))
    invocation.say_cut(len(shown), len(found), "sequences")
    if not found:
        raise typer.Exit(1)
    return len(found)


def _show_translations(found: Translations) -> None:
    from corpusdb.alignment.report import TRANSLATION_COLUMNS, translation_lines, translation_rows

    width = get_terminal_size().columns
    rows = [(cut_right(str(row[0]), width // 2), *row[1:3]) for row in translation_rows(found)]
    write_table(TRANSLATION_COLUMNS[:3], rows, aligned=True)
    write_line()
    for line in translation_lines(found, width):
        write_line(line)


def _pairs(invocation: Invocation, options: TranslationsOptions, other: str, translation: str) -> int:
    from corpusdb.alignment.queries.phrase_places import AlignedPhrase, phrase_places
    from corpusdb.alignment.report import PAIR_COLUMNS, format_more_pairs, marked_pair
    from corpusdb.search.queries.search import Searcher

    with invocation.reading() as store:
        language, hits = _asked(store, options, (other,))
        asked = AlignedPhrase(language, options.word, other, translation or None, where=options.where)
        found = phrase_places(Searcher(store), asked, options.limit, hits=hits)
    invocation.show(PAIR_COLUMNS, map(marked_pair, found.pairs), document=found)
    if not found.is_all:
        invocation.say(format_more_pairs(len(found.pairs)))
    if not found.pairs:
        raise typer.Exit(1)
    return len(found.pairs)


@dataclass(frozen=True, slots=True)
class EquivalentsOptions:
    phrase: Annotated[str, Argument("One to three words.", metavar="WORD|PHRASE")]
    lang: _LanguageIfTold = None
    through: Annotated[str | None, Option("Only through these languages.", metavar="LANG[,LANG]")] = None
    probability: Annotated[float, Option("Minimum probability.", metavar="P", least=0, most=1)] = 0.6
    all: Annotated[bool, Option("Show improbable ones and other forms too: --probability 0 --forms -n 0.")] = False
    forms: Annotated[bool, Option("Include other forms of the word, and phrases that contain it.")] = False
    min_count: Annotated[int, Option("Both must be aligned N times with what they share.", metavar="N", least=1)] = 2
    pivot: Annotated[float, Option("Minimum pivot probability.", metavar="P", least=0, most=1)] = 0.0005
    languages: Annotated[int, Option("Minimum number of languages.", metavar="N", least=1)] = 1
    same_context: Annotated[int, Option("Both must occur in N of the same contexts.", metavar="N", least=0)] = 0
    closed_class: Annotated[
        Literal["drop", "prepositions", "keep"],
        Option("Articles, pronouns, prepositions ...: drop all, drop only prepositions, or keep all."),
    ] = "keep"
    rejected: Annotated[bool, Option("Include rejected ones, with a mark.")] = False
    limit: RowLimit = 20


@command("equivalents", answers=True)
def equivalents(invocation: Invocation, options: EquivalentsOptions) -> int:
    """Show equivalents of a word: words that share its translations.

    In the sentence pairs that `corpusdb align --lang` has aligned, ignoring case. probability: that a lexicographer
    would call it an equivalent (near ones count half), learned from readers' judgements, by how alike the stems of
    their translations are in each language, whether they occur between the same words, and whether sentences with one
    in place of the other share translations. pivot: p(f|word) times p(equivalent|f), summed over the phrases f of each
    language, and averaged over languages. count: how often the rarer of the two is translated by such an f. contexts:
    how many sentences with a gap have both, by the index that `corpusdb generate` makes. through: the f that adds most,
    which shows the sense, and how often the word and the equivalent are translated by it. Each distinct pair of
    sentences counts once.

    Improbable ones, and other forms of the word or of a better equivalent, are hidden (--forms, --all). If there are
    none, the nearest are named, and the exit code is 1. Rejected ones (`corpusdb rejections`, or r in the browser) are
    left out.
    """
    from corpusdb.alignment.queries.equivalents import EquivalentFilter, equivalents_of
    from corpusdb.alignment.report import equivalent_notes, equivalent_table

    if options.all:
        options = replace(options, probability=0.0, forms=True, limit=0)
    least = options.min_count, options.pivot, options.languages, options.same_context
    left_out = _LEFT_OUT[options.closed_class]
    kept = EquivalentFilter(*least, left_out, options.probability, options.forms, options.rejected)
    through = None if options.through is None else language_codes(options.through)
    with invocation.reading() as store:
        language = _language(store, options.lang, options.phrase)
        found = equivalents_of(store, language, options.phrase, through, kept, options.limit)
    width = get_terminal_size().columns if invocation.format == "table" else None
    columns, rows = equivalent_table(found, width, with_rejected=options.rejected)
    invocation.show(columns, rows, document=found)
    for note in equivalent_notes(found, with_rejected=options.rejected):
        invocation.say(note)
    invocation.say_cut(len(found.members), found.total, "equivalents")
    if not found.total:
        raise typer.Exit(1)
    return found.total


_LEFT_OUT: dict[str, LeftOut] = {"drop": "closed", "prepositions": "prepositions", "keep": "nothing"}


def _language(store: Store, given: str | None, text: str, others: Sequence[str] = ()) -> str:
    """The language that was given, or the one that has the phrase; none of the others."""
    from corpusdb.alignment.queries.phrases import language_of_phrase

    if given is not None:
        return language_code(given)
    return language_of_phrase(store, text, others)


@dataclass(frozen=True, slots=True)
class PairOptions:
    word: Annotated[str, Argument("A word, or several.", metavar="WORD|PHRASE")]
    others: Annotated[list[str], Argument("Words that are not equivalent to it.", metavar="OTHER...")]
    lang: Annotated[
        str | None, Option("Their language; needed if several have the word.", "--lang", metavar="LANG")
    ] = None


@command("add")
def add(invocation: Invocation, options: PairOptions) -> None:
    """Mark words as not equivalent.

    Neither is then an equivalent of the other, whatever they are or will be aligned with, nor used in references and
    scores made with this database. A paraphrase that has one in place of the other disappears, unless somebody accepted
    it. Case does not matter. The exit code is 0 even if they were rejected before.
    """
    _set(invocation, options, is_rejected=True)


@command("remove")
def remove(invocation: Invocation, options: PairOptions) -> None:
    """Withdraw a rejection.

    The rejection stays in the file, with the time at which it was withdrawn.
    """
    _set(invocation, options, is_rejected=False)


def _set(invocation: Invocation, options: PairOptions, *, is_rejected: bool) -> None:
    from corpusdb.alignment.queries.phrases import language_of_phrase, rejected_pairs, set_rejected

    with invocation.writing() as store:
        language = language_of_phrase(store, options.word) if options.lang is None else language_code(options.lang)
        with store.write():
            about = language, options.word
            changed = sum(set_rejected(store, *about, other, is_rejected=is_rejected) for other in options.others)
        standing = len(rejected_pairs(store, language))
    named = [("language", language), ("word", options.word)]
    figures = dict(named) | {"others": options.others, "changed": changed, "rejected": standing}
    others = ("others", ", ".join(options.others))
    invocation.report(figures, [*named, others, ("changed", changed), ("rejected in all", standing)])


@dataclass(frozen=True, slots=True)
class RejectionListOptions:
    lang: Annotated[str | None, Option("Only those of this language.", metavar="LANG")] = None


@command("list", answers=True, kept=False)
def list_rejections(invocation: Invocation, options: RejectionListOptions) -> int:
    """List the words that are not equivalent.

    Each pair is listed once, since it has no direction. rejected: when, in UTC.
    """
    from corpusdb.alignment.queries.phrases import rejected_pairs
    from corpusdb.alignment.report import REJECTION_COLUMNS, rejection_rows

    with invocation.reading() as store:
        found = rejected_pairs(store, None if options.lang is None else language_code(options.lang))
    invocation.show(REJECTION_COLUMNS, rejection_rows(found), document=found)
    return len(found)


rejections = CommandGroup(
    "rejections",
    """Reject equivalents that are wrong.

    Rejected equivalents are not used as equivalents, in paraphrases, or in references and scores made with this
    database. Every command takes --json.
    """,
    (add, remove, list_rejections),
)
