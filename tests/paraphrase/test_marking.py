"""What two texts differ in that one pivot language does not mark, by their words."""

from __future__ import annotations

import csv
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.text import units_of
from corpusdb.paraphrase.marking import Marking, marking_of

READINGS = Path(__file__).parents[1] / "readings"
SHEETS = {"fra": ("french", "french-2"), "deu": ("german", "german-2")}


def told(language: str, one: str, other: str) -> str:
    marking = marking_of(language)
    assert marking is not None
    return str(marking.change(units_of(one), units_of(other)) or "")


@pytest.mark.parametrize(
    ("language", "one", "other", "change"),
    [
        ("fra", "Tu viens ?", "Vous venez ?", "address (tu / vous)"),
        ("fra", "Ferme la porte.", "Fermez la porte.", "address ((nothing) / vous)"),
        ("fra", "Je t'ai vu.", "Je vous ai vu.", "address (tu / vous)"),
        ("fra", "Je suis sûr.", "Je suis sûre.", "form (sûr / sûre)"),
        ("fra", "Je suis sûr.", "Je suis certaine.", "gender (sûr / certaine)"),
        ("fra", "Je suis heureux.", "Je suis contents.", "gender (heureux / contents)"),
        ("fra", "Vous êtes timide.", "Vous êtes craintive.", "gender (timide / craintive)"),
        ("fra", "Ils sont là.", "Elles sont là.", "gender (ils / elles)"),
        ("fra", "Avez-vous un reçu ?", "En avez-vous un reçu ?", "pronoun ((nothing) / en)"),
        ("fra", "Il est à la maison.", "Il est chez moi.", "pronoun ((nothing) / chez moi)"),
        ("fra", "Tu as une idée.", "Est-ce que tu as une idée.", "form ((nothing) / est-ce)"),
        ("fra", "Vous avez tout pris.", "Avez-vous tout pris.", "form (vous avez / avez vous)"),
        ("fra", "C'est mon amie.", "Il est mon amie.", "pronoun ((nothing) / il est mon)"),
        ("fra", "Je ne pouvais pas.", "Je ne pourrais pas.", "form (pouvais / pourrais)"),
        ("deu", "Ich konnte es.", "Ich könnte es.", "form (konnte / könnte)"),
        ("deu", "Hast du Zeit?", "Habt ihr Zeit?", "address (du / ihr)"),
        ("deu", "Ich sehe dich.", "Ich sehe Sie.", "address (du / Sie)"),
        ("deu", "Du bist müde.", "Sie sind müde.", "address (du / Sie)"),
        ("deu", "Ich weiß, dass du da bist.", "Ich weiß, dass ihr da bist.", "gender (du / ihr)"),
        ("deu", "Öffne die Tür.", "Macht die Tür auf.", "address ((nothing) / ihr)"),
        ("deu", "Atme tief!", "Atmet tief!", "form (atme / atmet)"),
        ("deu", "Ich bin Lehrer.", "Ich bin Lehrerin.", "form (lehrer / lehrerin)"),
        ("deu", "Ich mag ihn.", "Ich mag es.", "gender (ihn / es)"),
        ("deu", "Noch eins davon?", "Noch einen von denen?", "form (eins / einen)"),
        ("deu", "Sie sollten gehen.", "Man sollte gehen.", "gender (sie / man)"),
    ],
)
def test_what_is_not_seen(language: str, one: str, other: str, change: str) -> None:
    assert told(language, one, other) == change
    assert told(language, other, one), "in the other direction too"


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("fra", "Viens-tu ?", "Tu viens ?"),
        ("fra", "Vous devez partir.", "Il faut que vous partiez."),
        ("fra", "Nous avons mangé.", "On a mangé."),
        ("fra", "Je suis contente.", "Je suis heureuse."),
        ("fra", "Elle partit.", "Elle est partie."),
        ("fra", "Elle le sermonna.", "Elle l'a sermonné."),
        ("fra", "Une auto arrive.", "Un véhicule arrive."),
        ("fra", "C'est facile.", "Il est facile."),
        ("deu", "Können Sie kommen?", "Sie können kommen?"),
        ("deu", "Das ist ein Auto.", "Das ist ein Wagen."),
        ("deu", "Ich habe einen Wagen.", "Ich habe ein Auto."),
        ("deu", "Die kommen.", "Sie kommen."),
        ("deu", "Komm!", "Komme!"),
        ("deu", "Ich hätte gern Tee.", "Ich hätte gerne Tee."),
        ("deu", "Kommt ihr bald?", "Kommt ihr in Kürze?"),
    ],
)
def test_what_is_seen(language: str, one: str, other: str) -> None:
    assert (told(language, one, other), told(language, other, one)) == ("", "")


def rows(language: str) -> list[tuple[str, ...]]:
    lines = files("corpusdb.paraphrase").joinpath("marking.tsv").read_text(encoding="utf-8").splitlines()
    return [tuple(line.split("\t")[1:]) for line in lines[1:] if line.startswith(language)]


KINDS = {
    "address", "agreeing", "agreeing endings", "clitic", "either gender", "ending", "endings", "feminine", "forms",
    "imperative", "not ending", "nouns", "plural", "polite", "pronoun", "question", "she", "singular or plural",
    "phrase", "to be", "to have",
}  # fmt: skip


@pytest.mark.parametrize("language", sorted(SHEETS))
def test_each_row_is_of_a_kind_that_is_known(language: str) -> None:
    assert {kind for kind, *_ in rows(language)} <= KINDS
    assert all(words.split() for *_, words in rows(language))


def test_each_word_that_agrees_is_told_from_its_feminine() -> None:
    pairs = [pair.split(":") for kind, _, words in rows("fra") if kind == "agreeing" for pair in words.split()]
    assert [pair for pair in pairs if not told("fra", f"Je suis {pair[0]}.", f"Je suis {pair[1]}.")] == []


def test_a_language_that_is_not_there_is_not_known() -> None:
    assert marking_of("jpn") is None


WORDS = {
    language: sorted({word for kind, _, words in rows(language) if "end" not in kind for word in words.split()})
    for language in SHEETS
}


@given(st.data(), st.sampled_from(sorted(SHEETS)))
def test_a_change_is_one_in_either_direction(data: st.DataObject, language: str) -> None:
    words = st.lists(st.sampled_from([*WORDS[language], "table", "Haus", "?", "."]), min_size=1, max_size=5)
    one, other = (" ".join(data.draw(words)) for _ in range(2))
    assert bool(told(language, one, other)) == bool(told(language, other, one))
    assert told(language, one, one) == ""


def test_a_language_without_rows_marks_nothing() -> None:
    assert Marking([]).change(["Tu", " viens"], ["Vous", " venez"]) is None


@pytest.mark.parametrize("language", sorted(SHEETS))
def test_pairs_that_were_read(language: str) -> None:
    """Of pairs that a reader found to differ in address, number or gender of persons nearly all are told."""
    found: list[bool] = []
    for sheet in SHEETS[language]:
        with (READINGS / f"{sheet}.tsv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                if row["reason"] in ("address", "gender", "number", "gender of it"):
                    found.append(bool(told(language, row["seed"], row["paraphrase"])))
    assert len(found) > 60
    assert sum(found) >= 0.95 * len(found)
