"""The same rows, in whatever order files come in, wherever a job ends, and whatever engine holds them."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from calls import Run
from corpora import (
    Dump,
    Row,
    all_rows,
    derived_rows,
    import_file,
    import_rows,
    new_store,
    random_rows,
    tatoeba,
    write_rows,
)
from rows_chain import RowsChain, TranslationPair

from corpusdb.alignment.queries.corpus_alignment import align_languages
from corpusdb.base.jobs import finished
from corpusdb.chain.queries import generation
from corpusdb.chain.queries import importing as file_import
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.importing import update_layers
from corpusdb.corpus.queries.sentences import sentences_after
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.queries import detection, slot_index
from corpusdb.paraphrase.queries.detection import detect
from corpusdb.paraphrase.queries.slot_index import PARAMETERS
from corpusdb.paraphrase.sharing import MAX_SHARING
from corpusdb.paraphrase.slots import SlotIndex, Slots, index_slots
from corpusdb.people.queries.decisions import accept

# Jobs that end behind any of their transactions and are called again: the rows of an undisturbed one, runs as well.


ROWS: list[Row] = random_rows(random.Random(1), 25)
SEEDS = [ROWS[0][0], ROWS[3][0], "a b a c b."]
"""Two of the corpus and one that is not."""


class Killed(BaseException):
    """The process would be gone."""


@contextmanager
def ending_behind(number: int) -> Iterator[list[str]]:
    """Inside, nothing is written any more behind the transaction of that number, from 1; yields one item for each."""
    ended: list[str] = []
    whole = Store.write

    @contextmanager
    def write(store: Store) -> Iterator[sqlite3.Connection]:
        is_outer = not store.connection.in_transaction
        if len(ended) == number:
            raise Killed
        with whole(store) as connection:
            yield connection
        if is_outer:
            ended.append("")
            if len(ended) == number:
                raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Store, "write", write)
        yield ended


def imported(store: Store) -> None:
    import_rows(store, ROWS)


def generated(store: Store) -> None:
    imported(store)
    finished(generate(store, "eng"))


def given(store: Store) -> None:
    imported(store)
    finished(generate(store, "eng", SEEDS[:1]))


def grown(store: Store) -> None:
    generated(store)
    import_rows(store, [("a b d.", "t1"), ("d.", "t2 t3")])


def aligned(store: Store) -> None:
    imported(store)
    finished(align_languages(store, "eng", "fra"))


def imports(store: Store) -> None:
    import_file(store, write_rows(store.path.with_suffix(".tsv"), ROWS), ("eng", "fra"))


def accepts(store: Store) -> None:
    finished(accept(store, ROWS[0][0], "a b a c b.", "eng"))


def rows_of(path: Path) -> Dump:
    """Of all tables but that of the lock, which the next call takes from a process that is gone."""
    with open_store(path) as store:
        return {name: rows for name, rows in all_rows(store).items() if name != "job_lock"}


Prepare = Callable[[Store], None]
JOBS: Mapping[str, tuple[Prepare, Callable[[Store], Any]]] = {
    "import": (lambda store: None, imports),
    "detect": (imported, lambda store: finished(detect(store, "eng"))),
    "generate": (imported, lambda store: finished(generate(store, "eng"))),
    "generate again": (grown, lambda store: finished(generate(store, "eng"))),
    "generate seeds": (imported, lambda store: finished(generate(store, "eng", SEEDS))),
    "generate more seeds": (given, lambda store: finished(generate(store, "eng", SEEDS))),
    "generate seeds after all": (generated, lambda store: finished(generate(store, "eng", SEEDS))),
    "generate all after seeds": (given, lambda store: finished(generate(store, "eng"))),
    "update": (grown, lambda store: finished(update_layers(store))),
    "accept": (generated, accepts),
    "align": (imported, lambda store: finished(align_languages(store, "eng", "fra"))),
    "align anew": (aligned, lambda store: finished(align_languages(store, "eng", "fra", retrain=True))),
}


_STEPS = {
    "import": 1,
    "detect": 1,
    "generate": 9,
    "generate seeds": 5,
    "update": 9,
    "align": 2,
}
"""What is disturbed by default, behind which transactions: each so many-th. All of all jobs is slow."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "step"),
    [*_STEPS.items(), *((name, 1) for name in JOBS if _STEPS.get(name) != 1)],
)
def test_the_same_call_ends_with_the_rows_of_an_undisturbed_one(
    name: str, step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detection, "_SENTENCES_PER_TRANSACTION", 10)
    monkeypatch.setattr(file_import, "_BATCH", 5)
    monkeypatch.setattr(file_import, "_SECONDS_PER_TRANSACTION", 0.0)
    monkeypatch.setattr(generation, "_SEEDS_PER_TRANSACTION", 5)
    monkeypatch.setattr(slot_index, "_ROWS_PER_TRANSACTION", 200)
    prepare, job = JOBS[name]
    with new_store(tmp_path, "prepared") as store:
        prepare(store)
        prepared = store.path
    path = tmp_path / "corpus.db"

    def called(ends_behind: int) -> int:
        with open_store(path) as store:
            store.connection.execute("delete from job_lock")  # that of a process that is gone
            with suppress(Killed), ending_behind(ends_behind) as ended:
                job(store)
        return len(ended)

    shutil.copy(prepared, path)
    transactions = called(-1)
    once = rows_of(path)
    called(-1)
    twice = rows_of(path)
    wrong = []
    for number in range(1, transactions, step):
        shutil.copy(prepared, path)
        assert called(number) == number
        expected = twice if rows_of(path) == once else once  # where all is written, it is a call that is made twice
        called(-1)
        found = rows_of(path)
        wrong += [f"behind {number} of {transactions}: {name}" for name in expected if found[name] != expected[name]]
    assert wrong == []


# No figure depends on the order in which files come into the corpus: bit for bit, by text instead of number.


Figures: TypeAlias = dict[str, Any]

WORDS = "a big old cat dog sees likes the red hat very much".split()


def rows(chance: random.Random, language: str) -> Iterator[str]:
    """Sentences of few words with few translations, so that they share many."""
    for _ in range(120):
        sentence = " ".join(chance.choice(WORDS) for _ in range(chance.randint(1, 5)))
        yield f"{sentence}.\t{language} {chance.randrange(20)}\n"


def figures_of(run: Run, database: Path, files: Sequence[Path]) -> Figures:
    """Everything that commands say of a corpus that is made of these files, in this order."""

    def document(*arguments: object) -> Any:
        result = run("--db", database, *arguments, "--json")
        assert result.exit_code in (0, 1), result.stderr
        return without_names_of_runs(json.loads(result.stdout))

    for path in files:
        language = path.stem
        call = ("--db", database, "import", path, "--lang", f"eng,{language}", "--no-follow", "--trust-lang")
        assert run(*call).exit_code == 0
    texts = json.loads(run("--db", database, "search", "", "--lang", "eng", "-n", "0", "--json").stdout)["hits"]
    seeds = sorted(hit["text"] for hit in texts)
    found: Figures = {"detect": document("detect", "--lang", "eng")}
    found["generate"] = document("generate", "--lang", "eng", "-N", "3")
    for seed in seeds[::25]:
        found[f"paraphrases of {seed}"] = document("paraphrases", seed, "--lang", "eng", "-N", "0", "-n", "0")
    outside = "the big old dog sees the hat."
    found["outside"] = document("paraphrases", outside, "--lang", "eng", "-N", "0", "-n", "0")
    found["statistics"] = document("statistics", "--lang", "eng", "-N", "3")
    for name, arguments in {
        "frequencies": ("frequencies", "--dispersion"),
        "collocates": ("collocates", "the"),
        "keywords": ("keywords", "fra"),
    }.items():
        found[name] = by_text(document(*arguments, "--lang", "eng", "-n", "0"))
    found["paraphrase"] = sorted(run("--db", database, "sql", PAIRS, "-n", "0", "--format", "tsv").stdout.splitlines())
    return found


PAIRS = """
select a.text, b.text, translations, languages, printf('%!.20g', probability) from paraphrase
join sentence a on a.id = paraphrase.sentence join sentence b on b.id = paraphrase.paraphrase
"""


def without_names_of_runs(value: Any) -> Any:
    """The same without how long it took, the numbers of runs, and how evenly words stand in the text as ordered."""
    if isinstance(value, dict):
        return {key: without_names_of_runs(each) for key, each in value.items() if key not in ("seconds", "run", "arf")}
    return [without_names_of_runs(each) for each in value] if isinstance(value, list) else value


def by_text(value: Any) -> Any:
    """Rows that are equal in what they are sorted by come in any order."""
    if isinstance(value, dict):
        return {key: by_text(each) for key, each in value.items()}
    return sorted(map(by_text, value), key=repr) if isinstance(value, list) else value


@pytest.mark.slow
def test_figures_are_those_of_any_order(run: Run, tmp_path: Path) -> None:
    chance = random.Random(1)
    files = []
    for language in ("fra", "deu", "jpn", "ita", "spa"):
        files.append(tmp_path / f"{language}.tsv")
        files[-1].write_text("eng\tother\n" + "".join(rows(chance, language)), encoding="utf-8")
    there = figures_of(run, tmp_path / "there.db", files)
    back = figures_of(run, tmp_path / "back.db", files[::-1])
    assert there.keys() == back.keys()
    assert len(there["paraphrase"]) > 500
    for name, figures in there.items():
        assert json.dumps(figures) == json.dumps(back[name]), name


# The algorithm over rows, whatever engine holds them, gives the rows that the chain over a database stores.


_TRANSLATIONS = """
select translation.sentence, other.language, other.id
from translation join sentence other on other.id = translation.translation and other.language <> :language
where translation.sentence in (select id from sentence where language = :language)
"""


def over_rows(store: Store, language: str, chance: random.Random, max_sharing: int = MAX_SHARING) -> RowsChain:
    """The chain over the rows that were imported; the translations come in any order."""
    translations = list(map(TranslationPair._make, store.connection.execute(_TRANSLATIONS, {"language": language})))
    chance.shuffle(translations)
    max_fillers = int(str(PARAMETERS["max_fillers"]))
    return RowsChain(language, dict(sentences_after(store, language, 0)), translations, max_sharing, max_fillers)


def assert_same_rows(store: Store, language: str, chance: random.Random, max_sharing: int = MAX_SHARING) -> int:
    """Generate, and compare every derived row of the language, to the last bit; how many candidates there are."""
    finished(generate(store, language))
    stored, found = derived_rows(store), over_rows(store, language, chance, max_sharing).rows()
    assert found.keys() == stored.keys()
    for table, rows in stored.items():
        assert found[table] == rows, table
    return len(stored["candidate"])


@pytest.mark.parametrize("number", range(8))
def test_random_corpora(empty: Store, number: int) -> None:
    chance = random.Random(number)
    rows = random_rows(chance, chance.randint(6, 24), words="abcd"[: chance.randint(2, 4)])
    import_rows(empty, [(*row, f"j{chance.randrange(5)}") for row in rows], ("eng", "fra", "jpn"))
    assert_same_rows(empty, "eng", chance)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(8))
def test_limits(empty: Store, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Translations that many sentences share, and contexts that many have, are left out alike."""

    def limited(slots: Slots) -> SlotIndex:
        return index_slots(slots, max_fillers=3)

    monkeypatch.setattr(slot_index, "index_slots", limited)
    monkeypatch.setitem(PARAMETERS, "max_fillers", 3)
    monkeypatch.setattr(detection, "MAX_SHARING", 4)
    chance = random.Random(100 + number)
    import_rows(empty, random_rows(chance, 24))
    assert_same_rows(empty, "eng", chance, max_sharing=4)
    assert over_rows(empty, "eng", chance).paraphrases.keys() > over_rows(empty, "eng", chance, 4).paraphrases.keys()


@pytest.mark.parametrize("number", range(6))
def test_a_corpus_without_spaces(empty: Store, number: int) -> None:
    chance = random.Random(200 + number)
    rows: list[Row] = [
        ("".join(chance.choices("山川を見", k=chance.randint(1, 5))) + "。", f"t{chance.randrange(5)}")
        for _ in range(18)
    ]
    import_rows(empty, rows, ("jpn", "eng"))
    assert assert_same_rows(empty, "jpn", chance)


@pytest.mark.slow
@pytest.mark.data
def test_real_sentences(empty: Store) -> None:
    for language in ("fra", "jpn"):
        import_rows(empty, tatoeba(language, 1000, 800), ("eng", language))
    assert assert_same_rows(empty, "eng", random.Random(1)) > 20
