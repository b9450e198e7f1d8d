"""Data classes that are made in a third of the time: for modules that a call of the program loads before it answers.

The standard ``dataclass`` writes and compiles six methods for each class, a millisecond in all, and a call loads a
hundred: a third of what the shorter ones take. Here ``__init__`` is compiled, and the others are the same for all.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, FrozenInstanceError, fields, is_dataclass
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass as dataclass
else:
    from dataclasses import dataclass as standard

    def dataclass(
        *,
        frozen: bool = False,
        slots: bool = False,
        kw_only: bool = False,
        eq: bool = True,
        unsafe_hash: bool = False,
    ) -> Callable[[type], type]:
        """As that of the standard library, which may inherit from one of these, and the other way round."""

        def made(given: type) -> type:
            doc, given.__doc__ = given.__doc__, given.__doc__ or given.__name__  # else one is made of the signature
            inherits = any(is_dataclass(each) for each in given.__mro__[1:])  # from one that may be frozen
            options = {"frozen": frozen and inherits, "slots": slots, "kw_only": kw_only}
            cls = standard(init=False, repr=False, eq=False, **options)(given)
            cls.__doc__, cls.__dataclass_params__.frozen = doc, frozen
            own = fields(cls)
            methods = {"__init__": _init(cls, own, frozen=frozen), "__repr__": _repr}
            if eq:
                methods |= _comparing(own, hashed=frozen or unsafe_hash)
            for name, method in methods.items():
                if name not in vars(given) or (name == "__hash__" and vars(given)[name] is None):
                    setattr(cls, name, method)
            if frozen and not inherits:
                cls.__setattr__, cls.__delattr__ = _refuse_setting, _refuse_deleting
                if slots:
                    cls.__getstate__, cls.__setstate__ = _state, _set_state
            return cls

        return made


class _Made:
    """Of a parameter that was not given, and whose default is made anew for each."""

    def __repr__(self) -> str:
        return "<factory>"


_MADE: Final = _Made()


def _init(cls: type, own: tuple[Field[Any], ...], *, frozen: bool) -> Any:
    names: dict[str, Any] = {"_set": object.__setattr__, "_MADE": _MADE}
    usual, by_name, body = ["self"], list[str](), list[str]()
    for each in own:
        value = each.name
        default = f"_default_{each.name}"
        if each.default is not MISSING:
            names[default], parameter = each.default, f"{each.name}={default}"
        elif each.default_factory is not MISSING:
            names[default], parameter = each.default_factory, f"{each.name}=_MADE"
            value = f"{default}() if {each.name} is _MADE else {each.name}" if each.init else f"{default}()"
        else:
            parameter = each.name
        if each.init:
            (by_name if each.kw_only else usual).append(parameter)
        elif each.default_factory is MISSING:
            continue
        body.append(f"_set(self, {each.name!r}, {value})" if frozen else f"self.{each.name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join([*usual, *(["*", *by_name] if by_name else [])])
    exec(f"def __init__({parameters}):\n " + "\n ".join(body or ["pass"]), names)
    init = names["__init__"]
    init.__qualname__, init.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    init.__annotations__ = {each.name: each.type for each in own if each.init} | {"return": None}
    return init


def _comparing(own: tuple[Field[Any], ...], *, hashed: bool) -> dict[str, Any]:
    names = [each.name for each in own if each.compare]
    found: Callable[[Any], Any] = attrgetter(*names) if names else lambda _: ()

    def equal(self: Any, other: object) -> Any:
        return found(self) == found(other) if other.__class__ is self.__class__ else NotImplemented

    def hash_of(self: Any) -> int:
        values = found(self)
        return hash(values if len(names) != 1 else (values,))

    return {"__eq__": equal, "__hash__": hash_of if hashed else None}


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_setting(self: object, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deleting(self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[object]:
    return [getattr(self, each.name) for each in fields(self)]


def _set_state(self: Any, state: list[object]) -> None:
    for each, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)
