-- Checksums of what people and imports gave and of segments: damage that leaves the pages readable is seen by them.
-- All are of 62 bits, so that two can be added in SQLite's integers.

-- Of each row that is small or that a person made; written by temporary triggers of whoever opens the file for writing.
create table row_checksum (
    name text not null,                   -- of the table
    row text not null,                    -- its key; the parts of one of several columns are separated by /
    checksum integer not null,
    primary key (name, row)
) strict, without rowid;

-- Of the sentences that were stored together, in the order of their ids.
create table sentence_checksum (
    first integer primary key,
    last integer not null,
    checksum integer not null,
    check (first <= last)
) strict;

-- Of each document: the sum of the checksums of its rows, whatever their order.
create table document_checksum (
    document integer primary key references document (id),
    occurrences integer not null default 0,
    units integer not null default 0,
    versions integer not null default 0,
    sections integer not null default 0
) strict;

-- Of the translations that a run stored in a collection; both directions have the same sum.
create table translation_checksum (
    collection integer not null references collection (id),
    run integer not null references run (id),
    checksum integer not null,
    primary key (collection, run)
) strict, without rowid;

-- Rows of an older database, up to an id, may have no checksum; those of a document or translation by that or the run.
create table checksum_since (
    name text primary key,                -- of the table
    since integer not null,               -- 0: all rows have one
    against integer not null,             -- the same the other way round, so that a wrong one is seen
    check (against = -1 - since)
) strict, without rowid;

insert into checksum_since (name, since, against)
select name, since, -1 - since from (
    select 'run' as name, (select coalesce(max(id), 0) from run) as since
    union all select 'collection', (select coalesce(max(id), 0) from collection)
    union all select 'document', (select coalesce(max(id), 0) from document)
    union all select 'layer', (select count(*) from layer)
    union all select 'saved_query', (select coalesce(max(id), 0) from saved_query)
    union all select 'sample', (select coalesce(max(id), 0) from sample)
    union all select 'sample_item', (select coalesce(max(id), 0) from sample_item)
    union all select 'judgement', (select coalesce(max(id), 0) from judgement)
    union all select 'session', (select coalesce(max(id), 0) from session)
    union all select 'session_seed', (select coalesce(max(id), 0) from session_seed)
    union all select 'session_decision', (select coalesce(max(id), 0) from session_decision)
    union all select 'reference_set', (select coalesce(max(id), 0) from reference_set)
    union all select 'system_output', (select coalesce(max(id), 0) from system_output)
    union all select 'score', (select coalesce(max(id), 0) from score)
    union all select 'sentence', (select coalesce(max(id), 0) from sentence)
    union all select 'occurrence', (select coalesce(max(id), 0) from document)
    union all select 'translation', (select coalesce(max(id), 0) from run)
);

-- CRC-32 of the columns that are read together; null in segments that are older.
alter table ngram_segment add column checksum integer;
alter table token_segment add column stream_checksum integer;  -- of sentences, lengths, tokens
alter table token_segment add column text_checksum integer;    -- of sentences, text

-- What a check found wrong, until a repair or another check finds it sound: commands do not answer from such a file.
create table damage (
    id integer primary key check (id = 1),
    found text not null,                  -- UTC, ISO 8601
    problems text not null                -- JSON: in words
) strict;
