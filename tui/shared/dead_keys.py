"""Keys for all places: one that leaves a screen, and those that do nothing where they are pressed; that is said."""

from __future__ import annotations

from textual.actions import SkipAction
from textual.app import App

from tui.shared.place_screen import PlaceScreen

__all__ = ["DeadKeys"]


class DeadKeys(App[None]):
    """An application whose places say which letters do nothing in them."""

    def action_leave_screen(self) -> None:
        """Go back to the screen before, but never out of the browser."""
        screen = self.screen
        if not isinstance(screen, PlaceScreen) or screen.shell.is_lowest(screen):
            raise SkipAction
        screen.action_back()

    async def _check_bindings(self, key: str, priority: bool = False) -> bool:
        """Run what a key is bound to; where it is bound to nothing, the screen says so."""
        is_bound = await super()._check_bindings(key, priority)
        is_letter = len(key) == 1 and key.isalpha()
        if is_letter and not is_bound and not priority and isinstance(self.screen, PlaceScreen):
            self.screen.say(f"{key} does nothing here; ? keys", is_error=True)
        return is_bound
