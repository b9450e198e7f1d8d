"""Sentences that the corpus does not hold, reworded when somebody asks by exchanges, frames and paraphrases of clauses;
and what the validity of any finding is made of."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain
from typing import Final, Literal, NamedTuple, TypeAlias

from corpusdb.base.ngrams import SuffixIndex
from corpusdb.base.options import format_probability
from corpusdb.base.text import units_of
from corpusdb.corpus.model import Finding, ValidityStep
from corpusdb.corpus.orders import ONE_PIVOT, REPLACES
from corpusdb.corpus.queries.sentences import sentence_id
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.applying import LEAST_CLAUSE_GAIN, Applying, OfOtherOrigins, framed, odd_elsewhere
from corpusdb.paraphrase.derivation import rewording_orders
from corpusdb.paraphrase.differences import GAP, Application, Exchange, change_of, difference, is_more_polite
from corpusdb.paraphrase.exchange_index import StoredExchange, StoredPart
from corpusdb.paraphrase.familiar import ANYWHERE, FamiliarExchange, FamiliarExchanges, familiar_exchanges
from corpusdb.paraphrase.frames import Frames, as_shown
from corpusdb.paraphrase.known import exchange_as_read, read_exchanges
from corpusdb.paraphrase.pair_differences import Pair
from corpusdb.paraphrase.queries.exchanges import stored_frame
from corpusdb.paraphrase.queries.models import load_word_model
from corpusdb.paraphrase.queries.rewordings import (
    EXCHANGES,
    clauses_of,
    composition_of,
    inside_of,
    load_frames,
    part_rows,
    parts_of_rewording,
)
from corpusdb.paraphrase.queries.seeds import SeedValidity
from corpusdb.paraphrase.rewording import (
    LEAST_APPLIED,
    OF_A_STEP,
    Clauses,
    Composed,
    Judged,
    Part,
    as_inside,
    closing_clauses,
    composed,
    is_part,
)
from corpusdb.paraphrase.sharing import WHOLE
from corpusdb.paraphrase.witnesses import Witness
from corpusdb.paraphrase.word_model import WordModel, word_gains

_BESIDE_SOME = """
select exchange, kind, name, pairs, shared, expected from json_each(?) wanted
cross join exchange_part on exchange = wanted.value and kind in ('left', 'right') and shared > 1
"""


class FrameExchange(NamedTuple):
    """How many pairs of sentences differ by a frame."""

    shared: int
    """How many of them share a translation."""
    expected: float
    """How many would if it kept the meaning."""


_Said: TypeAlias = tuple[Application, FamiliarExchange | FrameExchange | None, Judged]


class Reworded(NamedTuple):
    """A sentence with one exchange made, or a paraphrase of a clause, and what speaks for it."""

    made: Application
    exchange: FamiliarExchange | FrameExchange | None
    """None for a clause."""
    validity: float
    replacement: int
    """Why fewer than N will do."""
    order: int
    """The fluency order, for which the sequences of the seed count as seen; that of a clause by itself."""
    inner_order: int
    word_gain: float | None
    """log10 of its probability as a sentence less that of the seed; None where no word model says it."""
    clause: tuple[str, str] | None = None
    """What the sentence ends with, as a sentence by itself, and the paraphrase of that, where it was made so."""


class RewordedTogether(NamedTuple):
    """Several exchanges made in a sentence."""

    made: Composed
    order: int
    inner_order: int
    word_gain: float | None


_DIGITS: Final = 4


class SeedRewordings:
    """Makes exchanges in sentences of one language, as its exchanges stand when they are first asked for."""

    def __init__(self, store: Store, language: str, ngrams: SuffixIndex) -> None:
        self._store = store
        self._language = language
        self._ngrams = ngrams
        self._validity = SeedValidity(store, language)
        self._latest: tuple[str, list[Reworded]] | None = None
        self._partners: dict[str, Sequence[FamiliarExchange]] = {}
        self._beginnings: set[str] = set()

    @cached_property
    def exchanges(self) -> Mapping[str, Sequence[StoredExchange]]:
        """By either text."""
        found: dict[str, list[StoredExchange]] = defaultdict(list)
        bound = {"language": self._language, "gap": GAP, "framed": False}
        for each in map(StoredExchange._make, self._store.connection.execute(EXCHANGES, bound)):
            found[each.x].append(each)
            found[each.y].append(each)
        return dict(found)

    def familiar(self, *sentences: str) -> FamiliarExchanges:
        """Those of the texts that stand in some sentences, and of others that stood in those asked for before."""
        cut = map(units_of, sentences)
        runs = chain.from_iterable(accumulate(units[start:]) for units in cut for start in range(len(units)))
        fresh = {run for run in runs if run in self.exchanges} - self._partners.keys()
        if fresh:
            found = {each for run in fresh for each in self.exchanges[run]}
            bound = (json.dumps([each.id for each in found]),)
            parts = map(StoredPart._make, self._store.connection.execute(_BESIDE_SOME, bound))
            made = familiar_exchanges(sorted(found), parts, self._language, self.word_model, ANYWHERE)
            self._partners |= {run: made.partners.get(run, ()) for run in fresh}
            self._beginnings |= made.beginnings
        return FamiliarExchanges(self._partners, self._beginnings, self._language, ANYWHERE)

    @cached_property
    def frames(self) -> Frames:
        return load_frames(self._store, self._language)

    @cached_property
    def word_model(self) -> WordModel | None:
        return load_word_model(self._store, self._language)

    def give(self, sentence: str, translations: Iterable[str]) -> None:
        """Note the translations that somebody gave of a sentence: they are witnesses of its rewordings."""
        self._validity.translations.give(sentence, translations)
        self._latest = None

    def of(self, sentence: str) -> list[Reworded]:
        """The rewordings of a normalised sentence, in the order of the places of the exchanges, then by clauses.

        Those of the sentence that was asked for last are kept.
        """
        if self._latest is None or self._latest[0] != sentence:
            (made,) = self._of_each([sentence])
            best = {each.made.text: each for each in self._measured(sentence, made)}
            for each in self._by_closing(sentence):
                if each.made.text not in best or best[each.made.text].validity < each.validity:
                    best[each.made.text] = each
            self._latest = sentence, list(best.values())
        return self._latest[1]

    def applied(self, sentences: Sequence[str]) -> list[list[Application]]:
        """The same of each of some sentences, which are judged together, without what speaks for it."""
        return [[each for each, *_ in made] for made in self._of_each(sentences)]

    def _of_each(self, sentences: Sequence[str]) -> list[list[_Said]]:
        """Of each sentence the rewordings, each text once."""
        found: dict[str, dict[str, _Said]] = {sentence: {} for sentence in sentences}
        if self._validity.is_known:
            for made in (self._by_exchanges([*found]), self._by_frames([*found]), *map(self._by_clauses, found)):
                for sentence, each in made:
                    found[sentence].setdefault(each[0].text, each)
        return [list(found[sentence].values()) for sentence in sentences]

    def _by_exchanges(self, sentences: Sequence[str]) -> Iterator[tuple[str, _Said]]:
        familiar = self.familiar(*sentences)
        made = [(sentence, *each) for sentence in sentences for each in familiar.applied(sentence)]
        elsewhere = [(sentence, each.text) for sentence, each, is_known in made if not is_known]
        odd = odd_elsewhere(elsewhere, self.word_model if elsewhere else None, ANYWHERE)
        usual = [(sentence, each) for sentence, each, is_known in made if is_known or (sentence, each.text) not in odd]
        pairs = [Pair(0, sentence, each.text) for sentence, each in usual]
        judged = self._validity.judge_applied(pairs, ANYWHERE.shared) if pairs else []
        for (sentence, each), said in zip(usual, judged, strict=True):
            if said.replacement:
                yield sentence, (each, familiar.of(each.exchange), said)

    def _by_frames(self, sentences: Sequence[str]) -> Iterator[tuple[str, _Said]]:
        made = framed(list(enumerate(sentences)), self.frames, self.word_model)
        pairs = [Pair(0, sentences[number], text, frame=frame) for number, text, _, frame in made]
        judged = self._validity.judge_applied(pairs) if pairs else []
        for (number, text, _, frame), said in zip(made, judged, strict=True):
            if said.replacement:
                yield sentences[number], (*self._framed(sentences[number], text, frame), said)

    def _framed(self, sentence: str, text: str, frame: Exchange) -> tuple[Application, FrameExchange]:
        known = self.frames.figures[min(frame), max(frame)]
        made = _application(sentence, text)._replace(exchange=(as_shown(frame[0]), as_shown(frame[1])))
        return made, FrameExchange(known.shared, known.expected / WHOLE)

    def _by_clauses(self, sentence: str) -> Iterator[tuple[str, _Said]]:
        """Those that paraphrases of sentences of the corpus make, with which this one begins or ends."""
        if self.word_model is None:
            return
        found = clauses_of(self._store, self._language, sentence)
        rows = chain.from_iterable(part_rows(self._store, self._language, number) for number, _ in found)
        clauses = Clauses(found, rows, self._language, self._inside)
        applying = Applying(self._validity.judge_applied, OfOtherOrigins(()), self.word_model)
        for each in applying.clauses([(0, sentence)], clauses):
            yield sentence, (_application(sentence, each.text), None, Judged(*each[2:]))

    def _by_closing(self, sentence: str) -> Iterator[Reworded]:
        """Those of what the sentence ends with, behind a comma or words that open it, as a sentence by itself.

        They are not much less probable in their place by the word model, without which there are none; nor do they only
        ask more politely, or less.
        """
        if self.word_model is None or not self._validity.is_known:
            return
        places = {clause: at for at, clause in closing_clauses(sentence, self._language)}
        made = list(self._by_themselves(places, sentence))
        texts = [_in_place(sentence, places[clause], clause, each.made.text, self._inside) for clause, each in made]
        gains = word_gains(self.word_model, [sentence] * len(texts), texts)
        for (clause, each), text, gain in zip(made, texts, gains, strict=True):
            if text == sentence or gain is None or gain < LEAST_CLAUSE_GAIN:
                continue
            if is_more_polite(difference(units_of(clause), units_of(each.made.text)).regions, self._language):
                continue
            begin, stop = (places[clause] + place for place in each.made[2:])
            yield each._replace(
                made=Application(text, each.made.exchange, begin, stop),
                validity=round(each.validity * OF_A_STEP, _DIGITS),
                word_gain=gain,
                clause=(clause, each.made.text),
            )

    def _by_themselves(self, clauses: Iterable[str], sentence: str) -> Iterator[tuple[str, Reworded]]:
        """What is made of clauses of a sentence: of those that the corpus holds what it has; more probable than not."""
        numbers = {clause: sentence_id(self._store, self._language, clause) for clause in clauses}
        fresh = [clause for clause, number in numbers.items() if number is None]
        for clause in fresh:
            self._validity.translations.share(sentence, clause)
        for clause, said in (*self._by_exchanges(fresh), *self._by_frames(fresh)) if fresh else ():
            if said[2].validity > LEAST_APPLIED:
                yield clause, self._measured(clause, [said])[0]
        for clause, number in numbers.items():
            rows = () if number is None else part_rows(self._store, self._language, number)
            for _, text, validity, replacement, order, gain in rows:
                is_real = text[-1] == clause[-1] and change_of(clause, text, self._language).kind == "real"
                if is_real and is_part(validity, replacement, order, gain):
                    why, known = max(replacement, REPLACES), min(order, len(text))
                    yield clause, Reworded(_application(clause, text), None, validity, why, known, known, gain)

    @cached_property
    def _inside(self) -> Callable[[str], float]:
        return inside_of(self.word_model)

    def together(self, sentence: str) -> list[RewordedTogether]:
        """Several of these in one text."""
        if not self._validity.is_known:
            return []
        found = self.of(sentence)
        parts = [
            Part(each.made.text, each.validity, each.replacement)
            for each in found
            if is_part(each.validity, each.replacement, each.order, each.word_gain)
        ]
        made = composed(sentence, parts, self._language, {each.made.text for each in found})
        gains = word_gains(self.word_model if made else None, [sentence] * len(made), [each.text for each in made])
        longest = self._ngrams.longest
        return [
            RewordedTogether(each, *rewording_orders(sentence, each.text, each.begin, each.stop, longest), gain)
            for each, gain in zip(made, gains, strict=True)
        ]

    def _measured(self, sentence: str, made: Iterable[_Said]) -> list[Reworded]:
        """With the orders of those that have some validity, and a reason why fewer than N will do."""
        longest = self._ngrams.longest
        return [
            Reworded(
                each,
                exchange,
                *said[:2],
                *rewording_orders(sentence, each.text, each.begin, each.stop, longest),
                said.word_gain,
            )
            for each, exchange, said in made
        ]


def _in_place(sentence: str, at: int, clause: str, text: str, inside: Callable[[str], float]) -> str:
    """A sentence with a rewording in the place of the clause that it ends with from ``at`` on."""
    if units_of(text)[0] == units_of(clause)[0]:
        return sentence[: at + 1] + text[1:]
    return sentence[:at] + as_inside(text, inside)


def _application(sentence: str, text: str) -> Application:
    """``text`` as an exchange in ``sentence``, of all from the first to the last unit that differs."""
    units = units_of(sentence)
    found = difference(units, units_of(text))
    start = len("".join(units[: found.places[0][0]]))
    return Application(text, found.exchange, start, start + len(found.exchange[1]))


# What the validity of a finding is made of, in words.


_FAR: Final = 0.05
"""What people read makes the validity so much more than what the corpus teaches, where it is told."""
_MARKED: Final = 0.5
"""By so much more or less, as log odds, an exchange is worth where it stands, where that is told."""


def validity_steps(
    store: Store, language: str, seed: str, finding: Finding, languages: Sequence[str], *, in_corpus: bool
) -> tuple[ValidityStep, ...]:
    """What bounds the validity of a finding, and what else it is made of.

    ``languages``: in which the two share a translation; ``in_corpus``: whether the corpus has the seed. Nothing where a
    person says that it holds, or nothing was learned.
    """
    judge = SeedValidity(store, language)
    if finding.validity is None or finding.validity >= 1 or not judge.is_known:
        return ()
    is_applied = finding.origin == "exchange"
    number = sentence_id(store, language, seed) if is_applied and in_corpus else None
    if number is not None and parts_of_rewording(store, number, finding.text) > 1:
        made = composition_of(store, language, number, seed, finding.text)
        part = f"{made.left:g} of " if made is not None and made.left < 1 else ""
        return (ValidityStep(f"{part}the product of the validities of the paraphrases that it is made of", "<"),)
    by_analogies = bool(finding.frequency)
    figures = finding.frequency, finding.languages, finding.probability
    frame = None if by_analogies else stored_frame(store, language, seed, finding.text)
    pair = Pair(0, seed, finding.text, *(figures if by_analogies else (0, 0, 0.0)), frame)
    ends = _closing(store, language, judge, pair, finding.validity) if is_applied and not in_corpus else None
    if ends is not None:
        return (ValidityStep(f"{OF_A_STEP:g} of the validity of {ends[1]!r} as a paraphrase of {ends[0]!r}", "<"),)
    steps = [ValidityStep(each, "<") for each in judge.bounding(pair, len(languages), derived=by_analogies)]
    steps += map(_testifying, judge.witnesses(pair))
    if not by_analogies and not languages and frame is None:
        steps += _said_elsewhere(language, pair)
    if languages:
        steps.append(ValidityStep(f"the two share a translation ({', '.join(languages)})", "+"))
    elif not by_analogies:
        alone = "the two share no translation: only the exchange of words speaks for it here"
        steps.append(ValidityStep(alone, "-"))
    steps += _as_read(judge, pair, finding)
    if judge.is_hidden(pair, applied=is_applied):
        (pivot,) = judge.models.pivots
        change = judge.change(pair)
        is_alone = is_applied and judge.models.exchanges
        why = "; hardly any pair shows the exchange beside both words around it" if is_alone else ""
        halved = f"multiplied by {ONE_PIVOT:g}: {pivot} is the one pivot language, which does not mark"
        differ = f"; the two differ in {change}" if change else why
        steps.append(ValidityStep(f"{halved} {', '.join(judge.models.unseen)}{differ}", "<"))
    return tuple(steps)


def _said_elsewhere(language: str, pair: Pair) -> Iterator[ValidityStep]:
    """What readers said of other pairs that differ by the same exchange, where the two differ by one."""
    found = difference(units_of(pair.seed), units_of(pair.text))
    known = read_exchanges(language).get(exchange_as_read(*found.exchange)) if len(found.regions) == 1 else None
    if known is not None:
        words = " / ".join(text.strip() or "(nothing)" for text in found.exchange)
        told = f"of {known.read} pairs that differ by {words} alone readers said that {known.held} hold, or nearly"
        more = known.said(found.exchange, found.left, found.right) - known.log_odds
        if abs(more) < _MARKED:
            yield ValidityStep(told, "+" if 2 * known.held > known.read else "-")
        else:
            beside = f"{'more' if more > 0 else 'less'} often in this direction and beside these words"
            yield ValidityStep(f"{told}; {beside}", "+" if more > 0 else "-")


def _as_read(judge: SeedValidity, pair: Pair, finding: Finding) -> Iterator[ValidityStep]:
    """What readers said raises what the corpus teaches to, where that is much more; what lowers it is told before."""
    learned, validity = judge.learned(pair, derived=bool(finding.frequency)), finding.validity or 0.0
    if validity - learned < _FAR:
        return
    made = "a frame makes" if pair.frame is not None else "an exchange makes"
    kind = "analogies give" if finding.frequency else made if finding.origin == "exchange" else "share a translation"
    yield ValidityStep(
        f"the sharing of translations alone teaches {format_probability(learned)}; what readers said of pairs that"
        f" {kind}, by their words and translations, raises that to {format_probability(validity)}",
        "+",
    )


def _closing(store: Store, language: str, judge: SeedValidity, pair: Pair, validity: float) -> tuple[str, str] | None:
    """What a seed that is not in the corpus ends with, and its paraphrase, where ``validity`` is from that."""
    for at, clause in closing_clauses(pair.seed, language):
        if pair.text.startswith(pair.seed[:at]) and len(pair.text) > at:
            other = pair.text[at].upper() + pair.text[at + 1 :]
            number = sentence_id(store, language, clause)
            if number is None:
                frame = stored_frame(store, language, clause, other)
                said = [each.validity for each in judge.judge_applied([Pair(0, clause, other, frame=frame)])]
            else:
                said = [row[2] for row in part_rows(store, language, number) if row[1] == other]
            if any(round(each * OF_A_STEP, _DIGITS) == validity for each in said):
                return clause, other
    return None


def _testifying(witness: Witness) -> ValidityStep:
    """As in: fra: 'Un verre, svp.': calls for glass, which is missing; cup is not expected."""
    expected = [word for word, asked in witness.added if asked]
    missed = [word for word, asked in witness.left_out if asked]
    strange = [word for word, asked in witness.added if not asked]
    asks = [f"calls for {' and '.join(expected)}"] if expected else []
    if missed:
        verb = "which is missing" if len(missed) == 1 else "which are missing"
        asks.append(f"{'but also for' if expected else 'calls for'} {' and '.join(missed)}, {verb}")
    said = [", ".join(asks)] if asks else []
    listed = " and ".join(filter(None, [", ".join(strange[:-1]), *strange[-1:]]))
    said += [f"{listed} {'is' if len(strange) == 1 else 'are'} not expected"] if strange else []
    said += ["calls for nothing that is missing"] if not said else []
    translation = " ".join(witness.translation.split())  # a narrow space, as French has, would be quoted by its code
    speaks: Literal["+", "-", ""] = "+" if not missed and not strange else "" if expected else "-"
    return ValidityStep(f"{witness.language}: {translation!r}: {'; '.join(said)}", speaks)
