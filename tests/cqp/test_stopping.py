"""A query with many ways to be labelled can be stopped between its steps."""

from __future__ import annotations

import numpy as np
import pytest

from corpusdb.base.errors import Cancelled
from corpusdb.base.jobs import Limit
from corpusdb.search.cqp import Tokens, find, parse


class Counted(Limit):
    """Cancelled after so many looks."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.left = looks

    def check(self, pattern: str) -> None:
        self.left -= 1
        if self.left < 0:
            self.cancel()
        super().check(pattern)


def test_it_is_looked_at_every_step_whether_to_go_on() -> None:
    corpus = Tokens([f"w{number}" for number in range(2_000)], np.arange(2_000, dtype=np.int32), np.array([2_000]))
    query = parse("a:[] []* b:[] []* c:[] :: a.word = b.word & b.word = c.word")
    for looks in (0, 1, 5, 20):
        with pytest.raises(Cancelled):
            find(query, corpus, limit=Counted(looks))
