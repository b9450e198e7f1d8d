"""Every kind of stored score and study replays equal; documents that tell what they were made of."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from calls import Prepare, Run, write_files
from corpora import CHARACTERS
from hypothesis import given
from hypothesis import strategies as st

import corpusdb.program.replay_queries as inputs
from corpusdb.base.errors import InputError
from corpusdb.commands.command import REPLAYED_COMMANDS
from corpusdb.corpus.formats.reading import file_inputs
from corpusdb.corpus.model import Input, MadeFrom, with_record
from corpusdb.corpus.store import Store, open_store
from corpusdb.program.catalogue import load_all
from corpusdb.program.replay_queries import differences, differing_inputs, read_document
from corpusdb.scoring.metrics import metric_names

ACTIONS = [f"{what} {how}" for what in ("know", "go", "eat", "announced it") for how in ("now", "again", "there", "so")]
FILES = {
    "s.txt": ("Une bière, s'il vous plaît.", "Une part de pizza, s'il vous plaît."),
    "r.txt": ("A beer, please.", "A slice of pizza, please."),
    "h.txt": ("Can I have a beer, please?", "Can I have pizza, please?"),
    "g.txt": ("A beer, please.", "A slice of the pizza!"),
    "talk.txt": tuple(f"{who} {what}, okay?" for who in ("yeah you", "so we", "hey they") for what in ACTIONS),
    "news.txt": tuple(f"The {who} {what} on Tuesday." for who in ("minister", "committee") for what in ACTIONS),
    "human.tsv": ("system\tsegment\tz", "h\t0\t1", "h\t1\t2", "g\t0\t0", "g\t1\t0.5"),
}
CORPUS = ("--ref-from", "corpus", "--source", "s.txt", "--lang", "eng", "-N", "0")
IN_PART = ("--equivalents", "--source", "s.txt", "--lang", "eng", "--credit", "0.5")
FROZEN = ("--ref-set", "both")
WORTH = ("study", "reference-worth", "h.txt", "g.txt", "--draws", "3", "--samples", "4")
HOMOGENEITY = ("study", "homogeneity", "--lang", "eng", "--spoken", "h.txt", "--written", "s.txt")
CHANCE = ("--significance", "randomisation", "--confidence", "--samples", "20", "--seed", "7")
PROFILE = ("profile", "--lang", "eng", "--spoken", "talk.txt", "--written", "news.txt")
DOCUMENTS: Sequence[tuple[str, ...]] = (
    ("score", "h.txt", "g.txt", "--ref", "r.txt", "--metric", "bleu,nist,mwer"),
    ("score", "h.txt", "--ref", "r.txt", "--unit", "char", "--metric", "bleu,nist,mwer", "--segments"),
    ("score", "h.txt", "g.txt", "--ref", "r.txt", "g.txt", *CHANCE, "--resample-references", "3"),
    ("score", "h.txt", *CORPUS, "--store"),
    ("score", "h.txt", *FROZEN),
    ("score", "h.txt", "g.txt", "--ref", "r.txt", "--by", "references", "--samples", "20"),
    ("score", "h.txt", "g.txt", "--ref", "r.txt", "--by", "coefficient", "--lang", "eng", "--samples", "20"),
    (*PROFILE, "--level", "line", "--each"),
    (*PROFILE,),
    ("similarity", "talk.txt", "news.txt", "--lang", "eng"),
    ("study", "known-similarity", "talk.txt", "news.txt", "--lang", "eng", "--shuffles", "1"),
    ("translate", "A beer and a pizza.", "--from", "eng", "--to", "fra", "--method", "analogy,memory"),
    ("translate", "s.txt", "--from", "eng", "--to", "fra", "--method", "exact,memory", "-n", "2"),
    ("references", "A beer, please.", "-o", "made", "--lang", "eng", "-N", "0"),
    ("references", "@s.txt", "-o", "made", "--lang", "eng", "--format", "jsonl"),
    (*WORTH, "--ref", "r.txt", "--ref", "generated:g.txt"),
    (*WORTH, "--ref", "r.txt", "--human", "human.tsv"),
    (*"study worth h.txt g.txt --ref r.txt --human human.tsv --second g.txt --metric bleu".split(),),
    (*"study worth h.txt g.txt --ref r.txt --human human.tsv --second g.txt --metric chrf".split(), *IN_PART),
    ("study", "reference-sets", "--lang", "eng", "-N", "0", "--sample", "3", "--draws", "2"),
    ("study", "reference-sets", "--ref", "hand:r.txt", "--ref", "hand:h.txt"),
    ("study", "bleu-in-characters", "h.txt", "g.txt", "--ref", "r.txt", "--max-order-chars", "6"),
    ("study", "bleu-in-characters", "h.txt", "g.txt", *FROZEN, "--max-order-chars", "6"),
    (*HOMOGENEITY, "--part", "table,correlations"),
    (*HOMOGENEITY, "--part", "translation", "--from", "eng", "--to", "fra", "--held-out", "2", "--shares", "50,100"),
)


@pytest.fixture
def files(run: Run, example: Path, prepare: Prepare) -> Path:
    def fill() -> None:
        shutil.copy(example / "generated.db", "corpus.db")
        write_files(Path(), FILES)
        guide = ("generate", "--lang", "eng", "-N", "0", "--for", "h.txt", "g.txt", "--ref", "r.txt", "--name", "both")
        assert run(*guide).exit_code == 0

    return prepare("replayed", fill) / "corpus.db"


def made(run: Run, words: Sequence[str], name: str = "made.json") -> Any:
    result = run(*words, "--json")
    assert result.exit_code == 0, result.stderr
    Path(name).write_text(result.stdout, encoding="utf-8")
    return json.loads(result.stdout)


def replayed(run: Run, *what: str) -> tuple[int, list[dict[str, Any]]]:
    result = run("replay", *what, "--json")
    assert result.exit_code in (0, 1), result.stderr
    return result.exit_code, json.loads(result.stdout)


@pytest.mark.parametrize("words", DOCUMENTS, ids=" ".join)
def test_every_document_replays_equal(words: tuple[str, ...], run: Run, files: Path, tmp_path: Path) -> None:
    if {"profile", "coefficient"} & {*words}:  # the same profile again, and parts that are made by one
        assert run(*PROFILE).exit_code == 0
    made(run, words)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file() and "-" not in path.name}
    code, (found,) = replayed(run, "made.json")
    assert (code, found["equal"], found["differences"], found["inputs"]) == (0, True, [], [])
    after = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file() and "-" not in path.name}
    assert after == before


@pytest.mark.slow
def test_the_study_of_precision_replays_equal(run: Run, finished_phrasebook: Path, tmp_path: Path) -> None:
    shutil.copy(finished_phrasebook, tmp_path / "corpus.db")
    made(run, ("study", "precision", "--lang", "eng", "--held-out", "fra"))
    assert replayed(run, "made.json")[0] == 0


def test_every_command_that_is_replayed_is_tried() -> None:
    tried = {words[1] if words[0] == "study" else words[0] for words in DOCUMENTS} | {"precision", "apply"}
    assert list(load_all())
    assert tried == set(REPLAYED_COMMANDS)


def test_every_kind_of_stored_score_replays_equal(run: Run, files: Path) -> None:
    pytest.importorskip("sacrebleu")
    names = ",".join(metric_names())
    for where in (("--ref", "r.txt"), CORPUS, FROZEN):
        assert run("score", "h.txt", "g.txt", *where, "--metric", names, "--store").exit_code == 0
        assert run("score", "h.txt", *where, "--metric", "bleu,nist,mwer", "--unit", "char", "--store").exit_code == 0
    scores = json.loads(run("sql", "select id, run from score order by id", "--json").stdout)["rows"]
    assert len(scores) == 3 * (2 * len(metric_names()) + 3)
    code, found = replayed(run, *(f"score:{number}" for number, _ in scores))
    assert (code, [each["equal"] for each in found]) == (0, [True] * len(scores))
    code, of_runs = replayed(run, *(str(number) for number in sorted({run for _, run in scores})))
    assert (code, len(of_runs)) == (0, len(scores))


@pytest.mark.slow
def test_every_run_that_derives_replays_equal(run: Run, files: Path) -> None:
    rows = json.loads(run("sql", "select id, operation from run order by id", "--json").stdout)["rows"]
    deriving = [str(number) for number, operation in rows if operation != "import"]
    assert {operation for _, operation in rows} == {
        "import", "tokenise", "detect", "index", "generate", "validity", "reword", "guide"
    }  # fmt: skip
    code, found = replayed(run, *deriving)
    assert (code, len(found)) == (0, len(deriving))
    result = run("replay", "1")
    assert (result.exit_code, "'import', which is input" in result.stderr) == (2, True)


def test_rows_that_are_not_what_the_corpus_gives_are_found(run: Run, files: Path) -> None:
    number = json.loads(run("sql", "select id from run where operation = 'generate'", "--json").stdout)["rows"][0][0]
    with open_store(files) as store, store.write() as connection:
        connection.execute("update candidate set frequency = frequency + 1 where id = 1")
    code, (found,) = replayed(run, str(number))
    assert (code, found["equal"]) == (1, False)
    assert any("rows of candidate in eng are not what the corpus gives" in each for each in found["differences"])


def test_a_changed_file_is_named(run: Run, files: Path, tmp_path: Path) -> None:
    made(run, DOCUMENTS[0])
    (tmp_path / "g.txt").write_text("A beer.\nA pizza.\n", encoding="utf-8")
    result = run("replay", "made.json")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == "differs  made.json: score"
    assert "$[3].score: " in result.stdout  # of the second system, by its first metric
    assert [line for line in lines if "changed since" in line] == [line for line in lines if "file g.txt" in line] != []

    (tmp_path / "g.txt").write_text("A beer.\n", encoding="utf-8")
    result = run("replay", "made.json")
    assert (result.exit_code, "it cannot be made again: " in result.stdout, "file g.txt" in result.stdout) == (
        1,
        True,
        True,
    )
    (tmp_path / "g.txt").unlink()
    result = run("replay", "made.json")
    assert (result.exit_code, "g.txt: it was read then, but is not there now" in result.stderr) == (3, True)


def test_a_changed_corpus_is_named(run: Run, files: Path) -> None:
    made(run, DOCUMENTS[3])
    assert run("accept", "A beer, please.", "A beer!", "--lang", "eng").exit_code == 0
    code, found = replayed(run, "made.json", "score:1", "set:both")
    assert code == 1
    for each in found[:2]:
        assert not each["equal"]
        assert len(each["inputs"]) == 1
        assert each["inputs"][0].startswith("corpus")
    assert found[1]["differences"][0].startswith("the reference set is another: 2 of 2 segments differ")
    assert any("corpus: changed since" in line for line in found[2]["inputs"])


def test_what_was_learned_of_it_is_named_where_the_corpus_is_the_same(run: Run, files: Path) -> None:
    made(run, DOCUMENTS[3])
    with open_store(files) as store, store.write() as connection:
        connection.execute("update run set parameters = '{}' where operation = 'validity'")
    _, (found,) = replayed(run, "made.json")
    assert any(line.startswith("layer validity of eng: changed since") for line in found["inputs"])


def test_another_version_is_named(run: Run, files: Path, tmp_path: Path) -> None:
    document = made(run, DOCUMENTS[0])
    document[0]["made_from"]["version"] = "0.0.9"
    del document[0]["made_from"]["options"]["limit"]  # as a version before there was this option
    (tmp_path / "made.json").write_text(json.dumps(document), encoding="utf-8")
    code, (found,) = replayed(run, "made.json")
    assert (code, found["equal"]) == (0, True)
    assert [line.startswith("version of corpusdb: 0.0.9 then and ") for line in found["inputs"]] == [True]
    assert "    but version of corpusdb: 0.0.9 then" in run("replay", "made.json").stdout


def test_a_new_kind_of_input_is_a_name_and_a_digest(run: Run, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dictionary, as a toy: documents with it and without are compared, and the one that changed is named."""
    made(run, DOCUMENTS[3], "without.json")
    kinds = inputs.DATABASE_INPUTS
    for digest in ("1", "2"):

        def dictionary(store: Store, digest: str = digest) -> Iterator[Input]:
            yield Input("dictionary", "jpn", digest)

        monkeypatch.setattr(inputs, "DATABASE_INPUTS", (*kinds, dictionary))
        if digest == "1":
            made(run, DOCUMENTS[3])
    _, (found, without) = replayed(run, "made.json", "without.json")
    assert found["inputs"] == ["dictionary jpn: changed since, 1 then and 2 now"]
    assert without["inputs"] == ["dictionary jpn: there was none"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("99",), 3, "there is no run 99"),
        (("run:99",), 3, "there is no run 99"),
        (("score:99",), 3, "there is no score 99"),
        (("score:x",), 2, "'score:x' is not a number"),
        (("set:no",), 3, "there is no frozen reference set 'no'; there are 'both'"),
        (("no.json",), 3, "no.json: no such file"),
        (("r.txt",), 3, "r.txt:1: this is not JSON"),
        (("other.json",), 3, "made by 'check', which is not replayed"),
        (("strange.json",), 3, "its options are not those of 'score'"),
        (("stdin.json",), 3, "made from standard input"),
    ],
)
def test_what_cannot_be_replayed(
    words: tuple[str, ...], code: int, message: str, run: Run, files: Path, tmp_path: Path
) -> None:
    record: dict[str, Any] = {"command": "check", "options": {}, "inputs": [], "version": "1"}
    stdin = [{"kind": "file", "name": "-", "digest": ""}]
    for name, more in (
        ("other", {}),
        ("strange", {"command": "score", "options": {"hypotheses": 3}}),
        ("stdin", {"command": "score", "inputs": stdin}),
    ):
        (tmp_path / f"{name}.json").write_text(json.dumps({"made_from": record | more}), encoding="utf-8")
    result = run("replay", *words)
    assert (result.exit_code, result.stdout, message in result.stderr) == (code, "", True), result.stderr


RECORD = MadeFrom("score", {"ref": ["r.txt"], "seed": 1}, (Input("file", "r.txt", "ab"), Input("rules", "ja", "cd")))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(CHARACTERS, max_size=5),
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
        assert path.read_text(encoding="utf-8").count("made_from") == 1
    assert with_record([], RECORD) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "made.json:1: this is not JSON"),
        ("[" * 100_000, "this is not JSON"),
        ("[]", "does not say what it was made from"),
        ('{"score": 1}', "does not say what it was made from"),
        ("3", "does not say what it was made from"),
        ('{"made_from": 3}', "was not written by corpusdb"),
        ('{"made_from": {"command": "score", "options": [1], "inputs": [], "version": "1"}}', "was not written"),
        ('{"made_from": {"command": 1, "options": {}, "inputs": [], "version": "1"}}', "was not written"),
        ('{"made_from": {"command": "a", "options": {}, "inputs": [{"kind": 1}], "version": "1"}}', "was not written"),
        ("", "the file is empty"),
    ],
)
def test_documents_that_cannot_be_replayed(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "made.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_document(path)
    assert reason in str(raised.value)


DOCUMENTS_CORPUS, LAYER, RULES = (
    Input("corpus", "documents", "a"),
    Input("layer", "validity of eng", "b"),
    RECORD.inputs[1],
)


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        ([DOCUMENTS_CORPUS, LAYER, RULES], [DOCUMENTS_CORPUS, LAYER, RULES], []),
        (
            [DOCUMENTS_CORPUS, LAYER],
            [DOCUMENTS_CORPUS, Input("layer", LAYER.name, "c")],
            ["layer validity of eng: changed since"],
        ),
        (
            [DOCUMENTS_CORPUS, LAYER],
            [Input("corpus", "documents", "c"), Input("layer", LAYER.name, "c")],
            ["corpus documents"],
        ),
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


def test_what_another_version_makes_the_same_is_the_same() -> None:
    signed = "metric:bleu|order:4|refs:1|version:{}"
    assert differences({"signature": signed.format("0.1.0")}, {"signature": signed.format("1.0.0")}) == []
    assert differences({"short": "bleu|n:4|v:0.1.0"}, {"short": "bleu|n:4|v:1.0.0"}) == []
    assert differences({"signature": signed.format("1")}, {"signature": signed.format("1").replace("4", "5")})
    assert differences({"text": "version:1"}, {"text": "version:2"})
