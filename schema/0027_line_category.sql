-- The categories that a person gave to lines of concordances: a line is a match in a sentence, whatever search found it.

-- Rows are only added: one without a category takes the one before away, and what is undone stays, and does not count.
create table line_category (
    id integer primary key,
    name text not null,                   -- of the set of categories
    step integer not null,                -- what was assigned at once, ascending within a set
    sentence integer not null references sentence (id),
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

create view current_line_category as
select name, sentence, start, stop, category from line_category given
where undone is null and category is not null and not exists (
    select 1 from line_category later
    where later.undone is null and later.name = given.name and later.sentence = given.sentence
        and later.start = given.start and later.stop = given.stop and later.id > given.id
);

insert into checksum_since (name, since, against) values ('line_category', 0, -1);
