-- Receipts and invoices of orders, and the logo that they show.
--
-- A document gets its number when it is first asked for. The counter is locked until the commit that uses the number, so numbers
-- have no gaps within an organization and a kind. What a document says is read from the order each time.

create table order_documents (
  org_id text collate "C" not null,
  id text collate "C" not null,
  kind text not null,
  number bigint not null,
  order_id text collate "C" not null,
  issued_at timestamptz not null,

  constraint order_documents_pkey primary key (org_id, id),
  constraint order_documents_number_key unique (org_id, kind, number),
  constraint order_documents_order_key unique (org_id, order_id, kind),
  constraint order_documents_kind_known check (kind in ('receipt', 'invoice'))
);

create table order_document_counters (
  org_id text collate "C" not null,
  kind text not null,
  last_number bigint not null,

  constraint order_document_counters_pkey primary key (org_id, kind)
);

-- One logo per organization. The settings of the organization hold its hash, so that pages need not look here.
create table organization_logos (
  org_id text collate "C" not null,
  content_type text not null,
  hash text not null,
  bytes bytea not null,
  created_at timestamptz not null,

  constraint organization_logos_pkey primary key (org_id)
);
