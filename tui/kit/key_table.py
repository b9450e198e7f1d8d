"""All keys of the browser: which there are, which clash, and what those of a screen do as it stands."""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import TypeVar

from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import KEY_NAME_REPLACEMENTS, Keys
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Input

from tui.kit.row_list import RowList, TextPane

# All keys of the browser: which there are, which are in force together, and which would get in each other's way.


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
