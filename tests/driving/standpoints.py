"""Places in which one may stand, and how one gets there: what the tests of all keys and of all screens go through."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

from corpus_pilots import add_alignment, add_links
from pilots import draw, press, settled
from place_pilots import add_profile, add_scores
from textual.pilot import Pilot
from textual.screen import Screen

from corpusdb.base.errors import InputError
from corpusdb.program.commands import OfferedCommands
from tui.app import Browser, LeaveDialog
from tui.kit.background import JobState
from tui.kit.dialogs import AnswerScreen, ConfirmDialog, DetailsDialog
from tui.kit.settings import BrowserSettings
from tui.places import PLACES

Steps: TypeAlias = Callable[[Browser, Pilot[None]], Awaitable[None]]
Passing: TypeAlias = Callable[[str, Browser], None]
"""What is done at a standpoint that one comes by, of which it gets the name."""


def typed(text: str) -> tuple[str, ...]:
    """The keys for a text and Enter."""
    return (*("space" if char == " " else char for char in text), "enter")


_BEER = ("slash", *typed("beer"))
_DRAWN = ("4", "c", "enter")
_SEGMENT = ("5", "right", "enter", "enter")
_ALIGNED = ("8", "slash", *typed("help"))

STANDPOINTS: Mapping[str, Sequence[str]] = {
    "corpus": (),
    "corpus-typing": ("slash", *"beer"),
    "corpus-recall": (*_BEER, "slash", "end", "backspace"),
    "corpus-kwic": (*_BEER, "v"),
    "corpus-category": (*_BEER, "v", "c"),
    "corpus-categories": (*_BEER, "v", "c", *typed("drink"), "c", *typed("brand"), "space", "space", "c", "1", "c"),
    "corpus-groups": (*_BEER, "v", "b", "j", "enter"),
    "corpus-japanese": ("l", "l", "slash", *"ください", "enter", "v"),
    "corpus-filter": ("f", "down"),
    "corpus-filtered": ("f", "down", "down", "down", "down", *typed("yes")),
    "corpus-languages": ("L",),
    "find": (*_DRAWN, "slash"),
    "document": ("enter",),
    "words": ("a", "j", "j", "j"),
    "words-unlinked": ("a",),
    "sessions": ("p", "a", "u", "q", "2"),
    "session-create": ("2", "c"),
    "seed": ("p",),
    "candidate": ("p", "enter"),
    "paradigms": ("f2",),
    "paradigms-typing": ("f2", "slash"),
    "paradigm": ("f2", "slash", *typed("beer")),
    "paradigm-contexts": ("f2", "slash", *typed("beer"), "enter"),
    "samples": _DRAWN,
    "sample-draw": ("4", "c"),
    "judge": ("4", "J"),
    "grammaticality": (*_DRAWN, "enter", "a", "x", "a", "space"),
    "meaning": ("4", "c", "space", "enter", "enter"),
    "comment": (*_DRAWN, "enter", "c"),
    "report": (*_DRAWN, "enter", "a", "x", "r"),
    "scores": ("5",),
    "scores-baseline": ("5", "b", "right"),
    "scores-segments": ("5", "enter", "j"),
    "scores-differences": ("5", "space", "space", "enter"),
    "scores-differences-segment": ("5", "right", "j", "space", "space", "enter", "j", "enter"),
    "scores-segment": (*_SEGMENT, "right"),
    "scores-references": (*_SEGMENT, "enter"),
    "scores-background": (*_SEGMENT, "enter", "enter"),
    "scores-document": (*_SEGMENT, "enter", "enter", "j", "j", "enter"),
    "scores-japanese": ("5", "t", "enter", "enter", "enter"),
    "scores-picture": ("5", "right", "p"),
    "scores-curve": ("5", "c", "right"),
    "scores-export": ("5", "e"),
    "without-scores": ("5",),
    "jobs": ("6",),
    "job-import": ("6", "i"),
    "commands": ("6", "exclamation_mark"),
    "command-score": ("5", "exclamation_mark", "enter"),
    "overview": ("7",),
    "rules": ("0",),
    "rules-switch": ("0", "j", "o"),
    "rules-set": ("0", "s"),
    "rule": ("0", "slash", *typed("kudasai"), "enter"),
    "rewritings": ("l", "l", "r"),
    "translation": ("j", "t"),
    "translation-typing": ("t", "slash", "end", *"A beer"),
    "translation-evidence": ("j", "t", "j", "enter"),
    "without-alignment": ("8",),
    "aligned-typing": ("8", "slash", *"help"),
    "aligned": _ALIGNED,
    "aligned-japanese": ("8", "slash", *typed("何"), "o"),
    "aligned-equivalents": (*_ALIGNED, "t", "a"),
    "aligned-rejected": (*_ALIGNED, "t", "a", "space", "x"),
    "aligned-pairs": (*_ALIGNED, "enter", "j"),
    "aligned-pivots": (*_ALIGNED, "t", "a", "enter"),
    "aligned-both": (*_ALIGNED, "t", "a", "enter", "enter", "j"),
    "without-profile": ("9",),
    "profile": ("9", "t"),
    "profile-documents": ("9", "v", "a"),
    "profile-entries": ("9", "v", "enter"),
    "profile-lines": ("9", "enter", "j", "space"),
    "profile-document": ("9", "enter", "enter"),
    "profile-save": ("9", "w"),
    "profile-make": ("9", "m"),
    "profile-only": ("9", "f"),
    "profile-outliers": ("9", "o", "j"),
    "profile-selections": ("9", "s"),
    "profile-selection": ("9", "s", "enter"),
    "frequencies": ("3",),
    "frequencies-typing": ("3", "slash", *"beer"),
    "collocates": ("f3", "slash", *typed("beer")),
    "keywords": ("f4", "o", "enter", "plus"),
    "help": ("question_mark",),
    "guides": ("question_mark", "tab"),
    "guide": ("question_mark", "tab", *"keys", "enter"),
}
"""The keys that lead there from the start, by a name."""

PRESSED: Mapping[str, Sequence[str]] = {
    "corpus": [
        *(f"go.{place.key}" for place in PLACES),
        *"""
            app.help app.palette app.quit app.redraw app.suspend app.theme corpus.case corpus.category
            corpus.category-set corpus.category-undo corpus.detail corpus.export corpus.filter corpus.group
            corpus.kwic corpus.language corpus.mode corpus.next-language corpus.paradigm corpus.paraphrase
            corpus.queries corpus.rewritings corpus.sample corpus.save corpus.search corpus.sort corpus.stop
            corpus.translate corpus.translations corpus.words list.down list.first list.half-down list.half-up
            list.last list.next list.open list.page-down list.page-up list.previous list.select list.up screen.back
            screen.begin screen.copy
        """.split(),
    ],
    "corpus-category": "category-dialog.cancel category-dialog.done".split(),
    "corpus-categories": "category-dialog.down category-dialog.up".split(),
    "corpus-typing": "search.later search.leave search.results".split(),
    "corpus-recall": "search.earlier".split(),
    "corpus-filter": "form.cancel form.choose form.next form.previous form.done dialog.help".split(),
    "corpus-filtered": "corpus.no-filter".split(),
    "corpus-languages": "choice-dialog.cancel".split(),
    "commands": "found-choice.cancel found-choice.down found-choice.help found-choice.open found-choice.up".split(),
    "find": "find.leave".split(),
    "document": """
        app.interrupt document.paraphrase document.place document.rewritings
        document.translate document.words
    """.split(),
    "words": "words.ask words.leave".split(),
    "sessions": "session.create session.export-listed session.rename session.delete session.undo-names".split(),
    "seed": """
        session.accept session.apply session.done session.edit session.export session.hide session.next
        session.next-to-decide
        session.order-down session.order-up session.previous session.reject session.seeds session.translations
        session.redo session.type session.undo session.validity-down session.validity-up session.words
    """.split(),
    "paradigms-typing": "phrase.leave".split(),
    "paradigm": """
        paradigms.back paradigms.contexts paradigms.equivalents paradigms.fillers paradigms.language paradigms.sentences
        paradigms.type
    """.split(),
    "samples": "screen.find judging.draw judging.judge judging.report".split(),
    "grammaticality": "judging.comment judging.copy judging.no judging.skip judging.undo judging.yes".split(),
    "meaning": "judging.entailment judging.equivalence judging.neither".split(),
    "comment": "comment.leave".split(),
    "sample-draw": "choice.right choice.left".split(),
    "job-import": "form.complete form.find command.last command.recent command.page command.page-back".split(),
    "jobs": "jobs.again jobs.cancel jobs.detect jobs.generate jobs.import".split(),
    "overview": """
        overview.language overview.less overview.more overview.recount overview.sizes
        overview.validity-down overview.validity-up
    """.split(),
    "scores": """
        scores.baseline scores.curve scores.hide scores.parts scores.picture scores.export scores.left scores.remove
        scores.right scores.sort scores.test-set scores.unhide
    """.split(),
    "scores-segments": "segments.export segments.left segments.reverse segments.right".split(),
    "scores-differences-segment": """
        match.down match.next match.open match.previous match.up segment.export segment.next segment.pane
        segment.previous segment.swap
    """.split(),
    "scores-picture": "pictures.left pictures.right".split(),
    "scores-curve": "curve.export curve.left curve.next curve.previous curve.right".split(),
    "aligned-typing": "aligned-word.leave".split(),
    "aligned": """
        equivalents.back equivalents.follow equivalents.language equivalents.other equivalents.paradigm
        equivalents.sentences equivalents.turn equivalents.type
    """.split(),
    "aligned-equivalents": "equivalents.doubtful equivalents.export equivalents.reject".split(),
    "aligned-pairs": "pairs.all".split(),
    "rules": "rules.set rules.switch".split(),
    "rule": "rule.corpus rule.more rule.stop".split(),
    "rewritings": "rewritings.set".split(),
    "translation": "screen.leave translation.abstain translation.source translation.target translation.type".split(),
    "translation-typing": "translated.leave".split(),
    "profile": """
        profile.between profile.choose profile.coarser profile.finer profile.here profile.keep profile.level
        profile.limits profile.lower profile.make profile.other profile.outliers profile.raise profile.scale
        profile.selections profile.text
    """.split(),
    "profile-lines": "list.unmark lines.corpus lines.keep".split(),
    "profile-selections": "selections.export selections.remove".split(),
    "profile-selection": "selection.export".split(),
    "frequencies": """
        frequencies.less frequencies.more lexicon.case lexicon.collocates lexicon.equivalents lexicon.language
        lexicon.export lexicon.marks lexicon.paradigm lexicon.repeats lexicon.type
    """.split(),
    "frequencies-typing": "lexicon.leave".split(),
    "collocates": "collocates.measure collocates.narrower collocates.wider".split(),
    "keywords": "keywords.less keywords.measure keywords.more lexicon.collection".split(),
    "help": "help.close help.find help.guides".split(),
    "guide": "guide.close guide.find text.next text.previous".split(),
    "leave": "leave.cancel leave.stay leave.wait".split(),
    "confirm": "confirm.no confirm.yes".split(),
    "details": "details.close text.down text.first text.last text.up".split(),
    "answer": "answer.close answer.find list.left list.right".split(),
}
"""The bindings that are pressed at a standpoint, each at one."""

_JOB = JobState(1, "index commutations: eng", "running")
DIALOGS: Mapping[str, Callable[[], Screen[Any]]] = {
    "leave": lambda: LeaveDialog([_JOB]),
    "confirm": lambda: ConfirmDialog("Cancel the job?"),
    "details": lambda: DetailsDialog("Row 1", ["before", *(f"line {line}" for line in range(20))]),
    "answer": lambda: AnswerScreen("Job 1", ["score a.en", *(f"{line:<30}{line:>45}{line:>45}" for line in range(20))]),
}
"""Those to which only a job that is running would lead."""


_STORED: Mapping[str, Callable[[Path], object]] = {
    "scores": add_scores,
    "profile": add_profile,
    "aligned": add_alignment,
}
"""What standpoints are about of which the names begin so."""


def database_of(name: str) -> str:
    """Which of the databases a standpoint is on: that of the name of what is stored in it first, or as it is."""
    return name if name == "words" else next((kind for kind in _STORED if name.startswith(kind)), "")


def end_of_way(name: str, ends: Collection[str]) -> str:
    """The standpoint that is reached last on the longest way that leads by another; to ``ends`` one goes alone."""
    keys = STANDPOINTS.get(name, ())
    if not keys or name in ends:
        return name
    ways = (other for other, way in STANDPOINTS.items() if tuple(way[: len(keys)]) == tuple(keys))
    same = (other for other in ways if database_of(other) == database_of(name) and other not in ends)
    return max(same, key=lambda other: len(STANDPOINTS[other]))


def _on_the_way(keys: Sequence[str], kind: str) -> list[str]:
    return [each for each, way in STANDPOINTS.items() if tuple(way) == tuple(keys) and database_of(each) == kind]


def _nothing(name: str, browser: Browser) -> None:
    """Nobody looks while one passes."""


def stand(
    path: Path, name: str, steps: Steps, settings: BrowserSettings | None = None, passing: Passing = _nothing
) -> None:
    """Run the browser on 80x24, go to a standpoint and do something there; what it is about is stored first.

    ``passing`` is done at every other standpoint on the same database that is on the way.
    """
    kind, keys = database_of(name), STANDPOINTS.get(name, ())
    if kind in _STORED:
        _STORED[kind](path)
    if name == "words":
        with suppress(InputError):  # a corpus of other sentences has none of them linked
            add_links(path)

    async def main() -> None:
        browser = Browser(path, settings or BrowserSettings(), commands=OfferedCommands())
        async with browser.run_test(size=(80, 24)) as pilot:
            await settled(pilot)
            draw(browser)
            begin = 0
            for end in range(1, len(keys) + 1):
                if (names := _on_the_way(keys[:end], kind)) or end == len(keys):
                    await press(pilot, *keys[begin:end])
                    draw(browser)
                    begin = end
                    for other in {*names} - {name}:
                        passing(other, browser)
            if name in DIALOGS:
                await browser.push_screen(DIALOGS[name]())
                await settled(pilot)
                draw(browser)
            await steps(browser, pilot)

    asyncio.run(main())
