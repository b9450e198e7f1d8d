-- Which words translate each other in pairs of sentences, and the phrases that follow from it: how often each stands
-- with which one of the other language. Probabilities, and what is equivalent, are queries over these counts.

-- What links the words of two languages; the one with the lesser code is the source. Of two languages the newest model
-- that is ready counts; an earlier one, and its rows, are removed once it is.
create table alignment_model (
    id integer primary key,
    source_language text not null,
    target_language text not null,
    parameters text not null,             -- JSON: what it was trained by, and on how many pairs
    state text not null check (state in ('training', 'decoding', 'ready')),
    tables blob,                          -- the model; in training what the next step begins with; null before the first
    digest blob,                          -- SHA-256 of the languages and of tables
    run integer not null references run (id),
    check (source_language < target_language)
) strict;

-- The links of one pair of sentences, by one model. A pair without a row is not aligned yet.
create table alignment (
    model integer not null references alignment_model (id),
    sentence integer not null references sentence (id),     -- in the source language
    translation integer not null references sentence (id),
    links blob not null,                  -- its first byte is the width of a number; then source and target token, from 0
    tokens_digest blob not null,          -- of the tokens between which these links stand
    run integer not null references run (id),
    primary key (model, sentence, translation)
) strict, without rowid;

-- One to three words that stood in a phrase pair, or one word that stood in a pair of sentences.
create table phrase (
    id integer primary key,
    language text not null,
    text text not null,                   -- its tokens in lower case, a space between two
    unique (language, text)
) strict;

-- Where a phrase of the one or the other language stands in the pairs that a model aligned. The three add up to how often
-- a word stands there; of longer phrases only what is in a phrase pair is counted.
create table phrase_count (
    model integer not null references alignment_model (id),
    phrase integer not null references phrase (id),
    paired integer not null,              -- how often in a phrase pair
    unlinked integer not null,            -- how often aligned with nothing
    unpaired integer not null,            -- how often with links that are part of longer or broken phrases only
    primary key (model, phrase)
) strict, without rowid;

create table phrase_pair (
    model integer not null references alignment_model (id),
    source integer not null references phrase (id),
    target integer not null references phrase (id),
    count integer not null,
    size integer not null,                -- tokens of the shortest pair of sentences in which both stand
    sentence integer not null references sentence (id),     -- that pair, the first of several
    translation integer not null references sentence (id),
    primary key (model, source, target)
) strict, without rowid;

create index phrase_pair_source on phrase_pair (model, source, count, target);
create index phrase_pair_target on phrase_pair (model, target, count, source);
