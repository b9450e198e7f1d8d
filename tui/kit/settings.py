"""Keys and looks that a user may change, from a TOML file; every value knows where it comes from."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from textual.binding import Binding

from corpusdb.base.errors import InputError
from tui.kit.key_table import Contexts, conflicts, is_key

__all__ = ["THEMES", "Setting", "Settings", "configuration_file", "load_settings"]


THEMES: Mapping[str, str] = {
    "quiet": "corpusdb-quiet",
    "dark": "textual-dark",
    "light": "textual-light",
    "ansi-dark": "ansi-dark",
    "ansi-light": "ansi-light",
}
"""What a theme is called here and by textual; the first is the usual one."""
_LOOKS: Mapping[str, tuple[str, ...]] = {"theme": ("auto", *THEMES), "borders": ("auto", "line", "ascii")}
"""The values that a look may have, its default first."""
_MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Setting:
    """One value and its origin."""

    name: str
    value: str
    origin: str
    """``default``, or the file that sets it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How the browser looks and which keys do what."""

    theme: str = "auto"
    """A name of THEMES, or ``auto``: the quiet one, or the one that was chosen last."""
    borders: str = "auto"
    """``line``, ``ascii``, or ``auto``: ascii where the terminal may not have the characters of lines."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """Keys, separated by commas, by the id of the binding; only those that the file sets."""
    file: Path | None = None
    """Where they come from; None when no file was there."""
    stated: frozenset[str] = frozenset()
    """The looks that the file sets."""

    def shown(self, bindings: Mapping[str, Binding]) -> list[Setting]:
        """Every setting with its origin, those of the keys by the id of the binding."""
        file = str(self.file)
        looks = {"theme": self.theme, "borders": self.borders}
        shown = [Setting(name, value, file if name in self.stated else "default") for name, value in looks.items()]
        for name in sorted(bindings):
            key = self.keys.get(name)
            origin = "default" if key is None else file
            shown.append(Setting(f"keys.{name}", bindings[name].key if key is None else key, origin))
        return shown


def configuration_file() -> Path:
    """``$CORPUSDB_CONFIG``, else browser.toml in the configuration folder of corpusdb."""
    chosen = os.environ.get("CORPUSDB_CONFIG")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "corpusdb" / "browser.toml"


def load_settings(contexts: Contexts, file: Path | None = None) -> Settings:
    """Read the configuration: ``file``, which must be there, or else that of the user, if there is one.

    ``contexts`` are the bindings that are in force together, by their ids: keys may not clash within one. Raises
    InputError, with the line where it is known, for anything that is not known.
    """
    path = file or configuration_file()
    if file is None and not os.environ.get("CORPUSDB_CONFIG") and not path.exists():
        return Settings()
    try:
        with path.open("rb") as stream:
            data = stream.read(_MOST_BYTES + 1)
        text = data.decode()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from error
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8", path=path) from error
    if len(data) > _MOST_BYTES:
        raise InputError(f"is longer than {_MOST_BYTES:,} bytes", path=path)
    return _Reader(path, text, contexts).settings()


class _Reader:
    """A configuration file that is being checked."""

    def __init__(self, path: Path, text: str, contexts: Contexts) -> None:
        self._path = path
        self._text = text
        self._contexts = contexts
        self._bindings = {name: binding for context in contexts.values() for name, binding in context.items()}

    def settings(self) -> Settings:
        try:
            document = tomllib.loads(self._text)
        except (ValueError, RecursionError) as error:  # the last for brackets in brackets without end
            raise InputError(f"is no TOML: {error}", path=self._path) from error
        for name in document:
            if name not in (*_LOOKS, "keys"):
                raise self._error(name, f"there is no setting {name!r}; there are {', '.join([*_LOOKS, 'keys'])}")
        looks = {name: self._look(name, document[name]) for name in _LOOKS if name in document}
        keys = document.get("keys", {})
        if not isinstance(keys, dict):
            raise self._error("keys", "keys is a table: [keys]")
        flat = {name: self._key(name, value) for name, value in _flattened(keys).items()}
        self._check_conflicts(flat)
        return Settings(**looks, keys=flat, file=self._path, stated=frozenset(looks))

    def _error(self, name: str, reason: str) -> InputError:
        return InputError(reason, path=self._path, line=_line_of(self._text, name))

    def _look(self, name: str, value: object) -> str:
        if not isinstance(value, str) or value not in _LOOKS[name]:
            raise self._error(name, f"{name} = {value!r} is not one of {', '.join(_LOOKS[name])}")
        return value

    def _key(self, name: str, value: object) -> str:
        place = f"keys.{name}"
        if name not in self._bindings:
            close = [known for known in self._bindings if known.split(".")[-1] == name.split(".")[-1]]
            hint = f"perhaps {' or '.join(close)}" if close else "`corpusdb browse --keys` shows all"
            raise self._error(place, f"no key is called {name!r}; {hint}")
        if not isinstance(value, str):
            raise self._error(place, f'keys.{name} = {value!r} is no key, such as "j" or "j,down"')
        keys = [key.strip() for key in value.split(",")]
        for key in keys:
            if not is_key(key):
                raise self._error(place, f'keys.{name} = "{value}": {key!r} is no key, such as "j", "f2" or "ctrl+t"')
        return ",".join(keys)

    def _check_conflicts(self, keys: Mapping[str, str]) -> None:
        for clash in conflicts(self._contexts, keys):
            raise self._error(f"keys.{clash.name}", str(clash))


def _flattened(table: Mapping[str, Any], prefix: str = "") -> dict[str, object]:
    """``list.down = "j"`` is a table in a table to TOML."""
    found: dict[str, object] = {}
    for name, value in table.items():
        if isinstance(value, dict):
            found |= _flattened(value, f"{prefix}{name}.")
        else:
            found[f"{prefix}{name}"] = value
    return found


_TABLE = re.compile(r"\s*\[([^\[\]]+)\]")
_ASSIGNMENT = re.compile(r"\s*([\w\s.\"'-]+?)\s*=")


def _line_of(text: str, name: str) -> int | None:
    """The line that sets a value, or begins its table, if the file has it on a line of its own."""
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        if found := _TABLE.match(line):
            table = f"{_plain(found[1])}."
            if table[:-1] == name:
                return number
        elif (found := _ASSIGNMENT.match(line)) and f"{table}{_plain(found[1])}" == name:
            return number
    return None


def _plain(name: str) -> str:
    """A dotted name without what TOML allows around its parts."""
    return re.sub(r"[\s\"']", "", name)
