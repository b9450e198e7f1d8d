"""Keys for all places: one that leaves a screen, and those that do nothing where they are pressed; that is said."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from textual.actions import SkipAction
from textual.app import App

from tui.shared.place_screen import PlaceScreen

__all__ = ["Changing", "DeadKeys"]


@runtime_checkable
class Changing(Protocol):
    """A screen of what another process, or another place of this browser, may change while it is being looked at."""

    def look_again(self) -> None:
        """Called after each key: read again what is shown, if that has changed."""


class DeadKeys(App[None]):
    """An application whose places say which letters do nothing in them, and look after each key what has changed."""

    def action_leave_screen(self) -> None:
        """Go back to the screen before, but never out of the browser."""
        screen = self.screen
        if not isinstance(screen, PlaceScreen) or screen.shell.is_lowest(screen):
            raise SkipAction
        screen.action_back()

    async def _check_bindings(self, key: str, priority: bool = False) -> bool:
        """Run what a key is bound to; where it is bound to nothing, the screen says so."""
        is_bound = await super()._check_bindings(key, priority)
        if not priority and isinstance(self.screen, Changing):
            self.screen.look_again()
        is_letter = len(key) == 1 and key.isalpha()
        if is_letter and not is_bound and not priority and isinstance(self.screen, PlaceScreen):
            self.screen.say(f"{key} does nothing here; ? keys", is_error=True)
        return is_bound
