-- Sentences to be searched: their text in one piece, and as sequences of tokens, which are words, clitics and marks;
-- characters where nothing delimits words.

create table type (
    id integer primary key,
    language text not null,
    text text not null,                   -- without the space before it
    unique (language, text)
) strict;

create table token_segment (
    id integer primary key,
    language text not null,
    first_sentence integer not null,
    last_sentence integer not null,
    sentences blob not null,              -- little-endian int64: the sentences in it, ascending
    lengths blob not null,                -- little-endian int32: how many tokens each has
    tokens blob not null,                 -- little-endian int32: the type of each token, sentence after sentence
    text blob not null,                   -- UTF-8: the sentences, each ended by a line break
    run integer not null references run (id),
    unique (language, first_sentence)
) strict;
