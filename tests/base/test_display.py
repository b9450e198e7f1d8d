"""Text that is shown: what passes, how many cells it takes, and that nothing goes past the one way to it; and rows."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import pytest
from corpora import CHARACTERS
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from corpusdb.base.cells import MOST_MARKS, Axis, bar_plot, cell_width, point_plot, wrapped
from corpusdb.base.display import (
    Cell,
    CsvWriter,
    Formulas,
    cell_safe,
    cell_text,
    check_name,
    escape_breaks,
    is_formula,
    json_line,
    json_safe,
    lines_safe,
    tsv_line,
)
from corpusdb.base.errors import UsageError

# Texts in lines of so many cells.


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 5, [""]),
        ("one two three", 7, ["one two", "three"]),
        ("overlong", 3, ["ove", "rlo", "ng"]),
        ("a overlong", 4, ["a", "over", "long"]),
        ("日本語です", 5, ["日本", "語で", "す"]),
        ("a 日本語 b", 6, ["a 日本", "語 b"]),
        ("a  b", 10, ["a  b"]),
    ],
)
def test_wrapped(text: str, width: int, lines: list[str]) -> None:
    assert wrapped(text, width) == lines


@given(st.text(st.sampled_from("ab 日本é")), st.integers(2, 12))
def test_nothing_is_lost_or_too_wide(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert lines and all(cell_width(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_a_very_long_word() -> None:
    lines = wrapped("日" * 10_000, 80)
    assert (len(lines), len(lines[0])) == (250, 40)


# The door for text that is shown: what passes it, what does not, and that nothing disappears on the way.


DATA = Path(__file__).parents[3] / "shared" / "data"

KEPT = {
    "Vietnamese, decomposed": unicodedata.normalize("NFD", "Tất cả mọi người sinh ra đều được tự do"),
    "Hebrew with points and accents": "בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים אֵ֥ת הַשָּׁמַ֖יִם",
    "Arabic with vowels": "بِسْمِ ٱللَّٰهِ ٱلرَّحْمَٰنِ ٱلرَّحِيمِ",
    "Persian with joiners": "می\u200cخواهم نامه\u200cای بنویسم",
    "Hindi": "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता",
    "Marathi": "क\u094d\u200dष र\u094d\u200dय",
    "Malayalam": "അവന\u0d4d\u200d പറഞ്ഞു",
    "Sinhala": "ශ\u0dca\u200dරී ලංකාව",
    "Bengali": "র\u200c\u09cdয",
    "Thai": "มนุษย์ทั้งหลายเกิดมามีอิสระ ที่นี่",
    "Khmer with spaces without width": "មនុស្ស\u200bទាំងអស់\u200bកើត",
    "Myanmar": "လူတိုင်းသည် တူညီ",
    "Tibetan": "བསྒྲུབས་ ཨོཾ་མ་ཎི་པདྨེ་ཧཱུྃ",
    "Mongolian": "ᠮᠣᠩᠭᠣᠯ\u180e\u1820 ᠪᠢ\u180b",
    "Korean, decomposed": unicodedata.normalize("NFD", "모든 인간은 태어날 때부터"),
    "Japanese": "すべての人間は、\u3000葛\U000e0100飾区で",
    "emoji": "👨\u200d👩\u200d👧\u200d👦 ❤\ufe0f\u200d🔥 👍🏽 1\ufe0f\u20e3 🏳\ufe0f\u200d🌈 👁\ufe0f\u200d🗨\ufe0f",
    "private use": "\ue000\U000f0000",
    "as many marks as there may be": "e" + "\u0301" * MOST_MARKS,
}
REPLACED = {
    "escape": ("a\x1b[31mb", "a�[31mb"),
    "bell, tab, line breaks": ("a\x07b\tc\nd\re", "a�b�c�d�e"),
    "delete and C1": ("\x7f\x80\x9b\x9d\x85", "�����"),
    "lines and paragraphs": ("a\u2028b\u2029", "a�b�"),
    "directions": ("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", "�" * 12),
    "tags": ("🏴\U000e0067\U000e007f\U000e0001", "🏴���"),
    "invisible": ("\xad\u200b\u2060\u2064\ufeff\u3164\u115f\u1160\uffa0\u034f\u17b4", "�" * 11),
    "joiners where nothing joins": ("a\u200db\u200cc", "a�b�c"),
    "two joiners": ("می\u200c\u200cخ", "می\u200c�خ"),
    "a joiner after an emoji": ("👍\u200da", "👍�a"),
    "variation of a letter, of two": ("a\ufe0f ❤\ufe0f\ufe0f a\U000e0100", "a� ❤\ufe0f� a�"),
    "annotations and noncharacters": ("\ufff9a\ufffa\ufffb\ufdd0\ufffe\uffff\U0010ffff", "�a������"),
    "halves": ("a\ud800b\udfff", "a�b�"),
    "shorthand and notes": ("\U0001bca0\U0001d173", "��"),
    "too many marks": ("e" + "\u0301" * (MOST_MARKS + 3) + "e", "e" + "\u0301" * MOST_MARKS + "���e"),
    "marks of many kinds": ("e" + "\u0301\u20dd\u1161" * 9, "e" + ("\u0301\u20dd\u1161" * 9)[:MOST_MARKS] + "�" * 19),
}


@pytest.mark.parametrize("text", KEPT.values(), ids=list(KEPT))
def test_what_people_write_stays(text: str) -> None:
    assert cell_safe(text) == text


@pytest.mark.parametrize(("text", "shown"), REPLACED.values(), ids=list(REPLACED))
def test_what_deceives_is_replaced(text: str, shown: str) -> None:
    assert cell_safe(text) == shown


ALARMING = st.text(
    st.one_of(
        st.characters(),
        st.characters(categories=["Cc", "Cf", "Cs", "Mn", "Zl", "Zp"]),
        st.sampled_from("\n\r\tकाمی👍❤\u200c\u200d\u200b\ufe0f\U000e0100\u0301\u1161葛"),
    )
)


@given(ALARMING)
def test_nothing_disappears_and_once_is_enough(text: str) -> None:
    shown = cell_safe(text)
    assert len(shown) == len(text)
    assert all(after in (before, "\N{REPLACEMENT CHARACTER}") for before, after in zip(text, shown, strict=True))
    assert cell_safe(shown) == shown
    assert not {unicodedata.category(char) for char in shown} & {"Cc", "Cs", "Zl", "Zp"}
    marks = "".join("m" if unicodedata.category(char) in ("Mn", "Me") else " " for char in shown)
    assert "m" * (MOST_MARKS + 1) not in marks


@given(ALARMING)
def test_lines_keep_their_ends_and_tabs(text: str) -> None:
    shown = lines_safe(text)
    assert re.findall("[\n\t]", shown) == re.findall("[\n\t]", text)
    assert shown.count("\r\n") == text.count("\r\n") == shown.count("\r")
    assert [cell_safe(line) for line in re.split("\r\n|[\n\t]", text)] == re.split("\r\n|[\n\t]", shown)


@given(st.lists(ALARMING), st.sampled_from([None, 2]))
def test_json_says_the_same_and_can_be_shown(texts: list[str], indent: int | None) -> None:
    document = json.dumps(texts, ensure_ascii=False, indent=indent)
    shown = json_safe(document)
    assert lines_safe(shown) == shown
    if not re.search("[\ud800-\udbff][\udc00-\udfff]", document):  # two halves beside each other, which JSON joins
        assert json.loads(shown) == texts


def test_json_without_harm_is_left_alone() -> None:
    document = json.dumps({"text": "水 é"}, ensure_ascii=False)
    assert json_safe(document) is document


@pytest.mark.slow
def test_every_mark_that_takes_no_room_is_counted() -> None:
    """Also those of a Unicode newer than the blocks that are looked through."""
    marks = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) in ("Mn", "Me")]
    assert [mark for mark in marks if mark in cell_safe("e" + mark * (MOST_MARKS + 1))[MOST_MARKS + 1 :]] == []


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "\x1b[m", "a\u202eb", "a\U000e0041", "a\u200b", "e" + "\u0301" * 9])
def test_a_name_that_cannot_be_shown_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(UsageError, match="is not a name for a session") as caught:
        check_name(name, "a session")
    assert lines_safe(str(caught.value)) == str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["a b", "水\u3000部屋", "می\u200cخواهم", "[red]", "é"])
def test_any_other_name_is_one(name: str) -> None:
    check_name(name, "a session")


@pytest.mark.data
@pytest.mark.slow
def test_real_texts_stay_as_they_are() -> None:
    """Tatoeba: of 300,000 texts only those change that hold soft hyphens or spaces without a width."""
    files = sorted((DATA / "tatoeba").glob("*.tsv.gz"))
    changed: set[str] = set()
    for file in files:
        with gzip.open(file, "rt", encoding="utf-8", newline="\n") as lines:
            for line in lines:
                for text in line.rstrip("\n").split("\t"):
                    shown = cell_safe(text)
                    if shown != text:
                        changed |= {one for one, other in zip(text, shown, strict=True) if one != other}
    assert changed <= {"\xad", "\u200b"}


# Rows as TSV, CSV and JSON lines.


TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), min_size=2, max_size=4)


@given(TEXTS)
def test_a_row_of_tsv_is_one_line_of_as_many_cells(cells: list[str]) -> None:
    line = tsv_line(cells)
    assert line.endswith("\n")
    assert "\r" not in line
    assert len(line[:-1].split("\t")) == len(cells)
    assert line.count("\n") == 1


@pytest.mark.parametrize(
    ("cells", "line"),
    [
        (("a\tb", "c\r\nd", r"\t"), "a\\tb\tc\\r\\nd\t\\t\n"),
        ((None, b"\x01\xff", 3, 0.5), "\t01ff\t3\t0.5\n"),
        ((), "\n"),
    ],
)
def test_cells_of_tsv(cells: tuple[Cell, ...], line: str) -> None:
    assert tsv_line(cells) == line


@given(TEXTS, st.sampled_from(["\r\n", "\n"]), st.booleans())
@example(["", "\r"], "\n", False)
def test_csv_is_read_back_as_it_was(cells: list[str], line_end: str, quote_all: bool) -> None:
    file = io.StringIO(newline="")
    CsvWriter(file, line_end="\n" if line_end == "\n" else "\r\n").write(cells, quote_all=quote_all)
    assert file.getvalue().endswith(line_end)
    assert list(csv.reader(io.StringIO(file.getvalue(), newline=""))) == [cells]


def test_csv_counts_what_a_spreadsheet_would_run_and_keeps_it() -> None:
    file = io.StringIO(newline="")
    table = CsvWriter(file)
    for row in (("=1+1", "a"), (None, "-5"), ("@x", "=y")):
        table.write(row)
    assert table.formulas.cells == 3
    assert file.getvalue() == "=1+1,a\r\n,-5\r\n@x,=y\r\n"


@given(
    st.dictionaries(st.text(CHARACTERS), st.one_of(st.text(CHARACTERS), st.integers(), st.lists(st.text(CHARACTERS)))),
    st.booleans(),
)
def test_json_is_one_line_and_read_back_as_it_was(document: dict[str, object], compact: bool) -> None:
    line = json_line(document, compact=compact)
    assert "\n" not in line
    assert json.loads(line) == document


def test_compact_json_has_no_spaces_and_text_stays_readable() -> None:
    assert json_line({"a": ["é", 1]}) == '{"a": ["é", 1]}'
    assert json_line({"a": ["é", 1]}, compact=True) == '{"a":["é",1]}'


_CELLS = st.one_of(
    st.text("a\t\n\r\x85é", max_size=3), st.integers(), st.floats(), st.booleans(), st.binary(), st.none()
)


@given(st.lists(_CELLS, max_size=4))
def test_a_line_is_its_escaped_cells(cells: list[Cell]) -> None:
    assert tsv_line(cells) == "\t".join(escape_breaks(cell_text(cell)) for cell in cells) + "\n"


# Cells that a spreadsheet would run, and numbers, which it would not.


@pytest.mark.parametrize(
    "cell",
    ["=1+1", "=cmd|' /C calc'!A0", "+1+1", "-1+cmd", "@SUM(A1)", "\t=1", "\r=1", "- Oui.", "-3x", "+", "--1", "-inf"],
)
def test_a_formula(cell: str) -> None:
    assert is_formula(cell) == (len(cell) > 1)


@pytest.mark.parametrize(
    "cell", ["", "-", "=", "-3", "+3", "-0.5", "-.5", "-1e-07", "+1.5E+10", "-1,234", "-5%", "a=1", " =1", "'=1"]
)
def test_no_formula(cell: str) -> None:
    assert not is_formula(cell)


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers())
def test_no_number_is_a_formula(number: float) -> None:
    assert not is_formula(str(number))


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([["a", "-1"]], ""),
        ([["=a", "b"]], "1 cell begins as a formula does (=, +, -, @)"),
        ([["=a", "-b"], ["@c", ""]], "3 cells begin as formulas do (=, +, -, @)"),
    ],
)
def test_they_are_counted_and_stay(rows: list[list[str]], told: str) -> None:
    formulas = Formulas()
    assert [formulas.watch(row) for row in rows] == rows
    assert str(formulas).startswith(told)
    assert bool(str(formulas)) == bool(told)


POINT = st.tuples(st.floats(0.01, 1e6), st.floats(0.01, 1e6))


def test_bars_by_hand() -> None:
    assert bar_plot([("one", "8", 8), ("ten", "10", 10), ("no", "0", 0)], 21, ascii=True) == [
        "  one   8  ########",
        "  ten  10  ##########",
        "   no   0  #",
    ]


@pytest.mark.parametrize(("value", "bar"), [(16, "████"), (10, "██▌"), (9, "██▎"), (1, "▎"), (0, "▏")])
def test_bars_end_at_an_eighth_of_a_cell(value: float, bar: str) -> None:
    assert bar_plot([("a", "1", value), ("b", "2", 16)], 12)[0] == f"  a  1  {bar}"


def test_labels_are_aligned_by_cells() -> None:
    lines = bar_plot([("日本", "1", 1), ("a", "22", 1)], 30)
    assert [cell_len(line.partition("█")[0]) for line in lines] == [12, 12]


def test_nothing_to_plot_is_said() -> None:
    assert bar_plot([], 80) == point_plot({"a": []}, (80, 10), Axis("x"), Axis("y")) == ["  none"]


def test_points_by_hand() -> None:
    """A diagonal of four points in four columns and two lines, which are four half lines."""
    plot = point_plot({"a": [(n, n) for n in range(4)]}, (8, 5), Axis("x"), Axis("y"), ascii=True)
    assert plot == ["y over x", "2 |  .'", "0 |.'", "  +----", "   0 2"]


def test_a_logarithmic_axis_shows_ratios() -> None:
    """Powers of ten stand as far apart as their exponents do."""
    axes = Axis("x", log=True), Axis("y", log=True)
    logarithmic = point_plot({"a": [(10**n, 10**n) for n in range(4)]}, (10, 5), *axes, ascii=True)
    linear = point_plot({"a": [(n, n) for n in range(4)]}, (8, 5), Axis("x"), Axis("y"), ascii=True)
    drawn = [[line.partition("|")[2] for line in plot[1:3]] for plot in (logarithmic, linear)]
    assert drawn[0] == drawn[1] == ["  .'", ".'"]


def test_several_series_have_marks_and_the_first_is_on_top() -> None:
    plot = point_plot({"mean": [(0, 0), (1, 1)], "most": [(1, 1)]}, (20, 8), Axis("x"), Axis("y"))
    assert plot[0] == "* mean  o most"
    body = "".join(plot[2:])
    assert (body.count("*"), body.count("o")) == (2, 0)


@given(points=st.lists(POINT, min_size=1, max_size=30), width=st.integers(20, 200), height=st.integers(6, 40))
@pytest.mark.parametrize("log", [False, True])
def test_a_plot_keeps_its_size_and_shows_both_ends(
    log: bool, points: Sequence[tuple[float, float]], width: int, height: int
) -> None:
    plot = point_plot({"a": points}, (width, height), Axis("x", log), Axis("y", log), ascii=True)
    assert len(plot) == height
    frame = [line for line in plot if "|" in line]
    assert all(len(line) <= width for line in [*frame, plot[-2]])
    assert all(line.isascii() for line in plot)
    drawn = [line.partition("|")[2] for line in frame]
    marks = sum(2 if mark == ":" else 1 for line in drawn for mark in line if mark != " ")
    assert 1 <= marks <= len(set(points))
    assert drawn[0].strip(), "the highest point stands in the first line"
    assert len({line.index("|") for line in frame}) == 1, "the axis is straight"


def test_what_a_logarithmic_axis_cannot_show() -> None:
    with pytest.raises(ValueError, match="seeds: a logarithmic axis has no place for 0"):
        point_plot({"a": [(1, 0)]}, (40, 10), Axis("x"), Axis("seeds", log=True))
