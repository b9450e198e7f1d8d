-- Annotated sentences: into which tokens they are cut, and what is known of each, such as lemma and part of speech.

create table annotation (
    id integer primary key,
    language text not null,
    source text not null,                 -- import, or the identity of the analyser that made it
    sentences blob not null,              -- little-endian int64: the sentences in it, each once
    lengths blob not null,                -- little-endian int32: how many tokens each has
    begins blob not null,                 -- little-endian int32: where each token begins in the text of its sentence,
    ends blob not null,                   -- and where it ends, in code points; words written as one stand in one place
    remarks blob not null,                -- UTF-8: for each sentence JSON, [tokens before it, line of the file], and LF
    checksum integer not null,            -- CRC-32 of the blobs in this order
    run integer not null references run (id)
) strict;

create index annotation_language on annotation (language, source);

create table annotation_attribute (
    id integer primary key,
    annotation integer not null references annotation (id),
    name text not null,                   -- word, lemma, upos ...
    vocabulary blob not null,             -- UTF-8: the values, each ended by a line break; the first is empty: not known
    tokens blob not null,                 -- little-endian int32: the value of each token, by its place there from 0
    checksum integer not null,            -- CRC-32 of the blobs in this order
    unique (annotation, name)
) strict;

insert into checksum_since (name, since, against) values ('annotation', 0, -1), ('annotation_attribute', 0, -1);
