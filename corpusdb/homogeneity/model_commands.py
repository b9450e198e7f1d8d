"""The commands on models of characters, and those that compare corpora as wholes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from corpusdb.base.errors import UsageError
from corpusdb.base.options import described
from corpusdb.commands.command import CommandGroup, Overwrite, command, replayable
from corpusdb.commands.invocation import Invocation
from corpusdb.commands.output import Cell, stdout_in, write_json, write_text
from corpusdb.commands.texts import AS_TEXT, texts_of

if TYPE_CHECKING:
    from corpusdb.homogeneity.queries.char_models import MeasuringModel, Perplexity
    from corpusdb.homogeneity.queries.likeness import Judged

__all__ = [
    "Normalise",
    "Smoothing",
    "known_similarity",
    "model",
    "perplexity",
    "similarity",
]


# The commands on models of characters.


Smoothing: TypeAlias = Annotated[Literal["wb", "mkn"], typer.Option(help="Witten-Bell, or modified Kneser-Ney.")]
Normalise: TypeAlias = Annotated[
    Literal["none", "nfkc", "case", "letters"],
    typer.Option(help="What texts are reduced to: case also unites quotes, letters also drops punctuation."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainOptions:
    """What `model train` takes."""

    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is called.", show_default=False)]
    sources: Annotated[
        list[str], typer.Argument(metavar="SOURCE...", help="Collections, or files of lines.", show_default=False)
    ]
    lang: Annotated[
        str | None, typer.Option("--lang", metavar="LANG", help="Language; may be left out if only one.")
    ] = None
    order: Annotated[int, typer.Option(metavar="N", min=1, max=20, help="The longest n-grams, in characters.")] = 6
    smoothing: Smoothing = "mkn"
    normalise: Normalise = "case"
    replace: Annotated[bool, typer.Option("--replace", help="Put it in the place of the model of that name.")] = False


@command("train")
def train(invocation: Invocation, options: TrainOptions) -> None:
    """Train a model of characters on collections or files, and keep it.

    Only counts are kept. The characters of the texts are its alphabet; any other costs as one unknown character.
    """
    from corpusdb.homogeneity.queries.char_models import ModelRecipe, train_named_model
    from corpusdb.search.queries.token_index import require_language

    recipe = ModelRecipe(options.order, options.smoothing, options.normalise)
    # Files in a language that is told need no corpus.
    told = _code(options.lang) if all(Path(source).is_file() for source in options.sources) else None
    with invocation.writing(create=told is not None) as store:
        language = told or require_language(store, _code(options.lang))
        found = invocation.run(
            train_named_model(store, language, options.name, options.sources, recipe, replace=options.replace),
            resumes=False,
        )
    invocation.report(
        found,
        [
            ("model", found.name),
            ("language", found.language),
            ("texts", found.texts),
            ("characters", found.characters),
            ("order", recipe.order),
            ("smoothing", recipe.smoothing),
            ("normalisation", recipe.normalisation),
        ],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    """What `model list` takes: nothing."""


@command("list", answers=True, kept=False)
def list_models(invocation: Invocation, options: ListOptions) -> int:
    """List the models that are kept.

    changed: which of the texts that a model was trained on are others now; the model stays as it was made.
    """
    from corpusdb.homogeneity.queries.char_models import stored_models

    with invocation.reading() as store:
        found = stored_models(store)
    if invocation.json:
        write_json(found)
        return len(found)
    columns = ("name", "lang", "order", "smoothing", "normalisation", "texts", "characters", "sources", "changed")
    invocation.show(
        columns,
        (
            (
                *(each.name, each.language, each.recipe.order, each.recipe.smoothing, each.recipe.normalisation),
                *(each.texts, each.characters, ",".join(source.name for source in each.sources)),
                "; ".join(each.changed),
            )
            for each in found
        ),
    )
    return len(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """What `model export` takes."""

    name: Annotated[str, typer.Argument(metavar="NAME", help="Of the model.", show_default=False)]
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write it there, not to stdout.", show_default=False),
    ] = None
    overwrite: Overwrite = False


@command("export", reports=False)
def export_model(invocation: Invocation, options: ExportOptions) -> None:
    """Write a model as ARPA, which kenlm and SRILM read.

    The words of the file are characters; a blank is ▁. Text is to be normalised first as the model says, and split
    into characters.
    """
    from corpusdb.homogeneity.queries.char_models import arpa_of

    guard = invocation.guard(overwrite=options.overwrite)
    with stdout_in(options.output, guard), invocation.reading() as store:
        lines, recipe = arpa_of(store, options.name)
        for line in lines:
            write_text(line)
    invocation.say(f"order {recipe.order}, {recipe.smoothing}, texts normalised by {recipe.normalisation!r}")


model = CommandGroup(
    "model",
    """Models of characters: train, list, export as ARPA.

    `corpusdb perplexity` measures texts by them; `corpusdb guide homogeneity` explains them.

    train and list take --json.
    """,
    (train, list_models, export_model),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PerplexityOptions:
    """What `perplexity` takes."""

    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="A text, or a file of lines; - is stdin.", show_default=False)
    ]
    model: Annotated[
        str,
        typer.Option(metavar="NAME|FILE.arpa", help="The model, or an ARPA file over characters.", show_default=False),
    ]
    normalise: Annotated[
        Literal["none", "nfkc", "case", "letters"] | None,
        typer.Option(help="With a file: how its texts were normalised; case if not given.", show_default=False),
    ] = None
    with_end: Annotated[bool, typer.Option("--with-end", help="The end of a line counts too, as in kenlm.")] = False
    each: Annotated[bool, typer.Option("--each", help="A row for each line.")] = False
    as_text: bool = described(False, AS_TEXT)


@command("perplexity", answers=True, kept=False)
def perplexity(invocation: Invocation, options: PerplexityOptions) -> int:
    """Tell how well a model foresees a text.

    bits: for each character, -log2 of its probability behind the ones before it; perplexity is 2 to the bits. unknown:
    characters that the model has never seen, each of which costs as much as all of them together. An ARPA file of
    another program needs no database; its words must be characters.
    """
    from corpusdb.homogeneity.queries.char_models import perplexity_by

    lines = texts_of(invocation, [options.text], as_text=options.as_text)
    found = invocation.run(perplexity_by(_measuring(invocation, options), lines, with_end=options.with_end))
    if invocation.json:
        document = asdict(found)
        if not options.each:
            del document["lines"]
        write_json(document)
    elif options.each:
        columns = ("line", "characters", "unknown", "bits", "perplexity", "text")
        invocation.show(columns, _rows(found))
    else:
        invocation.show(
            ("lines", "empty", "characters", "unknown", "bits", "perplexity"),
            [
                (
                    *(len(found.lines), found.empty, found.characters, found.unknown),
                    *(f"{found.bits_per_character:.4f}", f"{found.perplexity:.4f}"),
                )
            ],
        )
    return len(found.lines)


def _measuring(invocation: Invocation, options: PerplexityOptions) -> MeasuringModel:
    """The model of the file, where its name says that it is one, or of the database."""
    from corpusdb.homogeneity.queries.char_models import arpa_model, stored_model

    if options.model.endswith(".arpa"):
        return arpa_model(Path(options.model), options.normalise or "case")
    if options.normalise is not None:
        raise UsageError("--normalise is for an ARPA file; a model of the database tells how its texts were normalised")
    with invocation.reading() as store:
        return stored_model(store, options.model)


def _rows(found: Perplexity) -> Iterator[tuple[str | int | None, ...]]:
    for line in found.lines:
        bits = line.bits_per_character
        shown = (None, None) if bits is None else (f"{bits:.4f}", f"{2**bits:.4f}")
        yield (line.line, line.characters, line.unknown, *shown, line.text)


def _code(given: str | None) -> str | None:
    from corpusdb.base.languages import language_code

    return None if given is None else language_code(given)


# The commands that compare corpora as wholes.


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
    from corpusdb.homogeneity.queries.likeness import similarity as compare
    from corpusdb.search.queries.token_index import require_language

    with invocation.reading() as store:
        language = require_language(store, _language_code(options.lang))
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
    from corpusdb.homogeneity.queries.likeness import known_similarity as judge
    from corpusdb.search.queries.token_index import require_language

    found = []
    with invocation.reading() as store:
        for given in options.lang.split(",") if options.lang else [None]:
            language = require_language(store, _language_code(given))
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


def _language_code(given: str | None) -> str | None:
    from corpusdb.base.languages import language_code

    return None if given is None else language_code(given)
