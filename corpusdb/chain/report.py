"""What a database holds, and what a job or a run gave, as lines for a person."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, fields, is_dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final, TypeAlias

from corpusdb.base.cells import cell_width, cut_middle, table_lines
from corpusdb.base.display import counted, moment
from corpusdb.chain.queries.overview import ImportedFile, LayerOverview, Overview, RunOverview
from corpusdb.paraphrase.report import figures

if TYPE_CHECKING:
    from corpusdb.paraphrase.queries.statistics import CorpusStatistics, TextSizes

# What a job or a run gave, as lines for a person.


def report_lines(report: object) -> list[str]:
    """The fields of a report by their names, lists with a line for each member; none for no report."""
    if report is None:
        return []
    if not is_dataclass(report):
        return [str(report)]
    lines = []
    for each in fields(report):
        value, name = getattr(report, each.name), each.name.replace("_", " ")
        if isinstance(value, tuple | list):
            lines += [f"{name}:", *(f"   {_place(one)}" for one in value)] if value else []
        elif value is not None:
            lines.append(f"{name}: {_figure(value)}")
    return lines


def gist(report: object) -> str:
    """The whole numbers of a report in one line; nothing for what is no report."""
    if not is_dataclass(report):
        return ""
    values = {each.name: getattr(report, each.name) for each in fields(report)}
    return counts_in_words({name: value for name, value in values.items() if type(value) is int})


def job_details(title: str, state: str, told: str, report: object) -> list[str]:
    """All that is known of a job: what it is called, what it is doing, and its report if it is done."""
    lines = [title, f"state: {state}", told, *report_lines(report)]
    if state.startswith(("failed", "cancelled")):
        lines.append("the key . in the list of jobs begins it again; ! and its name ask for it with other values")
    return [line for line in lines if line]


def run_details(run: RunOverview) -> list[str]:
    unfinished = "no: it still runs, or was stopped; the same command goes on from there"
    lines = [
        f"operation: {run.operation}",
        *([f"of: {run.of}"] if run.of else []),
        f"started: {moment(run.started)} (UTC)",
        f"finished: {f'{moment(run.finished)} (UTC)' if run.finished else unfinished}",
    ]
    return lines + [f"{name.replace('_', ' ')}: {_figure(value)}" for name, value in run.counts.items()]


def counts_in_words(counts: Mapping[str, object]) -> str:
    """The figures of a run in one line."""
    return ", ".join(f"{name.replace('_', ' ')} {_figure(value)}" for name, value in counts.items())


def run_line(run: RunOverview, room: int) -> str:
    """When a run began, what it was and of what, and as many of its figures as there is room for."""
    line = f"{run.id:>4}  {moment(run.started)}  {cut_middle(f'{run.operation} {run.of}'.rstrip(), _RUN_CELLS)}"
    for place, (name, value) in enumerate(run.counts.items()):
        more = f"{', ' if place else ': '}{counts_in_words({name: value})}"
        if cell_width(line) + cell_width(more) > room:
            break
        line += more
    return line


_RUN_CELLS: Final = 50


def _figure(value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.1f}"
    return str(value)


def _place(member: object) -> str:
    """A file with its line and the reason as compilers write them; anything else as it is."""
    if not isinstance(member, tuple):
        return str(member)
    place, reason = member[:2], member[2:]
    return ": ".join([":".join(map(str, place)), *map(str, reason)])


# What a database holds, and the paper's figures for one language of it, as tables and as lines of a list.

Cell: TypeAlias = str | int
Table: TypeAlias = tuple[tuple[str, ...], list[tuple[Cell | None, ...]]]
"""The names of the columns, and the rows."""
_PLOT_LINES = 16


def overview_heading(found: Overview) -> str:
    """The file, its size and how it is opened."""
    size = f"{found.size / 1e6:,.1f} MB"
    return f"{found.path}: {size}, schema {found.schema_version}, journal {found.journal_mode}, mode {found.mode}"


_VARIATION: Final = ("run", "pairs kept", "real", "real seeds", "deep")
"""What is told of the last generation of a language, in the order of ``VariationOverview``."""


_PARAPHRASES: Final = "Paraphrases, as many as the last generation kept"
_PAIRS_TOLD: Final = (
    "  pairs kept: a sentence and a paraphrase of it, however found, that passed",
    "  real: they differ by more than marks, capitals and contractions",
    "  deep: they differ by two words or more",
)
_LAYERS: Final[Mapping[str, str]] = {
    "paraphrase": "sentences that share a translation",
    "token": "words, to be found and counted",
    "ngram": "runs of characters and words that were seen",
    "annotation": "lemmas, parts of speech and other attributes",
    "profile": "where lines lie between speech and writing",
    "alignment": "words linked with their translations",
    "commutation": "phrases that stand in the same gap",
    "candidate": "paraphrases made by analogy",
    "rewording": "paraphrases made by exchanging words",
    "validity": "how probably paraphrases mean the same",
}
_ROWS: Final[Mapping[str, str]] = {
    "paraphrases": "pairs that share a translation, both ways",
    "contexts": "sentences with a gap, as I like _.",
    "fillers": "phrases in such gaps, as coffee",
    "slots": "places where a filler stands in a context",
    "commutations": "pairs of fillers that stand in the same contexts",
    "seeds": "sentences of which paraphrases were to be made",
    "candidates": "what analogies made of them, also what fails",
    "accepted": "sentences that people accepted into the corpus",
}
"""What the layers and the counts of derived rows are, in words."""


def _layer_row(language: str, layer: LayerOverview) -> tuple[str, ...]:
    state = f"{layer.state}{f' by {layer.behind:,}' if layer.behind else ''}"
    return language, layer.name, state, _LAYERS[layer.name]


def overview_tables(found: Overview) -> Iterator[Table]:
    """Each part of the overview that has rows."""
    yield from (table for table in _tables(found) if table[1])


def _tables(found: Overview) -> Iterator[Table]:
    yield (
        ("collection", "files", "documents", "units", "licence"),
        [(each.name, each.documents, each.sections, each.lines, each.licence) for each in found.collections],
    )
    yield (
        ("language", "sentences", "characters", "occurrences", "translations", "derived"),
        [
            (each.code, each.sentences, each.characters, each.occurrences, each.translations, _states(each.layers))
            for each in found.languages
        ],
    )
    yield (
        ("aligned", "links", "pairs", "without links"),
        [
            (f"{each.source},{each.target}", each.links_from, each.pairs, each.without_links)
            for each in found.alignments
        ],
    )
    yield (
        ("annotated", "by", "sentences", "attributes"),
        [(each.language, each.source, each.sentences, ", ".join(each.attributes)) for each in found.annotations],
    )
    yield ("paraphrases", *_VARIATION), [astuple(each) for each in found.variation]
    yield ("derived", "rows"), [(name, count) for name, count in asdict(found.counts).items() if count]
    runs: list[tuple[Cell | None, ...]] = []
    for run in found.runs:
        of_run = run.counts.items()
        counts = [f"{name} {value:,}" if isinstance(value, int) else f"{name} {value}" for name, value in of_run]
        runs.append((run.id, run.operation, run.started, run.finished, ", ".join(counts)))
    yield ("run", "operation", "started", "finished", "counts"), runs
    yield ("table", "bytes"), list((found.sizes or {}).items())


def _states(layers: Sequence[LayerOverview]) -> str:
    states: dict[str, list[str]] = {}
    for layer in layers:
        state = f"behind by {layer.behind:,}" if layer.state == "behind" else layer.state
        states.setdefault(state, []).append(layer.name)
    return "; ".join(f"{', '.join(names)}: {state}" for state, names in states.items())


@dataclass(frozen=True, slots=True)
class NextStep:
    """Something that would make more of a database, and the command that does it."""

    told: str
    command: str
    renews: bool = False
    """Whether it brings up to date what is there, as also a job that is running may do."""
    said: Mapping[str, str] = field(default_factory=dict)
    """What its options say, by the names of their fields."""


_RENEWED_BY: Final = {"paraphrase": "detect", "alignment": "align", "profile": "profile", "annotation": "annotate"}
"""The commands that bring layers up to date; the others follow when one generates."""


def next_steps(found: Overview) -> list[NextStep]:
    """What a database does not have yet, or no longer up to date, the most basic first."""
    if not found.languages:
        return [NextStep("Import texts with their translations: nothing is here yet", "import")]
    steps = []
    codes = [each.code for each in found.languages]
    behind = {
        layer.name: (language.code, layer.behind)
        for language in reversed(found.languages)
        for layer in language.layers
        if layer.state != "up to date"
    }
    stale = {_RENEWED_BY.get(name, "generate"): name for name in reversed(behind)}
    if len(codes) > 1 and not found.counts.paraphrases:
        steps.append(NextStep("Detect paraphrases: sentences that share a translation", "detect"))
        stale.pop("detect", None)
    if found.counts.paraphrases and not found.counts.candidates:
        steps.append(NextStep("Generate paraphrases by analogy: none were generated", "generate"))
        stale.pop("generate", None)
    for command in ("detect", "generate", *_RENEWED_BY.values()):
        if name := stale.pop(command, ""):
            language, count = behind[name]
            told = f"{language} has got sentences or translations since"
            if name in ("validity", "rewording") and count:
                told = f"{counted(count, 'sentences')} of {language} changed since validity was learned"
            again = f"{command.capitalize()} again: {told}"
            steps.append(NextStep(again, command, renews=True))
    if left := _languages_to_align(found):
        main, other = left[:2]
        told = f"Align words of {main} and {other}: equivalents, translations of words"
        steps.append(NextStep(told, "align", said={"lang": f"{main},{other}"}))
    return steps


def _languages_to_align(found: Overview) -> list[str]:
    """The language of most sentences, and those that it is not aligned with, but for what is hardly translated.

    None where it is aligned with all.
    """
    languages = sorted(found.languages, key=lambda each: -each.sentences)
    main, others = languages[0], languages[1:]
    aligned = [{each.source, each.target} for each in found.alignments]
    left = [each.code for each in others if each.translations and {main.code, each.code} not in aligned]
    return [main.code, *left] if left else []


_IN_BIBTEX: Final = str.maketrans({each: f"\\{each}" for each in "&%$#_{}"} | {"\\": r"\textbackslash{}"})


def citation_lines(files: Sequence[ImportedFile]) -> Iterator[str]:
    """Each collection as a sentence, which BibTeX skips, and as an entry of BibTeX."""
    for collection, group in groupby(files, key=lambda each: each.collection):
        own = list(group)
        languages = sorted({language for each in own for language in each.languages})
        dates = sorted({each.imported[:10] for each in own})
        when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
        licence = f"licence {own[0].licence}" if own[0].licence else "no licence told"
        size = f"{counted(sum(each.units for each in own), 'units')} in {', '.join(languages)}"
        made = f"imported {when} with corpusdb {own[-1].version}"
        sources = ", ".join(f"{each.name} ({each.digest[:16]})" for each in own)
        # With an @ an entry would begin.
        yield f"{collection}: {size}. Files, with SHA-256 as read: {sources}. {made.capitalize()}; {licence}.".replace(
            "@", "(at)"
        )
        yield f"@misc{{{re.sub(r'[^A-Za-z0-9]+', '-', collection).strip('-') or 'collection'},"
        yield f"  title = {{{{{collection.translate(_IN_BIBTEX)}}}}},"
        yield f"  howpublished = {{{f'files, with SHA-256 as read: {sources}'.translate(_IN_BIBTEX)}}},"
        yield f"  note = {{{f'{size}; {licence}; {made}'.translate(_IN_BIBTEX)}}},"
        yield f"  year = {{{dates[-1][:4]}}},"
        yield "}"


def overview_lines(found: Overview) -> list[str]:
    """Sections with an empty line before each heading."""
    lines = [f"{found.path}", f"  {found.size / 1e6:,.1f} MB"]
    for heading, section in _sections(found):
        lines += ["", heading, *(section or ["  none"])]
    return lines


def _sections(found: Overview) -> Iterator[tuple[str, list[str]]]:
    columns: tuple[str, ...] = ("collection", "files", "documents", "units", "licence")
    rows: list[tuple[Cell, ...]] = [
        (each.name, each.documents, each.sections, each.lines, each.licence or "") for each in found.collections
    ]
    yield "Collections", table_lines(columns, rows)
    columns = ("language", "sentences", "characters", "occurrences", "translations")
    rows = [
        (each.code, each.sentences, each.characters, each.occurrences, each.translations) for each in found.languages
    ]
    yield "Languages", table_lines(columns, rows)
    layers = [(language.code, layer) for language in found.languages for layer in language.layers]
    yield "Layers: what is derived for each language", table_lines((), [_layer_row(*each) for each in layers])
    if found.alignments:
        columns = ("languages", "links", "pairs of sentences", "without links")
        rows = [
            (f"{each.source},{each.target}", each.links_from, each.pairs, each.without_links)
            for each in found.alignments
        ]
        yield "Aligned words", table_lines(columns, rows)
    if found.annotations:
        columns = ("language", "sentences", "attributes", "by")
        rows = [(each.language, each.sentences, " ".join(each.attributes), each.source) for each in found.annotations]
        yield "Annotated sentences", table_lines(columns, rows)
    if found.variation:
        columns = ("language", *_VARIATION[1:])
        rows = [(each.language, each.pairs, each.real, each.real_seeds, each.deep) for each in found.variation]
        yield _PARAPHRASES, [*table_lines(columns, rows), *_PAIRS_TOLD]
    counts = [(name, count, _ROWS[name]) for name, count in asdict(found.counts).items()]
    yield "Rows of the tables", table_lines((), counts)
    file = [("version of its tables (schema)", str(found.schema_version)), ("journal of SQLite", found.journal_mode)]
    yield "The file", table_lines((), [*file, ("who may read and write it", found.mode)])
    if found.sizes is not None:
        large = {name: size for name, size in found.sizes.items() if size >= _LEAST_SIZE}
        rows = [(name, f"{size / 1e6:,.1f} MB") for name, size in large.items()]
        small = sum(found.sizes.values()) - sum(large.values())
        rows.append((f"{len(found.sizes) - len(large)} others together", f"{small / 1e6:,.1f} MB"))
        yield "Tables and indexes, by their names in SQL", table_lines((), rows, left=1)


_LEAST_SIZE: Final = 1_000_000
"""Bytes of a table that is listed by itself."""


def statistics_lines(found: CorpusStatistics, width: int, *, ascii: bool) -> list[str]:
    """The numbers of the paper's tables, and its Figure 1 as plots of ``width`` cells."""
    detected, counts = found.detected, found.generated.counts
    numbers: list[tuple[Cell, ...]] = [
        ("sentences that share a translation", detected.sentences),
        ("  such paraphrases of each, mean", f"{detected.average:.2f}"),
        ("seeds: sentences with candidates", counts.seeds),
        ("  analogies that make these", counts.analogies),
        ("  candidates: what analogies made", counts.candidates),
        ("  of which pass N and V", counts.kept),
        ("  different ones that pass", counts.distinct),
        ("  of these new to the corpus", counts.novel),
        ("  seeds with one that passes", counts.kept_seeds),
        ("  passing candidates of each, mean", f"{found.generated.average:.2f} +- {found.generated.deviation:.2f}"),
        ("real pairs that pass, exchanges too", found.generated.variation.real),
        ("  seeds of these", found.generated.variation.real_seeds),
        ("  two words or more differ (deep)", found.generated.variation.deep),
    ]
    head = f"Paraphrases of {found.language} at {found.filter}"
    lines = [f"{head} (left and right change N, < and > V, l the language)", *_sizes("the corpus", found.corpus)]
    lines += [*_sizes("the paraphrases that pass", found.paraphrases), *table_lines((), numbers), ""]
    return lines + figures(found, (width, _PLOT_LINES), ascii=ascii)


def _sizes(what: str, sizes: TextSizes) -> list[str]:
    return [
        f"  {what}: {sizes.texts:,} different sentences,",
        f"    {sizes.characters:.2f} +- {sizes.characters_deviation:.2f} characters,"
        f" {sizes.words:.2f} +- {sizes.words_deviation:.2f} words each",
    ]
