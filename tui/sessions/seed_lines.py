"""What an open session tells in words: where one is, the translations, and what became of a decision."""

from __future__ import annotations

from corpusdb.display import cell_safe
from corpusdb.queries.sessions.decisions import ApplyReport, Undone, Verdict
from corpusdb.queries.sessions.views import SeedView

__all__ = ["told_applied", "told_decided", "told_undone", "translation_lines", "where_in_session"]


def where_in_session(view: SeedView) -> str:
    """The session, the seed by its position, and what was decided so far."""
    at = view.standing
    state = "done" if view.state == "done" else f"{at.done:,} done" if at.done else ""
    marked = f" ({state})" if state else ""
    return f"{cell_safe(at.name)}: seed {at.position:,} of {at.seeds:,}{marked}  +{at.accepted:,} -{at.rejected:,}"


def translation_lines(view: SeedView) -> list[str]:
    """The translations of the seed, or why there is none."""
    if not view.in_corpus:
        return ["not in the corpus"]
    return [f"{each.language}  {cell_safe(each.text)}" for each in view.translations] or ["no translation"]


def told_decided(view: SeedView, verdict: Verdict, changed: int, chosen: int) -> str:
    """What became of a decision on as many paraphrases as were ``chosen``."""
    told = f"{changed:,} {verdict}ed" if changed else f"{verdict}ed already"
    if 0 < changed < chosen:
        told += f", {chosen - changed:,} already"
    if verdict == "accept" and not view.translations:
        told += "; it can be written when the seed has translations"
    return told


def told_undone(undone: Undone) -> str:
    """What was taken back, what stands again, and what could not be taken back."""
    noun = "acceptance" if undone.decision.verdict == "accept" else "rejection"
    told = f"{noun} taken back" + (f", {undone.stands}ed again" if undone.stands else "")
    return told + (f"; {undone.in_corpus:,} later ones are in the corpus and stay" if undone.in_corpus else "")


def told_applied(report: ApplyReport) -> str:
    """What was written into the corpus."""
    told = f"{report.accepted:,} are in the corpus now, with {report.translations:,} new translations"
    left = len(report.without_translations)
    return told + (f"; {left:,} wait for translations of their seed" if left else "")
