-- Rules that rewrite sentences of one language in another style, what they were applied to, and what that does to the
-- correlation of scores with people. A rule that is changed is another rule: rows of rules are never changed, so that
-- whatever was made by one says by which.

-- A rule, as its file had it.
create table rule (
    id integer primary key,               -- by which sets name it
    name text not null,                   -- by which people name it
    kind text not null,                   -- what it changes: polite or other
    text text not null,                   -- the lines of its file: rule, reason for which it is off, examples
    digest text not null unique,          -- 16 hexadecimal digits of SHA-256 of what it does; not of its examples
    file text not null,                   -- the name of the file that it was read from
    run integer not null references run (id)                -- what stored it
) strict;

create index rule_name on rule (name);

-- Rules that are applied together, in their order. Sets of the same rules in the same order are one set.
create table rule_set (
    id integer primary key,               -- its number
    digest text not null unique,          -- 16 hexadecimal digits of SHA-256 of the digests of its rules
    run integer not null references run (id)                -- what stored it
) strict;

-- The rules of a set.
create table rule_set_member (
    rule_set integer not null references rule_set (id),     -- in which it is
    position integer not null,            -- from 1: when it is applied
    rule integer not null references rule (id),             -- what is applied
    primary key (rule_set, position),
    unique (rule_set, rule)
) strict, without rowid;

-- The sets that a person made and named; their rules stay those that they were, whatever a later program brings.
create table named_rule_set (
    id integer primary key,               -- its number
    name text not null unique,            -- as the user calls it
    created text not null,                -- UTC, ISO 8601
    run integer not null references run (id)                -- what stored it
) strict;

-- The rules of a named set.
create table named_rule_set_member (
    named_rule_set integer not null references named_rule_set (id),     -- in which it is
    position integer not null,            -- from 1: when it is applied
    rule integer not null references rule (id),             -- what is applied
    enabled integer not null check (enabled in (0, 1)),     -- 0: switched off
    primary key (named_rule_set, position),
    unique (named_rule_set, rule)
) strict, without rowid;

-- All that rewritings depend on beside the text.
create table rewriting_method (
    id integer primary key,               -- its number
    rule_set integer not null references rule_set (id),     -- the rules that are applied
    analyser text not null,               -- program, dictionary and mode that morphemes were found by, with versions
    most integer not null,                -- rewritings of a text
    run integer not null references run (id),               -- what stored it
    unique (rule_set, analyser, most)
) strict;

-- The texts to which a method was applied, also those of which nothing came.
create table rewritten_text (
    id integer primary key,               -- its number
    method integer not null references rewriting_method (id),           -- what was applied
    text text not null,                   -- to which
    dropped text not null,                -- JSON: how many rewritings were dropped, by the reason
    run integer not null references run (id),               -- what applied it
    unique (method, text)
) strict;

create index rewritten_text_text on rewritten_text (text);

-- What a method made of a text.
create table rewriting (
    id integer primary key,               -- its number
    origin integer not null references rewritten_text (id), -- of what it was made
    position integer not null,            -- from 1, in the order in which the rules make them
    text text not null,                   -- what was made
    lineage text not null,                -- JSON: [[rule, direction, [[begin, end, new begin, new end], ...]], ...]
    unique (origin, text)
) strict;

-- What leaving one rule out does to a correlation of scores with those of people: all rules of a set without it less
-- all of them. Above 0 the scores agree better with people without the rule.
create table rule_effect (
    run integer not null references run (id),               -- what computed it
    rule integer not null references rule (id),             -- that is left out
    metric text not null,                 -- the signature of the scores with all rules
    human text not null,                  -- which scores of people: raw, z ...
    correlation text not null,            -- pearson, kendall ...
    segments integer not null,            -- those that have a rewriting by the rule
    with_rule real not null,              -- the correlation with all rules of the set
    delta real not null,                  -- without the rule, less with it
    low real,                             -- of the interval of delta; null where none was drawn
    high real,                            -- the other end of it
    primary key (run, rule, metric, human, correlation)
) strict, without rowid;

create index rule_effect_rule on rule_effect (rule, run);
