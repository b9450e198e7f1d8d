"""CoNLL-U and vertical files: words, structures, and what is wrong in which line."""

from __future__ import annotations

import io
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import CorpusError, InputError, UsageError
from corpusdb.corpus.formats import Options, Record, Rejected, open_source, open_sources
from corpusdb.corpus.formats.conllu import ConlluSource, write_conllu
from corpusdb.corpus.formats.records import Annotation, Document, SelectedUnits
from corpusdb.corpus.formats.vertical import write_vertical

# CoNLL-U as treebanks have it: words, what is written as one, comments, and what is wrong in which line.


WEBLOG = """\
# newdoc id = weblog-1
# newpar
# sent_id = w-1
# text = I don't go to New York, he's gone.
1	I	I	PRON	PRP	Case=Nom|Number=Sing	4	nsubj	_	_
2-3	don't	_	_	_	_	_	_	_	Typo=No
2	do	do	AUX	VBP	_	4	aux	_	_
3	n't	not	PART	RB	_	4	advmod	_	_
4	go	go	VERB	VB	VerbForm=Inf	0	root	_	_
5	to	to	ADP	IN	_	6	case	_	_
6	New	New	PROPN	NNP	_	4	obl	_	_
7	York	York	PROPN	NNP	_	6	flat	_	SpaceAfter=No
8	,	,	PUNCT	,	_	4	punct	_	_
8.1	went	go	VERB	VBD	_	_	_	0:root	CopyOf=4
9-10	he's	_	_	_	_	_	_	_	_
9	he	he	PRON	PRP	_	11	nsubj	_	_
10	's	have	AUX	VBZ	_	11	aux	_	_
11	gone	go	VERB	VBN	_	4	parataxis	_	SpaceAfter=No
12	.	.	PUNCT	.	_	4	punct	_	_

# newdoc id = weblog-2
# sent_id = w-2
# text = Il va _ du café.
# text_en = He goes _ from the café.
1	Il	il	PRON	_	_	2	nsubj	_	_
2	va	aller	VERB	_	_	0	root	_	_
3	_	_	SYM	_	_	2	dep	_	_
4-5	du	_	_	_	_	_	_	_	_
4	de	de	ADP	_	_	6	case	_	_
5	le	le	DET	_	_	6	det	_	_
6	café	café	NOUN	_	_	2	obl	_	SpaceAfter=No
7	.	.	PUNCT	_	_	2	punct	_	_

"""


def written(tmp_path: Path, text: str, name: str = "a.conllu") -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def records(*paths: Path, languages: tuple[str, ...] = ("eng",)) -> list[Record | Rejected]:
    sources = open_sources(None, paths, Options(languages))
    return [item for source in sources for item in source.items()]


def only_records(*paths: Path, languages: tuple[str, ...] = ("eng",)) -> list[Record]:
    return [item for item in records(*paths, languages=languages) if isinstance(item, Record)]


def test_words_and_where_they_stand(tmp_path: Path) -> None:
    first, second = only_records(written(tmp_path, WEBLOG))
    assert (first.line, first.name, first.document and first.document.name) == (1, "w-1", "weblog-1")
    assert first.texts == ("I don't go to New York, he's gone.",)
    (annotation,) = first.annotations
    assert annotation is not None
    stand = [first.texts[0][begin:end] for begin, end in annotation.spans]
    assert stand == ["I", "do", "n't", "go", "to", "New", "York", ",", "he", "'s", "gone", "."]
    columns = dict(zip(annotation.names, annotation.columns, strict=True))
    assert columns["lemma"] == ("I", "do", "not", "go", "to", "New", "York", ",", "he", "have", "go", ".")
    assert columns["feats"][:4] == ("Case=Nom|Number=Sing", "", "", "VerbForm=Inf")
    assert [word for word in columns["multiword"] if word] == ["don't", "don't", "he's", "he's"]
    (du,) = second.annotations
    assert du is not None
    assert [second.texts[0][begin:end] for begin, end in du.spans][3:5] == ["du", "du"]  # type: ignore[index]
    assert du.columns[0][3:5] == ("de", "le")
    assert du.columns[1][2] == "_"  # the lemma of the token _


def test_a_file_comes_out_as_it_went_in(tmp_path: Path) -> None:
    output = io.StringIO()
    found = [replace(record, languages=("eng",)) for record in only_records(written(tmp_path, WEBLOG))]
    assert write_conllu(found, "eng", output) == 2
    assert output.getvalue() == WEBLOG


def test_comments_hold_translations(tmp_path: Path) -> None:
    first, second = only_records(written(tmp_path, WEBLOG), languages=("fra", "eng"))
    assert first.texts[1] == ""
    assert second.texts == ("Il va _ du café.", "He goes _ from the café.")
    assert second.annotations[1] is None


def one_word(name: str, form: str) -> str:
    return f"# sent_id = {name}\n1\t{form}\t{form.lower()}\tINTJ\t_\t_\t0\troot\t_\t_\n"


ENGLISH = one_word("1", "Yes") + "\n" + one_word("2", "No")
GERMAN = one_word("2", "Nein") + "\n" + one_word("1", "Ja")


def test_parallel_treebanks_are_joined_by_the_ids_of_sentences(tmp_path: Path) -> None:
    paths = written(tmp_path, ENGLISH, "en.conllu"), written(tmp_path, GERMAN, "de.conllu")
    assert [each.texts for each in only_records(*paths, languages=("eng", "deu"))] == [("Yes", "Ja"), ("No", "Nein")]
    bare = [written(tmp_path, path.read_text().replace("# sent_id", "# x"), path.name) for path in paths]
    assert [each.texts for each in only_records(*bare, languages=("eng", "deu"))] == [("Yes", "Nein"), ("No", "Ja")]
    assert [each.texts for each in only_records(*paths, languages=("eng",))] == [("Yes",), ("No",), ("Nein",), ("Ja",)]
    written(tmp_path, ENGLISH + "\n1\tSo\tso\tADV\t_\t_\t0\troot\t_\t_\n", "en.conllu")
    with pytest.raises(InputError, match=r"en\.conllu:7: no sent_id, though others have one"):
        records(*paths, languages=("eng", "deu"))
    written(tmp_path, GERMAN, "de.conllu")
    written(tmp_path, ENGLISH.replace("= 2", "= 1"), "en.conllu")
    with pytest.raises(InputError, match=r"en\.conllu:4: there is a second sentence '1'"):
        records(*paths, languages=("eng", "deu"))


ROW = "1\tYes\tyes\tINTJ\t_\t_\t0\troot\t_\t_\n"


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("1\tYes\tyes\n", 1, "3 fields, and CoNLL-U has 10"),
        (ROW + ROW, 2, "word 1 is where 2 is next"),
        (ROW.replace("1", "2"), 1, "word 2 is where 1 is next"),
        (ROW.replace("1", "x"), 1, "'x' is not a word number"),
        (ROW.replace("\t_\t_\n", "\t\t_\n"), 1, "field 9 is empty"),
        (ROW + "# text = Yes\n", 2, "a comment is among the words"),
        ("# text = No\n" + ROW, 1, "the text of the sentence is not that of its tokens, at 'Yes'"),
        ("# text = Yes sir\n" + ROW, 1, "at 'sir'"),
        ("1-3\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n" + ROW, 2, "a token of several words reaches to 3, and the last word is 1"),
        (ROW + "\n2-3\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n", 3, "2-3 is where word 1 is next"),
    ],
)
def test_what_is_wrong_in_which_line(tmp_path: Path, text: str, line: int, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        records(written(tmp_path, text))
    assert caught.value.line == line
    assert reason in caught.value.reason


def test_a_sentence_without_words_is_left_out(tmp_path: Path) -> None:
    found = records(written(tmp_path, "# sent_id = 1\n\n" + ROW))
    assert [isinstance(each, Rejected) for each in found] == [True, False]


def test_what_makes_no_sense_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, ROW)
    with pytest.raises(UsageError, match="do not name their language"):
        open_sources(None, [path], Options())
    with pytest.raises(UsageError, match="3 parallel files for 2 languages"):
        ConlluSource((path, path, path), Options(("eng", "fra")))


FORMS = st.text("abé'-かが\u0301", min_size=1, max_size=4)
SPACES = st.lists(st.booleans(), min_size=6, max_size=6)


@given(st.lists(FORMS, min_size=1, max_size=6), SPACES)
def test_any_text_is_restored(tmp_path_factory: pytest.TempPathFactory, forms: list[str], spaces: list[bool]) -> None:
    path = tmp_path_factory.mktemp("drawn") / "a.conllu"
    lines = [
        f"{number}\t{form}\t_\t_\t_\t_\t_\t_\t_\t{'_' if space else 'SpaceAfter=No'}\n"
        for number, (form, space) in enumerate(zip(forms, spaces, strict=False), 1)
    ]
    path.write_text("".join(lines))
    text = "".join(form + " " * space for form, space in zip(forms, spaces, strict=False)).strip()
    try:
        (found,) = only_records(path)
    except CorpusError as error:  # an accent at the beginning of a form joins the letter before it
        assert any(form.startswith("\u0301") for form in forms), error
        return
    assert unicodedata.normalize("NFC", text) == unicodedata.normalize("NFC", found.texts[0] or "")
    (annotation,) = found.annotations
    assert annotation is not None
    stored = unicodedata.normalize("NFC", text)
    for form, (begin, end) in zip(forms, annotation.spans, strict=True):
        assert stored[begin:end] == unicodedata.normalize("NFC", form)


# Vertical files: columns, structures, and what is wrong in which line; and properties of TMX.


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


def test_a_vertical_file_is_written_as_it_is_read(tmp_path: Path) -> None:
    speech = (
        '<s mood="calm">\nYes\tUH\tyes\n</s>\n<u who="A &quot;B&quot;">\n<s>\nNo\tUH\t\n<g/>\n!\tSENT\t!\n</s>\n</u>\n'
    )
    found = [replace(item, languages=("eng",)) for item in items(tmp_path, NEWS + speech) if isinstance(item, Record)]
    output = io.StringIO()
    assert write_vertical(SelectedUnits(lambda: iter(found), ("eng",), 1), "eng", output) == 4
    again = [item for item in items(tmp_path, output.getvalue(), ()) if isinstance(item, Record)]
    for first, second in zip(found, again, strict=True):
        assert (first.texts, first.name, first.annotations) == (second.texts, second.name, second.annotations)
        assert (first.document and first.document.attributes) == (second.document and second.document.attributes)
    assert '\n<u who="A &quot;B&quot;">\n<s>\nNo' in output.getvalue() and '<s mood="calm">' in output.getvalue()


def test_a_document_is_one_whatever_is_known_of_its_lines(tmp_path: Path) -> None:
    def sentence(word: str, **known: str) -> Record:
        annotation = Annotation(("word",), ((0, len(word)),), ((word,),))
        told = {"genre": "talk", **known}
        document = Document("act1" if word < "d" else "act2", tuple(sorted(told.items())))
        return Record(1, (word,), ("eng",), "", document, annotations=(annotation,))

    found = [
        sentence("a", speaker="Ann", u_no="1", u_to="Bob"),
        sentence("b", speaker="Bob", u_no="1", u_to="Bob", text_part="x"),
        sentence("c", speaker="Ann", scene="2"),
        sentence("d", speaker="Ann", s_mood="calm"),
        sentence("e", speaker="Ann"),
    ]
    output = io.StringIO()
    assert write_vertical(SelectedUnits(lambda: iter(found), ("eng",), 1), "eng", output) == 5
    assert output.getvalue() == (
        "<!-- #vrt positional-attributes: word -->\n<!-- #vrt line-attributes: scene speaker text_part -->\n"
        '<doc id="act1" genre="talk">\n<u no="1" to="Bob">\n<s speaker="Ann">\na\n</s>\n'
        '<s speaker="Bob" text_part="x">\nb\n</s>\n</u>\n<s scene="2" speaker="Ann">\nc\n</s>\n</doc>\n'
        '<doc id="act2" genre="talk" speaker="Ann">\n<s mood="calm">\nd\n</s>\n<s>\ne\n</s>\n</doc>\n'
    )
    again = items(tmp_path, output.getvalue(), ())
    assert [(each.texts, each.document) for each in again if isinstance(each, Record)] == [
        (each.texts, each.document) for each in found
    ]


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


def test_attributes_of_documents_are_in_conllu_as_treebanks_have_them(tmp_path: Path) -> None:
    found = [replace(item, languages=("eng",)) for item in items(tmp_path, NEWS) if isinstance(item, Record)]
    output = io.StringIO()
    assert write_conllu(found, "eng", output) == 2
    assert output.getvalue().startswith(
        "# newdoc id = news-1\n# meta::genre = news\n# meta::year = 1999\n# sent_id = a1"
    )
    again = only_records(written(tmp_path, output.getvalue()))
    assert [each.document for each in again] == [each.document for each in found]
    output.seek(0)
    assert write_conllu([replace(each, languages=("eng",)) for each in again], "eng", output) == 2
    assert output.getvalue().count("meta::genre") == 1


@pytest.mark.parametrize(
    ("text", "attributes", "line", "reason"),
    [
        ("<s>\nHe\tPRP\n</s>\n", (), 2, "2 columns; say what they are"),
        ("<s>\nHe\tPRP\n</s>\n", NAMES, 2, "2 columns, and the attributes are word, pos, lemma"),
        ("<s>\nHe\n</s>\n", NAMES, 2, "1 column, and"),
        ("He\n", (), 1, "'He' is outside of a sentence"),
        ("<s>\nHe\n<s>\n", (), 3, "<s> inside the sentence that begins in line 1"),
        ("<s>\nHe\n<doc>\n", (), 3, "<doc> is inside a sentence"),
        ("</s>\n", (), 1, "</s> without <s>"),
        ("<s>\nHe\n", (), 1, "has no </s>"),
        ("<s>\n\tPRP\n</s>\n", ("word", "pos"), 2, "the token has no word"),
        ("<!-- #vrt positional-attributes: word a.b -->\n", (), 1, "'a.b' is not an attribute name"),
    ],
)
def test_what_is_wrong_in_which_line_of_a_vertical_file(
    tmp_path: Path, text: str, attributes: tuple[str, ...], line: int, reason: str
) -> None:
    with pytest.raises(InputError) as caught:
        items(tmp_path, text, attributes)
    assert caught.value.line == line
    assert reason in caught.value.reason


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        (("lemma", "pos"), "the first column"),
        (("word", "x y"), "attribute name"),
        (("word", "a", "a"), "named twice"),
    ],
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
