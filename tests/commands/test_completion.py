"""Completion of names from the database, as bash asks for it."""

from __future__ import annotations

import contextlib
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from calls import MakeOnce
from typer.testing import CliRunner

from corpusdb.corpus.queries.names import KINDS, names_beginning
from corpusdb.corpus.store import open_for_reading, open_store
from corpusdb.guides import guide_topics
from corpusdb.program.catalogue import app

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = "insert into sample select 1, 'first', 'meaning', 'eng', 1, '{}', max(id) from run"
QUERY = "insert into saved_query (name, command, options, saved) values (:name, 'search', '{}', '2026-01-01')"
HOSTILE = ("all \x1b[31m", "all\nbeers", "all $(touch touched); `touch touched`")
"""Names that a terminal or a shell would obey; the last can be typed, and is offered as a shell takes it."""
PAIRS = "english\tfrench\nA beer, please.\tUne bière, s'il vous plaît.\nA tea, please.\tUn thé, s'il vous plaît.\n"


def environment(folder: Path) -> dict[str, str]:
    return {
        "PATH": f"{folder / 'bin'}:/usr/bin:/bin",
        "HOME": str(folder),
        "PYTHONPATH": str(ROOT),
        "PYTHONUTF8": "1",
        "LC_ALL": "C.UTF-8",
        "XDG_STATE_HOME": str(folder / "state"),
    }


def corpusdb(folder: Path, *words: str) -> None:
    with contextlib.chdir(folder):
        done = CliRunner().invoke(app, ["--quiet", "--db", "my corpus.db", *words], env=environment(folder))
    assert done.exit_code == 0, done.stderr


BACKTICKS = r"all\ \$\(touch\ touched\)\;\ \`touch\ touched\`"


@pytest.fixture(scope="module")
def folder(make_once: MakeOnce) -> Path:
    """A folder with a database that has something of every kind, and the program as it is installed."""

    def fill(folder: Path) -> None:
        (folder / "bin").mkdir()
        program = f"#!{sys.executable}\nfrom corpusdb.__main__ import main\n\nmain()\n"
        (folder / "bin" / "corpusdb").write_text(program, encoding="utf-8")
        (folder / "bin" / "corpusdb").chmod(0o755)
        asked = environment(folder) | {"_CORPUSDB_COMPLETE": "source_bash"}
        with (folder / "completion.sh").open("w", encoding="utf-8") as file:
            subprocess.run([folder / "bin" / "corpusdb"], env=asked, stdout=file, check=True)
        (folder / "pairs.tsv").write_text(PAIRS, encoding="utf-8")
        (folder / "one.en").write_text("A beer, please.\n", encoding="utf-8")
        (folder / "tokens.conllu").write_text("# text = go\n1\tgo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n", encoding="utf-8")
        corpusdb(folder, "import", "pairs.tsv", "--lang", "eng,fra", "--name", "my pairs")
        corpusdb(folder, "import", "pairs.tsv", "--lang", "eng,fra", "--name", "others", "--columns", "1,2")
        corpusdb(folder, "import", "tokens.conllu", "--lang", "eng", "--name", "trees")
        corpusdb(folder, "search", "beer", "--lang", "eng", "--save", "all beers")
        corpusdb(folder, "session", "new", "evening", "--text", "A beer, please.", "--lang", "eng")
        corpusdb(folder, "score", "one.en", "--ref", "one.en", "--store")
        with open_store(folder / "my corpus.db") as store, store.connection:
            store.connection.execute(SAMPLE)
            for name in HOSTILE:
                store.connection.execute(QUERY, {"name": name})
        corpusdb(folder, "model", "train", "letters", "one.en", "--lang", "eng")

    return make_once("completion", fill)


def completed(folder: Path, line: str) -> list[str]:
    """What bash would offer for a line whose last word is being typed, by the function that is installed for it.

    bash has the words as they stand in the line, with their quotes and backslashes.
    """
    before, _, call = line.rpartition("; ")
    words = [shlex.quote("" if word == "''" else word) for word in re.findall(r"(?:\\.|'[^']*'?|[^\s'])+", call)]
    script = f"""
. ./completion.sh
function=$(complete -p corpusdb | sed 's/.*-F \\([^ ]*\\).*/\\1/')
{before}
COMP_WORDS=({" ".join(words)})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
$function corpusdb
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment(folder), capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return [each for each in done.stdout.split("\n") if each]


OFFERED = [
    ("search --lang eng,", ["eng,fra"]),
    ("search beer --collection 'my p'", ["my pairs"]),
    ("run ''", [BACKTICKS, "all\\ beers"]),
    ("se", ["search", "session", "select"]),
    ("export --by-sentence=", ["eng", "fra"]),
    ("search beer --aligned f", ["fra:"]),
    ("search beer --collection my\\ ", ["my\\ pairs"]),
    ("session new e", []),
    ("frequencies --attribute l", ["lemma"]),
    ("score --set", []),
    ("search --coll", ["--collection"]),
    ("keywords o", ["others"]),
    ("search beer --collection ''", ["my\\ pairs", "others", "trees"]),
    ("search --lang ''", ["eng", "fra"]),
    ("search --lang e", ["eng"]),
    ("search beer --with f", ["fra"]),
    ("export --document p", ["pairs.tsv"]),
    ("import pairs.tsv --name o", ["others"]),
    ("run all\\ b", ["all\\ beers"]),
    ("queries --delete 'all b", ["all beers"]),
    ("session show ''", ["evening"]),
    ("judge next ''", ["first"]),
    ("judge sample f", []),
    ("model export ''", ["letters"]),
    ("perplexity one.en --model l", ["letters"]),
    ("scores segments o", ["one"]),
    ("scores list --baseline ''", ["one"]),
    ("guide l", ["limits", "linguists"]),
]
"""Of names that are found by the same means as some of those."""


@pytest.mark.slow
@pytest.mark.parametrize(("line", "offered"), OFFERED)
def test_what_bash_offers(folder: Path, line: str, offered: list[str]) -> None:
    assert completed(folder, f"corpusdb --db my\\ corpus.db {line}") == offered


@pytest.mark.slow
def test_the_database_of_the_command_and_of_the_environment(folder: Path) -> None:
    assert completed(folder, "corpusdb search --db my\\ corpus.db --lang f") == ["fra"]
    assert completed(folder, "corpusdb search --db ~/my\\ corpus.db --lang f") == ["fra"]
    assert completed(folder, "corpusdb search --db $HOME/my\\ corpus.db --lang f") == ["fra"]
    assert completed(folder, "corpusdb search --lang f") == []
    assert completed(folder, "export CORPUSDB_DB='my corpus.db'; corpusdb search --lang f") == ["fra"]


@pytest.mark.parametrize(
    "database", ["old.db", *(pytest.param(name, marks=pytest.mark.slow) for name in ("none.db", "one.en", "bin"))]
)
def test_what_cannot_be_read_is_not_told_of(folder: Path, database: str) -> None:
    (folder / "old.db").write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    assert completed(folder, f"corpusdb --db {database} search --lang ''") == []
    assert completed(folder, f"corpusdb --db {database} guide lim") == ["limits"]
    assert not (folder / "none.db").exists()


def test_every_kind_has_names_and_they_begin_as_asked(folder: Path) -> None:
    with open_for_reading(folder / "my corpus.db") as store:
        found = {kind: names_beginning(store, kind, "", 100) for kind in KINDS}
        assert {kind for kind, names in found.items() if not names} <= {
            "category set",
            "frozen set",
            "rule set",
            "selection",
        }
        for kind, names in found.items():
            assert names == sorted(set(names))
            for name in names:
                assert name in names_beginning(store, kind, name[:2], 100)
                assert len(names_beginning(store, kind, "", 1)) == 1
            assert names_beginning(store, kind, "%", 100) == []


def test_every_topic_is_offered(folder: Path) -> None:
    assert completed(folder, "corpusdb guide ''") == list(guide_topics())
