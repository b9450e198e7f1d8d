"""The commands that compare corpora as wholes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Literal

import typer

from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import Cell, write_json

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
        write_json(found)
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

    first: Annotated[str, typer.Argument(metavar="A", help="A collection, or a file of lines.", show_default=False)]
    second: Annotated[str, typer.Argument(metavar="B", help="Another one.", show_default=False)]
    lang: Annotated[
        str | None, typer.Option("--lang", metavar="LANG", help="Language; may be left out if only one.")
    ] = None
    shuffles: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="How often it is done.")] = 3
    seed: Annotated[int, typer.Option(metavar="NUMBER", min=0, help="Of what is drawn at random.")] = 1


@command("known-similarity", answers=True, kept=False)
def known_similarity(invocation: Invocation, options: KnownOptions) -> int:
    """Tell which measure of similarity to trust.

    Known-similarity corpora (Kilgarriff 2001): A and B are mixed in eight shares, and a measure is right where two
    mixtures that are nearer in share are nearer in it. For the coefficient half of each is a reference, and only the
    other halves are mixed.
    """
    from corpusdb.queries.homogeneity.similarity import known_similarity as judge
    from corpusdb.queries.lexicon.selection import require_language

    with invocation.reading() as store:
        language = require_language(store, _code(options.lang))
        found = invocation.run(
            judge(store, language, options.first, options.second, shuffles=options.shuffles, seed=options.seed),
            resumes=False,
        )
    if invocation.json:
        measures = [asdict(each) | {"share": each.share} for each in found.measures]
        write_json(asdict(found) | {"measures": measures})
    else:
        invocation.show(
            ("measure", "right", "of", "percent"),
            [(each.measure, each.right, each.all, f"{100 * each.share:.1f}") for each in found.measures],
        )
    invocation.say(f"{found.mixtures} mixtures of about {found.characters:,} characters, {found.shuffles} times")
    return len(found.measures)


def _code(given: str | None) -> str | None:
    from corpusdb.languages import language_code

    return None if given is None else language_code(given)
