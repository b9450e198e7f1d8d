-- Phrases of one language of which a person said that they are not equivalent, whatever they are aligned with. No model
-- and no pair of sentences is named here, so that it holds for every alignment, that of this file or of two others.

-- A pair has no direction: it is written once, the lesser phrase first. Rows are only added: what is taken back stays,
-- and what counts is current_rejection.
create table rejected_equivalent (
    id integer primary key,
    language text not null,               -- ISO 639-3
    phrase text not null,                 -- tokens in lower case, a space between two, as in phrase
    equivalent text not null,
    rejected text not null,               -- UTC, ISO 8601
    undone text,                          -- UTC, ISO 8601; null: it stands
    check (phrase < equivalent)
) strict;

create unique index rejected_equivalent_pair on rejected_equivalent (language, phrase, equivalent) where undone is null;
create index rejected_equivalent_turned on rejected_equivalent (language, equivalent) where undone is null;

create trigger rejected_equivalent_stays before delete on rejected_equivalent
begin
    select raise(abort, 'rejections are never deleted');
end;

create trigger rejected_equivalent_unchanged
before update of id, language, phrase, equivalent, rejected on rejected_equivalent
begin
    select raise(abort, 'rejections are never changed, only undone');
end;

create view current_rejection as
select id, language, phrase, equivalent, rejected from rejected_equivalent where undone is null;

insert into checksum_since (name, since, against) values ('rejected_equivalent', 0, -1);
