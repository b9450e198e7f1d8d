"""The commands on models of characters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from corpusdb.cli.program.command import CommandGroup, Overwrite, command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import stdout_in, write_json, write_text
from corpusdb.cli.program.texts import AS_TEXT, texts_of
from corpusdb.errors import UsageError
from corpusdb.options import described

if TYPE_CHECKING:
    from corpusdb.queries.homogeneity.perplexity import MeasuringModel, Perplexity

__all__ = ["Normalise", "Smoothing", "model", "perplexity"]

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
    from corpusdb.queries.homogeneity.char_models import ModelRecipe, train_named_model
    from corpusdb.queries.lexicon.selection import require_language

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
    from corpusdb.queries.homogeneity.char_models import stored_models

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
    from corpusdb.queries.homogeneity.char_models import arpa_of

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
    from corpusdb.queries.homogeneity.perplexity import perplexity_by

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
    from corpusdb.queries.homogeneity.perplexity import arpa_model, stored_model

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
    from corpusdb.languages import language_code

    return None if given is None else language_code(given)
