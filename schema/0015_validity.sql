-- How often exchanges of words keep the meaning, and the probability that each paraphrase holds, learned from that.

-- Those by which a stored paraphrase differs from its seed and that pairs of sentences in one context show.
create table exchange (
    id integer primary key,
    language text not null,
    x text not null,                      -- with the space before it; may be empty
    y text not null,
    pairs integer not null,               -- of sentences in one context, the one with x and the other with y
    shared integer not null,              -- of these, pairs that share a translation
    expected integer not null,            -- how many would if they meant the same, in parts of 1/1048576
    unique (language, x, y),
    check (x < y)
) strict;

-- The same of a part of those pairs: by language of the translations, by equal neighbour to the left or right.
create table exchange_part (
    exchange integer not null references exchange (id),
    kind text not null check (kind in ('language', 'left', 'right')),
    name text not null,                   -- of the language, or the neighbour; ^ and $ at the ends of a sentence
    pairs integer not null,
    shared integer not null,
    expected integer not null,
    primary key (exchange, kind, name)
) strict, without rowid;

alter table paraphrase add column validity real;   -- the probability that it holds; null where not known
alter table candidate add column validity real;
alter table candidate add column replacement integer;  -- 1: every region that differs is a replacement with evidence
