"""What must hold in the tables of exchanges, validity and rewordings, whatever the corpus."""

from __future__ import annotations

import sqlite3

__all__ = ["wrong_exchanges"]

_WRONG = {
    "sums of exchanges that their parts do not add up to": """
        select count(*) from (
            select exchange.id from exchange left join exchange_part part on part.exchange = exchange.id
            group by exchange.id
            having exchange.pairs <> coalesce(sum(part.pairs) filter (where kind = 'left'), 0)
                or exchange.pairs <> coalesce(sum(part.pairs) filter (where kind = 'right'), 0)
                or exchange.shared <> coalesce(sum(part.shared) filter (where kind = 'left'), 0)
                or exchange.shared <> coalesce(sum(part.shared) filter (where kind = 'right'), 0)
                or exchange.expected <> coalesce(sum(part.expected) filter (where kind = 'left'), 0)
                or exchange.expected <> coalesce(sum(part.expected) filter (where kind = 'right'), 0)
                or exchange.shared > exchange.pairs)
    """,
    "parts of no exchange": "select count(*) from exchange_part where exchange not in (select id from exchange)",
    "candidates whose validity is no probability": """
        select count(*) from candidate where validity not between 0 and 1 or (validity is null) <> (replacement is null)
    """,
    "detected paraphrases whose validity is no probability": """
        select count(*) from paraphrase where validity not between 0 and 1
    """,
    "rewordings that are their own seed, have no evidence or an impossible figure": """
        select count(*) from rewording left join sentence on sentence.id = rewording.sentence
        where rewording.text is sentence.text or sentence.text is null or pivots < 1 or languages < 1
           or probability <= 0 or inner_fluency < fluency or validity not between 0 and 1
    """,
}


def wrong_exchanges(connection: sqlite3.Connection) -> list[str]:
    """What is wrong, in words, with the number of the rows."""
    counted = ((what, connection.execute(query).fetchone()[0]) for what, query in _WRONG.items())
    return [f"there are {count:,} {what}" for what, count in counted if count]
