-- Webhooks in the format of Meta's Cloud API.

-- How requests to an endpoint look: `standard`, or `whatsapp_cloud`. The latter may be limited to one business number, and has the
-- token that its handshake carries, sealed.
alter table webhook_endpoints
  add column format text not null default 'standard',
  add column number_id text collate "C",
  add column sealed_verify_token text;

-- What the network reported with a status beyond the status itself, by status: {"sent": {"pricing", "conversation"}, "failed": {"errors"}}.
alter table message_states add column reports jsonb;
