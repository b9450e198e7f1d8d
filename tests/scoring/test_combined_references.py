"""References that one has and those of the corpus, together."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from calls import Run

from corpusdb.base.jobs import Job, Progress, finished
from corpusdb.corpus.formats import ReferenceSet
from corpusdb.corpus.store import Store, open_for_reading
from corpusdb.paraphrase.queries.filters import NO_FILTER
from corpusdb.scoring.metric_settings import Signature
from corpusdb.scoring.queries import combined_sets
from corpusdb.scoring.queries.attributed import AttributedSet
from corpusdb.scoring.queries.combined_sets import Additions, held_back, looking_again
from corpusdb.scoring.queries.reference_sets import Recipe, attributed_sets
from corpusdb.scoring.queries.score_table import ScoreReader, find_table
from corpusdb.scoring.queries.segment_view import origins_of, segment_view

# `score --ref FILE --ref-from corpus`: the references that one has, and those of the corpus.

SOURCES = "Une bière, s'il vous plaît.\nPersonne n'a jamais écrit cela.\n"
REFERENCES = "One beer, please.\nNobody has ever written that.\n"
BOTH = ("h.txt", "--ref", "ref.en", "--ref-from", "corpus", "--source", "src.fr")
PARAPHRASED = ("h.txt", "--ref", "ref.en", "--ref-from", "corpus", "-N", "0")
SEED = "A slice of pizza, please."
CANDIDATE = "Can I have a slice of pizza?"


@pytest.fixture
def given(generated: Path, tmp_path: Path) -> Path:
    for name, text in (("src.fr", SOURCES), ("ref.en", REFERENCES), ("h.txt", "A beer, please.\nNobody wrote it.\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return generated


def scored(run: Run, *arguments: str) -> dict[str, Any]:
    result = run("score", *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    (found,) = json.loads(result.stdout)
    return dict(found)


@pytest.mark.slow
def test_the_corpus_adds_to_what_the_files_have(run: Run, given: Path, tmp_path: Path) -> None:
    result = run("score", *BOTH)
    assert "1 of 2 segments got 2 more references from the corpus; none for 2\n" in result.stderr
    signature = Signature.parse(scored(run, *BOTH)["signature"])
    assert (str(signature.references), signature.origins) == ("1/2.00/3", "files+corpus")
    # The same as with a file that holds what the corpus has.
    rows = [["One beer, please.", "A beer, please.", "Can I have a beer?"], ["Nobody has ever written that."]]
    lines = (
        json.dumps({"id": str(number), "source": "x", "references": references}) + "\n"
        for number, references in enumerate(rows)
    )
    (tmp_path / "all.jsonl").write_text("".join(lines), encoding="utf-8")
    by_hand = scored(run, "h.txt", "--ref", "all.jsonl")
    alone = Signature.parse(by_hand["signature"])
    assert (alone.digest, alone.origins) == (signature.digest, None)
    assert scored(run, *BOTH)["score"] == by_hand["score"]


def test_what_files_have_is_not_added_again(run: Run, given: Path, tmp_path: Path) -> None:
    (tmp_path / "ref.en").write_text("A beer, please.\nx\n", encoding="utf-8")
    assert str(Signature.parse(scored(run, *BOTH)["signature"]).references) == "1/1.50/2"


@pytest.mark.slow
def test_they_are_kept_and_verified(run: Run, given: Path, tmp_path: Path) -> None:
    scored(run, *BOTH, "--store")
    result = run("verify", "--json")
    assert (result.exit_code, [each["differences"] for each in json.loads(result.stdout)]) == (0, [[]])
    assert run("replay", "score:1").exit_code == 0
    assert "BLEUw4 ref.en + corpus" in run("scores", "list").stdout
    traced = json.loads(run("trace", "--score", "1", "--segment", "1", "--json").stdout)
    assert traced["references"][0]["label"] == "ref.en"
    (tmp_path / "ref.en").write_text("x\ny\n", encoding="utf-8")
    changed = run("verify")
    assert (changed.exit_code, "ref.en was changed since" in changed.stdout) == (1, True)


@pytest.mark.slow
def test_the_language_is_that_of_the_extension_or_has_to_be_told(run: Run, given: Path, tmp_path: Path) -> None:
    (tmp_path / "ref.txt").write_text(REFERENCES, encoding="utf-8")
    options = ("h.txt", "--ref", "ref.txt", "--ref-from", "corpus", "--source", "src.fr")
    refused = run("score", *options)
    assert (refused.exit_code, "--lang" in refused.stderr) == (2, True)
    assert scored(run, *options, "--lang", "eng")["score"] == scored(run, *BOTH)["score"]


def test_what_the_files_have_already_is_not_counted(run: Run, given: Path, tmp_path: Path) -> None:
    for name, text in (("ref.en", "A beer, please.\nx\n"), ("ref2.en", "Can I have a beer?\nx\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    told = run("score", *BOTH, "--ref", "ref2.en").stderr
    assert "0 of 2 segments got more references: 0 added by the corpus\n" in told


@pytest.mark.slow
def test_without_sources_the_references_are_paraphrased(run: Run, given: Path, tmp_path: Path) -> None:
    (tmp_path / "ref.en").write_text(f"{SEED}\nNobody has ever written that.\n", encoding="utf-8")
    result = run("score", *PARAPHRASED)
    assert "1 of 2 segments got 1 more reference from the corpus; none for 2\n" in result.stderr
    signature = Signature.parse(scored(run, *PARAPHRASED)["signature"])
    assert (str(signature.references), signature.origins) == ("1/1.50/2", "files+corpus:paraphrased")
    # The same as with a file that holds what `references` gives for the sentence as a source.
    made = run("references", SEED, "--lang", "eng", "-N", "0", "--format", "jsonl", "-o", "alone")
    assert made.exit_code == 0, made.stderr
    row = (tmp_path / "alone" / "references.jsonl").read_text(encoding="utf-8")
    unseen = json.dumps({"id": "2", "source": "x", "references": ["Nobody has ever written that."]})
    (tmp_path / "all.jsonl").write_text(f"{row}{unseen}\n", encoding="utf-8")
    assert Signature.parse(scored(run, "h.txt", "--ref", "all.jsonl")["signature"]).digest == signature.digest


def test_each_reference_is_paraphrased_and_none_is_added_twice(run: Run, given: Path, tmp_path: Path) -> None:
    (tmp_path / "ref.en").write_text(f"Nobody has ever written that.\n{CANDIDATE}\n", encoding="utf-8")
    (tmp_path / "ref2.en").write_text(f"{SEED}\n{SEED}\n", encoding="utf-8")
    told = run("score", *PARAPHRASED, "--ref", "ref2.en").stderr
    assert "1 of 2 segments got 1 more reference from the corpus; none for 2\n" in told


@pytest.mark.slow
def test_one_pivot_language_is_told_of(run: Run, given: Path, tmp_path: Path) -> None:
    (tmp_path / "ref.en").write_text(f"{SEED}\nx\n", encoding="utf-8")
    sure = "held without a doubt; less sure than it looks: fra is the one pivot language, and no other can confirm it"
    assert sure in run("score", *PARAPHRASED).stderr
    assert sure in run("references", "--ref", "ref.en", "--ref-from", "corpus", "-o", "out", "-N", "0").stderr
    (tmp_path / "more.tsv").write_text("Good morning.\tGuten Morgen.\n", encoding="utf-8")
    assert run("import", "more.tsv", "--lang", "eng,deu", "--name", "more").exit_code == 0
    told = run("score", *PARAPHRASED).stderr
    assert ("held without a doubt\n" in told, "pivot language" in told) == (True, False)


@pytest.mark.slow
@pytest.mark.parametrize("format", ["tsv", "sacrebleu", "jsonl"])
def test_the_set_is_handed_out_with_the_same_digest(format: str, run: Run, given: Path, tmp_path: Path) -> None:
    (tmp_path / "ref.en").write_text(f"{SEED}\nNobody has ever written that.\n", encoding="utf-8")
    for call, sources in ((PARAPHRASED, ("-N", "0")), (BOTH, ("src.fr",))):
        signature = Signature.parse(scored(run, *call)["signature"])
        options = ("--ref", "ref.en", "--ref-from", "corpus", "--format", format, "-o", f"out{len(sources)}", "--json")
        result = run("references", *sources, *options)
        assert result.exit_code == 0, result.stderr
        assert json.loads(result.stdout)["digest"].startswith(signature.digest)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "sources", "told"),
    [
        ("src.de", SOURCES, "the corpus has no deu; it has eng, fra"),
        ("src.txt", "Ein Bier, bitte.\nKeiner schrieb das.\n", "none of the 2 sources is in the corpus, which has "),
    ],
)
def test_sources_that_the_corpus_lacks(
    name: str, sources: str, told: str, run: Run, given: Path, tmp_path: Path
) -> None:
    """Their references are paraphrased, and why is told: for a language by what the file is called."""
    (tmp_path / name).write_text(sources, encoding="utf-8")
    (tmp_path / "ref.en").write_text(f"{SEED}\nNobody has ever written that.\n", encoding="utf-8")
    result = run("score", *PARAPHRASED, "--source", name)
    assert result.exit_code == 0, result.stderr
    assert told in result.stderr and ": the references themselves are paraphrased\n" in result.stderr
    assert "|from:files+corpus:paraphrased|" in scored(run, *PARAPHRASED, "--source", name)["signature"]
    alone = Signature.parse(scored(run, *PARAPHRASED)["signature"])
    assert Signature.parse(scored(run, *PARAPHRASED, "--source", name)["signature"]).digest == alone.digest


@pytest.mark.slow
def test_paraphrased_ones_are_kept_and_verified(run: Run, given: Path, tmp_path: Path) -> None:
    (tmp_path / "ref.en").write_text(f"{SEED}\nNobody has ever written that.\n", encoding="utf-8")
    (tmp_path / "two.txt").write_text("A pizza.\nx\n", encoding="utf-8")
    assert run("score", *PARAPHRASED, "two.txt", "--store").exit_code == 0
    result = run("verify", "--json")
    assert (result.exit_code, [each["differences"] for each in json.loads(result.stdout)]) == (0, [[], []])
    assert run("replay", "score:1").exit_code == 0
    compared = run("compare", "h", "two")
    assert (compared.exit_code, "held without a doubt; less sure" in compared.stdout) == (0, True)
    with open_for_reading(given) as store:
        reader, table = ScoreReader(store), find_table(store)
        assert table is not None
        found = origins_of(reader, segment_view(reader, table, 0, (table.row("h").output,), 1))
    assert found.labels(("ref.en", "corpus")) == ("ref.en", "generated")


@pytest.mark.slow
def test_references_of_files_are_outputs_nowhere(run: Run, given: Path) -> None:
    """As in sacrebleu: what stands by itself is a reference with -i, and the corpus adds to it."""
    theirs = run("score", "ref.en", "-i", "h.txt", "--ref-from", "corpus", "--source", "src.fr", "--json")
    assert theirs.exit_code == 0, theirs.stderr
    (found,) = json.loads(theirs.stdout)
    assert Signature.parse(found["signature"]).digest == Signature.parse(scored(run, *BOTH)["signature"]).digest


def test_a_source_that_is_the_reference_is_refused_with_the_way(run: Run, given: Path) -> None:
    result = run("score", *PARAPHRASED, "--source", "ref.en")
    assert (result.exit_code, "without sources --ref-from corpus paraphrases" in result.stderr) == (3, True)


def test_what_references_refuses(run: Run, given: Path) -> None:
    for words, told in (
        (("--lang", "eng"), "sources are missing"),
        (("--ref-from", "corpus"), "adds to the references of --ref FILE"),
        (("--ref", "ref.en", "--ref-from", "corpus", "--add", "equivalents"), "goes without --add"),
        (("src.fr", "--ref", "ref.en"), "--ref and --ref-from corpus"),
    ):
        result = run("references", *words, "-o", "out")
        assert (result.exit_code, told in result.stderr) == (2, True), result.stderr


@pytest.mark.slow
def test_where_nothing_is_added_the_signature_is_that_of_the_files(run: Run, given: Path, tmp_path: Path) -> None:
    (tmp_path / "none.en").write_text("Nobody has ever written that.\n" * 2, encoding="utf-8")
    alone = scored(run, "h.txt", "--ref", "none.en")
    both = scored(run, "h.txt", "--ref", "none.en", "--ref-from", "corpus")
    assert (both["signature"], both["score"]) == (alone["signature"], alone["score"])
    written = run("references", "--ref", "none.en", "--ref-from", "corpus", "-o", "out", "--json")
    assert json.loads(written.stdout)["digest"].startswith(Signature.parse(alone["signature"]).digest or "none")


@pytest.mark.slow
def test_to_align_a_corpus_changes_no_test_set(run: Run, given: Path) -> None:
    """Equivalents come where they are asked for: somebody who aligns a corpus means to change no score."""
    before = scored(run, *BOTH, "--min-validity", "0")["signature"]
    assert run("align", "--lang", "eng,fra").exit_code == 0
    assert scored(run, *BOTH, "--min-validity", "0")["signature"] == before


@pytest.mark.slow
def test_the_corpus_is_asked_for_what_references_asks_for(run: Run, given: Path) -> None:
    """The two make one set."""
    scored(run, *BOTH, "--store")
    asked = "select json_extract(parameters, '$.origins') from reference_set"
    (line,) = (line for line in run("sql", asked, "--format", "tsv").stdout.splitlines() if line.startswith("["))
    assert json.loads(line) == list(Recipe(language="eng").origins)
    refused = run("score", *BOTH, "--references", "original,rumour")
    assert (refused.exit_code, "unknown origin 'rumour'" in refused.stderr) == (2, True)


def test_corpus_references_alone_say_why_there_are_none(run: Run, given: Path, tmp_path: Path) -> None:
    """And the way that there is, instead of filters that cannot help."""
    (tmp_path / "src.de").write_text("Ein Bier, bitte.\nKeiner schrieb das.\n", encoding="utf-8")
    refused = run("score", "h.txt", "--ref-from", "corpus", "--source", "src.de", "--lang", "eng")
    way = "the corpus has no deu; it has eng, fra; with --ref FILE your own references are paraphrased"
    assert (refused.exit_code, way in refused.stderr) == (3, True)
    for source, why in (
        ("src.de", "the corpus has no deu; it has eng, fra"),
        ("Das Wetter ist schön.", "the source is not in the corpus, which has eng, fra"),
    ):
        nothing = run("references", source, "--lang", "eng", "-o", "out")
        assert (nothing.exit_code, f"nothing is written; {why}; with `--ref FILE --ref" in nothing.stderr) == (1, True)
    # A source that is there may find some with another filter.
    known = run("references", SEED, "--lang", "eng", "-o", "out", "--min-shared", "99").stderr
    assert "is not in the corpus" not in known


@pytest.mark.slow
def test_both_commands_ask_alike(run: Run, given: Path, tmp_path: Path) -> None:
    """What chooses references of the corpus is called the same in both, and chooses the same."""
    digests: list[str] = []
    for words in (
        ("--references", "original"),
        ("--references", "generated", "-N", "0"),
        ("--fluency", "7", "-V", "0.5", "--real", "--address", "any"),
        ("--fluency", "0", "--min-pivots", "1", "--min-languages", "1", "--min-shared", "1"),
        ("--fluency", "0", "--min-shared", "9"),
    ):
        choice = ("--ref", "ref.en", "--ref-from", "corpus", *words)
        out = f"out{len(digests)}"
        made = json.loads(run("references", "@src.fr", *choice, "-o", out, "--format", "jsonl", "--json").stdout)
        signature = Signature.parse(scored(run, "h.txt", *choice, "--source", "src.fr")["signature"])
        assert signature.digest == made["digest"][:16]
        digests.append(signature.digest)
    assert digests[0] == digests[4] != digests[1]
    before = run("references", "@src.fr", *choice[:4], "--order", "0", "-o", "before", "--format", "jsonl")
    assert before.exit_code == 0, "the name of before"
    refused = run("score", "h.txt", "--ref", "ref.en", "--min-languages", "2")
    assert (refused.exit_code, "needs --equivalents" in refused.stderr) == (2, True)


def test_sources_of_another_language_that_the_corpus_has_not_are_not_tried_as_seeds(
    run: Run, given: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That an analogy does not know them either takes longer than all the rest."""
    (tmp_path / "src.fr").write_text("Personne.\nJamais.\n", encoding="utf-8")
    tried: list[Sequence[str]] = []

    def attributed(store: Store, sources: Sequence[str], recipe: Recipe) -> Job[list[AttributedSet]]:
        tried.append(sources)
        return attributed_sets(store, sources, recipe)

    monkeypatch.setattr(combined_sets, "attributed_sets", attributed)
    assert "the references themselves are paraphrased" in run("score", *BOTH).stderr and not tried
    (tmp_path / "src").write_text("Personne.\nJamais.\n", encoding="utf-8")
    assert run("score", *BOTH[:-1], "src", "--lang", "eng").exit_code == 0
    assert tried, "where their language is not known they may be seeds"


@pytest.mark.parametrize("command", ["score", "references"])
def test_what_the_filters_keep_back_is_told_where_nothing_is_added(
    run: Run, given: Path, tmp_path: Path, command: str
) -> None:
    """What each would add by itself is what the corpus adds with these options."""
    (tmp_path / "known.en").write_text("A beer, please.\nA slice of pizza, please.\n", encoding="utf-8")
    asked = ("--ref", "known.en", "--ref-from", "corpus", "--references", "generated", "--lang", "eng")

    def told(*words: str) -> str:
        out = ("-o", "-".join(("out", *words)).replace(" ", "")) if command == "references" else ("h.txt",)
        result = run(command, *out, *asked, *words)
        assert result.exit_code == 0, result.stderr
        return result.stderr

    freely = told("-N", "0", "-T", "0")
    (count,) = re.findall(r"segments? got (\d+) more reference", freely)
    assert "filters keep" not in freely
    strict = told("-N", "20", "-T", "0")
    assert "0 of 2 segments got more references: 0 added by the corpus\n" in strict
    assert f"the filters keep references back: -N 0 would add {count}\n" in strict
    strict = told("-N", "0", "-T", "1")
    assert re.search(rf"back: -V 0 would add {count}; the highest validity of theirs is 0\.\d+\n", strict)
    strict = told("-N", "20", "-T", "1")
    assert f"the filters keep references back: -N 0 -V 0 would add {count}; the highest" in strict
    limited = told("-N", "20", "-T", "0", "-n", "1")
    (count,) = re.findall(r"segments? got (\d+) more reference", told("-N", "0", "-T", "0", "-n", "1"))
    assert f"-N 0 would add {count}\n" in limited


def test_the_second_look_is_called_what_it_is() -> None:
    def look() -> Job[Additions]:
        yield Progress("paraphrasing references", 1, 2)
        return Additions((), (), are_paraphrases=())

    steps: list[Progress] = []
    assert finished(looking_again(look()), steps.append) == Additions((), (), are_paraphrases=())
    assert steps == [Progress("looking for what the filters keep back", 1, 2)]


def test_nobody_looks_again_where_there_is_nothing() -> None:
    looked: list[Recipe] = []

    def found_by(less: Recipe) -> Additions:
        looked.append(less)
        return Additions((), (AttributedSet("x", ()),), are_paraphrases=(True,))

    assert held_back([ReferenceSet("1", "x", ("y",))], Recipe(language="eng"), found_by) is None
    assert [each.kept for each in looked] == [NO_FILTER]


def test_sources_with_no_reference_but_themselves_are_told(run: Run, given: Path) -> None:
    result = run("references", "--text", "I'd like a twin, please.", "-o", "set", "-T", "1", "--format", "tsv")
    assert "1 of 1 source has a reference, 1.0 on average; all have no other than the source itself" in result.stderr


# What a source does not yield, paraphrases of the reference do, segment by segment.


class Case(NamedTuple):
    """References of two segments, of which the corpus has the first source alone."""

    second: str
    told: str
    counts: dict[str, int]
    signed: str
    found: tuple[int, ...]
    """The segments that get more."""


CASES = [
    Case(
        "A slice of pizza, please.",
        "2 of 2 segments got 3 more references from the corpus (2 by the sources, 1 as paraphrases of the references)",
        {"by_source": 2, "paraphrased": 1},
        "files+corpus:partly-paraphrased",
        (1, 2),
    ),
    Case(
        "Nobody has ever written that.",
        "1 of 2 segments got 2 more references from the corpus; none for 2",
        {"by_source": 2, "paraphrased": 0},
        "files+corpus",
        (1,),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[case.signed for case in CASES])
def test_what_a_source_does_not_yield_is_paraphrased(case: Case, run: Run, generated: Path, tmp_path: Path) -> None:
    sources = "Une bière, s'il vous plaît.\nPersonne n'a jamais écrit cela.\n"
    for name, text in (
        ("src.fr", sources),
        ("ref.en", f"One beer, please.\n{case.second}\n"),
        ("h.txt", "A beer, please.\nNobody wrote it.\n"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    call = ("score", "h.txt", "--ref", "ref.en", "--ref-from", "corpus", "--source", "src.fr", "-N", "0")
    scored = run(*call, "--store", "--json")
    assert f"{case.told}\n" in scored.stderr
    signature = Signature.parse(json.loads(scored.stdout)[0]["signature"])
    assert signature.origins == case.signed
    written = run("references", "src.fr", "--ref", "ref.en", "--ref-from", "corpus", "-N", "0", "-o", "out", "--json")
    assert f"{case.told}\n" in written.stderr
    document = json.loads(written.stdout)
    assert (document["added"], document["digest"][:16]) == (case.counts, signature.digest)
    # Made anew, from what it was made of, it is the same; and each reference knows where it comes from.
    assert [each["differences"] for each in json.loads(run("verify", "--json").stdout)] == [[]]
    with open_for_reading(generated) as store:
        reader, table = ScoreReader(store), find_table(store)
        assert table is not None
        for segment in case.found:
            view = segment_view(reader, table, 0, (table.row("h").output,), segment)
            given, *added = origins_of(reader, view).references
            assert given is None
            assert added and all(each is not None for each in added)


def test_what_was_not_made_yet_is_told_with_the_way_out(run: Run, tmp_path: Path) -> None:
    for name, text in (("h.txt", "hello\n"), ("s.fr", "salut\n"), ("r.en", "hello there\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "p.tsv").write_text("hello\tsalut\nhi\tsalut\n", encoding="utf-8")
    assert run("import", "p.tsv", "--lang", "eng,fra", "--header", "no").exit_code == 0
    call = ("score", "h.txt", "--ref", "r.en", "--ref-from", "corpus", "--source", "s.fr", "--lang", "eng")
    refused = run(*call)
    assert refused.exit_code == 3
    told = "nothing was generated for eng yet: `corpusdb generate --lang eng`; --references original takes"
    assert told in refused.stderr
    translated = run(*call, "--references", "original")
    assert (translated.exit_code, "yet" in translated.stderr) == (0, False)
    undetected = "nothing was detected for eng yet: `corpusdb detect --lang eng`"
    assert undetected in run(*call, "--references", "detected").stderr
    assert run("detect", "--lang", "eng").exit_code == 0
    assert undetected not in run(*call, "--references", "detected").stderr
