-- Character n-grams of every length: a suffix array over the sentences of a language, in segments.

create table ngram_segment (
    id integer primary key,
    language text not null,
    first_sentence integer not null,
    last_sentence integer not null,
    text blob not null,                   -- UTF-8: each sentence between two line breaks
    sentences blob not null,              -- little-endian int64: the sentences in it, ascending
    suffixes blob not null,               -- little-endian int32: code point offsets into the text, in the order of the suffixes
    run integer not null references run (id),
    unique (language, first_sentence)
) strict;
