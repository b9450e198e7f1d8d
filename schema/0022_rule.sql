-- Rules that rewrite sentences of one language in another style, what they were applied to, and what that does to the
-- correlation of scores with people. A rule that is changed is another rule: rows of rules are never changed, so that
-- whatever was made by one says by which.

create table rule (
    id integer primary key,
    name text not null,
    kind text not null,                   -- what it changes: polite or other
    text text not null,                   -- the lines of its file: rule, reason for which it is off, examples
    digest text not null unique,          -- 16 hexadecimal digits of SHA-256 of what it does; not of its examples
    file text not null,                   -- the name of the file that it was read from
    run integer not null references run (id)
) strict;

create index rule_name on rule (name);

-- Rules that are applied together, in their order. Sets of the same rules in the same order are one set.
create table rule_set (
    id integer primary key,
    digest text not null unique,          -- 16 hexadecimal digits of SHA-256 of the digests of its rules
    run integer not null references run (id)
) strict;

create table rule_set_member (
    rule_set integer not null references rule_set (id),
    position integer not null,            -- from 1: when it is applied
    rule integer not null references rule (id),
    primary key (rule_set, position),
    unique (rule_set, rule)
) strict, without rowid;

-- The sets that a person made and named; their rules stay those that they were, whatever a later program brings.
create table named_rule_set (
    id integer primary key,
    name text not null unique,
    created text not null,                -- UTC, ISO 8601
    run integer not null references run (id)
) strict;

create table named_rule_set_member (
    named_rule_set integer not null references named_rule_set (id),
    position integer not null,            -- from 1: when it is applied
    rule integer not null references rule (id),
    enabled integer not null check (enabled in (0, 1)),     -- 0: switched off
    primary key (named_rule_set, position),
    unique (named_rule_set, rule)
) strict, without rowid;

-- All that rewritings depend on beside the text.
create table rewriting_method (
    id integer primary key,
    rule_set integer not null references rule_set (id),
    analyser text not null,               -- program, dictionary and mode that morphemes were found by, with versions
    most integer not null,                -- rewritings of a text
    run integer not null references run (id),
    unique (rule_set, analyser, most)
) strict;

-- The texts to which a method was applied, also those of which nothing came.
create table rewritten_text (
    id integer primary key,
    method integer not null references rewriting_method (id),
    text text not null,
    dropped text not null,                -- JSON: how many rewritings were dropped, by the reason
    run integer not null references run (id),
    unique (method, text)
) strict;

create index rewritten_text_text on rewritten_text (text);

create table rewriting (
    id integer primary key,
    origin integer not null references rewritten_text (id),
    position integer not null,            -- from 1, in the order in which the rules make them
    text text not null,
    lineage text not null,                -- JSON: [[rule, direction, [[begin, end, new begin, new end], ...]], ...]
    unique (origin, text)
) strict;

-- What leaving one rule out does to a correlation of scores with those of people: all rules of a set without it less
-- all of them. Above 0 the scores agree better with people without the rule.
create table rule_effect (
    run integer not null references run (id),
    rule integer not null references rule (id),
    metric text not null,                 -- the signature of the scores with all rules
    human text not null,                  -- which scores of people: raw, z ...
    correlation text not null,            -- pearson, kendall ...
    segments integer not null,            -- those that have a rewriting by the rule
    with_rule real not null,              -- the correlation with all rules of the set
    delta real not null,                  -- without the rule, less with it
    low real,                             -- of the interval of delta; null where none was drawn
    high real,
    primary key (run, rule, metric, human, correlation)
) strict, without rowid;

create index rule_effect_rule on rule_effect (rule, run);

insert into checksum_since (name, since, against) values ('rule', 0, -1);
insert into checksum_since (name, since, against) values ('rule_set', 0, -1);
insert into checksum_since (name, since, against) values ('rule_set_member', 0, -1);
insert into checksum_since (name, since, against) values ('named_rule_set', 0, -1);
insert into checksum_since (name, since, against) values ('named_rule_set_member', 0, -1);
insert into checksum_since (name, since, against) values ('rewriting_method', 0, -1);
insert into checksum_since (name, since, against) values ('rewritten_text', 0, -1);
insert into checksum_since (name, since, against) values ('rewriting', 0, -1);
insert into checksum_since (name, since, against) values ('rule_effect', 0, -1);
