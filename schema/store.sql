-- The store itself: what made the rows, what is up to date, who writes, and sums by which damage is seen.

-- What made rows: an import, or a step of deriving. Every derived row names its run.
create table run (
    id integer primary key,               -- ascending, so that a layer can say up to which run it goes
    operation text not null,              -- import, detect, index, generate, accept ...
    parameters text not null,             -- JSON
    version text not null,                -- of corpusdb
    fingerprint text not null,            -- of the corpus when the run began
    started text not null,                -- UTC, ISO 8601
    finished text,                        -- null: still running, or interrupted
    counts text not null default '{}'     -- JSON: the counts at every step
) strict;

-- How far each derived layer of a language has followed the corpus. Which there are, and how each is kept up to date,
-- says the program.
create table layer (
    language text not null,               -- ISO 639-3
    name text not null,                   -- paraphrase, ngram, commutation ...
    parameters text not null,             -- JSON
    last_sentence integer not null,       -- sentences up to this id are in it
    last_run integer not null,            -- translations of runs up to this id are in it
    complete integer not null check (complete in (0, 1)),   -- 0: it is being made, or that was interrupted
    run integer not null references run (id),               -- what brought it to this state
    primary key (language, name)
) strict, without rowid;

-- Who is changing the corpus or what is derived from it: one job at a time, of all processes on all machines. At most one
-- row, which is there while a job runs, and after one that was killed.
create table job_lock (
    id integer primary key check (id = 1),                  -- there is one lock
    token text not null,                  -- drawn at random; a job whose token is gone has lost the lock
    operation text not null,              -- import, generate ...
    host text not null,                   -- the name of the machine
    boot text not null,                   -- of the machine and its process numbers; '' where the system does not tell
    pid integer not null,                 -- the number of the process
    process_started integer not null,     -- tells a later process of the same number apart; 0 where it is not known
    started text not null,                -- UTC, ISO 8601
    beats integer not null                -- grows while the job runs
) strict;

-- Checksums of what people and imports gave and of segments: damage that leaves the pages readable is seen by them.
-- All are of 62 bits, so that two can be added in SQLite's integers.

-- Of each row that is small or that a person made; written by temporary triggers of whoever opens the file for writing.
create table row_checksum (
    name text not null,                   -- of the table
    row text not null,                    -- its key; the parts of one of several columns are separated by /
    checksum integer not null,            -- of all its values
    primary key (name, row)
) strict, without rowid;

-- Of the sentences that were stored together, in the order of their ids.
create table sentence_checksum (
    first integer primary key,            -- the id of the first sentence
    last integer not null,                -- the id of the last
    checksum integer not null,            -- of their languages and texts
    check (first <= last)
) strict;

-- Of each document: the sum of the checksums of its rows, whatever their order.
create table document_checksum (
    document integer primary key references document (id),  -- whose rows these are
    occurrences integer not null default 0,                 -- the sum of those of its occurrences
    units integer not null default 0,     -- of its units
    versions integer not null default 0,  -- of its versions
    sections integer not null default 0   -- of its sections
) strict;

-- Of the translations that a run stored in a collection; both directions have the same sum.
create table translation_checksum (
    collection integer not null references collection (id), -- in which they stand
    run integer not null references run (id),               -- what stored them
    checksum integer not null,            -- the sum of those of the pairs
    primary key (collection, run)
) strict, without rowid;

-- What a check found wrong, until a repair or another check finds it sound: commands do not answer from such a file.
create table damage (
    id integer primary key check (id = 1),                  -- the last check only
    found text not null,                  -- UTC, ISO 8601
    problems text not null                -- JSON: in words
) strict;
