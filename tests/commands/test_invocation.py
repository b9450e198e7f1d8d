"""What a command is called with: its database, and texts as files or as --text."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import unicodedata
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from unittest.mock import Mock

import pytest
from calls import Run
from corpora import CHARACTERS
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.cells import cell_width
from corpusdb.base.display import Best, Cell, Format, write_rows
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.options import options_from_json, options_to_json
from corpusdb.base.outputs import NEW_ONLY, Guard
from corpusdb.commands import invocation as module
from corpusdb.commands.invocation import (
    Invocation,
    sentence_of,
    stdout_in,
    texts_of,
    write_json,
    write_line,
    write_table,
)
from corpusdb.paraphrase.commands import ParaphrasesOptions


@pytest.mark.parametrize(
    ("json", "format", "terminal", "expected"),
    [
        (False, None, True, "table"),
        (False, None, False, "tsv"),
        (False, "csv", True, "csv"),
        (True, None, True, "json"),
        (False, "json", True, "json"),
        (True, "json", False, "json"),
    ],
)
def test_the_format_of_rows(
    json: bool, format: Format | None, terminal: bool, expected: Format, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "is_terminal", lambda: terminal)
    invocation = Invocation().with_options(db=None, quiet=False, json=json, format=format)
    assert (invocation.format, invocation.json) == (expected, expected == "json")


def test_two_formats_contradict_each_other() -> None:
    with pytest.raises(UsageError, match="--json and --format csv"):
        Invocation().with_options(db=None, quiet=False, json=True, format="csv")


def test_what_is_said_behind_the_command_comes_before_what_was_said_in_front() -> None:
    invocation = Invocation(chosen=Path("a.db"), quiet=True)
    assert invocation.with_options(db=None, quiet=False).path == Path("a.db")
    assert invocation.with_options(db=Path("b.db"), quiet=False).path == Path("b.db")
    assert invocation.with_options(db=None, quiet=False).quiet


@pytest.mark.parametrize("stdin", [True, False])
@pytest.mark.parametrize("stdout", [True, False])
@pytest.mark.parametrize(("quiet", "json"), [(False, False), (True, False), (False, True)])
def test_a_person_sits_where_both_ends_are_a_terminal(
    stdin: bool, stdout: bool, quiet: bool, json: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "is_terminal", lambda: stdout)
    monkeypatch.setattr("sys.stdin", Mock(isatty=lambda: stdin))
    invocation = Invocation().with_options(db=None, quiet=quiet, json=json)
    assert invocation.attended == (stdin and stdout and not quiet and not json)


SEED = "A slice of pizza, please."


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.fr").write_text("un\ndeux\n", encoding="utf-8")
    (tmp_path / "one").write_text("seul\n", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("given", "as_text", "texts"),
    [
        (["two.fr"], False, ["un", "deux"]),
        (["@two.fr", "x y", "one"], False, ["un", "deux", "x y", "seul"]),
        (["./one", "folder", "@", "", "a" * 5000, "a\0b"], False, ["seul", "folder", "@", "", "a" * 5000, "a\0b"]),
        (["two.fr", "@two.fr", "-"], True, ["two.fr", "@two.fr", "-"]),
    ],
)
def test_texts(given: list[str], as_text: bool, texts: list[str], folder: Path) -> None:
    assert texts_of(Invocation(), given, as_text=as_text) == texts


def test_what_is_called_like_a_file_is_remarked_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert texts_of(Invocation(), ["none.fr", "U.S.", "No."]) == ["none.fr", "U.S.", "No."]
    assert capsys.readouterr().err == "corpusdb: there is no file none.fr: taken as a sentence\n"
    with pytest.raises(InputError, match="no such file"):
        texts_of(Invocation(), ["@none.fr"])


def test_where_one_sentence_is_wanted(folder: Path) -> None:
    assert sentence_of(Invocation(), "one") == "seul"
    assert sentence_of(Invocation(), "two.fr", as_text=True) == "two.fr"
    with pytest.raises(UsageError, match=r"the file two\.fr has 2 lines; use --text if it is a sentence"):
        sentence_of(Invocation(), "two.fr")


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("paraphrases", "{}", "-N", "0"),
        ("explain", "{}", "Can I have a slice of pizza?"),
        ("explain", SEED, "{}"),
        ("generate", "--lang", "eng", "--seed", "{}"),
        ("references", "{}", "-o", "out", "-N", "0", "--overwrite"),
        ("accept", "{}", "Can I have a slice of pizza?"),
    ],
)
def test_every_command_takes_a_file_for_its_text(command: tuple[str, ...], run: Run, generated: Path) -> None:
    text = "Can I have a slice of pizza?" if command[:2] == ("explain", SEED) else SEED
    Path("s").write_text(f"{text}\n", encoding="utf-8")
    spoken = run(*(part.format(text) for part in command))
    as_file = run(*(part.format("s") for part in command))
    assert (spoken.exit_code, as_file.exit_code) == (0, 0)
    # Two commands also tell the seconds that they took, and the second call finds done what the first did.
    shown = slice(0, 1) if command[0] in ("accept", "generate") else slice(None)
    assert as_file.stdout.splitlines()[shown] == spoken.stdout.splitlines()[shown] != []


def test_text_is_no_file(run: Run, generated: Path) -> None:
    Path("s").write_text(f"{SEED}\n", encoding="utf-8")
    assert run("references", "s", "-o", "out", "--lang", "eng", "-N", "0", "--json").exit_code == 0
    nothing = run("references", "--text", "s", "-o", "new", "--lang", "eng", "-N", "0")
    assert (nothing.exit_code, nothing.stdout) == (1, "")
    assert "0 of 1 source have a reference" in nothing.stderr
    assert not Path("new").exists()


def test_seeds_of_sessions(run: Run, generated: Path) -> None:
    Path("s").write_text(f"{SEED}\n", encoding="utf-8")
    assert run("session", "new", "work", "--lang", "eng", "--text", "A beer, please.").exit_code == 0
    assert run("session", "add", "work", "s").stdout.startswith(f"{SEED}\n")
    assert run("session", "add", "work", "--text", "s").stdout.startswith("s\n")


def test_perplexity(run: Run, generated: Path) -> None:
    Path("s").write_text(f"{SEED}\n{SEED}\n", encoding="utf-8")
    Path("words").write_text(f"{SEED}\n" * 20, encoding="utf-8")
    assert run("model", "train", "m", "words", "--lang", "eng", "--order", "2").exit_code == 0

    def lines(*text: str) -> list[str]:
        result = run("perplexity", *text, "--model", "m", "--json", "--each")
        return [each["text"] for each in json.loads(result.stdout)["lines"]]

    assert lines("s") == lines("@s") == [SEED, SEED]
    assert lines("--text", "s") == ["s"]


def test_a_query_that_was_kept_before_there_was_the_option() -> None:
    document = options_to_json(ParaphrasesOptions(text="x"))
    assert document.pop("as_text") is False
    assert options_from_json(ParaphrasesOptions, document) == ParaphrasesOptions(text="x")


# Data on stdout, and the formats of rows, each read back by a reader that was not written here.


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("", 0),
        ("abc", 3),
        ("学校へ", 6),
        ("e\u0301", 1),
        ("ｱ", 1),
        ("\uff21", 2),
        ("한국", 4),
    ],  # East Asian Width, UAX 11
)
def test_width_is_in_terminal_cells(text: str, cells: int) -> None:
    assert cell_width(text) == cells


def test_an_aligned_table_counts_cells_and_puts_numbers_right(capsys: pytest.CaptureFixture[str]) -> None:
    write_table(("n", "text", "p"), [(1234, "部屋", 0.5), (5, "room", None)], aligned=True)
    assert capsys.readouterr().out == "    n  text    p\n1,234  部屋  0.5\n    5  room    -\n"


def test_a_redirected_table_is_tab_separated(capsys: pytest.CaptureFixture[str]) -> None:
    write_table(("n", "text", "x"), [(1234, "a\tb\nc", None), (5, "back\\slash", b"\x01\xff")])
    assert capsys.readouterr().out == "n\ttext\tx\n1234\ta\\tb\\nc\t\n5\tback\\slash\t01ff\n"


def test_a_table_without_rows_still_names_its_columns(capsys: pytest.CaptureFixture[str]) -> None:
    write_table(("a", "b"), [], aligned=True)
    assert capsys.readouterr().out == "a  b\n"


def test_a_table_without_names_of_columns_is_its_rows(capsys: pytest.CaptureFixture[str]) -> None:
    write_table((), [("one", 1), ("three", "3 or 4")], aligned=True)
    assert capsys.readouterr().out == "one    1\nthree  3 or 4\n"


@given(st.lists(st.tuples(st.text(CHARACTERS), st.integers()), min_size=1))
def test_every_row_is_one_line_of_equal_width(rows: list[tuple[str, int]]) -> None:
    stdout = StringIO()
    with redirect_stdout(stdout):
        write_table(("text", "number"), rows, aligned=True)
    lines = stdout.getvalue().removesuffix("\n").split("\n")
    assert len(lines) == len(rows) + 1
    assert not any(unicodedata.category(char) == "Cc" for line in lines for char in line)
    assert len({cell_width(line) for line in lines[1:]}) == 1  # the numbers end in the same column


@dataclass(frozen=True)
class _Report:
    text: str
    count: int | None


def test_json_keeps_characters_and_takes_dataclasses_and_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    write_json([_Report("読む", None), b"\xff"])
    out = capsys.readouterr().out
    assert "読む" in out
    assert json.loads(out) == [{"text": "読む", "count": None}, "ff"]


def test_what_json_cannot_hold_is_an_error() -> None:
    with pytest.raises(TypeError, match="set is not JSON"):
        write_json({1, 2})


def test_control_characters_stay_where_stdout_is_redirected(capsys: pytest.CaptureFixture[str]) -> None:
    write_line("red: \x1b[31m")
    assert capsys.readouterr().out == "red: \x1b[31m\n"


def test_stdout_in_a_file_is_there_only_when_all_of_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("before")
    with pytest.raises(KeyError), stdout_in(file, Guard(overwrite=True)):
        write_line("half")
        raise KeyError
    assert file.read_text() == "before"
    with stdout_in(file, Guard(overwrite=True)):
        write_line("水\r")
        assert file.read_text() == "before"
    assert file.read_bytes() == "水\r\n".encode()
    assert list(tmp_path.iterdir()) == [file]
    assert capsys.readouterr().out == ""


def test_stdout_in_a_file_follows_links(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "file")
    (tmp_path / "file").write_text("before")
    with stdout_in(link, Guard(overwrite=True)):
        write_line("text")
    assert link.is_symlink()
    assert (tmp_path / "file").read_text() == "text\n"


def test_stdout_in_a_device_leaves_the_device(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with stdout_in(pipe, NEW_ONLY):
            write_line("text")
        assert os.read(reader, 100) == b"text\n"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


@pytest.mark.parametrize("file", [None, Path("-")])
def test_stdout_itself(file: Path | None, capsys: pytest.CaptureFixture[str]) -> None:
    with stdout_in(file, Guard(overwrite=True)):
        write_line("text")
    assert capsys.readouterr().out == "text\n"


def test_stdout_in_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"), stdout_in(tmp_path / "none" / "rows.csv", NEW_ONLY):
        pass


COLUMNS = ("text", "n", "note")
ROWS: tuple[tuple[Cell, ...], ...] = (('a|b, "c"\n*d*\\', 1234, None), ("水\tx", 0.5, b"\x00\xff"))

# By hand, from RFC 4180, RFC 8259, jsonlines.org and the tables of GitHub Flavored Markdown (0.29, section 4.10).
EXPECTED: dict[Format, str] = {
    "table": 'text                n  note\na|b, "c"\\n*d*\\  1,234  -\n水\\tx             0.5  (2 bytes)\n',
    "tsv": 'text\tn\tnote\na|b, "c"\\n*d*\\\t1234\t\n水\\tx\t0.5\t00ff\n',
    "csv": 'text,n,note\r\n"a|b, ""c""\n*d*\\",1234,\r\n水\tx,0.5,00ff\r\n',
    "jsonl": '{"text": "a|b, \\"c\\"\\n*d*\\\\", "n": 1234, "note": null}\n'
    '{"text": "水\\tx", "n": 0.5, "note": "00ff"}\n',
    "json": '[\n  {"text": "a|b, \\"c\\"\\n*d*\\\\", "n": 1234, "note": null},\n'
    '  {"text": "水\\tx", "n": 0.5, "note": "00ff"}\n]\n',
    "markdown": "| text | n | note |\n| --- | --- | --- |\n"
    '| a\\|b, "c"<br>\\*d\\*\\\\ | 1234 |  |\n| 水\tx | 0.5 | 00ff |\n',
    "latex": "\\begin{tabular}{lrl}\n\\toprule\ntext & n & note \\\\\n\\midrule\n"
    'a\\textbar{}b, "c" *d*\\textbackslash{} & 1,234 &  \\\\\n水 x & 0.5 & 00ff \\\\\n\\bottomrule\n\\end{tabular}\n'
    "% needs \\usepackage{booktabs}\n",
}


def test_latex_compiles_whatever_the_cells_hold() -> None:
    """A bracket or a star that begins a row is not taken for what belongs to the end of the row before (LaTeX2e, \\\\),
    and neither hyphens nor quotes are drawn together; numbers with marks stand right, and their marks take no room."""
    rows: list[tuple[Cell, ...]] = [("[x]", "-1.5**", "a--b"), ("*", "3", "``q''")]
    lines = written("latex", ("a & b", "n", "s"), rows).splitlines()
    assert lines[0] == r"\begin{tabular}{lrl}" and lines[2] == r"a \& b & n & s \\"
    small = written("latex", ("p_value", "n"), [(2.6e-13, 1), (0.0123, 12345)]).splitlines()
    assert small[0].endswith("{rr}")
    assert small[2:6:2] == [r"p value & n \\", r"$2.6 \cdot 10^{-13}$ & 1 \\"]
    assert small[5] == r"0.0123 & 12,345 \\"
    lines_of = written(
        "latex", ("line", "left", "match"), [(1234, "long " * 9, "word"), (1235, "", "word")]
    ).splitlines()
    assert lines_of[0] == r"\begin{tabular}{rp{0.8\linewidth}l}" and lines_of[4].startswith("1234 & long")
    assert lines[4:6] == [r"{}[x] & $-$1.5\rlap{$^{**}$} & a-{}-b \\", r"{}* & 3 & `{}`q'{}' \\"]


@pytest.mark.parametrize("name", ["k.xlsx", "k.ODS"])
def test_no_table_is_written_under_the_name_of_a_spreadsheet(run: Run, generated: Path, name: str) -> None:
    result = run("frequencies", "--lang", "eng", "-o", name)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "is written; spreadsheets read .csv and .tsv" in result.stderr and not Path(name).exists()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs LaTeX")
def test_latex_is_a_page_with_booktabs_alone(tmp_path: Path) -> None:
    rows: list[tuple[Cell, ...]] = [
        ("a_b & 50 %", Best("51.78 [50.1, -2]"), "+1.5**"),
        ("", "9.1 ± 0.2", "-0.1"),
    ]
    table = written("latex", ("system", "BLEU", "vs 1"), rows)
    assert r"\textbf{51.78 [50.1, $-$2]} & +1.5\rlap{$^{**}$}" in table and r"9.1 $\pm$ 0.2" in table
    page = f"\\documentclass{{article}}\n\\usepackage{{booktabs}}\n\\begin{{document}}\n{table}\\end{{document}}\n"
    (tmp_path / "t.tex").write_text(page, encoding="utf-8")
    call = ("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex")
    made = subprocess.run(call, cwd=tmp_path, capture_output=True, check=False)
    assert made.returncode == 0 and (tmp_path / "t.pdf").stat().st_size > 0, made.stdout.decode(errors="replace")


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def written(format: Format, columns: tuple[str, ...], rows: list[tuple[Cell, ...]]) -> str:
    stream = StringIO(newline="")
    write_rows(format, columns, iter(rows), stream)
    return stream.getvalue()


@pytest.mark.parametrize("format", EXPECTED)
def test_rows_in_each_format(format: Format) -> None:
    assert written(format, COLUMNS, list(ROWS)) == EXPECTED[format]


@pytest.mark.parametrize(
    ("format", "expected"),
    [
        ("table", "a  b\n"),
        ("tsv", "a\tb\n"),
        ("csv", "a,b\r\n"),
        ("jsonl", ""),
        ("json", "[]\n"),
        ("markdown", "| a | b |\n| --- | --- |\n"),
    ],
)
def test_no_row_at_all(format: Format, expected: str) -> None:
    assert written(format, ("a", "b"), []) == expected


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


@given(st.lists(st.tuples(TEXTS, st.integers()), min_size=1))
def test_csv_is_read_back(rows: list[tuple[Cell, ...]]) -> None:
    read = list(csv.reader(StringIO(written("csv", ("a", "b"), rows), newline="")))
    assert read == [["a", "b"], *([str(cell) for cell in row] for row in rows)]


@given(st.lists(st.tuples(TEXTS, st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False))))
def test_both_kinds_of_json_are_read_back(rows: list[tuple[Cell, ...]]) -> None:
    objects = [dict(zip(("a", "b"), row, strict=True)) for row in rows]
    assert json.loads(written("json", ("a", "b"), rows)) == objects
    lines = written("jsonl", ("a", "b"), rows).split("\n")
    assert [json.loads(line) for line in lines[:-1]] == objects


@given(st.lists(st.tuples(TEXTS, TEXTS)))
def test_a_row_of_markdown_is_a_line_of_as_many_cells(rows: list[tuple[Cell, ...]]) -> None:
    lines = written("markdown", ("a", "b"), rows).split("\n")
    assert len(lines) == len(rows) + 3
    # GFM: a bar ends a cell unless a backslash stands before it; an escaped backslash is none.
    assert all(len(re.findall(r"(?:[^\\|]|\\.)*\|", line)) == 3 for line in lines[:-1])


@pytest.mark.parametrize("format", ["json", "jsonl"])
def test_an_object_cannot_have_two_members_of_one_name(format: Format) -> None:
    with pytest.raises(UsageError, match="two columns are called 'a'"):
        written(format, ("a", "b", "a"), [(1, 2, 3)])


@pytest.mark.parametrize("format", EXPECTED)
def test_nothing_moves_the_cursor_of_a_terminal(format: Format) -> None:
    stream = Terminal(newline="")
    write_rows(format, ("text",), [("\x1b[31mred\x9b\r\n\x07",)], stream)
    assert not set(stream.getvalue().replace("\r\n", "\n")) & {"\x1b", "\x9b", "\r", "\x07"}


@pytest.mark.parametrize("format", ["tsv", "csv", "jsonl", "json", "markdown"])
def test_rows_are_written_as_they_come(format: Format) -> None:
    stream = StringIO(newline="")

    def rows() -> Iterator[tuple[Cell, ...]]:
        for number in range(3):
            if number:
                assert f"row {number - 1}" in stream.getvalue()
            yield (f"row {number}",)

    write_rows(format, ("text",), rows(), stream)


def test_a_name_is_one_in_nfc_and_nfd(run: Run, tmp_path: Path) -> None:
    """Files of some systems are called in NFD, and what people type is in NFC."""
    typed = "données"
    found = unicodedata.normalize("NFD", typed)
    (tmp_path / f"{found}.jsonl").write_text(
        json.dumps({"eng": "A cat.", "fra": "Un chat.", "document": found, "attributes": {"qui": found}}) + "\n",
        encoding="utf-8",
    )
    (tmp_path / f"{found}.txt").write_text("A cat.\n", encoding="utf-8")
    assert run("import", f"{found}.jsonl", "--lang", "eng,fra").exit_code == 0
    assert run("session", "new", found, "--lang", "eng", "--text", "A cat.").exit_code == 0
    for name in (typed, found):
        for where in (
            ("--collection", name),
            ("--document", f"{name}.jsonl"),
            ("--document", name),
            ("--where", f"qui={name}"),
        ):
            result = run("search", "cat", "--lang", "eng", *where)
            assert "A cat." in result.stdout, (where, result.stderr)
        again = run("session", "new", name, "--lang", "eng", "--text", "A dog.")
        assert (again.exit_code, "there is a session" in again.stderr) == (2, True)
        assert "A cat." in run("session", "show", name).stdout
    assert run("model", "train", found, f"{found}.txt", "--lang", "eng").exit_code == 0  # a file keeps its name
    assert run("perplexity", "A cat.", "--model", typed).exit_code == 0
    assert run("sql", f"select '{found}'").stdout.splitlines()[1] == found
    assert run("remove", found).exit_code == 0
