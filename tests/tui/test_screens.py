"""Every screen as it stands on a terminal of 80x24, and what its colours mean."""

from __future__ import annotations

import dataclasses
import os
import re
from functools import partial
from pathlib import Path

import pytest
from pilots import screen_text, settled
from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from standpoints import DIALOGS, STANDPOINTS, end_of_way, stand
from textual.pilot import Pilot

from corpusdb.corpus.model import Finding, Paraphrase
from corpusdb.paraphrase.queries.filters import NO_FILTER
from corpusdb.paraphrase.queries.origins.registry import ORIGINS
from corpusdb.paraphrase.ranking import rank
from corpusdb.people.queries.decisions import Decision
from tui.app import Browser, screen_lines
from tui.kit import terminal as meanings
from tui.kit.place_screen import Legend
from tui.kit.settings import BrowserSettings
from tui.kit.terminal import QUIET, Looks
from tui.people.open_seed import SIGNS, CandidateList
from tui.scoring.segment_screen import CURRENT

# Every screen as it stands on a terminal of 80x24, compared with the text that a person has looked at.
#
# After a change that is wanted, renew the texts and look at what became of them:
#
#     CORPUSDB_RENEW_SNAPSHOTS=1 python -m pytest tests/tui/test_screens.py


_WAYS_OUT = re.compile(r"\S+ (quit|back|cancel|close|no|stay|leave|results|to the list)(  (\?|f1) keys)?$")
"""How every line of hints ends: the way out, and the help where this is not the help itself."""
SNAPSHOTS = Path(__file__).parent / "snapshots"
NAMES = (*STANDPOINTS, *DIALOGS)
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")
_DIGEST = re.compile(r"\b[0-9a-f]{16}\b")
"""Of rules, which may become better without a change of the screens."""
_OTHER_PLACES = re.compile(r"\A *(?=1).*?(\d)(\[\w+\]).*")
"""The line of places but for that where one is, so that a new place changes no screen but its own."""
_OTHER_PARTS = re.compile(r"\A(\d\[\w+\]\n) (?:\w+ *[A-Z]\w+ +)*\w+ *(\[\w+\]).*")
"""The same of the line of the parts of a place, below what is left of that."""
_SYMBOLS = re.compile("[\u2190-\u2bff]")
"""Arrows, lines, blocks and other signs that a terminal without UTF-8 does not have."""


_DRAWN_AT_EVERY_SIZE = ("corpus-groups", "seed", "scores-segment", "rule", "profile")
"""Screens that are drawn at every size by default; the others are slow."""
_SLOW = (
    *("find", "comment", "report", "overview", "aligned", "samples", "sessions", "candidate", "translation", "rules"),
    *("commands", "rewritings", "keywords", "collocates", "paradigms", "jobs"),
)
"""Screens whose texts are read in the tests of their places too, or to which it is far."""
_ENDS = {name: end_of_way(name, _DRAWN_AT_EVERY_SIZE) for name in NAMES}


@pytest.fixture(scope="module")
def seen() -> dict[str, tuple[str, str]]:
    """The text and the line of hints of every standpoint where somebody was, kept for the tests that look at them."""
    return {}


def look(seen: dict[str, tuple[str, str]], name: str, browser: Browser) -> None:
    shown = _OTHER_PLACES.sub(r"\1\2", _TIME.sub("2000-01-01 00:00", screen_text(browser)))
    shown = _OTHER_PARTS.sub(r"\1\2", shown)
    shown = _DIGEST.sub("0" * 16, shown) if name.startswith(("rule", "rewritings")) else shown
    seen[name] = (shown, browser.screen.query_one(Legend).render().plain)
    assert any(line.strip() for line in screen_lines(browser.screen)), f"{name} cannot be read aloud"


async def draw_at_every_size(browser: Browser, pilot: Pilot[None]) -> None:
    browser.looks = Looks(browser, BrowserSettings(borders="ascii"))
    browser.looks.begin()
    for columns, lines in ((60, 20), (200, 60), (40, 10), (80, 24)):
        await pilot.resize_terminal(columns, lines)
        await settled(pilot)
        shown = screen_text(browser)
        assert len(shown.splitlines()) <= lines
        assert max(map(cell_len, shown.splitlines())) <= columns
        assert sorted(set(_SYMBOLS.findall(shown))) == []


@pytest.mark.usefixtures("morphemes")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name,
            marks=pytest.mark.slow if ("-" in name and name not in _DRAWN_AT_EVERY_SIZE) or name in _SLOW else (),
        )
        for name in NAMES
    ],
)
def test_a_screen_is_as_somebody_has_seen_it(
    name: str,
    phrasebook: Path,
    seen: dict[str, tuple[str, str]],
    subtests: pytest.Subtests,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One browser goes to a standpoint, by those that are on the way, and what is to be drawn at every size fits."""
    phrasebook.chmod(0o644)  # whatever the umask is
    monkeypatch.setenv("HOME", str(Path.cwd()))  # where a file will be is told from there

    async def steps(browser: Browser, pilot: Pilot[None]) -> None:
        look(seen, _ENDS[name], browser)
        if name in _DRAWN_AT_EVERY_SIZE:
            with subtests.test("it fits every terminal"):
                await draw_at_every_size(browser, pilot)

    if name not in seen or name in _DRAWN_AT_EVERY_SIZE:
        stand(Path(phrasebook.name), _ENDS[name], steps, passing=partial(look, seen))
    shown, hints = seen[name]
    snapshot = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("CORPUSDB_RENEW_SNAPSHOTS"):
        SNAPSHOTS.mkdir(exist_ok=True)
        snapshot.write_text(f"{shown}\n", encoding="utf-8")
    assert f"{shown}\n" == snapshot.read_text(encoding="utf-8")
    assert _WAYS_OUT.search(hints), hints
    assert hints.strip() in shown


@pytest.mark.slow  # those that are not drawn at every size above
@pytest.mark.usefixtures("morphemes")
@pytest.mark.parametrize("name", [name for name in NAMES if name not in _DRAWN_AT_EVERY_SIZE])
def test_a_screen_fits_every_terminal(name: str, phrasebook: Path) -> None:
    stand(Path(phrasebook.name), name, draw_at_every_size)


def test_there_is_no_snapshot_of_something_else() -> None:
    assert {file.stem for file in SNAPSHOTS.iterdir()} == set(NAMES)


# Colours mean something, are among the 16 of the terminal, and never tell anything alone.


_STYLES = [
    *(value for name, value in vars(meanings).items() if name.isalpha() and name.isupper() and isinstance(value, str)),
    *meanings.ORIGINS.values(),
    *map(meanings.validity_style, (None, 0.0, 0.7, 1.0)),
]


def test_every_colour_is_one_of_the_sixteen_of_the_terminal() -> None:
    for style in filter(None, _STYLES):
        colour = Style.parse(style).color
        assert colour is None or (colour.number is not None and colour.number < 16), style
    values = [value for value in dataclasses.asdict(QUIET).values() if isinstance(value, str) and value != QUIET.name]
    assert [value for value in values if not value.startswith("ansi_")] == []


@pytest.mark.parametrize(("style", "is_reversed"), [(meanings.MATCH, None), (CURRENT, True)])
def test_a_match_is_bold_and_underlined_besides_its_colour(style: str, is_reversed: bool | None) -> None:
    parsed = Style.parse(style)
    assert (parsed.bold, parsed.underline, parsed.reverse) == (True, True, is_reversed)


def test_every_origin_has_a_colour_of_its_own_and_a_legend() -> None:
    assert meanings.ORIGINS.keys() == ORIGINS.keys()
    assert len(set(meanings.ORIGINS.values())) == len(ORIGINS)
    assert {origin.label for origin in ORIGINS.values()} <= {sign for sign, _ in SIGNS}


def paraphrase(validity: float | None, *origins: str) -> Paraphrase:
    (found,) = rank([Finding(name, "text", validity=validity, fluency=3) for name in origins], "seed", "eng")
    return found


def colours(line: Text) -> set[str]:
    """Those of what can be seen."""
    styles = [span.style for span in line.spans if line.plain[span.start : span.end].strip()]
    parsed = (Style.parse(style) if isinstance(style, str) else style for style in styles)
    return {style.color.name for style in parsed if style.color is not None}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((paraphrase(0.99, "detected"), None), (paraphrase(0.99, "analogy"), None)),
        ((paraphrase(0.99, "rule"), None), (paraphrase(0.2, "rule"), None)),
        ((paraphrase(0.7, "rule"), Decision("seed", "text", "accept", False)), (paraphrase(0.7, "rule"), None)),
        (
            (paraphrase(0.99, "rule"), Decision("seed", "text", "accept", False)),
            (paraphrase(0.99, "rule"), Decision("seed", "text", "reject", False)),
        ),
    ],
)
def test_where_colours_differ_the_letters_do_too(
    one: tuple[Paraphrase, Decision | None], other: tuple[Paraphrase, Decision | None]
) -> None:
    lines = []
    for each, decision in (one, other):
        rows = CandidateList(id="rows")
        rows.candidates, rows.kept = [each], NO_FILTER
        rows.decisions = {} if decision is None else {"text": decision}
        lines.append(rows._line(0))
    assert colours(lines[0]) != colours(lines[1])
    assert lines[0].plain != lines[1].plain
