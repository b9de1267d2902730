-- breaking: an older program looks for lanes that are marked as ready, and those marks are gone.
--
-- Everything of an organization is to live on one machine of a cluster, its outgoing work included, so that what stores a
-- row and what sends it are one local transaction. Lanes, entries, grants and gaps are therefore keyed by organization
-- first, and work is claimed for one organization at a time.
--
-- A claim reads from the entries which lanes of the organization have work that is due. Lanes no longer carry a mark for
-- it, which every claim and every acknowledgement had to keep true.
drop index outbox_lanes_ready_idx;
drop index outbox_lanes_sleeping_idx;
drop index outbox_lanes_unwell_idx;
alter table outbox_lanes
  drop column is_ready,
  drop column wakes_at,
  drop constraint outbox_lanes_pkey,
  add constraint outbox_lanes_pkey primary key (org_id, id);
create index outbox_lanes_unwell_idx on outbox_lanes (org_id, id) where breaker <> 'closed';

drop index outbox_entries_waiting_idx;
drop index outbox_entries_keyed_idx;
drop index outbox_entries_leased_idx;
drop index outbox_entries_held_idx;
alter table outbox_entries
  drop constraint outbox_entries_pkey,
  add constraint outbox_entries_pkey primary key (org_id, id);
create index outbox_entries_waiting_idx on outbox_entries (org_id, lane_id, class, due_at, id)
  with (deduplicate_items = off) where state = 'waiting';
create index outbox_entries_keyed_idx on outbox_entries (org_id, lane_id, order_key, position, id)
  with (deduplicate_items = off) where order_key is not null;
create index outbox_entries_leased_idx on outbox_entries (org_id, lane_id, order_key) where state = 'leased';
create index outbox_entries_held_idx on outbox_entries (org_id, lane_id, id) where state = 'held';

alter table outbox_grants
  drop constraint outbox_grants_pkey,
  add constraint outbox_grants_pkey primary key (org_id, lane_id, process_id);

alter table outbox_key_gaps add column org_id text collate "C";
update outbox_key_gaps g set org_id = l.org_id from outbox_lanes l where l.id = g.lane_id;
delete from outbox_key_gaps where org_id is null;
alter table outbox_key_gaps
  alter column org_id set not null,
  drop constraint outbox_key_gaps_pkey,
  add constraint outbox_key_gaps_pkey primary key (org_id, lane_id, order_key);
