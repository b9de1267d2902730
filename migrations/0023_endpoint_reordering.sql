-- A new order for an endpoint is brought to what waits for it step by step, as a backlog may be of hundreds of thousands.
-- How far that has come is kept here: after which delivery it goes on, the empty text for the beginning, null when there is
-- nothing to do. Beside `settling` and not one of its values, because an endpoint may be paused and resumed meanwhile.

alter table webhook_endpoints add column reordered_until text collate "C";
