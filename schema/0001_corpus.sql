-- The corpus: who said what, where it stands, and what translates what.

create table run (
    id integer primary key,
    operation text not null,              -- import, detect, index, generate, accept
    parameters text not null,             -- JSON
    version text not null,                -- of corpusdb
    fingerprint text not null,            -- of the corpus when the run began
    started text not null,                -- UTC, ISO 8601
    finished text,                        -- null: still running, or interrupted
    counts text not null default '{}'     -- JSON: the counts at every step
) strict;

create table collection (
    id integer primary key,
    name text not null unique,
    licence text
) strict;

create table document (
    id integer primary key,
    collection integer not null references collection (id),
    name text not null,
    digest text not null,                 -- SHA-256 of the file's bytes and of how it was read
    languages text not null,              -- in the order of the columns
    lines_done integer not null default 0,
    complete integer not null default 0 check (complete in (0, 1)),
    counts text not null default '{}',    -- JSON: what reading it gave
    run integer not null references run (id),
    unique (collection, digest)
) strict;

create table sentence (
    id integer primary key,
    language text not null,               -- ISO 639-3
    text text not null,                   -- NFC
    unique (language, text)
) strict;

create table occurrence (
    document integer not null references document (id),
    line integer not null,                -- from 1
    sentence integer not null references sentence (id),
    original text,                        -- as the file had it, where normalisation changed it
    primary key (document, line, sentence)
) strict, without rowid;

create index occurrence_sentence on occurrence (sentence);

-- Both directions of each pair stand here, so that a join needs to look one way only.
create table translation (
    sentence integer not null references sentence (id),
    translation integer not null references sentence (id),
    collection integer not null references collection (id),
    run integer not null references run (id),
    primary key (sentence, translation, collection)
) strict, without rowid;

-- How far each derived layer of a language has followed the corpus.
create table layer (
    language text not null,
    name text not null check (name in ('paraphrase', 'ngram', 'commutation', 'candidate')),
    parameters text not null,             -- JSON
    last_sentence integer not null,       -- sentences up to this id are in it
    last_run integer not null,            -- translations of runs up to this id are in it
    complete integer not null check (complete in (0, 1)),
    run integer not null references run (id),
    primary key (language, name)
) strict, without rowid;
