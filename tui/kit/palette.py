"""The commands of the palette by name, and keys one after another: what is typed ahead goes where the focus will be."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, cast

from textual.app import App
from textual.binding import Binding
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.events import Event, Key
from textual.message import Message
from textual.screen import Screen

from tui.kit.key_table import live_keys, own_widgets
from tui.kit.settings import THEMES
from tui.kit.shell import Place

__all__ = [
    "KeyClimbed",
    "KeyCommands",
    "TypeAhead",
]


# The commands of the palette: what the keys of the screen do, by name, and those of all other screens.


_HOLDS_WORDS = 100.0
"""More than any score of characters."""


class Goer(Protocol):
    """The browser, as far as the palette knows it."""

    places: Sequence[Place]

    async def go_and_do(self, place: str, owner: type[Screen[object]], binding: Binding) -> None:
        """Go to a screen of a place and do what one of its bindings does."""


@dataclass(frozen=True, slots=True)
class _Command:
    name: str
    told: str
    run: Callable[[], Awaitable[object]]


class KeyCommands(Provider):
    """Everything that has a key, with its keys, first what has one here, and the themes."""

    async def discover(self) -> Hits:
        """What can be done here, before anything is typed."""
        for command in self._commands():
            yield DiscoveryHit(command.name, command.run, help=command.told)

    async def search(self, query: str) -> Hits:
        """The commands whose name or explanation holds what was typed.

        First those that hold all its words, here and then elsewhere; then those here that hold its characters.
        """
        matcher = self.matcher(query)
        words = query.casefold().split()
        for commands, bonus in ((self._commands(), 2 * _HOLDS_WORDS), (self._commands_elsewhere(), _HOLDS_WORDS)):
            for command in commands:
                by_name, by_told = matcher.match(command.name), matcher.match(command.told)
                score = max(by_name, by_told / 2)
                if all(word in f"{command.name} {command.told}".casefold() for word in words):
                    score += bonus
                elif bonus == _HOLDS_WORDS:
                    continue
                if score:
                    display = matcher.highlight(command.name) if by_name else command.name
                    yield Hit(score, display, command.run, help=command.told)

    def _commands(self) -> Iterator[_Command]:
        """Those of the screen first, then those of lists, and the places."""
        entries = sorted(live_keys(self.screen), key=lambda entry: entry.heading != "Here")
        for entry in entries:
            if entry.binding.action != "command_palette":
                run = partial(self.app.run_action, entry.binding.action, entry.node)
                yield _Command(f"{entry.binding.description} ({' '.join(entry.keys)})", entry.told, run)
        yield _Command("Guides", "Read about columns, queries, keys ...", partial(self.app.run_action, "guides"))
        for name in THEMES:
            run = partial(self.app.run_action, f"set_theme('{name}')")
            yield _Command(f"Theme {name}", "It is kept", run)

    def _commands_elsewhere(self) -> Iterator[_Command]:
        """Those of the screens of all places that are not in force here; each goes there."""
        browser = cast("Goer", self.app)
        known = {entry.binding.id for entry in live_keys(self.screen)}
        places = {place.key: place.name for place in browser.places}
        for owner in own_widgets(Screen):
            place = getattr(owner, "PLACE", "")
            for binding in owner.__dict__.get("BINDINGS", ()):
                if place not in places or not isinstance(binding, Binding) or binding.id in known:
                    continue
                known.add(binding.id)
                reached = f" ({owner.REACHED})" if owner.REACHED else ""  # type: ignore[attr-defined]
                keys = " ".join(self.app.get_key_display(binding.with_key(key)) for key in binding.key.split(","))
                name = f"{places[place]}: {binding.description} ({keys})"
                yield _Command(name, f"{binding.tooltip}{reached}", partial(browser.go_and_do, place, owner, binding))


# Keys one after another: what is typed ahead goes where the focus will be, and not to where it was.
#
# A key is given to the widget that has the focus, and climbs from there to the application, which runs its action.
# Over a slow line several keys come at once: of ``/beer``, all five would be given to the list that had the focus
# before, and the list has no use for letters. So the next key waits until the one before has climbed to the top.


_PATIENCE = 0.5
"""Seconds after which a key is taken to be lost, with a widget that was removed, and the next ones go on."""


class KeyClimbed(Message):
    """Sent behind a key, on the same way: where it arrives, the key has been there."""

    def __init__(self, key: Key) -> None:
        super().__init__()
        self.key = key


class TypeAhead(App[None]):
    """An application that handles one key at a time."""

    def __init__(self, *, ansi_color: bool | None = None) -> None:
        super().__init__(ansi_color=ansi_color)
        self._typed: deque[Key] = deque()
        """The key that is on its way, and those behind it."""

    async def on_event(self, event: Event) -> None:
        """Handle an event; a key, when its turn has come."""
        if not isinstance(event, Key) or event.is_forwarded:
            await super().on_event(event)
            return
        if self._typed and event.time - self._typed[0].time > _PATIENCE:
            self._typed.popleft()
            self._typed.append(event)
            await self._send()
            return
        self._typed.append(event)
        if len(self._typed) == 1:
            await self._send()

    async def _send(self) -> None:
        key = self._typed[0]
        await super().on_event(key)
        # A binding with priority, such as that which submits a form, has had the key up here: it does not climb, and
        # what would climb behind it from the form might be lost with the form.
        if not key.is_forwarded:
            self.call_later(self._go_on, key)
        elif not (self.focused or self.screen).post_message(KeyClimbed(key)):
            await self._go_on(key)

    def on_key_climbed(self, message: KeyClimbed) -> None:
        self.call_later(self._go_on, message.key)  # behind what the key asked of the application

    async def _go_on(self, key: Key) -> None:
        if self._typed and self._typed[0] is key:
            self._typed.popleft()
            if self._typed:
                await self._send()
