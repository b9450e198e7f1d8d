"""Where the score of a segment comes from: its n-grams, the references that matched them, and the sources of these."""

from __future__ import annotations

from dataclasses import dataclass

from corpusdb.base.errors import UsageError
from corpusdb.base.tokenisation import tokeniser
from corpusdb.corpus.formats.scoring_input import Output
from corpusdb.corpus.model import Explanation, SharedTranslation
from corpusdb.corpus.queries.sentences import places_of, sentence_id
from corpusdb.corpus.queries.translations import shared_translations
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.explanation import explain
from corpusdb.scoring.metrics.measures import measures
from corpusdb.scoring.metrics.settings import Settings
from corpusdb.scoring.metrics.trace import SegmentTrace, trace_segment
from corpusdb.scoring.queries.reference_sets import AttributedReference
from corpusdb.scoring.queries.scoring_references import ScoringReferences

__all__ = [
    "Background",
    "ScoreTrace",
    "SegmentTexts",
    "TracedReference",
    "background_of",
    "check_traceable",
    "trace_score",
    "trace_texts",
]

_PLACES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class TracedReference:
    """A reference of the segment, and what it is worth to the hypothesis."""

    text: str
    label: str
    """Where it comes from: file and line, or its origins in the corpus."""
    matched: int
    """Occurrences of n-grams that it accounts for, of all orders."""
    alone: int
    """Of these, how many would be missed without it."""
    is_closest: bool
    """Whether its length counts for brevity."""


@dataclass(frozen=True)
class ScoreTrace:
    """One segment of one system."""

    system: str
    segment: int
    """From 1."""
    hypothesis: str
    settings: Settings
    label: str
    """What the metric is called in a table."""
    signature: str
    """Of the score over all segments."""
    score: float
    """BLEU of the segment by the orders that it has, 0 to 100."""
    trace: SegmentTrace
    references: tuple[TracedReference, ...]


def trace_score(output: Output, references: ScoringReferences, settings: Settings, segment: int) -> ScoreTrace:
    """BLEU of one segment (from 1), taken apart. Raises UsageError for another metric and for no such segment."""
    if not 1 <= segment <= len(output.texts):
        raise UsageError(f"there are segments 1 to {len(output.texts):,}, but no {segment}")
    check_traceable(settings)
    (whole,) = measures([settings], references.texts)
    where = SegmentTexts(
        output.system,
        segment,
        output.texts[segment - 1],
        references.texts[segment - 1],
        references.labels[segment - 1],
    )
    return trace_texts(where, settings, references.signed(whole.signature(references.digest)))


def check_traceable(settings: Settings) -> tuple[str, int]:
    """The tokenisation and the order of a BLEU. Raises UsageError for any other metric."""
    if settings.metric != "bleu" or settings.tokenisation is None or settings.order is None:
        raise UsageError(f"only BLEU is taken apart, not {settings.metric}")
    return settings.tokenisation, settings.order


@dataclass(frozen=True, slots=True)
class SegmentTexts:
    """One segment of one system with its references."""

    system: str
    segment: int
    """From 1."""
    hypothesis: str
    references: tuple[str, ...]
    labels: tuple[str, ...]
    """Of each reference, where it comes from."""


def trace_texts(where: SegmentTexts, settings: Settings, signature: str) -> ScoreTrace:
    """BLEU of one segment, taken apart; ``signature`` is that of the score over all segments.

    Raises UsageError for another metric, and InputError without references and for a blank one.
    """
    tokenisation, order = check_traceable(settings)
    tokenise = tokeniser(tokenisation, lowercase=settings.lowercase)
    texts = where.references
    trace = trace_segment(tokenise(where.hypothesis), [tokenise(text) for text in texts], order)
    matched = [0] * len(texts)
    for ngram in trace.ngrams:
        for number, count in enumerate(ngram.in_references):
            matched[number] += min(ngram.count, count)
    traced = tuple(
        TracedReference(text, label, found, alone, number == trace.closest)
        for number, (text, label, found, alone) in enumerate(
            zip(texts, where.labels, matched, trace.sole_matches(), strict=True)
        )
    )
    (one,) = measures([settings], [texts])
    return ScoreTrace(
        system=where.system,
        segment=where.segment,
        hypothesis=where.hypothesis,
        settings=settings,
        label=one.label,
        signature=signature,
        score=float(one.of_segments.scores(one.statistics([where.hypothesis])[0])),
        trace=trace,
        references=traced,
    )


@dataclass(frozen=True, slots=True)
class Background:
    """The sources of a reference from the corpus."""

    reference: AttributedReference
    places: tuple[str, ...]
    """Where the corpus has it; none where it is new to the corpus."""
    shared: tuple[SharedTranslation, ...]
    """What it and its seed are both translations of; for an original, none."""
    explanation: Explanation | None
    """The analogies behind it, where it is generated, and the reasons of other origins."""


def background_of(store: Store, reference: AttributedReference, language: str, *, analogies: int = 3) -> Background:
    """The sentences of people behind a reference, down to collection and line, with at most ``analogies`` analogies."""
    sentence, seed = (sentence_id(store, language, text) for text in (reference.text, reference.seed))
    places = () if sentence is None else places_of(store, [sentence])[sentence][:_PLACES_SHOWN]
    shared: tuple[SharedTranslation, ...] = ()
    if sentence is not None and seed is not None and sentence != seed:
        shared = shared_translations(store, sentence, seed)
    explanation = None
    if {"generated", "exchanged"} & {*reference.origins} and reference.text != reference.seed:
        explanation = explain(store, reference.seed, reference.text, language, limit=analogies)
    return Background(reference, tuple(map(str, places)), shared, explanation)
