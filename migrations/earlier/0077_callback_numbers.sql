-- The numbers of a business account whose callback this is, where it has several and the organization has others too.
-- Null for every other endpoint.
alter table webhook_endpoints add column number_ids text[] collate "C";
