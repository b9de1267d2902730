-- Whose a payment account is, for notifications, which name the account and nothing else: as channel_number_routes is for
-- numbers. A small look-up table that every node needs whole. So no key of payment_accounts spans organizations, and the table
-- can be sharded by organization.

create table payment_account_routes (
  account_id text collate "C" not null constraint payment_account_routes_pkey primary key,
  org_id text collate "C" not null
);

insert into payment_account_routes (account_id, org_id) select id, org_id from payment_accounts;

alter table payment_accounts drop constraint payment_accounts_id_key;
