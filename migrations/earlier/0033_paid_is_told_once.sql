-- When `order.paid` was told of an order. Whether it was had been asked of the events, which are kept for thirty days: the rest of a
-- payment that came later than that was a second sign to send the goods. Orders from before have none and are still asked
-- of the events.

alter table orders add column paid_told_at timestamptz;
