"""Morphemes for tests of the rules: by hand for what is pure, by SudachiPy for the rules themselves."""

from __future__ import annotations

import pytest

from corpusdb.japanese import RuleSet, load_rules
from corpusdb.morphemes import Analyser, sudachi_analyser


@pytest.fixture(scope="session")
def analyser() -> Analyser:
    """The analyser for which the rules are written."""
    pytest.importorskip("sudachipy", reason="the extra japanese is not installed")
    return sudachi_analyser()


@pytest.fixture(scope="session")
def rules() -> RuleSet:
    """The rules that come with the program."""
    return load_rules()
