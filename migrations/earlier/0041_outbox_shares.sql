-- Bulkheads: what hangs must not take the slots of what does not.
--
-- `pool` is the kind of work a lane does. Each pool has slots of its own per organization and per process, so that
-- webhooks that hang delay no message and no payment. `destination` is the receiver a lane calls, where several
-- organizations may call the same one: the host of a webhook's URL, the provider of a payment account. `answered_at` is when
-- the other side last answered well: of an organization's slots, lanes that do not answer keep at most half.

alter table outbox_lanes
  add column pool text not null default 'messages',
  add column destination text,
  add column answered_at timestamptz,
  add constraint outbox_lanes_pool_known check (pool in ('webhooks', 'messages', 'payments'));

update outbox_lanes set pool = 'webhooks' where kind like 'webhooks%';

update outbox_lanes l set destination = lower(substring(e.url from '^[a-zA-Z]+://(\[[^\]]*\]|[^/:?#]*)'))
from webhook_endpoints e where l.pool = 'webhooks' and l.id in (e.id, e.id || ':by-hand');

update outbox_lanes l set pool = 'payments', destination = a.provider
from payment_accounts a where l.kind = 'payments' and l.id = a.id;
