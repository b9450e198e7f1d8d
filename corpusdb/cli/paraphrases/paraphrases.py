"""The commands that find and show paraphrases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import Cell, write_json, write_line
from corpusdb.ngrams.fluency_orders import DEFAULT_MIN_VALIDITY, DEFAULT_ORDER

if TYPE_CHECKING:
    from corpusdb.model import Explanation, Paraphrase, SharedTranslation
    from corpusdb.store import Store

__all__ = [
    "Language",
    "LanguageIfTold",
    "Limit",
    "Marks",
    "MinValidity",
    "Order",
    "accept",
    "detect",
    "explain",
    "paraphrases",
]

Language: TypeAlias = Annotated[
    str, typer.Option("--lang", metavar="LANG", help="Language, such as eng.", show_default=False)
]
LanguageIfTold: TypeAlias = Annotated[
    str | None, typer.Option("--lang", metavar="LANG", help="Language; found in the corpus if not given.")
]
Limit: TypeAlias = Annotated[int, typer.Option("--limit", "-n", metavar="N", min=0, help="How many at most; 0 is all.")]
Order: TypeAlias = Annotated[
    int,
    typer.Option(
        "--order",
        "-N",
        metavar="N",
        min=0,
        help="Every run of N characters was seen in the corpus; N/2 where T vouches for a replacement; 0: no filter.",
    ),
]
Marks: TypeAlias = Annotated[
    bool, typer.Option("--marks/--no-marks", help="Whether the ends of a sentence count in these runs.")
]
MinValidity: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--min-validity",
        "-T",
        metavar="T",
        min=0,
        max=1,
        help=f"Least probability that a paraphrase holds; {DEFAULT_MIN_VALIDITY} if not given, 0 with -N 0.",
        show_default=False,
    ),
]


@dataclass(frozen=True, slots=True)
class DetectOptions:
    """What `detect` takes."""

    lang: Language


@command("detect")
def detect(invocation: Invocation, options: DetectOptions) -> None:
    """Find sentences that share a translation: paraphrases."""
    from corpusdb.languages import language_code
    from corpusdb.queries.paraphrase.detection import MAX_SHARING
    from corpusdb.queries.paraphrase.detection import detect as detect_paraphrases

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

    text: Annotated[str, typer.Argument(metavar="TEXT", help="The seed sentence.", show_default=False)]
    lang: LanguageIfTold = None
    limit: Limit = 20
    order: Order = DEFAULT_ORDER
    min_validity: MinValidity = None
    marks: Marks = True


@command("paraphrases", answers=True)
def paraphrases(invocation: Invocation, options: ParaphrasesOptions) -> int:
    """Show the paraphrases of a sentence, best first.

    validity: how probable it is that it holds, learned from how often the same exchange of words keeps a translation.
    frequency: analogies that yield it. order: the longest runs of characters that were all seen, or "whole" where the
    corpus has the sentence. pivots, langs: the rewordings behind it, and the languages that show them to be such. p:
    how probable the best of them is. shared: translations that it shares with the seed.
    """
    found = invocation.look(lambda store: _ranked(invocation, store, options))
    shown = found[: options.limit or None]
    if invocation.json:
        write_json([each.document() for each in shown])
    elif shown:
        invocation.show(_COLUMNS, [_row(each) for each in shown])
    else:
        advice = f" at -N {options.order}; -N 0 shows what the filter keeps back" if options.order else ""
        invocation.say(f"no paraphrase{advice}")
    _say_if_too_long(invocation, options.text)
    invocation.say_cut(len(shown), len(found), "paraphrases")
    return len(found)


def _say_if_too_long(invocation: Invocation, text: str) -> None:
    """Say why nothing is generated from a text of very many units."""
    from corpusdb.text import MAX_SENTENCE_UNITS, is_too_long

    if is_too_long(text):
        invocation.say(f"nothing is generated from a text of more than {MAX_SENTENCE_UNITS:,} units")


_COLUMNS = ("validity", "frequency", "order", "pivots", "langs", "p", "shared", "text")


def _ranked(invocation: Invocation, store: Store, options: ParaphrasesOptions) -> list[Paraphrase]:
    from corpusdb.queries.paraphrase.filters import filter_at
    from corpusdb.queries.paraphrase.paraphrases import missing_origins
    from corpusdb.queries.paraphrase.paraphrases import paraphrases as ranked

    language = invocation.language(store, options.lang, options.text)
    kept = filter_at(options.order, marks=options.marks, min_validity=options.min_validity)
    for told in missing_origins(language):
        invocation.say(told)
    # All of them, so that it can be told how many a limit leaves out; ranking needs them all anyway.
    return ranked(store, options.text, language, limit=0, kept=kept)


def _row(paraphrase: Paraphrase) -> tuple[Cell, ...]:
    return (
        None if paraphrase.validity is None else round(paraphrase.validity, 3),
        paraphrase.frequency,
        "whole" if paraphrase.order is None else str(paraphrase.order),
        paraphrase.pivots,
        paraphrase.languages,
        round(paraphrase.probability, 3),
        paraphrase.shared,
        paraphrase.text,
    )


@dataclass(frozen=True, slots=True)
class ExplainOptions:
    """What `explain` takes."""

    seed: Annotated[str, typer.Argument(metavar="SEED", help="The sentence that was paraphrased.", show_default=False)]
    candidate: Annotated[str, typer.Argument(metavar="CANDIDATE", help="Its paraphrase.", show_default=False)]
    lang: LanguageIfTold = None
    limit: Limit = 10


@command("explain")
def explain(invocation: Invocation, options: ExplainOptions) -> None:
    """Show the analogies and translations behind a paraphrase.

    First the probability that it holds, and what that comes from: for each region in which the two differ, how many
    pairs of sentences that differ in nothing else share a translation. Then the analogies. A : B :: C : D are four
    sentences of the corpus, D the seed; B' is a paraphrase of B, by the translations that follow it; A : B' :: C : x
    gives the paraphrase. The exit code is 1 where nothing is behind it.
    """
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
    from corpusdb.queries.paraphrase.explanation import explain as explained

    language = invocation.language(store, options.lang, options.seed)
    return explained(store, options.seed, options.candidate, language, limit=options.limit)


def _explanation_document(found: Explanation) -> dict[str, object]:
    # Pairs are no keys in JSON: what B and B' share stands with each analogy.
    analogies = [
        asdict(analogy) | {"shared": [asdict(each) for each in found.shared.get((analogy.b, analogy.rewording), ())]}
        for analogy in found.analogies
    ]
    direct = [asdict(each) for each in found.direct]
    document: dict[str, object] = {
        "seed": found.seed,
        "candidate": found.candidate,
        "validity": found.validity,
        "exchanges": [asdict(each) for each in found.exchanges],
        "total": found.total,
        "analogies": analogies,
        "direct": direct,
    }
    return document | ({"reasons": list(found.reasons)} if found.reasons else {})


def _write_explanation(found: Explanation) -> None:
    from corpusdb.reports.exchanges import validity_lines

    validity = validity_lines(found)
    for line in validity:
        write_line(line)
    if validity:
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


@dataclass(frozen=True, slots=True)
class AcceptOptions:
    """What `accept` takes."""

    seed: Annotated[str, typer.Argument(metavar="SEED", help="A sentence of the corpus.", show_default=False)]
    candidate: Annotated[
        str,
        typer.Argument(metavar="CANDIDATE", help="Its paraphrase, as good as one of the corpus.", show_default=False),
    ]
    lang: LanguageIfTold = None


@command("accept")
def accept(invocation: Invocation, options: AcceptOptions) -> None:
    """Take a paraphrase into the corpus.

    It becomes a sentence of the collection "accepted", with the translations of its seed; everything that was derived
    follows.
    """
    from corpusdb.queries.sessions.acceptance import accept as accept_candidate

    with invocation.writing() as store:
        language = invocation.language(store, options.lang, options.seed)
        report = invocation.run(accept_candidate(store, options.seed, options.candidate, language))
    invocation.report(
        asdict(report),
        [
            ("number of the sentence", report.sentence),
            ("new translations", report.translations),
            ("seconds", round(report.seconds, 1)),
        ],
    )
