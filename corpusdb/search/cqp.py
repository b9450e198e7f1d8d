"""The automaton of a query run over a whole corpus at once, all possible matches a token at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from corpusdb.base.arrays import I64, Bools
from corpusdb.base.jobs import Limit, TookTooLong
from corpusdb.base.startup import loaded_later
from corpusdb.search.cqp_plan import Constraint, candidate_starts, plan_query
from corpusdb.search.cqp_syntax import Matches, Query, Tokens, labels_of

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class PartialMatches:
    """Beginnings of matches, each once; or several times with different labels."""

    row: I64
    """Index of the beginning in its block."""
    extra: I64
    """No line where the query has no labels; else a line with the rank, then one for each label.

    Of several ways from one beginning the one with the lowest rank is preferred: at the first token where two ways
    differ in their labels, the one that labels it, and of two labels the one written first. A label that is not set
    is -1.
    """

    @classmethod
    def fresh(cls, row: I64, labels: int) -> PartialMatches:
        extra = np.full((labels + 1 if labels else 0, len(row)), -1, dtype=np.int64)
        extra[:1] = 0
        return cls(row, extra)

    def __len__(self) -> int:
        return len(self.row)

    def __getitem__(self, chosen: Bools | I64) -> PartialMatches:
        return PartialMatches(self.row[chosen], self.extra[:, chosen])

    @property
    def labels(self) -> I64:
        """A line for each label."""
        return self.extra[1:]

    def labelled(self, label: int | None, position: I64) -> PartialMatches:
        """The same rows after the token at ``position`` was matched, with this label or none."""
        choices = len(self.extra)
        if not choices:
            return self
        extra = self.extra.copy()
        extra[0] = extra[0] * choices + (choices - 1 if label is None else label)
        if label is not None:
            extra[label + 1] = position
        return PartialMatches(self.row, extra)

    def distinct(self, lines: Sequence[int] = ()) -> PartialMatches:
        """The preferred row of those that share a beginning and the labels at ``lines``; ascending by beginning."""
        if not len(self.extra):
            row = np.unique(self.row)
            return PartialMatches(row, self.extra[:, : len(row)])
        keys = (self.row, *(self.labels[line] for line in lines))
        order = np.lexsort((self.extra[0], *reversed(keys)))
        changes = [np.diff(key[order]) != 0 for key in keys]
        is_first = np.concatenate([[True], np.logical_or.reduce(changes)])[: len(order)]
        return self[order[is_first]]


def joined(parts: Sequence[PartialMatches]) -> PartialMatches:
    if len(parts) == 1:
        return parts[0]
    return PartialMatches(
        np.concatenate([part.row for part in parts]), np.concatenate([part.extra for part in parts], axis=1)
    )


def ranked_anew(frontier: Mapping[int, PartialMatches]) -> tuple[dict[int, PartialMatches], int]:
    """The same rows with ranks in the same order but as low as can be, and the number of ranks."""
    distinct, ranks = np.unique(np.concatenate([rows.extra[0] for rows in frontier.values()]), return_inverse=True)
    ranked, first = {}, 0
    for state, rows in frontier.items():
        extra = rows.extra.copy()
        extra[0] = ranks[first : first + len(rows)]
        ranked[state] = PartialMatches(rows.row, extra)
        first += len(rows)
    return ranked, len(distinct)


# The automaton run over a whole corpus at once: every possible beginning is a row, and all move on a token a step.


Strategy: TypeAlias = Literal["standard", "shortest", "longest", "traditional"]

_BLOCK = 1 << 17
"""How many beginnings are followed at once: enough to make Python's share small, few enough to stay in the cache."""
_SMALL_BLOCK = 1 << 12
_MOST_ROWS = 1 << 24
"""So many ways to label the same beginnings are followed at once: a gigabyte."""
_MAX_RANK = int(np.iinfo(np.int64).max)


def find(
    query: Query,
    corpus: Tokens,
    *,
    strategy: Strategy = "standard",
    sentences: Bools | None = None,
    limit: Limit | None = None,
) -> Matches:
    """The matches of ``query``, ascending by their first token; its aligned conditions are left to the caller.

    ``strategy`` says which of several matches counts, as the comment below says. ``sentences`` has a value for each
    sentence of the corpus, false where it is not to be searched. Raises ValueError for another strategy, and for a
    mask of another size; TookTooLong and Cancelled as ``limit`` has it.
    """
    if strategy not in get_args(Strategy):
        raise ValueError(f"no matching strategy {strategy!r}")
    if sentences is not None and len(sentences) != len(corpus.ends):
        raise ValueError(f"the mask has {len(sentences)} values for {len(corpus.ends)} sentences")
    search = _Search(query, corpus, limit or Limit(), longest=strategy == "longest")
    starts = candidate_starts(search.plan, corpus, sentences)
    # One block at least, so that there is something to join.
    size = search.block_size
    blocks = [search.run(starts[first : first + size]) for first in range(0, max(1, len(starts)), size)]
    start = np.concatenate([block.start for block in blocks])
    stop = np.concatenate([block.stop for block in blocks])
    labels = np.concatenate([block.labels for block in blocks], axis=1)
    kept = _reported(stop, strategy)
    sentence = corpus.sentences[start[kept]].astype(np.int64)
    return Matches(sentence, start[kept], stop[kept], dict(zip(search.labels, labels[:, kept], strict=True)))


def _reported(stop: I64, strategy: Strategy) -> Bools:
    """Which matches ``strategy`` keeps, of one for each beginning, ascending by it."""
    kept = np.ones(len(stop), dtype=np.bool_)
    match strategy:
        case "standard":  # of those with one end the one that begins first
            kept[:] = False
            kept[np.unique(stop, return_index=True)[1]] = True
        case "longest":  # none inside another
            kept[1:] = stop[1:] > np.maximum.accumulate(stop)[:-1]
        case "shortest":  # none with another inside
            kept[:-1] = stop[:-1] < np.minimum.accumulate(stop[::-1])[::-1][1:]
    return kept


@dataclass(frozen=True, slots=True)
class _Block:
    """The matches of some beginnings, at most one each; ``labels`` has a line for each label."""

    start: I64
    stop: I64
    labels: I64


class _Search:
    def __init__(self, query: Query, corpus: Tokens, limit: Limit, *, longest: bool) -> None:
        self.plan = plan_query(query, corpus, limit)
        self.labels = labels_of(query.sequence)
        self._corpus = corpus
        self._longest = longest
        self._within = query.within
        self._sentences = 1 if corpus.follows is None else query.sentences
        self._limit = limit
        self._text = query.text
        self._constraint = (
            None if query.constraint is None else Constraint(query.constraint, self.labels, corpus, limit)
        )
        tokens = self.plan.automaton.tokens
        self._tests = [self.plan.tests[token] for token in tokens]
        automaton = self.plan.automaton
        self._ways = {
            state: [
                *((source, False) for source in automaton.sources.get(state, ())),
                # Where a match stands in one sentence, nothing can follow what is its end.
                *((source, True) for source in automaton.crossing.get(state, ()) if self._sentences > 1),
            ]
            for state in range(len(tokens))
        }
        self._label = [None if token.label is None else self.labels.index(token.label) for token in tokens]

    @property
    def block_size(self) -> int:
        """How many beginnings are followed at once; few where each has as many rows as its labels have places."""
        return _BLOCK if self._constraint is None or len(self._constraint.lines) < 3 else _SMALL_BLOCK

    def run(self, starts: I64) -> _Block:
        """The shortest match from each of ``starts`` that has one, or the longest."""
        sentence = self._corpus.sentences[starts].astype(np.int64)
        ends = self._corpus.ends[self._corpus.reach(sentence, self._sentences)[1]]
        stop = np.full(len(starts), -1, dtype=np.int64)
        labels = np.full((len(self.labels), len(starts)), -1, dtype=np.int64)
        frontier = self._begun(starts, starts == self._corpus.begins[sentence])
        choices = len(self.labels) + 1
        step, ranks = 1, choices
        while frontier:
            self._limit.check(self._text)
            accepted = self._accepted(frontier, self._ends_sentence(starts + step, ends))
            stop[accepted.row] = starts[accepted.row] + step
            labels[:, accepted.row] = accepted.labels
            if step == self._within:
                break
            going = starts + step < ends
            if not self._longest:
                going &= stop < 0
            if ranks * choices > _MAX_RANK:
                frontier, ranks = ranked_anew(frontier)
            frontier, ranks = self._advanced(frontier, starts + step, going), ranks * choices
            step += 1
        found = stop >= 0
        return _Block(starts[found], stop[found], labels[:, found])

    def _ends_sentence(self, position: I64, ends: I64) -> Bools:
        """Whether a sentence ends before each position, which is behind none of ``ends``."""
        is_end: Bools
        if self._sentences == 1:
            is_end = position == ends
            return is_end
        # Positions of beginnings that were followed to their end lie behind it; nobody looks at these.
        last = np.minimum(position, len(self._corpus.tokens)) - 1
        is_end = self._corpus.ends[self._corpus.sentences[last]] == position
        return is_end

    def _begun(self, starts: I64, begins_sentence: Bools) -> dict[int, PartialMatches]:
        frontier = {}
        every = PartialMatches.fresh(np.arange(len(starts), dtype=np.int64), len(self.labels))
        for state, anchored in self.plan.automaton.first.items():
            rows = self._passing(state, every[begins_sentence] if anchored else every, starts)
            if len(rows):
                frontier[state] = rows.labelled(self._label[state], starts[rows.row])
        return frontier

    def _accepted(self, frontier: dict[int, PartialMatches], ends_sentence: Bools) -> PartialMatches:
        """The rows that match up to here; where the query has labels, the preferred one of each beginning."""
        parts = [PartialMatches.fresh(np.zeros(0, dtype=np.int64), len(self.labels))]
        for state, anchored in self.plan.automaton.last.items():
            if (rows := frontier.get(state)) is not None:
                rows = rows[ends_sentence[rows.row]] if anchored else rows
                parts.append(rows if self._constraint is None else rows[self._constraint.holds(rows.labels)])
        rows = joined(parts)
        return rows.distinct() if self.labels else rows

    def _advanced(self, frontier: dict[int, PartialMatches], position: I64, going: Bools) -> dict[int, PartialMatches]:
        """The rows of each state that the token at ``position`` leads to, of those that are ``going`` on."""
        frontier = {state: rows[going[rows.row]] for state, rows in frontier.items()}
        lines = () if self._constraint is None else self._constraint.lines
        advanced = {}
        for state, ways in self._ways.items():
            self._limit.check(self._text)
            before = (
                self._crossing(frontier[source], position) if is_crossing else frontier[source]
                for source, is_crossing in ways
                if source in frontier
            )
            parts = [part for rows in before if len(part := self._passing(state, rows, position))]
            if parts:
                if sum(map(len, parts)) > _MOST_ROWS:
                    raise TookTooLong(
                        f"the labels could stand at more than {_MOST_ROWS:,} places at once; ask for less"
                    )
                rows = joined(parts)
                rows = rows.labelled(self._label[state], position[rows.row])
                # One part without constrained labels has each beginning once already.
                advanced[state] = rows.distinct(lines) if lines or len(parts) > 1 else rows
        return advanced

    def _crossing(self, rows: PartialMatches, position: I64) -> PartialMatches:
        places = position[rows.row]
        return rows[self._corpus.begins[self._corpus.sentences[places]] == places]

    def _passing(self, state: int, rows: PartialMatches, position: I64) -> PartialMatches:
        test = self._tests[state]
        return rows if test is None else rows[test.at(position[rows.row])]


# A subset of CQP, the query language of the IMS Corpus Workbench, over arrays of tokens.
#
# ``parse`` makes a syntax tree of a query, ``find`` its matches in ``Tokens``, ``explain`` tells how they are found.
# What is written as in the CQP Query Language Tutorial (Evert and the CWB Development Team) means what it says there:
#
#     "regex"  'regex'              a token whose whole word form matches, in the syntax of Python's ``re``
#     "regex"%c  %d  %cd            ignoring case; ignoring diacritics; both
#     "a.m."%l                      the string as it stands, no regular expression
#     "12"" record"  "12\" record"   a quote of the same kind inside is doubled, or behind a backslash
#     [word="regex"%c]              the same as "regex"%c
#     [word!="regex"]               a token that does not match
#     [word="un.*" & !(word="under" | word=".*ed")]      & binds closer than |
#     [lemma="go" & pos="V.*"]                           other attributes, which annotated sentences have
#     []                            any token
#     "a" "b"                       one token behind the other
#     "a" | "b" "c"                 one of several; | binds less than standing one behind the other
#     ( )                           a group
#     ? * + {n} {n,} {n,m} {,m}     how often the token or group before stands there
#     <s>  </s>                     the place where a sentence begins or ends; they match no token
#     a:[...]  a:"regex"            a label, which goes to the token matched last where it could stand for several
#     :: a.word = b.word            behind the query: two labelled tokens of one form; != for different forms; %c and %d
#     :: a.lemma = b.lemma          the same of other attributes
#     :: a.word = "regex" & !(...)  other conditions on labelled tokens, joined as inside brackets
#     within s                      in one sentence, which is always so where nothing else is said
#     within 2 s                    in two sentences that follow each other; "x" </s> <s> "y" is at the end of one
#     within 5   within 5 words     at most five tokens from the first to the last
#     :jpn "regex" ...              behind all that: a translation into this language matches; any number of these
#     :jpn ! "regex" ...            no translation into this language matches
#     ;                             the end of a query may be marked
#
# An aligned query may have a constraint and a ``within`` of its own. A test of a label that a match does not have is
# false, with != as with =. Diacritics are what ``without_diacritics`` says; strings are brought to NFC.
#
# A token of which an attribute is not known has the empty string there, as in CWB: "" and ".*" match it, != is true.
# Two tokens of which it is not known are not the same by it.
#
# Not supported, and said so where it is met: other regions than the sentence, XML attributes, lookahead [: :], labels
# inside brackets, target markers @, word lists, macros, MU and TAB queries, cut and all commands on results. One thing
# differs: in CQP a match may run over the end of a sentence unless ``within s`` is said, here only with ``within 2
# s``.
#
# Matching strategies, as CQP has them. The automaton gives at most one match for each token at which one can begin:
#
#     standard      the shortest from there; of several with one end only the one that begins first is kept, so that
#                   optional elements at the beginning are in the match and those at the end are not (the default)
#     shortest      the shortest from there; none is kept that has another match inside
#     longest       the longest from there; none is kept that is inside another match
#     traditional   the shortest from there; all are kept
#
# A match has one token or more: "a"* finds what "a" finds. Labels do not change the matches, only constraints do.
# Where one match can be labelled in several ways, it is the one that labels the first token where they differ, and of
# two labels there the one written first; with a constraint, of those ways that keep it.


if not TYPE_CHECKING:
    __getattr__ = loaded_later(
        __name__,
        {
            "Strategy": "matching",
            "find": "matching",
            "parse": "parser",
            "explain": "plan",
            "no_attribute": "plan",
            "WORD": "syntax",
            "Aligned": "syntax",
            "Query": "syntax",
            "attributes_of": "syntax",
            "Attribute": "tokens",
            "Matches": "tokens",
            "Tokens": "tokens",
        },
    )
