"""`paraphrases`: what it prints and refuses, and the options of the filter, which all commands have."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path
from unittest.mock import Mock

import pytest
from calls import Run

from corpusdb.commands.invocation import Invocation
from corpusdb.corpus.model import SHOWN
from corpusdb.paraphrase.queries import seeds

# Lepage & Denoual 2005, table 4
SEED = "A slice of pizza, please."
CANDIDATE = "Can I have a slice of pizza?"
ANALOGY = "I'd like a beer, please. : A beer, please. :: I'd like a slice of pizza, please. : A slice of pizza, please."
SOLVED = (
    "I'd like a beer, please. : Can I have a beer? :: I'd like a slice of pizza, please. : Can I have a slice of pizza?"
)


def test_detect_counts_sentences_and_pairs(run: Run, corpus: Path) -> None:
    report = json.loads(run("detect", "--lang", "en", "--json").stdout)
    assert report.pop("seconds") >= 0
    # The two that ask for a beer, in both directions.
    assert report == {"sentences": 2, "pairs": 2, "left_out": 0, "left_out_sentences": 0}
    assert "sentences with paraphrases\t2\n" in run("detect", "--lang", "en").stdout


def test_detect_tells_what_it_left_out(run: Run, tmp_path: Path) -> None:
    rows = "".join(f"sentence {number}\tOui.\n" for number in range(101))
    (tmp_path / "hub.tsv").write_text(rows, encoding="utf-8")
    run("import", "hub.tsv", "--lang", "eng,fra", "--header", "no")
    result = run("detect", "--lang", "eng")
    assert "left out: 1 translation that more than 100 sentences share; 101 sentences have one" in result.stderr
    assert "sentences with paraphrases\t0\n" in result.stdout


@pytest.mark.slow
def test_what_is_too_long_for_analogies_is_told(run: Run, generated: Path) -> None:
    text = "ha " * 1001
    result = run("paraphrases", text, "--lang", "eng")
    assert result.exit_code == 1
    assert "nothing is generated from a text of more than 1,000 units" in result.stderr
    result = run("explain", text, SEED, "--lang", "eng")
    assert result.exit_code == 1
    assert "nothing is generated from a text of more than 1,000 units" in result.stderr


@pytest.mark.slow
def test_generate_reports_every_step(run: Run, corpus: Path) -> None:
    report = json.loads(run("generate", "--lang", "eng", "-N", "0", "--json").stdout)
    assert report.pop("seconds") >= 0
    assert isinstance(report.pop("run"), int)
    assert report == {
        "seeds": 2,
        "analogies": 2,
        "candidates": 2,
        "kept": 2,
        "kept_seeds": 2,
        "exchanged": 0,
        "distinct": 2,
        "novel": 2,
        "real": 2,
        "real_seeds": 2,
        "deep": 2,
        "too_common": 0,
        "too_long": 0,
        "diversity": {"exchanges": 2, "changed": 7.0, "distance": 1.2},
        "pivot": {"language": "fra", "unseen": []},
    }


def test_generate_can_be_given_its_seeds(run: Run, corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text(f"{SEED}\n\n", encoding="utf-8")
    for arguments, stdin in ((("--seed", SEED), ""), (("--seeds", "seeds.txt"), ""), (("--seeds", "-"), SEED + "\n")):
        result = run("generate", "--lang", "eng", "-N", "0", "--json", *arguments, stdin=stdin)
        assert json.loads(result.stdout)["seeds"] == 1
    two = run("generate", "--lang", "eng", "--json", "--seed", SEED, "--seed", "A twin, please.")
    assert json.loads(two.stdout)["seeds"] == 2
    (tmp_path / "seeds.txt").write_text("\n \n", encoding="utf-8")
    for arguments in (("--seed", " "), ("--seeds", "seeds.txt")):
        result = run("generate", "--lang", "eng", *arguments, "--quiet")
        assert (result.exit_code, result.stdout) == (3, "") and "an empty sentence is not a seed" in result.stderr


def test_the_candidate_of_the_paper_with_its_figures(run: Run, generated: Path) -> None:
    result = run("paraphrases", SEED, "--order", "0", "--json")
    assert result.exit_code == 0
    (found,) = json.loads(result.stdout)
    assert {"order", "score"} <= found.keys()
    assert isinstance(found["order"], int)  # no limit would be null
    expected = {"text": CANDIDATE, "frequency": 1, "in_corpus": False, "pivots": 1, "languages": 1, "shared": 0}
    assert found == found | expected
    assert found["probability"] == pytest.approx(0.5)


def test_the_filter_hides_it_and_says_how_to_see_it(run: Run, generated: Path) -> None:
    result = run("paraphrases", SEED)
    assert (result.exit_code, result.stdout) == (0, "")
    told = "no paraphrase at N = 20, V = 0.95; -N 0 -V 0 shows 1 that the filter keeps back"
    assert told in result.stderr
    assert json.loads(run("paraphrases", SEED, "--json").stdout) == []


def test_only_what_would_show_more_is_named(run: Run, generated: Path) -> None:
    """Both are in the corpus, which any N lets pass: only the validity keeps one back."""
    for asked, told in (
        (("A beer, please.",), "no paraphrase at N = 20, V = 0.95; -V 0 shows 1 that the filter keeps back"),
        ((SEED, "-T", "0"), "no paraphrase at N = 20; -N 0 shows 1 that the filter keeps back"),
        ((SEED, "-T", "0.2"), "no paraphrase at N = 20, V = 0.2; -N 0 -V 0.2 shows 1 that the"),
        ((SEED, "-N", "0", "-T", "0.9"), "no paraphrase at N = 0, V = 0.9; -V 0 shows 1 that the filter"),
    ):
        assert told in run("paraphrases", *asked).stderr


def test_a_generation_that_keeps_nothing_says_why(run: Run, generated: Path) -> None:
    """Which part of the filter refused how many, and what would keep some."""
    by_order, by_validity = "2 by N-sequences (N = 20)", "2 by a least validity (V = 0.95)"
    for asked, told in (
        ((), f"nothing is kept: of 2 candidates {by_order} and {by_validity} are refused; -N 0 -V 0 keeps 2"),
        (("-T", "0"), f"nothing is kept: of 2 candidates {by_order} are refused; -N 0 keeps 2"),
        (("-N", "0", "-T", "0.95"), f"nothing is kept: of 2 candidates {by_validity} are refused; -V 0 keeps 2"),
        (("--seed", SEED, "-N", "1"), "of 1 candidate 1 by a least validity (V = 0.95) is refused; -V 0 keeps 1"),
        (("--seed", "Nothing of it."), "nothing is kept: no analogy was found for 1 seed among 7 sentences in eng;"),
    ):
        assert told in run("generate", "--lang", "eng", *asked).stderr
    assert "nothing is kept" not in run("generate", "--lang", "eng", "-N", "0").stderr
    told = "nothing is kept: no two of 6 sentences in fra share a translation (one that over 100 share does not count)"
    assert told in run("generate", "--lang", "fra").stderr


@pytest.mark.slow
def test_a_sentence_without_any_is_not_sent_to_the_filter(run: Run, generated: Path) -> None:
    run("import", "-", "--lang", "eng,fra", stdin="Nothing at all resembles this.\tRien n'y ressemble.\n")
    assert run("generate", "--lang", "eng").exit_code == 0
    result = run("paraphrases", "Nothing at all resembles this.")
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (0, "corpusdb: no paraphrase")


def test_a_detected_paraphrase_has_no_limit_of_order(run: Run, generated: Path) -> None:
    asked = "paraphrases", "A beer, please.", "--min-validity", "0"
    (found,) = json.loads(run(*asked, "--lang", "en", "--json").stdout)
    expected = {"text": "Can I have a beer?", "order": None, "in_corpus": True, "shared": 1}
    assert found == found | expected
    assert 0.5 < found["validity"] == found["score"] < 0.95
    columns, cells = (line.split("\t") for line in run(*asked).stdout.splitlines())
    assert columns == [*(each.heading for each in SHOWN), "text"]
    row = dict(zip(columns, cells, strict=True))
    figures = {"frequency": "0", "order": "whole", "pivots": "0", "langs": "1", "p": "0.5", "shared": "1"}
    assert row == row | figures | {"validity": f"{round(found['validity'], 3)}", "text": "Can I have a beer?"}
    assert json.loads(run("paraphrases", "A beer, please.", "--json").stdout) == []
    assert json.loads(run("paraphrases", "A beer, please.", "-T", found["validity"], "--json").stdout) == [found]


@pytest.mark.parametrize(
    ("option", "most"), [("--min-pivots", "pivots"), ("--min-languages", "languages"), ("--min-shared", "shared")]
)
def test_thresholds_leave_what_reaches_them(run: Run, generated: Path, option: str, most: str) -> None:
    for seed in (SEED, "A beer, please."):
        asked = "paraphrases", seed, "--lang", "eng", "-N", "0", "-T", "0", "-n", "0", "--json"
        whole = json.loads(run(*asked).stdout)
        assert whole
        for least in range(3):
            assert json.loads(run(*asked, option, least).stdout) == [each for each in whole if each[most] >= least]
    result = run("paraphrases", SEED, "-N", "0", "--min-shared", "9")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "no paraphrase with such figures; without --min-... there are 1" in result.stderr


def test_a_sentence_that_is_not_there_is_told(run: Run, generated: Path) -> None:
    for language in ((), ("--lang", "eng")):
        result = run("paraphrases", "Nothing of the kind!", *language)
        assert (result.exit_code, result.stdout) == (1, "")
        told = "the corpus does not have the sentence 'Nothing of the kind!', and no analogy makes anything of it"
        assert told in result.stderr
        assert ("tried in eng; --lang names another" in result.stderr) == (not language)
    assert json.loads(run("paraphrases", "Nothing of the kind!", "--json").stdout) == []


@pytest.mark.slow
def test_what_the_filter_keeps_back_of_a_sentence_that_is_not_there_is_told(
    run: Run, generated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By each part of the filter, though it is generated once."""
    (tmp_path / "more.tsv").write_text("I'd like a slice of cake, please.\tx\n", encoding="utf-8")
    run("import", "more.tsv", "--lang", "eng,fra", "--header", "no")
    run("generate", "--lang", "eng", "-N", "0")
    seed = "A slice of cake, please."
    kept = json.loads(run("paraphrases", seed, "--lang", "eng", "-N", "0", "-V", "0", "--json").stdout)
    assert [each["text"] for each in kept] == ["Can I have a slice of cake?"]
    generating = Mock(wraps=seeds.outside_candidates)
    monkeypatch.setattr(seeds, "outside_candidates", generating)
    result = run("paraphrases", seed, "--lang", "eng", "-N", "60", "-V", "1")
    assert (result.exit_code, result.stdout, generating.call_count) == (0, "", 1)
    assert "no paraphrase at N = 60, V = 1; " in result.stderr
    assert "that the filter keeps back" in result.stderr
    assert "no analogy" not in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stored", "given", "taken"),
    [
        ("Un bi\u00e8re\u202f!", "Un bi\u00e8re !", True),
        ("It\u2019s a beer.", "It's a beer.", True),
        ("It's a beer.", "It\u2019s a beer.", True),
        ("A well\u2011known beer.", "A well-known beer.", True),
        ("It's a beer.", "Its a beer.", False),
    ],
)
def test_a_sentence_is_found_as_a_search_finds_it(
    run: Run, generated: Path, tmp_path: Path, stored: str, given: str, taken: bool
) -> None:
    (tmp_path / "more.tsv").write_text(f"{stored}\tx\nAnother one.\tx\n", encoding="utf-8")
    assert run("import", "more.tsv", "--lang", "eng,fra", "--header", "no").exit_code == 0
    (tmp_path / "sources.txt").write_text(f"{given}\n", encoding="utf-8")
    for words in (
        ("paraphrases", given, "-N", "0", "-V", "0"),
        ("explain", given, "Another one."),
        ("references", "sources.txt", "-o", "out", "--skip-missing", "--lang", "eng"),
        ("session", "new", "one", "--text", given, "--lang", "eng"),
    ):
        result = run(*words)
        assert ("is read as in the corpus" in result.stderr) == taken, words
    assert json.loads(run("session", "seeds", "one", "--json").stdout)[0]["text"] == (stored if taken else given)


def test_of_several_that_look_the_same_none_is_taken(run: Run, generated: Path, tmp_path: Path) -> None:
    (tmp_path / "more.tsv").write_text("Oui\u202f!\tyes\nOui\u00a0!\tyes\n", encoding="utf-8")
    assert run("import", "more.tsv", "--lang", "fra,eng", "--header", "no").exit_code == 0
    told = run("paraphrases", "Oui !", "--lang", "fra").stderr
    assert (
        "the corpus does not have 'Oui !', but with other spaces, apostrophes or hyphens: 'Oui\\u202f!', 'Oui\\u00a0!'"
        in told
    )


@pytest.mark.slow
def test_a_cut_list_says_how_much_is_left_out(run: Run, generated: Path, tmp_path: Path) -> None:
    (tmp_path / "more.tsv").write_text("A beer.\tUne bière, s'il vous plaît.\n", encoding="utf-8")
    run("import", "more.tsv", "--lang", "eng,fra")
    whole = json.loads(run("paraphrases", "A beer, please.", "-T", "0", "-n", "0", "--json").stdout)
    assert len(whole) == 2
    result = run("paraphrases", "A beer, please.", "-T", "0", "-n", "1", "--json")
    assert json.loads(result.stdout) == whole[:1]
    assert "1 more paraphrase; `-n 0` shows all 2" in result.stderr
    assert "more" not in run("--quiet", "paraphrases", "A beer, please.", "-T", "0", "-n", "1").stderr


def test_a_seed_outside_the_corpus_is_tried_and_nothing_stays(run: Run, generated: Path) -> None:
    count = "select (select count(*) from sentence), (select count(*) from seed), (select count(*) from candidate)"
    before = run("sql", count).stdout
    result = run("paraphrases", "I'd like a pizza, please.", "-N", "0", "--lang", "eng", "--json")
    assert (result.exit_code, json.loads(result.stdout)) == (1, [])
    assert run("sql", count).stdout == before


def test_reading_never_waits_for_a_writer(run: Run, generated: Path) -> None:
    writer = sqlite3.connect(generated, isolation_level=None)
    writer.execute("begin immediate")
    try:
        for arguments in (("paraphrases", SEED, "-N", "0"), ("explain", SEED, CANDIDATE), ("info",), ("check",)):
            assert run(*arguments).exit_code == 0
    finally:
        writer.close()


def test_the_usual_language_is_tried_for_what_nobody_said(run: Run, corpus: Path) -> None:
    result = run("paraphrases", "Nobody said this.")
    assert result.exit_code == 3
    assert result.stderr.count("tried in eng, the first") == 1
    assert "tried in eng, the first column of the first import; --lang names another" in result.stderr
    assert "the corpus does not have the sentence 'Nobody said this.', and nothing was generated" in result.stderr


def test_a_language_that_nothing_tells_must_be_given(run: Run, corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "same.tsv").write_text("Taxi!\tTaxi!\n", encoding="utf-8")
    run("import", "same.tsv", "--lang", "eng,fra", "--header", "no")
    result = run("paraphrases", "Taxi!")
    assert result.exit_code == 2
    assert "give it with --lang" in result.stderr


def test_explain_has_the_layout_of_the_paper(run: Run, generated: Path) -> None:
    assert run("explain", SEED, CANDIDATE).stdout.partition("\n\n")[2].splitlines() == [
        f"1.  {ANALOGY}",
        "    B' = Can I have a beer?",
        "      fra  Une bière, s'il vous plaît.  (paper/paper.tsv:3, paper/paper.tsv:4)",
        f"    {SOLVED}",
    ]


def test_explain_begins_with_the_validity_and_what_it_comes_from(run: Run, generated: Path) -> None:
    (found,) = json.loads(run("paraphrases", SEED, "--order", "0", "--json").stdout)
    fails, first, second, third, *steps = run("explain", SEED, CANDIDATE).stdout.partition("\n\n")[0].splitlines()
    both = f"order {found['order']} is below N = 20, and validity {found['validity']} is below V = 0.95"
    assert fails == f"fails: {both}", "what is not a sentence says that first"
    assert first == f"validity {found['validity']:.3f}: A / Can I have a: no two sentences differ by that alone"
    assert second == "                , please. / ?: no two sentences differ by that alone"
    assert third == "                what is known are the analogies that give it: rewordings 1, languages 1"
    assert [step.strip() for step in steps] == [
        f"not above {found['validity']:.3f} by the exchange: A / Can I have a alone has no more, and hardly any "
        "pair shows all at once",
        'fra: "Une part de pizza, s\'il vous plaît.": can and have are not expected',
        "the sharing of translations alone teaches 0.382; what readers said of pairs that analogies give, by their "
        f"words and translations, raises that to {found['validity']:.3f}",
    ]


def test_the_pairs_that_a_validity_comes_from_are_counted(run: Run, finished_phrasebook: Path) -> None:
    terms = ("What is this?", "What's this?", "--lang", "eng")
    document = json.loads(run("--db", finished_phrasebook, "explain", *terms, "--json").stdout)
    (exchange,) = document["exchanges"]
    asked = json.loads(run("--db", finished_phrasebook, "exchanges", " is", "'s", "--json").stdout)
    assert exchange == next(each for each in asked["forms"] if each["after"] == "'s")
    line = run("--db", finished_phrasebook, "explain", *terms).stdout.splitlines()[0]
    assert line == (
        f"validity {document['validity']:.3f}: is / 's: {exchange['shared']} of {exchange['pairs']} pairs of sentences"
        f" share a translation; {exchange['expected']:.0f} expected if they mean the same"
    )


def test_explain_as_json(run: Run, generated: Path) -> None:
    document = json.loads(run("explain", SEED, CANDIDATE, "--json").stdout)
    assert (document["seed"], document["candidate"], document["total"]) == (SEED, CANDIDATE, 1)
    (analogy,) = document["analogies"]
    terms = (analogy[name] for name in "abcd")
    assert " : ".join(terms).replace(" : I'd like a slice", " :: I'd like a slice") == ANALOGY
    assert (analogy["rewording"], analogy["shared"][0]["language"]) == ("Can I have a beer?", "fra")


def test_explain_shows_what_two_sentences_share_themselves(run: Run, generated: Path) -> None:
    result = run("explain", "A beer, please.", "Can I have a beer?")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[6:8] == [
        "The two share translations:",
        "      fra  Une bière, s'il vous plaît.  (paper/paper.tsv:3, paper/paper.tsv:4)",
    ]


def test_nothing_to_explain_is_the_answer_no(run: Run, generated: Path) -> None:
    result = run("explain", SEED, "Can I have a beer?")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no analogy" in result.stderr


def test_a_sentence_is_no_paraphrase_of_itself(run: Run, generated: Path) -> None:
    result = run("explain", "A beer, please.", " A beer, please. ")
    told = "corpusdb: 'A beer, please.' is the seed itself, and no paraphrase of it\n"
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", told)


@pytest.mark.slow
def test_an_accepted_candidate_is_a_sentence_with_the_translations_of_its_seed(run: Run, generated: Path) -> None:
    report = json.loads(run("accept", SEED, CANDIDATE, "--json").stdout)
    assert (report["translations"], isinstance(report["sentence"], int)) == (1, True)
    (found,) = json.loads(run("paraphrases", SEED, "--min-validity", "0", "--json").stdout)
    assert found == found | {"text": CANDIDATE, "order": None, "in_corpus": True, "shared": 1}
    assert "new translations\t0\n" in run("accept", SEED, CANDIDATE).stdout


@pytest.mark.slow
def test_an_import_says_that_validity_is_behind(run: Run, generated: Path, tmp_path: Path) -> None:
    told = "validity of eng is behind: `corpusdb generate --lang eng` brings it up to date"
    (tmp_path / "more.tsv").write_text("A beer.\tUne bi\u00e8re, s'il vous pla\u00eet.\n", encoding="utf-8")
    assert told in run("import", "more.tsv", "--lang", "eng,fra", "--no-follow").stderr
    assert run("generate", "--lang", "eng").exit_code == 0
    assert "is behind" not in run("import", "more.tsv", "--lang", "eng,fra").stderr


def test_talk_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    call = Invocation()
    for line in ("one", "two", "one"):
        call.say(line)
    assert capsys.readouterr().err == "corpusdb: one\ncorpusdb: two\n"


# The options of the filter: one name each, in every command, and what is said beside them.


COMMANDS = (
    ("paraphrases",),
    ("generate",),
    ("references",),
    ("statistics",),
    ("session", "new"),
    ("session", "order"),
    ("judge", "sample"),
    ("score",),
    ("study", "precision"),
    ("study", "reference-sets"),
)
TOLD = "eng is the one pivot language of spa and does not mark address, gender or number of those addressed"


@pytest.mark.parametrize("command", COMMANDS)
def test_a_threshold_has_one_name(run: Run, command: tuple[str, ...]) -> None:
    told = run(*command, "--help").stdout
    options = {name: line for line in told.splitlines() for name in re.findall(r"(?<![\w-])--?[\w-]+", line[:32])}
    assert "-T" not in options
    for short, long in (("-N", "--fluency"), ("-V", "--min-validity")):
        assert options.get(short) == options.get(long)
    assert "-V" in options or command == ("study", "precision")
    assert "--order" not in options or command == ("score",), "there it is the longest n-gram"


@pytest.mark.parametrize(
    "words",
    [("--order", "1", "-T", "0.2"), ("--order=1", "-T0.2"), ("-N", "1", "-V", "0.2"), ("--fluency=1", "-V0.2")],
)
def test_former_names_are_understood(run: Run, generated: Path, words: tuple[str, ...]) -> None:
    seed = "A slice of pizza, please."
    (found,) = json.loads(run("paraphrases", seed, *words, "--json").stdout)
    assert found["text"] == "Can I have a slice of pizza?"
    assert "-T 0.2" in run("paraphrases", "-N0", "--json", "--", "-T 0.2").stderr, "behind -- nothing is an option"


@pytest.fixture
def spanish(run: Run, tmp_path: Path) -> list[tuple[str, str]]:
    """The paper's example as if it were Spanish: all translations are into English."""
    rows = [
        ("Une part de pizza, svp.", "slice"),
        ("Une bière, svp.", "beer"),
        ("Puis-je avoir une bière ?", "beer"),
        ("Je veux une bière, svp.", "want beer"),
        ("Je veux une part de pizza, svp.", "want slice"),
    ]
    (tmp_path / "spanish.tsv").write_text("".join(f"{one}\t{other}\n" for one, other in rows), encoding="utf-8")
    assert run("import", "spanish.tsv", "--lang", "spa,eng", "--header", "no").exit_code == 0
    return rows


def test_one_pivot_language_is_told_and_never_an_empty_silence(
    run: Run, spanish: list[tuple[str, str]], tmp_path: Path
) -> None:
    generated = run("generate", "--lang", "spa", "--json")
    assert TOLD in generated.stderr
    pivot = json.loads(generated.stdout)["pivot"]
    assert (pivot["language"], pivot["unseen"][:2]) == ("eng", ["address", "gender"])
    for words in (("paraphrases", "Une bière, svp."), ("references", "Une bière, svp.", "--lang", "spa", "-o", "out")):
        told = run(*words).stderr
        assert told.count(TOLD) == 1, told
        assert ("-V 0.475" in told, "of such pairs that were read 17 to 18% held" in told) == (False, True)
    shown = json.loads(run("paraphrases", "Une bière, svp.", "-N", "0", "-V", "0", "--json").stdout)
    assert shown
    assert max(each["validity"] for each in shown) <= 0.5
    asked = ("references", "Une bière, svp.", "--lang", "spa", "-N", "0", "-o", "some", "--json")
    written = run(*asked)
    assert json.loads(written.stdout)["validity"] <= 0.5
    assert "are expected to hold" not in written.stderr
    assert "hold is not known: eng is the one pivot language, which does not mark address" in written.stderr
    explained = run("explain", "Une bière, svp.", shown[0]["text"]).stdout
    assert "multiplied by 0.5: eng is the one pivot language, which does not mark address, gender, number" in explained


@pytest.mark.slow
def test_another_pivot_language_ends_it(run: Run, spanish: list[tuple[str, str]], tmp_path: Path) -> None:
    assert TOLD in run("generate", "--lang", "spa").stderr
    (tmp_path / "german.tsv").write_text("".join(f"{one}\tD{other}\n" for one, other in spanish), encoding="utf-8")
    assert run("import", "german.tsv", "--lang", "spa,deu", "--header", "no").exit_code == 0
    assert "pivot language" not in run("paraphrases", "Une bière, svp.").stderr
    report = run("generate", "--lang", "spa", "--json")
    assert ("pivot" in json.loads(report.stdout), "pivot language" in report.stderr) == (False, False)


@pytest.mark.slow
def test_address_that_one_pivot_language_does_not_mark_is_asked_for(run: Run, tmp_path: Path) -> None:
    """Pairs that change it and nothing else are kept back; others are not halved."""
    rows = [
        (f"{who} {what} ?", f"who {number} {same}")
        for number, what in enumerate(("une bière", "ta part", "un bon café"))
        for same, group in enumerate((("Veux-tu", "Voulez-vous"), ("Il veut", "Désire-t-il")))
        for who in group
    ]
    (tmp_path / "french.tsv").write_text("".join(f"{one}\t{other}\n" for one, other in rows), encoding="utf-8")
    assert run("import", "french.tsv", "--lang", "fra,eng", "--header", "no").exit_code == 0
    told = run("generate", "--lang", "fra").stderr
    assert "eng is the one pivot language of fra and does not mark address" in told
    assert "--address any takes it all the same" in told
    found = {
        seed: [
            {each["text"]: each["validity"] for each in json.loads(run("paraphrases", seed, *words, "--json").stdout)}
            for words in (("-V", "0"), ("-V", "0.6"), ("-V", "0.6", "--address", "any"))
        ]
        for seed in ("Veux-tu une bière ?", "Il veut une bière ?")
    }
    (everything, kept, asked), (others, same, _) = found.values()
    assert everything["Voulez-vous une bière ?"] <= 0.5 < others["Désire-t-il une bière ?"]
    assert "Voulez-vous une bière ?" not in kept
    assert "Voulez-vous une bière ?" in asked
    assert "Désire-t-il une bière ?" in same
    said = run("paraphrases", "Veux-tu une bière ?", "--address", "any").stderr
    assert "of those addressed: paraphrases may change that (--address any)" in said
    explained = run("explain", "Veux-tu une bière ?", "Voulez-vous une bière ?").stdout
    assert "; the two differ in address (tu / vous)" in explained


def test_english_through_french_alone_is_shown(run: Run, generated: Path) -> None:
    """Of 60 such pairs of Tatoeba that were read 59 held: French marks what English has to say."""
    told = run("paraphrases", "A beer, please.", "-V", "0.5", "--json")
    assert ("pivot language" in told.stderr, len(json.loads(told.stdout))) == (False, 1)
    assert "fra is the one pivot language of eng: no other can confirm" in run("generate", "--lang", "eng").stderr
