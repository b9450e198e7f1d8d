"""The commands of the palette: what the keys of the screen do, by name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider

from tui.keys.in_force import live_keys
from tui.keys.settings import THEMES

__all__ = ["KeyCommands"]


@dataclass(frozen=True, slots=True)
class _Command:
    name: str
    told: str
    run: Callable[[], Awaitable[object]]


class KeyCommands(Provider):
    """Everything that has a key here, with its keys, and the themes."""

    async def discover(self) -> Hits:
        """All commands, before anything is typed."""
        for command in self._commands():
            yield DiscoveryHit(command.name, command.run, help=command.told)

    async def search(self, query: str) -> Hits:
        """The commands whose name or explanation holds what was typed, its characters in this order."""
        matcher = self.matcher(query)
        for command in self._commands():
            by_name, by_told = matcher.match(command.name), matcher.match(command.told)
            if by_name or by_told:
                display = matcher.highlight(command.name) if by_name else command.name
                yield Hit(max(by_name, by_told / 2), display, command.run, help=command.told)

    def _commands(self) -> Iterator[_Command]:
        """Those of the screen first, then those of lists, and the places."""
        entries = sorted(live_keys(self.screen), key=lambda entry: entry.heading != "Here")
        for entry in entries:
            if entry.binding.action != "command_palette":
                run = partial(self.app.run_action, entry.binding.action, entry.node)
                yield _Command(f"{entry.binding.description} ({' '.join(entry.keys)})", entry.told, run)
        for name in THEMES:
            run = partial(self.app.run_action, f"set_theme('{name}')")
            yield _Command(f"Theme {name}", "Until the browser is left", run)
