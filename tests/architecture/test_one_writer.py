"""A house rule as an AST walk: nothing but base/outputs.py opens files for writing or gives them their names."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WRITERS = {ROOT / "corpusdb" / "base" / name for name in ("outputs.py", "output_guard.py")}
DATABASE = ROOT / "corpusdb" / "corpus" / "store" / "opening.py"
"""Makes the empty file that SQLite then writes to."""
RUNS = ROOT / "corpusdb" / "cluster"
"""Makes a folder of its own for a run on Spark, whose processes write the rest of it."""
METHODS = frozenset(
    "write_text write_bytes touch rename renames symlink_to hardlink_to mkstemp NamedTemporaryFile copyfile "
    "copy2".split()
)
"""What makes files or names them, wherever it is found."""
CALLS = frozenset({"os.link", "os.symlink", "os.rename", "os.replace", "os.mkfifo", "os.truncate"})


def breaches(text: str) -> Iterator[str]:
    """The calls in a module that write files, or give them names."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and writes(node):
            yield f"{node.lineno}: {ast.unparse(node)[:60]}"


def writes(call: ast.Call) -> bool:
    called = ast.unparse(call.func)
    name = called.rpartition(".")[2]
    if called == "os.open":
        return "devnull" not in ast.unparse(call.args[0])
    if name == "open":
        given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
        modes = [each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)]
        return any(set(mode) <= set("rwxabt+") and not set(mode) <= set("rbt") for mode in modes)
    if name == "replace" and isinstance(call.func, ast.Attribute) and called != "os.replace":
        return len(call.args) == 1 and not call.keywords  # of a path; that of a string has two arguments
    return (name in METHODS and name != called) or called in CALLS


def test_nothing_else_writes_files() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{breach}"
        for folder in ("corpusdb", "tui")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if RUNS not in path.parents and path not in (*WRITERS, DATABASE)
        for breach in breaches(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        "with open(path, 'w') as file: pass",
        "open(path, mode='x')",
        "path.open('ab')",
        "path.open(mode='r+')",
        "os.open(path, os.O_RDWR)",
        "os.replace(a, b)",
        "unfinished.replace(path)",
        "path.write_text('')",
        "tempfile.mkstemp()",
        "shutil.copyfile(a, b)",
    ],
)
def test_a_breach_is_found(text: str) -> None:
    assert list(breaches(text))


@pytest.mark.parametrize(
    "text",
    ["open(path)", "open(path, 'rb')", "text.replace('a', 'b')", "replace(session, quiet=True)", "replace(session)",
     "os.open(os.devnull, os.O_WRONLY)", "figure.savefig(file)", "dialogs.open('words')"],
)  # fmt: skip
def test_what_only_reads_passes(text: str) -> None:
    assert not list(breaches(text))
