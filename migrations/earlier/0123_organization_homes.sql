-- One row for each organization, from its creation on. In a cluster the row lies on the shard of the organization: an insert that selects
-- from it runs there as a whole, without copies on other nodes and without two-phase commit (src/platform/database/organization-filter.ts).
-- One PostgreSQL does not read it.

create table organization_homes (
  org_id text collate "C" not null,
  constraint organization_homes_pkey primary key (org_id)
);

insert into organization_homes (org_id) select id from organizations;
