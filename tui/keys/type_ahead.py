"""Keys one after another: what is typed ahead goes where the focus will be, and not to where it was.

A key is given to the widget that has the focus, and climbs from there to the application, which runs its action. Over
a slow line several keys come at once: of ``/beer``, all five would be given to the list that had the focus before,
and the list has no use for letters. So the next key waits until the one before has climbed to the top.
"""

from __future__ import annotations

from collections import deque

from textual.app import App
from textual.events import Event, Key
from textual.message import Message

__all__ = ["KeyClimbed", "TypeAhead"]

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
