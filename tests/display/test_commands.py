"""Every command on a pseudo-terminal, over a corpus that attacks it: the bytes that come out hold nothing of it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import count
from pathlib import Path
from typing import Any, get_args

import pytest
from hostile import ATTACKS, BEER, NAME, PREFIX, SENTENCES, Corpus, found_in
from terminals import Sent, environment, on_terminals

from corpusdb.cli.app import COMMANDS
from corpusdb.cli.program.command import Command, CommandGroup
from corpusdb.cli.program.rows import Format

_OWN = re.compile("\x1b\\[[01]m")
"""What the program itself sends on the command line: bold, and no more of it."""
_BAD = f"{PREFIX}{NAME}"
_SAMPLE = f"{PREFIX}{NAME}"
_PIZZA = f"{PREFIX}A slice of pizza, please."
_OTHER = f"{PREFIX}Can I have a beer?"
_ENGLISH = ("--lang", "eng")
_PROFILE = (*_ENGLISH, "--spoken", "sources.txt", "--written", "french.txt")
_STUDY = ("ja.txt", "polite.txt", "--ref", "ja.txt", "--human", "ja-human.tsv", "--samples", "2", "--no-each-rule")
_SCORED = ("hyp.txt", "--ref", "ref.txt", "--metric", "bleu,nist")

RUNS: Mapping[str, Sequence[Sequence[str]]] = {
    "demo": [()],
    "import": [
        ("more.tsv", "--lang", "eng,fra"),
        ("more.tsv", "--lang", "eng,fra"),
        ("bad.tsv", "--lang", "eng,fra", "--name", "bad"),
        ("bad.jsonl",),
        ("bad.tmx",),
        ("more.tsv", "--lang", "eng,fra", "--name", _BAD),
        (f"missing{NAME}",),
        ("more.tsv", "--lang", _BAD),
        ("more.tsv", "--lang", "eng,fra", "--columns", _BAD),
    ],
    "browse": [
        ("--keys",),
        ("--check-config",),
        ("--lines", _BAD),
        *(("--lines", place) for place in ("corpus", "session", "paradigms", "judging", "jobs", "overview")),
        ("--lines", "equivalents"),
        ("--lines", "corpus", "--find", PREFIX, "--press", "v"),
        ("--lines", "session", "--find", "red", "--press", "enter"),
        ("--lines", "judging", "--find", "red", "--press", "r"),
        ("--lines", "corpus", "--press", _BAD),
        ("--config", "bad.toml", "--keys"),
    ],
    "export": [
        *(("-o", "-", "--format", name) for name in ("tmx", "wmt", "jsonl", "tsv", "csv")),
        ("-o", "-", "--format", _BAD),
        ("-o", f"out{PREFIX}.tmx"),
        ("-o", "-", "--format", "tsv", "--collection", _BAD),
        ("-o", f"folder{_BAD}", "--format", "tatoeba"),
        ("-o", f"moses{PREFIX}", "--format", "moses"),
    ],
    "align": [
        ("--source", "sources.txt", "--ref", "ref.txt"),
        ("--source", "sources.txt", "--ref", "ref.txt", "--method", "union"),
        ("--source", "ref.txt", "--ref", "sources.txt", "--tokenise", "char"),
        ("--source", "ref.txt", "--ref", "hyp.txt", "-o", f"links{PREFIX}"),
        ("--source", "ref.txt", "--ref", "hyp.txt", "--tokenise", "none", "--method", "forward"),
        ("--source", "sources.txt", "--ref", "ref.txt", "--tokenise", "none", "--gold", "bad.jsonl"),
        ("--source", "sources.txt", "--ref", "bad.tsv"),
        ("--source", "sources.txt", "--ref", "ref.txt", "--tokenise", _BAD),
        ("--source", f"missing{NAME}", "--ref", "ref.txt"),
        ("--source", "sources.txt", "--ref", f"no{_BAD}"),
        ("--lang", "eng,fra"),
        ("--lang", _BAD),
        ("--lang", "eng,fra", "-o", f"linked{PREFIX}"),
        ("--lang", "eng,fra", "--links", f"missing{NAME}", "--source", "sources.txt", "--ref", "ref.txt"),
        ("--lang", "eng,fra", "--links", "bad.jsonl", "--source", "sources.txt", "--ref", "ref.txt"),
    ],
    "model train": [("drinks", "more.tsv", *_ENGLISH, "--replace"), (_BAD, "ref.txt", *_ENGLISH), (_BAD, f"no{_BAD}")],
    "model list": [()],
    "model export": [("drinks", "-o", f"model{PREFIX}.arpa"), ("drinks",), (f"no{_BAD}",)],
    "perplexity": [(each, "--model", "drinks", "--each") for each in ("ref.txt", _BAD)] + [("x", "--model", _BAD)],
    "profile": [
        _PROFILE,
        *((*_PROFILE, "--each", "--level", level) for level in ("line", "document", "collection")),
        (*_ENGLISH, "--spoken", f"no{_BAD}", "--written", _BAD),
        *((*_ENGLISH, f"--{what}") for what in ("outliers", "duplicates")),
        *((*_ENGLISH, f"--{what}", "--collection", _BAD) for what in ("outliers", "duplicates")),
    ],
    "select": [
        *((*_ENGLISH, "--task", "task.txt", "--name", name) for name in ("some", _BAD, _BAD)),
        (*_ENGLISH, "--task", "task.txt", "-o", "-", "--share", "50"),
        *(("--show", name) for name in ("some", _BAD, f"no{_BAD}")),
        *((*_ENGLISH, "--task", f"no{_BAD}"), (*_ENGLISH, "--task", "task.txt", "--pool", f"no{_BAD}")),
    ],
    "similarity": [("task.txt", other, *_ENGLISH) for other in ("french.txt", f"no{_BAD}")],
    "study known-similarity": [("task.txt", other, *_ENGLISH, "--shuffles", "1") for other in ("ref.txt", f"no{_BAD}")],
    "translations": [
        ("beer", "--with", "fra", "--lang", "eng"),
        (_BAD, "--with", "fra", "--lang", "eng"),
        ("beer", "--with", _BAD),
        (_BAD, "--with", "fra"),
        ("beer", "--with", "fra", "--lang", "eng", "--pairs", "bière"),
        ("beer", "--with", "fra", "--lang", "eng", "--pairs", _BAD),
    ],
    "equivalents": [
        ("beer", "--lang", "eng", "--min-count", "1", "--closed-class", "keep"),
        (_BAD, "--lang", "eng"),
        ("beer", "--through", _BAD),
        ("beer", "--lang", "eng", "--min-count", "1", "--closed-class", "keep", "--rejected"),
    ],
    "rejections add": [
        ("beer", _BAD, "--lang", "eng"),
        ("beer", _PIZZA, _BAD, "--lang", "eng", "--json"),
        (_BAD, _BAD, "--lang", "eng"),
        ("beer", _BAD, "--lang", _BAD),
        (_BAD, "beer"),
    ],
    "rejections remove": [("beer", _PIZZA, "--lang", "eng"), (_BAD, _BAD, "--lang", "eng")],
    "rejections list": [(), ("--lang", "eng"), ("--lang", _BAD)],
    "search": [
        (PREFIX, "--lang", "eng", "--with", "fra,jpn", "--places"),
        (PREFIX, "--lang", "eng", "--kwic", "--with", "fra", "--places"),
        (PREFIX, "--lang", "eng", "--kwic", "--group", "match"),
        (PREFIX, "--lang", "eng", "--save", "kept"),
        ("", "--lang", "jpn"),
        (PREFIX, "--lang", "eng", "--save", _BAD),
        (f"({_BAD}", "--regex"),
        (f"[word={_BAD}", "--cqp"),
        (PREFIX, "--lang", _BAD),
        (PREFIX, "--collection", _BAD),
        (PREFIX, "--document", _BAD),
    ],
    "frequencies": [("--lang", "eng"), ("--lang", "eng", "--ngram", "3", "--dispersion"), ("--collection", _BAD)],
    "collocates": [("beer", "--lang", "eng"), (_BAD, "--lang", "eng")],
    "keywords": [(f"{PREFIX}1 {NAME}", "--lang", "eng"), (_BAD, "--lang", "eng")],
    "paradigm": [("beer", "--lang", "eng"), (f"{PREFIX}A _, please.", "--lang", "eng"), (_BAD, "--lang", "eng")],
    "queries": [(), ("--delete", _BAD)],
    "guide": [(), ("sharing",)],
    "history": [(), ("--all",)],
    "run": [("kept",), (_SAMPLE,), (f"no such {NAME}",)],
    "detect": [("--lang", "eng"), ("--lang", _BAD)],
    "generate": [
        ("--lang", "eng"),
        ("--lang", "eng", "--seed", BEER),
        ("--lang", "eng", "--seeds", f"no{_BAD}"),
        ("--lang", "eng", "--for", "hyp.txt", "--ref", "ref.txt", "-N", "0", "--name", _BAD),
        ("--lang", "eng", "--for", f"no{_BAD}", "--ref", "ref.txt", "--dry-run"),
    ],
    "paraphrases": [(BEER,), (_PIZZA, "--lang", "eng"), (_BAD,), (BEER, "--lang", _BAD)],
    "explain": [(BEER, _OTHER), (_PIZZA, BEER), (_BAD, _BAD)],
    "exchanges": [("beer", "slice of pizza", "--lang", "eng"), ("--lang", "eng", "--least", "0"), (_BAD, "beer")],
    "accept": [(BEER, _BAD), (BEER, f"{PREFIX}A beer.", "--lang", "eng")],
    "references": [
        *(("sources.txt", "-o", f"refs-{name}{PREFIX}", "--lang", "eng", "--format", name) for name in ("tsv", "wmt")),
        (f"no{_BAD}", "-o", "refs"),
    ],
    "statistics": [("--lang", "eng", "--plot"), ("--lang", _BAD)],
    "session new": [
        (f"new{ATTACKS['directions']}", "--lang", "eng", "--text", BEER),
        ("new", "--lang", "eng", "--text", BEER),
        ("new", "--lang", "eng", "--text", BEER),
    ],
    "session list": [()],
    **{
        f"session {name}": [(_SAMPLE,), (f"no{_BAD}",)]
        for name in ("show", "seeds", "next", "previous", "undo", "decisions")
    },
    "session go": [(_SAMPLE, "2"), (_SAMPLE, _BAD)],
    "session add": [(_SAMPLE, f"{PREFIX}Tea, please."), (_SAMPLE, BEER)],
    "session done": [(_SAMPLE,)],
    "session order": [(_SAMPLE, "1"), (_SAMPLE, _BAD)],
    "session accept": [(_SAMPLE, BEER), (_SAMPLE, _BAD), (_SAMPLE, "1")],
    "session reject": [(_SAMPLE, _BAD), (_SAMPLE, "2")],
    "session apply": [(_SAMPLE,)],
    "rules list": [
        *((), ("--kind", "other"), ("--rules", "mine"), ("--rules", "all,-da", "--off")),
        *(("--rules", _BAD), ("--rules", "ja.rules"), ("--kind", _BAD), ("--rules", f"no{_BAD}.rules")),
    ],
    "rules check": [("ja.rules",), ("bad.rules",), (f"no{_BAD}",), (f"no{PREFIX}/{NAME}.rules",)],
    "rules apply": [
        ("ja.txt",),
        ("ja.txt", "--explain", "--rules", "ja.rules"),
        ("sources.txt",),
        ("ja.txt", "-o", f"rules-{PREFIX}"),
        ("ja.txt", "--rules", _BAD),
        (f"no{_BAD}",),
    ],
    "rules sets": [(), ("--output", f"sets{PREFIX}")],
    "rules set": [
        ("mine", "--from", "polite"),
        ("mine", "--off", _BAD),
        ("mine", "--off", "da"),
        ("mine", "--on", "da"),
        ("mine",),
        (_BAD,),
        (_BAD, "--from", "polite"),
        (f"no{_BAD}", "--delete"),
    ],
    "rules study": [
        (*_STUDY, "--human-column", _BAD, "--rules", "da"),
        (*_STUDY, "--human-column", "stars"),
        (*_STUDY, "--human-column", _BAD, "--without", _BAD),
    ],
    "rules twins": [(), ("--rules", "da", "--missed"), ("--rules", _BAD)],
    "rules suggest": [("--min-support", "1", "--known"), ("--accept", "1", "--name", _BAD, "--into", f"no{_BAD}")],
    "judge sample": [(f"new{NAME}", "--lang", "eng", "--order", "3"), (_SAMPLE, "--lang", "eng", "--order", "3")],
    "judge next": [(_SAMPLE, "--judge", "eve"), (f"no{_BAD}",), (f"{PREFIX}pairs", "--judge", "eve")],
    "judge record": [
        (_SAMPLE, "1", "y", "--judge", _BAD),
        (_SAMPLE, "1", _BAD, "--judge", "eve"),
        (_SAMPLE, _BAD, "y"),
    ],
    "judge undo": [(_SAMPLE, "--judge", f"{PREFIX}ann"), (_SAMPLE, "--judge", _BAD)],
    "judge sheet": [(_SAMPLE, "--judge", f"{PREFIX}ann"), (_SAMPLE, "-o", f"sheet{PREFIX}.tsv")],
    "judge read": [(_SAMPLE, f"no{_BAD}", "--judge", "eve"), (_SAMPLE, "sheet.tsv", "--judge", "eve")],
    "judge report": [(_SAMPLE,), (f"no{_BAD}",)],
    "judge list": [()],
    "solve": [(BEER, _PIZZA, BEER), (_BAD, _BAD, f"{_BAD}x")],
    "score": [
        (*_SCORED, "--segments"),
        (*_SCORED, "--store"),
        (*_SCORED, "--unit", "char"),
        (*_SCORED, "--confidence", "--samples", "5"),
        (*_SCORED, "--metric", _BAD),
        ("hyp.txt", "--ref-set", _BAD),
        (f"no{_BAD}", "--ref", "ref.txt"),
    ],
    "compare": [
        ("hyp.txt", "ref.txt", "--ref", "ref.txt", "--source", "sources.txt", "--samples", "9"),
        ("hyp.txt", "ref.txt", "--ref", "ref.txt", "--section", _BAD),
        ("hyp.txt", f"no{_BAD}", "--ref", "ref.txt"),
        ("hyp", _BAD),
    ],
    "scores import": [("scores.tsv",), ("bad.tsv",), (f"no{_BAD}",), ("scores.tsv", "--system-names", f"{_BAD}=hyp")],
    "agreement": [
        ("hyp.txt", "--ref", "ref.txt", "--human", f"no{_BAD}"),
        ("hyp.txt", "--ref", "ref.txt", "--human", "human.tsv", "--compare", _BAD),
        ("hyp.txt", "--ref", f"{_BAD}:ref.txt", "--human", "human.tsv", "--samples", "5", "--format", "table"),
    ],
    "scores list": [(), ("--baseline", "hyp"), ("--baseline", _BAD), ("--sort", _BAD)],
    "scores segments": [("hyp",), ("hyp", "--best-first"), (_BAD,), ("hyp", _BAD), ("hyp", "--column", _BAD)],
    "scores curve": [(), (_BAD,)],
    "verify": [(), (_BAD,)],
    "replay": [("2",), (_BAD,), (f"set:{_BAD}",), ("more.tsv",)],
    "trace": [
        ("hyp.txt", "--ref", "ref.txt", "--segment", "1"),
        (f"no{_BAD}", "--ref", "ref.txt"),
        ("--score", "1", "--segment", "1"),
    ],
    "study bitext": [
        ("sources.txt", "ref.txt", "hyp.txt", "--lang", "eng", "--human", "human.tsv", "--samples", "5"),
        ("sources.txt", "ref.txt", "hyp.txt", "--lang", "eng", "--judged-meaning", "sheet.tsv"),
        ("sources.txt", "ref.txt", "hyp.txt", "--substitutions", _BAD),
    ],
    "study equivalents-sheet": [
        ("sources.txt", "ref.txt", "--lang", "eng", "--min-count", "1", "--anywhere", "--closed-class", "keep"),
        ("sources.txt", f"no{_BAD}", "--lang", "eng"),
    ],
    "study bleu-in-characters": [("hyp.txt", "--ref", "ref.txt"), (f"no{_BAD}", "--ref", "ref.txt")],
    "study precision": [("--lang", "eng", "--held-out", _BAD), ("--lang", "eng")],
    "study reference-sets": [("--lang", "eng", "--order", "1"), ("--ref", "ref.txt", "--ref", f"no{_BAD}")],
    "study reference-worth": [("hyp.txt", "--ref", "ref.txt"), ("hyp.txt", "--ref", "ref.txt", "--human", f"no{_BAD}")],
    "info": [(), ("--sizes",)],
    "check": [(), ("--full",)],
    "backup": [(f"copy{PREFIX}.db",), (f"no{PREFIX}/copy.db",)],
    "sql": [
        ("select text from sentence",),
        ("select name, licence from collection",),
        (f'select 1 as "{_BAD}"',),
        (f"select '{_BAD}' from nowhere",),
        ("select name, languages, counts from document",),
    ],
}  # fmt: skip
"""What each command is called with; the formats, --json, the help and two mistakes are added to each."""


def _leaves() -> Iterator[tuple[str, str, Command[Any]]]:
    """Every command after its name and its part: the panel of the help, or the group to which it belongs."""
    for panel, commands in COMMANDS.items():
        for each in commands:
            if isinstance(each, CommandGroup):
                yield from ((each.name, f"{each.name} {leaf.name}", leaf) for leaf in each.commands)
            else:
                yield panel, each.name, each


_BEFORE: Mapping[str, Sequence[tuple[str, ...]]] = {
    "Alignment": [("align", "--lang", "eng,fra")],
    "Homogeneity": [("model", "train", "drinks", "more.tsv", *_ENGLISH)],
    "scores": [("score", *_SCORED, "--source", "sources.txt", "--store")],
}
"""What the commands of a part need to have something to show."""


def _runs(part: str, *, in_all_forms: bool) -> Iterator[tuple[str, ...]]:
    """What is run for the commands of one part: each in all forms, or in one of them, and another than the last."""
    chosen = count()
    yield from _BEFORE.get(part, ())
    for name, leaf in ((name, leaf) for place, name, leaf in _leaves() if place == part):
        words = tuple(name.split())
        options = {field.name for field in fields(leaf.common)}
        first = RUNS[name][0]
        yield from ((*words, *arguments) for arguments in RUNS[name])
        forms: list[tuple[str, ...]] = [("--json",)] if "json" in options else []
        forms += [("--format", format) for format in get_args(Format)] if "format" in options else []
        if forms and not in_all_forms:
            forms = [forms[next(chosen) % len(forms)]]
        yield from ((*words, *first, *form) for form in forms if in_all_forms or name != "demo")
        yield (*words, "--help")
        yield (*words, f"--{NAME}")
        yield (*words, *([_BAD] * 9))


def _write_files(folder: Path) -> None:
    lines = [f"{PREFIX}{english}\t{PREFIX}{french} {ATTACKS['device']}\n" for english, french, _ in SENTENCES]
    english = "".join(line.partition("\t")[0] + "\n" for line in lines)
    contents = {
        "more.tsv": "".join(lines),
        "bad.tsv": f"{_BAD}\t\n{_BAD}\n{_BAD}\t{_BAD}\n",
        "bad.jsonl": json.dumps({"texts": [{"lang": _BAD, "text": _BAD}]}) + f'\n{{"{_BAD}\n',
        "bad.tmx": f"<tmx><body><tu><tuv xml:lang='en'><seg>&{ATTACKS['directions']};</seg></tuv></tu></body></tmx>",
        "bad.toml": f'[keys]\n"{PREFIX[-8:]}" = "{ATTACKS["markup"]}"\n',
        "sources.txt": english,
        "french.txt": "".join(line.partition("\t")[2] for line in lines),
        "task.txt": "".join(
            f"{PREFIX}We had {n} teas, did {each} not?\n" for n in range(9) for each in ("you", "they")
        ),
        "hyp.txt": english,
        "ref.txt": english.replace("please", f"please {ATTACKS['directions']}"),
        "scores.tsv": f"system\t{_BAD}\nhyp\t1\n",
        "human.tsv": f"system\tsegment\tz\nhyp\t0\t1\nhyp\t1\t2\n{_BAD}\t0\t1\n",
        "ja.txt": f"{PREFIX}静かだ。\n{ATTACKS['directions']}彼が本を読んだ。\n",
        "polite.txt": f"{PREFIX}静かです。\n{ATTACKS['directions']}彼が本を読みました。\n",
        "ja-human.tsv": f"system\t{_BAD}\nja\t0.5\npolite\t0.25\n",
        "ja.rules": f"my-da polite = だ(da final) <-> です(desu final) / _ END\n- {_BAD}\n",
        "bad.rules": f"{_BAD}\n",
        "sheet.tsv": f"item\tseed\ttext\tverdict\tcomment\n1\t\t{_BAD}\t{_BAD}\t{_BAD}\n",
    }
    for name, content in contents.items():
        (folder / name).write_text(content, encoding="utf-8", newline="\n")


def test_every_command_is_run() -> None:
    assert sorted(RUNS) == sorted(name for _, name, _ in _leaves())


_WRONG_CALLS = ((_BAD,), ("--db", f"no{_BAD}", "info"), ("--db", "more.tsv", "info"))


_JSON = ("--quiet", "sql", "select text from sentence order by id", "-n", "0", "--json")


def test_no_command_sends_an_attack_to_its_terminal_and_json_is_exact(hostile: Corpus, tmp_path: Path) -> None:
    """Each is called once; but for the demonstration, which takes as long as the others together."""
    runs = [(*name.split(), *RUNS[name][0]) for name in RUNS if name != "demo"]
    command = [sys.executable, "-m", "corpusdb", *_JSON]
    piped = subprocess.run(command, env=environment(hostile), capture_output=True, check=True, encoding="utf-8").stdout
    as_json, *_ = _check_what_is_sent([_JSON, *runs, *_WRONG_CALLS], hostile, tmp_path)
    assert list(found_in(as_json.text.replace("\r\n", "\n"))) == []
    assert json.loads(as_json.text) == json.loads(piped)
    assert any(attack in text for (text,) in json.loads(as_json.text)["rows"] for attack in ATTACKS.values())
    assert list(found_in(piped)) != []  # to a program, texts go as they are


@pytest.mark.slow
@pytest.mark.parametrize("in_all_forms", [False, True])
@pytest.mark.parametrize("part", sorted({part for part, _, _ in _leaves()}))
def test_no_call_of_a_command_sends_an_attack_to_its_terminal(
    part: str, in_all_forms: bool, hostile: Corpus, tmp_path: Path
) -> None:
    _check_what_is_sent([*_runs(part, in_all_forms=in_all_forms), *_WRONG_CALLS], hostile, tmp_path)


def _check_what_is_sent(runs: Sequence[Sequence[str]], hostile: Corpus, folder: Path) -> list[Sent]:
    _write_files(hostile.folder)
    sent = on_terminals(runs, hostile, folder)
    assert {str(each.run): harm for each in sent if (harm := list(found_in(_rest(each.text))))} == {}
    assert [each.run for each in sent if each.code not in (0, 1, 2, 3)] == []
    assert [each.run for each in sent if re.search("Traceback|error: unexpected", each.text)] == []
    assert sum(each.code == 0 for each in sent) > len(sent) // 3  # enough of them had something to show
    assert sum("[red]" in each.text for each in sent) > len(sent) // 5  # and showed it
    return sent


def _rest(text: str) -> str:
    """What a command sent without what it sends itself: bold, and the line of progress that begins anew."""
    return _OWN.sub("", re.sub("\r+\n?", "\n", text))
