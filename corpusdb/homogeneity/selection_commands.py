"""The command that selects what to train on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from corpusdb.base.errors import UsageError
from corpusdb.commands.command import Overwrite, command
from corpusdb.commands.invocation import Invocation
from corpusdb.commands.output import stdout_in, write_json, write_text

if TYPE_CHECKING:
    from corpusdb.homogeneity.queries.profiles import ProfileRecipe
    from corpusdb.homogeneity.queries.selecting import SelectionFound, SelectionRecipe, Translation

__all__ = ["select"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectOptions:
    """What `select` takes."""

    lang: Annotated[
        str | None, typer.Option("--lang", metavar="LANG", help="Language; may be left out if only one.")
    ] = None
    task: Annotated[str | None, typer.Option(metavar="A,B", help="What is to be trained for: files, collections.")] = (
        None
    )
    method: Annotated[
        Literal["moore-lewis", "coefficient", "bilingual", "cynical", "random"],
        typer.Option(help="How sentences are ordered."),
    ] = "moore-lewis"
    share: Annotated[float, typer.Option(metavar="PERCENT", help="How much, in percent of the characters.")] = 10.0
    pool: Annotated[str | None, typer.Option(metavar="A,B", help="Collections to select from; all if not given.")] = (
        None
    )
    least: Annotated[int, typer.Option(metavar="N", min=1, help="Only sentences of so many characters.")] = 1
    most: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Only sentences of at most so many.", show_default=False)
    ] = None
    spoken: Annotated[str | None, typer.Option(metavar="A,B", help="coefficient: the reference of I = 0.")] = None
    written: Annotated[str | None, typer.Option(metavar="C,D", help="coefficient: the reference of I = 1.")] = None
    to: Annotated[str | None, typer.Option("--to", metavar="LANG", help="bilingual: the other language.")] = None
    task_translation: Annotated[
        str | None, typer.Option(metavar="A,B", help="bilingual: the task in it, line by line.")
    ] = None
    seed: Annotated[int, typer.Option(metavar="NUMBER", min=0, help="Of all that is drawn at random.")] = 1
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Keep the selection under this name.")] = None
    show: Annotated[str | None, typer.Option(metavar="NAME", help="Write a selection that is kept, and make none.")] = (
        None
    )
    list_all: Annotated[bool, typer.Option("--list", help="List the selections that are kept.")] = False
    remove: Annotated[
        str | None, typer.Option(metavar="NAME", help="Forget a selection that is kept; its sentences stay.")
    ] = None
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the sentences there, the best first."),
    ] = None
    overwrite: Overwrite = False


@command("select")
def select(invocation: Invocation, options: SelectOptions) -> int:
    """Select what to train on, and tell whether it helps.

    moore-lewis: by the bits per character under a model of the task less those under one of the pool (2010).
    bilingual: by the sum of that for both languages (Axelrod et al. 2011). cynical: always the sentence that brings the
    selection nearest to the words of the task (Axelrod 2017). coefficient: the nearest to the task's coefficient
    between two references (Denoual 2005). random: at random.

    A fifth of the task's lines is held out, and the rows tell what a model of each amount is worth for it: bits per
    character, lower is better, beside five random draws of that amount. What stands in the task, shares a translation
    with it, or has the letters of a sentence before it is not selected. Nothing is said of translation.
    """
    if options.list_all or options.remove is not None:
        return _listed_or_removed(invocation, options)
    if options.show is not None:
        return _shown(invocation, options, options.show)
    if options.task is None:
        raise UsageError("select needs the task: --task FILE")
    from corpusdb.base.outputs import check_output
    from corpusdb.homogeneity.queries.selecting import select_sentences
    from corpusdb.search.queries.results import check_selection_name, store_selection
    from corpusdb.search.queries.token_index import require_language

    guard = invocation.guard(overwrite=options.overwrite)
    if options.output is not None and str(options.output) != "-":
        check_output(options.output, guard)
    recipe = _recipe(options)
    with invocation.writing() if options.name else invocation.reading() as store:
        language = require_language(store, _code(options.lang))
        if options.name:
            check_selection_name(store, options.name)
        found = invocation.run(select_sentences(store, language, recipe), resumes=False)
        if options.output is not None:
            with stdout_in(options.output, guard):
                for text in found.texts:
                    write_text(text)
        if options.name:
            store_selection(store, options.name, found)
    if invocation.json:
        write_json(_document(found))
    elif str(options.output) != "-":
        invocation.show(("share", "selected", "random", "random_sd"), _rows(found))
    for line in _remarks(found):
        invocation.say(line)
    return len(found.sentences)


def _listed_or_removed(invocation: Invocation, options: SelectOptions) -> int:
    from corpusdb.homogeneity.report import SELECTION_COLUMNS, selection_rows
    from corpusdb.search.queries.results import remove_selection, stored_selections

    others = (options.task, options.name, options.show, options.remove if options.list_all else None)
    if any(other is not None for other in others):
        raise UsageError("--list and --remove make no selection, and show none: give one of them alone")
    if options.remove is not None:
        with invocation.writing() as store:
            count = remove_selection(store, options.remove)
        invocation.say(f"the selection {options.remove!r} of {count:,} sentences is forgotten")
        return count
    with invocation.reading() as store:
        found = stored_selections(store)
    guard = invocation.guard(overwrite=options.overwrite)
    with stdout_in(options.output, guard):
        if invocation.json:
            write_json(found)
        else:
            invocation.show(SELECTION_COLUMNS, selection_rows(found))
    return len(found)


def _shown(invocation: Invocation, options: SelectOptions, name: str) -> int:
    from corpusdb.search.queries.results import selection_members

    if options.task is not None or options.name is not None:
        raise UsageError("--show writes a selection that is kept; it takes no --task and no --name")
    with invocation.reading() as store:
        members = selection_members(store, name)
    guard = invocation.guard(overwrite=options.overwrite)
    if options.output is not None and not invocation.json:
        with stdout_in(options.output, guard):
            for _, text, _ in members:
                write_text(text)
    elif invocation.json:
        with stdout_in(options.output, guard):
            write_json([{"sentence": number, "text": text, "score": score} for number, text, score in members])
    else:
        rows = [(rank, f"{score:.4f}", text) for rank, (_, text, score) in enumerate(members, 1)]
        invocation.show(("rank", "score", "text"), rows)
    return len(members)


def _recipe(options: SelectOptions) -> SelectionRecipe:
    from corpusdb.homogeneity.queries.selecting import SelectionRecipe

    return SelectionRecipe(
        method=options.method,
        task=_names(options.task),
        share=options.share / 100,
        pool=_names(options.pool),
        seed=options.seed,
        least=options.least,
        most=options.most,
        references=_references(options),
        translation=_translation(options),
    )


def _references(options: SelectOptions) -> ProfileRecipe | None:
    from corpusdb.homogeneity.queries.profiles import ProfileRecipe

    given = options.spoken is not None or options.written is not None
    if given and options.method != "coefficient":
        raise UsageError("--spoken and --written are for --method coefficient")
    if options.method != "coefficient":
        return None
    if options.spoken is None or options.written is None:
        raise UsageError("--method coefficient needs both references: --spoken A,B --written C")
    return ProfileRecipe(spoken=_names(options.spoken), written=_names(options.written), seed=options.seed)


def _translation(options: SelectOptions) -> Translation | None:
    from corpusdb.homogeneity.queries.selecting import Translation

    given = options.to is not None or options.task_translation is not None
    if given and options.method != "bilingual":
        raise UsageError("--to and --task-translation are for --method bilingual")
    if options.method != "bilingual":
        return None
    language = _code(options.to)
    if language is None or options.task_translation is None:
        raise UsageError("--method bilingual needs the task in the other language: --to LANG --task-translation FILE")
    return Translation(language, _names(options.task_translation))


def _names(given: str | None) -> tuple[str, ...]:
    return tuple(given.split(",")) if given else ()


def _code(given: str | None) -> str | None:
    from corpusdb.base.languages import language_code

    return None if given is None else language_code(given)


def _document(found: SelectionFound) -> dict[str, object]:
    document = asdict(found)
    members = zip(document.pop("sentences"), document.pop("texts"), document.pop("scores"), strict=True)
    return document | {
        "answer": found.answer,
        "beats_random": found.beats_random,
        "beats_all": found.beats_all,
        "members": [
            {"rank": rank, "sentence": number, "score": score, "text": text}
            for rank, (number, text, score) in enumerate(members, 1)
        ],
    }


def _rows(found: SelectionFound) -> Iterator[tuple[str | None, ...]]:
    for each in found.curve:
        own = None if each.bits is None else f"{each.bits:.4f}"
        yield (f"{100 * each.share:g} %", own, f"{each.random_bits:.4f}", f"{each.random_sd:.4f}")


def _remarks(found: SelectionFound) -> Iterator[str]:
    yield (
        f"{len(found.sentences):,} of {found.pool:,} sentences, {found.characters:,} of {found.pool_characters:,} "
        f"characters; measured by {found.held_out:,} held-out lines of the task"
    )
    left_out = {
        "stand in the task": found.in_task,
        "share a translation with it": found.beside_task,
        "have the letters of another, or not the length": found.guarded,
    }
    for what, count in left_out.items():
        if count:
            yield f"{count:,} sentences {what}, and are not selected"
    if found.enough is not None:
        yield f"after {found.enough:,} sentences the selection comes no nearer to the task"
    yield found.answer
