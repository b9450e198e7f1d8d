"""`import`: what it says and stores, the formats that it reads, bad lines, and annotated texts."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from calls import Run
from typer.testing import Result


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def _collections(run: Run) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(run("info", "--json").stdout)["collections"]
    return found


def test_import_reports_what_it_read(run: Run, tmp_path: Path) -> None:
    _write(tmp_path, {"greetings.tsv": "Hello.\tBonjour.\nHi.\tBonjour.\nHello.\tBonjour.\nBye.\t\n"})
    result = run("import", "greetings.tsv", "--lang", "en,fra", "--licence", "CC0", "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == 0
    assert report.pop("seconds") >= 0
    assert report == {
        "collection": "greetings",
        "read": 3,
        "sentences": 3,
        "translations": 2,
        "duplicates": 1,
        "rejected": 1,
        "first_rejected": [["greetings.tsv", 4, "empty text in column 2 (fra)"]],
        "skipped": [],
        "first_duplicates": [["greetings.tsv", 3]],
        "unchanged": [],
        "annotated": None,
        "annotated_before": None,
    }
    assert "left out: greetings.tsv:4: empty text in column 2 (fra)" in result.stderr
    assert _collections(run) == [{"name": "greetings", "documents": 1, "lines": 3, "licence": "CC0", "sections": 0}]


@pytest.mark.parametrize(
    ("text", "options", "told"),
    [
        ("Hello.\tBonjour.\n", ("--lang", "en,fra"), "eng from column 1, fra from column 2"),
        ("id\ten\tfr\n1\tHello.\tBonjour.\n", ("--lang", "fra,eng"), "fra from fr (column 3), eng from en (column 2)"),
        ("1\tx\tHi.\tSalut.\n", ("--lang", "eng,fra", "--columns", "3,4"), "eng from column 3, fra from column 4"),
    ],
)
def test_import_says_which_columns_it_took(
    run: Run, tmp_path: Path, text: str, options: tuple[str, ...], told: str
) -> None:
    _write(tmp_path, {"pairs.tsv": text})
    assert f"corpusdb: {told}\n" in run("import", "pairs.tsv", *options).stderr


def test_rejected_lines_beyond_the_tenth_are_counted(run: Run, tmp_path: Path) -> None:
    _write(tmp_path, {"gaps.tsv": "Hello.\tBonjour.\n" + "Bye.\t\n" * 15})
    result = run("import", "gaps.tsv", "--lang", "en,fr")
    assert result.stderr.count("left out: gaps.tsv:") == 10
    assert "left out: 5 more lines" in result.stderr
    _write(tmp_path, {"none.tsv": "Bye.\t\n" * 15})
    told = "none.tsv: holds no aligned text: 15 lines rejected, the first, 1, as empty text in column 2 (fra)"
    assert told in run("import", "none.tsv", "--lang", "en,fr").stderr


def test_several_tables_are_documents_of_one_collection(run: Run, tmp_path: Path) -> None:
    _write(tmp_path, {"one.tsv": "One.\tUn.\n", "two.tsv": "Two.\tDeux.\n", "three.txt": "Three.\tTrois.\n"})
    assert run("import", "one.tsv", "two.tsv", "three.txt", "--lang", "eng,fra").exit_code == 0
    assert _collections(run) == [{"name": "one", "documents": 3, "lines": 3, "licence": None, "sections": 0}]
    assert run("import", "one.tsv", "two.tsv", "--format", "tsv", "--lang", "eng,fra", "--name", "both").exit_code == 0
    assert _collections(run)[1]["name"] == "both"


def test_a_bad_file_among_several_leaves_no_database(run: Run, tmp_path: Path) -> None:
    _write(tmp_path, {"one.tsv": "One.\tUn.\n", "two.tsv": "Two.\tDeux.\nThree.\n"})
    result = run("import", "one.tsv", "two.tsv", "--lang", "eng,fra")
    assert result.exit_code == 3
    assert "two.tsv:2:" in result.stderr
    assert not (tmp_path / "corpus.db").exists()


def test_parallel_files_are_one_source(run: Run, tmp_path: Path) -> None:
    (tmp_path / "news.en.gz").write_bytes(gzip.compress(b"One.\nTwo.\n", mtime=0))
    _write(tmp_path, {"news.fr": "Un.\nDeux.\n"})
    report = json.loads(run("import", "news.en.gz", "news.fr", "--lang", "en,fr", "--json").stdout)
    assert (report["collection"], report["translations"]) == ("news", 2)


def test_a_tatoeba_export_is_not_taken_for_tables(run: Run, tmp_path: Path) -> None:
    _write(
        tmp_path,
        {"sentences.tsv": "1\teng\tOne.\n2\tfra\tUn.\n", "links.tsv": "1\t2\n2\t1\n", "links2.tsv": "1\t2\n"},
    )
    assert run("import", "sentences.tsv", "links.tsv", "links2.tsv", "--lang", "eng,fra").exit_code == 2
    report = json.loads(run("import", "sentences.tsv", "links.tsv", "--lang", "eng,fra", "--json").stdout)
    assert report["translations"] == 1


@pytest.mark.parametrize("columns", ["3,1", "french,english"])
def test_columns_by_number_or_name(columns: str, run: Run, tmp_path: Path) -> None:
    _write(tmp_path, {"table.tsv": "english\tid\tfrench\nOne.\t1\tUn.\n"})
    assert run("import", "table.tsv", "--lang", "fra,eng", "--columns", columns, "--header", "yes").exit_code == 0
    rows = run("sql", "select language, text from sentence order by 1", "--json").stdout
    assert json.loads(rows)["rows"] == [["eng", "One."], ["fra", "Un."]]


def test_standard_input_is_a_file(run: Run) -> None:
    report = json.loads(run("import", "-", "--lang", "eng,fra", "--json", stdin="One.\tUn.\n").stdout)
    assert (report["collection"], report["read"]) == ("stdin", 1)


MORE = """\
Can I have a twin?\tUne chambre à deux lits, s'il vous plaît.
"""


def test_what_was_derived_follows_an_import_unless_told_not_to(run: Run, generated: Path, tmp_path: Path) -> None:
    _write(tmp_path, {"more.tsv": MORE})

    def states() -> set[str]:
        languages = json.loads(run("info", "--json").stdout)["languages"]
        return {layer["state"] for language in languages for layer in language["layers"]}

    before = json.loads(run("paraphrases", "A slice of pizza, please.", "-N", "0", "--json").stdout)
    assert [each["frequency"] for each in before] == [1]
    assert run("import", "more.tsv", "--lang", "eng,fra", "--no-follow").exit_code == 0
    assert "behind" in states()
    assert run("import", "more.tsv", "--lang", "eng,fra").exit_code == 0  # nothing to read, but something to follow
    assert states() == {"up to date"}
    after = json.loads(run("paraphrases", "A slice of pizza, please.", "-N", "0", "--json").stdout)
    assert [(each["text"], each["frequency"]) for each in after] == [("Can I have a slice of pizza?", 2)]


def test_info_shows_collections_languages_and_runs(run: Run, generated: Path, tmp_path: Path) -> None:
    rows = (tmp_path / "paper.tsv").read_text(encoding="utf-8").splitlines()[1:]
    characters = sum(len(row.split("\t")[0]) for row in rows)
    result = run("info")
    assert result.exit_code == 0
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    assert ["paper", "1", "0", "7", ""] in lines
    assert [
        "eng",
        "7",
        str(characters),
        "7",
        "7",
        "paraphrase, ngram, commutation, candidate, validity, rewording: up to date",
    ] in lines
    assert {"import", "detect", "index", "generate"} <= {line[1] for line in lines if len(line) == 5}
    assert "sizes" in json.loads(run("info", "--json").stdout)
    assert any(
        line[0] == "sentence" for line in (row.split("\t") for row in run("info", "--sizes").stdout.splitlines())
    )


def test_collections_are_cited(run: Run, tmp_path: Path) -> None:
    for name in ("a_1.tsv", "b.tsv"):
        (tmp_path / name).write_text(f"{name}\tun\ntwo\tdeux\n", encoding="utf-8")
    asked = ("--lang", "eng,fra", "--header", "no", "--name", "a & b", "--licence", "CC BY {4}")
    assert run("import", "a_1.tsv", "b.tsv", *asked).exit_code == 0
    files = json.loads(run("info", "--cite", "--json").stdout)
    assert [(each["name"], each["units"], each["languages"]) for each in files] == [
        ("a_1.tsv", 2, ["eng", "fra"]),
        ("b.tsv", 2, ["eng", "fra"]),
    ]
    stored = run("sql", "select digest from document order by id", "--quiet").stdout.split()
    assert [each["digest"] for each in files] == stored[1:]
    told, first, title, published, note, year, last = run("info", "--cite").stdout.splitlines()
    assert told.startswith(
        f"a & b: 4 units in eng, fra. Files, with SHA-256 as read: a_1.tsv ({files[0]['digest'][:16]}), "
    )
    assert (first, title, last) == ("@misc{a-b,", r"  title = {{a \& b}},", "}")
    assert r"a\_1.tsv (" + files[0]["digest"][:16] in published and year == f"  year = {{{files[0]['imported'][:4]}}},"
    assert r"4 units in eng, fra; licence CC BY \{4\}; imported " in note
    assert run("info", "--cite", "--sizes").exit_code == 2
    assert run("export", "-o", "out.jsonl").exit_code == 0
    lines = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["licence"] for line in lines] == ["CC BY {4}"] * 4


def test_what_it_takes_is_said_where_it_is_worth_it(
    run: Run, corpus: Path, generated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = corpus.with_name("more.tsv")
    more.write_text("".join(f"I see {number}.\tJe vois {number}.\n" for number in range(30)), encoding="utf-8")
    calls = (["import", "more.tsv", "--lang", "eng,fra", "--no-follow"], ["generate", "--lang", "eng"])
    assert not any(" of memory, " in run(*call).stderr for call in calls), "it is done in a moment"
    monkeypatch.setattr("corpusdb.chain.queries.foreseen._WORTH_SAYING", 0)
    for call, after in (
        (["--db", "new.db", *calls[0]], "a file of "),
        (calls[0], "the file grows to "),
        (["generate", "--lang", "fra"], "the file grows to "),
    ):
        silent = [run(option, *call).stderr for option in ("--quiet", "--json")] if call is calls[0] else []
        assert not any(" of memory, " in told for told in silent)
        told = run(*call).stderr.splitlines()[0]
        assert told.startswith("corpusdb: about ")
        assert f" of memory, {after}" in told


def test_a_disk_without_room_is_a_warning(run: Run, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=500))
    call = ["import", "paper.tsv", "--lang", "eng,fra", "--db", "new.db"]
    warning = "corpusdb: warning: the disk has 0.5 kB left, and this takes about "
    assert run(*call).stderr.startswith(warning)
    result = run(*call, "--json")
    assert result.stderr.startswith(warning)
    assert result.exit_code == 0
    assert not run("--quiet", *call).stderr
    assert run("generate", "--lang", "eng").stderr.startswith(warning)
    assert warning not in run("generate", "--lang", "eng").stderr, "there is nothing left to do"


WMT = """<dataset id="s"><doc id="d" origlang="en">
<src lang="en"><seg id="1">Hello.</seg></src>
<ref lang="fr" translator="A"><seg id="1">Bonjour.</seg></ref>
<hyp lang="fr" system="X"><seg id="1">Allo.</seg></hyp>
</doc></dataset>
"""
FILES = {
    "named.tsv": "id\teng\tfra\n1\tHello.\tBonjour.\n",
    "sheet.csv": 'french,english\nBonjour.,"Hello."\n',
    "more.csv": "french;english\nSalut.;Hi.\n",
    "units.jsonl": '{"en": "Hello.", "fr": ["Bonjour.", "Salut."]}\n',
    "set.xml": WMT,
}


@pytest.mark.parametrize(
    ("arguments", "read", "sentences"),
    [
        (["named.tsv"], 1, 2),
        (["sheet.csv", "more.csv", "--lang", "eng,fra"], 2, 4),
        (["sheet.csv"], 1, 2),
        (["units.jsonl"], 1, 3),
        (["units.jsonl", "--lang", "fra,eng"], 1, 3),
        (["set.xml"], 1, 2),
        (["set.xml", "--systems"], 1, 3),
    ],
)
def test_files_are_imported(run: Run, tmp_path: Path, arguments: list[str], read: int, sentences: int) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    result = run("import", *arguments, "--json")

    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    assert (report["read"], report["sentences"]) == (read, sentences)


def test_a_table_that_does_not_name_its_languages_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("Hello.\tBonjour.\n", encoding="utf-8")
    result = run("import", "pairs.tsv")

    assert result.exit_code == 2
    assert "needs its languages" in result.stderr


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("eng\tfra\tnote\nHello.\tBonjour.\tx\n", "column 3 (note) cannot be taken, since no language is named so"),
        ("eng\tfra\tnote\nHello.\tBonjour.\tx\n", "--lang eng,fra reads the other columns; --columns with --lang"),
        ("eng\tmood\tfra\twho\nHi.\t1\tSalut.\tx\n", "columns 2 (mood), 4 (who) cannot be taken"),
        ("en\tfr\nHello.\tBonjour.\n", "(en, fr) is a header is not told: --header yes, or --lang eng,fra"),
        (
            "no\teng\tfra\n1\tHello.\tBonjour.\n",
            "1 (no) cannot be taken, since no language is named so, unless no is Norwegian: --lang eng,fra reads",
        ),
    ],
)
def test_a_column_that_no_language_is_named_after_is_told(run: Run, tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "pairs.tsv").write_text(text, encoding="utf-8")
    result = run("import", "pairs.tsv")

    assert result.exit_code == 2
    assert told in result.stderr


def test_chosen_columns_that_name_languages_tell_them(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("eng\tnote\tfra\nHello.\tx\tBonjour.\n", encoding="utf-8")
    result = run("import", "pairs.tsv", "--columns", "fra,eng")

    assert result.exit_code == 0, result.stderr
    assert "fra from fra (column 3), eng from eng (column 1)" in result.stderr


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("p.en", "p.fr"), "eng from p.en, fra from p.fr"),
        (("p.fra_Latn", "p.eng_Latn"), "fra from p.fra_Latn, eng from p.eng_Latn"),
        (("p.ja.txt", "p.english"), "jpn from p.ja.txt, eng from p.english"),
        (("p.en", "q.en"), "p.en and q.en are both eng by their names; give --lang"),
        (("p.en", "p.other"), "the name of p.other does not end in a language"),
        (("p", "q.fr"), "the name of p does not end in a language"),
    ],
)
def test_parallel_files_tell_their_languages_by_their_names(
    run: Run, tmp_path: Path, names: tuple[str, ...], told: str
) -> None:
    for name in names:
        (tmp_path / name).write_text("One.\nTwo.\n", encoding="utf-8")
    result = run("import", *names)

    assert result.exit_code == (0 if " from " in told else 2), result.stderr
    assert told in result.stderr


# `import --skip-bad N`: so many bad lines are skipped, told and kept in the run; with one more nothing is imported.


_TMX = """<tmx version="1.4"><header/><body>
<tu><tuv xml:lang="en"><seg>Hello.</seg></tuv><tuv xml:lang="fr"><seg>Bonjour.</seg></tuv></tu>
<tu><tuv xml:lang="no such"><seg>Bad.</seg></tuv><tuv xml:lang="fr"><seg>Mal.</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>Yes.</seg></tuv><tuv xml:lang="fr"><seg>Oui.</seg></tuv></tu>
</body></tmx>
"""
_WORD = "\t_" * 8
BAD_LINES_FILES = {
    "ragged.tsv": b"Hello.\tBonjour.\nragged\nb\xe9d\tmal\nYes.\tOui.\nNUL\0\tNUL\n",
    "long.tsv": b"Hello.\tBonjour.\n" + b"x" * (3 << 20) + b"\tlong\nYes.\tOui.\n",
    "ragged.csv": b"eng,fra\nHello.,Bonjour.\nragged\nYes.,Oui.\n",
    "units.jsonl": b'{"eng": "Hello.", "fra": "Bonjour."}\nno JSON\n{"eng": 3}\n{"eng": "Yes.", "fra": "Oui."}\n',
    "text.en": b"Hello.\nb\xe9d\nYes.\n",
    "text.fr": b"Bonjour.\nmal\nOui.\n",
    "sentences.csv": b"1\teng\tHello.\n2\tfra\tBonjour.\nx\teng\tBad.\n4\teng\n5\teng\tYes.\n6\tfra\tOui.\n",
    "links.csv": b"1\t2\n2\t1\nfoo\t5\n7\n5\t6\n",
    "units.tmx": _TMX.encode(),
    "tokens.vert": b"<s>\nHello\tUH\n</s>\n<s>\nbad\nof\tit\n</s>\n<s>\nYes\tUH\n</s>\n",
    "tokens.conllu": f"1\tHello{_WORD}\n\n1\tbad\n2\tof it\n\n1\tYes{_WORD}\n".encode(),
}


def _bad_lines_write(folder: Path) -> None:
    for name, content in BAD_LINES_FILES.items():
        (folder / name).write_bytes(content)


@pytest.mark.parametrize(
    ("arguments", "read", "skipped"),
    [
        (["ragged.tsv", "--lang", "eng,fra"], 2, ["ragged.tsv:2", "ragged.tsv:3", "ragged.tsv:5"]),
        (["long.tsv", "--lang", "eng,fra"], 2, ["long.tsv:2"]),
        (["ragged.csv"], 2, ["ragged.csv:3"]),
        (["units.jsonl"], 2, ["units.jsonl:2", "units.jsonl:3"]),
        (["text.en", "text.fr", "--lang", "eng,fra"], 2, ["text.en:2"]),
        (
            ["sentences.csv", "links.csv"],
            2,
            ["sentences.csv:3", "sentences.csv:4", "links.csv:3", "links.csv:4"],
        ),
        (["units.tmx"], 2, ["units.tmx:3"]),
        (["tokens.vert", "--lang", "eng", "--attributes", "word,pos"], 2, ["tokens.vert:5"]),
        (["tokens.conllu", "--lang", "eng"], 2, ["tokens.conllu:3"]),
        (["units.jsonl", "more.jsonl"], 4, ["units.jsonl:2", "units.jsonl:3", "more.jsonl:2", "more.jsonl:3"]),
    ],
)
def test_bad_lines_are_skipped_and_told_up_to_a_number(
    run: Run, tmp_path: Path, arguments: list[str], read: int, skipped: list[str]
) -> None:
    _bad_lines_write(tmp_path)
    (tmp_path / "more.jsonl").write_bytes(BAD_LINES_FILES["units.jsonl"] + b"\n")
    refused = run("import", *arguments)
    one_less = run("import", *arguments, "--skip-bad", str(len(skipped) - 1))
    assert (refused.exit_code, one_less.exit_code) == (3, 3)
    assert one_less.stderr.count(skipped[-1]) == 1
    assert not (tmp_path / "corpus.db").exists()

    result = run("import", *arguments, "--skip-bad", str(len(skipped)), "--json")
    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["read"] == read
    assert report["rejected"] - len(report["first_rejected"]) == len(skipped)
    assert [f"{file}:{line}" for file, line, _ in report["skipped"]] == skipped
    for file, line, reason in report["skipped"]:
        assert f"skipped: {file}:{line}: {reason}" in result.stderr.replace("\n", " ")
    runs = run("sql", "select parameters from run where operation = 'import' order by id", "--json")
    kept = [line for (told,) in json.loads(runs.stdout)["rows"] for line in json.loads(told).get("skipped", [])]
    assert kept == report["skipped"]


def test_more_than_may_be_skipped_leaves_the_database_as_it_was(run: Run, tmp_path: Path) -> None:
    _bad_lines_write(tmp_path)
    (tmp_path / "good.tsv").write_text("No.\tNon.\n", encoding="utf-8")
    assert run("import", "good.tsv", "--lang", "eng,fra").exit_code == 0
    before = run("sql", "select * from run", "--json").stdout
    refused = run("import", "good.tsv", "ragged.tsv", "--lang", "eng,fra", "--name", "other", "--skip-bad", "2")

    assert refused.exit_code == 3
    assert "ragged.tsv:5: NUL byte" in refused.stderr
    assert run("sql", "select * from run", "--json").stdout == before


def test_a_file_is_the_same_however_many_of_its_lines_may_be_bad(run: Run, tmp_path: Path) -> None:
    _bad_lines_write(tmp_path)
    for allowed in ("3", "7"):
        again = run("import", "ragged.tsv", "--lang", "eng,fra", "--skip-bad", allowed)
        assert again.exit_code == 0
    assert "was imported before" in again.stderr
    assert "skipped: ragged.tsv:2" in again.stderr


@pytest.mark.parametrize(
    ("files", "exit_code", "told"),
    [
        ({"set.xml": b"<dataset/>"}, 2, "wmt files are read whole or not at all"),
        ({"set.sgm": b"<srcset>"}, 2, "sgm files are read whole or not at all"),
        ({"cut.tmx": b'<tmx version="1.4"><body><tu>'}, 3, "cut off"),
        ({"a.en": b"Hello.\nYes.\n", "a.fr": b"Bonjour.\n"}, 3, "has no partner"),
        ({"first.tsv": b"b\xe9d\tmal\nYes.\tOui.\n"}, 3, "the first line cannot be skipped"),
        ({"a.csv": b'eng,fra\nHello.,"Bonjour.\n'}, 3, "cannot be read as CSV"),
        ({"a.eng.conllu": b"1\n", "a.fra.conllu": b"1\n"}, 2, "parallel treebanks"),
    ],
)
def test_what_is_no_fault_of_one_line_is_refused(
    run: Run, tmp_path: Path, files: dict[str, bytes], exit_code: int, told: str
) -> None:
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    result = run("import", *files, "--lang", "eng,fra", "--skip-bad", "9")

    assert result.exit_code == exit_code, result.stderr
    assert told in result.stderr.replace("\n", " ")
    assert not (tmp_path / "corpus.db").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--attributes", "speaker"), "--attributes is for tsv, csv, tmx, vert, not for jsonl files"),
        (("--columns", "2,1"), "--columns is for tsv, csv,"),
        (("--header", "no"), "--header is for tsv, csv,"),
        (("--systems",), "--systems is for wmt, sgm,"),
    ],
)
def test_what_a_format_does_not_ask_is_refused(run: Run, tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    (tmp_path / "pairs.jsonl").write_text('{"eng": "Hello.", "fra": "Bonjour."}\n')
    result = run("import", "pairs.jsonl", "--lang", "eng,fra", *words)
    assert (result.exit_code, told in result.stderr) == (2, True), result.stderr


# Annotated texts from the command line: imported, searched, counted and exported; and what is refused.


WORDS = """\
# sent_id = 1
# text = He goes home.
# text_fr = Il rentre.
1	He	he	PRON	PRP	_	2	nsubj	_	_
2	goes	go	VERB	VBZ	_	0	root	_	_
3	home	home	ADV	RB	_	2	advmod	_	SpaceAfter=No
4	.	.	PUNCT	.	_	2	punct	_	_

# sent_id = 2
# text = No-go!
1	No	no	DET	DT	_	3	det	_	SpaceAfter=No
2	-	-	PUNCT	HYPH	_	3	punct	_	SpaceAfter=No
3	go	go	NOUN	NN	_	0	root	_	SpaceAfter=No
4	!	!	PUNCT	.	_	3	punct	_	_

"""
VERTICAL = "<doc id='d'>\n<s>\nShe\tPRP\tshe\nwent\tVBD\tgo\n</s>\n</doc>\n"


@pytest.fixture
def words(tmp_path: Path) -> Path:
    (tmp_path / "words.conllu").write_text(WORDS)
    (tmp_path / "words.vert").write_text(VERTICAL)
    return tmp_path


def lines(result: Result) -> list[str]:
    return result.stdout.splitlines()


def test_imported_searched_counted_and_exported(run: Run, words: Path) -> None:
    report = json.loads(run("import", "words.conllu", "--lang", "eng,fra", "--json").stdout)
    assert (report["read"], report["sentences"], report["translations"], report["annotated"]) == (2, 3, 1, 2)
    arguments = ("import", "words.vert", "--lang", "eng", "--attributes", "word,xpos,lemma", "--json")
    assert json.loads(run(*arguments).stdout)["annotated"] == 1
    found = run("search", '[lemma="go" & pos="V.*"]', "--cqp", "--kwic", "--lang", "eng")
    assert lines(found)[1:] == ["1\t1\teng\tHe \tgoes\t home."]
    assert "corpusdb: 2 of 3 eng sentences have upos" in found.stderr
    assert lines(run("search", '[lemma="go" & tag="V.*"]', "--cqp", "--kwic", "--lang", "eng"))[1:] == [
        "1\t1\teng\tHe \tgoes\t home.",
        "2\t4\teng\tShe \twent\t",
    ]
    counted = run("frequencies", "--lang", "eng", "--attribute", "lemma", "-n", "1")
    assert lines(counted)[1].split("\t")[:2] == ["go", "3"]
    near = run("collocates", "go", "--lang", "eng", "--attribute", "lemma", "--window", "1", "--least", "1")
    assert {line.split("\t")[0] for line in lines(near)[1:]} == {"he", "home", "-", "!", "she"}
    # Sentences without lemmas cannot have the node, and stand in no figure.
    (words / "more.tsv").write_text("They stay home.\tIls restent.\n")
    run("import", "more.tsv", "--lang", "eng,fra", "--header", "no")
    plain = ("--cqp", "--lang", "eng", "--least", "1")
    asked = run("collocates", '[lemma="go"]', *plain)
    assert "3 of 4 eng sentences have lemma; the others are left out" in asked.stderr
    home = next(line.split("\t") for line in lines(asked) if line.startswith("home\t"))
    assert home[1:3] == ["1", "1"]
    assert "have lemma" not in run("collocates", '[lemma="go"]', *plain, "--collection", "words").stderr
    assert run("export", "-o", "-", "--format", "conllu", "--lang", "eng", "--collection", "words").stdout.startswith(
        WORDS
    )
    annotated = json.loads(run("info", "--json").stdout)["annotations"]
    names = ["lemma", "upos", "xpos", "head", "deprel", "misc"]
    assert annotated == [{"language": "eng", "source": "import", "sentences": 3, "attributes": names}]
    assert lines(run("check", "--full")) == ["ok"]


def test_what_is_said_of_two_taggings_gives_the_second(run: Run, tmp_path: Path) -> None:
    for name, lemma in (("one", "fly"), ("two", "flies")):
        (tmp_path / f"{name}.vert").write_text(f"<s>\nTime\ttime\t\nflies\t{lemma}\t{name}\n</s>\n", encoding="utf-8")
    call = ("--lang", "eng", "--attributes", "word,lemma,lemma2")
    run("import", "one.vert", *call)
    told = run("import", "two.vert", *call).stderr
    assert "`corpusdb annotate --replace --file FILE --lang LANG` puts that of a file" in told
    query = ("search", "--cqp", '[lemma="flies" & lemma2="two"]', "--lang", "eng")
    run("remove", "one")
    assert len(lines(run(*query))) == 1, "the header alone"
    run("remove", "two")
    run("import", "two.vert", *call)
    assert len(lines(run(*query))) == 2


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("import", "words.vert", "--lang", "eng"), 3, "words.vert:3: 3 columns; say what they are"),
        (("import", "words.vert", "--lang", "eng", "--attributes", "word,pos"), 3, "words.vert:3: 3 columns, and the"),
        (("import", "words.vert", "--lang", "eng", "--attributes", "pos,word"), 2, "the first column"),
        (("import", "words.conllu"), 2, "do not name their language; give it with --lang"),
        (("import", "bad.conllu", "--lang", "eng"), 3, "bad.conllu:14: word 5 is where 4 is next"),
    ],
)
def test_nothing_is_stored_of_what_is_refused(
    run: Run, words: Path, arguments: tuple[str, ...], code: int, told: str
) -> None:
    (words / "bad.conllu").write_text(WORDS.replace("4\t!", "5\t!"))
    result = run(*arguments)
    assert (result.exit_code, told in result.stderr) == (code, True), result.stderr
    assert not list(words.glob("*.db"))


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("search", '[tone="x"]', "--cqp"), 2, "no attribute tone; there are word, lemma, upos, xpos, head, deprel"),
        (("frequencies", "--lang", "eng", "--attribute", "tone"), 3, "no attribute tone; there are word, lemma"),
        (("frequencies", "--lang", "eng", "--attribute", "lemma", "--unit", "char"), 2, "a character has no lemma"),
        (("export", "-o", "x.conllu"), 2, "a CoNLL-U file has one language, not all"),
        (("export", "-o", "x.conllu", "--by-sentence", "eng"), 2, "--by-sentence gives translations"),
        (("annotate", "--lang", "eng"), 2, "there is no analyser for eng, only for jpn"),
    ],
)
def test_what_makes_no_sense(run: Run, words: Path, arguments: tuple[str, ...], code: int, told: str) -> None:
    run("import", "words.conllu", "--lang", "eng,fra")
    result = run(*arguments)
    assert (result.exit_code, told in result.stderr) == (code, True), result.stderr


def test_japanese_becomes_words(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("sudachipy")
    (tmp_path / "ja.tsv").write_text("I go to school.\t学校へ行く。\n")
    run("import", "ja.tsv", "--lang", "eng,jpn")
    before = run("frequencies", "--lang", "jpn")
    assert "校" in before.stdout.split()
    assert "Japanese is searched by characters" in before.stderr
    report = json.loads(run("annotate", "--json").stdout)
    assert (report["sentences"], report["tokens"]) == (1, 4)
    assert "学校" in run("frequencies", "--lang", "jpn").stdout.split()
    assert lines(run("search", '[lemma="行く"]', "--cqp", "--kwic", "--lang", "jpn"))[1:] == [
        "1\t2\tjpn\t学校へ\t行く\t。"
    ]
