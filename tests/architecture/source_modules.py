"""The source files of the project, each read, parsed and walked once."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path, PurePosixPath
from typing import TypeVar, cast

_PLACE = re.compile(r"(?:corpusdb|tui)(?:\.\w+)+:\w+")
_ROOT = Path(__file__).resolve().parents[2]
_Node = TypeVar("_Node", bound=ast.AST)


@dataclass(frozen=True)
class Module:
    """One source file: its path from the root of the checkout, its text and its tree."""

    path: PurePosixPath
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def _nodes(self) -> Mapping[type[ast.AST], list[ast.AST]]:
        """Every node of the tree by its kind: parsed and walked once for all rules."""
        found: dict[type[ast.AST], list[ast.AST]] = defaultdict(list)
        waiting: list[ast.AST] = [self.tree]
        for node in waiting:  # which grows
            found[type(node)].append(node)
            for value in vars(node).values():
                if isinstance(value, list):
                    waiting += [each for each in value if isinstance(each, ast.AST)]
                elif isinstance(value, ast.AST):
                    waiting.append(value)
        return found

    def nodes(self, kind: type[_Node]) -> Sequence[_Node]:
        """Those of this kind, wherever in the module."""
        return cast("list[_Node]", self._nodes.get(kind, []))

    @cached_property
    def functions(self) -> Sequence[tuple[ast.FunctionDef | ast.AsyncFunctionDef, bool]]:
        """Every function, and whether it is a method."""
        methods = {id(each) for node in self.nodes(ast.ClassDef) for each in node.body}
        found: list[ast.FunctionDef | ast.AsyncFunctionDef] = [
            *self.nodes(ast.FunctionDef),
            *self.nodes(ast.AsyncFunctionDef),
        ]
        return [(node, id(node) in methods) for node in found]

    @property
    def name(self) -> str:
        parts = self.path.with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def package(self) -> str:
        return self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]

    @property
    def room(self) -> str:
        return room_of(self.name)


def room_of(name: str) -> str:
    """The room of a module of this project, by its dotted name."""
    head, *rest = name.split(".")
    return head if head == "tui" else (rest[0] if rest else "")


@cache
def source_files(*folders: str) -> Sequence[Module]:
    """The modules in these folders; each folder is read once."""
    if len(folders) > 1:
        return [module for folder in folders for module in source_files(folder)]
    paths = sorted((_ROOT / folders[0]).rglob("*.py"))
    return [
        Module(PurePosixPath(path.relative_to(_ROOT).as_posix()), path.read_text(encoding="utf-8")) for path in paths
    ]


def imported_names(module: Module, without: Collection[int] = ()) -> Iterator[tuple[int, str]]:
    """Line and full name of everything that is imported, wherever in the module but by some nodes."""
    imports: list[ast.Import | ast.ImportFrom] = [*module.nodes(ast.Import), *module.nodes(ast.ImportFrom)]
    for node in imports:
        if id(node) in without:
            continue
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        else:
            outer = module.package.split(".")[: len(module.package.split(".")) - node.level + 1] if node.level else []
            origin = ".".join([*outer, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{origin}.{alias.name}") for alias in node.names)


def named_places(module: Module) -> Iterator[tuple[int, str]]:
    """Line and place of everything that a string names to be imported when it is used: ``module:name``."""
    for node in module.nodes(ast.Constant):
        if isinstance(node.value, str) and _PLACE.fullmatch(node.value):
            yield node.lineno, node.value
