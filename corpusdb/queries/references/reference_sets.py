"""Reference sets: for source sentences or seeds, the sentences that may stand as their translations.

Each reference says where it comes from, whether it was written by people, detected, generated or accepted, so that what
these origins are worth can be told apart; a recipe says which of them are wanted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from corpusdb.errors import InputError, UsageError
from corpusdb.formats import ReferenceSet
from corpusdb.jobs import Job, Progress
from corpusdb.languages import language_code
from corpusdb.model import ACCEPTED
from corpusdb.queries.corpus.sentences import sentence_id
from corpusdb.queries.corpus.translations import translations_into
from corpusdb.queries.paraphrase.ranking import paraphrases, score
from corpusdb.store import Store
from corpusdb.text import normalise

__all__ = ["ORIGINS", "AttributedReference", "AttributedSet", "Recipe", "attributed_sets"]

ORIGINS: Final = ("original", "accepted", "detected", "generated")
"""What people wrote as a translation of the source; what a person accepted as one; sentences of people that share a
translation with an original; what was generated from one. The first that holds stands first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """All that a reference set is made of, beside the corpus itself. Raises UsageError for unknown or no origins."""

    language: str
    """Of the references."""
    origins: tuple[str, ...] = ORIGINS
    order: int = 20
    """Generated references have at least this fluency order."""
    limit: int = 20
    """References of a segment at most; 0 is all."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "language", language_code(self.language))
        unknown = [origin for origin in self.origins if origin not in ORIGINS]
        if unknown or not self.origins:
            told = f"unknown origin {unknown[0]!r}" if unknown else "no origin is given"
            raise UsageError(f"{told}; there are {', '.join(ORIGINS)}")
        object.__setattr__(self, "origins", tuple(origin for origin in ORIGINS if origin in self.origins))

    def document(self) -> dict[str, object]:
        """The recipe as JSON can hold it."""
        return asdict(self) | {"origins": list(self.origins)}

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Recipe:
        """The recipe of which ``document`` is the document; other members are not looked at."""
        values = {field.name: document[field.name] for field in fields(cls)}
        return cls(**values | {"origins": tuple(values["origins"])})


@dataclass(frozen=True, slots=True)
class AttributedReference:
    """A reference, and where it comes from."""

    text: str
    origins: tuple[str, ...]
    """All that hold, in the order of ORIGINS, whether asked for or not."""
    seed: str
    """The original that it is a paraphrase of; the text itself for an original."""


@dataclass(frozen=True, slots=True)
class AttributedSet:
    """A segment with its references."""

    source: str
    references: tuple[AttributedReference, ...]

    def plain(self, number: int) -> ReferenceSet:
        """The same without the origins; segments are called by their numbers, from 1."""
        return ReferenceSet(str(number), self.source, tuple(reference.text for reference in self.references))


def attributed_sets(store: Store, sources: Sequence[str], recipe: Recipe) -> Job[list[AttributedSet]]:
    """One set for each source, in their order; empty where the corpus has nothing of what was asked for.

    A source that the corpus has in another language is translated. Any other is a seed of the language of the recipe:
    it is its own original, unless neither the corpus nor an analogy knows it. Originals stand first, in the order of
    the corpus, then accepted references, then the others by their score. Raises InputError for an empty source, and
    where nothing was generated and generated ones are asked for.
    """
    accepted = {text for (text,) in store.connection.execute(_ACCEPTED, {"language": recipe.language, **_NAMES})}
    found = []
    for number, source in enumerate(sources, 1):
        yield Progress("making reference sets", number - 1, len(sources))
        text = normalise(source)
        if not text:
            raise InputError("the source is empty", path="sources", line=number)
        references = list(_references(store, text, recipe, accepted))
        found.append(AttributedSet(text, tuple(references[: recipe.limit or None])))
    return found


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
_DETECTED = """
select sentence.text, paraphrase.translations
from paraphrase join sentence on sentence.id = paraphrase.paraphrase where paraphrase.sentence = ?
"""


def _references(store: Store, source: str, recipe: Recipe, accepted: set[str]) -> Iterator[AttributedReference]:
    language = recipe.language
    if sentence_id(store, language, source) is not None:
        translations = [source]
    else:
        translations = translations_into(store, source, language)
    originals = [text for text in translations if text not in accepted]
    found = _paraphrases(store, originals or translations or [source], recipe, accepted)
    if not translations and found:
        originals = [source]  # an analogy knows it, though the corpus does not
    for text in originals:
        others = found.get(text, (0.0, (), text))[1]
        if "original" in recipe.origins or set(others) & set(recipe.origins):
            yield AttributedReference(text, ("original", *others), text)
    for text in [each for each in translations if each in accepted] if "accepted" in recipe.origins else []:
        found.setdefault(text, (0.0, ("accepted",), originals[0] if originals else text))
    ranked = sorted(found.items(), key=lambda one: ("accepted" not in one[1][1], -one[1][0], one[0]))
    for text, (_, origins, seed) in ranked:
        if text not in originals and set(origins) & set(recipe.origins):
            yield AttributedReference(text, origins, seed)


def _paraphrases(
    store: Store, seeds: Sequence[str], recipe: Recipe, accepted: set[str]
) -> dict[str, tuple[float, tuple[str, ...], str]]:
    """The paraphrases of the seeds by their text: the best score, their origins, and the seed that gave the score."""
    found: dict[str, tuple[float, tuple[str, ...], str]] = {}
    for seed in seeds:
        for text, value, shared, generated in _scored(store, seed, recipe):
            had = found.get(text, (-1.0, (), seed))
            kinds = {
                "accepted": text in accepted,
                "detected": shared and text not in accepted,
                "generated": generated,
            }
            origins = tuple(origin for origin in ORIGINS if kinds.get(origin) or origin in had[1])
            found[text] = (value, origins, seed) if value > had[0] else (had[0], origins, had[2])
    return found


def _scored(store: Store, seed: str, recipe: Recipe) -> Iterator[tuple[str, float, bool, bool]]:
    """Text, score, whether it shares a translation with the seed, and whether it is generated from it."""
    if "generated" in recipe.origins:
        for each in paraphrases(store, seed, recipe.language, limit=0, order=recipe.order):
            yield each.text, each.score, each.shared > 0, each.frequency > 0
        return
    # What was only detected does not need the index that generation makes.
    sentence = sentence_id(store, recipe.language, seed)
    for text, shared in store.connection.execute(_DETECTED, (sentence,)):
        yield text, score(shared=shared, frequency=0, pivots=0, languages=0, probability=0.0), True, False
