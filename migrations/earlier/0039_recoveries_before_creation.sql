-- A recovery of everything sent an endpoint also the events from before it was created, without a choice that says so. That is a
-- choice of its own now. Recoveries that are under way end as they began.

alter table webhook_recoveries add column include_before_creation boolean not null default false;

update webhook_recoveries set include_before_creation = true where finished_at is null;
