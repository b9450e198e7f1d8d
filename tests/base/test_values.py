"""Data classes that are made quickly are as those of the standard library."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, field, fields, replace
from dataclasses import dataclass as standard
from typing import Any

import pytest

from corpusdb.base.values import dataclass


def made_by(maker: Callable[..., Any], **options: bool) -> Any:
    @maker(**options)
    class Made:
        one: int
        many: list[int] = field(default_factory=list)
        left_out: str = field(default="x", compare=False, repr=False)
        named: int = field(default=3, kw_only=True)
        late: int = field(default=0, init=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "late", self.one + 1)

    return Made


OPTIONS: list[dict[str, bool]] = [
    {"frozen": True, "slots": True},
    {"frozen": True},
    {"slots": True},
    {"slots": True, "unsafe_hash": True},
    {"frozen": True, "slots": True, "kw_only": True},
    {"frozen": True, "eq": False},
    {},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_value_is_as_one_of_the_standard_library(options: dict[str, bool]) -> None:
    ours, theirs = made_by(dataclass, **options), made_by(standard, **options)
    assert str(inspect.signature(ours)).replace("ours", "theirs") == str(inspect.signature(theirs))
    assert ours.__match_args__ == theirs.__match_args__
    assert hasattr(ours(one=1), "__dict__") == hasattr(theirs(one=1), "__dict__")
    for given in ({}, {"many": [2], "left_out": "y"}, {"named": 4}):
        one, other = ours(one=1, **given), theirs(one=1, **given)
        assert repr(one) == repr(other) and asdict(one) == asdict(other)
        assert (one == ours(one=1)) == (other == theirs(one=1))
        assert one != other and one is not None
        assert replace(one, one=5) == ours(one=5, **given) or "eq" in options
    assert ours(one=1).many is not ours(one=1).many
    with pytest.raises(TypeError):
        ours()


def hash_or_none(value: object) -> int | None:
    try:
        return hash(value)
    except TypeError:
        return None


@pytest.mark.parametrize("options", OPTIONS[:-2], ids=str)
def test_its_hash_is_that_of_the_standard_library(options: dict[str, bool]) -> None:
    for kinds in (one_of, two_of):
        ours, theirs = kinds(dataclass, **options), kinds(standard, **options)
        assert hash_or_none(ours) == hash_or_none(theirs)


def one_of(maker: Callable[..., Any], **options: bool) -> object:
    @maker(**options)
    class One:
        only: int

    return One(only=7)  # type: ignore[call-arg]


def two_of(maker: Callable[..., Any], **options: bool) -> object:
    @maker(**options)
    class Two:
        one: int
        other: str = "b"

    return Two(one=7)  # type: ignore[call-arg]


@dataclass(frozen=True, slots=True)
class Base:
    one: int


@dataclass(frozen=True, slots=True)
class Derived(Base):
    other: str = "b"

    def __repr__(self) -> str:
        return "derived"

    def __hash__(self) -> int:
        return 5


@standard(frozen=True)
class FarDerived(Derived):
    last: int = 2


@dataclass(frozen=True)
class Farthest(FarDerived):
    pass


@pytest.mark.parametrize("last", [FarDerived, Farthest])
def test_one_and_those_of_the_standard_library_inherit_from_each_other(last: type[FarDerived]) -> None:
    assert last(1) == last(1, "b", 2) and last(1).last == 2
    with pytest.raises(FrozenInstanceError):
        last(1).one = 2  # type: ignore[misc]


def test_one_inherits_and_keeps_its_own_methods() -> None:
    found = Derived(1)
    assert [each.name for each in fields(found)] == ["one", "other"]
    assert repr(found) == "derived" and hash(found) == 5
    assert found == Derived(1, "b") and found != Base(1)


def test_a_frozen_one_is_copied_and_not_changed() -> None:
    found = Derived(1, "c")
    assert pickle.loads(pickle.dumps(found)) == copy.copy(found) == copy.deepcopy(found) == found
    with pytest.raises(FrozenInstanceError, match="'one'"):
        setattr(found, "one", 2)  # noqa: B010
    with pytest.raises(FrozenInstanceError, match="'one'"):
        delattr(found, "one")
    assert found.one == 1


def test_one_without_a_text_has_none() -> None:
    assert Base.__doc__ is None
