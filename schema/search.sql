-- What is searched: sentences as sequences of tokens, annotations of these, and what people keep of what they found.

-- Sentences to be searched: their text in one piece, and as sequences of tokens, which are words, clitics and marks;
-- characters where nothing delimits words.

-- Each different token of a language.
create table type (
    id integer primary key,               -- by which token_segment names it
    language text not null,               -- ISO 639-3
    text text not null,                   -- without the space before it
    unique (language, text)
) strict;

-- Sentences of a language that were stored one after the other. What is packed is said of ngram_segment.
create table "token_segment" (
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

-- Annotated sentences: into which tokens they are cut, and what is known of each, such as lemma and part of speech.
create table annotation (
    id integer primary key,               -- its number
    language text not null,               -- ISO 639-3
    source text not null,                 -- import, or the identity of the analyser that made it
    sentences blob not null,              -- little-endian int64: the sentences in it, each once
    lengths blob not null,                -- little-endian int32: how many tokens each has
    begins blob not null,                 -- little-endian int32: where each token begins in the text of its sentence,
    ends blob not null,                   -- and where it ends, in code points; words written as one stand in one place
    remarks blob not null,                -- UTF-8: for each sentence JSON, [tokens before it, line of the file], and LF
    checksum integer not null,            -- CRC-32 of the blobs in this order
    run integer not null references run (id)                -- what made it
) strict;

create index annotation_language on annotation (language, source);

-- One attribute of all the tokens of an annotation.
create table annotation_attribute (
    id integer primary key,               -- its number
    annotation integer not null references annotation (id), -- whose tokens these are
    name text not null,                   -- word, lemma, upos ...
    vocabulary blob not null,             -- UTF-8: the values, each ended by a line break; the first is empty: not known
    tokens blob not null,                 -- little-endian int32: the value of each token, by its place there from 0
    checksum integer not null,            -- CRC-32 of the blobs in this order
    unique (annotation, name)
) strict;

-- Queries that people keep under a name, for all who use the database.
create table saved_query (
    id integer primary key,               -- its number
    name text not null unique,            -- as the user calls it
    command text not null,                -- of corpusdb, such as paraphrases
    options text not null,                -- JSON: what the command takes, by the names of its fields
    note text not null default '',        -- what the user wrote of it
    saved text not null                   -- UTC, ISO 8601
) strict;

-- The categories that a person gave to lines of concordances: a line is a match in a sentence, whatever search found it.
-- Rows are only added: one without a category takes the one before away, and what is undone stays, and does not count;
-- only a set that is deleted or renamed goes, and what is said of sentences that do.
create table line_category (
    id integer primary key,               -- ascending: the last of a line counts
    name text not null,                   -- of the set of categories
    step integer not null,                -- what was assigned at once, ascending within a set
    sentence integer not null references sentence (id),     -- in which the line is
    start integer not null,               -- in Unicode characters, from 0
    stop integer not null,                -- behind the last character of the match
    category text,                        -- null: from this step on the line has none
    assigned text not null,               -- UTC, ISO 8601
    undone text,                          -- UTC, ISO 8601; null: it stands
    check (0 <= start and start <= stop)
) strict;

create index line_category_line on line_category (name, sentence, start, stop, id) where undone is null;
create index line_category_sentence on line_category (sentence);
create index line_category_step on line_category (name, step);

create trigger line_category_stays before delete on line_category
begin
    select raise(abort, 'categories are never deleted');
end;

create trigger line_category_unchanged
before update of id, name, step, sentence, start, stop, category, assigned on line_category
begin
    select raise(abort, 'categories are never changed, only undone');
end;

-- The last category of each line that was not undone.
create view current_line_category as
select name, sentence, start, stop, category from line_category given
where undone is null and category is not null and not exists (
    select 1 from line_category later
    where later.undone is null and later.name = given.name and later.sentence = given.sentence
        and later.start = given.start and later.stop = given.stop and later.id > given.id
);
