"""One segment of one or two systems: source, outputs, references with what they match, and where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from corpusdb.errors import CorpusError, InputError, UsageError
from corpusdb.formats import ReferenceSet
from corpusdb.japanese import Rewriting
from corpusdb.jobs import finished
from corpusdb.metrics.registry import settings_for
from corpusdb.metrics.settings import Settings
from corpusdb.queries.corpus.sentences import sentence_id
from corpusdb.queries.evaluation.rewritten_references import labels_with_rules, reference_lineages
from corpusdb.queries.evaluation.stored_scores import check_words, stored_sets
from corpusdb.queries.evaluation.trace import ScoreTrace, SegmentTexts, check_traceable, trace_texts
from corpusdb.queries.paraphrase.paraphrases import language_of
from corpusdb.queries.references.combined_sets import GIVEN, is_paraphrased
from corpusdb.queries.references.reference_sets import (
    AttributedReference,
    AttributedSet,
    Recipe,
    attributed_sets,
    paraphrased_sets,
)
from corpusdb.queries.scoretable.matches import Match, longest_matches
from corpusdb.queries.scoretable.score_reader import ScoreReader
from corpusdb.queries.scoretable.table import Column, ScoreTable, score_table
from corpusdb.queries.scoretable.test_sets import StoredSet, all_test_sets
from corpusdb.store import Store
from corpusdb.text import has_undelimited_script

__all__ = ["Origins", "SegmentView", "TracedOutput", "origins_of", "segment_view", "stored_lineages", "stored_trace"]


@dataclass(frozen=True)
class TracedOutput:
    """The output of a system, taken apart by n-grams."""

    trace: ScoreTrace
    matches: tuple[Match, ...]
    """From left to right."""


@dataclass(frozen=True)
class SegmentView:
    """A segment of one or two systems."""

    source: str
    """Empty where it is not known."""
    outputs: tuple[TracedOutput, ...]
    is_stand_in: bool
    """Whether the n-grams are those of BLEU, since the metric of the column is none that can be taken apart, or of the
    references as given, since the score is that of all that equivalents make of them."""
    reference_set: StoredSet

    @property
    def trace(self) -> ScoreTrace:
        """Of the first output."""
        return self.outputs[0].trace

    @property
    def matches(self) -> tuple[Match, ...]:
        """Of the first output."""
        return self.outputs[0].matches


def segment_view(
    reader: ScoreReader, table: ScoreTable, column: int, outputs: tuple[int, ...], segment: int
) -> SegmentView:
    """A segment (from 1) of one or two outputs. Raises UsageError where there is none, or no references at all."""
    if not 1 <= segment <= table.test_set.segments:
        raise UsageError(f"there are segments 1 to {table.test_set.segments:,}, but no {segment}")
    told = _column_with_references(table, column)
    stored = table.references_of(table.columns.index(told))
    check_words(told.signature, told.label)
    sets = reader.sets(stored.id)
    texts = sets[segment - 1].references
    settings = told.settings if told.settings is not None else settings_for("bleu")
    if settings.metric != "bleu":
        settings = _bleu_like(settings, texts)
    labels = _labels_with_rules(reader.store, stored, sets[segment - 1], segment)
    traced = []
    for output in outputs:
        name = next(row.name for row in table.rows if row.output == output)
        where = SegmentTexts(name, segment, reader.output(output)[segment - 1], texts, labels)
        trace = trace_texts(where, settings, table.columns[column].signature)
        traced.append(TracedOutput(trace, tuple(longest_matches(trace.trace))))
    return SegmentView(
        source=reader.sources(table.test_set)[segment - 1],
        outputs=tuple(traced),
        is_stand_in=table.columns[column].settings != settings or stored.has_equivalents,
        reference_set=stored,
    )


def _column_with_references(table: ScoreTable, column: int) -> Column:
    """The column, or for an imported one the first that has references, a BLEU if there is one."""
    chosen = table.columns[column]
    if chosen.reference_set is not None:
        return chosen
    with_references = [each for each in table.columns if each.settings is not None]
    if not with_references:
        raise UsageError("no reference of this test set is stored; `corpusdb score --store` keeps them")
    return next(
        (each for each in with_references if each.settings is not None and each.settings.metric == "bleu"),
        with_references[0],
    )


def _bleu_like(settings: Settings, texts: tuple[str, ...]) -> Settings:
    """BLEU in the units of another metric, or in characters where words are not delimited."""
    if settings.tokenisation is not None:
        return settings_for(
            "bleu", unit=settings.unit, tokenisation=settings.tokenisation, lowercase=settings.lowercase
        )
    unit = "char" if any(map(has_undelimited_script, texts)) else "word"
    return settings_for("bleu", unit=unit, lowercase=settings.lowercase)


def _labels(stored: StoredSet, references: int, segment: int) -> tuple[str, ...]:
    """Where each reference of a segment (from 1) comes from, as far as it is known without asking the corpus."""
    files = [path.name for path in stored.files]
    given = _given(stored, segment)
    of_files = references if given is None else given
    told = tuple(files) if len(files) == of_files else ("+".join(files) or stored.label,) * of_files
    return (*told, *("corpus",) * (references - of_files))


def _given(stored: StoredSet, segment: int) -> int | None:
    """How many references of a segment files gave to a set that has others of the corpus; None for any other set."""
    counts = stored.parameters.get(GIVEN)
    return None if counts is None else int(counts[segment - 1])


def _labels_with_rules(store: Store, stored: StoredSet, references: ReferenceSet, segment: int) -> tuple[str, ...]:
    """The same where rules added some: of each of these, its rules, or the name of their set if they are gone."""
    made_by = stored.parameters.get("rules")
    if made_by is None:
        return _labels(stored, len(references.references), segment)
    count = made_by["given"][segment - 1]
    given = replace(references, references=references.references[:count])
    labels = _labels(stored, count, segment)
    added = len(references.references) - count
    try:
        found = labels_with_rules(store, given, stored.parameters, labels)
    except CorpusError:  # no analyser, or another one
        found = ()
    if len(found) == len(references.references):
        return found
    return (*labels, *(f"by rules {made_by['name']}:{made_by['digest']}",) * added)


def stored_lineages(store: Store, stored: StoredSet, segment: int) -> Mapping[str, tuple[str, Rewriting]]:
    """The references of a segment (from 1) that rules made, by their texts, with what each was made of.

    None where no rules were applied, or they, or the analyser, are not there any more.
    """
    if "rules" not in stored.parameters:
        return {}
    try:
        return reference_lineages(store, stored_sets(store, stored.id)[segment - 1], stored.parameters, segment)
    except CorpusError:
        return {}


@dataclass(frozen=True, slots=True)
class Origins:
    """Where the references of a segment come from, as the corpus says now; None for one that it does not know."""

    language: str | None
    references: tuple[AttributedReference | None, ...]
    are_made_of_corpus: bool
    """Whether the set was; else those that it knows happen to be sentences of it."""

    def labels(self, otherwise: tuple[str, ...]) -> tuple[str, ...]:
        """In words, with what is otherwise said of those that the corpus does not know."""
        pairs = zip(self.references, otherwise, strict=True)
        if self.are_made_of_corpus:
            return tuple(label if known is None else "+".join(known.origins) for known, label in pairs)
        return tuple(label if known is None else f"{label}, in the corpus" for known, label in pairs)


def origins_of(reader: ScoreReader, view: SegmentView) -> Origins:
    """The origins of the references of a segment.

    Sets from the corpus are made anew for this segment. Of references from files those are known that are sentences of
    the corpus. May raise DatabaseReadOnly for a source that was never looked at.
    """
    texts = tuple(each.text for each in view.trace.references)
    stored = view.reference_set
    if stored.origin != "corpus":
        return _held_by_corpus(reader.store, texts)
    key = stored.id, view.trace.segment
    given = _given(stored, view.trace.segment) or 0
    if key not in reader.attributed:
        seeds = texts[:given] if is_paraphrased(stored.parameters, view.trace.segment) else ()
        segment = ReferenceSet(str(view.trace.segment), view.source, seeds)
        reader.attributed[key] = _made_anew(reader.store, segment, Recipe.of(stored.parameters))
    found = reader.attributed[key]
    known = {} if found is None else {each.text: each for each in found.references}
    of_corpus = tuple(None if at < given else known.get(text) for at, text in enumerate(texts))
    return Origins(str(stored.parameters["language"]), of_corpus, are_made_of_corpus=True)


def _made_anew(store: Store, segment: ReferenceSet, recipe: Recipe) -> AttributedSet | None:
    """Of the references of a segment, or of its source where it has none; None where what it was made from is gone."""
    try:
        if segment.references:
            (made,) = finished(paraphrased_sets(store, [segment], recipe))
        else:
            (made,) = finished(attributed_sets(store, [segment.source], recipe))
    except UsageError:
        return None
    return made


def _held_by_corpus(store: Store, texts: tuple[str, ...]) -> Origins:
    languages = [_language(store, text) for text in texts]
    language = next((each for each in languages if each is not None), None)
    return Origins(
        language,
        tuple(
            AttributedReference(text, ("original",), text)
            if language is not None and sentence_id(store, language, text) is not None
            else None
            for text in texts
        ),
        are_made_of_corpus=False,
    )


def _language(store: Store, text: str) -> str | None:
    try:
        return language_of(store, text)
    except CorpusError:  # several languages have it
        return None


_WHERE = "select output, reference_set, signature from score where id = ?"


def stored_trace(store: Store, score: int, segment: int) -> tuple[SegmentView, Origins]:
    """A segment of a stored score, taken apart. Raises InputError where there is no such score, UsageError as
    segment_view and for another metric than BLEU."""
    row = store.connection.execute(_WHERE, (score,)).fetchone()
    if row is None:
        raise InputError(f"there is no score {score}; `corpusdb scores list --json` has their numbers")
    output, reference_set, signature = row
    test_set = next(each for each in all_test_sets(store) if any(one.id == output for one in each.outputs))
    table = score_table(store, test_set)
    column = next(
        at
        for at, each in enumerate(table.columns)
        if (each.reference_set, each.signature) == (reference_set, signature)
    )
    settings = table.columns[column].settings
    if settings is not None:
        check_traceable(settings)
    if table.references_of(column).has_equivalents:
        raise UsageError("a score with equivalents is that of all paths of a lattice, and not taken apart")
    reader = ScoreReader(store)
    view = segment_view(reader, table, column, (output,), segment)
    origins = origins_of(reader, view)
    return _labelled(view, origins), origins


def _labelled(view: SegmentView, origins: Origins) -> SegmentView:
    """The same with the origins of its references."""
    labels = origins.labels(tuple(each.label for each in view.trace.references))
    traced = []
    for each in view.outputs:
        pairs = zip(each.trace.references, labels, strict=True)
        references = tuple(replace(reference, label=label) for reference, label in pairs)
        traced.append(replace(each, trace=replace(each.trace, references=references)))
    return replace(view, outputs=tuple(traced))
