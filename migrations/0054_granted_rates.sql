-- breaking: an older program would spend the whole rate of a lane beside a grant.
--
-- A grant takes its part of a lane's rate with its slots, so that lanes with a rate (every business number) can have one.
alter table outbox_lanes add column granted_rate double precision not null default 0;
alter table outbox_grants add column rate double precision;
