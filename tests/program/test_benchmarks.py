"""What benchmarks rest on: corpora that grow as asked, and calls of every command."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

import grown_corpus
import pytest
from grown_corpus import MEN, SURNAMES, WOMEN, Pair, grow

from corpusdb.commands.command import CommandGroup
from corpusdb.program.catalogue import load_all

# The corpora that benchmarks grow: as large as asked, the same for a seed, and alike on both sides.


NATURAL: list[Pair] = [
    ("Tom is here.", "Tom est ici."),
    ("Tom is here.", "Tom est là."),
    ("John is here.", "John est ici."),  # with another name it is the first
    ("Mary is his wife.", "Marie est sa femme."),
    ("I saw Tom.", "J'ai vu Tom."),
    ("I met Tom.", "J'ai vu Tom."),
    ("I like Tom's dog.", "トムの犬が好きだ。"),
    ("Did Tom see Mary?", "Tom a-t-il vu Marie ?"),  # two people
    ("Tom left.", "Il est parti."),  # named on one side only
    ("Atoms are small.", "アトムは小さい。"),
    ("Go on.", "Continue."),
    ("Go on.", "Vas-y."),
    ("I see.", "Je vois."),
    ("I see.", "Je vois."),  # twice
    ("I see. Go on.", "Je vois. Continue."),  # as if it had been joined
]
SENTENCES = 12
_INVENTED = re.compile(rf"(?:{'|'.join((*MEN, *WOMEN))}) (?:{'|'.join(SURNAMES)})")


def grown(sentences: int, seed: int = 1) -> list[Pair]:
    return list(grow(NATURAL, sentences, seed))


def sentences_of(pairs: list[Pair]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for sentence, translation in pairs:
        found.setdefault(sentence, []).append(translation)
    return found


@pytest.mark.parametrize("sentences", [SENTENCES, 13, 60, 500])
def test_it_is_as_large_as_asked_and_has_no_pair_twice(sentences: int) -> None:
    pairs = grown(sentences)
    assert len(sentences_of(pairs)) == sentences
    assert max(Counter(pairs).values()) == 1
    assert pairs[: len(set(NATURAL))] == list(dict.fromkeys(NATURAL))


def test_a_sentence_that_is_made_is_made_once() -> None:
    """With all its translations, which stand together."""
    made = [sentence for sentence, _ in grown(500)[len(set(NATURAL)) :]]
    starts = [text for place, text in enumerate(made) if place == 0 or made[place - 1] != text]
    assert len(starts) == len(set(starts)) == 500 - SENTENCES
    assert not set(starts) & {sentence for sentence, _ in NATURAL}


def test_a_seed_gives_the_same_and_another_other_names() -> None:
    assert grown(200) == grown(200)
    assert grown(200) != grown(200, seed=2)
    assert grown(200)[:100] == grown(120)[:100]  # the larger goes on where the smaller ends


def test_both_sides_get_the_same_name() -> None:
    made = grown(500)[len(set(NATURAL)) :]
    names = [(_INVENTED.findall(sentence), _INVENTED.findall(translation)) for sentence, translation in made]
    assert all(here == there for here, there in names)
    exchanged = [pair for pair, (here, _) in zip(made, names, strict=True) if here]
    assert len(exchanged) > 250
    assert not [each for pair in exchanged for each in pair if re.search("Tom|John|Mar(y|ie)|トム", each)]
    assert any("の犬が好きだ。" in translation for _, translation in exchanged)


def test_what_shares_a_translation_shares_it_with_another_name_too() -> None:
    pairs = grown(500)
    saw, met = ({text for sentence, text in pairs if sentence.startswith(verb)} for verb in ("I saw ", "I met "))
    assert len(saw & met) > 20


def test_women_and_men_have_other_names() -> None:
    text = "\n".join(sentence for sentence, _ in grown(500))
    assert set(re.findall(r"(\w+) \w+ is his wife", text)) <= {*WOMEN}
    assert set(re.findall(r"I saw (\w+) \w+\.", text)) <= {*MEN}
    assert len(re.findall("is his wife", text)) > 20


def test_joined_sentences_are_joined_on_both_sides() -> None:
    alone = {sentence: set(others) for sentence, others in sentences_of(NATURAL).items()}
    joined = [pair for pair in grown(90) if pair not in NATURAL and not _INVENTED.search(pair[0])]
    assert joined
    for sentence, translation in joined:
        first, second = re.fullmatch(r"(.*?[.!?]) (.*)", sentence).groups()  # type: ignore[union-attr]
        assert translation in {
            f"{one}{gap}{other}" for one in alone[first] for other in alone[second] for gap in ("", " ")
        }


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match=f"{SENTENCES} sentences already"):
        grown(SENTENCES - 1)
    with pytest.raises(ValueError, match="no more than"):
        grown(1_000_000)


def test_the_command_writes_it(tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text(
        "english\tfrench\tattribution\n" + "".join(f"{one}\t{other}\tme\n" for one, other in NATURAL) + "No.\t\tme\n",
        encoding="utf-8",
    )
    command = [sys.executable, grown_corpus.__file__, "pairs.tsv", "--sentences", "50", "-o", "out.tsv"]
    subprocess.run([*command, "--seed", "3"], cwd=tmp_path, check=True)
    lines = (tmp_path / "out.tsv").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    assert lines[0] == "english\tfrench"
    assert [tuple(line.split("\t")) for line in lines[1:]] == grown(50, seed=3)
    refused = subprocess.run([*command[:4], "5", "-o", "small.tsv"], cwd=tmp_path, capture_output=True, text=True)
    assert refused.returncode == 1 and f"{SENTENCES} sentences already" in refused.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.tsv", "pairs.tsv"]


CALLS = Path(__file__).resolve().parents[1] / "benchmarks" / "compared_calls.txt"


def test_every_command_is_called() -> None:
    lines = [line for line in CALLS.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    called = {tuple(shlex.split(line)[:2]) for line in lines} | {(shlex.split(line)[0],) for line in lines}
    wanted: set[tuple[str, ...]] = set()
    for each in load_all():
        inner = (
            [(each.name, inside.name) for inside in each.commands] if isinstance(each, CommandGroup) else [(each.name,)]
        )
        wanted |= set(inner)
    assert wanted - called == set()
