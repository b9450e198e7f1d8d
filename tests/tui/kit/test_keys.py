"""Every key does something; commands and guides are found by name, in palette, help and forms."""

from __future__ import annotations

import asyncio
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from unittest.mock import patch

import pytest
from pilots import idle, press, screen_text, settled, until
from place_pilots import add_scores, browser_at
from standpoints import PRESSED, stand
from textual.binding import Binding
from textual.events import Key
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

from corpusdb.base.errors import Cancelled, InputError
from corpusdb.corpus.orders import DEFAULT_ORDER
from corpusdb.guides import guide_text
from corpusdb.program.commands import OfferedCommands
from corpusdb.search.cqp_plan import no_attribute
from tui.app import Browser, all_bindings
from tui.kit.background import place_key
from tui.kit.command_dialog import CommandDialog
from tui.kit.dialogs import AnswerScreen, ChoiceDialog, FormDialog
from tui.kit.fields import Field, completed, recent_paths
from tui.kit.help_screens import GuideScreen, HelpScreen
from tui.kit.place_screen import PlaceScreen, StatusLine
from tui.kit.programs import Program, run_program, short_title
from tui.kit.settings import BrowserSettings, commands_elsewhere, commands_here, live_keys, own_widgets
from tui.kit.shown import RowList, TextPane, said_here
from tui.people.seed_screen import SeedScreen
from tui.places import PLACES
from tui.search.screen import CorpusScreen

_UNSEEN = {
    "app.redraw": "the same screen again",
    "app.suspend": "stops the process; see test_ctrl_z_goes_to_the_shell",
    "go.corpus": "one is there already",
    "overview.recount": "the same figures again",
}
"""Bindings whose effect is not on the screen where they are pressed, and why."""


def appearance(browser: Browser) -> tuple[object, ...]:
    """What a person could notice, in lists after some scrolling too."""
    rows = [(rows.cursor, len(rows.selected), rows.lines()[:100]) for rows in browser.screen.query(RowList)]
    return (screen_text(browser), browser.screen, browser.focused, rows, browser.theme, browser.return_code)


async def is_noticed(browser: Browser, pilot: Pilot[None], key: str) -> bool:
    """Whether a key does something that a person would notice; the browser goes on in any case."""
    for rows in browser.screen.query(RowList):  # from the middle one can go up and down
        rows.cursor = min((rows.count - (key == "down")) // 2, 30)
    for pane in browser.screen.query(TextPane):
        pane.scroll_to(y=3, animate=False)
    browser.say("")
    await idle(pilot)
    before = appearance(browser)
    await pilot.press(key)
    await settled(pilot)
    return appearance(browser) != before


def without_effect(path: Path, name: str, bindings: Sequence[str]) -> list[str]:
    """Those bindings that are not in force at a standpoint, or whose keys do nothing there.

    They are pressed one after the other as long as the browser stands where it stood, if need be after Escape. What
    does nothing after others is pressed once more, first in a new browser.
    """
    left, wanting = list(bindings), []

    async def steps(browser: Browser, pilot: Pilot[None]) -> None:
        screen, focused, first = browser.screen, browser.focused, True
        while left and (browser.screen, browser.focused, browser.return_code) == (screen, focused, None):
            keys = {entry.binding.id: entry.names[0] for entry in live_keys(browser.screen)}
            if left[0] in keys and (await is_noticed(browser, pilot, keys[left[0]]) or left[0] in _UNSEEN):
                del left[0]
            elif first:
                wanting.append(left.pop(0))
            else:
                return
            first = False
            if browser.screen is not screen and browser.return_code is None:
                await pilot.press("escape")
                await settled(pilot)

    while left:
        before = len(left)
        stand(Path(shutil.copy(path, "phrasebook.db")), name, steps)
        assert len(left) < before, f"a new browser at {name} does not come to {left[0]}"
    return wanting


_ALWAYS = ("document", "leave")
"""Standpoints that are gone through by default; the others are slow."""


_OWN = [binding for binding in PRESSED["corpus"] if binding.startswith("corpus.")]
_KEYS = [
    pytest.param("corpus", _OWN, id="corpus", marks=pytest.mark.slow),
    pytest.param("corpus", sorted({*PRESSED["corpus"]} - {*_OWN}), id="corpus-others", marks=pytest.mark.slow),
    *(
        pytest.param(name, PRESSED[name], id=name, marks=() if name in _ALWAYS else pytest.mark.slow)
        for name in PRESSED
        if name != "corpus"
    ),
]
"""The standpoints with what is pressed there; in the corpus the keys that are in force elsewhere too are slow."""


@pytest.mark.usefixtures("morphemes")
@pytest.mark.parametrize(("name", "bindings"), _KEYS)
def test_every_key_does_something(
    name: str, bindings: Sequence[str], indexed_phrasebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Browser, "action_suspend_process", lambda browser: None)
    assert without_effect(indexed_phrasebook, name, bindings) == []


def test_every_binding_is_pressed_somewhere() -> None:
    assert sorted(binding for pressed in PRESSED.values() for binding in pressed) == sorted(all_bindings())


# Commands and guides are found by name wherever they are, in the palette and in the help.


def said(browser: Browser) -> str:
    return browser.screen.query_one(StatusLine).message


@pytest.mark.slow
def test_the_palette_has_every_command_in_every_place(phrasebook: Path) -> None:
    wanted = {
        binding.tooltip
        for owner in own_widgets(PlaceScreen)
        for binding in owner.__dict__.get("BINDINGS", ())
        if isinstance(binding, Binding)
    }

    async def steps(browser: Browser, pilot: Pilot[None]) -> None:
        for number in range(1, len(PLACES) + 1):
            await press(pilot, place_key(number))
            known = {entry.binding.id for entry in live_keys(browser.screen)}
            commands = [*commands_here(browser), *commands_elsewhere(browser, known)]
            assert [told for told in wanted if not any(told in each.told for each in commands)] == []

    stand(phrasebook, "corpus", steps)


@pytest.mark.slow
def test_the_palette_goes_where_a_command_is_and_does_it(phrasebook: Path) -> None:
    async def steps(browser: Browser, pilot: Pilot[None]) -> None:
        await press(pilot, "3", "colon", *"Import files", "enter")
        assert browser.current_mode == "jobs"
        assert isinstance(browser.screen, FormDialog)
        await press(pilot, "escape", "colon", *"Accept this paraphrase", "enter")
        assert (browser.current_mode, said(browser)) == ("session", "Enter on a session: there a does it")
        await press(pilot, "1", "p", "7", "colon", *"stricter filter: N + 1", "enter")
        assert isinstance(browser.screen, SeedScreen)
        assert browser.screen.seed.order == DEFAULT_ORDER + 1

    stand(phrasebook, "corpus", steps)


def test_every_screen_that_is_not_the_first_says_how_one_comes_there() -> None:
    first = {place.load() for place in PLACES}
    assert {
        owner for owner in own_widgets(PlaceScreen) if owner.PLACE and bool(owner.REACHED) == (owner in first)
    } == set()


def test_the_help_finds_a_key_and_does_it(phrasebook: Path) -> None:
    async def steps(browser: Browser, pilot: Pilot[None]) -> None:
        await press(pilot, "question_mark", "slash", *"middle", "enter")
        assert "Keys on this screen: 'middle': 1 of 1 rows" in screen_text(browser)
        await press(pilot, "enter")
        assert isinstance(browser.screen, CorpusScreen)
        assert browser.screen.search.words.kwic
        await press(pilot, "question_mark", "g", "enter")
        assert isinstance(browser.screen, HelpScreen)
        assert "this row is not a key" in screen_text(browser)

    stand(phrasebook, "corpus", steps)


@pytest.mark.slow
def test_the_help_goes_to_the_line_of_input_whose_key_it_is(phrasebook: Path) -> None:
    async def steps(browser: Browser, pilot: Pilot[None]) -> None:
        await press(pilot, "slash", *"beer", "enter", "slash", "ctrl+u", "escape")
        await press(pilot, "question_mark", "slash", *"Recall the search before", "enter", "enter")
        assert isinstance(browser.focused, Input)
        assert browser.focused.value == "beer"

    stand(phrasebook, "corpus", steps)


@pytest.mark.slow
def test_what_is_typed_while_the_browser_starts_is_for_the_keys(phrasebook: Path) -> None:
    focused: list[Widget | None] = []
    really = Screen.set_focus

    def watched(screen: Screen[object], widget: Widget | None, scroll_visible: bool = True, *rest: bool) -> None:
        focused.append(widget)
        really(screen, widget, scroll_visible, *rest)

    async def main() -> None:
        browser = Browser(phrasebook, BrowserSettings())
        async with browser.run_test(size=(80, 24)) as pilot:
            browser.post_message(Key("2", "2"))
            await settled(pilot)
            assert browser.current_mode == "session"
            for place in PLACES:
                await browser.switch_mode(place.key)
                await settled(pilot)

    with patch.object(Screen, "set_focus", watched):
        asyncio.run(main())
    assert [each for each in focused if isinstance(each, Input)] == []
    assert focused


@pytest.mark.slow
async def test_the_help_leads_to_the_guides(phrasebook: Path) -> None:
    async with browser_at(phrasebook) as pilot:
        browser = pilot.app
        await press(pilot, "question_mark")
        assert "tab guides" in screen_text(browser)
        await press(pilot, "tab", *"columns", "enter")
        assert isinstance(browser.screen, GuideScreen)
        shown = screen_text(browser).split("\n")
        assert "corpusdb guide columns" in shown[0]
        assert [line.rstrip() for line in shown[1:20]] == guide_text("columns").split("\n")[:19]
        await press(pilot, "G")
        assert guide_text("columns").rstrip().split("\n")[-1] in screen_text(browser)
        await press(pilot, "g")
        assert guide_text("columns").split("\n")[0] in screen_text(browser)
        await press(pilot, "q", "q")
        assert isinstance(browser.screen, CorpusScreen)


@pytest.mark.slow
async def test_a_word_is_found_in_a_guide(phrasebook: Path) -> None:
    async with browser_at(phrasebook) as pilot:
        browser = pilot.app
        await press(pilot, "question_mark", "tab", *"scores", "enter", "n")
        assert "nothing was looked for in this guide yet" in screen_text(browser)
        lines = guide_text("scores").split("\n")
        found = [line for line in lines if "copies" in line]
        await press(pilot, "slash", *"COPIES", "enter")
        assert f"'COPIES': 1 of {len(found)} lines" in screen_text(browser) and found[0] in screen_text(browser)
        await press(pilot, "N")
        assert f"'COPIES': {len(found)} of {len(found)} lines" in screen_text(browser)
        assert found[-1] in screen_text(browser)
        await press(pilot, "slash", *"nowhere at all")
        assert "'nowhere at all' is in none of its lines" in screen_text(browser)


# Commands begun from any place: paths that are completed, the line a form stands for, what a process wrote.


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("two one.tsv", "two two.tsv", "three.tsv", ".hidden", "data/eng.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("A\tB\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("text", "is_many", "whole", "names"),
    [
        ("tw", False, "two ", ["two one.tsv", "two two.tsv"]),
        ("two o", False, "two one.tsv", ["two one.tsv"]),
        ("tw", True, "two\\ ", ["two one.tsv", "two two.tsv"]),
        ("three.tsv two\\ t", True, "three.tsv two\\ two.tsv", ["two two.tsv"]),
        ("d", False, "data/", ["data/"]),
        ("data/", False, "data/eng.txt", ["eng.txt"]),
        ("~/da", False, "~/data/", ["data/"]),
        ("data/eng.txt ", True, "data/eng.txt data/eng.txt", ["eng.txt"]),
        (".h", False, ".hidden", [".hidden"]),
        ("x", False, "x", []),
        ("nowhere/x", False, "nowhere/x", []),
    ],
)
def test_a_path_is_completed_as_far_as_it_goes(
    text: str, is_many: bool, whole: str, names: list[str], folder: Path
) -> None:
    assert completed(text, is_many=is_many) == (whole, names)


def test_nothing_hidden_is_offered_before_it_is_asked_for(folder: Path) -> None:
    assert ".hidden" not in completed("")[1]


def test_files_named_before_and_their_folders_are_offered(folder: Path) -> None:
    texts = ("data/eng.txt nowhere/x word", "two\\ one.tsv ~/data")
    assert recent_paths(texts) == ["data/eng.txt", "data/", "two\\ one.tsv", "~/data/", "~/"]


@pytest.mark.slow
def test_a_command_answers_fails_and_is_stopped(phrasebook: Path) -> None:
    told: list[str] = []
    counted = run_program(phrasebook, Program(("sql", "select count(*) from collection")), told.append, lambda: False)
    assert counted.lines[-1].strip() == "1" and counted.answer[-1].strip() == "1"
    with pytest.raises(InputError, match="no sentences in tlh"):
        run_program(phrasebook, Program(("detect", "--lang", "tlh")), told.append, lambda: False)
    endless = "with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n"
    with pytest.raises(Cancelled):
        run_program(phrasebook, Program(("sql", endless)), told.append, lambda: True)


@pytest.mark.slow
async def test_every_place_begins_its_own_commands_first_and_a_form_shows_its_line(phrasebook: Path) -> None:
    offered = dict(OfferedCommands().listed())
    assert {place.load() for place in PLACES} <= {*own_widgets(PlaceScreen)}
    firsts = {owner.PLACE: owner.BEGINS for owner in own_widgets(PlaceScreen) if owner.PLACE and not owner.REACHED}
    assert set(firsts) == {place.key for place in PLACES} and all(firsts.values())
    assert {name for names in firsts.values() for name in names} <= offered.keys() | {"scores import"}
    browser = Browser(phrasebook, BrowserSettings(), commands=OfferedCommands(Path("a b.db")))
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "8", "exclamation_mark")
        assert isinstance(browser.screen, ChoiceDialog)
        names = [line.split()[0] for line in browser.screen.lines()[1:]]
        assert tuple(names[:4]) == firsts["equivalents"] and sorted(names) == sorted(offered)
        await press(pilot, "enter")
        assert isinstance(browser.screen, CommandDialog)
        browser.screen.query_one("#lang", Input).value = "eng,fra"
        browser.screen.query_one("#retrain", Input).value = "yes"
        await settled(pilot)
        assert browser.screen.lines()[-1] == "$ corpusdb --db 'a b.db' align --lang eng,fra --retrain"
        assert browser.screen.lines()[-1] in screen_text(browser)
        await press(pilot, "escape", "0", "exclamation_mark", "enter")
        assert browser.screen.lines()[1].startswith("rules list ")  # a group: which of its commands


@pytest.mark.slow
async def test_an_option_is_found_by_its_words_and_its_line_is_gone_to(phrasebook: Path) -> None:
    browser = Browser(phrasebook, BrowserSettings(), commands=OfferedCommands())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "5")
        for key in ("exclamation_mark", *"agreement", "enter"):  # before the options are found
            browser.post_message(Key(key, key if len(key) == 1 else "!" if key != "enter" else None))
        await until(pilot, lambda: isinstance(browser.screen, CommandDialog) and bool(browser.focused), "the form")
        assert browser.screen.lines()[0].startswith("agreement: ")  # type: ignore[attr-defined]
        await press(pilot, "escape", "exclamation_mark", *"novelty")
        await until(pilot, lambda: browser.screen.query_one(RowList).count > 0, "the options")
        lines = browser.screen.query_one(RowList).lines()
        assert [each.split()[:3] for each in lines[:2]] == [["score", "Parts,", "by:"], ["agreement", "Parts,", "by:"]]
        assert all("novelty" in line for line in lines[2:]), "what help and guides say, behind"
        await press(pilot, "enter")
        assert browser.screen.focused is browser.screen.query_one("#by") and isinstance(browser.screen, CommandDialog)
        await press(pilot, "escape", "exclamation_mark", *"precisions", "enter")
        assert browser.screen.focused is browser.screen.query_one("#verbose"), "one that is behind the others"
        await press(pilot, "escape", "6", "exclamation_mark", *"human ratings")
        await until(pilot, lambda: not browser.screen.query_one(RowList).empty.endswith("..."), "the options")
        assert any(line.startswith("scores import ") for line in browser.screen.query_one(RowList).lines())


@pytest.mark.slow
async def test_the_list_of_commands_is_narrowed_by_what_is_typed(phrasebook: Path) -> None:
    browser = Browser(phrasebook, BrowserSettings(), commands=OfferedCommands())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "1", "exclamation_mark", *"freq")
        assert browser.screen.query_one(RowList).text_of(0).startswith("frequencies ")
        await press(pilot, "enter")
        assert isinstance(browser.screen, CommandDialog)
        assert browser.screen.lines()[0].startswith("frequencies: ")
        await press(pilot, "escape", "exclamation_mark", *"scores x", "backspace", *"imp")
        assert browser.screen.query_one(RowList).text_of(0).startswith("scores import ")  # then lines of its form
        await press(pilot, "enter")
        assert isinstance(browser.screen, CommandDialog)
        assert browser.screen.lines()[0].startswith("scores import: ")


@pytest.mark.slow
async def test_a_line_of_choices_takes_what_it_offers_and_shows_all_of_it(phrasebook: Path) -> None:
    browser = Browser(phrasebook, BrowserSettings(), commands=OfferedCommands())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        browser.action_begin_command("score")
        await settled(pilot)
        line = browser.screen.query_one("#unit", Input)
        line.focus()
        for key, value in (
            *(("g", "word"), ("backspace", "word"), ("delete", "word"), ("c", "char"), ("h", "char"), ("w", "word")),
            *(("right", "char"), ("right", "char"), ("space", "word"), ("left", "word"), ("right", "char")),
        ):
            await press(pilot, key)
            assert line.value == value, key
        assert " word [char]" in screen_text(browser)
        for key in ("pagedown", "pageup", "pageup"):
            await press(pilot, key)
        assert line.value == "char"
        fields = browser.commands.form("score").fields  # type: ignore[union-attr]
        told = {len(field.choices): field.name for field in fields if field.choices}  # one of each length
        before = browser.screen.values()  # type: ignore[attr-defined]
        for name in told.values():
            browser.screen.query_one(f"#{name}").focus()
            await press(pilot, "pagedown", "pageup")
        assert browser.screen.values() == before  # type: ignore[attr-defined]
        text = browser.screen.query_one("#metric", Input)
        text.focus()
        for keys, value in ((("backspace",), "ble"), (("u", "home", "delete"), "leu"), (("down", "up", "c"), "c")):
            await press(pilot, *keys)
            assert text.value == value, keys  # a letter, as ever, takes the place of all


@pytest.mark.slow
async def test_a_line_that_may_name_files_says_so_and_completes_them(phrasebook: Path, tmp_path: Path) -> None:
    (tmp_path / "whole.en").touch()
    browser = Browser(phrasebook, BrowserSettings(), commands=OfferedCommands())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        browser.action_begin_command("references")
        await settled(pilot)
        output, sources = (browser.screen.query_one(f"#{name}", Input) for name in ("output", "sources"))
        assert "a folder" in str(output.placeholder) and "files" in str(sources.placeholder)
        sources.focus()
        sources.value = f"{tmp_path}/who"
        await press(pilot, "tab")
        assert (sources.value, sources.has_focus) == (f"{tmp_path}/whole.en", True)


@pytest.mark.parametrize(
    ("told", "here"),
    [
        (
            "Invalid value for '--limit' / '-n': 'eng' is no number (see `python -m corpusdb references --help`)",
            "Invalid value for 'At most': 'eng' is no number",
        ),
        ("is needed: system outputs (`corpusdb guide files`)", "is needed: system outputs (the guide files)"),
        ("12 of 13 have none: --skip-missing leaves them out", "12 of 13 have none: 'Skip missing' leaves them out"),
    ],
)
def test_what_the_shell_is_told_is_told_in_words_of_the_form(told: str, here: str) -> None:
    assert said_here(told) == here


async def test_a_question_mark_is_for_help_where_a_command_is_looked_for(phrasebook: Path) -> None:
    browser = Browser(phrasebook, BrowserSettings(), commands=OfferedCommands())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "exclamation_mark", "s")
        asked = browser.screen
        await press(pilot, "question_mark")
        assert isinstance(browser.screen, HelpScreen)
        await press(pilot, "escape")
        assert browser.screen is asked and asked.query_one(Input).value == "s"


@pytest.mark.slow
async def test_names_with_which_a_path_may_go_on_are_listed_at_once_and_forgotten(
    phrasebook: Path, tmp_path: Path
) -> None:
    for name in ("one.en", "one.fr"):
        (tmp_path / name).touch()
    browser = Browser(phrasebook, BrowserSettings(), commands=OfferedCommands())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        browser.action_begin_command("score")
        await settled(pilot)
        line = browser.screen.query_one("#ref", Input)
        line.focus()
        line.value = f"{tmp_path}/o"
        await press(pilot, "tab")
        assert line.value == f"{tmp_path}/one." and "one.en  one.fr" in screen_text(browser)
        await press(pilot, "down")
        assert "one.en  one.fr" not in screen_text(browser)


def test_many_files_of_one_folder_are_told_by_the_first_and_the_last() -> None:
    title = "score /data/out/a.en /data/out/b.en /data/out/c.en --ref /data/ref.en --store".split()
    assert short_title(title) == "score a.en ... c.en (3 files) --ref ref.en --store"
    assert short_title(title, has_folders=True).startswith("score /data/out/a.en ... c.en (3 files) --ref /data/")
    assert short_title(["compare", "out/a.en", "out/b.en"], has_folders=True) == "compare out/a.en out/b.en"
    words = ["score", "/data/out/it's *.en", "--metric", "bleu chrf"]
    assert short_title(words) == "score it's *.en --metric bleu chrf", "as it was typed"
    assert shlex.split(short_title(words, is_quoted=True)) == ["score", "it's *.en", *words[2:]], "as a shell reads it"


def test_no_line_of_a_form_has_the_name_of_a_list_instead_of_the_list() -> None:
    offered = OfferedCommands()
    names = [each for name, _ in offered.listed() for each in (name, *(own for own, _ in offered.listed(name)))]
    forms = [form for name in names if (form := offered.form(name)) is not None]
    assert len(forms) > 50
    assert [(form.name, each.name) for form in forms for each in form.fields if "{f" in each.help] == []


@pytest.mark.slow
async def test_an_import_of_a_file_that_is_not_there_is_not_begun(phrasebook: Path) -> None:
    browser = Browser(phrasebook, BrowserSettings(), commands=OfferedCommands())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        browser.action_begin_command("import")
        await settled(pilot)
        needed = OfferedCommands().form("import")
        assert needed is not None
        for name in (each.name for each in needed.fields if each.is_required):
            browser.screen.query_one(f"#{name}", Input).value = "dev."
        await press(pilot, "down", "down", "enter")
        assert isinstance(browser.screen, CommandDialog) and not browser.jobs.states
        assert "! there is no file 'dev.'" in screen_text(browser), "on whatever line one stands"


@pytest.mark.slow
async def test_an_import_that_lacks_what_comes_next_is_told_so_and_not_blamed(phrasebook: Path, folder: Path) -> None:
    browser = Browser(phrasebook, BrowserSettings(), commands=OfferedCommands())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        browser.action_begin_command("import")
        await settled(pilot)
        await press(pilot, *"three.tsv", "down")
        await until(pilot, lambda: "a table needs its languages" in screen_text(browser), "what it needs")
        assert "! a table" not in screen_text(browser)
        await press(pilot, "enter")
        assert isinstance(browser.screen, CommandDialog) and not browser.jobs.states, "nor begun without"
        await press(pilot, *"eng,1", "down")
        await until(pilot, lambda: "! " in screen_text(browser), "the error")


@pytest.mark.slow
async def test_the_help_names_keys_as_the_line_of_hints_does(phrasebook: Path) -> None:
    browser = Browser(add_scores(phrasebook), BrowserSettings())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "5", "question_mark")
        assert isinstance(browser.screen, HelpScreen)
        assert any("Compare two: select this row" in line for line in browser.screen.lines())
        await press(pilot, "q")
        await browser.push_screen(AnswerScreen("An answer", ["one line"]))
        await press(pilot, "question_mark")
        assert not any("Open this row" in line or "Select this row" in line for line in browser.screen.lines())


async def test_the_palette_finds_the_commands_of_the_shell(phrasebook: Path) -> None:
    browser = Browser(phrasebook, BrowserSettings(), commands=OfferedCommands())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "colon", *"corpusdb backup", "enter")
        assert isinstance(browser.screen, CommandDialog)
        assert browser.screen.lines()[0].startswith("backup: ")


@pytest.mark.slow
async def test_a_choice_that_is_longer_than_its_row_is_shown_whole(phrasebook: Path) -> None:
    long = "a name of many words " * 6 + "and its end"
    browser = Browser(phrasebook, BrowserSettings())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await browser.push_screen(ChoiceDialog("Which?", ["short", long]))
        await settled(pilot)
        assert "and its end" not in screen_text(browser)
        await press(pilot, "j")
        assert "and its end" in screen_text(browser)


def test_what_a_query_lacks_is_told_by_keys() -> None:
    told = said_here(no_attribute("speaker", ()))
    assert "f, Attribute" in told and "'Where'" not in told and "--" not in told


async def test_a_form_is_carried_out_once_however_often_enter_is_pressed(phrasebook: Path) -> None:
    begun: list[str] = []
    gate = asyncio.Event()

    async def carry_out(values: Mapping[str, str]) -> None:
        begun.append(values["a"])
        await gate.wait()

    browser = Browser(phrasebook, BrowserSettings())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await browser.push_screen(FormDialog("Do it", [Field("a", "A", "once")], lambda values: None, carry_out))
        await pilot.press("enter", "enter", "enter", "x", "backspace", "backspace")
        form = browser.screen
        assert isinstance(form, FormDialog) and form.values() == {"a": "once"}, "nothing is changed meanwhile"
        await until(pilot, lambda: any(line.endswith(" s") for line in form.lines()), "the seconds")
        gate.set()
        await settled(pilot)
    assert begun == ["once"]


async def test_a_browser_without_commands_says_so(phrasebook: Path) -> None:
    browser = Browser(phrasebook, BrowserSettings())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "exclamation_mark")
        assert "begins no commands" in screen_text(browser)
