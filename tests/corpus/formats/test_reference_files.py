"""Writing reference sets."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from corpora import CHARACTERS
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.outputs import Guard
from corpusdb.corpus.formats.bitexts import MosesSource
from corpusdb.corpus.formats.records import (
    Options,
    Provenance,
    Record,
    ReferenceSet,
    digest,
    exact_digest,
    references_of_rank,
)
from corpusdb.corpus.formats.registry import FORMATS, reference_writer_of
from corpusdb.corpus.formats.scoring_input import read_references
from corpusdb.corpus.formats.tables import TsvSource
from corpusdb.scoring.queries.scoring_references import references_from_files

REFERENCE_FORMATS = sorted(name for name, format in FORMATS.items() if format.reference_writer)
SETS = [
    ReferenceSet("s1", "un", ("one", "a")),
    ReferenceSet("s2", "deux", ("two",)),
    ReferenceSet("s3", "3", ("c", "d", "e")),
]


def test_sacrebleu_files_are_filled_up_by_repeating_references(tmp_path: Path) -> None:
    paths = reference_writer_of("sacrebleu").write(iter(SETS), tmp_path / "new" / "folder")

    assert {path.name: path.read_bytes().decode() for path in paths} == {
        "source.txt": "un\ndeux\n3\n",
        "ref0.txt": "one\ntwo\nc\n",
        "ref1.txt": "a\ntwo\nd\n",
        "ref2.txt": "a\ntwo\ne\n",
    }


@given(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=4, unique=True), st.randoms(use_true_random=False))
def test_the_order_of_references_does_not_change_which_are_repeated(texts: list[str], chance: Random) -> None:
    """NIST and TER count each copy, and the digest knows no order."""
    turned = chance.sample(texts, len(texts))
    one, other = (ReferenceSet("1", "x", tuple(each)) for each in (texts, turned))
    filled = [sorted("".join(references_of_rank([each], rank)) for rank in range(6)) for each in (one, other)]
    assert filled[0] == filled[1] and {*filled[0]} == {*texts}


def test_jsonl(tmp_path: Path) -> None:
    (path,) = reference_writer_of("jsonl").write([ReferenceSet("1", "a\nb", ("日本", '"'))], tmp_path)

    assert path.read_text(encoding="utf-8") == '{"id":"1","source":"a\\nb","references":["日本","\\""]}\n'


def test_tsv(tmp_path: Path) -> None:
    (path,) = reference_writer_of("tsv").write(SETS[:2], tmp_path)

    assert path.read_bytes() == b"segment\trank\tsource\treference\n1\t1\tun\tone\n1\t2\tun\ta\n2\t1\tdeux\ttwo\n"


@pytest.mark.parametrize("name", REFERENCE_FORMATS)
@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (ReferenceSet("s9", "source", ()), "segment 's9' has no reference"),
        (ReferenceSet("s9", "source", ("a", "")), "reference 2 of segment 's9' is empty"),
        (ReferenceSet("s9", "source", (" \u3000",)), "reference 1 of segment 's9' is empty"),
        (ReferenceSet("s9", "", ("a",)), "source of segment 's9' is empty"),
    ],
)
def test_what_would_be_an_empty_line_is_refused_and_nothing_is_written(
    tmp_path: Path, name: str, bad: ReferenceSet, reason: str
) -> None:
    with pytest.raises(InputError, match=reason):
        reference_writer_of(name).write([*SETS, bad], tmp_path)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [("sacrebleu", "a\nb"), ("sacrebleu", "a\r"), ("tsv", "a\nb"), ("tsv", "a\tb"), ("tsv", "a\rb")],
)
@pytest.mark.parametrize("side", ["source", "reference"])
def test_line_breaks_are_refused(tmp_path: Path, name: str, text: str, side: str) -> None:
    bad = ReferenceSet("s9", text, ("a",)) if side == "source" else ReferenceSet("s9", "a", (text,))

    with pytest.raises(InputError, match=f"{side}.* of segment 's9' holds a line break"):
        reference_writer_of(name).write([*SETS, bad], tmp_path)


@pytest.mark.parametrize("name", REFERENCE_FORMATS)
def test_a_failure_leaves_the_files_of_before(tmp_path: Path, name: str) -> None:
    before = {path: path.read_bytes() for path in reference_writer_of(name).write(SETS, tmp_path)}

    with pytest.raises(InputError):
        reference_writer_of(name).write([SETS[2], ReferenceSet("s9", "source", ())], tmp_path, Guard(overwrite=True))

    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_references_of_an_earlier_larger_set_are_not_mixed_in(tmp_path: Path) -> None:
    reference_writer_of("sacrebleu").write(SETS, tmp_path)

    with pytest.raises(UsageError, match=r"ref2\.txt is left"):
        reference_writer_of("sacrebleu").write(SETS[:2], tmp_path, Guard(overwrite=True))

    assert reference_writer_of("sacrebleu").write(SETS, tmp_path, Guard(overwrite=True)) == [
        tmp_path / name for name in ("source.txt", "ref0.txt", "ref1.txt", "ref2.txt")
    ]


def test_a_directory_that_cannot_be_written_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(InputError, match="is not a folder"):
        reference_writer_of("sacrebleu").write(SETS, tmp_path / "file")


def test_files_have_the_permissions_of_ordinary_files(tmp_path: Path) -> None:
    mask = os.umask(0o022)
    try:
        paths = reference_writer_of("sacrebleu").write(SETS, tmp_path)
    finally:
        os.umask(mask)

    assert {path.stat().st_mode & 0o777 for path in paths} == {0o644}


DOCUMENTED = [ReferenceSet("1", "un", ("日本", "one ")), ReferenceSet("2", '"', ("b", "b"))]


def test_the_digest_is_of_the_documented_lines() -> None:
    serialised = '["one","日本"]\n["b"]\n'.encode()

    assert digest(iter(DOCUMENTED)) == f"2-{hashlib.sha256(serialised).hexdigest()}"


def test_the_exact_digest_is_of_all_texts_as_they_stand() -> None:
    serialised = '["un",["日本","one "]]\n["\\"",["b","b"]]\n'.encode()

    assert exact_digest(iter(DOCUMENTED)) == hashlib.sha256(serialised).hexdigest()


@pytest.mark.parametrize(
    "other",
    [
        SETS[::-1],
        SETS[:2],
        [ReferenceSet("s1", "un", ("one", "A")), *SETS[1:]],
        [ReferenceSet("s1", "un", ("one",)), *SETS[1:]],
        [ReferenceSet("s1", "un", ("one",)), ReferenceSet("s2", "deux", ("two", "a")), SETS[2]],
    ],
)
def test_the_digest_changes_with_the_references_and_the_order_of_the_segments(other: list[ReferenceSet]) -> None:
    assert digest(other) != digest(SETS)


TEXT = st.text(st.characters(exclude_characters="\n\r\t\0\ufeff", exclude_categories=["Cs"]), min_size=1).filter(
    lambda text: not text.isspace()
)
SEGMENTS = st.lists(
    st.builds(
        ReferenceSet, id=st.text(CHARACTERS), source=TEXT, references=st.lists(TEXT, min_size=1, max_size=6).map(tuple)
    ),
    min_size=1,
    max_size=6,
)


@given(SEGMENTS)
def test_every_format_holds_the_same_references(
    tmp_path_factory: pytest.TempPathFactory, sets: list[ReferenceSet]
) -> None:
    folder = tmp_path_factory.mktemp("references")
    written = {name: reference_writer_of(name).write(sets, folder) for name in REFERENCE_FORMATS}

    width = max(len(segment.references) for segment in sets)
    rows = list(MosesSource(tuple(written["sacrebleu"]), Options(tuple(f"l{n}" for n in range(width + 1)))).items())
    # Records and no rejections: no line of any file is empty.
    columns = [row.texts for row in rows if isinstance(row, Record)]
    assert len(columns) == len(rows) == len(sets)
    for (source, *references), segment in zip(columns, sets, strict=True):
        assert source == segment.source
        assert tuple(references[: len(segment.references)]) == segment.references
        assert set(references) == set(segment.references)

    options = Options(("fra", "eng"), columns=("source", "reference"))
    pairs = [item.texts for item in TsvSource((written["tsv"][0],), options).items() if isinstance(item, Record)]
    assert pairs == [(segment.source, reference) for segment in sets for reference in segment.references]

    objects = [json.loads(line) for line in written["jsonl"][0].read_text(encoding="utf-8").split("\n")[:-1]]
    read = [ReferenceSet(row["id"], row["source"], tuple(row["references"])) for row in objects]
    assert read == sets
    assert digest(read) == digest(sets)


# No control characters, which mark-up cannot hold.
_LINE = st.text(
    st.characters(exclude_characters="\ufeff\ufffe\uffff", exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1
).filter(lambda text: not text.isspace())
_SETS_OF_LINES = st.lists(
    st.builds(
        ReferenceSet,
        id=st.text(CHARACTERS),
        source=_LINE,
        references=st.lists(_LINE, min_size=1, max_size=4).map(tuple),
    ),
    min_size=1,
    max_size=5,
)


def digest_of_files(name: str, sets: list[ReferenceSet], folder: Path, shuffle: Callable[[list[Path]], None]) -> str:
    """What is scored with the references that this format holds, whose files are given in any order."""
    paths = reference_writer_of(name).write(sets, folder)
    # Beside those of the sources, which mteval and sacrebleu have in files of their own.
    files = [path for path in paths if "src" not in path.name and "source" not in path.name]
    shuffle(files)
    return references_from_files(read_references(files), files).digest


@pytest.mark.slow
@given(_SETS_OF_LINES, st.randoms(use_true_random=False), st.data())
def test_one_digest_of_what_is_scored(
    tmp_path_factory: pytest.TempPathFactory, sets: list[ReferenceSet], random: Random, data: st.DataObject
) -> None:
    """Whatever the format and its padding, the order of the references and of the files, and the sources."""
    named = digest(sets)
    padded = [replace(each, references=(*each.references, *random.choices(each.references, k=2))) for each in sets]
    shuffled = [
        replace(each, references=tuple(random.sample(each.references, len(each.references)))) for each in padded
    ]
    elsewhere = [replace(each, source=f"{each.source}.", id="") for each in shuffled]
    at = data.draw(st.integers(0, len(sets) - 1))
    new = data.draw(_LINE.filter(lambda text: text.strip() not in {one.strip() for one in sets[at].references}))
    changed = [*sets[:at], replace(sets[at], references=(*sets[at].references[1:], new)), *sets[at + 1 :]]
    for name in REFERENCE_FORMATS:
        for given_sets in (sets, shuffled, elsewhere):
            folder = tmp_path_factory.mktemp("one")
            assert digest_of_files(name, given_sets, folder, random.shuffle) == named, name
        assert digest_of_files(name, changed, tmp_path_factory.mktemp("other"), random.shuffle) != named, name
        longer = [*sets, ReferenceSet("more", "more", sets[0].references)]
        assert digest_of_files(name, longer, tmp_path_factory.mktemp("longer"), random.shuffle) != named, name


@pytest.mark.parametrize("name", REFERENCE_FORMATS)
def test_ids_that_mark_up_cannot_tell_apart_are_not_written(name: str, tmp_path: Path) -> None:
    """Characters that XML cannot hold are all read as one."""
    sets = [
        ReferenceSet(each, f"source {at}", (f"text {at}",)) for at, each in enumerate(("a\x01", "a\x02", "a\ufffd"))
    ]
    assert digest_of_files(name, sets, tmp_path, lambda _: None) == digest(sets)


KNOWN = {"one": Provenance("original"), "a": Provenance("detected+exchanged", 0.75, "real")}


@pytest.mark.parametrize("name", REFERENCE_FORMATS)
def test_where_references_come_from_is_written_and_changes_no_digest(tmp_path: Path, name: str) -> None:
    known = [replace(SETS[0], provenance=KNOWN, corpus="far"), *SETS[1:]]
    paths = reference_writer_of(name).write(known, tmp_path)
    rows = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    assert "detected+exchanged" in rows and "0.75" in rows
    assert references_from_files(read_references([tmp_path]), [tmp_path]).digest == digest(SETS)
    if name == "tsv":
        header = "segment\trank\tsource\treference\torigin\tvalidity\tcorpus\tchange\n"
        assert rows.startswith(f"{header}1\t1\tun\tone\toriginal\t\tfar\t\n")
    elif name == "jsonl":
        told = '"origin":["original","detected+exchanged"],"validity":[null,0.75],"corpus":"far","change":["","real"]}'
        assert f'"references":["one","a"],{told}' in rows
    else:
        assert paths[-1].name == "provenance.tsv"
        assert "segment\trank\torigin\tvalidity\tcorpus\tchange\n1\t1\toriginal\t\tfar\t\n" in rows
        assert "\n1\t2\tdetected+exchanged\t0.75\tfar\treal\n2\t1\t\t\t\t\n" in rows


@pytest.mark.parametrize("name", ["sacrebleu", "jsonl", "tsv"])
def test_a_source_that_is_not_known_is_no_copy_of_the_reference(tmp_path: Path, name: str) -> None:
    nameless = [replace(each, source="") for each in SETS]
    paths = reference_writer_of(name).write(nameless, tmp_path)
    assert not any("source" in path.name or "source" in path.read_text(encoding="utf-8") for path in paths)
    read = read_references([tmp_path])
    assert (read.sources, references_from_files(read, [tmp_path]).digest) == ((), digest(SETS))


def test_what_is_left_from_another_set_is_not_taken_for_that_of_this_one(tmp_path: Path) -> None:
    reference_writer_of("sacrebleu").write([replace(each, provenance=KNOWN) for each in SETS], tmp_path)
    with pytest.raises(UsageError, match=r"provenance\.tsv is left"):
        reference_writer_of("sacrebleu").write(SETS, tmp_path, Guard(overwrite=True))
