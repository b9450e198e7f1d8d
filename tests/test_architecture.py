"""The house rules, held against the sources of the program and of the tests.

Every rule is also shown modules that break it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

import pytest
from house_rules import (
    BOTTOM,
    EVERYWHERE,
    IN_THE_PROGRAM,
    PURE,
    UPPER,
    Rule,
    annotations_are_not_evaluated,
    errors_are_caught_narrowly,
    foreign_packages_stay_in_their_rooms,
    functions_are_short,
    functions_have_few_parameters,
    imports_go_downwards,
    modules_are_short,
    modules_say_what_they_are,
    names_say_what_is_inside,
    only_the_command_line_prints,
    sql_stays_in_its_rooms,
)
from source_modules import Module, imported_names, source_files

# One process reads the sources, for all rules.
pytestmark = pytest.mark.xdist_group("architecture")


@pytest.fixture(scope="module", autouse=True)
def no_collections() -> Iterator[None]:
    """The collector does not walk the trees, of which none is garbage; none of them stays for the tests to come."""
    gc.disable()
    yield
    source_files.cache_clear()
    gc.enable()


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
