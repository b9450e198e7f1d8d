-- Commutations that some derivation asks for, and no others: x is usable in a slot, and y, of the same context, can be
-- replaced in a paraphrase. What other fillers have in common is counted from the slots when it is asked for.

create table asked (x integer not null, y integer not null, primary key (x, y)) strict, without rowid;

insert or ignore into asked
select commutation.x, commutation.y
from substitution
cross join slot on slot.context = substitution.context and slot.filler <> substitution.filler
cross join filler on filler.id = slot.filler
cross join sentence on sentence.id = slot.sentence and length(filler.text) <= 0.7 * length(sentence.text)
cross join commutation on commutation.x = min(slot.filler, substitution.filler)
    and commutation.y = max(slot.filler, substitution.filler);

delete from commutation where not exists (
    select 1 from asked where asked.x = commutation.x and asked.y = commutation.y
);

drop table asked;

-- Nearly always both hashes are the same.
drop index if exists candidate_inner_unseen;
create index candidate_inner_unseen on candidate (inner_unseen) where inner_unseen is not unseen;

-- Context and filler are those of a slot, which says the sentence.
drop index if exists substitution_sentence;

-- Fingerprints hardly ever meet in another language.
drop index if exists context_hash;
create index context_hash on context (hash);
drop index if exists filler_hash;
create index filler_hash on filler (hash);
