"""Paraphrases that only an exchange of words vouches for, one of a high rate.

An analogy needs a sentence of the corpus in the same context, which hardly any sentence of another domain has. What
nearly always keeps the meaning in the corpus needs none: it is made in the sentence itself. To sentences of the corpus
it was done where one in the same context was reworded so, and where no second context makes it an analogy of the index,
and where the neighbours are those that the exchange is known by, or what it replaces stands in few places. Several
paraphrases of a sentence that change other places, of whatever origin, are put together too, and a paraphrase with one
of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from corpusdb.base.display import counted
from corpusdb.corpus.model import NO_LIMIT, Explanation, Finding
from corpusdb.corpus.store import Store, layer_state
from corpusdb.paraphrase.queries.filters import NO_FILTER, Filter
from corpusdb.paraphrase.queries.origins.origin import (
    HeldGeneration,
    Opener,
    Seed,
    SeedGeneration,
    StoredOrigin,
    differences_from_seed,
    figures_of,
    require_index,
)

if TYPE_CHECKING:
    from corpusdb.paraphrase.familiar import FamiliarExchange
    from corpusdb.paraphrase.queries.rewordings import Reworded, RewordedTogether, SeedRewordings
    from corpusdb.paraphrase.rewording import Composed

_FIGURES = figures_of(
    "rewording",
    text="rewording.text",
    replacement="rewording.replacement",
    **differences_from_seed("rewording.text", "sentence", "rewording.sentence"),
)


class _Exchange(StoredOrigin):
    name = "exchange"
    label = "exchanged"
    mark = "E"
    is_at_hand = False
    ROWS = f"""
        select sentence.text as seed, {_FIGURES}
        from sentence cross join rewording on rewording.sentence = sentence.id where sentence.language = :language
    """
    OF_SEED = f"select {_FIGURES} from rewording where sentence = {{seed}}"
    SEEDS = "sentence"

    def finding(self, row: Finding) -> Finding:
        return row.weighed(self.name, strength=row.validity or 0.0)

    def accepted(self, store: Store, seed: Seed, kept: Filter) -> list[Finding] | None:
        if seed.sentence is not None:
            return self.accepted_of(store, seed.sentence, kept)
        require_index(store, seed.language)
        # A file of an older version has no exchanges until something is generated again.
        validity = layer_state(store, seed.language, "validity")
        return None if validity and validity.complete else []

    def generation(self, store: Store, writing: Opener | None = None) -> SeedGeneration:
        return _Generation(store)

    def explain(self, store: Store, seed: Seed, text: str, limit: int) -> Explanation:
        reasons: tuple[str, ...] = ()
        if seed.sentence is not None:
            found = [each for each in self.accepted_of(store, seed.sentence, NO_FILTER) if each.text == text]
            if found and found[0].pivots:
                from corpusdb.paraphrase.queries.seeds import explain_rewording

                return explain_rewording(store, seed.sentence, text, limit=limit)
            reasons = _stored_reasons(store, seed, seed.sentence, text) if found else ()
        elif (state := layer_state(store, seed.language, "validity")) is not None and state.complete:
            reasons = tuple(_Generation(store).reasons(seed, text))
        return Explanation(seed.text, text, (), 0, reasons=reasons)


EXCHANGE = _Exchange()


class _Generation(HeldGeneration["SeedRewordings"]):
    LAYERS = ("ngram", "validity")

    def read(self, language: str) -> SeedRewordings:
        # Imported here: sentences of the corpus, which most seeds are, are answered without it and without numpy.
        from corpusdb.paraphrase.queries.models import shared_ngrams
        from corpusdb.paraphrase.queries.rewordings import SeedRewordings

        return SeedRewordings(self._store, language, shared_ngrams(self._store, language))

    def generated(self, seed: Seed) -> list[Finding]:
        if seed.sentence is not None:
            return []
        made = self.held(seed.language)
        made.give(seed.text, seed.translations)
        alone = [_finding(each, each.validity, each.replacement) for each in made.of(seed.text)]
        together = made.together(seed.text)
        return [*alone, *(_finding(each, each.made.validity, each.made.replacement) for each in together)]

    def reasons(self, seed: Seed, text: str) -> Iterator[str]:
        """Why ``text`` is among what is generated, in words."""
        made = self.held(seed.language)
        for each in made.of(seed.text):
            if each.made.text == text:
                yield from (
                    _clause_reasons(self._store, seed, text)
                    if each.exchange is None
                    else [_reason(each, each.exchange)]
                )
        yield from (_reason_together(each.made) for each in made.together(seed.text) if each.made.text == text)

    def prepare(self, language: str) -> None:
        made = self.held(language)
        _ = made.exchanges, made.word_model


def _finding(each: Reworded | RewordedTogether, validity: float, replacement: int) -> Finding:
    return Finding(
        EXCHANGE.name,
        each.made.text,
        fluency=each.order,
        inner_fluency=each.inner_order,
        validity=validity,
        word_gain=each.word_gain,
        replacement=replacement,
        strength=validity,
    )


def _reason(each: Reworded, exchange: FamiliarExchange) -> str:
    before, after = (text.strip() for text in each.made.exchange)
    seen = "any length" if each.order == NO_LIMIT else f"up to {each.order} characters"
    return (
        f"{before!r} becomes {after!r}: {counted(exchange.shared, 'pairs of sentences')} that differ by this alone "
        f"{'shares' if exchange.shared == 1 else 'share'} a translation, where {exchange.expected:.1f} would if they "
        f"always meant the same; what it makes with the words beside it was seen in runs of {seen}"
    )


def _reason_together(made: Composed) -> str:
    from corpusdb.paraphrase.rewording import OF_A_STEP

    if made.in_steps:
        return (
            f"made in two steps: {made.parts[0]!r} is a paraphrase of the seed, and this is one of that; its validity "
            f"is {OF_A_STEP:g} of the product of theirs"
        )
    *first, last = map(repr, made.parts)
    return (
        f"made of {'two' if len(first) == 1 else 'three'} paraphrases of the seed that change other places: "
        f"{', '.join(first)} and {last}; its validity is the product of theirs"
    )


def _clause_reasons(store: Store, seed: Seed, text: str) -> tuple[str, ...]:
    from corpusdb.paraphrase.queries.rewordings import clause_of

    clause = clause_of(store, seed.language, seed.text, text)
    if clause is None:
        return ()
    return (f"{clause[0]!r}, which the seed begins or ends with, has the paraphrase {clause[1]!r}",)


def _stored_reasons(store: Store, seed: Seed, sentence: int, text: str) -> tuple[str, ...]:
    """Of what no other sentence was reworded for: an exchange, or what it is made of."""
    from corpusdb.paraphrase.queries.exchanges import exchanges_between
    from corpusdb.paraphrase.queries.rewordings import composition_of, parts_of_rewording

    if parts_of_rewording(store, sentence, text) > 1:
        made = composition_of(store, seed.language, sentence, seed.text, text)
        return () if made is None else (_reason_together(made),)
    return _clause_reasons(store, seed, text) or tuple(
        f"{each.before.strip()!r} becomes {each.after.strip()!r}: {each.shared} pairs of sentences that differ by it "
        f"alone share a translation, where {each.expected:.1f} would if they always meant the same"
        for each in exchanges_between(store, seed.language, seed.text, text)
    )
