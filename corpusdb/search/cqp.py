"""The automaton of a query run over a whole corpus at once, all possible matches a token at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from corpusdb.base.arrays import I64, Bools, distinct
from corpusdb.base.jobs import Limit, TookTooLong
from corpusdb.search.cqp_plan import Constraint, QueryPlan, candidate_starts, plan_query
from corpusdb.search.cqp_syntax import MatchExpansion, MeetUnion, Query, Token, Union, labels_of
from corpusdb.search.token_corpus import Matches, Tokens


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
    sentences: Bools | None = None,
    begins: Bools | None = None,
    closes: Bools | None = None,
    limit: Limit | None = None,
) -> Matches:
    """The matches of ``query``, ascending by their first token; its aligned conditions are left to the caller.

    From each token the shortest match, and of several with one end the one that begins first, as CQP's strategy
    "standard" has it: what may be left out is in a match at its beginning, and not at its end. A match has one token or
    more. Labels do not change the matches, only constraints do. Where one match can be labelled in several ways, it is
    the one that labels the first token where they differ, and of two labels there the one written first; with a
    constraint, of those ways that keep it.

    ``sentences`` has a value for each sentence of the corpus, false where it is not to be searched, and ``begins``
    where no match may begin; ``closes`` where a match with an end of a sentence behind its last token may end. Raises
    ValueError for a mask of another size; TookTooLong and Cancelled as ``limit`` has it.
    """
    if sentences is not None and len(sentences) != len(corpus.ends):
        raise ValueError(f"the mask has {len(sentences)} values for {len(corpus.ends)} sentences")
    limit = limit or Limit()
    if query.meet is not None:
        start = _meeting(query.meet, plan_query(query, corpus, limit), corpus)
        sentence = corpus.sentences[start].astype(np.int64)
        matches = Matches(sentence, start, start + 1, {})
        return matches if sentences is None else matches.where(sentences[sentence])
    search = _Search(query, corpus, limit, closes)
    starts = candidate_starts(search.plan, corpus, sentences)
    starts = starts if begins is None else starts[begins[corpus.sentences[starts]]]
    # One block at least, so that there is something to join.
    size = search.block_size
    blocks = [search.run(starts[first : first + size]) for first in range(0, max(1, len(starts)), size)]
    start, stop, *labels = np.concatenate(blocks, axis=1)
    kept = np.sort(np.unique(stop, return_index=True)[1])
    sentence = corpus.sentences[start[kept]].astype(np.int64)
    return Matches(
        sentence, start[kept], stop[kept], dict(zip(search.labels, (each[kept] for each in labels), strict=True))
    )


def expanded(matches: Matches, expansion: MatchExpansion, corpus: Tokens) -> Matches:
    """The matches with more of their sentences on each side, those that become one once."""
    last = corpus.sentences[matches.stop - 1]
    start, stop = corpus.begins[matches.sentence], corpus.ends[last]
    if expansion.left is not None:
        start = np.maximum(start, matches.start - expansion.left)
    if expansion.right is not None:
        stop = np.minimum(stop, matches.stop + expansion.right)
    kept = np.unique(np.stack([start, stop]), axis=1, return_index=True)[1]
    return Matches(matches.sentence, start, stop, matches.labels).where(np.isin(np.arange(len(start)), kept))


def _meeting(node: MeetUnion, plan: QueryPlan, corpus: Tokens) -> I64:
    """Where the tokens stand that MU() asks for, ascending."""
    if isinstance(node, Token):
        return plan.places([node], len(corpus.tokens))
    left, right = (_meeting(each, plan, corpus) for each in (node.left, node.right))
    if isinstance(node, Union):
        return distinct(np.concatenate([left, right]))
    sentence = corpus.sentences[left]
    low, high = corpus.begins[sentence], corpus.ends[sentence]
    if node.window is not None:
        low, high = np.maximum(low, left + node.window[0]), np.minimum(high, left + node.window[1] + 1)
    found = np.searchsorted(right, high) - np.searchsorted(right, low)
    itself = (low <= left) & (left < high) & (np.searchsorted(right, left + 1) > np.searchsorted(right, left))
    kept: Bools = (found - itself > 0) != node.negated
    return left[kept]


class _Search:
    def __init__(self, query: Query, corpus: Tokens, limit: Limit, closes: Bools | None = None) -> None:
        self.plan = plan_query(query, corpus, limit)
        self._closes = closes
        self.labels = labels_of(query.sequence)
        self._corpus = corpus
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

    def run(self, starts: I64) -> I64:
        """The shortest match from each of ``starts`` that has one: a line of starts, one of stops, one a label."""
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
            going = (starts + step < ends) & (stop < 0)
            if ranks * choices > _MAX_RANK:
                frontier, ranks = ranked_anew(frontier)
            frontier, ranks = self._advanced(frontier, starts + step, going), ranks * choices
            step += 1
        found = stop >= 0
        return np.vstack((starts[found], stop[found], labels[:, found]))

    def _ends_sentence(self, position: I64, ends: I64) -> Bools:
        """Whether a sentence ends before each position, which is behind none of ``ends``."""
        is_end: Bools
        # Positions of beginnings that were followed to their end lie behind it; nobody looks at these.
        last = self._corpus.sentences[np.minimum(position, len(self._corpus.tokens)) - 1]
        is_end = position == ends if self._sentences == 1 else self._corpus.ends[last] == position
        return is_end if self._closes is None else is_end & self._closes[last]

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
                    raise TookTooLong(f"the labels could be in more than {_MOST_ROWS:,} places at once; ask for less")
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
