"""Links as files: of two files that are aligned, and of the corpus, taken in and written out."""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from corpusdb.alignment.links import (
    GoldLinks,
    Link,
    LinkAgreement,
    Links,
    Symmetrisation,
    agreement,
    read_gold_links,
)
from corpusdb.alignment.links import read_links as read_link_lines
from corpusdb.alignment.queries.aligner_files import AlignerFiles, is_a3, links_of_others
from corpusdb.alignment.queries.corpus_alignment import LinkCounts, LinkedPairs, stored_counts, update_alignment
from corpusdb.alignment.queries.pairs import (
    IMPORTED,
    UNITS,
    SentencePair,
    SentenceTokens,
    StoredModel,
    cut_of,
    drop_older_models,
    new_model,
    ordered_languages,
    pairs_of,
    read_links,
    ready_model,
    save_state,
    unfinished_model,
    way_of_language,
    ways_now,
)
from corpusdb.alignment.queries.phrases import add_phrases, counted
from corpusdb.alignment.training import align, train
from corpusdb.base.errors import DatabaseDamaged, InputError, UsageError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.text import MAX_SENTENCE_UNITS, are_undelimited, normalise
from corpusdb.base.tokenisation import TOKENISATIONS, sudachi_analyser, tokeniser
from corpusdb.corpus.formats.reading import STDIN, digest_of
from corpusdb.corpus.formats.scoring_input import read_plain
from corpusdb.corpus.formats.segments import check_counts, segmentation_by_line
from corpusdb.corpus.queries.sentences import check_languages
from corpusdb.corpus.store import Run, Store, finish_run, start_run
from corpusdb.corpus.store.runs import exclusive
from corpusdb.search.token_corpus import Cut

AUTO: Final = "auto"
"""Japanese morphemes for a file that is Japanese, where they can be had; units for any other."""
WAYS_TO_CUT: Final = (AUTO, UNITS, *TOKENISATIONS)
_MORPHEMES: Final = "ja-sudachi"
_KANA: Final = re.compile("[\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\uff66-\uff9f]")
"""What Chinese does not have."""
_PLAIN: Final = re.compile("[^ \t]+")


@dataclass(frozen=True, slots=True)
class TokenisedFiles:
    """The tokens of both files, line by line."""

    source: Sequence[Sequence[str]]
    target: Sequence[Sequence[str]]
    notes: tuple[str, ...] = ()
    """What someone should know of them, a line each."""
    unsure: frozenset[int] = frozenset()
    """The lines, from 0, that are split by white space of which other programs take a part for letters: fast_align
    splits at spaces and tabs alone, and not at a no-break space as awesome-align does."""

    @property
    def lengths(self) -> list[tuple[int, int]]:
        """How many tokens each line has in both files."""
        return [(len(source), len(target)) for source, target in zip(self.source, self.target, strict=True)]


@dataclass(frozen=True, slots=True)
class AlignmentFigures:
    pairs: int
    links: int
    unlinked_source: int
    unlinked_target: int
    too_long: int
    """Pairs with over MAX_SENTENCE_UNITS tokens on a side, which have no links."""


def read_tokenised(source: Path, target: Path, tokenise: str = AUTO) -> TokenisedFiles:
    """Two plain text files, cut into tokens: ``tokenise`` is one of WAYS_TO_CUT, or one for each with a comma between.

    Raises UsageError for another, where a tokenisation needs what is not installed, and where both are standard input;
    InputError where the files have different numbers of lines, for a line without a token, and for what cannot be read.
    """
    if source == target == STDIN:
        raise UsageError("standard input (-) is given twice")
    ways = tokenise.split(",")
    if len(ways) > 2 or not set(ways) <= set(WAYS_TO_CUT):
        raise UsageError(f"unknown tokenisation {tokenise!r}; there are {', '.join(WAYS_TO_CUT)}, or two of these")
    paths = source, target
    texts = [read_plain(path) for path in paths]
    check_counts(*(segmentation_by_line(path, len(lines)) for path, lines in zip(paths, texts, strict=True)))
    tokens, notes, unsure = [], [], set[int]()
    for path, lines, asked in zip(paths, texts, (ways * 2)[:2], strict=True):
        is_japanese = sum(_KANA.search(line) is not None for line in lines) > len(lines) // 2
        way = (_MORPHEMES if is_japanese and way_of_language("jpn") != UNITS else UNITS) if asked == AUTO else asked
        cut = cut_of(UNITS) if way == UNITS else tokeniser(way)
        tokens.append([_tokens(line, cut, path, number) for number, line in enumerate(lines, 1)])
        if way == "none":
            unsure |= {number for number, line in enumerate(lines) if _PLAIN.findall(line) != line.split()}
        if asked == AUTO and way == _MORPHEMES:
            notes.append(f"{path}: Japanese, cut into morphemes by {sudachi_analyser().identity}")
        elif way == UNITS and are_undelimited(lines):
            notes.append(
                f"{path}: words are not delimited there, and every character is a token; {_ADVICE[is_japanese]}"
            )
    return TokenisedFiles(tokens[0], tokens[1], tuple(notes), frozenset(unsure))


_ADVICE: Final = {
    True: "--tokenise ja-sudachi cuts it into morphemes, with pip install 'corpusdb[japanese]'",
    False: "cut it into words first, and give --tokenise none",
}


def _tokens(line: str, cut: Cut, path: Path, number: int) -> Sequence[str]:
    tokens = cut(line)
    if not tokens:
        raise InputError("the line is blank, and can be aligned with nothing", path=path, line=number)
    return tokens


def read_gold(path: Path, files: TokenisedFiles) -> list[GoldLinks]:
    """What people have linked in the two files. Raises InputError as read_gold_links does."""
    return read_gold_links(path, files.lengths)


def align_files(files: TokenisedFiles, way: Symmetrisation) -> Job[Links]:
    """The links of each pair of lines, by a model that is trained on all of them."""
    model = yield from train(files.source, files.target)
    return (yield from align(model, files.source, files.target, way))


def figures_of(files: TokenisedFiles, links: Links) -> AlignmentFigures:
    """How many links and how many tokens without one."""
    own = theirs = too_long = 0
    for number, (source, target) in enumerate(files.lengths):
        found = links.of_pair(number)
        own += source - len({link[0] for link in found})
        theirs += target - len({link[1] for link in found})
        too_long += max(source, target) > MAX_SENTENCE_UNITS
    return AlignmentFigures(len(links), len(links.sources), own, theirs, too_long)


def agreement_with(gold: Sequence[GoldLinks], links: Links) -> LinkAgreement:
    return agreement((links.of_pair(number), each.sure, each.possible) for number, each in enumerate(gold))


# Links of the corpus as files: those that another aligner made are taken in, those that are stored are written out.
# fast_align, eflomal and awesome-align write Pharaoh lines for two texts whose tokens stand between spaces, and GIZA++
# A3 with the texts in it. Links are taken in where the corpus has the pair of sentences and cuts it into the same
# tokens: between other tokens they would be other links. They are a model without what a model has learned, so that
# nothing can link the pairs that come later.


_PAIRS_AT_ONCE = 1 << 14
_MOST_TOKENS: Final = 1 << 16

Tokens: TypeAlias = Sequence[str]


@dataclass(frozen=True, slots=True)
class LinkFile:
    """Links with the texts between whose tokens they stand."""

    name: str
    digest: str
    """SHA-256 of the file of the links and of both texts."""
    texts: TokenisedFiles
    links: Sequence[Sequence[Link]]


def read_link_file(path: Path, source: Path, ref: Path, tokenise: str) -> LinkFile:
    """Pharaoh lines, or A3 of GIZA++, and their two texts.

    ``tokenise`` is as for ``read_tokenised``; ``none`` is the usual one.

    Raises UsageError where two are standard input; InputError with the line for texts of different numbers of lines, a
    blank line in one of them, what is no link, and a link that leads outside of its texts.
    """
    if path == STDIN and STDIN in (source, ref):
        raise UsageError("standard input (-) is given twice")
    texts = read_tokenised(source, ref, tokenise)
    for number, lengths in enumerate(texts.lengths, 1):
        if max(lengths) > _MOST_TOKENS:
            side = source if lengths[0] > _MOST_TOKENS else ref
            raise InputError(f"the line has over {_MOST_TOKENS:,} tokens", path=side, line=number)
    tokens = list(zip(texts.source, texts.target, strict=True))
    if is_a3(path):
        plain = [(" ".join(source), " ".join(target)) for source, target in tokens]
        links = links_of_others(AlignerFiles(str(path)), plain, tokens)
    else:
        links = read_link_lines(path, texts.lengths)
    return LinkFile(path.name, digest_of((path, source, ref)), texts, links)


@dataclass(frozen=True, slots=True)
class LinkImportReport:
    source: str
    target: str
    read: int
    """Lines of links."""
    pairs: int
    """Pairs of sentences that have links now."""
    links: int
    unlinked_source: int
    unlinked_target: int
    unknown: int
    """Lines whose two texts are no pair of the corpus."""
    other_tokens: int
    """Lines whose texts are a pair that the corpus cuts into other tokens, or of which the aligner may have seen other
    tokens: see ``TokenisedFiles.unsure``."""
    repeated: int
    """Lines of a pair that stood there before; the first counts."""
    without_links: int
    """Pairs of the corpus that have no links now."""
    phrase_pairs: int
    """Different ones in the file."""
    seconds: float


class _Matched(NamedTuple):
    """What the corpus has of a file, by pairs of sentences, and how many lines it has not."""

    links: Mapping[SentencePair, Sequence[Link]]
    unknown: int
    other_tokens: int
    repeated: int


@exclusive("align")
def import_links(store: Store, one: str, other: str, given: LinkFile) -> Job[LinkImportReport]:
    """Store the links of a file, whose source texts are in the language ``one``, in the place of those that are stored.

    After an interruption the same call goes on. Raises UsageError for one language twice, InputError where the corpus
    has none of the pairs, or cuts all of them into other tokens: then nothing is stored.
    """
    begun = time.monotonic()
    source, target = ordered_languages(one, other)
    yield Progress("finding the pairs of sentences", 0, 0)
    pairs = pairs_of(store, source, target)
    ways = ways_now(source, target)
    tokens = SentenceTokens(store.connection, dict(zip((source, target), ways, strict=True)))
    matched = _match(given, pairs, tokens, turned=source != one)
    if not matched.links:
        raise InputError(_format_none(given, matched, (one, other)))
    found = sorted(matched.links)
    parameters = {"languages": [source, target], "links": given.digest}
    with store.write():
        run = start_run(store, "align", parameters)
        model = unfinished_model(store, source, target)
        if model is None or model.run != run.id:
            told = {"kind": IMPORTED, "file": given.name, "digest": given.digest, "pairs": len(found), "tokens": ways}
            model = save_state(store, new_model(store, source, target, told, run), "decoding")
    counts = yield from _store(store, model, run, matched.links, tokens)
    figures = {name: getattr(counts, name) for name in ("pairs", "links", "unlinked_source", "unlinked_target")}
    with store.write():
        model = save_state(store, model, "ready")
        finish_run(store, run, figures)
    yield from drop_older_models(store, model)
    for language in (source, target):
        yield from update_alignment(store, language)
    return LinkImportReport(
        source,
        target,
        read=len(given.links),
        **figures,
        **{name: getattr(matched, name) for name in ("unknown", "other_tokens", "repeated")},
        without_links=len(pairs) - len(found),
        phrase_pairs=stored_counts(store, source, target)[1],
        seconds=time.monotonic() - begun,
    )


def _format_none(given: LinkFile, matched: _Matched, languages: tuple[str, str]) -> str:
    told = f"{given.name}: of {len(given.links):,} pairs of texts the corpus has none in {' and '.join(languages)}"
    if not matched.other_tokens:
        return told
    written = f"`corpusdb align --lang {','.join(languages)} -o FILE`"
    cut = f"with these tokens, and {matched.other_tokens:,} with others"
    return f"{told} {cut}; {written} writes the texts as it cuts them"


def _match(given: LinkFile, pairs: Sequence[SentencePair], cut: SentenceTokens, *, turned: bool) -> _Matched:
    """The pairs of the corpus that stand in a file, with its links.

    Texts are the same where their characters are, apart from white space; where no line has them so, apart from case
    too, since texts are often put into lower case before they are aligned.
    """
    own, own_tokens = _by_text([pair.sentence for pair in pairs], cut)
    others, other_tokens = _by_text([pair.translation for pair in pairs], cut)
    known = set(pairs)
    exact: dict[SentencePair, Sequence[Link]] = {}
    lower: dict[SentencePair, Sequence[Link]] = {}
    unknown = differing = repeated = 0
    lines = zip(given.texts.source, given.texts.target, given.links, strict=True)
    for number, (source, target, links) in enumerate(lines):
        first, second = (list(map(normalise, side)) for side in ((target, source) if turned else (source, target)))
        ids = own.get(_key(first), ()), others.get(_key(second), ())
        there = [pair for pair in map(SentencePair._make, product(*ids)) if pair in known]
        ordered = sorted((theirs, mine) for mine, theirs in links) if turned else sorted(links)
        new = is_same = False
        for pair in there:
            texts = own_tokens[pair.sentence], other_tokens[pair.translation]
            is_cut_so = list(map(_lower, texts)) == [_lower(first), _lower(second)]
            if is_cut_so and number not in given.texts.unsure:
                found = exact if texts == (first, second) else lower
                new, is_same = new or pair not in found, True
                found.setdefault(pair, ordered)
        unknown += not there
        differing += bool(there) and not is_same
        repeated += is_same and not new
    return _Matched(lower | exact, unknown, differing, repeated)


def _lower(tokens: Tokens) -> list[str]:
    return [token.lower() for token in tokens]


def _key(tokens: Tokens) -> str:
    return "".join(tokens).lower()


def _by_text(sentences: Sequence[int], cut: SentenceTokens) -> tuple[dict[str, list[int]], dict[int, list[str]]]:
    """Sentences by their characters without white space and case, and the tokens of each."""
    wanted = sorted({*sentences})
    tokens = dict(zip(wanted, cut.of(wanted), strict=True))
    found: defaultdict[str, list[int]] = defaultdict(list)
    for sentence, words in tokens.items():
        found[_key(words)].append(sentence)
    return found, tokens


_STORED = "select sentence, translation from alignment where model = ?"


def _store(
    store: Store, model: StoredModel, run: Run, given: Mapping[SentencePair, Sequence[Link]], cut: SentenceTokens
) -> Job[LinkCounts]:
    """Store what is not stored yet, in each transaction some pairs and their phrases; figures of all that is given."""
    figures = LinkCounts()
    stored = set(map(SentencePair._make, store.connection.execute(_STORED, (model.id,))))
    found, done = iter(sorted(given)), 0
    while pairs := list(islice(found, _PAIRS_AT_ONCE)):
        yield Progress(f"storing links of {model.languages}, pairs of sentences", done, len(given))
        _linked(pairs, given, cut).add_to(figures)
        if new := [pair for pair in pairs if pair not in stored]:
            _linked(new, given, cut).store(store, model, run)
        done += len(pairs)
    return figures


def _linked(
    pairs: Sequence[SentencePair], given: Mapping[SentencePair, Sequence[Link]], cut: SentenceTokens
) -> LinkedPairs:
    source, target = cut.numbered([pair.sentence for pair in pairs]), cut.numbered([pair.translation for pair in pairs])
    return LinkedPairs(pairs, source, target, Links.of([list(given[pair]) for pair in pairs]))


class TokenisedPair(NamedTuple):
    """A pair of sentences by its tokens, and its links."""

    source: Tokens
    target: Tokens
    links: Sequence[Link]


_LINKED = "select sentence, translation, links, tokens_digest from alignment where model = ? order by 1, 2"


def linked_texts(store: Store, one: str, other: str) -> Iterator[TokenisedPair]:
    """All pairs of two languages that have links, with the language ``one`` as the source, in the order of the corpus.

    Raises UsageError for one language twice, InputError where they are not aligned, DatabaseDamaged for links that
    cannot be used.
    """
    source, target = ordered_languages(one, other)
    model = ready_model(store, source, target)
    if model is None:
        check_languages(store, [one, other])
        raise InputError(f"{one} is not aligned with {other}; run `corpusdb align --lang {one},{other}`")
    for _, own, theirs, links in _stored_links(store, model):
        if source == one:
            yield TokenisedPair(own, theirs, links)
        else:
            yield TokenisedPair(theirs, own, sorted((place, mine) for mine, place in links))


def _stored_links(
    store: Store, model: StoredModel, *, skips: bool = False
) -> Iterator[tuple[SentencePair, list[str], list[str], list[Link]]]:
    """All that a model has; with ``skips`` links that cannot be used are left out, else they raise DatabaseDamaged."""
    cut = SentenceTokens(store.connection, model.way_by_language)
    rows = store.connection.execute(_LINKED, (model.id,))
    while some := list(islice(rows, _PAIRS_AT_ONCE)):
        pairs = [SentencePair(*row[:2]) for row in some]
        source, target = cut.of([pair.sentence for pair in pairs]), cut.of([pair.translation for pair in pairs])
        for pair, own, theirs, (_, _, links, digest) in zip(pairs, source, target, some, strict=True):
            try:
                yield pair, own, theirs, read_links(own, theirs, links, digest)
            except InputError as error:
                if not skips:
                    where = f"alignment of sentences {pair.sentence} and {pair.translation} ({model.languages})"
                    raise DatabaseDamaged(f"{where}: {error}") from error


_HAS_COUNTS = "select exists (select 1 from phrase_count where model = ?)"


def recount(store: Store, one: str, other: str) -> Job[None]:
    """Count the phrases of imported links where no counts are there, as in a repair; part of a job.

    What cannot be used is left to the check, which tells it.
    """
    model = ready_model(store, *ordered_languages(one, other))
    if model is None or not model.is_imported or store.connection.execute(_HAS_COUNTS, (model.id,)).fetchone()[0]:
        return
    yield Progress(f"counting the phrases of {model.languages}", 0, 0)
    with store.unchecked_references(), store.write():
        rows = _stored_links(store, model, skips=True)
        while some := list(islice(rows, _PAIRS_AT_ONCE)):
            pairs, source, target, links = zip(*some, strict=True)
            add_phrases(store, model, counted(list(pairs), source, target, Links.of(list(links))))
