-- The sandbox of an organization: an organization with its own data, for tests, with the people of the live one. An organization
-- has at most one.
alter table organizations add column sandbox_of text collate "C";
alter table organizations
  add constraint organizations_sandbox_of_key unique (sandbox_of),
  add constraint organizations_sandbox_of_fkey foreign key (sandbox_of) references organizations (id),
  add constraint organizations_sandbox_of_check check (sandbox_of <> id);
