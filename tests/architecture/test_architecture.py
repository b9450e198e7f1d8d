"""The house rules, held against the sources of the program and of the tests.

Every rule is also shown modules that break it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import PurePosixPath

import pytest
from house_rules import (
    CAPABILITIES,
    DATA,
    EVERYWHERE,
    IN_THE_PROGRAM,
    LAUNCHER,
    Rule,
    annotations_are_not_evaluated,
    classes_have_few_methods,
    connections_are_closed,
    errors_are_caught_narrowly,
    files_have_one_writer,
    foreign_packages_stay_in_their_rooms,
    front_ends_ask_queries,
    functions_are_short,
    functions_have_few_parameters,
    imports_go_downwards,
    modules_are_short,
    modules_say_what_they_are,
    names_say_what_is_inside,
    only_the_command_line_prints,
    parameters_are_not_packed,
    private_parts_stay_private,
    sql_has_a_name,
    sql_stays_in_its_rooms,
)
from source_modules import Module, imported_names, named_places, source_files
from structure_rules import (
    ROOMS_INSIDE,
    STRUCTURE,
    StructureRule,
    classes_have_names_of_their_own,
    folders_are_small,
    folders_of_tests_have_counterparts,
    imports_make_no_circle,
    room_inside,
    rooms_inside_keep_their_order,
)


@pytest.fixture(scope="module", autouse=True)
def no_collections() -> Iterator[None]:
    """The collector does not walk the trees, of which none is garbage; none of them stays for the tests to come."""
    gc.disable()
    yield
    source_files.cache_clear()
    gc.enable()


@pytest.mark.parametrize("rule", [*EVERYWHERE, *IN_THE_PROGRAM], ids=lambda rule: rule.__name__)
def test_the_program_keeps_the_rule(rule: Rule) -> None:
    complaints = [complaint for module in source_files("corpusdb", "tui") for complaint in rule(module)]
    assert complaints == []


@pytest.mark.parametrize("rule", STRUCTURE, ids=lambda rule: rule.__name__)
def test_the_program_keeps_the_rule_of_structure(rule: StructureRule) -> None:
    assert list(rule(source_files("corpusdb", "tui"))) == []


@pytest.mark.parametrize("outer", ROOMS_INSIDE)
def test_the_table_of_rooms_names_what_there_is_and_has_no_circle(outer: str) -> None:
    assert {room_inside(outer, module.name) for module in source_files(outer)} == {None, *ROOMS_INSIDE[outer]}
    TopologicalSorter(ROOMS_INSIDE[outer]).prepare()


@pytest.mark.parametrize("rule", EVERYWHERE, ids=lambda rule: rule.__name__)
def test_the_tests_keep_the_rule(rule: Rule) -> None:
    assert [complaint for module in source_files("tests") for complaint in rule(module)] == []


def test_tests_stand_beside_what_they_test() -> None:
    sources = source_files("corpusdb", "tui")
    program = {module.path.parent for module in sources} | {module.path.with_suffix("") for module in sources}
    tests = [*source_files("tests"), Module(PurePosixPath("tests/newroom/test_a.py"), "")]
    tests.append(Module(PurePosixPath("tests/test_a.py"), ""))
    assert list(folders_of_tests_have_counterparts(tests, program)) == [
        "tests/test_a.py: stands beside nothing",
        "tests/newroom: the program has no such folder",
    ]


def test_folders_of_tests_are_small() -> None:
    assert list(folders_are_small(source_files("tests"))) == []


def launchers(modules: Sequence[Module]) -> list[str]:
    """The modules of the program that import the browser."""
    return [
        module.name
        for module in modules
        if module.room != "tui" and any(name.split(".")[0] == "tui" for _, name in imported_names(module))
    ]


def test_one_command_launches_the_browser() -> None:
    assert launchers(source_files("corpusdb")) == [LAUNCHER]


def test_whatever_a_string_names_is_there() -> None:
    """What is imported when it is used: neither mypy nor the start of the program would miss it."""
    places = sorted({place for module in source_files("corpusdb", "tui") for _, place in named_places(module)})
    assert {place.partition(":")[0] for place in places} >= {
        "corpusdb.paraphrase.queries.detection",
        "corpusdb.scoring.unit_metrics",
    }
    assert [place for place in places if not _is_there(*place.split(":"))] == []


def _is_there(module: str, name: str) -> bool:
    try:
        return hasattr(import_module(module), name)
    except ModuleNotFoundError:
        return False


def test_every_room_is_looked_at() -> None:
    rooms = {module.room for module in source_files("corpusdb", "tui")}
    assert rooms == {"", "__main__", "tui", *CAPABILITIES, *DATA}


HEAD = '"""Doc."""\nfrom __future__ import annotations\n'
QUERY, PURE_MODULE, TUI = "corpusdb/search/queries/a.py", "corpusdb/search/a.py", "tui/a.py"
CLI = "corpusdb/search/commands.py"
BREACHES: Sequence[tuple[Rule, str, str]] = (
    (imports_go_downwards, PURE_MODULE, "from corpusdb.scoring.metrics import x"),
    (imports_go_downwards, PURE_MODULE, "from corpusdb.corpus import store"),
    (imports_go_downwards, PURE_MODULE, "def f():\n    import corpusdb.corpus.queries.growth"),
    (imports_go_downwards, PURE_MODULE, "if TYPE_CHECKING:\n    from ..alignment import x"),
    (imports_go_downwards, "corpusdb/base/text.py", "from corpusdb.paraphrase.equations import x"),
    (imports_go_downwards, "corpusdb/corpus/store/a.py", "from corpusdb.paraphrase.slots import x"),
    (imports_go_downwards, "corpusdb/alignment/queries/a.py", "from corpusdb.paraphrase.queries import paradigms"),
    (imports_go_downwards, "corpusdb/corpus/formats/__init__.py", "from ..store import x"),
    (imports_go_downwards, QUERY, "from corpusdb.program.catalogue import main"),
    (imports_go_downwards, QUERY, "from corpusdb.search.report import x"),
    (imports_go_downwards, "corpusdb/search/report.py", "from corpusdb.search.commands import x"),
    (imports_go_downwards, QUERY, "import tui"),
    (imports_go_downwards, "corpusdb/guides/__init__.py", "from corpusdb.corpus.store import x"),
    (imports_go_downwards, "corpusdb/newroom/a.py", "from corpusdb.corpus.store import x"),
    (imports_go_downwards, QUERY, "LATER = 'corpusdb.paraphrase.queries.detection:detect'"),
    (foreign_packages_stay_in_their_rooms, PURE_MODULE, "import sqlite3"),
    (foreign_packages_stay_in_their_rooms, CLI, "from sqlite3 import connect"),
    (foreign_packages_stay_in_their_rooms, QUERY, "from textual.app import App"),
    (foreign_packages_stay_in_their_rooms, CLI, "import click"),
    (private_parts_stay_private, CLI, "from typer._click import Context"),
    (private_parts_stay_private, CLI, "import typer._click"),
    (private_parts_stay_private, QUERY, "from sacrebleu.metrics.chrf import _helper"),
    (modules_are_short, QUERY, "\n" * 601),
    (functions_are_short, QUERY, "class A:\n    async def f(self):\n" + "        pass\n" * 50),
    (functions_have_few_parameters, QUERY, "def f(a, b, /, c, *, d, e, f, g): pass"),
    (functions_have_few_parameters, QUERY, "class A:\n    def f(self, a, b, c, d, e, *f, **g): pass"),
    (functions_have_few_parameters, QUERY, "class A:\n    @staticmethod\n    def f(a, b, c, d, e, f, g): pass"),
    (names_say_what_is_inside, "corpusdb/search/queries/utils.py", ""),
    (names_say_what_is_inside, "corpusdb/common/a.py", ""),
    (names_say_what_is_inside, "tests/search/_helpers.py", ""),
    (names_say_what_is_inside, "corpusdb/search/growth_part2.py", ""),
    (only_the_command_line_prints, QUERY, "def f():\n    print(1)"),
    (errors_are_caught_narrowly, QUERY, "try: f()\nexcept Exception: pass"),
    (errors_are_caught_narrowly, QUERY, "try: f()\nexcept: pass"),
    (errors_are_caught_narrowly, CLI, "try: f()\nexcept (OSError, builtins.BaseException) as e: raise A from e"),
    (errors_are_caught_narrowly, QUERY, "with contextlib.suppress(Exception): f()"),
    (connections_are_closed, QUERY, "with open(a) as f, sqlite3.connect(b) as c: pass"),
    (sql_stays_in_its_rooms, CLI, "Q = 'select * from sentence'"),
    (sql_stays_in_its_rooms, TUI, "Q = f'SELECT {column}\\n  FROM sentence'"),
    (sql_stays_in_its_rooms, PURE_MODULE, "Q = 'select id ' + columns + 'from sentence'"),
    (sql_stays_in_its_rooms, TUI, "Q = '-- all\\nwith a as (select 1) select * from a'"),
    (sql_stays_in_its_rooms, CLI, "f('insert or ignore into a values (1)')"),
    (sql_stays_in_its_rooms, CLI, "f('pragma user_version')"),
    (sql_stays_in_its_rooms, CLI, "Q = 'update a set b = 1'"),
    (sql_stays_in_its_rooms, CLI, "Q = 'create table a (b)'"),
    (sql_stays_in_its_rooms, TUI, "store.connection.execute(QUERY)"),
    (sql_has_a_name, QUERY, "def f():\n    store.connection.execute('select text from sentence')"),
    (sql_has_a_name, QUERY, "connection.executemany(f'insert into {table} values (?)', rows)"),
    (sql_has_a_name, "corpusdb/corpus/store/a.py", "connection.execute('select ' + columns, values)"),
    (classes_have_few_methods, TUI, "class A:\n    async def g(self): pass\n" + "    def f(self): pass\n" * 20),
    (parameters_are_not_packed, QUERY, "def f(place: tuple[Path, int]): pass"),
    (parameters_are_not_packed, QUERY, "class A:\n    async def _f(self, *, a: None | tuple[int, str] = None): pass"),
    (front_ends_ask_queries, CLI, "from corpusdb.search.patterns import Pattern"),
    (front_ends_ask_queries, TUI, "def f():\n    from corpusdb.corpus.store import layer_state"),
    (front_ends_ask_queries, TUI, "if TYPE_CHECKING:\n    pass\nelse:\n    import corpusdb.search.cqp"),
    (annotations_are_not_evaluated, QUERY, "a: int = 1"),
    (annotations_are_not_evaluated, QUERY, "def f(*, a: int): pass"),
    (annotations_are_not_evaluated, QUERY, "def f() -> int: pass"),
    (modules_say_what_they_are, QUERY, "a = 'not a docstring'"),
    (files_have_one_writer, QUERY, "with open(path, 'w') as file: pass"),
    (files_have_one_writer, QUERY, "open(path, mode='x')"),
    (files_have_one_writer, QUERY, "path.open('ab')"),
    (files_have_one_writer, QUERY, "path.open(mode='r+')"),
    (files_have_one_writer, QUERY, "os.open(path, os.O_RDWR)"),
    (files_have_one_writer, QUERY, "os.replace(a, b)"),
    (files_have_one_writer, QUERY, "unfinished.replace(path)"),
    (files_have_one_writer, QUERY, "path.write_text('')"),
    (files_have_one_writer, QUERY, "tempfile.mkstemp()"),
    (files_have_one_writer, QUERY, "shutil.copyfile(a, b)"),
    (files_have_one_writer, QUERY, "self.folder.path.touch()"),
)


@pytest.mark.parametrize(("rule", "path", "text"), BREACHES)
def test_a_breach_is_found(rule: Rule, path: str, text: str) -> None:
    assert list(rule(Module(PurePosixPath(path), text)))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            QUERY,
            "from corpusdb import __version__\nfrom corpusdb.corpus.store import x\nfrom . import y\nimport sqlite3",
        ),
        (
            PURE_MODULE,
            "from corpusdb.base import x\nfrom .slots import y\nfrom corpusdb.rules.rule import z",
        ),
        (
            CLI,
            "def f(a):\n    from corpusdb.search.queries import x\n    print('select one of the lines below'.upper())",
        ),
        (CLI, "def f(a):\n    '''select a from b'''\n    g('Run a query: select text from sentence', 'Update all')"),
        (QUERY, "def f(a: int):\n    try: g()\n    except BaseException:\n        h()\n        raise"),
        (QUERY, "def f(a, b, *, c, d, e, f): c.execute(QUERY); c.execute('pragma user_version'); c.execute('begin')"),
        (QUERY, "def f(span: tuple[int, int], a: tuple[str, ...] | None, b: list[tuple[str, int]]): pass"),
        (QUERY, "class A:\n" + "    def f(self): pass\n" * 20),
        (TUI, "if TYPE_CHECKING:\n    from corpusdb.search.cqp import x\nfrom corpusdb.corpus.store import open_store"),
        (QUERY, "from corpusdb.search.cqp import parse\nfrom corpusdb.corpus.store import layer_state"),
        (QUERY, "class A:\n    def f(self, a, b, c, d, e, f): pass"),
        (QUERY, "open(path); open(path, 'rb'); text.replace('a', 'b'); replace(session); replace(session, quiet=True)"),
        (QUERY, "os.open(os.devnull, os.O_WRONLY); figure.savefig(file); dialogs.open('words')"),
        ("corpusdb/base/outputs.py", "path.write_text('')"),
        (
            "tui/commonplace.py",
            "from corpusdb.corpus.queries import x\nfrom tui.screens import y\nfrom rich.text import Text",
        ),
    ],
)
def test_what_keeps_to_the_rules_passes(path: str, text: str) -> None:
    module = Module(PurePosixPath(path), HEAD + text)
    assert [complaint for rule in (*EVERYWHERE, *IN_THE_PROGRAM) for complaint in rule(module)] == []


def test_every_rule_is_shown_a_breach() -> None:
    assert {rule for rule, _, _ in BREACHES} == {*EVERYWHERE, *IN_THE_PROGRAM}


def test_a_second_way_to_the_browser_is_found() -> None:
    modules = [Module(PurePosixPath(f"corpusdb/search/{name}.py"), "from tui.app import run") for name in ("a", "b")]
    assert launchers(modules) == ["corpusdb.search.a", "corpusdb.search.b"]


@pytest.mark.parametrize(
    ("rule", "files", "complaint"),
    [
        (
            imports_make_no_circle,
            {
                "tui/a.py": "from tui.b import x",
                "tui/b.py": "if TYPE_CHECKING:\n    from tui import c",
                "tui/c.py": "def f():\n    import tui.a",
                "tui/d.py": "from tui.a import y",
            },
            ["tui.a is in a circle of imports", "tui.b is in a circle of imports", "tui.c is in a circle of imports"],
        ),
        (
            imports_make_no_circle,
            {"corpusdb/a/__init__.py": "from corpusdb.a.b import x", "corpusdb/a/b.py": "from corpusdb.a import y"},
            ["corpusdb.a is in a circle of imports", "corpusdb.a.b is in a circle of imports"],
        ),
        (
            imports_make_no_circle,
            {"corpusdb/__init__.py": "from corpusdb.a import x", "corpusdb/a.py": "from corpusdb import __version__"},
            [],
        ),
        (
            rooms_inside_keep_their_order,
            {"tui/nowhere/a.py": "", "tui/search/b.py": "from tui.people.c import x", "tui/people/c.py": ""},
            [
                "tui.nowhere.a: it is not said what nowhere may import of tui",
                "tui.search.b imports tui.people.c",
            ],
        ),
        (
            rooms_inside_keep_their_order,
            {
                "tui/app.py": "",
                "tui/kit/a.py": "def f():\n    from tui.search.b import x",
                "tui/places.py": "from tui.search.b import x",
                "tui/rules.py": "if TYPE_CHECKING:\n    from tui.app import x",
                "tui/search/b.py": "from tui.kit.a import x\nfrom tui.search import y",
                "tui/search/__init__.py": "",
            },
            ["tui.kit.a imports tui.search.b", "tui.rules imports tui.app"],
        ),
        (
            folders_are_small,
            {f"corpusdb/base/{name}.py": "" for name in ("__init__", *"abcdefghijklmnopqrstuvwxyz")},
            ["corpusdb/base: 26 modules"],
        ),
        (
            folders_are_small,
            {f"corpusdb/base/{name}.py": "" for name in ("__init__", *"abcdefghijklmnopqrstuvwxy")},
            [],
        ),
        (
            classes_have_names_of_their_own,
            {"corpusdb/base/a.py": "class A: ...\nclass _B: ...", "tui/b.py": "class A: ...\nclass _B: ..."},
            ["A is a class of corpusdb.base.a and of tui.b"],
        ),
    ],
)
def test_breaches_of_structure_are_found(rule: StructureRule, files: dict[str, str], complaint: list[str]) -> None:
    assert list(rule([Module(PurePosixPath(path), text) for path, text in files.items()])) == complaint
