-- Lines of bank statements: money that arrived on the shop's own account. A person or a key confirms which order a line pays.
create table statement_lines (
  org_id text collate "C" not null,
  id text collate "C" not null,
  day date not null,
  amount bigint not null,
  description text not null,
  status text not null,
  -- Of day, amount, description and the count of equal lines in the file, so that a file that is imported again adds nothing.
  fingerprint text collate "C" not null,
  order_id text collate "C",
  payment_id text collate "C",
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint statement_lines_pkey primary key (org_id, id),
  constraint statement_lines_fingerprint_key unique (org_id, fingerprint),
  constraint statement_lines_amount_positive check (amount > 0),
  constraint statement_lines_status_known check (status in ('open', 'confirmed', 'ignored'))
);
create index statement_lines_open_idx on statement_lines (org_id, id) where status = 'open';
create index statement_lines_order_idx on statement_lines (org_id, order_id) where order_id is not null;
