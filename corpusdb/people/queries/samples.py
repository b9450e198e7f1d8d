"""Samples for judging, drawn from what was generated or rewritten, in a random order, and their sheets."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Final, Literal, TypeAlias

from corpusdb.base.display import kept_name
from corpusdb.base.errors import DatabaseLocked, InputError, UsageError
from corpusdb.base.estimates import lowest_tickets, ticket
from corpusdb.base.options import LARGEST, number_of
from corpusdb.base.outputs import NEW_ONLY, Guard, Outputs
from corpusdb.base.text import normalise
from corpusdb.corpus.formats.reading import read_lines
from corpusdb.corpus.model import Finding, Paraphrase
from corpusdb.corpus.orders import DEFAULT_ORDER, NO_LIMIT
from corpusdb.corpus.store import Store, finish_run, start_run
from corpusdb.paraphrase.queries.filters import DEFAULT_FILTER, NO_FILTER, Filter, NSequenceFilter, filter_at
from corpusdb.paraphrase.queries.origins.registry import select_origins
from corpusdb.paraphrase.queries.origins.stored import ANALOGY, DETECTED
from corpusdb.paraphrase.ranking import merge, score

# The rewritings that are kept, as samples for judging are drawn from them, and which rules made the items of one.

Made: TypeAlias = tuple[str, ...]
"""The steps that made a rewriting, each as its rule and its direction: ``verb-past ->``."""

_KEPT: Final = """
select rewriting.text, rewritten_text.text, rewriting.lineage
from rewriting join rewritten_text on rewritten_text.id = rewriting.origin
order by rewritten_text.method, rewritten_text.text desc
"""


def kept_rewritings(store: Store, *, with_origin: bool) -> dict[tuple[str, str | None], Made]:
    """What made each rewriting that is kept, by its text and, where wanted, the text that was rewritten.

    Of several that made the same, the newest method counts, and then the text that comes first.
    """
    rows = store.connection.execute(_KEPT)
    return {
        (text, origin if with_origin else None): tuple(
            f"{rule} {direction}" for rule, direction, *_ in json.loads(lineage)
        )
        for text, origin, lineage in rows
    }


def nothing_kept(language: str) -> str:
    """Why there is nothing to draw in a language."""
    return f"no rewritings of {language} are kept; `corpusdb rules apply --corpus --store` keeps those of Japanese"


_PARAMETERS: Final = "select parameters from sample where id = ?"


def rules_behind(store: Store, sample: int) -> list[Made]:
    """What made each item of a sample of rewritings, in the order of its items; empty for a control.

    An empty list for a sample of something else.
    """
    (parameters,) = store.connection.execute(_PARAMETERS, (sample,)).fetchone()
    return [tuple(made) for made in json.loads(parameters).get("made", [])]


# Samples for judging: sentences or pairs drawn at random from what was generated or rewritten, in a random order, by
# the seed and the texts only: a rebuilt database gives the same sample, and a larger sample holds the smaller one.

Kind: TypeAlias = Literal["grammaticality", "meaning"]
Population: TypeAlias = Literal["generated", "rewritings"]
Source: TypeAlias = Literal["candidate", "detected", "corpus"]
Text: TypeAlias = tuple[str, str | None]
"""A text and the seed to compare it with, or None where grammaticality is judged."""

SIZES: Final[dict[Kind, int]] = {"grammaticality": 400, "meaning": 470}
"""How many items of each kind were judged in the paper (Lepage & Denoual 2005, section 6)."""

POPULATIONS: Final[tuple[Population, ...]] = ("generated", "rewritings")
"""What candidates are drawn from: paraphrases of some origins, or the rewritings by rules that are kept."""
_JAPANESE: Final = "jpn"
_LARGEST_SEED: Final = 2**63 - 1
_USUAL_ORIGINS: Final = (ANALOGY.name,)


def sample_filter(
    kind: Kind,
    order: int = DEFAULT_ORDER,
    *,
    marks: bool = True,
    min_validity: float | None = None,
    real: bool | None = None,
) -> Filter:
    """What candidates must pass: of pairs, unless it is said otherwise, only those that differ by more than spelling.

    Most of what passes N and V differs from its seed by a contraction alone, of which there is nothing to judge.
    """
    is_real = kind == "meaning" if real is None else real
    return filter_at(order, marks=marks, min_validity=min_validity, real=is_real)


@dataclass(frozen=True, slots=True)
class SampleOptions:
    """What to draw. Raises UsageError for numbers that make no sense."""

    kind: Kind
    """"grammaticality": different sentences; "meaning": pairs of a seed and a candidate."""
    language: str
    size: int
    seed: int
    kept: Filter = DEFAULT_FILTER
    """What a candidate must pass."""
    controls: int = 0
    """How many controls to mix in: sentences of the corpus, or pairs that share a translation."""
    origins: tuple[str, ...] = _USUAL_ORIGINS
    """The origins of the candidates that were generated."""
    population: Population = "generated"

    def __post_init__(self) -> None:
        if self.population not in POPULATIONS:
            raise UsageError(f"{self.population!r} cannot be drawn; there are {' and '.join(POPULATIONS)}")
        if self.population == "rewritings" and self.kept != NO_FILTER:
            raise UsageError("rewritings by rules are not filtered: N and validity are of what was generated")
        if self.kind not in SIZES:
            raise UsageError(f"{self.kind!r} cannot be judged; there are {' and '.join(SIZES)}")
        if self.size < 1 or self.controls < 0:
            raise UsageError("a sample has one item or more, and its controls are not below 0")
        if not 0 <= self.seed <= _LARGEST_SEED:
            raise UsageError(f"a seed is a number from 0 to {_LARGEST_SEED}")
        select_origins(self.origins)


@dataclass(frozen=True, slots=True)
class Sample:
    id: int
    name: str
    kind: Kind
    language: str
    seed: int
    order: int
    marks: bool
    items: int
    controls: int
    """How many of the items are controls."""
    population: int
    """How many sentences or pairs the others were drawn from."""
    min_validity: float = 0.0
    """The least validity of what was drawn; 0 where none was asked for, as in all samples of older versions."""
    drawn_from: Population = "generated"
    final_marks: bool = True
    """Whether pairs that differ in the marks at their end alone were among these, as in samples of older versions."""

    @property
    def n_sequences(self) -> NSequenceFilter:
        """The filter by N-sequences and validity that the candidates passed."""
        return NSequenceFilter(self.order, self.marks, self.min_validity, self.final_marks)


@dataclass(frozen=True, slots=True)
class _Item:
    """An item with its figures as they are now."""

    text: Text
    source: Source
    fluency: int = NO_LIMIT
    inner_fluency: int = NO_LIMIT
    score: float | None = None
    frequency: int = 0
    made: Made = ()


_SAMPLE = "insert into sample (name, kind, language, seed, parameters, run) values (?, ?, ?, ?, ?, ?)"
_ITEM = """
insert into sample_item (sample, position, text, seed_text, source, fluency, inner_fluency, score, frequency)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


_FIGURES: Final = attrgetter("source", "fluency", "inner_fluency", "score", "frequency")


def draw_sample(store: Store, name: str, options: SampleOptions) -> Sample:
    """Draw a sample and store it under a new name, in one transaction.

    The candidates of the language are drawn with equal chances; where there are fewer than ``size``, all are taken.
    Raises UsageError for a name that is taken or blank, InputError where there is no candidate of this order, and
    DatabaseLocked while a job of another process derives what would be drawn from: of that the half is there.
    """
    name = kept_name(name, "a sample")
    with store.write() as connection:
        holder = None if store.in_job else store.job_holder()
        if holder is not None and not holder.is_known_dead:
            raise DatabaseLocked(f"{store.path}: {holder} is running; draw the sample when that has ended")
        if name in {sample.name for sample in samples(store)}:
            raise UsageError(f"there is a sample {name!r} already")
        items, population = _drawn(store, options)
        items.sort(key=lambda item: ticket(options.seed, "position", item.text))
        parameters = _parameters(options)
        described = {"kind": options.kind, "language": options.language, "seed": options.seed}
        run = start_run(store, "sample", {"name": name, **described, **parameters})
        # What made the items, in their order, where they are rewritings: rules may change, and judgements stay.
        told = parameters | ({"made": [item.made for item in items]} if options.population == "rewritings" else {})
        cursor = connection.execute(_SAMPLE, (name, *described.values(), json.dumps(told), run.id))
        rows = ((cursor.lastrowid, place, *each.text, *_FIGURES(each)) for place, each in enumerate(items, 1))
        connection.executemany(_ITEM, rows)
        finish_run(store, run, {"population": population, "items": len(items)})
    return find_sample(store, name)


def _parameters(options: SampleOptions) -> dict[str, object]:
    """What a sample is drawn by, beside its seed. The origins stand there where they are not the usual ones."""
    kept = {"order": NO_FILTER.order, "marks": NO_FILTER.marks} | options.kept.document()
    origins = {} if options.origins == _USUAL_ORIGINS else {"origins": list(options.origins)}
    population = {} if options.population == "generated" else {"population": options.population}
    return {"size": options.size, **kept, "controls": options.controls, **origins, **population}


@dataclass(frozen=True, slots=True)
class _Drawing:
    """What is drawn for one kind of judging."""

    population: Callable[[Store, SampleOptions], Collection[Text]]
    controls: Callable[[Store, str], Iterable[Text]]
    """What is known in a language: candidates among these are no controls."""
    source: Source
    with_seed: bool


def _different_texts(store: Store, options: SampleOptions) -> Collection[Text]:
    origins = select_origins(options.origins)
    return _union([((text, None) for text in each.texts(store, options.language, options.kept)) for each in origins])


def _union(found: Sequence[Iterable[Text]]) -> Collection[Text]:
    """All that was found; one origin alone gives nothing twice."""
    return list(found[0]) if len(found) == 1 else set().union(*found)


_CORPUS = "select text, null from sentence where language = ?"

_DRAWINGS: Final[dict[Kind, _Drawing]] = {
    "grammaticality": _Drawing(
        _different_texts,
        lambda store, language: store.connection.execute(_CORPUS, (language,)),
        "corpus",
        with_seed=False,
    ),
    "meaning": _Drawing(
        lambda store, options: _union(
            [each.pairs(store, options.language, options.kept) for each in select_origins(options.origins)]
        ),
        lambda store, language: DETECTED.pairs(store, language, NO_FILTER),
        "detected",
        with_seed=True,
    ),
}


def _drawn(store: Store, options: SampleOptions) -> tuple[list[_Item], int]:
    """The items that were drawn, in any order, and how many texts the candidates among them were drawn from."""
    drawing = _DRAWINGS[options.kind]
    made = _rewritings(store, options)
    population = drawing.population(store, options) if made is None else made
    if not population:
        raise InputError(_nothing_to_draw(options))
    chosen = lowest_tickets(options.seed, options.size, population)
    if made is None:
        items = _candidates(store, options, chosen)
    else:
        items = [_Item(text, "candidate", 0, 0, made=made[text]) for text in chosen]
    if options.controls:
        taken = set(chosen)
        others = (text for text in drawing.controls(store, options.language) if text not in taken)
        items += _controls(store, options, lowest_tickets(options.seed, options.controls, others))
    return items, len(population)


def _rewritings(store: Store, options: SampleOptions) -> Mapping[Text, Made] | None:
    """What made the rewritings that are kept; None where candidates that were generated are drawn."""
    if options.population != "rewritings":
        return None
    if options.language != _JAPANESE:
        return {}
    return kept_rewritings(store, with_origin=_DRAWINGS[options.kind].with_seed)


def _nothing_to_draw(options: SampleOptions) -> str:
    if options.population == "rewritings":
        return nothing_kept(options.language)
    if isinstance(options.kept, NSequenceFilter) and not options.kept.min_validity:
        return f"nothing of order {options.kept.order} or more was generated for {options.language}"
    return f"nothing that passes {options.kept} was generated for {options.language}"


def _candidates(store: Store, options: SampleOptions, chosen: Sequence[Text]) -> list[_Item]:
    """The candidates with their figures; a sentence that several seeds gave has those of its best rank."""
    with_seed = _DRAWINGS[options.kind].with_seed
    found: dict[Text, _Item] = {}
    for seed, each in _ranked(store, options, [text for text, _ in chosen]):
        if set(each.origins).isdisjoint(options.origins):
            continue
        drawn = each.text, seed if with_seed else None
        best = found.get(drawn)
        if best is None or (each.score, each.frequency) > (best.score or 0.0, best.frequency):
            fluency, inner = (NO_LIMIT if order is None else order for order in (each.order, each.inner_order))
            found[drawn] = _Item(drawn, "candidate", fluency, inner, each.score, each.frequency)
    return [found[text] for text in chosen]


def _ranked(store: Store, options: SampleOptions, texts: Sequence[str]) -> Iterator[tuple[str, Paraphrase]]:
    """All seeds that these texts are paraphrases of, by any origin, which counts in the score as where it ranks."""
    findings: dict[tuple[str, str], list[Finding]] = {}
    for origin in select_origins():
        for seed, finding in origin.findings_of(store, options.language, texts):
            if options.kept.accepts(finding):
                findings.setdefault((seed, finding.text), []).append(finding)
    return ((seed, merge(said)) for (seed, _), said in findings.items())


def _controls(store: Store, options: SampleOptions, chosen: Sequence[Text]) -> list[_Item]:
    """The controls; pairs have the score that their shared translations give them."""
    drawing = _DRAWINGS[options.kind]
    scores: dict[Text, float] = {}
    if drawing.with_seed:
        detected = DETECTED.findings_of(store, options.language, [text for text, _ in chosen])
        scores = {(finding.text, seed): score([finding]) for seed, finding in detected}
    return [_Item(text, drawing.source, score=scores.get(text)) for text in chosen]


_SAMPLES = """
select sample.id, sample.name, sample.kind, sample.language, sample.seed, sample.parameters, count(*),
       sum(sample_item.source <> 'candidate'), run.counts
from sample join sample_item on sample_item.sample = sample.id join run on run.id = sample.run
group by sample.id order by sample.id
"""


def samples(store: Store) -> list[Sample]:
    """Every sample, in the order in which they were drawn."""
    found = []
    for number, name, kind, language, seed, parameters, items, controls, counts in store.connection.execute(_SAMPLES):
        said = json.loads(parameters)
        counted = items, controls, json.loads(counts)["population"]
        kept = said["order"], said["marks"]
        more = said.get("min_validity", 0.0), said.get("population", "generated"), said.get("final_marks", True)
        found.append(Sample(number, name, kind, language, seed, *kept, *counted, *more))
    return found


def find_sample(store: Store, name: str) -> Sample:
    """The sample of this name. Raises InputError, with the names there are, for another."""
    found = {sample.name: sample for sample in samples(store)}
    if name not in found:
        raise InputError(f"there is no sample {name!r}; there are: {', '.join(found) or 'none yet'}")
    return found[name]


# Sheets for judging: tab-separated text with a header, an item of a sample a line, with cells for the verdict and a
# comment to be filled in. Spreadsheets put cells into double quotes as they like and double those inside: texts are
# compared, and comments taken, without these.

COLUMNS: Final = ("item", "seed", "text", "verdict", "comment")


@dataclass(frozen=True, slots=True)
class SheetLine:
    """One item. No cell may hold a tab or a line break, and no normalised text does."""

    item: int
    seed: str
    text: str
    verdict: str = ""
    comment: str = ""

    def is_about(self, own: SheetLine) -> bool:
        """Whether this line, as it was read, shows the item that ``own``, as it was written, shows."""
        return (
            self.item == own.item
            and own.seed in (self.seed, _unquote(self.seed))
            and own.text in (self.text, _unquote(self.text))
        )

    def has_comment_of(self, own: SheetLine) -> bool:
        """Whether this line, as it was read, has the comment of ``own``, as it was written."""
        return self.comment in (own.comment, _unquote(own.comment))


def sheet_lines(lines: Iterable[SheetLine]) -> Iterator[str]:
    """The lines of a sheet as text, without line ends; the header is the first."""
    yield "\t".join(COLUMNS)
    for line in lines:
        yield "\t".join((str(line.item), line.seed, line.text, line.verdict, line.comment))


def write_sheet(lines: Iterable[SheetLine], path: Path, guard: Guard = NEW_ONLY) -> None:
    """Write a sheet to a file. Raises as check_output does: somebody's verdicts may stand in one that is there."""
    with Outputs(guard) as outputs, outputs.text(path) as file:
        file.writelines(f"{line}\n" for line in sheet_lines(lines))


def read_sheet(path: Path) -> Iterator[tuple[int, SheetLine]]:
    """The lines of a sheet with their numbers in the file, normalised as texts are; ``-`` is standard input.

    Empty lines are skipped. Raises InputError, with the line, for another header, a number of an item that is
    none, and lines without a cell for the verdict; the comment may be missing.
    """
    for number, line in read_lines(path):
        cells = [normalise(cell) for cell in line.split("\t")]
        if number == 1:
            if tuple(_unquote(cell) for cell in cells) != COLUMNS:
                raise InputError(f"is not a sheet: its header is not {', '.join(COLUMNS)}", path=path, line=1)
        elif any(cells):
            yield number, _sheet_line(cells, path, number)


def _sheet_line(cells: list[str], path: Path, number: int) -> SheetLine:
    if not len(COLUMNS) - 1 <= len(cells) <= len(COLUMNS):
        raise InputError(f"has {len(cells)} cells, not {len(COLUMNS)}", path=path, line=number)
    item, seed, text, verdict, *comment = cells
    if not (item.isascii() and item.isdecimal() and number_of(item) < LARGEST):
        raise InputError(f"{item!r} is not an item number", path=path, line=number)
    return SheetLine(number_of(item), seed, text, _unquote(verdict), _unquote("".join(comment)))


def _unquote(cell: str) -> str:
    """A cell without the quotes that a spreadsheet puts around it."""
    inner = cell[1:-1]
    quoted = len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inner.replace('""', "")
    return inner.replace('""', '"') if quoted else cell
