"""Forty things that people do with sacrebleu, compare-mt, mt-metrics-eval, CWB, Sketch Engine and AntConc, done here.

``others.tsv`` has for each what it is there, by the manual of that program, the call here, and a regular expression for
what the answer holds. That the numbers are theirs is shown by the tests of each command.
"""

from __future__ import annotations

import csv
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from calls import Run, write_files

with Path(__file__).with_name("others.tsv").open(encoding="utf-8", newline="") as table:
    THINGS = [*csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE)]
REFERENCE = ("The tea is cold.", "She gave it up.", "Rain fell all day.", "He is at home.", "I drink tea.", "It is.")
FILES = {
    "r.txt": REFERENCE,
    "r2.txt": ("Tea is cold.", "She quit.", "It rained all day.", "He is in.", "I have tea.", "It is so."),
    "a.txt": ("The tea is cold.", "She gave up.", "Rain all day.", "He is at home.", "I drink tea.", "It is."),
    "b.txt": ("The tea was cold.", "She gave it.", "It rained.", "He is home.", "I drink tea.", "Is."),
    "c.txt": ("Cold.", "Up.", "Day.", "Home.", "Tea.", "It."),
    "h.tsv": ("system\tsegment\tz", *(f"{'abc'[n]}\t{at}\t{at % 2 - n / 2}" for n in range(3) for at in range(6))),
    "d.tsv": ("doc\tfirst_segment\tn_segments\tdomain", "x\t0\t3\tnews", "y\t3\t3\tchat"),
    "x.seg.score": ("a\t0.25", "a\t0.5"),
    "list.tsv": ("tea\t1", "the\t1000"),
}  # fmt: skip
TREEBANK = (
    ("a", "2001", "talk", "I.I.PRON.2.nsubj drink.drink.VERB.0.root strong.strong.ADJ.4.amod tea.tea.NOUN.2.obj"),
    ("b", "2006", "talk", "Tea.tea.NOUN.2.compound drinks.drink.NOUN.4.nsubj were.be.AUX.4.cop cold.cold.ADJ.0.root"),
    ("c", "2011", "letter", "She.she.PRON.2.nsubj gave.give.VERB.0.root up.up.ADP.2.compound tea.tea.NOUN.2.obj"),
)


def conllu() -> Iterator[str]:
    for name, year, genre, sentence in TREEBANK:
        yield from (f"# newdoc id = {name}", f"# meta::year = {year}", f"# meta::genre = {genre}")
        for number, token in enumerate(sentence.split(), 1):
            form, lemma, tag, head, relation = token.split(".")
            yield "\t".join((str(number), form, lemma, tag, "_", "_", head, relation, "_", "_"))
        yield ""


def vertical() -> Iterator[str]:
    yield "<text>"
    for speaker, sentence in (("Ann", "My tea is hot"), ("Bob", "Cold tea was left")):
        yield from (f'<s who="{speaker}">', *(f"{word}\t{word.lower()}" for word in sentence.split()), "</s>")
    yield "</text>"


@pytest.fixture
def workspace(run: Run, finished_phrasebook: Path, tmp_path: Path) -> Path:
    shutil.copy(finished_phrasebook, tmp_path / "corpus.db")
    tags = {f"{name}.tag": [line.replace("tea", "NOUN") for line in FILES[f"{name}.txt"]] for name in "rab"}
    write_files(tmp_path, {**FILES, **tags, "words.conllu": conllu(), "spoken.vert": vertical()})
    for call in ("words.conllu --name words", "spoken.vert --attributes word,lemma --name spoken"):
        assert run("import", *call.split(), "--lang", "eng").exit_code == 0
    assert run("align", "--lang", "eng,fra").exit_code == 0
    for name, pattern in (("teas", "tea"), ("colds", "cold")):
        assert run("search", pattern, "--word", "--lang", "eng").exit_code == 0
        assert run("results", "keep", name).exit_code == 0
    return tmp_path


@pytest.mark.slow
def test_forty_things_are_done(run: Run, workspace: Path) -> None:
    assert len(THINGS) == 40
    fails = []
    for each in THINGS:
        result = run(*shlex.split(each["here"]))
        page = (workspace / "page.html").read_text(encoding="utf-8") if "--page" in each["here"] else ""
        if result.exit_code or not re.search(each["answer"], f"{result.stdout}{page}"):
            fails.append((each["program"], each["there"], each["here"], result.stdout[:300], result.stderr[-300:]))
    assert fails == []
