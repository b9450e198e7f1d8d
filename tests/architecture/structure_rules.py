"""The rules on how modules stand to each other: circles, the order of the rooms inside a room, the size of a folder,
names of classes.

Each rule looks at all modules together, and yields its complaints.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from source_modules import Module, imported_names

MOST_MODULES = 25
FOR_MANY_TESTS = frozenset({"architecture", "attacks", "benchmarks", "driving", "oracles", "readings"})
"""Folders of the tests that have no counterpart in the program."""
_BROWSER = Path(__file__).parents[2] / "tui"
_KIT = frozenset({"kit"})
_PLACES = {path.stem for path in _BROWSER.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
ROOMS_INSIDE: Mapping[str, Mapping[str, frozenset[str]]] = {
    "tui": {
        **dict.fromkeys(_PLACES - {"__init__"}, _KIT),
        "kit": frozenset(),
        "search": _KIT | {"alignment", "translation"},
        "people": _KIT | {"alignment", "search"},  # from an explanation to the document of a sentence
        "scoring": _KIT | {"people", "search"},  # from a reference to its analogies and documents
        "homogeneity": _KIT | {"search"},  # from a line to its document
        "places": _KIT | _PLACES - {"__init__", "app", "places"},
        "app": _KIT | {"places"},
    },
}
"""The folders and modules inside a room, each with those that it may import besides itself."""

StructureRule: TypeAlias = Callable[[Sequence[Module]], Iterator[str]]


def imports_of(modules: Sequence[Module]) -> dict[str, set[str]]:
    """The modules that each module imports, wherever in it and whether to run or for types only."""
    names = {module.name for module in modules}
    found: dict[str, set[str]] = {}
    for module in modules:
        imported = found.setdefault(module.name, set())
        for _, name in imported_names(module):
            if name != "corpusdb.__version__":  # which is there before anything else
                origin = name if name in names else name.rpartition(".")[0]
                imported |= {origin} & names - {module.name}
    return found


def imports_make_no_circle(modules: Sequence[Module]) -> Iterator[str]:
    """Also not by imports inside of functions or for types: a module is understood without those that use it."""
    left = imports_of(modules)
    while free := [name for name, imported in left.items() if not imported & left.keys()]:
        for name in free:
            del left[name]
    users = {name for imported in left.values() for name in imported}
    while unused := left.keys() - users:  # they only import what is in a circle
        for name in unused:
            del left[name]
        users = {name for imported in left.values() for name in imported}
    yield from (f"{name} is in a circle of imports" for name in sorted(left))


def rooms_inside_keep_their_order(modules: Sequence[Module]) -> Iterator[str]:
    for outer, rooms in ROOMS_INSIDE.items():
        for name, imported in imports_of(modules).items():
            room = room_inside(outer, name)
            if room is None:
                continue
            if room not in rooms:
                yield f"{name}: it is not said what {room} may import of {outer}"
                continue
            for other in sorted(imported):
                if room_inside(outer, other) not in {None, room, *rooms[room]}:
                    yield f"{name} imports {other}"


def room_inside(outer: str, name: str) -> str | None:
    """The folder or module directly in ``outer`` that a module belongs to; None for others and for ``outer`` itself."""
    return name.removeprefix(f"{outer}.").split(".")[0] if name.startswith(f"{outer}.") else None


def folders_are_small(modules: Sequence[Module]) -> Iterator[str]:
    counted = Counter(module.path.parent for module in modules if not module.path.name.startswith("__"))
    yield from (f"{folder}: {count} modules" for folder, count in counted.items() if count > MOST_MODULES)


def folders_of_tests_have_counterparts(modules: Sequence[Module], program: Collection[PurePosixPath]) -> Iterator[str]:
    """A folder of tests has the name of a folder or module of the program, below ``corpusdb`` or of the browser."""
    for folder in sorted({module.path.parent for module in modules}):
        inside = folder.relative_to("tests")
        counterparts = {inside, "corpusdb" / inside} & {*program}
        if inside.parts and inside.parts[0] not in FOR_MANY_TESTS and not counterparts:
            yield f"{folder}: the program has no such folder"
        if not inside.parts:
            stray = (each.path for each in modules if each.path.parent == folder and each.path.name != "conftest.py")
            yield from (f"{path}: stands beside nothing" for path in stray)


def classes_have_names_of_their_own(modules: Sequence[Module]) -> Iterator[str]:
    """A public class has a name that no other has, so that whoever reads or searches for it finds one thing."""
    found: dict[str, list[str]] = {}
    for module in modules:
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(module.name)
    yield from (f"{name} is a class of {' and of '.join(where)}" for name, where in found.items() if len(where) > 1)


STRUCTURE: Sequence[StructureRule] = (
    imports_make_no_circle,
    rooms_inside_keep_their_order,
    folders_are_small,
    classes_have_names_of_their_own,
)
