"""What a file says of its lines, speaker and scene: imported, asked for with --where, and counted by."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from collections.abc import Collection
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from calls import Prepare, Run

CHOICE = random.Random(7)
ROWS = [
    {
        "speaker": CHOICE.choice(("Ann", "Bob", "Bob Lee", "")),
        "scene": CHOICE.choice("123"),
        "document": f"act{number // 20}",
        "eng": f"{CHOICE.choice(('yes', 'no'))} {CHOICE.choice('abcd')}",
        "fra": f"mot {number}",
    }
    for number in range(60)
]

BEGUN = {row["fra"] for at, row in enumerate(ROWS) if at % 20 == 0 or ROWS[at - 1]["speaker"] != row["speaker"]}
"""Where somebody begins to speak."""


@pytest.fixture
def play(run: Run, prepare: Prepare) -> Path:
    def fill() -> None:
        with Path("play.tsv").open("w", encoding="utf-8") as file:
            writer = csv.DictWriter(file, [*ROWS[0]], delimiter="\t", lineterminator="\n")
            writer.writeheader()
            writer.writerows(ROWS)
        assert run("import", "play.tsv", "--lang", "eng,fra", "--attributes", "speaker,scene").exit_code == 0

    return prepare("play", fill)


def found(run: Run, *words: object) -> list[str]:
    result = run("search", "yes", "--lang", "eng", "-n", "0", *words, "--json")
    assert result.exit_code == 0, result.stderr
    return [each["text"] for each in json.loads(result.stdout)["hits"]]


@pytest.mark.parametrize(
    ("words", "holds"),
    [
        (("--where", "speaker=Ann"), lambda row: row["speaker"] == "Ann"),
        (("--where", "speaker=Bob*", "--where", "scene=1"), lambda row: row["speaker"][:3] + row["scene"] == "Bob1"),
        (("--where", "speaker=Ann|Bob"), lambda row: row["speaker"] in ("Ann", "Bob")),
        (("--where", "speaker!=Ann"), lambda row: row["speaker"] not in ("Ann", "")),
        (("--where", "scene=2", "--document", "act1"), lambda row: (row["scene"], row["document"]) == ("2", "act1")),
        (("--document", "play/act1[scene=2]"), lambda row: (row["scene"], row["document"]) == ("2", "act1")),
    ],
)
def test_what_is_found_is_what_the_rows_say(run: Run, play: Path, words: tuple[str, ...], holds: Any) -> None:
    chosen = [row for row in ROWS if holds(row)]
    wanted = [row["eng"] for row in chosen if "yes" in row["eng"]]
    assert len({*wanted}) > 0 and sorted(found(run, *words)) == sorted({*wanted})
    counted = run("search", "yes", "--lang", "eng", "--kwic", "--group", "document:scene", "--occurrences", *words)
    rows = csv.DictReader(StringIO(counted.stdout), delimiter="\t")
    assert {row["document:scene"]: int(row["lines"]) for row in rows} == Counter(
        row["scene"] for row in chosen if "yes" in row["eng"]
    )
    shown = ("--with", "fra", "--places", "--context", "1", "-n", "0", "--json")
    hits = json.loads(run("search", "yes", "--lang", "eng", *words, *shown).stdout)["hits"]
    lines = json.loads(run("search", "yes", "--lang", "eng", "--kwic", *words, *shown).stdout)["hits"]
    for hit, line in zip(hits, lines, strict=True):
        own = [row for row in chosen if row["eng"] == hit["text"]]
        assert [place["line"] for place in hit["places"]] == [ROWS.index(row) + 2 for row in own]
        assert [place["document"] for place in hit["places"]] == [row["document"] for row in own]
        assert sorted(each["text"] for each in hit["translations"]["fra"]) == sorted(row["fra"] for row in own)
        of_document = [row for row in ROWS if row["document"] == own[0]["document"]]
        at = of_document.index(own[0])
        before, after = ([row["eng"] for row in rows] for rows in (of_document[:at][-1:], of_document[at + 1 :][:1]))
        assert [hit["before"], hit["after"]] == ["".join(before), "".join(after)]
        assert line["left"] + line["match"] + line["right"] == " ".join([*before, hit["text"], *after])
        assert (line["places"], line["translations"]) == (hit["places"], hit["translations"])
    listed = run("frequencies", "--lang", "eng", "--occurrences", *words)
    frequencies = {row["text"]: int(row["count"]) for row in csv.DictReader(StringIO(listed.stdout), delimiter="\t")}
    assert frequencies == Counter(token for row in chosen for token in row["eng"].split())


def test_blanks_around_what_a_file_says_count_for_nothing(run: Run, tmp_path: Path) -> None:
    lines = ("eng,fra,speaker,document", 'yes,oui,"Ann ",act1', "no,non, Ann,act1 ", "yes no,oui non, ,act1")
    (tmp_path / "spoken.csv").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    assert run("import", "spoken.csv", "--lang", "eng,fra", "--attributes", "speaker").exit_code == 0
    for asked, count in (("speaker=Ann", 2), ("speaker=*", 2)):
        assert json.loads(run("search", "", "--lang", "eng", "--where", asked, "--json").stdout)["total"] == count
    assert json.loads(run("search", "", "--lang", "eng", "--document", "act1", "--json").stdout)["total"] == 3


@pytest.mark.parametrize("within", ["2 s", "text"])
def test_a_match_goes_on_where_somebody_else_speaks(run: Run, play: Path, within: str) -> None:
    """And ends with the document, of whatever name."""
    pairs = [(one["eng"], two["eng"]) for one, two in pairwise(ROWS) if one["document"] == two["document"]]
    both = [pair for pair in pairs if pair[0].endswith("a") and pair[1].startswith("yes")]
    hits = json.loads(
        run("search", f'"a" "yes" within {within}', "--cqp", "--lang", "eng", "-n", "0", "--json").stdout
    )["hits"]
    assert {each["text"] for each in hits} == {text for pair in both for text in pair} != set()
    lines = "".join(f"{row['eng']}\t{row['fra']}\t{row['speaker']}\n" for row in ROWS)
    (play / "other.tsv").write_text(f"eng\tfra\tspeaker\n{lines}", encoding="utf-8")
    asked = ("--attributes", "speaker", "--name", "other")
    assert run("import", "other.tsv", "--lang", "eng,fra", *asked).exit_code == 0
    call = ("search", f'a:"a" b:"yes" within {within}', "--cqp", "--lang", "eng", "--collection", "other", "--json")
    ends = {
        text for pair in pairwise(row["eng"] for row in ROWS) if pair[0][-1] + pair[1][:3] == "ayes" for text in pair
    }
    assert {each["text"] for each in json.loads(run(*call, "-n", "0").stdout)["hits"]} == ends


@pytest.mark.parametrize("occurrences", [(), ("--occurrences",)])
def test_a_match_over_sentences_is_one_however_many_lines_it_has(
    run: Run, play: Path, occurrences: tuple[str, ...]
) -> None:
    """Numbered, drawn and cut, and counted by its words, by those on either side and by where it begins."""
    pairs = [(one, two) for one, two in pairwise(ROWS) if one["document"] == two["document"]]
    texts = [(one["eng"], two["eng"]) for one, two in pairs if one["eng"][-1] + two["eng"][:3] == "ayes"]
    expected = Counter(texts) if occurrences else Counter({*texts})
    assert len(texts) > len({*texts}) > 1
    call = ("search", '"a" "yes" within 2 s', "--cqp", "--lang", "eng", "--kwic", "-n", "0", *occurrences)
    shown = run(*call, "--json")
    lines = json.loads(shown.stdout)["hits"]
    assert [each["match_number"] for each in lines] == [at for at in range(1, expected.total() + 1) for _ in "12"]
    whole = zip(lines[::2], lines[1::2], strict=True)
    assert Counter((one["left"] + one["match"], two["match"] + two["right"]) for one, two in whole) == expected
    assert f" {expected.total()} matches, {2 * expected.total()} lines " in shown.stderr
    drawn = json.loads(run(*call, "--sample", "2", "--json").stdout)["hits"]
    assert [each["match_number"] for each in drawn] == [1, 1, 2, 2]
    result = run(*call, "--group", "left,match,right", "--json")
    groups = {each["key"]: each["count"] for each in json.loads(result.stdout)["groups"]}
    assert groups == {f"{one[:-2]} | a yes | {two[-1]}": count for (one, two), count in expected.items()}
    cut = json.loads(run(*call[:1], f"{call[1]} cut 2", *call[2:], "--json").stdout)["hits"]
    assert len({(one["id"], two["id"]) for one, two in zip(cut[::2], cut[1::2], strict=True)}) == 2


@pytest.mark.parametrize(("tag", "name"), [('<u_speaker="Bob">', "speaker"), ('<u_scene!="1">', "scene")])
def test_a_start_tag_is_where_the_lines_begin_that_have_the_value(
    run: Run, tmp_path: Path, tag: str, name: str
) -> None:
    """And not every line of it, as that of a sentence is; also where a match goes on in the next."""
    rows = [{f"u_{key}" if key in ("speaker", "scene") else key: each[key] for key in each} for each in ROWS]
    with (tmp_path / "turns.tsv").open("w", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*rows[0]], delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    asked = ("--attributes", "u_speaker,u_scene")
    assert run("import", "turns.tsv", "--lang", "eng,fra", *asked).exit_code == 0
    holds = [row[name] == "Bob" if name == "speaker" else row[name] != "1" for row in ROWS]
    goes_on = [at % 20 > 0 and row[name] == ROWS[at - 1][name] for at, row in enumerate(ROWS)]
    first = [at for at in range(len(ROWS)) if holds[at] and not goes_on[at]]
    assert len(first) < sum(holds)
    call = ("search", "--cqp", "--lang", "eng", "--kwic", "--occurrences", "--places", "-n", "0", "--json")
    for query in (f"{tag} []", f"{tag} []+ within 2 s"):
        lines = json.loads(run(*call, query).stdout)["hits"]
        assert [each["places"][0]["line"] - 2 for each in lines] == first


@pytest.mark.parametrize(
    ("query", "ats"),
    [
        ("<text> []", (0,)),
        ("[] </text>", (19,)),
        ("<text> []{3} within 2 s", (0, 1)),
        ("[]{3} </text> within text", (18, 19)),
        ("<text> []* </text> within text", range(20)),
        ("<text> [] </text>", ()),
    ],
)
def test_a_text_begins_and_ends_where_a_document_does(run: Run, play: Path, query: str, ats: Collection[int]) -> None:
    call = ("search", "--cqp", query, "--lang", "eng", "--kwic", "--occurrences", "--places", "-n", "0", "--json")
    lines = json.loads(run(*call).stdout)["hits"]
    assert sorted(each["places"][0]["line"] - 2 for each in lines) == [at for at in range(60) if at % 20 in ats]


def test_a_document_is_drawn_from_end_to_end_whoever_speaks(run: Run, play: Path) -> None:
    counted = run("search", "yes", "--lang", "eng", "--kwic", "--group", "document", "--json")
    plots = {each["key"]: each["where"] for each in json.loads(counted.stdout)["groups"]}
    expected: dict[str, str] = {}
    for document in {row["document"] for row in ROWS}:
        lines = [at for at, row in enumerate(ROWS) if row["document"] == document]
        held = [at for at in lines if "yes" in ROWS[at]["eng"]]
        cells = {(at - lines[0]) * 39 // max(lines[-1] - lines[0], 1) for at in held}
        if cells:
            expected[f"play/{document}"] = "".join("|" if cell in cells else "." for cell in range(40))
    assert plots == expected
    assert max(plot.count("|") for plot in plots.values()) > 1


def test_keywords_are_of_a_part_by_its_name(run: Run, play: Path) -> None:
    call = ("keywords", "--lang", "eng", "--least", "1", "-n", "0", "--json")
    named, asked = (run(*call, *words) for words in (("play[speaker=Bob]",), ("play", "--where", "speaker=Bob")))
    assert json.loads(named.stdout)["rows"] == json.loads(asked.stdout)["rows"] != []
    assert "no collection 'game'" in run(*call, "game[speaker=Bob]").stderr


def test_lines_around_are_those_beside_whoever_speaks(run: Run, tmp_path: Path) -> None:
    """Also in a file without documents, of which some lines have no speaker."""
    lines = ["\t".join((f"line {at}", f"ligne {at}", row["speaker"])) for at, row in enumerate(ROWS)]
    (tmp_path / "talk.tsv").write_text("\n".join(["eng\tfra\tspeaker", *lines, ""]), encoding="utf-8")
    assert run("import", "talk.tsv", "--lang", "eng,fra", "--attributes", "speaker").exit_code == 0
    hits = json.loads(run("search", "line", "--lang", "eng", "--context", "1", "-n", "0", "--json").stdout)["hits"]
    texts = ["", *(f"line {at}" for at in range(len(ROWS))), ""]
    assert [(each["before"], each["text"], each["after"]) for each in hits] == list(
        zip(texts[:-2], texts[1:-1], texts[2:], strict=True)
    )


def test_an_attribute_may_have_any_name(run: Run, tmp_path: Path) -> None:
    (tmp_path / "talk.tsv").write_text("eng\tfra\tindex\nyes one\tun\t7\nyes two\tdeux\t\n", encoding="utf-8")
    assert run("import", "talk.tsv", "--lang", "eng,fra", "--attributes", "index").exit_code == 0
    lines = run("search", "yes", "--lang", "eng", "--kwic", "--show", "index").stdout.splitlines()
    assert [line.split("\t")[-1] for line in lines] == ["index", "7", "-"]
    name = 'say "it"'
    units = [
        {"eng": f"no {at}", "fra": "non", "document": f"d{at}", "attributes": {name: f"{at % 3}"}} for at in range(6)
    ]
    (tmp_path / "quoted.jsonl").write_text("\n".join(map(json.dumps, units)), encoding="utf-8")
    assert run("import", "quoted.jsonl").exit_code == 0
    found = run("search", "no", "--lang", "eng", "--where", f"{name}=1|2", "--where", f"{name}!=2").stdout
    assert [line.split("\t")[-1] for line in found.splitlines()[1:]] == ["no 1", "no 4"]
    grouped = run("search", "no", "--lang", "eng", "--kwic", "--group", f"document:{name}").stdout.splitlines()
    assert [line.split("\t")[:4] for line in grouped[1:]] == [[f"{at}", "2", "33.33", "4"] for at in range(3)]
    assert run("frequencies", "--lang", "eng", "--trend", name).stdout.startswith("text\t")


def test_numbers_are_sorted_as_such(run: Run, tmp_path: Path) -> None:
    years = ["10", "9", "n.d.", "2001", "009a"]
    rows = [f"yes {at}\toui {at}\t{year}" for at, year in enumerate(years)]
    (tmp_path / "talk.tsv").write_text("\n".join(["eng\tfra\tyear", *rows, ""]), encoding="utf-8")
    assert run("import", "talk.tsv", "--lang", "eng,fra", "--attributes", "year").exit_code == 0
    lines = run(
        "search", "yes", "--lang", "eng", "--kwic", "--sort", "year,right", "--show", "year"
    ).stdout.splitlines()
    assert [line.split("\t")[-1] for line in lines[1:]] == ["9", "10", "2001", "009a", "n.d."]


@pytest.mark.parametrize("columns", [("speaker", "document"), ("speaker",)])
def test_documents_are_as_many_whoever_speaks(run: Run, tmp_path: Path, columns: tuple[str, ...]) -> None:
    """Words are spread over, and coefficients are those of, the documents; a file that has none is one."""
    for name, given in (("with", columns), ("without", columns[1:])):
        lines = ["\t".join((row["eng"], row["fra"], *(row[each] for each in given))) for row in ROWS]
        head = "\t".join(("eng", "fra", *given))
        (tmp_path / f"{name}.tsv").write_text("\n".join([head, *lines, ""]), encoding="utf-8")
        more = ("--attributes", "speaker") if "speaker" in given else ()
        call = ("--db", f"{name}.db", "import", f"{name}.tsv", "--lang", "eng,fra", "--name", "play")
        assert run(*call, *more).exit_code == 0
    for name, text in (("spoken", "Yeah, okay, sure. Hey, you there?"), ("written", "Shares fell on Tuesday.")):
        (tmp_path / f"{name}.txt").write_text(f"{text}\n", encoding="utf-8")

    def told(name: str) -> tuple[list[Any], int, str]:
        asked = ("profile", "--lang", "eng", "--spoken", "spoken.txt", "--written", "written.txt")
        answered = run("--db", f"{name}.db", *asked, "--level", "document", "--each", "--json").stdout
        entries = [{**each, "name": ""} for each in json.loads(answered)["entries"]]
        spread = run("--db", f"{name}.db", "frequencies", "--lang", "eng", "--dispersion", "--occurrences")
        return entries, spread.exit_code, spread.stdout

    found = told("with")
    assert found == told("without")
    assert len(found[0]) == (3 if "document" in columns else 1)


@pytest.mark.parametrize("occurrences", [True, False])
@pytest.mark.parametrize("asked", [(), ("--document", "act1"), ("--where", "speaker=Ann|Bob")])
def test_what_becomes_more_frequent_is_counted_as_where_it_stands(
    run: Run, play: Path, asked: tuple[str, ...], *, occurrences: bool
) -> None:
    """Value by value the rates are those of the rows of the file that are asked for, each sentence once or each."""
    again = ("--occurrences",) if occurrences else ()
    rows = json.loads(run("frequencies", "--trend", "scene", *asked, *again, "-n", "0", "--json").stdout)["rows"]
    chosen = [
        row
        for row in ROWS
        if not asked or (row["document"] == "act1" if asked[0] == "--document" else row["speaker"] in ("Ann", "Bob"))
    ]
    said = [[row["eng"] for row in chosen if row["scene"] == scene] for scene in "123"]
    words = [Counter(" ".join(texts if occurrences else {*texts}).split()) for texts in said]
    assert {row["text"]: row["trend"]["per_million"] for row in rows} == {
        text: pytest.approx([each[text] * 1e6 / each.total() for each in words]) for text in set().union(*words)
    }
    every = Counter(" ".join(row["eng"] for row in chosen).split())
    assert not occurrences or {row["text"]: row["count"] for row in rows} == every


def test_translations_of_what_somebody_says(run: Run, play: Path) -> None:
    asked = ("translations", "yes", "--with", "fra", "--where", "speaker=Ann")
    texts = {row["eng"] for row in ROWS if row["speaker"] == "Ann" and "yes" in row["eng"]}
    assert f"{len(texts)} sentences have 'yes'" in run(*asked, "--cooccurring").stderr


@pytest.mark.parametrize("speaker", ["", "Ann", "Bob|Bob Lee"])
def test_each_occurrence_has_a_line_of_its_own(run: Run, play: Path, speaker: str) -> None:
    """What cqp shows: a repeated sentence wherever it stands, with the speaker, neighbours and translation there."""
    where = (f"--where=speaker={speaker}",) if speaker else ()
    spoken = [row for row in ROWS if not speaker or row["speaker"] in speaker.split("|")]
    wanted = [(row["eng"], row["speaker"] or "-", row["scene"], row["fra"]) for row in spoken if "yes" in row["eng"]]

    def lines(*words: str) -> list[tuple[str, ...]]:
        shown = ("--kwic", "--occurrences", "--lang", "eng", "--show", "speaker,scene", "--with", "fra", "--places")
        hits = json.loads(run("search", *words, *shown, "-n", "0", "--json").stdout)["hits"]
        for hit in hits:
            (place,) = hit["places"]
            assert ROWS[place["line"] - 2]["fra"] == hit["translations"]["fra"][0]["text"]
        texts = [hit["left"] + hit["match"] + hit["right"] for hit in hits]
        (translations,) = zip(*(hit["translations"]["fra"] for hit in hits), strict=True)
        assert [hit["line"] for hit in hits] == [*range(1, len(hits) + 1)]
        rest = zip(hits, texts, translations, strict=True)
        return [(text, hit["speaker"], hit["scene"], other["text"]) for hit, text, other in rest]

    assert lines("yes", *where) == wanted
    read = [
        (row["eng"], row["speaker"] or "-", row["scene"], row["fra"]) for row in spoken if row["document"] == "act1"
    ]
    assert lines("", "--document", "act1", *where) == read
    assert lines("yes", *where, "--sort", "right") == sorted(wanted, key=lambda line: line[0].removeprefix("yes "))
    by_speaker = sorted(wanted, key=lambda line: (line[1].casefold(), line[0].removeprefix("yes ")))
    assert lines("yes", *where, "--sort", "speaker,right") == by_speaker
    drawn = lines("yes", *where, "--sample", "5")
    assert len(drawn) == 5 and not Counter(drawn) - Counter(wanted)
    condition = f' :: match.speaker="{speaker}"' if speaker else ""
    assert lines("--cqp", f'"yes"{condition}') == wanted
    if speaker:
        assert lines("--cqp", f'<speaker="{speaker}"> "yes"') == [line for line in wanted if line[3] in BEGUN]
        assert lines("--cqp", f'"yes"{condition} & match.scene!="1"') == [line for line in wanted if line[2] != "1"]
        written = run("export", "-o", "-", "--format", "tsv", *where).stdout
        assert [row["fra"] for row in csv.DictReader(StringIO(written), delimiter="\t")] == [
            row["fra"] for row in spoken
        ]
    for by, expected in (
        ("scene", Counter(line[2] for line in wanted)),
        ("speaker,match", Counter(f"{line[1].replace('-', '(unknown)')} | yes" for line in wanted)),
        ("translation", Counter(line[3] for line in wanted)),
    ):
        asked = ("--kwic", "--occurrences", "--group", by, "-n", "0", "--json")
        groups = json.loads(run("search", "yes", "--lang", "eng", *where, *asked).stdout)["groups"]
        assert {each["key"]: each["count"] for each in groups} == expected
    if speaker:
        keys = json.loads(run("keywords", "--lang", "eng", *where, "--occurrences", "--least", "1", "--json").stdout)
        assert keys["target_tokens"] == sum(len(row["eng"].split()) for row in spoken)
    told = run("frequencies", "--lang", "eng", "--occurrences", "--pattern", "yes", *where).stdout
    assert [row["count"] for row in csv.DictReader(StringIO(told), delimiter="\t")] == [str(len(wanted))]


def test_lines_of_sentences_show_all_speakers_and_places_of_each(run: Run, play: Path) -> None:
    hits = json.loads(run("search", "yes", "--lang", "eng", "--kwic", "--show", "speaker", "--json").stdout)["hits"]
    for hit in hits:
        own = [row["speaker"] or "-" for row in ROWS if row["eng"] == "yes" + hit["right"]]
        assert hit["speaker"].split(" | ") == list(dict.fromkeys(own))
    groups = json.loads(run("search", "yes", "--lang", "eng", "--group", "scene,speaker", "--json").stdout)["groups"]
    stands = {(row["eng"], row["scene"], row["speaker"] or "(unknown)") for row in ROWS if "yes" in row["eng"]}
    assert {each["key"]: each["count"] for each in groups} == Counter(f"{scene} | {name}" for _, scene, name in stands)


def test_lines_keep_what_is_said_of_them(run: Run, play: Path) -> None:
    written = csv.DictReader(StringIO(run("export", "-o", "-", "--format", "tsv").stdout), delimiter="\t")
    assert [
        {"speaker": row["document:speaker"], "scene": row["document:scene"]}
        | {name: row[name] for name in ("document", "eng", "fra")}
        for row in written
    ] == ROWS
    assert run("info").stdout.splitlines()[3] == "play\t1\t3\t60\t", "its files, documents and units"
    listed = run("frequencies", "--lang", "eng", "--dispersion", "--pattern", "yes|no").stdout
    spread = {row["text"]: int(row["range"]) for row in csv.DictReader(StringIO(listed), delimiter="\t")}
    assert spread == {word: len({row["document"] for row in ROWS if word in row["eng"]}) for word in ("yes", "no")}
    line = run("search", "mot 21", "--lang", "fra", "--kwic", "--context", "1").stdout.splitlines()[1]
    assert line.split("\t")[3:] == ["mot 20 ", "mot 21", " mot 22"], "what others say in the same document"


def test_columns_get_other_names(run: Run, play: Path) -> None:
    assert (play / "play.tsv").read_text(encoding="utf-8").startswith("speaker\tscene\tdocument\t")
    (play / "doc.tsv").write_text("who\tdoc\teng\tfra\nAnn\td1\tyes z\tz\nBob\td2\tyes y\ty\n", encoding="utf-8")
    named = "speaker=who,document=doc"
    assert run("import", "doc.tsv", "--lang", "eng,fra", "--attributes", named).exit_code == 0
    assert found(run, "--collection", "doc", "--where", "speaker=Ann") == found(run, "--document", "d1") == ["yes z"]
    (play / "odd.tsv").write_text("who\tdoc\teng\tfra\nAnn\td [part 2]\tyes z\tz\n", encoding="utf-8")
    assert run("import", "odd.tsv", "--lang", "eng,fra", "--attributes", named).exit_code == 0
    for name in ("d [part 2]", "odd/d [part 2]", "odd/d [part 2][speaker=Ann]"):
        assert found(run, "--document", name) == ["yes z"], "its name has brackets, and is no condition"


VERTICAL = """\
<text id="t" year="1990">
<u who="Ann">
<p id="1">
<s id="1" mood="q">
yes
</s>
</u>
<pb n="2"/>
<s>
no
</s>
</text>
"""


def test_structures_of_a_vertical_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "v.vert").write_text(VERTICAL, encoding="utf-8")
    assert run("import", "v.vert", "--lang", "eng").exit_code == 0
    assert found(run, "--where", "u_who=Ann", "--where", "year=1990", "--where", "s_mood=q") == ["yes"]
    assert found(run, "--document", "t") == ["yes"]
    assert found(run, "--where", "text_year=1990") == found(run, "--where", "text_year!=1991") == ["yes"]
    call = ("search", '"yes|no" :: match.text_year="1990" & match.u_who="Ann"', "--cqp", "--lang", "eng", "--json")
    assert json.loads(run(*call).stdout)["total"] == 1
    typo = run("search", '"yes" :: match.text_year="1909"', "--cqp", "--lang", "eng")
    assert (typo.exit_code, "text_year=1909; year is 1990" in typo.stderr) == (3, True)
    assert "no document or line has an attribute 'text_yer'" in run("search", "", "--where", "text_yer=1").stderr


def rows_of(answer: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(answer), delimiter="\t"))


def test_a_result_of_a_part_is_counted_in_that_part(run: Run, play: Path) -> None:
    """And what is made of such results in what all of them were looked for in."""

    def counted(*words: str) -> Counter[str]:
        listed = run("frequencies", "--lang", "eng", "--occurrences", *words)
        return Counter({row["text"]: int(row["count"]) for row in rows_of(listed.stdout)})

    def kept(name: str, *words: str) -> None:
        assert run("search", "", "--lang", "eng", *words).exit_code == 0
        assert run("results", "keep", name).exit_code == 0

    def said(**asked: str) -> Counter[str]:
        chosen = [row for row in ROWS if all(row[name] == value for name, value in asked.items())]
        return Counter(token for row in chosen for token in row["eng"].split())

    kept("ann", "--where", "speaker=Ann")
    kept("second", "--where", "scene=2", "--length", "2")
    kept("both", "--collection", "ann", "--where", "scene=2")
    kept("all")
    assert run("results", "intersection", "meet", "ann", "second").exit_code == 0
    assert run("results", "union", "joined", "ann", "second").exit_code == 0
    assert run("results", "difference", "rest", "ann", "meet").exit_code in (0, 1)
    assert counted("--collection", "ann") == said(speaker="Ann")
    assert counted("--collection", "second") == said(scene="2")
    assert counted("--collection", "both") == counted("--collection", "meet") == said(speaker="Ann", scene="2")
    assert counted("--collection", "ann", "--where", "scene=2") == said(speaker="Ann", scene="2")
    assert counted("--collection", "all") == said() == counted()
    anywhere = {row["eng"] for row in ROWS if row["speaker"] == "Ann" or row["scene"] == "2"}
    assert counted("--collection", "joined") == Counter(
        token for row in ROWS if row["eng"] in anywhere for token in row["eng"].split()
    )
    assert "wherever it is" in run("frequencies", "--lang", "eng", "--occurrences", "--collection", "joined").stderr
    lines = run("search", "yes", "--lang", "eng", "--collection", "ann", "--group", "speaker")
    assert {row["speaker"] for row in rows_of(lines.stdout)} == {"Ann"}


def test_lines_of_a_collection_stand_in_it(run: Run, play: Path) -> None:
    lines = "".join(f"{row['eng']}\tautre\tZoe\n" for row in ROWS)
    (play / "other.tsv").write_text(f"eng\tfra\tspeaker\n{lines}", encoding="utf-8")
    asked = ("--attributes", "speaker", "--name", "other")
    assert run("import", "other.tsv", "--lang", "eng,fra", *asked).exit_code == 0
    call = ("search", "yes", "--lang", "eng", "-n", "0", "--kwic", "--collection", "other")
    for by, expected in (("collection", "other"), ("document", "other/other.tsv"), ("match,speaker", "yes | Zoe")):
        (row,) = rows_of(run(*call, "--group", by).stdout)
        assert (row[by], row["lines"]) == (expected, str(len({r["eng"] for r in ROWS if "yes" in r["eng"]})))
    shown = json.loads(run(*call, "--show", "speaker", "--places", "--with", "fra", "--json").stdout)["hits"]
    assert {hit["speaker"] for hit in shown} == {"Zoe"}
    assert {place["collection"] for hit in shown for place in hit["places"]} == {"other"}
    assert {each["text"] for hit in shown for each in hit["translations"]["fra"]} == {"autre"}


def test_a_part_is_compared_with_a_part(run: Run, play: Path) -> None:
    call = ("keywords", "--lang", "eng", "--occurrences", "--least", "1", "--where", "scene=1", "--json", "--against")
    sizes = {scene: sum(len(row["eng"].split()) for row in ROWS if row["scene"] == scene) for scene in "12"}
    for part in ("play[scene=2]", "[scene=2]"):
        found = json.loads(run(*call, part).stdout)
        assert (found["target_tokens"], found["reference_tokens"]) == (sizes["1"], sizes["2"])


def test_attributes_called_as_columns_are_stand_beside_these(run: Run) -> None:
    Path("called.tsv").write_text("eng\tleft\tid\tgenre\nOh, yes now.\tL\tI\tG\n", encoding="utf-8")
    assert run("import", "called.tsv", "--lang", "eng", "--columns", "1", "--attributes", "left,genre").exit_code == 0
    call = ("search", "yes", "--lang", "eng", "--kwic", "--show", "left,genre")
    [row] = rows_of(run(*call).stdout)
    [hit] = json.loads(run(*call, "--json").stdout)["hits"]
    for each in (row, hit):
        told = [each[name] for name in ("left", "match", "right", "text_left", "genre")]
        assert told == ["Oh, ", "yes", " now.", "L", "G"]


def test_attributes_have_the_names_of_cwb(run: Run, play: Path) -> None:
    call = ("search", "yes", "--lang", "eng", "--kwic", "--group")
    assert rows_of(run(*call, "text_scene").stdout) == [
        {"text_scene": row["scene"]} | {name: row[name] for name in row if name != "scene"}
        for row in rows_of(run(*call, "scene").stdout)
    ]
    assert run(*call[:-1], "--show", "text_scene").stdout == run(*call[:-1], "--show", "scene").stdout


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("--where", "scene>=2"), 2, "'scene>=2' is not a condition"),
        (("--where", "scene=2-3"), 3, "no document or line has scene=2-3; scene is 1, 2, 3"),
        (("--where", "scene=4|2"), 0, ""),
        (("--where", "speker=Ann"), 3, "no document or line has an attribute 'speker'; there are "),
        (("--where", "Ann"), 2, "'Ann' names no attribute"),
        (("--document", "act9[speaker=Ann]"), 3, "there is no document 'act9'"),
        (("--kwic", "--show", "speker"), 3, 'match.speaker = "Ann"; here scene, speaker'),
        (("--group", "speker"), 3, "no document or line has an attribute 'speker'; there are scene, speaker"),
        (("--occurrences", "--context", "1"), 2, "--occurrences has no effect without --kwic or --group"),
        (("--sample", "5", "--quiet"), 2, "--sample has no effect without --kwic or --group"),
        (("--group", "scene", "--context", "1"), 0, "--context has no effect with --group"),
        (("--words-only", "--width", "5"), 2, "--width, --words-only have no effect without --kwic or --group"),
        (("--group", "scene", "--distance", "2"), 0, "--distance has no effect with --group"),
        (("--kwic", "--occurrences", "--distance", "2"), 0, "--distance has no effect with --occurrences"),
    ],
)
def test_what_is_not_there(run: Run, play: Path, words: tuple[str, ...], code: int, told: str) -> None:
    result = run("search", "yes", "--lang", "eng", *words)
    assert (result.exit_code, told in result.stderr) == (code, True), result.stderr
    assert bool(result.stdout) == (code == 0)
    translated = run("search", "yes", "--lang", "eng", "--kwic", "--distance", "2").stdout
    assert translated.startswith("line\tid\tlanguage\tleft\tmatch\tright\ttranslations\n1\t")
    refused = run("import", "play.tsv", "--lang", "eng,fra", "--name", "x", "--attributes", "speker")
    assert (refused.exit_code, "no column is named 'speker'" in refused.stderr) == (3, True)
    refused = run("import", "play.tsv", "--lang", "eng,fra", "--name", "x", "--attributes", "scene", "--header", "no")
    assert (refused.exit_code, "the first line is not a header" in refused.stderr) == (3, True)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ('"yes" :: match.scene="[12]"', "only | and .* of regular expressions"),
        ('"yes" :: match.scene="1" | match.scene="2"', "must be alone or joined with &"),
        ('"yes" <speaker="Ann">', 'first also <text> and <u_who="Bob">'),
        ('"yes" :fra [] </text>', "write it before the colon"),
        ('"yes" :fra [] :: match.scene="1"', "write it before the colon"),
    ],
)
def test_what_no_query_can_ask_of_places(run: Run, play: Path, query: str, told: str) -> None:
    result = run("search", "--cqp", query, "--lang", "eng")
    assert (result.exit_code, told in result.stderr) == (2, True), result.stderr
