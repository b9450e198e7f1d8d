"""Tables as outputs, references and sources: columns are chosen by their header or refused, and never read as text."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpusdb.base.errors import InputError
from corpusdb.corpus.formats.columns import COLUMNS
from corpusdb.corpus.formats.records import Options, Record, Rejected
from corpusdb.corpus.formats.scoring_input import read_output, read_plain, read_references, read_sources, read_texts
from corpusdb.corpus.formats.segments import segmentation_by_line
from corpusdb.corpus.formats.tables import CsvSource, TsvSource

TEXTS = st.lists(
    st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=9).filter(str.strip),
    min_size=1,
    max_size=6,
)


def table(folder: Path, name: str, *rows: str) -> Path:
    path = folder / name
    delimiter = "," if name.endswith(".csv") else "\t"
    path.write_text("".join(row.replace("|", delimiter) + "\n" for row in rows), encoding="utf-8")
    return path


def outputs(path: Path, count: int = 2) -> list[tuple[str, tuple[str, ...]]]:
    found = read_output(path, segmentation_by_line(Path("ref.txt"), count))
    return [(each.system, each.texts) for each in found]


@pytest.mark.parametrize("extension", ["tsv", "csv"])
@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (("hyp", "a", "b"), [("out", ("a", "b"))]),
        (("a", "b"), [("out", ("a", "b"))]),
        (("text", "a", "b"), [("out", ("a", "b"))]),
        (("id|Source|Hypothesis", "1|x|a", "2|y|b"), [("out", ("a", "b"))]),
        (("source|target", "x|a", "y|b"), [("out", ("a", "b"))]),
        (("source|target|MT", "x|r|a", "y|s|b"), [("out", ("a", "b"))]),
        (("segment|output", "1|a", "2|"), [("out", ("a", ""))]),
        (("source|hyp1|hyp 2", "x|a|b", "y|c|d"), [("hyp1", ("a", "c")), ("hyp 2", ("b", "d"))]),
        (("fra:source|eng:system:A|eng:reference:B", "x|a|r", "y|b|s"), [("A", ("a", "b"))]),
    ],
)
def test_outputs(tmp_path: Path, extension: str, rows: tuple[str, ...], expected: list[object]) -> None:
    assert outputs(table(tmp_path, f"out.{extension}", *rows)) == expected


@pytest.mark.parametrize("extension", ["tsv", "csv"])
@pytest.mark.parametrize(
    ("rows", "references", "sources"),
    [
        (("source|reference", "x|a", "y|b"), [["a"], ["b"]], ("x", "y")),
        (("ref0|ref1|note", "a|b|!", "c||!"), [["a", "b"], ["c"]], ()),
        (("src|target", "x|a", "y|b"), [["a"], ["b"]], ("x", "y")),
        (("target|reference", "x|a", "y|b"), [["a"], ["b"]], ()),
        (("reference|segment", "a|1", "b|1", "c|2"), [["a", "b"], ["c"]], ()),
        (("fra:source|eng:reference:A|eng:reference:B|eng:system:X", "x|a|b|h", "y|c||h"), [["a", "b"], ["c"]],
         ("x", "y")),
        (("a", "b"), [["a"], ["b"]], ()),
    ],
)  # fmt: skip
def test_references(
    tmp_path: Path, extension: str, rows: tuple[str, ...], references: list[list[str]], sources: tuple[str, ...]
) -> None:
    found = read_references([table(tmp_path, f"ref.{extension}", *rows)])
    assert [[each.text for each in segment] for segment in found.references] == references
    assert found.sources == sources


def test_sources(tmp_path: Path) -> None:
    path = table(tmp_path, "dev.tsv", "id|source|target", "1|x|a", "2|y|b")
    assert read_sources(path)[0] == read_texts(path) == ["x", "y"]
    assert read_texts(table(tmp_path, "plain.fr", "x", "y")) == ["x", "y"]


@pytest.mark.parametrize("extension", ["tsv", "csv"])
@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (("a|b", "c|d"), "out:1: which column has an output? The first line has a, b; one is to be called hypothesis,"),
        (("source|reference", "x|a"), "out:1: which column has an output? The first line has source, reference;"),
        (("source|hyp", "x|a", "b"), "out:3: 1 columns, and the first line has 2"),
        (("source|hyp", "x|a"), "ref:2: has no counterpart: "),
        (("segment|hyp", "2|a", "1|b"), "out:2: segment '2' stands where 1 is next"),
        (("segment|hyp", "1|a", "1|b", "2|c"), "out:3: segment 1 stands here again"),
    ],
)
def test_what_is_refused(tmp_path: Path, extension: str, rows: tuple[str, ...], reason: str) -> None:
    with pytest.raises(InputError) as refused:
        outputs(table(tmp_path, f"out.{extension}", *rows))
    assert reason in f"{Path(str(refused.value.path)).stem}:{refused.value.line}: {refused.value.reason}"


@pytest.mark.parametrize(
    ("rows", "is_table"),
    [
        (("source|target", "x|a", "y"), True),
        (("segment|rank|reference",), True),
        (("a|b", "c|d"), True),
        (("a|b", "c"), False),
        (("a|b",), False),
        (("source", "a"), False),
    ],
)
def test_plain_text_is_no_table(tmp_path: Path, rows: tuple[str, ...], is_table: bool) -> None:
    path = table(tmp_path, "out.txt", *rows)
    if not is_table:
        assert read_plain(path) == [row.replace("|", "\t") for row in rows]
        return
    with pytest.raises(InputError, match=r"out.txt:1: is a table of \d columns and no text: one column of it"):
        read_plain(path)


@given(texts=TEXTS)
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_column_holds_what_plain_text_holds(texts: list[str], tmp_path: Path) -> None:
    plain = table(tmp_path, "plain.txt")
    plain.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    tsv = table(tmp_path, "out.tsv")
    tsv.write_text("id\thyp\n" + "".join(f"{n}\t{text}\n" for n, text in enumerate(texts)), encoding="utf-8")
    with (tmp_path / "out.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("hyp", "id"), *((text, n) for n, text in enumerate(texts))])
    count = len(texts)
    (expected,) = (found for _, found in outputs(plain, count))
    assert outputs(tsv, count) == outputs(tmp_path / "out.csv", count) == [("out", expected)]


def test_a_name_means_one_role_before_others() -> None:
    """But for what is a translation, which both outputs and references are."""
    first = [names[0] for names in COLUMNS.values()]
    assert len({name for names in first for name in names}) == sum(map(len, first))


PAIR = Options(("fra", "eng"))


@pytest.mark.parametrize("extension", ["tsv", "csv"])
@pytest.mark.parametrize(
    "rows",
    [
        ("id|source|target", "1|un|one", "2|deux|two", "3|trois|three"),
        ("source|id|target|score", "un|1|one|0.5", "deux|2|two|0.5", "trois|3|three|0.5"),
        ("id|segment|source|target", "7|1|un|one", "7|2|deux|two", "7|3|trois|three"),
        ("nr|source|target|laser", "1|un|one|x", "2|deux|two|x", "3|trois|three|x"),
        ("english|id|french", "one|1|un", "two|2|deux", "three|3|trois"),
        ("id|French|translation", "1|un|one", "2|deux|two", "3|trois|three"),
        ("text|translation", "un|one", "deux|two", "trois|three"),
        ("no|en_speaker|fr_speaker|en|fr|en_id", "1|A|B|one|un|7", "2|A|B|two|deux|8", "3|A|B|three|trois|9"),
        ("en_name|en-GB|fr_text|fr_no", "A|one|un|1", "A|two|deux|2", "A|three|trois|3"),
    ],
)
def test_an_import_chooses_columns_by_usual_words(tmp_path: Path, extension: str, rows: tuple[str, ...]) -> None:
    source = {"tsv": TsvSource, "csv": CsvSource}[extension](table(tmp_path, f"dev.{extension}", *rows), PAIR)
    units = list(source.items())
    assert all(isinstance(unit, Record) for unit in units)
    assert [unit.texts for unit in units if isinstance(unit, Record)] == [
        ("un", "one"), ("deux", "two"), ("trois", "three")
    ]  # fmt: skip


@pytest.mark.parametrize("extension", ["tsv", "csv"])
@pytest.mark.parametrize(
    ("rows", "line", "reason"),
    [
        (("id|source|target|reference", "1|un|x|one"), 1, "which columns hold fra and eng? The header has id, source,"),
        (("doc|scene|en|ja", "d|s|one|ichi"), 1, "which columns hold fra and eng? The header has doc, scene, en, ja:"),
        (("id|German|translation", "1|eins|one"), 1, "column 2 is headed 'German', not fra; choose the columns"),
        (
            ("nr|one text|another", "1|un|one", "2|deux|two"),
            2,
            "column 1 holds numbers, not fra: choose the columns by",
        ),
        (("1|un|one", "2|deux|two", "3|trois|three"), 2, "column 1 holds numbers, not fra"),
        (("un|0.5|one", "deux|0.25|two", "trois|1|three"), 2, "column 2 holds numbers, not eng"),
    ],
)
def test_an_import_refuses_columns_that_hold_no_text(
    tmp_path: Path, extension: str, rows: tuple[str, ...], line: int, reason: str
) -> None:
    path = table(tmp_path, f"dev.{extension}", *rows)
    source = {"tsv": TsvSource, "csv": CsvSource}[extension]
    with pytest.raises(InputError) as refused:
        list(source(path, PAIR).items())
    assert str(refused.value).startswith(f"{path}:{line}: {reason}")
    if line == 2:  # what is chosen is taken as it is
        assert list(source(path, Options(PAIR.languages, columns=(1, 2), header="no")).items())


def test_numbers_that_are_texts_are_read(tmp_path: Path) -> None:
    path = table(tmp_path, "dev.tsv", "1|un", "2|deux", "3|trois")
    assert len(list(TsvSource(path, PAIR).items())) == 3
    path = table(tmp_path, "short.tsv", "yes|oui", "1|une")
    units = list(TsvSource(path, PAIR).items())
    assert not any(isinstance(unit, Rejected) for unit in units)
    assert len(units) == 2


@pytest.mark.parametrize("name", ["out.jsonl", "out.tmx", "out.conllu", "out.vert.gz"])
def test_a_format_that_has_no_outputs_is_not_read_as_text(tmp_path: Path, name: str) -> None:
    path = table(tmp_path, name, "a", "b")
    with pytest.raises(InputError, match=r"out\..*: outputs of systems cannot be read from (jsonl|tmx|conllu|vert): "):
        outputs(path)
    with pytest.raises(InputError, match="texts cannot be read from"):
        read_sources(path)
