"""Who may import whom inside the browser, and that no modules import each other in a circle."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

_KIT = frozenset({"kit"})
_FOLDERS = frozenset(path.parent.name for path in (ROOT / "tui").glob("*/__init__.py"))
_MODULES = frozenset(path.stem for path in (ROOT / "tui").glob("*.py"))
_OF_PLACES = (_FOLDERS | _MODULES) - {*_KIT, "__init__", "app", "places"}
"""The folders and modules of the places: each may import the kit, and what is said of it here."""
TUI_ROOMS: Mapping[str, frozenset[str]] = {
    "kit": frozenset(),
    **dict.fromkeys(_OF_PLACES, _KIT),
    "search": _KIT | {"alignment", "translation"},
    "people": _KIT | {"alignment", "search"},  # from an explanation to the document of a sentence
    "scoring": _KIT | {"people", "search"},  # from a reference to its analogies and documents
    "homogeneity": _KIT | {"search"},  # from a line to its document
    "places": _KIT | _OF_PLACES,
    "app": _KIT | {"places"},
}
"""The folders and modules of the browser, each with those that it may import besides itself."""


def modules() -> dict[str, str]:
    """The source of every module, by its name."""
    paths = sorted((ROOT / "tui").rglob("*.py"))
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in paths]
    return {name: path.read_text(encoding="utf-8") for name, path in zip(names, paths, strict=True)}


def imported(source: str, known: set[str]) -> Iterator[str]:
    """The modules of the browser that one imports, at any place in it and also only for types."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module:
            inside = {f"{node.module}.{alias.name}" for alias in node.names} & known
            yield from inside or {node.module} & known


def complaints(sources: Mapping[str, str]) -> list[str]:
    """The imports that the table does not allow."""
    found = []
    for name, source in sources.items():
        for other in imported(source, {*sources}):
            here, there = (each.split(".")[1] if "." in each else "" for each in (name, other))
            if there not in (here, "") and there not in TUI_ROOMS[here]:
                found.append(f"{name} imports {other}")
    return found


def circle(sources: Mapping[str, str]) -> list[str]:
    """Modules that import each other in a circle, if there are any."""
    graph = {name: set(imported(source, {*sources})) - {name} for name, source in sources.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_every_room_imports_only_what_it_may() -> None:
    assert complaints(modules()) == []


def test_the_table_names_what_there_is() -> None:
    assert {name.split(".")[1] for name in modules() if "." in name} == {*TUI_ROOMS}


def test_the_table_has_no_circle() -> None:
    TopologicalSorter(TUI_ROOMS).prepare()


def test_no_modules_import_each_other() -> None:
    assert circle(modules()) == []


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("tui.kit.a", "from tui.search.screen import CorpusScreen"),
        ("tui.search.a", "def f():\n    from tui.people.seed_screen import SeedScreen"),
        ("tui.rules.a", "if TYPE_CHECKING:\n    from tui.app import Browser"),
        ("tui.chain.a", "from tui import places"),
    ],
)
def test_a_breach_is_found(name: str, source: str) -> None:
    assert len(complaints(modules() | {name: source})) == 1


def test_a_circle_is_found() -> None:
    sources = {"tui.kit.a": "from tui.kit.b import x", "tui.kit.b": "def f():\n    import tui.kit.a"}
    assert set(circle(modules() | sources)) == {*sources}
