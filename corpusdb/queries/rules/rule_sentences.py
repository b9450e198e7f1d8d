"""What one rule does to sentences of the corpus, by itself, one sentence after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from corpusdb.japanese import Analysis, Rewriting, Rule
from corpusdb.japanese.matching import RuleIndex
from corpusdb.japanese.rewriting import draft, reads_as_meant
from corpusdb.jobs import Job, Progress
from corpusdb.morphemes import Analyser, sudachi_analyser
from corpusdb.queries.rules.corpus_rewritings import JAPANESE
from corpusdb.store import Store

__all__ = ["RewrittenSentence", "SentencesOfRule"]

_BATCH: Final = 200
"""Sentences that are read at once."""
_NEXT = "select id, text from sentence not indexed where language = ? and id > ? order by id limit ?"
_COUNT = "select count(*) from sentence where language = ?"


class RewrittenSentence(NamedTuple):
    """A sentence of the corpus and what a rule makes of it."""

    sentence: int
    text: str
    rewriting: Rewriting
    """Its lineage is one step."""


class SentencesOfRule:
    """The sentences that a rule alone rewrites, in the order of their numbers; looked for as far as somebody asks."""

    def __init__(self, rule: Rule) -> None:
        self._index = RuleIndex([rule])
        self.found: list[RewrittenSentence] = []
        """Grows while they are looked for; a sentence stands there once for each direction that rewrites it."""
        self.read = 0
        """Sentences that were tried."""
        self.total = 0
        """Japanese sentences of the corpus, as they were counted last."""
        self.is_complete = False
        """Whether the whole corpus was gone through."""
        self._last = 0

    def more(self, store: Store, most: int) -> Job[None]:
        """Go on until ``most`` more are found, or all sentences were tried; where it is stopped, it goes on from there.

        Raises UsageError where Japanese cannot be analysed.
        """
        analyser = sudachi_analyser()
        (self.total,) = store.connection.execute(_COUNT, (JAPANESE,)).fetchone()
        wanted = len(self.found) + most
        while len(self.found) < wanted:
            batch = store.connection.execute(_NEXT, (JAPANESE, self._last, _BATCH)).fetchall()
            if not batch:
                self.is_complete = True
                return
            for sentence, text in batch:
                yield Progress("trying sentences", self.read, self.total)
                self.found += [RewrittenSentence(sentence, text, each) for each in self._made_of(text, analyser)]
                self.read, self._last = self.read + 1, sentence
                if len(self.found) >= wanted:
                    return

    def _made_of(self, text: str, analyser: Analyser) -> Iterator[Rewriting]:
        """What the rule makes of a text in each of its directions, but for what reads otherwise than it was meant."""
        analysis = Analysis(text, analyser.analyse(text))
        known = self._index.candidates(analysis)
        for directed in self._index.directed:
            made = draft(directed, analysis) if directed in known else None
            if made is not None and reads_as_meant(made, Analysis(made.text, analyser.analyse(made.text)), directed):
                yield Rewriting(made.text, (made.step,))
