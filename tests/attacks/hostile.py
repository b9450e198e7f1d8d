"""A corpus in which every text and every name is an attack on the terminal, and looking for harm on the screen."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias
from unittest import mock
from xml.sax.saxutils import escape, quoteattr

from pilots import screen_text, settled
from textual.pilot import Pilot
from textual.widgets import Input

from corpusdb.alignment.queries.corpus_alignment import align_languages
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.importing import import_files
from corpusdb.corpus.formats import Options, open_sources
from corpusdb.corpus.queries import names as saved_queries
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.queries.detection import detect
from corpusdb.paraphrase.queries.filters import NSequenceFilter
from corpusdb.people.queries import samples, sessions, verdicts
from corpusdb.people.queries.samples import SampleOptions
from tui.app import Browser

# A corpus in which every text and every name is an attack on the terminal of whoever looks at it.
#
# It is the example of the paper, so that everything can be derived from it and every place has something to show.


ATTACKS = {
    "clipboard": "\x1b]52;c;ZXZpbA==\x07",
    "link": "\x1b]8;;http:evil.example\x1b\\link\x1b]8;;\x1b\\",
    "title": "\x1b]0;evil\x07",
    "colour": "\x1b[13;37;77m",
    "device": "\x1bPevil\x1b\\",
    "c1 colour": "\x9b13;37;77m",
    "c1 clipboard": "\x9d52;c;ZXZpbA==\x9c",
    "erase": "evil\x08\x08\x08\x08good\x7f\x0e\x05",
    "directions": "\u202elive\u202c\u2067\u2069\u200f\u061c",
    "tags": "\U000e0065\U000e0076\U000e0069\U000e006c\U000e007f",
    "separators": "\u2028\u2029\x85",
    "marks": "e" + "\u0335" * 100,
    "unseen": "\u200b\u2060\ufeff\xad\u3164\u115f",
    "joined": "a\u200db\ufe0fc\U000e0100",
    "noncharacters": "\ufffe\U0001fffff",
    "annotation": "\ufff9a\ufffab\ufffb",
    "markup": "[bold red]evil[/][@click=app.quit]evil[/]",
}
NAME = "".join(ATTACKS.values())
PREFIX = "\x1b[13;77m\x9b\u202e\U000e0065[red]\u2060"
"""At the beginning of each text, where every screen shows it."""
_FOR_XML = {where: re.sub("[\x00-\x08\x0b-\x1f\ufffe]", "", attack) for where, attack in ATTACKS.items()}

SENTENCES = (
    ("I'd like a beer, please.", "Je voudrais une bière, s'il vous plaît.", "ビールをください。"),
    ("A beer, please.", "Une bière, s'il vous plaît.", "ビールをください。"),
    ("Can I have a beer?", "Une bière, s'il vous plaît.", "ビールはありますか。"),
    ("I'd like a slice of pizza, please.", "Je voudrais une part de pizza, s'il vous plaît.", "ピザをください。"),
    ("A slice of pizza, please.", "Une part de pizza, s'il vous plaît.", "ピザをください。"),
    ("I'd like a twin, please.", "Je voudrais une chambre à deux lits, s'il vous plaît.", "ツインをください。"),
    ("A twin, please.", "Une chambre à deux lits, s'il vous plaît.", "ツインをください。"),
)
LANGUAGES = ("eng", "fra", "jpn")
BEER = f"{PREFIX}A beer, please."

# What may reach a terminal: neither by its category nor by its place does any character of it move or hide anything.
_UNSEEN = frozenset("\xad\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_MOST_MARKS = 8


@dataclass(frozen=True)
class Corpus:
    """The database, and the folder in which it and the files stand."""

    path: Path
    folder: Path


def found_in(text: str) -> Iterator[str]:
    """What a terminal should not be sent, one after the other; line ends and tabs are no harm."""
    marks = 0
    for char in text.replace("\r\n", "\n"):
        category = unicodedata.category(char)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        bad = category in ("Cc", "Cf", "Cs", "Zl", "Zp") and char not in "\n\t"
        code = ord(char)
        if (
            bad
            or char in _UNSEEN
            or marks > _MOST_MARKS
            or code & 0xFFFE == 0xFFFE
            or 0xFDD0 <= code < 0xFDF0
            or 0xFE00 <= code < 0xFE10
            or 0xE0000 <= code < 0xE1000
        ):
            yield f"U+{code:04X}"


def corpus_in(folder: Path) -> Corpus:
    """Where the corpus stands that was made in a folder."""
    inside = folder / f"in {ATTACKS['clipboard']}{ATTACKS['directions']}[red]\n"
    return Corpus(inside / f"{ATTACKS['colour']}{ATTACKS['tags']}[red].db", inside)


def make_corpus(folder: Path) -> None:
    """Write the files, import them, and derive and store whatever the program can."""
    corpus = corpus_in(folder)
    path, inside = corpus.path, corpus.folder
    inside.mkdir()
    unguarded: list[Any] = [
        *(mock.patch.object(room, "check_name") for room in (verdicts, saved_queries)),
        *(mock.patch.object(room, "kept_name", lambda name, what: name) for room in (samples, sessions)),
    ]
    for each in unguarded:
        each.start()
    try:
        with open_store(path, create=True) as store:
            for number, file in enumerate(_files(inside)):
                sources = open_sources(None, [file], Options(languages=LANGUAGES if file.suffix == ".tsv" else ()))
                licence = f"licence {NAME}"
                finished(import_files(store, sources, f"{PREFIX}{number} {NAME}", licence, follow=False))
            _derive(store)
    finally:
        for each in unguarded:
            each.stop()


def _files(folder: Path) -> Iterator[Path]:
    rows = [tuple(PREFIX + text for text in texts) for texts in SENTENCES]
    plain = folder / f"{ATTACKS['clipboard']}[red]\n.tsv"
    plain.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8", newline="\n")
    yield plain
    unit = folder / f"{ATTACKS['c1 colour']}{ATTACKS['directions']}.jsonl"
    documents = [
        {
            "id": f"unit {NAME}",
            "document": f"document {where} {attack}",
            "attributes": {f"of {where}": attack},
            "texts": [{"lang": code, "text": f"{text} {attack}"} for code, text in zip(LANGUAGES, row, strict=True)],
        }
        for (where, attack), row in zip(ATTACKS.items(), rows * 9, strict=False)
    ]
    unit.write_text("".join(json.dumps(each) + "\n" for each in documents), encoding="utf-8")
    yield unit
    yield from _xml_files(folder)


def _xml_files(folder: Path) -> Iterator[Path]:
    pairs = [(where, f"{where} {attack}") for where, attack in _FOR_XML.items()]
    tmx = folder / f"{ATTACKS['tags']}.tmx"
    units = "".join(
        f'<tu tuid={quoteattr(text)}><tuv xml:lang="en"><seg>tmx {escape(text)}</seg></tuv>'
        f'<tuv xml:lang="fr"><seg>tmx {escape(text)} fr</seg></tuv></tu>'
        for _, text in pairs
    )
    header = '<header srclang="en" datatype="x" segtype="sentence" adminlang="en" creationtool="x" '
    tmx.write_text(
        f'<tmx version="1.4">{header}creationtoolversion="1" o-tmf="x"/><body>{units}</body></tmx>', encoding="utf-8"
    )
    yield tmx
    wmt = folder / f"{ATTACKS['unseen']}.xml"
    inside = "".join(
        f'<doc id={quoteattr(text)} origlang="en"><src lang="en"><p><seg id="1">wmt {escape(text)}</seg></p></src>'
        f'<ref lang="fr" translator={quoteattr(text)}><p><seg id="1">wmt {escape(text)} fr</seg></p></ref></doc>'
        for _, text in pairs
    )
    wmt.write_text(f'<?xml version="1.0" encoding="utf-8"?><dataset id="d">{inside}</dataset>', encoding="utf-8")
    yield wmt


def _derive(store: Store) -> None:
    for language in LANGUAGES:
        finished(detect(store, language))
        finished(generate(store, language))
    finished(align_languages(store, "eng", "fra"))
    session = f"{PREFIX}{NAME}"
    sessions.create_session(store, session, "eng", [PREFIX + row[0] for row in SENTENCES])
    sentences = samples.draw_sample(
        store, f"{PREFIX}{NAME}", SampleOptions("grammaticality", "eng", 4, seed=1, kept=NSequenceFilter(3))
    )
    samples.draw_sample(store, f"{PREFIX}pairs", SampleOptions("meaning", "eng", 4, seed=1, kept=NSequenceFilter(3)))
    for item in range(1, sentences.items + 1):
        verdicts.record(store, sentences, f"{PREFIX}ann", item, "yes", f"comment {NAME}")
        verdicts.record(store, sentences, f"{PREFIX}bob", item, "no", f"{PREFIX}comment")
    saved_queries.save_query(
        store, f"{PREFIX}{NAME}", "search", {"pattern": PREFIX, "lang": "eng"}, note=f"note {NAME}"
    )


# Looking for harm at a screen of the browser that stands.


async def look(browser: Browser, pilot: Pilot[None]) -> None:
    """Look at the screen that stands: it holds no harm, and all of it went through the door before the wall."""
    await settled(pilot)
    assert list(found_in(screen_text(browser))) == []
    typed = [each.value for screen in browser.screen_stack for each in screen.query(Input)]
    if not any(list(found_in(value)) for value in typed):
        assert browser.wall.met == [], browser.wall.met


async def look_twice(browser: Browser, pilot: Pilot[None], attack: str) -> None:
    """Look at it, and once more when its status line has said something that attacks it."""
    await look(browser, pilot)
    browser.say(attack, is_error=True)
    await look(browser, pilot)
    assert "Traceback" not in screen_text(browser)


# Asks the runner beside it for what the program sends to its terminal.


Run: TypeAlias = Sequence[str] | Mapping[str, object]
"""Arguments of the command line; or, for the browser, ``stand`` and ``keys``."""

_CHECKOUT = Path(__file__).parents[2]
_RUNNER = Path(__file__).with_name("terminal_runs.py")


@dataclass(frozen=True)
class Sent:
    """What came out of one run."""

    run: Run
    code: int
    text: str


def environment(corpus: Corpus) -> dict[str, str]:
    """That of a process whose database is the corpus."""
    path = os.pathsep.join([str(_CHECKOUT), str(_CHECKOUT / "tests" / "driving")])
    terminal = {
        "LC_ALL": "C.UTF-8",
        "TERM": "xterm-256color",
        "COLUMNS": "120",
        "PAGER": "cat",
    }  # others wait for a key
    return {**os.environ, **terminal, "PYTHONPATH": path, "CORPUSDB_DB": str(corpus.path)}


def on_terminals(runs: Sequence[Run], corpus: Corpus, folder: Path) -> list[Sent]:
    """What each run sends to a terminal of its own, one after the other over one corpus."""
    asked, answered = folder / "runs.json", folder / "answers.json"
    asked.write_text(json.dumps(runs), encoding="utf-8")
    subprocess.run([sys.executable, _RUNNER, asked, answered], check=True, cwd=corpus.folder, env=environment(corpus))
    answers = json.loads(answered.read_text(encoding="utf-8"))
    return [Sent(each["run"], each["code"], bytes.fromhex(each["sent"]).decode()) for each in answers]
