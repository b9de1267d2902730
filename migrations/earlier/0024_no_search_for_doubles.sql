-- Before PostgreSQL splits a full page of an index, it looks for keys that are alike and stores them once. These keys end in
-- an id, so no two are alike; the search found nothing and took a sixtieth of what accepting a message costs.

alter index messages_thread_idx set (deduplicate_items = off);
alter index chats_activity_idx set (deduplicate_items = off);
alter index chats_number_idx set (deduplicate_items = off);
alter index outbox_entries_waiting_idx set (deduplicate_items = off);
alter index outbox_entries_keyed_idx set (deduplicate_items = off);
