"""Every command on a pseudo-terminal, over a corpus that attacks it: the bytes that come out hold nothing of it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest
from command_runs import BAD, ENGLISH, RUNS, SCORED
from hostile import ATTACKS, NAME, PREFIX, SENTENCES, Corpus, environment, found_in, on_terminals

from corpusdb.base.display import Format
from corpusdb.commands.command import Command, CommandGroup
from corpusdb.program.catalogue import COMMANDS

_OWN = re.compile("\x1b\\[[01]m")
"""What the program itself sends on the command line: bold, and no more of it."""


def _leaves() -> Iterator[tuple[str, str, Command[Any]]]:
    """Every command after its name and its part: the panel of the help, or the group to which it belongs."""
    for panel, commands in COMMANDS.items():
        for each in (listed.load() for listed in commands):
            if isinstance(each, CommandGroup):
                yield from ((each.name, f"{each.name} {leaf.name}", leaf) for leaf in each.commands)
            else:
                yield panel, each.name, each


_BEFORE: Mapping[str, Sequence[tuple[str, ...]]] = {
    "Alignment": [("align", "--lang", "eng,fra")],
    "Search": [("import", "words.conllu", *ENGLISH)],
    "categories": [("search", PREFIX, *ENGLISH, "--kwic", "--save", "kept")],
    "results": [
        *(("search", text, *ENGLISH, "--save", name) for text, name in ((PREFIX, "kept"), ("pizza", "fewer"))),
        *(("results", "keep", *names) for names in (("found", "kept"), ("some", "fewer"), ("[red] more", "kept"))),
    ],
    **{part: [("model", "train", "drinks", "sources.txt", *ENGLISH)] for part in ("Homogeneity", "model")},
    "scores": [("score", *SCORED, "--source", "sources.txt", "--store")],
}
"""What the commands of a part need to have something to show."""

_NAMED_ANEW = {f"results {made}" for made in ("keep", "union", "intersection", "difference")}
"""What can be called with each name once."""


def _runs(part: str) -> Iterator[tuple[str, ...]]:
    """What is run for the commands of one part: each in all forms."""
    yield from _BEFORE.get(part, ())
    for name, leaf in ((name, leaf) for place, name, leaf in _leaves() if place == part):
        words = tuple(name.split())
        options = {field.name for field in fields(leaf.common)}
        first = RUNS[name][0]
        yield from ((*words, *arguments) for arguments in RUNS[name])
        forms: list[tuple[str, ...]] = [("--json",)] if "json" in options else []
        forms += [("--format", format) for format in get_args(Format)] if "format" in options else []
        for form in forms:
            named = (f"{first[0]} {form[-1]}", *first[1:]) if name in _NAMED_ANEW else first
            yield (*words, *named, *form)
        yield (*words, "--help")
        yield (*words, f"--{NAME}")
        yield (*words, *([BAD] * 9))


def _write_files(folder: Path) -> None:
    lines = [f"{PREFIX}{english}\t{PREFIX}{french} {ATTACKS['device']}\n" for english, french, _ in SENTENCES]
    english = "".join(line.partition("\t")[0] + "\n" for line in lines)
    contents = {
        "more.tsv": "".join(lines),
        "bad.tsv": f"{BAD}\t\n{BAD}\n{BAD}\t{BAD}\n",
        "bad.jsonl": json.dumps({"texts": [{"lang": BAD, "text": BAD}]}) + f'\n{{"{BAD}\n',
        "bad.tmx": f"<tmx><body><tu><tuv xml:lang='en'><seg>&{ATTACKS['directions']};</seg></tuv></tu></body></tmx>",
        "bad.toml": f'[keys]\n"{PREFIX[-8:]}" = "{ATTACKS["markup"]}"\n',
        "sources.txt": english,
        "words.conllu": f"# text = {PREFIX}went\n1\t{PREFIX}went\tgo\t{BAD}\t_\t_\t_\t_\t_\t_\n",
        "bad.conllu": f"1\t{BAD}\n",
        "french.txt": "".join(line.partition("\t")[2] for line in lines),
        "task.txt": "".join(
            f"{PREFIX}We had {n} teas, did {each} not?\n" for n in range(9) for each in ("you", "they")
        ),
        "hyp.txt": english,
        "ref.txt": english.replace("please", f"please {ATTACKS['directions']}"),
        "scores.tsv": f"system\t{BAD}\nhyp\t1\n",
        "human.tsv": f"system\tsegment\tz\nhyp\t0\t1\nhyp\t1\t2\n{BAD}\t0\t1\n",
        "ja.txt": f"{PREFIX}静かだ。\n{ATTACKS['directions']}彼が本を読んだ。\n",
        "polite.txt": f"{PREFIX}静かです。\n{ATTACKS['directions']}彼が本を読みました。\n",
        "ja-human.tsv": f"system\t{BAD}\nja\t0.5\npolite\t0.25\n",
        "ja.rules": f"my-da polite = だ(da final) <-> です(desu final) / _ END\n- {BAD}\n",
        "bad.rules": f"{BAD}\n",
        "sheet.tsv": f"item\tseed\ttext\tverdict\tcomment\n1\t\t{BAD}\t{BAD}\t{BAD}\n",
    }
    for name, content in contents.items():
        (folder / name).write_text(content, encoding="utf-8", newline="\n")


def test_every_command_is_run() -> None:
    assert sorted(RUNS) == sorted(name for _, name, _ in _leaves())


_WRONG_CALLS = ((BAD,), ("--db", f"no{BAD}", "info"), ("--db", "more.tsv", "info"))


_JSON = ("--quiet", "sql", "select text from sentence order by id", "-n", "0", "--json")


@pytest.mark.slow
def test_json_is_exact_on_a_terminal_and_harmless(hostile: Corpus, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "corpusdb", *_JSON]
    piped = subprocess.run(command, env=environment(hostile), capture_output=True, check=True, encoding="utf-8").stdout
    (as_json,) = on_terminals([_JSON], hostile, tmp_path)
    assert list(found_in(as_json.text.replace("\r\n", "\n"))) == []
    assert json.loads(as_json.text) == json.loads(piped)
    assert any(attack in text for (text,) in json.loads(as_json.text)["rows"] for attack in ATTACKS.values())
    assert list(found_in(piped)) != []  # to a program, texts go as they are


@pytest.mark.slow
@pytest.mark.parametrize("part", sorted({part for part, _, _ in _leaves()}))
def test_no_call_of_a_command_sends_an_attack_to_its_terminal(part: str, hostile: Corpus, tmp_path: Path) -> None:
    if part == "distributed":
        pytest.importorskip("pyspark", reason="there is no pyspark, so a distributed run has nothing to show")
    _write_files(hostile.folder)
    sent = on_terminals([*_runs(part), *_WRONG_CALLS], hostile, tmp_path)
    assert {str(each.run): harm for each in sent if (harm := list(found_in(_rest(each.text))))} == {}
    assert [each.run for each in sent if each.code not in (0, 1, 2, 3, 4)] == []
    assert [each.run for each in sent if re.search("Traceback|error: unexpected", each.text)] == []
    assert sum(each.code == 0 for each in sent) > len(sent) // 3  # enough of them had something to show
    assert sum("[red]" in each.text for each in sent) > len(sent) // 5  # and showed it


def _rest(text: str) -> str:
    """What a command sent without what it sends itself: bold, and the line of progress that begins anew."""
    return _OWN.sub("", re.sub("\r+\n?", "\n", text))
