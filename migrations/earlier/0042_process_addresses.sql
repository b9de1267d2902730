-- Where a serving process listens, so that commands on the same machine find it whatever port it was started with. It is noted
-- once the port is open; a process that serves nothing, or is of an earlier version, has none.

alter table processes add column address text;
