"""The rules that come with the program, and those of files that users add."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path

from corpusdb.errors import InputError
from corpusdb.japanese.rule import Rule, RuleSet
from corpusdb.japanese.rule_syntax import parse_rules
from corpusdb.text import without_mark

__all__ = ["load_rules"]


def _shipped() -> Iterable[Rule]:
    folder = resources.files(__package__).joinpath("rules")
    for file in sorted((file for file in folder.iterdir() if file.name.endswith(".rules")), key=lambda file: file.name):
        yield from parse_rules(file.read_text(encoding="utf-8").splitlines(), file.name)


def _read(path: Path) -> Iterable[Rule]:
    try:
        text = without_mark(path.read_bytes(), str(path)).decode()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}") from error
    return parse_rules(text.splitlines(), str(path))


def load_rules(files: Sequence[Path] = (), shipped: bool = True) -> RuleSet:
    """The rules of the program, unless ``shipped`` is false, and behind them those of files, in their order.

    A rule that is marked off is disabled: ``RuleSet.including`` applies it. Raises InputError, with file, line and
    column, for a file that cannot be read and for a name that two rules have.
    """
    rules = [*(_shipped() if shipped else ()), *(rule for path in files for rule in _read(path))]
    known: dict[str, Rule] = {}
    for rule in rules:
        if rule.name in known:
            raise InputError(f"{rule.place}: {known[rule.name].place} has a rule {rule.name} already")
        known[rule.name] = rule
    return RuleSet(tuple(rules), frozenset(rule.name for rule in rules if rule.off is not None))
