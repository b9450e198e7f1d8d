"""References generated for outputs, and the command that makes them."""

from __future__ import annotations

from pathlib import Path

import pytest
from calls import Run, document, write_files

from corpusdb.base.errors import UsageError
from corpusdb.base.estimates import pearson
from corpusdb.base.jobs import finished
from corpusdb.base.tokenisation import tokeniser
from corpusdb.corpus.formats.records import ReferenceSet
from corpusdb.corpus.formats.segments import Output
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.filters import NO_FILTER, filter_at
from corpusdb.paraphrase.queries.paraphrases import paraphrases
from corpusdb.scoring.metric_settings import Signature
from corpusdb.scoring.metrics import settings_for
from corpusdb.scoring.queries.frozen_sets import Guidance, GuidedReferences, guided_references, reach_by_order
from corpusdb.scoring.queries.scoring_references import ScoringReferences
from corpusdb.scoring.unit_metrics import trace_segment

# References generated for outputs, on the phrasebook, against what `paraphrases` says of each reference.


SEEDS = "select text from seed where language = 'eng' order by id limit 12"
CUT = tokeniser("13a")
ORDER = 3


def references(store: Store) -> list[str]:
    return [row[0] for row in store.connection.execute(SEEDS)]


def given(texts: list[str], sources: list[str] | None = None) -> ScoringReferences:
    known = sources or [""] * len(texts)
    sets = tuple(
        ReferenceSet(str(number), source, (text,))
        for number, (source, text) in enumerate(zip(known, texts, strict=True), 1)
    )
    return ScoringReferences(sets, (("given",),) * len(texts), "files", {"files": []})


def outputs(store: Store) -> list[Output]:
    """Two systems: one says the second best paraphrase of each reference, the other the words in another order."""
    texts = references(store)
    others = [[each.text for each in paraphrases(store, text, "eng", kept=NO_FILTER)][:2] for text in texts]
    said = tuple(found[-1] if found else text for found, text in zip(others, texts, strict=True))
    return [
        Output("good", Path("good.txt"), said),
        Output("bad", Path("bad.txt"), tuple(" ".join(reversed(text.split())) for text in texts)),
    ]


def guided(store: Store, systems: list[Output], *, limit: int = 0, order: int = 4) -> GuidedReferences:
    guidance = Guidance(
        language="eng",
        settings=settings_for("bleu", order=ORDER),
        kept=filter_at(order, min_validity=0.0),
        limit=limit,
    )
    return finished(guided_references(store, given(references(store)), systems, guidance))


def unmatched(systems: list[Output], segment: int, reference: str) -> set[tuple[str, ...]]:
    """By the trace, which counts n-grams in another way."""
    traces = [trace_segment(CUT(each.texts[segment]), [CUT(reference)], ORDER) for each in systems]
    return {ngram.units for trace in traces for ngram in trace.ngrams if not any(ngram.in_references)}


def matches(text: str, ngrams: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
    trace = trace_segment(CUT(text), [()], ORDER)
    return {each.units for each in trace.ngrams} & ngrams


@pytest.mark.slow
def test_the_chosen_are_the_paraphrases_that_match_something_missed(phrasebook: Store) -> None:
    systems = outputs(phrasebook)
    found = guided(phrasebook, systems)
    assert found.chosen > 10
    for segment, (each, reference) in enumerate(zip(found.segments, references(phrasebook), strict=True)):
        missed = unmatched(systems, segment, reference)
        ranked = paraphrases(phrasebook, reference, "eng", limit=0, kept=filter_at(4, min_validity=0.0))
        wanted = [one for one in ranked if matches(one.text, missed)]
        wanted.sort(key=lambda one: (-one.score, -one.frequency, one.text))
        assert each.unmatched == missed
        assert [one.text for one in each.chosen] == [one.text for one in wanted]
        assert [one.validity for one in each.chosen] == [one.validity for one in wanted]
        assert each.by_chosen == {ngram for one in wanted for ngram in matches(one.text, missed)}
        every = paraphrases(phrasebook, reference, "eng", limit=0, kept=NO_FILTER)
        assert each.by_any == {ngram for one in every for ngram in matches(one.text, missed)}


def test_what_another_output_says_changes_no_order(phrasebook: Store) -> None:
    """Evidence alone ranks: outputs only decide which paraphrases are looked at."""
    good, bad = outputs(phrasebook)
    both, one = guided(phrasebook, [good, bad]), guided(phrasebook, [good])
    for wide, narrow in zip(both.segments, one.segments, strict=True):
        assert [each for each in wide.chosen if each in narrow.chosen] == list(narrow.chosen)
    assert both.chosen >= one.chosen


def test_the_limit_takes_the_first(phrasebook: Store) -> None:
    systems = outputs(phrasebook)
    every, two = guided(phrasebook, systems), guided(phrasebook, systems, limit=2)
    assert [each.chosen for each in two.segments] == [each.chosen[:2] for each in every.segments]
    assert [each.by_passing for each in two.segments] == [each.by_passing for each in every.segments]
    assert two.candidates == every.candidates > two.chosen


def test_reach_counts_ngrams_and_segments(phrasebook: Store) -> None:
    found = guided(phrasebook, outputs(phrasebook), limit=1, order=8)
    rows = reach_by_order(found.segments, ORDER)
    assert [row.order for row in rows] == [1, 2, 3]
    assert sum(row.ngrams for row in rows) == sum(len(each.unmatched) for each in found.segments)
    assert sum(row.by_chosen for row in rows) == sum(len(each.by_chosen) for each in found.segments) > 0
    for row in rows:
        assert row.ngrams >= row.by_any >= row.by_passing >= row.by_chosen
        assert row.segments >= row.segments_by_any >= row.segments_by_passing >= row.segments_by_chosen


def test_outputs_that_miss_nothing_need_no_reference(phrasebook: Store) -> None:
    same = Output("same", Path("same.txt"), tuple(references(phrasebook)))
    found = guided(phrasebook, [same])
    assert (found.chosen, found.candidates) == (0, 0)
    assert {row.ngrams for row in reach_by_order(found.segments, ORDER)} == {0}


def test_what_people_wrote_for_the_source_comes_first(phrasebook: Store) -> None:
    """The corpus has the source: its translations are candidates, though the reference is not in the corpus."""
    query = (
        "select source.text, sentence.text from sentence join translation on translation.sentence = sentence.id"
        " join sentence source on source.id = translation.translation and source.language = 'jpn'"
        " where sentence.language = 'eng' order by sentence.id limit 1"
    )
    source, written = phrasebook.connection.execute(query).fetchone()
    guidance = Guidance(language="eng", settings=settings_for("bleu"), kept=NO_FILTER, limit=0)
    system = Output("said", Path("said.txt"), (written,))
    reference = given(["Nobody ever said quite this."], [source])
    (segment,) = finished(guided_references(phrasebook, reference, [system], guidance)).segments
    people = [each for each in segment.chosen if each.origins[0] == "original"]
    assert written in [each.text for each in people]
    assert segment.chosen[: len(people)] == tuple(people)
    assert {each.validity for each in people} == {None}


def test_calls_that_make_no_sense(phrasebook: Store) -> None:
    one = outputs(phrasebook)[0]
    for systems, reason in (([], "no output is given"), ([one, one], "given twice")):
        with pytest.raises(UsageError, match=reason):
            guided(phrasebook, systems)


def test_the_guidance_comes_back_from_its_document() -> None:
    guidance = Guidance(
        language="eng",
        settings=settings_for("bleu", order=2, tokenisation="intl", lowercase=True),
        kept=filter_at(8, min_validity=0.9),
        limit=3,
    )
    assert Guidance.of(guidance.document()) == guidance
    characters = Guidance(language="jpn", settings=settings_for("bleu", unit="char"), kept=NO_FILTER)
    assert Guidance.of(characters.document()) == characters


# `corpusdb generate --for`, and scores on the frozen set that it makes.

FILES = {
    "ref.txt": ("A beer, please.", "A slice of pizza, please."),
    "one.txt": ("Can I have a beer?", "Can I have pizza?"),
    "two.txt": ("A beer!", "A slice of pizza!"),
    "three.txt": ("A beer.", "A pizza."),
    "short.txt": ("A beer.",),
}
GUIDE = ("generate", "--lang", "eng", "-N", "0", "--for", "one.txt", "two.txt", "--ref", "ref.txt")


@pytest.fixture
def files(run: Run, generated: Path, tmp_path: Path) -> Path:
    write_files(tmp_path, FILES)
    return generated


def test_a_set_is_generated_frozen_and_scored_with(run: Run, files: Path) -> None:
    made = document(run(*GUIDE, "--name", "both", "--json"))
    assert (made["systems"], made["segments"], made["given"], made["name"]) == (["one", "two"], 2, 2, "both")
    assert made["chosen"] == 2
    assert made["guidance"]["ngrams"] == {"order": 4, "unit": "word", "tokenisation": "13a", "lowercase": False}
    first = made["reach"][0]
    assert first["ngrams"] == 6 + 5  # Can I have a ? ! and, of the second segment, Can I have ? !
    assert "score" not in made
    assert run("sql", "select count(*) from score", "--format", "tsv").stdout.split() == ["count(*)", "0"]

    result = run("score", "one.txt", "--ref-set", "both", "--order", "2", "--json", "--store")
    (score,) = document(result)
    assert score["guided"] == {"name": "both", "frozen": made["frozen"], "systems": ["one", "two"]}
    assert Signature.parse(score["signature"]).guided == 2
    assert Signature.parse(score["signature"]).digest == made["digest"][:16]
    assert "references generated for these outputs (both): frozen on" in result.stderr
    assert "did not guide" not in result.stderr
    (plain,) = document(run("score", "one.txt", "--ref", "ref.txt", "--order", "2", "--json"))
    assert score["score"] > plain["score"]
    assert "guided" not in plain["signature"]
    stored = run("verify", "--json")
    assert document(stored)[0]["signature"] == score["signature"]


def test_a_system_that_did_not_guide_is_told(run: Run, files: Path) -> None:
    run(*GUIDE, "--name", "both")
    result = run("score", "one.txt", "three.txt", "--ref-set", "both")
    assert "three.txt: did not guide the references of both" in result.stderr
    assert "three.txt: did not guide" in run("trace", "three.txt", "--ref-set", "both", "--segment", "1").stderr
    assert "one.txt: did not" not in result.stderr


def test_the_table_and_the_note_on_fairness(run: Run, files: Path) -> None:
    result = run(*GUIDE, "--dry-run")
    assert "frozen\tno: a dry run" in result.stdout
    assert "n\tunmatched\tany %\tpass %\tkept %\tsegments" in result.stdout
    assert "such references favour the systems that they were made for" in result.stderr
    assert document(run(*GUIDE, "--dry-run", "--json"))["chosen"] == 2
    assert run("sql", "select count(*) from frozen_set", "--format", "tsv").stdout.split()[1] == "0"


def test_one_output_each_is_named_by_its_own_option_too(run: Run, files: Path) -> None:
    words = [*GUIDE[:6], "one.txt", "--for", "two.txt", "--ref", "ref.txt", "--dry-run", "--json"]
    assert document(run(*words))["systems"] == ["one", "two"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((*GUIDE, "--name", "x", "--seed", "A beer, please."), 2, "not from --seed or --seeds"),
        ((*GUIDE, "--name", "x", "--seeds", "ref.txt"), 2, "not from --seed or --seeds"),
        (GUIDE, 2, "--name names the set to freeze"),
        ((*GUIDE, "--name", "x", "--dry-run"), 2, "give one of them"),
        ((*GUIDE[:7], "--name", "x"), 2, "--for needs --ref FILE"),
        ((*GUIDE, "--name", "  "), 2, "the name of a reference set is empty"),
        ((*GUIDE, "--name", "x", "--unit", "char", "--tokenise", "13a"), 2, "but characters are counted"),
        ((*GUIDE, "one.txt", "short.txt", "--name", "x"), 3, "has no counterpart"),
        ((*GUIDE[:6], "short.txt", "--ref", "ref.txt", "--name", "x"), 3, "ref.txt:2: has no counterpart"),
        ((*GUIDE[:6], "ref.txt", "--ref", "ref.txt", "--name", "x"), 3, "nothing to freeze"),
        ((*GUIDE, "--name", "x", "--lang", "fra"), 3, "run `corpusdb generate --lang fra` first"),
        (("generate", "--lang", "eng", "--ngrams", "2"), 2, "--ngrams needs --for"),
        (("generate", "--lang", "eng", "--dry-run"), 2, "--dry-run needs --for"),
        (("generate", "--lang", "eng", "-n", "3"), 2, "-n needs --for"),
        (("score", "one.txt", "--ref-set", "no"), 3, "there is no frozen reference set 'no'; there are none"),
        (
            ("score", "one.txt", "--ref-set", "no", "--ref", "ref.txt"),
            2,
            "--ref-set is a whole set of references: leave it out",
        ),
        (("score", "one.txt", "--ref-set", "no", "--source", "ref.txt"), 2, "--source makes no sense"),
    ],
)
def test_calls_of_generate_that_make_no_sense(
    words: tuple[str, ...], code: int, message: str, run: Run, files: Path
) -> None:
    result = run(*words)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr
    assert run("sql", "select count(*) from frozen_set", "--format", "tsv").stdout.split()[1] == "0"


def test_a_name_is_taken_once(run: Run, files: Path) -> None:
    assert run(*GUIDE, "--name", "both").exit_code == 0
    result = run(*GUIDE, "--name", "both", "-n", "1")
    assert (result.exit_code, "'both' already, and it stays" in result.stderr) == (2, True)


def test_outputs_of_another_length_cannot_be_scored_on_it(run: Run, files: Path) -> None:
    run(*GUIDE, "--name", "both")
    result = run("score", "short.txt", "--ref-set", "both")
    assert (result.exit_code, "has no counterpart" in result.stderr) == (3, True)


def test_generating_for_nothing_is_what_it_was(run: Run, files: Path) -> None:
    assert document(run("generate", "--lang", "eng", "--json"))["candidates"] > 0


def test_agreement_and_comparison_take_it(run: Run, files: Path) -> None:
    run(*GUIDE, "--name", "both")
    names, values = ("one", "two", "three"), ((0, 1), (1, 0), (2, 2))
    rows = [f"{name}\t{at}\t{z}" for name, of in zip(names, values, strict=True) for at, z in enumerate(of)]
    Path("human.tsv").write_text("system\tsegment\tz\n" + "\n".join(rows) + "\n", encoding="utf-8")
    outputs = [f"{name}.txt" for name in names]
    asked = ("--human", "human.tsv", "--order", "1", "--samples", "5", "--level", "system", "--json")
    result = run("agreement", *outputs, "--ref-set", "both", *asked)
    scored = document(run("score", *outputs, "--ref-set", "both", "--order", "1", "--json"))
    found = {row["statistic"]: row for row in document(result)}
    assert found["pearson"]["value"] == pytest.approx(pearson([each["score"] for each in scored], [0.5, 0.5, 2]))
    assert found["pearson"]["signature"] == scored[0]["signature"]
    assert "references generated for these outputs (both): frozen on" in result.stderr
    assert "three.txt: did not guide the references of both" in result.stderr
    of_people = document(run("agreement", *outputs, "--ref-set", "both", *asked, "--origins", "original"))
    assert of_people[0]["signature"].split("|guided")[0].split("|set:")[0].endswith("refs:1")
    assert "give --ref or --ref-set" in run("agreement", *outputs, "--ref-set", "both", "--ref", "x", *asked).stderr
    run("score", "one.txt", "two.txt", "--ref-set", "both", "--order", "2", "--store")
    compared = run("compare", "one", "two", "--order", "2", "--samples", "5", "--section", "scores,origins")
    assert (
        "|guided:2|" in compared.stdout
        and "With the 3 references that people made, and with all, which are 1 more" in compared.stdout
    )
    assert compared.stdout.count("|guided:2|") == 1


def test_the_trace_goes_from_a_match_to_sentences_of_people(run: Run, files: Path) -> None:
    """Without --lang, which the set knows."""
    run(*GUIDE, "--name", "both")
    found = document(run("trace", "one.txt", "--ref-set", "both", "--segment", "1", "--json"))
    given, made = found["references"]
    assert (given["label"], made["text"]) == ("given", "Can I have a beer?")
    assert [each["reference"]["text"] for each in found["backgrounds"]] == [given["text"], made["text"]]
    assert found["backgrounds"][1]["shared"][0]["text"] == "Une bière, s'il vous plaît."
