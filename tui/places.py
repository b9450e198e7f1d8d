"""The places of the browser. A new one costs its module and a line here."""

from __future__ import annotations

from tui.alignment.equivalents_screen import EquivalentsScreen
from tui.chain import JobsScreen, OverviewScreen
from tui.homogeneity.screen import ProfileScreen
from tui.kit.background import Place
from tui.paraphrase import ParadigmsScreen
from tui.people.samples_screen import JudgingScreen
from tui.people.sessions_screen import SessionScreen
from tui.rules import RulesScreen
from tui.scoring.screen import ScoresScreen
from tui.search.lexicon import CollocatesScreen, FrequenciesScreen, KeywordsScreen
from tui.search.screen import CorpusScreen

PLACES: tuple[Place, ...] = (
    Place("corpus", "Search", CorpusScreen),
    Place("session", "Paraphrases", SessionScreen),
    Place("frequencies", "Words", FrequenciesScreen, part="Frequencies"),
    Place("judging", "Judge", JudgingScreen),
    Place("scores", "Scores", ScoresScreen),
    Place("jobs", "Jobs", JobsScreen),
    Place("overview", "Corpus", OverviewScreen),
    Place("equivalents", "Words", EquivalentsScreen, part="Translations"),
    Place("rules", "Style", RulesScreen, part="Rules"),
    Place("profile", "Style", ProfileScreen, part="Profile"),
    Place("paradigms", "Words", ParadigmsScreen, part="Paradigms"),
    Place("collocates", "Words", CollocatesScreen, part="Collocates"),
    Place("keywords", "Words", KeywordsScreen, part="Keywords"),
)
"""In the order of their number keys; the browser begins in the first."""
