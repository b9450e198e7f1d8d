"""The categories that people give the lines of concordances."""

from __future__ import annotations

import json
import re
import shlex
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from corpusdb.base.display import check_name
from corpusdb.base.errors import InputError, UsageError, did_you_mean
from corpusdb.base.estimates import Interval, wilson
from corpusdb.base.jobs import Limit, finished
from corpusdb.corpus.queries.sentences import (
    sentences_of,
)
from corpusdb.corpus.store import Store
from corpusdb.corpus.store.connection import now
from corpusdb.search.queries.concordance import (
    HitDetails,
    Line,
    Wanted,
    arrange_lines,
    cut_at,
    details_of,
    place_of,
    texts_of,
)
from corpusdb.search.queries.distribution import LinePlace, categories_of
from corpusdb.search.queries.request import SearchRequest
from corpusdb.search.queries.search import Searcher, searches

_PAGE = 500
"""How many lines are looked up at a time."""


@dataclass(frozen=True, slots=True)
class CategoryCount:
    """How many lines of a set have a category, or none where that is empty."""

    category: str
    lines: int
    share: float
    """Of the lines of the set that have one; among lines that were found, of all these."""
    interval: Interval | None = None
    """Of the share, with a confidence of 95 %, by Wilson; None where the lines were not drawn at random from more."""


@dataclass(frozen=True, slots=True)
class CategorySet:
    name: str
    categories: int
    lines: int


def check_category_set(name: str) -> None:
    """Raise UsageError for what cannot be the name of a set of categories."""
    check_name(name, "a set of categories")
    if name != name.strip() or name.startswith("-"):
        raise UsageError(f"{name!r} cannot be the name of a set of categories: no - in front, no space at the ends")


def check_category(category: str) -> None:
    """Raise UsageError for what cannot be a category: a digit in front is the number of one."""
    check_name(category, "a category")
    if category != category.strip() or re.match(r"[-\d]", category):
        raise UsageError(f"{category!r} cannot be a category: no digit or - in front, no space at the ends")


_LAST_STEP = "select coalesce(max(step), 0) from line_category where name = ?"
_STANDS = "select category from current_line_category where name = ? and sentence = ? and start = ? and stop = ?"
_ASSIGN = """
insert into line_category (name, step, sentence, start, stop, category, assigned) values (?, ?, ?, ?, ?, ?, ?)
"""


def set_category(store: Store, name: str, places: Iterable[LinePlace], category: str | None) -> int:
    """Give some lines a category in a set, in one step, or take theirs away with None; how many lines that changed.

    When this returns, the file has it. Raises UsageError for a name or a category that cannot be one.
    """
    check_category_set(name)
    if category is not None:
        check_category(category)
    with store.write() as connection:
        step = int(connection.execute(_LAST_STEP, (name,)).fetchone()[0]) + 1
        when, changed = now(), 0
        for place in dict.fromkeys(places):
            row = connection.execute(_STANDS, (name, *place)).fetchone()
            if (row[0] if row else None) != category:
                connection.execute(_ASSIGN, (name, step, *place, category, when))
                changed += 1
    return changed


_LAST_THAT_STANDS = "select max(step) from line_category where name = ? and undone is null"
_UNDO = """
update line_category set undone = ? where name = ? and step = ? and undone is null returning sentence, start, stop
"""


def undo_categories(store: Store, name: str) -> list[LinePlace]:
    """Undo the last step of a set; the lines that have what they had before. None where nothing is left to undo."""
    with store.write() as connection:
        (step,) = connection.execute(_LAST_THAT_STANDS, (name,)).fetchone()
        rows = [] if step is None else connection.execute(_UNDO, (now(), name, step)).fetchall()
    return [LinePlace(*row) for row in rows]


_EVER_NAMED = "select distinct name from line_category order by name"


def require_category_set(store: Store, name: str) -> None:
    """Raise InputError, with the names that are like it, where no line ever had a category in a set."""
    known = _sets_ever(store)
    if name not in known:
        raise InputError(f"there is no set of categories {name!r}; {_advice(name, known)}")


def _sets_ever(store: Store) -> list[str]:
    return [row[0] for row in store.connection.execute(_EVER_NAMED)]


def _advice(name: str, known: Sequence[str]) -> str:
    if near := did_you_mean(name, known):
        return near
    there = f"there are {', '.join(known)}" if known else "there is none yet"
    return f"{there}; `corpusdb categories set {shlex.quote(name)} CATEGORY` makes it of lines of the last search"


_SETS = "select name, count(distinct category), count(*) from current_line_category group by name order by name"


def category_sets(store: Store) -> list[CategorySet]:
    return [CategorySet(*row) for row in store.connection.execute(_SETS)]


# In the order in which they came up, so that a new category does not change the digits of the others in the browser.
_COUNTS = """
with known as (
    select category, min(id) as first from line_category where name = :name and category is not null group by category
)
select known.category, count(*)
from current_line_category given join known on known.category = given.category
where given.name = :name group by known.category order by known.first
"""


def category_counts(store: Store, name: str) -> list[CategoryCount]:
    """The categories of a set in the order in which they came up, with their ratios; none where no line has one."""
    counted = store.connection.execute(_COUNTS, {"name": name}).fetchall()
    total = sum(count for _, count in counted)
    return [CategoryCount(category, count, count / total) for category, count in counted]


def counts_among(store: Store, name: str, lines: FoundLines) -> list[CategoryCount]:
    """The categories of a set in the same order, each with how many of some lines have it; last those that have none.

    Nothing where no line has a category of the set, or none was found.
    """
    given, known = categories_of(store, name), category_counts(store, name)
    total = len(lines.places)
    if not known or not total:
        return []
    counts = Counter(given.get(place, "") for place in lines.places)
    return [
        CategoryCount(category, count, count / total, wilson(count, total) if lines.are_drawn else None)
        for category in (*(each.category for each in known), "")
        for count in [counts[category]]
    ]


@dataclass(frozen=True, slots=True)
class FoundLines:
    places: Sequence[LinePlace]
    are_drawn: bool
    """At random from more."""


def found_lines(store: Store, request: SearchRequest, limit: Limit | None = None) -> FoundLines:
    """The lines of the concordance that a search gives, all of them or its sample, in the order in which it shows them.

    Raises UsageError, QueryError, InputError, TookTooLong and Cancelled as a search does.
    """
    searcher, request, found, total = Searcher(store), request.for_lines, list[LinePlace](), 0
    with store.snapshot():
        for each in searches(store, request):
            lines = arrange_lines(searcher.find(each, limit), request.arrangement)
            concordance = finished(lines, None if limit is None else lambda step: limit.check(request.pattern))
            found += map(place_of, concordance.lines())
            total += concordance.total
    return FoundLines(found, len(found) < total)


_TEXT = "select text from sentence where id = ?"


def first_line(store: Store, places: Sequence[LinePlace]) -> Line:
    """The first of some lines, of which there is one at least."""
    (text,) = store.connection.execute(_TEXT, (places[0].sentence,)).fetchone()
    return cut_at(places[0], text)


_LINES = """
select sentence.id, start, stop, category, sentence.language, sentence.text
from current_line_category join sentence on sentence.id = current_line_category.sentence
where name = ? order by sentence.language, sentence.id, start, stop
"""


def categorised_lines(
    store: Store,
    name: str,
    wanted: Wanted,
    among: Collection[LinePlace] | None = None,
    collection: str | None = None,
) -> Iterator[HitDetails]:
    """The lines of a set that have a category, by language and in the order of the corpus, with what is ``wanted``.

    All of them, or those ``among`` some lines and in a collection, selection or result. Raises InputError where there
    is no such set, or no such collection.
    """
    rows = store.connection.execute(_LINES, (name,)).fetchall()
    if not rows:
        require_category_set(store, name)
        raise InputError(f"no line has a category in the set {name!r} any more")
    if among is not None:
        places = frozenset(among)
        rows = [row for row in rows if LinePlace(*row[:3]) in places]
    if collection is not None:
        inside = frozenset(sentences_of(store, collection).tolist())
        rows = [row for row in rows if row[0] in inside]
    for first in range(0, len(rows), _PAGE):
        page = [
            (row[0], row[4], {"category": row[3], **texts_of(cut_at(LinePlace(*row[:3]), row[5]))})
            for row in rows[first : first + _PAGE]
        ]
        yield from details_of(store, page, wanted)


_SETS_OF = """
select distinct name from current_line_category
where :sentences is null or sentence in (select value from json_each(:sentences)) order by name
"""


def category_sets_of(store: Store, collections: Sequence[str], sentences: Collection[int] | None) -> list[str]:
    """The sets in which a line of some sentences has a category; both none means all.

    These are the sentences of some collections that are among some others.
    """
    inside = None if sentences is None else frozenset(sentences)
    if collections and category_sets(store):  # most databases have no category, and need not look
        own = frozenset().union(*(sentences_of(store, each).tolist() for each in collections))
        inside = own if inside is None else own & inside
    numbers = None if inside is None else json.dumps(sorted(inside))
    return [row[0] for row in store.connection.execute(_SETS_OF, {"sentences": numbers})]


# What is never deleted or changed by mistake goes where somebody says so, whole: a set, or what is told of sentences
# that are removed, of which no line has a category any more.

_GUARDS = """
select name, sql from sqlite_master where name in ('line_category_stays', 'line_category_unchanged') order by name
"""
_LIFT = 'drop trigger main."{name}"'


@contextmanager
def _unguarded(connection: sqlite3.Connection) -> Iterator[None]:
    """Without the triggers that keep rows as they are; inside a transaction of the caller, which they come back in."""
    guards = connection.execute(_GUARDS).fetchall()
    for name, _ in guards:
        connection.execute(_LIFT.format(name=name))
    yield
    for _, statement in guards:
        connection.execute(statement)


_FORGET_SET = "delete from line_category where name = ?"


def remove_category_set(store: Store, name: str) -> int:
    """Delete a set with all its steps; how many lines had a category. Raises InputError for one that there is not."""
    with store.write() as connection:
        require_category_set(store, name)
        lines = sum(each.lines for each in category_sets(store) if each.name == name)
        with _unguarded(connection):
            connection.execute(_FORGET_SET, (name,))
    return lines


_RENAME_SET = "update line_category set name = ? where name = ?"


def rename_category_set(store: Store, name: str, new: str) -> None:
    """Give a set another name. Raises InputError for one that there is not, or a name that another set has or had."""
    check_category_set(new)
    with store.write() as connection:
        require_category_set(store, name)
        if new in _sets_ever(store):
            raise InputError(f"there is a set of categories {new!r} already; `corpusdb categories remove` deletes it")
        with _unguarded(connection):
            connection.execute(_RENAME_SET, (new, name))


_FORGET_LINES = "delete from line_category where sentence in (select value from json_each(?))"


def forget_lines(connection: sqlite3.Connection, sentences: str) -> None:
    """Forget what was said of lines of some sentences, numbers in JSON, which are about to be deleted.

    Inside a transaction of the caller, who has seen that no line of them has a category.
    """
    with _unguarded(connection):
        connection.execute(_FORGET_LINES, (sentences,))
