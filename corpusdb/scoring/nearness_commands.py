"""What is known of test sets by their characters: how far they stand from the corpus, and their coefficients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from corpusdb.base.errors import UsageError
from corpusdb.commands.invocation import Invocation

if TYPE_CHECKING:
    from corpusdb.corpus.formats import ReferenceSet
    from corpusdb.corpus.formats.records import Provenance
    from corpusdb.homogeneity.scale import Coefficients
    from corpusdb.scoring.queries.reference_sets import AttributedSet

__all__ = ["coefficients_of_segments", "expected_of", "is_far", "marked", "nearness_document", "nearness_to_corpus"]


def nearness_to_corpus(
    invocation: Invocation, language: str | None, texts: Sequence[Sequence[str]], *, adds_nothing: bool = False
) -> dict[str, object] | None:
    """How far the texts of all segments stand from the corpus, as JSON has it; None where that cannot be known.

    Where they are far, a line says so, and, of a corpus that ``adds_nothing`` to them, that also.
    """
    from corpusdb.homogeneity.queries.likeness import corpus_nearness, nearness_note

    if language is None:
        return None
    lines = [text for of_segment in texts for text in of_segment]
    with invocation.reading() as store:
        found = invocation.run(corpus_nearness(store, language, lines), resumes=False)
    note = nearness_note(found, language, adds_nothing=adds_nothing)
    if note is not None:
        invocation.say(note)
    return None if found is None else {"language": language, **asdict(found), "far": found.is_far}


def is_far(nearness: Mapping[str, object] | None) -> bool:
    """Whether it is known that the texts stand far from the corpus."""
    return nearness is not None and bool(nearness["far"])


def marked(sets: Sequence[ReferenceSet], nearness: Mapping[str, object] | None) -> list[ReferenceSet]:
    """The sets, each with how the test set stands to the corpus, for whoever gets them as files and reads no line.

    Far from it no reference has a validity: what was learned from the corpus says nothing there.
    """
    if nearness is None:
        return list(sets)
    if not is_far(nearness):
        return [replace(each, corpus="near") for each in sets]
    return [replace(each, corpus="far", provenance=_without_validity(each.provenance)) for each in sets]


def _without_validity(known: Mapping[str, Provenance]) -> dict[str, Provenance]:
    return {text: each._replace(validity=None) for text, each in known.items()}


def nearness_document(nearness: Mapping[str, object] | None) -> dict[str, object]:
    """What JSON tells of how far the test set stands from the corpus; far from it no validity is known."""
    if nearness is None:
        return {}
    return {"corpus": nearness} | ({"validity": None} if is_far(nearness) else {})


def expected_of(
    invocation: Invocation,
    language: str | None,
    texts: Sequence[Sequence[str]],
    attributed: Sequence[AttributedSet],
    pivots: Sequence[str],
) -> tuple[str | None, dict[str, object] | None]:
    """In words how many of the references of the corpus are expected to hold, and how far the test set stands from it.

    ``language`` is that of what the corpus made, None where it made nothing; ``texts`` are those of all segments. The
    two go together: what is expected does not hold far from the corpus.
    """
    from corpusdb.scoring.queries.combined_sets import precision_told

    nearness = nearness_to_corpus(invocation, language, texts)
    return precision_told(attributed, pivots, is_far=is_far(nearness), language=language), nearness


def coefficients_of_segments(
    invocation: Invocation, language: str | None, texts: Sequence[Sequence[str]]
) -> Coefficients:
    """The coefficient of each segment, and a line that says by what profile.

    Raises UsageError where the language is not known, and InputError where it has no profile.
    """
    from corpusdb.homogeneity.queries.likeness import coefficients_note, segment_coefficients

    if language is None:
        raise UsageError(
            "in which language are the references? Say it with --lang, such as eng: it chooses the profile"
        )
    with invocation.reading() as store:
        found = segment_coefficients(store, language, texts)
    invocation.say(coefficients_note(found))
    return found.values
