"""JSON Lines, parallel plain text, and Tatoeba's export: what is read, and what is refused at which line."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.corpus.formats import tatoeba_links
from corpusdb.corpus.formats.bitexts import MosesSource, TatoebaSource, write_moses
from corpusdb.corpus.formats.jsonl import JsonlSource, write_jsonl
from corpusdb.corpus.formats.records import Document, Item, Options, Record, Rejected, Version

ALL = ()
PAIR = ("eng", "fra")
A, B = Version("reference", "A"), Version("reference", "B")


def _items(tmp_path: Path, text: str, languages: tuple[str, ...] = ALL) -> list[Item]:
    path = tmp_path / "file.jsonl"
    path.write_bytes(text.encode())
    return list(JsonlSource((path,), Options(languages)).items())


@pytest.mark.parametrize(
    ("unit", "languages", "item"),
    [
        ({"eng": "a", "fra": "b"}, ALL, Record(1, ("a", "b"), PAIR)),
        ({"french": "b", "en-GB": "a"}, ALL, Record(1, ("b", "a"), ("fra", "eng"))),
        ({"french": "b", "en-GB": "a"}, PAIR, Record(1, ("a", "b"), PAIR)),
        ({"en": "a", "fr": "b", "de": "c"}, ("deu", "eng"), Record(1, ("c", "a"), ("deu", "eng"))),
        ({"en": ["a", "b", ""], "fr": "c"}, ALL, Record(1, ("a", "b", "c"), ("eng", "eng", "fra"))),
        ({"en": " ", "fr": "b"}, ALL, Rejected(1, "has a text in fra only")),
        ({"en": None, "fr": []}, ALL, Rejected(1, "has no text")),
        ({"en": "a", "fr": 1}, ("eng", "deu"), Rejected(1, "has a text in eng only")),
        ({"score": 0.5, "en": "a", "fr": "b", "": {}}, ALL, Record(1, ("a", "b"), PAIR)),
        ({"id": "x", "document": "d", "en": "a", "fr": "b"}, ALL, Record(1, ("a", "b"), PAIR, "x", Document("d"))),
        ({"id": 7, "document": 8, "en": "a", "fr": "b"}, ALL, Record(1, ("a", "b"), PAIR, "7", Document("8"))),
        ({"id": None, "document": None, "en": "a", "fr": "b"}, ALL, Record(1, ("a", "b"), PAIR)),
        ({"id": "a", "en": "b"}, ("ind", "eng"), Record(1, ("a", "b"), ("ind", "eng"))),
        ({"id": "x", "ind": "a", "en": "b"}, ("ind", "eng"), Record(1, ("a", "b"), ("ind", "eng"), "x")),
        ({"id": "x", "translation": {"id": "a", "en": "b"}}, ALL, Record(1, ("a", "b"), ("ind", "eng"), "x")),
        ({"translation": {"en": "a", "fr": "b"}}, ALL, Record(1, ("a", "b"), PAIR)),
        ({"translation": "b", "en": "a"}, ALL, Rejected(1, "has a text in eng only")),
        (
            {"texts": [{"lang": "en", "text": "a"}, {"lang": "xx", "text": "x"}, {"lang": "fr", "text": "b"}]},
            PAIR,
            Record(1, ("a", "b"), PAIR),
        ),
        (
            {
                "id": "x",
                "document": "d",
                "attributes": {"origlang": "fr", "domain": "news"},
                "texts": [
                    {"lang": "fr", "text": "a", "role": "source"},
                    {"lang": "eng", "text": "b", "role": "reference", "name": "A"},
                    {"lang": "eng", "text": "b", "role": "reference", "name": "B", "score": 1},
                ],
            },
            ("eng", "fra"),
            Record(
                1,
                ("b", "b", "a"),
                ("eng", "eng", "fra"),
                "x",
                Document("d", (("domain", "news"), ("origlang", "fr"))),
                (A, B, Version("source")),
            ),
        ),
    ],
)
def test_shapes(tmp_path: Path, unit: object, languages: tuple[str, ...], item: Item) -> None:
    assert _items(tmp_path, json.dumps(unit), languages) == [item]


def test_lines_end_in_lf_alone(tmp_path: Path) -> None:
    text = '\ufeff{"en":"a\u2028","fr":"b\x85"}\r\n\n  \n{"en":"c","fr":"d"}'
    assert _items(tmp_path, text) == [
        Record(1, ("a\u2028", "b\x85"), PAIR),
        Rejected(2, "blank line"),
        Rejected(3, "blank line"),
        Record(4, ("c", "d"), PAIR),
    ]


@pytest.mark.parametrize("row", ["{}", '{"id": 2, "text": "a"}', '{"texts": []}', '{"translation": {}}', '{"de": "a"}'])
def test_an_object_without_a_text_that_is_asked_for_is_left_out(tmp_path: Path, row: str) -> None:
    assert _items(tmp_path, row, PAIR) == [Rejected(1, "has no text")]


def test_a_key_given_twice_counts_once(tmp_path: Path) -> None:
    assert _items(tmp_path, '{"en": "a", "fr": "b", "en": "c"}') == [Record(1, ("c", "b"), PAIR)]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('{"en": "a", "fr": "b"', "is not JSON: .* at character 22"),
        ("One.\tUn.", "is not JSON"),
        ('["a", "b"]', "is not a JSON object"),
        ("null", "is not a JSON object"),
        ("[" * 500_000, "is not JSON that can be read"),
        ('{"n": ' + "1" * 5000 + "}", "is not JSON that can be read"),
        ('{"en": "a", "fr": 1}', "the value of 'fr' is not a string"),
        ('{"en": "a", "fr": ["b", ["c"]]}', "the value of 'fr' is not a string"),
        ('{"en": "a", "fr": "b", "id": true}', "the value of 'id' is not a string"),
        ('{"en": "a", "fr": "b", "document": {}}', "the value of 'document' is not a string"),
        ('{"en": "a", "fr": "b", "document": "d", "attributes": []}', None),
        ('{"en": "a", "fr": "b", "document": "d", "attributes": [1]}', "'attributes' is not an object"),
        ('{"texts": ["a", "b"]}', "a text in 'texts' is not an object"),
        ('{"texts": [{"text": "a"}]}', "the value of 'lang' is not a string"),
        ('{"texts": [{"lang": "xx", "text": "a"}]}', "unknown language code 'xx'"),
        ('{"texts": [{"lang": "en"}]}', "the value of 'text' is not a string"),
        (
            '{"texts": [{"lang": "en", "text": "a", "role": "judge"}]}',
            "the role 'judge' is not one of source, reference",
        ),
        ('{"texts": [{"lang": "en", "text": "a", "role": []}]}', "the role .. is not one of"),
        (r'{"en": "a\u0000", "fr": "b"}', "holds '.x00', which is not a character"),
        (r'{"en": "a\ud83d", "fr": "b"}', "holds '.ud83d', which is not a character"),
        (r'{"en": "\ud83d\ude00", "fr": "b"}', None),
    ],
)
def test_what_is_refused(tmp_path: Path, row: str, reason: str | None) -> None:
    text = '{"en": "a", "fr": "b"}\n' + row + "\n"
    if reason is None:
        assert len(_items(tmp_path, text)) == 2
        return
    with pytest.raises(InputError, match=reason) as caught:
        _items(tmp_path, text)

    assert (caught.value.path, caught.value.line) == (str(tmp_path / "file.jsonl"), 2)


def test_lines_are_counted_on_from_file_to_file(tmp_path: Path) -> None:
    paths = (tmp_path / "one.jsonl", tmp_path / "two.jsonl")
    for path in paths:
        path.write_text('{"en": "a", "fr": "b"}\n' * 2)
    assert [item.line for item in JsonlSource(paths, Options()).items()] == [1, 2, 3, 4]

    paths[1].write_text("\n?\n")
    with pytest.raises(InputError) as caught:
        list(JsonlSource(paths, Options()).items())
    assert (caught.value.path, caught.value.line) == (str(paths[1]), 2)


def test_what_is_written() -> None:
    units = [
        Record(1, ("é\u2028", "b"), PAIR),
        Record(2, ("a", "b"), PAIR, "x", Document("d", (("domain", "news"),)), (Version("source"), B)),
    ]
    file = io.StringIO()

    assert write_jsonl(units, file) == 2
    assert file.getvalue() == (
        '{"texts":[{"lang":"eng","text":"é\u2028"},{"lang":"fra","text":"b"}]}\n'
        '{"id":"x","document":"d","attributes":{"domain":"news"},"texts":[{"lang":"eng","text":"a","role":"source"},'
        '{"lang":"fra","text":"b","role":"reference","name":"B"}]}\n'
    )


def _write(directory: Path, **texts: str) -> tuple[Path, ...]:
    for code, text in texts.items():
        (directory / f"corpus.{code}").write_bytes(text.encode())
    return tuple(directory / f"corpus.{code}" for code in texts)


def test_line_n_translates_line_n(tmp_path: Path) -> None:
    paths = _write(tmp_path, en="a\n\nc\nd\u2028\n", fr="w\n \ny\nz")

    items = list(MosesSource(paths, Options(("eng", "fra"))).items())

    assert items == [
        Record(1, ("a", "w")),
        Rejected(2, "blank line"),
        Record(3, ("c", "y")),
        Record(4, ("d\u2028", "z")),
    ]


def test_a_line_that_is_blank_on_one_side_is_rejected_in_its_place(tmp_path: Path) -> None:
    paths = _write(tmp_path, en="a\nb\nc\n", fr="x\n\nz\n")

    assert list(MosesSource(paths, Options(("eng", "fra"))).items()) == [
        Record(1, ("a", "x")),
        Rejected(2, "empty text in corpus.fr (fra)"),
        Record(3, ("c", "z")),
    ]


def test_of_three_languages_one_may_lack(tmp_path: Path) -> None:
    paths = _write(tmp_path, en="a\nb\n", fr="\n\n", de="x\n\n")

    assert list(MosesSource(paths, Options(("eng", "fra", "deu"))).items()) == [
        Record(1, ("a", "", "x")),
        Rejected(2, "empty text in corpus.fr (fra) and corpus.de (deu)"),
    ]


@pytest.mark.parametrize(
    ("english", "french", "german", "line", "counts"),
    [
        ("a\nb\nc\n", "x\n", "x\ny\nz\n", 2, (3, 1, 3)),
        ("a\n", "x\n", "x\n\n", 2, (1, 1, 2)),
        ("a\nb\n", "x\ny\nz\nw", "x\ny\nz\n", 3, (2, 4, 3)),
    ],
)
def test_unequal_files_are_refused_with_their_counts(
    tmp_path: Path, english: str, french: str, german: str, line: int, counts: tuple[int, ...]
) -> None:
    paths = _write(tmp_path, en=english, fr=french, de=german)

    with pytest.raises(InputError) as caught:
        list(MosesSource(paths, Options(("eng", "fra", "deu"))).items())

    assert caught.value.line == line
    for path, count in zip(paths, counts, strict=True):
        assert f"{path} has {count} line" in caught.value.reason


@pytest.mark.parametrize(
    ("names", "languages"),
    [
        (["c.en"], ("eng", "fra")),
        ([], ()),
        (["c.fr", "c.en"], ("eng", "fra")),
        (["c.fr.txt", "c.en.gz"], ("eng", "fra")),
    ],
)
def test_files_that_do_not_fit_the_languages_are_refused(names: list[str], languages: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        MosesSource(tuple(map(Path, names)), Options(languages))


def test_a_missing_text_is_never_an_empty_line() -> None:
    units = [
        Record(1, ("a", "w")),
        Record(2, ("b", "")),
        Record(3, ("c", "x", "y"), ("eng", "fra", "fra")),
        Record(4, ("z", "d", "e"), ("fra", "eng", "deu")),
    ]
    files = {language: io.StringIO() for language in ("eng", "fra")}

    assert [write_moses(units, ("eng", "fra"), language, file) for language, file in files.items()] == [2, 2]
    assert [file.getvalue() for file in files.values()] == ["a\nd\n", "w\nz\n"]


@pytest.mark.parametrize("text", ["a\nb", "a\r", "\0"])
def test_a_text_that_would_not_be_one_line_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="plain text cannot hold the character"):
        write_moses([Record(1, (text, "b"))], ("eng", "fra"), "eng", io.StringIO())


# Tatoeba's export of sentences and links.


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
    return TatoebaSource.recognise((tmp_path / "links.csv", tmp_path / "sentences.csv"), Options(languages))


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

    source = TatoebaSource.recognise((tmp_path / "fra", tmp_path / "links", tmp_path / "eng"), Options())

    assert list(source.items()) == [ONE_UN]


@pytest.mark.parametrize(
    ("sentences", "links", "file", "line", "reason"),
    [
        ("1\teng\tOne.\n2\tfra\n", "1\t2\n", "sentences.csv", 2, "has 2 columns, 3 needed"),
        ("1\teng\tOne.\nzwei\tfra\tUn.\n", "1\t2\n", "sentences.csv", 2, "'zwei' is not a sentence number"),
        ("-1\teng\tOne.\n", "1\t2\n", "sentences.csv", 1, "'-1' is not a sentence number"),
        ("2147483648\teng\tOne.\n", "1\t2\n", "sentences.csv", 1, "is not a sentence number"),
        (SENTENCES, "1\t2\n1\n", "links.csv", 2, "has 1 column, 2 needed"),
        (SENTENCES, "1\t2\n1\tx\n", "links.csv", 2, "'x' is not a sentence number"),
        (SENTENCES, "1\t2\n1\t2\t3\n", "links.csv", 2, "is not a sentence number"),
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
            TatoebaSource.recognise(tuple(tmp_path / name for name in names), Options())


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
        items = list(TatoebaSource((folder / "s", folder / "l"), Options(wanted)).items())

    found = [frozenset(item.texts) for item in items if isinstance(item, Record)]
    assert len(found) == len(set(found))
    assert set(found) == expected
