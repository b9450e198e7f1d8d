"""Scores, files and the study with equivalents from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from calls import Prepare, Run, write_files

from corpusdb.base.jobs import finished
from corpusdb.corpus.store import open_for_reading
from corpusdb.scoring.queries.score_table import counting_column, score_table
from corpusdb.scoring.queries.stored_scores import all_test_sets

SUBJECTS = {"chat": ("cat", "puss"), "chien": ("dog", "hound"), "roi": ("king", "ruler"), "bateau": ("boat", "ship")}
OBJECTS = {"maison": ("house", "home"), "voiture": ("car", "vehicle"), "route": ("road", "street")}
VERBS = {"voit": "sees", "quitte": "leaves", "aime": "likes"}
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
ANY = ("--equivalents", "--anywhere")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A bitext with two words for each noun, two systems that take turns in them, and human scores and documents."""
    source, reference, outputs = [], [], {"one": [], "two": []}  # type: ignore[var-annotated]
    for subject, subjects in SUBJECTS.items():
        for thing, things in OBJECTS.items():
            for at, (verb, translated) in enumerate(VERBS.items()):
                own, other = at % 2, (len(source) // 2) % 2
                source.append(f"le {subject} {verb} la {thing} .")
                reference.append(f"The {subjects[own]} {translated} the {things[other]}, too.")
                outputs["one"].append(f"The {subjects[0]} {translated} the {things[0]}, too.")
                outputs["two"].append(f"the {subjects[1 - own]} likes a {things[at % 2]} now.")
    texts = {"source.fra": source, "ref.eng": reference, **{f"{name}.txt": lines for name, lines in outputs.items()}}
    texts["second.eng"] = [line.replace("too", "also") for line in reference]
    rows = [f"{name}\t{at}\t{3 - (at * step) % 5}" for name, step in (("one", 2), ("two", 3)) for at in range(36)]
    texts["human.tsv"] = ["system\tsegment\tz", *rows]
    texts["docs.tsv"] = ["doc\tfirst_segment\tn_segments", *(f"d{at}\t{9 * at}\t9" for at in range(4))]
    write_files(tmp_path, texts)
    return tmp_path


def scores(run: Run, *arguments: str) -> list[dict[str, Any]]:
    result = run("score", "one.txt", "two.txt", *arguments, "--json", "--quiet")
    assert result.exit_code == 0, result.stderr
    found: list[dict[str, Any]] = json.loads(result.stdout)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("substitutions", ["any", "1", "2"])
def test_scores_are_those_of_the_references_that_are_written(run: Run, files: Path, substitutions: str) -> None:
    """Written out by one command and scored by the other, as files for any other program."""
    chosen = ("--anywhere", "--substitutions", substitutions)
    result = run("references", "@source.fra", "--ref", "ref.eng", "--add", "equivalents", *chosen, "-n", "0", "-o", "x")
    assert result.exit_code == 0, result.stderr
    written = [str(path.relative_to(files)) for path in sorted((files / "x").glob("ref*.txt"))]
    assert len(written) > 2
    given = ("--ref", "ref.eng", "--source", "source.fra", "--equivalents", *chosen)
    for order in map(str, range(1, 6)):
        found = scores(run, *given, "--order", order, "--segments")
        expected = scores(run, "--ref", *written, "--order", order, "--segments")
        for ours, theirs in zip(found, expected, strict=True):
            assert ours["score"] == pytest.approx(theirs["score"], abs=1e-9)
            assert ours["segments"] == pytest.approx(theirs["segments"], abs=1e-9)
    assert found[0]["score"] > scores(run, "--ref", "ref.eng", "--order", "5")[0]["score"]


def test_the_signature_says_what_was_put_in(run: Run, files: Path) -> None:
    given = ("--ref", "ref.eng", "--source", "source.fra", "--metric", "bleu,nist")
    plain, found = scores(run, *given), scores(run, *given, *ANY)
    assert all("|eq:" not in each["signature"] for each in plain)
    for before, after in zip(plain, found, strict=True):
        first, _, rest = after["signature"].partition("|eq:closed+n2+p0.1+c0.75+any+")
        digest, _, version = rest.partition("|")
        assert f"{first}|{version}" == before["signature"]
        assert len(digest) == 16
    both = run(
        "score", "one.txt", "two.txt", *given, *ANY, "--significance", "bootstrap", "--confidence", "--samples", "9"
    )
    assert both.exit_code == 0
    assert "substitutions in 36 of 36 segments" in both.stderr


def test_what_equivalents_match_counts_in_part(run: Run, files: Path) -> None:
    """Half of them: between the scores without and with all; and other forms count so, too."""
    given = ("--ref", "ref.eng", "--source", "source.fra", "--metric", "bleu,chrf")
    alone, half, whole = (scores(run, *given, *more) for more in ((), (*ANY, "--credit", "0.5"), ANY))
    for at in (0, 1):
        assert "+credit0.5+any+" in half[at]["signature"] and "credit" not in whole[at]["signature"]
        assert alone[at]["score"] < half[at]["score"] < whole[at]["score"]
    texts = {"one.eng": ["The dog sees the house, too.", "They see houses and dogs."], "two.fra": ["le chien", "la"]}
    write_files(files, {**texts, "forms.txt": ["The dogs see the houses, too.", "x"]})
    call = ("score", "forms.txt", "--ref", "one.eng", "--source", "two.fra", "--order", "1", "--segments", "--json")
    for more, matched in ((("--credit", "1"), 5), (("--credit", "0.5"), 6.5)):
        (found,) = json.loads(run(*call, *ANY, *more, "--quiet").stdout)
        assert found["segments"][0] == pytest.approx(100 * matched / 8, abs=1e-6)
    chrf = [
        json.loads(run(*call[:-4], "-m", "chrf", "--json", *more).stdout) for more in ((), (*ANY, "--credit", "0.5"))
    ]
    assert chrf[0][0]["score"] == chrf[1][0]["score"]  # which knows the forms anyway
    written = run("references", "@two.fra", "--ref", "one.eng", "--add", "equivalents", "--credit", "0.5", "-o", "x")
    assert (written.exit_code, "--credit is for scores" in written.stderr) == (2, True)


REJECTED = ("rejections", "add", "house", "home", "--lang", "eng")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pharaoh", "beside a text", "giza"])
def test_links_of_another_aligner_give_what_they_say(run: Run, files: Path, kind: str) -> None:
    """Our own links, written out and taken in, put in what our own alignment does."""
    added = ("references", "@source.fra", "--ref", "ref.eng", "--add", "equivalents", "--anywhere", "-n", "0")
    assert run(*added, "--links", "grow-diag-final-and", "-o", "own").exit_code == 0
    aligned = ("align", "--source", "source.fra", "--ref", "ref.eng", "--tokenise", "units", "--tokens", "tokens")
    assert run(*aligned, "-o", "links").exit_code == 0
    chosen = ["--alignment", "links"]
    if kind == "beside a text":
        chosen += ["--alignment-text", "tokens"]
    if kind == "giza":
        links = [line.split() for line in (files / "links").read_text(encoding="utf-8").splitlines()]
        texts = [line.split(" ||| ") for line in (files / "tokens").read_text(encoding="utf-8").splitlines()]
        lines = []
        for number, (own, (source, target)) in enumerate(zip(links, texts, strict=True), 1):
            words, made = source.split(), target.split()
            lines += [f"# Sentence pair ({number}) source length {len(words)} target length {len(made)} score : 1"]
            places = [[] for _ in words]  # type: ignore[var-annotated]
            for link in own:
                mine, theirs = map(int, link.split("-"))
                places[mine].append(f"{theirs + 1} ")
            shown = (f"{word} ({{ {''.join(each)}}})" for word, each in zip(words, places, strict=True))
            lines += [target, f"NULL ({{ }}) {' '.join(shown)}"]
        (files / "links").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    found = run(*added, *chosen, "-o", "theirs")
    if kind == "pharaoh":
        assert (found.exit_code, "words, which are counted from 0" in found.stderr) == (
            3,
            True,
        )  # too, is one word there
        return
    assert found.exit_code == 0, found.stderr
    assert all((files / "theirs" / each.name).read_bytes() == each.read_bytes() for each in (files / "own").iterdir())


def test_the_signature_tells_one_phrase_table_from_another(run: Run, files: Path) -> None:
    rows = [
        f"le {subject} ||| the {word} ||| 1 1 .5 1 ||| 0-0 1-1 ||| 5 10 5"
        for subject, words in SUBJECTS.items()
        for word in words
    ]
    (files / "table").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    both = ("--source", "source.fra", "--ref", "ref.eng", *ANY, "--phrase-table", "table")
    signature = scores(run, *both)[0]["signature"]
    (files / "table").write_text("".join(f"{row}\n" for row in rows[:-2]), encoding="utf-8")
    assert scores(run, *both)[0]["signature"] != signature


@pytest.mark.slow
def test_what_a_database_rejects_is_not_put_in_and_the_signature_says_it(run: Run, files: Path, corpus: Path) -> None:
    given = ("--ref", "ref.eng", "--source", "source.fra", "--metric", "bleu,nist", *ANY)
    before = scores(run, *given)
    assert run(*REJECTED).exit_code == 0
    result = run("score", "one.txt", "two.txt", *given, "--json")
    assert "left out: 1 pair rejected in corpus.db" in result.stderr
    after = json.loads(result.stdout)
    for one, other in zip(before, after, strict=True):
        assert "rejected" not in one["signature"]
        assert "|eq:closed+n2+p0.1+c0.75+any+rejected1-" in other["signature"]
        assert other["score"] <= one["score"]
    assert after[0]["score"] < before[0]["score"]  # it has house wherever the reference has home
    assert [each["score"] for each in scores(run, *given, "--with-rejected")] == [each["score"] for each in before]
    assert scores(run, *given, "--with-rejected")[0]["signature"] == before[0]["signature"]
    assert run("rejections", "remove", *REJECTED[2:]).exit_code == 0
    assert [each["signature"] for each in scores(run, *given)] == [each["signature"] for each in before]


def test_scores_replay_until_something_else_is_rejected(run: Run, files: Path, corpus: Path) -> None:
    assert run(*REJECTED).exit_code == 0
    given = ("--ref", "ref.eng", "--source", "source.fra", *ANY)
    (files / "made.json").write_text(run("score", "one.txt", *given, "--json").stdout, encoding="utf-8")
    assert run("replay", "made.json").exit_code == 0
    assert run("rejections", "add", "road", "street", "--lang", "eng").exit_code == 0
    result = run("replay", "made.json", "--json")
    assert result.exit_code == 1
    assert any("rejections of equivalents: changed since" in each for each in json.loads(result.stdout)[0]["inputs"])


@pytest.mark.slow
def test_references_and_the_study_honour_it(run: Run, files: Path, corpus: Path) -> None:
    add = ("references", "@source.fra", "--ref", "ref.eng", "--add", "equivalents", "--anywhere", "-n", "0")
    assert run(*add, "-o", "all").exit_code == 0
    sheet = run("study", "equivalents-sheet", "source.fra", "ref.eng", "--anywhere", "--items", "200").stdout
    study = ("study", "bitext", "source.fra", "ref.eng", "one.txt", "--samples", "3", "--anywhere", "--json", "--quiet")
    before = json.loads(run(*study).stdout)
    assert "[home]" in sheet and "[street]" in sheet
    assert run(*REJECTED).exit_code == 0
    assert run(*add, "-o", "fewer").exit_code == 0
    written = {
        name: [path.read_text(encoding="utf-8").splitlines() for path in (files / name).glob("ref*.txt")]
        for name in ("all", "fewer")
    }
    both = {
        name: [{"house,", "home,"} <= {*" ".join(own).split()} for own in zip(*texts, strict=True)]
        for name, texts in written.items()
    }
    assert sum(both["all"]) == 12 and not any(both["fewer"])
    rejected = run("study", "equivalents-sheet", "source.fra", "ref.eng", "--anywhere", "--items", "200").stdout
    lines = [line for line in rejected.splitlines() if "[house]" in line and "[home]" in line]
    assert "[street]" in rejected and lines == []
    assert json.loads(run(*study).stdout) != before
    assert json.loads(run(*study, "--with-rejected").stdout) == before


def test_a_database_that_was_named_must_be_there(run: Run, files: Path) -> None:
    given = ("score", "one.txt", "--ref", "ref.eng", "--source", "source.fra", *ANY)
    assert run(*given).exit_code == 0
    result = run("--db", "missing.db", *given)
    assert (result.exit_code, "there is no such database" in result.stderr) == (4, True)
    assert run("--db", "missing.db", *given, "--with-rejected").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (
            ("--equivalents", "--metric", "bleu,mwer"),
            "mwer has no score with --equivalents; bleu, nist, chrf, chrf++ have",
        ),
        (
            ("--equivalents", "--equivalents-from", "bitext", "--min-languages", "2"),
            "--min-languages is for --equivalents-from corpus",
        ),
        (("--equivalents", "--anywhere", "--context-words", "2"), "--anywhere and --context-words exclude"),
        (("--equivalents", "--equivalents-from", "corpus", "--tokenise-source", "none"), "aligns no source"),
        (("--equivalents", "--equivalents-from", "corpus", "--min-cover", "0.5"), "aligns no source"),
        (("--equivalents", "--equivalents-from", "corpus", "--phrase-table", "x"), "takes no files"),
        (("--equivalents", "--alignment-text", "x"), "the text of the links that --alignment names"),
        (("--equivalents", "--alignment", "x", "--links", "grow-diag-final-and"), "are used unchanged"),
        (("--equivalents", "--phrase-table", "x", "--tokenise-source", "none"), "has its phrases"),
        (("--equivalents-from", "corpus"), "--equivalents-from chooses equivalents, and needs --equivalents"),
        (("--credit", "0.5"), "--credit chooses equivalents, and needs --equivalents"),
        (("--equivalents", "--substitutions", "0"), "substitutions are a number from 1 on, or any"),
        (("--min-count", "3"), "--min-count chooses equivalents, and needs --equivalents"),
        (("--anywhere",), "--anywhere chooses equivalents"),
        (("--equivalents", "--resample-references", "3"), "cannot be resampled"),
    ],
)
def test_what_makes_no_sense_is_refused(run: Run, files: Path, arguments: tuple[str, ...], reason: str) -> None:
    result = run("score", "one.txt", "--ref", "ref.eng", "--source", "source.fra", *arguments)
    assert result.exit_code == 2, result.stderr
    assert reason in result.stderr


def test_language_and_source_must_be_known(run: Run, files: Path) -> None:
    result = run("score", "one.txt", "--ref", "ref.eng", "--equivalents")
    assert (result.exit_code, "--source" in result.stderr) == (2, True)
    (files / "plain").write_bytes((files / "ref.eng").read_bytes())
    given = ("score", "one.txt", "--ref", "plain", "--source", "source.fra", *ANY)
    assert (run(*given).exit_code, run(*given, "--lang", "eng").exit_code) == (2, 0)


def test_references_that_do_not_belong_to_the_sources_are_refused(run: Run, files: Path) -> None:
    call = ("references", "@source.fra", "-o", "x")
    assert run(*call, "--ref", "ref.eng").exit_code == 2
    assert run(*call, "--add", "equivalents").exit_code == 2
    result = run("references", "one source", "--ref", "ref.eng", "--add", "equivalents", "-o", "x")
    assert (result.exit_code, "36 segments of references for 1 sources" in result.stderr) == (3, True)
    assert not (files / "x").exists()


STUDY = ("study", "bitext", "source.fra", "ref.eng", "one.txt", "two.txt", "--samples", "30", "--anywhere")
SHEET = ("study", "equivalents-sheet", "source.fra", "ref.eng", "--anywhere")


def studied(run: Run, *arguments: str) -> dict[str, Any]:
    result = run(*STUDY, *arguments, "--json", "--quiet")
    assert result.exit_code == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.slow
def test_the_study_says_what_score_says(run: Run, files: Path) -> None:
    found = studied(run, "--human", "human.tsv", "--documents", "docs.tsv", "--second-ref", "second.eng")
    by_row = {(row["system"], row["metric"], row["references"]): row["score"] for row in found["scores"]}
    given = ("--metric", "bleu,nist", "--source", "source.fra", "--ref", "ref.eng")
    for name, more in (("as given", ()), ("equivalents", ANY), ("second reference", ("second.eng",))):
        for row in scores(run, *given, *more):
            value = by_row[row["system"], row["metric"].upper(), name]["value"]
            assert value == pytest.approx(row["score"], abs=1e-9)
    for row in (*(each["score"] for each in found["scores"]), *(each["correlation"] for each in found["agreement"])):
        assert (row["difference"] is None) == (row["difference_interval"] is None)  # never without its interval
    assert {row["references"] for row in found["agreement"]} == {
        *("as given", "equivalents", "best equivalents", "as published", "second reference")
    }
    assert {row["level"] for row in found["agreement"]} == {"system", "segment", "segment within systems"}


def test_the_study_agrees_with_agreement(run: Run, files: Path) -> None:
    """Pearson of segments and its interval, by the other command that measures it."""
    found = studied(run, "--human", "human.tsv")
    call = ("agreement", "one.txt", "two.txt", "--ref", "ref.eng", "--human", "human.tsv", "--metric", "nist")
    (expected,) = [
        row
        for row in json.loads(run(*call, "--samples", "30", "--json", "--quiet").stdout)
        if (row["level"], row["statistic"]) == ("segment", "pearson")
    ]
    (row,) = [
        row["correlation"]
        for row in found["agreement"]
        if (row["metric"], row["references"], row["level"], row["statistic"])
        == ("NIST", "as given", "segment", "pearson")
    ]
    assert row["value"] == pytest.approx(expected["value"])
    assert row["interval"] == pytest.approx({"low": expected["low"], "high": expected["high"]})


@pytest.mark.slow
def test_the_tables_are_read_by_people_and_programs(run: Run, files: Path) -> None:
    shown = run(*STUDY, "--human", "human.tsv", "--format", "table")
    assert [f"Table {number}." in shown.stdout for number in (1, 2, 3, 5)] == [True, True, True, False]
    assert "769" in shown.stdout
    assert "nan" not in shown.stdout
    rows = run(*STUDY, "--format", "tsv").stdout.splitlines()
    assert len({line.count("\t") for line in rows}) == 1
    assert [line.split("\t")[:8] for line in rows if line.startswith("sets\tpaper")] == [
        ["sets", "paper", "", "", "", name, "2000", count] for name, count in (("sets", "769"), ("members", "1658"))
    ]
    judged = run(*STUDY, "--human", "human.tsv", "--format", "tsv").stdout.splitlines()
    papers = [line.split("\t") for line in judged if "\tpaper PH\t" in line]
    assert {(row[0], row[2], row[3], float(row[7])) for row in papers} >= {
        *(("1", "BLEU", "single", 21.31), ("2", "NIST", "multiple", 0.355), ("3", "", "", 3.815))
    }
    assert "no segment" not in shown.stderr


@pytest.mark.slow
def test_a_sheet_is_judged_into_tables_5_and_6(run: Run, files: Path) -> None:
    assert run(*SHEET, "--items", "4", "-o", "sheet.tsv").exit_code == 0
    assert run(*SHEET, "--items", "4", "-o", "sheet.tsv").exit_code == 2  # somebody may have filled it in
    lines = (files / "sheet.tsv").read_text(encoding="utf-8").splitlines()
    for name, verdict in (("category", "y"), ("meaning", "=")):
        filled = [lines[0], *("\t".join((*line.split("\t")[:3], verdict, "")) for line in lines[1:])]
        (files / f"{name}.tsv").write_text("".join(f"{line}\n" for line in filled), encoding="utf-8")
    judged = ("--judged-category", "category.tsv", "--judged-meaning", "meaning.tsv", "--items", "4")
    shown = run(*STUDY, *judged, "--format", "table").stdout
    assert "Table 5. Same category" in shown
    assert "Table 6. Same meaning" in shown
    piped = [line.split("\t") for line in run(*STUDY, *judged, "--format", "tsv").stdout.splitlines()]
    assert {(row[0], row[3], row[6], row[7]) for row in piped if row[0] == "6" and not row[1]} == {
        *(("6", "best", "4", "1.0"), ("6", "all", "4", "1.0"), ("6", "control", "2", "1.0"))
    }
    assert ["5", "paper, 700,000", "", "best", "", "accepted", "50", "0.7"] in [row[:8] for row in piped]
    found = studied(run, *judged)
    assert [(each["group"], each["judged"], each["accepted"]) for each in found["meaning"]] == [
        *(("best", 4, 4), ("all", 4, 4), ("control", 2, 2))
    ]
    (files / "meaning.tsv").write_text("item\tseed\ttext\tverdict\tcomment\n1\tother\ttext\t=\t\n", encoding="utf-8")
    wrong = run(*STUDY, *judged)
    assert (wrong.exit_code, "meaning.tsv:2: item 1 was not drawn" in wrong.stderr) == (3, True)


@pytest.fixture
def aligned(run: Run, files: Path, prepare: Prepare) -> Path:
    """The same references, and a database that has words for theirs in two languages, in other sentences."""

    def fill() -> None:
        lines = {"fra": [], "deu": []}  # type: ignore[var-annotated]
        for words in (*SUBJECTS.items(), *OBJECTS.items()):
            for each in words[1]:
                for verb, translated in VERBS.items():
                    english = f"The {each} {translated} the {each}, too."
                    lines["fra"].append(f"{english}\tle {words[0]} {verb} la {words[0]} .")
                    lines["deu"].append(f"{english}\tdas {words[0][::-1]} {verb[::-1]} das {words[0][::-1]} .")
        for language, rows in lines.items():
            Path(f"{language}.tsv").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
            for call in (("import", f"{language}.tsv", "--name", language, "--no-follow"), ("align",)):
                result = run(*call, "--lang", f"eng,{language}")
                assert result.exit_code == 0, result.stderr

    return prepare("equivalents-scored", fill)


FROM_CORPUS = ("--equivalents", "--equivalents-from", "corpus", "--min-count", "1", "--lang", "eng")


def test_each_reference_says_how_probable_it_is_that_it_holds(run: Run, aligned: Path) -> None:
    """Also far from the corpus; people's own have no validity, and what is spelled otherwise holds."""
    (aligned / "spelled.eng").write_text("The well-known dog sleeps .\nThe grey dog sleeps .\n", encoding="utf-8")
    (aligned / "two.fra").write_text("le\nla\n", encoding="utf-8")
    call = ("references", "@two.fra", "--ref", "spelled.eng", "--add", "equivalents", "--format", "jsonl", "-o", "x")
    result = run(*call, *FROM_CORPUS[1:], "--anywhere", "--min-probability", "0.01", "--spellings")
    assert result.exit_code == 0, result.stderr
    lines = (aligned / "x" / "references.jsonl").read_text(encoding="utf-8").splitlines()
    for line, spelled in zip(map(json.loads, lines), ("well known", "gray"), strict=True):
        assert (line["origin"][0], line["validity"][0]) == ("original", None)
        held = dict(zip(line["references"][1:], line["validity"][1:], strict=True))
        assert [text for text, validity in held.items() if validity == 1] == [
            text for text in held if spelled in text and "dog" in text
        ]
        assert all(0 < validity <= 1 for validity in held.values())
    assert run(*call, *FROM_CORPUS[1:], "--overwrite", "--min-probability", "1").exit_code == 0
    assert "gray" not in (aligned / "x" / "references.jsonl").read_text(encoding="utf-8")


def test_a_corpus_gives_equivalents_without_the_source(run: Run, aligned: Path) -> None:
    found = scores(run, "--ref", "ref.eng", *FROM_CORPUS, "--anywhere", "--segments")
    signature = found[0]["signature"]
    assert "|eq:corpus+auxiliaries+held0.7m5+any+" in signature
    call = ("references", "@source.fra", "--ref", "ref.eng", "--add", "equivalents", "-n", "0", "-o", "x")
    result = run(*call, *FROM_CORPUS[1:], "--anywhere")
    assert result.exit_code == 0, result.stderr
    written = [str(path.relative_to(aligned)) for path in sorted((aligned / "x").glob("ref*.txt"))]
    assert len(written) > 2
    for ours, theirs in zip(found, scores(run, "--ref", *written, "--segments"), strict=True):
        assert ours["segments"] == pytest.approx(theirs["segments"], abs=1e-9)
    assert found[0]["score"] > scores(run, "--ref", "ref.eng")[0]["score"]
    assert run("score", "one.txt", "--ref", "ref.eng", *FROM_CORPUS, "--min-languages", "3").exit_code == 2


def test_equivalents_come_from_the_corpus_where_it_has_any(run: Run, aligned: Path) -> None:
    given = ("--ref", "ref.eng", "--source", "source.fra", "--equivalents", "--anywhere")
    first, source, other = (
        scores(run, *given, *more)[0]["signature"]
        for more in ((), ("--equivalents-from", "bitext"), ("--min-cover", "0.5"))
    )
    assert "|eq:corpus+auxiliaries+n2+held0.7m5+any+" in first
    assert "|eq:closed+n2+p0.1+c0.75+any+" in source and "|eq:closed+n2+p0.1+c0.5+any+" in other
    told = run("score", "one.txt", *given).stderr
    assert "equivalents from the alignments in corpus.db; --equivalents-from bitext aligns the source" in told
    (aligned / "corpus.db").rename(aligned / "kept.db")
    assert scores(run, *given)[0]["signature"] == source


@pytest.mark.parametrize(
    "arguments", [pytest.param(ANY, marks=pytest.mark.slow), FROM_CORPUS, (*FROM_CORPUS, "--credit", "0.5")]
)
def test_scores_with_equivalents_are_kept_and_verified(run: Run, aligned: Path, arguments: tuple[str, ...]) -> None:
    given = ("--ref", "ref.eng", "--source", "source.fra", "--metric", "bleu,nist")
    scores(run, *given, "--store")
    kept = scores(run, *given, *arguments, "--store")
    assert scores(run, *given, *arguments, "--store") == kept  # the same numbers of the same rows
    verified = run("verify", "--json")
    assert verified.exit_code == 0, verified.stdout
    again = {each["id"]: each for each in json.loads(verified.stdout)}
    assert len(again) == 8
    for row in kept:
        assert again[row["stored"]]["again"] == row["score"]
        assert run("replay", f"score:{row['stored']}").exit_code == 0
    with open_for_reading(aligned / "corpus.db") as store:
        (test_set,) = all_test_sets(store)
        table = score_table(store, test_set)
        for at, column in enumerate(table.columns):
            assert table.references_of(at).has_equivalents == ("|eq:" in column.signature)
            found = finished(counting_column(store, table, at))
            cells = {row.output: row.cells[at] for row in table.rows}
            assert found.scores is not None
            stored = [cells[output] for output in found.outputs]
            assert found.scores.scores.tolist() == [cell.value for cell in stored if cell is not None]
    assert run("trace", "--score", str(kept[0]["stored"]), "--segment", "1").exit_code == 2


def test_comparing_stored_systems_says_that_equivalents_are_left_out(run: Run, aligned: Path) -> None:
    scores(run, "--ref", "ref.eng", *FROM_CORPUS, "--store")
    systems = [each["system"] for each in json.loads(run("scores", "list", "--json").stdout)]
    asked = ("compare", *systems[:2], "--section", "scores", "--samples", "9")
    assert "on the references as they were given" in run(*asked).stderr
    plain = scores(run, "--ref", "ref.eng", "--store")
    compared = run(*asked, "--json")
    assert "as they were given" not in compared.stderr
    assert json.loads(compared.stdout)[0]["scores"][0]["signature"] == plain[0]["signature"]


def test_verification_says_where_the_corpus_gives_other_equivalents(run: Run, aligned: Path) -> None:
    kept = scores(run, "--ref", "ref.eng", *FROM_CORPUS, "--store")
    rows = [f"The monarch {verb}, too.\tle roi {verb} ." for verb in VERBS.values()]
    (aligned / "more.tsv").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    assert run("import", "more.tsv", "--name", "more", "--lang", "eng,fra").exit_code == 0
    verified = run("verify", str(kept[0]["stored"]), "--json")
    (found,) = json.loads(verified.stdout)
    assert verified.exit_code == 1
    assert any("its equivalents are others now: eq:corpus+" in each for each in found["differences"])


def test_a_study_that_needs_a_database_says_so_before_it_works(run: Run, aligned: Path) -> None:
    (aligned / "corpus.db").rename(aligned / "kept.db")
    result = run(*STUDY, "--equivalents-from", "corpus")
    assert (result.exit_code, result.stdout) == (4, "")
    assert result.stderr.count("\n") == 1
    assert "--equivalents-from corpus takes what `corpusdb align` aligned in one" in result.stderr


@pytest.mark.slow
def test_the_study_has_both_beside_each_other(run: Run, aligned: Path) -> None:
    given = ("--human", "human.tsv", "--documents", "docs.tsv", "--min-count", "1", "--equivalents-from", "corpus")
    found = studied(run, *given)
    kinds = ["as given", "equivalents", "best equivalents", "as published", "corpus equivalents"]
    assert list(dict.fromkeys(row["references"] for row in found["scores"])) == [*kinds, "best corpus equivalents"]
    by_row = {(row["system"], row["metric"], row["references"]): row["score"] for row in found["scores"]}
    for row in scores(run, "--ref", "ref.eng", "--source", "source.fra", *FROM_CORPUS, "--anywhere"):
        assert by_row[row["system"], "BLEU", "corpus equivalents"]["value"] == pytest.approx(row["score"], abs=1e-9)
    labels = [row["recipe"] for row in found["sets"]]
    assert {label.split("+")[0] for label in labels} == {"nothing", "prepositions", "closed", "corpus"}


@pytest.mark.data
@pytest.mark.slow
def test_one_substitution_at_a_time_on_news(run: Run, tmp_path: Path) -> None:
    """1,000 segments of WMT21, whose punctuation the units of substitution and of 13a cut differently."""
    folder = DATA / "wmt21-isen"
    chosen = ("--anywhere", "--min-count", "1", "--substitutions", "1")
    source, reference = str(folder / "source.is"), str(folder / "ref.A.en")
    made = run("references", f"@{source}", "--ref", reference, "--add", "equivalents", *chosen, "-n", "0", "-o", "x")
    assert made.exit_code == 0
    system = str(folder / "systems" / "Facebook-AI.en")
    files = [str(path) for path in sorted((tmp_path / "x").glob("ref*.txt"))]
    found = run(
        "score", system, "--ref", reference, "--source", source, "--equivalents", *chosen, "--json", "--segments"
    )
    expected = run("score", system, "--ref", *files, "--json", "--segments")
    (ours,), (theirs,) = json.loads(found.stdout), json.loads(expected.stdout)
    assert ours["score"] == pytest.approx(theirs["score"], abs=1e-9)
    assert ours["segments"] == pytest.approx(theirs["segments"], abs=1e-9)
