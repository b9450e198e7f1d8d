"""Whether rules do what they should: their own examples, and what each of them makes of all examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from corpusdb.japanese import Analysis, Fault, Rule, check_rules
from corpusdb.japanese.matching import DirectedRule, RuleIndex
from corpusdb.japanese.rewriting import draft, reads_as_meant
from corpusdb.jobs import Job, Progress
from corpusdb.morphemes import sudachi_analyser

__all__ = ["LEAST_READ_AS_MEANT", "LEAST_RESTORED", "Failure", "RuleCheck", "check_rule_files"]

LEAST_READ_AS_MEANT: Final = 0.998
"""Of the rewritings that rules draft, the least part that must analyse into the morphemes that were written."""
LEAST_RESTORED: Final = 0.99
"""Of the rewritings by two-way rules, the least part of which the other direction must make the text that they were."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A rewriting that is not as it should be."""

    rule: str
    direction: str
    """-> or <-."""
    what: Literal["reading", "round trip"]
    text: str
    made: str
    back: str | None = None
    """Of a round trip: what came back; None for nothing."""


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """What was found."""

    rules: int
    examples: int
    faults: tuple[Fault, ...]
    """Examples that do not come out, and rules that have too few."""
    texts: int
    """Those that every rule was tried on."""
    is_sample: bool
    """Whether these are texts that were given; else they are the examples, of which many differ in one word."""
    drafted: int
    """What rules alone made of them, before it was analysed."""
    failures: tuple[Failure, ...]
    round_trips: int
    """Rewritings by two-way rules."""

    @property
    def read_as_meant(self) -> float | None:
        """The part of the drafts that analyse as meant; None without any."""
        return self._share("reading", self.drafted)

    @property
    def restored(self) -> float | None:
        """The part of the round trips that end where they began; None without any."""
        return self._share("round trip", self.round_trips)

    @property
    def ok(self) -> bool:
        """Whether all examples come out and, of texts that were given, enough is read as it was meant and restored."""
        if not self.is_sample:
            return not self.faults
        shares = ((self.read_as_meant, LEAST_READ_AS_MEANT), (self.restored, LEAST_RESTORED))
        return not self.faults and all(share is None or share >= least for share, least in shares)

    def _share(self, what: str, total: int) -> float | None:
        return 1 - sum(each.what == what for each in self.failures) / total if total else None


def check_rule_files(rules: Sequence[Rule], texts: Sequence[str] = ()) -> Job[RuleCheck]:
    """Check the examples of rules, and try each rule on ``texts``; on the examples of all of them where none are given.

    Raises UsageError where Japanese cannot be analysed.
    """
    analyser = sudachi_analyser()
    yield Progress("checking examples", 0, len(rules))
    faults = tuple(check_rules(rules, analyser))
    wanted = list(dict.fromkeys(texts or (example.before for rule in rules for example in rule.examples)))
    index = RuleIndex(rules)
    failures: list[Failure] = []
    drafted = round_trips = 0
    for number, text in enumerate(wanted):
        yield Progress("trying rules", number, len(wanted))
        analysis = Analysis(text, analyser.analyse(text))
        found = index.candidates(analysis)
        for directed in (each for each in index.directed if each in found):
            made = draft(directed, analysis)
            if made is None:
                continue
            drafted += 1
            again = Analysis(made.text, analyser.analyse(made.text))
            if not reads_as_meant(made, again, directed):
                failures.append(_failure(directed, "reading", text, made.text))
            elif directed.rule.two_way:
                round_trips += 1
                back = draft(directed.opposite, again)
                if back is None or back.text != text:
                    failures.append(
                        _failure(directed, "round trip", text, made.text, None if back is None else back.text)
                    )
    examples = sum(len(rule.examples) for rule in rules)
    return RuleCheck(
        rules=len(rules),
        examples=examples,
        faults=faults,
        texts=len(wanted),
        is_sample=bool(texts),
        drafted=drafted,
        failures=tuple(failures),
        round_trips=round_trips,
    )


def _failure(
    directed: DirectedRule, what: Literal["reading", "round trip"], text: str, made: str, back: str | None = None
) -> Failure:
    return Failure(directed.rule.name, directed.direction.value, what, text, made, back)
