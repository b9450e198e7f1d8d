"""Links of other aligners: they come in, are counted and go out again, also by the command."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from calls import Prepare, Run
from corpora import Row, aligned_rows, drawn_pairs, import_rows, new_store
from hypothesis import given
from hypothesis import strategies as st
from interrupted import run, run_with_kills

from corpusdb.alignment.links import Link, pharaoh_line
from corpusdb.alignment.queries import link_files
from corpusdb.alignment.queries import phrase_places as phrase_places_module
from corpusdb.alignment.queries.corpus_alignment import align_languages
from corpusdb.alignment.queries.equivalents import equivalents_of
from corpusdb.alignment.queries.link_files import (
    LinkFile,
    LinkImportReport,
    TokenisedFiles,
    import_links,
    linked_texts,
    read_link_file,
)
from corpusdb.alignment.queries.pairs import linked_sentence, links_between, ready_model
from corpusdb.alignment.queries.phrase_places import AlignedPhrase, phrase_places, translations_of
from corpusdb.base.errors import DatabaseDamaged, InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.checking import check
from corpusdb.chain.queries.importing import update_layers
from corpusdb.chain.queries.overview import overview
from corpusdb.chain.queries.repair import repair
from corpusdb.corpus.model import Input
from corpusdb.corpus.store import Store, open_store
from corpusdb.program.replay_queries import database_inputs
from corpusdb.search.queries.search import Searcher
from corpusdb.search.token_corpus import token_spans, tokenise

# Links of other aligners in the corpus: they come in, are counted, go out again, and are never made up.


PAIRS = [("The dog sleeps.", "Le chien dort."), ("A cat sleeps.", "Un chat dort."), ("the dog", "le chien")]


@pytest.fixture
def small_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_files, "_PAIRS_AT_ONCE", 40)


def given_links(rows: Sequence[Row], links: Sequence[Sequence[Link]]) -> LinkFile:
    texts = TokenisedFiles([tokenise(row[0]) for row in rows], [tokenise(row[1]) for row in rows])
    return LinkFile("by.hand", "0" * 64, texts, links)


def drawn_links(chance: random.Random, rows: Sequence[Row]) -> list[list[Link]]:
    """Any links at all, in any order."""
    found = []
    for own, theirs in rows:
        places = [(one, other) for one in range(len(tokenise(own))) for other in range(len(tokenise(theirs)))]
        found.append(chance.sample(places, min(len(places), chance.randrange(6))))
    return found


def stored(store: Store, one: str = "eng", other: str = "fra") -> dict[tuple[str, ...], list[Link]]:
    return {(*each.source, "|", *each.target): list(each.links) for each in linked_texts(store, one, other)}


def written(folder: Path, given: LinkFile, name: str = "links") -> tuple[Path, Path, Path]:
    """The file and its texts, a space between two tokens."""
    paths = folder / name, folder / f"{name}.eng", folder / f"{name}.fra"
    sides = ((" ".join(tokens) for tokens in side) for side in (given.texts.source, given.texts.target))
    for path, lines in zip(paths, (map(pharaoh_line, given.links), *sides), strict=True):
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return paths


def alignments(store: Store) -> list[Input]:
    """What a document says that it was made from, as far as words are linked."""
    return [each for each in database_inputs(store) if each.kind == "alignment"]


@pytest.mark.usefixtures("small_transactions")
@pytest.mark.parametrize("number", range(3))
def test_links_are_stored_as_they_are_given_and_come_out_again(tmp_path: Path, number: int) -> None:
    chance = random.Random(number)
    rows = [*dict.fromkeys(drawn_pairs(chance, 150))]
    links = drawn_links(chance, rows)
    with new_store(tmp_path) as store:
        import_rows(store, rows)
        report = finished(import_links(store, "eng", "fra", given_links(rows, links)))
        assert (report.read, report.pairs, report.unknown, report.other_tokens) == (len(rows), len(rows), 0, 0)
        assert report.links == sum(map(len, links)) and report.without_links == report.repeated == 0
        wanted = {
            (*tokenise(own), "|", *tokenise(theirs)): sorted(each)
            for (own, theirs), each in zip(rows, links, strict=True)
        }
        assert stored(store) == wanted
        assert check(store, full=True).problems == ()
        before, made_from = aligned_rows(store), alignments(store)
        assert [each.name for each in made_from] == ["of eng and fra"]
        turned = [[(other, one) for one, other in each] for each in links]
        back = given_links([(theirs, own) for own, theirs in rows], turned)
        finished(import_links(store, "fra", "eng", replace(back, digest="1" * 64)))
        assert aligned_rows(store) == before
        assert alignments(store) != made_from != []
        assert list(stored(store, "fra", "eng").values()) == [
            sorted((other, one) for one, other in each) for each in stored(store).values()
        ]


@pytest.mark.slow
@pytest.mark.usefixtures("small_transactions")
@given(st.randoms(use_true_random=False))
def test_phrases_are_those_that_the_same_links_give_however_they_came(chance: random.Random) -> None:
    """Against our own links: written out and taken in they give the same counts and examples."""
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with new_store(folder) as store:
            import_rows(store, drawn_pairs(chance, 40))
            finished(align_languages(store, "eng", "fra"))
            before = aligned_rows(store)
            every = list(linked_texts(store, "eng", "fra"))
            texts = TokenisedFiles([each.source for each in every], [each.target for each in every])
            given = LinkFile("out", "2" * 64, texts, [each.links for each in every])
            links, source, ref = written(folder, given)
            finished(import_links(store, "eng", "fra", read_link_file(links, source, ref, "none")))
            after = aligned_rows(store)
            assert {**after, "model": 0} == {**before, "model": 0}


def test_counts_of_translations_do_not_hang_on_how_many_are_shown(tmp_path: Path) -> None:
    """A translation with a hyphen lets all be counted where they stand; then date of date's is no place of it."""
    rows = [("my date", "mon jour"), ("the date", "le jour"), ("a date", "un rendez-vous"), ("date's", "jour")]
    links = [[(0, 0), (1, 1)]] * 3 + [[(0, 0)]]
    with new_store(tmp_path) as store:
        import_rows(store, rows)
        finished(import_links(store, "eng", "fra", given_links(rows, links)))
        every = translations_of(store, "eng", "date", "fra")
        assert [(each.text, each.count) for each in every.members] == [("jour", 2), ("rendez-vous", 1)]
        first = translations_of(store, "eng", "date", "fra", limit=1)
        assert first == replace(every, members=every.members[:1])
        often = translations_of(store, "eng", "date", "fra", min_count=2)
        assert often == replace(first, total=1)


def test_a_word_that_mostly_stands_in_longer_phrases_has_them_as_translations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """until is linked with jusqu', of jusqu'à; no phrase ends in it, so that only avant was counted."""
    french = ["jusqu'à midi", "oui jusqu'à midi", "jusqu'à ce soir", "avant midi"]
    rows = [(f"until {number}", text) for number, text in enumerate(french)]
    links = [[(0, 1 if text[0] == "o" else 0)] for text in french]
    with new_store(tmp_path) as store:
        import_rows(store, rows)
        finished(import_links(store, "eng", "fra", given_links(rows, links)))
        found = translations_of(store, "eng", "until", "fra")
        assert [(each.text, each.count, each.share) for each in found.members] == [
            ("jusqu'à", 3, 0.75), ("avant", 1, 0.25)
        ]  # fmt: skip
        for each in found.members:
            asked = AlignedPhrase("eng", "until", "fra", each.text)
            assert phrase_places(Searcher(store), asked).places == each.count
        monkeypatch.setattr(phrase_places_module, "_MOST_LOOKED_AT", 3)
        counted = translations_of(store, "eng", "until", "fra")
        assert [(each.text, each.count) for each in counted.members] == [("avant", 1)]
        assert (counted.occurrences, counted.unpaired) == (4, 3)


def test_a_noun_behind_an_elided_article_is_the_noun(tmp_path: Path) -> None:
    """Four fifths of school in Tatoeba stood in l'école, and were no école: nothing was equivalent through it."""
    french = ["l'école", "d'école", "l’école", "mon école"]
    rows = [(f"school {number}", text) for number, text in enumerate(french)]
    links = [[(0, 1)] for _ in french]
    with new_store(tmp_path) as store:
        import_rows(store, rows)
        finished(import_links(store, "eng", "fra", given_links(rows, links)))
        for word, other in (("school", "école"), ("école", "school")):
            language, theirs = ("eng", "fra") if word == "school" else ("fra", "eng")
            found = translations_of(store, language, word, theirs)
            assert [(each.text, each.count, each.share) for each in found.members] == [(other, 4, 1.0)]
            asked = AlignedPhrase(language, word, theirs, other)
            assert phrase_places(Searcher(store), asked).places == 4
        assert not translations_of(store, "fra", "l'", "eng").members, "which is no word without its host"


@pytest.mark.usefixtures("small_transactions")
def test_what_the_corpus_has_not_is_counted_and_not_stored(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        import_rows(store, [*PAIRS, ("I don't", "non")])
        given = given_links(
            [*PAIRS[:2], PAIRS[1], ("A dog", "Un chien"), ("The dog sleeps.", "Un chat dort.")],
            [[(0, 0)], [(1, 1)], [(2, 2)], [], []],
        )
        own, theirs = [*given.texts.source, ["I", "don't"]], [*given.texts.target, ["non"]]
        given = replace(given, texts=TokenisedFiles(own, theirs), links=[*given.links, [(1, 0)]])
        report = finished(import_links(store, "eng", "fra", given))
        assert (report.read, report.pairs, report.links) == (6, 2, 2)
        assert (report.unknown, report.other_tokens, report.repeated, report.without_links) == (2, 1, 1, 2)
        assert report.unlinked_source == report.unlinked_target == 6
        assert sorted(stored(store).values()) == [[(0, 0)], [(1, 1)]]


@pytest.mark.usefixtures("small_transactions")
def test_texts_in_lower_case_are_known_but_those_as_they_are_come_first(tmp_path: Path) -> None:
    rows = [("The dog", "Le chien"), ("the dog", "le chien"), ("A CAT", "un chat")]
    with new_store(tmp_path) as store:
        import_rows(store, rows)
        lower = [tuple(text.lower() for text in row) for row in rows]
        report = finished(import_links(store, "eng", "fra", given_links(lower, [[(0, 0)], [(1, 1)], [(0, 1)]])))
        assert (report.pairs, report.unknown, report.other_tokens, report.repeated) == (3, 0, 0, 1)
        assert list(stored(store).values()) == [[(0, 0)], [(0, 0)], [(0, 1)]]
        again = replace(given_links([lower[0], *rows], [[(1, 0)], [(0, 0)], [(1, 1)], []]), digest="1" * 64)
        report = finished(import_links(store, "eng", "fra", again))
        assert (report.pairs, report.repeated) == (3, 1)
        assert list(stored(store).values()) == [[(0, 0)], [(1, 0)], []]


def test_links_are_not_taken_in_where_programs_differ_in_what_a_token_is(tmp_path: Path) -> None:
    """By fast_align 10\u00a0000 is one word, by awesome-align two: one word is linked with the word beside it."""
    rows = [("10 000 francs now", "10\u00a0000 francs maintenant"), ("ten francs", "dix francs")]
    with new_store(tmp_path) as store:
        import_rows(store, rows)
        names = [tmp_path / name for name in ("eng", "fra", "links")]
        for path, lines in zip(names, [*zip(*rows, strict=True), ("0-0 1-0 2-1 3-2", "0-0 1-1")], strict=True):
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        given = read_link_file(names[2], names[0], names[1], "none")
        report = finished(import_links(store, "eng", "fra", given))
        assert (report.pairs, report.links, report.unknown, report.other_tokens) == (1, 2, 0, 1)


@pytest.mark.usefixtures("small_transactions")
def test_where_nothing_fits_nothing_is_stored(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        import_rows(store, PAIRS)
        finished(align_languages(store, "eng", "fra"))
        before, runs = aligned_rows(store), store.connection.execute("select * from run").fetchall()
        with pytest.raises(InputError, match="of 1 pairs of texts the corpus has none in eng and fra"):
            finished(import_links(store, "eng", "fra", given_links([("A", "B")], [[]])))
        texts = TokenisedFiles([["the", "do", "g"]], [["le", "chien"]])
        with pytest.raises(InputError, match=r"none in eng and fra with these tokens, and 1 with others; .*-o FILE"):
            finished(import_links(store, "eng", "fra", LinkFile("x", "", texts, [[]])))
        with pytest.raises(UsageError, match="not of eng with itself"):
            finished(import_links(store, "eng", "eng", given_links(PAIRS, [[], [], []])))
        assert (aligned_rows(store), store.connection.execute("select * from run").fetchall()) == (before, runs)


def linked(folder: Path) -> Store:
    store = new_store(folder)
    import_rows(store, PAIRS)
    links: list[list[Link]] = [[(0, 0), (1, 1), (2, 2)], [(1, 1), (2, 2)], [(1, 1)]]
    finished(import_links(store, "eng", "fra", given_links(PAIRS, links)))
    return store


@pytest.mark.usefixtures("small_transactions")
def test_new_pairs_have_no_links_until_a_model_is_trained(tmp_path: Path) -> None:
    with linked(tmp_path) as store:
        before = aligned_rows(store)
        import_rows(store, [("The zebra sleeps.", "Le zèbre dort.")])
        finished(update_layers(store))
        assert aligned_rows(store) == before
        report = finished(align_languages(store, "eng", "fra"))
        assert (report.trained, report.pairs, report.aligned, report.without_links) == (0, 0, 3, 1)
        (told,) = overview(store).alignments
        assert (told.source, told.target, told.links_from, told.pairs, told.without_links) == (
            "eng",
            "fra",
            "by.hand",
            3,
            1,
        )
        assert [layer.state for each in overview(store).languages for layer in each.layers] == ["up to date"] * 2
        assert check(store, full=True).problems == ()
        assert translations_of(store, "eng", "zebra", "fra").occurrences == 0
        again = finished(align_languages(store, "eng", "fra", retrain=True))
        assert (again.trained, again.aligned, again.without_links) == (4, 4, 0)
        (told,) = overview(store).alignments
        assert (told.links_from, told.pairs, told.without_links) == ("trained", 4, 0)
        model = ready_model(store, "eng", "fra")
        assert model is not None and not model.is_imported


@pytest.mark.usefixtures("small_transactions")
def test_translations_and_equivalents_are_those_of_the_links(tmp_path: Path) -> None:
    with linked(tmp_path) as store:
        found = translations_of(store, "eng", "dog", "fra")
        assert [(each.text, each.count) for each in found.members] == [("chien", 2)]
        assert translations_of(store, "eng", "a", "fra").unlinked == 1
        assert equivalents_of(store, "eng", "dog").members == ()


@pytest.mark.usefixtures("small_transactions")
@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("update alignment set tokens_digest = x'0102030405060708'", "those of other tokens"),
        ("update alignment set links = x'01c8c8'", "leads outside of texts"),
    ],
)
def test_imported_links_that_cannot_be_used_are_told_and_kept(tmp_path: Path, damage: str, told: str) -> None:
    with linked(tmp_path) as store:
        with store.unchecked_references(), store.write() as connection:
            connection.execute(f"{damage} where sentence = 1")
        (problem,) = check(store).problems
        assert told in problem
        with pytest.raises(DatabaseDamaged, match=told):
            list(linked_texts(store, "eng", "fra"))
        report = finished(repair(store))
        assert not report.ok and told in report.left[0]
        links: list[list[Link]] = [[(0, 0)], [(1, 1)], [(1, 1)]]
        finished(import_links(store, "eng", "fra", given_links(PAIRS, links)))
        assert check(store, full=True).problems == ()


@pytest.mark.usefixtures("small_transactions")
def test_a_repair_keeps_what_was_given_and_counts_again(tmp_path: Path) -> None:
    with linked(tmp_path) as store:
        import_rows(store, [("die Katze", "the cat"), ("der Hund", "the dog")], ("deu", "eng"))
        finished(align_languages(store, "eng", "deu"))
        before = aligned_rows(store)
        with store.unchecked_references(), store.write() as connection:
            connection.execute("update phrase_count set paired = paired + 1")
        assert not check(store).ok
        assert finished(repair(store)).ok
        assert aligned_rows(store) == before
        model = ready_model(store, "eng", "fra")
        assert model is not None and model.is_imported


@pytest.mark.slow
@pytest.mark.usefixtures("small_transactions")
@pytest.mark.parametrize("number", range(3))
def test_killed_and_run_again_it_gives_the_same(tmp_path: Path, number: int) -> None:
    chance = random.Random(number)
    rows = drawn_pairs(chance, 200)
    with new_store(tmp_path) as store:
        import_rows(store, rows)
        path = store.path
    whole = Path(shutil.copy(path, path.with_name("whole.db")))
    given = given_links(rows, drawn_links(chance, rows))
    for name in ("corpus.links", "whole.links"):
        written(tmp_path, given, name)
    steps = run("import links", whole)
    assert steps is not None
    run_with_kills("import links", path, 4, steps, chance)
    with open_store(path) as store, open_store(whole) as undisturbed:
        assert aligned_rows(store) == aligned_rows(undisturbed)
        assert check(store, full=True).problems == ()


@pytest.mark.slow
@pytest.mark.usefixtures("small_transactions")
def test_stopped_between_any_two_steps_it_goes_on(tmp_path: Path) -> None:
    chance = random.Random(9)
    rows = [*dict.fromkeys(drawn_pairs(chance, 130))]
    given = given_links(rows, drawn_links(chance, rows))
    with new_store(tmp_path, "whole") as store:
        import_rows(store, rows)
        wanted = finished(import_links(store, "eng", "fra", given))
        whole = aligned_rows(store)
    with new_store(tmp_path, "stopped") as store:
        import_rows(store, rows)
        finished(align_languages(store, "eng", "fra"))
        report = None
        for most in range(1, 40):
            job = import_links(store, "eng", "fra", given)
            try:
                for _ in range(most):
                    next(job)
                job.close()
            except StopIteration as end:
                report = end.value
                break
        assert isinstance(report, LinkImportReport)
        assert replace(report, seconds=0) == replace(wanted, seconds=0)
        assert aligned_rows(store) == whole


@pytest.mark.usefixtures("small_transactions")
def test_the_links_of_a_pair_are_shown_like_others(tmp_path: Path) -> None:
    with linked(tmp_path) as store:
        found = links_between(store, 1, 2)
        assert found is not None and found.links == ((0, 0), (1, 1), (2, 2))


@pytest.mark.usefixtures("small_transactions")
@pytest.mark.parametrize("number", range(3))
def test_a_sentence_knows_what_each_word_is_aligned_with_in_every_translation(tmp_path: Path, number: int) -> None:
    """Against the links as they were given, for both sides of every pair."""
    chance = random.Random(number)
    rows = [*dict.fromkeys(drawn_pairs(chance, 80))]
    links = drawn_links(chance, rows)
    given = dict(zip(rows, links, strict=True))
    with new_store(tmp_path) as store:
        import_rows(store, rows)
        import_rows(store, [(own, theirs.upper()) for own, theirs in rows[:20]], ("eng", "deu"))
        finished(import_links(store, "eng", "fra", given_links(rows, links)))
        seen = 0
        for sentence, language in store.connection.execute("select id, language from sentence").fetchall():
            found = linked_sentence(store, sentence)
            assert (found.sentence, found.language) == (sentence, language)
            spans = token_spans(found.text)
            words = [span for span in spans if any(map(str.isalnum, found.text[slice(*span)]))]
            assert list(found.words) == words
            for each in found.translations:
                if "deu" in (language, each.language):
                    assert each.pair is None and each.aligned_with(words[0]) is None
                    assert each.reason == "no links are stored; `corpusdb align --lang deu,eng` makes them"
                    continue
                is_source = language == "eng"
                pair = given[(found.text, each.text) if is_source else (each.text, found.text)]
                ends = token_spans(each.text)
                for span in words:
                    place = spans.index(span)
                    wanted = {link[is_source] for link in pair if link[not is_source] == place}
                    assert each.aligned_with(span) == tuple(ends[other] for other in sorted(wanted))
                    seen += len(wanted)
        assert seen > 100
        with pytest.raises(InputError, match="there is no sentence 99999"):
            linked_sentence(store, 99_999)


ROWS = "The dog sleeps.\tLe chien dort.\nA cat, a dog.\tUn chat, un chien.\nwell\tbien\n"
ENGLISH = "The dog sleeps .\nA cat , a dog .\nwell\n"
FRENCH = "Le chien dort .\nUn chat , un chien .\nbien\n"
LINKS = "0-0 1-1 2-2 3-3\n4-4 0-0 1-1\n\n"
ALIGN = ("align", "--lang", "eng,fra")
GIVEN = (*ALIGN, "--links", "links", "--source", "links.eng", "--ref", "links.fra")


@pytest.fixture
def corpus(run: Run, prepare: Prepare) -> Run:
    def fill() -> None:
        for name, content in (("rows.tsv", ROWS), ("links", LINKS), ("links.eng", ENGLISH), ("links.fra", FRENCH)):
            Path(name).write_text(content, encoding="utf-8")
        result = run("import", "rows.tsv", "--lang", "eng,fra", "--header", "no")
        assert result.exit_code == 0, result.stderr

    prepare("links", fill)
    return run


def test_links_go_in_and_come_out_with_their_texts(corpus: Run, tmp_path: Path) -> None:
    report = json.loads(corpus(*GIVEN, "--json").stdout)
    assert report.pop("seconds") >= 0
    assert report == {
        "source": "eng",
        "target": "fra",
        "read": 3,
        "pairs": 3,
        "links": 7,
        "unlinked_source": 4,
        "unlinked_target": 4,
        "unknown": 0,
        "other_tokens": 0,
        "repeated": 0,
        "without_links": 0,
        "phrase_pairs": 9,
    }
    result = corpus(*ALIGN, "-o", "out", "--tokens", "out.tok")
    assert result.exit_code == 0 and "pairs aligned in all\t3\n" in result.stdout
    assert (tmp_path / "out").read_text() == "0-0 1-1 2-2 3-3\n0-0 1-1 4-4\n\n"
    assert (tmp_path / "out.eng").read_text() == ENGLISH
    assert (tmp_path / "out.fra").read_text() == FRENCH
    lines = zip(ENGLISH.splitlines(), FRENCH.splitlines(), strict=True)
    assert (tmp_path / "out.tok").read_text() == "".join(f"{own} ||| {theirs}\n" for own, theirs in lines)
    turned = corpus("align", "--lang", "fra,eng", "-o", "-", "--quiet")
    assert turned.stdout == "0-0 1-1 2-2 3-3\n0-0 1-1 4-4\n\n"
    assert "eng,fra\tlinks\t3\t0\n" in corpus("info").stdout
    assert "[dog]" in corpus("translations", "dog", "--with", "fra").stdout


def test_texts_that_are_no_tokens_yet_are_cut_when_it_is_asked_for(corpus: Run, tmp_path: Path) -> None:
    (tmp_path / "links.eng").write_text("The dog sleeps.\nA cat, a dog.\nwell\n")
    told = json.loads(corpus(*GIVEN, "--tokenise", "units,none", "--json").stdout)
    assert (told["pairs"], told["other_tokens"]) == (3, 0)
    (tmp_path / "links").write_text("0-0\n1-1\n0-0\n")
    report = corpus(*GIVEN)
    assert report.exit_code == 0
    assert "pairs with links\t1\n" in report.stdout and "cut into other tokens\t2\n" in report.stdout


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("links", "0-0\n4-6\n\n", "links:2: link 4-6: the target text has 6 words"),
        ("links", "0-0\n6-4\n\n", "links:2: link 6-4: the source text has 6 words"),
        ("links", "0-0\n0-0 0-0\n\n", "links:2: link 0-0 appears twice"),
        ("links", "0-0\n0:0\n\n", "links:2: '0:0' is not a link"),
        ("links", "0-0\n0?0\n\n", "links:2: '0?0' is not a link"),
        ("links", "0-0\n1-1\n", "links: ends after 2 lines; there are 3 pairs of texts"),
        ("links", "0-0\n1-1\n\n0-0\n", "links:4: has more lines than the 3 pairs of texts"),
        ("links", "", "links: the file is empty"),
        ("links.eng", ENGLISH.replace("well", " "), "links.eng:3: the line is blank"),
        ("links.fra", FRENCH.replace("bien", ""), "links.fra:3: the line is blank"),
        ("links.fra", FRENCH + "encore\n", "links.fra:4: has no counterpart"),
        ("links.eng", "Other\n" * 3, "links:1: link 1-1: the source text has 1 words"),
        ("links.eng", "Other texts are here .\n" * 3, "links: of 3 pairs of texts the corpus has none in eng and fra"),
        ("links.eng", ENGLISH.replace(" ", ""), "links:1: link 1-1: the source text has 1 words"),
        ("links.eng", "w " * 70_000 + "\nb\nc\n", "links.eng:1: the line has over 65,536 tokens"),
    ],
)
def test_bad_files_are_one_line_and_nothing_is_stored(
    corpus: Run, tmp_path: Path, name: str, content: str, told: str
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    result = corpus(*GIVEN, "--quiet")
    assert (result.exit_code, result.stdout) == (3, "")
    assert told in result.stderr and len(result.stderr.splitlines()) == 1
    rows = corpus("sql", "select (select count(*) from alignment), (select count(*) from alignment_model)")
    assert rows.stdout.splitlines()[1] == "0\t0"
    assert "align" not in corpus("info").stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((*ALIGN, "--links", "links"), "--links needs --lang A,B and the texts"),
        (("align", "--links", "links", "--source", "links.eng", "--ref", "links.fra"), "--links needs --lang A,B"),
        ((*GIVEN, "--retrain"), "--retrain does not go with --links"),
        ((*GIVEN, "-o", "out"), "--output does not go with --links"),
        ((*GIVEN, "--gold", "links"), "--gold does not go with --links"),
        ((*GIVEN, "--method", "union"), "--method does not go with --links"),
        ((*ALIGN, "--links", "-", "--source", "-", "--ref", "links.fra"), "standard input (-) is given twice"),
        ((*ALIGN, "--links", "-", "--source", "links.eng", "--ref", "-"), "standard input (-) is given twice"),
        (("align", "--lang", "eng", "--links", "links", *GIVEN[5:]), "--lang takes two languages"),
        ((*ALIGN, "--tokens", "out"), "--tokens needs --output"),
        ((*ALIGN, "-o", "out", "--tokens", "out"), "different files"),
        ((*ALIGN, "-o", "out", "--tokens", "-"), "different files"),
        ((*ALIGN, "-o", "-", "--json"), "--json prints a report to stdout"),
        ((*ALIGN, "--tokenise", "none"), "--tokenise is for files"),
        ((*ALIGN, "-o", "links"), "links"),
    ],
)
def test_wrong_calls_are_usage_errors(corpus: Run, tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    result = corpus(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr and len(result.stderr.splitlines()) == 1
    assert (tmp_path / "links").read_text() == LINKS and not (tmp_path / "out").exists()


def test_the_links_alone_may_come_from_standard_input(corpus: Run) -> None:
    result = corpus(*ALIGN, "--links", "-", "--source", "links.eng", "--ref", "links.fra", stdin=LINKS)
    assert result.exit_code == 0 and "links\t7\n" in result.stdout


def test_pairs_that_come_later_are_told_and_a_model_links_them(corpus: Run, tmp_path: Path) -> None:
    assert corpus(*GIVEN).exit_code == 0
    (tmp_path / "more.tsv").write_text("The zebra sleeps.\tLe zèbre dort.\n", encoding="utf-8")
    assert corpus("import", "more.tsv", "--lang", "eng,fra", "--header", "no").exit_code == 0
    result = corpus(*ALIGN)
    assert result.exit_code == 0 and "1 pairs have no links" in result.stderr and "--retrain" in result.stderr
    assert "eng,fra\tlinks\t3\t1\n" in corpus("info").stdout
    assert corpus("check", "--full").exit_code == 0
    again = corpus(*ALIGN, "--retrain")
    assert "pairs trained on\t4\n" in again.stdout and "have no links" not in again.stderr
