"""The methods that are compared: BLEU over morphemes, with word classes, and with rewritten references (B1 to B4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from corpusdb.arrays import F64, I64, Bools
from corpusdb.japanese import Expander, Expansion, RuleSet, style
from corpusdb.japanese.spelling import canonical_spelling
from corpusdb.jobs import Job, Progress
from corpusdb.metrics.bleu import bleu_scores, bleu_statistics
from corpusdb.metrics.encoding import References, Sequences
from corpusdb.metrics.tokenisation import tokeniser
from corpusdb.morphemes import Analyser

__all__ = ["METHODS", "ORDER", "WORDS", "Method", "MethodScores", "Rewritten", "method_scores", "rewrite"]

ORDER: Final = 4
"""Of BLEU, as in the paper."""
WORDS: Final = "B4 + words"
_SURFACE, _WITH_CLASS = "ja-sudachi", "ja-sudachi-pos"


@dataclass(frozen=True, slots=True)
class Method:
    """A way to score a translation."""

    name: str
    tokenisation: str
    rules: str | None
    """Which rewritings are among the references: None, polite, all, or all and words in the dictionary's spelling."""
    explanation: str


METHODS: Final[Sequence[Method]] = (
    Method("B1", _SURFACE, None, "BLEU over morphemes"),
    Method("B2", _WITH_CLASS, None, "particles and auxiliaries carry their part of speech"),
    Method("B3", _WITH_CLASS, "polite", "B2, and references rewritten by the polite rules"),
    Method("B4", _WITH_CLASS, "all", "B2, and references rewritten by all rules"),
    Method(WORDS, _WITH_CLASS, "words", "B4, and these with words in the dictionary's spelling"),
)
"""Those of sections 3.1 to 3.3 and 5.1, each compared with the first."""


@dataclass(frozen=True)
class Rewritten:
    """What the rules made of references."""

    expansions: Mapping[str, Sequence[Sequence[Expansion]]]
    """For polite and for all rules: of each segment, of each of its references."""
    words: Sequence[Sequence[str]]
    """Of each segment what respelling makes of its references and their rewritings."""
    respellings: int
    """Different words that were respelt."""
    styles: Sequence[str]
    """The style of the first reference of each segment: polite, plain, mixed or none."""
    dropped: Mapping[str, Counter[str]] = field(default_factory=dict)
    """For polite and for all rules: rewritings that were dropped, by reason."""
    capped: Mapping[str, int] = field(default_factory=dict)
    """References of which there were more rewritings than the cap."""


def rewrite(references: Sequence[Sequence[str]], rules: RuleSet, analyser: Analyser, cap: int) -> Job[Rewritten]:
    """Apply the polite rules, and all rules, to every reference of every segment; a step is a segment."""
    expanders = {"polite": Expander(rules.only(["polite"]), analyser, cap), "all": Expander(rules, analyser, cap)}
    found: dict[str, list[list[Expansion]]] = {name: [] for name in expanders}
    words, styles, respelt = [], [], set()
    for done, texts in enumerate(references):
        yield Progress("references", done, len(references))
        for name, expander in expanders.items():
            found[name].append([expander.expand(text) for text in texts])
        analyse = expanders["all"].analyse
        known = {*texts, *(made.text for each in found["all"][-1] for made in each.rewritings)}
        added = []
        for text in sorted(known):
            respelling = canonical_spelling(analyse(text))
            respelt |= {*respelling.replaced}
            if respelling.text not in known:
                known.add(respelling.text)
                added.append(respelling.text)
        words.append(added)
        styles.append(style(analyse(texts[0])).value)
    dropped, capped = {}, {}
    for name, expansions in found.items():
        all_of = [each for segment in expansions for each in segment]
        dropped[name] = sum((Counter(each.dropped) for each in all_of), Counter[str]())
        capped[name] = sum("cap" in each.dropped for each in all_of)
    return Rewritten(found, words, len(respelt), styles, dropped, capped)


@dataclass(frozen=True)
class MethodScores:
    """The statistics of all systems by one method."""

    method: Method
    references: References
    hypotheses: Sequence[Sequences]
    """Of each system."""
    statistics: F64
    """Shape (systems, segments, columns), as bleu_statistics has them."""
    rules: Sequence[frozenset[str]]
    """Of each reference the rules that made it; none for one as it was given."""

    def without(self, rule: str) -> tuple[I64, F64]:
        """The segments in which references are lost without the rule, and their statistics then.

        Shapes (touched) and (systems, touched, columns). A reference is lost if the rule is in its lineage: what would
        come in its place where the cap left out others is not looked for.
        """
        lost: Bools = np.array([rule in each for each in self.rules], dtype=np.bool_)
        touched = np.unique(self.references.segments[lost])
        if not touched.size:
            return touched, np.zeros((len(self.hypotheses), 0, self.statistics.shape[-1]))
        kept = np.isin(self.references.segments, touched) & ~lost
        lengths = self.references.sequences.lengths
        part = References(
            Sequences(self.references.sequences.units[np.repeat(kept, lengths)], lengths[kept]),
            np.bincount(self.references.segments[kept], minlength=len(self.references.counts))[touched],
            self.references.vocabulary,
            self.references.tokenise,
        )
        rows = [bleu_statistics(_of_segments(each, touched), part, ORDER) for each in self.hypotheses]
        return touched, np.array(rows, dtype=np.float64)

    @staticmethod
    def scores(statistics: F64) -> F64:
        """BLEU of summed rows: shape (..., columns) to (...), 0 to 1."""
        found: F64 = bleu_scores(statistics)[..., ORDER - 1]
        return found


def _of_segments(texts: Sequences, segments: I64) -> Sequences:
    wanted = np.zeros(len(texts.lengths), dtype=np.bool_)
    wanted[segments] = True
    return Sequences(texts.units[np.repeat(wanted, texts.lengths)], texts.lengths[wanted])


def method_scores(
    method: Method, outputs: Sequence[Sequence[str]], references: Sequence[Sequence[str]], rewritten: Rewritten
) -> MethodScores:
    """Score all outputs by one method. Raises UsageError where the analyser is not installed."""
    texts, rules = _with_rewritings(method, references, rewritten)
    numbered = References.of(texts, tokeniser(method.tokenisation))
    hypotheses = [numbered.encode(output) for output in outputs]
    rows = [bleu_statistics(each, numbered, ORDER) for each in hypotheses]
    return MethodScores(method, numbered, hypotheses, np.array(rows, dtype=np.float64), rules)


def _with_rewritings(
    method: Method, references: Sequence[Sequence[str]], rewritten: Rewritten
) -> tuple[list[list[str]], list[frozenset[str]]]:
    """The references of each segment, each text once, and of every one in turn the rules that made it."""
    kind = "all" if method.rules == "words" else method.rules
    texts: list[list[str]] = []
    rules: list[frozenset[str]] = []
    for number, given in enumerate(references):
        made = dict.fromkeys(given, frozenset[str]())
        for expansion in rewritten.expansions[kind][number] if kind else ():
            for each in expansion.rewritings:
                made.setdefault(each.text, frozenset(step.rule for step in each.lineage))
        if method.rules == "words":
            made |= dict.fromkeys(rewritten.words[number], frozenset[str]())
        texts.append(list(made))
        rules += made.values()
    return texts, rules
