-- breaking
-- The settlement of an order is decided once and stored with it, so that the API, events, the chat and the pay page cannot
-- contradict each other. New are `reversed` (a bank reversed money and the debt stands; it was shown as refunded), the
-- remaining amount, and when a person accepted less than the total. Older binaries do not keep these columns up to date.
--
-- Existing orders are computed by the rule of src/orders/settlement.ts. An attempt that was replaced while it held money is
-- `paid`, not `cancelled`, and an order shows the attempt that paid it.

alter table orders add column amount_remaining bigint;
alter table orders add column accepted_at timestamptz;

alter table orders drop constraint orders_payment_status_known;
alter table orders add constraint orders_payment_status_known check (payment_status in
  ('unpaid', 'pending', 'partially_paid', 'paid', 'overpaid', 'partially_refunded', 'refunded', 'reversed'));

update payments set status = 'paid'
where status = 'cancelled' and amount_paid > amount_refunded + amount_reversed;

-- `order.paid` of a part can only follow from a person who accepted it.
update orders set accepted_at = paid_told_at
where paid_told_at is not null and payment_status = 'partially_paid' and status in ('confirmed', 'processing', 'completed');

update orders set amount_remaining = case when accepted_at is null then greatest(0, total - amount_paid) else 0 end
where total is not null and amount_returned = 0;

do $$
declare
  returned record;
  line record;
  remaining bigint;
  is_debt boolean;
  reversed bigint;
begin
  for returned in select org_id, id, total from orders where amount_returned > 0 loop
    select coalesce(sum(amount_reversed), 0) into reversed from payments
    where org_id = returned.org_id and order_id = returned.id;
    if returned.total is null then
      remaining := null;
      is_debt := not exists (select from payments where org_id = returned.org_id and order_id = returned.id
        and status <> 'reversed' and amount_paid > 0);
    else
      remaining := returned.total;
      for line in select kind, amount from payment_ledger where org_id = returned.org_id and order_id = returned.id
        order by recorded_at, kind, key loop
        if line.kind = 'refund' and remaining <= 0 then
          remaining := least(0, remaining - line.amount);
        else
          remaining := remaining - line.amount;
        end if;
      end loop;
      is_debt := remaining > 0;
      remaining := greatest(0, remaining);
    end if;
    update orders set amount_remaining = remaining,
      payment_status = case
        when reversed > 0 and is_debt then 'reversed'
        -- An open amount of which a part was reversed and none refunded.
        when total is null and amount_returned = reversed and amount_paid > amount_returned then 'paid'
        else payment_status end
    where org_id = returned.org_id and id = returned.id;
  end loop;
end
$$;

update orders set payment_id = paying.id
from (
  select distinct on (org_id, order_id) org_id, order_id, id from payments
  where amount_paid > amount_refunded + amount_reversed order by org_id, order_id, id desc
) as paying
where paying.org_id = orders.org_id and paying.order_id = orders.id and paying.id <> orders.payment_id
  and orders.payment_status in ('paid', 'overpaid');

-- Money that is complete was received by a code for another amount: the order waited for a review. That review is still
-- open, and accepting it confirms the order.
alter table orders add constraint orders_remaining_sane check (amount_remaining >= 0 and (amount_remaining is null) = (total is null));
