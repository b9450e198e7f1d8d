"""A subset of CQP, the query language of the IMS Corpus Workbench, over arrays of tokens.

``parse`` makes a syntax tree of a query, ``find`` its matches in ``Tokens``, ``explain`` tells how they are found.
What is written as in the CQP Query Language Tutorial (Evert and the CWB Development Team) means what it says there:

    "regex"  'regex'              a token whose whole word form matches, in the syntax of Python's ``re``
    "regex"%c  %d  %cd            ignoring case; ignoring diacritics; both
    "a.m."%l                      the string as it stands, no regular expression
    "12"" record"  "12\\" record"   a quote of the same kind inside is doubled, or behind a backslash
    [word="regex"%c]              the same as "regex"%c
    [word!="regex"]               a token that does not match
    [word="un.*" & !(word="under" | word=".*ed")]      & binds closer than |
    [lemma="go" & pos="V.*"]                           other attributes, which annotated sentences have
    []                            any token
    "a" "b"                       one token behind the other
    "a" | "b" "c"                 one of several; | binds less than standing one behind the other
    ( )                           a group
    ? * + {n} {n,} {n,m} {,m}     how often the token or group before stands there
    <s>  </s>                     the place where a sentence begins or ends; they match no token
    a:[...]  a:"regex"            a label, which goes to the token matched last where it could stand for several
    :: a.word = b.word            behind the query: two labelled tokens of one form; != for different forms; %c and %d
    :: a.lemma = b.lemma          the same of other attributes
    :: a.word = "regex" & !(...)  other conditions on labelled tokens, joined as inside brackets
    within s                      in one sentence, which is always so where nothing else is said
    within 2 s                    in two sentences that follow each other; "x" </s> <s> "y" is at the end of one
    within 5   within 5 words     at most five tokens from the first to the last
    :jpn "regex" ...              behind all that: a translation into this language matches; any number of these
    :jpn ! "regex" ...            no translation into this language matches
    ;                             the end of a query may be marked

An aligned query may have a constraint and a ``within`` of its own. A test of a label that a match does not have is
false, with != as with =. Diacritics are what ``vocabulary.without_diacritics`` says; strings are brought to NFC.

A token of which an attribute is not known has the empty string there, as in CWB: "" and ".*" match it, != is true. Two
tokens of which it is not known are not the same by it.

Not supported, and said so where it is met: other regions than the sentence, XML attributes, lookahead [: :], labels
inside brackets, target markers @, word lists, macros, MU and TAB queries, cut and all commands on results. One thing
differs: in CQP a match may run over the end of a sentence unless ``within s`` is said, here only with ``within 2 s``.

Matching strategies, as CQP has them. The automaton gives at most one match for each token at which one can begin:

    standard      the shortest from there; of several with one end only the one that begins first is kept, so that
                  optional elements at the beginning are in the match and those at the end are not (the default)
    shortest      the shortest from there; none is kept that has another match inside
    longest       the longest from there; none is kept that is inside another match
    traditional   the shortest from there; all are kept

A match has one token or more: "a"* finds what "a" finds. Labels do not change the matches, only constraints do. Where
one match can be labelled in several ways, it is the one that labels the first token where they differ, and of two
labels there the one written first; with a constraint, of those ways that keep it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpusdb.base.startup import loaded_later

if TYPE_CHECKING:
    from corpusdb.search.cqp.matching import Strategy, find
    from corpusdb.search.cqp.parser import parse
    from corpusdb.search.cqp.plan import explain, no_attribute
    from corpusdb.search.cqp.syntax import WORD, Aligned, Query, attributes_of
    from corpusdb.search.cqp.tokens import Attribute, Matches, Tokens

__all__ = [
    "WORD",
    "Aligned",
    "Attribute",
    "Matches",
    "Query",
    "Strategy",
    "Tokens",
    "attributes_of",
    "explain",
    "find",
    "no_attribute",
    "parse",
]

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
