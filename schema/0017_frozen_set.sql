-- Reference sets that were made for outputs, and signed before any score on them was shown.

create table frozen_set (
    reference_set integer primary key references reference_set (id),
    name text not null unique,
    guided_by text not null,              -- JSON: [[system, SHA-256 of its output], ...] that it was made for
    run integer not null references run (id),
    frozen text not null                  -- UTC, ISO 8601
) strict;

-- What a score was computed on, or was promised to be, stays as it is.
create trigger reference_set_stays before update on reference_set
when exists (select 1 from score where reference_set = old.id)
  or exists (select 1 from frozen_set where reference_set = old.id)
begin
    select raise(abort, 'this reference set is frozen, or scores were computed on it');
end;

create trigger frozen_set_stays before update on frozen_set
begin
    select raise(abort, 'this reference set is frozen');
end;

create trigger frozen_set_remains before delete on frozen_set
begin
    select raise(abort, 'this reference set is frozen');
end;

insert into checksum_since (name, since, against) values ('frozen_set', 0, -1);
