from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from textual.binding import Binding

from corpusdb.base.errors import InputError
from tui.app import all_bindings, all_contexts
from tui.kit.settings import BrowserSettings, configuration_file, conflicts, is_key, load_settings

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
    settings = load_settings(CONTEXTS)
    assert settings == BrowserSettings()
    assert {each.origin for each in settings.shown(BINDINGS)} == {"default"}


def test_a_file_that_was_named_must_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = tmp_path / "missing.toml"
    with pytest.raises(InputError, match=r"missing\.toml: cannot be read: No such file"):
        load_settings(CONTEXTS, missing)
    monkeypatch.setenv("CORPUSDB_CONFIG", str(missing))
    with pytest.raises(InputError, match=r"missing\.toml: cannot be read"):
        load_settings(CONTEXTS)


def test_every_value_knows_where_it_comes_from(written: Written) -> None:
    path = written('theme = "light"\n[keys]\nlist.down = "down, s"\n"app.quit" = "ctrl+x"\n')
    shown = {each.name: (each.value, each.origin) for each in load_settings(CONTEXTS, path).shown(BINDINGS)}
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
    shown = {each.name: each.origin for each in load_settings(CONTEXTS, path).shown(BINDINGS)}
    assert (shown["theme"], shown["keys.list.up"], shown["borders"]) == (str(path), str(path), "default")


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("theme =", None, r"is no TOML: Invalid value"),
        ('theme = "dark"\ntheme = "light"', None, r"is no TOML: Cannot overwrite a value"),
        ('# looks\ntheme = "pink"', 2, r"theme = 'pink' is not one of auto, quiet, dark, light, ansi-dark, ansi-light"),
        ("theme = 3", 1, r"theme = 3 is not one of auto"),
        ('borders = ["ascii"]', 1, r"borders = \['ascii'\] is not one of auto, line, ascii"),
        ('\ncolour = "red"', 2, r"there is no setting 'colour'; there are theme, borders, keys"),
        ('keys = "j"', 1, r"keys is a table"),
        ('[keys]\n\nlist.dwon = "j"', 3, r"no key is called 'list.dwon'; `corpusdb browse --keys` shows all"),
        ('[keys]\ndown = "j"', 2, r"no key is called 'down'; perhaps list.down"),
        ('[keys.list]\nup = "u"\ndown = 3', 3, r"keys.list.down = 3 is no key, such as"),
        ('[keys]\n"list.down" = ["j", "s"]', 2, r"is no key, such as"),
        ('[keys]\nlist.down = ""', 2, r"'' is no key"),
        ('[keys]\nlist.down = "j,,s"', 2, r"'' is no key"),
        ('[keys]\nlist.down = "contrl+j"', 2, r"'contrl\+j' is no key, such as"),
        ('[keys]\nlist.down = "pagedwon"', 2, r"'pagedwon' is no key"),
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
        load_settings(CONTEXTS, path)
    assert caught.value.path == str(path)
    if line is not None:
        assert caught.value.line == line
    assert caught.value.exit_code == 3


def test_bytes_that_are_no_text_are_told(tmp_path: Path) -> None:
    path = tmp_path / "browser.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not UTF-8"):
        load_settings(CONTEXTS, path)


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
