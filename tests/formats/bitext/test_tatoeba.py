"""Tatoeba's export of sentences and links."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.corpus.formats import tatoeba_links
from corpusdb.corpus.formats.records import Record, Rejected
from corpusdb.corpus.formats.tatoeba import TatoebaSource

SENTENCES = """\
1\teng\tOne.
2\tfra\tUn.
3\tjpn\t一。
4\teng\tUno?
5\t\\N\tQuoi
6\txyz\tBlah
7\tdeu\t 
9\tdeu\tEins.
"""


def _source(tmp_path: Path, sentences: str, links: str, *languages: str) -> TatoebaSource:
    (tmp_path / "sentences.csv").write_bytes(sentences.encode())
    (tmp_path / "links.csv").write_bytes(links.encode())
    return TatoebaSource.recognise((tmp_path / "links.csv", tmp_path / "sentences.csv"), languages)


UNUSABLE = [
    Rejected(5, "sentence 5 has no language"),
    Rejected(6, "language xyz is not known"),
    Rejected(7, "sentence 7 has no text"),
]
ONE_UN = Record(1, ("One.", "Un."), ("eng", "fra"))


def test_each_link_is_yielded_once(tmp_path: Path) -> None:
    source = _source(tmp_path, SENTENCES, "1\t2\n1\t3\n2\t1\n3\t1\n9\t2\n")

    expected = [
        *UNUSABLE,
        ONE_UN,
        Record(2, ("One.", "一。"), ("eng", "jpn")),
        # Only written from its larger number: not to be lost.
        Record(5, ("Eins.", "Un."), ("deu", "fra")),
    ]
    assert list(source.items()) == expected
    assert list(source.items()) == expected
    assert source.paths == (tmp_path / "sentences.csv", tmp_path / "links.csv")


def test_languages_choose_the_pairs(tmp_path: Path) -> None:
    source = _source(tmp_path, SENTENCES, "1\t2\n1\t3\n2\t3\n2\t9\n9\t8\n8\t1\n", "eng", "fra")

    assert [item for item in source.items() if isinstance(item, Record)] == [ONE_UN]
    # Neither a language nor a link that was not asked for is an error; a link of an English sentence to nothing is.
    assert [item for item in source.items() if isinstance(item, Rejected)] == [
        Rejected(5, "sentence 5 has no language"),
        Rejected(7, "sentence 7 has no text"),
        Rejected(6, "link to the unknown sentence 8"),
    ]


@pytest.mark.parametrize(
    ("links", "item"),
    [
        ("1\t8\n8\t1\n", Rejected(1, "link to the unknown sentence 8")),
        ("8\t1\n", Rejected(1, "link to the unknown sentence 8")),
        ("1\t4\n4\t1\n", Rejected(1, "sentences 1 and 4 are both eng")),
        ("1\t1\n", Rejected(1, "sentences 1 and 1 are both eng")),
        ("1\t5\n1\t6\n7\t1\n", None),
    ],
)
def test_links_that_give_no_pair(tmp_path: Path, links: str, item: Rejected | None) -> None:
    items = list(_source(tmp_path, SENTENCES, links).items())

    assert items == [*UNUSABLE, *([item] if item else [])]


def test_the_detailed_export_gzip_and_files_of_single_languages_are_read(tmp_path: Path) -> None:
    (tmp_path / "fra").write_bytes(gzip.compress(b"2\tfra\tUn.\tuser\t2010-01-01 00:00:00\t\\N\n", mtime=0))
    (tmp_path / "links").write_bytes(gzip.compress(b"1\t2\n", mtime=0))
    (tmp_path / "eng").write_bytes(b"4\teng\tUno?\tuser\n1\teng\tOne.\tuser\n")

    source = TatoebaSource.recognise((tmp_path / "fra", tmp_path / "links", tmp_path / "eng"))

    assert list(source.items()) == [ONE_UN]


@pytest.mark.parametrize(
    ("sentences", "links", "file", "line", "reason"),
    [
        ("1\teng\tOne.\n2\tfra\n", "1\t2\n", "sentences.csv", 2, "has 2 columns, 3 needed"),
        ("1\teng\tOne.\nzwei\tfra\tUn.\n", "1\t2\n", "sentences.csv", 2, "'zwei' is no sentence number"),
        ("-1\teng\tOne.\n", "1\t2\n", "sentences.csv", 1, "'-1' is no sentence number"),
        ("2147483648\teng\tOne.\n", "1\t2\n", "sentences.csv", 1, "is no sentence number"),
        (SENTENCES, "1\t2\n1\n", "links.csv", 2, "has 1 column, 2 needed"),
        (SENTENCES, "1\t2\n1\tx\n", "links.csv", 2, "'x' is no sentence number"),
        (SENTENCES, "1\t2\n1\t2\t3\n", "links.csv", 2, "is no sentence number"),
        (
            SENTENCES + "1\tdeu\tEins.\n",
            "1\t2\n",
            "sentences.csv",
            None,
            "sentence 1 is in the sentences of the export",
        ),
    ],
)
def test_malformed_files_are_refused(
    tmp_path: Path, sentences: str, links: str, file: str | None, line: int | None, reason: str
) -> None:
    with pytest.raises(InputError) as caught:
        list(_source(tmp_path, sentences, links).items())

    assert caught.value.line == line
    assert caught.value.path == (file and str(tmp_path / file))
    assert reason in caught.value.reason


def test_two_files_that_are_no_export_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1\t2\n")
    (tmp_path / "b").write_text("1\teng\tOne.\n")
    for names in ("aa", "bb", "a", "b"):
        with pytest.raises(UsageError, match="one file of links"):
            TatoebaSource.recognise(tuple(tmp_path / name for name in names))


LANGUAGES = ("eng", "fra", "jpn")


@given(
    sentences=st.dictionaries(st.integers(0, 12), st.sampled_from((*LANGUAGES, "xyz"))),
    links=st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, unique=True),
    wanted=st.sampled_from([(), ("eng", "fra"), LANGUAGES]),
    batch=st.integers(1, 5),
)
def test_against_a_dictionary(
    tmp_path_factory: pytest.TempPathFactory,
    sentences: dict[int, str],
    links: list[tuple[int, int]],
    wanted: tuple[str, ...],
    batch: int,
) -> None:
    folder = tmp_path_factory.mktemp("tatoeba")
    (folder / "s").write_text(
        "".join(f"{number}\t{code}\ttext {number}\n" for number, code in sentences.items()) or "99\teng\tx\n"
    )
    (folder / "l").write_text("".join(f"{left}\t{right}\n" for left, right in links))
    expected = set()
    for pair in links:
        codes = [sentences.get(number) for number in pair]
        if len(set(codes)) == 2 and all(code in (wanted or LANGUAGES) for code in codes):
            expected.add(frozenset(f"text {number}" for number in pair))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tatoeba_links, "_BATCH", batch)
        items = list(TatoebaSource((folder / "s",), folder / "l", wanted).items())

    found = [frozenset(item.texts) for item in items if isinstance(item, Record)]
    assert len(found) == len(set(found))
    assert set(found) == expected
