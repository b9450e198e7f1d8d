"""Paraphrases by rules: a Japanese sentence in another style, its content words as they are.

They are made when somebody asks for those of a sentence; nothing is stored. There are none where the extra japanese is
not installed. That a rewriting can be written, the rules vouch for, and not sequences of characters that were seen: the
order is told, and the filter by it is not applied.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, Final, cast

from corpusdb.base.errors import UsageError
from corpusdb.base.text import common_ends
from corpusdb.corpus.model import REPLACES, Explanation, Finding
from corpusdb.corpus.store import Store, layer_state
from corpusdb.paraphrase.queries.filters import NO_FILTER, Filter
from corpusdb.paraphrase.queries.origins.origin import HeldGeneration, Opener, Origin, Seed, SeedGeneration

if TYPE_CHECKING:
    from corpusdb.base.ngrams import SuffixIndex
    from corpusdb.base.tokenisation import Analyser
    from corpusdb.paraphrase.queries.seeds import SeedValidity
    from corpusdb.rules.queries.rule_sets import RewritingMethod
    from corpusdb.rules.rewriting import Rewriting, RewritingStep

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
        return _Generation(store)

    def findings(
        self, store: Store, seed: Seed, kept: Filter = NO_FILTER, generation: SeedGeneration | None = None
    ) -> list[Finding]:
        if self.stored(store, seed) is not None:
            return []
        found = (generation or self.generation(store)).generate(seed)
        return list(filter(kept.accepts, found))

    def explain(self, store: Store, seed: Seed, text: str, limit: int) -> Explanation:
        from corpusdb.rules.queries.rule_sets import format_changes, rule_changes

        made = [each for each in _rewritings(seed) if each.text == text]
        reasons = tuple(
            f"rewritten by rules: {told}" for each in made for told in format_changes(rule_changes(seed.text, each))
        )
        return Explanation(seed.text, text, (), 0, reasons=reasons)

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
    method = _method()
    return () if method is None or seed.language != _JAPANESE else method.expander.expand(seed.text).rewritings


class _Generation(HeldGeneration["tuple[SuffixIndex | None, SeedValidity]"]):
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
        pairs = [Pair(0, seed.text, each.text, 0, 0, 0.0) for each in found]
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
