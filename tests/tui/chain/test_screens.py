"""The jobs and the overview, driven by keys, against what the queries find."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import cast

import pytest
from pilots import idle, press, screen_text, settled, until
from place_pilots import add_scores
from rich.cells import cell_len
from textual.binding import Binding
from textual.pilot import Pilot
from textual.widgets import Input

from corpusdb.base.jobs import Job, Progress
from corpusdb.chain.queries.overview import overview, recent_runs
from corpusdb.chain.report import overview_lines, statistics_lines
from corpusdb.corpus.store import Store, open_store
from corpusdb.corpus.store.runs import start_run
from corpusdb.paraphrase.queries.filters import NSequenceFilter
from corpusdb.paraphrase.queries.paraphrases import telling_sentence
from corpusdb.paraphrase.queries.statistics import corpus_statistics
from corpusdb.paraphrase.report import figures
from corpusdb.people.queries.sessions import create_session
from corpusdb.program.commands import OfferedCommands
from tui.app import Browser, LeaveDialog, make_browser
from tui.chain import JobsScreen, OverviewScreen
from tui.kit.background import JobState, kept_jobs
from tui.kit.command_dialog import CommandDialog
from tui.kit.command_forms import begin_command
from tui.kit.dialogs import AnswerScreen, ConfirmDialog, DetailsDialog
from tui.kit.place_screen import PlaceScreen, StatusLine
from tui.kit.programs import Program, ProgramOutput
from tui.kit.reader import OneOffReader, Superseded
from tui.kit.shown import RowList
from tui.search.screen import CorpusScreen

PATIENCE = 60.0


@dataclass
class Gate:
    """A job that waits in its middle."""

    begun: Event
    opened: Event

    def job(self, store: Store) -> Job[str]:
        yield Progress("halves", 0, 2)
        self.begun.set()
        assert self.opened.wait(PATIENCE)
        yield Progress("halves", 1, 2)
        return "all is done"


@pytest.fixture
def gate() -> Iterator[Gate]:
    made = Gate(Event(), Event())
    yield made
    made.opened.set()


@asynccontextmanager
async def jobs_place(path: Path, size: tuple[int, int] = (80, 24)) -> AsyncIterator[tuple[Browser, Pilot[None]]]:
    browser = make_browser(path, commands=OfferedCommands())
    async with browser.run_test(size=size) as pilot:
        await settled(pilot)
        await pilot.press("6")
        await settled(pilot)
        yield browser, pilot


async def waits(browser: Browser, pilot: Pilot[None], gate: Gate, title: str = "a long job") -> None:
    """Start the job that waits, and let the screen see that it runs."""
    browser.jobs.start(title, gate.job)
    assert await asyncio.to_thread(gate.begun.wait, PATIENCE)
    await settled(pilot)


def lines(browser: Browser) -> list[str]:
    assert isinstance(browser.screen, JobsScreen)
    return browser.screen.lines()


def status(browser: Browser) -> StatusLine:
    return browser.screen_stack[0].query_one(StatusLine)


@pytest.mark.parametrize(
    "size", [(80, 24), pytest.param((60, 20), marks=pytest.mark.slow), pytest.param((200, 60), marks=pytest.mark.slow)]
)
async def test_without_jobs_it_shows_the_runs_of_the_database(size: tuple[int, int], phrasebook: Path) -> None:
    async with jobs_place(phrasebook, size) as (browser, pilot):
        text = screen_text(browser)
        assert "none: ! begins any, i import, d detect, p generate" in text
        with open_store(phrasebook, read_only=True) as store:
            runs = recent_runs(store, 50)
        rows = lines(browser)[4:]
        assert [row.split()[0] for row in rows] == [str(run.id) for run in runs]
        await pilot.press("G", "enter")
        await settled(pilot)
        assert isinstance(browser.screen, DetailsDialog)
        assert "operation: import" in browser.screen.lines()
        await pilot.press("q")
        await settled(pilot)
        assert isinstance(browser.screen, JobsScreen)


async def test_a_run_that_was_stopped_is_told_from_one_that_may_go_on(phrasebook: Path) -> None:
    with open_store(phrasebook) as store, store.write():
        start_run(store, "detect", {"asked": "for nothing else"})
    async with jobs_place(phrasebook) as (browser, pilot):
        assert lines(browser)[4].split()[-1] == "(stopped)"
        with open_store(phrasebook) as store:
            assert store.start_job("detect") is None
            await press(pilot, "j")
            assert lines(browser)[4].split()[-2:] == ["(not", "ended)"]
            store.end_job()
        await press(pilot, "j")
        assert lines(browser)[4].split()[-1] == "(stopped)"


@pytest.mark.slow
async def test_an_import_runs_while_the_rest_stays_usable(airport: Path, tmp_path: Path) -> None:
    file = tmp_path / "new words.tsv"
    file.write_text("A brand new sentence.\tUne phrase toute neuve.\nBroken.\t\n", encoding="utf-8")

    async with jobs_place(airport) as (browser, pilot):
        await pilot.press("i")
        await settled(pilot)
        form = browser.screen
        assert isinstance(form, CommandDialog)
        await pilot.press("enter")
        await settled(pilot)
        assert "! 'Files' is needed" in screen_text(browser)
        form.query_one("#lang", Input).value = "en,fra"
        form.query_one("#files", Input).value = f"{tmp_path}/new"
        form.query_one("#files", Input).focus()
        await press(pilot, "end", "tab")
        assert form.query_one("#files", Input).value == str(file).replace(" ", "\\ ")
        assert "A brand new sentence. | fra: Une phrase toute neuve." in screen_text(browser)
        assert "of the first 2 lines 1 are rejected" in screen_text(browser)
        assert "Then its words are indexed" in screen_text(browser)
        assert form.lines()[-1].startswith("$ corpusdb import ") and form.lines()[-1].endswith(" --lang en,fra")
        await press(pilot, "enter")
        assert "import " in lines(browser)[1] and "--lang en,fra" in lines(browser)[1]
        await pilot.press("1")
        await settled(pilot)
        assert browser.current_mode == "corpus"
        await idle(pilot)
        assert status(browser).job == ""
        await pilot.press("6")
        await settled(pilot)
        assert " done " in lines(browser)[1]
        await pilot.press("enter")
        await settled(pilot)
        told = " ".join(browser.screen.lines())  # type: ignore[attr-defined]
        assert "new words.tsv:2: empty text in column 2 (fra)" in told, told
    with open_store(airport, read_only=True) as store:
        found = store.connection.execute("select 1 from sentence where text = 'A brand new sentence.'").fetchone()
        assert found is not None
        assert recent_runs(store, 1)[0].finished is not None


async def test_a_command_that_fails_says_why_and_one_is_cancelled(airport: Path) -> None:
    async with jobs_place(airport) as (browser, pilot):
        await press(pilot, "d", *"tlh", "enter")
        await idle(pilot)
        (job,) = browser.jobs.states
        assert (job.title, job.phase) == ("detect --lang tlh", "failed") and "tlh" in job.error
        begin_command(cast("PlaceScreen", browser.screen), "sql")
        await settled(pilot)
        endless = "with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n"
        browser.screen.query_one("#statement", Input).value = endless
        await press(pilot, "enter")
        await until(pilot, lambda: browser.jobs.states[1].phase == "running", "the second job")
        browser.jobs.cancel(2)
        await idle(pilot)
        assert browser.jobs.states[1].phase == "cancelled"


async def test_a_running_job_is_shown_everywhere_and_cancelled(phrasebook: Path, gate: Gate) -> None:
    async with jobs_place(phrasebook) as (browser, pilot):
        await waits(browser, pilot, gate)
        assert re.search(r"running    \d\d:\d\d  a long job  halves  0 of 2$", lines(browser)[1])
        await pilot.press("G", "c")
        await settled(pilot)
        assert "this is not a job" in status(browser).message
        await pilot.press("g", "enter")
        await settled(pilot)
        begun = r"state: running, begun 20\d\d-\d\d-\d\d \d\d:\d\d \(UTC\)"
        assert any(re.fullmatch(begun, line) for line in browser.screen.lines())  # type: ignore[attr-defined]
        await pilot.press("q", "1")
        await settled(pilot)
        assert "halves 0 % of this step: a long job" in screen_text(browser)
        await pilot.press("6", "c")
        await settled(pilot)
        assert isinstance(browser.screen, ConfirmDialog)
        await pilot.press("n")
        await settled(pilot)
        assert browser.jobs.states[0].phase == "running"
        await pilot.press("c", "y")
        await settled(pilot)
        assert lines(browser)[1].endswith("a long job  stops when its transaction ends")
        gate.opened.set()
        await idle(pilot)
        row, told = lines(browser)[1:3]
        assert row.startswith("   1  cancelled") and row.endswith("a long job") and "what is done is kept" in told
        await pilot.press("c")
        await settled(pilot)
        assert "is over" in status(browser).message
        await pilot.press("full_stop")
        await idle(pilot)
        assert [job.phase for job in browser.jobs.states] == ["cancelled", "done"]
        await pilot.press("g", "full_stop")
        await settled(pilot)
        assert status(browser).message == "job 2 is done"


@pytest.mark.slow
async def test_what_a_job_says_stands_below_it_where_it_is_long(phrasebook: Path, gate: Gate) -> None:
    async with jobs_place(phrasebook, (60, 24)) as (browser, pilot):
        await waits(browser, pilot, gate, "a job that is called by very many words, as commands are, and more")
        row, told = lines(browser)[1:3]
        assert re.match(r"   1  running    \d\d:\d\d  a job that is called by very many$", row), row
        assert told == "      words, as commands are, and more  halves  0 of 2"
        browser.jobs.start("another", gate.job)
        await settled(pilot)
        assert lines(browser)[1].endswith("another  waits for job 1")
        gate.opened.set()
        await idle(pilot)


async def test_the_line_of_a_job_that_is_done_is_its_answer(phrasebook: Path) -> None:
    async with jobs_place(phrasebook) as (browser, pilot):
        begin_command(cast("PlaceScreen", browser.screen), "sql")
        await settled(pilot)
        browser.screen.query_one("#statement", Input).value = "select 'a' as one, 2 as two union select 'b', 3"
        await press(pilot, "enter")
        await idle(pilot)
        assert lines(browser)[2] == "      one two; a 2; b 3"
        await press(pilot, "j", "enter")  # on the answer as on the job
        assert any(re.match(r"begun: .* \(UTC\), took ", line) for line in browser.screen.lines())  # type: ignore[attr-defined]


async def test_the_details_of_a_cancelled_job_name_the_key_that_goes_on(phrasebook: Path, gate: Gate) -> None:
    async with jobs_place(phrasebook) as (browser, pilot):
        await waits(browser, pilot, gate)
        await press(pilot, "c", "y")
        gate.opened.set()
        await idle(pilot)
        assert screen_text(browser).splitlines()[-2].startswith(". again  ")
        await press(pilot, "enter")
        told = " ".join(browser.screen.lines())  # type: ignore[attr-defined]
        (key,) = (each.key for each in JobsScreen.BINDINGS if isinstance(each, Binding) and each.action == "again")
        assert key == "full_stop" and "the key . in the list of jobs begins it again" in told


@pytest.mark.slow
async def test_a_run_of_another_process_appears_with_the_next_key(phrasebook: Path) -> None:
    async with jobs_place(phrasebook) as (browser, pilot):
        with open_store(phrasebook) as store, store.write():
            run = start_run(store, "elsewhere", {})
        await press(pilot, "j")
        found = [line.split() for line in lines(browser)]
        assert any(line[:1] == [str(run.id)] and line[-1] == "(stopped)" for line in found)


@pytest.mark.slow
async def test_a_job_that_is_over_is_under_the_cursor_when_one_comes_for_its_answer(
    phrasebook: Path, gate: Gate
) -> None:
    async with jobs_place(phrasebook) as (browser, pilot):
        await waits(browser, pilot, gate)
        await pilot.press("G", "1")  # on a run, while it runs
        await settled(pilot)
        gate.opened.set()
        await idle(pilot)
        await pilot.press("6", "enter")
        await settled(pilot)
        assert any(line.startswith("state: done, begun ") for line in browser.screen.lines())  # type: ignore[attr-defined]


async def test_details_of_a_job_follow_it(phrasebook: Path, gate: Gate) -> None:
    async with jobs_place(phrasebook) as (browser, pilot):
        await waits(browser, pilot, gate)
        await pilot.press("enter")
        await settled(pilot)
        gate.opened.set()
        await idle(pilot)
        assert isinstance(browser.screen, AnswerScreen)
        assert "all is done" in (told := browser.screen.lines())
        assert any(line.startswith("state: done, begun ") for line in told)


async def test_the_answer_of_a_command_stands_before_what_it_said_and_the_command(phrasebook: Path) -> None:
    found = ProgramOutput(("what it found", "  and more"), ("what it said",))
    program = Program(("compare", "/a/one.en", "/a/two.en"))
    done = JobState(1, "compare one.en two.en", "done", result=found, seconds=1.0, program=program)

    async with jobs_place(phrasebook) as (browser, pilot):
        browser.commands = OfferedCommands(Path("d.db"))
        browser.jobs.restore(kept_jobs([done]))
        browser.job_changed.publish(done)
        await idle(pilot)
        assert "compare one.en two.en  what it found; and more" in lines(browser)[1]
        await press(pilot, "g", "enter")
        said = "In a shell: corpusdb --db d.db compare /a/one.en /a/two.en"
        told = ["what it found", "  and more", "", "what it said", said]
        assert isinstance(browser.screen, AnswerScreen)
        shown = browser.screen.lines()[1:]
        assert [line for line in shown if not line.startswith("begun: ")] == told and len(shown) == len(told) + 1


async def test_scores_has_the_marks_of_what_a_job_has_tested(phrasebook: Path) -> None:
    typed = {"significance": "randomisation", "ref": "/a/guided"}
    program = Program(("score", "/a/fair.en", "/a/good.en"), form="score", typed=typed)
    browser = make_browser(add_scores(phrasebook))
    browser.jobs.restore(kept_jobs([JobState(1, "score", "done", program=program)]))
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "5")
        assert "= fair; ** p < 0.01" in screen_text(browser)


async def test_signatures_below_which_more_is_said_stand_in_the_help(phrasebook: Path) -> None:
    table = ["system   BLEUw4", "good      40.00", "", "p against good: by", "chance alone", "** p < 0.01"]
    table.append("? has the signatures of BLEUw4, TER")

    def job(store: Store) -> Job[ProgramOutput]:
        yield Progress("halves", 0, 2)
        return ProgramOutput(
            (*table[:2], "BLEUw4: metric:x; TER: metric:y|z", "p against good: by", "chance alone", "** p < 0.01"), ()
        )

    async with jobs_place(phrasebook) as (browser, pilot):
        browser.jobs.start("score", job)
        await idle(pilot)
        await press(pilot, "g", "enter")
        assert isinstance(browser.screen, AnswerScreen) and browser.screen.lines()[1:8] == table
        await press(pilot, "question_mark")
        assert all(part in screen_text(browser) for part in ("metric:x", "TER               metric:y | z"))


async def test_an_answer_keeps_its_lines_goes_sideways_and_is_searched(phrasebook: Path) -> None:
    names = [f"system-{number}" for number in range(40)]
    async with jobs_place(phrasebook) as (browser, pilot):
        await browser.push_screen(AnswerScreen("Job 1", [f"{name:<70}電影{name:>40}" for name in names]))
        await settled(pilot)
        before = screen_text(browser)
        assert "…" in before and "system-0" in before
        assert len({line.index("電影") for line in before.splitlines() if "電影" in line}) == 1, "below each other"
        await press(pilot, *["right"] * 9)
        shown = [line.rstrip("▁▂▃▄▅▆▇█ ") for line in screen_text(browser).splitlines() if "system-" in line]
        assert [line.split()[-1] for line in shown] == names[: len(shown)]
        assert len({line.rindex("system-") + len(line.split()[-1]) for line in shown}) == 1, "columns stay, too"
        await press(pilot, *["left"] * 9)
        assert screen_text(browser).splitlines()[1:] == before.splitlines()[1:]
        assert "nothing is further left" in screen_text(browser)
        await press(pilot, "slash", *"system-33", "enter")
        assert browser.screen.query_one(RowList).cursor == 33
        assert "'system-33': 1 of 1 rows" in screen_text(browser)


async def test_leaving_asks_and_one_can_stay(phrasebook: Path, gate: Gate) -> None:
    async with jobs_place(phrasebook) as (browser, pilot):
        await waits(browser, pilot, gate)
        for keys in (("ctrl+q",), ("q", "q", "q")):  # from a place to the first, and from there out
            await pilot.press(*keys)
            await settled(pilot)
            assert isinstance(browser.screen, LeaveDialog)
            assert "   a long job" in browser.screen.lines()
            await pilot.press("s")
            await settled(pilot)
        gate.opened.set()
        await idle(pilot)
        assert browser.is_running
        await press(pilot, "q", "q")
    assert browser.jobs.states[0].phase == "done"


@pytest.mark.parametrize(("key", "phase"), [("w", "done"), ("c", "cancelled")])
async def test_leaving_waits_for_the_jobs_or_cancels_them(key: str, phase: str, phrasebook: Path, gate: Gate) -> None:
    async with jobs_place(phrasebook) as (browser, pilot):
        await waits(browser, pilot, gate)
        await pilot.press("ctrl+q", key)
        await settled(pilot)
        if key == "w":
            await settled(pilot)
            assert browser.is_running and browser.leaving.waits
        gate.opened.set()
        with contextlib.suppress(AssertionError):  # nothing is left to be driven
            await idle(pilot)
    assert browser.jobs.states[0].phase == phase
    assert not browser.is_running


# The overview, driven by keys, and its lines against what the queries count.


@asynccontextmanager
async def overview_place(path: Path, size: tuple[int, int] = (80, 24)) -> AsyncIterator[tuple[Browser, Pilot[None]]]:
    browser = make_browser(path)
    async with browser.run_test(size=size) as pilot:
        await settled(pilot)
        await pilot.press("7")
        await settled(pilot)
        yield browser, pilot


def lines_of_overview(browser: Browser) -> list[str]:
    assert isinstance(browser.screen, OverviewScreen)
    return browser.screen.lines()


@pytest.mark.slow
@pytest.mark.parametrize("width", [60, *(pytest.param(width, marks=pytest.mark.slow) for width in (80, 200))])
async def test_it_shows_what_is_counted(width: int, phrasebook: Path) -> None:
    with open_store(phrasebook, read_only=True) as store:
        found, statistics = overview(store), corpus_statistics(store, "eng")

    async with overview_place(phrasebook, (width, 24)) as (browser, pilot):
        expected = [*overview_lines(found), "", *statistics_lines(statistics, width - 4, ascii=False)[:-1]]
        # The size of the file with its log is that of the moment.
        assert lines_of_overview(browser)[-len(expected) + 2 :] == expected[2:]
        assert max(cell_len(line) for line in lines_of_overview(browser)[-50:]) <= width - 4
        await pilot.press("G")
        await settled(pilot)
        assert "The filter: N, and candidates that pass it" in screen_text(browser)


@pytest.mark.slow
async def test_the_language_n_and_the_least_validity_can_be_changed(phrasebook: Path) -> None:
    async with overview_place(phrasebook) as (browser, pilot):
        for key, heading in (
            ("right", "Paraphrases of eng at N = 21, V = 0.95"),
            ("left", "Paraphrases of eng at N = 20, V = 0.95"),
            ("greater_than_sign", "Paraphrases of eng at N = 20, V = 0.98"),
            ("less_than_sign", "Paraphrases of eng at N = 20, V = 0.95"),
            ("l", "Paraphrases of fra at N = 20, V = 0.95"),
        ):
            await pilot.press(key)
            await settled(pilot)
            assert any(line.startswith(f"{heading} (") for line in lines_of_overview(browser))


@pytest.mark.slow
async def test_sizes_are_counted_when_asked_for_and_all_again(phrasebook: Path) -> None:
    async with overview_place(phrasebook) as (browser, pilot):
        assert "Tables and indexes, by their names in SQL" not in lines_of_overview(browser)
        await pilot.press("t")
        await settled(pilot)
        assert "Tables and indexes, by their names in SQL" in lines_of_overview(browser)
        with open_store(phrasebook) as store, store.write() as connection:
            connection.execute("insert into collection (name) values ('a new one')")
        await pilot.press("R")
        await settled(pilot)
        assert any("a new one" in line for line in lines_of_overview(browser))


@pytest.mark.slow
async def test_a_long_line_is_read_whole(phrasebook: Path) -> None:
    async with overview_place(phrasebook, (40, 20)) as (browser, pilot):
        rows = browser.screen.query_one(RowList)
        place = next(row for row, line in enumerate(lines_of_overview(browser)) if "who may read" in line)
        rows.cursor = place
        whole = lines_of_overview(browser)[place].strip()
        assert len(whole) > 40
        await pilot.press("enter")
        await settled(pilot)
        assert isinstance(browser.screen, DetailsDialog)
        assert browser.screen.lines()[1] == whole
        await pilot.press("q")
        await settled(pilot)


async def test_an_empty_database_has_an_overview(tmp_path: Path) -> None:
    open_store(tmp_path / "empty.db", create=True).close()

    async with overview_place(tmp_path / "empty.db") as (browser, pilot):
        shown = lines_of_overview(browser)
        assert [line.split()[0] for line in shown[1:4]] == ["Import", "Guides:", "Scores:"]
        assert shown[4] == "" and len(shown) == 7
        await pilot.press("l", "right")
        await settled(pilot)
        assert not any("seeds with so many" in line for line in lines_of_overview(browser))


@pytest.mark.slow
async def test_who_comes_first_is_told_what_there_is_and_three_things_to_try(phrasebook: Path, tmp_path: Path) -> None:
    (tmp_path / "usual.toml").write_text("", encoding="utf-8")

    async def opened(*keys: str) -> tuple[str, list[str]]:
        browser = make_browser(phrasebook, tmp_path / "usual.toml", OfferedCommands(), remembers=True)
        async with browser.run_test(size=(80, 24)) as pilot:
            await settled(pilot)
            shown = lines_of_overview(browser) if browser.current_mode == "overview" else []
            await press(pilot, *keys)
            return browser.current_mode, shown[: shown.index("") if shown else 0]

    mode, steps = await opened("enter")
    assert mode == "overview" and steps[0] == "What to do next: Enter does it"
    assert steps[1] == "  Align words of eng and fra: equivalents, translations of words (align)"
    assert len(steps) == 6
    assert steps[2] == "  Search 10,093 sentences in 3 languages: 1, then / and what is looked for"
    with open_store(phrasebook) as store:
        create_session(store, "mine", "eng", ["Where do I check in?"])
    mode, steps = await opened("escape", "1", "slash", *"beer", "enter", "7", "R")
    assert mode == "overview" and steps[1] == "  Go on with session mine: seed 1 of 1"
    mode, steps = await opened("g", "enter")
    assert steps[1:3] == ["  Go on with the search for beer (eng)", "  Go on with session mine: seed 1 of 1"]
    assert mode == "corpus"
    assert (await opened())[0] == "corpus", "one comes back where one was"


@pytest.mark.slow
async def test_what_was_searched_for_since_is_gone_on_with(phrasebook: Path) -> None:
    async with overview_place(phrasebook) as (browser, pilot):
        for pattern in ("beer", "tea"):
            await press(pilot, "1", "slash", *pattern, "enter", "7")
            assert f"  Go on with the search for {pattern} (eng)" in lines_of_overview(browser)
        await press(pilot, "G", "g")
        assert "What to do next: Enter does it" in screen_text(browser), "with the first row its heading comes back"


@pytest.mark.slow
async def test_the_search_begins_at_a_sentence_that_tells_something(phrasebook: Path) -> None:
    browser = make_browser(phrasebook, remembers=True)
    with open_store(phrasebook) as store:
        most = telling_sentence(store, "eng")
        assert most is not None and telling_sentence(store, "deu") is None
        counted = (
            "select sentence, count(*) from paraphrase join sentence on sentence.id = sentence where language = 'eng'"
        )
        counts = dict(store.connection.execute(f"{counted} and length(text) between 20 and 60 group by 1"))
    assert counts[most] == max(counts.values())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "1")
        assert isinstance(browser.screen, CorpusScreen) and browser.screen.results.current == most
        assert "opened at one with many paraphrases (p); g: the first" in screen_text(browser)


@pytest.mark.slow
def test_the_paper_s_figure_of_a_database(phrasebook: Path) -> None:
    with open_store(phrasebook, read_only=True) as store:
        statistics = corpus_statistics(store, "eng", NSequenceFilter(20))
    plots = figures(statistics, (60, 12), ascii=True)
    assert [line for line in plots if " and " in line and line[0].isalpha()] == [
        "Paraphrases of a seed, and seeds with so many",
        "Words of a seed, and its paraphrases",
        "The filter: N, and candidates that pass it",
    ]
    assert len(plots) == 3 * (12 + 2)
    assert max(map(len, plots)) <= 61


async def test_a_question_beside_others_is_given_up_for_the_next(phrasebook: Path) -> None:
    begun = Event()

    def endless(store: Store) -> object:
        begun.set()
        endless = "with recursive n (i) as (select 1 union all select i + 1 from n) select count(*) from n"
        return store.connection.execute(endless).fetchone()

    reader = OneOffReader(phrasebook)
    first = asyncio.ensure_future(reader.ask(endless))
    assert await asyncio.to_thread(begun.wait, 60)
    languages = "select count(distinct language) from sentence"
    while not first.done():  # the interruption may come just before the statement
        assert await reader.ask(lambda store: store.connection.execute(languages).fetchone()) == (3,)
    with pytest.raises(Superseded):
        first.result()
