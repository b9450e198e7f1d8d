"""From where matches are looked for, and how that is told."""

from __future__ import annotations

import numpy as np
import pytest

from corpusdb.search.cqp import Tokens, explain, parse
from corpusdb.search.cqp.plan import candidate_starts, plan_query

TYPES = ["common", "rare", "seldom"]
TOKENS = [0, 0, 0, 0, 1, 0] + [0] * 6 + [1, 0, 2]
CORPUS = Tokens(TYPES, np.array(TOKENS, dtype=np.int32), np.array([6, 12, 15], dtype=np.int64))


@pytest.mark.parametrize(
    ("query", "landmark", "reach", "starts"),
    [
        ('"rare"', ['"rare"'], (0, 0), [4, 12]),
        ('"common" "rare"', ['"rare"'], (1, 1), [3]),  # 12 begins its sentence
        ('[]{0,2} "rare"', ['"rare"'], (0, 2), [2, 3, 4, 12]),
        ('[]{1,2} "rare"', ['"rare"'], (1, 2), [2, 3]),
        ('[]* "rare"', ['"rare"'], (0, None), [0, 1, 2, 3, 4, 12]),
        ('[]+ "rare" within 3', ['"rare"'], (1, None), [0, 1, 2, 3]),
        ('[] ("rare" | "common" "seldom")', ['"rare"', '"seldom"'], (1, 2), [2, 3, 12, 13]),
        ('("rare" | "common"+ "seldom") within 2', ['"rare"', '"seldom"'], (0, None), [0, 1, 2, 3, 4, 12, 13, 14]),
        ('[] ("rare" []* | "common")? "seldom"', ['"seldom"'], (1, None), [12, 13]),
        ('"common"? "seldom"', ['"seldom"'], (0, 1), [13, 14]),
        ('("common" "rare")+ "common"', ['"rare"'], (1, 1), [3]),
        ('("common" | []{0,2})* "rare"', ['"rare"'], (0, None), [0, 1, 2, 3, 4, 12]),
        ('"common"{2,3} </s>', ['"common"'], (0, 0), [0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 13]),
        ('(<s> | "common"){2} "seldom"', ['"seldom"'], (0, 2), [12, 13, 14]),
        ('"rare"? "seldom"?', ['"rare"', '"seldom"'], (0, 0), [4, 12, 14]),
        ('"x"{0}', [], (0, 0), []),
        ('"x"', ['"x"'], (0, 0), []),
    ],
)
def test_the_search_begins_where_least_is(
    query: str, landmark: list[str], reach: tuple[int, int | None], starts: list[int]
) -> None:
    plan = plan_query(parse(query), CORPUS)
    assert [token.source for token in plan.landmark.tokens] == landmark
    assert (plan.landmark.least, plan.landmark.most) == reach
    assert candidate_starts(plan, CORPUS, None).tolist() == starts


def test_only_in_chosen_sentences() -> None:
    plan = plan_query(parse('[]{0,2} "rare"'), CORPUS)
    assert candidate_starts(plan, CORPUS, np.array([False, True, True])).tolist() == [12]


def test_one_expression_is_looked_up_once() -> None:
    plan = plan_query(parse('a:"rare" "rare" []'), CORPUS)
    first, second = (test for token, test in plan.tests.items() if token.source == '"rare"')
    assert first is second


def test_explain() -> None:
    assert explain(parse('[]{0,2} a:"rare" "rare"%c within 4 :ja ! "猫" :fra "chat"'), CORPUS) == [
        "15 tokens in 3 sentences; 3 different words",
        "          15 tokens 100.00%         3 words  []",
        '           2 tokens  13.33%         1 words  "rare"',
        '           2 tokens  13.33%         1 words  "rare"%c',
        'begin at "rare", 0 to 2 tokens behind the start of a match: about 6 places to look at',
        "a match has at most 4 tokens",
        "then no translation may match in jpn",
        "then a translation must match in fra",
    ]


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ('"rare"', 'begin at "rare", the first token of a match: about 2 places to look at'),
        ('[] "rare"', 'begin at "rare", 1 token behind the start of a match: about 2 places to look at'),
        ('[]+ "rare"', 'begin at "rare", 1 or more tokens behind the start of a match: about 10 places to look at'),
        ('"x"{0}', "begin nowhere: nothing can match"),
    ],
)
def test_explain_the_beginning(query: str, line: str) -> None:
    assert explain(parse(query), CORPUS)[-1] == line


def test_explain_an_empty_corpus() -> None:
    empty = Tokens([], np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64))
    assert explain(parse("[]"), empty)[0] == "0 tokens in 0 sentences; 0 different words"
