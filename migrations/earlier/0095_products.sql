-- The catalogue of an organization: what it sells, at which price, and how many pieces are left.
--
-- stock is what can still be sold; null means that it is not counted. An order takes its pieces in the transaction that creates
-- it and notes them in stock_reservations, so that they are returned exactly once when the order expires or is cancelled.
-- stock may be negative: a late payment can confirm an order whose pieces were sold meanwhile.

create table products (
  org_id text collate "C" not null,
  id text collate "C" not null,
  sku text collate "C" not null,
  -- How a WhatsApp catalogue calls the product.
  retailer_id text collate "C" not null,
  name text not null,
  price bigint not null,
  -- Hundredths of a percent; null for no tax.
  tax_rate_bps integer,
  tax_included boolean not null,
  image_url text,
  active boolean not null,
  stock bigint,
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,

  constraint products_pkey primary key (org_id, id),
  constraint products_sku_key unique (org_id, sku),
  constraint products_retailer_id_key unique (org_id, retailer_id),
  constraint products_price_sane check (price >= 0),
  constraint products_tax_rate_sane check (tax_rate_bps between 0 and 10000)
) with (fillfactor = 85);

create table stock_reservations (
  org_id text collate "C" not null,
  order_id text collate "C" not null,
  product_id text collate "C" not null,
  quantity bigint not null,

  constraint stock_reservations_pkey primary key (org_id, order_id, product_id),
  constraint stock_reservations_quantity_sane check (quantity > 0)
);

-- The part of an order's total that is tax contained in its prices. It is not added to the total.
alter table orders add column tax_included bigint not null default 0;
