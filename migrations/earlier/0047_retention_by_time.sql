-- What is kept for a while and cannot be partitioned by day is found by its time. Until now every process looked for old rows
-- organization by organization, which at 100,000 of them is a statement per organization and process to find nothing.

drop index message_statuses_parked_at_idx;
create index message_statuses_parked_at_idx on message_statuses_parked (parked_at);

-- Those that no one has acted upon are kept.
create index payment_notices_received_idx on payment_notices (received_at)
  where status <> 'waiting' and outcome is distinct from 'unanswered';

create index approvals_created_idx on approvals (created_at);
