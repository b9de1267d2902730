-- The audit log was sorted by number and filtered by time, so whoever asked for what happened in some week of last year had
-- everything since then read. It is sorted by time now, and what it can be filtered by has an index that goes on with the
-- time. Who did it ends in what was done, so that somebody's acts of one kind are told apart within the index.
--
-- Acts wait while the indexes are built. On two busy processors that took 17 s for 300,000 entries; most logs are far shorter.

create index audit_entries_at_idx on audit_entries (org_id, at, sequence);
create index audit_entries_actor_at_idx on audit_entries (org_id, actor_id, at, sequence, act);
create index audit_entries_act_at_idx on audit_entries (org_id, act, at, sequence);
create index audit_entries_subject_at_idx on audit_entries (org_id, subject, at, sequence) where subject is not null;

drop index audit_entries_actor_idx;
drop index audit_entries_act_idx;
drop index audit_entries_subject_idx;
