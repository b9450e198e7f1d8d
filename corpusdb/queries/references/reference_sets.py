"""Reference sets: for source sentences or seeds, the sentences that may stand as their translations.

Each reference says where it comes from, whether it was written by people, detected, generated or accepted, so that what
these origins are worth can be told apart; a recipe says which of them are wanted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import fsum
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from corpusdb.analogy.ranking import by_text, score, validity
from corpusdb.errors import InputError, UsageError
from corpusdb.exchange.diversity import Choice, diverse_choice
from corpusdb.formats import ReferenceSet
from corpusdb.jobs import Job, Progress
from corpusdb.languages import language_code
from corpusdb.model import ACCEPTED, Finding
from corpusdb.queries.corpus.sentences import sentence_id
from corpusdb.queries.corpus.translations import translations_into
from corpusdb.queries.paraphrase.filters import DEFAULT_FILTER, NO_FILTER, Filter, filter_from
from corpusdb.queries.paraphrase.origins.origin import Seed, SeedGeneration
from corpusdb.queries.paraphrase.origins.registry import ORIGINS
from corpusdb.store import Store
from corpusdb.text import normalise

__all__ = [
    "AttributedReference",
    "AttributedSet",
    "ChosenBy",
    "Recipe",
    "accepted_texts",
    "attributed_sets",
    "expected_precision",
    "reference_origins",
    "usual_origins",
]

ChosenBy: TypeAlias = Literal["diversity", "validity"]
"""What decides which paraphrases of a segment are its references where a limit leaves some out."""
_GIVEN: Final = frozenset({"original", "accepted"})
"""The origins of references that people vouch for."""


def reference_origins() -> tuple[str, ...]:
    """All origins of references; the first that holds stands first.

    What people wrote as a translation of the source; what a person accepted as one; and what each origin of paraphrases
    yields from an original: sentences of people that share a translation with it are detected, others generated.
    """
    return ("original", "accepted", *(origin.label for origin in ORIGINS.values()))


def usual_origins() -> tuple[str, ...]:
    """Those of references for which none are named: they are the same whatever is installed."""
    unusual = {origin.label for origin in ORIGINS.values() if origin.needs_extra}
    return tuple(origin for origin in reference_origins() if origin not in unusual)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """All that a reference set is made of, beside the corpus itself. Raises UsageError for unknown or no origins."""

    language: str
    """Of the references."""
    origins: tuple[str, ...] = field(default_factory=usual_origins)
    kept: Filter = DEFAULT_FILTER
    """What paraphrases must pass; those that are in the corpus pass the filter by N-sequences at any N."""
    limit: int = 20
    """References of a segment at most; 0 is all."""
    chosen_by: ChosenBy = "diversity"

    def __post_init__(self) -> None:
        if self.chosen_by not in get_args(ChosenBy):
            raise UsageError(f"references are chosen by {' or '.join(get_args(ChosenBy))}, not by {self.chosen_by!r}")
        object.__setattr__(self, "language", language_code(self.language))
        known = reference_origins()
        unknown = [origin for origin in self.origins if origin not in known]
        if unknown or not self.origins:
            reason = f"unknown origin {unknown[0]!r}" if unknown else "no origin is given"
            raise UsageError(f"{reason}; there are {', '.join(known)}")
        object.__setattr__(self, "origins", tuple(origin for origin in known if origin in self.origins))

    def document(self) -> dict[str, object]:
        """The recipe as JSON can hold it."""
        kept = {"order": NO_FILTER.order} | self.kept.document()
        document = {"language": self.language, "origins": list(self.origins), **kept, "limit": self.limit}
        return document | {"chosen_by": self.chosen_by}

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Recipe:
        """The recipe of which ``document`` is the document; other members are not looked at."""
        return cls(
            language=document["language"],
            origins=tuple(document["origins"]),
            kept=filter_from(document),
            limit=document["limit"],
            chosen_by=document.get("chosen_by", "validity"),  # which was the only way in older versions
        )


@dataclass(frozen=True, slots=True)
class AttributedReference:
    """A reference, and where it comes from."""

    text: str
    origins: tuple[str, ...]
    """All that hold, in the order of reference_origins, whether asked for or not."""
    seed: str
    """The original that it is a paraphrase of; the text itself for an original."""
    validity: float | None = None
    """The probability that it holds; None for originals and accepted ones, and where it is not known."""


@dataclass(frozen=True, slots=True)
class AttributedSet:
    """A segment with its references."""

    source: str
    references: tuple[AttributedReference, ...]

    @property
    def validity(self) -> float | None:
        """The expected precision of the set: the mean validity of its references that have one."""
        return expected_precision([self])

    def plain(self, number: int) -> ReferenceSet:
        """The same without the origins; segments are called by their numbers, from 1."""
        return ReferenceSet(str(number), self.source, tuple(reference.text for reference in self.references))


def expected_precision(sets: Iterable[AttributedSet]) -> float | None:
    """The mean validity of the detected and generated references of all sets; None where none has one.

    It says how many of them are expected to hold. Those that people wrote or accepted do not count.
    """
    known = [one.validity for each in sets for one in each.references if one.validity is not None]
    return fsum(known) / len(known) if known else None


def attributed_sets(store: Store, sources: Sequence[str], recipe: Recipe) -> Job[list[AttributedSet]]:
    """One set for each source, in their order; empty where the corpus has nothing of what was asked for.

    A source that the corpus has in another language is translated. Any other is a seed of the language of the recipe:
    it is its own original, unless neither the corpus nor an analogy knows it. Originals stand first, in the order of
    the corpus, then accepted references, then the others by their score. Where the limit leaves some of these out, the
    recipe may ask for a diverse set instead: the others are then chosen one by one, each by its score and by how
    different it is from those that stand before it. Raises InputError for an empty source, and where nothing was
    generated and generated ones are asked for.
    """
    accepted = accepted_texts(store, recipe.language)
    generations = {name: origin.generation(store) for name, origin in ORIGINS.items()}
    found = []
    for number, source in enumerate(sources, 1):
        yield Progress("making reference sets", number - 1, len(sources))
        text = normalise(source)
        if not text:
            raise InputError("the source is empty", path="sources", line=number)
        references = list(_references(store, text, recipe, accepted, generations))
        found.append(AttributedSet(text, tuple(_chosen(references, recipe))))
    return found


def _chosen(found: Sequence[_Ranked], recipe: Recipe) -> Sequence[AttributedReference]:
    """Those of the found references, best first, that the limit leaves."""
    references = [each.reference for each in found]
    if not recipe.limit or len(found) <= recipe.limit or recipe.chosen_by == "validity":
        return references[: recipe.limit or None]
    given = [each for each in references if not _GIVEN.isdisjoint(each.origins)][: recipe.limit]
    others = [each for each in found if _GIVEN.isdisjoint(each.reference.origins)]
    choices = [Choice(each.reference.text, each.reference.seed, each.score) for each in others]
    places = diverse_choice(choices, recipe.limit - len(given), [each.text for each in given])
    return [*given, *(others[place].reference for place in places)]


class _Ranked(NamedTuple):
    """A reference, and what it is ranked by."""

    reference: AttributedReference
    score: float


_NAMES: Final = {"accepted": ACCEPTED}
# Sentences that nobody wrote: all their translations are those of candidates that were accepted.
_ACCEPTED = """
select sentence.text from collection
join translation on translation.collection = collection.id
join sentence on sentence.id = translation.sentence and sentence.language = :language
where collection.name = :accepted and not exists (
    select 1 from translation other where other.sentence = sentence.id and other.collection <> collection.id
)
"""


def accepted_texts(store: Store, language: str) -> set[str]:
    """The sentences of a language that are in the corpus only because a person accepted them."""
    return {text for (text,) in store.connection.execute(_ACCEPTED, {"language": language, **_NAMES})}


def _references(
    store: Store, source: str, recipe: Recipe, accepted: set[str], generations: Mapping[str, SeedGeneration]
) -> Iterator[_Ranked]:
    language = recipe.language
    if sentence_id(store, language, source) is not None:
        translations = [source]
    else:
        translations = translations_into(store, source, language)
    originals = [text for text in translations if text not in accepted]
    found = _paraphrases(store, originals or translations or [source], recipe, accepted, generations)
    if not translations and found:
        originals = [source]  # an analogy knows it, though the corpus does not
    for text in originals:
        others = found[text].origins if text in found else ()
        if "original" in recipe.origins or set(others) & set(recipe.origins):
            yield _Ranked(AttributedReference(text, ("original", *others), text), 1.0)
    for text in [each for each in translations if each in accepted] if "accepted" in recipe.origins else []:
        found.setdefault(text, _Scored(0.0, None, ("accepted",), originals[0] if originals else text))
    ranked = sorted(found.items(), key=lambda one: ("accepted" not in one[1].origins, -one[1].score, one[0]))
    for text, best in ranked:
        if text not in originals and set(best.origins) & set(recipe.origins):
            value = best.validity if _GIVEN.isdisjoint(best.origins) else None
            yield _Ranked(AttributedReference(text, best.origins, best.seed, value), best.score)


class _Scored(NamedTuple):
    """A paraphrase of one of the originals."""

    score: float
    """The best."""
    validity: float | None
    """That which the score is, where one is known."""
    origins: tuple[str, ...]
    """In the order of reference_origins."""
    seed: str
    """The original that gave the score."""


def _paraphrases(
    store: Store, seeds: Sequence[str], recipe: Recipe, accepted: set[str], generations: Mapping[str, SeedGeneration]
) -> dict[str, _Scored]:
    """The paraphrases of the seeds by their text."""
    # The evidence of those that need no index counts in the score even where they are not asked for.
    asked = [origin for origin in ORIGINS.values() if origin.is_at_hand or origin.label in recipe.origins]
    found: dict[str, _Scored] = {}
    for original in seeds:
        seed = Seed(recipe.language, original, sentence_id(store, recipe.language, original))
        findings = chain.from_iterable(
            origin.findings(store, seed, recipe.kept, generations[origin.name]) for origin in asked
        )
        for text, said in by_text(findings).items():
            value, origins = score(said), tuple(_labels(said, is_accepted=text in accepted))
            best = found.get(text)
            if best is not None:
                origins = tuple(origin for origin in reference_origins() if origin in origins or origin in best.origins)
            if best is None or value > best.score:
                found[text] = _Scored(value, validity(said), origins, original)
            else:
                found[text] = best._replace(origins=origins)
    return found


def _labels(findings: Iterable[Finding], *, is_accepted: bool) -> Iterator[str]:
    """The origins of a reference that is a paraphrase of an original, in the order of reference_origins."""
    if is_accepted:
        yield "accepted"
    for origin in (ORIGINS[finding.origin] for finding in findings):
        if not (is_accepted and origin.is_implied_by_acceptance):
            yield origin.label
