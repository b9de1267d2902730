-- Endpoints can be limited to events whose payload has certain values: dotted paths with the values they may have.
alter table webhook_endpoints add column payload_filter jsonb;
