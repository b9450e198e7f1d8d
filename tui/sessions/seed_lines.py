"""What an open session tells in words: where one is, the translations, and what became of a decision."""

from __future__ import annotations

from corpusdb.bounds import rounded_probability
from corpusdb.display import cell_safe
from corpusdb.model import Paraphrase
from corpusdb.queries.paraphrase.filters import NSequenceFilter
from corpusdb.queries.paraphrase.origins.registry import ORIGINS
from corpusdb.queries.sessions.decisions import ApplyReport, Decision, Undone, Verdict
from corpusdb.queries.sessions.sessions import Standing
from corpusdb.queries.sessions.views import SeedView

__all__ = [
    "asked_to_undo",
    "asked_to_write",
    "counts_in_session",
    "told_all_done",
    "told_applied",
    "told_decided",
    "told_in_words",
    "told_redone",
    "told_undone",
    "told_untranslated",
    "translation_lines",
    "where_in_session",
]


def where_in_session(view: SeedView) -> str:
    """The session, the seed by its position, and what was decided so far."""
    return f"{cell_safe(view.standing.name)}{counts_in_session(view)}"


def counts_in_session(view: SeedView) -> str:
    """The same without the name of the session, which may be long."""
    at = view.standing
    state = "done" if view.state == "done" else f"{at.done:,} done" if at.done else ""
    state = state if at.is_stored else "not stored"
    marked = f" ({state})" if state else ""
    return f": seed {at.position:,} of {at.seeds:,}{marked}  +{at.accepted:,} -{at.rejected:,}"


def translation_lines(view: SeedView) -> list[str]:
    """The translations of the seed, or why there is none."""
    if not view.in_corpus:
        return ["not in the corpus"]
    return [f"{each.language}  {cell_safe(each.text)}" for each in view.translations] or ["no translation"]


def told_in_words(paraphrase: Paraphrase, kept: NSequenceFilter) -> str:
    """Why a paraphrase passes the filter or fails it, and its letters and figures, in words."""
    own = "a wording of your own, or one that nothing yields any more"
    origins = ", ".join(ORIGINS[name].label for name in paraphrase.origins) or own
    validity = "unknown" if paraphrase.validity is None else f"{rounded_probability(paraphrase.validity, 4):.4f}"
    shared = _counted(paraphrase.shared, "shared translation")
    parts = [origins, *(["in the corpus"] if paraphrase.in_corpus else []), f"validity {validity}", shared]
    if paraphrase.frequency:
        languages = _counted(paraphrase.languages, "language")
        analogies = f"{_counted(paraphrase.frequency, 'analogy')} over {_counted(paraphrase.pivots, 'pivot')}"
        parts.append(f"{analogies} in {languages}, p {paraphrase.probability:.3f}")
    return "; ".join(filter(None, [kept.reason(paraphrase) if paraphrase.origins else "", *parts]))


def _counted(count: int, noun: str) -> str:
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"


def told_decided(view: SeedView, verdict: Verdict, changed: int, chosen: int) -> str:
    """What became of a decision on as many paraphrases as were ``chosen``."""
    told = f"{changed:,} {verdict}ed" if changed else f"{verdict}ed already"
    if 0 < changed < chosen:
        told += f", {chosen - changed:,} already"
    if verdict == "accept" and not view.translations:
        told += "; only w, writing into the corpus, needs translations"
    return told


def told_undone(undone: Undone, position: int) -> str:
    """What was taken back, by whom it was decided unless here, what stands again, what stays, and of which seed."""
    told = "acceptance" if undone.decision.verdict == "accept" else "rejection"
    told += "" if undone.is_own else " made elsewhere or earlier"
    told += " taken back" + (f", {undone.stands}ed again" if undone.stands else "")
    told += f", {undone.in_corpus:,} later in the corpus stay" if undone.in_corpus else ""
    return f"{told}; seed {position:,}: {cell_safe(undone.decision.text)}"


def asked_to_undo(decision: Decision) -> str:
    """That u takes a decision back which was not made here, when it is pressed again."""
    made = "an acceptance" if decision.verdict == "accept" else "a rejection"
    told = f"u again takes back {made} made elsewhere or earlier"
    return f"{told}: {cell_safe(decision.text)}"


def told_redone(decision: Decision, position: int) -> str:
    """What was decided once more."""
    return f"{decision.verdict}ed again; seed {position:,}: {cell_safe(decision.text)}"


def told_all_done(at: Standing) -> str:
    """That no seed is left, and what can be done then."""
    seeds = "the only seed is" if at.seeds == 1 else f"all {at.seeds:,} seeds are"
    ways = [f"w writes {at.to_apply:,} accepted"] if at.to_apply else []
    ways += ["e exports them"] if ways else ["e exports what is accepted"] if at.accepted else []
    return f"{seeds} done: {', '.join(ways) or 'q goes back'}"


def asked_to_write(at: Standing) -> str:
    """The question before what was accepted is written into the corpus."""
    left = told_untranslated(at)
    return f"Write {at.to_apply:,} accepted into the corpus? That cannot be undone." + (f" {left}" if left else "")


def told_untranslated(at: Standing) -> str:
    """What of that which was accepted cannot be written, and why; nothing where all can."""
    count = at.without_translations
    others = "other" if at.to_apply else "accepted"
    return f"{count:,} {others} cannot be: no translations of the seed to share." if count else ""


def told_applied(report: ApplyReport) -> str:
    """What was written into the corpus, and what could not be."""
    left, be = len(report.without_translations), "is" if report.accepted == 1 else "are"
    told = f"{report.accepted:,} {be} in the corpus now, with {report.translations:,} new translations"
    stays = f"{left:,} cannot be: no translations of the seed to share" if left else ""
    return "; ".join(filter(None, [told if report.accepted or not left else "nothing was written", stays]))
