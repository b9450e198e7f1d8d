"""The line at the bottom, finding in rows, the clipboard, the settings, and what is kept for the next time."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import pytest
from corpus_pilots import status
from pilots import press, screen_text, settled
from textual.binding import Binding
from textual.containers import VerticalScroll

from corpusdb.base.cells import cell_width
from corpusdb.base.errors import InputError
from corpusdb.corpus.store import open_for_reading
from corpusdb.corpus.store.user_history import HISTORY_VARIABLE
from corpusdb.program.commands import OfferedCommands
from corpusdb.search.queries.categories import category_sets
from corpusdb.search.queries.request import SearchRequest
from tui.app import Browser, all_bindings, all_contexts, make_browser
from tui.kit.dialogs import shown_lines
from tui.kit.fields import FieldLine
from tui.kit.folded_form import FoldLine
from tui.kit.place_screen import _broken
from tui.kit.saved_state import SavedState
from tui.kit.settings import BrowserSettings, configuration_file, conflicts, is_key, load_settings
from tui.kit.shown import FoundRow, find_row
from tui.kit.terminal import copy_beside_terminal, copy_file, fits_terminal
from tui.search.screen import CorpusScreen

# What is said at the bottom: in one line where it fits, else in two or three, so that its end can be read too.


_LONG = f"12 references written to /home/kim/{'x' * 60}.tsv; 3 of 4 seeds have only themselves"


@pytest.mark.slow
async def test_what_is_longer_than_a_line_takes_two(phrasebook: Path) -> None:
    async with make_browser(phrasebook).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        rows = screen_text(pilot.app).split("\n")[:-2]
        for said, is_error in ((_LONG, False), (_LONG, True), (f"{_LONG}\nmore", False)):
            getattr(pilot.app, "say")(said, is_error=is_error)  # noqa: B009
            await settled(pilot)
            lines = screen_text(pilot.app).split("\n")
            assert lines[:-2] == rows and all(cell_width(line) <= 80 for line in lines)  # no line of the list moves
            joined = "".join(line.strip() for line in lines[-2:]).replace(" ", "")
            assert joined == f"{'! ' * is_error}{said}".replace(" ", "").replace("\n", "")
        for more, last in ((_LONG[:60], "and three"), (_LONG * 9, "…")):
            getattr(pilot.app, "say")(f"{_LONG}; {more}; and three")  # noqa: B009
            await settled(pilot)
            lines = screen_text(pilot.app).split("\n")
            assert len(lines) == 24 and lines[-3].startswith("12 references") and lines[-1].rstrip().endswith(last)
        getattr(pilot.app, "say")("short")  # noqa: B009
        await settled(pilot)
        lines = screen_text(pilot.app).split("\n")
        assert lines[:-2] == rows and lines[-1].strip() == "short"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("one two three", ("one two", "three")),
        ("one two", ("one two", "")),
        ("one tw three", ("one tw", "three")),
        ("oneoneoneone two", ("oneoneon", "eone two")),
        ("日本語の文章です", ("日本語の", "文章です")),
        ("a /home/kim/references", ("a /home/", "kim/references")),
    ],
)
def test_where_a_line_is_broken(text: str, parts: tuple[str, str]) -> None:
    assert _broken(text, 8) == parts


# Finding in rows, down and up, and round the end.


TEXTS = ["Beer", "tea", "a beer", "wine", "BEER!"]


@pytest.mark.parametrize(
    ("start", "direction", "expected"),
    [
        (0, 1, FoundRow(0, 1, 3)),
        (1, 1, FoundRow(2, 2, 3)),
        (5, 1, FoundRow(0, 1, 3)),
        (3, -1, FoundRow(2, 2, 3)),
        (4, -1, FoundRow(4, 3, 3)),
        (-1, -1, FoundRow(4, 3, 3)),
    ],
)
def test_the_next_row_that_holds_it(start: int, direction: int, expected: FoundRow) -> None:
    assert find_row(TEXTS, "beer", start, direction) == expected
    assert find_row(TEXTS, "coffee", start, direction) is None


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in which programs are found, which may be slow to begin."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr("tui.kit.terminal._TMUX_SECONDS", 60.0)
    return folder


def put_tmux(folder: Path, script: str) -> None:
    program = folder / "tmux"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)


def test_it_is_always_written_to_a_file_whose_name_is_told(tmp_path: Path) -> None:
    assert copy_file() == tmp_path / "state" / "corpusdb" / "copied.txt"
    assert copy_beside_terminal("ビール", {}) == f"1 line to {copy_file()}, terminal (OSC 52)"
    assert copy_file().read_text(encoding="utf-8") == "ビール\n"
    assert copy_beside_terminal("a\nb", {}).startswith("2 lines to ")
    assert copy_file().read_text(encoding="utf-8") == "a\nb\n"


def test_the_file_is_named_as_one_would_type_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME")
    assert copy_beside_terminal("a", {}) == "1 line to ~/.local/state/corpusdb/copied.txt, terminal (OSC 52)"


def test_inside_tmux_a_buffer_is_made_of_it(bin_folder: Path, tmp_path: Path) -> None:
    put_tmux(bin_folder, f'echo "$@" > {tmp_path}/called; while read -r line; do echo "$line" >> {tmp_path}/got; done')
    assert copy_beside_terminal("a\nb\n", {"TMUX": "socket,1,0"}).endswith("copied.txt, tmux, terminal (OSC 52)")
    assert (tmp_path / "called").read_text() == "load-buffer -w -\n"
    assert (tmp_path / "got").read_text() == "a\nb\n"


def test_an_older_tmux_keeps_it_to_itself(bin_folder: Path) -> None:
    put_tmux(bin_folder, 'test "$2" = -')
    assert ", tmux, " in copy_beside_terminal("a", {"TMUX": "x"})


@pytest.mark.parametrize(
    ("script", "reason"),
    [("echo no server running >&2; exit 1", "no server running"), ("exit 3", "exit code 3")],
)
def test_a_tmux_that_does_not_take_it_is_told(script: str, reason: str, bin_folder: Path) -> None:
    put_tmux(bin_folder, script)
    told = copy_beside_terminal("a", {"TMUX": "x"})
    assert told.endswith(f"copied.txt, terminal (OSC 52); no tmux buffer: {reason}")
    assert copy_file().read_text() == "a\n"


def test_no_tmux_and_no_answer_are_told(bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert copy_beside_terminal("a", {"TMUX": "x"}).endswith("no tmux buffer: No such file or directory")

    def silent(*command: object, **options: object) -> None:
        raise subprocess.TimeoutExpired("tmux", 2)

    monkeypatch.setattr(subprocess, "run", silent)
    assert copy_beside_terminal("a", {"TMUX": "x"}).endswith("no tmux buffer: no answer")


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "corpusdb").write_text("in the way", encoding="utf-8")
    assert copy_beside_terminal("a", {}) == "1 line to terminal (OSC 52); no file: File exists"


def test_a_link_that_was_planted_in_its_place_is_not_followed(tmp_path: Path) -> None:
    copy_file().parent.mkdir(parents=True)
    copy_file().symlink_to(tmp_path / "elsewhere")
    assert "no file: " in copy_beside_terminal("a", {})
    assert not (tmp_path / "elsewhere").exists()


def test_what_one_copies_is_ones_own() -> None:
    copy_beside_terminal("a", {})
    assert copy_file().stat().st_mode & 0o777 == 0o600
    assert [path.name for path in copy_file().parent.iterdir()] == ["copied.txt"]


def test_what_is_too_long_for_the_terminal_is_told() -> None:
    fitting = "é" * 37_497
    assert fits_terminal(fitting)
    assert not fits_terminal(f"{fitting}a")
    told = copy_beside_terminal(f"{fitting}a", {})
    assert told == f"1 line to {copy_file()}; too long for the terminal"


# The settings of the browser: what a file says, what is wrong with it, and which keys there are.


Written: TypeAlias = Callable[[str], Path]

CONTEXTS = {
    "Everywhere": {"app.quit": Binding("ctrl+q", "quit", id="app.quit")},
    "List": {
        "list.down": Binding("j,down", "down", id="list.down"),
        "list.up": Binding("k,up", "up", id="list.up"),
        "list.next": Binding("n", "next", id="list.next"),
        "app.quit": Binding("ctrl+q", "quit", id="app.quit"),
    },
    "Judging": {
        "judge.no": Binding("n,x", "no", id="judge.no"),
        "list.next": Binding("n", "next", id="list.next"),
        "app.help": Binding("?", "help", id="app.help"),
    },
}
BINDINGS = {name: binding for context in CONTEXTS.values() for name, binding in context.items()}


@pytest.fixture
def written(tmp_path: Path) -> Written:
    def write(text: str) -> Path:
        path = tmp_path / "browser.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_without_a_file_everything_is_as_it_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CORPUSDB_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert configuration_file() == tmp_path / "corpusdb" / "browser.toml"
    settings = load_settings(lambda: CONTEXTS)
    assert settings == BrowserSettings()
    assert {each.origin for each in settings.shown(BINDINGS)} == {"default"}


def test_a_file_that_was_named_must_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = tmp_path / "missing.toml"
    with pytest.raises(InputError, match=r"missing\.toml: cannot be read: No such file"):
        load_settings(lambda: CONTEXTS, missing)
    monkeypatch.setenv("CORPUSDB_CONFIG", str(missing))
    with pytest.raises(InputError, match=r"missing\.toml: cannot be read"):
        load_settings(lambda: CONTEXTS)


def test_every_value_knows_where_it_comes_from(written: Written) -> None:
    path = written('theme = "light"\n[keys]\nlist.down = "down, s"\n"app.quit" = "ctrl+x"\n')
    shown = {each.name: (each.value, each.origin) for each in load_settings(lambda: CONTEXTS, path).shown(BINDINGS)}
    assert shown == {
        "theme": ("light", str(path)),
        "borders": ("auto", "default"),
        "keys.app.help": ("?", "default"),
        "keys.app.quit": ("ctrl+x", str(path)),
        "keys.judge.no": ("n,x", "default"),
        "keys.list.down": ("down,s", str(path)),
        "keys.list.next": ("n", "default"),
        "keys.list.up": ("k,up", "default"),
    }


def test_a_default_that_the_file_repeats_comes_from_the_file(written: Written) -> None:
    path = written('theme = "auto"\nkeys.list.up = "k,up"\n')
    shown = {each.name: each.origin for each in load_settings(lambda: CONTEXTS, path).shown(BINDINGS)}
    assert (shown["theme"], shown["keys.list.up"], shown["borders"]) == (str(path), str(path), "default")


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("theme =", None, r"is not TOML: Invalid value"),
        ('theme = "dark"\ntheme = "light"', None, r"is not TOML: Cannot overwrite a value"),
        ('# looks\ntheme = "pink"', 2, r"theme = 'pink' is not one of auto, quiet, dark, light, ansi-dark, ansi-light"),
        ("theme = 3", 1, r"theme = 3 is not one of auto"),
        ('borders = ["ascii"]', 1, r"borders = \['ascii'\] is not one of auto, line, ascii"),
        ('\ncolour = "red"', 2, r"there is no setting 'colour'; there are theme, borders, keys"),
        ('keys = "j"', 1, r"keys is a table"),
        ('[keys]\n\nlist.dwon = "j"', 3, r"no key is called 'list.dwon'; `corpusdb browse --keys` shows all"),
        ('[keys]\ndown = "j"', 2, r"no key is called 'down'; perhaps list.down"),
        ('[keys.list]\nup = "u"\ndown = 3', 3, r"keys.list.down = 3 is not a key, such as"),
        ('[keys]\n"list.down" = ["j", "s"]', 2, r"is not a key, such as"),
        ('[keys]\nlist.down = ""', 2, r"'' is not a key"),
        ('[keys]\nlist.down = "j,,s"', 2, r"'' is not a key"),
        ('[keys]\nlist.down = "contrl+j"', 2, r"'contrl\+j' is not a key, such as"),
        ('[keys]\nlist.down = "pagedwon"', 2, r"'pagedwon' is not a key"),
        ('[keys]\nlist.down = "k"', 2, r"'k' cannot do both list.down and list.up, which are in force together"),
        ('[keys]\nlist.up = "ctrl+q"', 2, r"'ctrl\+q' cannot do both list.up and app.quit"),
        ('[keys]\nlist.up = "z"\nlist.next = "a,z"', None, r"'z' cannot do both list.next and list.up"),
        ('[keys]\njudge.no = "question_mark"', 2, r"'question_mark' cannot do both judge.no and app.help"),
        ('[keys]\njudge.no = "?"', 2, r"'question_mark' cannot do both judge.no and app.help"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, line: int | None, reason: str, written: Written) -> None:
    path = written(text)
    with pytest.raises(InputError, match=reason) as caught:
        load_settings(lambda: CONTEXTS, path)
    assert caught.value.path == str(path)
    if line is not None:
        assert caught.value.line == line
    assert caught.value.exit_code == 3


def test_bytes_that_are_no_text_are_told(tmp_path: Path) -> None:
    path = tmp_path / "browser.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not UTF-8"):
        load_settings(lambda: CONTEXTS, path)


@pytest.mark.parametrize(
    "changed",
    [
        {"list.down": "k", "list.up": "j"},  # a swap
        {"list.next": "n"},  # what a judging screen does with n is on purpose
        {"judge.no": "j"},  # no list is in force with it in this table
        {"list.down": "s,down"},
        {"list.down": "z", "judge.no": "z"},
    ],
)
def test_what_is_no_conflict(changed: dict[str, str]) -> None:
    assert list(conflicts(CONTEXTS, changed)) == []


@pytest.mark.parametrize(
    "key",
    [
        "j",
        "G",
        "?",
        "+",
        "é",
        "か",
        "ctrl+j",
        "ctrl+shift+f5",
        "question_mark",
        "slash",
        "space",
        "alt+plus",
        "f12",
        "greater_than_sign",
    ],
)
def test_a_key(key: str) -> None:
    assert is_key(key)


@pytest.mark.parametrize("key", ["", " ", "jj", "ctrl+", "ctrl", "shfit+a", "ctrl+jj", "\n", "a+b"])
def test_no_key(key: str) -> None:
    assert not is_key(key)


def test_the_keys_of_the_browser_are_all_told_and_named() -> None:
    bindings = all_bindings()
    assert {"list.down", "screen.copy", "app.help", "go.corpus", "find.leave", "help.close"} <= set(bindings)
    for name, binding in bindings.items():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*\.[a-z0-9]+(-[a-z0-9]+)*", name), name
        assert binding.description, name
        assert binding.tooltip, name
        assert all(is_key(key.strip()) for key in binding.key.split(",")), name


def test_an_id_means_one_thing() -> None:
    """What two screens have in common under one id has the same keys: changing it changes both."""
    found: dict[str, Binding] = {}
    for context in all_contexts().values():
        for name, binding in context.items():
            known = found.setdefault(name, binding)
            assert (known.key, known.description) == (binding.key, binding.description), name


# What comes back when the browser is opened again: the place, the query and the theme.


KEPT = Path(__file__).parents[2] / "search" / "kept_at_72d0413.json"


def visited(
    path: Path, keys: Sequence[str] = (), theme: str = "auto", told: list[str] | None = None
) -> tuple[str, SearchRequest, int, str]:
    """Open the browser, press keys, leave; where one was before that, with which search, its hits, and the theme.

    ``told`` gets what the line of status of the corpus said then.
    """
    found = []

    async def main() -> None:
        browser = Browser(path, BrowserSettings(theme=theme), SavedState.of_user(path, "then"))
        async with browser.run_test(size=(80, 24)) as pilot:
            await settled(pilot)
            await press(pilot, *keys)
            mode = browser.current_mode
            await press(pilot, "1")
            corpus = browser.screen
            assert isinstance(corpus, CorpusScreen)
            if told is not None:
                told.append(status(corpus))
            browser.action_go(mode)
            found.append((mode, corpus.search.words, corpus.hits.count, browser.looks.theme))

    asyncio.run(main())
    return found[0]


@pytest.mark.slow
def test_the_place_and_the_query_come_back(phrasebook: Path, tmp_path: Path) -> None:
    mode, words, hits, _ = visited(phrasebook, ["l", "slash", *"bière", "enter", "m", "7"])
    assert (mode, words.pattern, words.lang, words.mode) == ("overview", "bière", "fra", "word")
    assert 0 < hits < 100
    assert visited(phrasebook)[:3] == ("overview", words, hits)
    other = Path(shutil.copy(phrasebook, tmp_path / "other.db"))
    assert visited(other)[:2] == ("corpus", SearchRequest(lang="eng", words_only=True))
    assert visited(phrasebook, ["1"])[:3] == ("corpus", words, hits)
    assert visited(phrasebook)[:3] == ("corpus", words, hits)


@pytest.mark.slow
def test_the_theme_that_was_chosen_is_kept_until_another_is_configured(phrasebook: Path) -> None:
    assert visited(phrasebook)[3] == "quiet"
    assert visited(phrasebook, ["ctrl+t"])[3] == "dark"
    assert visited(phrasebook)[3] == "dark"
    assert visited(phrasebook, theme="light")[3] == "light"
    assert visited(phrasebook, ["ctrl+t"], theme="light")[3] == "ansi-dark"
    assert visited(phrasebook, theme="light")[3] == "ansi-dark"


@pytest.mark.parametrize("content", ["", "[]", '{"databases": 3, "theme": "dark"}'])
def test_a_file_of_something_else_is_taken_for_none(content: str, tmp_path: Path) -> None:
    file = tmp_path / "state" / "corpusdb" / "browser.json"
    file.parent.mkdir(parents=True)
    file.write_text(content, encoding="utf-8")
    memory = SavedState.of_user(tmp_path / "any.db")
    assert (memory.place, memory.query, memory.theme("auto")) == ("", {}, "")
    memory.place = "corpus"
    memory.write()
    assert "corpus" in file.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    "content",
    [
        '{"databases": {"DB": {"place": "nowhere", "query": {"lang": "xyz", "pattern": "a"}}}}',
        '{"databases": {"DB": {"place": 4, "query": {"no": "option"}}}, "theme": {"chosen": "x", "instead_of": "a"}}',
    ],
)
def test_a_file_that_is_none_is_no_error(content: str, phrasebook: Path, tmp_path: Path) -> None:
    file = tmp_path / "state" / "corpusdb" / "browser.json"
    file.parent.mkdir(parents=True)
    file.write_text(content.replace("DB", str(phrasebook.resolve())), encoding="utf-8")
    assert visited(phrasebook)[::3] == ("corpus", "quiet")
    assert json.loads(file.read_text(encoding="utf-8"))["databases"][str(phrasebook.resolve())]["place"] == "corpus"


@pytest.mark.slow
@pytest.mark.parametrize("more", [{}, {"colour": "red"}])
def test_what_another_version_kept_comes_back(more: dict[str, object], phrasebook: Path, tmp_path: Path) -> None:
    """As version 72d0413 wrote it, and then without some options and with one that there is no more."""
    kept = json.loads(KEPT.read_text(encoding="utf-8"))["browser"]
    query = {name: value for name, value in kept["database"]["query"].items() if not more or name != "distance"} | more
    file = tmp_path / "state" / "corpusdb" / "browser.json"
    file.parent.mkdir(parents=True)
    databases = {str(phrasebook.resolve()): kept["database"] | {"query": query, "begun": "then"}}
    file.write_text(json.dumps({"theme": kept["theme"], "databases": databases}), encoding="utf-8")
    told: list[str] = []
    _, words, hits, _ = visited(phrasebook, told=told)
    assert (words.pattern, words.lang, words.distance) == ("coffee", "eng", 1)
    assert hits > 0
    assert ("of no effect now: 'colour'" in told[0]) == bool(more)


@pytest.mark.slow
def test_nothing_is_kept_where_the_history_is_off(
    phrasebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HISTORY_VARIABLE, "off")
    visited(phrasebook, ["7"])
    assert visited(phrasebook)[0] == "corpus"
    assert not (tmp_path / "state" / "corpusdb" / "browser.json").exists()


def test_only_its_owner_may_read_it(phrasebook: Path, tmp_path: Path) -> None:
    visited(phrasebook)
    file = tmp_path / "state" / "corpusdb" / "browser.json"
    assert os.stat(file).st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["other.db", os.fsdecode(b"caf\xe9.db")])
def test_another_database_of_the_same_name_begins_anew(name: str, tmp_path: Path) -> None:
    phrasebook = tmp_path / name  # which need not be UTF-8
    memory = SavedState.of_user(phrasebook, "2026-01-01T00:00:00+00:00")
    memory.place, memory.query = "overview", {"pattern": "tea"}
    memory.write()
    assert SavedState.of_user(phrasebook, "2026-01-01T00:00:00+00:00").place == "overview"
    other = SavedState.of_user(phrasebook, "2026-02-02T00:00:00+00:00")
    assert (other.place, other.query) == ("", {})


@pytest.mark.slow
def test_the_set_of_categories_comes_back(phrasebook: Path) -> None:
    keys = ["slash", *"tea", "enter", "v", "C", *"sense", "enter"]
    visited(phrasebook, keys)
    assert visited(phrasebook)[1].categories == "sense"


@pytest.mark.slow
def test_what_was_changed_is_in_the_one_file_when_the_browser_is_left(phrasebook: Path) -> None:
    """Somebody copies that file alone."""
    visited(phrasebook, ["slash", *"tea", "enter", "v", "C", *"sense", "enter", "c", *"drink", "enter"])
    assert not phrasebook.with_name(f"{phrasebook.name}-wal").exists()
    copy = Path(shutil.copy(phrasebook, phrasebook.with_name("copy.db")))
    with open_for_reading(copy) as store:
        assert [(each.name, each.lines) for each in category_sets(store)] == [("sense", 1)]


# A long form: what most need, and a line that opens the rest.


@pytest.mark.slow
async def test_no_line_of_a_form_is_left_out_between_its_pages(phrasebook: Path) -> None:
    browser = Browser(phrasebook, BrowserSettings(), commands=OfferedCommands())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        browser.action_begin_command("references")
        await settled(pilot)
        few = shown_lines(browser.screen)
        folds = [each for each in few if isinstance(each, FoldLine)]
        assert len(few) < 16 and folds == few[-len(folds) :]
        for fold in folds:
            fold.focus()
            await press(pilot, "space")
        lines = shown_lines(browser.screen)
        assert len(lines) > 40
        view = browser.screen.query_one(VerticalScroll)
        view.scroll_to(y=0, animate=False)
        lines[0].focus()
        seen: set[str | None] = set()
        for _ in lines:
            await settled(pilot)
            seen |= {line.id for line in lines if line.region.overlaps(view.region)}
            assert browser.focused is not None and browser.focused.region.overlaps(view.region)
            await press(pilot, "pagedown")
        assert seen == {line.id for line in lines}
        assert lines[-1].has_focus


async def test_letters_find_an_option_and_its_heading_tells_that_it_is_set(phrasebook: Path) -> None:
    browser = Browser(phrasebook, BrowserSettings(), commands=OfferedCommands())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        browser.action_begin_command("score")
        await settled(pilot)
        (fold,) = (each for each in browser.screen.query(FoldLine) if "tokenise" in each.names)
        fold.focus()
        await press(pilot, *"tokeniser:", "enter", *"intl")
        assert browser.focused is browser.screen.query_one("#tokenise")
        assert fold.is_open and "Words and characters: Tokeniser: 13a" in screen_text(browser)
        fold.focus()
        await press(pilot, "left")
        assert "+ Words and characters: 4 options; set: Tokeniser" in screen_text(browser)
        assert browser.screen.query_one("#tokenise") not in shown_lines(browser.screen)


async def test_a_form_offers_what_is_stored(phrasebook: Path) -> None:
    browser = Browser(phrasebook, BrowserSettings(), commands=OfferedCommands())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        browser.action_begin_command("align")
        await settled(pilot)
        pair = browser.screen.query_one("#lang", FieldLine)
        assert (pair.value, pair.choices) == ("eng,fra", ("eng,fra", "eng,jpn")) and pair.has_focus
        await press(pilot, "space")
        assert pair.value == "eng,jpn"


async def test_a_command_that_failed_is_asked_again_with_what_it_was_told(phrasebook: Path) -> None:
    browser = Browser(phrasebook, BrowserSettings(), commands=OfferedCommands())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        kept = {"title": "verify 99", "phase": "failed", "error": "there is no score 99", "begun": "", "seconds": 1.0}
        program = {"words": ["verify", "99"], "form": "verify", "typed": {"score": "99"}}
        browser.jobs.restore([{"program": program, "state": kept, "output": None}])
        await press(pilot, "6", "full_stop")
        assert "there is no score 99" in str(browser.jobs.states[0].told) and len(browser.jobs.states) == 1
        assert browser.screen.query_one("#score", FieldLine).value == "99"
