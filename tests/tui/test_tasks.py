"""What people come for, done with nothing but keys: ten tasks each of who evaluates, searches and paraphrases.

Each begins in the browser as it opens on a terminal of 80x24, and ends when the screen shows what was wanted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from corpus_pilots import add_alignment
from pilots import idle, press, screen_text, settled
from place_pilots import add_scores
from textual.containers import VerticalScroll
from textual.widgets import Input

from corpusdb.program.commands import OfferedCommands
from tui.app import Browser
from tui.kit.settings import BrowserSettings

MOST_KEYS = 8
"""Beyond what is typed, for what people do most."""


@dataclass(frozen=True)
class Task:
    """What is wanted, the keys, and what the screen must hold then."""

    name: str
    keys: str
    """Names of keys, texts to be typed in quotation marks, and ``...`` where one waits for the jobs."""
    shown: Sequence[str]
    is_counted: bool = False
    """Whether it must take at most so many keys beyond what is typed."""

    @property
    def parts(self) -> list[str]:
        return re.findall(r'"[^"]*"|\S+', self.keys)

    @property
    def pressed(self) -> int:
        return sum(part != "..." and not part.startswith('"') for part in self.parts)


EVALUATING = (
    Task(
        "score two systems",
        '5 ! enter "a.txt b.txt" down "ref.txt" enter ... t down enter',
        ["a  ", "b  ", "BLEUw4"],
        True,
    ),
    Task(
        "score by another metric",
        '5 ! enter "a.txt" down "ref.txt" down "chrf,mwer" enter ... t down enter',
        ["chrF2", "mWER"],
    ),
    Task("the best by another column", "5 right right s", ["sorted by mWER", "the best first", "[mWER]"]),
    Task("which differences count", "5 b", ["good =", "** p < 0.01", "randomisation"]),
    Task("see why one is better", "5 right space space enter enter", ["good  ", "fair  ", "match 1 of"], True),
    Task("the worst segment of a system", "5 right j enter", ["worst first", "segment", "source"]),
    Task(
        "from a number to the sentence", "5 right enter enter enter", ["Enter shows what is behind the reference"], True
    ),
    Task("scores of people beside a metric", "5 right p", ["Pearson ", "BLEUw2 over DA", "3 systems"]),
    Task("the distribution of segments", "5 right p", ["Systems by BLEUw2", "segments, median", "●"]),
    Task("the table as a file", '5 e "table.md" enter', ["3 rows written to table.md"]),
)
SEARCHING = (
    Task("search", '1 / "coffee" enter', ["coffee", "sentences"], True),
    Task(
        "filter by a translation",
        '/ "ticket" enter f "fra:billet" enter',
        ["only: fra:billet"],
        True,
    ),
    Task("a concordance by what follows", '/ "beer" enter s j j enter', ["KWIC by the word after", "beer"]),
    Task("count what stands before", '/ "please" enter b j enter', ["share, by the word before it", "%"]),
    Task("read on in the document", '/ "another pillow" enter enter', ["phrasebook/hotel.tsv", "> ="]),
    Task("a word's collocates", 'f3 / "beer" enter', ["beer occurs", "draft"], True),
    Task("the most frequent words", "3", ["[Frequencies]", "the"]),
    Task("how a word is translated", '8 / "help" enter', ["translations in fra", "%"]),
    Task("a query of tokens", "m m m / \"[word='May'] [] [word='have']\" enter", ["May I have"]),
    Task("all hits as a file", '/ "beer" enter e "beer.tsv" enter', ["hits written to beer.tsv"]),
)
PARAPHRASING = (
    Task("the paraphrases of a sentence", '/ "bus stop" enter p', ["seed 1 of 1", "paraphrase", "pass"]),
    Task("explain one", '/ "bus stop" enter p enter', ["a paraphrase of:", "Validity "], True),
    Task("accept and undo", '/ "bus stop" enter p a u', ["acceptance taken back"], True),
    Task(
        "a wording of one's own",
        '/ "bus stop" enter p E ctrl+u "Where may the bus stop be?" enter',
        ["1 accepted", "own"],
    ),
    Task("a stricter filter", "p right >", ["validity >= V = 0.98, order >= N = 21"]),
    Task("several seeds, one after the other", "space space p d", ["seed 2 of 2 (1 done)"]),
    Task("a session of a sample", '2 c down down "5" enter', ["session-1: seed 1 of 5"]),
    Task("what was accepted as a file", 'p a e ctrl+u "refs.tsv" enter', ["1 accepted reference of 1 seed written"]),
    Task("write into the corpus", "p a w enter ...", ["is in the corpus now"]),
    Task(
        "import, detect, generate",
        '6 i "rows.tsv" down "eng,fra" enter ... d "eng" enter ... p "eng" enter ...',
        [
            "generate --lang eng 17 lines: Enter shows them",
            "detect --lang eng sentences with",
            "import rows.tsv --lang eng,fra units",
        ],
    ),
)
TASKS = (*EVALUATING, *SEARCHING, *PARAPHRASING)
_BY_DEFAULT = ("see why one is better", "the distribution of segments")
_FILES = {
    "a.txt": "Where do I check in?\nIs there a bus?\n",
    "b.txt": "Where is check in?\nHas it a bus?\n",
    "ref.txt": "Where do I check in?\nIs there any bus?\n",
    "rows.tsv": "A new one.\tUn nouveau.\nA brand new one.\tUn nouveau.\n",
}


async def do(task: Task, path: Path) -> str:
    """What the screen shows when a task is done."""
    browser = Browser(path, BrowserSettings(), commands=OfferedCommands())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        for part in task.parts:
            if part == "...":
                await idle(pilot)
            elif part.startswith('"'):
                await pilot.press(*_typed(part[1:-1].replace("'", '"')))
                await settled(pilot)
            else:
                await press(pilot, _NAMES.get(part, part))
        return " ".join(screen_text(browser).split())


_NAMES = {"/": "slash", "!": "exclamation_mark", ">": "greater_than_sign", ",": "comma"}


def _typed(text: str) -> list[str]:
    named = {
        " ": "space",
        '"': "quotation_mark",
        "[": "left_square_bracket",
        "]": "right_square_bracket",
        "?": "question_mark",
    }
    return [named.get(character, character) for character in text]


@pytest.fixture
def equipped(phrasebook: Path, tmp_path: Path) -> Path:
    """The phrasebook with scores and aligned words, and files beside it."""
    for name, text in _FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return add_alignment(add_scores(phrasebook))


@pytest.mark.parametrize(
    "task",
    [pytest.param(task, id=task.name, marks=() if task.name in _BY_DEFAULT else pytest.mark.slow) for task in TASKS],
)
async def test_a_task_is_done_with_keys_alone(task: Task, equipped: Path) -> None:
    seen = await do(task, equipped)
    assert [text for text in task.shown if " ".join(text.split()) not in seen] == [], seen


def test_there_are_ten_of_each_kind_and_the_usual_ones_take_few_keys() -> None:
    assert [len(each) for each in (EVALUATING, SEARCHING, PARAPHRASING)] == [10, 10, 10]
    assert len({task.name for task in TASKS}) == 30
    counted = {task.name: task.pressed for task in TASKS if task.is_counted}
    assert {name: keys for name, keys in counted.items() if keys > MOST_KEYS} == {}


@pytest.mark.slow
async def test_the_keys_of_a_form_are_seen_below_what_is_said_of_a_file(airport: Path, tmp_path: Path) -> None:
    file = tmp_path / "long.tsv"
    file.write_text("A sentence that goes on and on. " * 9 + "\tEncore et encore.\n" + "b\tc\n", encoding="utf-8")

    browser = Browser(airport, BrowserSettings(), commands=OfferedCommands())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "6", "i")
        form = browser.screen
        form.query_one("#lang", Input).value = "eng,fra"
        form.query_one("#files", Input).value = str(file)
        form.query_one("#name", Input).focus()
        await settled(pilot)
        told = screen_text(browser)
        assert "A sentence that goes on" in told and "are rejected" in told
        assert "$ corpusdb import" in told and "escape cancel" in told
        focused = form.focused
        assert focused is not None and focused.region.bottom <= form.query_one(VerticalScroll).region.bottom
