-- breaking
-- Every act locked the head of its organization's audit log until its commit, because the hash of an entry needs the hash before it:
-- acts of one organization ran one after another. Now the act stores its entry with a number from the head and a keyed hash over
-- the entry alone (mac), sent together with the commit. A background task, the linker, writes the hashes of the chain afterwards.
-- Entries that are in the chain already have no mac: their hash covers them. Older processes would chain to a head that is not the last
-- entry, so they refuse to start on this schema.

alter table audit_entries
  add column mac text collate "C",
  -- Null until the entry is linked.
  alter column previous_hash drop not null,
  alter column hash drop not null,
  -- Linking rewrites an entry. With room in its page none of the indexes is touched.
  set (fillfactor = 50);

alter table audit_heads rename column last_hash to linked_hash;
alter table audit_heads
  -- The last entry that is in the chain; linked_hash is its hash.
  add column linked_sequence bigint not null default 0,
  -- Stays true while entries are added, so that the row of a busy organization leaves its indexes alone.
  add column has_unlinked boolean not null default false;
update audit_heads set linked_sequence = last_sequence;

create index audit_heads_unlinked_idx on audit_heads (org_id) where has_unlinked;
