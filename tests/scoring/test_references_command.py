"""Reference sets from the command line: what is written, read again, and said of them."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from calls import Run, write_files

from corpusdb.base.jobs import Progress
from corpusdb.commands.invocation import Meter
from corpusdb.corpus.formats.records import Provenance, ReferenceSet, digest
from corpusdb.corpus.formats.registry import reference_writer_of
from corpusdb.corpus.store import open_store
from corpusdb.paraphrase.queries.filters import filter_at
from corpusdb.people.queries.decisions import decide
from corpusdb.people.queries.sessions import create_session
from corpusdb.scoring.metric_settings import Signature

SEED = "A slice of pizza, please."
CANDIDATE = "Can I have a slice of pizza?"
FRENCH = "Une bière, s'il vous plaît."
SETS = (
    ReferenceSet("1", SEED, (SEED, CANDIDATE)),
    ReferenceSet("2", FRENCH, ("A beer, please.", "Can I have a beer?")),
)


@pytest.mark.parametrize(
    ("sources", "stdin"),
    [((SEED, FRENCH), ""), (("@sources.txt",), ""), ((SEED, "-"), FRENCH + "\n"), ((SEED, "@second.txt"), "")],
)
def test_sources_are_seeds_or_their_translations_from_anywhere(
    sources: tuple[str, ...], stdin: str, run: Run, generated: Path, tmp_path: Path
) -> None:
    (tmp_path / "sources.txt").write_text(f"{SEED}\n{FRENCH}\n", encoding="utf-8")
    (tmp_path / "second.txt").write_text(FRENCH, encoding="utf-8")
    result = run("references", *sources, "-o", "out", "--lang", "eng", "-N", "0", "--json", stdin=stdin)
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found.pop("made_from")["command"] == "references"
    # Of the four, only the generated one is no translation that people wrote.
    assert found["validities"] == [found["validity"], None]
    assert 0 < found["validity"] < 1
    assert f"{found['validity']:.1%} are expected to hold" in result.stderr
    assert {name: found[name] for name in found if not name.startswith("validit")} == {
        "sources": 2,
        "missing": [],
        "digest": digest(SETS),
        "segments": 2,
        "references": 4,
        "real": 1,
        "real_seeds": 1,
        "deep": 1,
        "format": "sacrebleu",
        "files": ["out/source.txt", "out/ref0.txt", "out/ref1.txt", "out/provenance.tsv"],
    }
    assert (tmp_path / "out/ref1.txt").read_text(encoding="utf-8") == f"{CANDIDATE}\nCan I have a beer?\n"
    known = [line.split("\t") for line in (tmp_path / "out/provenance.tsv").read_text(encoding="utf-8").splitlines()]
    assert [row[:3] for row in known[1:3]] == [["1", "1", "original"], ["1", "2", "generated"]]
    assert float(known[2][3]) == pytest.approx(found["validity"])
    assert [row[-1] for row in known] == ["change", "", "real", "", ""]
    assert [row[2:] for row in known[3:]] == [["original+detected", "", "", ""]] * 2


def test_the_digest_and_the_files_are_printed(run: Run, generated: Path, tmp_path: Path) -> None:
    result = run("references", SEED, "-o", "out", "--format", "tsv", "-n", "1")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        f"digest\t{digest([ReferenceSet('1', SEED, (SEED,))])}",
        "segments\t1",
        "references\t1",
        "real\t0",
        "real_seeds\t0",
        "deep\t0",
        "file\tout/references.tsv",
    ]


def test_what_sessions_accepted_and_did_not_write_is_told(run: Run, generated: Path) -> None:
    with open_store(generated) as store:
        create_session(store, "s", "eng", [SEED], filter_at(1))
        decide(store, "s", SEED, "Anything else.", "accept")
    told = "session s has 1 accepted that are not in the corpus yet and do not count: `corpusdb session apply s`"
    assert told in run("references", SEED, "-o", "out").stderr
    assert "session" not in run("references", SEED, "-o", "other", "--references", "original").stderr


UNKNOWN = "Nobody has ever written that."


@pytest.mark.slow
def test_how_many_sources_are_covered_is_told_first(run: Run, generated: Path, tmp_path: Path) -> None:
    others = "".join(f"{UNKNOWN} {number}\n" for number in range(12))
    (tmp_path / "sources.txt").write_text(f"{others}{FRENCH}\n", encoding="utf-8")
    options = ("sources.txt", "-o", "out", "--lang", "eng", "--format", "tsv")
    refused = run("references", *options)
    told = (
        "corpusdb: 1 of 13 sources has a reference, 2.0 on average; none for 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more"
    )
    talk = [line for line in refused.stderr.splitlines() if "making reference sets" not in line]
    assert (refused.exit_code, talk[0]) == (3, told)
    assert talk[1].startswith("corpusdb: error: 12 of 13 sources have no reference, the first is 1, ")
    assert not (tmp_path / "out").exists()
    skipping = run("references", *options, "--skip-missing", "--json")
    found = json.loads(skipping.stdout)
    assert (found["sources"], found["missing"], found["segments"]) == (13, list(range(1, 13)), 1)
    assert "segments are renumbered without these: outputs no longer match line by line" in skipping.stderr


def test_sentences_as_references_of_themselves_keep_their_lines(run: Run, generated: Path, tmp_path: Path) -> None:
    """What is scored has a line for each sentence: one without a paraphrase has itself."""
    texts = ["A beer, please.", "Nobody has ever said this.", "A twin, please."]
    (tmp_path / "sources.txt").write_text("".join(f"{each}\n" for each in texts), encoding="utf-8")
    asked = ("references", "sources.txt", "-o", "out", "--lang", "eng", "-N", "0", "-V", "0")
    assert run(*asked).exit_code == 3
    assert run(*asked, "--with-source").exit_code == 0
    files = [path.read_text(encoding="utf-8").splitlines() for path in sorted((tmp_path / "out").glob("ref*.txt"))]
    assert files[0] == texts and len(files) > 1 and {len(each) for each in files} == {3}
    assert {each[1] for each in files} == {texts[1]} and files[1][0] != texts[0]
    (tmp_path / "src.fra").write_text("Une bière.\n", encoding="utf-8")
    mixed = run("references", "src.fra", "-o", "no", "--lang", "eng", "--with-source")
    assert mixed.exit_code == 2 and "the sources are in fra, and references in eng" in mixed.stderr


@pytest.mark.slow
def test_a_set_that_is_refused_is_not_made_to_its_end(run: Run, generated: Path, tmp_path: Path) -> None:
    """What is refused is known when some sources have references and some have none: it is told soon."""
    (tmp_path / "sources.txt").write_text(f"{FRENCH}\n" + f"{UNKNOWN}\n" * 60, encoding="utf-8")
    refused = run("references", "sources.txt", "-o", "out", "--lang", "eng")
    assert refused.exit_code == 3
    assert "1 of 50 sources has a reference" in refused.stderr
    assert "; the 11 after them were skipped" in refused.stderr
    assert "49 of the first 50 sources have no reference, the first is 2, " in refused.stderr
    assert "--skip-missing leaves them out" in refused.stderr and "sources is in the corpus" not in refused.stderr
    (tmp_path / "hyp.txt").write_text("A beer.\n" * 61, encoding="utf-8")
    score = run("score", "hyp.txt", "--ref-from", "corpus", "--source", "sources.txt", "--lang", "eng")
    assert score.exit_code == 3 and "for 49 of 50 sources looked at" in score.stderr
    whole = json.loads(
        run("references", "sources.txt", "-o", "out", "--lang", "eng", "--skip-missing", "--json").stdout
    )
    assert (whole["sources"], whole["segments"]) == (61, 1)


def test_what_was_made_of_a_set_when_it_is_stopped_is_not_kept(
    run: Run, generated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(meter: Meter, step: Progress) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Meter, "show", interrupt)
    result = run("references", FRENCH, "-o", "out", "--lang", "eng")
    assert result.exit_code == 130
    assert "interrupted; nothing was written, and the same command starts from the beginning" in result.stderr


@pytest.mark.parametrize("skips", [(), ("--skip-missing",)])
def test_a_set_of_nothing_is_not_written(skips: tuple[str, ...], run: Run, generated: Path, tmp_path: Path) -> None:
    result = run("references", UNKNOWN, f"{UNKNOWN} Never.", "-o", "out", "--lang", "eng", *skips)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "0 of 2 sources have a reference\n" in result.stderr
    assert "nothing is written; none of the 2 sources is in the corpus, which has " in result.stderr
    assert "`--ref FILE --ref-from corpus`" in result.stderr
    assert "-N 10" not in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("format", ["sacrebleu", "sgm", "wmt", "jsonl", "tsv"])
def test_what_fills_sets_up_is_warned_of(format: str, run: Run, generated: Path, tmp_path: Path) -> None:
    """NIST counts every copy of a reference, and the digest none."""
    options = ("--lang", "eng", "--format", format, "--json")
    made = run("references", "A twin, please.", FRENCH, "-o", "out", *options)
    fills_up = format not in ("jsonl", "tsv")
    assert ("--format jsonl or tsv keeps every set as it is" in made.stderr) == fills_up
    files = [name for name in json.loads(made.stdout)["files"] if "/ref" in name and "src" not in name]
    (tmp_path / "h.txt").write_text("A twin, please.\nA beer, please.\n", encoding="utf-8")
    scored = run("score", "h.txt", "--ref", *files, "--metric", "nist,bleu", "--json")
    assert ("NISTw5: 1 of 2 segments have a reference twice" in scored.stderr) == fills_up
    assert "BLEUw4: " not in scored.stderr
    for each in json.loads(scored.stdout):
        signature = Signature.parse(each["signature"])
        assert signature.digest == json.loads(made.stdout)["digest"][:16]
        assert str(signature.references) == ("2" if fills_up else "1/1.50/2")
        assert signature.copies == (1 if fills_up else None), "the digest is the same, and NIST is not"
        assert ("|copies:" in signature.short()) == fills_up


@pytest.mark.slow
def test_the_call_of_sacrebleu_that_is_told_gives_our_numbers(run: Run, generated: Path, tmp_path: Path) -> None:
    """Also of TER, which knows no case by default there, and counts references that fill up."""
    pytest.importorskip("sacrebleu")
    (tmp_path / "h.txt").write_text("can I have a slice of Pizza?\nA beer, I said.\n", encoding="utf-8")
    told = run("references", SEED, FRENCH, "-o", "my out", "--lang", "eng", "-N", "0", "--min-shared", "0").stderr
    (call,) = re.findall(r"'my out'`: sacrebleu (.*)", told)
    words = shlex.split(
        call.replace("'my out'/ref*.txt", "'my out/ref0.txt' 'my out/ref1.txt'").replace("OUTPUT", "h.txt")
    )
    command = [sys.executable, "-m", "sacrebleu", *words, "-w", "6"]
    theirs = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    ours = json.loads(run("score", "h.txt", "--ref", "my out", "-m", "bleu,chrf,ter", "--json").stdout)
    assert [each["score"] for each in json.loads(theirs)] == pytest.approx([each["score"] for each in ours], abs=1e-5)


def test_references_that_are_given_twice_are_told(run: Run, tmp_path: Path) -> None:
    """No BLEU changes by it, but the number of references in the signature."""
    (tmp_path / "h.txt").write_text("a cat sat\nso it is\n", encoding="utf-8")
    (tmp_path / "r.txt").write_text("a cat sits\nso is it\n", encoding="utf-8")
    (tmp_path / "all.tsv").write_text("ref\tref\tref\na cat sits\tcat\t\nso is it\tso\tit is\n", encoding="utf-8")
    alone, both = run("score", "h.txt", "--ref", "all.tsv"), run("score", "h.txt", "--ref", "r.txt", "all.tsv")
    assert "reference twice" not in alone.stderr
    assert "2 of 2 segments have a reference twice, as files have that are filled up or given twice" in both.stderr
    assert "refs:3/3.50/4|copies:2|set:2-" in run("score", "h.txt", "--ref", "r.txt", "all.tsv", "--json").stdout


def test_a_format_that_cannot_be_written_is_told_before_anything_is_done(run: Run, generated: Path) -> None:
    result = run("references", SEED, "-o", "out", "--format", "docx")
    assert result.exit_code == 2
    assert "there are jsonl, sacrebleu, tsv" in result.stderr or "sacrebleu" in result.stderr
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("name", "instead"),
    [("refs.tsv", "refs --format tsv"), ("refs.txt", "refs"), ("a/refs.jsonl.gz", "a/refs --format jsonl\n")],
)
def test_the_name_of_a_file_makes_no_folder(name: str, instead: str, run: Run, generated: Path) -> None:
    result = run("references", SEED, "-o", name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{name} is the name of a file, and references writes a folder: --output {instead}" in result.stderr
    assert not Path(name).exists()


def test_a_file_of_sources_that_is_not_there(run: Run, generated: Path) -> None:
    result = run("references", "@none.txt", "-o", "out")
    assert (result.exit_code, result.stderr) == (3, "corpusdb: error: none.txt: no such file\n")


def test_statistics_are_the_tables_of_the_paper(run: Run, generated: Path) -> None:
    result = run("statistics", "--lang", "eng", "-N", "0")
    assert result.exit_code == 0
    assert "Table 1" in result.stdout
    assert "Table 2" in result.stdout
    document = json.loads(run("statistics", "--lang", "eng", "-N", "0", "--json").stdout)
    assert isinstance(document, dict)
    header, *rows = (
        line.split("\t") for line in run("statistics", "--lang", "eng", "--format", "tsv").stdout.splitlines()
    )
    assert header == ["part", "figure", "here", "paper"] and len({row[0] for row in rows}) == 4
    assert ["Section 5: detection", "most paraphrases"] in [row[:2] for row in rows]
    assert "97,769" in {row[3] for row in rows} and "of how many" in {row[1] for row in rows}
    latex = run("statistics", "--lang", "eng", "--format", "latex").stdout
    assert latex.startswith(r"\begin{tabular}") and "% made by corpusdb" in latex
    assert run("statistics", "--lang", "eng", "--format", "latex", "--plot").exit_code == 2


def test_statistics_with_plots(run: Run, generated: Path) -> None:
    shown = run("statistics", "--lang", "eng", "-N", "0", "--plot").stdout
    assert shown.startswith(run("statistics", "--lang", "eng", "-N", "0").stdout)
    assert shown.count("seeds with so many") == 2
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.slow
@pytest.mark.parametrize("format", ["sacrebleu", "sgm", "wmt", "jsonl", "tsv"])
def test_a_folder_stands_for_the_references_written_there(
    format: str, run: Run, generated: Path, tmp_path: Path
) -> None:
    made = run("references", FRENCH, "A twin, please.", "-o", "out", "--lang", "eng", "--format", format, "--json")
    files = [name for name in json.loads(made.stdout)["files"] if "/ref" in name and "src" not in name]
    (tmp_path / "h.txt").write_text("A beer, please.\nA twin, please.\n", encoding="utf-8")
    for call in (("score", "h.txt", "--ref", "out"), ("score", "out", "-i", "h.txt")):
        by_folder = json.loads(run(*call, "--json").stdout)[0]
        by_files = json.loads(run(*(x for each in call for x in (files if each == "out" else [each])), "--json").stdout)
        assert by_folder["signature"] == by_files[0]["signature"]
        assert Signature.parse(by_folder["signature"]).digest == json.loads(made.stdout)["digest"][:16]
    assert run("score", "h.txt", "--ref", "out", "--store").exit_code == 0
    assert run("verify", "1").exit_code == 0, "the files in it are what is compared"


def test_ranks_of_a_folder_stand_in_their_order_and_other_folders_are_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "h.txt").write_text("a\n", encoding="utf-8")
    for number in (10, 9, 0):
        (tmp_path / "out").mkdir(exist_ok=True)
        (tmp_path / "out" / f"ref{number}.txt").write_text(f"r {number}\n", encoding="utf-8")
    found = json.loads(run("trace", "h.txt", "--ref", "out", "--segment", "1", "--json").stdout)
    assert [each["text"] for each in found["references"]] == ["r 0", "r 9", "r 10"]
    for name in ("references.jsonl", "references.tsv"):
        (tmp_path / "two").mkdir(exist_ok=True)
        (tmp_path / "two" / name).write_text("", encoding="utf-8")
    (tmp_path / "none").mkdir()
    for folder in ("two", "none"):
        result = run("score", "h.txt", "--ref", folder)
        assert (result.exit_code, result.stdout) == (3, "")
        assert f"{folder}: is a folder, and holds neither ref0.txt, ref1.txt ... nor one file" in result.stderr


def test_only_a_filter_that_finds_references_is_named(run: Run, generated: Path) -> None:
    asked = ("references", "A beer, please.", "A twin, please.", "--references", "detected,generated", "-o", "out")
    nothing = run(*asked)
    assert nothing.exit_code == 1
    assert "nothing is written; -V 0 finds 1; with `--ref FILE" in nothing.stderr
    refused = run(*asked, "-T", "0")
    assert refused.exit_code == 3
    told = "--with-source keeps their lines, --skip-missing leaves them out; -N 0 finds 1; with `--ref"
    assert f"the first is 2, 'A twin, please.': {told}" in refused.stderr
    bare = run(*asked, "-T", "0", "-N", "0", "--min-shared", "9").stderr
    assert "nothing is written; without --min-... there are 2; with `--ref FILE" in bare


# One reader of references and one maker of signatures: the same files say the same in every command.


PEOPLE: Final = ["the cat sat on the mat", "it rained all day", "we had tea at four"]
MADE: Final = [["the cat sat upon the mat", "the cat sat down on the mat"], ["it rained the whole day"], []]
ORIGINS: Final = [["exchanged", "generated"], ["detected+exchanged"], []]
OUTPUTS: Final = {
    "one": ["the cat sat upon a mat", "it rained the whole day", "we had tea at five"],
    "two": ["a cat is on the mat", "it rained", "tea at four"],
    "three": ["the cat sat", "rain all day", "we drank tea"],
}
ALL: Final = ("one.txt", "two.txt", "three.txt")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Three systems, what people said of them, the references of people, and these with others in every format."""
    sets = [
        ReferenceSet(
            str(number),
            "",
            (first, *others),
            {first: Provenance("original")}
            | {text: Provenance(origin, 0.5) for text, origin in zip(others, origins, strict=True)},
        )
        for number, (first, others, origins) in enumerate(zip(PEOPLE, MADE, ORIGINS, strict=True), 1)
    ]
    for name in ("jsonl", "tsv", "sacrebleu", "sgm", "wmt"):
        reference_writer_of(name).write(sets, tmp_path / name)
    texts = {"ref.txt": PEOPLE, "short.txt": PEOPLE[:2]} | {f"{name}.txt": lines for name, lines in OUTPUTS.items()}
    texts["human.tsv"] = ["system\tsegment\tz", *(f"{name}\t{at}\t{at}" for name in OUTPUTS for at in range(3))]
    write_files(tmp_path, texts)
    return tmp_path


def answered(run: Run, *arguments: str) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def signatures(run: Run, references: Sequence[str]) -> dict[str, str]:
    """Of BLEU over all segments, by the command that told it."""
    agreed = answered(
        run, "agreement", *ALL, *references, "--human", "human.tsv", "--level", "system", "--samples", "9"
    )
    compared = answered(run, "compare", *ALL[:2], *references, "--section", "scores", "--samples", "9")
    worth = answered(run, "study", "reference-worth", *ALL, *references, "--draws", "2", "--samples", "2")
    return {
        "score": answered(run, "score", *ALL, *references)[0]["signature"],
        "agreement": agreed[0]["signature"],
        "compare": compared[0]["scores"][0]["signature"],
        "trace": answered(run, "trace", "one.txt", "--segment", "1", *references)["signature"],
        "worth": worth["curves"][-1]["signatures"][-1].replace("|seed:1", ""),
    }


@pytest.mark.parametrize(
    ("references", "copies"),
    [
        (["--ref", "ref.txt"], None),
        (["--ref", "jsonl"], None),
        (["--ref", "ref.txt", "--ref", "generated:jsonl/references.jsonl"], 3),
        (["--ref", "original:ref.txt", "--ref", "tsv"], 3),
        (["--ref", "sacrebleu"], 3),
        (["--ref", "ref.txt", "--ref", "by-hand:sgm"], 6),
    ],
)
def test_one_set_has_one_signature(run: Run, files: Path, references: list[str], copies: int | None) -> None:
    told = signatures(run, references)
    assert set(told.values()) == {told["score"]}, told
    assert Signature.parse(told["score"]).copies == copies
    digest = answered(run, "verify", *references)
    assert (digest["digest"][:16], digest["copies"]) == (Signature.parse(told["score"]).digest, copies or 0)


@pytest.mark.slow
@pytest.mark.parametrize("written", ["jsonl", "tsv", "sacrebleu", "sgm", "wmt", "jsonl/references.jsonl"])
@pytest.mark.parametrize(
    ("origins", "counts"),
    [
        ("original+detected+generated+exchanged", [3, 2, 1]),
        ("original+exchanged", [2, 1, 1]),
        ("original+detected", [1, 2, 1]),
        ("original", [1, 1, 1]),
    ],
)
def test_the_origin_that_a_file_tells_is_its_origin(
    run: Run, files: Path, written: str, origins: str, counts: list[int]
) -> None:
    call = ("agreement", *ALL, "--ref", written, "--human", "human.tsv", "--level", "system", "--samples", "9")
    (row, *_) = answered(run, *call, "--origins", origins)
    told = Signature.parse(row["signature"])
    # As a file that has these alone: whatever a format fills up smaller sets with are copies.
    sets = [[first, *others][:1] for first, others in zip(PEOPLE, MADE, strict=True)]
    for number, (texts, labels) in enumerate(zip(MADE, ORIGINS, strict=True)):
        wanted = origins.split("+")
        sets[number] += [text for text, label in zip(texts, labels, strict=True) if label.split("+")[0] in wanted]
    assert [len(each) for each in sets] == counts
    lines = (json.dumps({"id": str(at), "references": each}) for at, each in enumerate(sets, 1))
    (files / "alone.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    alone = Signature.parse(answered(run, "score", "one.txt", "--ref", "alone.jsonl")[0]["signature"])
    assert told.digest == alone.digest
    assert told.references.least * 3 - (told.copies or 0) <= sum(counts)


def test_a_label_is_stronger_than_what_the_file_tells(run: Run, files: Path) -> None:
    result = run("agreement", *ALL, "--ref", "mine:jsonl", "--human", "human.tsv", "--origins", "original")
    assert result.exit_code == 2
    assert "there are no references of the origin 'original'; there are mine" in result.stderr


def test_compare_knows_what_people_did_not_write(run: Run, files: Path) -> None:
    (found,) = answered(run, "compare", *ALL[:2], "--ref", "jsonl", "--section", "origins", "--samples", "9")
    assert (found["origins"]["people"], found["origins"]["generated"], found["origins"]["left_out"]) == (4, 2, 0)
    people = Signature.parse(found["origins"]["by_people"]["signature"])
    # A detected sentence is one that a person wrote.
    assert str(people.references) == "1/1.33/2"


@pytest.mark.parametrize(
    ("name", "rows", "reason"),
    [
        ("jsonl/references.jsonl", '{"references":["a","b"],"origin":["original"]}', ":1: 1 values of 'origin' for 2"),
        ("sacrebleu/provenance.tsv", "a\tb\tc\td", ":1: is not a table of segment, rank, origin and validity"),
        ("sacrebleu/provenance.tsv", "segment\trank\torigin\tvalidity\n1\t1\toriginal\t", "nothing of reference 1 of"),
    ],
)
def test_what_tells_no_origin_is_refused(run: Run, files: Path, name: str, rows: str, reason: str) -> None:
    (files / name).write_text(f"{rows}\n", encoding="utf-8")
    result = run("score", "one.txt", "--ref", name.partition("/")[0])
    assert (result.exit_code, reason in result.stderr) == (3, True), result.stderr


def test_columns_of_others_called_origin_are_none(run: Run, files: Path) -> None:
    (files / "own.tsv").write_text("reference\torigin\na\tBBC\nb\tNHK\nc\tBBC\n", encoding="utf-8")
    call = ("agreement", *ALL, "--ref", "own.tsv", "--human", "human.tsv", "--level", "system", "--samples", "9")
    assert answered(run, *call, "--origins", "original")


@pytest.mark.parametrize("command", ["score", "compare", "agreement"])
def test_origins_have_the_same_segments(run: Run, files: Path, command: str) -> None:
    human = ("--human", "human.tsv") if command == "agreement" else ()
    result = run(command, *ALL, "--ref", "ref.txt", "--ref", "generated:short.txt", *human)
    assert (result.exit_code, "ref.txt:3: has no counterpart" in result.stderr) == (3, True), result.stderr


def test_worth_of_origins_that_not_all_segments_have(run: Run, files: Path) -> None:
    call = ("study", "reference-worth", "one.txt", "--ref", "jsonl", "--draws", "2", "--samples", "2")
    found = answered(run, *call)
    together = ["original", "detected", "generated", "exchanged"]
    assert [each["origins"] for each in found["curves"]] == [["original"], *(together[:end] for end in (2, 3, 4))]
    assert "no curve of detected, generated, exchanged: some segments have no reference" in run(*call).stderr


# What is said of texts that are scored: scripts without spaces, byte order marks, copies that weigh twice.


MARK: Final = b"\xef\xbb\xbf"
TOLD: Final = ": begins with a byte order mark, which is not a part of its text: left out\n"


@pytest.mark.parametrize(
    ("references", "told"),
    [
        (["水が飲みたい。", *["I want water."] * 39], None),
        (
            ["水が飲みたい。"] * 4 + ["I want water."] * 36,
            "BLEUw4: 10.0% of the references hold a script without",
        ),
        (
            ["水が飲みたい。"] * 40,
            "BLEUw4 is meaningless: 100.0% of the references hold a script without spaces; --unit char counts"
            " characters, -tok ja-sudachi or ja-mecab cut into words",
        ),
        (["我要喝水。"] * 40, "characters, -tok zh or char cuts into words"),
    ],
)
def test_a_script_without_spaces_is_told_by_its_share(
    run: Run, tmp_path: Path, references: list[str], told: str | None
) -> None:
    (tmp_path / "ref.txt").write_text("".join(f"{each}\n" for each in references), encoding="utf-8")
    (tmp_path / "out.txt").write_text("I want some water.\n" * 40, encoding="utf-8")
    said = run("score", "out.txt", "--ref", "ref.txt").stderr
    assert ("without spaces" in said) == (told is not None)
    assert told is None or told in said


@pytest.mark.parametrize(
    ("arguments", "marked"),
    [
        (("score", "out.txt", "--ref", "ref.txt"), ["ref.txt"]),
        (("score", "out.txt", "--ref", "ref.txt", "--json"), ["ref.txt", "out.txt"]),
        (("score", "out.txt", "--ref", "plain.txt"), []),
        (("import", "pairs.tsv", "--lang", "eng,fra"), ["pairs.tsv"]),
        (("rules", "check", "own.rules"), ["own.rules"]),
        (("score", "out.txt", "--ref", "short.txt"), ["short.txt"]),  # which is refused, and has one all the same
    ],
)
def test_a_byte_order_mark_is_told(run: Run, tmp_path: Path, arguments: tuple[str, ...], marked: list[str]) -> None:
    texts = {
        "ref.txt": "one two\nthree\n", "out.txt": "one two\nthree\n", "plain.txt": "one two\nthree\n",
        "pairs.tsv": "One.\tUn.\nTwo.\tDeux.\n", "short.txt": "one\n", "own.rules": "# none\n",
    }  # fmt: skip
    for name, text in texts.items():
        (tmp_path / name).write_bytes((MARK if name in marked else b"") + text.encode())
    said = run(*arguments).stderr
    assert [line for line in said.splitlines(keepends=True) if line.endswith(TOLD)] == [
        f"corpusdb: {name}{TOLD}" for name in marked
    ], said


@pytest.mark.parametrize(
    ("references", "told"),
    [
        (("ref.txt", "other.txt"), None),
        (
            ("ref.txt", "ref.txt"),
            "2 references repeat another of the segment and may be drawn beside it",
        ),
    ],
)
def test_a_curve_over_copies_says_so(run: Run, tmp_path: Path, references: tuple[str, ...], told: str | None) -> None:
    for name, text in (("ref.txt", "a b c\nd e\n"), ("other.txt", "a b d\nd f\n"), ("out.txt", "a b c\nd g\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "pairs.tsv").write_text("One.\tUn.\n", encoding="utf-8")
    assert run("import", "pairs.tsv", "--lang", "eng,fra").exit_code == 0
    given = [part for name in references for part in ("--ref", name)]
    found = run("study", "reference-worth", "out.txt", *given, "--draws", "2", "--samples", "2", "--format", "table")
    assert found.exit_code == 0, found.stderr
    assert run("score", "out.txt", *given, "--store").exit_code == 0
    stored = run("scores", "curve", "--draws", "2", "--samples", "2", "--format", "table")
    assert stored.exit_code == 0, stored.stderr
    for answer in (found.stdout, stored.stdout):
        assert ("may be drawn beside it" in answer) == (told is not None)
        assert told is None or told in answer
