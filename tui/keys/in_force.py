"""What the keys of a screen do as it stands, for the help and for the palette."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widgets import Input

from tui.keys.clashes import bindings_of
from tui.widgets.row_list import RowList
from tui.widgets.text_pane import TextPane

__all__ = ["LiveKeys", "keys_out_of_focus", "live_keys"]

_HEADINGS: tuple[tuple[type[DOMNode], str], ...] = (
    (App, "Everywhere"),
    (Screen, "Here"),
    (RowList, "In a list"),
    (TextPane, "In a text"),
    (Input, "In a line of input"),
)


@dataclass(slots=True)
class LiveKeys:
    """The keys of one binding."""

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
        """One more key."""
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
            if key in taken or _passes_on(binding) or (key == "slash" and isinstance(screen.focused, Input)):
                continue
            taken.add(key)
            if binding.id and app._check_action_state(binding.action, node):
                found.setdefault(binding.id, LiveKeys(binding, node, binding.tooltip)).add(key, app)
    return _sorted(found)


def _passes_on(binding: Binding) -> bool:
    return not binding.id and binding.action.startswith(("scroll_", "page_", "screen.copy_text", "copy_text"))


def keys_out_of_focus(screen: Screen[object], known: Iterable[LiveKeys], changed: dict[str, str]) -> list[LiveKeys]:
    """The bindings of the other widgets of the screen, which are in force once these have the focus."""
    names = {entry.binding.id for entry in known}
    found: dict[str, LiveKeys] = {}
    for widget in screen.query("*"):
        if not widget.can_focus or not widget.display:
            continue
        for _, binding in widget._bindings.copy():
            name = binding.id
            if name and name not in names and widget.check_action(binding.action.partition("(")[0], ()):
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
