"""The command that scores systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from corpusdb.cli.evaluation import equivalents_input
from corpusdb.cli.evaluation.scoring_input import read_scored
from corpusdb.cli.homogeneity.test_sets import coefficients_of_segments, expected_of, nearness_document
from corpusdb.cli.program.command import command, refusing, replayable
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.scoring.answer import document_of, parts_document, write_parts, write_rows
from corpusdb.cli.scoring.foreign_options import OF_SACREBLEU
from corpusdb.cli.scoring.options import ScoreOptions, as_called, check_together, settings_as_called
from corpusdb.errors import UsageError

if TYPE_CHECKING:
    from corpusdb.formats.scoring_input import Output
    from corpusdb.metrics.settings import Settings
    from corpusdb.queries.agreement.breakdown import Part
    from corpusdb.queries.evaluation.score_rows import Chance, ScoreRow
    from corpusdb.queries.evaluation.scoring import MetricScores, Sampling
    from corpusdb.queries.references.scoring_references import ScoringReferences
    from corpusdb.reports.evaluation.score_parts import OfMetrics

__all__ = ["score"]


def _without_keeping(options: ScoreOptions, folder: Path) -> ScoreOptions:
    return replace(options, store=False)


@replayable(_without_keeping)
@refusing(OF_SACREBLEU)
@command("score", answers=True, kept=False)
def score(invocation: Invocation, options: ScoreOptions) -> int:
    """Score outputs of systems against references.

    BLEU (words of mteval 13a, order 4; characters, order 18), chrF and TER go up to 100, as in sacrebleu; NIST is in
    bits; mWER is edits per word. Every number comes with its signature, which names the reference set by its digest.
    A hypothesis may be empty, a reference may not. With --equivalents BLEU and NIST are those of all that the
    references become by substitution: `corpusdb guide equivalents`. `corpusdb score REF... -i HYP...` is the call of
    sacrebleu, with its options and defaults: `corpusdb guide sacrebleu`.

    --by makes four classes of segments; coefficient is that of their references between speech and writing, by the
    profile of their language that was made last (`corpusdb guide homogeneity`). Where the corpus made references of a
    test set that stands far from it, a line says so.
    """
    from corpusdb.queries.evaluation.scoring import notes_on
    from corpusdb.reports.evaluation.scores import chance_lines

    settings = settings_as_called(options)
    options = as_called(options)
    check_together(options, settings)
    _check_store(invocation, options)
    outputs, references = read_scored(invocation, options.hypotheses, options)
    chance = _chance(options, outputs)
    parts = _parts(invocation, options, outputs, references)
    scores, kept = _scores(invocation, options, outputs, references, settings)
    for note in dict.fromkeys(notes_on(outputs, references, scores)):
        invocation.say(note)
    made_in = _corpus_language(options, references)
    expected, nearness = expected_of(invocation, made_in, references.written, references.attributed, references.pivots)
    of_parts = _scores_of_parts(scores, parts, chance.sampling) if parts else ()
    rows = _rows(invocation, options, outputs, kept, scores, chance)
    remarks = [*filter(None, [expected]), *chance_lines(outputs[chance.baseline].system, chance)]
    if invocation.json and not options.score_only:
        more = nearness_document(nearness)
        told = ((row, document_of(row, chance, references, segments=options.segments)) for row in rows)
        invocation.write_document([document | more | parts_document(row, of_parts) for row, document in told])
        for remark in remarks:
            invocation.say(remark)
    elif of_parts:
        write_parts(invocation, rows, of_parts)
    else:
        noted = () if references.freezing is None else (references.freezing.note,)
        write_rows(invocation, rows, chance, (remarks, noted), options)
    return len(rows)


def _check_store(invocation: Invocation, options: ScoreOptions) -> None:
    """Raise what keeping scores would raise for the database, before hours of work and not behind it."""
    # One that is not there yet is made when there is something to keep, if its folder is there.
    if options.store and not (invocation.path.parent.is_dir() and not invocation.path.exists()):
        with invocation.writing(create=True):
            pass


def _rows(
    invocation: Invocation,
    options: ScoreOptions,
    outputs: Sequence[Output],
    kept: ScoringReferences,
    scores: Sequence[MetricScores],
    chance: Chance,
) -> list[ScoreRow]:
    """The rows in their order; what is kept is kept last, so that nothing is of a call that fails."""
    from corpusdb.queries.evaluation.score_rows import best_first, making_rows, with_numbers

    rows = invocation.run(making_rows(outputs, scores, chance), resumes=False)
    if options.store:
        rows = with_numbers(rows, scores, _stored(invocation, outputs, kept, scores))
    return rows if options.sort is None else best_first(rows, options.sort)


def _stored(
    invocation: Invocation, outputs: Sequence[Output], kept: ScoringReferences, scores: Sequence[MetricScores]
) -> list[list[int]]:
    """The numbers under which the scores are now stored."""
    from corpusdb.queries.evaluation.stored_scores import store_scores

    with invocation.writing(create=True) as store:
        return store_scores(store, outputs, kept, scores)


def _chance(options: ScoreOptions, outputs: Sequence[Output]) -> Chance:
    from corpusdb.queries.evaluation.score_rows import Chance
    from corpusdb.queries.evaluation.scoring import Sampling

    return Chance(
        sampling=Sampling(options.samples, options.seed),
        intervals=options.confidence,
        test=options.significance,
        baseline=_baseline(outputs, options.baseline) if options.significance else 0,
        reference_draws=options.resample_references,
    )


def _corpus_language(options: ScoreOptions, references: ScoringReferences) -> str | None:
    """The language of the references that the corpus made; None where it made none."""
    if options.equivalents and options.equivalents_from == "corpus":
        return equivalents_input.language_of_references(options.lang, options.ref)
    return references.corpus_language


def _parts(
    invocation: Invocation,
    options: ScoreOptions,
    outputs: Sequence[Output],
    references: ScoringReferences,
) -> list[Part]:
    """The parts that are asked for; none where none are. Raises UsageError and InputError where they are not known."""
    from corpusdb.queries.agreement.score_parts import parts_of

    if options.by is None:
        return []
    coefficients = None
    if options.by == "coefficient":
        language = references.language or equivalents_input.language_of_references(options.lang, options.ref)
        coefficients = coefficients_of_segments(invocation, language, references.written)
    return parts_of(options.by, outputs, references, coefficients)


def _scores_of_parts(scores: Sequence[MetricScores], parts: Sequence[Part], sampling: Sampling) -> OfMetrics:
    from corpusdb.queries.agreement.score_parts import part_scores

    return [(each, part_scores(each, parts, sampling)) for each in scores]


def _scores(
    invocation: Invocation,
    options: ScoreOptions,
    outputs: Sequence[Output],
    references: ScoringReferences,
    settings: Sequence[Settings],
) -> tuple[list[MetricScores], ScoringReferences]:
    """The scores, and the references as they are kept with them."""
    from corpusdb.queries.bitext_study.scores import score_over_lattices, substitution_note
    from corpusdb.queries.evaluation.scoring import scoring
    from corpusdb.queries.substitution.derivation import EQUIVALENTS
    from corpusdb.stoppable.forks import usable_cores

    if not options.equivalents:
        job = scoring(outputs, references, settings, usable_cores())
        return invocation.run(job, resumes=False), references
    language = equivalents_input.language_of_references(options.lang, options.ref)
    made_by = equivalents_input.derivation_of(invocation, options, language)
    found = equivalents_input.derived(invocation, references.sets, made_by)
    lattices = found.lattices(made_by.recipe)
    invocation.say(substitution_note(found, made_by.recipe, lattices))
    kept = replace(references, parameters=references.parameters | {EQUIVALENTS: made_by.document()})
    return score_over_lattices(outputs, references, lattices, settings), kept


def _baseline(outputs: Sequence[Output], given: Path | None) -> int:
    """Which of the outputs the others are compared with. Raises UsageError where it is none of them."""
    if given is None:
        return 0
    for number, output in enumerate(outputs):
        if given == output.path or str(given) == output.system:
            return number
    raise UsageError(f"the baseline {given} is none of the outputs that are scored")
