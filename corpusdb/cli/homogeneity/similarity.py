"""The commands that compare corpora as wholes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from corpusdb.cli.program.command import command, replayable
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import Cell

if TYPE_CHECKING:
    from corpusdb.queries.homogeneity.similarity import Judged

__all__ = ["known_similarity", "similarity"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarityOptions:
    """What `similarity` takes."""

    corpora: Annotated[
        list[str], typer.Argument(metavar="A B...", help="Collections, or files of lines.", show_default=False)
    ]
    lang: Annotated[
        str | None, typer.Option("--lang", metavar="LANG", help="Language; may be left out if only one.")
    ] = None
    measure: Annotated[
        Literal["chi2", "entropy", "ranks"],
        typer.Option(help="Chi-square or ranks of character trigrams, or cross-entropy."),
    ] = "chi2"
    seed: Annotated[int, typer.Option(metavar="NUMBER", min=0, help="Of what is drawn at random.")] = 1


@replayable()
@command("similarity", answers=True, kept=False)
def similarity(invocation: Invocation, options: SimilarityOptions) -> int:
    """Compare corpora: a matrix, and how homogeneous each is.

    A figure is a distance: the higher, the less alike (Kilgarriff 2001). On the diagonal is the same between random
    halves of one corpus, by which the others are read: where they are not much above it, the corpora are alike. Equal
    amounts of text are compared; the figures are means of five draws. chi2 is divided by its degrees of freedom, so
    that text of one source has about 1; entropy is in bits per character; ranks is 0 to 2.
    """
    from corpusdb.queries.homogeneity.similarity import similarity as compare
    from corpusdb.queries.lexicon.selection import require_language

    with invocation.reading() as store:
        language = require_language(store, _code(options.lang))
        found = invocation.run(compare(store, language, options.corpora, options.measure, options.seed), resumes=False)
    if invocation.json:
        invocation.write_document(found)
    else:
        rows: list[tuple[Cell, ...]] = [
            (name, size, *(f"{value:.3f}" for value in row))
            for name, size, row in zip(found.names, found.characters, found.table, strict=True)
        ]
        invocation.show(("corpus", "characters", *found.names), rows)
    invocation.say(f"{found.compared:,} characters of each were compared, five times")
    return len(found.names)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownOptions:
    """What `study known-similarity` takes."""

    first: Annotated[
        str, typer.Argument(metavar="A", help="A collection, or a file of lines: news.{lang}.txt.", show_default=False)
    ]
    others: Annotated[
        list[str], typer.Argument(metavar="B...", help="Others, each of which is mixed with A.", show_default=False)
    ]
    lang: Annotated[
        str | None, typer.Option("--lang", metavar="LANG,...", help="Languages; may be left out if only one.")
    ] = None
    shuffles: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="How often it is done.")] = 3
    seed: Annotated[int, typer.Option(metavar="NUMBER", min=0, help="Of what is drawn at random.")] = 1


@replayable()
@command("known-similarity", answers=True, kept=False)
def known_similarity(invocation: Invocation, options: KnownOptions) -> int:
    """Tell which measure of similarity to trust.

    Known-similarity corpora (Kilgarriff 2001): A and B are mixed in eight shares, and a measure is right where two
    mixtures that are nearer in share are nearer in it. For the coefficient half of each is a reference, and only the
    other halves are mixed. With several B, and languages with commas, every pair is studied in every language; {lang}
    in the name of a file stands for the language.
    """
    from corpusdb.queries.homogeneity.similarity import known_similarity as judge
    from corpusdb.queries.lexicon.selection import require_language

    found = []
    with invocation.reading() as store:
        for given in options.lang.split(",") if options.lang else [None]:
            language = require_language(store, _code(given))
            first, *others = (name.replace("{lang}", language) for name in (options.first, *options.others))
            for other in others:
                job = judge(store, language, first, other, shuffles=options.shuffles, seed=options.seed)
                found.append(invocation.run(job, resumes=False))
    if invocation.json:
        measures = [[asdict(one) | {"share": one.share} for one in each.measures] for each in found]
        rows = zip(found, measures, strict=True)
        invocation.write_document([asdict(each) | {"measures": of_pair} for each, of_pair in rows])
    else:
        invocation.show(
            ("lang", "first", "second", "measure", "right", "of", "percent"),
            [
                (each.language, *(source.name for source in each.sources), *_figures(one))
                for each in found
                for one in each.measures
            ],
        )
    for each in found:
        names = " and ".join(source.name for source in each.sources)
        invocation.say(
            f"{each.language}, {names}: {each.mixtures} mixtures of about {each.characters:,} characters, "
            f"{each.shuffles} times"
        )
    return len(found)


def _figures(judged: Judged) -> tuple[Cell, ...]:
    return judged.measure, judged.right, judged.all, f"{100 * judged.share:.1f}"


def _code(given: str | None) -> str | None:
    from corpusdb.languages import language_code

    return None if given is None else language_code(given)
