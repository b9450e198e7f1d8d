"""The study of BLEU in characters (Denoual and Lepage 2005) on the outputs of any systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import Job, told_if
from corpusdb.base.tokenisation import needs_spaces
from corpusdb.corpus.formats.scoring_input import Output
from corpusdb.scoring.metrics.measures import signature_of
from corpusdb.scoring.metrics.registry import settings_for
from corpusdb.scoring.queries.scoring import notes_on
from corpusdb.scoring.queries.scoring_references import ScoringReferences
from corpusdb.studies.bleu_in_characters.published import Finding, findings
from corpusdb.studies.bleu_in_characters.tables import (
    CandidateScores,
    Equivalence,
    LengthClass,
    Measurement,
    equivalence,
    length_classes,
    scoring_candidates,
)

__all__ = ["CharactersStudy", "LengthClass", "Measurement", "bleu_in_characters", "length_classes", "study_notes"]

_MANY = 2_000
"""Candidate translations from which on it takes so long that it is told of."""


@dataclass(frozen=True, eq=False)
class CharactersStudy:
    """All that the study gives."""

    scores: CandidateScores
    equivalence: Equivalence
    findings: tuple[Finding, ...]
    """What agrees with the paper, and what does not."""
    signatures: tuple[str, ...]
    """Of the scores in words and of those in characters, with the orders that are compared in tables 2 to 4."""


def bleu_in_characters(
    outputs: Sequence[Output],
    references: ScoringReferences,
    measurement: Measurement,
    classes: Sequence[LengthClass],
    *,
    equivalent: int | None = None,
) -> Job[CharactersStudy]:
    """Find the order in characters that is equivalent to one in words, and compare the two.

    ``classes`` are those of table 2; ``equivalent`` is the order in characters for tables 2 to 4, which is found if not
    given. Raises UsageError where an output is given twice, and InputError where a segment has no reference.
    """
    is_long = len(outputs) * len(references.sets) >= _MANY
    scores = yield from told_if(is_long, scoring_candidates(_texts_by_system(outputs), references.texts, measurement))
    found = equivalence(scores, classes, equivalent=equivalent)
    return CharactersStudy(scores, found, tuple(findings(found)), tuple(_signatures(measurement, found, references)))


def study_notes(outputs: Sequence[Output], references: ScoringReferences, measurement: Measurement) -> Iterator[str]:
    """What someone should know of the texts, though nothing is refused for it."""
    yield from notes_on(outputs, references, ())
    if needs_spaces(measurement.tokenisation) and (told := references.undelimited_told):
        yield f"{told}; --tokenise ja-sudachi, ja-mecab and zh know its words"


def _texts_by_system(outputs: Sequence[Output]) -> Mapping[str, Sequence[str]]:
    systems = {output.system: output.texts for output in outputs}
    if len(systems) < len(outputs):
        raise UsageError("the same output is given twice")
    return systems


def _signatures(measurement: Measurement, found: Equivalence, references: ScoringReferences) -> Iterator[str]:
    counts = [len(texts) for texts in references.texts]
    units = (("word", found.word_order, measurement.tokenisation), ("char", found.equivalent, "char"))
    for unit, order, tokenisation in units:
        settings = settings_for(
            "bleu", unit=unit, order=order, tokenisation=tokenisation, lowercase=measurement.lowercase
        )
        yield references.signed(signature_of(settings, counts, references.digest))
