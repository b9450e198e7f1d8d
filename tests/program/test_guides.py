"""The guides: every topic fits a terminal of 80 columns, and `guide` and `man` show them."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import shlex
import shutil
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest
from calls import Run, write_files
from typer.testing import CliRunner

from corpusdb.commands.command import CommandGroup
from corpusdb.corpus.formats import FORMATS
from corpusdb.corpus.formats.columns import COLUMNS, DOCUMENT, ID
from corpusdb.guides import READ_FIRST, guide_text, guide_topics
from corpusdb.people.queries.samples import COLUMNS as SHEET_COLUMNS
from corpusdb.program.catalogue import COMMANDS, app

ROOT = Path(__file__).resolve().parents[2]
CALLS = re.findall(r"(?m)^ {6}(corpusdb .*)$", guide_text("sacrebleu"))
SAME_CALLS = re.findall(r"(?m)^ {6}(corpusdb .*)$", guide_text("sacrebleu").partition("Native syntax")[0])
"""Those that are the same there."""


def test_a_title_for_each_topic() -> None:
    assert guide_topics()["sharing"] == "One database, several people and several programs"
    assert all(guide_topics().values())


@pytest.mark.parametrize("topic", guide_topics())
def test_the_lines_fit(topic: str) -> None:
    assert all(len(line) <= 80 and line == line.rstrip() for line in guide_text(topic).split("\n"))


@pytest.mark.parametrize("topic", ["", "nothing", "../sharing", "sharing.txt", "__init__"])
def test_another_topic(topic: str) -> None:
    with pytest.raises(KeyError):
        guide_text(topic)


def test_contributors_are_sent_to_files_that_there_are() -> None:
    named = re.findall(r"(?:corpusdb|tui|schema|tests)/[\w./]*\w", guide_text("contributing"))
    assert len(named) > 10
    assert [each for each in named if not (ROOT / each).exists()] == []


def test_contributors_are_told_of_every_room() -> None:
    text = guide_text("contributing")
    rooms = {path.name for path in (ROOT / "corpusdb").iterdir() if (path / "__init__.py").exists()}
    assert {
        room for room in rooms - {"guides", "phrasebook", "stoppable"} if not re.search(rf"\b{room}\b", text)
    } == set()


def rows_of_commands() -> dict[str, tuple[Path, str, str]]:
    """The table of the guide, by command: the file of its words; and what stands under TABLES and VALUES."""
    table = guide_text("contributing").partition("    COMMAND ")[2].partition("\n\n")[0]
    rows: dict[str, tuple[Path, str, str]] = {}
    folder = names = ""
    for line in table.split("\n")[1:]:
        if heading := re.match(r"  (\w+)/", line):
            folder = heading[1]
            continue
        names = line[4:24].strip() or names
        file = "_".join(filter(None, [line[24:36].strip(" ="), "commands.py"]))
        for name in names.split(", "):
            _, tables, values = rows.get(name, (None, "", ""))
            cells = (f"{tables} {line[36:54]}".strip(), f"{values} {line[54:]}".strip())
            rows.setdefault(name, (ROOT / "corpusdb" / folder / file, *cells))
            rows[name] = (rows[name][0], *cells)
    return rows


def test_contributors_are_told_the_file_of_every_command() -> None:
    """The table is that of the catalogue, whose groups of commands may have rows for some of these, too."""
    rows = rows_of_commands()
    listed = [each for group in COMMANDS.values() for each in group]
    for each in listed:
        module = each.module.removeprefix("corpusdb.").replace(".", "/")
        told = {file for name, (file, *_) in rows.items() if name.partition(" ")[0] == each.name}
        if each.name != "study":  # of which only the single ones have rows
            assert ROOT / "corpusdb" / f"{module}.py" in told, each.name
    assert {file for file, *_ in rows.values() if not file.is_file()} == set()


def test_contributors_are_sent_to_modules_that_there_are() -> None:
    modules = {path.stem for path in (ROOT / "corpusdb").rglob("*.py")}
    for name, (_, tables, values) in rows_of_commands().items():
        named = [each.rpartition("/")[2] for each in re.findall(r"[a-z_/.]+", tables)]
        assert {each for each in named if each and not {each, f"{each}_report"} & {*modules, "guides"}} == set(), name
        queries = {each.rpartition("/")[2] for each in re.findall(r"[a-z_/.]*[a-z]_?[a-z_]+", values)}
        told = {"analogies", "of", "seed", "decisions", "check", "twins", "suggest", "list", "keys"}
        assert queries - modules - told == set(), name


PRINTED = (
    ("info", "occurrences", "chain/report.py"),
    ("import none.tsv --lang eng,fra", "no such file", "corpus/formats/reading.py"),
    ("import bad.tsv --lang eng,fra", "needed", "corpus/formats/tables.py"),
    ("detect --lang eng", "pairs, in both directions", "paraphrase/commands.py"),
    ("search water --kwic -n 2", "with this string", "search/report.py"),
    ("search water --kwic -n 2", "` shows all ", "commands/invocation.py"),
    ("search water", "the first column of the first import", "corpus/queries/meant_language.py"),
    ("search --regex a(", "the regular expression ", "search/matches.py"),
    ("search --cqp [word=", "but the query ends here", "search/cqp_scanner.py"),
    ("search --lang xyz a", "unknown language code ", "base/text.py"),
    ("paraphrases qxzzzq", "and no analogy makes anything of it", "paraphrase/commands.py"),
    ("explain Thanks. Thank", "no analogy and no shared translation makes ", "paraphrase/commands.py"),
    ("exchanges is 's", " share a translation", "paraphrase/report.py"),
    ("frequencies --lang eng -n 2", " different", "search/lexicon_commands.py"),
    ("equivalents water", "nothing is aligned yet", "alignment/queries/phrases.py"),
    ("session list", "there is no session yet", "people/session_commands.py"),
    ("judge report x", "there is no sample ", "people/queries/samples.py"),
    ("statistics --lang eng", "Table 1: the corpus", "paraphrase/report.py"),
    ("score a.txt --ref a.txt --metric x", "unknown metric ", "scoring/metrics.py"),
    ("check", "checking the database", "chain/queries/checking.py"),
    pytest.param("rules check", "checking examples", "rules/queries/rewritings.py", marks=pytest.mark.slow),
    ("run none", "no query is saved as ", "corpus/queries/names.py"),
    ("session show none", "there is no session ", "people/queries/sessions.py"),
    ("search --length x a", " is not a length; ", "search/queries/request.py"),
    ("compare a.txt --ref a.txt", "compare needs two systems, and one is given", "scoring/queries/comparison.py"),
)
"""Calls, words that they print, and the file that the guide sends to."""


@pytest.mark.parametrize(("call", "words", "file"), PRINTED)
def test_a_line_is_worded_where_the_guide_says(
    run: Run, finished_phrasebook: Path, tmp_path: Path, call: str, words: str, file: str
) -> None:
    shutil.copy(finished_phrasebook, tmp_path / "corpus.db")
    (tmp_path / "bad.tsv").write_text("a\tb\nc\n", encoding="utf-8")
    (tmp_path / "a.txt").write_text("a\n", encoding="utf-8")
    result = run(*call.split())
    assert words in result.stdout + result.stderr
    assert words in (ROOT / "corpusdb" / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("topic", guide_topics())
def test_a_guide_that_another_names_is_there(topic: str) -> None:
    named = re.findall(r"corpusdb\s+guide\s+([a-z]+)", guide_text(topic))
    assert [each for each in named if each not in guide_topics()] == []


def test_the_guides_lead_to_each_other() -> None:
    named = {each for topic in guide_topics() for each in re.findall(r"corpusdb\s+guide\s+([a-z]+)", guide_text(topic))}
    assert {"files", "sizes", "query", "keys", "places", "limits", "validity", "scores", "annotations"} <= named


def test_every_format_has_its_columns_told() -> None:
    text = guide_text("files")
    section = text[text.index("Columns and keys of each format") : text.index("Where to get sentence pairs")]
    heads = {head for line in re.findall(r"(?m)^  ([a-z, ]+?) {2,}", section) for head in line.split(", ")}
    assert set(FORMATS) <= heads
    for names in (
        ID,
        DOCUMENT,
        *SHEET_COLUMNS,
        *(name for groups in COLUMNS.values() for each in groups for name in each),
    ):
        assert re.search(rf"\b{names}\b", section), names


def test_the_calls_of_sacrebleu_are_the_ones_that_are_shown() -> None:
    assert len(SAME_CALLS) == 6
    assert len(CALLS) > len(SAME_CALLS) + 4


@pytest.fixture
def test_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    texts = {
        "ref.en": ("The dog bit the man.", "It was not unexpected.", "The man bit him first."),
        "ref2.en": ("The dog had bit the man.", "No one was surprised.", "The man had bitten the dog."),
        "sys.en": ("The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."),
        "other.en": ("the dog has bit a man.", "It was unexpected.", "A man bit him, then."),
    }
    documents = {"docs.tsv": ("doc\tfirst_segment\tn_segments\tdomain", "one\t0\t2\tnews", "two\t2\t1\tchat")}
    write_files(tmp_path, texts | documents)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("test_set")
@pytest.mark.parametrize("call", CALLS)
def test_the_calls_for_those_who_come_from_sacrebleu_run(call: str) -> None:
    pytest.importorskip("sacrebleu")
    result = CliRunner().invoke(app, shlex.split(call)[1:])
    assert result.exit_code == 0, result.stderr
    assert result.stdout


@pytest.mark.slow
@pytest.mark.parametrize("call", SAME_CALLS)
def test_they_have_the_numbers_of_sacrebleu(call: str, test_set: Path) -> None:
    """All numbers to eight places; of several systems those of each by itself."""
    pytest.importorskip("sacrebleu")
    words = [word for word in shlex.split(call)[2:] if word not in ("-b", "-v")]
    words = words[: words.index("-w")] if "-w" in words else words
    systems = [word for word in words if word in ("sys.en", "other.en")]
    for system in systems:
        alone = [word for word in words if word not in systems or word == system]
        command = [sys.executable, "-m", "sacrebleu", *alone, "-b", "-w", "8"]
        expected = subprocess.run(command, cwd=test_set, capture_output=True, text=True, check=True).stdout
        numbers = [float(number) for number in re.findall(r"\d+\.\d+", expected)]
        rows = json.loads(CliRunner().invoke(app, ["score", *alone, "--json"]).stdout)
        ours = [score for row in rows for score in row.get("segments", [row["score"]])]
        assert ours == pytest.approx(numbers, abs=1e-8)
        assert numbers


# `guide`: the list of topics, a topic, and one that there is not.


def test_the_topics(run: Run) -> None:
    told = run("guide")
    assert [line.split("\t")[0] for line in told.stdout.splitlines()] == ["topic", *READ_FIRST]
    assert "sharing\tOne database" in told.stdout
    behind = set(guide_topics()) - set(READ_FIRST)
    assert f"listed by --all: {', '.join(sorted(behind))}\n" in told.stderr
    everything = run("guide", "--all")
    assert everything.stdout.splitlines()[1:] == ["\t".join(each) for each in guide_topics().items()]
    assert everything.stderr == ""
    assert json.loads(run("guide", "--json").stdout) == guide_topics()


def test_a_topic(run: Run) -> None:
    assert run("guide", "sharing").stdout == guide_text("sharing")
    assert json.loads(run("guide", "sharing", "--json").stdout)["text"] == guide_text("sharing")


def test_the_command_refuses_another_topic(run: Run) -> None:
    result = run("guide", "nothing")
    assert (result.exit_code, result.stdout) == (2, "")
    topics = ", ".join(guide_topics())
    assert "limits, linguists" in topics
    assert f"there is no guide to 'nothing'; there are {topics}" in result.stderr


def in_terminal(*words: str, rows: int, **variables: str) -> str:
    """What the program writes to a terminal of so many rows, with a few variables in the environment."""
    ends = pty.openpty()
    fcntl.ioctl(ends[1], termios.TIOCSWINSZ, struct.pack("HHHH", rows, 80, 0, 0))
    environment = {"PATH": os.environ["PATH"], "PYTHONUTF8": "1", "TERM": "xterm", "PYTHONPATH": str(ROOT), **variables}
    process = subprocess.Popen(
        [sys.executable, "-m", "corpusdb", *words], env=environment, stdin=ends[1], stdout=ends[1], stderr=ends[1]
    )
    os.close(ends[1])
    found = b""
    while True:
        try:
            found += os.read(ends[0], 1 << 16)
        except OSError:  # nobody holds the other end any more
            break
    os.close(ends[0])
    assert process.wait(60) == 0
    return found.decode("utf-8").replace("\r\n", "\n")


TEXT = guide_text("sharing")


@pytest.mark.parametrize(
    "pager", ["no-such-program", *(pytest.param(pager, marks=pytest.mark.slow) for pager in ("cat", "", "'", "false"))]
)
def test_a_guide_on_a_terminal_without_a_pager_stands_there_in_its_lines(pager: str) -> None:
    shown = in_terminal("guide", "sharing", rows=10, PAGER=pager)
    assert shown == (TEXT if pager != "false" else "")


@pytest.mark.slow
def test_a_guide_that_is_longer_than_the_terminal_goes_through_the_pager() -> None:
    assert in_terminal("guide", "sharing", rows=10, PAGER="tr a-z A-Z") == TEXT.upper()
    assert in_terminal("guide", "sharing", rows=TEXT.count("\n"), PAGER="tr a-z A-Z") == TEXT.upper()
    assert in_terminal("guide", "sharing", rows=TEXT.count("\n") + 1, PAGER="tr a-z A-Z") == TEXT
    assert in_terminal("guide", "sharing", rows=10, PAGER="tr a-z A-Z", TERM="dumb") == TEXT


@pytest.mark.slow
def test_a_pager_that_is_left_early_is_no_error() -> None:
    assert in_terminal("guide", "contributing", rows=10, PAGER="head -n 2") == "".join(
        guide_text("contributing").splitlines(keepends=True)[:2]
    )


# `man`: the manual page has every command with every option, and is what `man` takes.


MACROS = {"TH", "SH", "SS", "PP", "TP", "B"}


def commands() -> Iterator[str]:
    """The words by which each command is called, those of groups too."""
    for listed in (each for panel in COMMANDS.values() for each in panel):
        loaded = listed.load()
        yield listed.name
        if isinstance(loaded, CommandGroup):
            yield from (f"{listed.name} {each.name}" for each in loaded.commands)


@pytest.fixture
def page(run: Run) -> str:
    result = run("man")
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def plain(roff: str) -> str:
    """The text of a page, without macros and escapes."""
    text = re.sub(r"^\.[A-Z]+ ?", "", roff, flags=re.MULTILINE).replace('"', "")
    names = {"\\-": "-", "\\e": "\\", "\\&": "", "\\(dq": '"', "\\(ti": "~", "\\(ha": "^", "\\(ga": "`", "\\(aq": "'"}
    return re.sub(r"\\(?:\(..|.)", lambda found: names[found[0]], text)


@pytest.mark.slow
def test_every_command_has_a_section_with_what_its_help_has(run: Run, page: str) -> None:
    parts = re.split(r'^\.SH "(.*)"\n', page, flags=re.MULTILINE)
    pairs = zip(parts[1::2], parts[2::2], strict=True)
    sections = {name.replace("\\-", "-").lower(): plain(text) for name, text in pairs}
    names = list(commands())
    assert len(names) > 80
    assert [name for name in sections if name in names] == names
    for name in names:
        described = run(*name.split(), "--help").stdout.partition("\n")[2]
        described = re.sub(r"^(\S.*):$", r"\1", described, flags=re.MULTILINE)  # headings
        wanted = [word for word in described.split() if word != "Usage:"]
        # a hyphen at the end of a line of the help may be one at which it was folded
        has = re.sub(r"\s|-", "", sections[name])
        assert [word for word in wanted if re.sub("-", "", word) not in has] == [], name


def test_the_rest_of_the_page(page: str) -> None:
    text = plain(page)
    assert all(f"{topic}\n{title}" in text for topic, title in guide_topics().items())
    assert all(f"{panel}\n" in text for panel in COMMANDS)
    assert all(words in text for words in ("--version", "--cite", "CORPUSDB_DB", "130 interrupted"))


@pytest.mark.slow
def test_every_line_is_a_macro_or_text(page: str) -> None:
    lines = page.rstrip("\n").split("\n")
    assert lines[0].startswith('.TH "CORPUSDB" "1"')
    for line in lines:
        assert line
        assert line[0] != "'"
        if line[0] == ".":
            assert re.fullmatch(r'\.([A-Z]+)((?: "(?:[^"])*")*)', line), line
            assert line[1:].split(" ")[0] in MACROS
        assert not re.search(r"\\(?!-|e|&|\((?:dq|ti|ha|ga|aq))", line), line


@pytest.mark.slow
def test_it_is_what_man_takes(page: str, tmp_path: Path) -> None:
    if shutil.which("man") is None or shutil.which("groff") is None:
        pytest.skip("there is no man here")
    (tmp_path / "corpusdb.1").write_text(page, encoding="utf-8")
    environment = os.environ | {"LC_ALL": "C.UTF-8", "MANWIDTH": "80", "MANPAGER": "cat", "MAN_KEEP_FORMATTING": ""}
    command = ["man", "--warnings", "-l", str(tmp_path / "corpusdb.1")]
    shown = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert shown.stderr == ""
    text = re.sub(".\b", "", shown.stdout)
    assert max(map(len, text.split("\n"))) <= 80
    assert re.search(r"^SESSION NEW$", text, re.MULTILINE)


@pytest.mark.slow
def test_as_a_document(run: Run, page: str) -> None:
    assert json.loads(run("man", "--json").stdout)["text"] == page
