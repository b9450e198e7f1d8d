"""A collection removed: the database is as if it had never been imported, but for what people said."""

from __future__ import annotations

import json
import os
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from calls import Run
from corpora import import_file, new_store, random_rows, write_rows

from corpusdb.alignment.queries.corpus_alignment import align_languages
from corpusdb.alignment.queries.phrases import aligned_languages
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.checking import check
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.layers import DerivedTable, derived_layers
from corpusdb.chain.queries.overview import overview
from corpusdb.chain.queries.removing import remove_collection
from corpusdb.corpus.model import ACCEPTED
from corpusdb.corpus.store import Store, open_store
from corpusdb.people.queries.decisions import accept
from corpusdb.search.patterns import Pattern
from corpusdb.search.queries.conditions import Search
from corpusdb.search.queries.search import Searcher

ROWS = """
select collection.name, document.name, line, language, text from occurrence
join sentence on sentence.id = occurrence.sentence join document on document.id = occurrence.document
join collection on collection.id = document.collection order by 1, 2, 3, 4, 5
"""
TEXTS = "select language, text from sentence order by 1, 2"
PAIRS = """
select collection.name, one.text, other.text from translation join collection on collection.id = translation.collection
join sentence one on one.id = translation.sentence join sentence other on other.id = translation.translation
order by 1, 2, 3
"""
PARAPHRASES = """
select one.text, other.text, translations, probability from paraphrase
join sentence one on one.id = paraphrase.sentence join sentence other on other.id = paraphrase.paraphrase order by 1, 2
"""
CANDIDATES = """
select seed.text, candidate.text, frequency from candidate join seed on seed.id = candidate.seed order by 1, 2, 3
"""


def held(store: Store) -> list[list[tuple[object, ...]]]:
    return [store.connection.execute(query).fetchall() for query in (ROWS, TEXTS, PAIRS, PARAPHRASES, CANDIDATES)]


@pytest.mark.parametrize("order", ["acb", pytest.param("abc", marks=pytest.mark.slow)])
def test_nothing_is_left_of_it(tmp_path: Path, order: str) -> None:
    chance = Random(order)
    files = {name: write_rows(tmp_path / f"{name}.tsv", random_rows(chance, 16)) for name in ("a", "b", "c")}

    def made(folder: Path, names: str) -> list[list[tuple[object, ...]]]:
        folder.mkdir()
        with new_store(folder) as store:
            for name in names:
                import_file(store, files[name], ("eng", "fra"), name)
                if name == "b":
                    finished(generate(store, "eng"))
            if "c" in names:
                before = store.connection.execute("select count(*) from sentence").fetchone()[0]
                report = finished(remove_collection(store, "c"))
                assert report.sentences == before - len(held(store)[1]) > 0
                assert report.languages == ("eng",)
                assert [each.language for each in overview(store).variation] == ["eng"]
                assert check(store, full=True).problems == ()
            return held(store)

    expected = made(tmp_path / "without", "ab")
    assert made(tmp_path / "removed", order) == expected
    assert all(expected)


def test_what_was_accepted_stays_without_the_translations_that_are_gone(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        for name, rows in (("a", [("hi", "x"), ("hi", "y")]), ("b", [("hi", "y"), ("hello", "y"), ("cat", "z")])):
            import_file(store, write_rows(tmp_path / f"{name}.tsv", rows), ("eng", "fra"), name)
        finished(accept(store, "hi", "hey", "eng"))
        finished(remove_collection(store, "a"))
        assert check(store, full=True).problems == ()
        pairs = {row[1:] for row in store.connection.execute(PAIRS) if row[0] == ACCEPTED}
        assert pairs == {("hey", "y"), ("y", "hey")}
        finished(remove_collection(store, "b"))
        assert check(store, full=True).problems == ()
        assert store.connection.execute(TEXTS).fetchall() == [("eng", "hey")]


def test_what_was_accepted_by_mistake_is_taken_back(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("hi\tx\nhi\ty\nhello\ty\n", encoding="utf-8")
    assert run("import", "a.tsv", "--lang", "eng,fra", "--header", "no").exit_code == 0
    with open_store(tmp_path / "corpus.db") as store:
        before = held(store)
    assert run("session", "new", "work", "--lang", "eng", "--text", "hi", "-N", "0").exit_code == 0
    for text in ("hey", "hello", "hey there"):  # one of them is a sentence of the corpus
        assert run("session", "accept", "work", "--own", text).exit_code == 0
    applied = run("session", "apply", "work")
    assert "`corpusdb remove accepted --sentence TEXT`" in applied.stderr
    for text in ("hey", "hello"):
        assert run("remove", "accepted", "--sentence", text, "--no-follow").exit_code == 0
        assert run("check").exit_code == 0
    assert "'hey' is no sentence that was accepted" in run("remove", "accepted", "--sentence", "hey").stderr
    assert "exclude each other" in run("remove", "accepted", "--sentence", "hey", "--document", "work").stderr
    assert "1\n" in run("sql", "select count(*) from current_decision where applied is not null").stdout
    (left,) = json.loads(run("session", "list", "--json").stdout)
    assert (left["accepted"], left["to_apply"]) == (3, 2), "what was taken back is accepted, and not written"
    assert run("session", "apply", "work").exit_code == 0
    for text in ("hey", "hello", "hey there"):
        assert run("remove", "accepted", "--sentence", text).exit_code == 0
    assert run("check", "--full").exit_code == 0
    with open_store(tmp_path / "corpus.db") as store:
        assert [{*part} - {("accepted",)} for part in held(store)[1:3]] == [{*part} for part in before[1:3]]
    assert run("remove", "a", "--sentence", "hi").exit_code == 2


def test_nothing_is_left_of_a_language_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    derived = [table for layer in derived_layers() for table in layer.tables]
    with new_store(tmp_path) as store:
        import_file(store, write_rows(tmp_path / "a.tsv", random_rows(Random(1), 30)), ("eng", "fra"), "a")
        finished(generate(store, "eng"))
        finished(align_languages(store, "eng", "fra"))
        assert len(overview(store).variation) == 1
        # Of what goes as a whole nothing is counted to be taken away.
        monkeypatch.setattr("corpusdb.alignment.queries.removed_pairs.SentenceTokens", None)
        counts = {each.name: f"select count(*) from {each.name}" for each in (*derived, DerivedTable("layer"))}
        finished(remove_collection(store, "a"))
        assert overview(store).variation == ()
        left = {name: store.connection.execute(count).fetchone()[0] for name, count in counts.items()}
        assert left == dict.fromkeys(counts, 0)


def test_links_of_files_go_with_their_pairs(run: Run, tmp_path: Path) -> None:
    rows = {"a": ["hi there\tx u", "hi there\ty v"], "b": ["hi there\ty v", "yo man\tx u"]}
    for name, lines in rows.items():
        (tmp_path / f"{name}.tsv").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        assert run("import", f"{name}.tsv", "--lang", "eng,fra", "--header", "no").exit_code == 0
    texts = {"eng": ("hi there", "yo man"), "fra": ("x u", "x u"), "links": ("0-0 1-1", "0-1 1-0")}
    for name, told in texts.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in told), encoding="utf-8")
    call = ("align", "--lang", "eng,fra", "--links", "links", "--source", "eng", "--ref", "fra")
    assert run(*call).exit_code == 0
    assert run("remove", "a").exit_code == 0
    assert run("check", "--full").exit_code == 0
    left = run("sql", "select text from alignment join sentence on sentence.id = alignment.sentence").stdout
    assert left.splitlines()[1:] == ["yo man"]


@pytest.mark.slow
def test_languages_without_a_pair_are_aligned_no_longer(run: Run, tmp_path: Path) -> None:
    """What else was derived of a language is made again all the same; links of files have no model left."""
    for other in ("deu", "fra"):
        (tmp_path / f"{other}.tsv").write_text("hi there\tx u\nhi man\tx v\n", encoding="utf-8")
        assert run("import", f"{other}.tsv", "--lang", f"eng,{other}", "--header", "no").exit_code == 0
    assert run("align", "--lang", "eng,deu", "-o", "made").exit_code == 0
    call = ("align", "--lang", "eng,fra", "--links", "made", "--source", "made.eng", "--ref", "made.deu")
    assert run(*call).exit_code == run("generate", "--lang", "eng").exit_code == 0
    for name, left in (("fra", ["deu", "eng"]), ("deu", [])):
        assert run("remove", name).exit_code == run("check", "--full").exit_code == 0
        with open_store(tmp_path / "corpus.db") as store:
            assert aligned_languages(store) == left
            assert not store.connection.execute("select 1 from run where finished is null").fetchall()


@pytest.mark.slow
def test_what_the_collection_does_not_touch_stays_and_the_rest_can_wait(run: Run, tmp_path: Path) -> None:
    for number, (one, other) in enumerate((("eng", "fra"), ("fra", "jpn"), ("deu", "fra"))):
        rows = [(a, b.replace("x", f"z{number}")) for a, b in random_rows(Random(number), 24)]
        path = write_rows(tmp_path / f"{one}{other}.tsv", [row if one != "fra" else row[::-1] for row in rows])
        assert run("import", str(path), "--lang", f"{one},{other}", "--header", "no").exit_code == 0
        assert run("align", "--lang", f"{one},{other}").exit_code == 0
    for language in ("eng", "fra"):
        assert run("generate", "--lang", language).exit_code == 0

    def made() -> dict[tuple[str, str], int]:
        with open_store(tmp_path / "corpus.db") as store:
            found = store.connection.execute("select language, name, run from layer where name <> 'token'").fetchall()
            models = store.connection.execute("select source_language, target_language, run from alignment_model")
            return {(one, name): number for one, name, number in [*found, *models]}

    before = made()
    assert run("remove", "deufra").exit_code == 0
    after = made()
    assert run("check", "--full").exit_code == 0
    assert {key for key in before if after.get(key) == before[key]} >= {
        *(("eng", layer) for layer in ("paraphrase", "candidate", "validity", "alignment")),
        *(("eng", "fra"), ("fra", "jpn")),
    }
    assert before[("fra", "candidate")] != after[("fra", "candidate")]
    assert "`corpusdb generate --lang fra` brings it up to date" in run("remove", "frajpn", "--no-follow").stderr
    assert run("check", "--full").exit_code == run("generate", "--lang", "fra").exit_code == 0
    assert run("check", "--full").exit_code == 0


def test_who_searches_meanwhile_finds_what_is_there_now(tmp_path: Path) -> None:
    """Another collection has as many sentences, and the numbers of those that were removed."""
    with new_store(tmp_path) as store, open_store(store.path, read_only=True) as reader:
        live = Searcher(reader)

        def found(searcher: Searcher) -> list[str]:
            hits = [searcher.find(Search("eng", each)) for each in (None, Pattern('"cat"', "cqp"), Pattern("cat"))]
            return [each.text(place) for each in hits for place in range(len(each))]

        for name, text in (("a", "a cat"), ("b", "one cat"), ("c", "cat two")):
            import_file(store, write_rows(tmp_path / f"{name}.tsv", [(text, "x")]), ("eng", "fra"), name)
            if name == "b":
                assert found(live) == ["a cat", "one cat"] * 3
                finished(remove_collection(store, "b"))
        assert found(live) == found(Searcher(reader)) == ["a cat", "cat two"] * 3
        finished(generate(store, "eng"))
        for name, text in (("d", "its cat"), ("e", "cats cat")):  # while one removal is not done with
            list(islice(remove_collection(store, "c" if name == "d" else "d"), 2))
            assert found(live) == ["a cat"] * 3
            import_file(store, write_rows(tmp_path / f"{name}.tsv", [(text, "x")]), ("eng", "fra"), name)
            assert found(live) == ["a cat", text] * 3


VERT = """\
<text id="{0}">
<s>
The	AT0
dogs	NN2
read	{1}
</s>
<s>
Only	AV0
{0}	NP0
</s>
</text>
"""


def test_corrected_annotations_are_imported_anew(run: Run, tmp_path: Path) -> None:
    def tags() -> list[str]:
        listed = run("frequencies", "--lang", "eng", "--attribute", "tag", "--json").stdout
        return sorted(row["text"] for row in json.loads(listed)["rows"])

    (tmp_path / "plain.txt").write_text("The dogs read\n", encoding="utf-8")
    assert run("import", "plain.txt", "--lang", "eng").exit_code == 0
    for name, tag in (("old", "VVD"), ("new", "VVB")):
        (tmp_path / f"{name}.vert").write_text(VERT.format(name, tag), encoding="utf-8")
        call = ("import", f"{name}.vert", "--lang", "eng", "--attributes", "word,tag")
        imported = run(*call)
        assert imported.exit_code == 0
    assert "`corpusdb annotate --replace --file FILE --lang LANG` puts that of a file" in imported.stderr
    assert tags() == ["AT0", "AV0", "NN2", "NP0", "VVD"]
    assert run("remove", "old").exit_code == run("remove", "new").exit_code == 0
    assert run("search", "", "--lang", "eng").stdout.splitlines()[1:] == ["1\teng\tThe dogs read"]
    assert run(*call).exit_code == 0
    assert tags() == ["AT0", "AV0", "NN2", "NP0", "VVB"]
    assert run("remove", "new").exit_code == 0
    for number, annotated in enumerate(("old", "new")):
        joins = ("annotate", "--file", f"{annotated}.vert", *call[2:], *["--replace"] * number)
        assert run(*joins).exit_code == 0
    assert "VVB" in tags()
    (tmp_path / "more.txt").write_text("The dogs read\n", encoding="utf-8")
    for words in (("import", "more.txt", "--lang", "eng"), ("remove", "plain")):
        assert run(*words).exit_code == 0
        assert "VVB" in tags()
    assert run("check", "--full").exit_code == 0


@pytest.mark.parametrize("earlier", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_corrected_file_is_as_if_it_had_been_right_at_once(tmp_path: Path, run: Run, earlier: bool) -> None:
    """Pairs and sentences that another file of the collection has too stay."""
    rows = [("save the King", "x"), ("a cat", "y"), ("a dog", "z"), ("one", "u"), ("two", "u")]
    mended = [("save the Queen", "x"), ("a cat", "y"), ("a dog", "y"), ("one", "u"), ("two", "u")]
    calls = [("save.tsv", mended), ("other.tsv", [("a dog", "z"), ("a bird", "y")])]

    def made(
        folder: Path, files: list[tuple[str, list[tuple[str, str]]]], *more: str
    ) -> list[list[tuple[object, ...]]]:
        folder.mkdir()
        call = ("--lang", "eng,fra", "--name", "c", "--header", "no")
        for name, lines in files:
            (folder / name).write_text("".join("\t".join(line) + "\n" for line in lines), encoding="utf-8")
            answer = run("--db", f"{folder}/corpus.db", "import", str(folder / name), *call, *more)
            assert answer.exit_code == 0, answer.stderr
            assert run("--db", f"{folder}/corpus.db", "generate", "--lang", "eng").exit_code == 0
        with open_store(folder / "corpus.db") as store:
            assert check(store, full=True).problems == ()
            return [sorted(part) for part in held(store)]

    expected = made(tmp_path / "right", calls)
    assert made(tmp_path / "mended", [("save.tsv", rows), *calls[::-1]], "--replace") == expected
    if earlier:
        beside = made(tmp_path / "beside", [("save.tsv", rows), *calls])
        assert len(beside[1]) == len(expected[1]) + 1
        left = run("--db", f"{tmp_path}/beside/corpus.db", "remove", "c", "--document", "other.tsv", "--json")
        assert json.loads(left.stdout)["translations"] == 1


def test_who_imports_other_contents_of_a_file_is_told(run: Run, tmp_path: Path) -> None:
    call = ("import", "my.tsv", "--lang", "eng,fra", "--header", "no", "--licence", "CC0")
    answers = []
    for text, more in (("save the King", ()), ("save the Queen", ()), ("save the Queen", ("--replace",))):
        (tmp_path / "my.tsv").write_text(f"{text}\tx\na cat\ty\n", encoding="utf-8")
        answers.append(run(*call, *more))
    assert ["--replace" in each.stderr for each in answers] == [False, True, False]
    assert "replaced my.tsv: 1 sentence removed" in answers[2].stderr
    found = run("search", "save", "--lang", "eng").stdout.splitlines()
    assert [line.split("\t")[-1] for line in found[1:]] == ["save the Queen"]
    other = run(*call[:-1], "CC BY-NC")  # of what was imported before, too
    assert (other.exit_code, "`corpusdb licence my 'CC BY-NC'`" in other.stderr) == (3, True)
    assert json.loads(run("licence", "my", "CC BY-NC", "--json").stdout)["formerly"] == "CC0"
    assert run(*call[:-1], "CC BY-NC").exit_code == 0 and "CC BY-NC" in run("info").stdout
    assert "there are my.tsv" in run("remove", "my", "--document", "other.tsv").stderr
    assert run("remove", "my", "--document", "my.tsv").exit_code == run("check", "--full").exit_code == 0
    assert "there are none" in run("remove", "my").stderr


def test_what_is_sent_through_pipes_of_one_number_replaces_nothing(run: Run) -> None:
    """A shell gives each <(...) the number that is free, so that other contents have the same."""
    for text in ("I go.\tJe vais.", "We go.\tNous allons."):
        reading, writing = os.pipe()
        os.write(writing, f"{text}\n".encode())
        os.close(writing)
        run("import", f"/dev/fd/{reading}", "--lang", "eng,fra", "--header", "no", "--replace")
        os.close(reading)
    found = run("search", "go", "--lang", "eng", "--collection", "stdin", "--json").stdout
    assert {each["text"] for each in json.loads(found)["hits"]} == {"I go.", "We go."}


def test_what_people_made_of_it(run: Run, tmp_path: Path) -> None:
    for name, texts in (("a", ("a cat", "a dog")), ("b", ("a cat", "a bird"))):
        (tmp_path / f"{name}.tsv").write_text("".join(f"{text}\tfr {text}\n" for text in texts), encoding="utf-8")
        assert run("import", f"{name}.tsv", "--lang", "eng,fra", "--header", "no").exit_code == 0
    for name, asked in (("all", ()), ("bird", ()), ("inside", ("--collection", "b"))):
        run("search", name if name == "bird" else "a", "--lang", "eng", *asked)
        assert run("results", "keep", name).exit_code == 0
    assert "there is no collection 'c'; there are a, b" in run("remove", "c").stderr
    run("search", "bird", "--lang", "eng", "--kwic")
    (tmp_path / "kept.db").write_bytes((tmp_path / "corpus.db").read_bytes())
    assert run("categories", "set", "kinds", "x").exit_code == 0
    refused = run("remove", "b")
    assert (refused.exit_code, "in kinds: `corpusdb categories clear SET QUERY` takes" in refused.stderr) == (3, True)
    assert run("check").exit_code == 0 and "inside" in run("results", "list").stdout
    cleared = (run("categories", "clear", "kinds"), run("remove", "b"), run("check", "--full"))
    assert [each.exit_code for each in cleared] == [0, 0, 0]
    assert "no set of categories 'kinds'" in run("categories", "undo", "kinds").stderr
    removed = run("--db", "kept.db", "remove", "b", "--json")
    assert json.loads(removed.stdout)["results"] == ["all", "bird", "inside"]
    assert run("--db", "kept.db", "results", "list").stdout.splitlines()[1:] == [
        "all\teng\t2\tquery\tcorpusdb search --lang eng a"
    ]
    assert run("--db", "kept.db", "check", "--full").exit_code == 0
