"""The way between the screens of the browser: back, to where one was the last time, and to where a command is."""

from __future__ import annotations

from collections.abc import Sequence

from textual.binding import Binding
from textual.screen import Screen

from tui.kit.dialogs import Leaving
from tui.kit.place_screen import PlaceScreen
from tui.kit.shell import Place
from tui.kit.terminal import Memory, TerminalApplication

__all__ = ["Navigation"]


class Navigation(TerminalApplication, inherit_bindings=False):
    """An application that goes from place to place."""

    places: Sequence[Place]
    memory: Memory
    leaving: Leaving

    async def go_and_do(self, place: str, owner: type[Screen[object]], binding: Binding) -> None:
        """Go to a screen of a place and do what one of its bindings does; say how it is reached where none is open."""
        if place != self.current_mode:
            await self.switch_mode(place)
        is_open = any(isinstance(screen, owner) for screen in self.screen_stack)
        while len(self.screen_stack) > 1 and not isinstance(self.screen, owner):
            self.pop_screen()
        if is_open:
            await self.run_action(binding.action, self.screen)
        else:
            way = owner.REACHED if issubclass(owner, PlaceScreen) else ""
            self.say(f"{way}: there {self.get_key_display(binding.with_key(binding.key.split(',')[0]))} does it")

    def is_lowest(self, screen: Screen[object]) -> bool:
        """Whether going back from a screen leaves the browser."""
        return self.current_mode == self.DEFAULT_MODE and screen is self.screen_stack[0]

    def go_back(self) -> None:
        """To the screen below this one; from the lowest of a place to the first place, and from there out."""
        if self.is_lowest(self.screen):
            self.leaving.leave()
        elif len(self.screen_stack) > 1:
            self.pop_screen()
        else:
            self.switch_mode(self.DEFAULT_MODE)

    def _go_where_one_was(self) -> None:
        """Go to the place of the last time, where nobody has gone elsewhere yet."""
        place = self.memory.place
        if place in {each.key for each in self.places} and self.current_mode == self.DEFAULT_MODE:
            self.switch_mode(place)

    def say(self, text: str, *, is_error: bool = False) -> None:
        """Show something in the status line."""
        raise NotImplementedError
