-- The corpus: who said what, where it stands, and what translates what.

-- What was imported under one name.
create table collection (
    id integer primary key,               -- its number
    name text not null unique,            -- as the user calls it
    licence text                          -- null: none was told
) strict;

-- The files of a collection, or those that were read together.
create table document (
    id integer primary key,               -- its number
    collection integer not null references collection (id), -- in which it stands
    name text not null,                   -- of the file
    digest text not null,                 -- SHA-256 of the file's bytes and of how it was read
    languages text not null,              -- in the order of the columns
    lines_done integer not null default 0,                  -- how many lines of it are stored
    complete integer not null default 0 check (complete in (0, 1)),     -- 0: more lines are to come
    counts text not null default '{}',    -- JSON: what reading it gave
    run integer not null references run (id),               -- the import
    unique (collection, digest)
) strict;

-- Each text of a language once, wherever it occurs.
create table sentence (
    id integer primary key,               -- ascending, so that a layer can say up to which sentence it goes
    language text not null,               -- ISO 639-3
    text text not null,                   -- NFC
    unique (language, text)
) strict;

-- Where the sentences stand in the documents.
create table occurrence (
    document integer not null references document (id),     -- in which it stands
    line integer not null,                -- from 1
    sentence integer not null references sentence (id),     -- what stands there
    original text,                        -- as the file had it, where normalisation changed it
    primary key (document, line, sentence)
) strict, without rowid;

create index occurrence_sentence on occurrence (sentence);

-- Sentences that translate each other. Both directions of each pair stand here, so that a join needs to look one way
-- only.
create table translation (
    sentence integer not null references sentence (id),     -- the one
    translation integer not null references sentence (id),  -- the other
    collection integer not null references collection (id), -- that has them side by side
    run integer not null references run (id),               -- the import
    primary key (sentence, translation, collection)
) strict, without rowid;

-- Documents inside a file, and what the file says of its units: their ids, and whose text each is.

-- A document inside a file, such as a talk of a TMX or a test set.
create table section (
    id integer primary key,               -- its number
    document integer not null references document (id),     -- the file it stands in
    number integer not null,              -- from 1, in the order of the file
    name text not null,                   -- its id there
    attributes text not null default '{}',                  -- JSON: what else the file says of it
    unique (document, number)
) strict;

create index section_name on section (name);

-- Units of files that have documents, ids or versions; those of plain parallel text have no row here.
create table unit (
    document integer not null references document (id),     -- the file it stands in
    line integer not null,                -- that of the unit's occurrences
    section integer references section (id),                -- null: it stands in no document inside the file
    name text,                            -- its id in the file or section
    primary key (document, line)
) strict, without rowid;

create index unit_section on unit (section);

-- The texts of such a unit: its source, its reference translations, what systems made of it.
create table version (
    document integer not null references document (id),     -- that of the unit
    line integer not null,                -- that of the unit
    number integer not null,              -- from 1, in the order of the unit's texts
    sentence integer not null references sentence (id),     -- the text
    role text not null check (role in ('', 'source', 'reference', 'system')),   -- '': the file does not tell
    name text not null,                   -- of the translator or system; may be empty
    primary key (document, line, number)
) strict, without rowid;

create index version_sentence on version (sentence);
