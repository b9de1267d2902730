-- What the WhatsApp Business app reports, and groups.

-- Groups have chats too: the contact of such a chat is the group.
alter table contact_identities
  drop constraint contact_identities_kind_known,
  add constraint contact_identities_kind_known check (kind in ('phone', 'user_id', 'username', 'group_id'));

-- The name in the address book of the WhatsApp Business app. It is shown as `name` until the customer reports another one.
alter table contacts add column synced_name text;
