"""References generated for given outputs, and sets that are frozen before any score on them is shown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Final

from corpusdb.base.errors import DatabaseDamaged, InputError, UsageError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.text import language_code, normalise
from corpusdb.base.tokenisation import tokeniser
from corpusdb.corpus.formats import ReferenceSet
from corpusdb.corpus.formats.records import digest, exact_digest, output_digest
from corpusdb.corpus.formats.segments import Output
from corpusdb.corpus.model import Finding
from corpusdb.corpus.queries.sentences import translations_into
from corpusdb.corpus.store import Store, finish_run, start_run
from corpusdb.corpus.store.connection import now
from corpusdb.paraphrase.queries.filters import DEFAULT_FILTER, NO_FILTER, Filter, filter_from
from corpusdb.paraphrase.queries.origins.origin import SeedGeneration, find_seed, kept_findings
from corpusdb.paraphrase.queries.origins.registry import ORIGINS
from corpusdb.paraphrase.ranking import by_text, merge
from corpusdb.rules.queries.rule_sets import label_of, stored_rule_set
from corpusdb.scoring.metric import Ngram, ngrams_up_to, unmatched_ngrams
from corpusdb.scoring.metric_settings import MetricSettings
from corpusdb.scoring.metrics import settings_for
from corpusdb.scoring.queries.attributed import AttributedReference, AttributedSet
from corpusdb.scoring.queries.reference_sets import accepted_texts, reference_origins
from corpusdb.scoring.queries.scoring_references import EQUIVALENTS, Freezing, RuleRewriting, ScoringReferences
from corpusdb.scoring.queries.stored_scores import (
    EXACT,
    store_output,
    store_reference_set,
    stored_sets,
    texts_of_output,
    texts_of_set,
)

# Guided generation: references that would match what outputs have and the references at hand miss.
# Every reference that is given is a seed. Of its paraphrases, from all origins, those are candidates that hold an
# n-gram which some output has and no given reference. That alone decides whether a candidate is looked at; which of
# them are chosen is decided by the evidence for them, never by what they would add to a score.


@dataclass(frozen=True, slots=True, kw_only=True)
class Guidance:
    """How references are generated for outputs, beside the corpus, the outputs and the references themselves."""

    language: str
    """Of the outputs and the references."""
    settings: MetricSettings
    """Of the BLEU whose n-grams are looked at: their longest, and how texts are cut."""
    kept: Filter = DEFAULT_FILTER
    limit: int = 20
    """How many references of a segment are chosen at most; 0 is all."""

    def document(self) -> dict[str, object]:
        ngrams = {name: getattr(self.settings, name) for name in ("order", "unit", "tokenisation", "lowercase")}
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
        parts = [
            [
                sum(len(ngram) == n for ngram in ngrams)
                for ngrams in (each.unmatched, each.by_any, each.by_passing, each.by_chosen)
            ]
            for each in segments
        ]
        counts = [sum(column) for column in zip(*parts, strict=True)]
        having = [sum(map(bool, column)) for column in zip(*parts, strict=True)]
        found.append(Reach(n, *counts, *having))
    return found


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
    reference: AttributedReference
    by_people: bool
    """Whether people wrote it as a translation of the source."""
    score: float
    frequency: int

    @property
    def key(self) -> tuple[bool, float, int, str]:
        return not self.by_people, -self.score, -self.frequency, self.reference.text


class _Candidates:
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
        made = [(ORIGINS[name], generation) for name, generation in self._generations.items()]
        return kept_findings(self._store, seed, NO_FILTER, made)

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


# Frozen reference sets: made for outputs, stored and signed before any score on them is shown, and never changed.
# What scores on such a set are worth depends on its not having been chosen by these scores. So the set gets its digest
# and its time when it is made, triggers of the database keep its rows, and whoever loads it holds the texts against
# the digest in the row and against that in the record of the run which made it.


FROZEN_BY = "guide"
"""The operation of the runs that make frozen sets."""


@dataclass(frozen=True, slots=True)
class FrozenSet:
    """A frozen set as lists show it; its texts are not looked at."""

    name: str
    digest: str
    """That it was signed with."""
    segments: int
    frozen: str
    """When, UTC, ISO 8601."""
    guided_by: tuple[tuple[str, str], ...]
    """The systems that it was made for, each with the digest of its output."""
    run: int
    scores: int
    """How many stored scores are on it."""


_NAMED = "select 1 from frozen_set where name = ?"


def check_name(store: Store, name: str) -> None:
    """Raise UsageError for an empty name, and for that of a frozen set, which nothing replaces."""
    if not name.strip():
        raise UsageError("the name of a reference set is empty")
    if store.connection.execute(_NAMED, (name,)).fetchone():
        raise UsageError(f"there is a frozen reference set {name!r} already, and it stays; take another name")


_FREEZE = "insert into frozen_set (reference_set, name, guided_by, run, frozen) values (?, ?, ?, ?, ?)"


def freeze(store: Store, found: GuidedReferences, name: str) -> ScoringReferences:
    """Store and sign the references that were given with those that were chosen, under a name of their own.

    The outputs that guided are kept with it, so that the set can be made again. Raises UsageError as check_name does,
    and InputError where nothing was chosen: the set would be that which was given.
    """
    if not found.chosen:
        raise InputError("no candidate has an n-gram that outputs have and references lack: nothing to freeze")
    guided_by = tuple((output.system, output_digest(output.texts)) for output in found.outputs)
    with store.write() as connection:
        check_name(store, name)
        run = start_run(store, FROZEN_BY, {"name": name, "systems": [list(each) for each in guided_by]})
        freezing = Freezing(name, now(), guided_by)
        references = _scoring_references(found, freezing)
        # As it is loaded again: with the digest of every letter of it.
        exact = {EXACT: exact_digest(references.sets)}
        references = replace(references, parameters=references.parameters | exact)
        number = store_reference_set(store, references, run)
        for output in found.outputs:
            store_output(store, output, run)
        written = json.dumps([list(each) for each in guided_by], ensure_ascii=False)
        connection.execute(_FREEZE, (number, name, written, run.id, freezing.frozen))
        counts = {"candidates": found.candidates, "chosen": found.chosen, "digest": references.digest}
        finish_run(store, run, counts | ({} if references.validity is None else {"validity": references.validity}))
    return references


def _scoring_references(found: GuidedReferences, freezing: Freezing) -> ScoringReferences:
    """The set as it is scored with: of each segment what was given, then what was chosen."""
    chosen = [[asdict(each) for each in one.chosen] for one in found.segments]
    # As JSON has it, so that the set has the parameters that it has when it is loaded.
    guided = json.loads(json.dumps(found.guidance.document() | {"name": freezing.name, "chosen": chosen}))
    sets = tuple(
        ReferenceSet(each.id, each.source, (*each.references, *(one.text for one in segment.chosen)))
        for each, segment in zip(found.given.sets, found.segments, strict=True)
    )
    return _attributed(sets, found.given.parameters | {"guided": guided}, freezing)


def _attributed(sets: Sequence[ReferenceSet], parameters: dict[str, Any], freezing: Freezing) -> ScoringReferences:
    labels, attributed = [], []
    for each, chosen in zip(sets, parameters["guided"]["chosen"], strict=True):
        given = [AttributedReference(text, ("original",), text) for text in _without(each, chosen)]
        made = [AttributedReference(one["text"], tuple(one["origins"]), one["seed"], one["validity"]) for one in chosen]
        labels.append((*["given"] * len(given), *("+".join(one.origins) for one in made)))
        attributed.append(AttributedSet(each.source, (*given, *made)))
    return ScoringReferences(tuple(sets), tuple(labels), "files", parameters, tuple(attributed), freezing)


_SETS = """
select frozen_set.name, reference_set.digest, reference_set.segments, frozen_set.frozen, frozen_set.guided_by,
    frozen_set.run, (select count(*) from score where score.reference_set = reference_set.id)
from frozen_set join reference_set on reference_set.id = frozen_set.reference_set order by frozen_set.reference_set
"""


def frozen_sets(store: Store) -> list[FrozenSet]:
    return [
        FrozenSet(name, signed, segments, frozen, _pairs(guided_by), run, scores)
        for name, signed, segments, frozen, guided_by, run, scores in store.connection.execute(_SETS)
    ]


_FREEZING = "select name, frozen, guided_by from frozen_set where reference_set = ?"


def freezing_of(store: Store, reference_set: int) -> Freezing | None:
    """What scores on a stored reference set are signed with; None for one that is not frozen, though it has the same
    texts as one that is."""
    row = store.connection.execute(_FREEZING, (reference_set,)).fetchone()
    return None if row is None else Freezing(row[0], row[1], _pairs(row[2]))


_LOAD = """
select reference_set.digest, reference_set.parameters, reference_set.texts, frozen_set.guided_by, frozen_set.frozen,
    run.parameters, run.counts
from frozen_set join reference_set on reference_set.id = frozen_set.reference_set join run on run.id = frozen_set.run
where frozen_set.name = ?
"""


def frozen_references(store: Store, name: str) -> ScoringReferences:
    """The references of a frozen set, to score with.

    Raises InputError where there is none of that name, with those that there are, and DatabaseDamaged where its texts
    are not those that were signed, or the systems not those that it was made for.
    """
    row = store.connection.execute(_LOAD, (name,)).fetchone()
    if row is None:
        names = ", ".join(repr(each.name) for each in frozen_sets(store)) or "none; `corpusdb generate --for` makes one"
        raise InputError(f"there is no frozen reference set {name!r}; there are {names}")
    signed, parameters, texts, guided_by, frozen, made_for, counts = row
    sets = texts_of_set(texts)
    parameters = json.loads(parameters)
    known = exact_digest(sets), digest(sets), digest(sets)
    if (parameters.get(EXACT), signed, json.loads(counts).get("digest")) != known:
        raise DatabaseDamaged(f"the frozen reference set {name!r} is not what was signed: its texts were changed")
    if json.loads(guided_by) != json.loads(made_for)["systems"]:
        raise DatabaseDamaged(f"the frozen reference set {name!r} is not what was signed: it names other systems")
    return _attributed(sets, parameters, Freezing(name, frozen, _pairs(guided_by)))


def _pairs(guided_by: str) -> tuple[tuple[str, str], ...]:
    return tuple((str(system), str(signed)) for system, signed in json.loads(guided_by))


def made_again(store: Store, name: str) -> Job[ScoringReferences]:
    """What the corpus now gives for the outputs and references that a frozen set was made for; nothing is stored.

    Raises as frozen_references does, and DatabaseDamaged where one of these outputs is not kept as it was.
    """
    before = frozen_references(store, name)
    if before.freezing is None:
        return before
    guided: Any = before.parameters["guided"]
    outputs = [_kept_output(store, system, signed) for system, signed in before.freezing.guided_by]
    found = yield from guided_references(store, _given(before, guided["chosen"]), outputs, Guidance.of(guided))
    return _scoring_references(found, before.freezing)


def _without(each: ReferenceSet, chosen: Sequence[object]) -> tuple[str, ...]:
    """The references of a set that were given, without as many as were chosen."""
    return each.references[: len(each.references) - len(chosen)]


def _given(frozen: ScoringReferences, chosen: Sequence[Sequence[object]]) -> ScoringReferences:
    pairs = zip(frozen.sets, chosen, strict=True)
    sets = tuple(replace(each, references=_without(each, made)) for each, made in pairs)
    labels = tuple(label[: len(each.references)] for label, each in zip(frozen.labels, sets, strict=True))
    parameters = {key: value for key, value in frozen.parameters.items() if key != "guided"}
    return ScoringReferences(sets, labels, frozen.origin, parameters)


_OUTPUT = "select texts from system_output where system = ? and digest = ?"


def _kept_output(store: Store, system: str, signed: str) -> Output:
    row = store.connection.execute(_OUTPUT, (system, signed)).fetchone()
    texts = () if row is None else texts_of_output(row[0])
    if output_digest(texts) != signed:
        raise DatabaseDamaged(f"the output of {system!r} that a reference set was made for is not kept as it was")
    return Output(system, Path(system), texts)


_KEPT = "select origin, parameters from reference_set where id = ?"


BY_RULES: Final = "rule"
"""The label of what rules made of the references of a set that is kept."""


def kept_references(store: Store, reference_set: int) -> ScoringReferences:
    """A stored set by its number, as it was kept, with all that scores on it are signed with.

    Where each reference comes from is not looked up. Raises InputError where there is no such set.
    """
    sets = stored_sets(store, reference_set)
    origin, parameters = store.connection.execute(_KEPT, (reference_set,)).fetchone()
    parameters, rewriting = json.loads(parameters), None
    if "rules" in parameters:
        made_by = parameters["rules"]
        rewriting = RuleRewriting(label_of(made_by), stored_rule_set(store, made_by["digest"]))
    parameters.pop(EQUIVALENTS, None)  # the references are compared as they were given
    given = parameters["rules"]["given"] if rewriting is not None else [len(each.references) for each in sets]
    labels = tuple(
        tuple(f"reference {at + 1}" if at < count else BY_RULES for at, _ in enumerate(each.references))
        for each, count in zip(sets, given, strict=True)
    )
    freezing = freezing_of(store, reference_set)
    return ScoringReferences(sets, labels, origin, parameters, freezing=freezing, rewriting=rewriting)
