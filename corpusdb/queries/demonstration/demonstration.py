"""All five systems on the built-in phrasebook, and a report of what each of them shows."""

from __future__ import annotations

import time
from dataclasses import dataclass

from corpusdb.jobs import Job
from corpusdb.queries.demonstration.equivalents import EquivalentsShown, align_phrasebook
from corpusdb.queries.demonstration.generation import GenerationShown, generate_phrasebook
from corpusdb.queries.demonstration.profile import ProfileShown, profile_phrasebook
from corpusdb.queries.demonstration.rules import rewrite_phrasebook
from corpusdb.queries.demonstration.scores import ScoresShown, score_phrasebook
from corpusdb.queries.rules.text_rewritings import TextRewritings
from corpusdb.store import Store

__all__ = ["DemoReport", "run_demo", "show_other_systems"]


@dataclass(frozen=True, slots=True)
class DemoReport:
    """What the demonstration shows."""

    generation: GenerationShown
    scores: ScoresShown | None
    """None where the database does not have the sentence."""
    rules: TextRewritings | str
    """What to install, where Japanese cannot be analysed."""
    equivalents: EquivalentsShown
    profiles: tuple[ProfileShown, ...]
    """Of English and of Japanese."""
    seconds: float


def run_demo(store: Store) -> Job[DemoReport]:
    """Import the phrasebook, generate paraphrases, score, rewrite, align and profile; all of it is kept but scores."""
    begun = time.monotonic()
    generation = yield from generate_phrasebook(store)
    return (yield from show_other_systems(store, generation, begun))


def show_other_systems(store: Store, generation: GenerationShown, begun: float) -> Job[DemoReport]:
    """All but generation, in a database in which that was done; ``begun`` is when, by ``time.monotonic``."""
    scores, rules = score_phrasebook(store), rewrite_phrasebook(store)
    equivalents = yield from align_phrasebook(store)
    profiles = yield from profile_phrasebook(store)
    return DemoReport(generation, scores, rules, equivalents, profiles, time.monotonic() - begun)
