"""Screens to which what comes late does no harm: answers, and keys that were pressed while another thing was shown."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, ClassVar, Final, Literal, TypeAlias, TypeVar

from textual.await_complete import AwaitComplete
from textual.events import Event, Key, Mount, Resize, ScreenResume
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen

from tui.kit.shown import RowList, are_awaited

Answer = TypeVar("Answer")
Result = TypeVar("Result")

_ALWAYS: Final = ("app.quit", "app.interrupt", "app.suspend", "app.redraw")
"""Bindings whose keys are never too early."""
LEADS_AWAY: Final = ("screen.back", "screen.leave", "app.help", "go.")
"""Bindings whose keys lead to another screen, by what their ids begin with."""
DROPPED: Final = "other keys are dropped"
"""Said while something is waited for on which one decides only when it is seen."""
HELD: Final = "what is typed waits for it"
"""Said while something opens."""

Fate: TypeAlias = Literal["now", "later", "never"]
"""What becomes of a key that comes to a screen: never where it was pressed before that was seen which it acts on."""


def is_there(screen: Screen[Any]) -> bool:
    """Whether what comes of work in the background can be shown on a screen: not while it or the browser is closed."""
    return screen.is_attached and screen.display and screen.app.is_running


class LateScreen(Screen[Result]):
    """A screen to which keys and answers that come late do no harm: over a slow line it may have gone meanwhile."""

    NEEDS_ROWS: ClassVar[tuple[str, ...]] = ()
    """What nothing can be done with where its list is empty: such keys are dead then, and not offered.

    While the rows are read they wait for them."""

    _keys_since = -inf
    """When that was painted which keys are for, by the clock of messages; infinity while it is waited for."""
    _live: tuple[str, ...] = _ALWAYS
    """The bindings whose keys do not wait for it, by what their ids begin with."""
    _times_waited = 0
    """How often something was waited for."""
    holds = False
    """Whether keys that are pressed now are for what opens."""
    _is_begun = False
    """Whether its widgets were made, and one of them has the focus."""
    _answered_to: MessagePump | None = None
    """What has been told the answer of a dialog above, and has not done yet what it asks for."""

    @property
    def waits(self) -> bool:
        """Whether something opens here, for which keys that are pressed now are too early."""
        return self._keys_since == inf

    def begin_waiting(self, *live: str) -> None:
        """Drop keys but those of ``live`` bindings, until waiting ends or is stopped."""
        self._keys_since, self._live = inf, _ALWAYS + live
        self._times_waited += 1

    def begin_holding(self, *live: str) -> None:
        """Keep keys but those of ``live`` bindings for what opens, until waiting ends or is stopped."""
        self.begin_waiting(*live)
        self.holds = True

    def end_waiting(self) -> None:
        """Drop keys that were pressed before what is shown now is painted."""
        self._keys_since, self.holds = inf, False

        def painted() -> None:
            self._keys_since = Message().time

        self.call_after_refresh(painted)

    def stop_waiting(self) -> None:
        """Take all keys from now on, as nothing else will be shown; where nothing was waited for, all that come."""
        if self.waits:
            self.drop_typed()

    def drop_typed(self) -> None:
        """Drop keys that were pressed before."""
        self._keys_since, self.holds = Message().time, False

    def hand_over(self) -> None:
        """Leave the keys that were kept to what opens now."""
        self._keys_since, self.holds = -inf, False

    def fate(self, key: Key) -> Fate:
        """What becomes of a key: one that was typed behind one that opens something is for that."""
        answers = self._answered_to is not None and self._answered_to.is_running
        if not self._is_begun or answers or self._is_for_rows_to_come(key):
            return "later"
        if key.time >= self._keys_since or self.is_live(key):
            return "now"
        return "later" if self.holds else "never"

    def is_live(self, key: Key) -> bool:
        """Whether a key does not wait for anything."""
        active = self.active_bindings.get(key.key)
        return active is not None and (active.binding.id or "").startswith(self._live)

    def _is_for_rows_to_come(self, key: Key) -> bool:
        is_to_come = isinstance(self.focused, RowList) and any(map(are_awaited, self.query(RowList)))
        actions = [each.action.partition("(")[0] for each in self._bindings.key_to_bindings.get(key.key, ())]
        return is_to_come and any(action in self.NEEDS_ROWS for action in actions)

    async def on_event(self, event: Event) -> None:
        """Begin nothing on a screen that went away before its widgets were made: none would be found."""
        if self.display or not isinstance(event, Mount | Resize | ScreenResume):
            await super().on_event(event)
        if isinstance(event, ScreenResume):
            self._is_begun = True

    def opening(self, say: Callable[[str], None]) -> Callable[[Callable[[], None]], None]:
        """Wait for what opens; what opens it then, unless that was stopped, and leaves to it the keys from meanwhile.

        ``say`` is told what becomes of it.
        """
        self.begin_holding()
        waiting = self._times_waited

        def opened(then: Callable[[], None]) -> None:
            if not self.waits or self._times_waited != waiting:
                return
            say("" if self.is_current else "nothing was opened")
            if self.is_current:
                self.hand_over()
                then()
            if self.app.screen is self:  # nothing opened
                self.drop_typed()

        return opened

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action not in self.NEEDS_ROWS or any(rows.count for rows in self.query(RowList))

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Go away, once: a second Enter would take the screen below with it.

        Keys that follow wait until that was done which the answer is for: it may open something.
        """
        if not self.is_active:
            return AwaitComplete()
        requester = self._result_callbacks[-1].requester if self._result_callbacks else None
        gone = super().dismiss(result)
        below = self.app.screen
        if requester is not None and isinstance(below, LateScreen):
            below._answered_to = requester
            requester.call_next(setattr, below, "_answered_to", None)
        return gone

    def call_after_refresh(self, callback: Callable[..., Any], *args: Any, **kwargs: Any) -> bool:
        return super().call_after_refresh(lambda: callback(*args, **kwargs) if is_there(self) else None)
