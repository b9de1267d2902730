-- Which providers there are is known to the program alone (src/payments/connectors/connectors.ts): with this constraint a new one
-- needed a migration, too. Accounts are checked against that list before they are stored.
alter table payment_accounts drop constraint payment_accounts_provider_known;
