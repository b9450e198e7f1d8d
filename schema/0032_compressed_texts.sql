-- Texts in segments are compressed with zlib, tokens are places among the types of their language, and hashes are found
-- by their upper half. Small are packed numbers whose bytes but the lowest are compressed: a byte that says how many
-- bytes each takes, and 128; these bytes, compressed; the lowest byte of each.
-- What had another checksum than it should have has so afterwards.

create table compressed_segment (
    id integer primary key,               -- its number
    language text not null,               -- ISO 639-3
    first_sentence integer not null,      -- the id of the first sentence in it
    last_sentence integer not null,       -- the id of the last
    text blob not null,                   -- UTF-8, compressed: each sentence between two line breaks
    sentences blob not null,              -- packed ids: the sentences in it
    suffixes blob not null,               -- packed: code point offsets into the text, in the order of the suffixes
    run integer not null references run (id),               -- what made it
    checksum integer,                     -- CRC-32 of text, sentences, suffixes
    unique (language, first_sentence)
) strict;

insert into compressed_segment
select id, language, first_sentence, last_sentence, compressed(text), sentences, suffixes, run,
       crc32(compressed(text), sentences, suffixes) - (checksum <> crc32(text, sentences, suffixes))
from ngram_segment;

drop table ngram_segment;
alter table compressed_segment rename to ngram_segment;

create table compressed_segment (
    id integer primary key,               -- its number
    language text not null,               -- ISO 639-3
    first_sentence integer not null,      -- the id of the first sentence in it
    last_sentence integer not null,       -- the id of the last
    sentences blob not null,              -- packed ids: the sentences in it
    lengths blob not null,                -- packed: how many tokens each has
    tokens blob not null,                 -- small packed: sentence after sentence the type of each token, as its place, from 0, among those of the language
    text blob not null,                   -- UTF-8, compressed: the sentences, each ended by a line break
    run integer not null references run (id),               -- what made it
    stream_checksum integer,              -- CRC-32 of sentences, lengths, tokens
    text_checksum integer,                -- CRC-32 of sentences, text
    unique (language, first_sentence)
) strict;

with placed as materialized (
    select id, language, first_sentence, last_sentence, sentences, lengths, tokens, text, run, stream_checksum,
           text_checksum, compressed(text) as compressed_text, packed_places(tokens, (
               select json_group_array(id) from (
                   select type.id from type where type.language = token_segment.language order by type.id
               )
           )) as places
    from token_segment
)
insert into compressed_segment
select id, language, first_sentence, last_sentence, sentences, lengths, places, compressed_text, run,
       crc32(sentences, lengths, places) - (stream_checksum <> crc32(sentences, lengths, tokens)),
       crc32(sentences, compressed_text) - (text_checksum <> crc32(sentences, text))
from placed;

drop table token_segment;
alter table compressed_segment rename to token_segment;

drop index context_hash;
create index context_hash on context (hash >> 32);

drop index filler_hash;
create index filler_hash on filler (hash >> 32);

drop index candidate_unseen;
create index candidate_unseen on candidate (unseen >> 32) where unseen is not null;

drop index candidate_inner_unseen;
create index candidate_inner_unseen on candidate (inner_unseen >> 32) where inner_unseen is not unseen;
