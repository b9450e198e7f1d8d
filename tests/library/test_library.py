"""The library: its examples run as they stand, and it gives what the command line gives."""

from __future__ import annotations

import doctest
import inspect
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from calls import write_files
from typer.testing import CliRunner

import corpusdb
import corpusdb.library
from corpusdb import library
from corpusdb.base.errors import CorpusError, DatabaseMissing, DatabaseReadOnly, InputError, UsageError
from corpusdb.base.jobs import Progress
from corpusdb.chain.queries.removing import remove_collection
from corpusdb.corpus.model import Paraphrase
from corpusdb.corpus.store import Store
from corpusdb.library import evaluation, words
from corpusdb.library.words import CountOptions
from corpusdb.paraphrase.queries import seeds
from corpusdb.paraphrase.queries.filters import ListOptions
from corpusdb.paraphrase.queries.seeds import SeedGenerator
from corpusdb.phrasebook import phrasebook_files
from corpusdb.program.catalogue import app
from corpusdb.scoring.metrics import settings_for

ROOT = Path(__file__).resolve().parents[2]
SEED = "Where is the bus stop?"


@pytest.fixture
def path(finished_phrasebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the phrasebook from which everything was generated, in the current folder."""
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copy(finished_phrasebook, tmp_path))


@pytest.fixture
def corpus(path: Path) -> Iterator[corpusdb.Corpus]:
    with corpusdb.open(path) as corpus:
        yield corpus


MODULES = (library, evaluation, words)


def name_of(example: doctest.DocTest) -> str:
    """The function or method, without its module."""
    return example.name.removeprefix("corpusdb.library.").removeprefix("evaluation.").removeprefix("words.")


def examples() -> list[doctest.DocTest]:
    found = [each for module in MODULES for each in doctest.DocTestFinder().find(module)]
    return [each for each in found if each.examples]


# What follows an acceptance is tested on smaller corpora, and takes seconds on this one.
@pytest.mark.parametrize(
    "example",
    [pytest.param(each, marks=pytest.mark.slow if name_of(each) == "Corpus.accept" else ()) for each in examples()],
    ids=lambda each: name_of(each),
)
def test_the_example_runs(example: doctest.DocTest, corpus: corpusdb.Corpus) -> None:
    example.globs |= {"corpusdb": corpusdb, "corpus": corpus}
    told: list[str] = []
    doctest.DocTestRunner().run(example, out=told.append)
    assert "".join(told) == ""


def test_everything_that_is_offered_has_an_example() -> None:
    named = {name_of(each) for each in examples()}
    methods = {
        f"{kind.__name__}.{name}"
        for kind in (library.Corpus, library.Homogeneity, library.Words)
        for name, _ in inspect.getmembers(kind, inspect.isfunction)
        if name[0] != "_"
    }
    assert named == methods | {"agreement", "compare", "metric", "open", "score"}


def command(path: Path, *arguments: str) -> Any:
    """What the command line answers, as JSON."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path.parent)
        patch.setenv("CORPUSDB_HISTORY", "off")
        result = CliRunner().invoke(app, ["--db", str(path), *arguments, "--json"])
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_paraphrases_are_those_of_the_command(corpus: corpusdb.Corpus, path: Path) -> None:
    ours = [(each.text, each.frequency) for each in corpus.paraphrases(SEED, limit=0, order=0)]
    theirs = [(each["text"], each["frequency"]) for each in command(path, "paraphrases", SEED, "-n", "0", "-N", "0")]
    assert ours == theirs and len(ours) == 4


@pytest.mark.slow
def test_what_is_read_for_one_sentence_serves_the_next_until_the_corpus_changes(
    corpus: corpusdb.Corpus, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unseen = [f"Where is the {place} stop?" for place in ("tram", "train", "ferry", "coach")]
    read: list[str] = []

    class Counted(SeedGenerator):
        def __init__(self, store: Store, language: str) -> None:
            read.append(language)
            super().__init__(store, language)

    monkeypatch.setattr(seeds, "SeedGenerator", Counted)
    first = [corpus.paraphrases(text, "eng", min_validity=0, order=0) for text in unseen]
    assert any(first)
    assert read == ["eng"]
    corpus.accept(SEED, unseen[0])
    later = [corpus.paraphrases(text, "eng", min_validity=0, order=0) for text in unseen]
    assert later != first
    with corpusdb.open(path) as fresh:
        assert later == [fresh.paraphrases(text, "eng", min_validity=0, order=0) for text in unseen]


@pytest.mark.slow
def test_nothing_is_held_of_a_corpus_that_is_another_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it has as many sentences: their translations are others, or as many came before the last."""
    monkeypatch.chdir(tmp_path)
    first, second = phrasebook_files()[2:4]
    with corpusdb.open("two.db", create=True) as corpus:
        for file in (first, second):
            corpus.import_files([file], ["eng", "jpn", "fra"], name=file.stem)
        corpus.generate("eng", [corpus.sentences("eng")[-1]])
        texts = corpus.sentences("eng")[-12:]
        asked = [*texts, *(f"{text[:-1]} now{text[-1]}" for text in texts)]

        def found(asking: corpusdb.Corpus) -> list[list[Paraphrase]]:
            return [asking.paraphrases(text, "eng", limit=0, order=0, min_validity=0) for text in asked]

        before = found(corpus)
        with corpusdb.open("two.db") as other:
            rows = [(one, each.text) for one in texts for each in corpus.translations(one, "eng", distance=3)]
            french = [(one, text) for one, text in rows if text in {*corpus.sentences("fra")}]
            Path("more.tsv").write_text("".join(f"{one}\t{text}\n" for one, text in french), encoding="utf-8")
            assert other.import_files(["more.tsv"], ["eng", "fra"]).sentences == 0
            between = found(other)
            assert found(corpus) == between != before
            other.run(remove_collection(other.store, first.stem))
            assert found(corpus) == found(other) != between


@pytest.mark.parametrize(
    "name",
    ["pivots", pytest.param("languages", marks=pytest.mark.slow), pytest.param("shared", marks=pytest.mark.slow)],
)
def test_thresholds_are_those_of_the_command(name: str, corpus: corpusdb.Corpus, path: Path) -> None:
    """Each leaves out some, and a limit counts what is left."""
    ranked = corpus.paraphrases(SEED, limit=0, order=0)
    for least in sorted({getattr(each, name) for each in ranked}):
        kept = ListOptions(order=0)
        kept[f"min_{name}"] = least  # type: ignore[literal-required]
        ours = corpus.paraphrases(SEED, limit=2, **kept)
        assert ours == [each for each in ranked if getattr(each, name) >= least][:2]
        call = ("paraphrases", SEED, "-n", "2", "-N", "0", f"--min-{name}", str(least))
        assert [each.text for each in ours] == [each["text"] for each in command(path, *call)]
    with pytest.raises(UsageError, match=f"min_{name} is 0 or more"):
        corpus.paraphrases(SEED, **{f"min_{name}": -1})  # type: ignore[arg-type]


def test_words_have_the_figures_of_the_commands(corpus: corpusdb.Corpus, path: Path) -> None:
    words, shared = corpus.words, ("--lang", "eng", "-i", "--words-only", "-n", "4")
    part: CountOptions = {"ignore_case": True, "words_only": True, "least": 2, "document": "hotel.tsv"}
    asked = {
        ("frequencies", "--ngram", "2"): words.frequencies("eng", ngram=2, limit=4, **part),
        ("frequencies", "--ngram", "1-2"): words.frequencies("eng", ngram=(1, 2), limit=4, **part),
        ("collocates", "room", "--measure", "mi"): words.collocates("room", "eng", measure="mi", limit=4, **part),
        ("keywords", "phrasebook"): words.keywords("phrasebook", "eng", limit=4, **part),
    }
    for call, ours in asked.items():
        assert (
            ours == command(path, *call, *shared, "--least", "2", "--document", "hotel.tsv")["rows"] and len(ours) == 4
        )
    hits = command(path, "search", "room", "--lang", "eng", "--kwic", "-n", "0")["hits"]
    kept = ("id", "left", "match", "right")
    assert words.lines("room", "eng") == [{name: hit[name] for name in kept} for hit in hits] != []


def test_references_reach_thresholds(corpus: corpusdb.Corpus) -> None:
    [all_of_them] = corpus.references([SEED], "eng", limit=0, order=0)
    [some] = corpus.references([SEED], "eng", limit=0, order=0, min_shared=2)
    assert 0 < len(some.references) < len(all_of_them.references)
    assert {each.text for each in some.references} < {each.text for each in all_of_them.references}


def test_a_score_has_the_signature_of_the_command(corpus: corpusdb.Corpus, path: Path) -> None:
    sources, hypotheses = ["Où est l'arrêt de bus ?", SEED], ["Where is a bus stop?", "Where are the buses?"]
    for name, lines in {"source.txt": sources, "one.txt": hypotheses}.items():
        path.with_name(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    [ours] = corpus.score({"one": hypotheses}, corpus.references(sources, "en"), [settings_for("bleu", order=2)])
    options = ("--ref-from", "corpus", "--source", "source.txt", "--lang", "eng", "--order", "2")
    [theirs] = command(path, "score", "one.txt", *options)
    assert (ours.signature, float(ours.scores[0])) == (theirs["signature"], theirs["score"])
    assert ours.scores[0] > 0


@pytest.mark.parametrize(
    ("asked", "call"),
    [
        ({"name": "bleu", "smoothing": "exp", "tokenise": "intl", "lowercase": True}, "bleu -tok intl -lc"),
        ({"name": "nist", "unit": "char", "order": 3}, "nist --unit char --order 3"),
        ({"name": "chrf", "chrf_word_order": 1, "chrf_beta": 3}, "chrf -cw 1 --chrf-beta 3"),
        ({"name": "ter", "ter_case_sensitive": True, "ter_no_punct": True}, "ter --ter-case-sensitive --ter-no-punct"),
    ],
)
def test_settings_of_a_metric_are_those_of_the_command(
    systems: dict[str, list[str]], tmp_path: Path, asked: Any, call: str
) -> None:
    [ours] = corpusdb.score(systems, [[text] for text in TEST_SET["ref.txt"]], [corpusdb.metric(**asked)])
    files = [f"{name}.txt" for name in systems]
    theirs = command(tmp_path / "x.db", "score", "ref.txt", "-i", *files, "--confidence", "-m", *call.split())
    assert [(ours[row["system"]], ours.signature) for row in theirs] == [(x["score"], x["signature"]) for x in theirs]
    bounds = [(row["low"], row["high"]) for row in ours.rows(intervals=True)]
    assert bounds == [(each["interval"]["low"], each["interval"]["high"]) for each in theirs]


TEST_SET = {
    "ref.txt": ["The dog bit the man.", "It was not unexpected.", "The man bit him first.", "He went home."] * 3,
    "one.txt": ["The dog bit the man.", "It wasn't surprising.", "The man bit him.", "He went home, too."] * 3,
    "two.txt": ["the dog has bit a man.", "It was unexpected.", "A man bit him first, then.", "Home!"] * 3,
    "three.txt": ["dog", "It was not.", "The man.", "go"] * 3,
}
PEOPLE: Mapping[str, list[float | None]] = {
    "one": [1, 0.5, 0.75, 0.5] * 3, "two": [0.5, 0.25, None, 0] * 3, "three": [-1, -0.5, -1, None] * 3
}  # fmt: skip


@pytest.fixture
def systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """The outputs of three systems, which are in files, too, as are the scores of people and of another metric."""
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, TEST_SET)
    rows = [(name, at, x) for name, values in PEOPLE.items() for at, x in enumerate(values) if x is not None]
    write_files(tmp_path, {"human.tsv": ["system\tsegment\tz", *(f"{name}\t{at}\t{x}" for name, at, x in rows)]})
    write_files(tmp_path, {"other.sys.score": ["one\t0.5", "two\t0.25", "three\t0.75"]})
    return {name: TEST_SET[f"{name}.txt"] for name in ("one", "two", "three")}


@pytest.mark.parametrize("test", ["bootstrap", "randomisation"])
def test_a_comparison_is_that_of_the_command(systems: dict[str, list[str]], tmp_path: Path, test: Any) -> None:
    references = [[text] for text in TEST_SET["ref.txt"]]
    ours = corpusdb.compare(systems, references, ["bleu", "ter"], test=test, samples=40, seed=5, lengths=[3, 5])
    call = ("compare", "one.txt", "two.txt", "three.txt", "--ref", "ref.txt", "-m", "bleu,ter", "--significance", test)
    theirs = command(tmp_path / "x.db", *call, "--samples", "40", "--seed", "5", "--lengths", "3,5")
    told = json.loads(json.dumps([asdict(each) for each in ours]))
    for each in (*told, *theirs):  # files tell where a reference stands, and precisions follow from counts
        for example in (*each["better_a"], *each["better_b"]):
            del example["labels"]
        for counts in (word[letter] for word in each["words"] for letter in "ab"):
            for key in counts.keys() & {"precision", "recall", "f1"}:
                del counts[key]
    assert told == [{name: value for name, value in each.items() if name != "references"} for each in theirs]
    table = CliRunner().invoke(app, ["--quiet", *call, "--samples", "40", "--seed", "5", "--format", "jsonl"])
    assert [json.loads(line) for line in table.stdout.splitlines()] == [row for each in ours for row in each.rows()]


@pytest.mark.parametrize("as_files", [False, True])
def test_agreement_is_that_of_the_command(systems: dict[str, list[str]], tmp_path: Path, *, as_files: bool) -> None:
    references = [[text] for text in TEST_SET["ref.txt"]]
    people: Any = "human.tsv" if as_files else PEOPLE
    others: Any = ["other.sys.score"] if as_files else {"other": {"one": 0.5, "two": 0.25, "three": 0.75}}
    asked: Any = {"scores": others, "compare": ["all"], "samples": 30, "by": "length"}
    ours = corpusdb.agreement(systems, references, people, ["bleu", "chrf", "ter"], **asked)
    call = ("one.txt", "two.txt", "three.txt", "--ref", "ref.txt", "--human", "human.tsv", "-m", "bleu,chrf,ter")
    more = (
        "--scores",
        "other.sys.score",
        "--compare",
        "all",
        "--samples",
        "30",
        "--by",
        "length",
        "--without-outliers",
    )
    theirs = command(tmp_path / "x.db", "agreement", *call, *more)
    keys = ("level", "statistic", "value", "low", "high", "n", "reason", "rank")
    assert [[row.get(key) for key in (*keys, "metric", "against")] for row in ours.rows()] == [
        [row.get(key) for key in (*keys, "name", "against")] for row in theirs
    ]
    assert any(row.get("rank") == 2 for row in ours.rows()) and {"bleu", "other"} <= {row["metric"] for row in theirs}


@pytest.mark.parametrize("frames", ["pandas", "polars"])
def test_rows_are_frames_where_these_are_installed(systems: dict[str, list[str]], frames: Any) -> None:
    pytest.importorskip(frames)
    references = [[text] for text in TEST_SET["ref.txt"]]
    pair, _ = corpusdb.compare(systems, references, ["chrf", "ter"], sections=["scores"], samples=5)
    found = corpusdb.agreement(systems, references, PEOPLE, samples=5)
    for each in (pair, found):
        assert list(each.frame(frames)["metric"]) == [row["metric"] for row in each.rows()]


def test_what_evaluation_refuses(systems: dict[str, list[str]]) -> None:
    references = [[text] for text in TEST_SET["ref.txt"]]
    with pytest.raises(TypeError, match="unexpected keyword argument 'sample'"):
        corpusdb.compare(systems, references, sample=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'statistic'"):
        corpusdb.agreement(systems, references, PEOPLE, statistic=["pearson"])  # type: ignore[call-arg]
    with pytest.raises(InputError, match="scores of 2 segments of one, not 12"):
        corpusdb.agreement(systems, references, {"one": [1, 2]})
    with pytest.raises(InputError, match="of other systems: none"):
        corpusdb.agreement(systems, references, {"none": 1})
    with pytest.raises(UsageError, match="compare needs two systems"):
        corpusdb.compare({"one": systems["one"]}, references)
    with pytest.raises(UsageError, match="statistics must be a list"):
        corpusdb.agreement(systems, references, PEOPLE, statistics="pearson")
    with pytest.raises(UsageError, match="no statistic 'pears'"):
        corpusdb.agreement(systems, references, PEOPLE, statistics=["pears"])
    with pytest.raises(UsageError, match="smoothing is of bleu, not of ter"):
        corpusdb.metric("ter", smoothing="exp")
    with pytest.raises(TypeError, match="unexpected keyword argument 'tokenize'"):
        corpusdb.metric("bleu", tokenize="intl")  # type: ignore[call-arg]
    with pytest.raises(UsageError, match=r"or what corpusdb\.metric makes, and not \{'metric'"):
        corpusdb.score(systems, references, [{"metric": "bleu"}])  # type: ignore[list-item]
    with pytest.raises(UsageError, match="there is no system 'four'; there are one, two, three"):
        corpusdb.score(systems, references)[0]["four"]


def test_every_step_is_told_and_whoever_is_told_can_end_the_job(corpus: corpusdb.Corpus) -> None:
    stages: list[str] = []
    corpus.references([SEED], "eng", progress=lambda step: stages.append(step.stage))
    assert stages == ["making reference sets"]

    def refuse(step: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        corpus.generate("fra", progress=refuse)
    assert corpus.languages() == ["eng", "fra", "jpn"]


def test_a_reader_is_told_that_it_cannot_try_a_new_seed(path: Path) -> None:
    with corpusdb.open(path, read_only=True) as corpus:
        assert corpus.paraphrases(SEED)
        with pytest.raises(DatabaseReadOnly):
            corpus.paraphrases("Where is the bus stop now?", "eng")


def test_what_sqlite_raises_is_an_error_of_the_program(corpus: corpusdb.Corpus) -> None:
    corpus.store.connection.execute("drop table paraphrase")
    with pytest.raises(CorpusError):
        corpus.paraphrases(SEED)


def test_what_cannot_be_is_refused(corpus: corpusdb.Corpus, tmp_path: Path) -> None:
    empty = corpusdb.open(tmp_path / "empty.db", create=True)
    with empty, pytest.raises(UsageError, match="does not tell the language"):
        empty.explain(SEED, "x")
    with pytest.raises(UsageError, match="no file"):
        corpus.import_files([])
    with pytest.raises(DatabaseMissing, match="no such database"):
        corpusdb.open(tmp_path / "missing.db")
    with pytest.raises(InputError, match="2 sources"):
        corpusdb.score({"one": ["a"]}, [["a"]], sources=["a", "b"])
    for texts in ("a", Path("a")):
        with pytest.raises(UsageError, match="files must be a list, and is the text 'a'"):
            corpus.import_files(texts)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="seeds must be a list"):
        corpus.generate("eng", "a")
    with pytest.raises(UsageError, match="sources must be a list"):
        corpus.references("a", "eng")
    with pytest.raises(UsageError, match="texts must be a list"):
        corpus.homogeneity.nearness("eng", "a")
    assert corpus.references([]) == []
    with pytest.raises(TypeError, match="validity"):
        corpus.references([SEED], "eng", validity=0.5)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("systems", "references", "metrics", "told"),
    [
        ({"one": ["ab"]}, ["ab"], ["bleu"], r"segment 1 are a text.*\[\[text\] for text in references\]"),
        ({"one": ["ab", "c"]}, [["ab"], "c"], ["bleu"], "segment 2 are a text"),
        ({"one": ["ab"]}, "ab", ["bleu"], "references must be a list"),
        ({"one": "ab"}, [["ab"], ["b"]], ["bleu"], "output of one must be a list"),
        (["ab"], [["ab"]], ["bleu"], "systems are a dict"),
        ({"one": ["ab"]}, [["ab"]], "bleu", "metrics must be a list"),
    ],
)
def test_a_text_for_a_list_is_not_taken_by_letters(systems: Any, references: Any, metrics: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        corpusdb.score(systems, references, metrics)


def test_importing_the_package_loads_nothing() -> None:
    script = "import sys; before = set(sys.modules); import corpusdb; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert set(done.stdout.split()) <= {"__future__", "corpusdb"}


def test_there_is_nothing_else() -> None:
    assert {name for name in corpusdb.__all__ if not hasattr(corpusdb, name)} == set()
    with pytest.raises(AttributeError, match="nothing"):
        _ = corpusdb.nothing  # type: ignore[attr-defined]


def test_bad_lines_are_skipped_up_to_a_number(tmp_path: Path) -> None:
    (tmp_path / "bad.tsv").write_text("Yes.\tOui.\nragged\nNo.\tNon.\n", encoding="utf-8")
    with corpusdb.open(tmp_path / "new.db", create=True) as corpus:
        with pytest.raises(InputError, match="has 1 column, 2 needed"):
            corpus.import_files([tmp_path / "bad.tsv"], ["eng", "fra"])
        report = corpus.import_files([tmp_path / "bad.tsv"], ["eng", "fra"], skip_bad=1)
    assert (report.read, report.skipped) == (2, ((str(tmp_path / "bad.tsv"), 2, "has 1 column, 2 needed"),))
