-- Lets the payer choose the method. Such an order (billing_type `choice`) has no attempt until the payer has chosen, so it holds
-- its deadline and, if the shop restricts the choice, the methods to choose from. Both are null for every other order.
alter table orders
  add column choice_methods jsonb,
  add column choice_expires_at timestamptz;
