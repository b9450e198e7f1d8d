"""Data classes as the standard library's, but what one can do is compiled when it is first done.

There a class takes a millisecond, most of it for compiling six methods, called or not; here it takes a fifteenth of
that. A command imports a hundred classes or more, and makes objects of few.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, asdict, astuple, field, fields, is_dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

__all__ = ["MISSING", "Field", "asdict", "astuple", "dataclass", "field", "fields", "is_dataclass", "replace"]


def _dataclass(kind: type[Any] | None = None, /, **options: bool) -> Any:
    """What ``dataclasses.dataclass`` makes of a class."""
    if kind is None:
        return partial(_dataclass, **options)
    eq, frozen, slots = options.get("eq", True), options.get("frozen", False), options.get("slots", False)
    wanted = {
        "__init__": True,
        "__repr__": options.get("repr", True),
        "__eq__": eq,
        "__hash__": options.get("unsafe_hash") or (eq and frozen),
    }
    kept = {"kw_only": options.get("kw_only", False), "frozen": frozen and any(map(is_dataclass, kind.__bases__))}
    later = [name for name, is_wanted in wanted.items() if is_wanted and vars(kind).get(name) is None]
    kind.__doc__ = kind.__doc__ or kind.__name__  # the signature would have to be found out for a better one
    made = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots, **kept)(kind)
    own: dict[str, object] = {name: _compiled_later(made, name, frozen=frozen) for name in later}
    made.__dataclass_params__.frozen = frozen  # a class derived from it has to be so, too
    if frozen:
        own |= {"__setattr__": _refuse_setting, "__delattr__": _refuse_deleting}
        if slots:
            own |= {"__getstate__": _state, "__setstate__": _set_state}
    elif eq and "__hash__" not in own:
        own["__hash__"] = vars(made).get("__hash__")
    for name, value in own.items():
        setattr(made, name, value)
    return made


if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = _dataclass


def _compiled_later(kind: Any, name: str, *, frozen: bool) -> Callable[..., Any]:
    """A method that puts that of the standard library in its place when it is called."""

    def method(self: object, *values: object, **named: object) -> Any:
        if vars(kind)[name] is method:
            known = "__module__", "__qualname__", *(["__post_init__"] if hasattr(kind, "__post_init__") else [])
            twin = dataclasses.make_dataclass(
                kind.__name__,
                [(each.name, each.type, each) for each in fields(kind)],
                namespace={each: getattr(kind, each) for each in known},
                init=name == "__init__",
                repr=name == "__repr__",
                eq=name == "__eq__",
                unsafe_hash=name == "__hash__",
                frozen=frozen and name == "__init__",
            )
            setattr(kind, name, vars(twin)[name])
        return getattr(kind, name)(self, *values, **named)

    return method


def _refuse_setting(_: object, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deleting(_: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[object]:
    return [getattr(self, each.name) for each in fields(self)]


def _set_state(self: Any, values: list[object]) -> None:
    for each, value in zip(fields(self), values, strict=True):
        object.__setattr__(self, each.name, value)
