"""Links of the corpus as files: those that another aligner made are taken in, those that are stored are written out.

GIZA++, fast_align and eflomal write Pharaoh lines for two texts whose tokens stand between spaces. Links are taken in
where the corpus has the pair of sentences and cuts it into the same tokens: between other tokens they would be other
links. They are a model without what a model has learned, so that nothing can link the pairs that come later.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from corpusdb.alignment.links import Link, Links
from corpusdb.alignment.stored_links import links_to_bytes, tokens_digest
from corpusdb.errors import DatabaseDamaged, InputError, UsageError
from corpusdb.formats.files.reading import STDIN, digest_of
from corpusdb.formats.pharaoh import read_links as read_link_lines
from corpusdb.jobs import Job, Progress
from corpusdb.queries.alignment.alignment_models import (
    IMPORTED,
    StoredModel,
    drop_older_models,
    new_model,
    ordered_languages,
    ready_model,
    save_state,
    unfinished_model,
    ways_now,
)
from corpusdb.queries.alignment.corpus_alignment import stored_counts, update_alignment
from corpusdb.queries.alignment.file_alignment import TokenisedFiles, read_tokenised
from corpusdb.queries.alignment.linked_pairs import read_links
from corpusdb.queries.alignment.pair_tokens import SentencePair, SentenceTokens, pairs_of
from corpusdb.queries.alignment.phrases.phrase_counts import add_phrases, counted
from corpusdb.queries.corpus.sentences import check_languages
from corpusdb.store import Run, Store, finish_run, start_run
from corpusdb.store.exclusive_jobs import exclusive
from corpusdb.text import normalise

__all__ = ["LinkFile", "LinkImportReport", "LinkedTexts", "import_links", "linked_texts", "read_link_file", "recount"]

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
    """Pharaoh lines and their two texts; ``tokenise`` as for ``read_tokenised``, of which ``none`` is the usual one.

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
    links = read_link_lines(path, texts.lengths)
    return LinkFile(path.name, digest_of((path, source, ref)), texts, links)


@dataclass(frozen=True, slots=True)
class LinkImportReport:
    """What was taken in."""

    source: str
    target: str
    read: int
    """Lines of links."""
    pairs: int
    """Pairs of sentences that have links now."""
    links: int
    unlinked_source: int
    """Tokens without a link."""
    unlinked_target: int
    unknown: int
    """Lines whose two texts are no pair of the corpus."""
    other_tokens: int
    """Lines whose texts are a pair that the corpus cuts into other tokens."""
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
        raise InputError(_none_told(given, matched, (one, other)))
    found = sorted(matched.links)
    parameters = {"languages": [source, target], "links": given.digest}
    with store.write():
        run = start_run(store, "align", parameters)
        model = unfinished_model(store, source, target)
        if model is None or model.run != run.id:
            told = {"kind": IMPORTED, "file": given.name, "digest": given.digest, "pairs": len(found), "tokens": ways}
            model = save_state(store, new_model(store, source, target, told, run), "decoding")
    figures = yield from _store(store, model, run, matched.links, tokens)
    with store.write():
        model = save_state(store, model, "ready")
        finish_run(store, run, figures)
    for gone in drop_older_models(store, model):
        yield Progress("removing what an earlier model aligned, rows", gone, 0)
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


def _none_told(given: LinkFile, matched: _Matched, languages: tuple[str, str]) -> str:
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
    for source, target, links in zip(given.texts.source, given.texts.target, given.links, strict=True):
        first, second = (list(map(normalise, side)) for side in ((target, source) if turned else (source, target)))
        ids = own.get(_key(first), ()), others.get(_key(second), ())
        there = [pair for pair in map(SentencePair._make, product(*ids)) if pair in known]
        ordered = sorted((theirs, mine) for mine, theirs in links) if turned else sorted(links)
        new = is_same = False
        for pair in there:
            texts = own_tokens[pair.sentence], other_tokens[pair.translation]
            if list(map(_lower, texts)) == [_lower(first), _lower(second)]:
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


_INSERT = """
insert into alignment (model, sentence, translation, links, tokens_digest, run) values (?, ?, ?, ?, ?, ?)
"""
_STORED = "select sentence, translation from alignment where model = ?"


def _store(
    store: Store, model: StoredModel, run: Run, given: Mapping[SentencePair, Sequence[Link]], cut: SentenceTokens
) -> Job[dict[str, int]]:
    """Store what is not stored yet, in each transaction some pairs and their phrases; figures of all that is given."""
    figures = {"pairs": len(given), "links": 0, "unlinked_source": 0, "unlinked_target": 0}
    stored = set(map(SentencePair._make, store.connection.execute(_STORED, (model.id,))))
    found, done = iter(sorted(given)), 0
    while pairs := list(islice(found, _PAIRS_AT_ONCE)):
        yield Progress(f"storing links of {model.languages}, pairs of sentences", done, len(given))
        source, target = cut.of([pair.sentence for pair in pairs]), cut.of([pair.translation for pair in pairs])
        new, rows = [], []
        for number, (pair, own, theirs) in enumerate(zip(pairs, source, target, strict=True)):
            links = given[pair]
            figures["links"] += len(links)
            figures["unlinked_source"] += len(own) - len({place for place, _ in links})
            figures["unlinked_target"] += len(theirs) - len({place for _, place in links})
            if pair not in stored:
                new.append(number)
                rows.append((model.id, *pair, links_to_bytes(links), tokens_digest(own, theirs), run.id))
        made = [pairs[number] for number in new]
        phrases = counted(
            made,
            [source[number] for number in new],
            [target[number] for number in new],
            Links.of([list(given[pair]) for pair in made]),
        )
        with store.unchecked_references(), store.write() as connection:
            connection.executemany(_INSERT, rows)
            add_phrases(store, model, phrases)
        done += len(pairs)
    return figures


class LinkedTexts(NamedTuple):
    """A pair of sentences by its tokens, and its links."""

    source: Tokens
    target: Tokens
    links: Sequence[Link]


_LINKED = "select sentence, translation, links, tokens_digest from alignment where model = ? order by 1, 2"


def linked_texts(store: Store, one: str, other: str) -> Iterator[LinkedTexts]:
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
            yield LinkedTexts(own, theirs, links)
        else:
            yield LinkedTexts(theirs, own, sorted((place, mine) for mine, place in links))


def _stored_links(
    store: Store, model: StoredModel, *, skips: bool = False
) -> Iterator[tuple[SentencePair, list[str], list[str], list[Link]]]:
    """All that a model has; with ``skips`` links that cannot be used are left out, else they raise DatabaseDamaged."""
    cut = SentenceTokens(store.connection, dict(zip((model.source, model.target), model.ways, strict=True)))
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
