"""The parts of the study say what the same questions asked another way say, also of real text."""

from __future__ import annotations

import csv
import json
import random
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from corpora import data_folder, filled_store, import_file, import_rows, near, new_store, tatoeba, write_rows

from corpusdb.alignment.queries.corpus_alignment import align_languages
from corpusdb.base.arrays import Bools
from corpusdb.base.char_model_counts import Alphabet, train
from corpusdb.base.char_model_probabilities import model_of, text_bits
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import Job, Progress, finished
from corpusdb.chain.queries.importing import check_source, import_source
from corpusdb.corpus.formats import Options, open_source
from corpusdb.corpus.store import Store
from corpusdb.homogeneity.queries.profile_levels import entries_of, profile_report
from corpusdb.homogeneity.queries.profiles import ProfileRecipe, make_profile
from corpusdb.phrasebook import phrasebook_files
from corpusdb.studies.queries import homogeneity as systems
from corpusdb.studies.queries.homogeneity import HomogeneityStudy, homogeneity_study, perplexity_curves
from corpusdb.studies.queries.homogeneity_profiles import (
    ALL,
    CoefficientCorrelation,
    LanguageProfile,
    Pool,
    StudyRequest,
    TranslationTask,
    corpus_of,
    scale_of,
)
from corpusdb.translation.examples import Examples, ExampleTranslation, Piece
from corpusdb.translation.queries.example_pairs import TranslationDirection, direction_of, read_examples

TALK = ("yeah", "okay", "so", "you", "know", "i", "mean", "right", "well", "gonna", "wanna", "hey")
NEWS = ("minister", "announced", "committee", "report", "percent", "shares", "officials", "march", "trading", "plan")
SHARES = (0.1, 0.5, 1.0)
LANGUAGES = ("eng", "fra")


def french(text: str) -> str:
    return " ".join(f"{word[::-1]}ou" for word in text.split())


def sentences(words: Sequence[str], count: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    return [" ".join(chance.choices(words, k=chance.randint(4, 8))) for _ in range(count)]


def mixed(talk: int, news: int, seed: int) -> list[str]:
    both = [*sentences(TALK, talk, seed), *sentences(NEWS, news, seed + 100)]
    random.Random(seed).shuffle(both)
    return both


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """Three documents between talk and news, each a file of the collection `book`, and more in `rest`."""
    monkeypatch.chdir(tmp_path)
    for name, words in (("talk", TALK), ("news", NEWS)):
        lines = sentences(words, 60, 77)
        Path(f"{name}.eng").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        Path(f"{name}.fra").write_text("".join(f"{french(line)}\n" for line in lines), encoding="utf-8")
    with filled_store(tmp_path, fill) as opened:
        yield opened


def fill(store: Store) -> None:
    for number, (talk, news) in enumerate(((30, 5), (20, 20), (8, 30), (15, 22)), 1):
        rows = [(text, french(text)) for text in mixed(talk, news, number)]
        import_file(store, write_rows(store.path.parent / f"topic{number}.tsv", rows), LANGUAGES, "book")
    import_rows(store, [(text, french(text)) for text in mixed(90, 90, 9)], LANGUAGES)


def recipes() -> dict[str, ProfileRecipe]:
    return {code: ProfileRecipe(spoken=(f"talk.{code}",), written=(f"news.{code}",)) for code in LANGUAGES}


def request(**changed: object) -> StudyRequest:
    pool = Pool(
        ("book", "rows"), held_out=20, methods=("coefficient", "moore-lewis", "cynical"), shares=SHARES, draws=3
    )
    made = StudyRequest(recipes=recipes(), corpus=("book", "rows"), pool=pool, parts=("table", "correlations"))
    return replace(made, **changed)  # type: ignore[arg-type]


def studied(store: Store, wanted: StudyRequest) -> HomogeneityStudy:
    return finished(homogeneity_study(store, wanted))


def test_lines_and_documents_are_those_of_a_profile(store: Store) -> None:
    found = studied(store, request())
    for profile in found.profiles:
        stored = finished(make_profile(store, profile.language, recipes()[profile.language]))
        lines = profile_report(store, stored).levels[0].coefficients
        rows = {(row.collection, row.level): row.coefficients for row in profile.rows}
        assert {*rows} == {(ALL, "line"), (ALL, "document"), ("book", "line"), ("book", "document"), ("rows", "line")}
        ours = rows[ALL, "line"]
        assert (ours.entries, ours.undefined, ours.clipped) == (lines.entries, lines.undefined, lines.clipped)
        assert (ours.mean, ours.sd, ours.median) == (
            near(lines.mean or 0),
            near(lines.sd or 0),
            near(lines.median or 0),
        )
        documents = {each.name: each for each in entries_of(store, stored, "document")}
        assert [each.name for each in profile.documents] == [f"topic{number}.tsv" for number in range(1, 5)]
        for each in profile.documents:
            theirs = documents[each.name]
            assert (each.lines, each.left_out, each.characters) == (theirs.lines, theirs.left_out, theirs.characters)
            assert each.coefficient == near(theirs.coefficient or 0)
        assert [sum(each.counts) for each in profile.histograms] == [lines.entries - lines.undefined, 4]
        assert (profile.anchors, profile.unseen) == (stored.anchors, stored.unseen)


def test_correlations_are_those_of_numpy(store: Store) -> None:
    found = studied(store, request())
    assert [(each.language, each.other) for each in found.correlations] == [
        ("eng", "lines"), ("eng", "line length"), ("fra", "lines"), ("fra", "line length"), ("eng", "fra")
    ]  # fmt: skip
    english, other = (
        np.array([each.coefficient for each in profile.documents], dtype=np.float64) for profile in found.profiles
    )
    lines = [each.lines for each in found.profiles[0].documents]
    lengths = [each.characters / each.lines for each in found.profiles[0].documents]
    for each, values in zip((*found.correlations[:2], found.correlations[-1]), (lines, lengths, other), strict=True):
        assert each.value == near(float(np.corrcoef(english, np.array(values, dtype=np.float64))[0, 1]))
        assert each.documents == 4
        assert each.interval is None or each.interval.low <= (each.value or 0) <= each.interval.high


def test_a_document_is_paired_with_itself(store: Store) -> None:
    (pair,) = [each for each in studied(store, request()).correlations if each.other == "fra"]
    assert pair.value is not None and pair.value > 0.9  # the other language is the same text, letter by letter


def test_the_order_of_collections_changes_no_figure(store: Store) -> None:
    one, two = (studied(store, request(corpus=names)) for names in (("book", "rows"), ("rows", "book")))

    def figures(found: HomogeneityStudy) -> tuple[list[dict[tuple[str, str], object]], list[CoefficientCorrelation]]:
        def rows(profile: LanguageProfile) -> dict[tuple[str, str], object]:
            return {
                (row.collection, row.level): (row.coefficients.entries, near(row.coefficients.mean or 0))
                for row in profile.rows
            }

        return [rows(profile) for profile in found.profiles], list(found.correlations)

    assert figures(one)[0] == figures(two)[0]
    assert [each.other for each in figures(one)[1]] == [each.other for each in figures(two)[1]]


def test_perplexities_are_those_of_models_that_are_trained(store: Store) -> None:
    """All data, and the nearest half by the coefficient: each model trained by itself on what should be in it."""
    shutil.copy("talk.fra", "task.fra")
    wanted = request(pool=replace(request().pool, task=("task.fra",)))
    scale = finished(scale_of(store, "fra", recipes()["fra"]))
    found = finished(perplexity_curves(store, wanted, scale))
    assert [(each.method, len(each.values)) for each in found.curves] == [
        ("random", 3), ("coefficient", 3), ("moore-lewis", 3), ("cynical", 1)
    ]  # fmt: skip
    pool = [
        text for (text,) in store.connection.execute("select text from sentence where language = 'fra' order by id")
    ]
    lines = Path("talk.fra").read_text(encoding="utf-8").splitlines()
    pool = [text for text in pool if text not in {*lines}]
    assert (found.pool, found.pool_characters) == (len(pool), sum(map(len, pool)))
    from corpusdb.base.char_model_probabilities import folds_of

    test = [line for line, fold in zip(lines, folds_of(lines).tolist(), strict=True) if fold == 0]
    assert found.test == found.in_references == len(test)  # the task is a copy of a reference, and that is told
    alphabet = Alphabet.of([*pool, *lines])

    def perplexity(texts: Sequence[str]) -> float:
        model = model_of(train(texts, alphabet, 5), "wb")
        return float(2 ** text_bits([model], test).entropies()[0])

    assert [each.values[-1] for each in found.curves[:3]] == [near(perplexity(pool))] * 3
    task = scale.coefficient(test)
    assert found.task == task and task is not None
    nearest = sorted(pool, key=lambda text: abs((scale.coefficient([text]) or 0) - task))
    half, size = [], 0
    for text in nearest:
        half.append(text)
        size += len(text)
        if size >= sum(map(len, pool)) / 2:
            break
    assert found.curves[1].values[1] == near(perplexity(half))
    means = np.mean(found.curves[0].draws, axis=0)
    assert found.curves[0].values == near(tuple(means))  # type: ignore[arg-type]
    assert len({draw[0] for draw in found.curves[0].draws}) == 3


def test_a_held_out_task_stands_nowhere_in_the_pool(store: Store) -> None:
    scale = finished(scale_of(store, "eng", recipes()["eng"]))
    found = finished(perplexity_curves(store, request(), scale))
    (different,) = store.connection.execute("select count(*) from sentence where language = 'eng'").fetchone()
    assert (found.test, found.development, found.pool + found.beside_task) == (20, 20, different - 40)
    again = finished(perplexity_curves(store, request(), scale))
    other = finished(perplexity_curves(store, request(seed=2), scale))
    assert again == found != other


def toy() -> systems.System:
    """A translator that knows what it has seen, and has no word for anything else."""

    def prepare(store: Store, direction: TranslationDirection, examples: Examples) -> Job[systems.Train]:
        yield Progress("nothing", 0, 0)

        def trained(chosen: Bools) -> systems.Translate:
            known = {word for source in examples.chosen(chosen).sources for word in source.split()}

            def translate(text: str) -> ExampleTranslation | None:
                words = [word for word in text.split() if word in known]
                return ExampleTranslation(french(" ".join(words)), "phrases", 1.0, 1, ()) if words else None

            return translate

        return trained

    return systems.System(prepare)


@pytest.fixture
def translating(store: Store, monkeypatch: pytest.MonkeyPatch) -> StudyRequest:
    monkeypatch.setattr(systems, "SYSTEMS", {"toy": toy(), **systems.SYSTEMS})
    bitext = TranslationTask("eng", "fra", ("toy", "analogy+memory"), "eng")
    return request(parts=("translation",), bitext=bitext)


@pytest.mark.slow
def test_curves_of_translators(store: Store, translating: StudyRequest) -> None:
    found = studied(store, translating)
    assert (found.profiles, found.perplexity, found.correlations) == ((), (), ())
    curves = found.translation
    assert curves is not None and curves.task is not None
    assert (curves.test, [each.system for each in curves.systems]) == (20, ["toy", "analogy+memory"])
    known, memory = curves.systems
    bleu, selected = known.curves[:2]
    assert (bleu.measure, bleu.method, selected.method, len(bleu.draws)) == ("bleu", "random", "coefficient", 3)
    assert bleu.values[-1] == selected.values[-1] == pytest.approx(100)  # with all data it knows every word
    assert known.rungs == {"phrases": 20}
    assert sum(memory.rungs.values()) == 20 and {*memory.rungs} <= {"analogy", "memory", "none"}
    mwer = {each.method: each for each in known.curves if each.measure == "mwer"}
    assert mwer["random"].values[-1] == 0 and len(mwer["random"].values) == 3
    assert [each.measure for each in known.confidence] == ["bleu"] * 3 + ["nist"] * 3 + ["mwer"] * 3
    assert {each.measure for each in known.crossings} == {"bleu", "nist", "mwer"}
    assert len(curves.signatures) == 4 and "case:lc" in curves.signatures[0]
    assert studied(store, translating) == found
    by_target = replace(translating, bitext=TranslationTask("eng", "fra", ("toy",), "fra"))
    assert studied(store, by_target).translation is not None


@pytest.mark.slow
def test_phrases_are_those_of_what_may_be_learned_from(store: Store, translating: StudyRequest) -> None:
    """No phrase stands in a sentence that was not chosen, nor in a translation of one that was held out."""
    by_phrases = replace(translating, bitext=TranslationTask("eng", "fra", ("phrases",), "eng"))
    steps: list[Progress] = []
    with pytest.raises(InputError, match="are not aligned"):
        finished(homogeneity_study(store, replace(by_phrases, parts=("table", "translation"))), steps.append)
    assert steps == []  # it is told before anything is computed
    ready, (reason,) = systems.ready_systems(store, "eng", "fra")
    assert ready == ("toy", "analogy+memory") and "left out: phrases: " in reason and "are not aligned" in reason
    finished(align_languages(store, "eng", "fra"))
    found = studied(store, by_phrases).translation
    assert found is not None
    (system,) = found.systems
    assert system.curves[0].values[-1] > system.curves[0].values[0] > 0
    direction = direction_of(store, "eng", "fra")
    examples = finished(read_examples(store, direction))
    kept = np.arange(len(examples)) % 3 == 0
    chosen = examples.chosen(kept)
    train = finished(systems.SYSTEMS["phrases"].prepare(store, direction, chosen))
    some = np.arange(len(chosen)) % 2 == 0
    allowed = {*chosen.chosen(some).sources}
    translate = train(some)
    pieces = [piece for text in examples.sources for made in [translate(text)] if made for piece in made.evidence]
    stands_in = {piece.example.source for piece in pieces if isinstance(piece, Piece) and piece.example is not None}
    assert stands_in and stands_in <= allowed


def test_what_is_wrong_is_said(store: Store, translating: StudyRequest) -> None:
    pool = request().pool
    of_book = {"eng": ProfileRecipe(spoken=("book",), written=("news.eng",))}
    for wrong, words in (
        (request(parts=("tables",)), "there is no part 'tables', but table"),
        (request(pool=replace(pool, methods=("bilingual",))), "there is no method 'bilingual' here, but coefficient"),
        (request(pool=replace(pool, shares=(0.1, 0.5))), "100 % is missing"),
        (request(parts=("translation",)), "needs two languages"),
        (
            replace(translating, bitext=TranslationTask("eng", "fra", ("toy",), "jpn")),
            "no references are given in jpn, but in",
        ),
        (
            replace(translating, bitext=TranslationTask("eng", "fra", ("moses",), "eng")),
            "there is no translator 'moses', but",
        ),
    ):
        with pytest.raises(UsageError, match=words):
            studied(store, wrong)
    for wrong, words in (
        (request(corpus=("boek",)), "boek"),
        (request(pool=replace(pool, shares=(0.1, 1.2, 1.0))), "a share of 120 % is not above 0 and at most 100 %"),
        (request(pool=replace(pool, shares=(0.0, 1.0))), "a share of 0 % is not above 0"),
        (request(pool=replace(pool, task=("talk.eng",))), "'talk.eng' is a reference and the task"),
        (request(pool=replace(pool, task=("rows",))), "'rows' is the task and trained on"),
        (request(recipes=of_book), "'book' is a reference and measured"),
        (request(recipes=of_book, corpus=("rows",)), "'book' is a reference and trained on"),
        (request(parts=("perplexity",), pool=replace(pool, held_out=200)), "to hold out 200 of them"),
        (replace(translating, pool=replace(pool, held_out=2000)), "takes more"),
        (request(recipes={"eng": ProfileRecipe(spoken=("talk.eng",), written=("missing",))}), "'missing' is neither"),
    ):
        with pytest.raises(InputError, match=words):
            studied(store, wrong)
    with pytest.raises(InputError, match="there is none to measure"):
        corpus_of(store, (), {"eng": ProfileRecipe(spoken=("book",), written=("rows",))}, ())
    assert corpus_of(store, (), recipes(), ("rows",)) == ("book",)


@pytest.mark.slow
def test_the_study_tells_how_far_it_is_and_stores_nothing(store: Store, translating: StudyRequest) -> None:
    before = store.connection.execute("select count(*) from run").fetchone()
    steps: list[Progress] = []
    job = homogeneity_study(store, replace(translating, parts=("table", "perplexity", "translation")))
    finished(job, steps.append)
    for stage, times in (("perplexity, models", 2), ("translation by toy, sentences", 1)):
        done = [step.done for step in steps if step.stage == stage]
        (total,) = {step.total for step in steps if step.stage == stage}
        assert sum(one > other for one, other in pairwise(done)) == times - 1  # it begins anew with each language
        assert (done[0], max(done) < total) == (0, True)
    assert store.connection.execute("select count(*) from run").fetchone() == before


# What the study must show of real text: dialogues, the phrasebook and Tatoeba beside Denoual's Table 1.


REAL_STUDY_LANGUAGES = ("eng", "jpn")


@pytest.fixture(scope="module")
def real_study_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The dialogues in halves, the phrasebook, and the pairs of Tatoeba in English and Japanese."""
    folder = tmp_path_factory.mktemp("real")
    made = new_store(folder)
    for corpus in ("bsd", "ami"):
        for part in ("dev", "test"):
            with (data_folder(f"dialogue-{corpus}") / f"{part}.tsv").open(encoding="utf-8", newline="") as file:
                rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
                units = [{"eng": row["en"], "jpn": row["ja"], "document": row["doc"]} for row in rows]
            path = folder / f"{corpus}-{part}.jsonl"
            path.write_text("".join(f"{json.dumps(unit)}\n" for unit in units), encoding="utf-8")
            source = open_source("jsonl", [path], Options())
            finished(import_source(made, finished(check_source(source)), f"{corpus}-{part}"))
    for path in phrasebook_files():
        rows_of_topic = [tuple(line.split("\t")[:2]) for line in path.read_text(encoding="utf-8").splitlines()[1:]]
        import_file(made, write_rows(folder / path.name, rows_of_topic), REAL_STUDY_LANGUAGES, "phrasebook")
    import_rows(made, tatoeba("jpn", 0, 80_000), REAL_STUDY_LANGUAGES)
    with made:
        yield made


def real_study_recipes(folder: Path) -> dict[str, ProfileRecipe]:
    """Spoken: half of the dialogues and of the meetings; written: news, in Japanese what was not translated."""
    news = data_folder("homogeneity")
    with (news / "news.ja.meta.tsv").open(encoding="utf-8", newline="") as file:
        origins = [row["origin"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    lines = (news / "news.ja.txt").read_text(encoding="utf-8").splitlines()
    own = [line for line, origin in zip(lines, origins, strict=True) if origin == "original"]
    (folder / "news.jpn").write_text("".join(f"{line}\n" for line in own), encoding="utf-8")
    files = {"eng": news / "news.en.txt", "jpn": folder / "news.jpn"}
    return {code: ProfileRecipe(spoken=("bsd-dev", "ami-dev"), written=(str(path),)) for code, path in files.items()}


@pytest.mark.slow
@pytest.mark.data
def test_table_1_and_correlations(real_study_store: Store, tmp_path: Path) -> None:
    corpus = ("phrasebook", "bsd-test", "rows")
    request = StudyRequest(
        recipes=real_study_recipes(tmp_path), corpus=corpus, pool=Pool(corpus), parts=("table", "correlations")
    )
    found = finished(homogeneity_study(real_study_store, request))
    for profile, (low, high) in zip(found.profiles, ((0.25, 0.32), (0.33, 0.38)), strict=True):
        rows = {(row.collection, row.level): row.coefficients for row in profile.rows}
        topics, lines = rows["phrasebook", "document"], rows[ALL, "line"]
        assert topics.entries == 8 and topics.mean is not None and topics.sd is not None
        assert low < topics.mean < high and topics.sd < 0.04
        assert lines.undefined + lines.clipped <= 0.03 * lines.entries
        assert profile.language == "jpn" or 0.12 < (lines.sd or 0) < 0.17
    (between,) = [each for each in found.correlations if (each.collection, each.other) == ("bsd-test", "jpn")]
    assert between.documents == 69 and between.value is not None and between.value >= 0.70
    assert between.interval is not None and between.interval.low > 0.5


@pytest.mark.data
@pytest.mark.slow
def test_curves_of_perplexity_are_of_ten_amounts(real_study_store: Store, tmp_path: Path) -> None:
    """Ten amounts, five draws and two methods, over 60,000 lines; what they show is told and not asked for."""
    request = StudyRequest(
        recipes=real_study_recipes(tmp_path), corpus=("rows",), pool=Pool(("rows",)), parts=("perplexity",)
    )
    found = finished(homogeneity_study(real_study_store, request))
    for each in found.perplexity:
        assert each.pool > 60_000 and each.test == 510
        random, *others = each.curves
        assert len(random.values) == 10 and len(random.draws) == 5
        assert list(random.values) == sorted(random.values, reverse=True)  # more data are better
        assert [curve.values[-1] for curve in others] == [random.values[-1]] * 2
        assert all((crossing.share is None) == crossing.verdict.startswith("none") for crossing in each.crossings)


@pytest.mark.data
@pytest.mark.slow
def test_moore_lewis_finds_dialogue_in_a_mixed_pool(real_study_store: Store, tmp_path: Path) -> None:
    pool = Pool(("rows", "ami-test"), task=("bsd-test",), methods=("moore-lewis",))
    request = StudyRequest(recipes=real_study_recipes(tmp_path), corpus=("rows",), pool=pool, parts=("perplexity",))
    for each in finished(homogeneity_study(real_study_store, request)).perplexity:
        random, selected = (dict(zip(curve.shares, curve.values, strict=True)) for curve in each.curves)
        assert selected[0.5] < random[1.0]
        assert each.language != "jpn" or selected[0.1] < random[0.25]
