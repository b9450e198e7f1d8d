"""All keys of the browser: which there are, which are in force together, and which would get in each other's way."""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

from textual.app import App
from textual.binding import Binding
from textual.keys import KEY_NAME_REPLACEMENTS, Keys
from textual.screen import ModalScreen, Screen
from textual.widget import Widget

from tui.widgets.row_list import RowList

__all__ = ["Clash", "Contexts", "bindings_of", "conflicts", "contexts_of", "is_key", "own_widgets"]

Contexts = Mapping[str, Mapping[str, Binding]]
"""Bindings by their ids, those that are in force together by the name of the class that has them."""

Kind = TypeVar("Kind", bound=Widget)

_MODIFIERS = frozenset({"ctrl", "shift", "alt", "super", "hyper", "meta"})
_NAMED = frozenset(key.value for key in Keys if key.value.isidentifier())


@dataclass(frozen=True, slots=True)
class Clash:
    """Two actions on one key."""

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
