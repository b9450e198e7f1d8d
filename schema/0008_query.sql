-- Queries that people keep under a name, for all who use the database.

create table saved_query (
    id integer primary key,
    name text not null unique,
    command text not null,                -- of corpusdb, such as paraphrases
    options text not null,                -- JSON: what the command takes, by the names of its fields
    note text not null default '',
    saved text not null                   -- UTC, ISO 8601
) strict;
