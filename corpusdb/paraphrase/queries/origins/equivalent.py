"""Paraphrases by equivalents: one phrase of a sentence replaced by what is aligned with the same words of others.

They are made when somebody asks for those of a sentence; nothing is stored, so that none are found by going over
a language.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from corpusdb.corpus.model import Explanation, Finding
from corpusdb.corpus.store import Store, layer_state
from corpusdb.paraphrase.queries.filters import Filter
from corpusdb.paraphrase.queries.origins.origin import HeldGeneration, Opener, Origin, Seed, SeedGeneration

if TYPE_CHECKING:
    from corpusdb.alignment.queries.equivalents import FoundEquivalent, SeedSubstitution
    from corpusdb.base.ngrams import SuffixIndex
    from corpusdb.paraphrase.queries.seeds import SeedValidity
    from corpusdb.paraphrase.word_model import WordModel

_MOST_PHRASES: Final = 50_000
"""Whose equivalents are kept, some hundred bytes each."""


class _Equivalent(Origin):
    name = "equivalent"
    label = "equivalent"
    mark = "Q"
    is_at_hand = False
    is_usual = False

    def stored(self, store: Store, seed: Seed) -> list[Finding] | None:
        states = [layer_state(store, seed.language, name) for name in ("alignment", "ngram")]
        # Without n-grams nothing could tell what reads well.
        return None if all(state is not None and state.complete for state in states) else []

    def generation(self, store: Store, writing: Opener | None = None) -> SeedGeneration:
        return _Generation(store)

    def explain(self, store: Store, seed: Seed, text: str, limit: int) -> Explanation:
        made: list[_Made] = []
        if self.stored(store, seed) is None:
            made = [each for each in _Generation(store).made(seed) if each.substitution.text == text]
        return Explanation(seed.text, text, (), 0, reasons=tuple(line for each in made for line in _reasons(each)))

    def _all_findings(self, store: Store, language: str, kept: Filter) -> Iterator[tuple[str, Finding]]:
        yield from ()


EQUIVALENT = _Equivalent()


class _Made(NamedTuple):
    """A sentence with one phrase replaced, and what speaks for it."""

    substitution: SeedSubstitution
    validity: float | None
    replacement: int | None
    word_gain: float | None
    order: int
    inner_order: int


class _Known(NamedTuple):
    ngrams: SuffixIndex
    validity: SeedValidity
    word_model: WordModel | None
    equivalents: dict[str, tuple[FoundEquivalent, ...]]
    """Of the phrases that were met so far."""


class _Generation(HeldGeneration[_Known]):
    LAYERS = ("ngram", "validity", "alignment", "commutation")
    """Of a language: what its n-grams, validities and equivalents, with the contexts of these, are made of."""

    def states(self, language: str) -> list[object]:
        from corpusdb.alignment.queries.phrases import rejections_so_far

        return [*super().states(language), rejections_so_far(self._store)]

    def read(self, language: str) -> _Known:
        from corpusdb.paraphrase.queries.models import load_word_model, shared_ngrams
        from corpusdb.paraphrase.queries.seeds import SeedValidity

        ngrams, word_model = shared_ngrams(self._store, language), load_word_model(self._store, language)
        return _Known(ngrams, SeedValidity(self._store, language), word_model, {})

    def generated(self, seed: Seed) -> list[Finding]:
        best: dict[str, Finding] = {}
        for each in self.made(seed):
            finding = _finding(each)
            known = best.get(finding.text)
            if finding.text != seed.text and (known is None or finding.strength > known.strength):
                best[finding.text] = finding
        return list(best.values())

    def made(self, seed: Seed) -> list[_Made]:
        """The seed with one phrase replaced, in all ways that have good figures, by what stands in such a place."""
        from corpusdb.alignment.queries.equivalents import seed_substitutions
        from corpusdb.paraphrase.derivation import rewording_orders
        from corpusdb.paraphrase.pair_differences import Pair
        from corpusdb.paraphrase.word_model import word_gains

        known = self.held(seed.language)
        if len(known.equivalents) > _MOST_PHRASES:
            known.equivalents.clear()
        found = list(seed_substitutions(self._store, seed.language, seed.text, known.equivalents))
        if not found:
            return []
        found = [each for each in found if _is_in_context(each, known.ngrams)]
        judged: list[tuple[float | None, int | None]] = [(None, None)] * len(found)
        if known.validity.is_known:
            pairs = [Pair(0, seed.text, each.text, 0, 0, 0.0) for each in found]
            judged = [(each.validity, each.replacement) for each in known.validity.judge(pairs, derived=False)]
        gains = word_gains(known.word_model, [seed.text] * len(found), [each.text for each in found])
        longest = known.ngrams.longest
        return [
            _Made(each, *judgement, gain, *rewording_orders(seed.text, each.text, each.begin, each.stop, longest))
            for each, judgement, gain in zip(found, judged, gains, strict=True)
        ]

    def prepare(self, language: str) -> None:
        if layer_state(self._store, language, "alignment") is not None:
            super().prepare(language)


def _is_in_context(each: SeedSubstitution, ngrams: SuffixIndex) -> bool:
    """Whether the new phrase stands behind the word before it somewhere, and before the word after it.

    With the character beyond, so that whole words are asked for. Words of another form or class share translations
    too, and would make most of what is found: "Tom eaten a frozen dinner".
    """
    text = f"\n{each.text}\n"
    return ngrams.contains(text[each.left : each.stop + 2]) and ngrams.contains(text[each.begin : each.right + 2])


def _finding(made: _Made) -> Finding:
    each = made.substitution
    pivot = min(1.0, each.equivalent.pivot)
    return Finding(
        EQUIVALENT.name,
        each.text,
        languages=len(each.equivalent.languages),
        probability=pivot,
        fluency=made.order,
        inner_fluency=made.inner_order,
        validity=made.validity,
        word_gain=made.word_gain,
        replacement=made.replacement,
        strength=each.equivalent.probability if made.validity is None else made.validity,
    )


def _reasons(made: _Made) -> Iterator[str]:
    """The equivalent and what it is known from, in lines: those below the first are indented."""
    each = made.substitution
    yield f"{each.before!r} becomes {each.equivalent.text!r}, which is aligned with the same words"
    known = f"probability {each.equivalent.probability:.2f}, pivot probability {each.equivalent.pivot:.3f}"
    yield f"  {known} through {', '.join(each.equivalent.languages)}"
    for pivot in each.equivalent.pivots:
        yield f"  {pivot.language} {pivot.text!r}: {pivot.count:,} and {pivot.other_count:,} times, as in"
        yield f"       {pivot.example}  {pivot.example_translation}"
        yield f"       {pivot.other_example}  {pivot.other_example_translation}"
