"""The options by which paraphrases are filtered, called the same in every command, and what is said of the filter."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Annotated, BinaryIO, TypeAlias

import typer

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.options import Argument, Option
from corpusdb.commands.command import command
from corpusdb.commands.invocation import AS_TEXT, Invocation, as_in_corpus, sentence_of
from corpusdb.commands.output import write_json, write_line, write_text
from corpusdb.corpus.model import DEFAULT_MIN_VALIDITY, DEFAULT_ORDER

if TYPE_CHECKING:
    from corpusdb.corpus.model import Explanation, Paraphrase, SharedTranslation
    from corpusdb.corpus.store import Store
    from corpusdb.paraphrase.queries.filters import NSequenceFilter

Order: TypeAlias = Annotated[
    int,
    Option(
        "Every run of N characters was seen in the corpus; N/2 where V vouches for a replacement; 0: no filter.",
        "--fluency -N",
        metavar="N",
        least=0,
    ),
]
Marks: TypeAlias = Annotated[bool, Option("Whether the ends of a sentence count in these runs.", "--marks/--no-marks")]
MinValidity: TypeAlias = Annotated[
    float | None,
    Option(
        f"Least probability that the meaning is kept; {DEFAULT_MIN_VALIDITY} if not given, 0 with -N 0.",
        "--min-validity -V",
        metavar="V",
        least=0,
        most=1,
    ),
]
FinalMarks: TypeAlias = Annotated[
    bool, Option("Also what differs from its seed in the marks at the end alone.", "--final-marks")
]
MinPivots: TypeAlias = Annotated[
    int, Option("Least rewordings behind a paraphrase.", metavar="N", least=0, shows_default=False)
]
MinLanguages: TypeAlias = Annotated[
    int, Option("Least languages that show these to be such.", metavar="N", least=0, shows_default=False)
]
MinShared: TypeAlias = Annotated[
    int, Option("Least translations shared with the seed.", metavar="N", least=0, shows_default=False)
]


def say_pivots(invocation: Invocation, store: Store, language: str) -> None:
    """Say where one pivot language, which does not see all that paraphrases may change, stands behind validities."""
    from corpusdb.paraphrase.queries.validity_rows import validity_pivots

    known = validity_pivots(store, language)
    if known is not None and known.unseen and (told := known.told()) is not None:
        invocation.say(told)


# The commands that find and show paraphrases.


Language: TypeAlias = Annotated[str, Option("Language, such as eng.", "--lang", metavar="LANG")]
LanguageIfTold: TypeAlias = Annotated[
    str | None, Option("Language; found in the corpus if not given.", "--lang", metavar="LANG")
]
Limit: TypeAlias = Annotated[int, Option("How many at most; 0 is all.", "--limit -n", metavar="N", least=0)]


@dataclass(frozen=True, slots=True)
class DetectOptions:
    """What `detect` takes."""

    lang: Language


@command("detect")
def detect(invocation: Invocation, options: DetectOptions) -> None:
    """Find sentences that share a translation: paraphrases."""
    from corpusdb.base.text import language_code
    from corpusdb.paraphrase.queries.detection import detect as detect_paraphrases
    from corpusdb.paraphrase.sharing import MAX_SHARING

    language = language_code(options.lang)
    with invocation.writing() as store:
        report = invocation.run(detect_paraphrases(store, language))
    invocation.report(
        asdict(report),
        [
            ("sentences with paraphrases", report.sentences),
            ("pairs, in both directions", report.pairs),
            ("seconds", round(report.seconds, 1)),
        ],
    )
    if report.left_out:
        invocation.say(
            f"{report.left_out:,} translations that more than {MAX_SHARING} sentences share were left out;"
            f" {report.left_out_sentences:,} sentences have one of them"
        )


@dataclass(frozen=True, slots=True)
class ParaphrasesOptions:
    """What `paraphrases` takes."""

    text: Annotated[str, Argument("The seed sentence.", metavar="TEXT")]
    lang: LanguageIfTold = None
    limit: Limit = 20
    order: Order = DEFAULT_ORDER
    min_validity: MinValidity = None
    min_pivots: MinPivots = 0
    min_languages: MinLanguages = 0
    min_shared: MinShared = 0
    marks: Marks = True
    final_marks: FinalMarks = False
    as_text: Annotated[bool, AS_TEXT] = False


@command("paraphrases", answers=True)
def paraphrases(invocation: Invocation, options: ParaphrasesOptions) -> int:
    """Show the paraphrases of a sentence, best first.

    validity: how probable it is that the meaning is kept if the sentence is grammatical, learned from how often the
    same exchange of words keeps a translation. order: whether it is grammatical, by the longest runs of characters that
    were all seen, or "whole" where the corpus has the sentence. frequency: analogies that yield it. pivots, langs: the
    rewordings behind it, and the languages that show them to be such. p: how probable the best of them is. shared:
    translations that it shares with the seed.

    The exit code is 1 for a sentence that the corpus does not have and no analogy makes anything of.
    """
    from corpusdb.corpus.model import SHOWN
    from corpusdb.paraphrase.queries.filters import Thresholds

    given = [sentence_of(invocation, options.text, as_text=options.as_text)]
    (text,) = invocation.look(lambda store: as_in_corpus(invocation, store, given, options.lang))
    options = replace(options, text=text)
    ranked, is_there = invocation.look(lambda store: _ranked(invocation, store, options))
    least = Thresholds.of(options)
    found = [each for each in ranked if least.accepts(each)]
    shown = found[: options.limit or None]
    held = "" if is_there or ranked else invocation.look(lambda store: _held_back(invocation, store, options))
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
        held = invocation.look(lambda store: _held_back(invocation, store, options))
        invocation.say(held or "no paraphrase")
    _say_if_too_long(invocation, options.text)
    invocation.say_cut(len(shown), len(found), "paraphrases")
    if not (is_there or ranked or held):
        raise typer.Exit(1)
    return len(found)


def _say_rejected(invocation: Invocation, store: Store, options: ParaphrasesOptions, shown: set[str]) -> None:
    """Say how many of those that are shown were rejected, and in which sessions."""
    from corpusdb.base.text import language_code, normalise
    from corpusdb.corpus.queries.sentences import language_of
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
    """Say why nothing is generated from a text of very many units."""
    from corpusdb.base.text import MAX_SENTENCE_UNITS, is_too_long

    if is_too_long(text):
        invocation.say(f"nothing is generated from a text of more than {MAX_SENTENCE_UNITS:,} units")


def _ranked(invocation: Invocation, store: Store, options: ParaphrasesOptions) -> tuple[list[Paraphrase], bool]:
    """The paraphrases, and whether the corpus has the sentence."""
    from corpusdb.base.text import normalise
    from corpusdb.corpus.queries.sentences import sentence_id
    from corpusdb.paraphrase.queries.paraphrases import missing_origins
    from corpusdb.paraphrase.queries.paraphrases import paraphrases as ranked

    language = _language(invocation, store, options)
    for told in missing_origins(language):
        invocation.say(told)
    say_pivots(invocation, store, language)
    # All of them, so that it can be told how many a limit leaves out; ranking needs them all anyway.
    is_there = sentence_id(store, language, normalise(options.text)) is not None
    try:
        return ranked(store, options.text, language, limit=0, kept=_filter(options)), is_there
    except InputError as error:
        raise error if is_there else InputError(f"{_not_there(options.text)}, and {error.reason}") from error


def _filter(options: ParaphrasesOptions) -> NSequenceFilter:
    from corpusdb.paraphrase.queries.filters import filter_at

    asked = options.min_validity
    return filter_at(options.order, marks=options.marks, min_validity=asked, final_marks=options.final_marks)


def _held_back(invocation: Invocation, store: Store, options: ParaphrasesOptions) -> str:
    """That a sentence has no paraphrase, and what part of the filter keeps some back; empty where none does."""
    from corpusdb.paraphrase.queries.filters import Filter, format_relaxations, relaxations
    from corpusdb.paraphrase.queries.paraphrases import paraphrases

    language = _language(replace(invocation, quiet=True), store, options)  # how it was chosen was told
    kept = _filter(options)

    def count(less: Filter) -> int:
        return len(paraphrases(store, options.text, language, limit=0, kept=less))

    told = format_relaxations(relaxations(kept, count, final_marks=True), "shows")
    return f"no paraphrase at {kept}; {told} that the filter keeps back" if told else ""


def _language(invocation: Invocation, store: Store, options: ParaphrasesOptions) -> str:
    """That which was given or that of the sentence; the usual one for a sentence that the corpus does not have."""
    from corpusdb.base.text import normalise
    from corpusdb.corpus.queries.sentences import language_of, languages_of, sentence_id, usual_language

    if options.lang is None and language_of(store, options.text) is None:
        text = normalise(options.text)
        is_there = any(sentence_id(store, language, text) is not None for language in languages_of(store))
        if not is_there and (usual := usual_language(store, remembered=invocation.attended)) is not None:
            remembered = " and is remembered" if usual.is_remembered else ""
            invocation.say(f"tried in {usual}{remembered}; --lang names another")
            return usual.language
    return invocation.language(store, options.lang, options.text)


@dataclass(frozen=True, slots=True)
class ExplainOptions:
    """What `explain` takes."""

    seed: Annotated[str, Argument("The sentence that was paraphrased.", metavar="SEED")]
    candidate: Annotated[str, Argument("Its paraphrase.", metavar="CANDIDATE")]
    lang: LanguageIfTold = None
    limit: Limit = 10
    as_text: Annotated[bool, AS_TEXT] = False


@command("explain")
def explain(invocation: Invocation, options: ExplainOptions) -> None:
    """Show the analogies and translations behind a paraphrase.

    First the probability that it holds, and what that comes from: for each region in which the two differ, how many
    pairs of sentences that differ in nothing else share a translation. Then the analogies. A : B :: C : D are four
    sentences of the corpus, D the seed; B' is a paraphrase of B, by the translations that follow it; A : B' :: C : x
    gives the paraphrase. The exit code is 1 where nothing is behind it.
    """
    given = [sentence_of(invocation, each, as_text=options.as_text) for each in (options.seed, options.candidate)]
    seed, candidate = invocation.look(lambda store: as_in_corpus(invocation, store, given, options.lang))
    options = replace(options, seed=seed, candidate=candidate)
    found = invocation.look(lambda store: _explained(invocation, store, options))
    if not found.analogies and not found.direct and not found.reasons:
        invocation.say(f"no analogy and no shared translation makes {options.candidate!r} of {options.seed!r}")
        _say_if_too_long(invocation, options.seed)
        raise typer.Exit(1)
    if invocation.json:
        write_json(_explanation_document(found))
    else:
        _write_explanation(found)
    invocation.say_cut(len(found.analogies), found.total, "analogies")


def _explained(invocation: Invocation, store: Store, options: ExplainOptions) -> Explanation:
    from corpusdb.paraphrase.queries.explanation import explain as explained

    language = invocation.language(store, options.lang, options.seed)
    return explained(store, options.seed, options.candidate, language, limit=options.limit)


def _explanation_document(found: Explanation) -> dict[str, object]:
    # Pairs are no keys in JSON: what B and B' share stands with each analogy.
    analogies = [
        asdict(analogy) | {"shared": [asdict(each) for each in found.shared.get((analogy.b, analogy.rewording), ())]}
        for analogy in found.analogies
    ]
    document: dict[str, object] = {
        "seed": found.seed,
        "candidate": found.candidate,
        "validity": found.validity,
        **({"fails": found.fails} if found.fails else {}),
        "exchanges": [asdict(each) for each in found.exchanges],
        "steps": list(found.steps),
        "total": found.total,
        "analogies": analogies,
        "direct": [asdict(each) for each in found.direct],
    }
    reasons = [*found.accepted, *found.reasons]
    return document | ({"reasons": reasons} if reasons else {})


def _write_explanation(found: Explanation) -> None:
    from corpusdb.paraphrase.exchange_report import validity_lines

    first = [*found.accepted, *filter(None, [found.fails]), *validity_lines(found)]
    for line in first:
        write_line(line)
    if first:
        write_line()
    if found.direct:
        write_line("The two share translations:")
        _write_shared(found.direct)
    for reason in found.reasons:
        write_line(reason)
    told: set[tuple[str, str]] = set()
    for number, analogy in enumerate(found.analogies, 1):
        if number > 1 or found.direct or found.reasons:
            write_line()
        write_line(f"{number}.  {analogy.a} : {analogy.b} :: {analogy.c} : {analogy.d}")
        write_line(f"    B' = {analogy.rewording}")
        pair = (analogy.b, analogy.rewording)
        if pair in told:
            write_line("    which shares with B the translations above")
        else:
            _write_shared(found.shared.get(pair, ()))
        told.add(pair)
        write_line(f"    {analogy.a} : {analogy.rewording} :: {analogy.c} : {found.candidate}")


_SHARED_SHOWN = 20
"""Of the translations that two sentences share; a few have thousands."""


def _write_shared(shared: Sequence[SharedTranslation]) -> None:
    for each in shared[:_SHARED_SHOWN]:
        places = f"  ({', '.join(each.places)})" if each.places else ""
        write_line(f"      {each.language}  {each.text}{places}")
    if len(shared) > _SHARED_SHOWN:
        write_line(f"      and {len(shared) - _SHARED_SHOWN:,} more, which --json shows")


# The command for analogical equations.


@dataclass(frozen=True, slots=True)
class SolveOptions:
    """What `solve` takes."""

    terms: Annotated[list[str], Argument("Three strings; or - for lines A<TAB>B<TAB>C.", metavar="A B C")]
    all: Annotated[bool, Option("Every solution that is found, the first one first.")] = False


@command("solve")
def solve(invocation: Invocation, options: SolveOptions) -> None:
    """Solve the analogical equation A : B :: C : x.

    Prints x; where there is none, the exit code is 1. With - as the only argument, equations are read from standard
    input, A<TAB>B<TAB>C a line, and one solution a line is printed, an empty line where there is none (several
    solutions are separated by tabs). A string that begins with - is given behind --.
    """
    from corpusdb.paraphrase.equations import LONGEST_TERM, solutions
    from corpusdb.paraphrase.equations import solve as first_solution

    def answer(a: str, b: str, c: str) -> list[str]:
        if options.all:
            found = solutions(a, b, c, limit=0)
        else:
            first = first_solution(a, b, c)
            found = [] if first is None else [first]
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
        try:
            yield number, line.removesuffix(b"\n").removesuffix(b"\r").decode()
        except UnicodeDecodeError as error:
            raise InputError("is not UTF-8", path="-", line=number) from error


def _document(found: list[str], options: SolveOptions) -> dict[str, object]:
    document: dict[str, object] = {"solution": found[0] if found else None}
    if options.all:
        document["solutions"] = found
    return document
