-- Numbers in segments take as few bytes as they need. Packed are numbers of one size: a byte that says how many bytes each
-- takes, then the lowest byte of each, then the next of each. Packed ids ascend: each less the one before, 0 first.
-- What had another checksum than it should have has so afterwards.

create table packed_segment (
    id integer primary key,               -- its number
    language text not null,               -- ISO 639-3
    first_sentence integer not null,      -- the id of the first sentence in it
    last_sentence integer not null,       -- the id of the last
    text blob not null,                   -- UTF-8: each sentence between two line breaks
    sentences blob not null,              -- packed ids: the sentences in it
    suffixes blob not null,               -- packed: code point offsets into the text, in the order of the suffixes
    run integer not null references run (id),               -- what made it
    checksum integer,                     -- CRC-32 of text, sentences, suffixes
    unique (language, first_sentence)
) strict;

insert into packed_segment
select id, language, first_sentence, last_sentence, text, packed_ids(sentences), packed_numbers(suffixes), run,
       crc32(text, packed_ids(sentences), packed_numbers(suffixes)) - (checksum <> crc32(text, sentences, suffixes))
from ngram_segment;

drop table ngram_segment;
alter table packed_segment rename to ngram_segment;

create table packed_segment (
    id integer primary key,               -- its number
    language text not null,               -- ISO 639-3
    first_sentence integer not null,      -- the id of the first sentence in it
    last_sentence integer not null,       -- the id of the last
    sentences blob not null,              -- packed ids: the sentences in it
    lengths blob not null,                -- packed: how many tokens each has
    tokens blob not null,                 -- packed: the type of each token, sentence after sentence
    text blob not null,                   -- UTF-8: the sentences, each ended by a line break
    run integer not null references run (id),               -- what made it
    stream_checksum integer,              -- CRC-32 of sentences, lengths, tokens
    text_checksum integer,                -- CRC-32 of sentences, text
    unique (language, first_sentence)
) strict;

insert into packed_segment
select id, language, first_sentence, last_sentence, packed_ids(sentences), packed_numbers(lengths),
       packed_numbers(tokens), text, run,
       crc32(packed_ids(sentences), packed_numbers(lengths), packed_numbers(tokens))
           - (stream_checksum <> crc32(sentences, lengths, tokens)),
       crc32(packed_ids(sentences), text) - (text_checksum <> crc32(sentences, text))
from token_segment;

drop table token_segment;
alter table packed_segment rename to token_segment;
