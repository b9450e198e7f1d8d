"""The house rules, as an AST walk: who may import whom, how large things may be, and what stands where.

Each rule is a function that yields its complaints about one module; every rule is also shown modules that break it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parents[1]

BOTTOM = frozenset(
    {
        "",
        "arrays",
        "bounds",
        "cells",
        "display",
        "errors",
        "guides",
        "jobs",
        "languages",
        "model",
        "ngrams",
        "options",
        "outputs",
        "phrasebook",
        "signals",
        "spreadsheets",
        "stoppable",
        "terminal",
        "text",
    }
)
"""The bottom row; the empty name is the package itself, which holds the version."""
PURE = frozenset(
    {"alignment", "analogy", "charlm", "cqp", "formats", "japanese", "lexical", "metrics", "stats", "textsearch"}
)
UPPER = frozenset({"__main__", "cli", "queries", "reports", "store", "studies", "tui"})
MAY_IMPORT = {
    **dict.fromkeys(BOTTOM, BOTTOM),
    **{room: BOTTOM | {room} for room in PURE | {"store"}},
    "studies": BOTTOM | PURE | {"studies"},
    "textsearch": BOTTOM | {"cqp", "textsearch"},
    "queries": BOTTOM | PURE | {"store", "studies", "queries"},
    "reports": BOTTOM | PURE | {"store", "studies", "queries", "reports"},
    "cli": BOTTOM | PURE | {"store", "studies", "queries", "reports", "cli"},
    "tui": BOTTOM | PURE | {"store", "studies", "queries", "reports", "tui"},
    "__main__": BOTTOM | {"cli"},
}
FOREIGN = {"sqlite3": {"store", "queries"}, "sqlite_utils": {"store", "queries"}}
FOREIGN |= {
    "typer": {"cli"},
    "textual": {"tui"},
    "rich": {"cells", "cli", "tui"},
    "click": set(),
}  # typer ships a click of its own
"""Who may import what others made."""
SQL_ROOMS = frozenset({"queries", "store"})

BROAD = ("BaseException", "Exception")
BOUNDARY = PurePosixPath("corpusdb/cli/program/group.py")
"""Where every error of the command line, whatever it is, becomes a line on stderr and an exit code."""

MOST_LINES, MOST_FUNCTION_LINES, MOST_PARAMETERS = 400, 50, 6
EMPTY_NAMES = re.compile(r"_*(utils?|helpers?|common|part_?\d+)")
SQL = re.compile(
    r"""\s*(--[^\n]*\n\s*|\(\s*)*(
        select\b.*\bfrom\b | with\s+(recursive\s+)?\w+\s*(\([^)]*\)\s*)?as\s*\( | insert\s+(or\s+\w+\s+)?into\b
        | replace\s+into\b | update\s+(or\s+\w+\s+)?\S+\s+set\b | delete\s+from\b | pragma\s+\w+
        | (create|drop)\s+(temp(orary)?\s+)?(unique\s+|virtual\s+)?(table|index|view|trigger)\b
        | alter\s+table\b | begin\s+(immediate|exclusive)\b | attach\s+database\b | savepoint\s+\w+\s*$
    )""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Module:
    """One source file: its path from the root of the checkout, its text and its tree."""

    path: PurePosixPath
    text: str

    @property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

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


Rule = Callable[[Module], Iterator[str]]


def room_of(name: str) -> str:
    """The room of a module of this project, by its dotted name."""
    head, *rest = name.split(".")
    return head if head == "tui" else (rest[0] if rest else "")


def source_files(*folders: str) -> list[Module]:
    paths = sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return [
        Module(PurePosixPath(path.relative_to(ROOT).as_posix()), path.read_text(encoding="utf-8")) for path in paths
    ]


def imported_names(module: Module) -> Iterator[tuple[int, str]]:
    """Line and full name of everything that is imported, wherever in the module."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            outer = module.package.split(".")[: len(module.package.split(".")) - node.level + 1] if node.level else []
            origin = ".".join([*outer, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{origin}.{alias.name}") for alias in node.names)


def imports_go_downwards(module: Module) -> Iterator[str]:
    for line, name in imported_names(module):
        if name.split(".")[0] not in ("corpusdb", "tui"):
            continue
        room = room_of(name)
        if name == "corpusdb.__version__":
            continue
        if room == "tui" and module.room == "cli":
            continue  # see test_one_command_launches_the_browser
        if room not in MAY_IMPORT.get(module.room, frozenset()):
            yield f"{module.path}:{line}: {module.room or 'corpusdb'} imports {name}"


def foreign_packages_stay_in_their_rooms(module: Module) -> Iterator[str]:
    for line, name in imported_names(module):
        allowed = FOREIGN.get(name.split(".")[0])
        if allowed is not None and module.room not in allowed:
            yield f"{module.path}:{line}: {module.room or 'corpusdb'} imports {name}"


def modules_are_short(module: Module) -> Iterator[str]:
    lines = len(module.text.splitlines())
    if lines > MOST_LINES:
        yield f"{module.path}: {lines} lines"


def functions(module: Module) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, bool]]:
    """Every function, and whether it is a method."""
    for node in ast.walk(module.tree):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                yield child, isinstance(node, ast.ClassDef)


def functions_are_short(module: Module) -> Iterator[str]:
    for function, _ in functions(module):
        lines = (function.end_lineno or function.lineno) - function.lineno + 1
        if lines > MOST_FUNCTION_LINES:
            yield f"{module.path}:{function.lineno}: {function.name} has {lines} lines"


def functions_have_few_parameters(module: Module) -> Iterator[str]:
    for function, is_method in functions(module):
        given = function.args
        named = [*given.posonlyargs, *given.args]
        static = any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in function.decorator_list)
        if is_method and not static:
            named = named[1:]
        count = len(named) + len(given.kwonlyargs) + (given.vararg is not None) + (given.kwarg is not None)
        if count > MOST_PARAMETERS:
            yield f"{module.path}:{function.lineno}: {function.name} has {count} parameters"


def names_say_what_is_inside(module: Module) -> Iterator[str]:
    for part in module.path.with_suffix("").parts:
        if EMPTY_NAMES.fullmatch(part) or re.search(r"_part_?\d+$", part):
            yield f"{module.path}: {part} says nothing"


def only_the_command_line_prints(module: Module) -> Iterator[str]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "print" and module.room != "cli":
            yield f"{module.path}:{node.lineno}: print"


def errors_are_caught_narrowly(module: Module) -> Iterator[str]:
    """No bare or broad except, but to put things in order and raise again what came."""
    if module.path == BOUNDARY:
        return
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ExceptHandler):
            caught = [node.type] if not isinstance(node.type, ast.Tuple) else node.type.elts
            again = isinstance(node.body[-1], ast.Raise) and node.body[-1].exc is None
            if not again and any(each is None or ast.unparse(each).endswith(BROAD) for each in caught):
                yield f"{module.path}:{node.lineno}: broad except"
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("suppress", "contextlib.suppress"):
            yield from (
                f"{module.path}:{node.lineno}: broad suppress"
                for each in node.args
                if ast.unparse(each).endswith(BROAD)
            )


def docstrings(tree: ast.Module) -> set[int]:
    """The nodes that are strings standing alone."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def text_of(node: ast.AST) -> str | None:
    """What a string expression says, with ``?`` for what is only known when it runs."""
    match node:
        case ast.Constant(value=str(value)):
            return value
        case ast.JoinedStr(values=parts):
            return "".join(text_of(part) or "?" for part in parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            pieces = (text_of(left), text_of(right))
            return None if pieces == (None, None) else "".join(piece or "?" for piece in pieces)
    return None


def sql_stays_in_its_rooms(module: Module) -> Iterator[str]:
    if module.room in SQL_ROOMS:
        return
    tree = module.tree
    spoken = docstrings(tree)
    for node in ast.walk(tree):
        text = None if id(node) in spoken else text_of(node)
        if text is not None and SQL.match(text):
            yield f"{module.path}:{getattr(node, 'lineno', 0)}: SQL {text.strip()[:40]!r}"
        if isinstance(node, ast.Attribute) and node.attr in ("execute", "executemany", "executescript"):
            yield f"{module.path}:{node.lineno}: {ast.unparse(node)}"


def annotations_are_not_evaluated(module: Module) -> Iterator[str]:
    nodes = list(ast.walk(module.tree))
    annotated = any(getattr(node, "annotation", None) or getattr(node, "returns", None) for node in nodes)
    future = any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and "annotations" in [alias.name for alias in node.names]
        for node in nodes
    )
    if annotated and not future:
        yield f"{module.path}: no `from __future__ import annotations`"


def modules_say_what_they_are(module: Module) -> Iterator[str]:
    if not (ast.get_docstring(module.tree) or "").strip():
        yield f"{module.path}: no docstring"


EVERYWHERE: Sequence[Rule] = (
    modules_are_short,
    functions_are_short,
    functions_have_few_parameters,
    names_say_what_is_inside,
    annotations_are_not_evaluated,
)
IN_THE_PROGRAM: Sequence[Rule] = (
    modules_say_what_they_are,
    errors_are_caught_narrowly,
    imports_go_downwards,
    foreign_packages_stay_in_their_rooms,
    only_the_command_line_prints,
    sql_stays_in_its_rooms,
)


@pytest.mark.parametrize("rule", [*EVERYWHERE, *IN_THE_PROGRAM], ids=lambda rule: rule.__name__)
def test_the_program_keeps_the_rule(rule: Rule) -> None:
    assert [complaint for module in source_files("corpusdb", "tui") for complaint in rule(module)] == []


@pytest.mark.parametrize("rule", EVERYWHERE, ids=lambda rule: rule.__name__)
def test_the_tests_keep_the_rule(rule: Rule) -> None:
    assert [complaint for module in source_files("tests") for complaint in rule(module)] == []


def launchers(modules: Sequence[Module]) -> list[str]:
    """The modules of the command line that import the browser."""
    return [
        module.name
        for module in modules
        if module.room == "cli" and any(name.split(".")[0] == "tui" for _, name in imported_names(module))
    ]


def test_one_command_launches_the_browser() -> None:
    assert len(launchers(source_files("corpusdb"))) <= 1


def test_every_room_is_looked_at() -> None:
    rooms = {module.room for module in source_files("corpusdb", "tui")}
    assert {"", "analogy", "charlm", "cli", "formats", "queries", "store", "text", "tui"} <= rooms
    assert rooms <= BOTTOM | PURE | UPPER


HEAD = '"""Doc."""\nfrom __future__ import annotations\n'
QUERY, CLI, PURE_MODULE, TUI = "corpusdb/queries/a.py", "corpusdb/cli/a.py", "corpusdb/analogy/a.py", "tui/a.py"
BREACHES: Sequence[tuple[Rule, str, str]] = (
    (imports_go_downwards, PURE_MODULE, "from corpusdb.charlm import x"),
    (imports_go_downwards, PURE_MODULE, "from corpusdb import store"),
    (imports_go_downwards, PURE_MODULE, "def f():\n    import corpusdb.queries.growth"),
    (imports_go_downwards, PURE_MODULE, "if TYPE_CHECKING:\n    from ..formats import x"),
    (imports_go_downwards, "corpusdb/text.py", "from corpusdb.analogy import x"),
    (imports_go_downwards, "corpusdb/textsearch/a.py", "from corpusdb.lexical import x"),
    (imports_go_downwards, "corpusdb/cqp/a.py", "from corpusdb.textsearch import x"),
    (imports_go_downwards, "corpusdb/store/a.py", "from corpusdb.analogy.slots import x"),
    (imports_go_downwards, "corpusdb/formats/__init__.py", "from ..store import x"),
    (imports_go_downwards, QUERY, "from corpusdb.cli.app import main"),
    (imports_go_downwards, QUERY, "import tui"),
    (imports_go_downwards, TUI, "from corpusdb.cli.output import x"),
    (imports_go_downwards, "corpusdb/newroom/a.py", "from corpusdb.store import x"),
    (foreign_packages_stay_in_their_rooms, PURE_MODULE, "import sqlite3"),
    (foreign_packages_stay_in_their_rooms, CLI, "from sqlite3 import connect"),
    (foreign_packages_stay_in_their_rooms, QUERY, "from textual.app import App"),
    (foreign_packages_stay_in_their_rooms, CLI, "import click"),
    (modules_are_short, QUERY, "\n" * 401),
    (functions_are_short, QUERY, "class A:\n    async def f(self):\n" + "        pass\n" * 50),
    (functions_have_few_parameters, QUERY, "def f(a, b, /, c, *, d, e, f, g): pass"),
    (functions_have_few_parameters, QUERY, "class A:\n    def f(self, a, b, c, d, e, *f, **g): pass"),
    (functions_have_few_parameters, QUERY, "class A:\n    @staticmethod\n    def f(a, b, c, d, e, f, g): pass"),
    (names_say_what_is_inside, "corpusdb/queries/utils.py", ""),
    (names_say_what_is_inside, "corpusdb/common/a.py", ""),
    (names_say_what_is_inside, "tests/queries/_helpers.py", ""),
    (names_say_what_is_inside, "corpusdb/queries/growth_part2.py", ""),
    (only_the_command_line_prints, QUERY, "def f():\n    print(1)"),
    (errors_are_caught_narrowly, QUERY, "try: f()\nexcept Exception: pass"),
    (errors_are_caught_narrowly, QUERY, "try: f()\nexcept: pass"),
    (errors_are_caught_narrowly, CLI, "try: f()\nexcept (OSError, builtins.BaseException) as e: raise A from e"),
    (errors_are_caught_narrowly, QUERY, "with contextlib.suppress(Exception): f()"),
    (sql_stays_in_its_rooms, CLI, "Q = 'select * from sentence'"),
    (sql_stays_in_its_rooms, TUI, "Q = f'SELECT {column}\\n  FROM sentence'"),
    (sql_stays_in_its_rooms, PURE_MODULE, "Q = 'select id ' + columns + 'from sentence'"),
    (sql_stays_in_its_rooms, TUI, "Q = '-- all\\nwith a as (select 1) select * from a'"),
    (sql_stays_in_its_rooms, CLI, "f('insert or ignore into a values (1)')"),
    (sql_stays_in_its_rooms, CLI, "f('pragma user_version')"),
    (sql_stays_in_its_rooms, CLI, "Q = 'update a set b = 1'"),
    (sql_stays_in_its_rooms, CLI, "Q = 'create table a (b)'"),
    (sql_stays_in_its_rooms, TUI, "store.connection.execute(QUERY)"),
    (annotations_are_not_evaluated, QUERY, "a: int = 1"),
    (annotations_are_not_evaluated, QUERY, "def f(*, a: int): pass"),
    (annotations_are_not_evaluated, QUERY, "def f() -> int: pass"),
    (modules_say_what_they_are, QUERY, "a = 'not a docstring'"),
)


@pytest.mark.parametrize(("rule", "path", "text"), BREACHES)
def test_a_breach_is_found(rule: Rule, path: str, text: str) -> None:
    assert list(rule(Module(PurePosixPath(path), text)))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            QUERY,
            "from corpusdb import __version__, text\nfrom corpusdb.store import x\nfrom . import y\nimport sqlite3",
        ),
        (
            PURE_MODULE,
            "from corpusdb.ngrams import x\nfrom .slots import y\nfrom corpusdb.analogy import z",
        ),
        ("corpusdb/textsearch/a.py", "from corpusdb.cqp import x"),
        (CLI, "def f(a):\n    from corpusdb.analogy import x\n    print('select one of the lines below'.upper())"),
        (CLI, "def f(a):\n    '''select a from b'''\n    g('Run a query: select text from sentence', 'Update all')"),
        (QUERY, "def f(a: int):\n    try: g()\n    except BaseException:\n        h()\n        raise"),
        (QUERY, "def f(a, b, *, c, d, e, f): c.execute('select a from b')"),
        (QUERY, "class A:\n    def f(self, a, b, c, d, e, f): pass"),
        ("tui/commonplace.py", "from corpusdb.queries import x\nfrom tui.screens import y\nfrom rich.text import Text"),
    ],
)
def test_what_keeps_to_the_rules_passes(path: str, text: str) -> None:
    module = Module(PurePosixPath(path), HEAD + text)
    assert [complaint for rule in (*EVERYWHERE, *IN_THE_PROGRAM) for complaint in rule(module)] == []


def test_every_rule_is_shown_a_breach() -> None:
    assert {rule for rule, _, _ in BREACHES} == {*EVERYWHERE, *IN_THE_PROGRAM}


def test_a_second_way_to_the_browser_is_found() -> None:
    modules = [Module(PurePosixPath(f"corpusdb/cli/{name}.py"), "from tui.app import run") for name in ("a", "b")]
    assert launchers(modules) == ["corpusdb.cli.a", "corpusdb.cli.b"]
