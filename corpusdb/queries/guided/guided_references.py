"""Guided generation: references that would match what outputs have and the references at hand miss.

Every reference that is given is a seed. Of its paraphrases, from all origins, those are candidates that hold an n-gram
which some output has and no given reference. That alone decides whether a candidate is looked at; which of them are
chosen is decided by the evidence for them, never by what they would add to a score.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from corpusdb.analogy.ranking import by_text, merge
from corpusdb.errors import UsageError
from corpusdb.formats.scoring_input import Output
from corpusdb.jobs import Job, Progress
from corpusdb.languages import language_code
from corpusdb.metrics.registry import settings_for
from corpusdb.metrics.settings import Settings
from corpusdb.metrics.tokenisation import tokeniser
from corpusdb.metrics.unmatched_ngrams import Ngram, ngrams_up_to, unmatched_ngrams
from corpusdb.model import Finding
from corpusdb.queries.corpus.translations import translations_into
from corpusdb.queries.paraphrase.filters import DEFAULT_FILTER, NO_FILTER, Filter, filter_from
from corpusdb.queries.paraphrase.origins.origin import SeedGeneration, find_seed
from corpusdb.queries.paraphrase.origins.registry import ORIGINS
from corpusdb.queries.references.reference_sets import AttributedReference, accepted_texts, reference_origins
from corpusdb.queries.references.scoring_references import ScoringReferences
from corpusdb.store import Store
from corpusdb.text import normalise

__all__ = ["Guidance", "GuidedReferences", "GuidedSegment", "Reach", "guided_references", "reach_by_order"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Guidance:
    """How references are generated for outputs, beside the corpus, the outputs and the references themselves."""

    language: str
    """Of the outputs and the references."""
    settings: Settings
    """Of the BLEU whose n-grams are looked at: their longest, and how texts are cut."""
    kept: Filter = DEFAULT_FILTER
    """What candidates must pass."""
    limit: int = 20
    """How many references of a segment are chosen at most; 0 is all."""

    def document(self) -> dict[str, object]:
        """The same as JSON can hold it."""
        counted = self.settings
        ngrams = {
            "order": counted.order,
            "unit": counted.unit,
            "tokenisation": counted.tokenisation,
            "lowercase": counted.lowercase,
        }
        kept = {"order": NO_FILTER.order} | self.kept.document()
        return {"language": self.language, **kept, "limit": self.limit, "ngrams": ngrams}

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Guidance:
        """The guidance of which ``document`` is the document; other members are not looked at."""
        return cls(
            language=language_code(document["language"]),
            settings=settings_for("bleu", **document["ngrams"]),
            kept=filter_from(document),
            limit=document["limit"],
        )


@dataclass(frozen=True, slots=True)
class GuidedSegment:
    """A segment with what was generated for it."""

    chosen: tuple[AttributedReference, ...]
    """What joins the references that were given, best evidence first."""
    unmatched: frozenset[Ngram]
    """The n-grams that some output has and no given reference."""
    by_any: frozenset[Ngram]
    """Those of them that some paraphrase has, whether it passes the filter or not."""
    by_passing: frozenset[Ngram]
    """Those that a paraphrase has which passes the filter."""
    by_chosen: frozenset[Ngram]
    candidates: int
    """Paraphrases that pass the filter and have one of them; those chosen are the first of these."""


@dataclass(frozen=True, slots=True)
class GuidedReferences:
    """What was generated for some outputs."""

    guidance: Guidance
    given: ScoringReferences
    outputs: tuple[Output, ...]
    """That it was generated for."""
    segments: tuple[GuidedSegment, ...]

    @property
    def candidates(self) -> int:
        return sum(each.candidates for each in self.segments)

    @property
    def chosen(self) -> int:
        """How many references were chosen, of all segments."""
        return sum(len(each.chosen) for each in self.segments)


@dataclass(frozen=True, slots=True)
class Reach:
    """What of the n-grams of one order that are unmatched can be reached; n-grams count once in a segment."""

    order: int
    ngrams: int
    by_any: int
    by_passing: int
    by_chosen: int
    segments: int
    """Segments that have one of these n-grams; the next three: those of which at least one is reached."""
    segments_by_any: int
    segments_by_passing: int
    segments_by_chosen: int


def reach_by_order(segments: Sequence[GuidedSegment], order: int) -> list[Reach]:
    """What is reached of each order from 1 to ``order``."""
    found = []
    for n in range(1, order + 1):
        parts = [[sum(len(ngram) == n for ngram in ngrams) for ngrams in _nested(each)] for each in segments]
        counts = [sum(column) for column in zip(*parts, strict=True)]
        having = [sum(map(bool, column)) for column in zip(*parts, strict=True)]
        found.append(Reach(n, *counts, *having))
    return found


def _nested(segment: GuidedSegment) -> tuple[frozenset[Ngram], ...]:
    return segment.unmatched, segment.by_any, segment.by_passing, segment.by_chosen


def guided_references(
    store: Store, given: ScoringReferences, outputs: Sequence[Output], guidance: Guidance
) -> Job[GuidedReferences]:
    """Generate references for outputs: of each segment those of best evidence that match what is unmatched.

    Where the corpus has the source of a segment, its translations and their paraphrases are candidates too. Candidates
    stand in the order of their evidence: what people wrote, then by the validity (or, where that is not known, the
    score by which paraphrases are ranked), then by the frequency, then by code points. Nothing is stored. Raises
    UsageError without outputs and for an output that is given twice, and InputError where nothing was generated from
    the corpus yet.
    """
    if not outputs:
        raise UsageError("no output is given to generate references for")
    systems = [output.system for output in outputs]
    if len(set(systems)) < len(systems):
        raise UsageError("the same output is given twice")
    candidates = _Candidates(store, guidance)
    found = []
    for number, each in enumerate(given.sets):
        yield Progress("generating for outputs", number, len(given.sets))
        texts = [output.texts[number] for output in outputs]
        found.append(candidates.of_segment(each.source, each.references, texts))
    return GuidedReferences(guidance, given, tuple(outputs), tuple(found))


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A text that may join the references, with what speaks for it."""

    reference: AttributedReference
    by_people: bool
    """Whether people wrote it as a translation of the source."""
    score: float
    frequency: int

    @property
    def key(self) -> tuple[bool, float, int, str]:
        """What candidates are sorted by, best first."""
        return not self.by_people, -self.score, -self.frequency, self.reference.text


class _Candidates:
    """Finds the candidates of one segment after the other."""

    def __init__(self, store: Store, guidance: Guidance) -> None:
        self._store = store
        self._guidance = guidance
        self._order = guidance.settings.order or 1
        self._cut = tokeniser(str(guidance.settings.tokenisation), lowercase=guidance.settings.lowercase)
        self._accepted = accepted_texts(store, guidance.language)
        # All are held until the end: what several of them read into memory is read once.
        self._generations: dict[str, SeedGeneration] = {
            name: origin.generation(store) for name, origin in ORIGINS.items() if not origin.needs_extra
        }

    def of_segment(self, source: str, references: Sequence[str], outputs: Sequence[str]) -> GuidedSegment:
        """What is generated for a segment: its source, which may be empty, its references, and what systems made."""
        unmatched = unmatched_ngrams(map(self._cut, outputs), map(self._cut, references), self._order)
        if not unmatched:
            nothing = frozenset[Ngram]()
            return GuidedSegment((), nothing, nothing, nothing, nothing, 0)
        wanted = frozenset(unmatched)
        written = translations_into(self._store, normalise(source), self._guidance.language) if source.strip() else []
        seeds = list(dict.fromkeys([*map(normalise, references), *written]))
        findings = {seed: self._findings(seed) for seed in seeds}
        texts = {each.text for found in findings.values() for each in found} | {*written}
        reached = {text: wanted & ngrams_up_to(self._cut(text), self._order) for text in texts}
        known = {*references, *map(normalise, references)}
        passing = [each for each in self._passing(findings, written) if each.reference.text not in known]
        matching = sorted((each for each in passing if reached[each.reference.text]), key=lambda each: each.key)
        chosen = tuple(each.reference for each in matching[: self._guidance.limit or None])
        return GuidedSegment(
            chosen,
            wanted,
            _together(reached.values()),
            _together(reached[each.reference.text] for each in matching),
            _together(reached[each.text] for each in chosen),
            len(matching),
        )

    def _findings(self, text: str) -> list[Finding]:
        """The paraphrases of a seed, without a filter: one that is moved needs nothing to be generated again."""
        seed = find_seed(self._store, self._guidance.language, text)
        return list(
            chain.from_iterable(
                ORIGINS[name].findings(self._store, seed, NO_FILTER, generation)
                for name, generation in self._generations.items()
            )
        )

    def _passing(self, findings: Mapping[str, Sequence[Finding]], written: Sequence[str]) -> Iterator[_Candidate]:
        """Each text that passes, once: as people wrote it, else as the paraphrase of the seed that says most for it."""
        best: dict[str, _Candidate] = {}
        for seed, found in findings.items():
            for text, said in by_text(filter(self._guidance.kept.accepts, found)).items():
                one, origins = merge(said), [ORIGINS[finding.origin].label for finding in said]
                reference = AttributedReference(text, tuple(origins), seed, one.validity)
                candidate = _Candidate(reference, False, one.score, one.frequency)
                if text not in best or candidate.key < best[text].key:
                    best[text] = candidate
        for text in written:
            label = "accepted" if text in self._accepted else "original"
            origins = [label, *(best.pop(text).reference.origins if text in best else ())]
            ordered = tuple(origin for origin in reference_origins() if origin in origins)
            yield _Candidate(AttributedReference(text, ordered, text), True, 1.0, 0)
        yield from best.values()


def _together(parts: Iterable[frozenset[Ngram]]) -> frozenset[Ngram]:
    return frozenset(chain.from_iterable(parts))
