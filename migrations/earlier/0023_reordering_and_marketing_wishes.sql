-- A new order for an endpoint is brought to what waits for it step by step, as a backlog may be of hundreds of thousands.
-- How far that has come is kept here: after which delivery it goes on, the empty text for the beginning, null when there is
-- nothing to do. Beside `settling` and not one of its values, because an endpoint may be paused and resumed meanwhile.

alter table webhook_endpoints add column reordered_until text collate "C";

-- What people told about marketing messages, of each number: [{"number_id", "at", "is_stopped"}], the last word of each. One
-- who wants them again keeps an entry, so that an older word that arrives late is known to be older. In the row of the
-- contact, because whoever sends reads that anyway.
alter table contacts add column marketing_wishes jsonb not null default '[]';
