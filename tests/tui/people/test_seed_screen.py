"""A session that is open, driven by its keys; what it wrote is read back through the queries."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

import pytest
from people_pilots import (
    ELEVATOR,
    STAMPS,
    WEEK,
    decided,
    fill,
    place,
    row_of,
    rows,
    seed_screen,
    seed_status,
    stale_layers,
    standing,
    state_of,
    wait_for_jobs,
)
from pilots import press, screen_text, settled
from rich.cells import cell_len
from textual.widgets import Input

from corpusdb.base.cells import wrapped
from corpusdb.corpus.formats.scoring_input import read_references
from corpusdb.corpus.model import Analogy, Explanation, Paraphrase
from corpusdb.corpus.store import open_store
from corpusdb.paraphrase.queries.filters import DEFAULT_FILTER, NSequenceFilter
from corpusdb.people.queries.decisions import decide
from corpusdb.people.queries.sessions import create_session, seeds_of_session, sessions
from corpusdb.people.queries.views import SeedReader
from tui.app import Browser
from tui.kit.dialogs import ChoiceDialog, FormDialog
from tui.kit.shown import RowList
from tui.people.explanation_screen import EvidencePane, ExplanationScreen, explanation_rows, folded, format_why
from tui.people.open_seed import difference_marked
from tui.search.document_screen import DocumentScreen


@pytest.mark.slow
async def test_n_strikes_out_and_brings_back_at_once(begun: Path) -> None:
    async with place(begun, "enter", "right_square_bracket") as pilot:
        screen = seed_screen(pilot)
        seed, view = screen.seed, screen.seed.view
        assert view is not None and len(view.paraphrases) > 4
        await press(pilot, *["less_than_sign"] * 20)
        for keys in (["left"] * 16, ["right"] * 5, ["left"] * 9, ["right"] * 3):
            await press(pilot, *keys)
            fails = [not NSequenceFilter(seed.order, final_marks=False).passes(each) for each in view.paraphrases]
            assert [row.startswith("fails") for row in rows(pilot)] == fails
            lines = [screen.panes.candidates._line(row) for row in range(len(fails))]
            assert [any("strike" in str(span.style) for span in line.spans) for line in lines] == fails
            assert f"{fails.count(False)} of {len(fails)} pass" in screen_text(pilot.app)
        assert seed.order == 3
        assert standing(begun).order == 3
        await press(pilot, "left", "left", "left", "left")
        assert seed.order == 0


@pytest.mark.slow
async def test_the_least_validity_strikes_out_and_brings_back_at_once(begun: Path) -> None:
    async with place(begun, "enter", "right_square_bracket") as pilot:
        screen = seed_screen(pilot)
        seed, view = screen.seed, screen.seed.view
        assert view is not None and seed.kept == DEFAULT_FILTER
        assert "validity >= V = 0.95, order >= N = 20, or less" in screen_text(pilot.app)
        passing = []
        for keys, least in (
            (["greater_than_sign"] * 4, 0.999),
            (["less_than_sign"] * 6, 0.8),
            (["less_than_sign"], 0.7),
        ):
            await press(pilot, *keys)
            assert seed.kept == NSequenceFilter(20, min_validity=least, final_marks=False)
            fails = [not seed.kept.passes(each) for each in seed.shown()]
            assert [row.startswith(("fails N", "fails V")) for row in rows(pilot)] == fails, "by what each fails"
            assert f"{fails.count(False)} of {len(fails)} pass" in screen_text(pilot.app)
            passing.append(fails.count(False))
        assert passing == sorted(passing) and passing[0] < passing[-1]
        await press(pilot, *["less_than_sign"] * 9)
        assert seed.kept == NSequenceFilter(20, final_marks=False)
        await press(pilot, "q", "enter")
        assert seed_screen(pilot).seed.kept == NSequenceFilter(20, final_marks=False), "the session keeps the filter"


@pytest.mark.slow
async def test_the_validity_is_shown_in_the_list(begun: Path) -> None:
    async with place(begun, "enter") as pilot:
        first = seed_screen(pilot).panes.candidates.candidates[0]
        assert first.validity is not None
        shown = next(cell for cell in rows(pilot)[0].split() if cell[0].isdigit())
        assert len(shown) >= len("0.123")
        assert round(float(shown), 3) == round(first.validity, 3)


async def test_who_moves_the_filter_is_told_what_it_brought(begun: Path) -> None:
    async with place(begun, "enter") as pilot:
        seed = seed_screen(pilot).seed
        assert seed.view is not None
        for key in (*["left"] * 12, *["right"] * 3, *["less_than_sign"] * 4):
            before = seed.kept
            await press(pilot, key)
            more = seed.view.passing(seed.kept) - seed.view.passing(before)
            told = f"{abs(more)} {'more' if more > 0 else 'fewer'} pass" if more else "as many pass as before"
            assert seed_status(pilot).startswith(told), key
        seed.order, seed.min_validity = 2, 1.0
        await press(pilot, "left")
        failing = seed.view.proposed - seed.view.passing(seed.kept)
        assert seed_status(pilot).endswith(f"; {failing} of {failing} that fail are below V: < lowers it")


async def test_what_changes_in_a_long_paraphrase_is_seen(begun: Path) -> None:
    seed = f"{'It is rather long and ' * 4}begins at nine."
    text = seed.replace("begins", "starts")
    with open_store(begun) as store:
        create_session(store, "long", "eng", [seed])
        decide(store, "long", seed, text, "accept")
    async with place(begun, "enter") as pilot:
        assert text in rows(pilot)[-1], "it is looked for in all of it"
        assert re.search("….*starts at nine", screen_text(pilot.app))


@pytest.mark.slow
async def test_the_order_that_is_asked_stands_beside_a_lower_one(begun: Path) -> None:
    async with place(begun, "enter") as pilot:
        for at in range(3):
            screen = seed_screen(pilot)
            for each, row in zip(screen.panes.candidates.candidates, rows(pilot), strict=True):
                low = each.order is not None and each.order < 20 and not any(it.is_vouched for it in each.findings)
                cell = next((cell for cell in row.split() if cell[:1].isdigit() and "<" in cell), "")
                assert not cell or low, row
                if cell:
                    order, asked = map(int, cell.split("<"))
                    assert order < asked and "order" in screen.seed.kept.reason(each)
            await press(pilot, *["right_square_bracket"] * (at < 2))


@pytest.mark.slow
async def test_what_fails_can_be_hidden(begun: Path) -> None:
    async with place(begun, "enter", "right_square_bracket") as pilot:
        every = rows(pilot)
        failing = [row for row in every if row.startswith("fails")]
        assert failing
        await press(pilot, "G", "h")
        assert rows(pilot) == [row for row in every if row not in failing]
        assert " shown" in screen_text(pilot.app).splitlines()[1]
        await press(pilot, "h")
        assert rows(pilot) == every


async def test_seeds_forth_and_back(begun: Path) -> None:
    async with place(begun, "enter") as pilot:
        await press(pilot, "left_square_bracket")
        assert "this is the first of 3 seeds" in seed_status(pilot)
        await pilot.press("right_square_bracket", "right_square_bracket")  # without waiting in between
        await settled(pilot)
        assert "seed 3 of 3" in screen_text(pilot.app) and STAMPS in screen_text(pilot.app)
        assert standing(begun).position == 3
        await press(pilot, "right_square_bracket")
        assert "this is the last of 3 seeds" in seed_status(pilot)
        await press(pilot, "left_square_bracket")
        assert standing(begun).seed == WEEK
        await press(pilot, "o")
        assert isinstance(pilot.app.screen, ChoiceDialog)
        await press(pilot, "g", "enter")
        assert standing(begun).seed == ELEVATOR


@pytest.mark.slow
async def test_done_goes_on_and_is_taken_back(begun: Path) -> None:
    def states() -> list[str]:
        with open_store(begun, read_only=True) as store:
            return [each.state for each in seeds_of_session(store, "s")]

    async with place(begun, "enter", "d") as pilot:
        assert states() == ["done", "seen", "waiting"]
        assert "seed 2 of 3 (1 done)" in screen_text(pilot.app)
        await press(pilot, "left_square_bracket")
        assert "seed 1 of 3 (done)" in screen_text(pilot.app)
        await press(pilot, "d")
        assert states() == ["seen", "seen", "waiting"]
        assert standing(begun).position == 1


async def test_accept_reject_undo(begun: Path) -> None:
    async with place(begun, "enter", "right_square_bracket") as pilot:
        first, second = [each.text for each in seed_screen(pilot).panes.candidates.candidates[:2]]
        await press(pilot, "a", "x")
        assert decided(begun) == [(first, "accept", False), (second, "reject", False)]
        assert [state_of(pilot, text) for text in (first, second)] == ["accepted", "rejected"]
        assert "1 accepted, 1 rejected" in screen_text(pilot.app)
        await press(pilot, "left_square_bracket", "u")
        assert seed_screen(pilot).seed.view is not None and standing(begun).seed == WEEK  # where it was decided
        assert seed_status(pilot).startswith(f"rejection taken back: {second}")
        current = seed_screen(pilot).panes.candidates.current
        assert current is not None and current.text == second
        await press(pilot, "k", "a")
        assert "accepted already" in seed_status(pilot)
        await press(pilot, "k", "x", "backspace")
        assert "rejection taken back, accepted again" in seed_status(pilot)
        await press(pilot, "u")
        assert decided(begun) == []
        await press(pilot, "u")
        assert "nothing was decided yet" in seed_status(pilot)


@pytest.mark.slow
async def test_what_was_taken_back_is_made_again(begun: Path) -> None:
    async with place(begun, "enter", "U") as pilot:
        assert "nothing to make again" in seed_status(pilot)
        await press(pilot, "a", "right_square_bracket", "x")
        before = decided(begun)
        await press(pilot, "u", "u", "right_square_bracket", "right_square_bracket", "U")
        assert decided(begun) == before[:1]
        assert seed_status(pilot).startswith(f"accepted again: {before[0][0]}"[:60])
        current = seed_screen(pilot).panes.candidates.current
        assert current is not None and current.text == before[0][0]
        await press(pilot, "U")
        assert decided(begun) == before and "seed 2 of 3" in screen_text(pilot.app)
        await press(pilot, "u")
        assert seed_status(pilot).startswith("rejection taken back: "), "it was made here"
        await press(pilot, "a", "U")
        assert "nothing to make again" in seed_status(pilot), "something else was decided meanwhile"


@pytest.mark.slow
async def test_several_at_once(begun: Path) -> None:
    async with place(begun, "enter", "right_square_bracket", "space", "space", "a") as pilot:
        first, second = [each.text for each in seed_screen(pilot).panes.candidates.candidates[:2]]
        assert decided(begun) == [(first, "accept", False), (second, "accept", False)]
        assert "2 accepted" in seed_status(pilot)
        assert seed_screen(pilot).panes.candidates.selected == set()


@pytest.mark.slow
async def test_a_paraphrase_is_looked_into(begun: Path) -> None:
    async with place(begun, "enter") as pilot:
        candidates = seed_screen(pilot).panes.candidates
        candidates.go_to(next(each.text for each in candidates.candidates if each.shared and each.frequency))
        await press(pilot, "enter")
        screen = pilot.app.screen
        assert isinstance(screen, ExplanationScreen)
        lines = screen.lines()
        assert lines[1] == f"  offered as a paraphrase of: {ELEVATOR}"
        assert lines[2].startswith("Passes: ") and lines[3].startswith("Validity ")
        reason = re.fullmatch(r"  \+ (.* / .*): (\d+) of \d+ pairs of sentences share a translation; .*", lines[4])
        assert reason is not None
        assert lines[5].startswith("  + the two share a translation"), "what else the validity is made of"
        assert lines[6].startswith("Both have the translations")
        sharing = lines.index(f"{reason[1]}: pairs that share a translation (3 of {reason[2]})")
        assert lines[sharing + 1].startswith("  ") and lines[sharing + 3].startswith("       fra  ")
        assert any(line.startswith(reason[1]) and "that share none" in line for line in lines[sharing:])
        place_of_first = next(row for row, line in enumerate(lines) if line.startswith("Analogy 1 of "))
        letters = [line.split()[0] for line in lines[place_of_first + 1 : place_of_first + 7]]
        assert letters == ["A", "B", "C", "D", "B'", "x"]
        await press(pilot, "enter")  # to the lines of the file where the paraphrase stands
        assert isinstance(pilot.app.screen, DocumentScreen)
        assert re.match(r"\S+\.tsv: line \d+", pilot.app.screen.lines()[0])
        await press(pilot, "q", "j", "j", "enter")
        assert "this line is no sentence" in screen_text(pilot.app)
        await press(pilot, "g", *["j"] * (sharing + 1), "enter")  # to where an example stands
        assert isinstance(pilot.app.screen, DocumentScreen)
        await press(pilot, "q", "question_mark")
        assert "A is to B as C is to D, which is the seed" in "\n".join(pilot.app.screen.lines())
        await press(pilot, "q", "q")
        seed_screen(pilot)


@pytest.mark.slow
async def test_a_seed_of_ones_own_that_the_corpus_does_not_hold(begun: Path) -> None:
    async with place(begun, "enter", "t") as pilot:
        await fill(pilot, text=" ")
        assert "an empty sentence is not a seed" in screen_text(pilot.app)
        await fill(pilot, text="Can I get stamps?")
        browser = pilot.app
        assert isinstance(browser, Browser)
        assert "seed 2 of 4" in screen_text(pilot.app) and "not in the corpus" in screen_text(pilot.app)
        assert rows(pilot)
        await press(pilot, "a")
        assert "1 accepted; e exports it, w cannot write it: no translations" in seed_status(pilot)
        candidates = seed_screen(pilot).panes.candidates
        candidates.go_to(next(each.text for each in candidates.candidates if "analogy" in each.origins))
        await press(pilot, "enter")
        assert any(line.startswith("Analogy 1") for line in pilot.app.screen.query_one(RowList).lines())
        await press(pilot, "q", "t", "escape", "w")
        await wait_for_jobs(pilot, browser)
        assert "nothing was written; 1 cannot be: no translations of the seed to share" in seed_status(pilot)
        assert not browser.jobs.states
        await press(pilot, "left_square_bracket", "a", "w")
        question = "Write 1 accepted into the corpus? x on one takes it out again. 1 other cannot be: no"
        assert isinstance(asked := pilot.app.screen, ChoiceDialog) and asked.lines()[0].startswith(question)
        await press(pilot, "enter")
        await wait_for_jobs(pilot, browser)
        assert seed_status(pilot).startswith("1 is in the corpus now, with ")
        assert "; 1 cannot be: no translations" in seed_status(pilot)
        assert [state.title for state in browser.jobs.states] == ["write 1 accepted of s"]
        await press(pilot, "q")
        assert pilot.app.screen.query_one(RowList).lines()[0].split()[-2:] == ["0", "1"]  # write, wait
        await press(pilot, "enter", "t")
        await fill(pilot, text=ELEVATOR)  # which is in the queue
        assert "seed 1 of 4" in screen_text(pilot.app)


@pytest.mark.slow
async def test_what_was_accepted_is_written_in_the_background(small: Path) -> None:
    with open_store(small) as store:
        create_session(store, "s", "eng", ["A customs form, please."])

    async with place(small, "enter", "G", "a") as pilot:
        browser = pilot.app
        assert isinstance(browser, Browser)
        (text,) = [text for text, _, _ in decided(small)]
        await press(pilot, "w", "escape", "w", "j", "enter")
        await wait_for_jobs(pilot, browser)
        assert decided(small) == [(text, "accept", True)]
        assert row_of(pilot, text).split()[:2] == ["written", "corpus"]
        await press(pilot, "u")
        assert "nothing to take back: all 1 decided are in the corpus" in seed_status(pilot) and stale_layers(small)
        seed_screen(pilot).panes.candidates.go_to(text)
        await press(pilot, "x", "j", "enter")
        await wait_for_jobs(pilot, browser)
        assert (decided(small), row_of(pilot, text).split()[0]) == ([(text, "accept", False)], "accepted")
        assert seed_status(pilot).startswith("in the corpus from elsewhere, and stays there, without 3 translations; ")
        await press(pilot, "u", "w")  # nothing to write; what is derived follows
        await wait_for_jobs(pilot, browser)
        assert not stale_layers(small)
        assert [state.phase for state in browser.jobs.states] == ["done"] * 3


async def test_a_file_that_may_only_be_read(begun: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write to every file")
    begun.chmod(0o444)

    async with place(begun, "enter", "right_square_bracket") as pilot:
        assert WEEK in screen_text(pilot.app)
        await press(pilot, "a")
        assert "may only be read" in seed_status(pilot)


@pytest.mark.slow
async def test_the_readme_shows_what_is_seen(phrasebook: Path) -> None:
    readme = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    picture = readme.partition(" 1 Search  2[Paraphrases]")[2].partition("```")[0].splitlines()
    with open_store(phrasebook) as store:
        create_session(store, "eng-corpus-1", "eng", ["Where is the bus stop?"])

    async with place(phrasebook, "enter", "j", "a", "x") as pilot:
        seen = [line.rstrip() for line in screen_text(pilot.app).split("\n")]
        assert seen[1 : len(picture)] == picture[1:]


# A paraphrase that is edited: a wording of one's own is accepted, taken back and exported as any other.


OWN = "Where would the elevator be?"


async def test_a_wording_of_ones_own(begun: Path, tmp_path: Path) -> None:
    async with place(begun, "enter", "E") as pilot:
        await press(pilot, "escape")
        candidates = seed_screen(pilot).panes.candidates
        first = candidates.candidates[0].text
        await press(pilot, "E")
        assert pilot.app.screen.query_one("#text", Input).value == first
        await fill(pilot, text=" ")
        assert "! an empty sentence is not a paraphrase" in screen_text(pilot.app)
        await fill(pilot, text=f" {OWN} ")
        assert decided(begun) == [(OWN, "accept", False)]
        assert state_of(pilot, OWN) == "accepted"
        row = next(line for line in candidates.lines() if OWN in line)
        assert row.split()[:2] == ["accepted", "own"]  # and it does not fail
        assert OWN in candidates.lines()[-1] and candidates.current and candidates.current.text == OWN, "in sight"
        assert seed_status(pilot) == "1 accepted; your own wording stands last"
        await press(pilot, "right", "right", "h")
        assert OWN in [each.text for each in candidates.candidates]
        view = seed_screen(pilot).seed.view
        assert view is not None and view.proposed == len(view.paraphrases) - 1  # it neither passes nor fails
        assert f"{len(candidates.candidates)} of {len(view.paraphrases)} shown" in screen_text(pilot.app), "own, too"
        await press(pilot, "h", "e")
        await fill(pilot, file=str(tmp_path / "out.tsv"))
        found = read_references([tmp_path / "out.tsv"]).references
        assert [each.text for each in found[0]] == [ELEVATOR, OWN]
        await press(pilot, "E")
        await fill(pilot, text=f"{OWN[:-1]}, please?")  # in place of the one before
        assert [verdict for _, verdict, _ in decided(begun)] == ["reject", "accept"]
        await press(pilot, "u", "u", "u")
        assert seed_status(pilot).startswith(f"acceptance taken back: {OWN}")
        assert decided(begun) == [] and OWN not in [each.text for each in candidates.candidates]


def test_a_wording_of_ones_own_is_judged_as_what_is_made_by_an_exchange(begun: Path) -> None:
    judged = 0
    with open_store(begun) as store:

        def seen(name: str, position: int, origins: Sequence[str] | None = None) -> Mapping[str, Paraphrase]:
            view = SeedReader(store, lambda: nullcontext(store), origins).read(name, position)
            return {each.text: each for each in view.paraphrases}

        (session,) = sessions(store)
        for seed in seeds_of_session(store, session.name):
            found = seen(session.name, seed.position).values()
            made = [each for each in found if each.origins == ("exchange",) and not each.in_corpus]
            for each in made:
                decide(store, session.name, seed.text, each.text, "accept")
            own = seen(session.name, seed.position, ["detected"])
            for each in made:
                one = own[each.text]
                assert (one.origins, one.validity, one.order) == ((), each.validity, each.order)
            judged += len(made)
    assert judged


@pytest.mark.slow
async def test_a_wording_of_ones_own_that_is_no_sentence_is_said_to_be_none(begun: Path) -> None:
    async with place(begun, "enter", "E") as pilot:
        await fill(pilot, text="abc")
        assert seed_status(pilot) == "1 accepted; your own wording stands last"
        assert "unless rejected. Made by the program it would fail: order 1 " in " ".join(
            screen_text(pilot.app).split()
        )
        rows = seed_screen(pilot).panes.candidates
        (own,) = (each for each in rows.candidates if each.text == "abc")
        row = next(line for line in rows.lines() if line.endswith("abc"))
        assert row.split() == ["accepted", "own", f"{own.validity:.3f}", "1<20", "abc"], "as what is said of it"


# What a session says of keys that do nothing, of the filter, of the last seed, and when one comes back.


@pytest.mark.slow
async def test_what_was_said_is_forgotten_with_the_next_key_that_says_nothing(begun: Path) -> None:
    async with place(begun, "enter", "a") as pilot:
        assert seed_status(pilot).startswith("1 accepted")
        await press(pilot, "j")
        assert "accepted" not in seed_status(pilot)
        for _ in range(2):  # what is said once more stays
            await press(pilot, "left_square_bracket")
            assert "this is the first of 3 seeds" in seed_status(pilot)
        await press(pilot, "r")  # a key that does nothing is silent
        assert seed_status(pilot).strip() == ""
        await press(pilot, "x", "1", "2")
        assert "rejected" not in seed_status(pilot)


@pytest.mark.slow
async def test_what_the_seed_does_not_have_is_underlined(begun: Path) -> None:
    async with place(begun, "enter") as pilot:
        view = seed_screen(pilot).seed.view
        assert view is not None
        for each in view.paraphrases:
            text = difference_marked(view.seed, each.text)
            marked = " ".join(text.plain[span.start : span.end] for span in text.spans).split()
            assert marked == [word for word in marked if word in each.text]
            assert bool(marked) or len(each.text.split()) < len(view.seed.split())


async def test_after_the_last_seed_it_says_what_can_be_done(begun: Path) -> None:
    async with place(begun, "enter", "a", "d", "d") as pilot:
        assert "done: " not in seed_status(pilot)
        await press(pilot, "d")
        assert seed_status(pilot).startswith("all 3 seeds are done: w writes 1 into the corpus, e exports all 1")
        await press(pilot, "d")
        assert "done: " not in seed_status(pilot)


@pytest.mark.slow
async def test_the_line_below_says_why_a_paraphrase_passes_or_fails(begun: Path) -> None:
    async with place(begun, "enter") as pilot:
        seed = seed_screen(pilot).seed
        assert seed.view is not None
        for each in seed.view.paraphrases:
            told = format_why(each, seed.kept)
            assert told.startswith(("Validity ", "Holds: ")) == seed.kept.passes(each)
            assert told.startswith("Fails: ") == (not seed.kept.passes(each))
            assert told.endswith(".") and told.strip("Holds: .")
            folded_lines = [part for line in (each.text, *told.split("\n")) for part in wrapped(line, 80 - 4)]
            assert len(folded_lines) <= 5, "all of it has room at 80x24"
        current = seed_screen(pilot).panes.candidates.current
        assert current is not None
        assert format_why(current, seed.kept) in " ".join(screen_text(pilot.app).split())


async def test_a_new_session_without_a_source_is_told_to_name_one(begun: Path) -> None:
    async with place(begun, "c") as pilot:
        await fill(pilot, name="new")
        assert isinstance(pilot.app.screen, FormDialog)
        assert "name one source" in screen_text(pilot.app)
        await fill(pilot, text="A beer.", search="beer")
        assert "2 sources of the seeds are named" in screen_text(pilot.app)


async def test_a_long_name_leaves_the_counts_in_sight(phrasebook: Path) -> None:
    with open_store(phrasebook) as store:
        create_session(store, "a name that is longer than there is room for it", "eng", [WEEK])

    async with place(phrasebook, "enter", "a") as pilot:
        head = screen_text(pilot.app).split("\n")[1]
        assert (
            head.startswith("a name ") and ": seed 1 of 1, 1 accepted, 0 rejected " in head and head.endswith(" pass")
        )


# What stands behind a paraphrase, beside it and on a screen of its own.


# Where there is room beside the paraphrases, what stands behind the one under the cursor is shown.


@pytest.mark.parametrize(
    ("size", "is_shown"), [pytest.param((80, 24), False, marks=pytest.mark.slow), ((119, 40), False), ((120, 40), True)]
)
async def test_the_analogies_of_a_row_are_beside_it_on_a_wide_screen(
    begun: Path, size: tuple[int, int], is_shown: bool
) -> None:
    evidence = ("translates with B to", "Both have the", "sentences that differ by it alone")

    async with place(begun, "enter", size=size) as pilot:
        pane = pilot.app.screen.query_one(EvidencePane)
        seen, shown = [], ""
        for _ in range(4):
            seen.append(pane.text.plain)
            shown += screen_text(pilot.app) + " ".join(seen[-1].split())
            await press(pilot, "j")
        assert any(each in shown for each in evidence) == is_shown
        assert (seen[0] != seen[1]) == is_shown


async def test_it_appears_with_the_room_for_it(begun: Path) -> None:
    async with place(begun, "enter") as pilot:
        pane = pilot.app.screen.query_one(EvidencePane)
        assert pane.text.plain == ""
        await pilot.resize_terminal(200, 60)
        await press(pilot, "k")
        assert "Validity" in pane.text.plain
        assert "Validity" in screen_text(pilot.app)


# What the browser lists behind a paraphrase that no analogy yields.


@pytest.mark.parametrize(
    ("reasons", "last"),
    [(("one", "another"), ["one", "another"]), ((), ["No analogy gives it, and the two share no translation."])],
)
def test_reasons_in_words_are_rows(reasons: tuple[str, ...], last: list[str]) -> None:
    rows = list(explanation_rows(Explanation("the seed", "the candidate", (), 0, reasons=reasons)))
    assert [row.text for row in rows] == ["the candidate", "  offered as a paraphrase of: the seed", *last]


def test_what_people_accepted_comes_first() -> None:
    found = Explanation("the seed", "the candidate", (), 0, reasons=("one",), validity=1.0, accepted=("accepted",))
    accepted, validity, reason = (row.text for row in [*explanation_rows(found)][2:])
    assert (accepted, validity.partition(",")[0], reason) == ("accepted", "Validity 1.000", "one")


@pytest.mark.parametrize("width", [20, 38, 76])
@pytest.mark.parametrize(
    ("text", "margin"),
    [
        ("Analogy 1 of 20, of a heading that is longer than some screens are wide", 0),
        ("  paraphrases Where do I check in, please, with so much luggage?", 2),
        ("  B'   Where can I check in, please, with so much luggage?", 7),
        ("       fra  Où est-ce que je dois m'enregistrer ?  (phrasebook/airport.tsv:2, airport.tsv:5)", 12),
        ("       jpn  どこでチェックインすればいいですか、教えていただけませんか。", 12),
    ],
)
def test_a_row_is_wrapped_and_nothing_of_it_is_lost(text: str, margin: int, width: int) -> None:
    lines = folded(text, width)
    assert max(map(cell_len, lines)) <= width
    assert {line[:margin] for line in lines[1:]} <= {" " * margin}
    whole = lines[0] + "".join(line[margin:] for line in lines[1:])
    assert whole.replace(" ", "") == text.replace(" ", "")


def test_analogies_with_the_same_rewording_take_a_row_each() -> None:
    of = [Analogy(a, "I want to go.", c, "I have to go.", "I want to go there.", "", "", "") for a, c in PAIRS]
    found = Explanation("I have to go.", "I have to go there.", tuple(of), len(of))
    lines = [row.text for row in explanation_rows(found, language="eng")]
    first = lines.index("Analogy 1 of 3: A is to B as C is to D, so A is to B' as C is to x")
    later = [f"  Analogy {at}, as 1 but for A  {a}  and C  {c}" for at, (a, c) in enumerate(PAIRS, 1)]
    assert lines[first + 8 :] == later[1:]
    many = Explanation("I have to go.", "I have to go there.", tuple(of * 10), 500)
    lines = [row.text for row in explanation_rows(many, language="eng")]
    assert lines[first + 8 : first + 10] == later[1:]
    assert lines[first + 13 :] == [
        "  and 24 more as 1, with another A and C",
        "470 more analogies; `corpusdb explain -n 0` in a shell shows all",
    ]


PAIRS = (("I want it.", "I have it."), ("I want one.", "I have one."), ("I want cash.", "I have cash."))
