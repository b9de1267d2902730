-- A platform or an operator suspends an organization: its keys and agents are refused until it is resumed. What arrives for it
-- is still recorded, so that no payment and no message is lost.
alter table organizations add column suspended_at timestamptz;
alter table organizations add column suspended_reason text;
