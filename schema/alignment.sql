-- Which words translate each other in pairs of sentences, and the phrases that follow from it: how often each stands
-- with which one of the other language. Probabilities, and what is equivalent, are queries over these counts.

-- What links the words of two languages; the one with the lesser code is the source. Of two languages the newest model
-- that is ready counts; an earlier one, and its rows, are removed once it is.
create table alignment_model (
    id integer primary key,               -- ascending: the newest counts
    source_language text not null,        -- ISO 639-3
    target_language text not null,        -- ISO 639-3
    parameters text not null,             -- JSON: what it was trained by, and on how many pairs
    state text not null check (state in ('training', 'decoding', 'ready')),     -- how far it is
    tables blob,                          -- the model; in training what the next step begins with; null before the first
    digest blob,                          -- SHA-256 of the languages and of tables
    run integer not null references run (id),               -- the training
    check (source_language < target_language)
) strict;

-- The links of one pair of sentences, by one model. A pair without a row is not aligned yet.
create table alignment (
    model integer not null references alignment_model (id), -- by which they are linked
    sentence integer not null references sentence (id),     -- in the source language
    translation integer not null references sentence (id),  -- in the target language
    links blob not null,                  -- its first byte is the width of a number; then source and target token, from 0
    tokens_digest blob not null,          -- of the tokens between which these links stand
    run integer not null references run (id),               -- what aligned them
    primary key (model, sentence, translation)
) strict, without rowid;

-- One to three words that stood in a phrase pair, or one word that stood in a pair of sentences.
create table phrase (
    id integer primary key,               -- by which the counts name it
    language text not null,               -- ISO 639-3
    text text not null,                   -- its tokens in lower case, a space between two
    unique (language, text)
) strict;

-- Where a phrase of the one or the other language stands in the pairs that a model aligned. The three add up to how often
-- a word stands there; of longer phrases only what is in a phrase pair is counted.
create table phrase_count (
    model integer not null references alignment_model (id), -- of whose pairs these are counts
    phrase integer not null references phrase (id),         -- what is counted
    paired integer not null,              -- how often in a phrase pair
    unlinked integer not null,            -- how often aligned with nothing
    unpaired integer not null,            -- how often with links that are part of longer or broken phrases only
    primary key (model, phrase)
) strict, without rowid;

-- How often two phrases stand for each other.
create table phrase_pair (
    model integer not null references alignment_model (id), -- of whose pairs these are counts
    source integer not null references phrase (id),         -- in the source language
    target integer not null references phrase (id),         -- in the target language
    count integer not null,               -- in how many places
    size integer not null,                -- tokens of the shortest pair of sentences in which both stand
    sentence integer not null references sentence (id),     -- that pair, the first of several: in the source language
    translation integer not null references sentence (id),  -- and in the target language
    primary key (model, source, target)
) strict, without rowid;

create index phrase_pair_source on phrase_pair (model, source, count, target);
create index phrase_pair_target on phrase_pair (model, target, count, source);

-- Phrases of one language of which a person said that they are not equivalent, whatever they are aligned with. No model
-- and no pair of sentences is named here, so that it holds for every alignment, that of this file or of two others.
-- A pair has no direction: it is written once, the lesser phrase first. Rows are only added: what is taken back stays,
-- and what counts is current_rejection.
create table rejected_equivalent (
    id integer primary key,               -- its number
    language text not null,               -- ISO 639-3
    phrase text not null,                 -- tokens in lower case, a space between two, as in phrase
    equivalent text not null,             -- the same; phrase is the lesser
    rejected text not null,               -- UTC, ISO 8601
    undone text,                          -- UTC, ISO 8601; null: it stands
    check (phrase < equivalent)
) strict;

create unique index rejected_equivalent_pair on rejected_equivalent (language, phrase, equivalent) where undone is null;
create index rejected_equivalent_turned on rejected_equivalent (language, equivalent) where undone is null;

create trigger rejected_equivalent_stays before delete on rejected_equivalent
begin
    select raise(abort, 'rejections are never deleted');
end;

create trigger rejected_equivalent_unchanged
before update of id, language, phrase, equivalent, rejected on rejected_equivalent
begin
    select raise(abort, 'rejections are never changed, only undone');
end;

-- Those that were not taken back.
create view current_rejection as
select id, language, phrase, equivalent, rejected from rejected_equivalent where undone is null;
