"""The benchmark that compares the outputs of two versions calls every command of this one."""

from __future__ import annotations

import shlex
from pathlib import Path

from corpusdb.commands.command import CommandGroup
from corpusdb.program.catalogue import load_all

CALLS = Path(__file__).resolve().parents[1] / "benchmarks" / "compared_calls.txt"


def test_every_command_is_called() -> None:
    lines = [line for line in CALLS.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    called = {tuple(shlex.split(line)[:2]) for line in lines} | {(shlex.split(line)[0],) for line in lines}
    wanted: set[tuple[str, ...]] = set()
    for each in load_all():
        inner = (
            [(each.name, inside.name) for inside in each.commands] if isinstance(each, CommandGroup) else [(each.name,)]
        )
        wanted |= set(inner)
    assert wanted - called == set()
