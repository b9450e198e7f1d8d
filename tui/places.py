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
from tui.search.screen import CorpusScreen

PLACES: tuple[Place, ...] = (
    Place("corpus", "Corpus", CorpusScreen),
    Place("session", "Session", SessionScreen),
    Place("paradigms", "Paradigms", ParadigmsScreen),
    Place("judging", "Judging", JudgingScreen),
    Place("scores", "Scores", ScoresScreen),
    Place("jobs", "Jobs", JobsScreen),
    Place("overview", "Overview", OverviewScreen),
    Place("equivalents", "Equivalents", EquivalentsScreen),
    Place("rules", "Rules", RulesScreen),
    Place("profile", "Profile", ProfileScreen),
)
"""In the order of their number keys; the browser begins in the first."""
