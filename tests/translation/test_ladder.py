"""The ladder over a database, what is kept of a translator between calls, and what real sentences become."""

from __future__ import annotations

import gzip
import os
import pickle
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from calls import MakeOnce
from corpora import import_rows

import corpusdb
from corpusdb.alignment.queries.corpus_alignment import align_languages
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.base.text import normalise
from corpusdb.chain.queries.importing import import_files
from corpusdb.corpus.formats import Options, open_sources
from corpusdb.corpus.store import Store, finish_run, start_run
from corpusdb.scoring.measures import measures
from corpusdb.scoring.metrics import settings_for
from corpusdb.translation.example_rungs import open_analogies, open_memory
from corpusdb.translation.examples import RUNGS, ExampleTranslation, encode_texts, examples_of_pairs, hold_out
from corpusdb.translation.queries import example_pairs as kept_parts
from corpusdb.translation.queries import ladder
from corpusdb.translation.queries.example_pairs import (
    TranslationDirection,
    direction_of,
    exact_translations,
    read_examples,
)
from corpusdb.translation.queries.ladder import Abstention, OpenTranslators, TranslatedText, Translator, rung_names

# The ladder over a database: its order, what it leaves out, collections and selections, and what it refuses.


ROWS = [
    ("I sing.", "Je chante."),
    ("I'm singing.", "Je chante."),
    ("He sings.", "Il chante."),
    ("He dances.", "Il danse."),
    ("She dances.", "Elle danse."),
    ("She sings well.", "Elle chante bien."),
]


def test_each_text_stands_once_on_its_surest_rung(empty: Store) -> None:
    import_rows(empty, ROWS)
    translator = finished(Translator.open(empty, "fr", "en", ("exact", "analogy", "memory")))
    found = translator.translate("Je chante.", 10)
    assert [(each.text, each.rung) for each in found[:2]] == [("I sing.", "exact"), ("I'm singing.", "exact")]
    assert len({each.text for each in found}) == len(found)
    order = [RUNGS.index(each.rung) for each in found]
    assert order == sorted(order) and set(order) > {0}
    assert translator.translate("  Je  chante.".replace("  ", " "), 1)[0].text == "I sing."
    with pytest.raises(InputError, match="the text is empty"):
        translator.translate(" \n")


def test_answers_of_a_method_stand_by_their_score(empty: Store) -> None:
    """Phrases come in the order in which they were found best put together, which their score is not."""

    class Phrases:
        def translations(self, text: str, limit: int) -> list[ExampleTranslation]:
            return [ExampleTranslation(str(score), "phrases", score, 1, ()) for score in (0.2, 0.9, 0.5, 0.9)][:limit]

    class Memory:
        def translations(self, text: str, limit: int) -> list[ExampleTranslation]:
            return [ExampleTranslation("near", "memory", 0.95, 1, ())]

    translator = Translator(TranslationDirection("fra", "eng"), {"phrases": Phrases(), "memory": Memory()}, {})
    assert [each.text for each in translator.translate("Je chante.", 5)] == ["0.9", "0.5", "0.2", "near"]


def test_an_abstention_leaves_out_what_is_doubtful(empty: Store) -> None:
    import_rows(empty, ROWS)
    translator = finished(Translator.open(empty, "fra", "eng", ("analogy", "memory")))
    every = translator.translate("Elle chante.", 10)
    strict = translator.translate("Elle chante.", 10, Abstention(votes=2, fuzzy=0.8))
    assert every[0].rung == "analogy" and every[0].votes == 1
    assert [each.text for each in strict] == [each.text for each in every[1:] if each.score >= 0.8]


def test_examples_are_those_of_all_pairs(empty: Store) -> None:
    import_rows(empty, ROWS)
    examples = finished(read_examples(empty, direction_of(empty, "fra", "eng")))
    pairs = [(own, other) for own, others in zip(examples.sources, examples.targets, strict=True) for other in others]
    assert sorted(pairs) == sorted((french, english) for english, french in ROWS)


def test_a_collection_limits_both_sides(empty: Store) -> None:
    import_rows(empty, ROWS)
    import_rows(empty, [("I eat.", "Je mange."), ("Me too.", "Il danse.")])
    names = [row[0] for row in empty.connection.execute("select name from collection order by id")]
    direction = direction_of(empty, "fra", "eng", names[-1:])
    if len(names) > 1:
        assert exact_translations(empty, direction, "Je chante.") == []
    assert [text for _, text in exact_translations(empty, direction, "Je mange.")] == ["I eat."]


def test_translators_stay_open_until_the_corpus_grows(empty: Store) -> None:
    import_rows(empty, ROWS)
    kept = OpenTranslators(empty)
    first = finished(kept.translator("fra", "eng"))
    assert finished(kept.translator("fra", "eng")) is first
    import_rows(empty, [("I eat.", "Je mange.")])
    second = finished(kept.translator("fra", "eng"))
    assert second is not first and second.translate("Je mange.", 1)[0].text == "I eat."
    with empty.write():
        run = start_run(empty, "align", {})
    third = finished(kept.translator("fra", "eng"))
    assert third is not second is not finished(kept.translator("fra", "eng")) is third
    with empty.write():
        finish_run(empty, run, {})
    assert finished(kept.translator("fra", "eng")) is not third
    assert kept.targets("fra") == ["eng"] and kept.targets("jpn") == []


def test_what_is_refused(empty: Store) -> None:
    with pytest.raises(InputError, match="the corpus has no sentences in 'fra'; it has none"):
        direction_of(empty, "fra", "eng")
    import_rows(empty, ROWS)
    import_rows(empty, [("A.", "Ein.")], ("eng", "deu"))
    with pytest.raises(InputError, match="no sentence of the corpus is translated from fra to deu"):
        direction_of(empty, "fra", "deu")
    with pytest.raises(UsageError, match="these are one language"):
        direction_of(empty, "fr", "fra")
    with pytest.raises(UsageError, match="there is no method 'guess'"):
        rung_names("exact,guess")
    assert rung_names("memory, exact") == ("exact", "memory")


# What is kept of a translator between calls: the same answers, never those of another state of the database.


SUBJECTS = {"Il": "He", "Elle": "She", "Marie": "Mary", "Tom": "Tom"}
VERBS = {"chante": "sings", "danse": "dances", "mange": "eats", "dort": "sleeps"}
TEXTS = ["Elle chante.", "Elle danse bien.", "Marie dort.", "Tom danse mal.", "Rien.", "Elle mange"]
PARTS = {"examples", "texts", "analogies", "memory", "phrases"}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(kept_parts, "_LEAST_SENTENCES", 1)
    monkeypatch.setattr(kept_parts, "_LEAST_BUFFER", 16)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("CORPUSDB_CACHE", raising=False)
    return tmp_path / "cache" / "corpusdb"


def add(path: Path, rows: list[tuple[str, str]], name: str) -> None:
    file = path.with_name(f"{name}.tsv")
    file.write_text("".join(f"{one}\t{other}\n" for one, other in rows), encoding="utf-8")
    with corpusdb.open(path, create=True) as corpus:
        sources = open_sources("tsv", [file], Options(languages=("fra", "eng"), header="no"))
        finished(import_files(corpus.store, sources, name))


@pytest.fixture
def database(make_once: MakeOnce, tmp_path: Path) -> Path:
    return Path(shutil.copy(make_once("ladder", fill) / "corpus.db", tmp_path))


def fill(folder: Path) -> None:
    path = folder / "corpus.db"
    left_out = {("Elle", "chante"), ("Marie", "dort")}
    rows = [
        (f"{one} {verb}.", f"{other} {said}.")
        for one, other in SUBJECTS.items()
        for verb, said in VERBS.items()
        if (one, verb) not in left_out
    ]
    add(path, [*rows, ("Elle chante bien.", "She sings well.")], "main")
    with corpusdb.open(path) as corpus:
        finished(align_languages(corpus.store, "fra", "eng"))


def opened(path: Path, **given: Any) -> list[TranslatedText]:
    with corpusdb.open(path, read_only=True) as corpus:
        translator = finished(Translator.open(corpus.store, "fra", "eng", **given))
        found = finished(translator.translate_all(TEXTS, 5))
        translator.keep()
    return found


def forbid_making(monkeypatch: pytest.MonkeyPatch) -> None:
    def made(*_: object, **__: object) -> None:
        raise AssertionError("made anew")

    for name in ("read_examples", "encode_texts", "open_analogies", "open_memory"):
        monkeypatch.setattr(ladder, name, made)
    monkeypatch.setattr("corpusdb.translation.queries.ladder.linked_corpus", made)


@pytest.mark.usefixtures("cache")
def test_what_is_kept_answers_the_same_and_is_not_made_again(
    database: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORPUSDB_CACHE", "off")
    without = opened(database)
    assert not cache.exists()
    assert {answer.rung for each in without for answer in each.translations} >= {"analogy", "phrases", "memory"}
    monkeypatch.delenv("CORPUSDB_CACHE")
    assert opened(database) == without
    assert {each.stem.rpartition("-")[2] for each in cache.iterdir()} == PARTS
    assert {each.stat().st_mode & 0o777 for each in cache.iterdir()} == {0o600}
    forbid_making(monkeypatch)
    assert opened(database) == without
    assert opened(database, methods=("memory",)) != without


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("change", ["import", "translation", "run"])
def test_another_state_is_made_anew(database: Path, monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    before = opened(database)
    if change == "import":
        add(database, [("Rien.", "Nothing."), ("Elle mange tout.", "She eats everything.")], "more")
    with corpusdb.open(database) as corpus:
        if change == "translation":
            corpus.store.connection.execute(
                "delete from translation where translation in (select max(id) from sentence)"
            )
        elif change == "run":  # a job that began and was interrupted: what it derives may change under its number
            started = ("align", "{}", "0", "0", "2000-01-01T00:00:00+00:00")
            corpus.store.connection.execute(
                "insert into run (operation, parameters, version, fingerprint, started) values (?, ?, ?, ?, ?)", started
            )
    with monkeypatch.context() as forbidden:
        forbid_making(forbidden)
        with pytest.raises(AssertionError, match="made anew"):
            opened(database)
    after = opened(database)
    monkeypatch.setenv("CORPUSDB_CACHE", "off")
    assert after == opened(database)
    assert change != "import" or after != before


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-200])


def other_state(file: Path) -> None:
    file.write_bytes(bytes(32) + file.read_bytes()[32:])


def shared(file: Path) -> None:
    file.chmod(0o666)


def another_part(file: Path) -> None:
    (file.parent / file.name.replace("memory", "texts")).replace(file)


def code(file: Path) -> None:
    class Call:
        def __reduce__(self) -> tuple[Callable[..., Any], tuple[str]]:
            return os.mkdir, (f"{file}.run",)

    content = pickle.dumps(Call())
    head = b"".join(number.to_bytes(8, "little") for number in (0, len(content)))
    file.write_bytes(file.read_bytes()[:32] + head + bytes(-(32 + len(head)) % 64) + content)


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("damage", [cut, other_state, shared, another_part, code, Path.unlink])
def test_what_cannot_be_read_is_made_anew(
    database: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, damage: Callable[[Path], object]
) -> None:
    before = opened(database)
    (file,) = cache.glob("*-memory.part")
    damage(file)
    assert opened(database) == before
    assert file.stat().st_mode & 0o777 == 0o600
    assert not Path(f"{file}.run").exists()
    if damage is not another_part:
        forbid_making(monkeypatch)
        assert opened(database) == before


@pytest.mark.usefixtures("cache")
def test_a_part_of_the_corpus_is_not_kept(database: Path, cache: Path) -> None:
    add(database, [("Rien.", "Nothing.")], "more")
    opened(database, within=("more",), methods=("memory",))
    assert not cache.exists()


@pytest.mark.usefixtures("cache")
def test_little_is_not_kept_and_much_not_for_ever(database: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_parts, "_LEAST_SENTENCES", 1000)
    opened(database)
    assert not cache.exists()
    monkeypatch.setattr(kept_parts, "_LEAST_SENTENCES", 1)
    monkeypatch.setattr(kept_parts, "_MOST_FILES", 2)
    opened(database)
    assert len(list(cache.iterdir())) == 2


@pytest.mark.usefixtures("cache")
def test_a_folder_that_cannot_be_written_is_no_error(database: Path, cache: Path) -> None:
    cache.parent.mkdir()
    cache.write_text("no folder", encoding="utf-8")
    assert opened(database)
    with pytest.raises(InputError):
        opened(database, within=("none",))


# What is translated of 510 sentences held out of Tatoeba.


DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "tatoeba"


def pairs(language: str) -> list[tuple[str, str]]:
    """The pairs of a language with English."""
    file = DATA / f"eng-{language}.tsv.gz"
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        next(lines)
        columns = (line.rstrip("\n").split("\t") for line in lines)
        read = [(normalise(each[1]), normalise(each[0])) for each in columns]
    return list(dict.fromkeys(pair for pair in read if all(pair)))


def score(metric: str, texts: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    (measure,) = measures([settings_for(metric, lowercase=True)], references)
    return float(measure.scores(measure.statistics(texts).sum(axis=0, keepdims=True))[0])


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "answered", "bleu", "both", "mwer"),
    [("fra", 0.22, 70, 28, 0.51), ("jpn", 0.05, 40, 18, 0.65)],
)
def test_held_out(language: str, answered: float, bleu: float, both: float, mwer: float) -> None:
    found = pairs(language)
    held_out = hold_out(found)
    examples = examples_of_pairs(pair for pair, kept in zip(found, held_out.training, strict=True) if kept)
    texts = encode_texts(examples.sources)
    by_analogy, by_memory = (
        [answers[0].text if (answers := rung.translations(source, 1)) else "" for source in held_out.sources]
        for rung in (open_analogies(examples, texts), open_memory(examples, texts))
    )
    covered = [place for place, text in enumerate(by_analogy) if text]
    assert len(covered) / len(by_analogy) >= answered
    own = [held_out.references[place] for place in covered]
    assert score("bleu", [by_analogy[place] for place in covered], own) >= bleu
    laddered = [first or second for first, second in zip(by_analogy, by_memory, strict=True)]
    assert score("bleu", laddered, held_out.references) >= both
    assert score("mwer", laddered, held_out.references) <= mwer
