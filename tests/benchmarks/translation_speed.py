"""Processor time of translating by analogy and by memory: what opening takes, and each sentence.

    python tests/benchmarks/translation_speed.py [LANGUAGE...] [--times 3]

The 510 sentences of Tatoeba that tests/translation/test_real_translation.py holds out are translated into English.
The least of the times counts.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parent))

from grown_corpus import Pair
from growth import DATA, read_language

from corpusdb.base.text import normalise
from corpusdb.translation.analogies import AnalogyTranslator, open_analogies
from corpusdb.translation.examples import Translation, encode_texts, examples_of_pairs, hold_out
from corpusdb.translation.memory import Memory, open_memory

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
    read = [(normalise(other), normalise(one)) for one, other in read_language(DATA, language)]
    return list(dict.fromkeys(pair for pair in read if all(pair)))


def answer_all(rung: AnalogyTranslator | Memory, sources: Sequence[str]) -> list[list[Translation]]:
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("languages", nargs="*", default=["fra", "jpn"], metavar="LANGUAGE")
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    for language in options.languages:
        measure(language, options.times)


if __name__ == "__main__":
    main()
