"""One segment of one or two systems: source, outputs, references with what they match, and where they come from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from corpusdb.base.errors import CorpusError, InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.base.text import has_undelimited_script
from corpusdb.base.tokenisation import surface_of
from corpusdb.corpus.formats import ReferenceSet
from corpusdb.corpus.queries.meant_language import language_of
from corpusdb.corpus.queries.sentences import sentence_id
from corpusdb.corpus.store import Store
from corpusdb.rules.rewriting import RewritingStep, trace
from corpusdb.scoring.metric_settings import MetricSettings
from corpusdb.scoring.metrics import settings_for
from corpusdb.scoring.queries.attributed import GIVEN, AttributedReference, AttributedSet
from corpusdb.scoring.queries.combined_sets import is_paraphrased
from corpusdb.scoring.queries.matched_ngrams import ScoreTrace, SegmentTexts, check_traceable, trace_texts
from corpusdb.scoring.queries.reference_sets import Recipe, attributed_sets, paraphrased_sets
from corpusdb.scoring.queries.score_table import Column, ScoreReader, ScoreTable, score_table
from corpusdb.scoring.queries.scoring_references import Lineages, labels_with_rules, reference_lineages
from corpusdb.scoring.queries.stored_scores import StoredSet, all_test_sets, check_words, stored_sets
from corpusdb.scoring.unit_metrics import SegmentTrace, TracedNgram, Units

# Where in a hypothesis the n-grams stand that BLEU counts, and which references have each longest stretch of them.
# An n-gram that stands more often in the hypothesis than in any reference counts only as often as there (clipping).
# BLEU does not say which of its occurrences count; here those are taken first that lie in a longer n-gram that counts,
# then those that come first. So the marked occurrences are of each order as many as the statistics of the score have.


@dataclass(frozen=True, slots=True)
class Match:
    """A stretch of a hypothesis that stands as it is in some reference."""

    start: int
    """In units, from 0."""
    stop: int
    references: tuple[int, ...]
    """The references, from 0, that have it whole."""
    contributions: tuple[int, ...]
    """How many counted n-grams begin and end in it, by order from 1."""

    @property
    def length(self) -> int:
        return self.stop - self.start


def counted_occurrences(trace: SegmentTrace) -> dict[int, set[int]]:
    """For each order where its n-grams begin that count: as many as the statistics of the segment have."""
    places: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for n in range(1, trace.order + 1):
        for at in range(len(trace.hypothesis) - n + 1):
            places[trace.hypothesis[at : at + n]].append(at)
    counted: dict[int, set[int]] = {n: set() for n in range(1, trace.order + 1)}
    longest = [0] * (len(trace.hypothesis) + 1)
    """Where the farthest counted n-gram that begins at or before each place ends."""
    for n in range(trace.order, 0, -1):
        for ngram in trace.ngrams:
            if ngram.order == n and ngram.matched:
                found = places[ngram.units]
                # Stable: of those inside and those outside of longer ones, the first come first.
                preferred = sorted(found, key=lambda at: longest[at] < at + n)
                counted[n].update(preferred[: ngram.matched])
        for at in range(len(trace.hypothesis)):
            own = at + n if at in counted[n] else 0
            longest[at] = max(longest[at], own, longest[at - 1] if at else 0)
    return counted


def longest_matches(trace: SegmentTrace) -> list[Match]:
    """The longest stretches of counted n-grams that one reference has whole, from left to right.

    They may be longer than the order, and may overlap.
    """
    counted = counted_occurrences(trace)
    spans = sorted(
        ((at, at + n) for n, begins in counted.items() for at in begins), key=lambda span: (span[0], -span[1])
    )
    stretches: list[tuple[int, int]] = []
    for start, stop in spans:
        if stretches and stop <= stretches[-1][1]:
            continue
        if stretches and start <= stretches[-1][1] and _holders(trace, stretches[-1][0], stop):
            stretches[-1] = (stretches[-1][0], stop)
        else:
            stretches.append((start, stop))
    return [
        Match(start, stop, _holders(trace, start, stop), tuple(_inside(counted, start, stop, trace.order)))
        for start, stop in stretches
    ]


def _holders(trace: SegmentTrace, start: int, stop: int) -> tuple[int, ...]:
    wanted = trace.hypothesis[start:stop]
    return tuple(number for number, units in enumerate(trace.references) if places_in(units, wanted))


def _inside(counted: dict[int, set[int]], start: int, stop: int, order: int) -> Iterator[int]:
    for n in range(1, order + 1):
        yield sum(start <= at and at + n <= stop for at in counted[n])


def places_in(units: Sequence[str], wanted: Sequence[str]) -> list[int]:
    size = len(wanted)
    return [at for at in range(len(units) - size + 1) if tuple(units[at : at + size]) == tuple(wanted)]


def unit_places(text: str, units: Sequence[str], *, lowercase: bool = False) -> list[tuple[int, int]] | None:
    """Where each unit begins and ends in the text that it was cut from; None where cutting changed the text."""
    sought = text.lower() if lowercase else text
    if len(sought) != len(text):
        return None
    found, at = [], 0
    for unit in units:
        span = _next_place(sought, unit, at) or _next_place(sought, surface_of(unit), at)
        if span is None:
            return None
        found.append(span)
        at = span[1]
    return found


def _next_place(text: str, unit: str, at: int) -> tuple[int, int] | None:
    """Where a unit stands, if it is the next thing from a place on."""
    start = text.find(unit, at)
    return None if start < 0 or text[at:start].strip() else (start, start + len(unit))


# Which n-grams of a segment count only because rules rewrote a reference: the rules, and what stood there before.


@dataclass(frozen=True, slots=True)
class RuleMatch:
    """An n-gram that is matched as often as it is by rewritten references alone."""

    units: Units
    reference: int
    """The first reference that has it so often, from 1."""
    origin: str
    """The reference that this one was made of."""
    begin: int
    end: int
    """What the n-gram stands for there: characters from 0, end excluded."""
    steps: tuple[RewritingStep, ...]
    """The steps that wrote something of it; none where it stands in the origin, too, but less often."""


def rule_matches(found: ScoreTrace, lineages: Lineages) -> list[RuleMatch]:
    """The n-grams that no reference but rewritten ones, of which these are the lineages, accounts for, in the order of
    the trace."""
    matches = []
    for ngram in found.trace.ngrams:
        having = ngram.references
        if having and all(found.references[number].text in lineages for number in having):
            text = found.references[having[0]].text
            origin, rewriting = lineages[text]
            sources = [trace(rewriting, *each) for each in _stretches(ngram, text, found.trace.references[having[0]])]
            if sources:
                source = max(sources, key=lambda one: bool(one.steps))  # the first that a rule wrote, if one is
                matches.append(RuleMatch(ngram.units, having[0] + 1, origin, source.begin, source.end, source.steps))
    return matches


def _stretches(ngram: TracedNgram, text: str, units: Units) -> Iterator[tuple[int, int]]:
    """The characters of each place of an n-gram, from left to right."""
    places, size = list(_places(text, units)), len(ngram.units)
    for at in range(len(units) - size + 1):
        first, last = places[at], places[at + size - 1]
        if units[at : at + size] == ngram.units and first is not None and last is not None:
            yield first[0], last[1]


def _places(text: str, units: Units) -> Iterator[tuple[int, int] | None]:
    """Where each unit stands in a text, in whatever case, without a part of speech that it has after a slash."""
    folded = text.lower() if len(text.lower()) == len(text) else text
    at = 0
    for unit in units:
        spans = ((max(text.find(each, at), folded.find(each, at)), each) for each in (unit, unit.rpartition("/")[0]))
        found = next(((begin, begin + len(each)) for begin, each in spans if begin >= 0 and each), None)
        at = at if found is None else found[1]
        yield found


# One segment of one or two systems: source, outputs, references with what they match, and where they come from.


@dataclass(frozen=True)
class TracedOutput:
    """The output of a system, taken apart by n-grams."""

    trace: ScoreTrace
    matches: tuple[Match, ...]
    """From left to right."""


@dataclass(frozen=True)
class SegmentView:
    source: str
    """Empty where it is not known."""
    outputs: tuple[TracedOutput, ...]
    is_stand_in: bool
    """Whether the n-grams are those of BLEU, since the metric of the column is none that can be taken apart, or of the
    references as given, since the score is that of all that equivalents make of them."""
    reference_set: StoredSet

    @property
    def trace(self) -> ScoreTrace:
        return self.outputs[0].trace

    @property
    def matches(self) -> tuple[Match, ...]:
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
        settings = bleu_like(settings, texts)
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
        raise UsageError("no references of this test set are stored; `corpusdb score --store` stores them")
    return next(
        (each for each in with_references if each.settings is not None and each.settings.metric == "bleu"),
        with_references[0],
    )


def bleu_like(settings: MetricSettings, texts: tuple[str, ...]) -> MetricSettings:
    """The BLEU that stands in for a metric that cannot be taken apart: in its units, or in characters where words are
    not delimited."""
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
    labels, added = _labels(stored, count, segment), len(references.references) - count
    made = _lineages(store, stored, references, segment)
    if len(made) == added:
        return labels_with_rules(labels, references.references, made)
    return (*labels, *(f"by rules {made_by['name']}:{made_by['digest']}",) * added)


def stored_lineages(store: Store, stored: StoredSet, segment: int) -> Lineages:
    """What rules made of the references of a segment (from 1)."""
    return _lineages(store, stored, stored_sets(store, stored.id)[segment - 1], segment)


def _lineages(store: Store, stored: StoredSet, references: ReferenceSet, segment: int) -> Lineages:
    """The same; nothing where no rules were applied, or they, or the analyser, are not there any more."""
    try:
        return reference_lineages(store, references, stored.parameters, segment) if "rules" in stored.parameters else {}
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
        raise UsageError("a score with equivalents is over all paths of a lattice, and cannot be traced")
    reader = ScoreReader(store)
    view = segment_view(reader, table, column, (output,), segment)
    origins = origins_of(reader, view)
    return _labelled(view, origins), origins


def _labelled(view: SegmentView, origins: Origins) -> SegmentView:
    labels = origins.labels(tuple(each.label for each in view.trace.references))
    traced = []
    for each in view.outputs:
        pairs = zip(each.trace.references, labels, strict=True)
        references = tuple(replace(reference, label=label) for reference, label in pairs)
        traced.append(replace(each, trace=replace(each.trace, references=references)))
    return replace(view, outputs=tuple(traced))
