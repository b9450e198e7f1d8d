"""The house rules: who may import whom, how large things may be, and what stands where.

Each rule is a function that yields its complaints about one module.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import PurePosixPath

from source_modules import Module, imported_names, named_places, room_of, source_files

CAPABILITIES: Sequence[str] = (
    "base",
    "corpus",
    "commands",
    "rules",
    "search",
    "alignment",
    "paraphrase",
    "homogeneity",
    "translation",
    "scoring",
    "chain",
    "people",
    "cluster",
    "studies",
    "program",
    "library",
)
"""The folders of the program from the lowest to the highest: each imports from those before it, and from itself."""
DATA = frozenset({"guides", "phrasebook"})
"""Folders of texts with the module that finds them, which imports nothing but what is in base."""

PURE, QUERIES, REPORT, COMMANDS = "pure", "queries", "report", "commands"
MAY_RUN: Mapping[str, frozenset[str]] = {
    PURE: frozenset({PURE}),
    QUERIES: frozenset({PURE, QUERIES}),
    REPORT: frozenset({PURE, QUERIES, REPORT}),
    COMMANDS: frozenset({PURE, QUERIES, REPORT, COMMANDS}),
}
"""What each kind of module imports: algorithms know no database, and nobody below them knows a command."""
_PROGRAM_COMMANDS = frozenset({"app", "catalogue"})

MAY_REACH = (
    "corpusdb.corpus.store.Store",
    "corpusdb.corpus.store.open_for_reading",
    "corpusdb.corpus.store.open_store",
    "corpusdb.corpus.store.connection.translated_errors",
    "corpusdb.corpus.store.user_history",  # what a person asked, which is in no database
    "corpusdb.corpus.formats",  # files are read and written before or after a database is asked
    "corpusdb.alignment.links",
    "corpusdb.corpus.model",  # the values that travel
    "corpusdb.corpus.orders",
    "corpusdb.paraphrase.equations",  # an equation between strings, without a database
    # What is asked for: values, the names of what there is, and defaults.
    "corpusdb.cluster.session.Request",
    "corpusdb.paraphrase.sharing.MAX_SHARING",
    "corpusdb.scoring.substituted_measures.LATTICE_METRICS",
    "corpusdb.scoring.metrics",
    "corpusdb.scoring.reference_count.Resampling",
    "corpusdb.search.patterns.Mode",
    "corpusdb.studies.bleu_in_characters",
)
"""What the command line and the browser may run below queries, each with all that is in it."""


def kind_of(name: str) -> str:
    """Algorithms, operations on an open store, reports or commands: by the place and the name of a module."""
    _, capability, *rest = [*name.split("."), ""]
    last = name.split(".")[-1]
    if name.split(".")[0] == "tui" or capability == "commands":
        return COMMANDS
    if capability == "program" and last in _PROGRAM_COMMANDS:
        return COMMANDS
    if last in ("commands", "__main__") or last.endswith(("_commands", "_options")):
        return COMMANDS
    if last.endswith("_report") or (last in ("report", "figures", "images") and "queries" not in rest):
        return REPORT
    return QUERIES if capability == "library" or _is_of_queries(name) else PURE


def _is_of_queries(name: str) -> bool:
    parts = name.split(".")
    return "queries" in parts or parts[-1].endswith("_queries") or name.startswith("corpusdb.corpus.store")


def may_hold_sql(module: Module) -> bool:
    return _is_of_queries(module.name)


FOREIGN: Mapping[str, Callable[[Module], bool]] = {
    "sqlite3": may_hold_sql,
    "sqlite_utils": may_hold_sql,
    "typer": lambda module: module.room != "tui" and kind_of(module.name) == COMMANDS,
    "textual": lambda module: module.room == "tui",
    "rich": lambda module: module.name == "corpusdb.base.cells" or kind_of(module.name) == COMMANDS,
    "sudachipy": lambda module: module.name == "corpusdb.base.tokenisation",
    "pyspark": lambda module: module.room == "cluster",
    "py4j": lambda module: module.room == "cluster",
    "pyarrow": lambda module: module.room == "cluster",
    "pandas": lambda module: False,
    "click": lambda module: False,  # typer ships a click of its own
}
"""Who may import what others made."""

LAUNCHER = "corpusdb.program.commands"
"""The one module of the command line that knows the browser."""

BROAD = ("BaseException", "Exception")
BOUNDARY = PurePosixPath("corpusdb/commands/group.py")
"""Where every error of the command line, whatever it is, becomes a line on stderr and an exit code."""

MOST_LINES, MOST_FUNCTION_LINES, MOST_PARAMETERS, MOST_METHODS = 600, 50, 6, 20
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
    """From a capability to those below it; and from algorithms never to operations or commands."""
    if module.name == "corpusdb.__main__":
        return
    later = ((line, place.replace(":", ".")) for line, place in named_places(module))
    for line, name in (*imported_names(module), *later):
        if name.split(".")[0] not in ("corpusdb", "tui") or name == "corpusdb.__version__":
            continue
        room = room_of(name)
        if room == "tui" and module.name == LAUNCHER:
            continue  # see test_one_command_launches_the_browser
        if not _stands_below(room, module):
            yield f"{module.path}:{line}: {module.room or 'corpusdb'} imports {name}"
        elif room not in ("", "tui") and module.room and kind_of(_module_of(name)) not in MAY_RUN[kind_of(module.name)]:
            yield f"{module.path}:{line}: {kind_of(module.name)} imports {name}"


def _stands_below(room: str, module: Module) -> bool:
    if room in (module.room, "", *DATA):
        return True
    if room not in CAPABILITIES:
        return False
    if module.room == "tui":
        return room not in ("commands", "library", "program") or kind_of(module.name) != COMMANDS
    if module.room in DATA:
        return room == "base"
    if not module.room:
        return room in ("base", "library")
    return module.room in CAPABILITIES and CAPABILITIES.index(room) < CAPABILITIES.index(module.room)


def _module_of(name: str) -> str:
    """The module of something that is imported, by its full name: names of modules are in lower case."""
    parts = name.split(".")
    known = _module_names()
    while len(parts) > 1 and ".".join(parts) not in known:
        parts.pop()
    return ".".join(parts)


@cache
def _module_names() -> frozenset[str]:
    return frozenset(module.name for module in source_files("corpusdb", "tui"))


def foreign_packages_stay_in_their_rooms(module: Module) -> Iterator[str]:
    for line, name in imported_names(module):
        allowed = FOREIGN.get(name.split(".")[0])
        if allowed is not None and not allowed(module):
            yield f"{module.path}:{line}: {module.room or 'corpusdb'} imports {name}"


def private_parts_stay_private(module: Module) -> Iterator[str]:
    """What others made is used by the names that they make public: their next version has other private ones."""
    for line, name in imported_names(module):
        root, *inside = name.split(".")
        is_private = any(part.startswith("_") and not part.endswith("__") for part in inside)
        if is_private and root not in ("corpusdb", "tui"):
            yield f"{module.path}:{line}: imports {name}"


def modules_are_short(module: Module) -> Iterator[str]:
    lines = len(module.text.splitlines())
    if lines > MOST_LINES:
        yield f"{module.path}: {lines} lines"


def functions_are_short(module: Module) -> Iterator[str]:
    for function, _ in module.functions:
        lines = (function.end_lineno or function.lineno) - function.lineno + 1
        if lines > MOST_FUNCTION_LINES:
            yield f"{module.path}:{function.lineno}: {function.name} has {lines} lines"


def functions_have_few_parameters(module: Module) -> Iterator[str]:
    for function, is_method in module.functions:
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
    for node in module.nodes(ast.Call):
        if is_named(node.func, "print") and kind_of(module.name) != COMMANDS:
            yield f"{module.path}:{node.lineno}: print"


def errors_are_caught_narrowly(module: Module) -> Iterator[str]:
    """No bare or broad except, but to put things in order and raise again what came."""
    if module.path == BOUNDARY:
        return
    for handler in module.nodes(ast.ExceptHandler):
        caught = [handler.type] if not isinstance(handler.type, ast.Tuple) else handler.type.elts
        again = isinstance(handler.body[-1], ast.Raise) and handler.body[-1].exc is None
        if not again and any(each is None or ast.unparse(each).endswith(BROAD) for each in caught):
            yield f"{module.path}:{handler.lineno}: broad except"
    for call in module.nodes(ast.Call):
        if is_named(call.func, "suppress", "contextlib.suppress"):
            broad = (each for each in call.args if ast.unparse(each).endswith(BROAD))
            yield from (f"{module.path}:{call.lineno}: broad suppress" for _ in broad)


def connections_are_closed(module: Module) -> Iterator[str]:
    """A `with` of a connection ends its transaction and leaves it open, until somebody else's test is blamed for it."""
    withs: Sequence[ast.With | ast.AsyncWith] = (*module.nodes(ast.With), *module.nodes(ast.AsyncWith))
    for node in withs:
        opened = [each.context_expr for each in node.items if isinstance(each.context_expr, ast.Call)]
        if any(is_named(call.func, "sqlite3.connect") for call in opened):
            yield f"{module.path}:{node.lineno}: sqlite3.connect without closing"


def docstrings(module: Module) -> set[int]:
    """The nodes that are strings standing alone."""
    return {id(node.value) for node in module.nodes(ast.Expr)}


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
    if may_hold_sql(module):
        return
    spoken = docstrings(module)
    for node in (*module.nodes(ast.Constant), *module.nodes(ast.JoinedStr), *module.nodes(ast.BinOp)):
        text = None if id(node) in spoken else text_of(node)
        if text is not None and SQL.match(text):
            yield f"{module.path}:{node.lineno}: SQL {text.strip()[:40]!r}"
    for reached in module.nodes(ast.Attribute):
        if reached.attr in EXECUTES:
            yield f"{module.path}:{reached.lineno}: {ast.unparse(reached)}"


def sql_has_a_name(module: Module) -> Iterator[str]:
    """No statement is written inside of the call that runs it, but for those that only steer the database."""
    for node in module.nodes(ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in EXECUTES:
            text = text_of(node.args[0]) if node.args else None
            if text is not None and not CONTROL.match(text):
                yield f"{module.path}:{node.lineno}: SQL without a name: {text[:40]!r}"


def classes_have_few_methods(module: Module) -> Iterator[str]:
    for node in module.nodes(ast.ClassDef):
        count = sum(isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) for each in node.body)
        if count > MOST_METHODS:
            yield f"{module.path}:{node.lineno}: {node.name} has {count} methods"


def parameters_are_not_packed(module: Module) -> Iterator[str]:
    """No parameter is a tuple of a fixed length and of different types, which should be a dataclass or several."""
    for function, _ in module.functions:
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
    if kind_of(module.name) != COMMANDS:
        return
    types = {id(each) for node in module.nodes(ast.If) for each in imported_for_types(node)}
    for line, name in imported_names(module, without=types):
        allowed = any(name == each or name.startswith(f"{each}.") for each in MAY_REACH)
        below = room_of(name) in CAPABILITIES[1:] and (
            kind_of(_module_of(name)) == PURE or name.startswith("corpusdb.corpus.store")
        )
        if name.startswith("corpusdb.") and below and not allowed:
            yield f"{module.path}:{line}: {module.room} runs {name}"


def imported_for_types(node: ast.If) -> Iterator[ast.AST]:
    """Everything inside of ``if TYPE_CHECKING``."""
    if is_named(node.test, "TYPE_CHECKING", "typing.TYPE_CHECKING"):
        yield from (each for statement in node.body for each in ast.walk(statement))


def annotations_are_not_evaluated(module: Module) -> Iterator[str]:
    annotated = (
        any(module.nodes(ast.AnnAssign))
        or any(node.annotation for node in module.nodes(ast.arg))
        or any(node.returns for node, _ in module.functions)
    )
    future = any(
        node.module == "__future__" and "annotations" in [alias.name for alias in node.names]
        for node in module.nodes(ast.ImportFrom)
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
MAY_WRITE = frozenset(
    {
        "corpusdb/base/outputs.py",
        "corpusdb/corpus/store/opening.py",  # makes the empty file that SQLite then writes to
    }
)
WRITING_METHODS = frozenset(
    "write_text write_bytes touch rename renames symlink_to hardlink_to mkstemp NamedTemporaryFile copyfile "
    "copy2".split()
)
"""What makes files or names them, wherever it is found."""
WRITING_CALLS = frozenset({"os.link", "os.symlink", "os.rename", "os.replace", "os.mkfifo", "os.truncate"})


def files_have_one_writer(module: Module) -> Iterator[str]:
    """Nothing else opens files for writing or gives them their names, but in the folder of a run on Spark."""
    if str(module.path) in MAY_WRITE or module.path.is_relative_to("corpusdb/cluster"):
        return
    for node in module.nodes(ast.Call):
        if _writes(node):
            yield f"{module.path}:{node.lineno}: {ast.unparse(node)[:60]}"


def _writes(call: ast.Call) -> bool:
    if not isinstance(call.func, ast.Attribute):
        return isinstance(call.func, ast.Name) and call.func.id == "open" and _opens_for_writing(call)
    name = call.func.attr
    owner = call.func.value.id if isinstance(call.func.value, ast.Name) else ""
    if owner == "os" and name == "open":
        return "devnull" not in ast.unparse(call.args[0])
    if name == "open":
        return _opens_for_writing(call)
    if name == "replace" and owner != "os":
        return len(call.args) == 1 and not call.keywords  # of a path; that of a string has two arguments
    return name in WRITING_METHODS or f"{owner}.{name}" in WRITING_CALLS


def _opens_for_writing(call: ast.Call) -> bool:
    given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    modes = [each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return any(set(mode) <= set("rwxabt+") and not set(mode) <= set("rbt") for mode in modes)


IN_THE_PROGRAM: Sequence[Rule] = (
    modules_say_what_they_are,
    errors_are_caught_narrowly,
    imports_go_downwards,
    foreign_packages_stay_in_their_rooms,
    private_parts_stay_private,
    only_the_command_line_prints,
    sql_stays_in_its_rooms,
    sql_has_a_name,
    classes_have_few_methods,
    parameters_are_not_packed,
    front_ends_ask_queries,
    files_have_one_writer,
)
