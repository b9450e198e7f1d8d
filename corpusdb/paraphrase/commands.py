"""The commands for paraphrases, analogical equations, paradigms and exchanges of words."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Annotated, BinaryIO, Literal

import typer

from corpusdb.base.display import counted
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import SAME_COMMAND
from corpusdb.base.options import Argument, Option, RowLimit
from corpusdb.base.text import MAX_SENTENCE_UNITS, is_too_long, language_code, normalise, without_mark
from corpusdb.commands.command import command
from corpusdb.commands.invocation import (
    AS_TEXT,
    Invocation,
    as_in_corpus,
    sentence_of,
    write_json,
    write_line,
    write_table,
    write_text,
)
from corpusdb.corpus.orders import DEFAULT_ORDER
from corpusdb.paraphrase.filter_options import (
    Address,
    FinalMarks,
    Language,
    LanguageIfTold,
    Marks,
    MinLanguages,
    MinPivots,
    MinShared,
    MinValidity,
    Order,
    Real,
    say_pivots,
)

if TYPE_CHECKING:
    from corpusdb.corpus.model import Paraphrase
    from corpusdb.corpus.store import Store
    from corpusdb.paraphrase.queries.exchanges import ExchangeReport
    from corpusdb.paraphrase.queries.filters import Filter
    from corpusdb.paraphrase.queries.paradigms import (
        CommutingFiller,
        ContextFiller,
        FillerContext,
        Paradigm,
        SharedContext,
    )


@dataclass(frozen=True, slots=True)
class DetectOptions:
    lang: Language


@command("detect")
def detect(invocation: Invocation, options: DetectOptions) -> None:
    """Find sentences that share a translation: paraphrases."""
    from corpusdb.paraphrase.queries.detection import detect as detect_paraphrases
    from corpusdb.paraphrase.sharing import MAX_SHARING

    language = language_code(options.lang)
    with invocation.writing() as store:
        report = invocation.run(detect_paraphrases(store, language), goes_on=SAME_COMMAND)
    counts = [("sentences with paraphrases", report.sentences), ("pairs, in both directions", report.pairs)]
    invocation.report(asdict(report), [*counts, ("seconds", round(report.seconds, 1))])
    if report.left_out:
        invocation.say(
            f"left out: {counted(report.left_out, 'translations')} that more than {MAX_SHARING} sentences share;"
            f" {report.left_out_sentences:,} sentences have one"
        )


@dataclass(frozen=True, slots=True)
class ParaphrasesOptions:
    text: Annotated[str, Argument("The seed sentence.", metavar="TEXT")]
    lang: LanguageIfTold = None
    limit: RowLimit = 20
    order: Order = DEFAULT_ORDER
    min_validity: MinValidity = None
    min_pivots: MinPivots = 0
    min_languages: MinLanguages = 0
    min_shared: MinShared = 0
    marks: Marks = True
    final_marks: FinalMarks = False
    real: Real = False
    address: Address = "same"
    as_text: Annotated[bool, AS_TEXT] = False


@command("paraphrases", answers=True)
def paraphrases(invocation: Invocation, options: ParaphrasesOptions) -> int:
    """Show the paraphrases of a sentence, most different first.

    validity: the probability that the meaning is kept if the sentence is grammatical, learned from how often the same
    exchange of words keeps a translation. order: how fluent it is, as the longest N such that all runs of N characters
    were seen, or "whole" if the corpus has the sentence. frequency: analogies that yield it. pivots, langs: the
    rewordings that support it, and the languages that show these to be paraphrases. p: the probability of the best of
    these. shared: translations that it shares with the seed.

    The exit code is 1 if the sentence is not in the corpus and no analogy yields anything.
    """
    from corpusdb.corpus.model import SHOWN
    from corpusdb.paraphrase.queries.filters import Thresholds

    given = [sentence_of(invocation, options.text, as_text=options.as_text)]
    (text,) = invocation.look(lambda store: as_in_corpus(invocation, store, given, options.lang))
    options = replace(options, text=text)
    ranked, is_there, held = invocation.look(lambda store: _ranked(invocation, store, options))
    least = Thresholds.of(options)
    found = [each for each in ranked if least.accepts(each)]
    shown = found[: options.limit or None]
    if not is_there:
        made = "" if ranked else f"; {held}" if held else ", and no analogy makes anything of it"
        invocation.say(_not_there(options.text) + made)
    if invocation.json:
        write_json([each.document() for each in shown])
    elif shown:
        rows = [(*(figure.cell(getattr(each, figure.name)) for figure in SHOWN), each.text) for each in shown]
        invocation.show([*(figure.heading for figure in SHOWN), "text"], rows)
        invocation.look(lambda store: _say_rejected(invocation, store, options, {each.text for each in shown}))
    elif ranked:
        invocation.say(f"no paraphrase with such figures; without --min-... there are {len(ranked):,}")
    elif is_there:
        invocation.say(held or "no paraphrase")
    _say_if_too_long(invocation, options.text)
    invocation.say_cut(len(shown), len(found), "paraphrases")
    if not (is_there or ranked or held):
        raise typer.Exit(1)
    return len(found)


def _say_rejected(invocation: Invocation, store: Store, options: ParaphrasesOptions, shown: set[str]) -> None:
    from corpusdb.corpus.queries.meant_language import language_of
    from corpusdb.paraphrase.queries.paraphrases import decided_until, last_decision

    language = language_code(options.lang) if options.lang else language_of(store, options.text)
    if language is None:
        return
    rejected = decided_until(store, language, last_decision(store, language)).rejected.get(normalise(options.text), {})
    if found := [rejected[text] for text in sorted(shown & rejected.keys())]:
        names = ", ".join(dict.fromkeys(found))
        invocation.say(f"{len(found):,} of them {'is' if len(found) == 1 else 'are'} rejected in session {names}")


def _not_there(text: str) -> str:
    return f"the corpus does not have the sentence {text!r}"


def _say_if_too_long(invocation: Invocation, text: str) -> None:
    if is_too_long(text):
        invocation.say(f"nothing is generated from a text of more than {MAX_SENTENCE_UNITS:,} units")


def _ranked(invocation: Invocation, store: Store, options: ParaphrasesOptions) -> tuple[list[Paraphrase], bool, str]:
    """The paraphrases, whether the corpus has the sentence, and where there are none what the filter keeps back."""
    from corpusdb.corpus.queries.sentences import sentence_id
    from corpusdb.paraphrase.queries.filters import filter_of
    from corpusdb.paraphrase.queries.paraphrases import missing_origins, paraphrases_by_filter

    language = _language(invocation, store, options)
    for told in missing_origins(language):
        invocation.say(told)
    kept = filter_of(options)
    say_pivots(invocation, store, language, kept)
    # All of them, so that it can be told how many a limit leaves out; ranking needs them all anyway.
    asked = paraphrases_by_filter(store, options.text, language)
    is_there = sentence_id(store, language, normalise(options.text)) is not None
    try:
        ranked = asked(kept)
    except InputError as error:
        raise error if is_there else InputError(f"{_not_there(options.text)}, and {error.reason}") from error
    return ranked, is_there, "" if ranked else _held_back(kept, asked)


def _held_back(kept: Filter, asked: Callable[[Filter], list[Paraphrase]]) -> str:
    """That a sentence has no paraphrase, and what part of the filter keeps some back; empty where none does."""
    from corpusdb.paraphrase.queries.filters import format_relaxations, relaxations

    told = format_relaxations(relaxations(kept, lambda less: len(asked(less)), final_marks=True), "shows")
    return f"no paraphrase at {kept}; {told} that the filter keeps back" if told else ""


def _language(invocation: Invocation, store: Store, options: ParaphrasesOptions) -> str:
    """That which was given or that of the sentence; the usual one for a sentence that the corpus does not have."""
    from corpusdb.corpus.queries.meant_language import language_of, usual_language
    from corpusdb.corpus.queries.sentences import languages_of, sentence_id

    text, known = normalise(options.text), languages_of(store)
    if options.lang is None and not any(sentence_id(store, each, text) is not None for each in known):
        found = language_of(store, text)
        if found is None and (usual := usual_language(store)) is not None:
            invocation.say(f"tried in {usual}; --lang names another")
            return usual.language
        if found is not None and len(known) > 1:
            invocation.say(f"tried in {found}; --lang names another")
    return invocation.language(store, options.lang, options.text)


@dataclass(frozen=True, slots=True)
class ExplainOptions:
    seed: Annotated[str, Argument("The sentence that was paraphrased.", metavar="SEED")]
    candidate: Annotated[str, Argument("Its paraphrase.", metavar="CANDIDATE")]
    lang: LanguageIfTold = None
    limit: RowLimit = 10
    as_text: Annotated[bool, AS_TEXT] = False


@command("explain")
def explain(invocation: Invocation, options: ExplainOptions) -> None:
    """Show what supports a paraphrase: analogies, translations.

    First the probability that it holds, and the evidence: for each region in which the two differ, how many pairs of
    sentences that differ in nothing else share a translation. Then the analogies A : B :: C : D, four sentences of the
    corpus, of which D is the seed: B' is a paraphrase of B, by the translations below it, and A : B' :: C : x gives the
    paraphrase. The exit code is 1 if nothing supports it.
    """
    from corpusdb.paraphrase.queries.paraphrases import explain as explained
    from corpusdb.paraphrase.report import explanation_document, explanation_lines

    given = [sentence_of(invocation, each, as_text=options.as_text) for each in (options.seed, options.candidate)]
    seed, candidate = invocation.look(lambda store: as_in_corpus(invocation, store, given, options.lang))
    found = invocation.look(
        lambda store: explained(
            store, seed, candidate, invocation.language(store, options.lang, seed), limit=options.limit
        )
    )
    if not found.analogies and not found.direct and not found.reasons:
        invocation.say(
            f"{found.seed!r} is the seed itself, and no paraphrase of it"
            if found.candidate == found.seed
            else f"no analogy and no shared translation makes {candidate!r} of {seed!r}"
        )
        _say_if_too_long(invocation, seed)
        raise typer.Exit(1)
    if invocation.json:
        write_json(explanation_document(found))
    else:
        for line in explanation_lines(found):
            write_line(line)
    invocation.say_cut(len(found.analogies), found.total, "analogies")


@dataclass(frozen=True, slots=True)
class SolveOptions:
    terms: Annotated[list[str], Argument("Three strings; or - to read lines A<TAB>B<TAB>C.", metavar="A B C")]
    all: Annotated[bool, Option("Print every solution.")] = False


@command("solve")
def solve(invocation: Invocation, options: SolveOptions) -> None:
    """Solve the analogical equation A : B :: C : x.

    Prints x; if there is none, the exit code is 1. With - as the only argument, it reads equations from standard input,
    one A<TAB>B<TAB>C a line, and prints one line for each: its solutions, separated by tabs, or nothing. Put -- before
    a string that begins with -.
    """
    from corpusdb.paraphrase.equations import LONGEST_TERM, solutions

    def answer(a: str, b: str, c: str) -> list[str]:
        found = solutions(a, b, c, limit=0 if options.all else 1)
        if not found and (longest := max(len(a), len(b), len(c))) > LONGEST_TERM:
            raise InputError(f"a term has {longest:,} characters; up to {LONGEST_TERM:,} are solved")
        return found

    if options.terms == ["-"]:
        _answer_lines(invocation, options, answer)
        return
    if len(options.terms) != 3:
        raise UsageError(f"an equation has three terms, A B C; {len(options.terms)} given")
    found = answer(*options.terms)
    if invocation.json:
        write_json(_document(found, options))
    else:
        for solution in found:
            write_line(solution)
    if not found:
        invocation.say("no solution")
        raise typer.Exit(1)


def _answer_lines(invocation: Invocation, options: SolveOptions, answer: Callable[[str, str, str], list[str]]) -> None:
    for number, line in _lines(sys.stdin.buffer):
        terms = line.split("\t")
        if len(terms) != 3:
            raise InputError(
                f"has {len(terms)} column{'s' if len(terms) > 1 else ''}, 3 needed: A, B, C", path="-", line=number
            )
        try:
            found = answer(terms[0], terms[1], terms[2])
        except InputError as error:
            raise InputError(error.reason, path="-", line=number) from error
        if invocation.json:
            write_json(_document(found, options), indent=None)
        else:
            write_text("\t".join(found))
        # Whoever is at the other end may wait for each solution before asking for the next.
        sys.stdout.flush()


def _lines(stream: BinaryIO) -> Iterator[tuple[int, str]]:
    """Lines as they arrive; the readers of files would first copy standard input to its end."""
    from corpusdb.corpus.formats.reading import MAX_LINE

    for number in count(1):
        if not (line := stream.readline(MAX_LINE + 1)):
            return
        if len(line) > MAX_LINE:
            raise InputError(f"the line is longer than {MAX_LINE:,} bytes", path="-", line=number)
        line = without_mark(line, "-") if number == 1 else line
        try:
            yield number, line.removesuffix(b"\n").removesuffix(b"\r").decode()
        except UnicodeDecodeError as error:
            raise InputError("is not UTF-8", path="-", line=number) from error


def _document(found: list[str], options: SolveOptions) -> dict[str, object]:
    return {"solution": found[0] if found else None} | ({"solutions": found} if options.all else {})


_SPACE_BEFORE_MARK = re.compile(r"\s+(?=[.,;:!?…]+(\s|$))")
"""As texts that are cut into tokens have it."""


@dataclass(frozen=True, slots=True)
class ParadigmOptions:
    phrase: Annotated[str, Argument("A phrase, or a sentence with _ for a gap.", metavar="PHRASE")]
    lang: Annotated[str | None, Option("The language; needed if several have an index.", metavar="LANG")] = None
    limit: RowLimit = 20
    contexts: Annotated[bool, Option("Show the contexts of the phrase instead.")] = False
    other: Annotated[
        str | None, Option("Show the contexts that it shares with this phrase.", "--with", metavar="PHRASE")
    ] = None


@command("paradigm", answers=True)
def paradigm(invocation: Invocation, options: ParadigmOptions) -> int:
    """Show what can replace a phrase, or fill a gap.

    For a phrase: phrases that occur in two or more of the same contexts, and in how many. A leading space looks only
    inside sentences. For a gap: what fills it, and in how many contexts that occurs. A context is a sentence without
    one run of at most eight units, and counts once, however often the sentence occurs. The index, which `corpusdb
    generate` makes, has contexts shared by 2 to 2,000 sentences.
    """
    from corpusdb.corpus.queries.fillers import indexed_language
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
    return f"no phrase occurs in two or more of the contexts of {phrase}; --contexts shows these"


def _show(invocation: Invocation, phrase: str, kind: str, total: int, members: Sequence[object]) -> None:
    documents = [asdict(member) for member in members]  # type: ignore[call-overload]
    if invocation.json:
        write_json({"phrase": phrase, "total": total, kind: documents})
    elif documents:
        columns = tuple(documents[0])
        invocation.show(columns, [[document[column] for column in columns] for document in documents])


@dataclass(frozen=True, slots=True)
class ExchangesOptions:
    one: Annotated[str | None, Argument("Words, case-sensitive; '' is nothing, _ what stays.", metavar="U")] = None
    other: Annotated[str | None, Argument("The words that replace them.", metavar="V")] = None
    lang: Annotated[str | None, Option("The language; needed if several have an index.", metavar="LANG")] = None
    limit: RowLimit = 10
    sort: Annotated[Literal["rate", "pairs"], Option("Sort the list by this.")] = "rate"
    least: Annotated[float, Option("In the list: minimum of expected.", metavar="E", least=0)] = 3.0


@command("exchanges", answers=True)
def exchanges(invocation: Invocation, options: ExchangesOptions) -> int:
    """Show how often exchanging U for V keeps a translation.

    Counted over pairs of sentences that differ in nothing else. pairs: all of them. shared: those that share a
    translation. expected: how many would if the exchange kept the meaning, given how many translations they have. rate:
    (shared + 0.3) / (expected + 1). They are listed by language and neighbour (^ and $ are the ends of a sentence),
    with examples that share a translation and counter-examples with the probability that they would; with --format,
    only the figures. The exit code is 1 if the corpus has no such pair.

    With U alone, or neither, it lists the exchanges by which paraphrases differ, best rate first.
    """
    if options.one is None or options.other is None:
        return _list(invocation, options)
    for name in ("sort", "least"):
        if getattr(options, name) != getattr(ExchangesOptions(), name):
            raise UsageError(f"--{name} is for the list of exchanges: leave out {options.one!r} and {options.other!r}")
    from corpusdb.corpus.queries.fillers import indexed_language
    from corpusdb.paraphrase.queries.exchanges import exchange_report

    with invocation.reading() as store:
        language = indexed_language(store, options.lang)
        found = exchange_report(store, language, options.one, options.other, options.limit)
    if found is None:
        invocation.say(f"no two sentences differ by {options.one!r} and {options.other!r} alone")
        raise typer.Exit(1)
    if invocation.json:
        parts = ("forms", "by_language", "left", "right", "examples", "counter_examples")
        write_json(asdict(found.total) | {name: getattr(found, name) for name in parts})
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
    from corpusdb.corpus.queries.fillers import indexed_language
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
