-- Two index entries less for every message that is accepted.
--
-- A message has no provider id until the network has answered, and without one there is nothing to be unique: the entries of
-- all those nulls were as many as there are messages, all alike, and PostgreSQL kept sorting them out.
--
-- The events of a request were made while it was running, and the ids of events begin with their time. They are found
-- among those few, without an index over all.

alter table messages drop constraint messages_provider_id_key;
create unique index messages_provider_id_key on messages (org_id, number_id, provider_id) where provider_id is not null;

drop index events_request_id_idx;
