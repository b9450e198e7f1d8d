-- Where texts stand between two references, by models of characters, and parts of the corpus that were selected.

-- A model of characters: counts of n-grams alone, so that counts can be added and taken away. Smoothing is done anew
-- whenever it is read.
create table char_model (
    id integer primary key,
    language text not null,
    name text unique,                     -- null for the reference of a profile
    parameters text not null,             -- JSON: order, smoothing, normalisation
    sources text not null,                -- JSON: the files and collections with digests, by which it is known to be stale
    texts integer not null,
    characters integer not null,
    counts blob not null,
    run integer not null references run (id)
) strict;

-- Two references over one alphabet, and the ends of the scale between them, in bits per character.
create table profile (
    id integer primary key,
    language text not null,
    parameters text not null,             -- JSON: the references by name, order, smoothing, normalisation, seed, size
    sources text not null,                -- JSON: kind, name and digest of each
    model1 integer not null references char_model (id),     -- spoken: 0 of the scale
    model2 integer not null references char_model (id),     -- written: 1 of the scale
    h11 real not null,                    -- hij: the cost of reference j under the model of reference i
    h12 real not null,
    h21 real not null,
    h22 real not null,
    d1 real,                              -- of held-out text of reference 1: bits under model 1 less those under model 2
    d2 real,                              -- null where nothing can be held out
    unseen1 real,                         -- the coefficient of that text; null where it is not defined
    unseen2 real,
    reference_texts blob not null,        -- 8 bytes of the BLAKE2b of each normalised line that a model has, ascending
    run integer not null references run (id),
    unique (language, parameters)
) strict;

-- What each sentence costs: sufficient for the coefficient of every set of sentences. One without a row is empty in the
-- normalisation, or stands in a reference.
create table profile_sentence (
    profile integer not null references profile (id),
    sentence integer not null references sentence (id),
    characters integer not null,
    bits1 real not null,
    bits2 real not null,
    unknown integer not null,             -- characters that the alphabet of the references lacks
    primary key (profile, sentence)
) strict, without rowid;

create table selection (
    id integer primary key,
    language text not null,
    name text not null unique,
    parameters text not null,             -- JSON: the method and all that it depends on
    curve text not null,                  -- JSON: held-out bits by amount
    run integer not null references run (id)
) strict;

create table selection_member (
    selection integer not null references selection (id),
    rank integer not null,                -- from 1, the best first
    sentence integer not null references sentence (id),
    score real not null,                  -- lower is better
    primary key (selection, rank)
) strict, without rowid;

create index selection_member_sentence on selection_member (sentence);

insert into checksum_since (name, since, against)
values ('char_model', 0, -1), ('profile', 0, -1), ('selection', 0, -1), ('selection_member', 0, -1);
