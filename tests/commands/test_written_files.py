"""Every command that writes a file, found among the live commands: it never writes over a database or a file."""

from __future__ import annotations

import csv
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from calls import MakeOnce, Run
from typer.testing import CliRunner

from corpusdb.commands.command import Command, CommandGroup
from corpusdb.program.catalogue import app, load_all

READ = {
    "db", "config", "files", "gold", "hyp", "hypotheses", "hypothesis", "human", "input", "outputs", "ref", "seeds",
    "sheet", "source", "links", "from_", "file", "texts", "baseline", "documents", "parts", "scores", "systems",
    "second", "second_ref", "made", "judged_category", "judged_meaning",
    "alignment", "alignment_text", "phrase_table", "frequencies_from", "labels", "word_links", "pool",
    "into",  # what is added to a file of rules is read first
    "for_", "folder", "out",  # of a distributed run, which holds nothing else
}  # fmt: skip
"""Options that name files to be read."""


@dataclass(frozen=True)
class Writes:
    """How a command is called that writes a file: the words before its name, and what it is called in a folder."""

    words: Sequence[str]
    inside: str = ""
    """The file that appears in the folder that is named; none where the file itself is."""
    behind: str = ""
    """What is put behind the name that is given."""
    replaces_copies: bool = False


RULE_STUDY = (
    *("rules", "study", "ja.txt", "polite.txt", "--ref", "ja.txt", "--human", "ja-human.tsv"),
    *("--rules", "da,verb-past", "--samples", "2", "--no-each-rule"),
)
SCORED = ("one.txt", "--ref", "ref.txt")
BLEU_STUDY = ("study", "bleu-in-characters", *SCORED, "--no-plots")
HOMOGENEITY = ("study", "homogeneity", *"--lang eng --spoken task.txt --written news.txt --part table".split())
WRITES: dict[tuple[str, str], Sequence[Writes]] = {
    ("export", "output"): (
        *(Writes(("export", "--format", name, "-o")) for name in ("csv", "jsonl", "tmx", "tsv")),
        Writes(("export", "--format", "moses", "--lang", "eng,fra", "-o"), behind=".fra"),
        Writes(("export", "--format", "tatoeba", "-o"), "links.csv"),
    ),
    ("search", "output"): (Writes(("search", "beer", "--lang", "eng", "-o")),),
    ("frequencies", "output"): (Writes(("frequencies", "--lang", "eng", "-o")),),
    ("collocates", "output"): (Writes(("collocates", "beer", "--lang", "eng", "--least", "1", "-o")),),
    ("statistics", "output"): (Writes(("statistics", "--lang", "eng", "-o")),),
    ("keywords", "output"): (Writes(("keywords", "paper", "--against", "more", "--lang", "eng", "-o")),),
    ("paradigm", "output"): (Writes(("paradigm", "beer", "-o")),),
    ("queries", "output"): (Writes(("queries", "-o")),),
    ("history", "output"): (Writes(("history", "-o")),),
    ("categories set", "output"): (Writes(("categories", "set", "kinds", "drink", "beers", "-o")),),
    ("categories clear", "output"): (Writes(("categories", "clear", "senses", "beers", "-o")),),
    ("results keep", "output"): (Writes(("results", "keep", "kept", "beers", "-o")),),
    ("results union", "output"): (Writes(("results", "union", "both", "beers", "beers", "-o")),),
    ("results intersection", "output"): (Writes(("results", "intersection", "shared", "beers", "beers", "-o")),),
    ("results difference", "output"): (Writes(("results", "difference", "others", "more", "beers", "-o")),),
    ("run", "output"): (Writes(("run", "beers", "-o")),),
    ("paraphrases", "output"): (Writes(("paraphrases", "A beer, please.", "-N", "0", "-o")),),
    ("exchanges", "output"): (Writes(("exchanges", "beer", "tea", "-o")),),
    ("align", "output"): (
        Writes(("align", "--source", "one.txt", "--ref", "ref.txt", "-o")),
        Writes(("align", "--lang", "eng,fra", "-o")),
        Writes(("align", "--lang", "eng,fra", "-o"), behind=".eng"),
    ),
    ("translations", "output"): (Writes(("translations", "beer", "--with", "fra", "-o")),),
    ("equivalents", "output"): (Writes(("equivalents", "a", "--lang", "eng", "--min-count", "1", "--all", "-o")),),
    ("results list", "output"): (Writes(("results", "list", "-o")),),
    ("categories list", "output"): (Writes(("categories", "list", "-o")),),
    ("categories ratios", "output"): (Writes(("categories", "ratios", "senses", "-o")),),
    ("categories export", "output"): (Writes(("categories", "export", "senses", "-o")),),
    ("rejections list", "output"): (Writes(("rejections", "list", "-o")),),
    ("align", "tokens"): (Writes(("align", "--source", "one.txt", "--ref", "ref.txt", "--tokens")),),
    ("references", "output"): (
        Writes(("references", "A beer, please.", "--format", "tsv", "-o"), "references.tsv"),
        Writes(("references", "A beer, please.", "-o"), "ref0.txt"),
    ),
    ("session references", "output"): (Writes(("session", "references", "work", "--format", "tsv", "-o")),),
    ("rules list", "output"): (Writes(("rules", "list", "-o")),),
    ("rules sets", "output"): (Writes(("rules", "sets", "-o")),),
    ("rules apply", "output"): (
        Writes(("rules", "apply", "ja.txt", "--rules", "polite", "-o"), "ref0.txt"),
        Writes(("rules", "apply", "ja.txt", "--rules", "polite", "-o"), "lineage.jsonl"),
    ),
    ("rules study", "output"): (Writes((*RULE_STUDY, "-o")),),
    ("rules study", "svg"): (Writes((*RULE_STUDY, "--svg"), "figure-1.svg"),),
    ("rules study", "png"): (Writes((*RULE_STUDY, "--png"), "figure-1.png"),),
    ("rules twins", "output"): (Writes(("rules", "twins", "-o")),),
    ("rules suggest", "output"): (Writes(("rules", "suggest", "--min-support", "1", "--known", "-o")),),
    ("judge report", "output"): (Writes(("judge", "report", "drawn", "-o")),),
    ("judge sheet", "output"): (Writes(("judge", "sheet", "drawn", "--judge", "me", "-o")),),
    ("score", "output"): (Writes(("score", *SCORED, "-o")),),
    ("compare", "output"): (Writes(("compare", "one.txt", "ref.txt", "--ref", "ref.txt", "--samples", "2", "-o")),),
    ("compare", "page"): (Writes(("compare", "one.txt", "ref.txt", "--ref", "ref.txt", "--samples", "2", "--page")),),
    ("agreement", "output"): (Writes(("agreement", *SCORED, "--human", "human.tsv", "--samples", "2", "-o")),),
    ("scores list", "output"): (Writes(("scores", "list", "-o")),),
    ("scores texts", "output"): (Writes(("scores", "texts", "-o")),),
    ("scores read", "output"): (Writes(("scores", "read", "human.tsv", "-o")),),
    ("scores segments", "output"): (Writes(("scores", "segments", "one", "-o")),),
    ("scores curve", "output"): (Writes(("scores", "curve", "--draws", "2", "--samples", "2", "-o")),),
    ("trace", "output"): (Writes(("trace", *SCORED, "--segment", "1", "-o")),),
    ("study bleu-in-characters", "svg"): (Writes((*BLEU_STUDY, "--svg"), "figure-2.svg"),),
    ("study bleu-in-characters", "png"): (Writes((*BLEU_STUDY, "--png"), "figure-1.png"),),
    ("study bitext", "output"): (Writes("study bitext one.txt ref.txt one.txt --lang eng --samples 2 -o".split()),),
    ("study equivalents-sheet", "output"): (Writes("study equivalents-sheet one.txt ref.txt --lang eng -o".split()),),
    ("profile", "output"): (Writes(("profile", "--lang", "eng", "--spoken", "one.txt", "--written", "ref.txt", "-o")),),
    ("similarity", "output"): (Writes(("similarity", "task.txt", "news.txt", "--lang", "eng", "-o")),),
    ("select", "output"): (Writes(("select", "--lang", "eng", "--task", "task.txt", "-o")),),
    ("model list", "output"): (Writes(("model", "list", "-o")),),
    ("model export", "output"): (Writes(("model", "export", "beers", "-o")),),
    ("translate", "output"): (Writes("translate beer --from eng --to fra --method memory -o".split()),),
    ("perplexity", "output"): (Writes(("perplexity", "A beer", "--model", "beers", "-o")),),
    ("study homogeneity", "output"): (Writes((*HOMOGENEITY, "-o")),),
    ("study homogeneity", "svg"): (Writes((*HOMOGENEITY, "--svg"), "figure-1.svg"),),
    ("study homogeneity", "png"): (Writes((*HOMOGENEITY, "--png"), "figure-1.png"),),
    ("study known-similarity", "output"): (
        Writes(("study", "known-similarity", "task.txt", "news.txt", "--lang", "eng", "-o")),
    ),
    ("study precision", "output"): (Writes(("study", "precision", "--lang", "eng", "-o")),),
    ("study reference-worth", "output"): (
        Writes(("study", "reference-worth", *SCORED, "--draws", "2", "--samples", "2", "-o")),
    ),
    ("study worth", "output"): (
        Writes(("study", "worth", *SCORED, "--human", "human.tsv", "--made", "made:one.txt", "--samples", "2", "-o")),
    ),
    ("backup", "target"): (Writes(("backup",), replaces_copies=True),),
    ("sql", "output"): (Writes(("sql", "select text from sentence", "-o")),),
}
CASES = [case for cases in WRITES.values() for case in cases]
IN_ALL_WAYS = [
    case
    for option in (("search", "output"), ("align", "output"), ("references", "output"), ("backup", "target"))
    for case in WRITES[option]
]
"""A file, several beside each other, files in a folder, a copy: what these are asked in all ways the others are asked
in one, the last of each, since whoever asks at all asks base/outputs.py; its test has all names of a database."""


def commands() -> Iterator[tuple[str, Command[Any]]]:
    for each in load_all():
        if isinstance(each, CommandGroup):
            yield from ((f"{each.name} {command.name}", command) for command in each.commands)
        else:
            yield each.name, each


def is_path(hint: Any) -> bool:
    return hint is Path or any(map(is_path, get_args(hint)))


def test_every_option_that_names_a_file_is_known() -> None:
    """A new one must be put into READ or, with a call of its command, into WRITES."""
    named = {
        (name, option)
        for name, command in commands()
        for kind in (command.options, command.common)
        for option, hint in get_type_hints(kind).items()
        if is_path(hint) and option not in READ
    }
    assert named == set(WRITES)
    assert READ.isdisjoint(option for _, option in WRITES)


def test_whatever_writes_a_file_has_the_option_to_replace_it() -> None:
    missing = {
        name
        for name, command in commands()
        if any(name == writer for writer, _ in WRITES)
        and not any("overwrite" in get_type_hints(kind) for kind in (command.options, command.common))
    }
    assert missing == set()


@pytest.fixture(scope="session")
def made(make_once: MakeOnce) -> Path:
    """A folder with a corpus, its paraphrases, a sample, a saved query, and the output of a system."""
    return make_once("written-files", fill)


def fill(folder: Path) -> None:
    pairs = [("A beer, please.", "Une bière."), ("Can I have a beer?", "Une bière."), ("A tea, please.", "Un thé.")]
    pairs += [("I'd like a beer, please.", "Je voudrais une bière."), ("I'd like a tea, please.", "Je veux un thé.")]
    for name, rows in (("paper", pairs), ("more", [("=1+1", "@deux"), ("-3", "- Oui.")])):
        lines = ["english\tfrench", *("\t".join(row) for row in rows)]
        (folder / f"{name}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "german.tsv").write_text("english\tgerman\nA beer, please.\tEin Bier.\n", encoding="utf-8")
    segments = "the cat sat on the mat today\nit rained on and on all day\n" * 20
    (folder / "one.txt").write_text(segments.replace("mat", "dog"))
    (folder / "ref.txt").write_text(segments)
    (folder / "task.txt").write_text("".join(f"Could we have {n} teas, {each}?\n" for n in range(30) for each in "abc"))
    (folder / "news.txt").write_text("".join(f"Prices fell by {n} per {each}.\n" for n in range(30) for each in "de"))
    (folder / "ja.txt").write_text("静かだ。\n彼が本を読んだ。\n", encoding="utf-8")
    (folder / "polite.txt").write_text("静かです。\n彼が本を読みました。\n", encoding="utf-8")
    (folder / "ja-human.tsv").write_text("system\tz\nja\t0.5\npolite\t0.25\n")
    (folder / "japanese.tsv").write_text(
        "english\tjapanese\nI forgot.\t忘れた。\nI forgot.\t忘れました。\n", encoding="utf-8"
    )
    (folder / "human.tsv").write_text("system\tsegment\tz\none\t0\t0.5\none\t1\t0.25\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("CORPUSDB_HISTORY", "off")
        for words in (
            ("import", "paper.tsv", "--lang", "eng,fra"),
            ("import", "more.tsv", "--lang", "eng,fra"),
            ("import", "german.tsv", "--lang", "eng,deu"),
            ("import", "japanese.tsv", "--lang", "eng,jpn"),
            ("generate", "--lang", "eng"),
            ("align", "--lang", "eng,fra"),
            ("judge", "sample", "drawn", "--lang", "eng", "--kind", "grammaticality", "--controls", "2", "-N", "0"),
            ("search", "beer", "--lang", "eng", "--save", "beers"),
            ("categories", "set", "senses", "drink", "beers"),
            ("score", "one.txt", "--ref", "ref.txt", "one.txt", "--store"),
            ("model", "train", "beers", "one.txt", "--lang", "eng"),
            ("session", "new", "work", "--lang", "eng", "-N", "0", "--text", "A beer, please."),
            ("session", "accept", "work", "1"),
            ("backup", "other.db"),
        ):
            result = CliRunner().invoke(app, ["--db", "corpus.db", *words])
            assert result.exit_code == 0, result.stderr


@pytest.fixture
def folder(made: Path, tmp_path: Path, run: Run) -> Path:
    """The same, in the folder in which ``run`` runs the program."""
    for path in made.iterdir():
        shutil.copy(path, tmp_path)
    return tmp_path


def named(case: Writes, name: str = "out") -> tuple[str, Path]:
    """What is given to the command, and the file that would appear."""
    if case.inside:
        return name, Path(name) / case.inside
    return name, Path(name + case.behind)


def state(folder: Path) -> dict[str, bytes]:
    """All files there; of those beside a database only that they are nothing else."""
    ignored = ("-wal", "-shm")  # a reader makes them
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(ignored)
    }


def label(case: Writes) -> str:
    return " ".join(word for word in case.words if not word.startswith("-"))[:40]


def skip_without_extras(case: Writes) -> None:
    if "study" in case.words and case.inside:
        pytest.importorskip("matplotlib")
    if {"apply", "study", "twins", "suggest"} & {*case.words} and "rules" in case.words:
        pytest.importorskip("sudachipy")


# Studies take the longest, and what they write is refused below by default.
@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=pytest.mark.slow if "study" in case.words else (), id=label(case)) for case in CASES],
)
def test_a_file_is_replaced_only_when_asked_for(case: Writes, folder: Path, run: Run) -> None:
    skip_without_extras(case)
    given, file = named(case)
    file.parent.mkdir(exist_ok=True)
    file.write_text("precious")
    file.chmod(0o640)
    before = state(folder)
    refused = run(*case.words, given)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.endswith(f"{file} exists already; --overwrite replaces it\n")
    assert refused.stderr.count("\n") == 1
    assert state(folder) == before
    replaced = run(*case.words, given, "--overwrite")
    assert replaced.exit_code == 0, replaced.stderr
    assert file.read_bytes() not in (b"precious", b"")
    assert case.replaces_copies or file.stat().st_mode & 0o777 == 0o640
    assert not list(folder.rglob(".corpusdb-*"))


def hard(file: Path, database: Path) -> None:
    os.link(database, file)


def symbolic(file: Path, database: Path) -> None:
    file.symlink_to(database.resolve())


@pytest.mark.parametrize("case", CASES, ids=label)
def test_a_database_is_never_written_over_and_a_folder_that_is_missing_not_made(
    case: Writes, folder: Path, run: Run
) -> None:
    skip_without_extras(case)
    given, file = named(case)
    file.parent.mkdir(exist_ok=True)
    every_way = (("corpus.db", "other.db"), (hard, symbolic), ((), ("--overwrite",)))
    for database, put, options in product(*every_way if case in IN_ALL_WAYS else (each[-1:] for each in every_way)):
        if case.replaces_copies and options and database == "other.db":
            continue
        put(file, Path(database))
        before = state(folder)
        result = run(*case.words, given, *options)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"corpusdb: error: {file} ")
        assert result.stderr.count("\n") == 1
        assert case.replaces_copies or "database" in result.stderr
        assert state(folder) == before
        file.unlink()
    if not case.inside and not case.behind:
        refuses_names_of_databases(case, folder, run)
    if not case.inside and case.words[0] != "export":
        result = run(*case.words, "none/out")
        assert (result.exit_code, "none: there is no such folder" in result.stderr) == (3, True)
        assert not Path("none").exists()


def refuses_names_of_databases(case: Writes, folder: Path, run: Run) -> None:
    before = state(folder)
    every_way = (
        ("corpus.db-wal", "corpus.db-journal", "other.db-wal", "./corpus.db", "corpus.db"),
        ((), ("--overwrite",)),
    )
    for name, options in product(*every_way if case in IN_ALL_WAYS else (each[-1:] for each in every_way)):
        result = run(*case.words, name, *options)
        assert (result.exit_code, "database" in result.stderr, result.stdout) == (2, True, ""), name
        assert state(folder) == before, name


@pytest.mark.slow
def test_an_answer_goes_into_a_device_and_through_stdout_by_its_name(folder: Path, program: Callable[..., Any]) -> None:
    words = ("search", "beer", "--lang", "eng", "-o")
    assert program(*words, "/dev/null").stdout == ""
    direct, named = program(*words, "-"), program(*words, "/dev/stdout")
    assert named.stdout == direct.stdout != ""
    full = program(*words, "/dev/full")
    assert (full.returncode, full.stderr.splitlines()[-1]) == (
        3,
        "corpusdb: error: /dev/full: cannot be written: No space left on device",
    )


def test_names_that_the_units_tell_are_looked_at_when_these_are_known(folder: Path, run: Run) -> None:
    Path("out.fra").write_text("precious")
    before = state(folder)
    result = run("export", "--format", "moses", "-o", "out", "--quiet")
    assert (result.exit_code, result.stderr) == (
        2,
        "corpusdb: error: out.fra exists already; --overwrite replaces it\n",
    )
    assert state(folder) == before


def test_an_empty_database_is_none_to_be_written_over(run: Run, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "corpus.db")):
        (tmp_path / "corpus.db").touch()
    for words in (("history", "-o"), ("queries", "-o")):
        result = run(*words, "corpus.db", "--overwrite")
        assert (result.exit_code, "the database itself" in result.stderr) == (2, True)
    assert (tmp_path / "corpus.db").read_bytes() == b""


FORMULAS = "may be run by a spreadsheet"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("sql", "select '=1+1', '-3', '@a' union all select 'a', 'b', '+1'", "--format", "csv"), "2 cells begin"),
        (("sql", "select '=1+1'", "--format", "csv", "-o", "out.csv"), "1 cell begins"),
        (("sql", "select -3 as n, '-0.5' as x", "--format", "csv"), ""),
        (("sql", "select '=1+1'", "--format", "tsv"), ""),
        (("export", "-o", "out.csv", "--collection", "more"), "3 cells begin"),
        (("export", "-o", "-", "--format", "csv", "--collection", "more"), "3 cells begin"),
        (("export", "-o", "out.csv", "--collection", "paper"), ""),
        (("judge", "sheet", "formulas", "--judge", "me", "-o", "out.tsv"), "1 cell begins"),
    ],
)
def test_cells_that_a_spreadsheet_would_run_are_told_and_stay(
    words: Sequence[str], told: str, folder: Path, run: Run
) -> None:
    if "judge" in words:
        drawn = run(
            "judge", "sample", "formulas", "--lang", "eng", "--kind", "grammaticality", "--controls", "7", "-N", "0"
        )
        assert drawn.exit_code == 0, drawn.stderr
    result = run(*words)
    assert result.exit_code == 0, result.stderr
    assert [told in line for line in result.stderr.splitlines() if FORMULAS in line] == [True] * bool(told)
    assert FORMULAS not in result.stdout
    assert not run(*words, "--quiet", *["--overwrite"] * ("-o" in words)).stderr


def test_csv_is_read_back_with_such_cells(folder: Path, run: Run) -> None:
    assert run("export", "-o", "out.csv", "--collection", "more").exit_code == 0
    rows = list(csv.reader(Path("out.csv").read_text(encoding="utf-8").splitlines()))
    assert rows[1:] == [["=1+1", "@deux"], ["-3", "- Oui."]]
    assert run("--db", "again.db", "import", "out.csv", "--lang", "eng,fra").exit_code == 0
    assert run("--db", "again.db", "export", "-o", "again.csv").exit_code == 0
    assert Path("again.csv").read_bytes() == Path("out.csv").read_bytes()


@pytest.mark.parametrize("database", [".", "/", ".."])
def test_a_database_that_is_a_folder_is_told(run: Run, tmp_path: Path, database: str) -> None:
    result = run("queries", "--db", database, "--output", "pairs.tsv")
    assert (result.exit_code, result.stderr) == (4, f"corpusdb: error: {database}: is a directory, not a database\n")
    assert not (tmp_path / "pairs.tsv").exists()
