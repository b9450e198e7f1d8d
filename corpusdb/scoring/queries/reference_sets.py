"""Reference sets: for sources or seeds, the sentences that may stand as their translations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from math import prod
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias, get_args

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.text import differs_in_words, language_code, normalise
from corpusdb.corpus.formats.records import Provenance, ReferenceSet
from corpusdb.corpus.model import ACCEPTED, Finding, VariationCounts
from corpusdb.corpus.queries.sentences import sentence_id, translations_into
from corpusdb.corpus.store import Store, layer_state
from corpusdb.paraphrase.differences import change_of
from corpusdb.paraphrase.queries.filters import (
    DEFAULT_FILTER,
    NO_FILTER,
    NO_THRESHOLDS,
    Filter,
    Thresholds,
    filter_from,
)
from corpusdb.paraphrase.queries.origins.origin import Seed, SeedGeneration, kept_findings
from corpusdb.paraphrase.queries.origins.registry import ORIGINS
from corpusdb.paraphrase.queries.paraphrases import SeedDecisions, decided_until
from corpusdb.paraphrase.ranking import (
    APART,
    EligibleParaphrase,
    by_text,
    diverse_choice,
    merge,
    score,
    validity,
    variation_counts,
    varied,
)
from corpusdb.scoring.queries.attributed import VOUCHED, AttributedReference, AttributedSet

if TYPE_CHECKING:
    from corpusdb.scoring.measures import RewritableText, TextReplacement
    from corpusdb.scoring.substituted_measures import LatticeReferences

_WAITING = """
select session.name, count(*) from session
join session_seed on session_seed.session = session.id
join current_decision said on said.seed = session_seed.id
where session.language = ? and session.was_called is null and said.verdict = 'accept' and said.applied is null
group by session.id order by session.name
"""


def waiting_acceptances(store: Store, language: str) -> list[tuple[str, int]]:
    """The sessions in which paraphrases were accepted that are not written into the corpus, and how many they are."""
    return [(str(name), int(count)) for name, count in store.connection.execute(_WAITING, (language,))]


# Each reference says where it comes from, whether it was written by people, detected, generated or accepted, so that
# what these origins are worth can be told apart; a recipe says which of them are wanted.


ChosenBy: TypeAlias = Literal["diversity", "validity", "variation"]
"""What decides which paraphrases of a segment are its references where a limit leaves some out; by variation those that
do not differ enough from the others are left out in any case."""


def reference_origins() -> tuple[str, ...]:
    """All origins of references; the first that holds stands first.

    What people wrote as a translation of the source; what a person accepted as one; and what each origin of paraphrases
    yields from an original: sentences of people that share a translation with it are detected, others generated.
    """
    return ("original", "accepted", *(origin.label for origin in ORIGINS.values()))


def usual_origins() -> tuple[str, ...]:
    """Those of references for which none are named: the same whatever is installed, and whatever is aligned."""
    unusual = {origin.label for origin in ORIGINS.values() if not origin.is_usual}
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
    least: Thresholds = NO_THRESHOLDS
    """The figures that a paraphrase must reach."""
    decisions: int = 0
    """The number of the last decision in a session that counts; 0: none does."""

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
        kept = {"order": NO_FILTER.order} | self.kept.document()
        document = {"language": self.language, "origins": list(self.origins), **kept, "limit": self.limit}
        document["chosen_by"] = self.chosen_by
        document |= self.least.document()
        return document | ({"decisions": self.decisions} if self.decisions else {})

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Recipe:
        """The recipe of which ``document`` is the document; other members are not looked at."""
        return cls(
            language=document["language"],
            origins=tuple(document["origins"]),
            kept=filter_from(document),
            limit=document["limit"],
            chosen_by=document["chosen_by"],
            least=Thresholds.read(document),
            decisions=document.get("decisions", 0),
        )


def variation_of(sets: Iterable[AttributedSet], language: str) -> VariationCounts:
    """How many of the detected and generated references of all sets are real paraphrases of their originals."""
    found = (one for each in sets for one in each.references if VOUCHED.isdisjoint(one.origins))
    return variation_counts(((each.seed, each.text) for each in found), language)


_LOOKED_AT: Final = 50
"""Sources; so often it is seen whether some have a reference and some have none."""


def attributed_sets(
    store: Store, sources: Sequence[str], recipe: Recipe, *, needs_all: bool = False
) -> Job[list[AttributedSet]]:
    """One set for each source, in their order; empty where the corpus has nothing of what was asked for.

    A source that the corpus has in another language is translated. Any other is a seed of the language of the recipe:
    it is its own original, unless neither the corpus nor an analogy knows it. Originals stand first, in the order of
    the corpus, then accepted references, then the others: chosen one by one, each by its score and by how different it
    is from those that stand before it, or by their score alone where the recipe asks for that. Who ``needs_all`` gets
    the first of them alone where some of these have references and some have none. Raises InputError for an empty
    source, and where nothing was generated and generated ones are asked for.
    """
    asked = _asked(store, recipe)
    found: list[AttributedSet] = []
    for number, source in enumerate(sources, 1):
        if needs_all and len(found) % _LOOKED_AT == 0 and len({bool(each.references) for each in found}) > 1:
            break
        yield Progress("making reference sets", number - 1, len(sources))
        text = normalise(source)
        if not text:
            raise InputError("the source is empty", path="sources", line=number)
        references, rejected = _without_rejected(_references(store, text, asked))
        found.append(AttributedSet(text, tuple(_chosen(references, recipe)), rejected))
    return found


def paraphrased_sets(store: Store, given: Sequence[ReferenceSet], recipe: Recipe) -> Job[list[AttributedSet]]:
    """For each segment the paraphrases of its references, without these; empty where the corpus knows none.

    Each reference is a seed, whether the corpus has it or an analogy knows it; the paraphrases of all are ranked
    together, and the limit is theirs, beside the references that there are. A source is a translation of the
    references, and a witness of their paraphrases. Raises InputError where nothing was generated and generated ones
    are asked for.
    """
    asked = _asked(store, recipe)
    made = []
    for number, each in enumerate(given):
        yield Progress("paraphrasing references", number, len(given))
        seeds = list(dict.fromkeys(map(normalise, each.references)))
        sources = (normalise(each.source),) if each.source and normalise(each.source) not in seeds else ()
        found = _wanted(_paraphrases(store, seeds, asked, sources), recipe)
        others, rejected = _without_rejected(one for one in found if one.reference.text not in seeds)
        made.append(AttributedSet(each.source, tuple(_chosen(others, recipe, seeds)), rejected))
    return made


def _without_rejected(ranked: Iterable[_Ranked]) -> tuple[list[_Ranked], tuple[tuple[str, str], ...]]:
    """Those that no session rejected, and the texts of the others with the names of the sessions."""
    all_of_them = list(ranked)
    rejected = tuple((each.reference.text, each.rejected) for each in all_of_them if each.rejected)
    return [each for each in all_of_them if not each.rejected], rejected


def _chosen(found: Sequence[_Ranked], recipe: Recipe, beside: Sequence[str] = ()) -> Sequence[AttributedReference]:
    """Those of the found references, best first, that the limit leaves; ``beside`` are others that stay with them."""
    references = [each.reference for each in found]
    if recipe.chosen_by == "validity":
        return references[: recipe.limit or None]
    given = [each for each in references if not VOUCHED.isdisjoint(each.origins)][: recipe.limit or None]
    others = [each for each in found if VOUCHED.isdisjoint(each.reference.origins)]
    if len(given) == recipe.limit > 0:
        return given
    choices = [EligibleParaphrase(each.reference.text, each.reference.seed, each.score) for each in others]
    others_beside = [*beside, *(each.text for each in given)]
    left = recipe.limit - len(given) if recipe.limit else 0
    if recipe.chosen_by == "variation":
        places = diverse_choice(choices, left or len(choices), others_beside, recipe.language, apart=APART)
    else:
        places = varied(choices, others_beside, recipe.language, left)
    return [*given, *(others[place].reference for place in places)]


class _Ranked(NamedTuple):
    reference: AttributedReference
    score: float
    """The best of all originals that it is a paraphrase of."""
    rejected: str = ""
    """The session in which it was rejected, where it is a paraphrase of no original of which it was not."""


class _Asked(NamedTuple):
    """What is wanted of each source, and what is known for all of them."""

    recipe: Recipe
    accepted: set[str]
    """What is in the corpus only because it was accepted."""
    decided: SeedDecisions
    generations: Mapping[str, SeedGeneration]


_MADE_BY: Final = {"generated": ("commutation", "generate"), "detected": ("paraphrase", "detect")}
"""By origins: the layer of the corpus without which it has none of these, and the command that makes it."""


def what_is_not_made(store: Store, recipe: Recipe) -> str | None:
    """Where the corpus has nothing of an origin yet, how to make it, or do without it; generating detects, too."""
    for origin, (name, command) in _MADE_BY.items():
        layer = layer_state(store, recipe.language, name)
        if origin in recipe.origins and (layer is None or not layer.complete):
            told = f"nothing was {origin} for {recipe.language} yet: `corpusdb {command} --lang {recipe.language}`"
            return told + ("; --references original takes translations alone" if "original" in recipe.origins else "")
    return None


def _asked(store: Store, recipe: Recipe) -> _Asked:
    decided = decided_until(store, recipe.language, recipe.decisions)
    generations = {name: origin.generation(store) for name, origin in ORIGINS.items()}
    return _Asked(recipe, accepted_texts(store, recipe.language), decided, generations)


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


def _references(store: Store, source: str, asked: _Asked) -> Iterator[_Ranked]:
    recipe, accepted = asked.recipe, asked.accepted
    language = recipe.language
    if sentence_id(store, language, source) is not None:
        translations = [source]
    else:
        translations = translations_into(store, source, language)
    originals = [text for text in translations if text not in accepted]
    found = _paraphrases(store, originals or translations or [source], asked)
    if not translations and found:
        originals = [source]  # an analogy knows it, though the corpus does not
    for text in originals:
        others = found[text].reference.origins if text in found else ()
        if "original" in recipe.origins or set(others) & set(recipe.origins):
            yield _Ranked(AttributedReference(text, ("original", *others), text), 1.0)
    for text in [each for each in translations if each in accepted] if "accepted" in recipe.origins else []:
        accepted_one = AttributedReference(text, ("accepted",), originals[0] if originals else text)
        found.setdefault(text, _Ranked(accepted_one, 0.0))
    yield from (each for each in _wanted(found, recipe) if each.reference.text not in originals)


def _wanted(found: Mapping[str, _Ranked], recipe: Recipe) -> Iterator[_Ranked]:
    """The paraphrases of an origin that is asked for: accepted ones, then the others, best first."""
    ranked = sorted(found.items(), key=lambda one: ("accepted" not in one[1].reference.origins, -one[1].score, one[0]))
    for text, each in ranked:
        reference = each.reference
        if set(reference.origins) & set(recipe.origins):
            value = reference.validity if VOUCHED.isdisjoint(reference.origins) else None
            kind = change_of(reference.seed, text, recipe.language).kind
            yield each._replace(reference=replace(reference, validity=value, change=kind))


def _paraphrases(
    store: Store, seeds: Sequence[str], asked: _Asked, translations: tuple[str, ...] = ()
) -> dict[str, _Ranked]:
    recipe = asked.recipe
    # The evidence of those that need no index counts in the score even where they are not asked for.
    wanted = [
        (origin, asked.generations[origin.name])
        for origin in ORIGINS.values()
        if origin.is_at_hand or origin.label in recipe.origins
    ]
    found: dict[str, _Ranked] = {}
    for original in seeds:
        seed = Seed(recipe.language, original, sentence_id(store, recipe.language, original), translations)
        findings = kept_findings(store, seed, recipe.kept, wanted)
        accepted, rejected = asked.decided.accepted.get(original, ()), asked.decided.rejected.get(original, {})
        approved = asked.decided.approved.get(original, ())
        for text, said in by_text(findings).items():
            if recipe.least != NO_THRESHOLDS and not recipe.least.accepts(merge(said)):
                continue
            labels = tuple(_labels(said, is_new=text in asked.accepted, is_accepted=text in accepted))
            reference = AttributedReference(text, labels, original, validity(said))
            # Who rejects "It's late." rejects "It is late!", too.
            alike = (other for other in rejected if not differs_in_words(text, other, recipe.language))
            by = None if text in approved else next(alike, None)
            made = _Ranked(reference, score(said), "" if by is None else rejected[by])
            found[text] = _better(found[text], made) if text in found else made
        for text in accepted:
            found.setdefault(text, _Ranked(AttributedReference(text, ("accepted",), original), 0.0))
    return found


def _better(one: _Ranked, other: _Ranked) -> _Ranked:
    """Of the same paraphrase of two originals what counts; of that which was rejected nothing does."""
    if bool(one.rejected) != bool(other.rejected):
        return other if one.rejected else one
    known = {*one.reference.origins, *other.reference.origins}
    best = other if other.score > one.score else one
    origins = tuple(origin for origin in reference_origins() if origin in known)
    return best._replace(reference=replace(best.reference, origins=origins))


def _labels(findings: Iterable[Finding], *, is_new: bool, is_accepted: bool) -> Iterator[str]:
    """The origins of a reference that is a paraphrase of an original, in the order of reference_origins.

    One that ``is_new`` is in the corpus only because it was accepted; one that ``is_accepted`` may have been there.
    """
    if is_new or is_accepted:
        yield "accepted"
    for origin in (ORIGINS[finding.origin] for finding in findings):
        if not (is_new and origin.is_implied_by_acceptance):
            yield origin.label


# References with equivalents in them, written out one by one: for programs that know no lattices.


MOST_WRITTEN = 10_000
"""References of a segment where all are wanted."""


def expanded_sets(sets: Sequence[ReferenceSet], lattices: LatticeReferences, limit: int) -> list[ReferenceSet]:
    """Each set with its own references first, then those with one substitution, with two, and so on, and what is known
    of each.

    ``limit``: how many references a segment has at most, its own among them, which all stay; 0 for all. Raises
    UsageError where all are more than MOST_WRITTEN.
    """
    found = []
    for each, texts in zip(sets, lattices.texts, strict=True):
        most = max(limit, len(each.references)) if limit else MOST_WRITTEN + 1
        known = {text: each.provenance.get(text, Provenance("original")) for text in each.references}
        for text, probability in islice(_rewritten(texts, lattices.most), len(known) + 4 * most):
            if len(known) >= most:
                break
            known.setdefault(text, Provenance("equivalent", probability))
        if len(known) > MOST_WRITTEN:
            raise UsageError(
                f"segment {each.id} would have over {MOST_WRITTEN:,} references; limit them with -n, or with "
                "--substitutions 1"
            )
        found.append(replace(each, references=tuple(known), provenance=known))
    return found


def _rewritten(texts: Sequence[RewritableText], most: int | None) -> Iterator[tuple[str, float | None]]:
    """The rewritings of all references of a segment by the number of their substitutions, the references first, and
    how probable it is that each holds.
    """
    for size in range(most + 1 if most is not None else max((len(text.replacements) for text in texts), default=0) + 1):
        chosen = False
        for text in texts:
            for each in rewritings(text, size):
                chosen = True
                yield each
        if not chosen:
            return


def rewritings(text: RewritableText, size: int) -> Iterator[tuple[str, float | None]]:
    """The text with so many substitutions at a time, in the order of these; none of them overlap.

    With each, how probable it is that all of them hold; None where that is not known of one.
    """
    for chosen in _apart(text.replacements, size, 0):
        known = [each.probability for each in chosen]
        yield text.rewritten(chosen), None if None in known else round(prod(filter(None, known), start=1.0), 4)


def _apart(
    replacements: Sequence[TextReplacement], size: int, begin: int, taken: tuple[TextReplacement, ...] = ()
) -> Iterator[tuple[TextReplacement, ...]]:
    if len(taken) == size:
        yield taken
        return
    for at in range(begin, len(replacements)):
        each = replacements[at]
        if all(each.end <= other.start or other.end <= each.start for other in taken):
            yield from _apart(replacements, size, at + 1, (*taken, each))
