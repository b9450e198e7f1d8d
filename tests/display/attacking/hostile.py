"""A corpus in which every text and every name is an attack on the terminal of whoever looks at it.

It is the example of the paper, so that everything can be derived from it and every place has something to show.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest import mock
from xml.sax.saxutils import escape, quoteattr

from corpusdb.alignment.queries.corpus_alignment import align_languages
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.importing import import_files
from corpusdb.corpus.formats import Options, open_sources
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.queries.detection import detect
from corpusdb.paraphrase.queries.filters import NSequenceFilter
from corpusdb.people.queries import samples, sessions, verdicts
from corpusdb.people.queries.samples import SampleOptions
from corpusdb.search.queries import saved_queries

__all__ = ["ATTACKS", "BEER", "NAME", "PREFIX", "SENTENCES", "Corpus", "corpus_in", "found_in", "make_corpus"]

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
    unguarded = [mock.patch.object(room, "check_name") for room in (verdicts, samples, saved_queries, sessions)]
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
