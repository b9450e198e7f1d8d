"""Words in company: what stands before and after a word and its translations, counted sentence by sentence."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

from corpora import drawn_pairs, import_rows, new_store

from corpusdb.alignment.queries.corpus_alignment import align_languages
from corpusdb.alignment.queries.phrase_places import translations_of
from corpusdb.alignment.queries.word_sketches import word_sketches
from corpusdb.base.jobs import finished
from corpusdb.search.lexical import log_dice, log_likelihood
from corpusdb.search.queries.token_selection import is_word
from corpusdb.search.token_corpus import tokenise


def beside(sentences: list[list[str]], node: str, steps: range) -> list[tuple[str, int, float]]:
    """The collocates of a word at these steps from it, by the definitions: each place once."""
    near: Counter[str] = Counter()
    every = Counter(word for words in sentences for word in words if word != node)
    for words in sentences:
        nodes = [place for place, word in enumerate(words) if word == node]
        places = {place + step for place in nodes for step in steps} & {*range(len(words))}
        near.update(words[place] for place in places if words[place] != node)
    nodes, size, total = sum(words.count(node) for words in sentences), near.total(), every.total()
    found = []
    for word, both in near.items():
        more = both * total > size * every[word]
        if both >= 3 and more and log_likelihood(both, size, every[word], total) >= 10.83:
            found.append((word, both, float(log_dice(both, nodes, every[word]))))
    return sorted(found, key=lambda row: (-row[2], row[0]))[:5]


def test_company_of_words_and_of_their_translations(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        rows = drawn_pairs(random.Random(3), 400)
        strong = [("I want strong tea.", "Je veux du thé fort."), ("Strong tea is good.", "Le thé fort est bon.")]
        import_rows(
            store, [(f"{one[:-1]} {number}.", f"{two[:-1]} {number}.") for one, two in strong for number in range(9)]
        )
        import_rows(store, rows)
        finished(align_languages(store, "eng", "fra"))
        texts = {
            language: [
                [token.lower() for token in tokenise(text) if is_word(token)]
                for (text,) in store.connection.execute("select text from sentence where language = ?", (language,))
            ]
            for language in ("eng", "fra")
        }
        with_company = 0
        for word in sorted({word for words in texts["eng"] for word in words if word.isalpha()}):
            own, *others = word_sketches(store, "eng", word, ["fra"])
            assert (own.language, own.count) == ("eng", sum(words.count(word) for words in texts["eng"]))
            members = [each for each in translations_of(store, "eng", word, "fra").members if each.share >= 0.02]
            assert [(each.text, each.count, each.share) for each in others] == [
                (each.text, each.count, each.share) for each in members
            ]
            for sketch in (own, *others):
                if len(tokenise(sketch.text)) > 1:
                    continue
                for side, steps in ((sketch.before, range(-3, 0)), (sketch.after, range(1, 4))):
                    expected = beside(texts[sketch.language], sketch.text, steps)
                    assert [(each.text, each.count, round(each.logdice, 9)) for each in side] == [
                        (text, count, round(value, 9)) for text, count, value in expected
                    ]
                    with_company += bool(side)
                    for each in side if sketch is not own else ():
                        known = translations_of(store, "fra", each.text, "eng", 1).members
                        assert each.translation == (known[0].text if known else "")
        assert with_company > 20
        assert word_sketches(store, "eng", "Tea", ["fra"], 1)[0].before[0].text == "strong"
