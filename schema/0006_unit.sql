-- Documents inside a file, and what the file says of its units: their ids, and whose text each is.

create table section (
    id integer primary key,
    document integer not null references document (id),  -- the file it stands in
    number integer not null,              -- from 1, in the order of the file
    name text not null,                   -- its id there
    attributes text not null default '{}',  -- JSON: what else the file says of it
    unique (document, number)
) strict;

create index section_name on section (name);

-- Units of files that have documents, ids or versions; those of plain parallel text have no row here.
create table unit (
    document integer not null references document (id),
    line integer not null,                -- that of the unit's occurrences
    section integer references section (id),
    name text,                            -- its id in the file or section
    primary key (document, line)
) strict, without rowid;

create index unit_section on unit (section);

create table version (
    document integer not null references document (id),
    line integer not null,
    number integer not null,              -- from 1, in the order of the unit's texts
    sentence integer not null references sentence (id),
    role text not null check (role in ('', 'source', 'reference', 'system')),
    name text not null,                   -- of the translator or system; may be empty
    primary key (document, line, number)
) strict, without rowid;

create index version_sentence on version (sentence);
