"""The house rules: who may import whom, how large things may be, and what stands where.

Each rule is a function that yields its complaints about one module.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePosixPath

from source_modules import Module, functions, imported_names, room_of

__all__ = [
    "BOTTOM",
    "EVERYWHERE",
    "IN_THE_PROGRAM",
    "PURE",
    "UPPER",
    "Rule",
    "annotations_are_not_evaluated",
    "classes_have_few_methods",
    "errors_are_caught_narrowly",
    "foreign_packages_stay_in_their_rooms",
    "front_ends_ask_queries",
    "functions_are_short",
    "functions_have_few_parameters",
    "imports_go_downwards",
    "modules_are_short",
    "modules_say_what_they_are",
    "names_say_what_is_inside",
    "only_the_command_line_prints",
    "parameters_are_not_packed",
    "sql_has_a_name",
    "sql_stays_in_its_rooms",
]

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
        "morphemes",
        "needed",
        "ngrams",
        "options",
        "outputs",
        "phrasebook",
        "rows",
        "scripts",
        "signals",
        "spreadsheets",
        "stoppable",
        "terminal",
        "text",
    }
)
"""The bottom row; the empty name is the package itself, which holds the version."""
PURE = frozenset(
    {
        "alignment",
        "analogy",
        "charlm",
        "cqp",
        "exchange",
        "formats",
        "homogeneity",
        "japanese",
        "lexical",
        "metrics",
        "pivot",
        "stats",
        "textsearch",
        "translation",
    }
)
UPPER = frozenset({"__main__", "cli", "distributed", "library", "queries", "reports", "store", "studies", "tui"})
MAY_IMPORT = {
    **dict.fromkeys(BOTTOM, BOTTOM),
    **{room: BOTTOM | {room} for room in PURE | {"store"}},
    "studies": BOTTOM | PURE | {"studies"},
    "distributed": BOTTOM | PURE | {"distributed"},
    "textsearch": BOTTOM | {"cqp", "textsearch"},
    "queries": BOTTOM | PURE | {"distributed", "store", "studies", "queries"},
    "reports": BOTTOM | PURE | {"store", "studies", "queries", "reports"},
    "cli": BOTTOM | PURE | {"store", "studies", "queries", "reports", "cli"},
    "tui": BOTTOM | PURE | {"store", "studies", "queries", "reports", "tui"},
    "library": BOTTOM | PURE | {"library", "store", "studies", "queries", "reports"},
    "": BOTTOM | {"library"},  # the package itself, which offers the library when it is first asked for
    "__main__": BOTTOM | {"cli"},
}
FRONT_ENDS = frozenset({"cli", "tui"})
MAY_REACH = (
    "corpusdb.store.Store",
    "corpusdb.store.open_for_reading",
    "corpusdb.store.open_store",
    "corpusdb.store.connection.translated_errors",
    "corpusdb.store.user_history",  # what a person asked, which is in no database
    "corpusdb.formats",  # files are read and written before or after a database is asked
    "corpusdb.analogy",  # an equation between strings, without a database
)
"""What the command line and the browser may run of the rooms below queries, each with all that is in it."""
FOREIGN = {"sqlite3": {"store", "queries"}, "sqlite_utils": {"store", "queries"}}
FOREIGN |= {
    "typer": {"cli"},
    "textual": {"tui"},
    "rich": {"cells", "cli", "tui"},
    "sudachipy": {"morphemes"},
    "pyspark": {"distributed"},
    "py4j": {"distributed"},
    "pyarrow": {"distributed"},
    "pandas": set(),
    "click": set(),
}  # typer ships a click of its own
"""Who may import what others made."""
SQL_ROOMS = frozenset({"queries", "store"})

BROAD = ("BaseException", "Exception")
BOUNDARY = PurePosixPath("corpusdb/cli/program/group.py")
"""Where every error of the command line, whatever it is, becomes a line on stderr and an exit code."""

MOST_LINES, MOST_FUNCTION_LINES, MOST_PARAMETERS, MOST_METHODS = 400, 50, 6, 20
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

CONTROL = re.compile(r"(begin|commit|rollback|savepoint|release|pragma|attach|detach|analyze|vacuum)\b")
"""Statements that say all they do by themselves, and need no name."""
EXECUTES = ("execute", "executemany", "executescript")


Rule = Callable[[Module], Iterator[str]]


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


def is_named(node: ast.expr, *names: str) -> bool:
    """Whether an expression is one of these names, dotted or not."""
    # Spelling out every call of the project would take seconds.
    return isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) in names


def only_the_command_line_prints(module: Module) -> Iterator[str]:
    for node in module.nodes:
        if isinstance(node, ast.Call) and is_named(node.func, "print") and module.room != "cli":
            yield f"{module.path}:{node.lineno}: print"


def errors_are_caught_narrowly(module: Module) -> Iterator[str]:
    """No bare or broad except, but to put things in order and raise again what came."""
    if module.path == BOUNDARY:
        return
    for node in module.nodes:
        if isinstance(node, ast.ExceptHandler):
            caught = [node.type] if not isinstance(node.type, ast.Tuple) else node.type.elts
            again = isinstance(node.body[-1], ast.Raise) and node.body[-1].exc is None
            if not again and any(each is None or ast.unparse(each).endswith(BROAD) for each in caught):
                yield f"{module.path}:{node.lineno}: broad except"
        elif isinstance(node, ast.Call) and is_named(node.func, "suppress", "contextlib.suppress"):
            yield from (
                f"{module.path}:{node.lineno}: broad suppress"
                for each in node.args
                if ast.unparse(each).endswith(BROAD)
            )


def connections_are_closed(module: Module) -> Iterator[str]:
    """A `with` of a connection ends its transaction and leaves it open, until somebody else's test is blamed for it."""
    for node in module.nodes:
        if isinstance(node, ast.With | ast.AsyncWith):
            opened = [each.context_expr for each in node.items if isinstance(each.context_expr, ast.Call)]
            if any(is_named(call.func, "sqlite3.connect") for call in opened):
                yield f"{module.path}:{node.lineno}: sqlite3.connect without closing"


def docstrings(module: Module) -> set[int]:
    """The nodes that are strings standing alone."""
    return {id(node.value) for node in module.nodes if isinstance(node, ast.Expr)}


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
    spoken = docstrings(module)
    for node in module.nodes:
        text = None if id(node) in spoken else text_of(node)
        if text is not None and SQL.match(text):
            yield f"{module.path}:{getattr(node, 'lineno', 0)}: SQL {text.strip()[:40]!r}"
        if isinstance(node, ast.Attribute) and node.attr in EXECUTES:
            yield f"{module.path}:{node.lineno}: {ast.unparse(node)}"


def sql_has_a_name(module: Module) -> Iterator[str]:
    """No statement is written inside of the call that runs it, but for those that only steer the database."""
    for node in module.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in EXECUTES:
            text = text_of(node.args[0]) if node.args else None
            if text is not None and not CONTROL.match(text):
                yield f"{module.path}:{node.lineno}: SQL without a name: {text[:40]!r}"


def classes_have_few_methods(module: Module) -> Iterator[str]:
    for node in module.nodes:
        if isinstance(node, ast.ClassDef):
            count = sum(isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) for each in node.body)
            if count > MOST_METHODS:
                yield f"{module.path}:{node.lineno}: {node.name} has {count} methods"


def parameters_are_not_packed(module: Module) -> Iterator[str]:
    """No parameter is a tuple of a fixed length and of different types, which should be a dataclass or several."""
    for function, _ in functions(module):
        given = function.args
        for each in (*given.posonlyargs, *given.args, *given.kwonlyargs):
            for choice in choices_of(each.annotation):
                if isinstance(choice, ast.Subscript) and is_named(choice.value, "tuple", "typing.Tuple", "Tuple"):
                    members = choice.slice.elts if isinstance(choice.slice, ast.Tuple) else []
                    types = {ast.unparse(member) for member in members}
                    if len(types) > 1 and "..." not in types:
                        yield f"{module.path}:{function.lineno}: {each.arg} of {function.name} is a packed tuple"


def choices_of(annotation: ast.expr | None) -> Iterator[ast.expr]:
    """The members of a union, or what is annotated itself."""
    if isinstance(annotation, ast.BinOp):
        yield from choices_of(annotation.left)
        yield from choices_of(annotation.right)
    elif annotation is not None:
        yield annotation


def front_ends_ask_queries(module: Module) -> Iterator[str]:
    """What the command line and the browser do can be done without them: types aside, they run queries and reports."""
    if module.room not in FRONT_ENDS:
        return
    types = {id(each) for node in module.nodes for each in imported_for_types(node)}
    below = PURE | {"distributed", "store", "studies"}
    for line, name in imported_names(module, without=types):
        allowed = any(name == each or name.startswith(f"{each}.") for each in MAY_REACH)
        if name.startswith("corpusdb.") and room_of(name) in below and not allowed:
            yield f"{module.path}:{line}: {module.room} runs {name}"


def imported_for_types(node: ast.AST) -> Iterator[ast.AST]:
    """Everything inside of ``if TYPE_CHECKING``."""
    if isinstance(node, ast.If) and is_named(node.test, "TYPE_CHECKING", "typing.TYPE_CHECKING"):
        yield from (each for statement in node.body for each in ast.walk(statement))


def annotations_are_not_evaluated(module: Module) -> Iterator[str]:
    annotated = any(getattr(node, "annotation", None) or getattr(node, "returns", None) for node in module.nodes)
    future = any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and "annotations" in [alias.name for alias in node.names]
        for node in module.nodes
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
    connections_are_closed,
)
IN_THE_PROGRAM: Sequence[Rule] = (
    modules_say_what_they_are,
    errors_are_caught_narrowly,
    imports_go_downwards,
    foreign_packages_stay_in_their_rooms,
    only_the_command_line_prints,
    sql_stays_in_its_rooms,
    sql_has_a_name,
    classes_have_few_methods,
    parameters_are_not_packed,
    front_ends_ask_queries,
)
