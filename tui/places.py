"""The places of the browser. A new one costs its module and a line here."""

from __future__ import annotations

from tui.kit.background import Place

PLACES: tuple[Place, ...] = (
    Place("corpus", "Search", "tui.search.screen:CorpusScreen"),
    Place("session", "Paraphrases", "tui.people.sessions_screen:SessionScreen"),
    Place("frequencies", "Words", "tui.search.lexicon:FrequenciesScreen", part="Frequencies"),
    Place("judging", "Judge", "tui.people.samples_screen:JudgingScreen"),
    Place("scores", "Scores", "tui.scoring.screen:ScoresScreen"),
    Place("jobs", "Jobs", "tui.chain:JobsScreen"),
    Place("overview", "Corpus", "tui.chain:OverviewScreen"),
    Place("equivalents", "Words", "tui.alignment.equivalents_screen:EquivalentsScreen", part="Translations"),
    Place("profile", "Style", "tui.homogeneity.screen:ProfileScreen", part="Profile"),
    Place("rules", "Style", "tui.rules:RulesScreen", part="Rules"),
    Place("paradigms", "Words", "tui.paraphrase:ParadigmsScreen", part="Paradigms"),
    Place("collocates", "Words", "tui.search.lexicon:CollocatesScreen", part="Collocates"),
    Place("keywords", "Words", "tui.search.lexicon:KeywordsScreen", part="Keywords"),
)
"""In the order of their number keys; the browser begins in the first. Each is loaded when somebody goes there."""
