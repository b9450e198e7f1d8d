-- Where texts stand between two references, by models of characters, and parts of the corpus that were selected.

-- A model of characters: counts of n-grams alone, so that counts can be added and taken away. Smoothing is done anew
-- whenever it is read.
create table char_model (
    id integer primary key,               -- its number
    language text not null,               -- ISO 639-3
    name text unique,                     -- null for the reference of a profile
    parameters text not null,             -- JSON: order, smoothing, normalisation
    sources text not null,                -- JSON: the files and collections with digests, by which it is known to be stale
    texts integer not null,               -- how many lines it was trained on
    characters integer not null,          -- how many characters these have
    counts blob not null,                 -- of the n-grams
    run integer not null references run (id)                -- the training
) strict;

-- Two references over one alphabet, and the ends of the scale between them, in bits per character.
create table profile (
    id integer primary key,               -- its number
    language text not null,               -- ISO 639-3
    parameters text not null,             -- JSON: the references by name, order, smoothing, normalisation, seed, size
    sources text not null,                -- JSON: kind, name and digest of each
    model1 integer not null references char_model (id),     -- spoken: 0 of the scale
    model2 integer not null references char_model (id),     -- written: 1 of the scale
    h11 real not null,                    -- hij: the cost of reference j under the model of reference i
    h12 real not null,                    -- of the written one under the spoken one
    h21 real not null,                    -- of the spoken one under the written one
    h22 real not null,                    -- of the written one under its own
    d1 real,                              -- of held-out text of reference 1: bits under model 1 less those under model 2
    d2 real,                              -- the same of reference 2; null where nothing can be held out
    unseen1 real,                         -- the coefficient of that text; null where it is not defined
    unseen2 real,                         -- the same of reference 2
    reference_texts blob not null,        -- 8 bytes of the BLAKE2b of each normalised line that a model has, ascending
    run integer not null references run (id),               -- what made it
    unique (language, parameters)
) strict;

-- What each sentence costs: sufficient for the coefficient of every set of sentences. One without a row is empty in the
-- normalisation, or stands in a reference.
create table profile_sentence (
    profile integer not null references profile (id),       -- between whose references it stands
    sentence integer not null references sentence (id),     -- what is measured
    characters integer not null,          -- of the normalised text
    bits1 real not null,                  -- what it costs under model 1
    bits2 real not null,                  -- what it costs under model 2
    unknown integer not null,             -- characters that the alphabet of the references lacks
    primary key (profile, sentence)
) strict, without rowid;

-- Sentences that were chosen by a method, usable wherever a collection is.
create table selection (
    id integer primary key,               -- its number
    language text not null,               -- ISO 639-3
    name text not null unique,            -- as the user calls it
    parameters text not null,             -- JSON: the method and all that it depends on
    curve text not null,                  -- JSON: held-out bits by amount
    run integer not null references run (id)                -- what chose them
) strict;

-- The sentences of a selection, in their order.
create table selection_member (
    selection integer not null references selection (id),   -- in which it is
    rank integer not null,                -- from 1, the best first
    sentence integer not null references sentence (id),     -- what was chosen
    score real not null,                  -- lower is better
    primary key (selection, rank)
) strict, without rowid;

create index selection_member_sentence on selection_member (sentence);
