"""A test set of short sentences with systems of different quality, and how fast sentences are translated."""

from __future__ import annotations

import argparse
import math
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
from grown_corpus import Pair
from measuring import DATA, TATOEBA, read_language, run_named

from corpusdb.base.text import normalise
from corpusdb.corpus.formats.reading import read_lines
from corpusdb.corpus.formats.records import ReferenceSet
from corpusdb.corpus.formats.registry import reference_writer_of
from corpusdb.scoring.metric import References
from corpusdb.scoring.unit_metrics import edit_distances
from corpusdb.translation.example_rungs import AnalogyTranslator, Memory, open_analogies, open_memory
from corpusdb.translation.examples import ExampleTranslation, encode_texts, examples_of_pairs, hold_out

# Processor time of translating by analogy and by memory: what opening takes, and each sentence.
#
#     python tests/benchmarks/translation.py translation [LANGUAGE...] [--times 3]
#
# The 510 sentences of Tatoeba that tests/translation/test_ladder.py holds out are translated into English.
# The least of the times counts.


T = TypeVar("T")


def timed(work: Callable[[], T], times: int = 1) -> tuple[T, float]:
    """What the work gives, and the least processor seconds."""
    least = float("inf")
    for _ in range(times):
        begun = time.process_time()
        given = work()
        least = min(least, time.process_time() - begun)
    return given, least


def pairs(language: str) -> list[Pair]:
    """A sentence of the language and its translation into English, each pair once."""
    read = [(normalise(other), normalise(one)) for one, other in read_language(TATOEBA, language)]
    return list(dict.fromkeys(pair for pair in read if all(pair)))


def answer_all(rung: AnalogyTranslator | Memory, sources: Sequence[str]) -> list[list[ExampleTranslation]]:
    """The first answer to each."""
    return [rung.translations(source, 1) for source in sources]


def measure(language: str, times: int) -> None:
    """Print what both rungs take."""
    found = pairs(language)
    held_out = hold_out(found)
    examples = examples_of_pairs(pair for pair, kept in zip(found, held_out.training, strict=True) if kept)
    print(f"{language}: {len(examples.sources):,} sources")
    texts, seconds = timed(partial(encode_texts, examples.sources))
    print(f"  units numbered: {seconds:.2f} s")
    openers: dict[str, Callable[[], AnalogyTranslator | Memory]] = {
        "analogy": partial(open_analogies, examples, texts),
        "memory": partial(open_memory, examples, texts),
    }
    for name, opened in openers.items():
        rung, seconds = timed(opened)
        _, answering = timed(partial(answer_all, rung, held_out.sources), times)
        each = 1000 * answering / len(held_out.sources)
        print(f"  {name}: opened in {seconds:.2f} s, {each:.2f} ms a sentence")


def translation_speed_main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("languages", nargs="*", default=["fra", "jpn"], metavar="LANGUAGE")
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    for language in options.languages:
        measure(language, options.times)


# A test set of short sentences from Tatoeba, with several references and systems of different quality.
#
#     python tests/benchmarks/translation.py short-sentences -o FOLDER [--data FOLDER] [--segments 510] [--seed
#     1] [--language fra]
#     corpusdb study bleu-in-characters FOLDER/*.txt --ref FOLDER/references.jsonl
#
# A source is a sentence of another language, drawn from those that have enough references. Its references are its
# English translations, then the sentences that share a translation with one of them (in any of the four languages),
# those that share more first, 13 at most as in Denoual and Lepage (2005). One of them is taken away and is the first
# system:
#
#     human      a reference drawn at random
#     memory     the English of the nearest other source sentence by edit distance in characters, of the whole corpus
#     memory-8   the same with an eighth of the corpus
#     memory-64  the same with a sixty-fourth of it
#     gloss      for each word of the source the English word with the highest Dice coefficient; marks stay
#
# The nearest sentence is looked for among the 200 that share the rarest words with the source. It may be a paraphrase
# of the source: then the memory says what a reference says.


LANGUAGES = ("fra", "deu", "jpn", "cmn")
LEAST_REFERENCES, MOST_REFERENCES = 4, 13
CANDIDATES = 200
SHARES = {"memory": 1, "memory-8": 8, "memory-64": 64}
TOKEN = re.compile(r"\w+|[^\w\s]")

Pairs = Sequence[tuple[str, str]]
"""English, and its translation."""


@dataclass(frozen=True)
class Corpus:
    """Sentence pairs, English with each of the languages."""

    pairs: Mapping[str, Pairs]

    @classmethod
    def read(cls, folder: Path) -> Corpus:
        return cls({language: _pairs(folder / f"eng-{language}.tsv.gz") for language in LANGUAGES})

    def references(self, language: str) -> Callable[[str], list[str]]:
        """The function that gives the references of a sentence of this language, best first."""
        english: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        translations: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for name, pairs in self.pairs.items():
            for text, translation in dict.fromkeys(pairs):
                english[name, translation].append(text)
                translations[text].append((name, translation))

        def references(source: str) -> list[str]:
            direct = english[language, source]
            shared = Counter(text for one in direct for other in translations[one] for text in english[other])
            others = sorted(shared.keys() - set(direct), key=lambda text: (-shared[text], text))
            return [*direct, *others][: MOST_REFERENCES + 1]

        return references


def _pairs(path: Path) -> Pairs:
    cells = (line.split("\t") for number, line in read_lines(path) if number > 1)
    return [(row[0], row[1]) for row in cells]


def _words(text: str) -> list[str]:
    return [token for token in TOKEN.findall(text.lower()) if token[0].isalnum()]


def memory(sources: Sequence[str], pairs: Pairs) -> list[str]:
    """For each source the translation of the nearest other sentence; the first of several."""
    english: dict[str, str] = {}
    for text, translation in pairs:
        english.setdefault(translation, text)
    sentences = list(english)
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for number, sentence in enumerate(sentences):
        for word in set(_words(sentence)):
            holders[word].append(number)
    candidates = []
    for source in sources:
        weights: Counter[int] = Counter()
        for word in set(_words(source)):
            rarity = math.log(len(sentences) / max(1, len(holders[word])))
            weights.update(dict.fromkeys(holders[word], rarity))
        nearest = sorted(weights, key=lambda number: (-weights[number], number))[: CANDIDATES + 1]
        found = [sentences[number] for number in nearest if sentences[number] != source]
        candidates.append(found[:CANDIDATES] or sentences[:1])
    texts = References.of(candidates, list)
    distances = np.split(edit_distances(texts.encode(sources), texts), texts.firsts[1:-1])
    return [english[found[int(row.argmin())]] for found, row in zip(candidates, distances, strict=True)]


def gloss(sources: Sequence[str], pairs: Pairs) -> list[str]:
    """Each source word by word; a word that never occurs in the pairs stays as it is."""
    wanted = {word for source in sources for word in _words(source)}
    together: defaultdict[str, Counter[str]] = defaultdict(Counter)
    own: Counter[str] = Counter()
    english: Counter[str] = Counter()
    for text, translation in pairs:
        there = set(_words(text))
        english.update(there)
        for word in wanted.intersection(_words(translation)):
            own[word] += 1
            together[word].update(there)
    best = {
        word: max(counts, key=lambda other: (counts[other] / (own[word] + english[other]), other))
        for word, counts in together.items()
    }
    return [_sentence(best.get(token.lower(), token) for token in TOKEN.findall(source)) for source in sources]


def _sentence(tokens: Iterable[str]) -> str:
    text = re.sub(r"\s+([^\w\s])", r"\1", " ".join(tokens))
    return text[:1].upper() + text[1:]


def short_sentences_main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--segments", type=int, default=510)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--language", choices=LANGUAGES[:2], default=LANGUAGES[0], help="of the sources")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    corpus = Corpus.read(options.data / "tatoeba")
    pairs, references_of = corpus.pairs[options.language], corpus.references(options.language)
    eligible = [
        source
        for source in dict.fromkeys(translation for _, translation in pairs)
        if len(references_of(source)) > LEAST_REFERENCES
    ]
    sources = rng.sample(eligible, min(options.segments, len(eligible)))
    sets, systems = [], dict[str, list[str]](human=[])
    for number, source in enumerate(sources, 1):
        references = references_of(source)
        systems["human"].append(references.pop(rng.randrange(len(references))))
        sets.append(ReferenceSet(str(number), source, tuple(references)))
    for name, share in SHARES.items():
        systems[name] = memory(sources, pairs if share == 1 else rng.sample(pairs, len(pairs) // share))
    systems["gloss"] = gloss(sources, pairs)
    options.output.mkdir(parents=True, exist_ok=True)
    reference_writer_of("jsonl").write(sets, options.output)
    for name, texts in systems.items():
        (options.output / f"{name}.txt").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    print(f"{len(sources)} of {len(eligible):,} sources with over {LEAST_REFERENCES} references")


if __name__ == "__main__":
    run_named({"translation": translation_speed_main, "short-sentences": short_sentences_main})
