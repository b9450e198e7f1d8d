"""Vertical files: columns, structures, and what is wrong in which line; and properties of TMX."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpusdb.base.errors import InputError, UsageError
from corpusdb.corpus.formats import Options, Record, Rejected, open_source

NEWS = """\
<?xml version="1.0" encoding="UTF-8"?>
<!-- #vrt positional-attributes: word pos lemma -->
<text id="news-1" genre="news" year='1999'>
<p>
<s id="a1">
He\tPRP\the
went\tVBD\tgo
home\tNN\thome
<g/>
.\t.\t.
</s>
</p>
</text>
<doc>
<s>
R&amp;D\tNP\tR&amp;D
<\tSYM\t<
3\tCD\t3
</s>
<s>
</s>
</doc>
"""
NAMES = ("word", "pos", "lemma")


def items(tmp_path: Path, text: str, attributes: tuple[str, ...] = NAMES) -> list[Record | Rejected]:
    path = tmp_path / "a.vert"
    path.write_text(text)
    return list(open_source(None, [path], Options(("eng",), attributes=attributes)).items())


@pytest.mark.parametrize("attributes", [NAMES, ()])  # the file names them too
def test_sentences_and_documents(tmp_path: Path, attributes: tuple[str, ...]) -> None:
    first, second, third = items(tmp_path, NEWS, attributes)
    assert isinstance(first, Record)
    assert isinstance(second, Record)
    assert (first.line, first.texts, first.name) == (5, ("He went home.",), "a1")
    assert first.document is not None
    assert (first.document.name, first.document.attributes) == ("news-1", (("genre", "news"), ("year", "1999")))
    (annotation,) = first.annotations
    assert annotation is not None
    assert annotation.names == NAMES
    assert annotation.spans == ((0, 2), (3, 7), (8, 12), (12, 13))
    assert annotation.columns[2] == ("he", "go", "home", ".")
    assert second.texts == ("R&D < 3",)
    assert second.document is not None
    assert second.document.name == "2"
    assert third == Rejected(20, "a sentence without tokens")


@pytest.mark.parametrize(
    ("text", "attributes", "line", "reason"),
    [
        ("<s>\nHe\tPRP\n</s>\n", (), 2, "2 columns; say what they are"),
        ("<s>\nHe\tPRP\n</s>\n", NAMES, 2, "2 columns, and the attributes are word, pos, lemma"),
        ("<s>\nHe\n</s>\n", NAMES, 2, "1 column, and"),
        ("He\n", (), 1, "'He' stands outside of a sentence"),
        ("<s>\nHe\n<s>\n", (), 3, "<s> inside the sentence that begins in line 1"),
        ("<s>\nHe\n<doc>\n", (), 3, "<doc> stands inside a sentence"),
        ("</s>\n", (), 1, "</s> without <s>"),
        ("<s>\nHe\n", (), 1, "has no </s>"),
        ("<s>\n\tPRP\n</s>\n", ("word", "pos"), 2, "the token has no word"),
        ("<!-- #vrt positional-attributes: word a.b -->\n", (), 1, "'a.b' is no name of an attribute"),
    ],
)
def test_what_is_wrong_in_which_line(
    tmp_path: Path, text: str, attributes: tuple[str, ...], line: int, reason: str
) -> None:
    with pytest.raises(InputError) as caught:
        items(tmp_path, text, attributes)
    assert caught.value.line == line
    assert reason in caught.value.reason


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [(("lemma", "pos"), "the first column"), (("word", "x y"), "no name"), (("word", "a", "a"), "named twice")],
)
def test_attributes_that_make_no_sense(tmp_path: Path, attributes: tuple[str, ...], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        items(tmp_path, NEWS, attributes)


TMX = """\
<?xml version="1.0"?><tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en"><prop type="x-lemma">he go _ .</prop><prop type="pos">PRON VERB ADV PUNCT</prop>
<seg>He went home.</seg></tuv><tuv xml:lang="fr"><seg>Il est rentré.</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>Yes.</seg></tuv><tuv xml:lang="fr"><prop type="word">Si fait .</prop>
<prop type="lemma">si faire .</prop><seg>Si fait.</seg></tuv></tu>
</body></tmx>
"""


def units(tmp_path: Path, text: str, attributes: tuple[str, ...]) -> list[Record | Rejected]:
    path = tmp_path / "a.tmx"
    path.write_text(text)
    return list(open_source(None, [path], Options(attributes=attributes)).items())


def test_properties_of_tmx(tmp_path: Path) -> None:
    first, second = units(tmp_path, TMX, ("word", "lemma", "pos"))
    assert isinstance(first, Record)
    assert isinstance(second, Record)
    english, french = first.annotations
    assert english is not None
    assert french is None
    assert english.names == ("word", "lemma", "pos")
    assert english.columns[:2] == (("He", "went", "home", "."), ("he", "go", "", "."))
    assert second.annotations[1] is not None
    assert second.annotations[1].spans == ((0, 2), (3, 7), (7, 8))
    plain = units(tmp_path, TMX, ())
    assert all(isinstance(each, Record) and each.annotations == () for each in plain)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("he go _ .", "he go", "the property lemma has 2 values, and the text 4 tokens"),
        ("Si fait .", "Si faits .", "the property word is not the text, at 'faits'"),
    ],
)
def test_properties_that_do_not_fit(tmp_path: Path, old: str, new: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        units(tmp_path, TMX.replace(old, new), ("word", "lemma"))
    assert caught.value.line in (2, 4)
