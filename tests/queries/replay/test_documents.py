"""Documents that tell what they were made of, and their comparison."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError
from corpusdb.program.queries.replay import (
    Input,
    MadeFrom,
    differences,
    differing_inputs,
    file_inputs,
    read_document,
    with_record,
)

RECORD = MadeFrom("score", {"ref": ["r.txt"], "seed": 1}, (Input("file", "r.txt", "ab"), Input("rules", "ja", "cd")))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=8,
)


@given(JSON, JSON)
def test_two_documents_are_the_same_where_their_json_is(before: Any, now: Any) -> None:
    """In whatever order the keys of an object stand; by what the json module writes."""
    same = json.dumps(before, sort_keys=True) == json.dumps(now, sort_keys=True)
    assert (differences(before, now) == []) is same
    again = json.loads(json.dumps(before))
    assert differences(before, again) == []


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, ["$.a[1].b: 2 then and 3 now"]),
        ([1], [1, 2], ["$[1]: nothing then and 2 now"]),
        ({"a": 1}, {}, ["$.a: 1 then and nothing now"]),
        (0.1 + 0.2, 0.3, ["$: 0.30000000000000004 then and 0.3 now"]),
        (1, 1.0, ["$: 1 then and 1.0 now"]),
        ({"seconds": 1, "run": 2, "stored": 3, "files": ["a"]}, {"seconds": 9, "run": 8, "made_from": {}}, []),
        ([1, 2, 3, 4], [5, 6, 7, 8], [*(f"$[{n}]: {n + 1} then and {n + 5} now" for n in range(3)), "and more"]),
        ("x" * 90 + "a", "x" * 90 + "b", ['$: "...xxxxxxxxxxxxa" then and "...xxxxxxxxxxxxb" now']),
    ],
)
def test_what_differs_is_told_with_its_place(before: Any, now: Any, told: list[str]) -> None:
    assert differences(before, now) == told


def test_the_record_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "made.json"
    for value in ({"score": 1.5}, [{"score": 1.5}, {"score": 2}]):
        path.write_text(json.dumps(with_record(value, RECORD)), encoding="utf-8")
        document, record = read_document(path)
        assert record == RECORD
        assert differences(document, value) == []
    assert with_record([], RECORD) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "made.json:1: this is no JSON"),
        ("[" * 100_000, "this is no JSON"),
        ("[]", "does not say what it was made from"),
        ('{"score": 1}', "does not say what it was made from"),
        ("3", "does not say what it was made from"),
        ('{"made_from": 3}', "not told as corpusdb tells it"),
        ('{"made_from": {"command": "score", "options": [1], "inputs": [], "version": "1"}}', "not told as"),
        ('{"made_from": {"command": 1, "options": {}, "inputs": [], "version": "1"}}', "not told as"),
        ('{"made_from": {"command": "a", "options": {}, "inputs": [{"kind": 1}], "version": "1"}}', "not told as"),
        ("", "the file is empty"),
    ],
)
def test_what_cannot_be_replayed(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "made.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_document(path)
    assert reason in str(raised.value)


CORPUS, LAYER, RULES = Input("corpus", "documents", "a"), Input("layer", "validity of eng", "b"), RECORD.inputs[1]


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        ([CORPUS, LAYER, RULES], [CORPUS, LAYER, RULES], []),
        ([CORPUS, LAYER], [CORPUS, Input("layer", LAYER.name, "c")], ["layer validity of eng: changed since"]),
        ([CORPUS, LAYER], [Input("corpus", "documents", "c"), Input("layer", LAYER.name, "c")], ["corpus documents"]),
        ([RULES], [Input("rules", "ja", "ef")], ["rules ja: changed since, cd then and ef now"]),
        ([RULES], [], ["rules ja: there is none now"]),
        ([], [Input("dictionary", "jpn", "1")], ["dictionary jpn: there was none"]),
    ],
)
def test_inputs_of_any_kind_are_compared_by_name(before: list[Input], now: list[Input], told: list[str]) -> None:
    lines = list(differing_inputs(before, now))
    assert len(lines) == len(told)
    assert all(line.startswith(start) for line, start in zip(lines, told, strict=True))


def test_files_by_their_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a", encoding="utf-8")
    before = list(file_inputs([path, path]))
    assert len(before) == 1
    path.write_text("b", encoding="utf-8")
    (line,) = differing_inputs(before, list(file_inputs([path])))
    assert line.startswith(f"file {path}: changed since")
    path.unlink()
    with pytest.raises(InputError, match="is not there now"):
        list(file_inputs([path]))
