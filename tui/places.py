"""The places of the browser. A new one costs its module and a line here."""

from __future__ import annotations

from tui.corpus.screen import CorpusScreen
from tui.equivalents.screen import EquivalentsScreen
from tui.jobs.screen import JobsScreen
from tui.judging.samples_screen import JudgingScreen
from tui.overview.screen import OverviewScreen
from tui.paradigms.screen import ParadigmsScreen
from tui.profile.screen import ProfileScreen
from tui.rules.screen import RulesScreen
from tui.scores.screen import ScoresScreen
from tui.sessions.list_screen import SessionScreen
from tui.shell import Place

__all__ = ["PLACES"]

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
