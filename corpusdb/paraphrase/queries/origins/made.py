"""The origins whose paraphrases are made when somebody asks for those of a sentence; nothing of them is stored."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from corpusdb.base.errors import UsageError
from corpusdb.base.text import common_ends
from corpusdb.corpus.model import Finding
from corpusdb.corpus.orders import REPLACES
from corpusdb.corpus.store import Store, layer_state
from corpusdb.paraphrase.queries.filters import NO_FILTER, Filter
from corpusdb.paraphrase.queries.origins.origin import HeldGeneration, Opener, Origin, Seed, SeedGeneration

if TYPE_CHECKING:
    from corpusdb.alignment.queries.equivalents import FoundEquivalent, SeedSubstitution
    from corpusdb.base.ngrams import SuffixIndex
    from corpusdb.base.tokenisation import Analyser
    from corpusdb.paraphrase.queries.seeds import SeedValidity
    from corpusdb.paraphrase.word_model import WordModel
    from corpusdb.rules.queries.rule_sets import RewritingMethod
    from corpusdb.rules.rewriting import Rewriting, RewritingStep


# Paraphrases by equivalents: one phrase of a sentence replaced by what is aligned with the same words of others. None
# are found by going over a language.

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
        return _EquivalentGeneration(store)

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


class _EquivalentGeneration(HeldGeneration[_Known]):
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
            pairs = [Pair(0, seed.text, each.text) for each in found]
            judged = [(each.validity, each.replacement) for each in known.validity.judge(pairs, derived=False)]
        gains = word_gains(known.word_model, [seed.text] * len(found), [each.text for each in found])
        longest = known.ngrams.longest
        return [
            _Made(each, *judgement, gain, *rewording_orders(seed.text, each.text, each.begin, each.stop, longest))
            for each, judgement, gain in zip(found, judged, gains, strict=True)
        ]

    def reasons(self, seed: Seed, text: str) -> Iterator[str]:
        for each in self.made(seed):
            if each.substitution.text == text:
                yield from _reasons(each)

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


# Paraphrases by rules: a Japanese sentence in another style, its content words as they are.
#
# They are made when somebody asks for those of a sentence; nothing is stored. There are none where the extra japanese
# is not installed. That a rewriting can be written, the rules vouch for, and not sequences of characters that were
# seen: the order is told, and the filter by it is not applied.

_JAPANESE: Final = "jpn"


class _Rule(Origin):
    name = "rule"
    label = "rule"
    mark = "R"
    is_at_hand = False
    needs_extra = True
    is_usual = False

    def stored(self, store: Store, seed: Seed) -> list[Finding] | None:
        return None if seed.language == _JAPANESE and _method() is not None else []

    def generation(self, store: Store, writing: Opener | None = None) -> SeedGeneration:
        return _RuleGeneration(store)

    def findings(
        self, store: Store, seed: Seed, kept: Filter = NO_FILTER, generation: SeedGeneration | None = None
    ) -> list[Finding]:
        if self.stored(store, seed) is not None:
            return []
        found = (generation or self.generation(store)).generate(seed)
        return list(filter(kept.accepts, found))

    def missing(self, language: str) -> str | None:
        if language != _JAPANESE or _method() is not None:
            return None
        return "there are no rewritings by rules, which need more: pip install 'corpusdb[japanese]'"

    def _all_findings(self, store: Store, language: str, kept: Filter) -> Iterator[tuple[str, Finding]]:
        yield from ()


RULE = _Rule()


def _method() -> RewritingMethod | None:
    """All rules of the program; None where there is no analyser for them."""
    from corpusdb.base.tokenisation import sudachi_analyser

    try:
        return _method_by(cast("Any", sudachi_analyser()))
    except UsageError:  # the extra or the dictionary is missing
        return None


@lru_cache(maxsize=1)
def _method_by(analyser: Analyser) -> RewritingMethod:
    """The method is kept with what it has analysed."""
    from corpusdb.rules.queries.rule_sets import RewritingMethod, shipped_set

    return RewritingMethod("all", shipped_set("all"), analyser)


def _rewritings(seed: Seed) -> tuple[Rewriting, ...]:
    """Those of a Japanese seed."""
    method = _method()
    return () if method is None else method.expander.expand(seed.text).rewritings


class _RuleGeneration(HeldGeneration["tuple[SuffixIndex | None, SeedValidity]"]):
    LAYERS = ("ngram", "validity")

    def read(self, language: str) -> tuple[SuffixIndex | None, SeedValidity]:
        from corpusdb.paraphrase.queries.models import shared_ngrams
        from corpusdb.paraphrase.queries.seeds import SeedValidity

        state = layer_state(self._store, language, "ngram")
        has_ngrams = state is not None and state.complete
        return shared_ngrams(self._store, language) if has_ngrams else None, SeedValidity(self._store, language)

    def generated(self, seed: Seed) -> list[Finding]:
        found = _rewritings(seed)
        judged = self._judged(seed, found) if found else []
        return [self._finding(seed, each, *judgement) for each, judgement in zip(found, judged, strict=True)]

    def reasons(self, seed: Seed, text: str) -> Iterator[str]:
        from corpusdb.rules.queries.rule_sets import format_changes, rule_changes

        for each in _rewritings(seed):
            if each.text == text:
                yield from (f"rewritten by rules: {told}" for told in format_changes(rule_changes(seed.text, each)))

    def prepare(self, language: str) -> None:
        if language == _JAPANESE:
            super().prepare(language)

    def _judged(self, seed: Seed, found: tuple[Rewriting, ...]) -> list[tuple[float | None, int | None]]:
        """How probable it is that each holds, where the corpus has evidence for all that was exchanged; else None.

        What it has seen of no such exchange says nothing against a rule, which is right for words that it never saw.
        """
        from corpusdb.paraphrase.pair_differences import Pair

        _, validity = self.held(seed.language)
        if not validity.is_known:
            return [(None, None)] * len(found)
        pairs = [Pair(0, seed.text, each.text) for each in found]
        judged = validity.judge(pairs, derived=False)
        return [(each.validity, each.replacement) if each.replacement & REPLACES else (None, None) for each in judged]

    def _finding(self, seed: Seed, rewriting: Rewriting, validity: float | None, replacement: int | None) -> Finding:
        ngrams, _ = self.held(seed.language)
        order, inner_order = (0, 0) if ngrams is None else _orders(seed.text, rewriting.text, ngrams)
        return Finding(
            RULE.name,
            rewriting.text,
            fluency=order,
            inner_fluency=inner_order,
            validity=validity,
            replacement=replacement,
            strength=prod(map(_reliability, rewriting.lineage)) if validity is None else validity,
            is_vouched=True,
        )


def _orders(seed: str, text: str, ngrams: SuffixIndex) -> tuple[int, int]:
    """Of the sequences of characters that a rewriting makes with what stands beside it."""
    from corpusdb.paraphrase.derivation import rewording_orders

    begin, end = common_ends(seed, text)
    return rewording_orders(seed, text, begin, len(text) - end, ngrams.longest)


def _reliability(step: RewritingStep) -> float:
    """How probable it is that a rule keeps the meaning: (n + 1) / (n + 2) after n examples of the direction held.

    That is Laplace's rule of succession; the examples of a rule are those of its file.
    """
    method = _method()
    rule = None if method is None else method.rules.by_name.get(step.rule)
    held = 0 if rule is None else sum(step.direction in each.directions for each in rule.examples if each.after)
    return (held + 1) / (held + 2)
