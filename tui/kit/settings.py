"""The settings of the browser, the table of its keys, and the palette."""

from __future__ import annotations

import os
import re
import string
import time
import tomllib
import unicodedata
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, TypeVar, cast

from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode
from textual.events import Event, Key
from textual.keys import KEY_NAME_REPLACEMENTS, Keys
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Input

from corpusdb.base.cells import cut_right, padded
from corpusdb.base.display import cell_safe
from corpusdb.base.errors import InputError
from tui.kit.background import Shell
from tui.kit.late_screen import DROPPED, HELD, LateScreen
from tui.kit.shown import RowList, TextPane

Contexts = Mapping[str, Mapping[str, Binding]]
"""Bindings by their ids, those that are in force together by the name of the class that has them."""

Kind = TypeVar("Kind", bound=Widget)

_MODIFIERS = frozenset({"ctrl", "shift", "alt", "super", "hyper", "meta"})
_NAMED = frozenset(key.value for key in Keys if key.value.isidentifier())


@dataclass(frozen=True, slots=True)
class Clash:
    name: str
    """The id of a binding whose key was changed."""
    other: str
    key: str

    def __str__(self) -> str:
        return f"{self.key!r} cannot do both {self.name} and {self.other}, which are in force together"


def is_key(key: str) -> bool:
    """Whether that is what a key is called: a character or a name, with modifiers such as ``ctrl+`` before it."""
    if key == "+":
        return True
    *modifiers, last = key.split("+")
    if not _MODIFIERS.issuperset(modifiers):
        return False
    if len(last) == 1:
        return last.isprintable() and not last.isspace()
    return last in _NAMED or last in _PUNCTUATION


def _name(character: str) -> str:
    """What textual calls the key of a character: ``question_mark``; letters and digits are their own names."""
    if character.isalnum():
        return character
    name = unicodedata.name(character, character).lower().replace("-", "_").replace(" ", "_")
    return KEY_NAME_REPLACEMENTS.get(name, name)


_PUNCTUATION = frozenset(map(_name, string.punctuation))


def contexts_of(app: type[App[None]], more: Iterable[Binding] = ()) -> Contexts:
    """The bindings with an id of every screen and widget of the browser, as far as they are imported.

    ``more`` are those that the application has besides the ones of its class. A screen is taken together with a list
    that has the focus on it, and with what is in force everywhere.
    """
    everywhere = {binding.id: binding for binding in more if binding.id} | bindings_of(app)
    contexts: dict[str, Mapping[str, Binding]] = {app.__name__: everywhere}
    for owner in sorted(own_widgets(Widget), key=lambda owner: owner.__qualname__):
        own = bindings_of(owner)
        if issubclass(owner, Screen):
            own = bindings_of(RowList) | own
        if own:
            contexts[owner.__name__] = own if issubclass(owner, ModalScreen) else own | everywhere
    return contexts


def own_widgets(base: type[Kind]) -> Iterator[type[Kind]]:
    """The kinds of widgets of the browser that are ``base``, as far as they are imported."""
    for child in base.__subclasses__():
        if child.__module__.startswith("tui."):
            yield child
        yield from own_widgets(child)


def bindings_of(owner: type) -> dict[str, Binding]:
    """The bindings that a class has, those of its own first."""
    found: dict[str, Binding] = {}
    for each in owner.__mro__:
        for binding in each.__dict__.get("BINDINGS", ()):
            if isinstance(binding, Binding) and binding.id:
                found.setdefault(binding.id, binding)
    return found


def conflicts(contexts: Contexts, changed: Mapping[str, str]) -> Iterator[Clash]:
    """The keys that ``changed``, by the ids of bindings, gives to two actions of one context, each pair once.

    What a screen does on purpose with a key that means something else elsewhere is no conflict.
    """
    found: set[tuple[str, str]] = set()
    for context in contexts.values():
        for first, second in combinations(sorted(context), 2):
            if (first, second) in found or not {first, second} & set(changed):
                continue
            usual = _keys(context[first].key) & _keys(context[second].key)
            now = _keys(changed.get(first, context[first].key)) & _keys(changed.get(second, context[second].key))
            for key in sorted(now - usual):
                found.add((first, second))
                name, other = (first, second) if first in changed else (second, first)
                yield Clash(name, other, key)


def _keys(text: str) -> set[str]:
    """The keys of a binding by their names, whether they were named or typed."""
    keys = (key.strip() for key in text.split(","))
    return {_name(key) if len(key) == 1 else key for key in keys}


# What the keys of a screen do as it stands, for the help and for the palette.


_HEADINGS: tuple[tuple[type[DOMNode], str], ...] = (
    (App, "Everywhere"),
    (Screen, "Here"),
    (RowList, "In a list"),
    (TextPane, "In a text"),
    (Input, "In a line of input"),
)


_PASSED_ON = ("scroll_", "page_", "screen.copy_text", "copy_text")


@dataclass(slots=True)
class LiveKeys:
    binding: Binding
    node: DOMNode
    """Where its action is."""
    told: str
    """What it does, in a sentence."""
    names: list[str] = field(default_factory=list)
    """The keys as textual names them."""
    keys: list[str] = field(default_factory=list)
    """As a person would say them, single characters first."""

    def add(self, key: str, app: App[object]) -> None:
        self.names.append(key)
        self.keys.append(app.get_key_display(self.binding.with_key(key)))

    @property
    def heading(self) -> str:
        """Where these keys are in force."""
        if (self.binding.id or "").startswith("screen."):  # what all places have
            return "Everywhere"
        return next((heading for kind, heading in _HEADINGS if isinstance(self.node, kind)), "Here")


def live_keys(screen: Screen[object]) -> list[LiveKeys]:
    """The bindings in force where the focus is, by their ids; what textual itself brings has none."""
    app = screen.app
    taken: set[str] = set()
    found: dict[str, LiveKeys] = {}
    chain = screen._modal_binding_chain
    ours = {key for _, bindings in chain for key, binding in bindings if binding.priority and binding.id}
    for node, bindings in chain:
        for key, binding in bindings:
            if not binding.id and key in ours:  # what textual does with this key never comes to it
                continue
            # Screen.active_bindings takes a key for that of a widget that has nothing to scroll and passes it on.
            passes_on = not binding.id and binding.action.startswith(_PASSED_ON)
            if key in taken or passes_on or (key == "slash" and isinstance(screen.focused, Input)):
                continue
            if not app._check_action_state(binding.action, node):  # it comes to the next that has this key
                continue
            taken.add(key)
            if binding.id:
                found.setdefault(binding.id, LiveKeys(binding, node, binding.tooltip)).add(key, app)
    return _sorted(found)


def keys_out_of_focus(screen: Screen[object], known: Iterable[LiveKeys], changed: dict[str, str]) -> list[LiveKeys]:
    """The bindings of the other widgets of the screen, which are in force once these have the focus."""
    names = {entry.binding.id for entry in known}
    found: dict[str, LiveKeys] = {}
    for widget in screen.query("*"):
        if not widget.can_focus or not widget.display:
            continue
        for _, binding in widget._bindings.copy():
            name = binding.id
            if name and name not in names and screen.app._check_action_state(binding.action, widget):
                entry = found.setdefault(name, LiveKeys(binding, widget, binding.tooltip))
                for key in [binding.key] if name not in changed else changed[name].split(","):
                    if key not in entry.names:
                        entry.add(key, screen.app)
    return _sorted(found)


def _sorted(found: dict[str, LiveKeys]) -> list[LiveKeys]:
    """One widget after the other, the keys of each as its class declares them, those that only the widget has first."""
    declared = {
        type(entry.node): {name: place for place, name in enumerate(bindings_of(type(entry.node)))}
        for entry in found.values()
    }
    widgets = list(dict.fromkeys(id(entry.node) for entry in found.values()))
    for entry in found.values():
        entry.keys.sort(key=lambda key: len(key) > 1)
    return sorted(
        found.values(),
        key=lambda entry: (
            widgets.index(id(entry.node)),
            declared[type(entry.node)].get(entry.binding.id or "", -1),
        ),
    )


# Keys and looks that a user may change, from a TOML file; every value knows where it comes from.


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
    name: str
    value: str
    origin: str
    """``default``, or the file that sets it."""


@dataclass(frozen=True, slots=True)
class BrowserSettings:
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


def load_settings(contexts: Callable[[], Contexts], file: Path | None = None) -> BrowserSettings:
    """Read the configuration: ``file``, which must be there, or else that of the user, if there is one.

    ``contexts`` gives the bindings that are in force together, by their ids: keys may not clash within one. Raises
    InputError, with the line where it is known, for anything that is not known.
    """
    path = file or configuration_file()
    if file is None and not os.environ.get("CORPUSDB_CONFIG") and not path.exists():
        return BrowserSettings()
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
    return _Reader(path, text, contexts()).settings()


class _Reader:
    """A configuration file that is being checked."""

    def __init__(self, path: Path, text: str, contexts: Contexts) -> None:
        self._path = path
        self._text = text
        self._contexts = contexts
        self._bindings = {name: binding for context in contexts.values() for name, binding in context.items()}

    def settings(self) -> BrowserSettings:
        try:
            document = tomllib.loads(self._text)
        except (ValueError, RecursionError) as error:  # the last for brackets in brackets without end
            raise InputError(f"is not TOML: {error}", path=self._path) from error
        for name in document:
            if name not in (*_LOOKS, "keys"):
                raise self._error(name, f"there is no setting {name!r}; there are {', '.join([*_LOOKS, 'keys'])}")
        looks = {name: self._look(name, document[name]) for name in _LOOKS if name in document}
        keys = document.get("keys", {})
        if not isinstance(keys, dict):
            raise self._error("keys", "keys is a table: [keys]")
        flat = {name: self._key(name, value) for name, value in _flattened(keys).items()}
        for clash in conflicts(self._contexts, flat):
            raise self._error(f"keys.{clash.name}", str(clash))
        return BrowserSettings(**looks, keys=flat, file=self._path, stated=frozenset(looks))

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
            raise self._error(place, f'keys.{name} = {value!r} is not a key, such as "j" or "j,down"')
        keys = [key.strip() for key in value.split(",")]
        for key in keys:
            if not is_key(key):
                reason = f'{key!r} is not a key, such as "j", "f2" or "ctrl+t"'
                raise self._error(place, f'keys.{name} = "{value}": {reason}')
        return ",".join(keys)


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


# The commands of the palette: what the keys of the screen do, by name, and those of all other screens.


_NAME_CELLS, _KEYS_CELLS = 22, 13


@dataclass(frozen=True, slots=True)
class KeyCommand:
    name: str
    told: str
    run: Callable[[], Awaitable[object]]
    keys: str = ""

    @property
    def shown(self) -> str:
        """All in one line."""
        name, keys = (cut_right(each, cells) for each, cells in ((self.name, _NAME_CELLS), (self.keys, _KEYS_CELLS)))
        return cell_safe(f"{padded(name, _NAME_CELLS)}  {padded(keys, _KEYS_CELLS)}  {self.told}")


def commands_here(app: App[Any]) -> Iterator[KeyCommand]:
    """What has a key on the screen that is seen: that of the screen first, then that of lists, and the places."""
    entries = sorted(live_keys(app.screen), key=lambda entry: entry.heading != "Here")
    for entry in entries:
        if entry.binding.action != "palette":
            run = partial(app.run_action, entry.binding.action, entry.node)
            yield KeyCommand(entry.binding.description, entry.told, run, " ".join(entry.keys))
    yield KeyCommand("Guides", "Read about columns, queries, keys ...", partial(app.run_action, "guides"))
    for name in THEMES:
        yield KeyCommand(f"Theme {name}", "It is kept", partial(app.run_action, f"set_theme('{name}')"))


def commands_elsewhere(app: App[Any], known: set[str | None]) -> Iterator[KeyCommand]:
    """What has a key on the screens of all places, but for bindings that are ``known``; each goes there."""
    browser = cast("Shell", app)
    places = {place.key: place.title for place in browser.places}
    for place in browser.places:
        place.load()
    for owner in own_widgets(Screen):
        key = getattr(owner, "PLACE", "")
        for name, binding in bindings_of(owner).items() if key in places else ():
            if name in known:
                continue
            known.add(name)
            reached = f" ({owner.REACHED})" if owner.REACHED else ""  # type: ignore[attr-defined]
            keys = " ".join(app.get_key_display(binding.with_key(key)) for key in binding.key.split(","))
            told = f"{places[key]}: {binding.tooltip}{reached}"
            yield KeyCommand(binding.description, told, partial(browser.go_and_do, key, owner, binding), keys)
    for name, summary in browser.commands.listed() if browser.commands else ():
        run = partial(app.run_action, f"begin_command('{name}')")
        yield KeyCommand(f"corpusdb {name}", f"{summary} Begin it from a form", run)


# Keys one after another: what is typed ahead goes where the focus will be, and not to where it was.
# A key is given to the widget that has the focus, and climbs from there to the application, which runs its action.
# Over a slow line several keys come at once: of ``/beer``, all five would be given to the list that had the focus
# before, and the list has no use for letters. So the next key waits until the one before has climbed to the top, and
# until the screen that it opens is made.


_PATIENCE = 3.0
"""Seconds after which a key is taken to be lost, and the next ones go on."""
_LOOKED_AGAIN = 0.02
"""Seconds after which keys that wait are tried again."""


class KeyClimbed(Message):
    """Sent behind a key, on the same way: where it arrives, the key has been there.

    Sent once more, it comes behind what the key made the widget say, such as that its text has changed.
    """

    def __init__(self, key: Key, *, is_again: bool = False) -> None:
        super().__init__()
        self.key = key
        self.is_again = is_again


class TypeAhead(App[None]):
    """An application that handles one key at a time, where it belongs."""

    def __init__(self, *, ansi_color: bool | None = None) -> None:
        super().__init__(ansi_color=ansi_color)
        self._typed: deque[Key] = deque()
        """The keys that wait."""
        self._sent: Key | None = None
        """The key that is on its way, to the widget that got it first, since then."""
        self._sent_to: MessagePump = self
        self._sent_at = 0.0
        self._looks_again = False

    def say(self, text: str) -> None:
        raise NotImplementedError

    async def on_event(self, event: Event) -> None:
        """Handle an event; a key, when its turn has come."""
        screen = self.screen_stack[-1] if isinstance(event, Key) and not event.is_forwarded else None
        if not isinstance(event, Key) or screen is None:
            await super().on_event(event)
        elif isinstance(screen, LateScreen) and screen.waits and (event.key == "escape" or screen.is_live(event)):
            self._typed.clear()
            if screen.is_live(event):
                await self._send(event)
            else:
                screen.stop_waiting()
                self.say("nothing was opened")
        elif event.key == "enter" and isinstance(screen, LateScreen) and screen.holds and not self._typed:
            # Who is impatient begins nothing that nobody has seen.
            self.say(f"one moment ...; {HELD}, Enter does not")
        else:
            self._typed.append(event)
            await self._go_on()

    async def _go_on(self) -> None:
        """Send the keys whose turn it is."""
        while self._typed and not self._is_under_way:
            screen, key = self.screen, self._typed[0]
            fate = screen.fate(key) if isinstance(screen, LateScreen) else "now"
            if fate == "later":
                break
            self._typed.popleft()
            if fate == "now":
                await self._send(key)
            else:
                self._say_dropped(screen)
        if self._typed and not self._looks_again:
            self._looks_again = True
            self.set_timer(_LOOKED_AGAIN, self._look_again)

    async def _look_again(self) -> None:
        self._looks_again = False
        if self.screen_stack:  # none is left where the browser ends meanwhile
            await self._go_on()

    def _say_dropped(self, screen: Screen[Any]) -> None:
        lines = [str(getattr(line, "message", "")) for line in screen.query("StatusLine")]
        if not (isinstance(screen, LateScreen) and screen.waits):
            self.say("pressed before this was seen: dropped")
        elif not any(DROPPED in line for line in lines):
            self.say(f"one moment ...; {DROPPED}")

    @property
    def _is_under_way(self) -> bool:
        """Whether the last key is still on its way; it is lost with a widget that was removed."""
        return self._sent is not None and self._sent_to.is_running and time.monotonic() - self._sent_at < _PATIENCE

    async def _send(self, key: Key) -> None:
        self._sent, self._sent_to, self._sent_at = key, self, time.monotonic()
        await super().on_event(key)
        # A binding with priority, such as that which submits a form, has had the key up here: it does not climb, and
        # what would climb behind it from the form might be lost with the form.
        if not key.is_forwarded:
            self.call_later(self._arrived, key)
            return
        self._sent_to = self.focused or self.screen
        if not self._sent_to.post_message(KeyClimbed(key)):
            self._sent = None

    def on_key_climbed(self, message: KeyClimbed) -> None:
        again = KeyClimbed(message.key, is_again=True)
        if message.is_again or not self._sent_to.post_message(again):
            self.call_later(self._arrived, message.key)  # behind what the key asked of the application

    async def _arrived(self, key: Key) -> None:
        if self._sent is key:
            self._sent = None
            await self._go_on()
