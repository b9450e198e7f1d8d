"""Queries on annotated sentences, against going through the tokens one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from corpora import import_rows, new_store

from corpusdb.base.errors import DatabaseDamaged, InputError, QueryError
from corpusdb.base.jobs import finished
from corpusdb.base.tokenisation import sudachi_analyser
from corpusdb.chain.queries.checking import check
from corpusdb.chain.queries.importing import check_source, import_source, update_layers
from corpusdb.chain.queries.repair import repair
from corpusdb.corpus.formats import Options, open_source
from corpusdb.corpus.model import ImportReport
from corpusdb.corpus.queries.annotations import annotations_of
from corpusdb.corpus.store import Store
from corpusdb.search.patterns import Pattern
from corpusdb.search.queries.collocations import Neighbourhood, collocates, other_ways
from corpusdb.search.queries.conditions import Search
from corpusdb.search.queries.file_annotation import FileAnnotationReport, annotate_by_files
from corpusdb.search.queries.frequencies import Count, frequency_list
from corpusdb.search.queries.morpheme_annotation import annotate
from corpusdb.search.queries.search import Hits, Searcher
from corpusdb.search.queries.token_selection import TokenSelection

LEMMAS = {"go": ["go", "went", "goes"], "cat": ["cat", "cats"], "see": ["see", "saw"], "saw": ["saw", "saws"]}
TAGS = {"go": "VERB", "cat": "NOUN", "see": "VERB", "saw": "NOUN"}


class Token(NamedTuple):
    word: str
    lemma: str
    upos: str


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with new_store(tmp_path) as store:
        yield store


def drawn(seed: int, count: int) -> list[list[Token]]:
    """Sentences that are all different, some of one word form with different lemmas."""
    chance = Random(seed)
    found: dict[str, list[Token]] = {}
    while len(found) < count:
        lemmas = [chance.choice([*LEMMAS]) for _ in range(chance.randint(1, 6))]
        tokens = [Token(chance.choice(LEMMAS[lemma]), lemma, TAGS[lemma]) for lemma in lemmas]
        if chance.random() < 0.3:
            tokens.append(Token("!", "", "PUNCT"))
        found.setdefault(" ".join(token.word for token in tokens), tokens)
    return list(found.values())


def import_conllu(
    store: Store, sentences: Sequence[Sequence[Token]], name: str = "a", lang: str = "eng"
) -> ImportReport:
    path = store.path.parent / f"{name}.conllu"
    blocks = []
    for sentence in sentences:
        rows = [
            f"{number}\t{each.word}\t{each.lemma or '_'}\t{each.upos}\t_\t_\t_\t_\t_\t_\n"
            for number, each in enumerate(sentence, 1)
        ]
        blocks.append("".join(rows) + "\n")
    path.write_text("".join(blocks))
    return import_path(store, path, lang)


def import_path(store: Store, path: Path, *languages: str) -> ImportReport:
    source = open_source(None, [path], Options(languages))
    return finished(import_source(store, finished(check_source(source)), path.stem))


def find(store: Store, query: str, language: str = "eng") -> Hits:
    return Searcher(store).find(Search(language, Pattern(query, "cqp")))


def matches(hits: Hits) -> list[tuple[str, str]]:
    """Each match with its sentence."""
    return [
        (hits.text(place), hits.text(place)[begin:end])
        for place in range(len(hits))
        for begin, end in hits.spans(place)
    ]


@pytest.mark.parametrize("layers", [False, True])
def test_attributes_against_every_token(store: Store, layers: bool) -> None:
    """Annotated sentences between others, in several segments, in whatever order they were stored."""
    sentences = drawn(1, 150)
    plain = [" ".join(token.word for token in sentence) for sentence in sentences]
    import_rows(store, [(text, f"f {place}") for place, text in enumerate(plain[50:])])  # stored before annotated
    import_conllu(store, sentences[100:][::-1], "b")
    import_conllu(store, sentences[:50])
    if layers:
        finished(update_layers(store))
    annotated = [*sentences[:50], *sentences[100:]]
    conditions: dict[str, Callable[[Token], bool]] = {
        '[lemma="go"]': lambda token: token.lemma == "go",
        '[lemma="go" & upos="V.*"]': lambda token: token.lemma == "go",
        '[word="saw" & pos="NOUN"]': lambda token: token.word == "saw" and token.upos == "NOUN",
        '[lemma="saw" | upos="PUNCT"]': lambda token: token.lemma == "saw" or token.upos == "PUNCT",
        '[!(lemma="s.*") & upos="VERB|NOUN"]': lambda token: token.lemma in ("go", "cat"),
    }
    for query, holds in conditions.items():
        expected = [
            (" ".join(each.word for each in sentence), token.word)
            for sentence in annotated
            for token in sentence
            if holds(token)
        ]
        assert Counter(matches(find(store, query))) == Counter(expected), query
    bare = [text for text in plain[50:100] if "!" not in text]
    undefined = Counter(match for text, match in matches(find(store, '[lemma="" & upos=""]')) if text in bare)
    assert undefined == Counter(word for text in bare for word in text.split())
    assert find(store, '[lemma="go"]').notes == ("100 of 150 eng sentences have lemma",)
    assert check(store, full=True).problems == ()


def test_the_same_sentence_is_annotated_once(store: Store) -> None:
    first = import_conllu(store, [[Token("saw", "see", "VERB")], [Token("saw", "saw", "NOUN")]])
    assert (first.sentences, first.annotated, first.annotated_before) == (1, 1, 1)
    assert matches(find(store, '[lemma="see"]')) == [("saw", "saw")]


TAGGED = """\
# newdoc id = of the tagger
# sent_id = a-1
# text = She saw the dogs .
1\tShe\tshe\tPRON\t_\t_\t_\t_\t_\t_
2\tsaw\tsee\tVERB\t_\t_\t_\t_\t_\t_
3\tthe\tthe\tDET\t_\t_\t_\t_\t_\t_
4\tdogs\tdog\tNOUN\t_\t_\t_\t_\t_\t_
5\t.\t.\tPUNCT\t_\t_\t_\t_\t_\t_

1\tYes\tyes\tINTJ\t_\t_\t_\t_\t_\t_

1\tNo\tno\tINTJ\t_\t_\t_\t_\t_\t_
"""


def test_a_file_annotates_sentences_that_the_corpus_has_and_adds_none(store: Store) -> None:
    import_rows(store, [("She saw the dogs.", "a"), ("Yes", "b"), ("Other", "c"), ("She saw the dogs.", "d")])
    path = store.path.parent / "tagged.conllu"

    def annotated(text: str, *, replaces: bool = False) -> FileAnnotationReport:
        path.write_text(text)
        return finished(
            annotate_by_files(store, "eng", [open_source(None, [path], Options(("eng",)))], replaces=replaces)
        )

    def counts() -> list[int]:
        tables = ("document", "occurrence", "sentence", "unit", "section", "annotation", "run")
        return [store.connection.execute(f"select count(*) from {table}").fetchone()[0] for table in tables]

    before = counts()
    first = annotated(TAGGED)
    assert (first.read, first.annotated, first.replaced, first.annotated_before, first.absent) == (3, 2, 0, 0, 1)
    assert first.first_absent == ((str(path), 12, "the corpus has no sentence 'No'"),)
    assert counts()[:5] == before[:5]
    assert matches(find(store, '[lemma="dog"] [upos="PUNCT"]')) == [("She saw the dogs.", "dogs.")]
    assert check(store, full=True).problems == ()
    once = counts()
    assert annotated(TAGGED).annotated_before == 2
    assert counts() == once
    corrected = annotated(TAGGED.replace("\tsee\t", "\tsaw\t"), replaces=True)
    assert (corrected.annotated, corrected.replaced) == (2, 2)
    assert (len(find(store, '[lemma="see"]')), len(find(store, '[lemma="saw"]'))) == (0, 1)
    with pytest.raises(InputError, match=r"tagged.conllu:2: field 3 is empty"):
        annotated("1\tShe\tshe\tPRON\t_\t_\t_\t_\t_\t_\n2\tsaw\t\tVERB\t_\t_\t_\t_\t_\t_\n")
    with pytest.raises(InputError, match=r"tagged.conllu:1: nothing of it is in the corpus: the corpus has no sent"):
        annotated(TAGGED.split("\n\n")[2])


def test_an_attribute_that_is_not_there(store: Store) -> None:
    import_rows(store, [("I saw.", "J'ai vu.")])
    told = r"no attribute lemma; sentences have only words until .*`corpusdb annotate`.* Japanese.*CoNLL-U.*--where"
    with pytest.raises(QueryError, match=told) as caught:
        find(store, '"I" [lemma="see"]')
    assert caught.value.position == 5
    import_conllu(store, [[Token("saw", "see", "VERB")]])
    with pytest.raises(QueryError, match="no attribute lema; there are word, lemma, upos"):
        find(store, '[lema="see"]')
    # French has none, though English does: nothing is known of any token.
    french = find(store, '[lemma="voir"]', "fra")
    assert (len(french), french.notes) == (0, ("0 of 1 fra sentences have lemma",))
    assert matches(find(store, "a:[] b:[] :: a.lemma = b.lemma", "fra")) == []


def test_a_searcher_sees_what_is_annotated_later(store: Store) -> None:
    import_rows(store, [("saw", "vu")])
    searcher = Searcher(store)
    assert len(searcher.find(Search("eng", Pattern('"saw"', "cqp")))) == 1
    import_conllu(store, [[Token("saw", "see", "VERB")]])
    assert len(searcher.find(Search("eng", Pattern('[lemma="see"]', "cqp")))) == 1


PARALLEL = """\
# sent_id = 1
# text_fr = Le chat l'a vu.
1\tThe\tthe\tDET\t_\t_\t_\t_\t_\t_
2\tcat\tcat\tNOUN\t_\t_\t_\t_\t_\t_
3\tsaw\tsee\tVERB\t_\t_\t_\t_\t_\t_
4\tit\tit\tPRON\t_\t_\t_\t_\t_\tSpaceAfter=No
5\t.\t.\tPUNCT\t_\t_\t_\t_\t_\t_

# sent_id = 2
1\tIt\tit\tPRON\t_\t_\t_\t_\t_\t_
2\tslept\tsleep\tVERB\t_\t_\t_\t_\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\t_\t_\t_\t_\t_\t_

# newdoc id = other
# sent_id = 3
1\tIt\tit\tPRON\t_\t_\t_\t_\t_\t_
2\tbarked\tbark\tVERB\t_\t_\t_\t_\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\t_\t_\t_\t_\t_\t_
"""


def test_matches_over_sentences_and_translations(store: Store) -> None:
    path = store.path.parent / "p.conllu"
    path.write_text(PARALLEL)
    assert import_path(store, path, "eng", "fra").translations == 1
    across = find(store, '[lemma="see"] []* [lemma="sleep|bark"] within 2 s')
    assert matches(across) == [("The cat saw it.", "saw it."), ("It slept.", "It slept")]
    assert matches(find(store, r'"\." </s> <s> "It" within 2 s')) == [("The cat saw it.", "."), ("It slept.", "It")]
    assert len(find(store, r'"\." "It" within s')) == 0
    assert [text for text, _ in matches(find(store, '[lemma="see"] :fra "chat"'))] == ["The cat saw it."]


def test_frequencies_and_collocates_by_an_attribute(store: Store) -> None:
    sentences = drawn(2, 120)
    import_rows(store, [("cats cats cats cats", "chats")])
    import_conllu(store, sentences)
    tokens = TokenSelection("eng", attribute="lemma")
    found = frequency_list(store, Count(tokens), 0)
    lemmas = [[token.lemma for token in sentence] for sentence in sentences]
    assert {row.text: row.count for row in found.rows} == Counter(
        lemma for sentence in lemmas for lemma in sentence if lemma
    )
    assert found.sentences == 120
    pairs = frequency_list(store, Count(tokens, n=2), 0)
    assert {row.text: row.count for row in pairs.rows} == Counter(
        " ".join(pair) for sentence in lemmas for pair in pairwise(sentence) if all(pair)
    )
    near = collocates(store, Neighbourhood(tokens, "go", left=1, right=1, least=1), limit=0)
    windows: Counter[str] = Counter()
    for sentence in lemmas:
        nodes = {place for place, lemma in enumerate(sentence) if lemma == "go"}
        beside = {place + step for place in nodes for step in (-1, 1) if 0 <= place + step < len(sentence)} - nodes
        windows.update(sentence[place] for place in beside)
    assert {row.text: row.count for row in near.rows} == {lemma: n for lemma, n in windows.items() if lemma}
    asked = Neighbourhood(TokenSelection("eng"), '[lemma="go"]', left=1, right=1, least=1, is_query=True)
    forms = [[token.word for token in sentence] for sentence in sentences]
    around: Counter[str] = Counter()
    for words, names in zip(forms, lemmas, strict=True):
        nodes = {place for place, lemma in enumerate(names) if lemma == "go"}
        beside = {place + step for place in nodes for step in (-1, 1) if 0 <= place + step < len(words)} - nodes
        around.update(words[place] for place in beside)
    by_query = collocates(store, asked, limit=0)
    assert {row.text: row.count for row in by_query.rows} == around
    assert by_query.nodes == sum(lemma == "go" for sentence in lemmas for lemma in sentence)
    went = Neighbourhood(tokens, "went", least=1)
    assert collocates(store, went).nodes == 0
    (way,) = other_ways(store, went)
    assert (way.reason, way.near.node) == ("attribute", '"went"%c')
    assert way.nodes == collocates(store, way.near).nodes > 0
    tags = TokenSelection("eng", attribute="pos", words_only=True)
    assert {row.text for row in frequency_list(store, Count(tags)).rows} == {"VERB", "NOUN"}
    with pytest.raises(InputError, match="no attribute tone; there are word, lemma, upos"):
        frequency_list(store, Count(TokenSelection("eng", attribute="tone")))


def test_damaged_annotations_are_not_searched(store: Store) -> None:
    import_conllu(store, drawn(3, 5))
    store.connection.execute("update annotation_attribute set tokens = zeroblob(length(tokens)) where name = 'lemma'")
    with pytest.raises(DatabaseDamaged, match="annotations of eng are damaged"):
        find(store, '[lemma="go"]')
    assert not check(store).ok


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        ("update annotation set ends = begins", "are outside"),
        ("update annotation set sentences = zeroblob(length(sentences))", "not there"),
        ("update annotation set lengths = zeroblob(length(lengths))", "lengths that are not those"),
        ("delete from annotation_attribute where name = 'word'", "has no words"),
    ],
)
def test_a_check_sees_annotations_that_do_not_fit(store: Store, damage: str, problem: str) -> None:
    import_conllu(store, drawn(4, 20))
    assert check(store, full=True).ok
    store.connection.execute(damage)
    _seal_again(store)
    assert any(problem in each for each in check(store).problems)


def _seal_again(store: Store) -> None:
    """The checksums that the damaged blobs would have."""
    from corpusdb.corpus.store.runs import blobs_checksum

    rows = store.connection.execute("select id, sentences, lengths, begins, ends, remarks from annotation").fetchall()
    for number, *blobs in rows:
        store.connection.execute("update annotation set checksum = ? where id = ?", (blobs_checksum(*blobs), number))


@pytest.fixture
def japanese(store: Store) -> Store:
    pytest.importorskip("sudachipy")
    import_rows(store, [("I go to school.", "学校へ行く。"), ("I went.", "行った。"), ("Cat.", "猫")], ("eng", "jpn"))
    return store


def test_japanese_is_searched_by_words(japanese: Store) -> None:
    before = find(japanese, '"学校"', "jpn")
    assert len(before) == 0
    told = "Japanese is searched by characters, each a token; `corpusdb annotate --lang jpn` makes words of them"
    assert before.notes == (told,)
    report = finished(annotate(japanese, "jpn"))
    assert (report.sentences, report.imported) == (3, 0)
    assert find(japanese, '"学校"', "jpn").notes == ()
    assert matches(find(japanese, '[lemma="行く" & pos="動詞.*"]', "jpn")) == [
        ("学校へ行く。", "行く"),
        ("行った。", "行っ"),
    ]
    assert matches(find(japanese, '[reading="ガッコウ"] []', "jpn")) == [("学校へ行く。", "学校へ")]
    assert finished(annotate(japanese, "jpn")).sentences == 0
    import_rows(japanese, [("Dog.", "犬が行く。")], ("eng", "jpn"))
    assert any("1 jpn sentences are not yet" in note for note in find(japanese, '"犬"', "jpn").notes)
    finished(update_layers(japanese))
    assert matches(find(japanese, '"犬" []', "jpn")) == [("犬が行く。", "犬が")]
    assert check(japanese, full=True).problems == ()


def test_every_morpheme_is_a_token(japanese: Store) -> None:
    finished(annotate(japanese, "jpn"))
    analyser = sudachi_analyser()
    texts = dict(japanese.connection.execute("select id, text from sentence"))
    stored = dict(annotations_of(japanese.connection, "jpn"))
    assert len(stored) == 3
    for sentence, annotation in stored.items():
        morphemes = analyser.analyse(texts[sentence])
        assert annotation.columns[0] == tuple(each.surface for each in morphemes)
        assert annotation.columns[1] == tuple(each.dictionary_form for each in morphemes)


def test_what_files_say_goes_before_what_the_analyser_says(japanese: Store) -> None:
    finished(annotate(japanese, "jpn"))
    import_conllu(japanese, [[Token("猫", "ネコ", "NOUN")]], lang="jpn")
    assert matches(find(japanese, '[lemma="ネコ"]', "jpn")) == [("猫", "猫")]
    assert matches(find(japanese, '[lemma="猫"]', "jpn")) == []


def test_repair_makes_anew_what_the_analyser_made_and_keeps_what_files_gave(japanese: Store) -> None:
    import_conllu(japanese, drawn(5, 10))
    finished(annotate(japanese, "jpn"))
    given, made = (dict(annotations_of(japanese.connection, language)) for language in ("eng", "jpn"))
    japanese.connection.execute(
        "update annotation_attribute set tokens = zeroblob(length(tokens)) where name = 'reading'"
    )
    assert not check(japanese).ok
    report = finished(repair(japanese))
    assert report.ok, report
    assert dict(annotations_of(japanese.connection, "eng")) == given
    assert dict(annotations_of(japanese.connection, "jpn")) == made


def test_many_segments_are_one(store: Store) -> None:
    """Imports one after the other make few segments, and nothing of it is seen."""
    sentences = drawn(6, 60)
    for place in range(0, 60, 4):
        import_conllu(store, sentences[place : place + 4], f"part{place}")
    (segments,) = store.connection.execute("select count(*) from annotation").fetchone()
    assert segments <= 6
    stored = annotations_of(store.connection, "eng")
    texts = dict(store.connection.execute("select id, text from sentence"))
    assert {texts[sentence]: each.columns[1] for sentence, each in stored} == {
        " ".join(token.word for token in sentence): tuple(token.lemma for token in sentence) for sentence in sentences
    }
