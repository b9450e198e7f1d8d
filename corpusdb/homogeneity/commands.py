"""The commands on models of characters, and those that compare corpora and select what to train on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from corpusdb.base.display import Cell
from corpusdb.base.errors import UsageError
from corpusdb.base.options import Argument, Option, RandomSeed, names_in
from corpusdb.base.text import language_code
from corpusdb.commands.command import CommandGroup, Overwrite, command, replayable
from corpusdb.commands.invocation import AS_TEXT, Invocation, stdout_in, texts_of, write_json, write_text

if TYPE_CHECKING:
    from corpusdb.corpus.store import Store
    from corpusdb.homogeneity.queries.char_models import MeasuringModel, Perplexity
    from corpusdb.homogeneity.queries.likeness import JudgedMeasure
    from corpusdb.homogeneity.queries.profiles import ProfileRecipe
    from corpusdb.homogeneity.queries.selecting import SelectionFound, SelectionRecipe, TaskTranslation


Smoothing: TypeAlias = Annotated[Literal["wb", "mkn"], Option("wb: Witten-Bell; mkn: modified Kneser-Ney.")]
LanguageIfOne: TypeAlias = Annotated[
    str | None, Option("The language; may be omitted if there is only one.", metavar="LANG")
]
Normalise: TypeAlias = Annotated[
    Literal["none", "nfkc", "case", "letters"],
    Option("nfkc unifies widths (Ａ is A), case also capitals and quotes, letters also drops punctuation."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainOptions:
    name: Annotated[str, Argument("The name of the model.", metavar="NAME")]
    sources: Annotated[list[str], Argument("Collections, or files of lines.", metavar="SOURCE...")]
    lang: LanguageIfOne = None
    order: Annotated[int, Option("The longest n-grams, in characters.", metavar="N", least=1, most=20)] = 6
    smoothing: Smoothing = "mkn"
    normalise: Normalise = "case"
    replace: Annotated[bool, Option("Replace an existing model of that name.")] = False


@command("train")
def train(invocation: Invocation, options: TrainOptions) -> None:
    """Train a character model on collections or files, and store it.

    Only counts are stored. The alphabet is the set of characters in the texts; any other character counts as one
    unknown character.
    """
    from corpusdb.homogeneity.queries.char_models import ModelRecipe, train_named_model

    recipe = ModelRecipe(options.order, options.smoothing, options.normalise)
    # Files in a language that is told need no corpus.
    told = _code(options.lang) if all(Path(source).is_file() for source in options.sources) else None
    with invocation.writing(create=told is not None) as store:
        language = told or corpus_language(store, options.lang)
        found = invocation.run(
            train_named_model(store, language, options.name, options.sources, recipe, replace=options.replace),
        )
    figures = [("model", found.name), ("language", found.language)]
    counts = [("texts", found.texts), ("characters", found.characters)]
    invocation.report(found, [*figures, *counts, *asdict(recipe).items()])


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelListOptions:
    """What `model list` takes: nothing."""


@command("list", answers=True, kept=False)
def list_models(invocation: Invocation, options: ModelListOptions) -> int:
    """List the stored models.

    changed: which of the texts a model was trained on have changed since; the model itself stays the same.
    """
    from corpusdb.homogeneity.queries.char_models import stored_models

    with invocation.reading() as store:
        found = stored_models(store)
    columns = ("name", "lang", "order", "smoothing", "normalisation", "texts", "characters", "sources", "changed")
    rows = (
        (
            *(each.name, each.language, each.recipe.order, each.recipe.smoothing, each.recipe.normalisation),
            *(each.texts, each.characters, ",".join(source.name for source in each.sources)),
            "; ".join(each.changed),
        )
        for each in found
    )
    invocation.show(columns, rows, document=found)
    return len(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelExportOptions:
    name: Annotated[str, Argument("The name of the model.", metavar="NAME")]
    output: Annotated[Path | None, Option("Write to this file instead of stdout.", "--output -o", metavar="FILE")] = (
        None
    )
    overwrite: Overwrite = False


@command("export", reports=False)
def export_model(invocation: Invocation, options: ModelExportOptions) -> None:
    """Write a model as an ARPA file for kenlm or SRILM.

    The words of the file are characters, with ▁ for a space. Before you score a text with it, normalise the text as the
    message says, and split it into characters.
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
    """Character models: train, list, export as ARPA.

    `corpusdb perplexity` measures texts by them; `corpusdb guide homogeneity` explains them.

    train and list take --json.
    """,
    (train, list_models, export_model),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PerplexityOptions:
    text: Annotated[str, Argument("A text, or a file of lines; - is stdin.", metavar="TEXT")]
    model: Annotated[str, Option("The model, or an ARPA file over characters.", metavar="NAME|FILE.arpa")]
    normalise: Annotated[
        Literal["none", "nfkc", "case", "letters"] | None,
        Option("For an ARPA file: normalisation of its training text (default: case)."),
    ] = None
    with_end: Annotated[bool, Option("Count the end of each line too, as kenlm does.")] = False
    each: Annotated[bool, Option("One row per line of text.")] = False
    as_text: Annotated[bool, AS_TEXT] = False


@command("perplexity", answers=True, kept=False)
def perplexity(invocation: Invocation, options: PerplexityOptions) -> int:
    """Measure how well a model predicts a text.

    bits: the mean of -log2 of the probability of each character given those before it; perplexity is 2 to the power of
    bits. unknown: characters that the model has never seen; each costs as much as all unseen characters together. An
    ARPA file of another program needs no database; its words must be characters.
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
        invocation.show(columns, _perplexity_rows(found))
    else:
        counts = (len(found.lines), found.empty, found.characters, found.unknown)
        row = (*counts, f"{found.bits_per_character:.4f}", f"{found.perplexity:.4f}")
        invocation.show(("lines", "empty", "characters", "unknown", "bits", "perplexity"), [row])
    return len(found.lines)


def _measuring(invocation: Invocation, options: PerplexityOptions) -> MeasuringModel:
    """The model of the file, where its name says that it is one, or of the database."""
    from corpusdb.homogeneity.queries.char_models import arpa_model, stored_model

    if options.model.endswith(".arpa"):
        return arpa_model(Path(options.model), options.normalise or "case")
    if options.normalise is not None:
        raise UsageError("--normalise is for an ARPA file; a stored model knows how its texts were normalised")
    with invocation.reading() as store:
        return stored_model(store, options.model)


def _perplexity_rows(found: Perplexity) -> Iterator[tuple[str | int | None, ...]]:
    for line in found.lines:
        bits = line.bits_per_character
        shown = (None, None) if bits is None else (f"{bits:.4f}", f"{2**bits:.4f}")
        yield (line.line, line.characters, line.unknown, *shown, line.text)


def _code(given: str | None) -> str | None:
    return None if given is None else language_code(given)


def corpus_language(store: Store, given: str | None) -> str:
    """Raises as ``require_language`` does."""
    from corpusdb.search.queries.token_selection import require_language

    return require_language(store, _code(given))


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarityOptions:
    corpora: Annotated[list[str], Argument("Collections, or files of lines.", metavar="A B...")]
    lang: LanguageIfOne = None
    measure: Annotated[
        Literal["chi2", "entropy", "ranks"], Option("Chi-square or ranks of character trigrams, or cross-entropy.")
    ] = "chi2"
    seed: RandomSeed = 1


@replayable()
@command("similarity", answers=True, kept=False)
def similarity(invocation: Invocation, options: SimilarityOptions) -> int:
    """Compare corpora: a matrix, and how homogeneous each is.

    Each figure is a distance: the higher, the less similar (Kilgarriff 2001). The diagonal, the distance between random
    halves of the same corpus, is the yardstick: two corpora are alike if their distance is not much above it. Equal
    amounts of text are compared, and figures are means over five draws. chi2 is divided by its degrees of freedom, so
    text from a single source scores about 1; entropy is in bits per character; ranks goes from 0 to 2.
    """
    from corpusdb.homogeneity.queries.likeness import similarity as compare

    with invocation.reading() as store:
        language = corpus_language(store, options.lang)
        found = invocation.run(compare(store, language, options.corpora, options.measure, options.seed))
    if invocation.json:
        invocation.write_document(found)
    else:
        rows: list[tuple[Cell, ...]] = [
            (name, size, *(f"{value:.3f}" for value in row))
            for name, size, row in zip(found.names, found.characters, found.table, strict=True)
        ]
        own = ("corpus", "characters")
        invocation.show((*own, *(f"{name} (corpus)" if name in own else name for name in found.names)), rows)
    invocation.say(f"{found.compared:,} characters of each were compared, five times")
    return len(found.names)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownOptions:
    first: Annotated[str, Argument("A collection, or a file of lines: news.{lang}.txt.", metavar="A")]
    others: Annotated[list[str], Argument("Other collections or files, each mixed with A.", metavar="B...")]
    lang: Annotated[str | None, Option("The languages; may be omitted if there is only one.", metavar="LANG,...")] = (
        None
    )
    shuffles: Annotated[int, Option("How many times to repeat it.", metavar="N", least=1, most=1000)] = 3
    seed: RandomSeed = 1


@replayable()
@command("known-similarity", answers=True, kept=False)
def known_similarity(invocation: Invocation, options: KnownOptions) -> int:
    """Find which measure of similarity to trust.

    Known-similarity corpora (Kilgarriff 2001): A and B are mixed in eight proportions; a measure is right if it finds
    two mixtures nearer that are nearer in proportion. For the coefficient half of each is a reference, and only the
    other halves are mixed. With several B or languages, every combination is studied; {lang} in a file name stands for
    the language.
    """
    from corpusdb.homogeneity.queries.likeness import known_similarity as judge

    found = []
    with invocation.reading() as store:
        for given in options.lang.split(",") if options.lang else [None]:
            language = corpus_language(store, given)
            first, *others = (name.replace("{lang}", language) for name in (options.first, *options.others))
            for other in others:
                job = judge(store, language, first, other, shuffles=options.shuffles, seed=options.seed)
                found.append(invocation.run(job))
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


def _figures(judged: JudgedMeasure) -> tuple[Cell, ...]:
    return judged.measure, judged.right, judged.all, f"{100 * judged.share:.1f}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectOptions:
    lang: LanguageIfOne = None
    task: Annotated[str | None, Option("The domain to select for: files or collections.", metavar="A,B")] = None
    method: Annotated[
        Literal["moore-lewis", "coefficient", "bilingual", "cynical", "random"], Option("Ranking method.")
    ] = "moore-lewis"
    share: Annotated[float, Option("Amount to select, in percent of the characters.", metavar="PERCENT")] = 10.0
    pool: Annotated[str | None, Option("Collections to select from (default: all).", metavar="A,B")] = None
    least: Annotated[int, Option("Only sentences of at least this many characters.", metavar="N", least=1)] = 1
    most: Annotated[int | None, Option("Only sentences of at most this many characters.", metavar="N", least=1)] = None
    spoken: Annotated[str | None, Option("coefficient: text like speech, where I is 0.", metavar="NAMES")] = None
    written: Annotated[str | None, Option("coefficient: text like writing, where I is 1.", metavar="NAMES")] = None
    to: Annotated[str | None, Option("bilingual: the other language.", metavar="LANG")] = None
    task_translation: Annotated[
        str | None, Option("bilingual: the task in that language, line by line.", metavar="A,B")
    ] = None
    seed: RandomSeed = 1
    name: Annotated[str | None, Option("Store the selection under this name.", metavar="NAME")] = None
    show: Annotated[str | None, Option("Write a stored selection instead of making one.", metavar="NAME")] = None
    list_all: Annotated[bool, Option("List the stored selections.", "--list")] = False
    remove: Annotated[
        str | None, Option("Delete a stored selection; its sentences stay in the corpus.", metavar="NAME")
    ] = None
    output: Annotated[
        Path | None, Option("Write the sentences to this file, best first.", "--output -o", metavar="FILE")
    ] = None
    overwrite: Overwrite = False


@command("select")
def select(invocation: Invocation, options: SelectOptions) -> int:
    """Select training data for a domain, and measure its worth.

    moore-lewis: by bits per character under a model of the task minus those under a model of the pool (Moore and Lewis
    2010). bilingual: by the sum of that over both languages (Axelrod et al. 2011). cynical: adds the sentence that
    brings the selection closest to the words of the task, one at a time (Axelrod 2017). coefficient: those closest to
    the task's coefficient between two references (Denoual 2005). random: at random.

    Each row shows how well a model trained on that amount of data predicts a held-out fifth of the task: bits per
    character, lower is better, next to five random draws of the same size. Sentences that are in the task, share a
    translation with it, or have the same letters as one already selected are skipped. Translation quality is not
    measured.
    """
    if options.list_all or options.remove is not None:
        return _listed_or_removed(invocation, options)
    if options.show is not None:
        return _shown(invocation, options, options.show)
    if options.task is None:
        raise UsageError("select needs the task: --task FILE")
    from corpusdb.base.outputs import check_output
    from corpusdb.homogeneity.queries.selecting import select_sentences, store_selection
    from corpusdb.search.queries.results import check_selection_name

    guard = invocation.guard(overwrite=options.overwrite)
    if invocation.json and str(options.output) == "-":
        raise UsageError("--json and --output - would both write to stdout: --json has the sentences, too")
    if options.output is not None and str(options.output) != "-":
        check_output(options.output, guard)
    recipe = _recipe(options)
    with invocation.writing() if options.name else invocation.reading() as store:
        language = corpus_language(store, options.lang)
        if options.name:
            check_selection_name(store, options.name)
        found = invocation.run(select_sentences(store, language, recipe))
        if options.output is not None:
            with stdout_in(options.output, guard):
                for text in found.texts:
                    write_text(text)
        if options.name:
            store_selection(store, options.name, found)
    if str(options.output) != "-":  # which --json is refused with
        columns = ("share", "selected", "random", "random_sd")
        invocation.show(columns, _selection_rows(found), document=_document(found))
    for line in _remarks(found):
        invocation.say(line)
    return len(found.sentences)


def _listed_or_removed(invocation: Invocation, options: SelectOptions) -> int:
    from corpusdb.search.queries.results import remove_selection, stored_selections
    from corpusdb.search.report import SELECTION_COLUMNS, selection_rows

    both = options.list_all and options.remove is not None
    if both or options.show is not None or _makes_one(options):
        raise UsageError("--list and --remove take no other option: give one of them alone")
    if options.remove is not None:
        with invocation.writing() as store:
            count = remove_selection(store, options.remove)
        invocation.say(f"deleted the selection {options.remove!r} ({count:,} sentences)")
        return count
    language = _code(options.lang)
    with invocation.reading() as store:
        found = [each for each in stored_selections(store) if language in (None, each.language)]
    guard = invocation.guard(overwrite=options.overwrite)
    with stdout_in(options.output, guard):
        invocation.show(SELECTION_COLUMNS, selection_rows(found), document=found)
    return len(found)


def _makes_one(options: SelectOptions) -> bool:
    """Whether anything is said of a selection that is to be made."""
    kept = replace(SelectOptions(), lang=options.lang, output=options.output, overwrite=options.overwrite)
    return replace(kept, show=options.show, list_all=options.list_all, remove=options.remove) != options


def _shown(invocation: Invocation, options: SelectOptions, name: str) -> int:
    from corpusdb.search.queries.results import selection_members
    from corpusdb.search.report import MEMBER_COLUMNS, member_rows

    if _makes_one(options):
        raise UsageError("--show writes a stored selection: it takes nothing that makes one, such as --task and --name")
    with invocation.reading() as store:
        members = selection_members(store, name)
    guard = invocation.guard(overwrite=options.overwrite)
    if invocation.json:
        with stdout_in(options.output, guard):
            write_json([{"sentence": number, "text": text, "score": score} for number, text, score in members])
    elif options.output is not None:
        with stdout_in(options.output, guard):
            for _, text, _ in members:
                write_text(text)
    else:
        invocation.show(MEMBER_COLUMNS, member_rows(members))
    return len(members)


def _recipe(options: SelectOptions) -> SelectionRecipe:
    from corpusdb.homogeneity.queries.selecting import SelectionRecipe

    return SelectionRecipe(
        method=options.method,
        task=names_in(options.task),
        share=options.share / 100,
        pool=names_in(options.pool),
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
    return ProfileRecipe(spoken=names_in(options.spoken), written=names_in(options.written), seed=options.seed)


def _translation(options: SelectOptions) -> TaskTranslation | None:
    from corpusdb.homogeneity.queries.selecting import TaskTranslation

    given = options.to is not None or options.task_translation is not None
    if given and options.method != "bilingual":
        raise UsageError("--to and --task-translation are for --method bilingual")
    if options.method != "bilingual":
        return None
    language = _code(options.to)
    if language is None or options.task_translation is None:
        raise UsageError("--method bilingual needs the task in the other language: --to LANG --task-translation FILE")
    return TaskTranslation(language, names_in(options.task_translation))


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


def _selection_rows(found: SelectionFound) -> Iterator[tuple[str | None, ...]]:
    for each in found.curve:
        own = None if each.bits is None else f"{each.bits:.4f}"
        yield (f"{100 * each.share:g} %", own, f"{each.random_bits:.4f}", f"{each.random_sd:.4f}")


def _remarks(found: SelectionFound) -> Iterator[str]:
    yield "bits per character of held-out lines of the task: the fewer, the better; random: of five draws as large"
    yield (
        f"{len(found.sentences):,} of {found.pool:,} sentences, {found.characters:,} of {found.pool_characters:,} "
        f"characters; measured by {found.held_out:,} held-out lines of the task"
    )
    left_out = {
        "stand in the task": found.in_task,
        "share a translation with it": found.beside_task,
        "repeat the letters of another, or are too short or too long": found.guarded,
    }
    for what, count in left_out.items():
        if count:
            yield f"{count:,} sentences {what}, and are not selected"
    if found.enough is not None:
        yield f"after {found.enough:,} sentences the selection comes no nearer to the task"
    yield found.answer
