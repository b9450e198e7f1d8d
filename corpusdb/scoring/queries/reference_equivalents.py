"""Equivalents of what stands in references, wherever they come from, where they can be put, and how that is kept."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from corpusdb.alignment.equivalence import (
    EquivalenceFilter,
    EquivalenceSet,
    Equivalent,
    Equivalents,
    Phrase,
    Replaceable,
    Substitution,
    are_alike,
    are_forms_of_one,
    closed_class_languages,
    closed_words,
    differing,
    equivalence_sets,
    is_rejected,
    substitutions,
    written_otherwise,
)
from corpusdb.alignment.links import SYMMETRISATIONS, PhrasePairs, Symmetrisation, has_letter, may_part
from corpusdb.alignment.queries.aligner_files import AlignerFiles
from corpusdb.alignment.queries.equivalents import EquivalentFilter, RankedEquivalent, ranked_equivalents
from corpusdb.alignment.queries.pairs import UNITS, linked_digest
from corpusdb.alignment.queries.phrases import LONGEST_PHRASE, models_of
from corpusdb.alignment.training import aligned_phrases
from corpusdb.base.display import json_line
from corpusdb.base.errors import DatabaseDamaged, InputError, UsageError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.options import options_from_json
from corpusdb.base.text import are_undelimited
from corpusdb.base.tokenisation import tokeniser
from corpusdb.corpus.formats import ReferenceSet
from corpusdb.corpus.store import Store
from corpusdb.scoring.measures import RewritableText, TextReplacement
from corpusdb.scoring.metric_settings import DIGEST_LENGTH
from corpusdb.scoring.queries.recipe import (
    CONTEXTS,
    NeighbouringWords,
    SubstitutionRecipe,
    UnitText,
    WordForms,
    WrittenForms,
)
from corpusdb.scoring.queries.scoring_references import EQUIVALENTS
from corpusdb.scoring.queries.substitution_judge import Exchanged, JudgedPlaces, Substituted, SubstitutionJudge
from corpusdb.scoring.substituted_measures import LatticeReferences
from corpusdb.search.queries.token_index import load_units

# What is asked of every equivalent stands here: that it is no part and no other form of the phrase, names the same,
# and fits between the words before and after. Where equivalents come from is for the classes below this one to say.


LONGEST = 3
"""Words of a phrase, on both sides."""
_NOUNS_WITH_CAPITALS: Final = frozenset({"deu", "ltz"})
"""Languages in which a capital does not tell names."""


class ReferenceEquivalents(ABC):
    language: str
    """Of the references."""
    texts: Sequence[Sequence[UnitText]]

    @abstractmethod
    def candidates(self, recipe: SubstitutionRecipe) -> Replaceable:
        """The equivalents of each phrase by their figures alone, the most probable first."""

    @abstractmethod
    def counted(self, recipe: SubstitutionRecipe) -> tuple[int, int]:
        """How many equivalence sets the filters of figures leave, and how many words and phrases in them."""

    @abstractmethod
    def share_a_source(self, first: Phrase, second: Phrase) -> bool:
        """Whether two phrases ever translate one phrase of another language, whatever the filters."""

    @abstractmethod
    def phrases(self) -> frozenset[Phrase]:
        """All that may be put in."""

    @property
    def digest(self) -> str:
        """Of what the equivalents come from, apart from the references; empty where nothing else is needed."""
        return ""

    def equivalents(self, recipe: SubstitutionRecipe) -> Replaceable:
        found = self.candidates(recipe)
        known: dict[Phrase, Sequence[Equivalent]] = {}
        rejected = frozenset(recipe.rejected)

        def of(phrase: Phrase) -> Sequence[Equivalent]:
            if phrase not in known:
                others = [
                    each
                    for each in found(phrase)
                    if self._differs(phrase, each.phrase, recipe) and not is_rejected(phrase, each.phrase, rejected)
                ]
                known[phrase] = others[:1] if recipe.best_only else others
            return known[phrase]

        return of

    def substitutions(self, recipe: SubstitutionRecipe) -> Iterator[tuple[int, int, UnitText, list[Substitution]]]:
        """The number of each segment and reference, both from 0, with its text and the substitutions in it."""
        equivalents = self.equivalents(recipe)
        for segment, own in enumerate(self.texts):
            for number, text in enumerate(own):
                found = substitutions(text.tokens, equivalents, LONGEST)
                yield segment, number, text, self._fitting(text, found, recipe)

    def _fitting(self, text: UnitText, found: Iterable[Substitution], recipe: SubstitutionRecipe) -> list[Substitution]:
        """Those of some substitutions that can stand in the text."""
        return [each for each in found if self.rows_seen(text, each, recipe.context) == 1]

    def lattices(self, recipe: SubstitutionRecipe) -> LatticeReferences:
        """The references with what can be substituted in them, and the digest of that in what signatures have."""
        rewritable: list[list[RewritableText]] = [[] for _ in self.texts]
        sha = hashlib.sha256()
        for segment, _, text, found in self.substitutions(recipe):
            # The same words written otherwise hold wherever they stand.
            spelled = written_otherwise(self.language, text.text, self.words.__contains__) if recipe.spellings else ()
            certain = (TextReplacement(*each, 1.0) for each in spelled)
            forms = self._forms.in_text(text) if recipe.credit < 1 else ()
            replacements = tuple(dict.fromkeys((*certain, *self._replacements(text, found, recipe))))
            made = RewritableText(text.text, replacements, tuple(TextReplacement(*each) for each in forms))
            rewritable[segment].append(made)
            line = [text.text, *([each.start, each.end, each.text] for each in made.everything)]
            sha.update(f"{json_line(line, compact=True)}\n".encode())
        parts = (recipe.label, self.digest[:DIGEST_LENGTH], sha.hexdigest()[:DIGEST_LENGTH])
        return LatticeReferences(rewritable, recipe.most, "+".join(filter(None, parts)), recipe.credit)

    def _replacements(
        self, text: UnitText, found: Iterable[Substitution], recipe: SubstitutionRecipe
    ) -> Iterator[TextReplacement]:
        """Substitutions as characters of the text, the most probable first."""
        for each in sorted(found, key=_by_probability):
            written = self.written.instead_of(text, each.start, each.end, each.phrase)
            place = text.starts[each.start], text.ends[each.end - 1]
            yield TextReplacement(*place, written, each.probability)

    @cached_property
    def _forms(self) -> WordForms:
        return WordForms(self.language, self.words)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the references in lower case."""
        return frozenset(token for own in self.texts for text in own for token in text.tokens)

    @cached_property
    def written(self) -> WrittenForms:
        return WrittenForms((text for own in self.texts for text in own), self.phrases())

    def is_name(self, word: str) -> bool:
        """Whether a word in lower case has a capital inside of the references wherever it stands there."""
        return word in self._names

    def stand_somewhere(self, words: Sequence[str]) -> bool:
        """Whether some words, in lower case, follow each other in the references, with empty ones at their ends."""
        return tuple(words) in self._rows

    def _differs(self, phrase: Phrase, other: Phrase, recipe: SubstitutionRecipe) -> bool:
        """Whether another phrase is more than a part or a form of a phrase, as far as is asked."""
        if phrase == other or (not recipe.with_parts and ({*phrase} <= {*other} or {*other} <= {*phrase})):
            return False
        if recipe.with_forms:
            return True
        closed = closed_words(self.language, "closed")
        return not are_forms_of_one(self.language, phrase, other, closed) and self._name_the_same(phrase, other)

    def _name_the_same(self, phrase: Phrase, other: Phrase) -> bool:
        """Whether the names in two phrases begin alike: Russian, Russia."""
        if self.language in _NOUNS_WITH_CAPITALS:
            return True
        own, theirs = (sorted(filter(self.is_name, words)) for words in (phrase, other))
        return len(own) == len(theirs) and all(
            one == another or are_alike(one, another) for one, another in zip(own, theirs, strict=True)
        )

    def rows_seen(self, text: UnitText, chosen: Substitution, size: int) -> float:
        """Which part of the rows of so many words that the equivalent would come into stands somewhere, 0 to 1."""
        if not size:
            return 1.0
        padded = _padded(text.tokens, size)
        start, end = chosen.start + size - 1, chosen.end + size - 1
        words = (*padded[start - size + 1 : start], *chosen.phrase, *padded[end : end + size - 1])
        seen = [self.stand_somewhere(words[at : at + size]) for at in range(len(words) - size + 1)]
        return sum(seen) / len(seen)

    @cached_property
    def _rows(self) -> frozenset[tuple[str, ...]]:
        """Of two and of three words."""
        return frozenset(
            padded[at : at + size]
            for size in filter(None, CONTEXTS)
            for own in self.texts
            for text in own
            for padded in [_padded(text.tokens, size)]
            for at in range(len(padded) - size + 1)
        )

    @cached_property
    def _names(self) -> frozenset[str]:
        inside: Counter[str] = Counter()
        capital: Counter[str] = Counter()
        for own in self.texts:
            for text in own:
                for place in range(1, len(text.tokens)):
                    if text.tokens[place - 1].isalpha() or text.tokens[place - 1] == ",":
                        inside[text.tokens[place]] += 1
                        capital[text.tokens[place]] += text.text[text.starts[place]].isupper()
        return frozenset(word for word, count in inside.items() if capital[word] == count)


def _by_probability(chosen: Substitution) -> tuple[float, float]:
    """The most probable first: in its text, or by itself where that is all that is known."""
    return -(chosen.probability or chosen.equivalent.probability), -chosen.equivalent.pivot


def _padded(tokens: Sequence[str], size: int) -> tuple[str, ...]:
    """With empty words at both ends, so that each token begins and ends a row of ``size``."""
    return ("",) * (size - 1) + tuple(tokens) + ("",) * (size - 1)


# Equivalents from the sources and references of an evaluation, and where they stand in the references.
# Owczarzak et al. (2006): source and reference are a small bitext. Outputs of systems are no part of it: a system
# could otherwise vote for itself.


FEW_SEGMENTS = 100


@dataclass(frozen=True)
class BitextEquivalents(ReferenceEquivalents):
    """The phrase pairs of source and reference, from which every recipe takes its equivalents."""

    language: str
    texts: Sequence[Sequence[UnitText]]
    pairs: Mapping[Symmetrisation, PhrasePairs] = field(repr=False)
    """By the links that they were taken from."""
    in_characters: bool = False
    """Whether the words of the source are characters, most of which are parts of words."""
    digest: str = ""
    """Of the files of another aligner, where links or phrases are theirs."""

    def sets(self, recipe: SubstitutionRecipe) -> Iterator[EquivalenceSet]:
        """The equivalence sets that the filters leave, without that of context, which hangs on the place.

        A member is in a set as long as another one is left that it can be replaced by.
        """
        others = self.equivalents(recipe)
        for each in equivalence_sets(self._pairs(recipe), self._filter(recipe)):
            phrases = {member.phrase for member in each.members}
            kept = tuple(one for one in each.members if any(other.phrase in phrases for other in others(one.phrase)))
            if len(kept) > 1:
                yield EquivalenceSet(each.source, kept)

    def counted(self, recipe: SubstitutionRecipe) -> tuple[int, int]:
        sizes = [len(each.members) for each in self.sets(recipe)]
        return len(sizes), sum(sizes)

    def candidates(self, recipe: SubstitutionRecipe) -> Replaceable:
        found = Equivalents(self._pairs(recipe), self._filter(recipe), recipe.min_cover)
        return lambda phrase: found.of(phrase, recipe.min_pivot)

    def phrases(self) -> frozenset[Phrase]:
        return frozenset(phrase for pairs in self.pairs.values() for phrase in pairs.target.texts)

    def share_a_source(self, first: Phrase, second: Phrase) -> bool:
        return any(each.phrase == second for known in self._unfiltered for each in known.of(first))

    @cached_property
    def _unfiltered(self) -> list[Equivalents]:
        return [Equivalents(pairs, EquivalenceFilter()) for pairs in self.pairs.values()]

    def _pairs(self, recipe: SubstitutionRecipe) -> PhrasePairs:
        if recipe.links not in self.pairs:
            raise UsageError(f"no phrases were taken from the links {recipe.links}")
        return self.pairs[recipe.links]

    def _filter(self, recipe: SubstitutionRecipe) -> EquivalenceFilter:
        return EquivalenceFilter(
            closed=closed_words(self.language, recipe.left_out),
            min_count=recipe.min_count,
            min_source_length=2 if self.in_characters and not recipe.with_parts else 1,
        )


def bitext_equivalents(
    sets: Sequence[ReferenceSet],
    language: str,
    links: Sequence[Symmetrisation] = SYMMETRISATIONS[:2],
    tokenise_source: str | None = None,
    files: AlignerFiles | None = None,
) -> Job[BitextEquivalents]:
    """Align the source of each segment with each of its references, and take phrases from these kinds of links.

    ``tokenise_source`` is a name of metrics.tokenisation; None for units. The links of ``files``, for each segment and
    then each reference of it, are taken as they are, and so are phrases. Raises InputError, with the number of the
    segment, for a source or a reference without a word, and for files that are not of these texts.
    """
    texts = [[UnitText.of(reference) for reference in each.references] for each in sets]
    cut = (lambda text: UnitText.of(text).tokens) if tokenise_source is None else tokeniser(tokenise_source)
    sources, targets = [], []
    for number, (each, own) in enumerate(zip(sets, texts, strict=True), 1):
        tokens = tuple(token.lower() for token in cut(each.source))
        if not tokens or not all(text.tokens for text in own):
            what = "a reference" if tokens else "the source"
            raise InputError(f"{what} has no word, and can be aligned with nothing", line=number)
        sources += [tokens] * len(own)
        targets += [text.tokens for text in own]
    in_characters = tokenise_source in (None, "char") and _is_undelimited(sets)
    if files is None:
        pairs = yield from aligned_phrases(sources, targets, links, LONGEST)
        return BitextEquivalents(language, texts, pairs, in_characters)
    plain = [(each.source, reference) for each in sets for reference in each.references]
    pairs = dict.fromkeys(links, files.phrases(plain, sources, targets, LONGEST))
    return BitextEquivalents(language, texts, pairs, in_characters and not files.phrase_table, files.digest)


def _is_undelimited(sets: Sequence[ReferenceSet]) -> bool:
    """Whether most sources are in a script that does not put spaces between words."""
    return are_undelimited(each.source for each in sets)


def closed_class_notes(language: str, recipe: SubstitutionRecipe) -> Iterator[str]:
    """That there is no list of the words that a recipe leaves out, where there is none."""
    if recipe.left_out != "nothing" and not closed_words(language, recipe.left_out):
        known = ", ".join(closed_class_languages())
        yield f"there is no list of words of closed classes for {language}, and none is left out; there are {known}"


def bitext_notes(sets: Sequence[ReferenceSet], tokenise_source: str | None) -> Iterator[str]:
    """What someone should know of these texts before they are aligned."""
    if tokenise_source is None and _is_undelimited(sets):
        yield (
            "words are not delimited in the source, and every character is taken for one, which gives few "
            "equivalents: --tokenise-source ja-sudachi cuts Japanese, and none what was cut into words before"
        )
    if len(sets) < FEW_SEGMENTS:
        yield f"{len(sets):,} segments are few to align words by: expect hardly any equivalents, and wrong ones"


# Equivalents of what stands in references from the aligned pairs of a corpus, through any languages.
# The source of the evaluation is not asked. What is rare or wrong in a thousand segments is seen often in a large
# corpus, and what translates one word in two languages is seldom a homonym of it (Bannard and Callison-Burch 2005).


_LEAST: Final = EquivalentFilter(with_forms=True)
"""What is read of the database; recipes ask for more."""
_LEAST_PROBABILITY: Final = 0.2
"""Of an equivalent by itself; what is less is never probable in a sentence."""
_EVERYTHING: Final = SubstitutionRecipe(
    origin="corpus", left_out="nothing", min_count=1, min_pivot=0.0, min_probability=_LEAST_PROBABILITY
)
"""What may ever be put in and is judged."""
_PHRASES_AT_ONCE: Final = 200
_REFERENCES_AT_ONCE: Final = 25


@dataclass(frozen=True)
class CorpusEquivalents(ReferenceEquivalents):
    """The equivalents of all phrases of references, from which every recipe takes its own."""

    language: str
    texts: Sequence[Sequence[UnitText]]
    found: Mapping[Phrase, Sequence[RankedEquivalent]] = field(repr=False)
    neighbours: NeighbouringWords = field(repr=False)
    judged: JudgedPlaces | None = field(repr=False)
    """None where there is no model of words: rows of words must then be seen, and the equivalents are believed."""
    models: str
    """The digest of what aligned the corpus, and of the pairs that it aligned."""

    @property
    def digest(self) -> str:
        return self.models

    def candidates(self, recipe: SubstitutionRecipe) -> Replaceable:
        closed = closed_words(self.language, recipe.left_out)

        def of(phrase: Phrase) -> Sequence[Equivalent]:
            found = [
                Equivalent(
                    other, each.pivot, each.count, tuple((language,) for language in each.languages), each.probability
                )
                for each in self.found.get(phrase, ())
                if each.probability >= min(recipe.min_probability, _LEAST_PROBABILITY)
                and each.count >= recipe.min_count
                and each.pivot >= recipe.min_pivot
                and sum(share >= recipe.min_pivot for share in each.shares) >= recipe.min_languages
                and not any(map(closed.issuperset, differing(phrase, other := tuple(each.key.split(" ")))))
            ]
            return sorted(found, key=lambda each: -each.probability) if recipe.min_probability else found

        return of

    def _fitting(self, text: UnitText, found: Iterable[Substitution], recipe: SubstitutionRecipe) -> list[Substitution]:
        fits = super()._fitting(text, found, recipe)
        if not recipe.min_probability:
            return fits
        fits = [
            each for each in fits if self._follows(text, each.start, text.tokens[each.start : each.end], each.phrase)
        ]
        judged = (replace(each, probability=self._held(text, each, recipe)) for each in fits)
        return [each for each in judged if (each.probability or 0.0) >= recipe.min_probability]

    def _held(self, text: UnitText, chosen: Substitution, recipe: SubstitutionRecipe) -> float:
        """How probable it is that a substitution holds in its text."""
        if self.judged is None:
            seen = self.rows_seen(text, chosen, CONTEXTS[-1] if recipe.context else 0)
            return chosen.equivalent.probability if seen == 1 else 0.0
        return self.judged.probability.get(self.change(text, chosen), 0.0)

    def _replacements(
        self, text: UnitText, found: Iterable[Substitution], recipe: SubstitutionRecipe
    ) -> Iterator[TextReplacement]:
        """Those that exchanges make stand among them."""
        made = [*super()._replacements(text, found, recipe), *self._exchanged(text, recipe)]
        return iter(sorted(made, key=lambda each: -(each.probability or 0.0)))

    def _exchanged(self, text: UnitText, recipe: SubstitutionRecipe) -> Iterator[TextReplacement]:
        if self.judged is None or not recipe.min_probability:
            return
        rejected = frozenset(recipe.rejected)
        for each in self.judged.exchanged.get(text.text, ()):
            probability = self.judged.probability[each.change]
            phrases = each.change.phrase, each.change.other
            is_wanted = probability >= recipe.min_probability and not is_rejected(*phrases, rejected)
            if is_wanted and self._follows(text, bisect_left(text.starts, each.begin), *phrases):
                yield TextReplacement(each.begin, each.end, each.written, probability)

    def _follows(self, text: UnitText, start: int, phrase: Phrase, other: Phrase) -> bool:
        before = text.tokens[start - 1] if start else ""
        return self.neighbours.can_follow(self.language, before, phrase, other)

    def change(self, text: UnitText, chosen: Substitution) -> Substituted:
        """A substitution as it is judged."""
        written = self.written.instead_of(text, chosen.start, chosen.end, chosen.phrase)
        changed = f"{text.text[: text.starts[chosen.start]]}{written}{text.text[text.ends[chosen.end - 1] :]}"
        phrase = text.tokens[chosen.start : chosen.end]
        return Substituted(text.text, changed, phrase, chosen.phrase, chosen.equivalent.probability)

    def counted(self, recipe: SubstitutionRecipe) -> tuple[int, int]:
        """The phrases of the references that have equivalents, and these with them."""
        equivalents = self.equivalents(recipe)
        sizes = [len(equivalents(phrase)) for phrase in self.found]
        return sum(map(bool, sizes)), sum(1 + size for size in sizes if size)

    def phrases(self) -> frozenset[Phrase]:
        return frozenset(tuple(each.key.split(" ")) for others in self.found.values() for each in others)

    def share_a_source(self, first: Phrase, second: Phrase) -> bool:
        key = " ".join(second)
        return any(each.key == key for each in self.found.get(first, ()))

    @cached_property
    def written(self) -> WrittenForms:
        """How the phrases are written in the references; with capitals where the corpus has a word in no other way."""
        texts = (text for own in self.texts for text in own)
        return WrittenForms(texts, self.phrases(), self.neighbours.capitals)

    def is_name(self, word: str) -> bool:
        return super().is_name(word) or word in self.neighbours.capitals

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the references and of the database in lower case."""
        return super().words.union(self.neighbours.words)

    def stand_somewhere(self, words: Sequence[str]) -> bool:
        return super().stand_somewhere(words) or self.neighbours.have(words)


def corpus_equivalents(
    store: Store, sets: Sequence[ReferenceSet], language: str, min_languages: int = 1
) -> Job[CorpusEquivalents]:
    """The equivalents of all phrases of the references in what is aligned with their language.

    Raises InputError where the language is not aligned by its units, and UsageError where it is with fewer languages
    than are asked for.
    """
    models = [model for model in models_of(store, language) if model.way_of(language) == UNITS]
    if not models:
        raise InputError(f"{language} is aligned by morphemes, but references are not split into them: no equivalents")
    if len(models) < min_languages:
        others = ", ".join(model.other(language) for model in models)
        raise UsageError(
            f"{language} is aligned with {others} alone, and nothing is equivalent through {min_languages} languages: "
            "align more, or ask for fewer with --min-languages"
        )
    texts = [[UnitText.of(reference) for reference in each.references] for each in sets]
    phrases = sorted({phrase for own in texts for text in own for phrase in _phrases(text.tokens)})
    found = {}
    for done, phrase in enumerate(phrases):
        if not done % _PHRASES_AT_ONCE:
            yield Progress("phrases looked up", done, len(phrases))
        if ranked := ranked_equivalents(store, language, " ".join(phrase), models, _LEAST):
            found[phrase] = ranked
    yield Progress("phrases looked up", len(phrases), len(phrases))
    units = load_units(store, language)
    neighbours = NeighbouringWords(units.types, units.lengths, units.tokens)
    made = CorpusEquivalents(language, texts, found, neighbours, None, linked_digest(store, models))
    judge = SubstitutionJudge(store, language)
    return replace(made, judged=(yield from _judged_places(made, sets, judge))) if judge.can_judge else made


def _judged_places(
    made: CorpusEquivalents, sets: Sequence[ReferenceSet], judge: SubstitutionJudge
) -> Job[JudgedPlaces]:
    """Whatever may be put into the references, judged where it would stand; the source of each is a witness."""
    candidates = made.candidates(_EVERYTHING)
    changes: list[Substituted] = []
    exchanged: dict[str, list[Exchanged]] = {}
    for each, own in zip(sets, made.texts, strict=True):
        for text in own:
            judge.give(text.text, each.source)
    for first in range(0, len(sets), _REFERENCES_AT_ONCE):
        yield Progress("references looked at", first, len(sets))
        texts = [text for own in made.texts[first : first + _REFERENCES_AT_ONCE] for text in own]
        exchanged |= judge.exchanged([text.text for text in texts])
        for text in texts:
            equivalent = [made.change(text, one) for one in substitutions(text.tokens, candidates, LONGEST)]
            known = {change.text for change in equivalent}
            exchanged[text.text] = [one for one in exchanged[text.text] if one.change.text not in known]
            changes += equivalent
    yield Progress("references looked at", len(sets), len(sets))
    changes += [one.change for found in exchanged.values() for one in found]
    return JudgedPlaces(judge.probabilities(changes), exchanged)


def _phrases(tokens: Sequence[str]) -> Iterator[Phrase]:
    """The phrases of words that cut no clitic from its host."""
    for start in range(len(tokens)):
        if start and not may_part(tokens[start - 1], tokens[start]):
            continue
        for end in range(start + 1, min(start + LONGEST_PHRASE, len(tokens)) + 1):
            if not has_letter(tokens[end - 1]):
                break
            if end == len(tokens) or may_part(tokens[end - 1], tokens[end]):
                yield tuple(tokens[start:end])


@dataclass(frozen=True, slots=True)
class EquivalentDerivation:
    language: str
    """Of the references."""
    recipe: SubstitutionRecipe
    tokenise_source: str | None = None
    """How the words of the source are told apart, where it is aligned; see ``bitext_equivalents``."""
    files: AlignerFiles | None = None
    """Where links or phrases of another aligner are taken instead."""

    def document(self) -> dict[str, object]:
        return asdict(self)


def kept_derivation(parameters: Mapping[str, Any]) -> EquivalentDerivation | None:
    """That of a stored reference set, by its parameters; None where nothing is substituted in its references.

    Raises DatabaseDamaged for one that this version does not know.
    """
    document = parameters.get(EQUIVALENTS)
    if document is None:
        return None
    try:
        return options_from_json(EquivalentDerivation, document, of="a stored reference set")
    except UsageError as error:
        raise DatabaseDamaged(f"how equivalents of stored references were made cannot be read: {error}") from error


def derived_equivalents(
    store: Store | None,
    sets: Sequence[ReferenceSet],
    made_by: EquivalentDerivation,
    links: Sequence[Symmetrisation] = (),
) -> Job[ReferenceEquivalents]:
    """The equivalents for some references: from their sources, or from the database; with errors as these raise.

    ``links``: other links than those of the recipe that phrases are to be taken from, too.
    """
    recipe = made_by.recipe
    if recipe.origin == "corpus":
        if store is None:
            raise UsageError("equivalents from a corpus need a database")
        return (yield from corpus_equivalents(store, sets, made_by.language, recipe.min_languages))
    kinds = recipe.links, *links
    return (yield from bitext_equivalents(sets, made_by.language, kinds, made_by.tokenise_source, made_by.files))
