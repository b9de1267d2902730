-- Numbers that may send more than 80 messages a second, those of the simulator above all, sent 32 at a time. In a burst each 32
-- cost a claim and an acknowledgement, one after the other; new numbers of that pace have 64, which the lane grows to by its
-- successes. The simulator's reports ran eight at a time; they are now due together and posted in one hook.
update outbox_lanes
set concurrency_max = least(64, greatest(32, ceil(rate_per_second * 0.4)::int))
where kind = 'channel send' and rate_per_second > 80;

update outbox_lanes set concurrency_max = 32, concurrency = 32, slots = 32
where kind = 'simulated network' and concurrency_max < 32;
